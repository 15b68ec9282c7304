package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cuatui/engine/bind"
	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// bindSteps is the order of the binding proof.
var bindSteps = []string{"session", "process", "access", "window", "fingerprint", "endpoint", "connection", "browser_windows", bind.StepCorrelation}

// binding is what was proven of a target, to be proven again before every
// mutation.
type binding struct {
	scope      capability.Scope // session, run of the process, native window
	browser    *browser
	access     string
	browserWin int
	windowed   bool // the browser tells its windows, and browserWin is one
	route      string
	generation int
	on         platform.WindowSystem
}

// boundWindow is a binding while it is proven.
type boundWindow struct {
	binding
	system  platform.System
	process platform.Process
	product string
	quality bind.Quality
	native  platform.Window
	all     []platform.Window // that were there when native was
	pages   []placed          // the tabs of the bound window
	// listing: it is only looked at, which is no use of a person's consent.
	listing bool
}

// refuse ends a proof at a step.
func refuse(p *refusal.Proof, plan []string, step, want, got string, r *refusal.Refusal) error {
	p.Fail(step, want, got)
	return r.WithProof(p.Steps(plan...))
}

// prove runs the whole binding proof for a native window.
func (e *Engine) prove(ctx context.Context, s capability.Scope, listing bool, p *refusal.Proof) (*boundWindow, error) {
	p.Pass("session", s.Session)
	w := &boundWindow{binding: binding{scope: s}, listing: listing}
	if err := e.proveWindow(ctx, w, p); err != nil {
		return nil, leadOn(err, s)
	}
	return w, nil
}

func (e *Engine) proveWindow(ctx context.Context, w *boundWindow, p *refusal.Proof) error {
	if err := e.proveAccess(ctx, w, bindSteps, p); err != nil {
		return err
	}
	if err := w.proveOwner(ctx, bindSteps, p); err != nil {
		return err
	}
	if err := e.proveEndpoint(ctx, w, bindSteps, p); err != nil {
		return err
	}
	err := w.proveCorrelation(ctx, bindSteps, p)
	// An endpoint that was found and ends the connection while it is looked at,
	// or has it ended by what it sends, is none that could be bound.
	if errors.Is(err, devtools.ErrClosed) && w.browser.endpoint != nil {
		return fmt.Errorf("%w: %w", refuse(p, bindSteps, "browser_windows", "an answer of the browser", "the end of the connection",
			refusal.New(refusal.ConnectFailed, "the connection to the browser ended before it had answered")), err)
	}
	return err
}

// proveOwner proves the native window, its owner and the owner's fingerprint.
func (w *boundWindow) proveOwner(ctx context.Context, plan []string, p *refusal.Proof) error {
	native, all, err := w.look(ctx)
	if err != nil {
		return unseen(ctx, p, plan, "window", err)
	}
	pid := w.scope.Fingerprint.PID
	if native == nil {
		return refuse(p, plan, "window", "a native window", "none of that id", refusal.New(refusal.WindowGone, "there is no native window %d", w.scope.Window))
	}
	if native.PID != pid {
		return refuse(p, plan, "window", fmt.Sprintf("owner %d", pid), fmt.Sprintf("owner %d", native.PID), refusal.New(refusal.WindowNotOwned, "window %d does not belong to process %d", w.scope.Window, pid))
	}
	w.native, w.on, w.all = *native, native.On, all
	p.Passf("window", fmt.Sprintf("owner %d", pid), "owner %d by %s, %d windows seen", native.PID, native.Owner, len(all))
	now, err := w.system.Process(ctx, pid)
	switch {
	case errors.Is(err, platform.ErrNotFound), errors.Is(err, platform.ErrUnknown):
		return refuse(p, plan, "fingerprint", "the same process", "gone", refusal.New(refusal.ProcessChanged, "the browser process has ended"))
	case err != nil:
		return unseen(ctx, p, plan, "fingerprint", err)
	case now.Fingerprint() != w.scope.Fingerprint:
		return refuse(p, plan, "fingerprint", "the same process", "another start", refusal.New(refusal.ProcessChanged, "the process id has been given to another process"))
	}
	p.Pass("fingerprint", "pid, start time and executable")
	return nil
}

