package headless_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"cuatui/engine/headless"
)

// unread serves a line that opens session a to a program that does not read the
// answer, and ends it as ends does.
func unread(t *testing.T, protocol string, ends func(io.Closer, context.CancelFunc)) (*sessions, error) {
	t.Helper()
	var s sessions
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	server := &headless.Server{Engine: &fakeEngine{end: s.end}}
	serve, lines := server.Serve, []string{`{"id":1,"tool":"start_session","arguments":{"session":"a"}}`}
	if protocol == "mcp" {
		serve, lines = server.ServeMCP, append(handshake(), callLine(1, "start_session", `{"session":"a"}`))
	}
	done := make(chan error, 1)
	go func() { done <- serve(ctx, inR, outW) }()
	go func() {
		for _, line := range lines {
			if _, err := io.WriteString(inW, line+"\n"); err != nil {
				return
			}
		}
	}()
	if protocol == "mcp" { // the hello is read; the call is not begun before
		buf := make([]byte, 1<<16)
		if n, err := outR.Read(buf); err != nil || !strings.Contains(string(buf[:n]), "serverInfo") {
			t.Errorf("hello %q, %v", buf[:n], err)
		}
	}
	synctest.Wait() // the answer is being written
	ends(inW, cancel)
	synctest.Wait()
	select {
	case err := <-done:
		t.Errorf("ended with %v before its reader had any time", err)
		done <- err
	default: // the clock of the bubble moves on to the end of patience
	}
	err := <-done
	_ = outR.Close() // lets the write go that was given up on
	_ = inW.Close()
	return &s, err
}

// The end releases everything, also while nobody reads the answers.
func TestTheEndDoesNotWaitForAReader(t *testing.T) {
	for _, protocol := range []string{"mcp", "jsonl"} {
		t.Run(protocol+" asked to end", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := unread(t, protocol, func(_ io.Closer, cancel context.CancelFunc) { cancel() })
				if err != nil || s.ended["a"] != 1 {
					t.Errorf("ended with %v, sessions ended %v; want no error, session a ended", err, s.ended)
				}
			})
		})
		t.Run(protocol+" end of input", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := unread(t, protocol, func(in io.Closer, _ context.CancelFunc) { _ = in.Close() })
				if err == nil || !strings.Contains(err.Error(), "nobody reads it") || s.ended["a"] != 1 {
					t.Errorf("ended with %v, sessions ended %v; want the answers that nobody read, session a ended", err, s.ended)
				}
			})
		})
	}
}

// While the input goes on a reader may take any time.
func TestASlowReaderIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer inR.Close()
		defer inW.Close()
		outR, outW := io.Pipe()
		out := headless.NewOutletOf(t.Context(), inR, outW)
		done := make(chan error, 1)
		go func() {
			_, err := io.WriteString(out, "answer\n")
			done <- err
		}()
		headless.Patiently(3)
		got := make([]byte, 7)
		if _, err := io.ReadFull(outR, got); err != nil || string(got) != "answer\n" {
			t.Errorf("read %q, %v", got, err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		go func() {
			_, err := io.WriteString(out, "answer\n")
			done <- err
		}()
		_ = inW.Close() // with nothing that would read it to its end
		if err := <-done; err == nil {
			t.Error("a write that nobody reads outlived the input")
		}
		if _, err := io.WriteString(out, "more\n"); err == nil {
			t.Error("a line was written after one that was given up on")
		}
		_ = outR.Close()
	})
}
