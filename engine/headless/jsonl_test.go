package headless_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/refusal"
)

// reply is a line of output as a client reads it.
type reply struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct{ Kind, Message, Field string }
}

func parseReply(t *testing.T, line []byte) reply {
	t.Helper()
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatalf("reply %q: %v", line, err)
	}
	return r
}

// serveAll serves the input to its end and returns the replies by id.
func serveAll(t *testing.T, eng headless.Engine, input string) map[string]reply {
	t.Helper()
	var out bytes.Buffer
	if err := headless.Serve(t.Context(), eng, strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	replies := map[string]reply{}
	for line := range bytes.Lines(out.Bytes()) {
		r := parseReply(t, line)
		replies[string(r.ID)] = r
	}
	return replies
}

// client talks to a Serve line by line.
type client struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

func dial(ctx context.Context, t *testing.T, eng headless.Engine) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, out: bufio.NewReader(outR), done: make(chan error, 1)}
	go func() {
		err := headless.Serve(ctx, eng, inR, outW)
		_ = outW.Close()
		c.done <- err
	}()
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) receive() reply {
	c.t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return parseReply(c.t, line)
}

// hangUp ends the input and returns what Serve returned.
func (c *client) hangUp() error {
	_ = c.in.Close()
	_, _ = io.Copy(io.Discard, c.out)
	return <-c.done
}

func TestAnswers(t *testing.T) {
	eng := &fakeEngine{
		click: func(r contract.ClickRequest) (*contract.ActionResult, error) {
			switch r.Ref {
			case "p1:1":
				return nil, fmt.Errorf("click: %w", refusal.New(refusal.Superseded, "p1 is old"))
			case "p1:2":
				return nil, fmt.Errorf("click: %w", context.DeadlineExceeded)
			case "p1:3":
				return nil, fmt.Errorf("read pipe /run/secret: %w", contract.ErrConnectionLost)
			case "p1:4":
				return nil, errors.New("open /home/someone/profile: no space left")
			case "p1:5":
				panic("a defect")
			}
			return &contract.ActionResult{Status: contract.OK, Effect: refusal.EffectConfirmed, Route: r.Route}, nil
		},
	}
	click := func(id, ref string) string {
		return fmt.Sprintf(`{"id":%s,"tool":"browser_click","arguments":{"session":"s","target_id":"bt-1","tab_id":"tab-1","ref":%q,"route":"trusted"}}`+"\n", id, ref)
	}
	replies := serveAll(t, eng, click("0", "p1:0")+click("1", "p1:1")+click("2", "p1:2")+click("3", "p1:3")+click(`"four"`, "p1:4")+click("5", "p1:5")+
		`{"id":6,"tool":"browser_click","arguments":{"session":"s","target_id":"bt-1","ref":"p1:1","route":"any"}}`+"\n"+
		`{"id":7,"tool":"browser_explode"}`+"\n"+
		`{"id":8,"tool":"get_browser_state","arguments":{"session":"s","pid":1,"window_id":2}}`+"\n")

	tests := []struct{ name, id, kind, field, inResult string }{
		{"success", "0", "", "", `"effect":"confirmed"`},
		{"refusal is a result", "1", "", "", `"status":"refused"`},
		{"deadline", "2", "deadline", "", ""},
		{"connection lost", "3", "connection_lost", "", ""},
		{"internal error, id a string", `"four"`, "internal", "", ""},
		{"panic", "5", "internal", "", ""},
		{"bad argument", "6", "bad_arguments", "route", ""},
		{"unknown tool", "7", "bad_arguments", "tool", ""},
		{"neither result nor error", "8", "internal", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, ok := replies[tt.id]
			if !ok {
				t.Fatalf("no reply to %s", tt.id)
			}
			if tt.kind == "" {
				if r.Error != nil || !strings.Contains(string(r.Result), tt.inResult) {
					t.Errorf("reply %+v, want a result with %s", r, tt.inResult)
				}
				return
			}
			if r.Error == nil || r.Error.Kind != tt.kind || r.Error.Field != tt.field || r.Result != nil {
				t.Fatalf("reply %+v, want error %s", r, tt.kind)
			}
			if strings.Contains(r.Error.Message, "/") {
				t.Errorf("message %q holds a path", r.Error.Message)
			}
		})
	}
}

