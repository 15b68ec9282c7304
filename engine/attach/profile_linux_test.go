package attach

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cuatui/engine/refusal"
	"cuatui/platform"
)

func TestThePortFileIsReadAsABrowserWritesIt(t *testing.T) {
	tests := []struct {
		name, text string
		port       uint16
	}{
		{"two lines", "9222\n" + browserGUID, 9222},
		{"with a last line end", "9222\n" + browserGUID + "\n", 9222},
		{"the highest port", "65535\n" + browserGUID, 65535},
		{"empty", "", 0},
		{"one line", "9222", 0},
		{"one line and its end", "9222\n", 0},
		{"three lines", "9222\n" + browserGUID + "\nmore", 0},
		{"an empty line between", "9222\n\n" + browserGUID, 0},
		{"carriage returns", "9222\r\n" + browserGUID + "\r\n", 0},
		{"port 0", "0\n" + browserGUID, 0},
		{"a port too high", "65536\n" + browserGUID, 0},
		{"a signed port", "+9222\n" + browserGUID, 0},
		{"spaces", " 9222\n" + browserGUID, 0},
		{"a path with a space", "9222\n/devtools/browser/a b", 0},
		{"a path that climbs", "9222\n/devtools/browser/../../json/new", 0},
		{"a path with a query", "9222\n/devtools/browser/a?b", 0},
		{"the path of a page", "9222\n/devtools/page/1", 0},
		{"another host", "9222\n@example.com/devtools/browser/1", 0},
		{"a long path", "9222\n/devtools/browser/" + strings.Repeat("a", 65), 0},
		{"ten megabytes", "9222\n" + browserGUID + strings.Repeat("\n", 10<<20), 0},
		{"nul bytes", "9222\n" + browserGUID + "\x00", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a profile with spaces")
			write(t, filepath.Join(dir, portFile), tt.text)
			got, err := activePort(named(dir), "")
			switch {
			case err != nil:
				t.Error(err)
			case tt.port == 0 && got != nil:
				t.Errorf("read %+v, want nothing", got)
			case tt.port != 0 && (got == nil || got.port != tt.port || got.path != browserGUID):
				t.Errorf("read %+v, want port %d", got, tt.port)
			}
		})
	}
}

func named(dir string) platform.Process {
	p := browser
	p.Args = []string{"chromium", "--user-data-dir=" + dir}
	return p
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsNoPortFileIsNotRead: a pipe that nobody writes to would hold the
// engine up for ever, and a link would lead to a file of somebody else's choice.
func TestWhatIsNoPortFileIsNotRead(t *testing.T) {
	good := filepath.Join(t.TempDir(), "port")
	write(t, good, "9222\n"+browserGUID)
	for name, lay := range map[string]func(at string) error{
		"a pipe":   func(at string) error { return syscall.Mkfifo(at, 0o600) },
		"a link":   func(at string) error { return os.Symlink(good, at) },
		"a folder": func(at string) error { return os.Mkdir(at, 0o700) },
		"a device": func(at string) error { return os.Symlink("/dev/zero", at) },
		"nothing":  func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := lay(filepath.Join(dir, portFile)); err != nil {
				t.Fatal(err)
			}
			if got, err := activePort(named(dir), ""); got != nil || err != nil {
				t.Errorf("read %+v, %v", got, err)
			}
		})
	}
}

func TestTheProfileOfAProcess(t *testing.T) {
	home := t.TempDir()
	// Each folder names a port of its own.
	folders := map[string]string{
		filepath.Join(home, ".config", "chromium"): "1001", filepath.Join(home, ".config", "google-chrome"): "1002",
		filepath.Join(home, "a"): "2001", filepath.Join(home, "b"): "2002", filepath.Join(home, "with space"): "2003",
	}
	for dir, port := range folders {
		write(t, filepath.Join(dir, portFile), port+"\n"+browserGUID)
	}
	a, b := filepath.Join(home, "a"), filepath.Join(home, "b")
	t.Chdir(home) // the engine's own folder says nothing about the browser's
	const none, two = 0, -1
	tests := []struct {
		name, executable string
		args             []string
		port             int
	}{
		{"named", "", []string{"--user-data-dir=" + a}, 2001},
		{"named with one dash", "", []string{"-user-data-dir=" + a}, 2001},
		{"named in two words", "", []string{"--user-data-dir", a}, 2001},
		{"with a space in it", "", []string{"--user-data-dir=" + filepath.Join(home, "with space")}, 2003},
		{"named twice alike", "", []string{"--user-data-dir=" + a, "--user-data-dir=" + a + "/"}, 2001},
		{"two", "", []string{"--user-data-dir=" + a, "--user-data-dir=" + b}, two},
		{"two in both forms", "", []string{"--user-data-dir", a, "--user-data-dir=" + b}, two},
		{"a second one is an address", "", []string{"--user-data-dir=" + a, "--", "--user-data-dir=" + b}, 2001},
		{"none before the end of the flags", "", []string{"--", "--user-data-dir=" + a}, 1001},
		{"an empty one", "", []string{"--user-data-dir="}, 1001},
		{"the flag is last", "", []string{"--user-data-dir"}, 1001},
		{"another flag", "", []string{"--user-data-dir-not=" + a}, 1001},
		{"a relative one", "", []string{"--user-data-dir=a"}, none},
		{"the default of Chromium", "/usr/lib/chromium/chromium", nil, 1001},
		{"the default of Chrome", "/opt/google/chrome/chrome", nil, 1002},
		{"the default of a chrome that is not Chrome", "/snap/chromium/1/usr/lib/chromium-browser/chrome", nil, none},
		{"of another program", "/usr/bin/mail", nil, none},
		{"the name of the program itself", "", nil, 1001},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := browser
			if tt.executable != "" {
				p.Executable = tt.executable
			}
			p.Args = append([]string{"--user-data-dir=" + b}, tt.args...) // a name is no flag
			got, err := activePort(p, home)
			switch {
			case tt.port == two:
				refused(t, err, refusal.SeveralEndpoints)
			case err != nil:
				t.Error(err)
			case tt.port == none && got != nil, tt.port != none && (got == nil || int(got.port) != tt.port):
				t.Errorf("read %+v, want port %d", got, tt.port)
			}
		})
	}
	if got, err := activePort(browser, ""); got != nil || err != nil {
		t.Errorf("without a home: %+v, %v", got, err)
	}
}
