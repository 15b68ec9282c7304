package job

import (
	"context"
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

func answer(n int) func(context.Context) (int, error) {
	return func(context.Context) (int, error) { return n, nil }
}

func done(t *testing.T, cmd tea.Cmd) Done[int] {
	t.Helper()
	d, ok := cmd().(Done[int])
	if !ok {
		t.Fatal("the command gave no answer")
	}
	return d
}

func TestTheLatestWinsAndTheOldIsCancelled(t *testing.T) {
	var s Slot[int]
	first := s.Start(t.Context(), time.Time{}, "one", func(ctx context.Context) (int, error) { return 1, ctx.Err() })
	second := s.Start(t.Context(), time.Time{}, "two", answer(2))
	a, b := done(t, first), done(t, second)
	if !errors.Is(a.Err, context.Canceled) {
		t.Error("the first call was not cancelled")
	}
	if s.Accept(a) {
		t.Error("a stale answer was accepted")
	}
	if !s.Accept(b) || b.Value != 2 {
		t.Errorf("the latest answer was not accepted: %+v", b)
	}
	if s.Accept(b) {
		t.Error("an answer was accepted twice")
	}
}

func TestAStoppedCallIsNotAccepted(t *testing.T) {
	var s Slot[int]
	cmd := s.Start(t.Context(), time.Time{}, "reading", answer(1))
	if stage, _, ok := s.Running(); !ok || stage != "reading" {
		t.Errorf("running = %q, %v", stage, ok)
	}
	s.Stop()
	if _, _, ok := s.Running(); ok {
		t.Error("a stopped call still runs")
	}
	if s.Accept(done(t, cmd)) {
		t.Error("the answer of a stopped call was accepted")
	}
}

func TestAPanicBecomesAMessage(t *testing.T) {
	var s Slot[int]
	msg := s.Start(t.Context(), time.Time{}, "", func(context.Context) (int, error) { panic("planted") })()
	p, ok := msg.(*PanicError)
	if !ok || p.Value != "planted" || len(p.Stack) == 0 {
		t.Errorf("message = %#v", msg)
	}
}

func TestAnErrorIsHandedOn(t *testing.T) {
	var s Slot[int]
	want := errors.New("lost")
	d := done(t, s.Start(t.Context(), time.Time{}, "", func(context.Context) (int, error) { return 0, want }))
	if !s.Accept(d) || !errors.Is(d.Err, want) {
		t.Errorf("answer = %+v", d)
	}
}
