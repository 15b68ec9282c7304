package act_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"cuatui/engine/act"
)

// What is expected of an action is read after the node was proven and before
// anything is delivered; where it cannot be read, nothing is.
func TestWhatHoldsIsReadLastBeforeTheAction(t *testing.T) {
	s := newStage(t)
	calls := 0
	s.subject.Before = func(context.Context) error {
		calls++
		if s.looked == 0 || len(s.delivered()) > 0 || len(s.Asked("arm")) > 0 {
			t.Errorf("read after %d looks, %v delivered, %d armed", s.looked, s.delivered(), len(s.Asked("arm")))
		}
		return nil
	}
	if _, err := s.click(t, act.DOMEvent); err != nil || calls != 1 || !slices.Equal(s.delivered(), []string{"press"}) {
		t.Errorf("%v, read %d times, delivered %v", err, calls, s.delivered())
	}
	blind := errors.New("blind")
	s = newStage(t)
	s.subject.Before = func(context.Context) error { return blind }
	if _, err := s.click(t, act.DOMEvent); !errors.Is(err, blind) || len(s.delivered()) > 0 {
		t.Errorf("%v, delivered %v", err, s.delivered())
	}
}
