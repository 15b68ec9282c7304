package prepare

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	profilesDir  = "browser-profiles"
	lockFile     = ".cuatui-profile.lock"
	rootLockFile = ".lock"
	rootLockWait = 5 * time.Second
	privateDir   = 0o700
	privateFile  = 0o600
)

var newLeaf = regexp.MustCompile(`^isolated-[0-9a-f]{32}$`)

// profileRoot is the directory of all profiles. Everything in it is reached
// through an os.Root, so that no symbolic link leads out of it.
type profileRoot struct {
	dir  *os.Root
	path string // canonical
}

// openProfileRoot opens the profile directory under state, and makes it if
// create is set. Without it a missing one is fs.ErrNotExist.
func openProfileRoot(state string, create bool) (*profileRoot, error) {
	if create {
		if err := os.MkdirAll(filepath.Join(state, profilesDir), privateDir); err != nil {
			return nil, fmt.Errorf("profile directory: %w", err)
		}
	}
	// Above the state directory links are the machine's own business (a linked
	// home is common); the resolved path must be safe from other users.
	parent, err := filepath.EvalSymlinks(filepath.Dir(state))
	if err != nil {
		return nil, fmt.Errorf("profile directory: %w", err)
	}
	state = filepath.Join(parent, filepath.Base(state))
	path := filepath.Join(state, profilesDir)
	for p := filepath.Dir(path); ; p = filepath.Dir(p) {
		if err := checkAncestor(p); err != nil {
			return nil, fmt.Errorf("profile directory: %w", err)
		}
		if p == "/" {
			break
		}
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("profile directory: %w", err)
	}
	if err := checkPrivateDir(info); err != nil {
		return nil, fmt.Errorf("profile directory %s: %w", path, err)
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("profile directory: %w", err)
	}
	return &profileRoot{dir: dir, path: path}, nil
}

// checkAncestor demands a directory that no other user can replace entries of.
func checkAncestor(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is no directory, or a symbolic link", path)
	case !ok || stat.Uid != 0 && int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user", path)
	case info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0:
		return fmt.Errorf("%s is writable by everybody", path)
	}
	return nil
}

func checkPrivateDir(info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return errors.New("it is no directory, or a symbolic link")
	case !ok || int(stat.Uid) != os.Geteuid():
		return errors.New("it belongs to another user")
	case info.Mode().Perm() != privateDir:
		return fmt.Errorf("its mode is %#o, not %#o", info.Mode().Perm(), privateDir)
	}
	return nil
}

func (r *profileRoot) close() error { return r.dir.Close() }

// lock takes the lock on the directory. It is held for the moment in which a
// profile is made or claimed, never while one is used or removed.
func (r *profileRoot) lock(ctx context.Context) (unlock func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, rootLockWait)
	defer cancel()
	var f *os.File
	err = poll(ctx, func() (bool, error) {
		f, err = tryLock(r.dir, rootLockFile)
		return f != nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("locking the profile directory: %w", err)
	}
	return f.Close, nil
}

