package headless_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"cuatui/engine/headless"
)

func TestMCPEndOfInputLetsCallsBeAnsweredForAWhile(t *testing.T) {
	for _, answered := range []bool{true, false} {
		t.Run(fmt.Sprintf("answered %t", answered), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s sessions
				entered, letGo := make(chan string, 1), make(chan struct{})
				eng := gate(entered, letGo)
				eng.end = s.end
				inR, inW := io.Pipe()
				var out bytes.Buffer
				done := make(chan error, 1)
				go func() { done <- (&headless.Server{Engine: eng}).ServeMCP(t.Context(), inR, &out) }()
				for _, line := range append(handshake(), callLine(1, "start_session", `{"session":"a"}`), callLine(2, "list_windows", `{"session":"a"}`)) {
					_, _ = io.WriteString(inW, line+"\n")
				}
				<-entered
				_ = inW.Close()
				synctest.Wait()
				select {
				case err := <-done:
					t.Fatalf("ended with %v while a call was in flight", err)
				default:
				}
				if answered {
					close(letGo)
				} // else the clock of the bubble moves on to the end of patience
				if err := <-done; err != nil {
					t.Error(err)
				}
				if got := strings.Contains(out.String(), `"id":2`); got != answered {
					t.Errorf("call 2 answered: %t, want %t\n%s", got, answered, out.String())
				}
				if s.ended["a"] != 1 {
					t.Errorf("sessions ended: %v", s.ended)
				}
			})
		})
	}
}

func TestMCPABrokenOutputEndsTheConversation(t *testing.T) {
	var s sessions
	inR, inW := io.Pipe()
	go func() {
		for _, line := range append(handshake(), callLine(1, "start_session", `{"session":"a"}`)) {
			_, _ = io.WriteString(inW, line+"\n")
		}
	}()
	err := (&headless.Server{Engine: &fakeEngine{end: s.end}}).ServeMCP(t.Context(), inR, brokenWriter{})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("ServeMCP = %v, want the writer's error", err)
	}
}

func TestMCPCallsInFlightAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, letGo := make(chan string, 64), make(chan struct{})
		lines := handshake()
		for i := range 64 {
			lines = append(lines, callLine(i+1, "list_windows", `{"session":"a"}`))
		}
		var out bytes.Buffer
		done := make(chan error, 1)
		go func() {
			done <- (&headless.Server{Engine: gate(entered, letGo)}).ServeMCP(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out)
		}()
		synctest.Wait()
		if n := len(entered); n != 32 {
			t.Errorf("%d calls at once, want 32", n)
		}
		close(letGo)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if n := strings.Count(out.String(), `"structuredContent"`); n != 64 {
			t.Errorf("%d answers, want 64", n)
		}
	})
}

// handshake is what a client sends first.
func handshake() []string {
	return []string{
		`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"v1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
}

func callLine(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// serveMCPAll serves the lines to their end and returns the lines answered.
func serveMCPAll(t *testing.T, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := (&headless.Server{Engine: &fakeEngine{}}).ServeMCP(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestMCPAnIDInFlightIsNotTakenTwice(t *testing.T) {
	entered, letGo := make(chan string), make(chan struct{})
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- (&headless.Server{Engine: gate(entered, letGo)}).ServeMCP(t.Context(), inR, outW) }()
	out := bufio.NewReader(outR)
	send := func(lines ...string) {
		for _, line := range lines {
			if _, err := io.WriteString(inW, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
	}
	receive := func(want string) {
		t.Helper()
		line, err := out.ReadString('\n')
		if err != nil || !strings.Contains(line, want) {
			t.Errorf("answered %q, %v; want %s", line, err, want)
		}
	}
	call := callLine(1, "list_windows", `{"session":"a"}`)
	send(handshake()...)
	receive(`"id":"hello"`)
	send(call)
	<-entered
	send(call)
	receive("still in flight")
	send(`{"id":1,"params":"` + strings.Repeat("x", 1<<20) + `","method":"tools/call"}`)
	receive(`"id":null`)
	close(letGo)
	receive(`"id":1`)
	send(call) // answered, so the id is free
	<-entered
	receive(`"id":1`)
	_ = inW.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestMCPABadLineIsAnsweredAndSkipped(t *testing.T) {
	tests := []struct {
		name, line string
		code       int
		id         any
	}{
		{"no JSON", "hello", -32700, nil},
		{"bad UTF-8", "\xff\xfe", -32700, nil},
		{"two messages", `{"jsonrpc":"2.0","method":"ping"}{}`, -32700, nil},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, nil},
		{"no message", `"hello"`, -32600, nil},
		{"no version", `{"id":11,"method":"ping"}`, -32600, 11},
		{"an id that is none", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, nil},
		{"too long, id last", `{"method":"tools/call","params":{"id":3,"x":"` + strings.Repeat(`\"}`, 1<<19) + `"},"jsonrpc":"2.0","id":"a"}`, -32600, "a"},
		{"too long, id first", `{"jsonrpc":"2.0","id":11,"method":"tools/call","params":"` + strings.Repeat("x", 1<<20) + `"}`, -32600, 11},
		{"too long, an answer", `{"jsonrpc":"2.0","id":11,"result":"` + strings.Repeat("x", 1<<20) + `"}`, -32600, nil},
		{"too long", strings.Repeat(" ", 1<<20) + "{}", -32600, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var lines []string
			synctest.Test(t, func(t *testing.T) { // no time passes while a call waits for its turn
				lines = serveMCPAll(t, append(handshake(), "", " \r", tt.line, callLine(7, "list_windows", `{"session":"s"}`))...)
			})
			rejected, answered := 0, 0
			id := tt.id
			if n, ok := id.(int); ok {
				id = float64(n)
			}
			for _, line := range lines {
				var r struct {
					ID    any
					Error *struct{ Code int }
				}
				if err := json.Unmarshal([]byte(line), &r); err != nil {
					t.Fatalf("%v in %q", err, line)
				}
				if r.ID == id && r.Error != nil && r.Error.Code == tt.code {
					rejected++
				}
				if r.ID == 7.0 && r.Error == nil {
					answered++
				}
			}
			if rejected != 1 || answered != 1 || len(lines) != 3 {
				t.Errorf("answered %q; want one error %d and the call after it", lines, tt.code)
			}
		})
	}
}

func FuzzServeMCP(f *testing.F) {
	for _, seed := range []string{
		callLine(1, "start_session", `{"session":"a"}`), callLine(1, "list_windows", "null") + "\n" + callLine(1, "list_windows", `{"session":"s"}`),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"cuatui://schemas/%"}}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":null}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"eA=="}}`,
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`, "[", "{\n}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, line := range serveMCPAll(t, append(handshake(), string(in))...) {
			if !json.Valid([]byte(line)) {
				t.Errorf("line %q", line)
			}
		}
	})
}
