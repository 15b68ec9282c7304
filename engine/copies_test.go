package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuatui/engine/refusal"
)

// place puts a file into a folder that no link leads to.
func placeFile(t *testing.T, name, content string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCopiesAreOfWhatWasOpened(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	path := placeFile(t, "a\nb.txt", "content")
	when := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
	c, err := copyFiles(t.Context(), []string{path, path}, filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range c.files {
		got, err := os.ReadFile(f.Path)
		info, serr := os.Stat(f.Path)
		if err != nil || serr != nil || string(got) != "content" || f.Size != 7 || f.Name != "a\nb.txt" || filepath.Base(f.Path) != f.Name {
			t.Fatalf("%+v holds %q, %v", f, got, err)
		}
		if !info.ModTime().Equal(when) || info.Mode().Perm() != 0o600 {
			t.Errorf("%s of %s", info.Mode(), info.ModTime())
		}
	}
	if info, err := os.Stat(c.folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v, %v", info, err)
	}
	if c.remove(); leftCopies(t) != 0 {
		t.Error("copies are left")
	}
}

func leftCopies(t *testing.T) int {
	t.Helper()
	left, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return len(left)
}

func TestNoCopyIsLeftOfWhatIsNotHandedOver(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	good := placeFile(t, "good", "x")
	_, err := copyFiles(t.Context(), []string{good, good + "-missing"}, "")
	r, ok := refusal.As(err)
	if !ok || r.Reason != refusal.FileRejected || !strings.Contains(r.Message, "file 2 of 2") || strings.Contains(r.Error(), filepath.Dir(good)) || len(r.Proof) != 1 {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := copyFiles(ctx, []string{good}, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if n := leftCopies(t); n != 0 {
		t.Errorf("%d copies are left", n)
	}
}

func TestTooMuchIsNotHandedOver(t *testing.T) {
	c := &copies{folder: t.TempDir()}
	path := placeFile(t, "ten", "0123456789")
	for left, want := range map[int64]string{10: "", 9: "larger"} {
		f, why, err := c.copyOne(t.Context(), path, "", int(left), left)
		if err != nil || (why == "") != (want == "") || !strings.Contains(why, want) {
			t.Errorf("with %d left: %+v, %q, %v", left, f, why, err)
		}
	}
}

func TestInsideARoot(t *testing.T) {
	for path, want := range map[string]bool{"/a/b": true, "/a/..b": true, "/a/b/c": true, "/a": false, "/ab": false, "/": false, "/b/a": false} {
		if inside(path, "/a") != want {
			t.Errorf("%s inside /a: %t", path, !want)
		}
	}
	if !inside("/x", "/") {
		t.Error("/x is inside /")
	}
}
