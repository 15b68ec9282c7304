package capability

import (
	"testing"

	"cuatui/engine/refusal"
)

func TestVisualRefs(t *testing.T) {
	s := New()
	s.Open("a")
	target, err := s.Bind("a", "exact", 1, []string{"one"})
	if err != nil {
		t.Fatal(err)
	}
	tab := target.Tabs()[0]
	first := target.Begin(tab, "the survey")
	target.Put(tab, first, []Ref{{K: 2}, {K: 4}}, false)
	if !target.PutVisual(tab, first, []int{3, 4}) {
		t.Fatal("the refs of a current snapshot are not taken")
	}
	reason := func(ref string) refusal.Reason {
		k, payload, r := target.ResolveVisual(tab, ref)
		if r == nil && (k == 0 || payload != "the survey") {
			t.Errorf("%s is %d of %v", ref, k, payload)
		}
		if r == nil {
			return ""
		}
		return r.Reason
	}
	for ref, want := range map[string]refusal.Reason{
		"v1:3": "", "v1:4": "", "v1:2": refusal.Foreign, "v2:3": refusal.Foreign, "p1:4": refusal.Malformed, "o1:4": refusal.Malformed, "v1:03": refusal.Malformed, "": refusal.Malformed,
	} {
		if got := reason(ref); got != want {
			t.Errorf("%q: %q, want %q", ref, got, want)
		}
	}
	// What is no visual ref of the snapshot is none because a node has its number,
	// and a node's ref is none because a region has.
	for ref, want := range map[string]refusal.Reason{"v1:3": refusal.RefKindUnsupported, "v9:9": refusal.RefKindUnsupported, "p1:3": refusal.Foreign} {
		if _, _, _, r := target.Resolve(tab, ref); r == nil || r.Reason != want {
			t.Errorf("%s as a node's ref: %v, want %s", ref, r, want)
		}
	}
	target.Begin(tab, "another")
	if target.PutVisual(tab, first, []int{9}) {
		t.Error("a snapshot that is no longer current takes refs")
	}
	if got := reason("v1:3"); got != refusal.Superseded {
		t.Errorf("of a replaced snapshot: %q", got)
	}
	target.Invalidate(tab)
	if got := reason("v2:3"); got != refusal.Navigated {
		t.Errorf("of a document that is gone: %q", got)
	}
	s.Close("a")
	if got := reason("v2:3"); got != refusal.UnknownTarget {
		t.Errorf("of a session that has ended: %q", got)
	}
}