func TestBadLinesAreAnsweredWithTheirIDOrNull(t *testing.T) {
	tests := []struct{ name, line, field, id string }{
		{"no JSON", "hello", "", "null"},
		{"array", "[]", "", "null"},
		{"two objects", `{"id":1,"tool":"list_windows"}{}`, "", "null"},
		{"no id", `{"tool":"list_windows"}`, "id", "null"},
		{"id null", `{"id":null,"tool":"list_windows"}`, "id", "null"},
		{"id an object", `{"id":{},"tool":"list_windows"}`, "id", "null"},
		{"id too long", `{"id":"` + strings.Repeat("x", 200) + `","tool":"list_windows"}`, "id", "null"},
		{"no tool", `{"id":1}`, "tool", "1"},
		{"a tool that is no name", `{"id":"a","tool":7}`, "tool", `"a"`},
		{"unknown member", `{"id":1,"tool":"list_windows","params":{}}`, "params", "1"},
		{"cancel and call", `{"id":1,"tool":"list_windows","cancel":2}`, "cancel", "1"},
		{"cancel nothing", `{"cancel":null}`, "cancel", "null"},
		{"too long", strings.Repeat(" ", 1<<20) + "{}", "", "null"},
		{"too long, id first", `{"id":"a","arguments":{"id":2,"x":"` + strings.Repeat("[\\\"{", 1<<19) + `"},"tool":"list_windows"}`, "", `"a"`},
		{"too long, id last", `{"arguments":{"x":"` + strings.Repeat("x", 1<<20) + `"},"tool":"list_windows" , "id" : 7 }`, "", "7"},
		{"too long, two ids", `{"id":7,"arguments":"` + strings.Repeat("x", 1<<20) + `","id":8}`, "", "null"},
		{"too long, the id too", `{"id":"` + strings.Repeat("x", 1<<20) + `"}`, "", "null"},
		{"too long, an id inside", `{"arguments":["` + strings.Repeat("x", 1<<20) + `",{"id":7}]}`, "", "null"},
		{"too long, an id that is none", `{"id":[7],"arguments":"` + strings.Repeat("x", 1<<20) + `"}`, "", "null"},
		{"too long, a list", `[{"id":7},"` + strings.Repeat("x", 1<<20) + `"]`, "", "null"},
		{"too long, and no end", `{"id":7,"arguments":"` + strings.Repeat("x", 1<<20) + `"`, "", "null"},
		{"too long, two objects", `{"id":7,"arguments":"` + strings.Repeat("x", 1<<20) + `"}{}`, "", "null"},
		{"too long, a number that is none", `{"id":7x,"arguments":"` + strings.Repeat("x", 1<<20) + `"}`, "", "null"},
		{"bad UTF-8", "\xff\xfe", "", "null"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			replies := serveAll(t, &fakeEngine{}, tt.line+"\n")
			r, ok := replies[tt.id]
			if !ok || len(replies) != 1 || r.Error == nil || r.Error.Kind != "bad_arguments" || r.Error.Field != tt.field {
				t.Errorf("replies %+v, want one with id %s and field %q", replies, tt.id, tt.field)
			}
		})
	}
}

func TestBlankLinesAreIgnored(t *testing.T) {
	if replies := serveAll(t, &fakeEngine{}, "\n \t\n\r\n"); len(replies) != 0 {
		t.Errorf("replies %v", replies)
	}
}

func TestReplyLinesAreSafeToPrint(t *testing.T) {
	eng := &fakeEngine{windows: func(context.Context, contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
		return &contract.ListWindowsResult{Status: contract.OK, Windows: []contract.NativeWindow{{Title: "\x1b[2J\u009b31m\u202e<b>\x7f"}}}, nil
	}}
	var out bytes.Buffer
	if err := headless.Serve(t.Context(), eng, strings.NewReader(`{"id":1,"tool":"list_windows","arguments":{"session":"s"}}`), &out); err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsAny(out.Bytes(), "\x1b\u009b\u202e\x7f") {
		t.Errorf("output %q", out.String())
	}
	var result contract.ListWindowsResult
	if err := json.Unmarshal(parseReply(t, out.Bytes()).Result, &result); err != nil || result.Windows[0].Title != "\x1b[2J\u009b31m\u202e<b>\x7f" {
		t.Errorf("the title came back as %q, %v", result.Windows[0].Title, err)
	}
}

// gate is an engine whose list_windows waits until it is let go or cancelled.
func gate(entered chan<- string, letGo <-chan struct{}) *fakeEngine {
	return &fakeEngine{windows: func(ctx context.Context, r contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
		entered <- r.Session
		select {
		case <-letGo:
			return &contract.ListWindowsResult{Status: contract.OK, Windows: []contract.NativeWindow{}}, nil
		case <-ctx.Done():
			return nil, fmt.Errorf("list windows: %w", ctx.Err())
		}
	}}
}

