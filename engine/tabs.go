package engine

import (
	"context"
	"fmt"
	"slices"

	"cuatui/engine/bind"
	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// Tabs lists the tabs of a bound window, opens one in the background, closes
// one, or shows one. Showing is never a side effect of anything else.
func (e *Engine) Tabs(ctx context.Context, r contract.TabsRequest) (*contract.TabsResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := e.session(r.Session); err != nil {
		return nil, err
	}
	target, refused := e.store.Target(r.Session, r.TargetID)
	if refused != nil {
		return nil, refused
	}
	e.mu.Lock()
	b := e.bound[r.TargetID]
	e.mu.Unlock()
	if b == nil {
		return nil, refusal.New(refusal.UnknownTarget, "the target's session has ended")
	}
	out := &contract.TabsResult{Status: contract.OK, SideEffects: []string{}}
	if r.Change != "list" {
		if target.Quality != string(bind.Exact) {
			return nil, refusal.New(refusal.HeuristicBinding, "a heuristic binding can be read, not acted on")
		}
		if err := e.changeTabs(ctx, target, b, r, out); err != nil {
			return nil, lost(err)
		}
	}
	pages, _, err := b.browser.targets(ctx)
	if err != nil {
		return nil, lost(err)
	}
	out.Tabs = []contract.Tab{}
	for _, p := range pages {
		if p.hasWindow && p.window.WindowID != b.browserWin {
			continue
		}
		t := target.TabFor(p.TargetID)
		if r.Change == "open" && out.TabID == p.TargetID {
			out.TabID = t.ID
		}
		out.Tabs = append(out.Tabs, contract.Tab{TabID: t.ID, Title: p.Title, URL: p.URL, Active: e.active(ctx, b.browser, p.TargetID)})
	}
	return out, nil
}

// changeTabs makes the one change asked for, after the mutation proof of a tab
// of the window.
func (e *Engine) changeTabs(ctx context.Context, target *capability.Target, b *binding, r contract.TabsRequest, out *contract.TabsResult) error {
	tab := r.TabID
	if r.Change == "open" { // any tab of the window proves the window
		pages, _, err := b.browser.targets(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(pages, func(p placed) bool { return p.hasWindow && p.window.WindowID == b.browserWin })
		if i < 0 {
			return refusal.New(refusal.WindowGone, "the bound window has no tab any more")
		}
		tab = target.TabFor(pages[i].TargetID).ID
	}
	m, err := e.mutate(ctx, r.Session, r.TargetID, tab)
	if err != nil {
		return err
	}
	defer m.live.release()
	root := b.browser.conn.Browser()
	out.Effect = refusal.EffectConfirmed
	switch r.Change {
	case "open":
		var made struct {
			TargetID string `json:"targetId"`
		}
		url := r.URL
		if url == "" {
			url = "about:blank"
		}
		if err := root.Call(ctx, "Target.createTarget", map[string]any{"url": url, "background": true}, &made); err != nil {
			return fmt.Errorf("open tab: %w", err)
		}
		out.TabID = made.TargetID
		return nil
	case "close":
		if err := root.Call(ctx, "Target.closeTarget", map[string]any{"targetId": m.tab.Key}, nil); err != nil {
			return fmt.Errorf("close tab: %w", err)
		}
		return nil
	}
	out.SideEffects = append(out.SideEffects, "the tab is shown in its window")
	if err := root.Call(ctx, "Target.activateTarget", map[string]any{"targetId": m.tab.Key}, nil); err != nil {
		return fmt.Errorf("activate tab: %w", err)
	}
	return nil
}
