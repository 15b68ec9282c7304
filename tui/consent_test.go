package tui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/tui/cmdtable"
	"cuatui/tui/pane"
	"cuatui/tui/tuitest"
)

const bank = "6120 0x3c00002"

// called says whether the engine got a call that begins with prefix.
func called(e *tuitest.Engine, prefix string) bool {
	return slices.ContainsFunc(e.Calls(), func(c string) bool { return strings.HasPrefix(c, prefix) })
}

func newest(t *testing.T, m *Model) pane.Call {
	t.Helper()
	m.journal.Filter("")
	m.journal.Do(cmdtable.Home)
	c, ok := m.journal.Selected()
	if !ok {
		t.Fatal("the journal is empty")
	}
	return c
}

func TestAPersonalBrowserAsksWithTheWindowAsItIsNow(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, personal[:4]...)
	e.Windows[4].Title, e.Windows[4].Box = "Now - Chromium", [4]float64{1, 2, 300, 400}
	press(t, m, "enter")
	if m.question() == nil {
		t.Fatal("no dialog is open")
	}
	wantFrame(t, m, "Chromium, pid 6120", `window   "Now - Chromium"`, "window 0x3c00002, 300 x 400 at 1, 2", "a person's own",
		"your data is in it", "30 minutes", "8 hours", "other windows", "read what the pages in this window show")
	if called(e, "grant") {
		t.Error("consent was given before anybody answered")
	}
}

func TestAWindowWhosePlaceIsNotToldIsAskedForAsSuch(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, personal[:4]...)
	e.Windows[4].Title, e.Windows[4].Box = "", [4]float64{}
	press(t, m, "enter")
	wantFrame(t, m, `window   ""`, "window 0x3c00002; its place is not known, nor whether it is the only one")
}

func TestYesGrantsBindsAndReads(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, personal...)
	n := len(e.Calls())
	press(t, m, "wait", "type:yes", "enter")
	want := []string{"grant " + bank, "bind " + bank, `snapshot query="" scope=""`}
	if got := e.Calls()[n:]; !slices.Equal(got, want) {
		t.Errorf("calls = %q, want %q", got, want)
	}
	wantFrame(t, m, "access existing_profile_approved", `button "Reply"`, "R withdraws it")
	if m.question() != nil {
		t.Error("the dialog is still open")
	}
}

func TestWhatElseIsAnsweredIsNo(t *testing.T) {
	for _, keys := range [][]string{
		{"esc"},
		{"q"},
		{"type:ye", "q"},
		{"type:y", "enter"},
		{"type:Yes", "enter"},
		{"type:yess", "enter"},
		{"type:yes ", "enter"},
		{"type:no", "enter"},
		{"type:yes", "backspace", "enter"},
		{"type:yes", "esc"},
	} {
		t.Run(strings.Join(keys, " "), func(t *testing.T) {
			e := tuitest.New()
			m := newTest(t, e, 100, 30)
			press(t, m, append(append(slices.Clone(personal), "wait"), keys...)...)
			if called(e, "grant") {
				t.Error("it counted as a yes")
			}
			if m.question() != nil || m.screen != cmdtable.Windows {
				t.Error("the dialog did not end")
			}
			wantFrame(t, m, "you said no: nothing was connected")
			if c := newest(t, m); c.Tool != "consent" || c.Outcome != pane.Declined || c.About != "pid 6120 window 0x3c00002" {
				t.Errorf("journal = %+v", c)
			}
		})
	}
}

func TestWhatIsNoAnswerLeavesTheDialogOpen(t *testing.T) {
	for _, msgs := range [][]tea.Msg{
		tuitest.Keys("enter", "enter"),
		tuitest.Keys("type:yes"),
		tuitest.Keys("up", "down", "pgup", "pgdown", "tab", "enter"),
		{tea.PasteMsg{Content: "yes\n"}, tuitest.Key("enter")},
		{tea.MouseClickMsg{X: 10, Y: 15, Button: tea.MouseLeft}, tuitest.Key("enter")},
	} {
		e := tuitest.New()
		m := newTest(t, e, 100, 30)
		press(t, m, append(slices.Clone(personal), "wait")...)
		tuitest.Drive(t, m, msgs...)
		if m.question() == nil || called(e, "grant") {
			t.Errorf("%v ended it", msgs)
		}
	}
}

