package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/pane"
	"cuatui/tui/tuitest"
)

// frame returns the frame of an 80-column model as text.
func frame(t *testing.T, m *Model) string { t.Helper(); return tuitest.Frame(t, m, m.w, m.h) }

func wantFrame(t *testing.T, m *Model, parts ...string) {
	t.Helper()
	f := frame(t, m)
	for _, p := range parts {
		if !strings.Contains(f, p) {
			t.Errorf("frame lacks %q:\n%s", p, f)
		}
	}
}

func lastCall(e *tuitest.Engine) string {
	c := e.Calls()
	return c[len(c)-1]
}

func TestEveryCommandDoesSomething(t *testing.T) {
	lists := []pane.Pane{&pane.Outline{}, &pane.Omissions{}}
	for _, c := range cmdtable.Table {
		moved := slices.ContainsFunc(lists, func(p pane.Pane) bool { return p.Do(c.ID) })
		if handlers[c.ID] == nil && !moved {
			t.Errorf("nothing carries out %q", c.ID)
		}
	}
}

func TestEnterBindsAndReadsThePage(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "enter")
	want := []string{"start_session", "list_windows all=false", "bind 4121 0x3a00007", `snapshot query="" scope=""`}
	if got := e.Calls(); !slices.Equal(got, want) {
		t.Errorf("calls = %q, want %q", got, want)
	}
	wantFrame(t, m, "● exact", "p42", `button "Reply"`)
}

func TestARefusedBindingShowsCodeReasonAndProof(t *testing.T) {
	m := newTest(t, tuitest.New(), 80, 24)
	press(t, m, "down", "enter")
	wantFrame(t, m, "browser_requires_setup", "no_endpoint", "✗ fail     endpoint", "· not run  tabs", "browser_prepare")
	if m.screen != cmdtable.Windows {
		t.Error("a refused binding left the list of windows")
	}
	press(t, m, "p")
	wantFrame(t, m, "2 of 5 steps hold, stopped at endpoint")
	press(t, m, "esc", "esc")
	if len(m.sheets) != 0 {
		t.Errorf("%d sheets are open after esc", len(m.sheets))
	}
}

func TestLaunchPreparesBindsAndReads(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "L", "type:https://a.example/", "enter")
	got := e.Calls()[2:]
	want := []string{"browser_prepare isolated_new https://a.example/", "bind 4121 0x3a00007", `snapshot query="" scope=""`}
	if !slices.Equal(got, want) {
		t.Errorf("calls = %q, want %q", got, want)
	}
}

func TestLaunchWithSeveralWindowsLetsThePersonChoose(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	tuitest.Drive(t, m, tuitest.Run(m.launch("about:blank"))[0])
	m2 := newTest(t, &several{e}, 80, 24)
	press(t, m2, "L", "type:about:blank", "enter")
	if m2.screen != cmdtable.Windows || m2.book.Bind != nil {
		t.Error("one of several windows was chosen by itself")
	}
	wantFrame(t, m2, "2 windows: choose one")
}

type several struct{ *tuitest.Engine }

func (s *several) Prepare(context.Context, contract.PrepareRequest) (*contract.PrepareResult, error) {
	return &contract.PrepareResult{Status: contract.OK, Action: "launched", PreparedPID: 4121, WindowIDs: []uint64{1, 2}}, nil
}

func TestSegmentsGoForwardAndStayInMemory(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "enter", "]")
	wantFrame(t, m, "segment 2", "Older message 1")
	if lastCall(e) != "continue bc-1" {
		t.Fatalf("last call = %q", lastCall(e))
	}
	n := len(e.Calls())
	press(t, m, "[")
	wantFrame(t, m, "segment 1")
	press(t, m, "]")
	wantFrame(t, m, "segment 2")
	if len(e.Calls()) != n {
		t.Errorf("a segment in memory was asked for again: %q", e.Calls()[n:])
	}
	press(t, m, "]")
	wantFrame(t, m, "next-segment: this is the last segment")
}

func TestANewSnapshotKeepsTheSelectedNode(t *testing.T) {
	e := tuitest.New()
	e.Page = func(n int, r contract.StateRequest) (*snapshotfmt.Semantic, error) {
		s, err := tuitest.Inbox(n, r)
		if n > 1 { // the page has lost its first lines
			s.Lines, s.Refs = s.Lines[3:], s.Refs[2:]
		}
		return s, err
	}
	m := newTest(t, e, 80, 24)
	press(t, m, "enter", "/", "type:reply to all", "enter", "esc", "r")
	if got := m.selectedRef(); got != "p43:23" {
		t.Errorf("selected ref = %q, want p43:23", got)
	}
	press(t, m, "2")
	if got := m.selectedRef(); got != "p43:23" {
		t.Errorf("selected ref in the table = %q, want p43:23", got)
	}
}

