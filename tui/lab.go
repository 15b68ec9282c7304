package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/pane"
	"cuatui/tui/theme"
)

// An experiment provokes one refusal. It is safe by construction: it reads, or
// it asks for something that is impossible whatever the page is by now (a tab
// or dialog of an id that nobody hands out, an option that no select has), so
// that even an engine that wrongly went on would find nothing to deliver.
type experiment struct {
	reason refusal.Reason
	about  string
	// why says why it cannot be done now, "" if it can.
	why func(*Model) string
	run func(*Model, refusal.Reason) tea.Cmd
}

// noOption is an option that no select has.
const noOption = "cuatui: no option has this label"

// experiments is the lab, in the order of its keys.
var experiments = []experiment{
	{refusal.Malformed, "read the subtree of the ref button1, which has no form of a ref", needsTab, reading(func(m *Model, r *contract.StateRequest) { r.ScopeRef = "button1" })},
	{refusal.Foreign, "read the subtree of a ref that no snapshot of this tab gave out", needsTab, reading(func(m *Model, r *contract.StateRequest) { r.ScopeRef = "p999999999:1" })},
	{refusal.Superseded, "read the subtree of a ref of the snapshot before this one", needsEarlierSnapshot, reading(func(m *Model, r *contract.StateRequest) { r.ScopeRef = m.book.EarlierRef() })},
	{refusal.Spent, "ask again for a segment that has been read", needsSpent, reading(func(m *Model, r *contract.StateRequest) { r.Continuation = m.book.Spent() })},
	{refusal.TabMissing, "take a snapshot of the window without naming a tab", needsTab, reading(func(m *Model, r *contract.StateRequest) { r.TabID = "" })},
	{refusal.TabUnknown, "take a snapshot of the tab tab-0, which there never is", needsTab, reading(func(m *Model, r *contract.StateRequest) { r.TabID = "tab-0" })},
	{refusal.UnknownTarget, "use this window's target in a session of its own, which is opened and ended for it", needsTab, (*Model).provokeForeignTarget},
	{refusal.NotDeclared, "choose an option of something that is only read", needsContentRef, choosing(func(m *Model) string { return m.contentRef() })},
	{refusal.OptionNotFound, "choose an option that the select does not have", needsSelect, choosing(func(m *Model) string { return m.selectRef() })},
	{refusal.NoDialog, "dismiss a page dialog of an id that there never is", needsTab, (*Model).provokeNoDialog},
	{refusal.WindowGone, "bind a window of an id that no window has", needsWindow, binding(func(m *Model) (int, uint64) { pid, _ := m.aWindow(); return pid, noWindow })},
	{refusal.NotABrowser, "bind the window as if it were of this very program", needsWindow, binding(func(m *Model) (int, uint64) { _, w := m.aWindow(); return os.Getpid(), w })},
	{refusal.PersonalBrowser, "bind a person's browser without asking the person", needsRow(refusal.PersonalBrowser), binding(bindRow(refusal.PersonalBrowser))},
	{refusal.NoEndpoint, "bind a browser that has no endpoint open", needsRow(refusal.NoEndpoint), binding(bindRow(refusal.NoEndpoint))},
	{refusal.SameBox, "bind one of several windows in the same place", needsRow(refusal.SameBox), binding(bindRow(refusal.SameBox))},
}

// noWindow is the id of no window: window systems count from below.
const noWindow = 1<<29 - 1

// labKeys are the keys of the experiments, in their order.
var labKeys = cmdtable.ByID(cmdtable.Provoke).Keys

func needsTab(m *Model) string {
	if !m.book.Bound() {
		return "no window is bound"
	}
	return ""
}

func needsEarlierSnapshot(m *Model) string {
	if why := needsTab(m); why != "" {
		return why
	}
	if m.book.EarlierRef() == "" {
		return "there is no earlier snapshot; r takes a new one"
	}
	return ""
}

func needsSpent(m *Model) string {
	if why := needsTab(m); why != "" {
		return why
	}
	if m.book.Spent() == "" {
		return "no second segment has been read; ] reads one"
	}
	return ""
}

func needsContentRef(m *Model) string {
	if m.contentRef() == "" {
		return "no content ref is listed in this segment"
	}
	return ""
}

func needsSelect(m *Model) string {
	if m.selectRef() == "" {
		return "no select is listed in this segment"
	}
	return ""
}

func needsWindow(m *Model) string {
	if pid, _ := m.aWindow(); pid == 0 {
		return "there is no window"
	}
	return ""
}

func needsRow(reason refusal.Reason) func(*Model) string {
	return func(m *Model) string {
		if _, ok := m.windows.Refused(reason); !ok {
			return "no window in the list would be refused for it"
		}
		return ""
	}
}

func bindRow(reason refusal.Reason) func(*Model) (int, uint64) {
	return func(m *Model) (int, uint64) {
		w, _ := m.windows.Refused(reason)
		return w.PID, w.WindowID
	}
}

