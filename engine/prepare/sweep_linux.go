package prepare

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// strayGrace is how long a process of a crashed owner may take to end by itself.
const strayGrace = time.Second

// Sweep removes what crashed runs left: their new profiles, and browsers and
// private displays that outlived them. Named profiles are kept and freed. A
// profile counts as left when nobody holds its lock and the process its marker
// names has ended; whatever cannot be proven is left alone and reported.
func (l *Launcher) Sweep() (removed int, err error) { return l.sweep(context.Background()) }

func (l *Launcher) sweep(ctx context.Context) (removed int, err error) {
	state, err := l.o.stateDir()
	if err != nil {
		return 0, err
	}
	root, err := openProfileRoot(state, false)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	left, err := root.claimLeft(ctx)
	errs := []error{err}
	for _, p := range left {
		err := p.sweep(ctx)
		errs = append(errs, err)
		if err == nil && !p.kept {
			removed++
		}
	}
	return removed, errors.Join(append(errs, root.close())...)
}

// claimLeft takes the lock of every profile that is there to be swept. The
// others are free again before the directory is, so that a launch never finds a
// named profile taken by a mere look at it.
func (r *profileRoot) claimLeft(ctx context.Context) ([]*profile, error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(r.dir.FS(), ".")
	errs := []error{err}
	var left []*profile
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		p, err := r.claimOneLeft(e.Name())
		if p != nil {
			left = append(left, p)
		}
		if !errors.Is(err, ErrProfileInUse) {
			errs = append(errs, err)
		}
	}
	return left, errors.Join(append(errs, unlock())...)
}

// claimOneLeft returns the profile if it is there to be swept, else nil.
func (r *profileRoot) claimOneLeft(leaf string) (*profile, error) {
	own, err := r.again() // a profile closes its root when it is released
	if err != nil {
		return nil, err
	}
	p, err := own.claim(leaf)
	if err != nil {
		return nil, errors.Join(err, own.close())
	}
	left, err := p.left()
	if !left {
		return nil, errors.Join(err, p.free())
	}
	return p, nil
}

func (r *profileRoot) again() (*profileRoot, error) {
	dir, err := r.dir.OpenRoot(".")
	if err != nil {
		return nil, fmt.Errorf("profile directory: %w", err)
	}
	return &profileRoot{dir: dir, path: r.path}, nil
}

// left reports whether a crash left something to clean up here, and whether the
// profile itself is to be kept.
func (p *profile) left() (bool, error) {
	ours := newLeaf.MatchString(p.leaf)
	unmarked, err := p.unmarked()
	if err != nil || unmarked {
		return ours && unmarked, err
	}
	m, err := p.readMarker()
	if err != nil {
		return false, fmt.Errorf("profile %s: %w", p.leaf, err)
	}
	if m.ownerAlive() {
		return false, nil
	}
	p.marker = m
	p.kept = m.Mode != IsolatedNew || !ours
	strays, err := m.strays()
	_, noTemp := os.Lstat(m.Temp)
	return !p.kept || len(strays) > 0 || noTemp == nil, err
}

// sweep cleans up a profile that left has judged.
func (p *profile) sweep(ctx context.Context) error {
	if err := p.endStrays(ctx, p.marker); err != nil {
		return errors.Join(err, p.free())
	}
	return p.release(ctx)
}

// ownerAlive reports whether the process that made the profile still runs. The
// lock says the same, but it is not believed alone: on a network file system it
// may not reach the other machine.
func (m marker) ownerAlive() bool {
	if m.Owner == nil {
		return false
	}
	boot, err := bootID()
	if err != nil {
		return true // unknown is not absent
	}
	return m.Boot == boot && alive(m.Owner.PID, m.Owner.Start)
}

// strays lists what a dead owner left running, the browser first.
func (m marker) strays() ([]ident, error) {
	boot, err := bootID()
	if err != nil || m.Boot != boot { // everything of another boot has ended
		return nil, err
	}
	var out []ident
	for _, p := range m.started() {
		if alive(p.PID, p.Start) {
			out = append(out, p)
		}
	}
	return out, nil
}

// endStrays ends what a dead owner left running.
func (p *profile) endStrays(ctx context.Context, m marker) error {
	strays, err := m.strays()
	errs := []error{err}
	for _, stray := range strays {
		proof := ""
		if m.Browser != nil && stray == *m.Browser {
			proof = profileFlag + p.path()
		}
		errs = append(errs, endStray(ctx, stray, proof))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("profile %s: %w", p.leaf, err)
	}
	return nil
}

// endStray ends the group of a process that a dead owner started, if the
// process is still that very one: same start, same image, leader of its own
// group, this user's, and started with the argument proof unless that is "".
func endStray(ctx context.Context, stray ident, proof string) error {
	if err := proveStray(stray, proof); err != nil {
		if !alive(stray.PID, stray.Start) { // it ended while we looked
			return nil
		}
		return fmt.Errorf("process %d is left running: %w", stray.PID, err)
	}
	for _, sig := range []unix.Signal{unix.SIGTERM, unix.SIGKILL} {
		if err := unix.Kill(-stray.PID, sig); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("ending process %d: %w", stray.PID, err)
		}
		grace, cancel := context.WithTimeout(ctx, strayGrace)
		err := waitGroupGone(grace, stray.PID)
		cancel()
		if err == nil {
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	return waitGroupGone(ctx, stray.PID)
}

func proveStray(stray ident, proof string) error {
	stat, err := readStat(stray.PID)
	if err != nil {
		return err
	}
	image, err := executableOf(stray.PID)
	if err != nil {
		return err
	}
	switch {
	case stat.start != stray.Start:
		return errors.New("it started at another time than the marker says")
	case image != stray.Executable:
		return errors.New("it runs another program than the marker says")
	case stat.group != stray.PID || stray.PID == unix.Getpgrp():
		return errors.New("it does not lead a group of its own")
	}
	if proof == "" {
		return nil
	}
	args, err := argsOf(stray.PID)
	if err != nil {
		return err
	}
	if !slices.Contains(args, proof) {
		return errors.New("it does not run on this profile")
	}
	return nil
}
