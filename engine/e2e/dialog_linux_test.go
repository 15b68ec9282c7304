package e2e_test

import (
	"encoding/json"
	"slices"
	"sync"
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
				"a screenshot":    func() { b.refused(refusal.DialogOpen, "browser_screenshot", b.with(nil)) },
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

// A dialog that was open before the window was bound is neither told nor
// answered by the browser. That is said, in time, and nothing waits for it; when
// a person has closed it, the same target goes on.
func TestADialogThatWasOpenBeforeIsSaid(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "dialog-before")
	profile := t.TempDir()
	o, run := s.browseKeys(t, profile, "--remote-debugging-port=0")
	w, err := dialWitness(soon(t), portOf(t, profile))
	must(t, err)
	t.Cleanup(func() { must(t, w.conn.Close()) })
	page, err := w.conn.Attach(soon(t), w.showing(t, run).ID)
	must(t, err)
	must(t, page.Call(soon(t), "Page.enable", nil, nil))
	dialogs := page.Subscribe("Page.javascriptDialogOpening")
	must(t, page.Call(soon(t), "Runtime.evaluate", map[string]any{"expression": "setTimeout(() => { alert('Before'); journal.note('answered') })"}, nil))
	select {
	case <-dialogs.C():
	case <-soon(t).Done():
		t.Fatal("no dialog opened")
	}
	a.grant(o)
	var b tab
	within(t, dialogMax, "binding", func() { b = a.bind(o.pid, o.window) })
	within(t, limits.FirstAnswerTimeout+dialogMax, "what is asked of the tab", func() {
		var all sync.WaitGroup
		for tool, with := range map[string]args{
			"get_browser_state": {}, "browser_click": {"ref": "p1:1", "route": "dom_event"}, "browser_navigate": {"action": "reload"},
			"browser_wait": {"text": "Keys", "timeout_ms": 100}, "browser_dialog": {"answer": "inspect"},
		} {
			all.Go(func() {
				answer, raw := b.call(tool, b.with(with))
				if answer.Refusal == nil || answer.Refusal.Refusal.Reason != refusal.DialogOpenBefore || answer.Refusal.Refusal.Next == nil {
					t.Errorf("%s answered %.1000s", tool, raw)
				}
			})
		}
		all.Wait()
	})
	if seen := s.pages.Journal(run); fixtures.Count(seen, "answered", "") > 0 {
		t.Error("somebody closed the dialog")
	}
	must(t, page.Call(soon(t), "Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil))
	_, err = s.pages.Wait(soon(t), run, func(seen []fixtures.Record) bool { return fixtures.Count(seen, "answered", "") > 0 })
	must(t, err)
	b.click(find(t, b.state(nil), "button", "Button").Ref, "dom_event")
	oneClick(t, b.settled(run), "button", false)
}

// Every kind of dialog is told by the action that opens it, and answered once.
func TestEveryKindOfDialogIsToldAndAnswered(t *testing.T) {
	tests := []struct {
		kind, script, text string
		answer             args
		noted              string
	}{
		{"alert", `alert('Told')`, "Told", args{"answer": "accept"}, "undefined"},
		{"confirm", `confirm('Sure?')`, "Sure?", args{"answer": "accept"}, "true"},
		{"confirm", `confirm('Sure?')`, "Sure?", args{"answer": "dismiss"}, "false"},
		{"prompt", `prompt('Name?', 'Ann')`, "Name?", args{"answer": "accept", "prompt_text": "漢 👍"}, "漢 👍"},
		{"prompt", `prompt('Name?', 'Ann')`, "Name?", args{"answer": "dismiss"}, "null"},
		{"confirm", `(alert('First'), confirm('Second'))`, "", args{"answer": "accept"}, "true"},
	}
	s := use(t)
	for _, tt := range tests {
		t.Run(tt.kind+" "+tt.noted, func(t *testing.T) {
			b, run := s.tab(t, "actions")
			b = b.on(t)
			s.on(t, run, "go", "e.onclick = () => journal.note('answer', String("+tt.script+"))")
			got := b.click(find(t, b.state(nil), "button", "Go").Ref, "dom_event")
			if got.Dialog != nil && got.Dialog.Text == "First" {
				first := ask[contract.DialogResult](b.agent, "browser_dialog", b.with(args{"answer": "accept", "dialog_id": got.Dialog.ID}))
				b.refused(refusal.NoDialog, "browser_dialog", b.with(args{"answer": "accept", "dialog_id": got.Dialog.ID}))
				if first.Effect != refusal.EffectConfirmed {
					t.Errorf("the first was answered: %+v", first)
				}
				got.Dialog = b.dialog()
				tt.text = "Second"
			}
			if got.Dialog == nil || got.Dialog.Type != tt.kind || got.Dialog.Text != tt.text || got.Effect != refusal.EffectConfirmed {
				t.Fatalf("answered %+v", got)
			}
			tt.answer["dialog_id"] = got.Dialog.ID
			if done := ask[contract.DialogResult](b.agent, "browser_dialog", b.with(tt.answer)); done.Effect != refusal.EffectConfirmed || done.Status != contract.OK {
				t.Errorf("answered %+v", done)
			}
			note, _ := fixtures.Last(b.settled(run), "answer", "")
			var noted string
			must(t, json.Unmarshal(note.Data, &noted))
			if noted != tt.noted {
				t.Errorf("the page was answered %q, want %q", noted, tt.noted)
			}
		})
	}
}

// dialog waits for the dialog of the tab.
func (b tab) dialog() *contract.Dialog {
	b.t.Helper()
	tick, ctx := time.NewTicker(20*time.Millisecond), soon(b.t)
	defer tick.Stop()
	for {
		if got := ask[contract.DialogResult](b.agent, "browser_dialog", b.with(args{"answer": "inspect"})); got.Present {
			return got.Dialog
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.t.Fatal("no dialog opened")
		}
	}
}
