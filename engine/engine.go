// Package engine is the exact-or-refused engine: one method a tool, one request
// and one result type each. Both faces call it and nothing else.
//
// An error is a *refusal.Refusal where the engine looked and declined, a
// *contract.ArgumentError where the request is bad, and anything else where the
// call itself failed (a lost browser, a deadline).
package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/prepare"
	"cuatui/platform"
	"cuatui/platform/native"
)

// Options configure an engine. The zero value is what a person's desktop needs.
type Options struct {
	// StateDir holds the private profiles; "" means the user's state folder.
	StateDir string
	// Executable is the browser that browser_prepare starts; "" means the
	// first trusted installed one.
	Executable string
	// Display is an X display, and then all that is looked at; "" means the
	// session of the environment, Sway and $DISPLAY.
	Display string
	// Wayland starts browsers as Wayland programs of the session, or not at
	// all; otherwise that is done only where no X display answers.
	Wayland bool
	// BrowserArgs are further flags for launched browsers, for tests. No
	// request can reach them.
	BrowserArgs []string
	// Clock is the time by which a person's consent runs out; nil is the real one.
	Clock func() time.Time
	// Log takes what happened, without page text. nil logs nothing.
	Log *slog.Logger
}

// system is the operating system as the engine opened it.
type system interface {
	platform.System
	io.Closer
}

// machine is what an engine works on, and shares with its namespaces.
type machine struct {
	o         Options
	log       *slog.Logger
	system    system
	launcher  *prepare.Launcher
	downloads locks // a browser has one download folder
	tabLocks  tabLocks
}

// Engine is safe for concurrent use.
type Engine struct {
	*machine
	guest  bool // a namespace: the machine is another's to close
	store  *capability.Store
	grants *capability.Grants
	world  string // name of this engine session's isolated worlds

	mu       sync.Mutex
	browsers map[string][]*browser // by owning session
	bound    map[string]*binding   // by target id
	closed   bool
}

// New returns an engine. It connects to nothing yet; call Close when done.
func New(o Options) (*Engine, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	system := native.Open(native.Options{Display: o.Display})
	return newEngine(&machine{
		o: o, log: o.Log, system: system,
		launcher: prepare.NewLauncher(prepare.Options{System: system, Executable: o.Executable, StateDir: o.StateDir, Display: o.Display, Wayland: o.Wayland}),
	})
}

func newEngine(m *machine) (*Engine, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return nil, fmt.Errorf("new engine: %w", err)
	}
	return &Engine{
		machine: m, store: capability.New(), grants: capability.NewGrants(m.o.Clock), world: "w" + hex.EncodeToString(b[:]),
		browsers: map[string][]*browser{}, bound: map[string]*binding{},
	}, nil
}

// Namespace returns an engine on the same machine with sessions of its own:
// neither knows the other's, not even that a name is taken. They wait for each
// other where they act on the same tab. Close it before e.
func (e *Engine) Namespace() (*Engine, error) {
	n, err := newEngine(e.machine)
	if err != nil {
		return nil, err
	}
	n.guest = true
	return n, nil
}

// Close ends every session and releases everything the engine owns.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	var errs []error
	for _, name := range e.store.Names() {
		_, err := e.EndSession(ctx, contract.EndSessionRequest{Session: name})
		errs = append(errs, err)
	}
	if !e.guest {
		errs = append(errs, e.launcher.CloseAll(ctx), e.system.Close())
	}
	return errors.Join(errs...)
}

// Doctor says what works here, what is missing and what is unverified.
func (e *Engine) Doctor(ctx context.Context) []platform.Finding {
	return append(e.system.Check(ctx), e.launcher.Check()...)
}

// StartSession opens a named capability namespace.
func (e *Engine) StartSession(_ context.Context, r contract.StartSessionRequest) (*contract.StartSessionResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errors.New("start session: the engine is closing")
	}
	if !e.store.Open(r.Session) {
		return nil, &contract.ArgumentError{Field: "session", Message: "a session of this name is open"}
	}
	e.log.Info("session started", "session", r.Session)
	return &contract.StartSessionResult{Status: contract.OK, Session: r.Session}, nil
}

// EndSession ends a session and releases everything it owns.
func (e *Engine) EndSession(ctx context.Context, r contract.EndSessionRequest) (*contract.EndSessionResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	e.mu.Lock() // with the consents: no later session of this name may find one
	targets, ok := e.store.Close(r.Session)
	if !ok {
		e.mu.Unlock()
		return nil, noSession()
	}
	e.grants.End(r.Session)
	owned := e.browsers[r.Session]
	delete(e.browsers, r.Session)
	for _, id := range targets {
		delete(e.bound, id)
	}
	e.mu.Unlock()
	out := &contract.EndSessionResult{Status: contract.OK, Session: r.Session, Released: append([]string{}, targets...)}
	var errs []error
	for _, b := range owned {
		if err := b.close(ctx); err != nil {
			errs = append(errs, err)
			continue
		}
		out.Released = append(out.Released, fmt.Sprintf("browser %d", b.process.PID))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("end session: %w", err)
	}
	e.log.Info("session ended", "session", r.Session, "released", len(out.Released))
	return out, nil
}

func noSession() error {
	return &contract.ArgumentError{Field: "session", Message: "no such session is open; call start_session first"}
}

// session checks that a session is open.
func (e *Engine) session(name string) error {
	if !e.store.Has(name) {
		return noSession()
	}
	return nil
}