func (m *Model) contentRef() string {
	if cur, ok := m.book.Current(); ok && len(cur.ContentRefs) > 0 {
		return cur.ContentRefs[0].Ref
	}
	return ""
}

func (m *Model) selectRef() string {
	cur, ok := m.book.Current()
	if !ok {
		return ""
	}
	for i := range cur.Refs {
		if slices.Contains(cur.Refs[i].Actions, "select") {
			return cur.Refs[i].Ref
		}
	}
	return ""
}

// aWindow is the bound window, else the one under the cursor of the list.
func (m *Model) aWindow() (int, uint64) {
	if m.screen == cmdtable.Inspector && m.book.PID != 0 {
		return m.book.PID, m.book.WindowID
	}
	w, _ := m.windows.Selected()
	return w.PID, w.WindowID
}

// reading provokes with a snapshot request that differs from a good one by what
// spoil does.
func reading(spoil func(*Model, *contract.StateRequest)) func(*Model, refusal.Reason) tea.Cmd {
	return func(m *Model, reason refusal.Reason) tea.Cmd {
		r := m.stateRequest()
		spoil(m, &r)
		return provoke(m, reason, "get_browser_state", r, m.engine.State)
	}
}

func binding(of func(*Model) (int, uint64)) func(*Model, refusal.Reason) tea.Cmd {
	return func(m *Model, reason refusal.Reason) tea.Cmd {
		r := contract.StateRequest{Session: m.session}
		r.PID, r.WindowID = of(m)
		return provoke(m, reason, "get_browser_state", r, m.engine.State)
	}
}

func choosing(of func(*Model) string) func(*Model, refusal.Reason) tea.Cmd {
	return func(m *Model, reason refusal.Reason) tea.Cmd {
		s := m.stateRequest()
		r := contract.SelectRequest{Session: s.Session, TargetID: s.TargetID, TabID: s.TabID, Ref: of(m), Labels: []string{noOption}}
		return provoke(m, reason, "browser_select", r, m.engine.Select)
	}
}

func (m *Model) provokeNoDialog(reason refusal.Reason) tea.Cmd {
	s := m.stateRequest()
	r := contract.DialogRequest{Session: s.Session, TargetID: s.TargetID, TabID: s.TabID, Answer: "dismiss", DialogID: "dlg-0"}
	return provoke(m, reason, "browser_dialog", r, m.engine.Dialog)
}

// provokeForeignTarget asks from a second session, which ends whatever comes.
func (m *Model) provokeForeignTarget(reason refusal.Reason) tea.Cmd {
	r := m.stateRequest()
	r.Session += "-lab"
	e := m.engine
	return provoke(m, reason, "get_browser_state", r, func(ctx context.Context, r contract.StateRequest) (res *contract.StateResult, err error) {
		if _, err := e.StartSession(ctx, contract.StartSessionRequest{Session: r.Session}); err != nil {
			return nil, err
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
			defer cancel()
			if _, endErr := e.EndSession(ctx, contract.EndSessionRequest{Session: r.Session}); endErr != nil && err == nil {
				err = endErr
			}
		}()
		return e.State(ctx, r)
	})
}

// provoke makes a call that has to be refused for a reason. What is refused is
// shown as every refusal is; anything else is said to be unexpected.
func provoke[Q, R any](m *Model, reason refusal.Reason, tool string, args Q, call func(context.Context, Q) (R, error)) tea.Cmd {
	return start(m, &m.call, request[Q, R]{
		tool: tool, stage: "provoking " + string(reason), about: "lab: " + string(reason), args: args, call: call, expects: reason,
		apply: func(m *Model, _ R, _ time.Duration) tea.Cmd {
			return m.say(theme.Bad, "not refused: expected "+string(reason)+"; the journal has the answer")
		},
		failed: func(m *Model, err error) (tea.Cmd, bool) {
			if r, ok := refusal.As(err); ok && r.Reason != reason {
				return m.say(theme.Warn, "refused for another reason than "+string(reason)), false
			}
			return nil, false
		},
	})
}

// lab opens the refusal lab.
func (m *Model) lab() tea.Cmd {
	m.push(sheet{scope: cmdtable.Lab, pane: m.labMenu()})
	return nil
}

func (m *Model) labMenu() *pane.Menu {
	ready := 0
	for _, x := range experiments {
		if x.why(m) == "" {
			ready++
		}
	}
	return pane.NewMenu("Refusal lab", fmt.Sprintf("%d of %d here and now; nothing is delivered", ready, len(refusal.Table)), m.labItems())
}

