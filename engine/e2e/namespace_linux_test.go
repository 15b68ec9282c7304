package e2e_test

import (
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// What a connection has bound, another connection of the same server does not
// know, not even by its id and in a session of the same name.
func TestATargetIsUnknownToAnotherNamespace(t *testing.T) {
	s := use(t)
	other, err := s.engine.Namespace()
	must(t, err)
	b, run := s.tab(t, "actions")
	ref := find(t, b.state(nil), "button", "Go").Ref
	stranger := agent{t, s, other, sharedSession}
	ask[contract.StartSessionResult](stranger, "start_session", nil)
	for tool, with := range map[string]args{"get_browser_state": nil, "browser_click": {"ref": ref, "route": "dom_event"}, "browser_tabs": {"change": "list"}} {
		with = b.with(with)
		if tool == "browser_tabs" {
			delete(with, "tab_id")
		}
		stranger.refused(refusal.UnknownTarget, tool, with)
	}
	windows := ask[contract.ListWindowsResult](stranger, "list_windows", nil)
	for _, w := range windows.Windows {
		if w.Access == "driver_owned" {
			t.Errorf("it owns the window of another: %+v", w)
		}
	}
	must(t, other.Close(soon(t)))
	b.untouched(run, "the calls of another namespace")
	b.click(ref, "dom_event") // and nothing was taken from who has it
}