func TestKeysOfTheGracePeriodAnswerNothing(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, personal...)
	wantFrame(t, m, "no key counts yet")
	// Somebody goes on typing, never as long apart as the grace period.
	q := m.question()
	for _, k := range []string{"y", "e", "s", "enter", "esc", "q", "y", "e", "s", "enter"} {
		later(m, grace-time.Millisecond)
		press(t, m, k)
		if m.question() != q || called(e, "grant") || q.dialog.Input.Value() != "" {
			t.Fatalf("%s counted in the grace period", k)
		}
	}
	press(t, m, "wait")
	wantFrame(t, m, "type yes to agree:")
	press(t, m, "type:yes", "enter")
	if !called(e, "grant "+bank) {
		t.Error("yes does not count after the grace period")
	}
}

func TestComingBackFromSuspensionStartsTheGracePeriodAnew(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, append(slices.Clone(personal), "wait", "type:yes")...)
	if _, cmd := m.Update(tuitest.Key("ctrl+z")); cmd == nil || cmd() != tea.Suspend() {
		t.Fatal("ctrl+z does not suspend")
	}
	tuitest.Drive(t, m, tea.ResumeMsg{}, tuitest.Key("enter"))
	if called(e, "grant") {
		t.Error("a key right after the suspension answered")
	}
}

func TestADialogTakesTheKeysFromWhatWasBeingTyped(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, append(slices.Clone(yes), "q")...)
	n := len(e.Calls())
	e.Expire()                                // the list does not say so yet
	_, bind := m.Update(tuitest.Key("enter")) // under way
	press(t, m, "/", "type:ban")
	tuitest.Drive(t, m, tuitest.Run(bind)...)
	press(t, m, "type:k yes", "enter")
	if m.question() == nil || slices.Contains(e.Calls()[n:], "grant "+bank) {
		t.Fatal("what was typed into a filter answered the dialog")
	}
	press(t, m, "wait", "esc", "type:k")
	if got := m.windows.Filtering(); got != "bank" {
		t.Errorf("filter after the dialog = %q", got)
	}
}

func TestNobodyAgreesToWhatWasNotShown(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 60, 14)
	press(t, m, append(slices.Clone(personal), "wait", "type:yes", "enter")...)
	if called(e, "grant") {
		t.Fatal("consent was given to a question that was not shown whole")
	}
	wantFrame(t, m, "read it to its end first", "more")
	for range 12 {
		press(t, m, "down")
		m.View()
	}
	wantFrame(t, m, "when the browser does")
	press(t, m, "enter")
	if !called(e, "grant") {
		t.Error("yes does not count after all was shown")
	}
}

// A paste that the terminal does not mark as one comes as keys, all at once.
func TestKeysThatNoHandTypesAreNoAnswer(t *testing.T) {
	for _, tt := range []struct {
		name string
		gaps [4]time.Duration // before y, e, s and enter
	}{
		{"at once", [4]time.Duration{}},
		{"all but the first", [4]time.Duration{0, time.Second, 0, 0}},
		{"the word", [4]time.Duration{0, 0, 0, time.Second / 2}},
		{"the end", [4]time.Duration{0, time.Second, time.Second, 0}},
		{"by a program", [4]time.Duration{0, stroke - 1, stroke - 1, stroke - 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := tuitest.New()
			m := newTest(t, e, 100, 30)
			press(t, m, append(slices.Clone(personal), "wait")...)
			for i, msg := range tuitest.Keys("type:yes", "enter") {
				later(m, tt.gaps[i])
				tuitest.Drive(t, m, msg)
				m.View()
			}
			if called(e, "grant") {
				t.Fatal("it agreed")
			}
			press(t, m, "wait")
			wantFrame(t, m, "too fast for a hand: type yes again")
			press(t, m, "enter", "type:yes", "enter")
			if !called(e, "grant "+bank) {
				t.Error("yes does not count at the pace of a hand")
			}
		})
	}
}

func resize(t *testing.T, m *Model, w, h int) {
	t.Helper()
	tuitest.Drive(t, m, tea.WindowSizeMsg{Width: w, Height: h})
	m.View()
}

