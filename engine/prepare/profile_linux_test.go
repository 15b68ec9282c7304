package prepare

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestProfileRootMustBeSafeFromOthers(t *testing.T) {
	tests := []struct {
		name   string
		change func(state string) error
		ok     bool
	}{
		{"fresh", func(string) error { return nil }, true},
		{"open to others", func(s string) error { return os.Chmod(filepath.Join(s, profilesDir), 0o755) }, false},
		{"replaceable by everybody", func(s string) error { return os.Chmod(s, 0o777) }, false},
		{"linked profiles", func(s string) error {
			other := s + "-other"
			return errors.Join(os.Mkdir(other, 0o700), os.Remove(filepath.Join(s, profilesDir)), os.Symlink(other, filepath.Join(s, profilesDir)))
		}, false},
		{"linked state", func(s string) error { return errors.Join(os.Rename(s, s+"-other"), os.Symlink(s+"-other", s)) }, false},
		{"linked home", func(s string) error {
			home := filepath.Dir(s)
			return errors.Join(os.Rename(home, home+"-other"), os.Symlink(home+"-other", home))
		}, true},
		{"file in its place", func(s string) error {
			path := filepath.Join(s, profilesDir)
			return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o700))
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			state := filepath.Join(t.TempDir(), "home", "state")
			if err := os.MkdirAll(filepath.Join(state, profilesDir), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := tt.change(state); err != nil {
				t.Fatal(err)
			}
			r, err := openProfileRoot(state, true)
			if (err == nil) != tt.ok {
				t.Errorf("open: %v, want ok = %v", err, tt.ok)
			}
			if err == nil {
				r.close()
			}
		})
	}
}

func testRoot(t *testing.T) (*profileRoot, string) {
	t.Helper()
	state := filepath.Join(t.TempDir(), "state")
	r, err := openProfileRoot(state, true)
	if err != nil {
		t.Fatal(err)
	}
	return r, state
}

func open(t *testing.T, state string, s Spec) (*profile, error) {
	t.Helper()
	r, err := openProfileRoot(state, true)
	if err != nil {
		t.Fatal(err)
	}
	return r.openProfile(t.Context(), s)
}

