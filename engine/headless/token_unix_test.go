//go:build unix

package headless_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cuatui/engine/headless"
)

func TestATokenFileIsMadeOnceAndIsItsOwnersAlone(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0)) // which would hide a mode that is too wide
	path := filepath.Join(t.TempDir(), "token")
	first, err := headless.TokenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := headless.CheckToken(first); err != nil {
		t.Errorf("the new token: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if again, err := headless.TokenFile(path); err != nil || again != first {
		t.Errorf("the file's own token is another, or %v", err)
	}
	if other, err := headless.TokenFile(path + "2"); err != nil || other == first {
		t.Errorf("two files have one token, or %v", err)
	}
}

func TestATokenFileThatIsNotPrivateOrNoTokenIsRefused(t *testing.T) {
	dir := t.TempDir()
	good := strings.Repeat("x", 40)
	for _, tt := range []struct {
		name, holds string
		mode        os.FileMode
		ok          bool
	}{
		{"as made", good + "\n", 0o600, true},
		{"without an end of line", good, 0o600, true},
		{"read only", good + "\r\n", 0o400, true},
		{"others may read it", good, 0o604, false},
		{"the group may write it", good, 0o620, false},
		{"empty", "", 0o600, false},
		{"two lines", good + "\n" + good, 0o600, false},
		{"two ends of line", good + "\n\n", 0o600, false},
		{"too long", strings.Repeat("x", 5000), 0o600, false},
		{"something else", "user = someone\npassword = " + good, 0o600, false},
	} {
		path := filepath.Join(dir, tt.name)
		if err := os.WriteFile(path, []byte(tt.holds), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, tt.mode); err != nil {
			t.Fatal(err)
		}
		token, err := headless.TokenFile(path)
		if (err == nil) != tt.ok || tt.ok && token != good {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err != nil && strings.Contains(err.Error(), good) {
			t.Errorf("%s: the error repeats what the file holds", tt.name)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != tt.holds {
			t.Errorf("%s: the file was written over", tt.name)
		}
	}
	link, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := os.Symlink(filepath.Join(dir, "as made"), link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	dangling := filepath.Join(dir, "dangling")
	if err := os.Symlink(filepath.Join(dir, "made through it"), dangling); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, pipe, dangling, dir, filepath.Join(dir, "none", "token")} {
		if _, err := headless.TokenFile(path); err == nil {
			t.Errorf("%s is taken", filepath.Base(path))
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "made through it")); err == nil {
		t.Error("a file was made where a link leads")
	}
}
