package act_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/act"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
)

// dragStage is a button and a second one to drag it to.
func dragStage(t *testing.T) (s *stage, to act.Subject, there *world.Sight) {
	t.Helper()
	s = newStage(t)
	s.subject.TrustedSafe = true
	place := s.sight
	there = &place
	there.Name, there.Points = "Bin", [][2]float64{{200, 300}}
	to = s.subject
	to.Local, to.Ref.K, to.Ref.Name = 8, 4, "Bin"
	to.Look = func(context.Context) (*world.Sight, error) { v := *there; return &v, nil }
	s.Say("dragNotes", map[string]any{"ok": true})
	s.Say("drag", map[string]any{"ok": true})
	s.Say("dragTold", map[string]any{"started": true, "dropped": true})
	s.Result("Input.setInterceptDrags", nil)
	s.Result("Input.dispatchDragEvent", nil)
	return s, to, there
}

func (s *stage) drag(ctx context.Context, to act.Subject, route string) (*contract.ActionResult, error) {
	return act.Drag(ctx, s.subject, to, contract.PointerRequest{Gesture: "drag", Route: route}, &refusal.Proof{})
}

// sent are the pointer and drag events and the handling of drags, in order.
func (s *stage) sent() []string {
	var out []string
	for _, r := range s.Log() {
		var p struct {
			Type    string
			Enabled bool
		}
		_ = json.Unmarshal(r.Params, &p)
		switch {
		case r.Method == "Input.setInterceptDrags":
			out = append(out, map[bool]string{true: "keep", false: "let"}[p.Enabled])
		case strings.HasPrefix(r.Method, "Input."):
			out = append(out, p.Type)
		}
	}
	return slices.Compact(out)
}

// The real pointer: the browser's own drag stays within the page, and button
// and handling are given back however it ends.
func TestATrustedDragGivesEverythingBack(t *testing.T) {
	hands := func(s *stage) {
		s.Handle("Input.dispatchMouseEvent", func(session string, params json.RawMessage) (any, *devtools.Error) {
			if strings.Contains(string(params), `"buttons":1`) && strings.Contains(string(params), "mouseMoved") && len(s.Calls("Input.dispatchDragEvent")) == 0 {
				s.Emit(session, "Input.dragIntercepted", map[string]any{"data": map[string]any{"items": []any{}}})
			}
			return nil, nil
		})
	}
	for name, tt := range map[string]struct {
		change func(*stage, context.CancelFunc)
		sent   string
		effect refusal.Effect // "" for a refusal
	}{
		"the page lets it begin": {func(s *stage, _ context.CancelFunc) { hands(s) }, "keep mouseMoved mousePressed mouseMoved dragEnter dragOver drop mouseReleased let", refusal.EffectSuspectedNoop},
		"the page takes it over": {func(s *stage, _ context.CancelFunc) {
			s.Say("dragTold", map[string]any{"started": true, "prevented": true})
		}, "keep mouseMoved mousePressed mouseMoved mouseReleased let", refusal.EffectSuspectedNoop},
		"nothing is dragged": {func(s *stage, _ context.CancelFunc) { s.Say("dragTold", map[string]any{}) }, "keep mouseMoved mousePressed mouseMoved mouseReleased let", refusal.EffectSuspectedNoop},
		"a dialog opens": {func(s *stage, _ context.CancelFunc) {
			s.Handle("Input.dispatchMouseEvent", func(_ string, params json.RawMessage) (any, *devtools.Error) {
				if strings.Contains(string(params), "mousePressed") {
					s.dialogs.raise()
				}
				return nil, nil
			})
		}, "keep mouseMoved mousePressed mouseMoved mouseReleased let", refusal.EffectConfirmed},
		"the press is not answered": {func(s *stage, _ context.CancelFunc) {
			s.Handle("Input.dispatchMouseEvent", func(_ string, params json.RawMessage) (any, *devtools.Error) {
				if strings.Contains(string(params), "mousePressed") {
					return nil, &devtools.Error{Code: -32000, Message: "Internal error"}
				}
				return nil, nil
			})
		}, "keep mouseMoved mousePressed mouseMoved mouseReleased let", refusal.EffectUnknown},
		"the caller gives up": {func(s *stage, cancel context.CancelFunc) {
			s.Answer("dragTold", func(enginetest.Op) (any, *devtools.Error) { cancel(); return nil, enginetest.ErrSilent })
		}, "keep mouseMoved mousePressed mouseMoved mouseReleased let", refusal.EffectUnknown},
		"it cannot be kept": {func(s *stage, _ context.CancelFunc) { s.Fail("Input.setInterceptDrags", -32601, "wasn't found") }, "keep", ""},
		"the pointer covers it": {func(s *stage, _ context.CancelFunc) {
			s.Handle("Input.dispatchMouseEvent", func(string, json.RawMessage) (any, *devtools.Error) { s.sight.Hit = false; return nil, nil })
		}, "keep mouseMoved let", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, to, _ := dragStage(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			tt.change(s, cancel)
			res, err := s.drag(ctx, to, act.Trusted)
			if got := strings.Join(s.sent(), " "); got != tt.sent {
				t.Errorf("sent %s\nwant %s", got, tt.sent)
			}
			if _, refused := refusal.As(err); refused != (tt.effect == "") || tt.effect != "" && (err != nil || res.Effect != tt.effect) {
				t.Errorf("%+v, %v; want %s", res, err, tt.effect)
			}
		})
	}
}

