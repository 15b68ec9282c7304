package engine

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"

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
		if err := runs(ctx, b.system, b.process.Fingerprint(), plan, p); err != nil {
			return err
		}
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
		return unseen(ctx, p, plan, "process", err)
	}
	w.system, w.process = e.system, proc
	w.scope.Fingerprint = proc.Fingerprint()
	product, class, err := e.classify(ctx, proc)
	if err != nil {
		return unseen(ctx, p, plan, "process", err)
	}
	w.product = product
	switch class {
	case bind.Consumer:
		p.Pass("process", product)
		w.access = accessApproved
		w.generation, err = e.proveConsent(w.scope, product, w.listing, plan, p)
		return err
	case bind.Embedded:
		p.Pass("process", product)
		p.Pass("access", accessEmbedded)
		w.access, w.generation = accessEmbedded, 1
		return nil
	default:
	}
	return refuseClass(product, class, w.scope.Session, plan, p)
}

// classify adds to the identity of the executable what only a running process
// shows: one that has an engine's own helper for a child, or the engine's files
// mapped, embeds it.
func (e *Engine) classify(ctx context.Context, proc platform.Process) (string, bind.Class, error) {
	product, class := bind.Classify(proc)
	if class != bind.NotABrowser {
		return product, class, nil
	}
	engine, err := e.helped(ctx, proc)
	if err == nil && engine == "" {
		engine, err = e.embeds(ctx, proc)
	}
	switch browser := bind.Script(proc); {
	case err != nil:
		return "", class, fmt.Errorf("bind: %w", err)
	case engine == "":
		return "", class, nil
	case browser != "":
		return browser, bind.Consumer, nil
	}
	return engine, bind.Embedded, nil
}

// helped returns the engine whose helper the process has for a child, "" if
// none.
func (e *Engine) helped(ctx context.Context, proc platform.Process) (string, error) {
	all, err := e.system.Processes(ctx)
	if err != nil {
		return "", err
	}
	for _, c := range all {
		if c.PPID != proc.PID || c.Start < proc.Start {
			continue
		}
		if product, child := bind.Classify(c); child == bind.Helper && bind.EmbedsEngine(product) {
			return product, nil
		}
	}
	return "", nil
}

// embeds returns the engine whose files the process has, "" if none or if they
// cannot be seen.
func (e *Engine) embeds(ctx context.Context, proc platform.Process) (string, error) {
	files, ok := e.system.(platform.Files)
	if !ok {
		return "", nil
	}
	mapped, err := files.Mapped(ctx, proc.PID)
	var beside []string
	if err == nil {
		beside, err = files.Beside(ctx, proc.PID, bind.Beside()...)
	}
	if errors.Is(err, platform.ErrNotFound) || errors.Is(err, platform.ErrUnknown) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return bind.Embeds(proc, mapped, beside), nil
}

// proveConsent holds a personal browser against the person's word. Looking at
// the windows is no use of it, and does not renew its idle time.
func (e *Engine) proveConsent(s capability.Scope, product string, looking bool, plan []string, p *refusal.Proof) (generation int, err error) {
	ask := e.grants.Use
	if looking {
		ask = e.grants.Peek
	}
	state, generation := ask(s)
	want := "a person's consent"
	switch state {
	case capability.Live:
		p.Passf("access", want, "consent %d", generation)
		return generation, nil
	case capability.Lapsed:
		return 0, refuse(p, plan, "access", want, "expired", refusal.New(refusal.Expired, "the person's consent has run out"))
	case capability.Revoked:
		return 0, refuse(p, plan, "access", want, "withdrawn", refusal.New(refusal.ByPerson, "the person has withdrawn consent"))
	case capability.NoGrant:
	}
	return 0, refuse(p, plan, "access", want, "none", refusal.New(refusal.PersonalBrowser, "%s was not launched by this session: it needs the person's consent", product))
}

