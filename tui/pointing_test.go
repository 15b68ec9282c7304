package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/tui/tuitest"
)

func marked(e *tuitest.Engine) (out []string) {
	for _, c := range e.Calls() {
		if ref, ok := strings.CutPrefix(c, "highlight "); ok {
			out = append(out, ref)
		}
	}
	return out
}

func TestPickingEndsInWhy(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "enter", "i")
	wantFrame(t, m, `Why · button "Reply"`, "p42:22", "Checks, in order")
	press(t, m, "enter")
	if got := m.selectedRef(); got != "p42:22" {
		t.Errorf("enter went to %q", got)
	}
}

func TestPickingThatIsEndedInTheBrowser(t *testing.T) {
	e := tuitest.New()
	e.OnPick = func(context.Context, contract.StateRequest) (*contract.ExplainResult, error) {
		return &contract.ExplainResult{Status: contract.OK, Snapshot: "p42"}, nil
	}
	m := newTest(t, e, 80, 24)
	press(t, m, "enter", "i")
	wantFrame(t, m, "nothing was chosen")
}

// While the person is to choose, it says so, and esc ends it.
func TestPickingIsEndedByEsc(t *testing.T) {
	e := tuitest.New()
	e.OnPick = func(ctx context.Context, _ contract.StateRequest) (*contract.ExplainResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	m := newTest(t, e, 100, 24)
	press(t, m, "enter")
	_, cmd := m.Update(tuitest.Key("i"))
	done := make(chan tea.Msg, 1)
	go func() { done <- tuitest.Run(cmd)[0] }()
	m.Update(spinMsg{})
	wantFrame(t, m, "click a node in the browser", "esc cancels")
	press(t, m, "esc")
	tuitest.Drive(t, m, <-done)
	wantFrame(t, m, "cancelled: click a node")
	if m.drawn.any() {
		t.Error("something is drawn still")
	}
}

func TestTheMarkGoesWithTheSelection(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, "enter", "down", "H", "down", "w", "esc", "H", "down")
	if got := marked(e); !slices.Equal(got, []string{"p42:3", "p42:4"}) {
		t.Errorf("marked %q", got)
	}
	press(t, m, "down", "H", "r")
	if got := marked(e); !slices.Equal(got[2:], []string{"p42:10", "p43:10"}) {
		t.Errorf("after a new snapshot marked %q", got[2:])
	}
	press(t, m, "q")
	if m.glow.on {
		t.Error("the mark outlives the inspector")
	}
}

// Whatever ends what is shown takes the mark away.
func TestTheMarkIsTakenAway(t *testing.T) {
	ways := map[string]func(t *testing.T, m *Model){
		"H":            func(t *testing.T, m *Model) { press(t, m, "H") },
		"a pick":       func(t *testing.T, m *Model) { press(t, m, "i") },
		"no ref":       func(t *testing.T, m *Model) { press(t, m, "g") },
		"the list":     func(t *testing.T, m *Model) { press(t, m, "q") },
		"the end":      func(t *testing.T, m *Model) { must(t, m.end(t.Context())) },
		"a loss":       func(t *testing.T, m *Model) { m.lose(errors.New("gone")); m.Update(nil) },
		"a suspension": func(t *testing.T, m *Model) { m.suspend() },
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			e := tuitest.New()
			ended := make(chan struct{})
			began := make(chan struct{})
			e.OnMark = func(ctx context.Context, _ contract.ExplainRequest) error {
				close(began)
				<-ctx.Done()
				close(ended)
				return ctx.Err()
			}
			m := newTest(t, e, 100, 30)
			press(t, m, "enter", "down")
			_, cmd := m.Update(tuitest.Key("H"))
			go tuitest.Run(cmd)
			<-began
			if !m.drawn.any() {
				t.Error("nothing is counted as drawn")
			}
			way(t, m)
			<-ended
			m.drawn.wait(t.Context())
			if m.glow.on != (name == "no ref") || m.drawn.any() {
				t.Errorf("on %v, drawn %v", m.glow.on, m.drawn.any())
			}
		})
	}
}

func TestAMarkWhoseNodeIsGone(t *testing.T) {
	e := tuitest.New()
	e.OnMark = func(context.Context, contract.ExplainRequest) error {
		return refusal.New(refusal.NodeGone, "the node is no longer in the page")
	}
	m := newTest(t, e, 100, 30)
	press(t, m, "enter", "down", "H")
	wantFrame(t, m, "node_gone")
	if m.glow.on || len(marked(e)) != 1 {
		t.Errorf("on %v, marked %q", m.glow.on, marked(e))
	}
}

func TestNothingIsMarkedWithoutARef(t *testing.T) {
	m := newTest(t, tuitest.New(), 100, 30)
	press(t, m, "enter", "H")
	wantFrame(t, m, "highlight: the selection has no ref")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