// What was read and is not in sight any more, or not as it was, is read again.
func TestNobodyAgreesToWhatIsNotInSight(t *testing.T) {
	text := tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeSet}
	tests := []struct {
		name string
		hide func(*Model)
		back func(*Model) // brings all of it into sight
	}{
		{"too small", func(m *Model) { resize(t, m, 30, 8) }, func(m *Model) { resize(t, m, 120, 36) }},
		{"too small, and back with the word typed", func(m *Model) {
			press(t, m, "type:yes")
			resize(t, m, 30, 8)
			resize(t, m, 120, 36)
			press(t, m, "wait", "enter")
			resize(t, m, 30, 8)
		}, func(m *Model) { resize(t, m, 120, 36) }},
		{"no lines", func(m *Model) { resize(t, m, 120, 0) }, func(m *Model) { resize(t, m, 120, 36) }},
		{"partly in sight", func(m *Model) { resize(t, m, 60, 14) }, func(m *Model) { scroll(t, m) }},
		{"read at its end, then wrapped anew", func(m *Model) {
			resize(t, m, 60, 14)
			press(t, m, "wait")
			scroll(t, m)
			resize(t, m, 50, 14)
		}, func(m *Model) { scroll(t, m) }},
		{"read at its end, then measured anew", func(m *Model) {
			resize(t, m, 60, 14)
			press(t, m, "wait")
			scroll(t, m)
			tuitest.Drive(t, m, text)
			m.View()
		}, func(m *Model) { scroll(t, m) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := tuitest.New()
			m := newTest(t, e, 120, 36)
			press(t, m, append(slices.Clone(personal), "wait")...)
			tt.hide(m)
			press(t, m, "wait", "type:yes", "enter")
			if called(e, "grant") {
				t.Fatal("it agreed")
			}
			press(t, m, "wait")
			tt.back(m)
			press(t, m, "wait", "backspace", "backspace", "backspace", "type:yes", "enter")
			if !called(e, "grant") {
				t.Errorf("yes does not count although all is in sight:\n%s", frame(t, m))
			}
		})
	}
}

func scroll(t *testing.T, m *Model) {
	t.Helper()
	for range 20 {
		press(t, m, "down")
		m.View()
	}
}

func TestAQuestionThatIsNotInSightTakesNoKey(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 30, 8)
	press(t, m, append(slices.Clone(personal), "wait", "type:no", "enter", "wait", "esc", "wait", "q")...)
	if m.question() == nil {
		t.Fatal("a key that was pressed blindly answered it")
	}
	resize(t, m, 100, 30)
	press(t, m, "wait", "type:yes", "enter")
	if !called(e, "grant "+bank) {
		t.Error("yes does not count once it is in sight")
	}
}

func TestThatItIsToBeReadIsSaidBeforeTheAnswer(t *testing.T) {
	for _, size := range [][2]int{{60, 14}, {40, 10}} {
		m := newTest(t, tuitest.New(), size[0], size[1])
		press(t, m, append(slices.Clone(personal), "wait")...)
		wantFrame(t, m, "↓ to the end, then type yes:", "more")
		scroll(t, m)
		wantFrame(t, m, "type yes to agree:")
	}
}

func TestNothingCoversTheDialog(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, append(slices.Clone(personal), "wait", "type:y")...)
	m.push(sheet{scope: cmdtable.Document, pane: pane.NewLines("Late", "", "an answer of before")})
	wantFrame(t, m, "May this window be used?")
	press(t, m, "type:es", "enter")
	if !called(e, "grant "+bank) {
		t.Error("the keys went to what opened below it")
	}
}

// Any keys but the word itself, in any order and at any pace.
func TestRandomKeysNeverAgree(t *testing.T) {
	keys := []string{"enter", "enter", "esc", "q", "y", "e", "s", "y", "n", "R", "C", " ", "tab", "up", "down", "pgdown", "backspace", ":", "/", "ctrl+d", "ctrl+u", "ctrl+w", "left", "right", "home", "end", "é"}
	agreed := 0
	for seed := range uint64(120) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		e := tuitest.New()
		m := newTest(t, e, 100, 30)
		press(t, m, personal...)
		var typed []string
		for m.question() != nil && len(typed) < 60 {
			k := keys[rnd.IntN(len(keys))]
			if k == "enter" && m.question().dialog.Input.Value() == pane.ConsentWord {
				agreed++
				break // that would be the answer
			}
			later(m, time.Duration(rnd.IntN(1200))*time.Millisecond)
			m.View()
			typed = append(typed, k)
			press(t, m, k)
			if rnd.IntN(8) == 0 {
				tuitest.Drive(t, m, tea.PasteMsg{Content: "yes\r"})
			}
		}
		if called(e, "grant") {
			t.Fatalf("seed %d: agreed by %q", seed, typed)
		}
	}
	t.Logf("%d of 120 runs typed the word by chance", agreed)
}

