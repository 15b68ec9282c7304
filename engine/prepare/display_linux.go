package prepare

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

const (
	xvfbPath    = "/usr/bin/Xvfb"
	managerPath = "/usr/bin/openbox"
	privateSize = "1600x1000x24"
	cookieBytes = 16
)

// display is where a browser shows its windows.
type display struct {
	name    string // of an X display
	wayland string // of a Wayland display; then name is ""
	system  platform.System
	private bool

	// Of a private display only.
	server, manager *child
}

// kind is the window system, as a browser names it.
func (d *display) kind() string {
	if d.wayland != "" {
		return "wayland"
	}
	return "x11"
}

// sharedDisplay returns a display of the session's own that answers, or why
// there is none. An X display comes first, because there a browser knows where
// its windows are, unless a Wayland one was asked for.
func (l *Launcher) sharedDisplay(ctx context.Context) (_ *display, missing []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limits.ConnectTimeout)
	defer cancel()
	system := l.system()
	if !l.o.Wayland {
		name, lack := l.xDisplay(ctx, system)
		if lack == "" {
			return &display{name: name, system: system}, nil, nil
		}
		missing = append(missing, lack)
	}
	if l.o.Wayland || os.Getenv("WAYLAND_DISPLAY") != "" {
		name, lack := waylandDisplay(ctx, system)
		if lack == "" {
			return &display{wayland: name, system: system}, nil, nil
		}
		missing = append(missing, lack)
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, nil, fmt.Errorf("asking the display: %w", ctx.Err())
	}
	return nil, missing, nil
}

// xDisplay returns the session's X display, or what is missing.
func (l *Launcher) xDisplay(ctx context.Context, system platform.System) (name, missing string) {
	if name = l.displayName(); name == "" {
		return "", "an X display: DISPLAY is not set"
	}
	ask := func() error { _, err := system.Windows(ctx); return err }
	if places, ok := system.(platform.Places); ok {
		ask = func() (err error) { name, err = places.XDisplay(ctx); return err }
	}
	if ask() != nil {
		return "", "an X display: DISPLAY is set, but the display does not answer"
	}
	return name, ""
}

// waylandDisplay returns the session's Wayland display, or what is missing.
func waylandDisplay(ctx context.Context, system platform.System) (name, missing string) {
	places, ok := system.(platform.Places)
	if !ok {
		return "", "a Wayland display: this system knows none"
	}
	name, err := places.WaylandDisplay(ctx)
	if err != nil {
		return "", "a Wayland display under Sway: " + err.Error()
	}
	return name, ""
}

// chooseDisplay returns the session's display if it answers and otherwise a
// private one, not started yet. Where neither is to be had, or Wayland was asked
// for and is not there, it refuses and says what is missing.
func (l *Launcher) chooseDisplay(ctx context.Context) (*display, error) {
	shared, lacks, err := l.sharedDisplay(ctx)
	if shared != nil || err != nil {
		return shared, err
	}
	if l.o.Wayland {
		return nil, refusal.New(refusal.DisplayUnavailable, "There is no Wayland display on which a browser's window could be found.").
			WithDetail(refusal.Detail{Missing: lacks})
	}
	if err := l.helpers.check(l.xvfb); err != nil {
		lacks = append(lacks, "Xvfb for a private display (Debian: package xvfb)")
		return nil, refusal.New(refusal.DisplayUnavailable, "There is no display to show a browser on, and none can be started.").
			WithDetail(refusal.Detail{Missing: lacks})
	}
	return &display{private: true}, nil
}

// startPrivate starts an X server that only this user can reach, and a window
// manager on it if one is installed: without one all windows of a browser lie
// at the same place, where no box tells them apart. Its files go into dir. What
// it started when it fails, close ends.
func (l *Launcher) startPrivate(ctx context.Context, d *display, dir *os.Root, path string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, limits.ConnectTimeout)
	defer cancel()
	cookie := make([]byte, cookieBytes)
	rand.Read(cookie) // never fails: the program would have ended
	const authFile = ".cuatui-display"
	if err := writeFile(dir, authFile, authority(cookie)); err != nil {
		return fmt.Errorf("private display: %w", err)
	}
	// The server has read the file by the time it answers, and keeps the key
	// when the file goes.
	defer func() { err = errors.Join(err, dir.Remove(authFile)) }()
	number, err := d.startServer(ctx, l.xvfb, filepath.Join(path, authFile))
	if err != nil {
		return err
	}
	x, err := dialX(ctx, number, cookie, d.server.self.PID)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	if err := x.admitUser(); err != nil {
		return fmt.Errorf("private display: admitting this user: %w", err)
	}
	d.name = ":" + strconv.Itoa(number)
	d.system = l.open(d.name)
	return l.startManager(ctx, d, x, path)
}

// startServer starts Xvfb and returns the number of the display it chose.
func (d *display) startServer(ctx context.Context, xvfb, authPath string) (int, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, fmt.Errorf("private display: %w", err)
	}
	defer r.Close()
	// Descriptor 3 is the first of ExtraFiles. -noreset: the server must not
	// forget whom it admits when a last client goes.
	cmd := command(xvfb, "-displayfd", "3", "-screen", "0", privateSize,
		"-nolisten", "tcp", "-noreset", "-auth", authPath)
	cmd.ExtraFiles = []*os.File{w}
	d.server, err = startChild(cmd, unix.SIGTERM)
	w.Close()
	if err != nil {
		return 0, fmt.Errorf("private display: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { r.Close() })
	defer stop()
	const lineMax = 16
	line, err := bufio.NewReader(io.LimitReader(r, lineMax)).ReadString('\n')
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return 0, fmt.Errorf("private display: Xvfb named no display: %w", err)
	}
	number, err := strconv.ParseUint(strings.TrimSpace(line), 10, 16)
	if err != nil {
		return 0, fmt.Errorf("private display: Xvfb named no display: %w", err)
	}
	return int(number), nil
}

func (l *Launcher) startManager(ctx context.Context, d *display, x *xserver, path string) error {
	if installed := l.helpers.check(l.manager) == nil; !installed {
		return nil // works without
	}
	cmd := command(l.manager, "--sm-disable")
	cmd.Env = privateEnv(os.Environ(), d.name, path)
	var err error
	if d.manager, err = startChild(cmd, unix.SIGTERM); err != nil {
		return fmt.Errorf("private display: %w", err)
	}
	err = poll(ctx, func() (bool, error) {
		if d.manager.ended() {
			return false, fmt.Errorf("it ended early (%s)", d.manager.howEnded())
		}
		return x.managed()
	})
	if err != nil {
		return fmt.Errorf("private display: window manager: %w", err)
	}
	return nil
}

// helpers lists the processes of a private display, for the marker.
func (d *display) helpers() []ident {
	var out []ident
	for _, c := range []*child{d.manager, d.server} {
		if c != nil {
			out = append(out, c.self)
		}
	}
	return out
}

// close ends a private display; a shared one is left alone.
func (d *display) close(ctx context.Context) error {
	if !d.private {
		return nil
	}
	// A server that is killed leaves its socket and lock behind, so it gets its
	// moment to end even where the caller has none left.
	ctx = context.WithoutCancel(ctx)
	var errs []error
	if c, ok := d.system.(io.Closer); ok {
		errs = append(errs, c.Close())
	}
	for _, c := range []*child{d.manager, d.server} {
		if c != nil {
			c.signal(unix.SIGTERM)
			errs = append(errs, c.end(ctx))
		}
	}
	return errors.Join(errs...)
}
