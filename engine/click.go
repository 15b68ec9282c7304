package engine

import (
	"context"
	"strings"
	"time"

	"cuatui/engine/act"
	"cuatui/engine/bind"
	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/observe"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
)

// Click proves a ref and clicks it by the route the caller chose.
func (e *Engine) Click(ctx context.Context, r contract.ClickRequest) (*contract.ActionResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	n := node{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID, Ref: r.Ref, Delivery: r.Delivery, Expect: r.Expect, next: func(err error) { withNext(err, r) }}
	if r.CaptureID != "" {
		if err := e.session(r.Session); err != nil {
			return nil, err
		}
		point, err := e.takePoint(r)
		if err != nil {
			return nil, err
		}
		n.point, n.next = point, nil
	}
	return e.onNode(ctx, n, func(ctx context.Context, s act.Subject, p *refusal.Proof) (*contract.ActionResult, error) {
		if n.point != nil {
			return act.ClickPoint(ctx, s, n.point.at, p)
		}
		return act.Click(ctx, s, r.Route, p)
	})
}

// node names the node an action is for.
type node struct {
	Session, TargetID, TabID, Ref, Delivery string
	Expect                                  *contract.Expect
	point                                   *pointed // of a visual region, in the place of Ref
	// next names the call that leads on from a refusal, where it knows one
	// better than a new snapshot; nil for none.
	next func(error)
}

// onNode proves everything up to the node, lets do prove the node and act on
// it, and says what that made of the tab.
func (e *Engine) onNode(ctx context.Context, n node, do func(context.Context, act.Subject, *refusal.Proof) (*contract.ActionResult, error)) (*contract.ActionResult, error) {
	m, err := e.mutate(ctx, n.Session, n.TargetID, n.TabID)
	if err != nil {
		return nil, err
	}
	defer m.live.release()
	subject, err := m.subject(ctx, n)
	var x *expectation
	if err == nil {
		x, err = m.expect(ctx, n.Expect, subject.Ref.K)
	}
	if err == nil {
		subject.Before = x.before
		var res *contract.ActionResult
		m.live.takeLeft()
		if res, err = do(ctx, subject, m.proof); err == nil {
			res.RoundTrips += m.trips
			opened := m.follow(ctx, res)
			m.tellDesk(ctx, res, opened)
			x.judgeAction(ctx, res)
			e.log.Info("acted", "session", n.Session, "route", res.Route, "effect", res.Effect)
			return res, nil
		}
	}
	if n.next != nil {
		n.next(err)
	}
	return nil, m.again(lost(err), contract.StateRequest{Session: n.Session, TargetID: n.TargetID, TabID: n.TabID})
}

// withNext names the same click as it would be accepted: by another route, or
// on the current ref of the same node.
func withNext(err error, r contract.ClickRequest) {
	refused, ok := refusal.As(err)
	if !ok || refused.Detail == nil || refused.Next != nil {
		return
	}
	route, ref := r.Route, r.Ref
	switch {
	case refused.Detail.Successor != "":
		ref = refused.Detail.Successor
	case len(refused.Detail.AlternativeRoutes) > 0:
		route = refused.Detail.AlternativeRoutes[0]
	default:
		return
	}
	refused.WithNext("browser_click", map[string]any{
		"session": r.Session, "target_id": r.TargetID, "tab_id": r.TabID, "ref": ref, "route": route,
	})
}

// subject resolves the ref and proves its document.
func (m *mutation) subject(ctx context.Context, n node) (act.Subject, error) {
	if n.point != nil {
		return m.pointSubject(ctx, n)
	}
	plan := append([]string{"ref"}, act.Steps...)
	ref, err := m.resolveRef(ctx, n.Ref)
	if refused, ok := refusal.As(err); ok {
		return act.Subject{}, refuse(m.proof, plan, "ref", "current", n.Ref, refused)
	}
	if err != nil {
		return act.Subject{}, err
	}
	m.proof.Pass("ref", n.Ref)
	m.trips++
	found, err := m.live.page.Find(ctx, ref.K)
	if refused, ok := refusal.As(err); ok {
		m.target.Invalidate(m.tab)
		return act.Subject{}, refuse(m.proof, plan, "document", "the document of the snapshot", "replaced", refused)
	}
	if err != nil {
		return act.Subject{}, err
	}
	return m.subjectOf(ref, found, n), nil
}

