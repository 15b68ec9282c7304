package e2e_test

import (
	"slices"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

func TestASyntheticClickArrivesOnceAndUntrusted(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "inbox-attribute")
	e := find(t, b.state(nil), "button", "Send")
	display := s.watch(t)
	got := b.click(e.Ref, "dom_event")
	seen := b.settled(run)
	display.undisturbed("a synthetic click")
	oneClick(t, seen, "send", false)
	if fixtures.Count(seen, "sent", "") != 1 {
		t.Errorf("the page did not send: %s", told(seen))
	}
	for _, typ := range []string{"focus", "keydown", "mousedown", "pointerdown", "scroll"} {
		if fixtures.Count(seen, typ, "") > 0 {
			t.Errorf("the page also observed %s", told(seen))
		}
	}
	if got.Route != "dom_event" || got.Effect != refusal.EffectConfirmed || got.Delivery.Mode != "background" || got.Invalidated {
		t.Errorf("answered %+v", got)
	}
	b.click(e.Ref, "dom_event") // the document is the same: the ref still stands
	if n := fixtures.Count(b.settled(run), "click", "send"); n != 2 {
		t.Errorf("%d clicks after two", n)
	}
}

func TestThePointerIsRefusedInTheBackground(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "inbox-attribute")
	snapshot := b.state(nil)
	e := find(t, snapshot, "button", "Send")
	if slices.Contains(e.Routes["click"], "trusted") {
		t.Errorf("routes %v offer what would be refused", e.Routes)
	}
	display := s.watch(t)
	for _, arguments := range []args{{"route": "trusted"}, {"route": "trusted", "delivery_mode": "background"}} {
		arguments["ref"] = e.Ref
		r := b.refused(refusal.WouldActivate, "browser_click", b.with(arguments))
		if r.Code != refusal.InputTrustUnavailable || r.Detail == nil || !slices.Equal(r.Detail.AlternativeRoutes, []string{"trusted_key", "dom_event"}) {
			t.Errorf("%s, detail %+v; want both other routes", r.Code, r.Detail)
		}
	}
	b.untouched(run, "a refused pointer")
	display.undisturbed("a refused pointer")
}

func TestThePointerRaisesTheWindowAndSaysSo(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "inbox-attribute")
	e := find(t, b.state(nil), "button", "Send")
	display := s.watch(t)
	got := ask[contract.ActionResult](b.agent, "browser_click", b.with(args{"ref": e.Ref, "route": "trusted", "delivery_mode": "foreground"}))
	seen := b.settled(run)
	oneClick(t, seen, "send", true)
	if fixtures.Count(seen, "mousedown", "send") != 1 || fixtures.Count(seen, "mouseup", "send") != 1 {
		t.Errorf("observed %s", told(seen))
	}
	must(t, s.desktop.WaitActive(soon(t), uint32(s.window)))
	now, err := s.desktop.Facts()
	must(t, err)
	if now.PointerX != display.before.PointerX || now.PointerY != display.before.PointerY {
		t.Errorf("the pointer of the screen moved to %d,%d", now.PointerX, now.PointerY)
	}
	if got.Delivery.Mode != "foreground" || !slices.Contains(got.SideEffects, "the window is raised and activated") || got.Effect != refusal.EffectConfirmed {
		t.Errorf("answered %+v", got)
	}
}
