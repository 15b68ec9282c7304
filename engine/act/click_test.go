package act_test

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/act"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
)

var routes = map[string][]string{
	act.DOMEvent:   {"press"},
	act.TrustedKey: {"keyDown", "keyUp"},
	act.Trusted:    {"mouseMoved", "mousePressed", "mouseReleased"},
}

func TestEachRouteDeliversItsEventsOnce(t *testing.T) {
	for route, want := range routes {
		t.Run(route, func(t *testing.T) {
			s := newStage(t)
			s.subject.TrustedSafe = true
			s.Say("settle", map[string]any{"before": map[string]any{"checked": "false"}, "after": map[string]any{"checked": "true"}, "settled": "quiet"})
			res, err := s.click(t, route)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.delivered(); !slices.Equal(got, want) {
				t.Errorf("delivered %v, want %v", got, want)
			}
			if res.Effect != refusal.EffectConfirmed || res.Status != contract.OK || res.Route != route || res.Settled != "quiet" || res.Delivery.Mode != "background" {
				t.Errorf("%+v", res)
			}
			if want := "document pass, node pass, identity pass, declared pass, enabled pass, visible pass, hit pass, route pass"; steps(res.Proof) != want {
				t.Errorf("the proof is %s", steps(res.Proof))
			}
			if res.RoundTrips < 2 || res.RoundTrips > 5 {
				t.Errorf("%d round trips up to delivery", res.RoundTrips)
			}
		})
	}
}

// What a page unchecks within a third of a second was never checked.
func TestWhatAClickChecksMustStand(t *testing.T) {
	for role, stands := range map[string]float64{"checkbox": 350, "switch": 350, "button": 80} {
		s := newStage(t)
		s.subject.Ref.Role, s.sight.Role = role, role
		var asked struct {
			QuietMS float64 `json:"quietMS"`
		}
		s.Answer("settle", func(op enginetest.Op) (any, *devtools.Error) {
			if err := json.Unmarshal(op.Arg, &asked); err != nil {
				t.Error(err)
			}
			return quiet(), nil
		})
		if _, err := s.click(t, act.DOMEvent); err != nil || asked.QuietMS != stands {
			t.Errorf("a %s must stand for %v ms, want %v: %v", role, asked.QuietMS, stands, err)
		}
	}
}

