package engine

import (
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/observe"
)

// Nothing that held before an action, or may have, is proof of what it did.
func TestAVerdictNeedsWhatDidNotHoldBefore(t *testing.T) {
	const yes, no, unknown = observe.True, observe.False, observe.Unproven
	for _, tt := range []struct {
		before, after []observe.Truth // of text and state
		verdict       string
		unmet         string
	}{
		{[]observe.Truth{no, no}, []observe.Truth{yes, yes}, "met", ""},
		{[]observe.Truth{yes, no}, []observe.Truth{yes, yes}, "met", ""},
		{[]observe.Truth{yes, yes}, []observe.Truth{yes, yes}, "already_true", ""},
		{[]observe.Truth{unknown, yes}, []observe.Truth{yes, yes}, "already_true", ""},
		{[]observe.Truth{unknown, unknown}, []observe.Truth{yes, yes}, "already_true", ""},
		{nil, []observe.Truth{yes, yes}, "already_true", ""}, // it was never read
		{[]observe.Truth{no, no}, []observe.Truth{yes, no}, "unmet", "state"},
		{[]observe.Truth{yes, yes}, []observe.Truth{no, yes}, "unmet", "text"},
		{[]observe.Truth{no, no}, []observe.Truth{unknown, yes}, "unmet", "text: a reason"},
	} {
		x := &expectation{}
		var after []observe.Answer
		for i, fact := range []string{"text", "state"} {
			if tt.before != nil {
				x.first = append(x.first, observe.Answer{Fact: fact, Truth: tt.before[i]})
			}
			a := observe.Answer{Fact: fact, Truth: tt.after[i]}
			if a.Truth == unknown {
				a.Why = "a reason"
			}
			after = append(after, a)
		}
		got := x.sum(after)
		if got.verdict != tt.verdict || got.unmet != tt.unmet || len(got.evidence) != 2 {
			t.Errorf("%v then %v: %+v, want %s (%s)", tt.before, tt.after, got, tt.verdict, tt.unmet)
		}
	}
	var nothing *expectation
	res := &contract.ActionResult{Status: contract.OK}
	if nothing.judgeAction(t.Context(), res); res.Verdict != "not_asked" || res.Status != contract.OK {
		t.Errorf("%+v", res)
	}
}
