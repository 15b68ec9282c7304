package engine

import (
	"context"
	"errors"
	"fmt"
	"os"

	"cuatui/engine/attach"
	"cuatui/engine/bind"
	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// The access classes.
const (
	accessDriver   = "driver_owned"
	accessEmbedded = "embedded_application"
	accessApproved = "existing_profile_approved"
	accessConsumer = "external_consumer_browser"
)

// proveAccess proves what kind of process it is and by what right the session
// may use it. Nothing of a browser is asked before this has passed.
func (e *Engine) proveAccess(ctx context.Context, w *boundWindow, plan []string, p *refusal.Proof) error {
	if b := e.owned(w.scope.Session, w.scope.Fingerprint.PID); b != nil {
		p.Pass("process", b.product)
		p.Pass("access", accessDriver)
		w.browser, w.system, w.access, w.generation = b, b.system, accessDriver, b.generation
		w.process, w.product = b.process, b.product
		w.scope.Fingerprint = b.process.Fingerprint()
		return nil
	}
	pid := w.scope.Fingerprint.PID
	proc, err := e.system.Process(ctx, pid)
	switch {
	case errors.Is(err, platform.ErrNotFound):
		return refuse(p, plan, "process", "a running browser", "no such process", refusal.New(refusal.NotABrowser, "there is no process %d", pid).
			WithNext("list_windows", map[string]any{"session": w.scope.Session}))
	case errors.Is(err, platform.ErrUnknown):
		return refuse(p, plan, "process", "a browser this user may see", "not visible", refusal.New(refusal.NotABrowser, "process %d is not visible to this user", pid))
	case err != nil:
		return fmt.Errorf("bind: %w", err)
	}
	w.system, w.process = e.system, proc
	w.scope.Fingerprint = proc.Fingerprint()
	product, class, err := e.classify(ctx, proc)
	if err != nil {
		return err
	}
	w.product = product
	switch class {
	case bind.Consumer:
		p.Pass("process", product)
		return e.proveConsent(w, plan, p)
	case bind.Embedded:
		p.Pass("process", product)
		p.Pass("access", accessEmbedded)
		w.access, w.generation = accessEmbedded, 1
		return nil
	}
	return refuseClass(product, class, w.scope.Session, plan, p)
}

// classify adds to the identity of the executable what only its children show:
// a process that runs an embedded engine's own helper embeds it.
func (e *Engine) classify(ctx context.Context, proc platform.Process) (string, bind.Class, error) {
	product, class := bind.Classify(proc)
	if class != bind.NotABrowser {
		return product, class, nil
	}
	all, err := e.system.Processes(ctx)
	if err != nil {
		return "", class, fmt.Errorf("bind: %w", err)
	}
	for _, c := range all {
		if c.PPID != proc.PID || c.Start < proc.Start {
			continue
		}
		if product, child := bind.Classify(c); child == bind.Helper && bind.EmbedsEngine(product) {
			return product, bind.Embedded, nil
		}
	}
	return "", class, nil
}

// proveConsent holds a personal browser against the person's word.
func (e *Engine) proveConsent(w *boundWindow, plan []string, p *refusal.Proof) error {
	state, generation := e.grants.Use(w.scope)
	w.access, w.generation = accessApproved, generation
	want := "a person's consent"
	switch state {
	case capability.Live:
		p.Passf("access", want, "consent %d", generation)
		return nil
	case capability.Lapsed:
		return refuse(p, plan, "access", want, "expired", refusal.New(refusal.Expired, "the person's consent has run out").
			WithNext("browser_prepare", prepareArgs(w.scope.Session)))
	case capability.Revoked:
		return refuse(p, plan, "access", want, "withdrawn", refusal.New(refusal.ByPerson, "the person has withdrawn consent"))
	case capability.NoGrant:
	}
	return refuse(p, plan, "access", want, "none", refusal.New(refusal.PersonalBrowser, "%s was not launched by this session: it needs the person's consent", w.product).
		WithNext("browser_prepare", prepareArgs(w.scope.Session)))
}

// refuseClass refuses a process that can never be bound, by its class.
func refuseClass(product string, class bind.Class, session string, plan []string, p *refusal.Proof) error {
	switch class {
	case bind.Helper:
		return refuse(p, plan, "process", "a browser's main process", "helper", refusal.New(refusal.HelperProcess, "the process is a helper of %s, not the browser itself", product).
			WithNext("list_windows", map[string]any{"session": session}))
	case bind.OtherEngine:
		return refuse(p, plan, "process", "Chromium", product, refusal.New(refusal.UnsupportedEngine, "%s does not speak the DevTools protocol", product).
			WithNext("browser_prepare", prepareArgs(session)))
	default:
		return refuse(p, plan, "process", "a browser", "another program", refusal.New(refusal.NotABrowser, "the process is no browser").
			WithNext("browser_prepare", prepareArgs(session)))
	}
}

func prepareArgs(session string) map[string]any {
	return map[string]any{"session": session, "profile": "isolated_new", "allow_launch": true}
}

// proveEndpoint proves the endpoint and the connection to it, connecting where
// there is none yet.
func (e *Engine) proveEndpoint(ctx context.Context, w *boundWindow, plan []string, p *refusal.Proof) error {
	if w.access == accessDriver {
		p.Pass("endpoint", "pipe inherited by the process at launch")
		return w.proveConnection(plan, p)
	}
	b := e.known(w.scope.Session, w.process.PID)
	if b != nil && (b.process.Fingerprint() != w.scope.Fingerprint || b.generation != w.generation || ended(b.conn.Done())) {
		if err := e.forget(ctx, w.scope.Session, b); err != nil {
			return err
		}
		b = nil
	}
	if b == nil {
		var err error
		if b, err = e.found(ctx, w); err != nil {
			return refuseAt(p, plan, "endpoint", "one endpoint of this process", err)
		}
	} else if err := b.endpoint.Prove(ctx, b.system); err != nil {
		return refuseAt(p, plan, "endpoint", "the endpoint that was found", err)
	}
	w.browser = b
	p.Passf("endpoint", "listening, owned by the process", "owned by process %d, %s", b.endpoint.Owner.PID, b.endpoint.Source)
	return w.proveConnection(plan, p)
}

// refuseAt ends the proof where err is a refusal, and passes other errors on.
func refuseAt(p *refusal.Proof, plan []string, step, want string, err error) error {
	r, ok := refusal.As(err)
	if !ok {
		return err
	}
	return refuse(p, plan, step, want, string(r.Reason), r)
}

func ended(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// found finds the endpoint of a running browser, connects, and keeps it for
// the session.
func (e *Engine) found(ctx context.Context, w *boundWindow) (*browser, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then only a profile named in the arguments is looked at
	}
	endpoint, err := attach.Find(ctx, w.system, w.process, home)
	if err != nil {
		if r, ok := refusal.As(err); ok && r.Next == nil {
			r.WithNext("browser_prepare", prepareArgs(w.scope.Session))
		}
		return nil, err
	}
	conn, err := endpoint.Connect(ctx, w.system)
	if err != nil {
		return nil, err
	}
	b := &browser{
		conn: conn, process: w.process, system: w.system, product: w.product, access: w.access, generation: w.generation,
		transport: transportOf(w.access, endpoint.Source), endpoint: endpoint, tabs: map[string]*tab{},
	}
	b.release = func(context.Context) error { return conn.Close() }
	e.mu.Lock()
	lost := e.closed || !e.store.Has(w.scope.Session)
	if !lost {
		e.browsers[w.scope.Session] = append(e.browsers[w.scope.Session], b)
	}
	e.mu.Unlock()
	if lost {
		return nil, errors.Join(errors.New("bind: the session ended meanwhile"), conn.Close())
	}
	return b, nil
}

func transportOf(access, source string) string {
	switch {
	case access == accessEmbedded:
		return "embedded_descendant"
	case source == "active_port":
		return "dev_tools_active_port"
	}
	return "legacy_json_version"
}

// forget drops a found browser whose connection or right has ended.
func (e *Engine) forget(ctx context.Context, session string, b *browser) error {
	e.mu.Lock()
	kept := e.browsers[session][:0:0]
	for _, o := range e.browsers[session] {
		if o != b {
			kept = append(kept, o)
		}
	}
	e.browsers[session] = kept
	e.mu.Unlock()
	return b.close(ctx)
}

// Grant records a person's explicit yes to a personal browser's window: this
// session, this run of the process, this window, for a time. It is no tool; a
// face that has asked a person calls it.
func (e *Engine) Grant(ctx context.Context, r contract.GrantRequest) (*contract.GrantResult, error) {
	scope, err := e.scope(ctx, r)
	if err != nil {
		return nil, err
	}
	n := e.grants.Give(scope)
	e.log.Info("consent given", "session", r.Session, "pid", r.PID, "generation", n)
	return &contract.GrantResult{Status: contract.OK, Generation: n, IdleMinutes: int(capability.GrantIdle.Minutes()), Hours: int(capability.GrantAbsolute.Hours())}, nil
}

// Revoke withdraws a person's consent; what was bound under it can do nothing more.
func (e *Engine) Revoke(ctx context.Context, r contract.GrantRequest) (*contract.GrantResult, error) {
	scope, err := e.scope(ctx, r)
	if err != nil {
		return nil, err
	}
	if !e.grants.Revoke(scope) {
		return nil, &contract.ArgumentError{Field: "window_id", Message: "no consent was given for this window"}
	}
	e.log.Info("consent withdrawn", "session", r.Session, "pid", r.PID)
	return &contract.GrantResult{Status: contract.OK}, nil
}

// scope is what a yes is about, as it stands now: the window must belong to
// the process, so that a person is never asked about one thing for another.
func (e *Engine) scope(ctx context.Context, r contract.GrantRequest) (capability.Scope, error) {
	if err := r.Validate(); err != nil {
		return capability.Scope{}, err
	}
	if err := e.session(r.Session); err != nil {
		return capability.Scope{}, err
	}
	proc, err := e.system.Process(ctx, r.PID)
	if err != nil {
		return capability.Scope{}, fmt.Errorf("consent: %w", err)
	}
	all, err := e.system.Windows(ctx)
	if err != nil {
		return capability.Scope{}, fmt.Errorf("consent: %w", err)
	}
	for _, w := range all {
		if uint64(w.ID) == r.WindowID && w.PID == r.PID {
			return capability.Scope{Session: r.Session, Fingerprint: proc.Fingerprint(), Window: w.ID}, nil
		}
	}
	return capability.Scope{}, refusal.New(refusal.WindowNotOwned, "the window does not belong to the process")
}
