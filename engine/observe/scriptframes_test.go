package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// inner is the row of a frame element k at document position i.
func inner(k, i int) map[string]any {
	return map[string]any{"k": k, "i": i, "tier": "in", "inner": []float64{10, 10, 500, 500}, "vis": []float64{10, 10, 500, 500}, "scale": []float64{1, 1}}
}

// framed is a page with the frame element 77 of the child CHILD.
func framed(t *testing.T) *scripted {
	s := script(t)
	s.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "L1"}, enginetest.Frame{ID: "CHILD", Parent: "MAIN", Loader: "C1"})
	s.Owner("CHILD", 77)
	s.Answer("survey", func(op enginetest.Op) (any, *devtools.Error) {
		if op.Frame == "CHILD" {
			return buttons(3, 0), nil
		}
		return buttons(2, 0, inner(77, 1)), nil
	})
	s.Answer("covers", func(op enginetest.Op) (any, *devtools.Error) {
		var a struct{ Points []float64 }
		if err := json.Unmarshal(op.Arg, &a); err != nil {
			return nil, &devtools.Error{Message: err.Error()}
		}
		return map[string]any{"covers": make([]int, len(a.Points)/2)}, nil
	})
	return s
}

func TestAFrameIsReadInItsPlace(t *testing.T) {
	s := framed(t)
	seg := next(t, s.take(t, whole))
	i := seg.Semantic.Snapshot
	if i.Returned != 5 || i.Omitted.Total() != 4 || i.Candidates != 9 || !i.Complete {
		t.Errorf("%+v", i)
	}
	for _, e := range seg.Semantic.Refs {
		if e.Frame == "f1" && (e.Box == nil || e.Box[0] != 10 || e.Box[1] < 10) {
			t.Errorf("%s of the frame is at %v", e.Ref, e.Box)
		}
	}
	if !slices.ContainsFunc(seg.Semantic.Frames, func(f snapshotfmt.Frame) bool { return f.ID == "f1" && f.Parent == "main" && f.Status == "read" }) {
		t.Errorf("frames: %+v", seg.Semantic.Frames)
	}
}

// A frame that cannot be proven costs that frame, and is counted.
func TestAFrameThatIsLostIsCounted(t *testing.T) {
	for name, breaks := range map[string]func(*scripted){
		"while it was read": func(s *scripted) {
			s.Answer("survey", func(op enginetest.Op) (any, *devtools.Error) {
				if op.Frame == "CHILD" {
					return nil, destroyed
				}
				return buttons(2, 0, inner(77, 1)), nil
			})
		},
		"afterwards": func(s *scripted) {
			s.Answer("same", func(op enginetest.Op) (any, *devtools.Error) { return map[string]any{"same": op.Frame == "MAIN"}, nil })
		},
		"its owner is gone":   func(s *scripted) { s.Owner("CHILD", 0) },
		"its owner is hidden": func(s *scripted) { s.Owner("CHILD", 78) },
		"covers says too few": func(s *scripted) { s.Say("covers", map[string]any{"covers": []int{0}}) },
		"covers says nothing": func(s *scripted) { s.Say("covers", map[string]any{"gone": true}) },
		"it has no process": func(s *scripted) {
			s.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "L1"})
		},
		"before it was entered": func(s *scripted) {
			enter := 0
			s.Handle("Page.createIsolatedWorld", func(_ string, params json.RawMessage) (any, *devtools.Error) {
				if strings.Contains(string(params), "CHILD") {
					return nil, &devtools.Error{Code: -32000, Message: "No frame for given id found"}
				}
				enter++
				return map[string]any{"executionContextId": 0}, nil
			})
			s.Handle("Runtime.evaluate", func(string, json.RawMessage) (any, *devtools.Error) {
				return map[string]any{"result": map[string]any{"objectId": "ops-MAIN"}}, nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := framed(t)
			breaks(s)
			seg := next(t, s.take(t, whole))
			i := seg.Semantic.Snapshot
			if i.Returned != 2 || i.Omitted.UnprovableFrame < 1 || i.Complete || i.Returned+i.Omitted.Total() != i.Candidates {
				t.Errorf("%+v", i)
			}
			if !slices.ContainsFunc(seg.Semantic.Frames, func(f snapshotfmt.Frame) bool { return f.Status == "unprovable" && f.Why != "" }) {
				t.Errorf("frames: %+v", seg.Semantic.Frames)
			}
		})
	}
}

