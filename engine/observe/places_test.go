package observe

import (
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
)

func TestPlaces(t *testing.T) {
	s := framed(t)
	snap := s.take(t, whole)
	seg := next(t, snap)
	ks := map[string][]int{}
	for _, m := range seg.Minted {
		ks[m.Shown.Frame] = append(ks[m.Shown.Frame], m.K)
	}
	main, child := ks["main"], ks["f1"]
	place := func(i int, reason string) map[string]any { return map[string]any{"i": i, "r": reason} }
	say := func(of map[string][]any) {
		s.Answer("places", func(op enginetest.Op) (any, *devtools.Error) {
			return map[string]any{"places": of[op.Frame]}, nil
		})
	}
	say(map[string][]any{
		"MAIN":  {place(0, ""), place(90, "css_hidden/display")},
		"CHILD": {place(-1, ""), place(-2, ""), place(91, "")},
	})
	got, err := snap.Places(t.Context(), append([]int{main[0], main[1], 9999}, child...))
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range map[int]Place{
		main[0]: {Tier: "in_viewport"}, main[1]: {Tier: "css_hidden"}, 9999: {Gone: true},
		child[0]: {NoCandidate: true}, child[1]: {Gone: true}, child[2]: {}, // in view by its own document, and nobody looked what is above it
	} {
		if got[k] != want {
			t.Errorf("k %d is at %+v, want %+v", k, got[k], want)
		}
	}
	for name, bad := range map[string][]any{
		"too few answers":         {place(0, "")},
		"a reason of a page":      {place(0, "x\"}\n- button"), place(1, "")},
		"an answer of some shape": {1, 2},
	} {
		say(map[string][]any{"MAIN": bad})
		if got, err := snap.Places(t.Context(), main); err == nil {
			t.Errorf("%s: %+v, want an error", name, got)
		}
	}
	s.Say("places", map[string]any{"rootChanged": true})
	_, err = snap.Places(t.Context(), main)
	wantReason(t, err, refusal.Navigated)
	s.take(t, whole)
	_, err = snap.Places(t.Context(), main)
	wantReason(t, err, refusal.Superseded)
}
