package tui

import (
	"context"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/tuitest"
)

func TestWhyAsksAboutWhatIsSelected(t *testing.T) {
	tests := []struct {
		name string
		keys []string
		want string // the last question
	}{
		{"a line with a ref", []string{"enter", "down", "w"}, `explain ref=p42:3 point=[] text="" reason= after=`},
		{"a line that is an ancestor", []string{"enter", "w"}, `explain ref=o42:9000 point=[] text="" reason= after=`},
		{"a line that is a count", []string{"enter", "G", "w"}, `explain ref= point=[] text="" reason=folded after=`},
		{"a ref of the table", []string{"enter", "2", "down", "w"}, `explain ref=p42:4 point=[] text="" reason= after=`},
		{"an omission", []string{"enter", "4", "w"}, `explain ref= point=[] text="" reason=css_hidden after=`},
		{"a cause of an omission, by enter", []string{"enter", "4", "down", "enter"}, `explain ref= point=[] text="" reason=css_hidden/display after=`},
		{"the selection, from another pane", []string{"enter", "down", "3", "w"}, `explain ref=p42:3 point=[] text="" reason= after=`},
		{"a ref that is acted on", []string{"enter", "down", "a", "w"}, `explain ref=p42:3 point=[] text="" reason= after=`},
		{"a refused ref", []string{"enter", "down", "a", "down", "down", "enter", "w"}, `explain ref=p42:3 point=[] text="" reason= after=`},
		{"a filter that matches nothing", []string{"enter", "/", "type:nosuch", "enter", "w"}, `explain ref= point=[] text="nosuch" reason= after=`},
		{"a text", []string{"enter", "W", "type:no such text", "enter"}, `explain ref= point=[] text="no such text" reason= after=`},
		{"a point", []string{"enter", "W", "type:640, 400.5", "enter"}, `explain ref= point=[640 400.5] text="" reason= after=`},
		{"a ref that is typed", []string{"enter", "W", "type:p42:22", "enter"}, `explain ref=p42:22 point=[] text="" reason= after=`},
		{"another text, from an explanation", []string{"enter", "down", "w", "/", "type:again", "enter"}, `explain ref= point=[] text="again" reason= after=`},
		{"a node of a list", []string{"enter", "4", "down", "enter", "down", "enter"}, `explain ref=o42:501 point=[] text="" reason= after=`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := tuitest.New()
			m := newTest(t, e, 100, 30)
			press(t, m, tt.keys...)
			if got := lastCall(e); got != tt.want {
				t.Errorf("asked %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWhyOfAWindowIsItsProof(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, "w")
	if got := lastCall(e); !strings.HasPrefix(got, "bind 4121") || m.top().scope != cmdtable.Proof {
		t.Errorf("w called %q and opened scope %b", got, m.top().scope)
	}
}

func TestAnExplanationSaysVerdictChainAndWhatToDo(t *testing.T) {
	m := newTest(t, tuitest.New(), 100, 30)
	press(t, m, "enter", "W", "type:p42:24", "enter")
	wantFrame(t, m, "✗ left out", "Something opaque lies over it.", "page_occluded/covered", `hit: covered by dialog (div) "We value your privacy"`,
		"✓ pass  visible", "✗ fail  hit", "Close what covers it.")
	press(t, m, "J")
	wantFrame(t, m, `"sub_reason": "covered"`)
}

func TestOneMatchOfATextIsExplainedAtOnce(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, "enter", "W", "type:menu item 7", "enter")
	wantFrame(t, m, "css_hidden/display", `from menu (ul) "More"`)
	if len(m.sheets) != 1 {
		t.Errorf("%d sheets are open, want the explanation alone", len(m.sheets))
	}
}

func TestATextThatIsNowhereIsSaidToBe(t *testing.T) {
	m := newTest(t, tuitest.New(), 100, 30)
	press(t, m, "enter", "W", "type:flying carpet", "enter")
	wantFrame(t, m, "No candidate of this snapshot says it.")
	press(t, m, "enter", "w")
	wantFrame(t, m, "there is no node to explain here")
}

func TestALongListOfNodesIsReadPageByPage(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, "enter", "4", "down", "enter")
	wantFrame(t, m, "50 of 200, ] for more", "has display: none")
	press(t, m, "]", "]", "]")
	wantFrame(t, m, "200 of 200")
	n := len(e.Calls())
	press(t, m, "]")
	wantFrame(t, m, "these are all")
	if len(e.Calls()) != n {
		t.Error("a list that is complete was asked for more")
	}
}

// An engine passes over what has been listed since: a page may be empty and
// still not the last.
func TestAnEmptyPageIsNotTakenForTheEnd(t *testing.T) {
	e := tuitest.New()
	e.OnExplain = func(_ context.Context, r contract.ExplainRequest) (*contract.ExplainResult, error) {
		if r.After == "" {
			return &contract.ExplainResult{Status: contract.OK, Snapshot: "p42", Rows: []contract.Explained{}, Next: "0.50"}, nil
		}
		return &contract.ExplainResult{Status: contract.OK, Snapshot: "p42", Rows: []contract.Explained{{Ref: "o42:9", Role: "link", Name: "Late", Verdict: "waiting", Reason: snapshotfmt.OmitNear}}}, nil
	}
	m := newTest(t, e, 100, 30)
	press(t, m, "enter", "4", "w")
	wantFrame(t, m, "o42:9", "Late")
}

func TestGoingOnFromAnExplanation(t *testing.T) {
	t.Run("to a node that is listed", func(t *testing.T) {
		m := newTest(t, tuitest.New(), 100, 30)
		press(t, m, "enter", "/", "type:starred", "enter", "W", "type:p42:22", "enter", "enter")
		if l, _ := m.outline.Selected(); l.K != 22 || len(m.sheets) != 0 {
			t.Errorf("the outline is at %d, with %d sheets", l.K, len(m.sheets))
		}
	})
	t.Run("to a node in a fold", func(t *testing.T) {
		m := newTest(t, tuitest.New(), 100, 30)
		press(t, m, "enter", "h", "/", "type:main", "enter", "esc")
		m.outline.Select(22)
		press(t, m, "h", "h", "W", "type:p42:22", "enter", "enter")
		if l, _ := m.outline.Selected(); l.K != 22 {
			t.Errorf("the outline is at %d", l.K)
		}
	})
	t.Run("through the next segment", func(t *testing.T) {
		e := tuitest.New()
		m := newTest(t, e, 100, 30)
		press(t, m, "enter", "W", "type:o42:52", "enter")
		wantFrame(t, m, "◐ waiting", "enter reads the next segment")
		press(t, m, "enter")
		got := e.Calls()
		if want := []string{"continue bc-1", `explain ref=o42:52 point=[] text="" reason= after=`}; !slices.Equal(got[len(got)-2:], want) {
			t.Errorf("calls = %q, want %q", got[len(got)-2:], want)
		}
		wantFrame(t, m, "● listed")
		press(t, m, "enter")
		if l, _ := m.outline.Selected(); l.K != 52 {
			t.Errorf("the outline is at %d, want 52", l.K)
		}
	})
	t.Run("nowhere", func(t *testing.T) {
		m := newTest(t, tuitest.New(), 100, 30)
		press(t, m, "enter", "W", "type:p42:24", "enter", "enter")
		wantFrame(t, m, "there is nowhere to go on to")
	})
}

// An old ref is refused, and the refusal leads on.
func TestWhyOfASupersededRefIsRefused(t *testing.T) {
	m := newTest(t, tuitest.New(), 100, 30)
	press(t, m, "enter", "W", "type:p41:22", "enter")
	wantFrame(t, m, "browser_ref_stale", "superseded", "E runs it")
}
