package devtools_test

import (
	"context"
	"encoding/json"
	"testing"

	"go.uber.org/goleak"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect gives a connection to a scripted browser; both end with the test.
func connect(t testing.TB) (*enginetest.Browser, *devtools.Conn) {
	t.Helper()
	b := enginetest.New()
	c := devtools.New(b, devtools.Options{})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return b, c
}

func attach(t testing.TB, c *devtools.Conn, target string) *devtools.Session {
	t.Helper()
	s, err := c.Attach(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// alive fails the test unless the session still answers.
func alive(t *testing.T, b *enginetest.Browser, s *devtools.Session) {
	t.Helper()
	b.Result("Test.alive", map[string]any{"yes": true})
	var reply struct{ Yes bool }
	if err := s.Call(t.Context(), "Test.alive", nil, &reply); err != nil || !reply.Yes {
		t.Fatalf("the session no longer answers: %+v, %v", reply, err)
	}
}

// echo answers Test.echo with its parameters.
func echo(b *enginetest.Browser) {
	b.Handle("Test.echo", func(_ string, params json.RawMessage) (any, *devtools.Error) { return params, nil })
}

// gone returns a context that is already cancelled.
func gone(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func methods(events []devtools.Event) []string {
	var names []string
	for _, e := range events {
		names = append(names, e.Method)
	}
	return names
}