func (m *Model) labItems() []pane.Item {
	items := make([]pane.Item, 0, len(refusal.Table))
	here := map[refusal.Reason]bool{}
	for i, x := range experiments {
		it := pane.Item{Mark: draw.Of(theme.Accent, labKeys[i]), Name: string(x.reason), About: x.about, Why: x.why(m), Key: string(x.reason)}
		if it.Why != "" {
			it.Mark.Token = theme.Dim
		}
		here[x.reason] = true
		items = append(items, it)
	}
	for _, e := range refusal.Table {
		if !here[e.Reason] {
			items = append(items, pane.Item{Mark: draw.Of(theme.Faint, "·"), Name: string(e.Reason), About: "by hand: " + e.See, Quiet: true, Key: string(e.Reason)})
		}
	}
	return items
}

// provokeKey is a key of the lab, provokeSelected enter in it.
func (m *Model) provokeKey() tea.Cmd {
	i := slices.Index(labKeys, m.pressed)
	if i < 0 || i >= len(experiments) {
		return m.cannot("no experiment has this key; enter does the one under the cursor")
	}
	return m.experiment(experiments[i])
}

func (m *Model) provokeSelected(reason refusal.Reason) tea.Cmd {
	for _, x := range experiments {
		if x.reason == reason {
			return m.experiment(x)
		}
	}
	m.push(sheet{scope: cmdtable.Document, pane: pane.NewReason(reason)})
	return nil
}

func (m *Model) experiment(x experiment) tea.Cmd {
	if why := x.why(m); why != "" {
		return m.cannot(string(x.reason) + ": " + why)
	}
	return x.run(m, x.reason)
}

// nextRuns are the tools whose calls can be run from a refusal, with what is
// added where that does more than look. One key runs them all, and not enter:
// that may have been pressed twice.
var nextRuns = map[string]string{
	"get_browser_state": "",
	"list_windows":      "",
	"browser_prepare":   ": an isolated browser is launched",
	"browser_click":     ": this clicks",
	"browser_dialog":    "",
}

// canRun says whether the call that a refusal names can be run from here.
func canRun(r *refusal.Refusal) bool {
	if r == nil || r.Next == nil {
		return false
	}
	_, ok := nextRuns[r.Next.Tool]
	return ok
}

// runWords is what is said of running the call that a refusal names, "" where
// it names none.
func runWords(r *refusal.Refusal) string {
	switch {
	case r == nil || r.Next == nil:
		return ""
	case !canRun(r):
		return "no key here runs it: it is a call for an agent to make"
	}
	return cmdtable.ByID(cmdtable.RunNext).Key() + " runs it" + nextRuns[r.Next.Tool]
}

// runNext runs the call that the refusal on top names, in our own session.
func (m *Model) runNext() tea.Cmd {
	next := m.top().refusal.Next
	switch next.Tool {
	case "list_windows":
		m.sheets = nil
		return tea.Batch(m.toWindows(), m.say(theme.Dim, "list_windows: this is what it answers"))
	case "browser_prepare":
		return withArguments(m, next.Arguments, func(r contract.PrepareRequest) tea.Cmd {
			if r.Profile != "" && r.Profile != "isolated_new" {
				return m.cannot("the next call is about a profile; launch it from an agent")
			}
			m.sheets = nil
			return m.launch(r.URL)
		})
	case "browser_click":
		return withArguments(m, next.Arguments, func(r contract.ClickRequest) tea.Cmd {
			if !m.book.Bound() || r.TargetID != m.book.Bind.TargetID || r.TabID != m.book.Tab.TabID {
				return m.cannot("the next call is about another tab; bind its window from the list")
			}
			m.pop()
			return m.clickRef(r.Ref, r.Route)
		})
	}
	if next.Tool == dialogTool {
		return withArguments(m, next.Arguments, func(r contract.DialogRequest) tea.Cmd {
			if !m.onOurs(r) || r.Answer != "inspect" {
				return m.cannot("the next call is about another tab, or answers a dialog unseen")
			}
			m.pop()
			return m.lookAtDialog()
		})
	}
	return withArguments(m, next.Arguments, m.runState)
}

// withArguments reads the arguments of a next call as a request.
func withArguments[Q any](m *Model, arguments any, run func(Q) tea.Cmd) tea.Cmd {
	raw, err := json.Marshal(arguments)
	var r Q
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		return m.say(theme.Bad, "the next call cannot be read: "+err.Error())
	}
	return run(r)
}

func (m *Model) runState(r contract.StateRequest) tea.Cmd {
	m.pop()
	if len(m.sheets) > 0 && m.top().scope == cmdtable.Lab {
		m.pop() // what is read is to be seen
	}
	r.Session = m.session
	switch {
	case r.PID != 0:
		return m.bind(r.PID, r.WindowID, true)
	case m.book.Bound() && r.TargetID == m.book.Bind.TargetID && r.TabID == m.book.Tab.TabID:
		return m.read(r)
	case m.book.Bind != nil && r.TargetID == "":
		return m.bind(m.book.PID, m.book.WindowID, true)
	}
	return m.cannot("the next call is about another window; bind it from the list")
}