// An out-of-process frame may come and go between two reads, before it was
// ever followed.
func TestAProcessThatCameAndWentIsForgotten(t *testing.T) {
	s := framed(t)
	s.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "L1"})
	s.Handle("Target.setAutoAttach", func(session string, _ json.RawMessage) (any, *devtools.Error) {
		if session == s.page.session.ID() {
			s.Emit(session, "Target.attachedToTarget", map[string]any{"sessionId": "GONE", "targetInfo": map[string]any{"targetId": "X", "type": "iframe", "parentFrameId": "MAIN"}})
			s.Gone(session, "GONE")
		}
		return nil, nil
	})
	if i := next(t, s.take(t, whole)).Semantic.Snapshot; i.Returned != 2 {
		t.Errorf("%+v", i)
	}
	next(t, s.take(t, whole))
}

func TestAnOutOfProcessFrameIsReadByItsOwnSession(t *testing.T) {
	s := framed(t)
	s.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "L1"}, enginetest.Frame{ID: "CHILD", Loader: "C1", Session: "OOP"})
	s.Handle("Target.setAutoAttach", func(on string, _ json.RawMessage) (any, *devtools.Error) {
		if on == s.page.session.ID() {
			s.AnnounceAs(on, "OOP", map[string]any{"targetId": "CHILD", "type": "iframe", "parentFrameId": "MAIN"})
		}
		return nil, nil
	})
	if i := next(t, s.take(t, whole)).Semantic.Snapshot; i.Returned != 5 || !i.Complete {
		t.Errorf("%+v", i)
	}
	asked := false
	for _, r := range s.Calls("Runtime.callFunctionOn") {
		asked = asked || r.Session == "OOP"
	}
	if !asked {
		t.Error("the frame's own session was not asked")
	}
	s.Gone(s.page.session.ID(), "OOP")
	if i := next(t, s.take(t, whole)).Semantic.Snapshot; i.Returned != 2 || i.Omitted.UnprovableFrame != 1 {
		t.Errorf("after its process went: %+v", i)
	}
}

// A frame may come back in another process with the loader it had: what was
// known through the old session is known no more.
func TestADocumentIsEnteredAgainThroughItsNewSession(t *testing.T) {
	s := framed(t)
	tab := s.page.session.ID()
	s.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "L1"}, enginetest.Frame{ID: "CHILD", Loader: "C1", Session: "OOP"})
	s.Handle("Target.setAutoAttach", func(on string, _ json.RawMessage) (any, *devtools.Error) {
		if on == tab {
			s.AnnounceAs(on, "OOP", map[string]any{"targetId": "CHILD", "type": "iframe", "parentFrameId": "MAIN"})
		}
		return nil, nil
	})
	next(t, s.take(t, whole))
	s.Gone(tab, "OOP")
	s.AnnounceAs(tab, "NEXT", map[string]any{"targetId": "CHILD", "type": "iframe", "parentFrameId": "MAIN"})
	s.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "L1"}, enginetest.Frame{ID: "CHILD", Loader: "C1", Session: "NEXT"})
	if _, _, err := s.page.Moved(t.Context()); err != nil { // its answer comes after the news
		t.Fatal(err)
	}
	if i := next(t, s.take(t, whole)).Semantic.Snapshot; i.Returned != 5 || !i.Complete {
		t.Errorf("%+v", i)
	}
}

// Every way a connection can end, at every message of a snapshot, is that
// error: never a refusal, a partial snapshot or a panic.
func TestALostConnectionStaysAnError(t *testing.T) {
	s := framed(t)
	next(t, s.take(t, whole))
	total := s.calls()
	for cut := 2; cut <= total; cut++ { // 1 attaches
		s := framed(t)
		s.LoseAt(cut, io.ErrUnexpectedEOF)
		snap, err := s.page.Take(t.Context(), whole)
		if err == nil {
			_, err = snap.Next(t.Context(), 1, "viewport")
		}
		if err == nil && cut == total {
			continue // everything had been said
		}
		if _, refused := refusal.As(err); refused || !errors.Is(err, devtools.ErrClosed) {
			t.Errorf("cut at message %d of %d: %v", cut, total, err)
		}
		if _, err := s.page.Take(t.Context(), whole); !errors.Is(err, devtools.ErrClosed) {
			t.Errorf("afterwards: %v", err)
		}
	}
}

