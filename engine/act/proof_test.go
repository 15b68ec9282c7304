package act_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"cuatui/engine/act"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
	"cuatui/snapshotfmt"
)

// Each row breaks what its step proves, and everything that later steps prove:
// the first failure in the fixed order is the refusal, and nothing is delivered.
func TestTheProofFailsAtTheFirstStepAndDeliversNothing(t *testing.T) {
	// what each step needs broken, latest step first
	hide := func(s *stage) {
		s.sight.Tier, s.sight.Sub, s.sight.Hit, s.sight.Points = snapshotfmt.CSSHidden, "display", false, nil
	}
	noHit := func(s *stage) { s.sight.Hit, s.sight.Points = false, nil }
	route := func(s *stage) { s.sight.Contract = "" }
	disable := func(s *stage) { s.sight.Disabled = "disabled" }
	undeclare := func(s *stage) { s.subject.Ref.Actions = nil }
	rename := func(s *stage) { s.sight.Name = "Cancel" }
	gone := func(s *stage) {
		s.subject.Look = func(context.Context) (*world.Sight, error) { return nil, refusal.New(refusal.NodeGone, "gone") }
	}
	document := func(s *stage) {
		s.subject.Look = func(context.Context) (*world.Sight, error) { return nil, refusal.New(refusal.Navigated, "replaced") }
	}
	all := []func(*stage){route, noHit, hide, disable, undeclare, rename}
	tests := []struct {
		name   string
		breaks []func(*stage)
		reason refusal.Reason
		step   string
	}{
		{"document", append(slices.Clone(all), document), refusal.Navigated, "document"},
		{"liveness", append(slices.Clone(all), gone), refusal.NodeGone, "node"},
		{"identity", all[:6], refusal.IdentityChanged, "identity"},
		{"declared", all[:5], refusal.Disabled, "declared"}, // the control says why it declares none
		{"enabled", all[:4], refusal.Disabled, "enabled"},
		{"visible", all[:3], refusal.Hidden, "visible"},
		{"hit", all[:2], refusal.Occluded, "hit"},
		{"route", all[:1], refusal.NoKeyContract, "route"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			for _, b := range tt.breaks {
				b(s)
			}
			_, err := s.click(t, act.TrustedKey)
			wantRefusal(t, err, tt.reason, tt.step)
			if got := s.delivered(); len(got) > 0 {
				t.Errorf("%v was delivered", got)
			}
			if len(s.Asked("arm")) > 0 {
				t.Error("the page is observed after a failed proof")
			}
		})
	}
}

func TestEveryStepRefusesForItsOwnReason(t *testing.T) {
	tests := []struct {
		name   string
		route  string
		change func(*stage)
		reason refusal.Reason
		step   string
	}{
		{"another role", act.DOMEvent, func(s *stage) { s.sight.Role = "link" }, refusal.IdentityChanged, "identity"},
		{"another row", act.DOMEvent, func(s *stage) { s.sight.RowKey = "row 2" }, refusal.IdentityChanged, "identity"},
		{"it declares nothing", act.DOMEvent, func(s *stage) { s.subject.Ref.Actions = nil }, refusal.NotDeclared, "declared"},
		{"it is chosen from", act.DOMEvent, func(s *stage) {
			s.subject.Ref.Role, s.sight.Role = "combobox", "combobox"
			s.subject.Ref.Actions = []string{"select"}
		}, refusal.NotDeclared, "declared"},
		{"it was covered and is", act.DOMEvent, func(s *stage) {
			s.subject.Ref.Actions, s.sight.Hit, s.sight.By = nil, false, &refusal.Occluder{Tag: "div"}
		}, refusal.Occluded, "hit"},
		{"inert", act.DOMEvent, func(s *stage) { s.sight.Tier, s.sight.Sub = snapshotfmt.CSSHidden, "inert" }, refusal.Inert, "visible"},
		{"behind a modal", act.DOMEvent, func(s *stage) { s.sight.Tier, s.sight.Sub = snapshotfmt.CSSHidden, "behind_modal" }, refusal.Inert, "visible"},
		{"transparent", act.DOMEvent, func(s *stage) { s.sight.Tier, s.sight.Sub = snapshotfmt.CSSHidden, "opacity" }, refusal.Hidden, "visible"},
		{"no box", act.DOMEvent, func(s *stage) { s.sight.Tier, s.sight.Sub = snapshotfmt.NoLayoutT, "zero_area" }, refusal.NoLayout, "visible"},
		{"off the canvas", act.DOMEvent, func(s *stage) { s.sight.Tier, s.sight.Sub = snapshotfmt.NoLayoutT, "off_canvas" }, refusal.Offscreen, "visible"},
		{"no scrolling helps", act.DOMEvent, func(s *stage) { s.sight.Tier = snapshotfmt.OffscreenT }, refusal.Offscreen, "visible"},
		{"covered", act.DOMEvent, func(s *stage) { s.sight.Tier, s.sight.Hit = snapshotfmt.PageOccluded, false }, refusal.Occluded, "hit"},
		{"it lets the pointer through", act.DOMEvent, func(s *stage) { s.sight.Hit, s.sight.Why = false, "pointer_events_none" }, refusal.Occluded, "hit"},
		{"hit at no point", act.DOMEvent, func(s *stage) { s.sight.Points = nil }, refusal.Occluded, "hit"},
		{"the pointer raises the window", act.Trusted, func(*stage) {}, refusal.WouldActivate, "route"},
		{"the page keeps the focus", act.TrustedKey, func(s *stage) { s.Say("focus", map[string]any{"focused": false}) }, refusal.FocusRefused, "focus"},
		{"it dies while it is measured", act.DOMEvent, func(s *stage) { s.Say("stable", map[string]any{"gone": true}) }, refusal.NodeGone, "node"},
		{"it dies before it is observed", act.DOMEvent, func(s *stage) { s.Say("arm", map[string]any{"gone": true}) }, refusal.NodeGone, "node"},
		{"it dies before it is focused", act.TrustedKey, func(s *stage) { s.Say("focus", map[string]any{"gone": true}) }, refusal.NodeGone, "node"},
		{"the document dies before it is observed", act.DOMEvent, func(s *stage) { s.Answer("arm", fails("Execution context was destroyed.")) }, refusal.Navigated, "document"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			tt.change(s)
			_, err := s.click(t, tt.route)
			wantRefusal(t, err, tt.reason, tt.step)
			if got := s.delivered(); len(got) > 0 {
				t.Errorf("%v was delivered", got)
			}
			if len(s.Asked("arm")) > 0 && tt.step == "focus" && len(s.Asked("disarm")) != 1 {
				t.Error("the page is still observed")
			}
		})
	}
}