func TestClickingShowsTheResultAndReadsAgain(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "enter", "/", "type:reply to all", "enter", "a", "enter")
	got := e.Calls()
	if got[len(got)-2] != "browser_click p42:23 trusted_key " || got[len(got)-1] != `snapshot query="" scope=""` {
		t.Errorf("calls = %q", got[len(got)-2:])
	}
	wantFrame(t, m, "✓ confirmed: read back from the page", "false → true", "not_asked", "p43")
	press(t, m, "esc")
	if got := m.selectedRef(); got != "p43:23" {
		t.Errorf("selected ref = %q, want p43:23", got)
	}
}

func TestTrustedIsDeliveredInTheForeground(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "enter", "down", "a", "down", "down", "enter")
	if got := lastCall(e); got != "browser_click p42:3 trusted foreground" {
		t.Errorf("last call = %q", got)
	}
	wantFrame(t, m, "occluded", `dialog "We value your privacy" div p42:77`, "652, 418")
}

// One key runs the next call of every refusal, and says so; what cannot be run
// from here says that.
func TestOneKeyRunsTheNextCallOfEveryRefusal(t *testing.T) {
	at := map[string]any{"session": "tui-1", "target_id": "bt-1", "tab_id": "tab-1"}
	calls := map[string]struct {
		arguments map[string]any
		makes     string
	}{
		"get_browser_state": {at, `snapshot query="" scope=""`},
		"list_windows":      {map[string]any{"session": "tui-1"}, "list_windows all=false"},
		"browser_prepare":   {map[string]any{"profile": "isolated_new", "url": "about:blank"}, "browser_prepare isolated_new about:blank"},
		"browser_click":     {map[string]any{"target_id": "bt-1", "tab_id": "tab-1", "ref": "p42:3", "route": "dom_event"}, "browser_click p42:3 dom_event "},
		"browser_dialog":    {map[string]any{"session": "tui-1", "target_id": "bt-1", "tab_id": "tab-1", "answer": "inspect"}, "browser_dialog inspect "},
		"browser_type":      {map[string]any{"text": "x"}, ""},
	}
	for tool := range nextRuns {
		if _, ok := calls[tool]; !ok {
			t.Errorf("the call of %s is not tried", tool)
		}
	}
	for tool, c := range calls {
		t.Run(tool, func(t *testing.T) {
			e := tuitest.New()
			m := newTest(t, e, 100, 40)
			press(t, m, "enter")
			e.Page = func(int, contract.StateRequest) (*snapshotfmt.Semantic, error) {
				return nil, refusal.New(refusal.Occluded, "covered").WithNext(tool, c.arguments)
			}
			press(t, m, "r")
			n := len(e.Calls())
			press(t, m, "enter")
			if len(e.Calls()) != n {
				t.Fatalf("enter called %q", e.Calls()[n:])
			}
			wantFrame(t, m, tool)
			if c.makes == "" {
				wantFrame(t, m, "no key here runs it")
				press(t, m, "E")
				wantFrame(t, m, "run-next: this refusal names no call that can be run from here")
				return
			}
			wantFrame(t, m, "E runs it")
			e.Page = tuitest.Inbox
			press(t, m, "E")
			if !slices.Contains(e.Calls()[n:], c.makes) {
				t.Errorf("E called %q, want %q", e.Calls()[n:], c.makes)
			}
		})
	}
}

func TestErrorsAreToldApart(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want []string
	}{
		{"a refusal", refusal.New(refusal.WindowGone, "the window is gone"), []string{"Refused ·", "browser_binding_stale", "window_gone"}},
		{"bad arguments", &contract.ArgumentError{Field: "query", Message: "is too long"}, []string{"Bad arguments ·", "The call was not made", "query", "is too long"}},
		{"a lost connection", fmt.Errorf("read 127.0.0.1:4000: %w", contract.ErrConnectionLost), []string{"No answer ·", "This is no refusal", "connection_lost"}},
		{"a deadline", context.DeadlineExceeded, []string{"No answer ·", "deadline"}},
		{"anything else", errors.New("open /home/someone: denied"), []string{"No answer ·", "internal"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := tuitest.New()
			e.Page = func(int, contract.StateRequest) (*snapshotfmt.Semantic, error) { return nil, tt.err }
			m := newTest(t, e, 100, 30)
			press(t, m, "enter")
			wantFrame(t, m, tt.want...)
			if f := frame(t, m); strings.Contains(f, "127.0.0.1") || strings.Contains(f, "/home/") {
				t.Errorf("the cause reached the screen:\n%s", f)
			}
		})
	}
}