// What the press does to the desktop is said by who sees it.
func TestATrustedClickInTheForegroundSaysSoAndNoMore(t *testing.T) {
	s := newStage(t)
	s.subject.Foreground = true
	res, err := s.click(t, act.Trusted)
	if err != nil || res.Delivery.Mode != "foreground" || len(res.SideEffects) > 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestAKeyInAHiddenTabEmulatesTheFocusAndGivesItBack(t *testing.T) {
	s := newStage(t)
	s.sight.TabVisible = false
	res, err := s.click(t, act.TrustedKey)
	if err != nil || len(res.SideEffects) != 2 {
		t.Errorf("%+v, %v", res, err)
	}
	var states []string
	for _, r := range s.Calls("Emulation.setFocusEmulationEnabled") {
		states = append(states, string(r.Params))
	}
	if want := []string{`{"enabled":true}`, `{"enabled":false}`}; !slices.Equal(states, want) {
		t.Errorf("emulation went %v", states)
	}
}

// A key to a page that draws nothing would be lost.
func TestAHiddenTabThatDrawsNothingGetsNoKey(t *testing.T) {
	s := newStage(t)
	s.sight.TabVisible = false
	s.Say("focus", map[string]any{"focused": true, "undrawn": true})
	_, err := s.click(t, act.TrustedKey)
	r := wantRefusal(t, err, refusal.NotDrawn, "focus")
	if got := s.delivered(); len(got) > 0 || r.Detail == nil || !slices.Equal(r.Detail.AlternativeRoutes, []string{act.DOMEvent}) {
		t.Errorf("delivered %v; %+v", got, r.Detail)
	}
	if calls := s.Calls("Emulation.setFocusEmulationEnabled"); len(calls) != 2 {
		t.Errorf("the emulation was set %d times", len(calls))
	}
}

// The answers to a delivery, and what may be said of it.
func TestAnUnansweredDeliveryIsDoubt(t *testing.T) {
	detached := func(s *stage) enginetest.Answer {
		return func(enginetest.Op) (any, *devtools.Error) {
			s.Gone("", s.subject.Tab.ID())
			return nil, enginetest.ErrSilent
		}
	}
	tests := []struct {
		name   string
		change func(*stage)
		effect refusal.Effect
		reason refusal.Reason // a refusal: nothing was delivered
	}{
		{"it ran and replaced the document", func(s *stage) {
			s.Answer("press", fails("Execution context was destroyed."))
			s.Answer("settle", fails("Cannot find context with specified id"))
		}, refusal.EffectConfirmed, ""},
		{"the document was replaced afterwards", func(s *stage) { s.Answer("settle", fails("Inspected target navigated or closed")) }, refusal.EffectConfirmed, ""},
		{"the observation was lost with its document", func(s *stage) { s.Say("settle", map[string]any{"rootChanged": true}) }, refusal.EffectConfirmed, ""},
		{"the document was gone before it arrived", func(s *stage) { s.Answer("press", fails("Could not find object with given id")) }, "", refusal.Navigated},
		{"the node was gone when it arrived", func(s *stage) { s.Say("press", map[string]any{"gone": true}) }, "", refusal.NodeGone},
		{"the browser failed", func(s *stage) { s.Answer("press", fails("Internal error")) }, refusal.EffectUnknown, ""},
		{"the answer means nothing", func(s *stage) { s.Say("press", nil) }, refusal.EffectUnknown, ""},
		{"the tab went away with it", func(s *stage) { s.Answer("press", detached(s)) }, refusal.EffectUnknown, ""},
		{"the tab went away afterwards", func(s *stage) { s.Answer("settle", detached(s)) }, refusal.EffectUnknown, ""},
		{"the effect cannot be read", func(s *stage) { s.Answer("settle", fails("Internal error")) }, refusal.EffectUnknown, ""},
		{"the observation is empty", func(s *stage) { s.Say("settle", map[string]any{"settled": "quiet"}) }, refusal.EffectUnknown, ""},
		{"nothing was read before", func(s *stage) { s.Say("settle", map[string]any{"after": map[string]any{"url": "u"}}) }, refusal.EffectUnknown, ""},
		{"the observation is of another type", func(s *stage) { s.Say("settle", map[string]any{"after": 7}) }, refusal.EffectUnknown, ""},
		{"the observation is null", func(s *stage) { s.Say("settle", nil) }, refusal.EffectUnknown, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			tt.change(s)
			res, err := s.click(t, act.DOMEvent)
			if got := s.delivered(); !slices.Equal(got, []string{"press"}) {
				t.Errorf("delivered %v", got)
			}
			if tt.reason != "" {
				wantRefusal(t, err, tt.reason, "delivery")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if res.Effect != tt.effect || (res.Status == contract.Partial) != (tt.effect == refusal.EffectUnknown) {
				t.Errorf("%s, %s (%s); want %s", res.Status, res.Effect, res.Settled, tt.effect)
			}
		})
	}
}

func TestASeriesThatIsCutShortIsDoubt(t *testing.T) {
	for _, tt := range []struct {
		failing string
		effect  refusal.Effect
	}{{"keyDown", ""}, {"keyUp", refusal.EffectUnknown}} {
		s := newStage(t)
		s.Handle("Input.dispatchKeyEvent", func(_ string, params json.RawMessage) (any, *devtools.Error) {
			if strings.Contains(string(params), tt.failing) {
				return nil, &devtools.Error{Code: -32001, Message: "Session with given id not found."}
			}
			return nil, nil
		})
		res, err := s.click(t, act.TrustedKey)
		if tt.effect == "" {
			wantRefusal(t, err, refusal.Navigated, "delivery")
			continue
		}
		if err != nil || res.Effect != tt.effect {
			t.Errorf("%s: %+v, %v", tt.failing, res, err)
		}
	}
}

// A dialog that a click opens is its effect, at once, whatever holds its answers back.
func TestADialogIsTheEffect(t *testing.T) {
	for route, events := range routes {
		t.Run(route, func(t *testing.T) {
			s := newStage(t)
			s.subject.TrustedSafe = true
			raise := func(_ string, params json.RawMessage) (any, *devtools.Error) {
				if strings.Contains(string(params), "mouseMoved") {
					return nil, nil // what only comes near clicks nothing
				}
				if s.dialogs.Open() == nil {
					s.dialogs.raise()
				}
				return nil, enginetest.ErrSilent
			}
			s.Handle("Input.dispatchMouseEvent", raise)
			s.Handle("Input.dispatchKeyEvent", raise)
			s.Answer("press", func(enginetest.Op) (any, *devtools.Error) { return raise("", nil) })
			res, err := s.click(t, route)
			if err != nil || res.Effect != refusal.EffectConfirmed || res.Dialog == nil || res.Dialog.Text != "hello" {
				t.Errorf("%+v, %v", res, err)
			}
			if got := s.delivered(); !slices.Equal(got, events) {
				t.Errorf("delivered %v", got)
			}
			if len(s.Asked("settle")) > 0 {
				t.Error("the page was asked behind the dialog")
			}
		})
	}
	s := newStage(t)
	s.Answer("settle", func(enginetest.Op) (any, *devtools.Error) { s.dialogs.raise(); return nil, enginetest.ErrSilent })
	if res, err := s.click(t, act.DOMEvent); err != nil || res.Dialog == nil || res.Effect != refusal.EffectConfirmed {
		t.Errorf("a dialog while it settles: %+v, %v", res, err)
	}
}

// The connection is cut at every message of a click, before it is sent and
// after: nothing is delivered twice, and what is said of it is true.
func TestAClickCutAnywhereTellsTheTruth(t *testing.T) {
	for route, events := range routes {
		t.Run(route, func(t *testing.T) {
			whole := newStage(t)
			whole.subject.TrustedSafe, whole.sight.TabVisible = true, route == act.Trusted // the pointer needs a tab that is shown
			first := len(whole.Log())
			if _, err := whole.click(t, route); err != nil {
				t.Fatal(err)
			}
			for cut := first + 1; cut <= len(whole.Log()); cut++ {
				s := newStage(t)
				s.subject.TrustedSafe, s.sight.TabVisible = true, route == act.Trusted
				s.LoseAt(cut, io.ErrUnexpectedEOF)
				res, err := s.click(t, route)
				at := whole.Log()[cut-1].Method
				if got := s.delivered(); len(got) > len(events) || !slices.Equal(got, events[:len(got)]) {
					t.Errorf("cut at %d, %s: delivered %v", cut, at, got)
				}
				_, refused := refusal.As(err)
				// a pointer that has come near has clicked nothing
				switch sent := len(slices.Compact(append([]string{"mouseMoved"}, s.delivered()...))) > 1; {
				case refused:
					t.Errorf("cut at %d, %s: a lost connection is the refusal %v", cut, at, err)
				case sent && (err != nil || res.Effect == refusal.EffectNone || res.Effect == refusal.EffectSuspectedNoop && cut < len(whole.Log())):
					t.Errorf("cut at %d, %s: it was sent, and the answer is %+v, %v", cut, at, res, err)
				case !sent && err != nil && !errors.Is(err, devtools.ErrClosed):
					t.Errorf("cut at %d, %s: %v", cut, at, err)
				case !sent && err == nil && res.Effect != refusal.EffectUnknown:
					t.Errorf("cut at %d, %s: nothing was sent, and the effect is %s", cut, at, res.Effect)
				}
			}
		})
	}
}
