package devtools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"cuatui/engine/devtools"
)

func TestCallAndSendCarryParamsAndResult(t *testing.T) {
	b, c := connect(t)
	echo(b)
	b.Result("Test.empty", nil)
	for _, s := range []*devtools.Session{c.Browser(), attach(t, c, "T")} {
		in := map[string]any{"text": "<é>\u2028\x00", "n": 1.5}
		var called, sent map[string]any
		if err := s.Call(t.Context(), "Test.echo", in, &called); err != nil {
			t.Fatal(err)
		}
		if err := s.Send("Test.echo", in).Decode(t.Context(), &sent); err != nil {
			t.Fatal(err)
		}
		for _, out := range []map[string]any{called, sent} {
			if out["text"] != in["text"] || out["n"] != in["n"] {
				t.Errorf("session %q: sent %v, got %v", s.ID(), in, out)
			}
		}
		if err := s.Call(t.Context(), "Test.empty", nil, nil); err != nil {
			t.Errorf("without params and result: %v", err)
		}
		if raw, err := s.Send("Test.empty", nil).Raw(t.Context()); err != nil || string(raw) != "{}" {
			t.Errorf("raw result %q, %v", raw, err)
		}
		if got := b.Calls("Test.empty"); got[len(got)-1].Params != nil || got[len(got)-1].Session != s.ID() {
			t.Errorf("the browser received %+v", got[len(got)-1])
		}
	}
}

func TestRequestsOverFourKilobytesWork(t *testing.T) {
	b, c := connect(t)
	echo(b)
	s := attach(t, c, "T")
	for _, size := range []int{4 << 10, 100 << 10, 1 << 20, 10} {
		in := strings.Repeat("z", size)
		var out string
		if err := s.Call(t.Context(), "Test.echo", in, &out); err != nil || out != in {
			t.Errorf("Call of %d bytes: %d bytes back, %v", size, len(out), err)
		}
		if err := s.Send("Test.echo", in).Decode(t.Context(), &out); err != nil || out != in {
			t.Errorf("Send of %d bytes: %d bytes back, %v", size, len(out), err)
		}
	}
}

func TestErrorReplyIsTyped(t *testing.T) {
	b, c := connect(t)
	b.Handle("Test.fail", func(string, json.RawMessage) (any, *devtools.Error) {
		return nil, &devtools.Error{Code: -32000, Message: "No node", Data: "more"}
	})
	s := c.Browser()
	_, sendErr := s.Send("Test.fail", nil).Raw(t.Context())
	for _, err := range []error{s.Call(t.Context(), "Test.fail", nil, nil), sendErr} {
		var reply *devtools.Error
		if !errors.As(err, &reply) || *reply != (devtools.Error{Code: -32000, Message: "No node", Data: "more"}) {
			t.Errorf("got %v", err)
		}
		if !strings.Contains(err.Error(), "Test.fail") {
			t.Errorf("the error does not name the method: %v", err)
		}
	}
	var reply *devtools.Error
	if err := s.Call(t.Context(), "Test.unknown", nil, nil); !errors.As(err, &reply) || reply.Code != -32601 {
		t.Errorf("a method without a handler: %v", err)
	}
}

