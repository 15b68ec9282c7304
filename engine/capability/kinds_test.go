package capability

import (
	"testing"

	"cuatui/engine/refusal"
)

func TestRefsOfOtherKindsAreToldFromWhatIsNoRef(t *testing.T) {
	s := New()
	s.Open("s")
	target, err := s.Bind("s", "exact", 1, []string{"key"})
	if err != nil {
		t.Fatal(err)
	}
	tab := target.Tabs()[0]
	n := target.Begin(tab, nil)
	target.Put(tab, n, []Ref{{K: 2}}, false)
	for ref, want := range map[string]refusal.Reason{
		"p1:2": "", "p1:3": refusal.Foreign,
		"o1:2": refusal.RefKindUnsupported, "o1:3": refusal.RefKindUnsupported, "o7:1": refusal.RefKindUnsupported, "v1:1": refusal.RefKindUnsupported,
		"": refusal.Malformed, "o": refusal.Malformed, "o1": refusal.Malformed, "o1:": refusal.Malformed, "o01:2": refusal.Malformed, "o1:02": refusal.Malformed,
		"o+1:2": refusal.Malformed, "o1:+2": refusal.Malformed, "o0:2": refusal.Malformed, "o1:2 ": refusal.Malformed, "x1:2": refusal.Malformed, "O1:2": refusal.Malformed,
		"ō1:2": refusal.Malformed, "\xff1:2": refusal.Malformed, "1:2": refusal.Malformed,
	} {
		got, _, _, r := target.Resolve(tab, ref)
		if reasonOf(r) != want || want == "" && got.K != 2 {
			t.Errorf("Resolve(%q) = %+v, %v; want %q", ref, got, r, want)
		}
	}
}
