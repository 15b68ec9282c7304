package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
)

// TestATabThatOpensIsToldToRaiseTheWindow: whatever a click is delivered by,
// the browser comes to the front with a tab that the page opens, and with a
// dialog; the answer says so, and does not call it the background.
func TestATabThatOpensIsToldToRaiseTheWindow(t *testing.T) {
	s := use(t)
	for _, route := range []string{"dom_event", "trusted_key"} {
		t.Run(route, func(t *testing.T) {
			eng, err := (&stage{desktop: s.desktop, state: t.TempDir()}).newEngine(nil)
			must(t, err)
			defer func() { must(t, eng.Close(soon(t))) }()
			a := agent{t, s, eng, "raises"}
			made := a.prepare("actions")
			b := a.bind(made.pid, made.window)
			must(t, s.desktop.RaiseSentinel(soon(t)))
			snapshot := b.state(nil)
			display := s.watch(t)
			quiet := ask[contract.ActionResult](a, "browser_click", b.with(args{"ref": find(t, snapshot, "button", "Other").Ref, "route": route}))
			display.undisturbed("a click that opens nothing")
			if quiet.Delivery.Mode != "background" || slices.ContainsFunc(quiet.SideEffects, func(e string) bool { return strings.Contains(e, "raised") }) {
				t.Errorf("a click that opens nothing: %s, %q", quiet.Delivery.Mode, quiet.SideEffects)
			}
			got := ask[contract.ActionResult](a, "browser_click", b.with(args{"ref": find(t, snapshot, "link", "Opens a tab").Ref, "route": route}))
			// The browser opens none for an event that no person has made.
			tabs := len(ask[contract.TabsResult](a, "browser_tabs", args{"target_id": b.target, "change": "list"}).Tabs)
			if opened := slices.Contains(got.SideEffects, "opened another tab or window: about:blank"); opened != (tabs == 2) || opened != (route == "trusted_key") {
				t.Errorf("%q with %d tabs", got.SideEffects, tabs)
			}
			raised := a.listed(made.window).Active
			if raised != (got.Delivery.Mode == "foreground") || raised != slices.Contains(got.SideEffects, "the window is raised and activated") {
				t.Errorf("%s, %q, and the window's being active is %v", got.Delivery.Mode, got.SideEffects, raised)
			}
			if route == "trusted_key" && !raised {
				t.Error("the window is not raised: this shows nothing")
			}
			must(t, s.desktop.RaiseSentinel(soon(t)))
			shown := ask[contract.TabsResult](a, "browser_tabs", args{"target_id": b.target, "tab_id": b.id, "change": "activate"})
			if !slices.Contains(shown.SideEffects, "the window is raised and activated") {
				t.Errorf("shown: %q", shown.SideEffects)
			}
		})
	}
}
