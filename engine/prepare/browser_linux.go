package prepare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/platform"
)

// Browser is a browser that Launch started, with everything that was started
// or made for it.
type Browser struct {
	launcher *Launcher
	display  *display
	profile  *profile
	child    *child
	stderr   *os.File // our end
	tail     *tail
	conn     *devtools.Conn
	process  platform.Process
	windows  []platform.WindowID
	effects  contract.SideEffects

	closing  sync.Once
	closeErr error
}

// Conn returns the protocol connection, over the inherited pipe.
func (b *Browser) Conn() *devtools.Conn { return b.conn }

// Process returns the browser process as it was when it had started.
func (b *Browser) Process() platform.Process { return b.process }

// WindowIDs returns the native windows the browser showed first.
func (b *Browser) WindowIDs() []platform.WindowID {
	return append([]platform.WindowID(nil), b.windows...)
}

// System answers for the display the browser is on.
func (b *Browser) System() platform.System { return b.display.system }

// SideEffects lists what the launch did to the machine.
func (b *Browser) SideEffects() contract.SideEffects { return b.effects }

// Done is closed when the browser process has ended, for whatever reason. What
// was made for it stays until Close.
func (b *Browser) Done() <-chan struct{} { return b.child.done }

// start fills in b step by step; on an error the caller releases what there is.
func (b *Browser) start(ctx context.Context, product product, s Spec) error {
	if err := b.openProfile(ctx, s); err != nil {
		return err
	}
	if b.display.private {
		if err := b.launcher.startPrivate(ctx, b.display, b.profile.dir, b.profile.path()); err != nil {
			return err
		}
		b.effects.PrivateDisplay = true
		if err := b.profile.record(nil, b.display.helpers()); err != nil {
			return err
		}
	}
	b.effects.NoSandbox = s.NoSandbox || needsNoSandbox()
	if err := b.startProcess(product.path, s); err != nil {
		return err
	}
	b.effects.ProcessStarted, b.effects.WindowSystem = true, b.display.kind()
	if err := b.profile.record(&b.child.self, b.display.helpers()); err != nil {
		return err
	}
	if err := b.connect(ctx, product); err != nil {
		return b.explain(ctx, err)
	}
	if s.ExposePort {
		if err := b.provePort(ctx); err != nil {
			return b.explain(ctx, err)
		}
	}
	if err := b.waitWindows(ctx); err != nil {
		return b.explain(ctx, err)
	}
	return nil
}

func (b *Browser) openProfile(ctx context.Context, s Spec) error {
	state, err := b.launcher.o.stateDir()
	if err != nil {
		return err
	}
	// An error in a directory that is held open names the file alone.
	root, err := openProfileRoot(state, true)
	if err != nil {
		return fmt.Errorf("state directory %s: %w", state, err)
	}
	if b.profile, err = root.openProfile(ctx, s); err != nil {
		return fmt.Errorf("state directory %s: %w", state, err)
	}
	b.effects.ProfileCreated, b.effects.ProfileKept = b.profile.created, b.profile.kept
	return nil
}

// startProcess starts the browser with the protocol on its descriptors 3 and 4
// and nothing else inherited. When we die, however suddenly, the pipes close,
// and that is what makes the browser end.
func (b *Browser) startProcess(path string, s Spec) (err error) {
	var pipes pipeSet
	defer func() { pipes.close(err != nil) }()
	theirIn, ourOut, err := pipes.open()
	if err != nil {
		return err
	}
	ourIn, theirOut, err := pipes.open()
	if err != nil {
		return err
	}
	ourErr, theirErr, err := pipes.open()
	if err != nil {
		return err
	}
	pipes.theirs = []*os.File{theirIn, theirOut, theirErr}
	// Room for a large answer saves a wake-up for every 64 kB; without it all works.
	_, _ = unix.FcntlInt(theirOut.Fd(), unix.F_SETPIPE_SZ, 1<<20)

	// A named profile may hold the port of a browser that crashed.
	if err := missingIsFine(b.profile.dir.Remove(portFile)); err != nil {
		return fmt.Errorf("old port file: %w", err)
	}
	profilePath := b.profile.path()
	cmd := command(path, s.arguments(profilePath, b.effects.NoSandbox, b.display)...)
	cmd.Env = browserEnv(os.Environ(), b.display, profilePath, b.profile.marker.Temp)
	cmd.Dir = profilePath
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.Stderr = theirErr
	if b.child, err = startChild(cmd, 0); err != nil {
		return err
	}
	b.stderr, b.tail = ourErr, readTail(ourErr)
	b.conn = devtools.New(devtools.NewPipe(ourIn, ourOut), devtools.Options{})
	return nil
}