// runs proves that the very run of a process that f names still goes on.
func runs(ctx context.Context, s platform.System, f platform.Fingerprint, plan []string, p *refusal.Proof) error {
	proc, err := s.Process(ctx, f.PID)
	switch {
	case errors.Is(err, platform.ErrNotFound), errors.Is(err, platform.ErrUnknown):
		return refuse(p, plan, "process", "the same process", "gone", refusal.New(refusal.ProcessChanged, "the browser process has ended"))
	case err != nil:
		return unseen(ctx, p, plan, "process", err)
	case proc.Fingerprint() != f:
		return refuse(p, plan, "process", "the same process", "another start", refusal.New(refusal.ProcessChanged, "the process id has been given to another process"))
	}
	return nil
}

// proveStill proves, before anything is asked of a bound browser, that the
// session may still use it: the same run of the process, by the same right.
// Consent that has ended ends the connection with it.
func (e *Engine) proveStill(ctx context.Context, b *binding, plan []string, p *refusal.Proof) error {
	if err := runs(ctx, b.browser.system, b.scope.Fingerprint, plan, p); err != nil {
		return err
	}
	p.Pass("process", b.browser.product)
	if b.access == accessApproved {
		generation, err := e.proveConsent(b.scope, b.browser.product, false, plan, p)
		if err != nil {
			e.withoutConsent(ctx, b.scope)
			return err
		}
		if generation != b.generation {
			return refuse(p, plan, "generation", fmt.Sprintf("consent %d", b.generation), fmt.Sprintf("consent %d", generation),
				refusal.New(refusal.GrantChanged, "the person's consent is another one than the window was bound under"))
		}
	} else {
		p.Pass("access", b.access)
	}
	if now := e.known(b.scope.Session, b.scope.Fingerprint.PID); now != nil && now != b.browser {
		return refuse(p, plan, "generation", "the connection of the binding", "a later one", refusal.New(refusal.GenerationChanged, "the connection has been made anew"))
	}
	p.Pass("generation", strconv.Itoa(b.generation))
	return nil
}

// withoutConsent ends the session's connection to a browser for which no
// consent is left. Where that fails, nothing uses it any more all the same.
func (e *Engine) withoutConsent(ctx context.Context, s capability.Scope) {
	b := e.known(s.Session, s.Fingerprint.PID)
	if b == nil || b.access != accessApproved || b.process.Fingerprint() != s.Fingerprint || e.grants.Any(s.Session, s.Fingerprint) {
		return
	}
	if err := e.forget(context.WithoutCancel(ctx), s.Session, b); err != nil {
		e.log.Warn("closing a connection", "error", err)
	}
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
	if b != nil && (b.process.Fingerprint() != w.scope.Fingerprint || ended(b.conn.Done())) {
		if err := e.forget(ctx, w.scope.Session, b); err != nil {
			return err
		}
		b = nil
	}
	if b == nil {
		var err error
		if b, err = e.found(ctx, w, plan, p); err != nil {
			return err
		}
	} else if err := b.endpoint.Prove(ctx, b.system); err != nil {
		return refuseAt(ctx, p, plan, "the endpoint that was found", err)
	}
	w.browser = b
	p.Passf("endpoint", "listening, owned by the process", "owned by process %d, %s", b.endpoint.Owner.PID, b.endpoint.Source)
	return w.proveConnection(plan, p)
}

// refuseAt ends the proof at the endpoint with a refusal of attach; any other error of attach is
// the system's.
func refuseAt(ctx context.Context, p *refusal.Proof, plan []string, want string, err error) error {
	r, ok := refusal.As(err)
	if !ok {
		return unseen(ctx, p, plan, "endpoint", err)
	}
	return refuse(p, plan, "endpoint", want, string(r.Reason), r)
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
func (e *Engine) found(ctx context.Context, w *boundWindow, plan []string, p *refusal.Proof) (*browser, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then only a profile named in the arguments is looked at
	}
	endpoint, err := attach.Find(ctx, w.system, w.process, home)
	if err != nil {
		return nil, refuseAt(ctx, p, plan, "one endpoint of this process", err)
	}
	conn, err := endpoint.Connect(ctx, w.system)
	if err != nil {
		return nil, refuseAt(ctx, p, plan, "a connection to this process", err)
	}
	b := &browser{
		conn: conn, process: w.process, system: w.system, product: w.product, access: w.access, generation: 1,
		transport: transportOf(w.access, endpoint.Source), endpoint: endpoint, locks: &e.tabLocks, tabs: map[string]*tab{},
	}
	b.release = func(context.Context) error { return conn.Close() }
	kept, err := e.keep(w, b)
	if kept != b {
		err = errors.Join(err, conn.Close())
	}
	if r, ok := refusal.As(err); ok {
		return nil, refuse(p, plan, "endpoint", "a person's consent", "withdrawn", r)
	}
	return kept, err
}

