package tui

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"go.uber.org/goleak"

	"cuatui/engine/contract"
	kept "cuatui/fixtures/golden"
	"cuatui/tui/tuitest"
)

// childEnv makes the test binary be the program itself, for tests that need a
// terminal. Its value says on what engine.
const childEnv = "CUATUI_TUI_CHILD"

func TestMain(m *testing.M) {
	if kind := os.Getenv(childEnv); kind != "" {
		os.Exit(child(kind))
	}
	flag.Parse()
	goleak.VerifyTestMain(m)
}

func child(kind string) int {
	e := tuitest.New()
	o := Options{Engine: e, In: os.Stdin, Out: os.Stdout, Env: os.Environ(), Demo: func(context.Context) (string, error) { return "http://127.0.0.1:1/", nil }}
	switch kind {
	case "demo":
		o.StartURL = "http://127.0.0.1:1/"
	case "plain":
		o.Plain, o.Person = true, true
	case "slow":
		e.OnState = func(ctx context.Context, _ contract.StateRequest) (*contract.StateResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
	case "panic-update": // an answer of nothing is a defect, and what Update makes of it a panic
		e.OnState = func(context.Context, contract.StateRequest) (*contract.StateResult, error) { return nil, nil }
	case "panic-call":
		e.OnState = func(context.Context, contract.StateRequest) (*contract.StateResult, error) { panic("planted") }
	case "hostile":
		e.Page = hostilePage
		e.Windows[0].Title = tuitest.Evil
	}
	if err := Run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		return 1
	}
	fmt.Println(strings.Join(e.Calls(), "\n"))
	return 0
}

// instant is the clock of tests: it stands still.
var instant = time.Date(2026, 11, 30, 12, 4, 5, 0, time.UTC)

// newTest returns a model of the given size on e with its start-up done.
func newTest(t testing.TB, e Engine, w, h int, env ...string) *Model {
	t.Helper()
	m := newModel(t.Context(), Options{Engine: e, Env: env, Demo: func(context.Context) (string, error) { return "http://127.0.0.1:1/", nil }, Log: discard})
	m.now = func() time.Time { return instant }
	m.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	m.session = "tui-1"
	m.clip.Write = func(string) error { return nil }
	m.save = func(path, body string) saved { return saved{path: path, size: len(body)} } // random keys save too
	tuitest.Drive(t, m, tea.WindowSizeMsg{Width: w, Height: h})
	tuitest.Drive(t, m, tuitest.Run(m.startSession())...)
	return m
}

// press sends keys and runs what comes of them. "wait" looks at the screen and
// lets the grace period of a consent dialog pass; keys into a dialog come at the
// pace of a hand.
func press(t testing.TB, m *Model, keys ...string) bool {
	t.Helper()
	for _, k := range keys {
		if k == "wait" {
			m.View()
			later(m, grace)
			tuitest.Drive(t, m, graceMsg{})
			continue
		}
		for _, msg := range tuitest.Keys(k) {
			if q := m.question(); q != nil && !q.held(m.now()) {
				later(m, stroke)
			}
			if tuitest.Drive(t, m, msg) {
				return true
			}
		}
	}
	return false
}

// later moves a model's clock on.
func later(m *Model, d time.Duration) {
	at := m.now().Add(d)
	m.now = func() time.Time { return at }
}

// personal leads to the consent dialog of a personal browser's window, yes
// through it.
var (
	personal = []string{"down", "down", "down", "down", "enter"}
	yes      = append(slices.Clone(personal), "wait", "type:yes", "enter")
)

// golden compares got with a file of testdata, which -update writes.
func golden(t *testing.T, name, got string) {
	t.Helper()
	// Trailing spaces are part of the frame but not of the eye.
	var b strings.Builder
	for l := range strings.SplitSeq(got, "\n") {
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	kept.File(t, filepath.Join("testdata", name+".golden"), b.String())
}

// journalCalls are the journal's entries, as JSON would show them.
func (m *Model) journalCalls() []string {
	_, note := m.journal.Head()
	n := 0
	_, _ = fmt.Sscan(note, &n)
	return make([]string, n)
}