func TestEscCancelsTheCallAndItsAnswerIsDropped(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "enter")
	_, cmd := m.Update(tuitest.Key("r")) // under way, not run yet
	tuitest.Drive(t, m, spinMsg{}, tuitest.Key("esc"))
	wantFrame(t, m, "cancelled: reading the page")
	tuitest.Drive(t, m, tuitest.Run(cmd)...)
	wantFrame(t, m, "p42")
	press(t, m, "5")
	wantFrame(t, m, "answered after it was cancelled")
}

func TestTheLatestCallWins(t *testing.T) {
	m := newTest(t, tuitest.New(), 80, 24)
	press(t, m, "enter")
	_, first := m.Update(tuitest.Key("r"))
	_, second := m.Update(tuitest.Key("r"))
	tuitest.Drive(t, m, append(tuitest.Run(second), tuitest.Run(first)...)...)
	cur, _ := m.book.Current()
	if cur.Snapshot.ID != "p43" { // what the second asked for came first
		t.Errorf("snapshot = %s", cur.Snapshot.ID)
	}
}

func TestASlowCallShowsStageAndTime(t *testing.T) {
	m := newTest(t, tuitest.New(), 80, 24)
	press(t, m, "enter")
	m.Update(tuitest.Key("r"))
	m.now = func() time.Time { return instant.Add(2300 * time.Millisecond) }
	if f := frame(t, m); strings.Contains(f, "esc cancels") {
		t.Error("a call is said to run before the first tick")
	}
	m.Update(spinMsg{})
	wantFrame(t, m, "reading the page  2.3 s  esc cancels")
}

func TestWhileAnActionRunsNothingElseIsAsked(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "enter", "down", "a")
	m.Update(tuitest.Key("enter")) // the click is under way
	for _, k := range []string{"r", "]", "a", "s", "u", "t"} {
		m.Update(tuitest.Key(k))
		wantFrame(t, m, "an action is under way")
	}
	tuitest.Drive(t, m, tea.ResumeMsg{})
	if !m.mutating {
		t.Error("coming back from suspension cancelled the action")
	}
	press(t, m, "esc")
	wantFrame(t, m, "it may have been delivered")
}

func TestComingBackFromSuspensionProvesTheBindingAgain(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "enter", "down", "down")
	n := len(e.Calls())
	tuitest.Drive(t, m, tea.ResumeMsg{})
	if got, want := e.Calls()[n:], []string{"bind 4121 0x3a00007", `snapshot query="" scope=""`}; !slices.Equal(got, want) {
		t.Errorf("calls = %q, want %q", got, want)
	}
	if m.selectedRef() != "p43:4" {
		t.Errorf("selection = %q", m.selectedRef())
	}
	if _, cmd := m.Update(tuitest.Key("ctrl+z")); cmd == nil || cmd() != tea.Suspend() {
		t.Error("ctrl+z does not suspend")
	}
}

func TestNoTabIsGuessed(t *testing.T) {
	yes, no := true, false
	tab := func(id string, active *bool) contract.Tab { return contract.Tab{TabID: id, Active: active} }
	tests := []struct {
		name string
		tabs []contract.Tab
		was  string
		want string
	}{
		{"the only one", []contract.Tab{tab("a", nil)}, "", "a"},
		{"the active one", []contract.Tab{tab("a", &no), tab("b", &yes)}, "", "b"},
		{"the one looked at before", []contract.Tab{tab("a", &yes), tab("b", &no)}, "b", "b"},
		{"two active", []contract.Tab{tab("a", &yes), tab("b", &yes)}, "", ""},
		{"none says", []contract.Tab{tab("a", nil), tab("b", nil)}, "", ""},
		{"none at all", nil, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := chooseTab(tt.tabs, tt.was)
			if got.TabID != tt.want || ok != (tt.want != "") {
				t.Errorf("chooseTab = %q, %v; want %q", got.TabID, ok, tt.want)
			}
		})
	}
}

