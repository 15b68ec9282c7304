package observe

import (
	"fmt"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

func TestFindProvesTheDocument(t *testing.T) {
	s := framed(t)
	seg := next(t, s.take(t, whole))
	var child, main int
	for _, e := range seg.Semantic.Refs {
		var n, k int
		if _, err := fmt.Sscanf(e.Ref, "p%d:%d", &n, &k); err != nil {
			t.Fatal(err)
		}
		if e.Frame == "f1" {
			child = k
		} else {
			main = k
		}
	}
	found, err := s.page.Find(t.Context(), child)
	if err != nil || found.Frame != "f1" || found.Document.FrameID != "CHILD" {
		t.Fatalf("%+v, %v", found, err)
	}
	_, err = s.page.Find(t.Context(), 999)
	wantReason(t, err, refusal.Navigated)
	s.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "L1"}, enginetest.Frame{ID: "CHILD", Parent: "MAIN", Loader: "C2"})
	_, err = s.page.Find(t.Context(), child)
	wantReason(t, err, refusal.Navigated)
	s.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "L1"})
	_, err = s.page.Find(t.Context(), child)
	wantReason(t, err, refusal.FrameGone)
	if found, err := s.page.Find(t.Context(), main); err != nil || found.Frame != "main" {
		t.Errorf("the main document's node: %+v, %v", found, err)
	}
}

// proof is an honest look at a button.
func proof() map[string]any {
	return map[string]any{"role": "button", "name": "Button 0", "f": flagAct, "ev": evNative, "t": "in", "hit": hitOwn, "p": []float64{5, 6}, "b": []float64{1, 2, 3, 4}, "tag": "button", "state": "visible"}
}

func TestLook(t *testing.T) {
	s := framed(t)
	seg := next(t, s.take(t, whole))
	k := func(frame string) int {
		for i, e := range seg.Semantic.Refs {
			if e.Frame == frame {
				return seg.Minted[i].K
			}
		}
		t.Fatalf("nothing of %s", frame)
		return 0
	}
	look := func(frame string) (any, error) {
		found, err := s.page.Find(t.Context(), k(frame))
		if err != nil {
			t.Fatal(err)
		}
		sight, err := s.page.Look(t.Context(), found)
		if err != nil {
			return nil, err
		}
		return *sight, nil
	}
	with := func(key string, value any) map[string]any {
		p := proof()
		p[key] = value
		return p
	}
	s.Say("frame", map[string]any{"row": inner(77, 0), "w": 1000, "h": 800})
	s.Say("proof", proof())
	for frame, want := range map[string][2]float64{"main": {5, 6}, "f1": {15, 16}} {
		found, _ := s.page.Find(t.Context(), k(frame))
		sight, err := s.page.Look(t.Context(), found)
		if err != nil || !sight.Hit || len(sight.Points) != 1 || sight.Points[0] != want || sight.Tier != snapshotfmt.InViewport {
			t.Errorf("in %s: %+v, %v", frame, sight, err)
		}
	}
	s.Say("covers", map[string]any{"covers": []int{2}, "by": map[string]any{"tag": "div", "role": "dialog\n- x", "name": "Layer"}})
	found, _ := s.page.Find(t.Context(), k("f1"))
	if sight, err := s.page.Look(t.Context(), found); err != nil || sight.Hit || sight.Tier != snapshotfmt.PageOccluded || sight.By == nil || sight.By.Name != "Layer" || sight.By.Role != "" {
		t.Errorf("covered from above: %+v, %v", sight, err)
	}
	for _, tt := range []struct {
		name, frame, op string
		answer          any
		want            refusal.Reason
	}{
		{"gone", "main", "proof", map[string]any{"gone": true}, refusal.NodeGone},
		{"another root", "main", "proof", map[string]any{"rootChanged": true}, refusal.Navigated},
		{"its owner is gone", "f1", "frame", map[string]any{"gone": true}, refusal.FrameGone},
		{"covers says too few", "f1", "covers", map[string]any{"covers": []int{}}, refusal.FrameGone},
		{"covers dies", "f1", "covers", destroyed, refusal.FrameGone},
		{"proof dies", "f1", "proof", destroyed, refusal.Navigated},
		{"frame dies", "f1", "frame", destroyed, refusal.FrameGone},
		{"no answer", "main", "proof", nil, ""},
		{"no tier", "main", "proof", with("t", "somewhere"), ""},
		{"a role that plays a line", "main", "proof", with("role", "button\n- link"), ""},
		{"a wrong type", "main", "proof", with("p", "x"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.Say("frame", map[string]any{"row": inner(77, 0), "w": 1000, "h": 800})
			s.Say("proof", proof())
			s.Say("covers", map[string]any{"covers": []int{0}})
			if fails, ok := tt.answer.(*devtools.Error); ok {
				s.Answer(tt.op, func(enginetest.Op) (any, *devtools.Error) { return nil, fails })
			} else {
				s.Say(tt.op, tt.answer)
			}
			got, err := look(tt.frame)
			if tt.want != "" {
				wantReason(t, err, tt.want)
				return
			}
			if _, refused := refusal.As(err); refused || err == nil {
				t.Errorf("got %+v, %v; want an error", got, err)
			}
		})
	}
	s.Say("proof", with("p", []float64{}))
	if got, err := s.page.Look(t.Context(), must(s.page.Find(t.Context(), k("main")))(t)); err != nil || got.Hit {
		t.Errorf("hit at no point: %+v, %v", got, err)
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestAccessibilityIsNotAskedOfAPageItWouldFreeze(t *testing.T) {
	s := script(t)
	survey := buttons(2, 0)
	s.Say("survey", survey)
	s.handles(2)
	s.Result("Accessibility.getPartialAXTree", map[string]any{"nodes": []any{map[string]any{
		"role": map[string]any{"value": "link\n- x"}, "name": map[string]any{"value": " from \u202e AX "}, "description": map[string]any{"value": 7},
	}}})
	o := whole
	o.Meaning = "accessibility"
	seg := next(t, s.take(t, o))
	if e := seg.Semantic.Refs[0]; e.Name != "from AX" || e.Role != "button" || seg.Semantic.Snapshot.Meaning != "accessibility" {
		t.Errorf("%+v, meaning %s", e, seg.Semantic.Snapshot.Meaning)
	}
	survey["labels"] = axLabelsMax + 1
	before := len(s.Calls("Accessibility.getPartialAXTree"))
	seg = next(t, s.take(t, o))
	if i := seg.Semantic.Snapshot; i.Meaning != "computed" || i.MeaningWhy == "" || len(s.Calls("Accessibility.getPartialAXTree")) != before {
		t.Errorf("meaning %s, why %q", i.Meaning, i.MeaningWhy)
	}
}
