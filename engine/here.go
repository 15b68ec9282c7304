package engine

import (
	"context"
	"slices"

	"cuatui/engine/bind"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
)

// proveHere proves, before anything of a bound tab is read, that it is still in
// the bound window: one question to the browser, however many tabs are open. A
// browser that tells no windows is asked for its pages, since a page is that of
// the window only while it is the only one. A heuristic binding to such a
// browser rests on a title, and there is nothing to be proven of it.
func (t *resolved) proveHere(ctx context.Context, p *refusal.Proof) error {
	switch {
	case t.windowed:
		if _, err := t.placed(ctx, readSteps, p); err != nil {
			return err
		}
	case t.route == bind.RouteEmbedded:
		if err := t.alone(ctx, p); err != nil {
			return err
		}
	default:
		return nil
	}
	p.Pass("browser_window", "the bound window")
	return nil
}

// placed asks in which browser window the tab is, and where that is. It refuses
// one that is not the bound window.
func (t *resolved) placed(ctx context.Context, plan []string, p *refusal.Proof) (windowOf, error) {
	const step = "browser_window"
	var at windowOf
	asking, cancel := context.WithTimeout(ctx, limits.AnswerTimeout)
	defer cancel()
	err := t.browser.conn.Browser().Call(asking, "Browser.getWindowForTarget", map[string]any{"targetId": t.tab.Key}, &at)
	if windowless(err) {
		return at, refuse(p, plan, step, "the bound window", "no window", refusal.New(refusal.TabMoved, "the tab is in no window any more"))
	}
	if perr, ok := protocolError(err); ok && (perr.Code == -32000 || perr.Code == -32602) {
		return at, t.closed(ctx, plan, p)
	}
	if err != nil {
		return at, unanswered(ctx, p, plan, step, err)
	}
	if at.WindowID != t.browserWin {
		return at, refuse(p, plan, step, "the bound window", "another window", refusal.New(refusal.TabMoved, "the tab has been moved to another window"))
	}
	return at, nil
}

// alone proves that the tab is the only page of a browser that tells no windows.
func (t *resolved) alone(ctx context.Context, p *refusal.Proof) error {
	const step = "browser_window"
	asking, cancel := context.WithTimeout(ctx, limits.AnswerTimeout)
	defer cancel()
	pages, err := t.browser.pages(asking)
	switch {
	case err != nil:
		return unanswered(ctx, p, readSteps, step, err)
	case len(pages) != 1:
		return changed(refuse(p, readSteps, step, "the only page", "several pages, or none", refusal.New(refusal.NoMatch, "the browser has %d pages, and tells no windows", len(pages))))
	case !slices.ContainsFunc(pages, func(i targetInfo) bool { return i.TargetID == t.tab.Key }):
		return refuse(p, readSteps, step, "the bound page", "another page", refusal.New(refusal.TabMoved, "another page is in the window now"))
	}
	return nil
}