func TestAnotherTabIsReadAnew(t *testing.T) {
	e := tuitest.New()
	var tabs []string
	m := newTest(t, &watchTabs{e, &tabs}, 80, 24)
	press(t, m, "enter", "t", "down", "enter")
	if want := []string{"tab-1", "tab-2"}; !slices.Equal(tabs, want) {
		t.Errorf("tabs read = %q, want %q", tabs, want)
	}
	wantFrame(t, m, "tab 2/2")
}

type watchTabs struct {
	*tuitest.Engine
	tabs *[]string
}

func (w *watchTabs) State(ctx context.Context, r contract.StateRequest) (*contract.StateResult, error) {
	if r.TabID != "" {
		*w.tabs = append(*w.tabs, r.TabID)
	}
	return w.Engine.State(ctx, r)
}

func TestQueryAndScopeReachTheEngine(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 120, 40)
	press(t, m, "enter", "Q", "type:send", "enter")
	if got := lastCall(e); got != `snapshot query="send" scope=""` {
		t.Errorf("last call = %q", got)
	}
	wantFrame(t, m, "query send")
	press(t, m, "down", "s")
	if got := lastCall(e); got != `snapshot query="" scope="p43:3"` {
		t.Errorf("last call = %q", got)
	}
	press(t, m, "r")
	if got := lastCall(e); got != `snapshot query="" scope=""` {
		t.Errorf("last call = %q", got)
	}
}

func TestNavigatingReadsTheNewPage(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "enter", "u", "type:https://b.example/", "enter")
	got := e.Calls()
	if got[len(got)-2] != "browser_navigate https://b.example/" || got[len(got)-1] != `snapshot query="" scope=""` {
		t.Errorf("calls = %q", got)
	}
	wantFrame(t, m, "confirmed: load https://b.example/")
}

func TestFilterNarrowsAndMatchesAreWalked(t *testing.T) {
	m := newTest(t, tuitest.New(), 80, 24)
	press(t, m, "enter", "/", "type:reply")
	wantFrame(t, m, "/reply  3 of 21", `▌●     button "Reply" p42:22`)
	press(t, m, "enter", "n")
	wantFrame(t, m, `▌●     button "Reply to all" p42:23`)
	press(t, m, "n")
	wantFrame(t, m, `▌●     button "Reply" p42:22`)
	press(t, m, "N")
	wantFrame(t, m, `▌●     button "Reply to all" p42:23`)
	press(t, m, "esc")
	wantFrame(t, m, `searchbox "Search mail"`, `▌●     button "Reply to all" p42:23`)
}

func TestPanesFollowTheSelection(t *testing.T) {
	m := newTest(t, tuitest.New(), 160, 50)
	press(t, m, "enter", "down")
	wantFrame(t, m, "▏● p42:3 ", "ref          p42:3")
	press(t, m, "tab", "down")
	wantFrame(t, m, `▏●     searchbox "Search mail" p42:4`, "ref          p42:4")
	press(t, m, "4")
	wantFrame(t, m, "css_hidden  320 candidates")
}

func TestFoldsHideTheirLines(t *testing.T) {
	m := newTest(t, tuitest.New(), 80, 24)
	press(t, m, "enter", "left")
	wantFrame(t, m, `▌· ▸ banner ""  +2`)
	press(t, m, "right", "right", "left")
	wantFrame(t, m, `▌· ▾ banner ""`)
}

func TestLeaving(t *testing.T) {
	m := newTest(t, tuitest.New(), 80, 24)
	if quit := press(t, m, "enter", "q"); quit || m.screen != cmdtable.Windows {
		t.Error("q in the inspector should lead to the windows")
	}
	if !press(t, m, "q") {
		t.Error("q at the top should quit")
	}
	for _, keys := range [][]string{{"ctrl+c"}, {"enter", "/", "ctrl+c"}, {"enter", "?", "ctrl+c"}, {":", "ctrl+c"}} {
		if !press(t, newTest(t, tuitest.New(), 80, 24), keys...) {
			t.Errorf("%q does not quit", keys)
		}
	}
}

func TestAJournalEntryOpensAsJSON(t *testing.T) {
	m := newTest(t, tuitest.New(), 80, 24)
	press(t, m, "enter", "5", "down", "enter")
	wantFrame(t, m, `"tool": "get_browser_state"`, `"binding_quality": "exact"`)
}

