package prepare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"cuatui/engine/contract"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/platform"
	"cuatui/platform/native"
)

// Launcher starts isolated browsers and knows those that run. It is safe for
// concurrent use.
type Launcher struct {
	o Options

	// What tests replace.
	products []product
	trust    trust
	helpers  trust
	xvfb     string
	manager  string
	open     func(display string) platform.System

	// quit ends the launches under way when CloseAll is called.
	quit context.Context
	stop context.CancelFunc

	swept sync.Once

	mu        sync.Mutex
	closed    bool
	opened    platform.System // for the session's display, if none was given
	launching sync.WaitGroup
	browsers  map[*Browser]struct{}
}

// NewLauncher returns a Launcher. Nothing is looked at before the first call.
func NewLauncher(o Options) *Launcher {
	l := &Launcher{
		o:        o,
		products: products,
		trust:    systemTrust(),
		helpers:  systemTrust(),
		xvfb:     xvfbPath,
		manager:  managerPath,
		open:     func(display string) platform.System { return native.Open(native.Options{Display: display}) },
		browsers: map[*Browser]struct{}{},
	}
	if o.TrustOwn {
		l.trust = ownTrust()
	}
	l.quit, l.stop = context.WithCancel(context.Background())
	return l
}

// Launch starts an isolated browser and returns it when its first window is
// shown, within limits.LaunchTimeout. The error is a *contract.ArgumentError
// for a bad spec, a *refusal.Refusal where something is missing or in use or the
// browser does not come up, a *contract.SystemError where the machine is in the
// way, else that of ctx or ErrClosed; whichever it is, nothing is left behind.
func (l *Launcher) Launch(ctx context.Context, s Spec) (*Browser, error) {
	s, err := s.normalise()
	if err != nil {
		return nil, err
	}
	within, leave, err := l.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	b, err := l.launch(within, s)
	if err != nil && ctx.Err() == nil && l.quit.Err() == nil {
		err = cause(err, s)
	}
	return b, err
}

// cause says of a launch that nobody ended early why it failed.
func cause(err error, s Spec) error {
	_, refused := refusal.As(err)
	switch {
	case refused:
		return err
	case errors.Is(err, ErrProfileInUse):
		return fmt.Errorf("%w: %w", refusal.New(refusal.ProfileInUse, "Another browser runs on the profile %s.", s.Name), err)
	case errors.Is(err, errNoStart):
		return fmt.Errorf("%w: %w", refusal.New(refusal.ConnectFailed, "The new browser did not come up: %v.", err), err)
	}
	return &contract.SystemError{Err: err}
}

func (l *Launcher) launch(ctx context.Context, s Spec) (*Browser, error) {
	product, err := l.product()
	if err != nil {
		return nil, err
	}
	shown, err := l.chooseDisplay(ctx)
	if err != nil {
		return nil, err
	}
	b := &Browser{launcher: l, display: shown}
	b.effects.Swept = l.sweepOnce(ctx)
	if err := b.start(ctx, product, s); err != nil {
		err = fmt.Errorf("launching the browser: %w", err)
		return nil, errors.Join(err, b.abandon(ctx))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.browsers[b] = struct{}{}
	return b, nil
}

// enter counts a launch; the launch ends early when CloseAll is called.
func (l *Launcher) enter(ctx context.Context) (context.Context, func(), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, ErrClosed
	}
	l.launching.Add(1)
	ctx, cancel := context.WithTimeout(ctx, limits.LaunchTimeout)
	forget := context.AfterFunc(l.quit, cancel)
	return ctx, func() {
		forget()
		cancel()
		l.launching.Done()
	}, nil
}

func (l *Launcher) product() (product, error) {
	if l.o.Executable != "" {
		return ownProduct(l.o.Executable, l.trust)
	}
	return findProduct(l.products, l.trust)
}

// Check says which programs a launch would start, by the choice that it makes.
func (l *Launcher) Check() []platform.Finding {
	browser := platform.Finding{Name: "browser", State: platform.Works}
	p, err := l.product()
	if browser.Note = p.path; err != nil {
		browser.State, browser.Note = platform.Missing, missing(err)
	}
	private := platform.Finding{Name: "private display", State: platform.Works, Note: l.xvfb}
	if err := l.helpers.check(l.xvfb); err != nil {
		private.State, private.Note = platform.Missing, fmt.Sprintf("%s: %v; without it an isolated browser needs a display (make install-deps installs Xvfb)", l.xvfb, err)
	}
	return []platform.Finding{browser, private}
}

// missing says what a refusal misses, and of another error what it is.
func missing(err error) string {
	if r, ok := refusal.As(err); ok && r.Detail != nil {
		return strings.Join(r.Detail.Missing, "; ")
	}
	return err.Error()
}

// sweepOnce sweeps before the first launch. What cannot be swept is no reason
// not to launch; Sweep itself reports it.
func (l *Launcher) sweepOnce(ctx context.Context) (removed int) {
	l.swept.Do(func() { removed, _ = l.sweep(ctx) })
	return removed
}

func (l *Launcher) displayName() string {
	if l.o.Display != "" {
		return l.o.Display
	}
	return os.Getenv("DISPLAY")
}

// system answers for the session's own display.
func (l *Launcher) system() platform.System {
	if l.o.System != nil {
		return l.o.System
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		l.opened = l.open(l.o.Display)
	}
	return l.opened
}

func (l *Launcher) forget(b *Browser) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.browsers, b)
}

// CloseAll closes every browser, ends the launches under way and lets no new
// one start; it is for the end of the program and for signals. ctx bounds the
// time the browsers get to end by themselves; they are ended in any case. It is
// idempotent.
func (l *Launcher) CloseAll(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.stop()
	l.launching.Wait()

	l.mu.Lock()
	running := make([]*Browser, 0, len(l.browsers))
	for b := range l.browsers {
		running = append(running, b)
	}
	opened := l.opened
	l.opened = nil
	l.mu.Unlock()

	errs := make([]error, len(running)+1)
	var closing sync.WaitGroup
	for i, b := range running {
		closing.Go(func() { errs[i] = b.Close(ctx) })
	}
	closing.Wait()
	if c, ok := opened.(io.Closer); ok {
		errs[len(running)] = c.Close()
	}
	return errors.Join(errs...)
}
