package e2e_test

import (
	"slices"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// on makes what an element of the page actions does: script, with e for it.
func (s *stage) on(t *testing.T, run, id, script string) {
	t.Helper()
	s.witness.eval(t, run, "{ const e = document.getElementById('"+id+"'); "+script+" }", nil)
}

// A page that tries to be taken for the click's effect, or to have another
// node clicked. Judged by what the page itself observed.
func TestAClickIsJudgedByWhatItDid(t *testing.T) {
	tests := []struct {
		name, id, script string // made before the snapshot
		route            string
		effect           refusal.Effect // "" for a refusal
		reason           refusal.Reason
		reached          int // at go; other must never be
	}{
		{"nothing happens", "go", ``, "dom_event", refusal.EffectSuspectedNoop, "", 1},
		{"a clock ticks", "ticker", `setInterval(() => e.textContent++, 10)`, "dom_event", refusal.EffectDispatched, "", 1},
		{"every frame is another", "ticker", `(function f() { e.textContent++; requestAnimationFrame(f) })()`, "trusted_key", refusal.EffectDispatched, "", 1},
		{"the title counts", "go", `setInterval(() => { document.title = performance.now() }, 30)`, "dom_event", refusal.EffectDispatched, "", 1},
		{"the page scrolls", "go", `document.body.style.height = '9000px'; e.style.position = 'fixed'; setInterval(() => scrollBy(0, 1), 20)`, "dom_event", refusal.EffectDispatched, "", 1},
		{"its work takes a while", "go", `e.onclick = () => setTimeout(() => { e.title = 'done' }, 200)`, "dom_event", refusal.EffectDispatched, "", 1},
		{"a timer takes the node away", "go", `e.onclick = () => setTimeout(() => e.remove(), 20)`, "dom_event", refusal.EffectDispatched, "", 1},
		{"it changes itself", "go", `e.onclick = () => { e.title = 'done' }`, "trusted_key", refusal.EffectConfirmed, "", 1},
		{"it takes back at once what it changed", "go", `e.onclick = () => { e.title = 'done'; queueMicrotask(() => e.removeAttribute('title')) }`, "dom_event", refusal.EffectDispatched, "", 1},
		{"it adds what it takes away again", "go", `e.onclick = () => { const i = e.appendChild(document.createElement('i')); queueMicrotask(() => i.remove()) }`, "trusted_key", refusal.EffectDispatched, "", 1},
		{"it puts back a text", "go", `e.onclick = () => { const t = e.firstChild; t.data = 'Gone'; queueMicrotask(() => { t.data = 'Go' }) }`, "trusted_key", refusal.EffectDispatched, "", 1},
		{"of two changes one is left", "go", `e.onclick = () => { e.title = 'done'; e.lang = 'en'; queueMicrotask(() => e.removeAttribute('title')) }`, "trusted_key", refusal.EffectConfirmed, "", 1},
		{"a popover opens", "go", `e.insertAdjacentHTML('afterend', '<div popover id="pop">In</div>'); e.setAttribute('popovertarget', 'pop')`, "dom_event", refusal.EffectConfirmed, "", 1},
		{"a window that the browser blocks", "go", `e.onclick = () => { window.open('about:blank') }`, "dom_event", refusal.EffectDispatched, "", 1},
		{"the focus is given away", "go", `e.onfocus = () => document.getElementById('other').focus()`, "trusted_key", "", refusal.FocusRefused, 0},
	}
	s := use(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, run := s.tab(t, "actions")
			b = b.on(t)
			s.on(t, run, tt.id, tt.script)
			ref := find(t, b.state(nil), "button", "Go").Ref
			if tt.effect == "" {
				b.clickRefused(tt.reason, ref, tt.route)
			} else if got := b.click(ref, tt.route); got.Effect != tt.effect || got.Status != contract.OK {
				t.Errorf("answered %s, %s: %+v; want %s", got.Status, got.Effect, got.Evidence, tt.effect)
			}
			seen := b.settled(run)
			if n := fixtures.Count(seen, "reached", ""); n != tt.reached || fixtures.Count(seen, "click", "other") > 0 {
				t.Errorf("the page observed %s", told(seen))
			}
		})
	}
}

