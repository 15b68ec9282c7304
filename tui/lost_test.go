package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/theme"
	"cuatui/tui/tuitest"
)

// killed is what the engine says once the browser of a binding is gone.
func killed() error {
	return refusal.New(refusal.ProcessChanged, "the browser process has ended").
		WithProof([]refusal.Step{{Step: "process", Verdict: refusal.Fail, Want: "the same process", Got: "gone"}}).
		WithNext("list_windows", map[string]any{"session": "tui-1"})
}

// untilKilled returns a model whose binding ends when the returned function is
// called.
func untilKilled(t *testing.T, e *tuitest.Engine, keys ...string) (m *Model, kill func(error)) {
	t.Helper()
	m = newTest(t, e, 80, 24)
	var waits tea.Cmd
	end := make(chan error, 1)
	e.OnLost = func(context.Context, contract.StateRequest) error { return <-end }
	m.aside = func(c tea.Cmd) tea.Cmd { waits = c; return nil }
	press(t, m, keys...)
	if waits == nil {
		t.Fatal("nothing waits for the end of the binding")
	}
	return m, func(err error) {
		end <- err
		tuitest.Drive(t, m, tuitest.Run(waits)...)
	}
}

// provenInks are those that say that something holds.
func provenInks(t *testing.T, m *Model) []string {
	t.Helper()
	var out []string
	for l := range strings.SplitSeq(m.View().Content, "\n") {
		for _, selected := range []bool{false, true} {
			if strings.Contains(l, m.paint.Theme.Ink(theme.Good).Open(selected)) {
				out = append(out, l)
			}
		}
	}
	return out
}

func TestTheEndOfTheBrowserShowsByItself(t *testing.T) {
	m, kill := untilKilled(t, tuitest.New(), "enter")
	wantFrame(t, m, "● exact")
	if len(provenInks(t, m)) == 0 {
		t.Fatal("nothing is shown as proven before")
	}
	kill(killed())
	wantFrame(t, m, "✗ lost  Inbox (3)", "browser_binding_stale · process_changed", "esc windows, L launch",
		"━ Refused · binding", "list_windows", "E runs it")
	if f := frame(t, m); strings.Contains(f, "exact") {
		t.Errorf("it is still shown as exact:\n%s", f)
	}
	press(t, m, "esc")
	if got := provenInks(t, m); len(got) > 0 {
		t.Errorf("shown as proven: %q", got)
	}
	wantFrame(t, m, "✗ lost", "p42 as it was before 12:04:05")
	press(t, m, "p")
	wantFrame(t, m, "✗ fail", "the same process")
	press(t, m, "esc", "down", "a")
	wantFrame(t, m, "not now: the binding is lost")
	press(t, m, "esc", "f")
	wantFrame(t, m, "follow: the binding is lost")
	press(t, m, "5")
	wantFrame(t, m, "binding            refused  whether it still holds  br")
}

func TestABindingThatIsProvedAgainIsNotLost(t *testing.T) {
	m, kill := untilKilled(t, tuitest.New(), "enter")
	kill(killed())
	press(t, m, "E", "enter")
	wantFrame(t, m, "● exact")
	if m.loss() != nil {
		t.Errorf("lost: %+v", m.loss())
	}
	if m.held.bind != m.book.Bind {
		t.Error("nothing waits for the end of the new binding")
	}
}

// What is open, or typed, or asked keeps the keys: the header says it.
func TestALossOpensNothingOverWhatIsOpen(t *testing.T) {
	for name, keys := range map[string][]string{
		"a page": {"enter", "?"}, "typing": {"enter", "/", "type:re"}, "the palette": {"enter", ":"},
	} {
		t.Run(name, func(t *testing.T) {
			m, kill := untilKilled(t, tuitest.New(), keys...)
			sheets, typing := len(m.sheets), m.prompt != nil
			kill(killed())
			if len(m.sheets) != sheets || (m.prompt != nil) != typing {
				t.Errorf("%d sheets, typing %v", len(m.sheets), m.prompt != nil)
			}
			wantFrame(t, m, "✗ lost", "browser_binding_stale · process_changed")
		})
	}
	t.Run("the list of windows", func(t *testing.T) {
		m, kill := untilKilled(t, tuitest.New(), "enter", "q")
		kill(killed())
		if len(m.sheets) > 0 || m.book.Lost == nil {
			t.Errorf("%d sheets, lost %v", len(m.sheets), m.book.Lost)
		}
	})
}