func TestThePaletteRunsACommand(t *testing.T) {
	m := newTest(t, tuitest.New(), 80, 24)
	press(t, m, "enter", ":", "type:panejour", "enter")
	if m.focus != journalPane {
		t.Errorf("focus = %d", m.focus)
	}
	press(t, m, ":", "esc")
	if len(m.sheets) != 0 || m.prompt != nil {
		t.Error("esc leaves the palette open")
	}
}

// Another page is a launch away wherever one is, by key and by name.
func TestABrowserIsLaunchedFromEitherScreen(t *testing.T) {
	for name, keys := range map[string][]string{
		"windows": nil, "inspector": {"enter"},
	} {
		for way, then := range map[string][]string{
			"key": {"L", "type:about:blank", "enter"}, "palette": {":", "type:launch", "enter", "type:about:blank", "enter"},
			"demo": {"d"}, "demo by the palette": {":", "type:demo", "enter"},
		} {
			t.Run(name+" "+way, func(t *testing.T) {
				e := tuitest.New()
				m := newTest(t, e, 80, 24)
				press(t, m, keys...)
				press(t, m, then...)
				if !slices.ContainsFunc(e.Calls(), func(c string) bool { return strings.HasPrefix(c, "browser_prepare isolated_new ") }) {
					t.Errorf("calls = %q", e.Calls())
				}
				if m.screen != cmdtable.Inspector {
					t.Error("what was launched is not inspected")
				}
			})
		}
	}
}

func TestCopySaysWhichWay(t *testing.T) {
	m := newTest(t, tuitest.New(), 100, 24)
	var copied string
	m.clip.Write = func(s string) error { copied = s; return nil }
	press(t, m, "enter", "down", "y")
	wantFrame(t, m, "copied ref p42:3 by desktop clipboard")
	if copied != "p42:3" {
		t.Errorf("copied %q", copied)
	}
}

func TestAFailedStartCanBeTriedAgain(t *testing.T) {
	e := tuitest.New()
	e.OnStart = func(context.Context, contract.StartSessionRequest) (*contract.StartSessionResult, error) {
		return nil, contract.ErrConnectionLost
	}
	m := newTest(t, e, 80, 24)
	wantFrame(t, m, "No answer · start_session")
	e.OnStart = nil
	press(t, m, "esc", "r")
	wantFrame(t, m, "6 windows")
}

func TestTheMouseSelectsAndScrolls(t *testing.T) {
	m := newTest(t, tuitest.New(), 160, 50)
	press(t, m, "enter")
	tuitest.Drive(t, m, tea.MouseClickMsg{X: 60, Y: 6, Button: tea.MouseLeft})
	if m.focus != refsPane || m.selectedRef() != "p42:10" {
		t.Errorf("focus = %d, selection = %q", m.focus, m.selectedRef())
	}
	tuitest.Drive(t, m, tea.MouseWheelMsg{X: 60, Y: 6, Button: tea.MouseWheelDown})
	if m.selectedRef() != "p42:13" {
		t.Errorf("selection after the wheel = %q", m.selectedRef())
	}
}

// Nodes of another page bear the same numbers: the cursor means none of them,
// and begins at the first row, as in a segment that is turned to.
func TestTheCursorBeginsAnewOnAnotherPage(t *testing.T) {
	first := func(m *Model) bool {
		cur, _ := m.book.Current()
		l, ok := m.outline.Selected()
		e := m.refs.Selected()
		return ok && l == cur.Lines[0] && e != nil && e.Ref == cur.Refs[0].Ref
	}
	m := newTest(t, tuitest.New(), 80, 24)
	press(t, m, "enter", "2", "down", "down", "down", "1", "down", "down")
	if first(m) {
		t.Fatal("the cursor has not moved")
	}
	press(t, m, "r")
	if first(m) {
		t.Error("the cursor has not stayed on its node of the same page")
	}
	was := m.book.Tab.TabID
	press(t, m, "t", "down", "enter")
	if m.book.Tab.TabID == was || !first(m) {
		l, _ := m.outline.Selected()
		t.Errorf("another tab's page has the cursor on %q", l.Text)
	}
	press(t, m, "down", "down", "down", "]")
	if cur, _ := m.book.Current(); cur.Snapshot.Segment != 2 || !first(m) {
		l, _ := m.outline.Selected()
		t.Errorf("segment %d has the cursor on %q", cur.Snapshot.Segment, l.Text)
	}
}