func TestAClickBeyondThePageIsTold(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "actions")
	snapshot := b.state(nil)
	got := b.click(find(t, snapshot, "button", "Send").Ref, "dom_event")
	if got.Effect != refusal.EffectSuspectedNoop || !slices.ContainsFunc(got.Evidence, func(e contract.Evidence) bool { return e.Fact == "invalid_event" }) {
		t.Errorf("a form that is not filled in: %s, %+v", got.Effect, got.Evidence)
	}
	if n := fixtures.Count(b.settled(run), "submitted", ""); n > 0 {
		t.Errorf("it was submitted %d times", n)
	}
	if got := b.click(find(t, snapshot, "link", "There").Ref, "dom_event"); got.Effect != refusal.EffectConfirmed {
		t.Errorf("a link within the page: %s, %+v", got.Effect, got.Evidence)
	}
}

// Rows that are not marked up as such are rows all the same.
func TestARecycledRowWithoutMarkupIsNotClicked(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "actions")
	var ref string
	for _, e := range b.state(nil).Refs {
		if e.Name == "Delete" {
			ref = e.Ref
			break
		}
	}
	s.on(t, run, "rows", `e.firstElementChild.firstElementChild.textContent = 'Zed'`)
	for _, route := range []string{"dom_event", "trusted_key"} {
		b.clickRefused(refusal.IdentityChanged, ref, route)
	}
	if n := fixtures.Count(b.settled(run), "reached", ""); n > 0 {
		t.Errorf("a row was reached %d times", n)
	}
}

// Whatever the page does to a text, what is said of it is what the field holds.
func TestTypingSaysWhatTheFieldHolds(t *testing.T) {
	const late = `e.addEventListener('input', () => `
	tests := []struct {
		name, id, field, script string
		with                    args
		status                  contract.Status
		effect                  refusal.Effect
		reason                  refusal.Reason
		holds, submitted        string
	}{
		{"taken", "field", "Field", ``, args{"text": "abc"}, contract.OK, refusal.EffectConfirmed, "", "abc", ""},
		{"put back in the next frame", "field", "Field", late + `requestAnimationFrame(() => { e.value = '' }))`, args{"text": "abc"}, contract.Partial, refusal.EffectSuspectedNoop, "", "", ""},
		{"put back a moment later", "field", "Field", late + `setTimeout(() => { e.value = '' }, 50))`, args{"text": "abc", "mode": "keystrokes"}, contract.Partial, refusal.EffectSuspectedNoop, "", "", ""},
		{"written otherwise", "field", "Field", late + `{ e.value = e.value.toUpperCase() })`, args{"text": "abc"}, contract.Partial, refusal.EffectPartial, "", "ABC", ""},
		{"appended to a number", "number", "Number", ``, args{"text": "34"}, contract.OK, refusal.EffectConfirmed, "", "1234", ""},
		{"a line break in an input", "field", "Field", `document.getElementById('needed').value = 'x'`, args{"text": "a\nb", "mode": "keystrokes"}, contract.Partial, refusal.EffectPartial, "", "ab", ""},
		{"a tab in a text", "notes", "Notes", ``, args{"text": "a\tb\r\nc", "mode": "keystrokes"}, contract.OK, refusal.EffectConfirmed, "", "a\tb\nc", ""},
		{"the focus is given away", "field", "Field", `e.onfocus = () => document.getElementById('beside').focus()`, args{"text": "abc"}, "", "", refusal.FocusRefused, "", ""},
		{"the focus goes on while it is typed", "field", "Field", late + `document.getElementById('beside').focus())`, args{"text": "abc", "mode": "keystrokes"}, contract.Partial, refusal.EffectPartial, "", "a", ""},
		{"submitted", "field", "Field", `document.getElementById('needed').value = 'x'`, args{"text": "abc", "submit": true}, contract.OK, refusal.EffectConfirmed, "", "abc", "abc"},
		{"stopped by the form", "field", "Field", ``, args{"text": "abc", "submit": true}, contract.Partial, refusal.EffectPartial, "", "abc", ""},
		{"the focus goes on before Enter", "field", "Field", late + `document.getElementById('other').focus())`, args{"text": "abc", "submit": true}, contract.Partial, refusal.EffectPartial, "", "abc", ""},
	}
	s := use(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, run := s.tab(t, "actions")
			b = b.on(t)
			s.on(t, run, tt.id, tt.script)
			tt.with["ref"] = find(t, b.state(nil), "", tt.field).Ref
			if tt.reason != "" {
				b.refused(tt.reason, "browser_type", b.with(tt.with))
			} else if got := ask[contract.ActionResult](b.agent, "browser_type", b.with(tt.with)); got.Status != tt.status || got.Effect != tt.effect {
				t.Errorf("answered %s, %s: %+v", got.Status, got.Effect, got.Evidence)
			}
			var held struct{ Field, Beside string }
			s.witness.eval(t, run, "({ field: document.getElementById('"+tt.id+"').value, beside: document.getElementById('beside').value })", &held)
			if held.Field != tt.holds || held.Beside != "" {
				t.Errorf("the field holds %q, the one beside it %q; want %q and nothing", held.Field, held.Beside, tt.holds)
			}
			seen := b.settled(run)
			note, ok := fixtures.Last(seen, "submitted", "")
			if ok != (tt.submitted != "") || ok && string(note.Data) != `"`+tt.submitted+`"` || fixtures.Count(seen, "click", "other") > 0 {
				t.Errorf("the page observed %s", told(seen))
			}
		})
	}
}

