package e2e_test

import (
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// The verdict on post-conditions is about what the page shows, and only what
// did not hold before is proof of what the action did.
func TestPostConditions(t *testing.T) {
	const says = `e.onclick = () => document.getElementById('ticker').textContent = `
	tests := []struct {
		name, script string // of Go
		expect       args
		verdict      string
		unmet        string
	}{
		{"a text that comes", says + `'All saved'`, args{"text": "All saved"}, "met", ""},
		{"a text that comes late", `e.onclick = () => setTimeout(() => document.getElementById('ticker').textContent = 'All saved', 900)`, args{"text": "All saved"}, "met", ""},
		{"a text that comes too late", `e.onclick = () => setTimeout(() => document.getElementById('ticker').textContent = 'All saved', 2500)`, args{"text": "All saved"}, "unmet", "text"},
		{"a text that was there", says + `'x'`, args{"text": "Opens a tab"}, "already_true", ""},
		{"a text that was there, and goes", `e.onclick = () => document.getElementById('tab').remove()`, args{"text": "Opens a tab"}, "unmet", "text"},
		{"a text that never comes", says + `'All failed'`, args{"text": "All saved"}, "unmet", "text"},
		{"a text that is hidden", `e.onclick = () => document.getElementById('ticker').innerHTML = '<i style="opacity: 0">All saved</i>'`, args{"text": "All saved"}, "unmet", "text"},
		{"a text under a layer", `e.onclick = () => document.getElementById('ticker').innerHTML = '<span style="position: relative; display: block"><i>All saved</i><b style="position: absolute; inset: 0; background: white"></b></span>'`, args{"text": "All saved"}, "unmet", "text"},
		{"a text in the colour of its ground", `e.onclick = () => document.getElementById('ticker').innerHTML = '<i style="color: white; background: white">All saved</i>'`, args{"text": "All saved"}, "unmet", "text"},
		{"a text of no colour", `e.onclick = () => document.getElementById('ticker').innerHTML = '<i style="color: transparent">All saved</i>'`, args{"text": "All saved"}, "unmet", "text"},
		{"a text under glass", `e.onclick = () => document.getElementById('ticker').innerHTML = '<span style="position: relative; display: block"><i>All saved</i><b style="position: absolute; inset: 0"></b></span>'`, args{"text": "All saved"}, "met", ""},
		{"a text that goes", `e.onclick = () => document.getElementById('tab').remove()`, args{"text_gone": "Opens a tab"}, "met", ""},
		{"a text that was never there", says + `'x'`, args{"text_gone": "Nowhere"}, "already_true", ""},
		{"one of two was there", says + `'All saved'`, args{"text": "All saved", "text_gone": "Nowhere"}, "met", ""},
		{"one of two never comes", says + `'All saved'`, args{"text": "All saved", "url_part": "#done"}, "unmet", "url"},
		{"an address", `e.onclick = () => history.pushState({}, '', '#done')`, args{"url_part": "#done"}, "met", ""},
		{"the node goes", `e.onclick = () => e.remove()`, args{"state": "gone"}, "met", ""},
		{"the node opens", `e.ariaExpanded = 'false'; e.onclick = () => e.ariaExpanded = 'true'`, args{"state": "expanded"}, "met", ""},
		{"the node was open", `e.ariaExpanded = 'true'`, args{"state": "expanded"}, "already_true", ""},
		{"a field is filled", `e.onclick = () => document.getElementById('number').value = '13'`, args{"ref": "Number", "value": "13"}, "met", ""},
		{"a field was filled", `e.onclick = () => 1`, args{"ref": "Number", "value": "12"}, "already_true", ""},
		{"a field is not the one asked for", `e.onclick = () => document.getElementById('beside').value = '13'`, args{"ref": "Number", "value": "13"}, "unmet", "value"},
		{"a text in another process's frame", `e.onclick = () => document.body.append(Object.assign(document.createElement('iframe'), { src: OTHER + '/frame-child?name=late' }))`, args{"text": "Button in late"}, "met", ""},
		{"a dialog", `e.onclick = () => alert('hello')`, args{"dialog": "alert"}, "met", ""},
		{"another dialog", `e.onclick = () => alert('hello')`, args{"dialog": "confirm"}, "unmet", "dialog"},
		{"a text behind a dialog", says + `'All saved' + (alert('hello') || '')`, args{"text": "All saved"}, "unmet", "text: a page dialog is open"},
	}
	s := use(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, run := s.tab(t, "actions")
			b = b.on(t)
			snapshot := b.state(nil)
			s.on(t, run, "go", strings.ReplaceAll(tt.script, "OTHER", "location.origin.replace('127.0.0.1', 'localhost')"))
			expect := args{}
			if tt.verdict == "unmet" {
				expect["timeout_ms"] = 1000
			}
			for k, v := range tt.expect {
				if k == "ref" {
					v = find(t, snapshot, "", v.(string)).Ref
				}
				expect[k] = v
			}
			got := ask[contract.ActionResult](b.agent, "browser_click", b.with(args{"ref": find(t, snapshot, "button", "Go").Ref, "route": "dom_event", "expect": expect}))
			if got.Verdict != tt.verdict || got.Unmet != tt.unmet || (got.Status == contract.Partial) != (tt.verdict == "unmet") {
				t.Errorf("verdict %s (%s), status %s, want %s (%s): %+v", got.Verdict, got.Unmet, got.Status, tt.verdict, tt.unmet, got.Evidence)
			}
			if got.Dialog != nil {
				ask[contract.DialogResult](b.agent, "browser_dialog", b.with(args{"answer": "dismiss", "dialog_id": got.Dialog.ID}))
			}
			if n := fixtures.Count(b.settled(run), "reached", ""); n != 1 {
				t.Errorf("Go was reached %d times", n)
			}
		})
	}
}