func TestNamedProfileOfAnotherMakerIsLeftAlone(t *testing.T) {
	named := Spec{Mode: IsolatedNamed, Name: "mine"}
	valid := `{"schema":"` + markerSchema + `","mode":"isolated_named","name":"mine","boot":"other"}`
	tests := []struct {
		name  string
		plant func(dir string) error
		ok    bool
	}{
		{"no marker", func(dir string) error { return os.WriteFile(filepath.Join(dir, "file"), nil, 0o600) }, false},
		{"marker", func(dir string) error { return os.WriteFile(filepath.Join(dir, markerFile), []byte(valid), 0o600) }, true},
		{"marker of another", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, markerFile), []byte(strings.Replace(valid, "mine", "other", 1)), 0o600)
		}, false},
		{"marker others can read", func(dir string) error { return os.WriteFile(filepath.Join(dir, markerFile), []byte(valid), 0o644) }, false},
		{"linked marker", func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "file"), []byte(valid), 0o600), os.Symlink("file", filepath.Join(dir, markerFile)))
		}, false},
		{"pipe for a marker", func(dir string) error { return unix.Mkfifo(filepath.Join(dir, markerFile), 0o600) }, false},
		{"pipe for a lock", func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, markerFile), []byte(valid), 0o600), unix.Mkfifo(filepath.Join(dir, lockFile), 0o600))
		}, false},
		{"open directory", func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, markerFile), []byte(valid), 0o600), os.Chmod(dir, 0o755))
		}, false},
		{"left by a crash before its marker", func(dir string) error { return os.WriteFile(filepath.Join(dir, lockFile), nil, 0o600) }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, state := testRoot(t)
			r.close()
			dir := filepath.Join(state, profilesDir, "mine")
			if err := errors.Join(os.Mkdir(dir, 0o700), tt.plant(dir)); err != nil {
				t.Fatal(err)
			}
			before := listing(t, dir)
			p, err := open(t, state, named)
			if (err == nil) != tt.ok {
				t.Fatalf("open: %v, want ok = %v", err, tt.ok)
			}
			if err != nil {
				after := slices.DeleteFunc(listing(t, dir), func(s string) bool { return s == lockFile })
				before = slices.DeleteFunc(before, func(s string) bool { return s == lockFile })
				if !slices.Equal(before, after) {
					t.Errorf("it held %q, now %q", before, after)
				}
				return
			}
			if p.created || !p.kept {
				t.Errorf("created %v, kept %v", p.created, p.kept)
			}
			if err := p.release(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func listing(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestLockIsExclusiveAndEndsWithItsHolder(t *testing.T) {
	r, state := testRoot(t)
	r.close()
	named := Spec{Mode: IsolatedNamed, Name: "one"}
	first, err := open(t, state, named)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, state, named); !errors.Is(err, ErrProfileInUse) {
		t.Errorf("second: %v", err)
	}
	if err := first.release(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, err := open(t, state, named)
	if err != nil {
		t.Fatalf("after release: %v", err)
	}
	// As if we had crashed: the lock is gone, the marker names a dead owner.
	second.marker.Owner.Start++
	if err := second.writeMarker(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, state, named); !errors.Is(err, ErrProfileInUse) {
		t.Errorf("locked, its owner dead by the marker: %v", err)
	}
	if err := second.free(); err != nil {
		t.Fatal(err)
	}
	third, err := open(t, state, named)
	if err != nil {
		t.Fatalf("after a crash: %v", err)
	}
	// A living owner counts even where its lock does not reach.
	if err := third.lock.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, state, named); !errors.Is(err, ErrProfileInUse) {
		t.Errorf("with a living owner and no lock: %v", err)
	}
	_ = third.release(t.Context()) // it complains that the lock is closed already
}

func TestTemporaryFilesGoWithTheProfile(t *testing.T) {
	tmp, err := os.MkdirTemp("", "prep") //nolint:usetesting // a test's own is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	r, state := testRoot(t)
	r.close()
	t.Setenv("TMPDIR", tmp)
	spec := Spec{Mode: IsolatedNamed, Name: "one"}
	fill := func(p *profile) {
		if info, err := os.Stat(p.marker.Temp); err != nil || info.Mode().Perm() != 0o700 || filepath.Dir(p.marker.Temp) != tmp {
			t.Fatalf("%s: %v, %v", p.marker.Temp, info, err)
		}
		if err := os.WriteFile(filepath.Join(p.marker.Temp, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	crash := func() *profile {
		p, err := open(t, state, spec)
		if err != nil {
			t.Fatal(err)
		}
		fill(p)
		p.marker.Owner.Start++
		if err := errors.Join(p.writeMarker(), p.free()); err != nil {
			t.Fatal(err)
		}
		return p
	}
	crash()
	if removed, err := NewLauncher(Options{StateDir: state}).Sweep(); removed != 0 || err != nil || len(listing(t, tmp)) != 0 {
		t.Errorf("swept %d, %v, left %q", removed, err, listing(t, tmp))
	}
	old := crash()
	p, err := open(t, state, spec)
	if err != nil {
		t.Fatal(err)
	}
	if got := listing(t, tmp); len(got) != 1 || got[0] == filepath.Base(old.marker.Temp) {
		t.Errorf("after the next launch there is %q", got)
	}
	fill(p)
	if err := p.release(t.Context()); err != nil || len(listing(t, tmp)) != 0 {
		t.Errorf("release: %v, left %q", err, listing(t, tmp))
	}
}

func TestOnlyAPrivateTemporaryDirectoryIsRemoved(t *testing.T) {
	base := t.TempDir()
	const name = "cuatui-0123456789abcdef"
	for what, plant := range map[string]func(path string) error{
		"open":   func(path string) error { return errors.Join(os.Mkdir(path, 0o755), os.Chmod(path, 0o755)) },
		"linked": func(path string) error { return os.Symlink(base, path) },
		"file":   func(path string) error { return os.WriteFile(path, nil, 0o700) },
	} {
		path := filepath.Join(base, what, name)
		if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), plant(path)); err != nil {
			t.Fatal(err)
		}
		if err := removeTemp(t.Context(), path); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s: removed, %v", what, err)
		}
	}
}

func TestRemovalDoesNotFollowLinks(t *testing.T) {
	r, state := testRoot(t)
	r.close()
	precious := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(precious, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := open(t, state, Spec{Mode: IsolatedNew})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(precious), filepath.Join(p.path(), "link")); err != nil {
		t.Fatal(err)
	}
	if err := p.release(t.Context()); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(precious); err != nil || !bytes.Equal(data, []byte("x")) {
		t.Errorf("behind the link: %q, %v", data, err)
	}
}

// stray starts a process group that stands for the browser of a dead owner.
func stray(t *testing.T, args ...string) ident {
	t.Helper()
	cmd := exec.Command("/bin/sh", append([]string{"-c", "sleep 1000 & wait", "sh"}, args...)...)
	c, err := startChild(cmd, unix.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.signal(unix.SIGKILL)
		<-c.done
	})
	return c.self
}

func TestSweepEndsWhatItCanProveAndLeavesTheRest(t *testing.T) {
	const leaf = "isolated-00112233445566778899aabbccddeeff"
	tests := []struct {
		name    string
		leaf    string
		change  func(t *testing.T, m *marker)
		removed bool // the profile
		ended   bool // the browser
		fails   bool
	}{
		{name: "dead owner, living browser", change: func(*testing.T, *marker) {}, removed: true, ended: true},
		{name: "free of an owner", change: func(t *testing.T, m *marker) { m.Owner = nil }, removed: true, ended: true},
		{name: "living owner", change: func(t *testing.T, m *marker) { m.Owner.Start-- }},
		{name: "another boot", change: func(t *testing.T, m *marker) { m.Boot, m.Owner.Start = "other", m.Owner.Start-1 }, removed: true},
		{name: "process number taken by another", change: func(t *testing.T, m *marker) { m.Browser.Start++ }, removed: true},
		{name: "another program", change: func(t *testing.T, m *marker) { m.Browser.Executable = "/usr/bin/other" }, fails: true},
		{name: "a browser on no profile of ours", change: func(t *testing.T, m *marker) { *m.Browser = stray(t) }, fails: true},
		{name: "no group leader", change: func(t *testing.T, m *marker) {
			members, err := groupMembers(m.Browser.PID)
			if err != nil || len(members) < 2 {
				t.Fatalf("members %v, %v", members, err)
			}
			inner := members[slices.IndexFunc(members, func(pid int) bool { return pid != m.Browser.PID })]
			stat, err := readStat(inner)
			if err != nil {
				t.Fatal(err)
			}
			image, err := executableOf(inner)
			if err != nil {
				t.Fatal(err)
			}
			m.Browser = nil
			m.Helpers = []ident{{PID: inner, Start: stat.start, Executable: image}}
		}, fails: true},
		{name: "private display", change: func(t *testing.T, m *marker) { m.Helpers, m.Browser = []ident{*m.Browser}, nil }, removed: true, ended: true},
		{name: "named", leaf: "mine", change: func(t *testing.T, m *marker) { m.Mode, m.Name = IsolatedNamed, "mine" }, ended: true},
		{name: "foreign directory name", leaf: "documents", change: func(*testing.T, *marker) {}, ended: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			noLeaks(t) // registered first, so it looks when the strays have been reaped
			if tt.leaf == "" {
				tt.leaf = leaf
			}
			l, dir := planted(t, tt.leaf)
			browser := stray(t, profileFlag+dir)
			eventually(t, "the stray has its child", func() bool {
				members, err := groupMembers(browser.PID)
				return err == nil && len(members) == 2
			})
			m := plantedMarker(t, browser)
			tt.change(t, &m)
			plantMarker(t, dir, m)

			removed, err := l.Sweep()
			if (err != nil) != tt.fails || (removed == 1) != tt.removed {
				t.Errorf("swept %d, %v", removed, err)
			}
			if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) != tt.removed {
				t.Errorf("the profile: %v, want removed = %v", err, tt.removed)
			}
			if members, err := groupMembers(browser.PID); err != nil || (len(members) == 0) != tt.ended {
				t.Errorf("the browser's group: %v, %v; want ended = %v", members, err, tt.ended)
			}
			// Whatever was kept is free.
			if !tt.removed {
				r, err := openProfileRoot(l.o.StateDir, false)
				if err != nil {
					t.Fatal(err)
				}
				p, err := r.claim(tt.leaf)
				if err != nil {
					t.Fatalf("still locked: %v", err)
				}
				if err := p.free(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// planted makes a profile directory as a crashed run leaves it, without marker.
func planted(t *testing.T, leaf string) (*Launcher, string) {
	t.Helper()
	r, state := testRoot(t)
	dir := filepath.Join(r.path, leaf)
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "Local State"), nil, 0o600), r.close()); err != nil {
		t.Fatal(err)
	}
	return NewLauncher(Options{StateDir: state}), dir
}

// plantedMarker names an owner that cannot be: this process, started later.
func plantedMarker(t *testing.T, browser ident) marker {
	t.Helper()
	boot, err := bootID()
	if err != nil {
		t.Fatal(err)
	}
	self, err := readStat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	owner := &ident{PID: os.Getpid(), Start: self.start + 1}
	return marker{Schema: markerSchema, Mode: IsolatedNew, Boot: boot, Browser: &browser, Owner: owner}
}

func plantMarker(t *testing.T, dir string, m marker) {
	t.Helper()
	data, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, markerFile), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSweepOfWhatIsNoProfile(t *testing.T) {
	const leaf = "isolated-00112233445566778899aabbccddeeff"
	tests := []struct {
		name    string
		leaf    string
		plant   func(dir string) error
		removed bool
		fails   bool
	}{
		{"crash before the marker", leaf, func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "Local State")), os.WriteFile(filepath.Join(dir, lockFile), nil, 0o600))
		}, true, false},
		{"empty, but not of ours by name", "documents", func(dir string) error { return os.Remove(filepath.Join(dir, "Local State")) }, false, false},
		{"files without a marker", leaf, func(string) error { return nil }, false, true},
		{"garbage for a marker", leaf, func(dir string) error { return os.WriteFile(filepath.Join(dir, markerFile), []byte("{"), 0o600) }, false, true},
		{"huge marker", leaf, func(dir string) error {
			return os.WriteFile(filepath.Join(dir, markerFile), bytes.Repeat([]byte(" "), markerBytesMax+1), 0o600)
		}, false, true},
		{"directory for a marker", leaf, func(dir string) error { return os.Mkdir(filepath.Join(dir, markerFile), 0o700) }, false, true},
		{"pipe for a marker", leaf, func(dir string) error { return unix.Mkfifo(filepath.Join(dir, markerFile), 0o600) }, false, true},
		{"device for a lock", leaf, func(dir string) error { return os.Symlink("/dev/zero", filepath.Join(dir, lockFile)) }, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, dir := planted(t, tt.leaf)
			if err := tt.plant(dir); err != nil {
				t.Fatal(err)
			}
			removed, err := l.Sweep()
			if (err != nil) != tt.fails || (removed == 1) != tt.removed {
				t.Errorf("swept %d, %v", removed, err)
			}
			if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) != tt.removed {
				t.Errorf("the directory: %v, want removed = %v", err, tt.removed)
			}
		})
	}
}

func TestSweepMakesNothing(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	if removed, err := NewLauncher(Options{StateDir: state}).Sweep(); removed != 0 || err != nil {
		t.Errorf("swept %d, %v", removed, err)
	}
	if _, err := os.Stat(state); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the sweep made a directory: %v", err)
	}
}

func TestGroupNeverOutlivesItsLeader(t *testing.T) {
	noLeaks(t)
	c, err := startChild(exec.Command("/bin/sh", "-c", "sleep 1000 & exit 7"), 0)
	if err != nil {
		t.Fatal(err)
	}
	<-c.done
	eventually(t, "the leader's child ends", func() bool {
		members, err := groupMembers(c.self.PID)
		return err == nil && len(members) == 0
	})
	if c.howEnded() != "exit status 7" {
		t.Errorf("it ended with %s", c.howEnded())
	}
	c.signal(syscall.SIGKILL) // must reach nobody: the number may be another's by now
}

func TestStartOfWhatCannotStart(t *testing.T) {
	noLeaks(t)
	if _, err := startChild(exec.Command("/nonexistent/program"), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("start: %v", err)
	}
}
