package observe

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
)

// tells answers told: by frame id, what each document shows of the texts asked for.
func (s *scripted) tells(shown map[string][]string, rows map[string][]map[string]any) {
	s.Answer("told", func(op enginetest.Op) (any, *devtools.Error) {
		var a struct{ Texts []string }
		if err := json.Unmarshal(op.Arg, &a); err != nil {
			return nil, &devtools.Error{Message: err.Error()}
		}
		has := []bool{}
		for _, text := range a.Texts {
			has = append(has, text != "" && slices.Contains(shown[op.Frame], text))
		}
		frames := rows[op.Frame]
		if frames == nil {
			frames = []map[string]any{}
		}
		return map[string]any{"changes": 1, "url": "http://localhost/" + op.Frame, "w": 1000, "h": 800, "shown": has, "hosts": []int{}, "frames": frames}, nil
	})
	s.Answer("changed", func(enginetest.Op) (any, *devtools.Error) { return map[string]any{"changes": 1}, nil })
}

// nested is a page whose main document shows "above" and whose frame shows "below".
func nested(t *testing.T) (s *scripted, shown map[string][]string, rows map[string][]map[string]any) {
	s = framed(t)
	shown = map[string][]string{"MAIN": {"above"}, "CHILD": {"below"}}
	rows = map[string][]map[string]any{"MAIN": {inner(77, 1)}}
	s.tells(shown, rows)
	return s, shown, rows
}

func (s *scripted) holds(t *testing.T, c Conditions) Answer {
	t.Helper()
	got, err := s.page.Holds(t.Context(), c)
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	return got[0]
}

// A text counts wherever it is shown; it is gone only where every document was
// read and none shows it.
func TestEveryDocumentIsLookedInto(t *testing.T) {
	hidden := func(tier, sub string) map[string]any {
		row := inner(77, 1)
		row["tier"], row["sub"] = tier, sub
		return row
	}
	for name, tt := range map[string]struct {
		change                        func(*scripted, map[string][]string, map[string][]map[string]any)
		above, below, none, belowGone Truth
		noneGone                      Truth
		why                           string // of noneGone
	}{
		"all are read": {nil, True, True, False, False, True, ""},
		"the frame is hidden": {func(_ *scripted, _ map[string][]string, r map[string][]map[string]any) {
			r["MAIN"][0] = hidden("css_hidden", "display")
		}, True, False, False, True, True, ""},
		"the frame has no box": {func(_ *scripted, _ map[string][]string, r map[string][]map[string]any) {
			r["MAIN"][0] = hidden("no_layout", "empty_box")
		}, True, False, False, True, True, ""},
		"a modal is before it": {func(_ *scripted, _ map[string][]string, r map[string][]map[string]any) {
			r["MAIN"][0] = hidden("css_hidden", "behind_modal")
		}, True, True, False, False, True, ""},
		"its process is not ours": {func(s *scripted, _ map[string][]string, _ map[string][]map[string]any) {
			s.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "L1"})
		}, True, Unproven, Unproven, Unproven, Unproven, "not attached"},
		"its place is not known":    {func(s *scripted, _ map[string][]string, _ map[string][]map[string]any) { s.Owner("CHILD", 78) }, True, Unproven, Unproven, Unproven, Unproven, "place"},
		"it is replaced meanwhile":  {func(s *scripted, _ map[string][]string, _ map[string][]map[string]any) { s.breaks("CHILD") }, True, Unproven, Unproven, Unproven, Unproven, "frame f1: it was replaced"},
		"the page is read too late": {func(s *scripted, _ map[string][]string, _ map[string][]map[string]any) { s.breaks("MAIN") }, Unproven, Unproven, Unproven, Unproven, Unproven, "frame main"},
	} {
		t.Run(name, func(t *testing.T) {
			s, shown, rows := nested(t)
			if tt.change != nil {
				tt.change(s, shown, rows)
			}
			for _, q := range []struct {
				what string
				c    Conditions
				want Truth
			}{
				{"above", Conditions{Text: "above"}, tt.above},
				{"below", Conditions{Text: "below"}, tt.below},
				{"none", Conditions{Text: "none"}, tt.none},
				{"below gone", Conditions{TextGone: "below"}, tt.belowGone},
				{"none gone", Conditions{TextGone: "none"}, tt.noneGone},
			} {
				got := s.holds(t, q.c)
				if got.Truth != q.want || (got.Why != "") != (q.want == Unproven) {
					t.Errorf("%s: %s (%s), want %s", q.what, got.Truth, got.Why, q.want)
				}
				if q.what == "none gone" && !strings.Contains(got.Why, tt.why) {
					t.Errorf("none gone: %s, want %s", got.Why, tt.why)
				}
			}
		})
	}
}

// breaks has the document of a frame go away whenever it is asked.
func (s *scripted) breaks(frame string) {
	was := map[string][]map[string]any{"MAIN": {inner(77, 1)}}
	shown := map[string][]string{"MAIN": {"above"}, "CHILD": {"below"}}
	s.tells(shown, was)
	s.Answer("told", func(next enginetest.Answer) enginetest.Answer {
		return func(op enginetest.Op) (any, *devtools.Error) {
			if op.Frame == frame {
				return nil, destroyed
			}
			return next(op)
		}
	}(func(op enginetest.Op) (any, *devtools.Error) {
		return map[string]any{"changes": 1, "w": 1000, "h": 800, "shown": []bool{op.Frame == "MAIN" && strings.Contains(string(op.Arg), `"above"`), false}, "frames": was[op.Frame], "hosts": []int{}}, nil
	}))
}

