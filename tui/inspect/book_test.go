package inspect

import (
	"testing"

	"cuatui/snapshotfmt"
)

func segment(n int, next string) Segment {
	return Segment{Semantic: &snapshotfmt.Semantic{Snapshot: snapshotfmt.Info{Segment: n, Continuation: next}}}
}

func TestSegmentsAreTurnedLikePages(t *testing.T) {
	var b Book
	if _, ok := b.Current(); ok || b.More() || b.Earlier() || b.Back() || b.Forward() {
		t.Error("an empty book has pages")
	}
	b.Start(segment(1, "bc-1"))
	b.Append(segment(2, "bc-2"))
	b.Append(segment(3, ""))
	at := func() int { s, _ := b.Current(); return s.Snapshot.Segment }
	if at() != 3 || b.More() || b.Continuation() != "" {
		t.Errorf("after reading on: segment %d, more %v", at(), b.More())
	}
	for _, want := range []bool{true, true, false} {
		if got := b.Back(); got != want {
			t.Errorf("back from segment %d = %v", at(), got)
		}
	}
	if at() != 1 || !b.More() {
		t.Errorf("back ends at %d", at())
	}
	if !b.Forward() || at() != 2 {
		t.Errorf("forward leads to %d", at())
	}
	b.Start(segment(1, ""))
	if b.Read() != 1 || b.More() {
		t.Error("a new snapshot keeps old segments")
	}
}

func TestK(t *testing.T) {
	for ref, want := range map[string]int{"p42:8": 8, "p1:120": 120, "": 0, "p42": 0, "p42:x": 0, "p42:-3": 0, "p1:99999999999999999999": 0} {
		if got := K(ref); got != want {
			t.Errorf("K(%q) = %d, want %d", ref, got, want)
		}
	}
}
