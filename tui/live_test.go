package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/tui/cmdtable"
	"cuatui/tui/tuitest"
)

func lists(e *tuitest.Engine) int {
	n := 0
	for _, c := range e.Calls() {
		if strings.HasPrefix(c, "list_windows") {
			n++
		}
	}
	return n
}

func TestTheListFollowsTheDesktop(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 120, 30)
	press(t, m, "down", "down")
	e.Windows = slices.Clone(e.Windows)
	e.Windows[0], e.Windows[2] = e.Windows[2], e.Windows[0]
	e.Windows[0].WouldBind = contract.WouldBind{Verdict: "exact"}
	e.Windows[0].Title = "Another page - Reader"
	tuitest.Drive(t, m, pollMsg{})
	wantFrame(t, m, "▌● exact", "Another page - Reader", "live")
	if w, _ := m.windows.Selected(); w.PID != 3307 {
		t.Errorf("the cursor went to pid %d", w.PID)
	}
}

func TestTheListLooksOnlyWhereItMatters(t *testing.T) {
	tests := []struct {
		name string
		do   func(m *Model)
		want bool
	}{
		{"the list is shown", func(*Model) {}, true},
		{"something is typed", func(m *Model) { m.Update(tuitest.Key("/")) }, true},
		{"a call is under way", func(m *Model) { m.Update(tuitest.Key("enter")) }, false},
		{"it is listing already", func(m *Model) { m.Update(tuitest.Key("r")) }, false},
		{"it is paused", func(m *Model) { m.Update(tuitest.Key("P")) }, false},
		{"the inspector is shown", func(m *Model) { m.screen = cmdtable.Inspector }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := tuitest.New()
			m := newTest(t, e, 100, 30)
			tt.do(m)
			n := lists(e)
			tuitest.Drive(t, m, pollMsg{})
			if got := lists(e) > n; got != tt.want {
				t.Errorf("looked = %v, want %v", got, tt.want)
			}
		})
	}
}

// One timer at a time, however many messages there are and however often the
// screen is left and entered.
func TestOneTimerIsSetAtATime(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	set := 0
	m.after = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		if _, ok := msg.(pollMsg); ok {
			set++
		}
		return nil
	}
	m.armed = false
	press(t, m, "down", "up", "enter", "q", "enter", "q", "r")
	if set != 1 {
		t.Errorf("%d timers", set)
	}
	tuitest.Drive(t, m, pollMsg{})
	if set != 2 {
		t.Errorf("%d timers after the first has rung", set)
	}
	press(t, m, "enter")
	tuitest.Drive(t, m, pollMsg{})
	if set != 2 {
		t.Error("a timer is set while the inspector is shown")
	}
	press(t, m, "q")
	if set != 3 {
		t.Error("no timer is set on the way back to the list")
	}
}

func TestTheJournalKeepsOnlyLooksThatFoundSomething(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	_, before := m.journal.Head()
	for range 5 {
		tuitest.Drive(t, m, pollMsg{})
	}
	if _, after := m.journal.Head(); after != before {
		t.Errorf("journal: %s, then %s", before, after)
	}
	e.Windows = e.Windows[:3]
	tuitest.Drive(t, m, pollMsg{}, pollMsg{})
	if c := newest(t, m); c.About != "native windows, as they changed" {
		t.Errorf("journal = %+v", c)
	}
	if _, after := m.journal.Head(); after != "3 calls" {
		t.Errorf("journal: %s", after)
	}
}

func TestAListThatCannotBeHadSaysSinceWhen(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	e.OnList = func(context.Context, contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
		return nil, errors.New("the display is gone")
	}
	for range 3 {
		tuitest.Drive(t, m, pollMsg{})
	}
	wantFrame(t, m, "not live since 12:04:05", "6 windows")
	if len(m.sheets) != 0 {
		t.Error("a look by itself opened a page")
	}
	if _, n := m.journal.Head(); n != "3 calls" {
		t.Errorf("journal: %s", n)
	}
	e.OnList = nil
	tuitest.Drive(t, m, pollMsg{})
	wantFrame(t, m, "linux/x11 · live")
}

func TestAPausedListStandsStill(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, "P")
	wantFrame(t, m, "linux/x11 · paused")
	e.Windows = e.Windows[:2]
	tuitest.Drive(t, m, pollMsg{})
	wantFrame(t, m, "6 windows")
	press(t, m, "P")
	wantFrame(t, m, "2 windows · linux/x11 · live")
}

// The list changes by itself, and enter may be on its way.
func TestEnterNeverMeansAWindowThatSlidUnderTheCursor(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 120, 30)
	press(t, m, "down", "down")
	e.Windows = slices.Delete(slices.Clone(e.Windows), 2, 3)
	tuitest.Drive(t, m, pollMsg{}, pollMsg{})
	wantFrame(t, m, "5 windows", "▌∅ gone")
	press(t, m, "enter")
	if got := lastCall(e); got != "bind 3307 0x2c00005" {
		t.Errorf("enter meant %q", got)
	}
	wantFrame(t, m, string(refusal.WindowGone))
	press(t, m, "esc", "down")
	tuitest.Drive(t, m, pollMsg{})
	if f := frame(t, m); strings.Contains(f, "gone") {
		t.Errorf("the window that is gone stays after the cursor left it:\n%s", f)
	}
	if w, _ := m.windows.Selected(); w.PID != 5150 {
		t.Errorf("the cursor is on pid %d", w.PID)
	}
}

func TestTheProofOfAWindowIsShownWithoutOpeningIt(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, "p")
	wantFrame(t, m, "Proof · binding, exact", "6 of 6 steps hold")
	if m.screen != cmdtable.Windows {
		t.Error("the inspector was opened")
	}
	press(t, m, "esc", "down", "p")
	wantFrame(t, m, "browser_requires_setup", "✗ fail     endpoint")
	press(t, m, "p")
	wantFrame(t, m, "stopped at endpoint")
	press(t, m, "esc", "esc", "down", "down", "down", "p")
	wantFrame(t, m, "browser_consent_required", "✗ fail     access")
	if m.question() != nil {
		t.Error("looking at a proof asks for consent")
	}
}