func TestATextIsNotGoneFromADocumentThatIsStillLoaded(t *testing.T) {
	s := script(t)
	s.Say("told", map[string]any{"changes": 1, "loading": true, "shown": []bool{false, false}})
	if got := s.holds(t, Conditions{TextGone: "x"}); got.Truth != Unproven || !strings.Contains(got.Why, "loaded") {
		t.Errorf("%+v", got)
	}
}

// A closed shadow tree that nobody has asked about is asked for before a text
// is called gone.
func TestAClosedShadowTreeIsOpenedForAText(t *testing.T) {
	s := script(t)
	asked := false
	ops := s.Handler("Runtime.callFunctionOn")
	s.Handle("Runtime.callFunctionOn", func(session string, params json.RawMessage) (any, *devtools.Error) {
		if strings.Contains(string(params), "this.node") {
			return map[string]any{"result": map[string]any{"objectId": "nodes"}}, nil
		}
		return ops(session, params)
	})
	s.Result("Runtime.getProperties", map[string]any{"result": []any{map[string]any{"name": "0", "value": map[string]any{"objectId": "node-9"}}}})
	s.Result("DOM.describeNode", map[string]any{"node": map[string]any{"shadowRoots": []any{map[string]any{"backendNodeId": 10, "shadowRootType": "closed"}}}})
	s.Answer("closed", func(enginetest.Op) (any, *devtools.Error) { asked = true; return map[string]any{}, nil })
	s.Answer("told", func(enginetest.Op) (any, *devtools.Error) {
		hosts := []int{9}
		if asked {
			hosts = nil
		}
		return map[string]any{"changes": 1, "shown": []bool{false, asked}, "hosts": hosts}, nil
	})
	if got := s.holds(t, Conditions{TextGone: "x"}); got.Truth != False {
		t.Errorf("%+v", got)
	}
}

func TestAWaitEndsWithTheFirstChangeThatFulfilsIt(t *testing.T) {
	s, shown, rows := nested(t)
	var n atomic.Int32
	s.Answer("changed", func(op enginetest.Op) (any, *devtools.Error) {
		if op.Frame == "CHILD" && n.Add(1) == 2 {
			s.tells(map[string][]string{"MAIN": shown["MAIN"], "CHILD": {"late"}}, rows)
		}
		if op.Frame == "MAIN" {
			return nil, enginetest.ErrSilent // it never changes
		}
		return map[string]any{"changes": 1}, nil
	})
	w, err := s.page.Wait(t.Context(), Conditions{Text: "late", TextGone: "below", URL: "MAIN"}, time.Minute)
	if err != nil || !w.Met || w.Before || w.URL != "http://localhost/MAIN" {
		t.Errorf("%+v, %v", w, err)
	}
	if w, err := s.page.Wait(t.Context(), Conditions{Text: "late"}, time.Minute); err != nil || !w.Met || !w.Before {
		t.Errorf("what holds already: %+v, %v", w, err)
	}
}

func TestAWaitThatIsOverSaysWhatIsMissing(t *testing.T) {
	s, _, _ := nested(t)
	w, err := s.page.Wait(t.Context(), Conditions{Text: "above", TextGone: "below"}, time.Millisecond)
	if fact, why := w.Missing(); err != nil || w.Met || fact != "text_gone" || why != "" {
		t.Errorf("%+v, %v", w, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.page.Wait(ctx, Conditions{Text: "none"}, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Whatever a document answers, it is an error or an answer, and nothing is met by it.
func TestWrongAnswersMeetNothing(t *testing.T) {
	for name, reply := range map[string]any{
		"nothing":              map[string]any{},
		"too few texts":        map[string]any{"shown": []bool{true}},
		"a frame of no number": map[string]any{"shown": []bool{true, false}, "frames": []any{map[string]any{"i": 3}}},
		"hosts without end":    map[string]any{"shown": []bool{true, false}, "hosts": make([]int, 5000)},
		"another type":         map[string]any{"shown": "yes"},
		"null":                 nil,
	} {
		s := script(t)
		s.Say("told", reply)
		if got, err := s.page.Holds(t.Context(), Conditions{Text: "x"}); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestWhatANodeHasComeTo(t *testing.T) {
	all := strings.Fields("gone checked unchecked pressed unpressed expanded collapsed selected unselected disabled enabled focused empty value")
	for name, tt := range map[string]struct {
		node *nodeReply
		is   string
	}{
		"a checked box":   {&nodeReply{Checked: "true"}, "checked enabled"},
		"a mixed box":     {&nodeReply{Checked: "mixed"}, "enabled"},
		"an open list":    {&nodeReply{Expanded: "true", Pressed: "false", Selected: "false", Focused: true}, "unpressed expanded unselected enabled focused"},
		"an empty field":  {&nodeReply{Holds: true, Empty: true, Disabled: true}, "disabled empty"},
		"a filled field":  {&nodeReply{Holds: true, Equal: true}, "enabled value"},
		"no field at all": {&nodeReply{Empty: true, Equal: true}, "enabled"},
		"without a box":   {&nodeReply{Boxless: true, Checked: "true"}, "gone checked enabled"},
		"gone":            {&nodeReply{Gone: true, Checked: "true"}, "gone"},
	} {
		var is []string
		for _, state := range all {
			if truth, _ := tt.node.truth(state); truth == True {
				is = append(is, state)
			}
		}
		if got := strings.Join(is, " "); got != tt.is {
			t.Errorf("%s is %q, want %q", name, got, tt.is)
		}
	}
	var unread *nodeReply
	if truth, why := unread.truth("gone"); truth != Unproven || why == "" {
		t.Errorf("a node that could not be read: %s (%s)", truth, why)
	}
}
