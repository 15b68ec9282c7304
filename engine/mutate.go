package engine

import (
	"context"
	"fmt"
	"slices"

	"cuatui/engine/bind"
	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// mutateSteps is the order of the mutation proof up to the tab; the steps of
// the node follow.
var mutateSteps = []string{"session", "target", "exact", "tab", "process", "access", "generation", "window", "fingerprint", "endpoint", "connection", "browser_window", bind.StepCorrelation}

// mutation is the proven right to change a tab, held under the tab's lock.
type mutation struct {
	*resolved
	proof *refusal.Proof
	trips int
}

// mutate proves target, window and tab again and takes the tab's lock. The
// caller must release it.
func (e *Engine) mutate(ctx context.Context, session, targetID, tabID string) (*mutation, error) {
	t, err := e.resolve(ctx, session, targetID, tabID)
	if err != nil {
		return nil, err
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

func (e *Engine) proveMutation(ctx context.Context, m *mutation) error {
	p := m.proof
	p.Pass("session", m.scope.Session)
	p.Pass("target", "bound in this session")
	if m.target.Quality != string(bind.Exact) {
		return refuse(p, mutateSteps, "exact", "exact", m.target.Quality, refusal.New(refusal.HeuristicBinding, "a heuristic binding can be read, not acted on"))
	}
	p.Pass("exact", m.target.Quality)
	p.Pass("tab", "known")
	w := &boundWindow{binding: binding{scope: m.scope}}
	if err := e.proveAccess(ctx, w, mutateSteps, p); err != nil {
		return err
	}
	if w.access != m.access {
		return refuse(p, mutateSteps, "grant", m.access, w.access, refusal.New(refusal.GrantChanged, "the window is no longer of the class under which it was bound"))
	}
	if w.generation != m.target.Generation {
		return refuse(p, mutateSteps, "generation", fmt.Sprint(m.target.Generation), fmt.Sprint(w.generation), refusal.New(refusal.GenerationChanged, "the connection has been made anew"))
	}
	p.Pass("generation", fmt.Sprint(w.generation))
	if w.scope.Fingerprint != m.scope.Fingerprint {
		return refuse(p, mutateSteps, "fingerprint", "the same process", "another start", refusal.New(refusal.ProcessChanged, "the process id has been given to another process"))
	}
	if err := w.proveOwner(ctx, mutateSteps, p); err != nil {
		return err
	}
	w.browser = m.browser
	if m.browser.endpoint != nil {
		if err := m.browser.endpoint.Prove(ctx, m.browser.system); err != nil {
			return refuseAt(p, mutateSteps, "endpoint", "the endpoint that was found", err)
		}
		p.Pass("endpoint", "still listening, same owner")
	} else {
		p.Pass("endpoint", "pipe inherited by the process at launch")
	}
	if err := w.proveConnection(mutateSteps, p); err != nil {
		return err
	}
	if d := m.live.Open(); d != nil {
		r, _ := refusal.As(dialogOpen(d))
		return refuse(p, mutateSteps, "browser_window", "no dialog", "a dialog", r)
	}
	return m.proveTab(ctx, w)
}

// proveTab proves that the tab is still in the bound browser window, and that
// this is still the native window: one question about one tab, however many
// are open. Only a binding by cardinality has to count them all again.
func (m *mutation) proveTab(ctx context.Context, w *boundWindow) error {
	if m.route == bind.RouteEmbedded {
		return m.proveAll(ctx, w)
	}
	m.trips++
	var at windowOf
	err := m.browser.conn.Browser().Call(ctx, "Browser.getWindowForTarget", map[string]any{"targetId": m.tab.Key}, &at)
	if perr, ok := protocolError(err); ok {
		return refuse(m.proof, mutateSteps, "browser_window", "the tab in its window", "no such tab", refusal.New(refusal.TabClosed, "the tab has been closed (%d)", perr.Code))
	}
	if err != nil {
		return fmt.Errorf("prove tab: %w", err)
	}
	if at.WindowID != m.browserWin {
		return refuse(m.proof, mutateSteps, "browser_window", "the bound window", "another window", refusal.New(refusal.TabMoved, "the tab has been moved to another window"))
	}
	m.proof.Pass("browser_window", "the bound window")
	if m.route == bind.RouteWindow {
		return m.proveBox(ctx, w, at)
	}
	return m.proveAll(ctx, w)
}

// proveAll runs the whole correlation again, which a binding by cardinality
// needs: a second window or page would end its proof.
func (m *mutation) proveAll(ctx context.Context, w *boundWindow) error {
	m.trips += 2
	if err := w.proveCorrelation(ctx, mutateSteps, m.proof); err != nil {
		return err
	}
	if w.quality != bind.Exact || w.route != m.route {
		return refuse(m.proof, mutateSteps, "window_again", m.route, string(w.quality)+" "+w.route, refusal.New(refusal.WindowChanged, "the window is no longer bound exactly"))
	}
	if w.browserWin != m.browserWin || !slices.ContainsFunc(w.pages, func(p placed) bool { return p.TargetID == m.tab.Key }) {
		return refuse(m.proof, mutateSteps, "window_again", "the bound window", "another window", refusal.New(refusal.TabMoved, "the tab has been moved to another window"))
	}
	return nil
}

// proveBox holds the native box against the browser's, and reads both once
// more where a move has reached only one of them.
func (m *mutation) proveBox(ctx context.Context, w *boundWindow, at windowOf) error {
	for try := range 2 {
		r := bind.Correlate(bind.Native{Window: w.native, ForcedScale: bind.ForcedScale(m.browser.process.Args)},
			[]bind.BrowserWindow{{ID: at.WindowID, Bounds: at.rect(), HasWindow: true}}, nil)
		if r.Quality == bind.Exact {
			m.proof.Passf(r.Step.Step, r.Step.Want, "%s", r.Step.Got)
			return nil
		}
		if try == 1 {
			return refuse(m.proof, mutateSteps, bind.StepCorrelation, r.Step.Want, r.Step.Got, refusal.New(refusal.WindowChanged, "the native window and the browser's are no longer in the same place"))
		}
		if err := pause(ctx, settleMove); err != nil {
			return err
		}
		m.trips++
		if err := m.browser.conn.Browser().Call(ctx, "Browser.getWindowForTarget", map[string]any{"targetId": m.tab.Key}, &at); err != nil {
			return fmt.Errorf("prove tab: %w", err)
		}
		native, _, err := w.look(ctx)
		if err != nil || native == nil {
			return fmt.Errorf("prove tab: the window went away: %w", errOrNil(err))
		}
		w.native = *native
	}
	return nil
}