func fails(message string) enginetest.Answer {
	return func(enginetest.Op) (any, *devtools.Error) {
		return nil, &devtools.Error{Code: -32000, Message: message}
	}
}

func TestAnOccluderIsNamedWithItsRef(t *testing.T) {
	s := newStage(t)
	s.sight.Hit, s.sight.Why, s.sight.By, s.sight.ByK = false, "covered", &refusal.Occluder{Tag: "div", Role: "dialog", Name: "Cookies"}, 9
	_, err := s.click(t, act.DOMEvent)
	r := wantRefusal(t, err, refusal.Occluded, "hit")
	if r.Detail == nil || r.Detail.Occluder == nil || r.Detail.Occluder.Ref != "p1:9" || r.Detail.Occluder.Name != "Cookies" {
		t.Errorf("the detail is %+v", r.Detail)
	}
}

func TestARefusedRouteNamesTheOthers(t *testing.T) {
	for route, want := range map[string][]string{act.TrustedKey: {act.DOMEvent, act.Trusted}, act.Trusted: {act.TrustedKey, act.DOMEvent}} {
		s := newStage(t)
		if route == act.TrustedKey {
			s.sight.Contract, s.subject.TrustedSafe = "", true
		}
		_, err := s.click(t, route)
		r, ok := refusal.As(err)
		if !ok || !slices.Equal(r.Detail.AlternativeRoutes, want) {
			t.Errorf("%s: %v, detail %+v; want %v", route, err, r.Detail, want)
		}
	}
}

// What is out of view is scrolled to, proven again where it then stands, and said.
func TestANodeOutOfViewIsRevealedAndProvenAgain(t *testing.T) {
	s := newStage(t)
	s.sight.Tier, s.sight.Hit, s.sight.Points = snapshotfmt.NearViewport, false, nil
	s.Answer("reveal", func(enginetest.Op) (any, *devtools.Error) {
		s.sight.Tier, s.sight.Hit, s.sight.Points = snapshotfmt.InViewport, true, [][2]float64{{1, 2}}
		return map[string]any{"moved": true}, nil
	})
	res, err := s.click(t, act.DOMEvent)
	if err != nil || len(res.SideEffects) != 1 || len(s.delivered()) != 1 || s.looked != 3 {
		t.Errorf("%+v, %v; delivered %v, looked %d times", res, err, s.delivered(), s.looked)
	}
	s = newStage(t)
	s.sight.Tier, s.sight.Hit = snapshotfmt.OffscreenT, false
	s.Answer("reveal", func(enginetest.Op) (any, *devtools.Error) {
		s.sight.Name = "Recycled"
		return map[string]any{"moved": true}, nil
	})
	_, err = s.click(t, act.DOMEvent)
	wantRefusal(t, err, refusal.IdentityChanged, "identity")
	if got := s.delivered(); len(got) > 0 {
		t.Errorf("%v was delivered to a recycled row", got)
	}
}

// What moves is looked at again when it has come to rest.
func TestANodeThatMovedIsLookedAtAgain(t *testing.T) {
	s := newStage(t)
	s.Say("stable", map[string]any{"stable": false})
	s.subject.Look = func(context.Context) (*world.Sight, error) {
		s.looked++
		now := s.sight
		if s.looked == 2 {
			now.Hit, now.By = false, &refusal.Occluder{Tag: "div"}
		}
		return &now, nil
	}
	_, err := s.click(t, act.DOMEvent)
	wantRefusal(t, err, refusal.Occluded, "hit")
}

// A look that fails for another reason than the page's is that failure.
func TestALostBrowserIsNoRefusal(t *testing.T) {
	s := newStage(t)
	s.subject.Look = func(context.Context) (*world.Sight, error) { return nil, io.ErrUnexpectedEOF }
	if _, err := s.click(t, act.DOMEvent); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

// A dialog stops the page's script: the proof would hang on it.
func TestADialogEndsTheProof(t *testing.T) {
	for _, tt := range []struct{ op, route string }{{"stable", act.DOMEvent}, {"arm", act.DOMEvent}, {"focus", act.TrustedKey}} {
		t.Run(tt.op, func(t *testing.T) {
			s := newStage(t)
			s.Answer(tt.op, func(enginetest.Op) (any, *devtools.Error) {
				s.dialogs.raise()
				return nil, enginetest.ErrSilent
			})
			_, err := s.click(t, tt.route)
			wantRefusal(t, err, refusal.DialogOpen, "no_dialog")
			if got := s.delivered(); len(got) > 0 {
				t.Errorf("%v was delivered", got)
			}
		})
	}
}
