package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cuatui/engine/bind"
	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// Tabs lists the tabs of a bound window, opens one in the background, closes
// one, or shows one. Showing is never a side effect of anything else.
func (e *Engine) Tabs(ctx context.Context, r contract.TabsRequest) (*contract.TabsResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	t, err := e.lookup(r.Session, r.TargetID)
	if err != nil {
		return nil, err
	}
	out := &contract.TabsResult{Status: contract.OK, Tabs: []contract.Tab{}, SideEffects: []string{}}
	if r.Change == "list" {
		if err := e.listTabs(ctx, t, "", out); err != nil {
			return nil, lost(err)
		}
		return out, nil
	}
	if t.target.Quality != string(bind.Exact) {
		return nil, refusal.New(refusal.HeuristicBinding, "a heuristic binding can be read, not acted on")
	}
	if t.route == bind.RouteEmbedded {
		return nil, refusal.New(refusal.PageRefused, "an application shows its page in its own way: it has no tabs to open, show or close").
			WithNext("browser_tabs", map[string]any{"session": r.Session, "target_id": r.TargetID, "change": "list"})
	}
	c := &tabChange{e: e, t: t, request: r, out: out}
	if err := c.make(ctx); err != nil {
		return nil, lost(err)
	}
	c.readBack(ctx)
	e.log.Info("tabs changed", "session", r.Session, "change", r.Change, "effect", out.Effect)
	return out, nil
}

// listTabs puts the tabs of the bound window into the result; opened is the
// browser's id of the one that was opened, "" for none.
func (e *Engine) listTabs(ctx context.Context, t *resolved, opened string, out *contract.TabsResult) error {
	pages, err := t.allTabs(ctx)
	if err != nil {
		return err
	}
	out.Tabs = []contract.Tab{}
	for _, p := range pages {
		if p.hasWindow && p.window.WindowID != t.browserWin {
			continue
		}
		tab := t.target.TabFor(p.TargetID)
		if p.TargetID == opened {
			out.TabID = tab.ID
		}
		out.Tabs = append(out.Tabs, contract.Tab{TabID: tab.ID, Title: p.Title, URL: p.URL, Active: e.active(ctx, t.browser, p.TargetID)})
	}
	return nil
}

// allTabs lists the tabs of the browser.
func (t *resolved) allTabs(ctx context.Context) ([]placed, error) {
	pages, _, err := t.browser.targets(ctx)
	if err == nil {
		return pages, nil
	}
	var p refusal.Proof
	t.passTarget(&p)
	return nil, leadOn(unanswered(ctx, &p, tabsSteps, "browser_windows", err), t.scope)
}

// tabsSteps is the order of what is proven before tabs are listed.
var tabsSteps = []string{"session", "target", "browser_windows"}

// tabChange is one change of a window's tabs.
type tabChange struct {
	e       *Engine
	t       *resolved
	request contract.TabsRequest
	out     *contract.TabsResult
	opened  string // the browser's id of the tab that was opened
}

// closeWait bounds the wait for a tab that was closed to go: its page may ask
// whether it shall, and may take its time.
const closeWait = 3 * time.Second