func TestAChoiceThatIsPutBackIsNoSuccess(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "actions")
	ref := find(t, b.state(nil), "combobox", "Choice").Ref
	b.refused(refusal.OptionNotFound, "browser_select", b.with(args{"ref": ref, "labels": []string{"Same"}}))
	s.on(t, run, "choice", `e.onchange = () => setTimeout(() => { e.value = 'a' }, 30)`)
	got := ask[contract.ActionResult](b.agent, "browser_select", b.with(args{"ref": ref, "labels": []string{"Second"}}))
	if got.Status != contract.Partial || got.Effect != refusal.EffectSuspectedNoop {
		t.Errorf("answered %s, %s: %+v", got.Status, got.Effect, got.Evidence)
	}
}

func TestAnOptionThatTheListDoesNotShowIsNotChosen(t *testing.T) {
	for name, script := range map[string]string{
		"hidden":             `e.options[1].hidden = true`,
		"not displayed":      `e.options[1].style.display = 'none'`,
		"in a group that is": `e.insertAdjacentHTML('beforeend', '<optgroup hidden></optgroup>'); e.lastChild.append(e.options[1])`,
		"of an open list":    `e.size = 3; e.options[1].hidden = true`,
	} {
		t.Run(name, func(t *testing.T) {
			s := use(t)
			b, run := s.tab(t, "actions")
			b = b.on(t)
			s.on(t, run, "choice", script)
			ref := find(t, b.state(nil), "", "Choice").Ref
			b.refused(refusal.OptionNotFound, "browser_select", b.with(args{"ref": ref, "labels": []string{"Second"}}))
			var held string
			if s.witness.eval(t, run, "document.getElementById('choice').value", &held); held != "a" {
				t.Errorf("the select holds %q", held)
			}
		})
	}
}

func TestAKeyThatChangesAChoiceIsConfirmed(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "actions")
	ref := find(t, b.state(nil), "combobox", "Choice").Ref
	got := ask[contract.ActionResult](b.agent, "browser_press", b.with(args{"ref": ref, "key": "ArrowDown"}))
	var held string
	if s.witness.eval(t, run, "document.getElementById('choice').value", &held); held != "b" || got.Effect != refusal.EffectConfirmed {
		t.Errorf("the select holds %q; answered %s, %s: %+v", held, got.Status, got.Effect, got.Evidence)
	}
}

func TestAWaitCountsOnlyWhatIsShown(t *testing.T) {
	s := use(t)
	b, _ := s.tab(t, "actions")
	for text, verdict := range map[string]string{"Transparent words": "unmet", "Clipped words": "unmet", "Words in a shadow": "already_true", "Opens a tab": "already_true"} {
		if got := ask[contract.WaitResult](b.agent, "browser_wait", b.with(args{"text": text, "timeout_ms": 100})); got.Verdict != verdict {
			t.Errorf("%s: %s, want %s", text, got.Verdict, verdict)
		}
	}
}
