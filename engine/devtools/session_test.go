package devtools_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
)

func TestAttach(t *testing.T) {
	b, c := connect(t)
	first, second := attach(t, c, "T"), attach(t, c, "U")
	if first.ID() == "" || first.ID() == second.ID() {
		t.Errorf("sessions %q and %q", first.ID(), second.ID())
	}
	if n := c.Counters().Sessions; n != 2 {
		t.Errorf("%d sessions are attached, want 2", n)
	}
	for _, reply := range []any{nil, map[string]any{"sessionId": ""}, map[string]any{"sessionId": 5}, []int{}} {
		b.Result("Target.attachToTarget", reply)
		if s, err := c.Attach(t.Context(), "T"); err == nil {
			t.Errorf("attached as %q by the reply %v", s.ID(), reply)
		}
	}
	b.Fail("Target.attachToTarget", -32602, "No target with given id found")
	var refused *devtools.Error
	if _, err := c.Attach(t.Context(), "X"); !errors.As(err, &refused) {
		t.Errorf("got %v", err)
	}
}

func TestSessionEndsWhenTheBrowserDetachesIt(t *testing.T) {
	b, c := connect(t)
	s, other := attach(t, c, "T"), attach(t, c, "U")
	b.Announce(s.ID(), "CHILD", "V")
	b.Announce("CHILD", "GRANDCHILD", "W")
	alive(t, b, s)
	sessions := []*devtools.Session{s, c.Adopt("CHILD"), c.Adopt("GRANDCHILD")}
	if n := c.Counters().Sessions; n != 4 {
		t.Errorf("%d sessions are attached, want 4", n)
	}
	taken := b.Take("Test.never")
	var sent []*devtools.Pending
	var events []*devtools.Events
	called := make(chan error, len(sessions))
	for _, s := range sessions {
		sent = append(sent, s.Send("Test.never", nil))
		events = append(events, s.Subscribe())
		go func() { called <- s.Call(t.Context(), "Test.never", nil, nil) }()
		<-taken
		<-taken
	}
	kept := other.Send("Test.never", nil)
	watch := c.Browser().Subscribe("Target.detachedFromTarget")
	b.Gone("", s.ID())
	for i := range sessions {
		if err := <-called; !errors.Is(err, devtools.ErrDetached) || errors.Is(err, devtools.ErrClosed) {
			t.Errorf("a pending Call ended with %v", err)
		}
		if _, err := sent[i].Raw(t.Context()); !errors.Is(err, devtools.ErrDetached) {
			t.Errorf("a pending Send ended with %v", err)
		}
		for range events[i].C() {
		}
		if err := events[i].Err(); !errors.Is(err, devtools.ErrDetached) {
			t.Errorf("a subscription ended with %v", err)
		}
		if err := sessions[i].Call(t.Context(), "Test.never", nil, nil); !errors.Is(err, devtools.ErrDetached) {
			t.Errorf("a later Call: %v", err)
		}
		if _, err := sessions[i].Send("Test.never", nil).Raw(t.Context()); !errors.Is(err, devtools.ErrDetached) {
			t.Errorf("a later Send: %v", err)
		}
		if err := sessions[i].Subscribe().Err(); !errors.Is(err, devtools.ErrDetached) {
			t.Errorf("a later subscription: %v", err)
		}
	}
	if e := <-watch.C(); !strings.Contains(string(e.Params), s.ID()) {
		t.Errorf("the parent's subscription got %+v", e)
	}
	if n := c.Counters().Sessions; n != 1 {
		t.Errorf("%d sessions are attached, want 1", n)
	}
	if _, err := kept.Raw(gone(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("the other session's call ended with %v", err)
	}
	alive(t, b, other)
}

func TestSessionTheBrowserDoesNotKnowIsDetached(t *testing.T) {
	b, c := connect(t)
	for _, way := range []string{"Call", "Send"} {
		s := c.Adopt("UNKNOWN" + way)
		err := call(t.Context(), s, way, "Test.x", nil)
		if !errors.Is(err, devtools.ErrDetached) {
			t.Errorf("%s: %v", way, err)
		}
		n := len(b.Log())
		if err := s.Call(t.Context(), "Test.x", nil, nil); !errors.Is(err, devtools.ErrDetached) || len(b.Log()) != n {
			t.Errorf("%s again: %v, %d more requests", way, err, len(b.Log())-n)
		}
	}
	alive(t, b, c.Browser())
}

func TestDetach(t *testing.T) {
	b, c := connect(t)
	s := attach(t, c, "T")
	b.Announce(s.ID(), "CHILD", "U")
	alive(t, b, s)
	child := c.Adopt("CHILD")
	for range 2 {
		for _, session := range []*devtools.Session{child, s} {
			if err := session.Detach(t.Context()); err != nil {
				t.Errorf("detaching: %v", err)
			}
			if err := session.Call(t.Context(), "Test.x", nil, nil); !errors.Is(err, devtools.ErrDetached) {
				t.Errorf("a call after Detach: %v", err)
			}
		}
	}
	calls := b.Calls("Target.detachFromTarget")
	if len(calls) != 2 || calls[0].Session != s.ID() || calls[1].Session != "" {
		t.Errorf("the browser was asked %+v; want once each, over the session that announced it", calls)
	}
	if n := c.Counters().Sessions; n != 0 {
		t.Errorf("%d sessions are left", n)
	}
	if err := c.Browser().Detach(t.Context()); err == nil {
		t.Error("the root was detached")
	}
	alive(t, b, c.Browser())
}

func TestDetachForgetsTheSessionWhateverTheBrowserSays(t *testing.T) {
	tests := []struct {
		name    string
		prepare func(*testing.T, *enginetest.Browser, *devtools.Conn) context.Context
		fails   bool
	}{
		{"refused", func(t *testing.T, b *enginetest.Browser, _ *devtools.Conn) context.Context {
			b.Fail("Target.detachFromTarget", -32602, "No session with given id")
			return t.Context()
		}, false},
		{"lost", func(t *testing.T, b *enginetest.Browser, c *devtools.Conn) context.Context {
			b.Lose(io.EOF)
			<-c.Done()
			return t.Context()
		}, false},
		{"no answer", func(t *testing.T, b *enginetest.Browser, _ *devtools.Conn) context.Context {
			b.Take("Target.detachFromTarget")
			return gone(t)
		}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b, c := connect(t)
			s := attach(t, c, "T")
			err := s.Detach(test.prepare(t, b, c))
			if (err != nil) != test.fails || test.fails && !errors.Is(err, context.Canceled) {
				t.Errorf("Detach: %v", err)
			}
			if err := s.Call(t.Context(), "Test.x", nil, nil); err == nil {
				t.Error("the session still takes calls")
			}
			if n := c.Counters().Sessions; n != 0 {
				t.Errorf("%d sessions are left", n)
			}
		})
	}
}

func TestCountersAddUp(t *testing.T) {
	b, c := connect(t)
	echo(b)
	s := attach(t, c, "T")
	before := s.Counters()
	b.Emit(s.ID(), "Test.event", nil)
	if err := s.Call(t.Context(), "Test.echo", "abc", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send("Test.echo", json.RawMessage(`"abc"`)).Raw(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := s.Counters()
	if before != (devtools.Counters{}) || n.Calls != 2 || n.Events != 1 || n.Sessions != 0 {
		t.Errorf("from %+v to %+v", before, n)
	}
	request := len(`{"id":2,"method":"Test.echo","params":"abc","sessionId":"SESSION1"}`)
	reply := len(`{"id":2,"result":"abc","sessionId":"SESSION1"}`)
	event := len(`{"method":"Test.event","params":{},"sessionId":"SESSION1"}`)
	if n.BytesOut != int64(2*request) || n.BytesIn != int64(2*reply+event) {
		t.Errorf("counted %+v, want %d bytes out and %d in", n, 2*request, 2*reply+event)
	}
	if all := c.Counters(); all.Calls != 3 || all.Events != 2 || all.BytesIn <= n.BytesIn || all.Sessions != 1 {
		t.Errorf("the connection counted %+v", all)
	}
}