// keep keeps a found browser for the session; the one that another call has
// found meanwhile, if there is one. Consent may have ended while it was looked
// for.
func (e *Engine) keep(w *boundWindow, b *browser) (*browser, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := w.scope
	if e.closed || !e.store.Has(s.Session) {
		return nil, errors.New("bind: the session ended meanwhile")
	}
	if b.access == accessApproved && !e.grants.Any(s.Session, s.Fingerprint) {
		return nil, refusal.New(refusal.ByPerson, "the person has withdrawn consent")
	}
	for _, o := range e.browsers[s.Session] {
		if o.process.Fingerprint() == s.Fingerprint && !ended(o.conn.Done()) {
			return o, nil
		}
	}
	e.browsers[s.Session] = append(e.browsers[s.Session], b)
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
	if r.Run == "" {
		return nil, &contract.ArgumentError{Field: "run", Message: "must be the run of the process that the person was asked about"}
	}
	scope, err := e.scope(ctx, r)
	if err != nil {
		return nil, err
	}
	e.mu.Lock() // the session may end meanwhile, and a later one of its name must not find this
	if e.closed || !e.store.Has(r.Session) {
		e.mu.Unlock()
		return nil, noSession()
	}
	n := e.grants.Give(scope)
	e.mu.Unlock()
	e.log.Info("consent given", "session", r.Session, "pid", r.PID, "generation", n)
	return &contract.GrantResult{Status: contract.OK, Generation: n, IdleMinutes: int(capability.GrantIdle.Minutes()), Hours: int(capability.GrantAbsolute.Hours())}, nil
}

// Revoke withdraws a person's consent; what was bound under it can do nothing
// more, and the connection ends with the last consent to its browser.
func (e *Engine) Revoke(ctx context.Context, r contract.GrantRequest) (*contract.GrantResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := e.session(r.Session); err != nil {
		return nil, err
	}
	withdrawn := e.grants.Revoke(r.Session, r.PID, platform.WindowID(r.WindowID))
	if len(withdrawn) == 0 {
		return nil, &contract.ArgumentError{Field: "window_id", Message: "no consent was given for this window"}
	}
	e.log.Info("consent withdrawn", "session", r.Session, "pid", r.PID)
	for _, s := range withdrawn {
		e.withoutConsent(ctx, s)
	}
	return &contract.GrantResult{Status: contract.OK}, nil
}

// run names a run of a process for as long as the engine lives, and tells
// nothing of it: neither a start time nor a path.
func (e *Engine) run(f platform.Fingerprint) string {
	mac := hmac.New(sha256.New, []byte(e.world)) // random, and of this engine alone
	fmt.Fprintf(mac, "run %d %d %s", f.PID, f.Start, f.Executable)
	const bytes = 16
	return "run-" + hex.EncodeToString(mac.Sum(nil)[:bytes])
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
	switch {
	case errors.Is(err, platform.ErrNotFound), errors.Is(err, platform.ErrUnknown):
		return capability.Scope{}, refusal.New(refusal.ProcessChanged, "the browser process has ended")
	case err != nil:
		return capability.Scope{}, unseen(ctx, &refusal.Proof{}, nil, "consent", err)
	}
	if e.run(proc.Fingerprint()) != r.Run {
		return capability.Scope{}, refusal.New(refusal.ProcessChanged, "the process id has been given to another process since the person was asked")
	}
	all, err := e.system.Windows(ctx)
	if err != nil {
		return capability.Scope{}, unseen(ctx, &refusal.Proof{}, nil, "consent", err)
	}
	for _, w := range all {
		if uint64(w.ID) == r.WindowID && w.PID == r.PID {
			return capability.Scope{Session: r.Session, Fingerprint: proc.Fingerprint(), Window: w.ID}, nil
		}
	}
	return capability.Scope{}, refusal.New(refusal.WindowNotOwned, "the window does not belong to the process")
}