func TestCallsRunConcurrentlyAndAnswerOutOfOrder(t *testing.T) {
	entered, letGo := make(chan string), make(chan struct{})
	c := dial(t.Context(), t, gate(entered, letGo))
	c.send(`{"id":1,"tool":"list_windows","arguments":{"session":"a"}}`)
	<-entered
	c.send(`{"id":2,"tool":"browser_click","arguments":{"session":"a","target_id":"bt-1","ref":"p1:1","route":"trusted"}}`)
	if r := c.receive(); string(r.ID) != "2" {
		t.Errorf("first reply to %s, want 2", r.ID)
	}
	close(letGo)
	if r := c.receive(); string(r.ID) != "1" || r.Error != nil {
		t.Errorf("second reply %+v, want success of 1", r)
	}
	if err := c.hangUp(); err != nil {
		t.Error(err)
	}
}

func TestCancelEndsOnlyItsCall(t *testing.T) {
	entered, letGo := make(chan string), make(chan struct{})
	c := dial(t.Context(), t, gate(entered, letGo))
	c.send(`{"id":1,"tool":"list_windows","arguments":{"session":"a"}}`)
	<-entered
	c.send(`{"id":"1","tool":"list_windows","arguments":{"session":"b"}}`)
	<-entered
	c.send(`{"cancel":99}`)
	c.send(`{"cancel":1}`)
	if r := c.receive(); string(r.ID) != "1" || r.Error == nil || r.Error.Kind != "cancelled" {
		t.Errorf("reply %+v, want cancelled 1", r)
	}
	close(letGo)
	if r := c.receive(); string(r.ID) != `"1"` || r.Error != nil {
		t.Errorf(`reply %+v, want success of "1"`, r)
	}
	if err := c.hangUp(); err != nil {
		t.Error(err)
	}
}

func TestAnIDInFlightIsNotTakenTwice(t *testing.T) {
	entered, letGo := make(chan string, 2), make(chan struct{})
	c := dial(t.Context(), t, gate(entered, letGo))
	call := `{"id":1,"tool":"list_windows","arguments":{"session":"a"}}`
	c.send(call)
	<-entered
	c.send(call)
	if r := c.receive(); string(r.ID) != "null" || r.Error == nil || r.Error.Field != "id" {
		t.Errorf("reply %+v, want an error about the id", r)
	}
	c.send(`{"id":1,"tool":"` + strings.Repeat("x", 1<<20) + `"}`)
	if r := c.receive(); string(r.ID) != "null" || r.Error == nil {
		t.Errorf("reply %+v, want an error that is not of the call in flight", r)
	}
	close(letGo)
	c.receive()
	c.send(call) // answered, so the id is free
	if r := c.receive(); string(r.ID) != "1" || r.Error != nil {
		t.Errorf("reply %+v, want success", r)
	}
	if err := c.hangUp(); err != nil {
		t.Error(err)
	}
}

func TestCallsInFlightAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int32
		letGo := make(chan struct{})
		eng := &fakeEngine{windows: func(context.Context, contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
			running.Add(1)
			<-letGo
			return &contract.ListWindowsResult{Status: contract.OK, Windows: []contract.NativeWindow{}}, nil
		}}
		var input strings.Builder
		for i := range 64 {
			fmt.Fprintf(&input, `{"id":%d,"tool":"list_windows","arguments":{"session":"a"}}`+"\n", i)
		}
		var out bytes.Buffer
		done := make(chan error)
		go func() { done <- headless.Serve(t.Context(), eng, strings.NewReader(input.String()), &out) }()
		synctest.Wait() // until nothing moves any more
		if n := running.Load(); n != 32 {
			t.Errorf("%d calls at once, want 32", n)
		}
		close(letGo)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if n := bytes.Count(out.Bytes(), []byte("\n")); n != 64 {
			t.Errorf("%d replies, want 64", n)
		}
	})
}

// sessions records which sessions were ended.
type sessions struct {
	mu    sync.Mutex
	ended map[string]int
}

func (s *sessions) end(_ context.Context, r contract.EndSessionRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = map[string]int{}
	}
	s.ended[r.Session]++
	return nil
}

func TestEndOfInputEndsTheSessionsItOpened(t *testing.T) {
	var s sessions
	eng := &fakeEngine{end: s.end, start: func(r contract.StartSessionRequest) error {
		if r.Session == "taken" {
			return refusal.New(refusal.Foreign, "taken")
		}
		return nil
	}}
	serveAll(t, eng, `{"id":1,"tool":"start_session","arguments":{"session":"a"}}
{"id":2,"tool":"start_session","arguments":{"session":"b"}}
{"id":3,"tool":"start_session","arguments":{"session":"taken"}}
{"id":4,"tool":"list_windows","arguments":{"session":"other"}}
{"id":5,"tool":"end_session","arguments":{"session":"b"}}
`)
	if want := map[string]int{"a": 1, "b": 1}; !maps.Equal(s.ended, want) {
		t.Errorf("ended %v, want %v", s.ended, want)
	}
}

