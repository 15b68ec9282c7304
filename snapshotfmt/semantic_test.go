package snapshotfmt_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"cuatui/snapshotfmt"
)

func TestEveryOmitReasonHasItsOwnCounter(t *testing.T) {
	for i, r := range snapshotfmt.OmitReasons {
		var o snapshotfmt.Omitted
		o.Add(r, "", i+1)
		for _, other := range snapshotfmt.OmitReasons {
			want := 0
			if other == r {
				want = i + 1
			}
			if got := o.Get(other); got != want {
				t.Errorf("after Add(%s, %d): %s = %d", r, i+1, other, got)
			}
		}
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(data, &fields); err != nil || fields[string(r)] != float64(i+1) {
			t.Errorf("%s is not a field of its own name: %s", r, data)
		}
	}
}

func TestOmittedAddsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var o snapshotfmt.Omitted
		total, parts := 0, map[string]int{}
		for range r.IntN(40) {
			reason := snapshotfmt.OmitReasons[r.IntN(len(snapshotfmt.OmitReasons))]
			sub := []string{"", "display", "opacity"}[r.IntN(3)]
			n := r.IntN(5)
			o.Add(reason, sub, n)
			total += n
			if sub != "" && n != 0 {
				parts[string(reason)+"/"+sub] += n
			}
		}
		if o.Total() != total {
			t.Fatalf("Total = %d, want %d", o.Total(), total)
		}
		if len(o.Sub) != len(parts) {
			t.Fatalf("parts are %v, want %v", o.Sub, parts)
		}
		for key, n := range parts {
			if o.Sub[key] != n {
				t.Errorf("%s = %d, want %d", key, o.Sub[key], n)
			}
			reason, _, _ := strings.Cut(key, "/")
			if o.Get(snapshotfmt.OmitReason(reason)) < n {
				t.Errorf("%s is more than %s", key, reason)
			}
		}
	}
}

func TestAnUnknownOmitReasonIsADefect(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a reason outside the vocabulary was counted somewhere")
		}
	}()
	var o snapshotfmt.Omitted
	o.Add("other", "", 1)
}
