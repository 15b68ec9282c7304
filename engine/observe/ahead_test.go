package observe

import (
	"encoding/json"
	"slices"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
)

// surveys lists the documents that were surveyed since the first n calls, in
// order, and "count" where the page's work was counted.
func (s *scripted) surveys(n int) (out []string) {
	for _, r := range s.Log()[n:] {
		switch r.Method {
		case "Performance.getMetrics":
			out = append(out, "count")
		case "Runtime.callFunctionOn":
			var p struct {
				ObjectID  string
				Arguments []struct{ Value json.RawMessage }
			}
			if json.Unmarshal(r.Params, &p) == nil && len(p.Arguments) > 0 && string(p.Arguments[0].Value) == `"survey"` {
				out = append(out, p.ObjectID)
			}
		}
	}
	return out
}

// A page that is read again is asked at once, in all its documents, behind the
// counts that its next read is held against. What is asked otherwise than last
// time is asked anew, and every document's answer is that to the last question.
func TestAPageThatIsAsItWasIsAskedAtOnce(t *testing.T) {
	var at float64
	for _, tt := range []struct {
		name    string
		between func(s *scripted)
		want    []string // the surveys of the second read
	}{
		{"nothing", func(*scripted) {}, []string{"count", "ops-CHILD", "ops-MAIN"}},
		{"a frame moves", func(*scripted) { at = 40 }, []string{"count", "ops-CHILD", "ops-MAIN", "ops-CHILD"}},
		{"somebody listens", func(s *scripted) {
			s.Result("DOMDebugger.getEventListeners", map[string]any{"listeners": []any{map[string]any{"type": "click", "backendNodeId": 5}}})
			s.handles(1)
		}, []string{"count", "ops-CHILD", "ops-MAIN", "ops-MAIN", "ops-CHILD"}},
		{"a read that failed", func(s *scripted) {
			s.Fail("DOMDebugger.getEventListeners", -32000, "no")
			if _, err := s.page.Take(t.Context(), whole); err == nil {
				t.Error("a page whose listeners are not told was read")
			}
			s.Result("DOMDebugger.getEventListeners", map[string]any{"listeners": []any{}})
		}, []string{"count", "ops-CHILD", "ops-MAIN"}},
		{"a long walk", func(s *scripted) {
			s.Answer("survey", func(op enginetest.Op) (any, *devtools.Error) {
				long := buttons(2, 0, inner(77, 1))
				if op.Frame == "CHILD" {
					long = buttons(3, 0)
				}
				long["walkMS"] = 300
				return long, nil
			})
			s.take(t, whole)
		}, []string{"count", "ops-MAIN", "ops-CHILD"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at = 10
			s := framed(t)
			read := 0
			s.Answer("survey", func(op enginetest.Op) (any, *devtools.Error) {
				read++
				if op.Frame == "CHILD" {
					return buttons(3, read), nil
				}
				row := inner(77, 1)
				row["inner"] = []float64{at, at, 500, 500}
				return buttons(2, read, row), nil
			})
			s.take(t, whole)
			tt.between(s)
			n := s.calls()
			snap := s.take(t, whole)
			got := s.surveys(n)
			if !slices.Equal(got, tt.want) {
				t.Errorf("asked %q, want %q", got, tt.want)
			}
			if tt.name == "a long walk" {
				return
			}
			if main, child := snap.docs[0].reply.Rest, snap.docs[1].reply.Rest; max(main, child) != read {
				t.Errorf("the snapshot holds the answers %d and %d of %d", main, child, read)
			}
		})
	}
}

// After a read that failed the documents may hold another order than that of
// the snapshot before: nothing more is taken from that.
func TestAReadThatFailsEndsTheSnapshotBeforeIt(t *testing.T) {
	s := framed(t)
	snap := s.take(t, whole)
	s.Say("survey", "nonsense")
	if _, err := s.page.Take(t.Context(), whole); err == nil {
		t.Fatal("nonsense was read")
	}
	if _, err := snap.Next(t.Context(), 1, "viewport"); err == nil {
		t.Error("the snapshot before goes on")
	}
}
