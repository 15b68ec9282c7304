package engine

import (
	"context"
	"slices"

	"cuatui/engine/bind"
	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// mutateSteps is the order of the mutation proof up to the tab; the steps of
// the node follow.
var mutateSteps = []string{"session", "target", "exact", "tab", "process", "access", "generation", "window", "fingerprint", "endpoint", "connection", "browser_window", bind.StepCorrelation}

// mutation is the proven right to change a tab, held under the tab's lock.
type mutation struct {
	*resolved
	proof  *refusal.Proof
	trips  int
	shown  platform.Window   // the native window as the proof saw it
	around []platform.Window // all that were there then
}

// mutate proves target, window and tab again and takes the tab's lock. The
// caller must release it.
func (e *Engine) mutate(ctx context.Context, session, targetID, tabID string) (*mutation, error) {
	t, err := e.lookup(session, targetID)
	if err != nil {
		return nil, err
	}
	var p refusal.Proof
	err = t.passExact(&p)
	if err == nil {
		err = e.permit(ctx, t, tabID, mutateSteps, &p)
	}
	if err == nil {
		err = e.attach(ctx, t, mutateSteps, &p)
	}
	if err != nil {
		return nil, leadOn(err, t.scope)
	}
	if err := t.live.acquire(ctx); err != nil {
		return nil, err
	}
	m := &mutation{resolved: t, proof: &refusal.Proof{}}
	if err := e.proveMutation(ctx, m); err != nil {
		t.live.release()
		return nil, m.again(lost(err), contract.StateRequest{Session: session, TargetID: targetID, TabID: tabID})
	}
	return m, nil
}

// passExact lets only targets through that were bound exactly.
func (t *resolved) passExact(p *refusal.Proof) error {
	t.passTarget(p)
	if t.target.Quality != string(bind.Exact) {
		return refuse(p, mutateSteps, "exact", "exact", t.target.Quality, refusal.New(refusal.HeuristicBinding, "a heuristic binding can be read, not acted on").
			WithNext("browser_prepare", prepareArgs(t.scope.Session)))
	}
	p.Pass("exact", t.target.Quality)
	return nil
}

func (e *Engine) proveMutation(ctx context.Context, m *mutation) error {
	p := m.proof
	if err := m.passExact(p); err != nil {
		return err
	}
	p.Pass("tab", "known")
	// The wait for the tab's lock may have been long.
	if err := e.proveStill(ctx, m.binding, mutateSteps, p); err != nil {
		return err
	}
	w := &boundWindow{binding: *m.binding, system: m.browser.system, process: m.browser.process, product: m.browser.product}
	if err := w.proveOwner(ctx, mutateSteps, p); err != nil {
		return err
	}
	m.shown, m.around = w.native, w.all
	if m.browser.endpoint != nil {
		if err := m.browser.endpoint.Prove(ctx, m.browser.system); err != nil {
			return refuseAt(ctx, p, mutateSteps, "the endpoint that was found", err)
		}
		p.Pass("endpoint", "still listening, same owner")
	} else {
		p.Pass("endpoint", "pipe inherited by the process at launch")
	}
	if err := w.proveConnection(mutateSteps, p); err != nil {
		return err
	}
	if d := m.live.Open(); d != nil {
		r, _ := refusal.As(m.dialogOpen(d))
		return refuse(p, mutateSteps, "browser_window", "no dialog", "a dialog", r)
	}
	return m.proveTab(ctx, w)
}

// proveTab proves that the tab is still in the bound browser window, and that
// this is still the native window: one question about one tab, however many
// are open. Where something else could be meant as well, and for a binding by
// cardinality, all of them are counted again. A move reaches the two sides at
// different moments, so a mismatch is read once more.
func (m *mutation) proveTab(ctx context.Context, w *boundWindow) error {
	if m.route == bind.RouteEmbedded {
		return m.proveAll(ctx, w)
	}
	for try := range 2 {
		at, err := m.place(ctx)
		if err != nil {
			return err
		}
		if m.route != bind.RouteWindow || w.crowded(at) {
			m.proof.Pass("browser_window", "the bound window")
			return m.proveAll(ctx, w)
		}
		r := w.inPlace(w.native, at)
		if r.Quality == bind.Exact {
			m.proof.Pass("browser_window", "the bound window")
			m.proof.Passf(r.Step.Step, r.Step.Want, "%s", r.Step.Got)
			return nil
		}
		if try == 1 {
			m.proof.Pass("browser_window", "the bound window")
			return refuse(m.proof, mutateSteps, bind.StepCorrelation, r.Step.Want, r.Step.Got, refusal.New(refusal.WindowChanged, "the native window and the browser's are no longer in the same place"))
		}
		if err := pause(ctx, settleMove); err != nil {
			return err
		}
		native, all, err := w.look(ctx)
		switch {
		case err != nil:
			return unseen(ctx, m.proof, mutateSteps, "window_again", err)
		case native == nil:
			return refuse(m.proof, mutateSteps, "window_again", "a native window", "none of that id", refusal.New(refusal.WindowGone, "the native window has closed"))
		}
		w.native, w.all = *native, all
	}
	return nil
}

// place asks in which browser window the tab is, and where that is.
func (m *mutation) place(ctx context.Context) (windowOf, error) {
	m.trips++
	return m.placed(ctx, mutateSteps, m.proof)
}

// inPlace holds one native window's box against a browser window's.
func (w *boundWindow) inPlace(native platform.Window, at windowOf) bind.Result {
	return bind.Correlate(bind.Native{Window: native, ForcedScale: bind.ForcedScale(w.process.Args)},
		[]bind.BrowserWindow{{ID: at.WindowID, Bounds: at.rect(), HasWindow: true}}, nil)
}

// crowded says whether another native window of the process is where the
// browser's is, so that its place alone does not say which is meant.
func (w *boundWindow) crowded(at windowOf) bool {
	return slices.ContainsFunc(w.all, func(n platform.Window) bool {
		return n.ID != w.native.ID && n.PID == w.native.PID && w.inPlace(n, at).Quality == bind.Exact
	})
}

// proveAll runs the whole correlation again, which a binding by cardinality
// needs: a second window or page would end its proof.
func (m *mutation) proveAll(ctx context.Context, w *boundWindow) error {
	m.trips += 2
	if err := w.proveCorrelation(ctx, mutateSteps, m.proof); err != nil {
		return changed(err)
	}
	if w.quality != bind.Exact || w.route != m.route {
		return refuse(m.proof, mutateSteps, "window_again", m.route, string(w.quality)+" "+w.route, refusal.New(refusal.WindowChanged, "the window is no longer bound exactly"))
	}
	if w.browserWin != m.browserWin || !slices.ContainsFunc(w.pages, func(p placed) bool { return p.TargetID == m.tab.Key }) {
		return refuse(m.proof, mutateSteps, "window_again", "the bound window", "another window", refusal.New(refusal.TabMoved, "the tab has been moved to another window"))
	}
	return nil
}

// changed says of a correlation that held when the window was bound, and holds
// no more, that it has changed; with the trace and the candidates.
func changed(err error) error {
	r, ok := refusal.As(err)
	if !ok || r.Code != refusal.BindingAmbiguous && r.Reason != refusal.NoMatch {
		return err
	}
	now := refusal.New(refusal.WindowChanged, "the window is no longer bound exactly: %s", r.Message).WithProof(r.Proof)
	now.Detail = r.Detail
	return now
}