func (w *boundWindow) proveConnection(plan []string, p *refusal.Proof) error {
	if ended(w.browser.conn.Done()) {
		return refuse(p, plan, "connection", "open", "lost", refusal.New(refusal.ConnectFailed, "the connection to the browser is lost"))
	}
	p.Pass("connection", "open")
	return nil
}

// A blindError is one of the system, not of the browser.
type blindError struct{ error }

func (e *blindError) Unwrap() error { return e.error }

// look finds the native window on the browser's own display; nil if it is gone.
func (w *boundWindow) look(ctx context.Context) (*platform.Window, []platform.Window, error) {
	all, err := w.system.Windows(ctx)
	if err != nil {
		return nil, nil, &blindError{err}
	}
	i := slices.IndexFunc(all, func(n platform.Window) bool { return n.ID == w.scope.Window })
	if i < 0 {
		return nil, all, nil
	}
	return &all[i], all, nil
}

// proveCorrelation proves which browser window the native window is. Moves
// reach the two sides at different moments, so a mismatch is read once more.
func (w *boundWindow) proveCorrelation(ctx context.Context, plan []string, p *refusal.Proof) error {
	var r bind.Result
	var pages []placed
	for try := range 2 {
		var err error
		var skipped []string
		pages, skipped, err = w.browser.targets(ctx)
		if err != nil {
			return unanswered(ctx, p, plan, "browser_windows", err)
		}
		r, err = w.correlate(ctx, pages)
		var dark *blindError
		if errors.As(err, &dark) {
			return unseen(ctx, p, plan, bind.StepCorrelation, dark.error)
		}
		if err != nil {
			return unanswered(ctx, p, plan, bind.StepCorrelation, err)
		}
		if r.Refusal == nil || try == 1 {
			p.Passf("browser_windows", "pages and their windows", "%d pages, %d windows, %d skipped", len(pages), len(windows(pages)), len(skipped))
			break
		}
		if err := pause(ctx, settleMove); err != nil {
			return err
		}
	}
	if r.Refusal != nil {
		return refuse(p, plan, r.Step.Step, r.Step.Want, r.Step.Got, r.Refusal)
	}
	p.Passf(r.Step.Step, r.Step.Want, "%s", r.Step.Got)
	w.quality, w.route, w.browserWin, w.windowed = r.Quality, r.Route, r.Window.ID, r.Window.HasWindow
	w.pages = slices.DeleteFunc(pages, func(t placed) bool { return t.hasWindow != r.Window.HasWindow || t.window.WindowID != r.Window.ID })
	return nil
}

// titleProduct is the product as it stands in a window's title: without the
// version that a launched browser tells.
func titleProduct(product string) string {
	name, _, _ := strings.Cut(product, " 1")
	return name
}

// settleMove is how long a moved window may take to be where both sides say.
const settleMove = 100 * time.Millisecond

// pause waits that long, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait: %w", ctx.Err())
	}
}

// only says whether the window is its process's only one; nil where that is not
// known, as in a session that does not list every window.
func (w *boundWindow) only(ctx context.Context, all []platform.Window) *bool {
	only := bind.OnlyWindow(all, w.scope.Fingerprint.PID, w.scope.Window)
	partial, ok := w.system.(platform.Partial)
	if ok && only != nil && *only && len(partial.Unlisted(ctx)) > 0 {
		return nil
	}
	return only
}

func windowClosed() bind.Result {
	return bind.Result{
		Refusal: refusal.New(refusal.WindowGone, "the native window has closed"),
		Step:    refusal.Step{Step: bind.StepCorrelation, Want: "a native window", Got: "gone"},
	}
}

// Where a browser has several windows, a verdict rests on what people and pages
// change at any moment, and a change reaches the two sides at different ones: a
// title the browser's own list at once, and the window system up to 200 ms
// later, for Chromium gathers changes for that long. So both sides must stand
// still: they are read again at moments that follow no beat, over a tenth of a
// second where places decide, and over three quarters of one where titles do.
var (
	placeMoments = millis(7, 29, 13, 37, 17, 11)
	titleMoments = millis(23, 61, 97, 43, 113, 79, 131, 89, 107)
)

func millis(ms ...int) []time.Duration {
	out := make([]time.Duration, len(ms))
	for i, n := range ms {
		out[i] = time.Duration(n) * time.Millisecond
	}
	return out
}

