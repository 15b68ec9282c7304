package observe

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

func TestSegmentsGoThroughTheWholePageOnce(t *testing.T) {
	for _, tt := range []struct {
		name                    string
		in, rest, nodes, output int
		format                  string
	}{
		{"all in one", 5, 0, 300, 16_000, ""},
		{"node budget", 25, 0, 10, 16_000, ""},
		{"into the rest", 5, 27, 10, 16_000, ""},
		{"only offscreen", 0, 3, 300, 16_000, ""},
		{"output budget", 40, 13, 300, headTokens + 60, ""},
		{"output budget of a flat list", 40, 13, 300, headTokens + 60, snapshotfmt.DomRefsV1},
		{"output budget of a tree with uids", 40, 13, 300, headTokens + 60, snapshotfmt.AxUIDV1},
		{"a budget that holds nothing takes one at a time", 3, 2, 300, 1, ""},
		{"one node at a time", 3, 2, 1, 16_000, snapshotfmt.AxUIDV1},
		{"an empty page", 0, 0, 300, 16_000, ""},
		{"an empty list", 0, 0, 300, 16_000, snapshotfmt.DomRefsV1},
		{"more than is described at once", 700, 0, 300, 1_000_000, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := script(t)
			s.Say("survey", buttons(tt.in, tt.rest))
			s.Answer("describe", batch)
			s.Answer("rest", limitRest(tt.rest))
			snap := s.take(t, Options{NodeBudget: tt.nodes, OutputBudget: tt.output, Format: tt.format})
			seen, returned := map[string]bool{}, 0
			for range 1000 {
				seg := next(t, snap)
				i := seg.Semantic.Snapshot
				returned += i.Returned
				if i.Returned+i.Earlier+i.Omitted.Total() != i.Candidates || i.Earlier+i.Returned != returned || len(seg.Minted) != i.Returned {
					t.Fatalf("segment %d does not add up: %+v, %d minted", i.Segment, i, len(seg.Minted))
				}
				if i.Returned > tt.nodes {
					t.Errorf("segment %d holds %d of at most %d nodes", i.Segment, i.Returned, tt.nodes)
				}
				InEveryFormat(t, seg.Semantic)
				if i.Returned > 1 && i.EstimatedTokens > tt.output {
					t.Errorf("segment %d costs %d of at most %d tokens", i.Segment, i.EstimatedTokens, tt.output)
				}
				for _, e := range seg.Semantic.Refs {
					if seen[e.Ref] {
						t.Errorf("%s comes twice", e.Ref)
					}
					seen[e.Ref] = true
					if !strings.Contains(seg.Semantic.Outline, " "+e.Ref+" ") {
						t.Errorf("%s is not in the outline", e.Ref)
					}
				}
				if seg.More {
					continue
				}
				if len(seen) != tt.in+tt.rest || !i.Complete || i.Omitted.Total() != 2 {
					t.Errorf("%d of %d came; complete %v, omitted %+v", len(seen), tt.in+tt.rest, i.Complete, i.Omitted)
				}
				return
			}
			t.Fatal("no end")
		})
	}
}

// What a format tells of a node, and another does not, is paid for in that one.
func TestABudgetIsSpentOnWhatTheFormatTells(t *testing.T) {
	returned := map[string]int{}
	for _, format := range []string{"", snapshotfmt.DomRefsV1, snapshotfmt.AxUIDV1} {
		s := script(t)
		survey := buttons(40, 0)
		for _, n := range survey["nodes"].([]any) {
			n.(map[string]any)["d"] = strings.Repeat("long ", 40)
		}
		s.Say("survey", survey)
		i := next(t, s.take(t, Options{NodeBudget: 300, OutputBudget: 1000, Format: format})).Semantic.Snapshot
		if i.EstimatedTokens > 1000 || i.Returned == 0 {
			t.Errorf("%q: %d nodes cost %d of 1000 tokens", format, i.Returned, i.EstimatedTokens)
		}
		returned[format] = i.Returned
	}
	if returned[""] != 40 || returned[snapshotfmt.DomRefsV1] != 40 || returned[snapshotfmt.AxUIDV1] >= 40 {
		t.Errorf("of 40 nodes with a description, which only the tree tells, came %v", returned)
	}
}

// The first segment of a whole page is the viewport and near it; the rest is
// for the next ones.
func TestTheFirstSegmentEndsWithTheViewport(t *testing.T) {
	s := script(t)
	s.Say("survey", buttons(2, 5))
	s.Answer("rest", limitRest(5))
	seg := next(t, s.take(t, whole))
	i := seg.Semantic.Snapshot
	if i.Returned != 2 || i.Omitted.Offscreen != 5 || i.Complete || !seg.More {
		t.Errorf("%+v, more %v", i, seg.More)
	}
	if len(s.Asked("rest")) != 0 {
		t.Error("the rest was asked for")
	}
}

