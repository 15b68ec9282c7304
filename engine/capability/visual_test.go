package capability

import (
	"strings"
	"testing"
	"time"

	"cuatui/engine/limits"
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

func TestCaptures(t *testing.T) {
	s := New()
	s.Open("a")
	target, err := s.Bind("a", "exact", 1, []string{"one"})
	if err != nil {
		t.Fatal(err)
	}
	tab := target.Tabs()[0]
	n := target.Begin(tab, nil)
	now := time.Unix(1000, 0)
	reason := func(id string, at time.Time) refusal.Reason {
		_, r := target.TakeCapture(tab, id, at)
		return reasonOf(r)
	}
	mint := func(payload any) string {
		id := target.MintCapture(tab, n, payload, now)
		if !strings.HasPrefix(id, "shot-") {
			t.Fatalf("the id is %q", id)
		}
		return id
	}
	once := mint("payload")
	for range 2 { // to look uses nothing up
		if c, r := target.Capture(tab, once, now); r != nil || c.Payload != "payload" {
			t.Fatalf("%+v, %v", c, r)
		}
	}
	if c, r := target.TakeCapture(tab, once, now.Add(limits.CaptureTTL-1)); r != nil || c.Payload != "payload" {
		t.Errorf("%+v, %v", c, r)
	}
	late, given := mint(nil), []string{}
	for id, want := range map[string]refusal.Reason{once: refusal.Spent, "shot-1": refusal.Foreign, "p1:2": refusal.Malformed, "": refusal.Malformed} {
		if got := reason(id, now); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
	if got := reason(late, now.Add(limits.CaptureTTL)); got != refusal.Spent {
		t.Errorf("after its time: %q", got)
	}
	for range limits.CapturesMax + 1 {
		given = append(given, mint(nil))
	}
	if got := reason(given[0], now); got != refusal.Spent {
		t.Errorf("the oldest of too many: %q", got)
	}
	if got := reason(given[1], now); got != "" {
		t.Errorf("of as many as are kept: %q", got)
	}
	target.Begin(tab, nil)
	if id := target.MintCapture(tab, n, nil, now); id != "" {
		t.Errorf("of a snapshot that is no longer current: %s", id)
	}
	if got := reason(given[2], now); got != refusal.Spent {
		t.Errorf("of a replaced snapshot: %q", got)
	}
	s.Close("a")
	if got := reason(given[3], now); got != refusal.UnknownTarget {
		t.Errorf("of a session that has ended: %q", got)
	}
}
