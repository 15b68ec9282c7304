package act

import (
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

func TestWhatConfirmsAnEffect(t *testing.T) {
	type facts = map[string]any
	mine, foreign := event{Type: "click", Mine: true}, event{Type: "click"}
	tests := []struct {
		name     string
		s        settled
		effect   refusal.Effect
		evidence string // the facts, in order
	}{
		{"nothing changed", settled{Before: facts{"url": "u"}, After: facts{"url": "u"}}, refusal.EffectSuspectedNoop, ""},
		{"a click that nothing answered", settled{Before: facts{"url": "u"}, After: facts{"url": "u"}, Events: []event{mine}}, refusal.EffectSuspectedNoop, "click_events"},
		{"a fact changed", settled{Before: facts{"checked": "false"}, After: facts{"checked": "true"}}, refusal.EffectConfirmed, "checked"},
		{"facts are told in order", settled{Before: facts{"url": "a", "open": "false"}, After: facts{"url": "b", "open": "true"}}, refusal.EffectConfirmed, "open url"},
		{"a fact came", settled{Before: facts{"url": "u"}, Base: facts{"url": "u"}, Once: facts{"url": "u", "aria-expanded": "true"}, After: facts{"url": "u", "aria-expanded": "true"}}, refusal.EffectConfirmed, "aria-expanded"},
		{"a fact that a timer turned", settled{Before: facts{"aria-pressed": "false"}, Base: facts{"aria-pressed": "false"}, Once: facts{"aria-pressed": "false"}, After: facts{"aria-pressed": "true"}, Events: []event{mine}}, refusal.EffectDispatched, "aria-pressed click_events"},
		{"a fact that a timer turned before", settled{Before: facts{"aria-pressed": "false"}, Base: facts{"aria-pressed": "true"}, Once: facts{"aria-pressed": "true"}, After: facts{"aria-pressed": "true"}, Events: []event{mine}}, refusal.EffectDispatched, "aria-pressed click_events"},
		{"a fact that turned while nothing arrived", settled{Before: facts{"aria-pressed": "false"}, After: facts{"aria-pressed": "true"}}, refusal.EffectDispatched, "aria-pressed"},
		{"an address that ticks", settled{Before: facts{"url": "a"}, Base: facts{"url": "a"}, Once: facts{"url": "a"}, After: facts{"url": "b"}, Events: []event{mine}}, refusal.EffectDispatched, "url click_events"},
		{"numbers and booleans are compared by value", settled{Before: facts{"connected": true, "n": 1.0}, After: facts{"connected": true, "n": 1.0}}, refusal.EffectSuspectedNoop, ""},
		{"the node left by itself", settled{Before: facts{"connected": true}, After: facts{"connected": false}}, refusal.EffectDispatched, "connected"},
		{"its handlers removed the node", settled{Before: facts{"connected": true}, After: facts{"connected": false}, During: 1, Events: []event{mine}}, refusal.EffectConfirmed, "connected click_events changes_by_its_handlers"},
		{"the focus that we moved proves nothing", settled{Before: facts{"focus": ""}, After: facts{"focus": "self"}}, refusal.EffectSuspectedNoop, ""},
		{"the click moved the focus on", settled{Before: facts{"focus": ""}, After: facts{"focus": "input#4"}, Events: []event{mine}}, refusal.EffectConfirmed, "focus click_events"},
		{"the focus went on by itself", settled{Before: facts{"focus": ""}, After: facts{"focus": "input#4"}}, refusal.EffectDispatched, "focus"},
		{"the click changed the url", settled{Before: facts{"url": "a"}, Base: facts{"url": "a"}, Once: facts{"url": "a#b"}, After: facts{"url": "a#b"}, Events: []event{mine}}, refusal.EffectConfirmed, "url click_events"},
		{"a title that counts by itself", settled{Before: facts{"title": "(1)"}, After: facts{"title": "(2)"}, Events: []event{mine}}, refusal.EffectDispatched, "title click_events"},
		{"a page that scrolls by itself", settled{Before: facts{"scroll": "0,0"}, After: facts{"scroll": "0,9"}, Events: []event{mine}}, refusal.EffectDispatched, "scroll click_events"},
		{"its handlers changed something", settled{During: 2, Mutations: 2, Events: []event{mine}}, refusal.EffectConfirmed, "click_events changes_by_its_handlers"},
		{"a change afterwards may be anybody's", settled{Mutations: 5, Events: []event{mine}}, refusal.EffectDispatched, "click_events changes_afterwards"},
		{"a change without a click too", settled{Mutations: 5}, refusal.EffectDispatched, "changes_afterwards"},
		{"the click arrived somewhere else", settled{Events: []event{foreign}, Mutations: 1}, refusal.EffectUnknown, "changes_afterwards"},
		{"somewhere else, and a fact changed", settled{Before: facts{"url": "a"}, After: facts{"url": "b"}, Events: []event{foreign}}, refusal.EffectUnknown, "url"},
		{"here, and then elsewhere too", settled{During: 1, Events: []event{mine, foreign}}, refusal.EffectConfirmed, "click_events changes_by_its_handlers"},
		{"another event elsewhere is no click", settled{Events: []event{{Type: "input"}, {Type: "focusin"}}}, refusal.EffectSuspectedNoop, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &contract.ActionResult{Status: contract.OK}
			tt.s.Settled = "quiet"
			tt.s.judge(r, true)
			var names []string
			for _, e := range r.Evidence {
				names = append(names, e.Fact)
				if e.Before == e.After {
					t.Errorf("%s is evidence and did not change", e.Fact)
				}
			}
			if r.Effect != tt.effect || strings.Join(names, " ") != tt.evidence {
				t.Errorf("%s by %v, want %s by %s", r.Effect, names, tt.effect, tt.evidence)
			}
			if (r.Status == contract.Partial) != (r.Effect == refusal.EffectUnknown) {
				t.Errorf("%s has the status %s", r.Effect, r.Status)
			}
		})
	}
}

func TestEvidenceIsBounded(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	s := settled{Before: map[string]any{"title": long}, After: map[string]any{"title": long + "y"}}
	r := &contract.ActionResult{}
	s.judge(r, true)
	if r.Effect != refusal.EffectDispatched || len(r.Evidence) != 1 || len(r.Evidence[0].After) > 2*factMax {
		t.Errorf("%s, %d pieces of evidence", r.Effect, len(r.Evidence))
	}
}

func TestAKeyPressIsNotJudgedByClicks(t *testing.T) {
	// Enter in a field clicks the form's button, which is no click gone astray.
	s := settled{Before: map[string]any{"url": "a"}, After: map[string]any{"url": "b"}, Events: []event{{Type: "click"}}}
	r := &contract.ActionResult{}
	s.judge(r, false)
	if r.Effect != refusal.EffectConfirmed {
		t.Errorf("%s, want confirmed", r.Effect)
	}
}

// The browser moves the focus where a pointer presses: off a field, onto nothing.
func TestWhereAPointerPressesTheFocusProvesNothing(t *testing.T) {
	for route, effect := range map[string]refusal.Effect{Trusted: refusal.EffectDispatched, TrustedKey: refusal.EffectConfirmed} {
		s := settled{Before: map[string]any{"focus": "iframe#1"}, After: map[string]any{"focus": "body#17"}}
		r := &contract.ActionResult{Route: route}
		s.judge(r, false)
		if r.Effect != effect {
			t.Errorf("%s: %s, want %s", route, r.Effect, effect)
		}
	}
}