// The destination is proven like the node itself, before anything is delivered.
func TestADestinationIsProven(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(s *stage, to *act.Subject, there *world.Sight)
		reason refusal.Reason
	}{
		"it is another":     {func(_ *stage, _ *act.Subject, there *world.Sight) { there.Name = "Shredder" }, refusal.IdentityChanged},
		"it is covered":     {func(_ *stage, _ *act.Subject, there *world.Sight) { there.Hit = false }, refusal.Occluded},
		"it is disabled":    {func(_ *stage, _ *act.Subject, there *world.Sight) { there.Disabled = "disabled" }, refusal.Disabled},
		"it is in no view":  {func(_ *stage, _ *act.Subject, there *world.Sight) { there.Tier = "offscreen" }, refusal.Offscreen},
		"it left meanwhile": {func(s *stage, _ *act.Subject, _ *world.Sight) { s.Say("dragNotes", map[string]any{"gone": true}) }, refusal.NodeGone},
		"it is in a frame":  {func(_ *stage, to *act.Subject, _ *world.Sight) { d := *to.Document; to.Document = &d }, refusal.FramesDiffer},
		"it moves out of view": {func(s *stage, _ *act.Subject, there *world.Sight) {
			s.Answer("arm", func(enginetest.Op) (any, *devtools.Error) {
				there.Tier = "offscreen"
				return map[string]any{"ok": true}, nil
			})
		}, refusal.Offscreen},
	} {
		for _, route := range []string{act.DOMEvent, act.Trusted} {
			s, to, there := dragStage(t)
			tt.change(s, &to, there)
			_, err := s.drag(t.Context(), to, route)
			r, ok := refusal.As(err)
			if !ok || r.Reason != tt.reason {
				t.Fatalf("%s: %v, want %s", name, err, tt.reason)
			}
			if about := strings.Contains(r.Message, "destination"); about != (len(r.Proof) > 0 && tt.reason != refusal.NodeGone && tt.reason != refusal.FramesDiffer) {
				t.Errorf("%s: %s", name, r.Message)
			}
			if len(s.sent()) > 0 || len(s.Asked("drag")) > 0 {
				t.Errorf("%s: delivered %v, %v", name, s.sent(), s.Asked("drag"))
			}
		}
	}
}

func TestADropIsReadBack(t *testing.T) {
	changed := map[string]any{"before": map[string]any{"place": "1"}, "after": map[string]any{"place": "2"}, "settled": "quiet"}
	for name, tt := range map[string]struct {
		told   any
		settle map[string]any
		effect refusal.Effect
	}{
		"dropped, and changed":       {map[string]any{"started": true, "dropped": true}, changed, refusal.EffectConfirmed},
		"dropped, and nothing else":  {map[string]any{"started": true, "dropped": true}, quiet(), refusal.EffectSuspectedNoop},
		"not taken, and yet changed": {map[string]any{"started": true}, changed, refusal.EffectSuspectedNoop},
		"by the pointer":             {map[string]any{}, changed, refusal.EffectConfirmed},
		"taken over by the page":     {map[string]any{"started": true, "prevented": true}, changed, refusal.EffectConfirmed},
		"not told":                   {map[string]any{"gone": true}, changed, refusal.EffectUnknown},
	} {
		s, to, _ := dragStage(t)
		s.Say("dragTold", tt.told)
		s.Say("settle", tt.settle)
		if res, err := s.drag(t.Context(), to, act.DOMEvent); err != nil || res.Effect != tt.effect {
			t.Errorf("%s: %+v, %v; want %s", name, res, err, tt.effect)
		}
	}
}
