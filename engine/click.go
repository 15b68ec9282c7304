package engine

import (
	"context"
	"time"

	"cuatui/engine/act"
	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
)

// Click proves a ref and clicks it by the route the caller chose.
func (e *Engine) Click(ctx context.Context, r contract.ClickRequest) (*contract.ActionResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	m, err := e.mutate(ctx, r.Session, r.TargetID, r.TabID)
	if err != nil {
		return nil, err
	}
	defer m.live.release()
	state := contract.StateRequest{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID}
	res, err := m.click(ctx, r)
	if err != nil {
		return nil, m.again(withNext(lost(err), r), state)
	}
	e.log.Info("clicked", "session", r.Session, "route", res.Route, "effect", res.Effect)
	return res, nil
}

// withNext names the same click as it would be accepted: by another route, or
// on the current ref of the same node.
func withNext(err error, r contract.ClickRequest) error {
	refused, ok := refusal.As(err)
	if !ok || refused.Detail == nil || refused.Next != nil {
		return err
	}
	route, ref := r.Route, r.Ref
	switch {
	case refused.Detail.Successor != "":
		ref = refused.Detail.Successor
	case len(refused.Detail.AlternativeRoutes) > 0:
		route = refused.Detail.AlternativeRoutes[0]
	default:
		return err
	}
	return refused.WithNext("browser_click", map[string]any{
		"session": r.Session, "target_id": r.TargetID, "tab_id": r.TabID, "ref": ref, "route": route,
	})
}

func (m *mutation) click(ctx context.Context, r contract.ClickRequest) (*contract.ActionResult, error) {
	plan := append([]string{"ref"}, act.Steps...)
	ref, err := m.resolveRef(ctx, r.Ref)
	if refused, ok := refusal.As(err); ok {
		return nil, refuse(m.proof, plan, "ref", "current", r.Ref, refused)
	}
	if err != nil {
		return nil, err
	}
	m.proof.Pass("ref", r.Ref)
	m.trips++
	found, err := m.live.page.Find(ctx, ref.K)
	if refused, ok := refusal.As(err); ok {
		m.target.Invalidate(m.tab)
		return nil, refuse(m.proof, plan, "document", "the document of the snapshot", "replaced", refused)
	}
	if err != nil {
		return nil, err
	}
	m.live.takeMoved()
	res, err := act.Click(ctx, act.Subject{
		Tab: m.live.session, Document: found.Document, Local: found.Local, Ref: ref,
		Look:        func(ctx context.Context) (*world.Sight, error) { return m.live.page.Look(ctx, found) },
		OccluderRef: func(k int) string { return m.target.RefOf(m.tab, k) },
		Foreground:  r.Delivery == "foreground",
		Dialogs:     m.live,
	}, r.Route, m.proof)
	if err != nil {
		return nil, err
	}
	res.RoundTrips += m.trips
	return res, m.follow(ctx, res)
}

// navigationWait bounds the wait for a navigation that a click asked for to
// replace the document.
const navigationWait = 3 * time.Second

// follow says whether the click started a navigation, and whether the tab's
// refs are void.
func (m *mutation) follow(ctx context.Context, res *contract.ActionResult) error {
	url := m.live.takeMoved()
	if res.Dialog != nil || res.Effect == refusal.EffectUnknown {
		return nil
	}
	if url == "" && !res.Invalidated {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, navigationWait)
	defer cancel()
	gone, now := m.replaced(ctx, url != "")
	res.Invalidated = res.Invalidated || gone
	if gone {
		m.target.Invalidate(m.tab)
	}
	if url == "" {
		url = now
	}
	res.Navigation = url
	res.Effect = refusal.EffectConfirmed
	after := "asked for"
	if gone {
		after = "arrived"
	}
	res.Evidence = append(res.Evidence, contract.Evidence{Fact: "navigation", Before: "none", After: after})
	return nil
}

// replaced waits, where wait says so, until the main document of the tab's
// snapshot is another one; it returns where the tab is now.
func (m *mutation) replaced(ctx context.Context, wait bool) (gone bool, url string) {
	for {
		changed, now, err := m.live.page.Moved(ctx)
		if err != nil {
			return gone, url
		}
		if changed || !wait {
			return changed, now
		}
		if pause(ctx, settleMove) != nil {
			return false, now
		}
	}
}
