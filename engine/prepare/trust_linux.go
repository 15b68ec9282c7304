package prepare

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"cuatui/engine/refusal"
)

// trust decides whether a file may be started. Whoever can write to the file or
// to a directory above it decides what it is, so that must be root alone.
type trust struct {
	owner  func(uid uint32) bool // who may own a component
	base   string                // the topmost directory looked at
	sticky bool                  // accept world-writable directories with the sticky bit, such as /tmp
}

func ownedByRoot(uid uint32) bool { return uid == 0 }

func systemTrust() trust { return trust{owner: ownedByRoot, base: "/"} }

// ownTrust also accepts what belongs to this user.
func ownTrust() trust {
	self := uint32(os.Geteuid())
	return trust{owner: func(uid uint32) bool { return uid == 0 || uid == self }, base: "/", sticky: true}
}

// check says why path is not trusted. The reason names no path, because it can
// end up in a refusal.
func (t trust) check(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%w: its path is not absolute", ErrUntrusted)
	}
	canonical, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("executable: %w", fs.ErrNotExist)
	}
	if err != nil {
		return fmt.Errorf("%w: its path cannot be resolved", ErrUntrusted)
	}
	if canonical != path {
		return fmt.Errorf("%w: its path leads over a symbolic link", ErrUntrusted)
	}
	for p := path; ; p = filepath.Dir(p) {
		info, err := os.Lstat(p)
		if err != nil {
			return fmt.Errorf("%w: its path cannot be read", ErrUntrusted)
		}
		if err := t.component(info, p == path); err != nil {
			return err
		}
		if p == t.base || p == "/" {
			break
		}
	}
	if unix.Access(path, unix.X_OK) != nil {
		return fmt.Errorf("%w: it is not executable", ErrUntrusted)
	}
	return nil
}

func (t trust) component(info fs.FileInfo, isFile bool) error {
	switch {
	case isFile && !info.Mode().IsRegular():
		return fmt.Errorf("%w: it is no regular file", ErrUntrusted)
	case !isFile && !info.IsDir():
		return fmt.Errorf("%w: a component of its path is no directory", ErrUntrusted)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !t.owner(stat.Uid) {
		return fmt.Errorf("%w: a component of its path belongs to another user", ErrUntrusted)
	}
	protected := t.sticky && info.IsDir() && info.Mode()&fs.ModeSticky != 0
	if info.Mode().Perm()&0o022 != 0 && !protected {
		return fmt.Errorf("%w: a component of its path is writable by others", ErrUntrusted)
	}
	return nil
}

// product is a browser that can be started.
type product struct {
	name string
	path string
}

// products are the known homes of the binaries themselves. The commands in
// /usr/bin are shell wrappers that add flags of their own.
var products = []product{
	{"Chromium", "/usr/lib/chromium/chromium"},
	{"Chromium", "/usr/lib/chromium-browser/chromium-browser"},
	{"Google Chrome", "/opt/google/chrome/chrome"},
	{"Microsoft Edge", "/opt/microsoft/msedge/msedge"},
}

// findProduct returns the first trusted one of candidates, or a refusal that
// says what is missing.
func findProduct(candidates []product, t trust) (product, error) {
	missing := []string{"Chromium, Google Chrome or Microsoft Edge, installed for all users (Debian: package chromium)"}
	for _, p := range candidates {
		err := t.check(p.path)
		if err == nil {
			return p, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, fmt.Sprintf("%s is installed, but %v", p.name, err))
		}
	}
	return product{}, refusal.New(refusal.NoEndpoint, "There is no browser to start.").
		WithDetail(refusal.Detail{Missing: missing})
}

// ownProduct checks an executable that was named in the options.
func ownProduct(path string, t trust) (product, error) {
	if err := t.check(path); err != nil {
		return product{}, fmt.Errorf("browser executable %s: %w", path, err)
	}
	for _, p := range products {
		if filepath.Base(p.path) == filepath.Base(path) {
			return product{p.name, path}, nil
		}
	}
	return product{strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), path}, nil
}

// productName is what the browser is called with its version, which it reports
// as "Chrome/1.2.3.4" whoever built it.
func productName(name, reported string) string {
	if _, version, ok := strings.Cut(reported, "/"); ok {
		return name + " " + version
	}
	return name
}
