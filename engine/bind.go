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
	route      string
	generation int
}

// boundWindow is a binding while it is proven.
type boundWindow struct {
	binding
	system  platform.System
	process platform.Process
	product string
	quality bind.Quality
	native  platform.Window
	pages   []placed // the tabs of the bound window
}

// refuse ends a proof at a step.
func refuse(p *refusal.Proof, plan []string, step, want, got string, r *refusal.Refusal) error {
	p.Fail(step, want, got)
	return r.WithProof(p.Steps(plan...))
}

// prove runs the whole binding proof for a native window.
func (e *Engine) prove(ctx context.Context, session string, pid int, id platform.WindowID, p *refusal.Proof) (*boundWindow, error) {
	p.Pass("session", session)
	w := &boundWindow{binding: binding{scope: capability.Scope{Session: session, Fingerprint: platform.Fingerprint{PID: pid}, Window: id}}}
	if err := e.proveAccess(ctx, w, bindSteps, p); err != nil {
		return nil, err
	}
	if err := w.proveOwner(ctx, bindSteps, p); err != nil {
		return nil, err
	}
	if err := e.proveEndpoint(ctx, w, bindSteps, p); err != nil {
		return nil, err
	}
	return w, w.proveCorrelation(ctx, bindSteps, p)
}

// proveOwner proves the native window, its owner and the owner's fingerprint.
func (w *boundWindow) proveOwner(ctx context.Context, plan []string, p *refusal.Proof) error {
	native, all, err := w.look(ctx)
	if err != nil {
		return fmt.Errorf("bind: %w", err)
	}
	pid := w.scope.Fingerprint.PID
	if native == nil {
		return refuse(p, plan, "window", "a native window", "none of that id", refusal.New(refusal.WindowGone, "there is no native window %d", w.scope.Window))
	}
	if native.PID != pid {
		return refuse(p, plan, "window", fmt.Sprintf("owner %d", pid), fmt.Sprintf("owner %d", native.PID), refusal.New(refusal.WindowNotOwned, "window %d does not belong to process %d", w.scope.Window, pid))
	}
	w.native = *native
	p.Passf("window", fmt.Sprintf("owner %d", pid), "owner %d by %s, %d windows seen", native.PID, native.Owner, len(all))
	now, err := w.system.Process(ctx, pid)
	switch {
	case errors.Is(err, platform.ErrNotFound), errors.Is(err, platform.ErrUnknown):
		return refuse(p, plan, "fingerprint", "the same process", "gone", refusal.New(refusal.ProcessChanged, "the browser process has ended"))
	case err != nil:
		return fmt.Errorf("bind: %w", err)
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

// look finds the native window on the browser's own display; nil if it is gone.
func (w *boundWindow) look(ctx context.Context) (*platform.Window, []platform.Window, error) {
	all, err := w.system.Windows(ctx)
	if err != nil {
		return nil, nil, err
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
			return fmt.Errorf("bind: %w", err)
		}
		r, err = w.correlate(ctx, pages)
		if err != nil {
			return err
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
	w.quality, w.route, w.browserWin = r.Quality, r.Route, r.Window.ID
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

// correlate is the pure rule over both sides, read now; where a title decided,
// over both sides read twice.
func (w *boundWindow) correlate(ctx context.Context, pages []placed) (bind.Result, error) {
	native, all, err := w.look(ctx)
	if err != nil {
		return bind.Result{}, fmt.Errorf("bind: %w", err)
	}
	if native == nil {
		return bind.Result{Refusal: refusal.New(refusal.WindowGone, "the native window has closed"), Step: refusal.Step{Step: bind.StepCorrelation, Want: "a native window", Got: "gone"}}, nil
	}
	n := bind.Native{
		Window: *native, OnlyWindow: bind.OnlyWindow(all, w.scope.Fingerprint.PID, w.scope.Window), ForcedScale: bind.ForcedScale(w.process.Args),
	}
	suffixes := bind.TitleSuffixes(titleProduct(w.product))
	r := bind.Correlate(n, windows(pages), suffixes)
	if !r.ByTitle {
		return r, nil
	}
	again, _, err := w.browser.targets(ctx)
	if err != nil {
		return bind.Result{}, fmt.Errorf("bind: %w", err)
	}
	if native, all, err = w.look(ctx); err != nil || native == nil {
		return r, err
	}
	n.Window, n.OnlyWindow = *native, bind.OnlyWindow(all, w.scope.Fingerprint.PID, w.scope.Window)
	second := bind.Correlate(n, windows(again), suffixes)
	if second.Refusal == nil && second.Window.ID != r.Window.ID {
		second.Refusal = refusal.New(refusal.SameBox, "two windows are in the same place and their titles change")
	}
	return second, nil
}

// bindWindow answers a bind request.
func (e *Engine) bindWindow(ctx context.Context, r contract.StateRequest) (*contract.StateResult, error) {
	var p refusal.Proof
	w, err := e.prove(ctx, r.Session, r.PID, platform.WindowID(r.WindowID), &p)
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

// resolve finds target and tab and attaches to it.
func (e *Engine) resolve(ctx context.Context, session, targetID, tabID string) (*resolved, error) {
	if err := e.session(session); err != nil {
		return nil, err
	}
	target, r := e.store.Target(session, targetID)
	if r != nil {
		return nil, r
	}
	t, r := target.Tab(tabID)
	if r != nil {
		return nil, r
	}
	e.mu.Lock()
	b := e.bound[targetID]
	e.mu.Unlock()
	if b == nil {
		return nil, refusal.New(refusal.UnknownTarget, "the target's session has ended")
	}
	live, err := b.browser.tab(ctx, t.Key, e.world)
	if perr, ok := protocolError(err); ok {
		e.log.Debug("attach", "code", perr.Code)
		return nil, refusal.New(refusal.TabClosed, "the tab has been closed").WithNext("get_browser_state", map[string]any{"session": session, "pid": b.scope.Fingerprint.PID, "window_id": uint64(b.scope.Window)})
	}
	if err != nil {
		return nil, lost(err)
	}
	return &resolved{binding: b, target: target, tab: t, live: live}, nil
}

// lost marks an error that comes from losing the browser; it is never a refusal.
func lost(err error) error {
	if errors.Is(err, devtools.ErrClosed) || errors.Is(err, devtools.ErrDetached) {
		return fmt.Errorf("%w: %w", contract.ErrConnectionLost, err)
	}
	return err
}