func (m *mutation) subjectOf(ref capability.Ref, found *observe.Found, n node) act.Subject {
	return act.Subject{
		Tab: m.live.session, TabKey: m.tab.Key, Document: found.Document, Local: found.Local, Ref: ref,
		Look:        func(ctx context.Context) (*world.Sight, error) { return m.live.page.Look(ctx, found) },
		OccluderRef: func(k int) string { return m.target.RefOf(m.tab, k) },
		TrustedSafe: trustedSafe(m.shown.On),
		Keyless:     !bind.TakesKeys(m.browser.product),
		Foreground:  n.Delivery == "foreground" && m.access != accessApproved, // a person's own window is not ours to raise
		Dialogs:     m.live,
		Used:        func(use string) { m.target.Reuse(m.tab, ref.K, use) },
		Other: func(ctx context.Context, other string) (act.Subject, error) {
			ref, err := m.resolveRef(ctx, other)
			if err != nil {
				return act.Subject{}, err
			}
			found, err := m.live.page.Find(ctx, ref.K)
			if err != nil {
				return act.Subject{}, err
			}
			return m.subjectOf(ref, found, n), nil
		},
	}
}

// navigationWait bounds the wait for a navigation that a click asked for to
// replace the document.
const navigationWait = 3 * time.Second

// follow says whether the click started a navigation, and whether the tab's
// refs are void; it returns whether it opened a tab or a window.
func (m *mutation) follow(ctx context.Context, res *contract.ActionResult) (opened bool) {
	l := m.live.takeLeft()
	if l.opened != "" && !m.newPage(ctx) { // the browser blocks what no person seems to ask for
		res.SideEffects = append(res.SideEffects, "asked for another tab or window, and the browser has opened none: "+l.opened)
		l.asked, l.opened = l.opened, ""
	}
	opened = l.opened != ""
	beyond(res, l)
	url := l.moved
	if l.download != "" && l.into == l.frame {
		url = "" // what looked like a navigation was the download
	}
	if res.Dialog != nil || res.Effect == refusal.EffectUnknown || url == "" && !res.Invalidated {
		return opened
	}
	ctx, cancel := context.WithTimeout(ctx, navigationWait)
	defer cancel()
	whole := l.frame == "" || l.frame == m.tab.Key // the main frame bears the tab's id
	gone, now := m.replaced(ctx, url != "" && whole)
	res.Invalidated = res.Invalidated || gone
	if gone {
		m.target.Invalidate(m.tab)
	}
	after := "asked for"
	switch {
	case gone && strings.HasPrefix(now, errorPage):
		res.Status, res.Effect, after = contract.Partial, refusal.EffectDispatched, "failed: the browser shows its error page"
	case gone:
		url, after = now, "arrived"
		if res.Effect != refusal.EffectPartial {
			res.Effect = refusal.EffectConfirmed
		}
	case res.Invalidated: // a frame's document
		if url == "" {
			url = now
		}
	case res.Effect == refusal.EffectSuspectedNoop: // it may be slow, or never come
		res.Effect = refusal.EffectDispatched
	}
	res.Navigation = url
	res.Evidence = append(res.Evidence, contract.Evidence{Fact: "navigation", Before: "none", After: after})
	return opened
}

// newPage says whether the browser has a page that it did not have before: that
// a page asks for one does not open it. Where that cannot be seen, it is believed.
func (m *mutation) newPage(ctx context.Context) bool {
	for end := time.Now().Add(raiseWait); ; {
		pages, err := m.browser.pages(ctx)
		if err != nil || m.browser.fresh(pages) {
			return true
		}
		if !time.Now().Before(end) || pause(ctx, settleMove) != nil {
			return false
		}
	}
}

// errorPage begins the url of the page that the browser shows for a failed load.
const errorPage = "chrome-error:"

// beyond tells what the page asked of the browser that it does not show itself.
func beyond(res *contract.ActionResult, l left) {
	tell := func(fact, what, url string, effect refusal.Effect) {
		res.SideEffects = append(res.SideEffects, what+url)
		res.Evidence = append(res.Evidence, contract.Evidence{Fact: fact, Before: "none", After: url})
		if res.Effect == refusal.EffectSuspectedNoop || res.Effect == refusal.EffectDispatched {
			res.Effect = effect
		}
	}
	if l.opened != "" {
		tell("window_opened", "opened another tab or window: ", l.opened, refusal.EffectConfirmed)
	}
	if l.asked != "" && l.opened == "" { // the event comes whether the window opens or is blocked
		res.Evidence = append(res.Evidence, contract.Evidence{Fact: "window_asked_for", Before: "none", After: l.asked})
		if res.Effect == refusal.EffectSuspectedNoop {
			res.Effect = refusal.EffectDispatched
		}
	}
	switch l.download {
	case "":
	case l.moved: // the page went there
		tell("download", "began a download: ", l.download, refusal.EffectConfirmed)
	default: // of which a script may have been the cause, and the click of nothing
		tell("download", "began a download: ", l.download, refusal.EffectDispatched)
	}
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
