package act_test

import (
	"context"
	"slices"
	"testing"

	"cuatui/engine/act"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
)

// guarded is what the page shows where the guard stopped events of ours.
func guarded(passed, blocked int, why string) map[string]any {
	q := quiet()
	q["guard"] = map[string]any{"passed": passed, "blocked": blocked, "why": why}
	return q
}

// A page that changes between the proof and the delivery is told apart from
// one that was clicked: nothing was delivered.
func TestAPageThatOvertakesTheDelivery(t *testing.T) {
	covered := func(s *stage) { s.sight.Hit, s.sight.By = false, &refusal.Occluder{Tag: "div"} }
	tests := []struct {
		name, route string
		change      func(*stage)
		reason      refusal.Reason
		step        string
	}{
		{"renamed in the task of the click", act.DOMEvent, func(s *stage) {
			s.Answer("press", func(enginetest.Op) (any, *devtools.Error) {
				s.sight.Name = "Delete"
				return map[string]any{"changed": "identity"}, nil
			})
		}, refusal.IdentityChanged, "identity"},
		{"back again when it is looked at", act.DOMEvent, func(s *stage) { s.Say("press", map[string]any{"changed": "covered"}) }, refusal.GeometryChanged, "delivery"},
		{"never as it was proven", act.DOMEvent, func(s *stage) { s.Say("arm", map[string]any{"changed": "identity"}) }, refusal.GeometryChanged, "delivery"},
		{"the guard stopped the key", act.TrustedKey, func(s *stage) { s.Say("settle", guarded(0, 1, "focus")) }, refusal.FocusRefused, "focus"},
		{"the guard stopped the press", act.Trusted, func(s *stage) {
			s.Answer("settle", func(enginetest.Op) (any, *devtools.Error) { covered(s); return guarded(0, 3, "covered"), nil })
		}, refusal.Occluded, "hit"},
		{"it never rests under the pointer", act.Trusted, func(s *stage) {
			s.subject.Look = func(context.Context) (*world.Sight, error) {
				s.looked++
				now := s.sight
				now.Points = [][2]float64{{float64(10 * s.looked), 20}}
				return &now, nil
			}
		}, refusal.GeometryChanged, "delivery"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			s.subject.TrustedSafe = true
			tt.change(s)
			_, err := s.click(t, tt.route)
			wantRefusal(t, err, tt.reason, tt.step)
			if tt.step == "delivery" && slices.Contains(s.delivered(), "mousePressed") {
				t.Errorf("delivered %v", s.delivered())
			}
		})
	}
}

// What the pointer brings up when it comes near is seen before it is pressed.
func TestAnOverlayOnHoverIsNotPressed(t *testing.T) {
	s := newStage(t)
	s.subject.TrustedSafe = true
	s.subject.Look = func(context.Context) (*world.Sight, error) {
		now := s.sight
		if len(s.delivered()) > 0 {
			now.Hit, now.By = false, &refusal.Occluder{Tag: "div", Name: "Menu"}
		}
		return &now, nil
	}
	_, err := s.click(t, act.Trusted)
	wantRefusal(t, err, refusal.Occluded, "hit")
	if got := s.delivered(); !slices.Equal(got, []string{"mouseMoved"}) {
		t.Errorf("delivered %v", got)
	}
}

func TestAKeyThatArrivedInPartIsPartial(t *testing.T) {
	s := newStage(t)
	s.Say("settle", guarded(1, 1, "focus"))
	res, err := s.click(t, act.TrustedKey)
	if err != nil || res.Status != contract.Partial || res.Effect != refusal.EffectPartial {
		t.Errorf("%+v, %v", res, err)
	}
}
