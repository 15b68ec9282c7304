package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/tuitest"
)

// stopped is an inspector whose browser has stopped answering, after a call on it
// has ended by its deadline.
func stopped(t *testing.T, w, h int) (*tuitest.Engine, *Model) {
	t.Helper()
	e := tuitest.New()
	m := newTest(t, e, w, h)
	press(t, m, "enter")
	e.Page = late
	press(t, m, "r", "esc")
	return e, m
}

func late(int, contract.StateRequest) (*snapshotfmt.Semantic, error) {
	return nil, fmt.Errorf("snapshot: %w", context.DeadlineExceeded)
}

func TestABrowserThatDoesNotAnswerIsNotShownAsProven(t *testing.T) {
	for _, w := range []int{80, 120, 160} {
		e, m := stopped(t, w, 30)
		wantFrame(t, m, "? no answer", "the browser did not answer", "exact before", "r asks again", "p42 as it was before 12:04:05", `button "Reply"`)
		if strings.Contains(frame(t, m), "● exact") {
			t.Error("it is shown as proven")
		}
		if lines := provenInks(t, m); w < threeColumns && len(lines) != 0 { // from there on the journal is in sight
			t.Errorf("shown as proven: %q", lines)
		}
		e.Page = tuitest.Inbox
		press(t, m, "r")
		wantFrame(t, m, "● exact", "p44")
		if strings.Contains(frame(t, m), "did not answer") {
			t.Error("it answers, and is said not to")
		}
	}
}

// Only what the browser itself has answered says that it does.
func TestOnlyAnAnswerOfTheBrowserEndsItsSilence(t *testing.T) {
	refuse := func(int, contract.StateRequest) (*snapshotfmt.Semantic, error) {
		return nil, refusal.New(refusal.Superseded, "a newer snapshot has replaced it")
	}
	explained := func(e *tuitest.Engine) { e.Page = tuitest.Inbox }
	tests := []struct {
		name string
		set  func(*tuitest.Engine)
		keys []string
		ends bool
	}{
		{"a snapshot", func(e *tuitest.Engine) { e.Page = tuitest.Inbox }, []string{"r"}, true},
		{"an explanation", explained, []string{"W", "type:640,400", "enter", "esc"}, true},
		{"its window proved again", func(*tuitest.Engine) {}, []string{"q", "p", "esc"}, true},
		{"another deadline", func(*tuitest.Engine) {}, []string{"r", "esc"}, false},
		{"a refusal", func(e *tuitest.Engine) { e.Page = refuse }, []string{"r", "esc"}, false},
		{"what is known of its dialogs", func(*tuitest.Engine) {}, []string{"o"}, false},
		{"the list of windows", func(*tuitest.Engine) {}, []string{"q", "r"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, m := stopped(t, 80, 24)
			tt.set(e)
			press(t, m, tt.keys...)
			if ended := m.book.Silent.IsZero(); ended != tt.ends {
				t.Errorf("ended = %v, want %v", ended, tt.ends)
			}
		})
	}
}

// Every call on what is bound says that the browser does not answer, those that
// nobody asked for, too; one on something else does not.
func TestEveryDeadlineOnWhatIsBoundIsTold(t *testing.T) {
	t.Run("an explanation", func(t *testing.T) {
		e := tuitest.New()
		e.OnExplain = func(context.Context, contract.ExplainRequest) (*contract.ExplainResult, error) {
			return nil, context.DeadlineExceeded
		}
		m := newTest(t, e, 80, 24)
		press(t, m, "enter", "w", "esc")
		wantFrame(t, m, "? no answer")
	})
	t.Run("a click", func(t *testing.T) {
		e := tuitest.New()
		e.OnClick = func(context.Context, contract.ClickRequest) (*contract.ActionResult, error) {
			return nil, context.DeadlineExceeded
		}
		m := newTest(t, e, 80, 24)
		press(t, m, "enter", "down", "a", "enter", "esc")
		wantFrame(t, m, "? no answer")
	})
	t.Run("following", func(t *testing.T) {
		e := tuitest.New()
		m := newTest(t, e, 80, 24)
		press(t, m, "enter", "f")
		e.Page = late
		rounds(t, m, 1)
		press(t, m, "esc")
		wantFrame(t, m, "? no answer")
	})
	t.Run("the list of windows", func(t *testing.T) {
		e := tuitest.New()
		m := newTest(t, e, 80, 24)
		press(t, m, "enter")
		e.OnList = func(context.Context, contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
			return nil, context.DeadlineExceeded
		}
		press(t, m, "q", "esc")
		if !m.book.Silent.IsZero() {
			t.Error("the browser was not asked, and is said not to answer")
		}
	})
}

func TestThePlainModeTellsThatTheBrowserDoesNotAnswer(t *testing.T) {
	p, e, out := plainAt(t, cmdtable.Inspector)
	e.Page = late
	p.line(line{text: "snapshot"})
	p.line(line{text: "back"})
	if !strings.Contains(out.String(), "as it was: the browser did not answer") {
		t.Errorf("it does not say so:\n%s", out)
	}
}