// The tab may be closed under a read: that is no refusal either.
func TestAClosedTabStaysAnError(t *testing.T) {
	for name, at := range map[string]string{"taking": "survey", "proving": "same", "going on": "rest", "looking": "proof"} {
		t.Run(name, func(t *testing.T) {
			s := script(t)
			s.Say("survey", buttons(2, 5))
			s.Answer("rest", limitRest(5))
			s.Say("proof", proof())
			closeTab := func() {
				s.Answer(at, func(enginetest.Op) (any, *devtools.Error) {
					s.Gone("", s.page.session.ID())
					return nil, destroyed
				})
			}
			read := func() error {
				snap, err := s.page.Take(t.Context(), whole)
				if err != nil {
					return err
				}
				seg, err := snap.Next(t.Context(), 1, "viewport")
				if err != nil {
					return err
				}
				found, err := s.page.Find(t.Context(), seg.Minted[0].K)
				if err != nil {
					return err
				}
				if _, err := s.page.Look(t.Context(), found); err != nil {
					return err
				}
				_, err = snap.Next(t.Context(), 1, "continuation")
				return err
			}
			if err := read(); err != nil {
				t.Fatal(err)
			}
			closeTab()
			err := read()
			if _, refused := refusal.As(err); refused || !errors.Is(err, devtools.ErrDetached) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestADeadlineEndsASnapshot(t *testing.T) {
	s := script(t)
	s.Say("survey", buttons(1, 0))
	waiting := s.Take("Runtime.callFunctionOn")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-waiting; cancel(context.DeadlineExceeded) }()
	if _, err := s.page.Take(ctx, whole); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	limited, stop := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer stop()
	if _, err := s.page.Take(limited, whole); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// New documents are entered all at once, what covers the frames of one level is
// asked of the document above for all of them, and so is the listening of all
// processes: nothing of it is waited for one by one.
func TestTheFramesOfALevelAreAskedTogether(t *testing.T) {
	const frames, processes = 5, 3
	s := script(t)
	tree := []enginetest.Frame{{ID: "MAIN", Loader: "L1"}}
	rows := []map[string]any{}
	for i := range frames {
		id := fmt.Sprint("CHILD", i)
		f := enginetest.Frame{ID: id, Parent: "MAIN", Loader: "C1"}
		if i > 0 && i < processes {
			f.Session = fmt.Sprint("OOP", i)
		}
		tree = append(tree, f)
		s.Owner(id, 70+i)
		rows = append(rows, inner(70+i, 1+i))
	}
	s.SetFrames(tree...)
	s.Handle("Target.setAutoAttach", func(on string, _ json.RawMessage) (any, *devtools.Error) {
		for i := 1; on == s.page.session.ID() && i < processes; i++ {
			s.AnnounceAs(on, fmt.Sprint("OOP", i), map[string]any{"targetId": fmt.Sprint("CHILD", i), "type": "iframe", "parentFrameId": "MAIN"})
		}
		return nil, nil
	})
	s.Answer("survey", func(op enginetest.Op) (any, *devtools.Error) {
		if op.Frame == "MAIN" {
			return buttons(2, 0, rows...), nil
		}
		return buttons(3, 0), nil
	})
	s.Answer("covers", func(op enginetest.Op) (any, *devtools.Error) { return map[string]any{"covers": []int{0, 0, 0}}, nil })
	held := []<-chan struct{}{
		s.together("Page.createIsolatedWorld", "", 1+frames), s.together("Runtime.callFunctionOn", `"covers"`, frames), s.together("DOMDebugger.getEventListeners", "", processes),
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for range 2 { // all is new, nothing is
		snap, err := s.page.Take(ctx, whole)
		if err != nil {
			t.Fatalf("one is waited for before the next is asked: %v", err)
		}
		if i := next(t, snap).Semantic.Snapshot; i.Returned != 2+3*frames || !i.Complete {
			t.Errorf("%+v", i)
		}
	}
	_ = s.conn.Close()
	for _, ended := range held {
		<-ended
	}
}

// together answers calls of a method as before, but those that name what only
// when n of them have come. The channel closes with the browser.
func (s *scripted) together(method, what string, n int) <-chan struct{} {
	answer, taken, ended := s.Handler(method), s.Take(method), make(chan struct{})
	go func() {
		defer close(ended)
		var held []*enginetest.Request
		for {
			var r *enginetest.Request
			select {
			case r = <-taken:
			case <-s.conn.Done():
				return
			}
			held = append(held, r)
			if strings.Contains(string(r.Params), what) && len(held) < n {
				continue
			}
			for _, h := range held {
				if v, err := answer(h.Session, h.Params); err != nil {
					h.Fail(err.Code, err.Message)
				} else {
					h.Reply(v)
				}
			}
			held = nil
		}
	}()
	return ended
}
