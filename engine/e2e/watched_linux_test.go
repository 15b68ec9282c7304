package e2e_test

import (
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// A page may put a value back at any later time: the answer says for how long
// it has looked, by the page's own clock, and no longer than that.
func TestAnEffectSaysForHowLongItWasWatched(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "actions")
	snapshot := b.state(nil)
	for tool, with := range map[string]args{
		"browser_type":   {"ref": find(t, snapshot, "textbox", "Field").Ref, "text": "abc"},
		"browser_select": {"ref": find(t, snapshot, "combobox", "Choice").Ref, "labels": []string{"Second"}},
	} {
		s.witness.eval(t, run, `addEventListener('input', () => { window.changed = performance.now(); }, true)`, nil)
		got := ask[contract.ActionResult](b.agent, tool, b.with(with))
		var stood float64
		s.witness.eval(t, run, `(() => { field.value = ''; choice.selectedIndex = 0; return performance.now() - window.changed; })()`, &stood)
		if got.Effect != refusal.EffectConfirmed || got.WatchedMS <= 0 || float64(got.WatchedMS) > stood {
			t.Errorf("%s: %s, watched for %d ms of the %.0f ms that the value stood", tool, got.Effect, got.WatchedMS, stood)
		}
	}
	if n := fixtures.Count(b.settled(run), "input", ""); n != 2 {
		t.Errorf("%d inputs", n)
	}
}