func TestAWarmSnapshotCostsTheSameCallsWhateverThePage(t *testing.T) {
	cost := func(n int) (calls int) {
		s := script(t)
		s.Say("survey", buttons(n, 100*n))
		next(t, s.take(t, whole))
		before := s.calls()
		seg := next(t, s.take(t, whole))
		calls = s.calls() - before
		if got := seg.Semantic.Generated.ProtocolCalls; got != calls {
			t.Errorf("%d buttons: %d calls were made, %d are reported", n, calls, got)
		}
		if seg.Semantic.Generated.ReplyBytes <= 0 {
			t.Error("no reply bytes are reported")
		}
		return calls
	}
	small, large := cost(1), cost(300)
	if small != large || small > 7 {
		t.Errorf("a page of one button costs %d calls, of 300 %d; at most 7", small, large)
	}
}

func TestTheSameNodeKeepsItsIdentity(t *testing.T) {
	s := script(t)
	s.Say("survey", buttons(3, 0))
	first, second := next(t, s.take(t, whole)), next(t, s.take(t, whole))
	if first.Minted[2].K != second.Minted[2].K {
		t.Errorf("k was %d and is %d", first.Minted[2].K, second.Minted[2].K)
	}
	s.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "L2", URL: "http://localhost/"})
	if third := next(t, s.take(t, whole)); third.Minted[0].K <= second.Minted[2].K {
		t.Errorf("k %d of another document was in use up to %d", third.Minted[0].K, second.Minted[2].K)
	}
}

// A survey that asks the documents for a newer order ends the older snapshot:
// its indices would mean other nodes.
func TestOnlyTheNewestSnapshotGoesOn(t *testing.T) {
	s := script(t)
	s.Say("survey", buttons(25, 0))
	s.Answer("describe", batch)
	small := Options{NodeBudget: 10, OutputBudget: 16_000}
	older := s.take(t, small)
	next(t, older)
	newer := s.take(t, small)
	_, err := older.Next(t.Context(), 1, "continuation")
	wantReason(t, err, refusal.Superseded)
	next(t, newer)
}

var destroyed = &devtools.Error{Code: -32000, Message: "Execution context was destroyed."}

func TestAPageThatNavigatesWhileItIsReadIsReadAgainOnce(t *testing.T) {
	changing := map[string]func(*scripted, func() bool){
		"the survey dies": func(s *scripted, fails func() bool) {
			s.Answer("survey", func(enginetest.Op) (any, *devtools.Error) {
				if fails() {
					return nil, destroyed
				}
				return buttons(1, 0), nil
			})
		},
		"another document answers": func(s *scripted, fails func() bool) {
			s.Answer("same", func(enginetest.Op) (any, *devtools.Error) { return map[string]any{"same": !fails()}, nil })
		},
		"another loader stands in the frame": func(s *scripted, fails func() bool) {
			s.Answer("same", func(enginetest.Op) (any, *devtools.Error) {
				if fails() {
					s.SetFrames(enginetest.Frame{ID: "MAIN", Loader: fmt.Sprint("L", s.calls())})
				}
				return map[string]any{"same": true}, nil
			})
		},
		"the world cannot be entered": func(s *scripted, fails func() bool) {
			enter := 0
			s.Handle("Page.createIsolatedWorld", func(string, json.RawMessage) (any, *devtools.Error) {
				if fails() {
					return nil, &devtools.Error{Code: -32000, Message: "No frame for given id found"}
				}
				enter++
				return map[string]any{"executionContextId": 0}, nil
			})
			s.Handle("Runtime.evaluate", func(string, json.RawMessage) (any, *devtools.Error) {
				return map[string]any{"result": map[string]any{"objectId": "ops-MAIN"}}, nil
			})
		},
	}
	for name, change := range changing {
		for times := range 4 {
			t.Run(fmt.Sprintf("%s %d times", name, times), func(t *testing.T) {
				s := script(t)
				s.Say("survey", buttons(1, 0))
				left := times
				change(s, func() bool { left--; return left >= 0 })
				snap, err := s.page.Take(t.Context(), whole)
				if times > 1 {
					wantReason(t, err, refusal.Navigated)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if seg := next(t, snap); seg.Semantic.Snapshot.Returned != 1 {
					t.Errorf("%+v", seg.Semantic.Snapshot)
				}
			})
		}
	}
}

func TestContinuingProvesTheDocumentAgain(t *testing.T) {
	for name, breaks := range map[string]func(*scripted){
		"another loader": func(s *scripted) { s.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "L9"}) },
		"not the same":   func(s *scripted) { s.Say("same", map[string]any{"same": false}) },
		"gone": func(s *scripted) {
			s.Answer("same", func(enginetest.Op) (any, *devtools.Error) { return nil, destroyed })
		},
		"describe dies": func(s *scripted) {
			s.Answer("describe", func(enginetest.Op) (any, *devtools.Error) { return nil, destroyed })
		},
		"root changed": func(s *scripted) { s.Say("describe", map[string]any{"rootChanged": true}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := script(t)
			survey := buttons(25, 0)
			survey["nodes"] = survey["nodes"].([]any)[:10]
			s.Say("survey", survey)
			s.Answer("describe", batch)
			snap := s.take(t, Options{NodeBudget: 10, OutputBudget: 16_000})
			next(t, snap)
			breaks(s)
			_, err := snap.Next(t.Context(), 1, "continuation")
			wantReason(t, err, refusal.Navigated)
		})
	}
}