func TestASessionCanBeUsedRightAfterItsLine(t *testing.T) {
	var open atomic.Bool
	eng := &fakeEngine{
		start: func(contract.StartSessionRequest) error { open.Store(true); return nil },
		windows: func(context.Context, contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
			if !open.Load() {
				return nil, errors.New("called before the session was open")
			}
			return &contract.ListWindowsResult{Status: contract.OK, Windows: []contract.NativeWindow{}}, nil
		},
	}
	replies := serveAll(t, eng, `{"id":1,"tool":"start_session","arguments":{"session":"a"}}
{"id":2,"tool":"list_windows","arguments":{"session":"a"}}`)
	if r := replies["2"]; r.Error != nil {
		t.Errorf("reply %+v", r.Error)
	}
}

func TestCancelledContextEndsCallsAndSessions(t *testing.T) {
	var s sessions
	entered := make(chan string)
	eng := gate(entered, nil)
	var endedWith error
	eng.end = func(ctx context.Context, r contract.EndSessionRequest) error {
		endedWith = ctx.Err()
		return s.end(ctx, r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c := dial(ctx, t, eng)
	c.send(`{"id":1,"tool":"start_session","arguments":{"session":"a"}}`)
	c.receive()
	c.send(`{"id":2,"tool":"list_windows","arguments":{"session":"a"}}`)
	<-entered
	cancel()
	if r := c.receive(); string(r.ID) != "2" || r.Error == nil || r.Error.Kind != "cancelled" {
		t.Errorf("reply %+v, want cancelled", r)
	}
	if err := c.hangUp(); err != nil {
		t.Errorf("Serve = %v; being asked to end is a normal end", err)
	}
	if s.ended["a"] != 1 || endedWith != nil {
		t.Errorf("session ended %d times, with a context that says %v", s.ended["a"], endedWith)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestABrokenOutputEndsTheConversation(t *testing.T) {
	var s sessions
	inR, inW := io.Pipe()
	go func() { _, _ = io.WriteString(inW, `{"id":1,"tool":"start_session","arguments":{"session":"a"}}`+"\n") }()
	err := headless.Serve(t.Context(), &fakeEngine{end: s.end}, inR, brokenWriter{})
	if !errors.Is(err, io.ErrClosedPipe) || s.ended["a"] != 1 {
		t.Errorf("Serve = %v, sessions ended %v; want the writer's error and session a ended", err, s.ended)
	}
}

func TestTheLogHoldsCausesAndNoArguments(t *testing.T) {
	var log, out bytes.Buffer
	eng := &fakeEngine{windows: func(context.Context, contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
		return nil, errors.New("disk on fire")
	}}
	s := headless.Server{Engine: eng, Log: slog.New(slog.NewJSONHandler(&log, nil))}
	input := `{"id":1,"tool":"list_windows","arguments":{"session":"a"}}
{"id":2,"tool":"get_browser_state","arguments":{"session":"a","target_id":"bt-1","query":"my secret"}}`
	if err := s.Serve(t.Context(), strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), `"cause":"disk on fire"`) || strings.Contains(log.String(), "secret") {
		t.Errorf("log %s", log.String())
	}
	if strings.Contains(out.String(), "disk on fire") {
		t.Errorf("the cause left the process: %s", out.String())
	}
}

func TestEveryToolCanBeCalled(t *testing.T) {
	var names []string
	for _, tool := range contract.Tools {
		names = append(names, tool.Name)
		a := headless.Call(t.Context(), &fakeEngine{}, tool.Name, nil)
		if a.Err == nil || a.Err.Field != "session" {
			t.Errorf("%s without arguments: %+v, want an error about the session", tool.Name, a)
		}
	}
	if !slices.Contains(names, "browser_click") {
		t.Errorf("tools %v", names)
	}
}

func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"tool":"start_session","arguments":{"session":"a"}}`, `{"cancel":1}`, `{"id":"x","tool":"browser_prepare"}`, "{\n}", `{"id":1e999,"tool":"x"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		if err := headless.Serve(t.Context(), &fakeEngine{}, bytes.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(out.Bytes()) {
			parseReply(t, line)
		}
	})
}
