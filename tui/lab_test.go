package tui

import (
	"context"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/tuitest"
)

// ready leads to a state in which every experiment that the fake's desktop
// allows can be done: a second snapshot with a second segment.
var ready = []string{"enter", "r", "]", "["}

func TestEveryExperimentProvokesItsRefusal(t *testing.T) {
	e := tuitest.New()
	e.OnState = nil
	for i, x := range experiments {
		t.Run(string(x.reason), func(t *testing.T) {
			e := tuitest.New()
			m := newTest(t, e, 100, 30)
			press(t, m, ready...)
			if why := x.why(m); why != "" {
				t.Fatalf("cannot be done: %s", why)
			}
			n := len(e.Calls())
			press(t, m, "x", labKeys[i])
			if len(m.sheets) != 2 || m.top().refusal == nil || m.top().refusal.Reason != x.reason {
				t.Fatalf("refused with %+v, want %s", m.top().refusal, x.reason)
			}
			for _, c := range e.Calls()[n:] {
				if strings.HasPrefix(c, "browser_click") || strings.HasPrefix(c, "browser_navigate") || strings.HasPrefix(c, "grant") {
					t.Errorf("it called %s", c)
				}
			}
			press(t, m, "J")
			wantFrame(t, m, `"reason": "`+string(x.reason)+`"`)
			press(t, m, "esc", "esc")
			if m.top().scope != cmdtable.Lab {
				t.Error("esc does not lead back to the lab")
			}
		})
	}
}

func TestThereIsAKeyForEveryExperiment(t *testing.T) {
	if len(experiments) > len(labKeys) {
		t.Errorf("%d experiments, %d keys", len(experiments), len(labKeys))
	}
}

// A refusal has its own proof, and takes that of the binding from nobody.
func TestTheProofOfABindingOutlivesARefusal(t *testing.T) {
	m := newTest(t, tuitest.New(), 100, 30)
	press(t, m, "enter", "p")
	bound := frame(t, m)
	wantFrame(t, m, "Proof · binding, exact", "steps hold")
	press(t, m, "esc", "x", labKeys[0], "esc", "esc", "p")
	if got := frame(t, m); got != bound {
		t.Errorf("after a refusal, the proof is\n%s\nand was\n%s", got, bound)
	}
}

// The lab shows the whole vocabulary: what is not provoked here says how it is
// seen.
func TestTheLabHasEveryReason(t *testing.T) {
	m := newTest(t, tuitest.New(), 100, 30)
	press(t, m, "enter")
	seen := map[string]int{}
	for _, it := range m.labItems() {
		seen[it.Key]++
	}
	for _, e := range refusal.Table {
		if seen[string(e.Reason)] != 1 {
			t.Errorf("%s is there %d times", e.Reason, seen[string(e.Reason)])
		}
	}
	press(t, m, "x", "G", "enter")
	wantFrame(t, m, "what to do", "see it")
}

func TestWhatCannotBeProvokedSaysWhy(t *testing.T) {
	m := newTest(t, tuitest.New(), 120, 40)
	press(t, m, "x")
	wantFrame(t, m, "not now: no window is bound")
	n := len(m.engine.(*tuitest.Engine).Calls())
	press(t, m, "1")
	wantFrame(t, m, "malformed: no window is bound")
	if len(m.engine.(*tuitest.Engine).Calls()) != n {
		t.Error("it was tried all the same")
	}
	press(t, m, "esc", "enter", "x")
	wantFrame(t, m, "no second segment has been read", "there is no earlier snapshot")
}

func TestAnExperimentThatIsNotRefusedIsSaidToBe(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, "enter")
	e.OnState = func(context.Context, contract.StateRequest) (*contract.StateResult, error) {
		return &contract.StateResult{Status: contract.OK, Semantic: &snapshotfmt.Semantic{}}, nil
	}
	press(t, m, "x", "1")
	wantFrame(t, m, "not refused: expected malformed")
	e.OnState = func(context.Context, contract.StateRequest) (*contract.StateResult, error) {
		return nil, refusal.New(refusal.ProcessChanged, "the browser has ended")
	}
	press(t, m, "1")
	wantFrame(t, m, "refused for another reason than malformed", "process_changed")
}

// A second session for an experiment ends whatever comes of it.
func TestTheForeignSessionEnds(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, "enter", "x", "7")
	got := e.Calls()
	if want := []string{"start_session", `snapshot query="" scope=""`, "end_session"}; !slices.Equal(got[len(got)-3:], want) {
		t.Errorf("calls = %q, want %q", got[len(got)-3:], want)
	}
}

func TestTheNextCallIsRunFromTheLab(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, "enter", "x", "1", "E")
	if got := lastCall(e); got != `snapshot query="" scope=""` || len(m.sheets) != 0 {
		t.Errorf("E called %q and left %d sheets", got, len(m.sheets))
	}
	press(t, m, "x", "7", "E")
	if got := lastCall(e); !strings.HasPrefix(got, "list_windows") || m.screen != cmdtable.Windows {
		t.Errorf("E called %q", got)
	}
}
