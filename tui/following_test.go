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

// changing is an inbox of which each snapshot after the first lacks its first
// lines, and from the third on has another name for the button Reply.
func changing() *tuitest.Engine {
	e := tuitest.New()
	e.Page = func(n int, r contract.StateRequest) (*snapshotfmt.Semantic, error) {
		s, err := tuitest.Inbox(n, r)
		if n > 1 && r.Continuation == "" {
			s.Lines, s.Refs = s.Lines[3:], s.Refs[2:]
		}
		for i := range s.Lines {
			if n > 2 && s.Lines[i].K == 22 {
				s.Lines[i].Name = "Answer"
			}
		}
		for i := range s.Refs {
			if n > 2 && strings.HasSuffix(s.Refs[i].Ref, ":22") {
				s.Refs[i].Name = "Answer"
			}
		}
		return s, err
	}
	return e
}

// rounds lets so many rounds of following pass.
func rounds(t *testing.T, m *Model, n int) {
	t.Helper()
	for range n {
		tuitest.Drive(t, m, followMsg{})
	}
}

func reads(e *tuitest.Engine) int {
	n := 0
	for _, c := range e.Calls() {
		if strings.HasPrefix(c, "snapshot") {
			n++
		}
	}
	return n
}

func TestFollowingReadsWhenThePageChanges(t *testing.T) {
	e := changing()
	verdict := "met"
	e.OnWait = func(context.Context, contract.WaitRequest) (*contract.WaitResult, error) {
		return &contract.WaitResult{Status: contract.OK, Verdict: verdict}, nil
	}
	m := newTest(t, e, 120, 40)
	press(t, m, "enter", "/", "type:reply to all", "enter", "esc", "f")
	rounds(t, m, 1)
	if reads(e) != 2 {
		t.Fatalf("%d snapshots after f, want a look at once", reads(e))
	}
	wantFrame(t, m, "follow +0 ~0 -3", "p43")
	if got := m.selectedRef(); got != "p43:23" {
		t.Errorf("the selection went to %s", got)
	}
	rounds(t, m, followRounds)
	if reads(e) != 2 {
		t.Errorf("%d snapshots of a page that is quiet", reads(e))
	}
	verdict = "unmet"
	m.pursuit.quiet = 0
	rounds(t, m, 2)
	if reads(e) != 3 {
		t.Errorf("%d snapshots after a change", reads(e))
	}
	wantFrame(t, m, "follow +0 ~1 -0", `●~    button "Reply"`)
}

func TestFollowingLooksNowAndThenAllTheSame(t *testing.T) {
	e := changing()
	m := newTest(t, e, 100, 30)
	press(t, m, "enter", "f")
	rounds(t, m, 1+followRounds+1)
	if reads(e) != 3 {
		t.Errorf("%d snapshots", reads(e))
	}
}

// What shows the same is no step of the history, and no entry of the journal.
func TestFollowingKeepsChangesOnly(t *testing.T) {
	m := newTest(t, tuitest.New(), 100, 30)
	press(t, m, "enter", "f")
	n := len(m.journalCalls())
	rounds(t, m, 3*(followRounds+1))
	if got := len(m.book.History()); got != 1 {
		t.Errorf("%d snapshots are kept of a page that never changed", got)
	}
	if got := len(m.journalCalls()); got != n {
		t.Errorf("the journal grew by %d", got-n)
	}
	if cur, _ := m.book.Current(); cur.Snapshot.ID == "p42" {
		t.Error("the refs are those of the first snapshot")
	}
}

func TestFollowingRestsWhereItWouldDisturb(t *testing.T) {
	tests := []struct {
		name string
		keys []string
		want bool
	}{
		{"the inspector is shown", nil, true},
		{"an action is being chosen", []string{"down", "a"}, false},
		{"something is typed", []string{"/"}, false},
		{"a later segment is shown", []string{"]"}, false},
		{"the list of windows is shown", []string{"q"}, false},
		{"it was paused", []string{"f"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := changing()
			m := newTest(t, e, 100, 30)
			press(t, m, "enter", "f")
			press(t, m, tt.keys...)
			n := len(e.Calls())
			tuitest.Drive(t, m, followMsg{})
			if got := len(e.Calls()) > n; got != tt.want {
				t.Errorf("a round called the engine: %v, want %v", got, tt.want)
			}
		})
	}
}

// What a round brings after the person has asked for something else is older
// than that.
func TestARoundDoesNotOverwriteWhatWasAskedForSince(t *testing.T) {
	e := changing()
	m := newTest(t, e, 100, 30)
	press(t, m, "enter", "f")
	late := m.reread()
	press(t, m, "Q", "type:reply", "enter")
	cur, _ := m.book.Current()
	tuitest.Drive(t, m, tuitest.Run(late)...)
	if now, _ := m.book.Current(); now.Snapshot.ID != cur.Snapshot.ID || m.book.Query != "reply" {
		t.Errorf("%s took the place of %s, query %q", now.Snapshot.ID, cur.Snapshot.ID, m.book.Query)
	}
}