// Whatever says that the binding does not hold takes the green away; what is
// about a node, or was asked to be refused, does not.
func TestEveryAnswerThatUnbindsShows(t *testing.T) {
	tests := []struct {
		err  error
		lost string
	}{
		{refusal.New(refusal.WindowGone, "the window is gone"), "browser_binding_stale · window_gone"},
		{refusal.New(refusal.TabClosed, "the tab has been closed"), "browser_tab_not_found · closed"},
		{refusal.New(refusal.SameBox, "two windows"), "browser_binding_ambiguous · same_box"},
		{refusal.New(refusal.Expired, "consent has run out"), "browser_consent_required · expired"},
		{refusal.New(refusal.ByPerson, "consent withdrawn"), "browser_consent_revoked · by_person"},
		{fmt.Errorf("read: %w", contract.ErrConnectionLost), "connection_lost"},
		{refusal.New(refusal.Navigated, "the page is another"), ""},
		{refusal.New(refusal.Occluded, "covered"), ""},
		{context.DeadlineExceeded, ""},
	}
	for _, tt := range tests {
		for way, keys := range map[string][]string{"read": {"r"}, "why": {"w"}, "click": {"down", "a", "enter"}, "follow": {"f"}} {
			t.Run(way+" "+tt.err.Error(), func(t *testing.T) {
				e := tuitest.New()
				m := newTest(t, e, 100, 30)
				press(t, m, "enter")
				e.Page = func(int, contract.StateRequest) (*snapshotfmt.Semantic, error) { return nil, tt.err }
				e.OnClick = func(context.Context, contract.ClickRequest) (*contract.ActionResult, error) { return nil, tt.err }
				e.OnExplain = func(context.Context, contract.ExplainRequest) (*contract.ExplainResult, error) { return nil, tt.err }
				press(t, m, keys...)
				rounds(t, m, 1)
				if tt.lost == "" {
					if m.loss() != nil {
						t.Errorf("lost: %+v", m.loss())
					}
					if !errors.Is(tt.err, context.DeadlineExceeded) { // which is told otherwise
						wantFrame(t, m, "● exact")
					}
					return
				}
				wantFrame(t, m, "✗ lost", tt.lost)
			})
		}
	}
}

func TestTheLabUnbindsNothing(t *testing.T) {
	m := newTest(t, tuitest.New(), 100, 30)
	press(t, m, ready...)
	press(t, m, "x")
	for i := range experiments {
		press(t, m, labKeys[i], "esc")
	}
	if m.loss() != nil {
		t.Errorf("lost: %+v", m.loss())
	}
}

// Coming back from suspension, the binding is proved again, or is not.
func TestABindingThatCannotBeProvedAgainIsLost(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, "enter")
	e.Windows = nil
	tuitest.Drive(t, m, tea.ResumeMsg{})
	wantFrame(t, m, "✗ lost", "browser_binding_stale · window_gone")
}

func TestWithdrawnConsentIsALoss(t *testing.T) {
	m := newTest(t, tuitest.New(), 100, 30)
	press(t, m, yes...)
	wantFrame(t, m, "● exact")
	press(t, m, "R", "y")
	wantFrame(t, m, "✗ lost", "consent withdrawn")
	if got := provenInks(t, m); m.screen != cmdtable.Inspector || len(got) > 1 { // the toast says so
		t.Errorf("shown as proven: %q", got)
	}
}