func TestATitleCannotImitateTheDialog(t *testing.T) {
	e := tuitest.New()
	e.Windows[4].Title = "x\"\n  profile  none\r\n\x1b[2K  type yes to agree:   " + strings.Repeat("harmless ", 200)
	for _, size := range [][2]int{{80, 24}, {120, 40}, {160, 50}} {
		m := newTest(t, e, size[0], size[1])
		press(t, m, append(slices.Clone(personal), "wait")...)
		lines := strings.Split(frame(t, m), "\n")
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "━ May this window be used?") })
		if at < 0 {
			t.Fatalf("no dialog:\n%s", frame(t, m))
		}
		labels := map[string]int{}
		for _, l := range lines[at+1:] {
			if len(l) > 2 && l[2] != ' ' {
				labels[strings.Fields(l)[0]]++
			}
		}
		for _, label := range []string{"process", "window", "place", "profile", "allows", "never", "lasts"} {
			if labels[label] != 1 {
				t.Errorf("%dx%d: %d lines begin with %q:\n%s", size[0], size[1], labels[label], label, strings.Join(lines[at:], "\n"))
			}
		}
		title := lines[at:][slices.IndexFunc(lines[at:], func(l string) bool { return strings.HasPrefix(l, "  window ") })]
		if !strings.HasPrefix(title, `  window   "x\"`) || !strings.HasSuffix(strings.TrimRight(title, " "), `…"`) {
			t.Errorf("title = %q", title)
		}
		if bad := steering(m.View().Content); bad != "" {
			t.Errorf("%s reached the content", bad)
		}
	}
}

func TestAYesIsAskedForOnce(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	e.OnGrant = func(context.Context, contract.GrantRequest) (*contract.GrantResult, error) {
		return &contract.GrantResult{Status: contract.OK, Generation: 1, IdleMinutes: 30, Hours: 8}, nil // and it does not take
	}
	press(t, m, yes...)
	if m.question() != nil {
		t.Error("the person is asked again and again")
	}
	wantFrame(t, m, "Refused · get_browser_state", "browser_consent_required")
}

func TestAnExpiredConsentIsAskedForAgain(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, yes...)
	e.Expire()
	press(t, m, "q", "enter")
	if m.question() == nil {
		t.Fatal("no dialog is open")
	}
	wantFrame(t, m, "has run out")
	press(t, m, "wait", "type:yes", "enter")
	wantFrame(t, m, "generation 2")
}

func TestAClickUnderAnExpiredConsentAsksOnlyOnRequest(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, yes...)
	e.OnClick = func(context.Context, contract.ClickRequest) (*contract.ActionResult, error) {
		return nil, refusal.New(refusal.Expired, "the person's consent has run out")
	}
	press(t, m, "down", "a", "enter")
	wantFrame(t, m, "Refused · browser_click", "expired", "C consent")
	press(t, m, "C")
	if q := m.question(); q == nil || fmt.Sprint(q.subject) != "pid 6120 window 0x3c00002" {
		t.Errorf("C opens %v", q)
	}
}

func TestWhatConsentWouldLift(t *testing.T) {
	tests := []struct {
		reason      refusal.Reason
		asks, first bool
	}{
		{refusal.PersonalBrowser, true, true},
		{refusal.Expired, true, true},
		{refusal.ByPerson, true, false},
		{refusal.CodeMissing, false, false},
		{refusal.NotInManifest, false, false},
		{refusal.WindowGone, false, false},
	}
	for _, tt := range tests {
		if asks, first := asksConsent(refusal.New(tt.reason, "no")); asks != tt.asks || first != tt.first {
			t.Errorf("%s: asks %v, first %v", tt.reason, asks, first)
		}
	}
	if asks, first := asksConsent(nil); asks || first {
		t.Error("what is no refusal asks for consent")
	}
}

func TestNothingOpensOverTheDialog(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, personal[:4]...)
	_, list := m.Update(tuitest.Key("r"))
	_, bind := m.Update(tuitest.Key("enter"))
	e.OnList = func(context.Context, contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
		return nil, contract.ErrConnectionLost
	}
	failed := tuitest.Run(list)
	e.OnList = nil
	tuitest.Drive(t, m, tuitest.Run(bind)...)
	tuitest.Drive(t, m, failed...)
	if m.question() == nil {
		t.Errorf("the dialog is not on top:\n%s", frame(t, m))
	}
}

