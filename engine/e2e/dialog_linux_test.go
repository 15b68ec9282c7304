package e2e_test

import (
	"slices"
	"testing"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// dialogMax is how soon a call must return that a page dialog holds up.
const dialogMax = 3 * time.Second

func TestADialogHoldsNothingUp(t *testing.T) {
	for _, route := range []string{"dom_event", "trusted_key"} {
		t.Run(route, func(t *testing.T) {
			s := use(t)
			a := agent{t, s, s.engine, "dialog-" + route}
			made := a.prepare("navigate")
			b, run := a.bind(made.pid, made.window), made.run
			snapshot := b.state(nil)
			ref := find(t, snapshot, "button", "Alert").Ref
			within(t, dialogMax, "a click that opens a dialog", func() {
				got := b.click(ref, route)
				if got.Dialog == nil || got.Dialog.Type != "alert" || got.Dialog.Text != "An alert" || got.Effect != refusal.EffectConfirmed {
					t.Errorf("answered %+v", got)
				}
			})
			for what, call := range map[string]func(){
				"a snapshot":      func() { b.refused(refusal.DialogOpen, "get_browser_state", b.with(nil)) },
				"a scoped one":    func() { b.refused(refusal.DialogOpen, "get_browser_state", b.with(args{"scope_ref": ref})) },
				"another click":   func() { b.clickRefused(refusal.DialogOpen, ref, "dom_event") },
				"a navigation":    func() { b.refused(refusal.DialogOpen, "browser_navigate", b.with(args{"action": "reload"})) },
				"the window list": func() { ask[contract.ListWindowsResult](b.agent, "list_windows", nil) },
			} {
				within(t, dialogMax, what+" while a dialog is open", call)
			}
			seen := s.pages.Journal(run)
			if n := fixtures.Count(seen, "click", ""); n > 1 {
				t.Errorf("the page observed %d clicks: %s", n, told(seen))
			}
			if n := fixtures.Count(seen, "alert-closed", ""); n > 0 {
				t.Error("somebody closed the dialog")
			}
			within(t, limits.EndSessionTimeout+time.Second, "the end of the session", func() {
				ask[contract.EndSessionResult](b.agent, "end_session", nil)
			})
			if left := processes(t, "--type=renderer"); slices.ContainsFunc(left, func(pid int) bool { return inGroup(pid, made.pid) }) {
				t.Error("the browser still runs")
			}
		})
	}
}