// Every action takes post-conditions; what they name must be current, or
// nothing is done.
func TestPostConditionsOfEveryAction(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "actions")
	old := find(t, b.state(nil), "button", "Go").Ref
	ref := func(name string) string { return find(t, b.state(nil), "", name).Ref }
	b.refused(refusal.Superseded, "browser_type", b.with(args{"ref": ref("Field"), "text": "abc", "expect": args{"ref": old, "state": "gone"}}))
	b.untouched(run, "a post-condition about an old ref")
	for tool, with := range map[string]args{
		"browser_type":    {"ref": "Field", "text": "abc", "expect": args{"value": "abc"}},
		"browser_select":  {"ref": "Choice", "labels": []string{"Second"}, "expect": args{"value": "Second"}},
		"browser_press":   {"ref": "Beside", "key": "x", "expect": args{"state": "focused"}},
		"browser_pointer": {"ref": "Go", "gesture": "double_click", "route": "dom_event", "expect": args{"text_gone": "Opens a tab"}},
	} {
		if tool == "browser_pointer" {
			s.on(t, run, "go", `e.ondblclick = () => document.getElementById('tab').remove()`)
		}
		with["ref"] = ref(with["ref"].(string))
		if got := ask[contract.ActionResult](b.agent, tool, b.with(with)); got.Verdict != "met" {
			t.Errorf("%s: %s (%s): %+v", tool, got.Verdict, got.Unmet, got.Evidence)
		}
	}
	url, _ := s.pages.Page("frames")
	for _, want := range []string{"met", "already_true"} {
		got := ask[contract.NavigateResult](b.agent, "browser_navigate", b.with(args{"url": url, "expect": args{"text": "Button in other-site"}}))
		if got.Verdict != want {
			t.Errorf("%s (%s): %+v, want %s", got.Verdict, got.Unmet, got.Evidence, want)
		}
	}
	if got := ask[contract.NavigateResult](b.agent, "browser_navigate", b.with(args{"url": url, "expect": args{"text": "Nowhere"}})); got.Verdict != "unmet" || got.Status != contract.Partial {
		t.Errorf("%+v", got)
	}
}