func TestAnAnswerDoesNotTakeTheKeysFromThePalette(t *testing.T) {
	m := newTest(t, tuitest.New(), 100, 30)
	press(t, m, "down")
	_, bind := m.Update(tuitest.Key("enter"))
	press(t, m, ":", "type:dem")
	tuitest.Drive(t, m, tuitest.Run(bind)...)
	wantFrame(t, m, "━ Commands")
	press(t, m, "esc")
	wantFrame(t, m, "Refused · get_browser_state")
}

func TestWhileAQuestionComesKeysDoNothingElse(t *testing.T) {
	again := append(slices.Clone(yes), "R", "y", "down", "a", "enter") // refused: consent is withdrawn
	for _, tt := range []struct {
		name string
		way  []string
		key  string
	}{
		{"asked again from the inspector", again, "C"},
		{"bound from the list", personal[:4], "enter"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := tuitest.New()
			m := newTest(t, e, 100, 30)
			m.clip.Write = func(string) error { t.Error("something was copied"); return nil }
			press(t, m, tt.way...)
			screen, calls := m.screen, e.Calls()
			selected := func() string { _, s := m.active().Copy(); return s }
			_, comes := m.Update(tuitest.Key(tt.key)) // under way
			was := selected()
			press(t, m, "y", "s", "r", "j", "k", "j", "enter", ":", "/", "x", "?", "a", "R", "C", "L", "q", "type:yes", "enter")
			tuitest.Drive(t, m, tea.PasteMsg{Content: "yes"}, tea.MouseClickMsg{X: 10, Y: 4, Button: tea.MouseLeft}, tea.MouseWheelMsg{X: 10, Y: 4, Button: tea.MouseWheelDown}, tea.ResumeMsg{})
			if got := e.Calls(); !slices.Equal(got, calls) || m.screen != screen || len(m.sheets) > 0 || m.prompt != nil || selected() != was {
				t.Fatalf("a key did something else: calls %q, screen %v, %d sheets, prompt %v, selection %q then %q", got[len(calls):], m.screen, len(m.sheets), m.prompt, was, selected())
			}
			wantFrame(t, m, "no key counts while the question is on its way; esc calls it off")
			tuitest.Drive(t, m, tuitest.Run(comes)...)
			if q := m.question(); q == nil || q.dialog.Input.Value() != "" {
				t.Errorf("the question did not come:\n%s", frame(t, m))
			}
		})
	}
}

func TestAQuestionThatComesCanBeCalledOff(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, personal[:4]...)
	_, comes := m.Update(tuitest.Key("enter"))
	if _, cmd := m.Update(tuitest.Key("ctrl+z")); cmd == nil || cmd() != tea.Suspend() {
		t.Error("ctrl+z does not suspend")
	}
	press(t, m, "esc")
	tuitest.Drive(t, m, tuitest.Run(comes)...)
	wantFrame(t, m, "cancelled: binding")
	if m.question() != nil {
		t.Error("it is asked all the same")
	}
	press(t, m, "k")
	if w, _ := m.windows.Selected(); w.PID == 6120 {
		t.Error("the keys do nothing any more")
	}
}

func TestAWindowThatIsGoneAsksNobody(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, personal[:4]...)
	_, bind := m.Update(tuitest.Key("enter"))
	msgs := tuitest.Run(bind)
	e.Windows = e.Windows[:4]
	tuitest.Drive(t, m, msgs...)
	if m.question() != nil {
		t.Error("a window that is gone is asked about")
	}
	wantFrame(t, m, "the window is gone")
}

func TestAYesGoesToTheRunThatWasShown(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	var got contract.GrantRequest
	e.OnGrant = func(_ context.Context, r contract.GrantRequest) (*contract.GrantResult, error) {
		got = r
		return nil, refusal.New(refusal.ProcessChanged, "the process id has been given to another process since the person was asked")
	}
	press(t, m, personal...)
	i := slices.IndexFunc(e.Windows, func(w contract.NativeWindow) bool { return w.PID == 6120 })
	e.Windows[i].Run = "run-of-another" // while the question is open
	press(t, m, "wait", "type:yes", "enter")
	if got.Run != tuitest.RunOf(6120) {
		t.Errorf("agreed to %+v", got)
	}
	if m.book.Bind != nil {
		t.Error("the window was bound all the same")
	}
	wantFrame(t, m, string(refusal.ProcessChanged))
}