// tryLock opens and locks a file; it returns nil if somebody else has it. The
// kernel frees the lock when its holder dies, and no child of ours inherits it.
func tryLock(dir *os.Root, name string) (*os.File, error) {
	f, err := openRegular(dir, name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, fmt.Errorf("lock %s: %w", name, err)
}

// openRegular opens a plain file that may have been put there by anybody: it
// neither follows a link nor waits on a pipe.
func openRegular(dir *os.Root, name string, flag int) (*os.File, error) {
	if info, err := dir.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	f, err := dir.OpenFile(name, flag|unix.O_NONBLOCK, privateFile)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// writeFile makes a new private file and puts it on the disk.
func writeFile(dir *os.Root, name string, data []byte) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, privateFile)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// profile is one profile whose lock we hold.
type profile struct {
	root    *profileRoot
	leaf    string
	dir     *os.Root
	lock    *os.File
	marker  marker
	created bool // by this launch
	kept    bool // outlives the browser
}

func (p *profile) path() string { return filepath.Join(p.root.path, p.leaf) }

// claim opens the profile and takes its lock; ErrProfileInUse if it is taken.
func (r *profileRoot) claim(leaf string) (*profile, error) {
	info, err := r.dir.Lstat(leaf)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	if err := checkPrivateDir(info); err != nil {
		return nil, fmt.Errorf("profile %s: %w", leaf, err)
	}
	dir, err := r.dir.OpenRoot(leaf)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	lock, err := tryLock(dir, lockFile)
	if err == nil && lock == nil {
		err = ErrProfileInUse
	}
	if err != nil {
		dir.Close()
		return nil, fmt.Errorf("profile %s: %w", leaf, err)
	}
	return &profile{root: r, leaf: leaf, dir: dir, lock: lock}, nil
}

// openProfile makes or reuses the profile for s, locks it and marks it ours.
// It takes over r, whether it succeeds or not.
func (r *profileRoot) openProfile(ctx context.Context, s Spec) (p *profile, err error) {
	defer func() {
		if err == nil {
			return
		}
		if p == nil {
			err = errors.Join(err, r.close())
			return
		}
		if p.created {
			p.kept = false
			err = errors.Join(err, p.release(ctx))
		} else {
			err = errors.Join(err, p.free())
		}
		p = nil
	}()
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	leaf := s.Name
	if s.Mode == IsolatedNew {
		var id [16]byte
		rand.Read(id[:]) // never fails: the program would have ended
		leaf = "isolated-" + hex.EncodeToString(id[:])
	}
	err = r.dir.Mkdir(leaf, privateDir)
	created := err == nil
	if err != nil && (s.Mode == IsolatedNew || !errors.Is(err, fs.ErrExist)) {
		return nil, fmt.Errorf("profile: %w", err)
	}
	if p, err = r.claim(leaf); err != nil {
		if created {
			err = errors.Join(err, r.dir.RemoveAll(leaf))
		}
		return nil, err
	}
	p.created, p.kept = created, s.Mode == IsolatedNamed
	if !created {
		if err := p.adopt(ctx, s); err != nil {
			return p, err
		}
	}
	err = p.mark(s)
	return p, err
}

// adopt makes an existing named profile fit for use: its marker must be exactly
// that of this profile, and what a crashed owner left running is ended.
func (p *profile) adopt(ctx context.Context, s Spec) error {
	empty, err := p.unmarked()
	if err != nil || empty {
		return err
	}
	m, err := p.readMarker()
	if err != nil {
		return fmt.Errorf("profile %s: %w", p.leaf, err)
	}
	if m.Mode != s.Mode || m.Name != s.Name {
		return fmt.Errorf("profile %s: its marker names another profile", p.leaf)
	}
	if m.ownerAlive() {
		return fmt.Errorf("profile %s: %w", p.leaf, ErrProfileInUse)
	}
	if err := p.endStrays(ctx, m); err != nil {
		return err
	}
	return errors.Join(removeTemp(ctx, m.Temp), p.removeSingleton())
}

// mark writes the marker that says the profile is ours from now on.
func (p *profile) mark(s Spec) error {
	boot, err := bootID()
	if err != nil {
		return err
	}
	self, err := readStat(os.Getpid())
	if err != nil {
		return err
	}
	p.marker = marker{
		Schema: markerSchema, Mode: s.Mode, Name: s.Name, Boot: boot,
		Owner: &ident{PID: os.Getpid(), Start: self.start},
		Temp:  newTemp(),
	}
	// Written down before it exists, so that no crash can leave it unknown.
	if err := p.writeMarker(); err != nil {
		return err
	}
	if err := os.Mkdir(p.marker.Temp, privateDir); err != nil {
		return fmt.Errorf("temporary directory: %w", err)
	}
	return nil
}

// record adds what was started to the marker. browser may be nil.
func (p *profile) record(browser *ident, helpers []ident) error {
	p.marker.Browser, p.marker.Helpers = browser, helpers
	return p.writeMarker()
}

// writeMarker puts the marker in place as a whole: a reader sees the old one or
// the new one.
func (p *profile) writeMarker() error {
	data, err := p.marker.encode()
	if err != nil {
		return err
	}
	const next = markerFile + ".new"
	if err := p.dir.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("profile marker: %w", err)
	}
	if err := writeFile(p.dir, next, data); err != nil {
		return fmt.Errorf("profile marker: %w", err)
	}
	if err := p.dir.Rename(next, markerFile); err != nil {
		return fmt.Errorf("profile marker: %w", err)
	}
	return syncDir(p.dir)
}

func syncDir(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return errors.Join(f.Sync(), f.Close())
}

func (p *profile) readMarker() (marker, error) {
	f, err := openRegular(p.dir, markerFile, os.O_RDONLY)
	if err != nil {
		return marker{}, fmt.Errorf("profile marker: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return marker{}, fmt.Errorf("profile marker: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) != os.Geteuid() || info.Mode().Perm() != privateFile {
		return marker{}, errors.New("profile marker: not a private file of this user")
	}
	data, err := io.ReadAll(io.LimitReader(f, markerBytesMax+1))
	if err != nil {
		return marker{}, fmt.Errorf("profile marker: %w", err)
	}
	return decodeMarker(data)
}

// unmarked reports whether a crash came between making the directory and
// marking it: it holds nothing but what precedes the marker.
func (p *profile) unmarked() (bool, error) {
	entries, err := fs.ReadDir(p.dir.FS(), ".")
	if err != nil {
		return false, fmt.Errorf("profile %s: %w", p.leaf, err)
	}
	for _, e := range entries {
		if e.Name() != lockFile && e.Name() != markerFile+".new" {
			return false, nil
		}
	}
	return true, nil
}

// free gives the profile back as it is and closes everything.
func (p *profile) free() error {
	return errors.Join(p.dir.Close(), p.lock.Close(), p.root.close())
}

// release removes the profile or, if it is kept, tidies it up, and frees it.
func (p *profile) release(ctx context.Context) error {
	errs := []error{removeTemp(ctx, p.marker.Temp)}
	if p.kept {
		errs = append(errs, p.removeSingleton())
		p.marker.Owner, p.marker.Browser, p.marker.Helpers, p.marker.Temp = nil, nil, nil, ""
		errs = append(errs, p.writeMarker())
	} else if err := persist(ctx, func() error { return p.root.dir.RemoveAll(p.leaf) }); err != nil {
		errs = append(errs, fmt.Errorf("removing profile: %w", err))
	}
	return errors.Join(append(errs, p.free())...)
}

// removeSingleton removes the browser's own lock. One that was left by a
// browser on a host of another name makes the next one ask a person.
func (p *profile) removeSingleton() error {
	var errs []error
	for _, name := range []string{"SingletonLock", "SingletonSocket", "SingletonCookie"} {
		errs = append(errs, missingIsFine(p.dir.Remove(name)))
	}
	return errors.Join(errs...)
}

func missingIsFine(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