// correlate is the pure rule over both sides, read now, and again where the
// browser has several windows.
func (w *boundWindow) correlate(ctx context.Context, pages []placed) (bind.Result, error) {
	r, err := w.compare(ctx, pages)
	if err != nil || r.Quality != bind.Exact || r.Route != bind.RouteWindow || len(windows(pages)) < 2 {
		return r, err
	}
	moments := placeMoments
	if r.ByTitle {
		moments = titleMoments
	}
	for _, m := range moments {
		if err := pause(ctx, m); err != nil {
			return bind.Result{}, err
		}
		again, _, err := w.browser.targets(ctx)
		if err != nil {
			return bind.Result{}, fmt.Errorf("bind: %w", err)
		}
		next, err := w.compare(ctx, again)
		if err != nil || next.Refusal != nil {
			return next, err
		}
		if next.Quality != r.Quality || next.Window.ID != r.Window.ID || next.Rests != r.Rests {
			next.Refusal = refusal.New(refusal.SameBox, "the browser's windows are changing places or titles, so that they are not told apart")
			next.Step.Verdict, next.Step.Got = refusal.Fail, "the windows do not stand still"
			return next, nil
		}
	}
	return r, nil
}

// compare is the pure rule over the browser's side as given and the window
// system's, read now.
func (w *boundWindow) compare(ctx context.Context, pages []placed) (bind.Result, error) {
	native, all, err := w.look(ctx)
	if err != nil {
		return bind.Result{}, fmt.Errorf("bind: %w", err)
	}
	if native == nil {
		return windowClosed(), nil
	}
	n := bind.Native{
		Window: *native, OnlyWindow: w.only(ctx, all), ForcedScale: bind.ForcedScale(w.process.Args),
		Beside: slices.DeleteFunc(slices.Clone(all), func(o platform.Window) bool { return o.ID == native.ID || o.PID != native.PID }),
	}
	return bind.Correlate(n, windows(pages), bind.TitleSuffixes(titleProduct(w.product))), nil
}

// scopeOf is what a request names; which run of the process is yet to be seen.
func scopeOf(session string, pid int, window uint64) capability.Scope {
	return capability.Scope{Session: session, Fingerprint: platform.Fingerprint{PID: pid}, Window: platform.WindowID(window)}
}

// bindWindow answers a bind request.
func (e *Engine) bindWindow(ctx context.Context, r contract.StateRequest) (*contract.StateResult, error) {
	var p refusal.Proof
	w, err := e.prove(ctx, scopeOf(r.Session, r.PID, r.WindowID), false, &p)
	if err != nil {
		return nil, lost(err)
	}
	keys := make([]string, len(w.pages))
	for i, t := range w.pages {
		keys[i] = t.TargetID
	}
	target, err := e.store.Bind(r.Session, string(w.quality), w.generation, keys)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.bound[target.ID] = &w.binding
	e.mu.Unlock()
	exact := w.quality == bind.Exact
	out := &contract.StateResult{
		Status: contract.OK, Mode: "bind", TargetID: target.ID, BindingQuality: string(w.quality), BindingRoute: w.route,
		Transport: w.browser.transport, Access: w.access, Generation: w.generation, MutationAllowed: &exact,
		NativeTitle: w.native.Title, Proof: p.Steps(),
	}
	tabs := target.Tabs()
	for i, t := range w.pages {
		out.Tabs = append(out.Tabs, contract.Tab{TabID: tabs[i].ID, Title: t.Title, URL: t.URL, Active: e.active(ctx, w.browser, t.TargetID)})
	}
	e.log.Info("bound", "session", r.Session, "pid", r.PID, "quality", out.BindingQuality, "route", out.BindingRoute, "tabs", len(out.Tabs))
	return out, nil
}

// activeTimeout bounds the question which tab is shown; a page that does not
// answer is null, not false.
const activeTimeout = time.Second

// active asks the page itself whether it is shown.
func (e *Engine) active(ctx context.Context, b *browser, target string) *bool {
	ctx, cancel := context.WithTimeout(ctx, activeTimeout)
	defer cancel()
	t, err := b.tab(ctx, target, e.world)
	if err != nil {
		return nil
	}
	state, err := t.page.Visibility(ctx)
	if err != nil {
		return nil
	}
	shown := state == "visible"
	return &shown
}