func TestAYesThatWasCancelledIsWithdrawn(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, append(slices.Clone(personal), "wait", "type:yes")...)
	later(m, stroke)
	_, grant := m.Update(tuitest.Key("enter"))
	msgs := tuitest.Run(grant) // it was recorded
	tuitest.Drive(t, m, append(tuitest.Keys("esc"), msgs...)...)
	if !called(e, "revoke "+bank) {
		t.Errorf("calls = %q", e.Calls())
	}
	if m.book.Bind != nil {
		t.Error("the window was bound all the same")
	}
}

func TestRevokingTakesOneMoreKey(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, yes...)
	for _, k := range []string{"esc", "q"} {
		press(t, m, "R")
		wantFrame(t, m, "Withdraw your consent?", "pid 6120")
		press(t, m, "enter", "R", k)
		if called(e, "revoke") || len(m.sheets) != 0 {
			t.Errorf("%s does not keep it", k)
		}
	}
	press(t, m, "R", "y")
	if got := lastCall(e); got != "revoke "+bank {
		t.Errorf("last call = %q", got)
	}
	wantFrame(t, m, "consent withdrawn", "your consent is withdrawn")
	press(t, m, "R")
	wantFrame(t, m, "revoke: no consent of yours covers this window")
	press(t, m, "down", "a", "enter")
	wantFrame(t, m, "browser_consent_revoked", "by_person")
}

func TestARevokedWindowIsAskedForOnlyOnRequest(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, append(slices.Clone(yes), "R", "y", "q", "enter")...)
	if m.question() != nil {
		t.Fatal("who said no is asked again without wanting it")
	}
	wantFrame(t, m, "browser_consent_revoked", "C consent")
	press(t, m, "C", "wait", "type:yes", "enter")
	wantFrame(t, m, "generation 2")
	if m.book.Revoked {
		t.Error("the new consent counts as withdrawn")
	}
}

// C asks wherever a window shows that consent is lacking, and says where it is
// not.
func TestCAsksWhereConsentIsLacking(t *testing.T) {
	withdrawn := append(slices.Clone(yes), "R", "y")
	expired := func(e *tuitest.Engine) { e.Expire() }
	for _, tt := range []struct {
		name string
		way  []string
		set  func(*tuitest.Engine)
		more []string
		says string
	}{
		{"withdrawn, in the list", append(slices.Clone(withdrawn), "q"), nil, nil, "used only if you agree"},
		{"withdrawn, in the inspector", withdrawn, nil, nil, "used only if you agree"},
		{"never given, in the list", personal[:4], nil, nil, "used only if you agree"},
		{"run out, in the list", append(slices.Clone(yes), "q"), expired, []string{"r"}, "has run out"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := tuitest.New()
			m := newTest(t, e, 120, 36)
			press(t, m, tt.way...)
			if tt.set != nil {
				tt.set(e)
			}
			press(t, m, tt.more...)
			wantFrame(t, m, "C consent")
			press(t, m, "C", "wait")
			wantFrame(t, m, "May this window be used?", "Chromium, pid 6120", tt.says)
			n := len(e.Calls())
			press(t, m, "type:yes", "enter")
			if got := e.Calls()[n:]; len(got) < 2 || got[0] != "grant "+bank || got[1] != "bind "+bank {
				t.Errorf("calls = %q", got)
			}
			wantFrame(t, m, "access existing_profile_approved")
		})
	}
	m := newTest(t, tuitest.New(), 100, 30)
	for _, way := range [][]string{{}, {"enter"}} {
		press(t, m, append(way, "C")...)
		wantFrame(t, m, "ask-consent: consent is not what is lacking here")
	}
}

func TestOnlyAWindowUnderConsentCanBeRevoked(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 30)
	press(t, m, "R")
	wantFrame(t, m, "revoke: no consent of yours covers this window")
	press(t, m, "enter", "R")
	wantFrame(t, m, "revoke: no consent of yours covers this window")
	press(t, m, append([]string{"q"}, append(slices.Clone(personal), "wait", "type:yes", "enter", "q", "r")...)...)
	press(t, m, "R", "y")
	if !called(e, "revoke "+bank) {
		t.Error("the list of windows cannot revoke")
	}
}