func TestParamsThatCannotBeEncodedAreNotSent(t *testing.T) {
	b, c := connect(t)
	bad := map[string]any{"f": func() {}}
	_, sendErr := c.Browser().Send("Test.echo", bad).Raw(t.Context())
	for _, err := range []error{sendErr, c.Browser().Call(t.Context(), "Test.echo", bad, nil)} {
		var unsupported *json.UnsupportedTypeError
		if !errors.As(err, &unsupported) {
			t.Errorf("got %v", err)
		}
	}
	if n := len(b.Log()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// TestHostileReplies sends, instead of a reply, messages in which # stands for
// the id of the request. Whatever they are, the session answers afterwards.
func TestHostileReplies(t *testing.T) {
	const good = `{"id":#,"result":{"v":1},"sessionId":"SESSION1"}`
	tests := []struct {
		name     string
		messages []string
		wantErr  string // of the call; empty: it gets v = 1
	}{
		{"neither result nor error", []string{`{"id":#,"sessionId":"SESSION1"}`}, "neither a result nor an error"},
		{"an error that is text", []string{`{"id":#,"error":"boom","sessionId":"SESSION1"}`}, "error reply"},
		{"an error of null", []string{`{"id":#,"error":null,"sessionId":"SESSION1"}`}, `"" (code 0)`},
		{"an error code that is text", []string{`{"id":#,"error":{"code":"x"},"sessionId":"SESSION1"}`}, "error reply"},
		{"error data that is no text", []string{`{"id":#,"error":{"code":1,"message":"m","data":{"a":[1]}},"sessionId":"SESSION1"}`}, `{\"a\":[1]}`},
		{"a result of the wrong type", []string{`{"id":#,"result":{"v":"x"},"sessionId":"SESSION1"}`}, "decoding"},
		{"a result of null", []string{`{"id":#,"result":null,"sessionId":"SESSION1"}`}, "no value"},
		{"a result that is no JSON", []string{`{"id":#,"result":{"v":bad},"sessionId":"SESSION1"}`}, "decoding"},
		{"twice, with another result", []string{good, `{"id":#,"result":{"v":2},"sessionId":"SESSION1"}`}, ""},
		{"an id nobody used", []string{`{"id":900000,"result":{"v":2},"sessionId":"SESSION1"}`, good}, ""},
		{"an id that is text", []string{`{"id":"#","result":{"v":2},"sessionId":"SESSION1"}`, good}, ""},
		{"an id that is negative", []string{`{"id":-#,"result":{"v":2},"sessionId":"SESSION1"}`, good}, ""},
		{"no id", []string{`{"result":{"v":2},"sessionId":"SESSION1"}`, good}, ""},
		{"of another session", []string{`{"id":#,"result":{"v":2},"sessionId":"OTHER"}`, good}, ""},
		{"of the root", []string{`{"id":#,"result":{"v":2}}`, good}, ""},
		{"of a session that is a number", []string{`{"id":#,"result":{"v":2},"sessionId":1}`, good}, ""},
		{"a method that is a number", []string{`{"id":#,"method":1,"result":{"v":2},"sessionId":"SESSION1"}`, good}, ""},
		{"an empty object", []string{`{}`, good}, ""},
		{"detached and attached without params", []string{
			`{"method":"Target.detachedFromTarget"}`, `{"method":"Target.attachedToTarget","params":[]}`,
			`{"method":"Target.detachedFromTarget","params":{"sessionId":5}}`,
			`{"method":"Target.detachedFromTarget","params":{"sessionId":""}}`,
			`{"method":"Target.attachedToTarget","params":{"sessionId":"SESSION1"},"sessionId":"SESSION1"}`, good,
		}, ""},
	}
	for _, test := range tests {
		for _, way := range []string{"Call", "Send"} {
			t.Run(test.name+"/"+way, func(t *testing.T) {
				b, c := connect(t)
				s := attach(t, c, "T")
				taken := b.Take("Test.value")
				go func() {
					r := <-taken
					for _, m := range test.messages {
						b.EmitRaw([]byte(strings.ReplaceAll(m, "#", fmt.Sprint(r.ID))))
					}
				}()
				var reply struct{ V *int }
				err := call(t.Context(), s, way, "Test.value", &reply)
				switch {
				case test.wantErr == "no value":
					if err != nil || reply.V != nil {
						t.Errorf("got %v, %v", reply.V, err)
					}
				case test.wantErr == "":
					if err != nil || reply.V == nil || *reply.V != 1 {
						t.Errorf("got %+v, %v", reply, err)
					}
				case err == nil || !strings.Contains(err.Error(), test.wantErr):
					t.Errorf("error %v, want one with %q", err, test.wantErr)
				}
				alive(t, b, s)
				alive(t, b, c.Browser())
			})
		}
	}
}

// call makes a call one way or the other.
func call(ctx context.Context, s *devtools.Session, way, method string, result any) error {
	if way == "Call" {
		return s.Call(ctx, method, nil, result)
	}
	return s.Send(method, nil).Decode(ctx, result)
}

func TestRepliesMayComeInAnyOrder(t *testing.T) {
	b, c := connect(t)
	s := attach(t, c, "T")
	taken := b.Take("Test.number")
	const n = 50
	var sent []*devtools.Pending
	for i := range n {
		sent = append(sent, s.Send("Test.number", i))
	}
	if got := len(b.Calls("Test.number")); got != n {
		t.Errorf("%d of %d requests were written when Send had returned", got, n)
	}
	var requests []interface{ Reply(any) }
	var params []json.RawMessage
	for range n {
		r := <-taken
		requests, params = append(requests, r), append(params, r.Params)
	}
	for i := n - 1; i >= 0; i-- {
		if string(params[i]) != fmt.Sprint(i) {
			t.Errorf("request %d on the wire is %s", i, params[i])
		}
		requests[i].Reply(params[i])
	}
	for i, p := range sent {
		if raw, err := p.Raw(t.Context()); err != nil || string(raw) != fmt.Sprint(i) {
			t.Errorf("call %d: %s, %v", i, raw, err)
		}
	}
}

func TestCancelledCallNeverTouchesItsResult(t *testing.T) {
	for _, way := range []string{"Call", "Send"} {
		t.Run(way, func(t *testing.T) {
			b, c := connect(t)
			s := attach(t, c, "T")
			taken := b.Take("Test.slow")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var reply map[string]any
			ended := make(chan error)
			go func() { ended <- call(ctx, s, way, "Test.slow", &reply) }()
			r := <-taken
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v", err)
			}
			r.Reply(map[string]any{"late": true})
			reply = map[string]any{"mine": true} // a write the race detector sees
			alive(t, b, s)
			if len(reply) != 1 || reply["mine"] != true {
				t.Errorf("the late reply changed the caller's value to %v", reply)
			}
		})
	}
}

func TestGivingUpIsFinal(t *testing.T) {
	b, c := connect(t)
	taken := b.Take("Test.slow")
	p := c.Browser().Send("Test.slow", nil)
	if _, err := p.Raw(gone(t)); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	(<-taken).Reply(1)
	alive(t, b, c.Browser())
	if raw, err := p.Raw(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("after giving up: %q, %v", raw, err)
	}
}

func TestAnAnswerThatIsHereIsGivenWhateverTheContext(t *testing.T) {
	b, c := connect(t)
	echo(b)
	p := c.Browser().Send("Test.echo", 3)
	alive(t, b, c.Browser()) // its reply is behind the other
	if raw, err := p.Raw(gone(t)); err != nil || string(raw) != "3" {
		t.Errorf("got %q, %v", raw, err)
	}
}

func TestBlockedWriteHoldsUpNobodyButTheWriter(t *testing.T) {
	b, c := connect(t)
	echo(b)
	s := attach(t, c, "T")
	events := s.Subscribe("Test.event")
	release := b.BlockWrites()
	stuck := s.Send("Test.echo", "stuck") // in the writer's hands

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Call(ctx, "Test.echo", "called, given up", nil) }()
	pending := s.Send("Test.echo", "sent, given up")
	kept := s.Send("Test.echo", "kept")
	b.Emit(s.ID(), "Test.event", nil)
	if e := <-events.C(); e.Method != "Test.event" {
		t.Errorf("while the write is blocked the reader delivers %+v", e)
	}
	if _, err := pending.Raw(gone(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("giving up a blocked Send: %v", err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("giving up a blocked Call: %v", err)
	}
	release()
	for _, p := range []*devtools.Pending{stuck, kept} {
		if _, err := p.Raw(t.Context()); err != nil {
			t.Errorf("after the write went on: %v", err)
		}
	}
	alive(t, b, s)
	var written []string
	for _, r := range b.Calls("Test.echo") {
		written = append(written, string(r.Params))
	}
	if want := []string{`"stuck"`, `"kept"`}; !slices.Equal(written, want) {
		t.Errorf("written were %v, want %v: what was given up must not be sent", written, want)
	}
}

func TestManyCallsFromManyGoroutines(t *testing.T) {
	b, c := connect(t)
	echo(b)
	var wg sync.WaitGroup
	for g := range 8 {
		s := c.Browser()
		if g > 0 {
			s = attach(t, c, "T")
		}
		wg.Go(func() {
			for i := range 200 {
				var called, sent int
				n := g*1000 + i
				p := s.Send("Test.echo", n)
				if err := s.Call(t.Context(), "Test.echo", -n, &called); err != nil || called != -n {
					t.Errorf("Call of %d: %d, %v", -n, called, err)
				}
				if err := p.Decode(t.Context(), &sent); err != nil || sent != n {
					t.Errorf("Send of %d: %d, %v", n, sent, err)
				}
			}
		})
	}
	wg.Wait()
	if n := c.Counters(); n.Calls != 8*400+7 || n.Sessions != 7 {
		t.Errorf("counted %+v", n)
	}
}
