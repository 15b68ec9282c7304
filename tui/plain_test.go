package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/tui/tuitest"
)

// dialogue runs the plain mode on lines and returns what it says.
func dialogue(t *testing.T, e Engine, person bool, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	err := Run(t.Context(), Options{
		Engine: e, In: strings.NewReader(strings.Join(lines, "\n") + "\n"), Out: &out, Plain: true, Person: person,
		Demo: func(context.Context) (string, error) { return "http://127.0.0.1:1/", nil },
	})
	var line *LineError
	if err != nil && !errors.As(err, &line) {
		t.Fatal(err)
	}
	if bad := steering(out.String()); bad != "" {
		t.Errorf("%s was written", bad)
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("an escape was written")
	}
	return out.String()
}

// "quit" leaves from wherever one is, as the first line says.
func TestPlainQuitsFromEveryPage(t *testing.T) {
	for _, way := range [][]string{{}, {"1", "open"}, {"1", "open", "formats"}, {"1", "open", "1", "why"}, {"refusal-lab"}} {
		got := dialogue(t, hostileEngine(), false, append(way, "quit", "after")...)
		if strings.Contains(got, "no command is called") {
			t.Errorf("after %q it does not quit:\n%s", way, got)
		}
	}
}

func TestThePlainModeIsADialogueOfLines(t *testing.T) {
	e := tuitest.New()
	got := dialogue(t, e, false,
		"2", "open", // the first window
		"12", "why", "back",
		"why-of menu item 7", "back",
		"/reply to all", "act", "1", "open", "back",
		"refusal-lab", "1", "back", "back",
		"formats", "back", "nonsense", "help", "quit", "quit")
	for _, want := range []string{
		"== Windows, 6 windows", "2  exact  Chromium", "reading the page …", `button "Reply" p42:22 click`,
		"== Why · button \"Reply\", ● listed", "✓ pass  hit  takes the pointer at 684,436",
		"== Why · link \"Menu item 7\", ✗ left out",
		"== Act · p42:23 button Reply to all", "== Result · click p42:23 by trusted_key",
		"== Refusal lab", "1 malformed", "== Refused · get_browser_state", "reason  malformed",
		"== Formats · p43, segment 1", "no command is called nonsense here", "snapshot (r): take a new snapshot",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
	if c := e.Calls(); c[len(c)-1] != "end_session" {
		t.Errorf("the last call is %s", c[len(c)-1])
	}
}

func TestThePlainModeAsksInTheNextLine(t *testing.T) {
	e := tuitest.New()
	got := dialogue(t, e, false, "2", "open", "query", "send", "query", "")
	if !strings.Contains(got, "query? ()") || !strings.Contains(got, "query? (send)") {
		t.Errorf("the question is not asked:\n%s", got)
	}
	if c := e.Calls(); c[len(c)-2] != `snapshot query="send" scope=""` {
		t.Errorf("an empty line called %q", c[len(c)-2])
	}
}

// Lines out of a pipe are no person's word.
func TestConsentInThePlainModeTakesAPerson(t *testing.T) {
	e := tuitest.New()
	got := dialogue(t, e, false, "6", "open", "yes")
	if called(e, "grant") {
		t.Errorf("it was granted:\n%s", got)
	}
	if !strings.Contains(got, "consent is asked of a person at a terminal") {
		t.Errorf("it does not say why:\n%s", got)
	}
}

func TestThePlainModeWritesNothingThatSteers(t *testing.T) {
	got := dialogue(t, hostileEngine(), false, "2", "open", "2", "why", "back", "omissions", "pane-omissions", "why", "J", "back", "back", "copy", "why-of "+tuitest.Evil, tuitest.Evil, "formats", "quit", "quit")
	if !strings.Contains(got, "␛[2J") {
		t.Error("the page text is not shown as marks")
	}
}

func TestThePlainModeEnds(t *testing.T) {
	t.Run("with the input", func(t *testing.T) {
		e := tuitest.New()
		dialogue(t, e, false)
		if c := e.Calls(); c[len(c)-1] != "end_session" {
			t.Errorf("calls = %q", c)
		}
	})
	t.Run("with its context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in, write := io.Pipe()
		defer func() { _ = write.Close() }()
		out, said := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- Run(ctx, Options{Engine: tuitest.New(), In: in, Out: said, Plain: true})
			_ = said.Close()
		}()
		buf := make([]byte, 1<<16)
		for text := ""; !strings.Contains(text, "6 windows"); {
			n, err := out.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			text += string(buf[:n])
		}
		go func() { _, _ = io.Copy(io.Discard, out) }()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Run("with its output", func(t *testing.T) {
		err := Run(t.Context(), Options{Engine: tuitest.New(), In: strings.NewReader("help\n"), Out: broken{}, Plain: true})
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("with a panic", func(t *testing.T) {
		e := tuitest.New()
		e.OnState = func(context.Context, contract.StateRequest) (*contract.StateResult, error) { panic("planted") }
		err := Run(t.Context(), Options{Engine: e, In: strings.NewReader("2\nopen\nprint\n"), Out: io.Discard, Plain: true})
		if err == nil || !strings.Contains(err.Error(), "planted") {
			t.Errorf("err = %v", err)
		}
	})
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestThePlainModeTellsARefusal(t *testing.T) {
	e := tuitest.New()
	e.OnState = func(context.Context, contract.StateRequest) (*contract.StateResult, error) {
		return nil, refusal.New(refusal.WindowGone, "the window is gone")
	}
	if got := dialogue(t, e, false, "2", "open"); !strings.Contains(got, "window_gone") {
		t.Errorf("it does not say so:\n%s", got)
	}
}

// A run whose lines come from a pipe ends with the first that failed, by its
// kind; what a person has typed, the person has seen.
func TestThePlainModeEndsWithTheFirstLineThatFailed(t *testing.T) {
	lost := func(e *tuitest.Engine) {
		e.OnExplain = func(context.Context, contract.ExplainRequest) (*contract.ExplainResult, error) {
			return nil, contract.ErrConnectionLost
		}
	}
	tests := []struct {
		name  string
		lines []string
		set   func(*tuitest.Engine)
		want  string // of the error, "" for none
	}{
		{"all went well", []string{"2", "open", "why", "back", "quit"}, nil, ""},
		{"nothing was asked", nil, nil, ""},
		{"an empty line", []string{"", "  "}, nil, ""},
		{"no such command", []string{"nonsense", "quit"}, nil, "line 1, nonsense: bad arguments"},
		{"one that steers", []string{tuitest.Evil}, nil, "line 1, "},
		{"no such row", []string{"99"}, nil, "line 1, 99: bad arguments"},
		{"one that does not work there", []string{"2", "open", "previous-segment"}, nil, "line 3, previous-segment: bad arguments"},
		{"a refusal", []string{"3", "open", "back", "nonsense"}, nil, "line 2, open: refused"},
		{"no answer", []string{"2", "open", "why-of Send", "quit"}, lost, "line 3, why-of: no answer"},
		{"a refusal that was to be seen", []string{"2", "open", "refusal-lab", "1", "back", "back"}, nil, ""},
		{"a refusal that cannot be had now", []string{"2", "open", "refusal-lab", "4"}, nil, "line 4, 4: bad arguments"},
		{"consent without a person", []string{"6", "open"}, nil, "line 2, open: refused"},
		{"in part, then not at all", []string{"2", "open", "nonsense"}, func(e *tuitest.Engine) { e.OnState = partly(e) }, "line 3, nonsense: bad arguments"},
		{"in part", []string{"2", "open"}, func(e *tuitest.Engine) { e.OnState = partly(e) }, "line 2, open: partial"},
	}
	for _, tt := range tests {
		for _, person := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, person %v", tt.name, person), func(t *testing.T) {
				e := tuitest.New()
				if tt.set != nil {
					tt.set(e)
				}
				err := Run(t.Context(), Options{Engine: e, In: strings.NewReader(strings.Join(append(tt.lines, ""), "\n")), Out: io.Discard, Plain: true, Person: person})
				got := ""
				if err != nil {
					got = err.Error()
				}
				want := tt.want
				if person {
					want = ""
				}
				if want == "" && got != "" || !strings.HasPrefix(got, want) || steering(got) != "" {
					t.Errorf("err = %q, want %q", got, want)
				}
			})
		}
	}
}

// partly answers reads in part.
func partly(e *tuitest.Engine) func(context.Context, contract.StateRequest) (*contract.StateResult, error) {
	return func(_ context.Context, r contract.StateRequest) (*contract.StateResult, error) {
		if r.PID != 0 {
			return tuitest.Bound(e.Windows[0]), nil
		}
		s, err := tuitest.Inbox(1, r)
		return &contract.StateResult{Status: contract.Partial, Semantic: s}, err
	}
}

// A command that asks the engine twice says once that it asks.
func TestThePlainModeSaysAStageOnce(t *testing.T) {
	e := tuitest.New()
	got := dialogue(t, e, false, "2", "open", "why-of menu item 7", "quit")
	if n := strings.Count(got, "asking why …"); n != 1 {
		t.Errorf("it is said %d times:\n%s", n, got)
	}
}

// The end of what is bound is told between two lines.
func TestThePlainModeTellsThatTheBindingIsLost(t *testing.T) {
	e := tuitest.New()
	killed := make(chan struct{})
	e.OnLost = func(ctx context.Context, _ contract.StateRequest) error {
		select {
		case <-killed:
			return refusal.New(refusal.ProcessChanged, "the browser process has ended").WithNext("list_windows", map[string]any{})
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	in, write := io.Pipe()
	out, said := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Run(t.Context(), Options{Engine: e, In: in, Out: said, Plain: true})
		_ = said.Close()
	}()
	late := time.AfterFunc(time.Minute, func() { _ = out.CloseWithError(context.DeadlineExceeded) })
	defer late.Stop()
	buf, text := make([]byte, 1<<16), ""
	until := func(s string) {
		for !strings.Contains(text, s) {
			n, err := out.Read(buf)
			if err != nil {
				t.Fatalf("%v after:\n%s", err, text)
			}
			text += string(buf[:n])
		}
	}
	_, _ = io.WriteString(write, "2\nopen\n")
	until("https://mail.example/inbox p42, Outline")
	close(killed)
	until("process_changed")
	go func() { _, _ = io.Copy(io.Discard, out) }()
	_, _ = io.WriteString(write, "quit\n")
	if err := <-ended; err != nil {
		t.Errorf("what nobody asked for counts as a failed line: %v", err)
	}
	_ = write.Close()
}