// resolved is a target and tab of a session, with what binding proved of it.
type resolved struct {
	*binding
	target *capability.Target
	tab    *capability.Tab
	live   *tab
}

// readSteps is the order of what is proven before a bound tab is read.
var readSteps = []string{"session", "target", "tab", "process", "access", "generation", "browser_window"}

// resolve finds target and tab, proves that the session may still use them and
// that the tab is still in the bound window, and attaches: nothing of a tab is
// read that is not where the binding, and a person's consent, says.
func (e *Engine) resolve(ctx context.Context, session, targetID, tabID string) (*resolved, error) {
	return e.reach(ctx, session, targetID, tabID, (*resolved).proveHere)
}

// reach is resolve with the proof of the tab's place in the caller's hands.
func (e *Engine) reach(ctx context.Context, session, targetID, tabID string, here func(*resolved, context.Context, *refusal.Proof) error) (*resolved, error) {
	t, err := e.lookup(session, targetID)
	if err != nil {
		return nil, err
	}
	var p refusal.Proof
	t.passTarget(&p)
	err = e.permit(ctx, t, tabID, readSteps, &p)
	if err == nil {
		err = here(t, ctx, &p)
	}
	if err == nil {
		err = e.attach(ctx, t, readSteps, &p)
	}
	if err != nil {
		return nil, leadOn(lost(err), t.scope)
	}
	return t, nil
}

// lookup finds a target of the session, and what binding proved of it.
func (e *Engine) lookup(session, targetID string) (*resolved, error) {
	if err := e.session(session); err != nil {
		return nil, err
	}
	target, r := e.store.Target(session, targetID)
	if r != nil {
		return nil, r
	}
	e.mu.Lock()
	b := e.bound[targetID]
	e.mu.Unlock()
	if b == nil {
		return nil, refusal.New(refusal.UnknownTarget, "the target's session has ended")
	}
	return &resolved{binding: b, target: target}, nil
}

func (t *resolved) passTarget(p *refusal.Proof) {
	p.Pass("session", t.scope.Session)
	p.Pass("target", "bound in this session")
}

// permit finds the tab and proves that the session may still use its browser.
func (e *Engine) permit(ctx context.Context, t *resolved, tabID string, plan []string, p *refusal.Proof) error {
	var r *refusal.Refusal
	if t.tab, r = t.target.Tab(tabID); r != nil {
		return refuse(p, plan, "tab", "a tab of the target", string(r.Reason), r)
	}
	p.Pass("tab", "known")
	return e.proveStill(ctx, t.binding, plan, p)
}

// attach attaches to the tab that permit found.
func (e *Engine) attach(ctx context.Context, t *resolved, plan []string, p *refusal.Proof) (err error) {
	t.live, err = t.browser.tab(ctx, t.tab.Key, e.world)
	if perr, ok := protocolError(err); ok {
		e.log.Debug("attach", "code", perr.Code)
		return t.closed(ctx, plan, p)
	}
	if errors.Is(err, errSilent) {
		return refuse(p, plan, "page", "a page that answers", "no answer in time",
			refusal.New(refusal.DialogOpenBefore, "the page does not answer: a dialog was open before the window was bound, which only a person can close, or the page is busy"))
	}
	return lost(err)
}

// closed refuses a tab that the browser does not know any more.
func (t *resolved) closed(ctx context.Context, plan []string, p *refusal.Proof) error {
	w := &boundWindow{binding: *t.binding, system: t.browser.system}
	if native, _, err := w.look(ctx); err == nil && native == nil { // it went with its window
		return refuse(p, plan, "window", "a native window", "none of that id", refusal.New(refusal.WindowGone, "the native window has closed"))
	}
	return refuse(p, plan, "tab_again", "open", "closed", refusal.New(refusal.TabClosed, "the tab has been closed"))
}

// lost marks an error that comes from losing the browser; it is never a refusal.
func lost(err error) error {
	if errors.Is(err, devtools.ErrClosed) || errors.Is(err, devtools.ErrDetached) {
		return fmt.Errorf("%w: %w", contract.ErrConnectionLost, err)
	}
	return err
}