func TestWhatCannotBeFollowedIsToldOnce(t *testing.T) {
	e := changing()
	m := newTest(t, e, 100, 30)
	press(t, m, "enter", "f")
	e.OnState = func(context.Context, contract.StateRequest) (*contract.StateResult, error) {
		return nil, refusal.New(refusal.ProcessChanged, "the browser has ended")
	}
	rounds(t, m, 3)
	if m.pursuit.on || len(m.sheets) != 1 || m.top().scope != cmdtable.Refusal {
		t.Errorf("following %v, %d sheets", m.pursuit.on, len(m.sheets))
	}
	wantFrame(t, m, "process_changed", "no longer following")
}

// A page that is open over the screen keeps its ref; the action goes to the
// current ref of the node, unless that has become something else.
func TestAnActionGoesToTheCurrentRefOfItsNode(t *testing.T) {
	t.Run("the same node", func(t *testing.T) {
		e := changing()
		m := newTest(t, e, 100, 30)
		press(t, m, "enter", "/", "type:reply to all", "enter", "esc", "f")
		m.Update(followMsg{})
		cmd := m.reread() // under way while the page opens
		press(t, m, "a")
		tuitest.Drive(t, m, tuitest.Run(cmd)...)
		press(t, m, "enter")
		if !slices.Contains(e.Calls(), "browser_click p43:23 trusted_key ") {
			t.Errorf("calls = %q", e.Calls())
		}
	})
	t.Run("another name", func(t *testing.T) {
		e := changing()
		m := newTest(t, e, 100, 30)
		press(t, m, "enter", "/", "type:reply", "enter", "esc", "r", "f")
		m.outline.Select(22)
		m.follow()
		cmd := m.reread()
		press(t, m, "a")
		tuitest.Drive(t, m, tuitest.Run(cmd)...)
		press(t, m, "enter")
		if !slices.Contains(e.Calls(), "browser_click p43:22 trusted_key ") {
			t.Errorf("calls = %q", e.Calls())
		}
	})
}

func TestDiffStepsThroughTheLastSnapshots(t *testing.T) {
	m := newTest(t, changing(), 100, 30)
	press(t, m, "enter", "D")
	wantFrame(t, m, "there is no snapshot before this one")
	press(t, m, "r", "r", "D")
	wantFrame(t, m, "Diff · p43 → p44", "+0 ~1 -0  2/2", `name "Reply" → "Answer"`)
	press(t, m, "[")
	wantFrame(t, m, "Diff · p42 → p43", "+0 ~0 -3  1/2", `- `, `link "Mail home"`)
	if f := frame(t, m); strings.Contains(f, "Starred\" p43:11") && strings.Count(f, "Starred") > 1 {
		t.Errorf("lines that stayed are shown:\n%s", f)
	}
	press(t, m, "c")
	wantFrame(t, m, `link "Starred" p43:11`)
	press(t, m, "[")
	wantFrame(t, m, "no older snapshot is kept")
	press(t, m, "]", "]")
	wantFrame(t, m, "this is the latest")
}

func TestAnActionsResultHasItsDiff(t *testing.T) {
	m := newTest(t, changing(), 100, 30)
	press(t, m, "enter", "/", "type:reply to all", "enter", "a", "enter", "D")
	wantFrame(t, m, "Diff · p42 → p43")
	press(t, m, "esc")
	if m.top().scope != cmdtable.Result {
		t.Error("esc does not lead back to the result")
	}
}

// Asking for less, or for all again, is no change of the page.
func TestAQueryIsNoChangeOfThePage(t *testing.T) {
	e := tuitest.New()
	e.Page = func(n int, r contract.StateRequest) (*snapshotfmt.Semantic, error) {
		s, err := tuitest.Inbox(n, r)
		if r.Query != "" || r.ScopeRef != "" {
			s.Lines, s.Refs = s.Lines[3:4], s.Refs[2:3]
		}
		return s, err
	}
	m := newTest(t, e, 120, 40)
	press(t, m, "enter")
	for _, keys := range [][]string{{"Q", "type:starred", "enter"}, {"s"}, {"r"}} {
		press(t, m, keys...)
		if f := frame(t, m); strings.Contains(f, "~0 -") || strings.Contains(f, "+0") {
			t.Errorf("after %q a change is counted:\n%s", keys, f)
		}
		if len(m.marks()) != 0 {
			t.Errorf("after %q %d nodes are marked", keys, len(m.marks()))
		}
	}
}