// pipeSet closes the right ends of several pipes: the child's always, ours when
// the start failed.
type pipeSet struct{ all, theirs []*os.File }

func (p *pipeSet) open() (r, w *os.File, err error) {
	if r, w, err = os.Pipe(); err != nil {
		return nil, nil, fmt.Errorf("pipe: %w", err)
	}
	p.all = append(p.all, r, w)
	return r, w, nil
}

func (p *pipeSet) close(failed bool) {
	files := p.theirs
	if failed {
		files = p.all
	}
	for _, f := range files {
		f.Close()
	}
}

// connect waits for the browser's first answer and reads its fingerprint.
func (b *Browser) connect(ctx context.Context, product product) error {
	ctx, cancel := context.WithTimeout(ctx, limits.ConnectTimeout)
	defer cancel()
	var version struct {
		Product string `json:"product"`
	}
	if err := b.conn.Browser().Call(ctx, "Browser.getVersion", nil, &version); err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	b.effects.Product = productName(product.name, version.Product)
	var err error
	if b.process, err = b.display.system.Process(ctx, b.child.self.PID); err != nil {
		return fmt.Errorf("reading its process: %w", err)
	}
	return nil
}

// waitWindows waits for the first native window of the browser process. An
// error in between (a window that goes while it is being asked about) is not
// the last word; the last one before the time is up is.
func (b *Browser) waitWindows(ctx context.Context) error {
	var last error
	err := poll(ctx, func() (bool, error) {
		if b.child.ended() {
			return false, errEnded
		}
		windows, err := b.display.system.Windows(ctx)
		if ctx.Err() == nil {
			last = err
		}
		for _, w := range windows {
			// Sway lists a window once it is there, and may show another.
			if w.PID == b.child.self.PID && (!w.Hidden || w.On == platform.Sway) {
				b.windows = append(b.windows, w.ID)
			}
		}
		return len(b.windows) > 0, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for its first window: %w", errors.Join(err, last))
	}
	return nil
}

var errEnded = errors.New("the browser ended")

// errNoStart marks a browser that was started and did not get as far as a window.
var errNoStart = errors.New("no start")

// noStartError is an error that is errNoStart too, without saying so.
type noStartError struct{ error }

func (e noStartError) Unwrap() []error { return []error{e.error, errNoStart} }

// explain adds to err how the browser ended and what it said, if it has ended
// or is about to: a lost connection shows before the end of the process.
func (b *Browser) explain(ctx context.Context, err error) error {
	return noStartError{b.withItsWords(ctx, err)}
}

func (b *Browser) withItsWords(ctx context.Context, err error) error {
	if errors.Is(err, devtools.ErrClosed) {
		b.child.waitEnd(ctx)
	}
	if !b.child.ended() {
		return err
	}
	b.drainStderr()
	said := b.tail.text(map[string]string{b.profile.path(): "<profile>"})
	if said == "" {
		said = "nothing on its standard error"
	}
	return fmt.Errorf("%w; the browser ended early (%s) and said: %s", err, b.child.howEnded(), said)
}

const drainTimeout = 200 * time.Millisecond

// drainStderr waits for the end of what the browser said. A crash handler that
// left the group may hold the other end for longer.
func (b *Browser) drainStderr() {
	timer := time.NewTimer(drainTimeout)
	defer timer.Stop()
	select {
	case <-b.tail.done:
	case <-timer.C:
	}
}

// Close ends the browser and takes away everything that was made for it: the
// connection, the process group, a private display, a new profile; a named
// profile is kept and free again. ctx bounds the time the browser gets to end
// by itself, not the cleaning up. It is idempotent; every call returns the
// outcome of the first.
func (b *Browser) Close(ctx context.Context) error {
	b.closing.Do(func() {
		b.closeErr = b.release(ctx)
		b.launcher.forget(b)
	})
	return b.closeErr
}

// abandon takes away what a failed start left.
func (b *Browser) abandon(ctx context.Context) error {
	if b.profile != nil && b.profile.created {
		b.profile.kept = false
	}
	return b.release(context.WithoutCancel(ctx))
}

func (b *Browser) release(ctx context.Context) error {
	var errs []error
	if b.conn != nil {
		// The browser ends when its pipe does, and writes its profile out.
		errs = append(errs, b.conn.Close())
	}
	if b.child != nil {
		errs = append(errs, b.child.end(ctx))
		b.drainStderr()
		errs = append(errs, b.stderr.Close())
		<-b.tail.done
	}
	errs = append(errs, b.display.close(ctx))
	if b.profile != nil {
		errs = append(errs, b.profile.release(ctx))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing the browser: %w", err)
	}
	return nil
}