// make proves a tab of the window and orders the change, once. What became of
// an order that was given is never an error, unless the browser declined it.
func (c *tabChange) make(ctx context.Context) error {
	tab := c.request.TabID
	if c.request.Change == "open" { // any tab of the window proves the window
		pages, err := c.t.allTabs(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(pages, func(p placed) bool { return p.hasWindow && p.window.WindowID == c.t.browserWin })
		if i < 0 {
			return refusal.New(refusal.WindowGone, "the bound window has no tab any more")
		}
		tab = c.t.target.TabFor(pages[i].TargetID).ID
	}
	m, err := c.e.mutate(ctx, c.request.Session, c.request.TargetID, tab)
	if err != nil {
		return err
	}
	defer m.live.release()
	if c.request.Change == "open" {
		return c.open(ctx)
	}
	x, err := m.expect(ctx, c.request.Expect, 0)
	if err == nil {
		err = x.before(ctx)
	}
	if err != nil {
		return err
	}
	method := "Target.closeTarget"
	if c.request.Change == "activate" {
		method = "Target.activateTarget"
		c.out.SideEffects = append(c.out.SideEffects, "the tab is shown in its window")
	}
	if err := c.order(ctx, method, map[string]any{"targetId": m.tab.Key}, nil); err != nil {
		return err
	}
	if c.request.Change == "activate" {
		effects, _ := m.desk().told(ctx, platform.ActivateTarget)
		c.out.SideEffects = append(c.out.SideEffects, effects...)
	}
	if c.request.Change == "close" && c.out.Effect == refusal.EffectDispatched {
		c.gone(ctx, m.live)
	}
	c.judged(x.judge(ctx))
	return nil
}

// order gives the browser the order: the effect is dispatched, or unknown where
// no answer came.
func (c *tabChange) order(ctx context.Context, method string, args map[string]any, result any) error {
	err := c.t.browser.conn.Browser().Call(ctx, method, args, result)
	if _, declined := protocolError(err); declined {
		return fmt.Errorf("%s tab: %w", c.request.Change, err)
	}
	c.out.Effect = refusal.EffectDispatched
	if err != nil {
		c.out.Status, c.out.Effect = contract.Partial, refusal.EffectUnknown
		c.out.Evidence = append(c.out.Evidence, unread(c.request.Change, "not done", err))
	}
	return nil
}

func (c *tabChange) open(ctx context.Context) error {
	var made struct {
		TargetID string `json:"targetId"`
	}
	url := c.request.URL
	if url == "" {
		url = "about:blank"
	}
	err := c.order(ctx, "Target.createTarget", map[string]any{"url": url, "background": true}, &made)
	c.opened = made.TargetID
	return err
}

// gone waits until the tab has gone, or its page asks whether it shall.
func (c *tabChange) gone(ctx context.Context, live *tab) {
	ctx, cancel := context.WithTimeout(ctx, closeWait)
	defer cancel()
	select {
	case <-live.done:
	case <-live.Opened():
		c.out.Dialog = live.Open()
	case <-ctx.Done():
	}
}

func (c *tabChange) judged(j judgement) {
	c.out.Verdict, c.out.Unmet = j.verdict, j.unmet
	c.out.Evidence = append(c.out.Evidence, j.evidence...)
	if j.verdict == verdictUnmet {
		c.out.Status = contract.Partial
	}
}

// readBack lists the tabs and says what of the change is to be seen there.
func (c *tabChange) readBack(ctx context.Context) {
	err := c.list(ctx)
	seen := err == nil && c.seen()
	switch {
	case err != nil: // the order was given: what is there now cannot be told
		c.out.Status = contract.Partial
		c.out.Evidence = append(c.out.Evidence, unread("tabs", "listed", err))
	case c.out.Effect == refusal.EffectUnknown:
	case seen:
		c.out.Effect = refusal.EffectConfirmed
	default:
		c.out.Status = contract.Partial
	}
	if c.request.Change == "open" {
		c.judgeOpened(ctx, seen)
	}
}

// list lists the tabs; one that is to be shown, or has gone, may take a moment.
func (c *tabChange) list(ctx context.Context) error {
	for end := time.Now().Add(activeTimeout); ; {
		if err := c.e.listTabs(ctx, c.t, c.opened, c.out); err != nil {
			return err
		}
		waits := c.request.Change != "open" && c.out.Effect == refusal.EffectDispatched && c.out.Dialog == nil
		if !waits || c.seen() || time.Now().After(end) {
			return nil
		}
		if err := pause(ctx, settleMove); err != nil {
			return err
		}
	}
}

// seen says whether the list shows the change.
func (c *tabChange) seen() bool {
	if c.request.Change == "open" {
		return c.out.TabID != ""
	}
	i := slices.IndexFunc(c.out.Tabs, func(t contract.Tab) bool { return t.TabID == c.request.TabID })
	if c.request.Change == "close" {
		return i < 0
	}
	return i >= 0 && c.out.Tabs[i].Active != nil && *c.out.Tabs[i].Active
}

// judgeOpened holds what is expected against the new tab. Before, there was
// none, and so nothing of what is expected held.
func (c *tabChange) judgeOpened(ctx context.Context, seen bool) {
	if c.request.Expect == nil {
		c.judged((*expectation)(nil).judge(ctx))
		return
	}
	x := expects(&resolved{binding: c.t.binding, target: c.t.target}, c.request.Expect)
	x.first = x.c.Unknown("")
	for _, fact := range []string{"text", "url"} {
		x.know(fact, false)
	}
	if seen {
		var err error
		x.t.tab = c.t.target.TabFor(c.opened)
		if x.t.live, err = c.t.browser.tab(ctx, c.opened, c.e.world); err == nil {
			c.judged(x.judge(ctx))
			return
		}
	}
	c.judged(x.unknown("the new tab cannot be read"))
}
