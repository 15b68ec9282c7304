package e2e_test

import (
	"slices"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// What acts on no node takes post-conditions too, and says what is then to be
// seen of it. Behind a dialog the browser still tells the address.
func TestPostConditionsOfTabsAndDialogs(t *testing.T) {
	c := newCrowd(t, 1)
	a := c.a[0]
	pages, w := a.stage.pages, a.stage.witness
	change := func(what string, with args) *contract.TabsResult {
		t.Helper()
		with["change"], with["target_id"] = what, a.target
		return ask[contract.TabsResult](a.agent, "browser_tabs", with)
	}
	url, run := pages.Page("actions")
	opened := change("open", args{"url": url, "expect": args{"text": "Opens a tab", "url_part": run}})
	if opened.Verdict != "met" || opened.Effect != refusal.EffectConfirmed || opened.TabID == "" {
		t.Fatalf("%+v", opened)
	}
	other := tab{a.agent, a.target, opened.TabID}
	w.eval(t, run, `document.addEventListener('visibilitychange', () => { document.getElementById('ticker').textContent = 'Shown now'; })`, nil)
	for _, want := range []string{"met", "already_true"} {
		if got := change("activate", args{"tab_id": other.id, "expect": args{"text": "Shown now"}}); got.Verdict != want || got.Effect != refusal.EffectConfirmed {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	w.eval(t, run, `addEventListener('beforeunload', (e) => e.preventDefault())`, nil)
	other.click(find(t, other.state(nil), "button", "Go").Ref, "trusted_key") // a page asks only where somebody was at it

	to, next := pages.Page("keys")
	answered := func(answer, part, verdict, before string) {
		t.Helper()
		held := ask[contract.NavigateResult](a.agent, "browser_navigate", other.with(args{"url": to}))
		if held.Dialog == nil || held.Dialog.Type != "beforeunload" {
			t.Fatalf("%+v", held)
		}
		got := ask[contract.DialogResult](a.agent, "browser_dialog", other.with(args{"answer": answer, "dialog_id": held.Dialog.ID, "expect": args{"url_part": part}}))
		if got.Verdict != verdict || got.Effect != refusal.EffectConfirmed || got.Evidence[0].Before != before {
			t.Errorf("%s: %+v, want %s, before %s", answer, got, verdict, before)
		}
	}
	answered("dismiss", run, "already_true", "held")
	answered("accept", next, "met", "did not hold")
	must(t, pages.Flush(soon(t), next))

	closed := change("close", args{"tab_id": other.id})
	if closed.Effect != refusal.EffectConfirmed || closed.Status != contract.OK || slices.ContainsFunc(closed.Tabs, func(t contract.Tab) bool { return t.TabID == other.id }) {
		t.Errorf("%+v", closed)
	}
}
