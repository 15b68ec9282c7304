package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/tui/cmdtable"
	"cuatui/tui/inspect"
	"cuatui/tui/job"
	"cuatui/tui/pane"
	"cuatui/tui/theme"
)

// An answer is what an engine call came to.
type answer struct {
	slot  *job.Slot[answer]
	entry pane.Call
	// apply takes the result into the model; it is not called on errors.
	apply func(*Model) tea.Cmd
	// failed is what a failed call leaves behind, beside the sheet; handled
	// says that there shall be no sheet.
	failed func(*Model, error) (cmd tea.Cmd, handled bool)
	// expects is the reason that the call is to be refused for, "" for none.
	expects refusal.Reason
	// dropped is what is done where nobody waits any more for a success.
	dropped func(*Model) tea.Cmd
}

// request describes an engine call. Q and R are its request and result.
type request[Q, R any] struct {
	tool, stage, about string
	args               Q
	call               func(context.Context, Q) (R, error)
	apply              func(*Model, R, time.Duration) tea.Cmd
	failed             func(*Model, error) (tea.Cmd, bool)
	dropped            func(*Model) tea.Cmd
	mutates            bool
	// asks says that the person will be asked for consent when it ends.
	asks    bool
	expects refusal.Reason
}

// start runs a request in a slot.
func start[Q, R any](m *Model, slot *job.Slot[answer], r request[Q, R]) tea.Cmd {
	if slot == &m.call {
		m.mutating, m.asking = r.mutates, r.asks
		m.pursuit.slot.Stop() // what it brings would be older than what was asked for
	}
	now := m.now
	cmd := slot.Start(m.ctx, now(), r.stage, func(ctx context.Context) (answer, error) {
		at := now()
		res, err := r.call(ctx, r.args)
		took := now().Sub(at)
		a := answer{slot: slot, failed: r.failed, expects: r.expects, dropped: r.dropped, entry: pane.Call{At: at, Tool: r.tool, About: r.about, Took: took, Request: r.args}}
		if err != nil {
			a.entry.Outcome, a.entry.Answer = outcomeOf(err)
			return a, err
		}
		a.entry.Outcome, a.entry.Answer = pane.Ok, res
		a.apply = func(m *Model) tea.Cmd { return r.apply(m, res, took) }
		return a, nil
	})
	if slot == &m.poll || slot == &m.pursuit.slot || slot == &m.hold || slot == &m.glow.slot { // nobody waits for it
		return cmd
	}
	return m.spinning(cmd)
}

// outcomeOf tells a refusal from bad arguments and from a call without an
// answer, and returns what the journal keeps of it.
func outcomeOf(err error) (pane.Outcome, any) {
	if r, ok := refusal.As(err); ok {
		return pane.Refused, contract.RefusedResult{Status: contract.Refused, Refusal: r}
	}
	call := contract.NewCallError(err)
	switch call.Kind {
	case contract.BadArguments:
		return pane.Bad, call
	case contract.Cancelled:
		return pane.Cancelled, call
	default:
		return pane.Lost, call
	}
}

// answered takes an answer in. One that nobody waits for any more is only
// entered in the journal.
func (m *Model) answered(d job.Done[answer]) tea.Cmd {
	a := d.Value
	if a.slot == &m.poll {
		m.looked(d)
		return nil
	}
	if a.slot == &m.hold {
		return m.letGo(d)
	}
	if a.slot == &m.pursuit.slot {
		return m.pursued(d)
	}
	if a.slot == &m.glow.slot {
		return m.dimmed(d)
	}
	wanted := a.slot.Accept(d)
	if !wanted && a.entry.Outcome == pane.Ok {
		a.entry.About = "answered after it was cancelled: " + a.entry.About
	}
	if wanted && a.slot == &m.call {
		m.mutating = false
	}
	m.log.Info("call", "tool", a.entry.Tool, "outcome", string(a.entry.Outcome), "ms", a.entry.Took.Milliseconds())
	if call, ok := a.entry.Answer.(*contract.CallError); ok {
		m.log.Warn("no answer", "tool", a.entry.Tool, "kind", string(call.Kind), "cause", call.Unwrap())
	}
	if wanted {
		m.judge(&a, d.Err)
		m.hear(&a, d.Err)
		m.tally(&a, d.Err)
	}
	var cmd tea.Cmd
	switch {
	case d.Err != nil:
	case wanted:
		cmd = a.apply(m)
	case a.dropped != nil:
		cmd = a.dropped(m)
	}
	if partial(a.entry.Answer) {
		a.entry.Outcome = pane.Partly
	}
	m.note(&a.entry, d.Err)
	if wanted && d.Err != nil {
		cmd = m.fail(a, d.Err)
	}
	return cmd
}

// tally counts how a call that was asked for ended. A refusal that is what was
// to be seen is no failure, nor is a list that is partial for want of a display.
func (m *Model) tally(a *answer, err error) {
	switch r, _ := refusal.As(err); {
	case r != nil && r.Reason == a.expects:
	case err != nil:
		m.fails(a.entry.Outcome)
	case a.slot == &m.call && partial(a.entry.Answer):
		m.fails(pane.Partly)
	}
}

func partial(res any) bool {
	switch r := res.(type) {
	case *contract.StateResult:
		return r.Status == contract.Partial
	case *contract.ActionResult:
		return r.Status == contract.Partial
	case *contract.ListWindowsResult:
		return r.Status == contract.Partial
	case *contract.NavigateResult:
		return r.Status == contract.Partial
	case *contract.DialogResult:
		return r.Status == contract.Partial
	}
	return false
}

// fail shows an error as what it is.
func (m *Model) fail(a answer, err error) tea.Cmd {
	if a.failed != nil {
		if cmd, handled := a.failed(m, err); handled {
			return cmd
		}
	}
	raw := a.entry.Page()
	if r, ok := refusal.As(err); ok {
		p := &proof{of: a.entry.Tool, steps: r.Proof}
		doc := pane.NewRefusal(a.entry.Tool, r, runWords(r))
		m.push(sheet{scope: cmdtable.Refusal, pane: doc, refusal: r, proof: p, raw: raw, subject: m.about(a), ref: refOf(a.entry.Request)})
		if r.Reason == refusal.DialogOpen && a.entry.Tool != dialogTool && m.onOurs(a.entry.Request) {
			return m.seekDialog(true, nil)
		}
		return nil
	}
	if a.entry.Outcome == pane.Cancelled {
		return m.say(theme.Warn, "cancelled: "+a.entry.About)
	}
	m.push(sheet{scope: cmdtable.Result, pane: pane.NewFailure(a.entry.Tool, contract.NewCallError(err)), raw: raw})
	return nil
}

// about returns the window that a call was about: the one it names, else the
// bound one.
func (m *Model) about(a answer) subject {
	if q, ok := a.entry.Request.(contract.StateRequest); ok && q.PID != 0 {
		return subject{pid: q.PID, window: q.WindowID}
	}
	return m.bookSubject()
}

// refOf is the ref that a request acts on, "" for none.
func refOf(r any) string { return placeOf(r).ref }

func (m *Model) startSession() tea.Cmd {
	return start(m, &m.call, request[contract.StartSessionRequest, *contract.StartSessionResult]{
		tool: "start_session", stage: "starting", about: "session " + m.session,
		args: contract.StartSessionRequest{Session: m.session}, call: m.engine.StartSession,
		apply: func(m *Model, _ *contract.StartSessionResult, _ time.Duration) tea.Cmd {
			m.started = true
			if m.startURL != "" {
				return m.launch(m.startURL)
			}
			if m.replay != nil {
				if pid, window, ok := m.replay.Bound(); ok {
					return m.bind(pid, window, false)
				}
			}
			return m.listWindows()
		},
		failed: func(m *Model, _ error) (tea.Cmd, bool) {
			m.windows.Say("there is no session; r tries again")
			return nil, false
		},
	})
}

func (m *Model) listWindows() tea.Cmd {
	if !m.started {
		return m.startSession()
	}
	m.poll.Stop()
	return start(m, &m.listing, request[contract.ListWindowsRequest, *contract.ListWindowsResult]{
		tool: "list_windows", stage: "listing windows", about: "native windows",
		args: contract.ListWindowsRequest{Session: m.session, All: m.allWindows}, call: m.engine.ListWindows,
		apply: func(m *Model, r *contract.ListWindowsResult, _ time.Duration) tea.Cmd {
			m.listed(r)
			return nil
		},
		failed: func(m *Model, _ error) (tea.Cmd, bool) {
			m.windows.Say("the windows could not be listed; r tries again")
			return nil, false
		},
	})
}

func (m *Model) startDemo() tea.Cmd {
	return start(m, &m.call, request[struct{}, string]{
		tool: "demo", stage: "serving the demo page", about: "demo page", mutates: true,
		call:  func(ctx context.Context, _ struct{}) (string, error) { return m.demo(ctx) },
		apply: func(m *Model, url string, _ time.Duration) tea.Cmd { return m.launch(url) },
	})
}

func (m *Model) launch(url string) tea.Cmd {
	return start(m, &m.call, request[contract.PrepareRequest, *contract.PrepareResult]{
		tool: "browser_prepare", stage: "launching an isolated browser", about: "isolated_new at " + url,
		args: contract.PrepareRequest{Session: m.session, Profile: "isolated_new", AllowLaunch: true, URL: url},
		call: m.engine.Prepare, mutates: true,
		apply: func(m *Model, r *contract.PrepareResult, _ time.Duration) tea.Cmd {
			if len(r.WindowIDs) != 1 {
				return tea.Batch(m.listWindows(), m.say(theme.Warn, fmt.Sprintf("%s with %s: choose one", r.Action, pane.Count(len(r.WindowIDs), "window"))))
			}
			return m.bind(r.PreparedPID, r.WindowIDs[0], true)
		},
	})
}

// bind proves a native window and opens the inspector on it. Where that takes
// the person's consent, ask says to ask for it: never twice for one command.
func (m *Model) bind(pid int, window uint64, ask bool) tea.Cmd {
	return start(m, &m.call, m.binding(pid, window, ask))
}

func (m *Model) binding(pid int, window uint64, ask bool) request[contract.StateRequest, *contract.StateResult] {
	r := m.bindRequest(pid, window)
	r.apply = func(m *Model, res *contract.StateResult, _ time.Duration) tea.Cmd { return m.bound(pid, window, res) }
	r.failed = func(m *Model, err error) (tea.Cmd, bool) {
		no, _ := refusal.As(err)
		if no != nil && m.book.Bind != nil && m.book.PID == pid && m.book.WindowID == window {
			m.lose(err) // it was to be proved again
		}
		if _, first := asksConsent(no); !ask || !first {
			return nil, false
		}
		return m.consider(subject{pid: pid, window: window}, no.Reason == refusal.Expired), true
	}
	return r
}

func (m *Model) bindRequest(pid int, window uint64) request[contract.StateRequest, *contract.StateResult] {
	return request[contract.StateRequest, *contract.StateResult]{
		tool: "get_browser_state", stage: "binding", about: fmt.Sprintf("bind pid %d window %#x", pid, window),
		args: contract.StateRequest{Session: m.session, PID: pid, WindowID: window}, call: m.engine.State,
	}
}

func (m *Model) bound(pid int, window uint64, r *contract.StateResult) tea.Cmd {
	m.proof = &proof{of: "binding, " + r.BindingQuality, steps: r.Proof}
	again := m.book.PID == pid && m.book.WindowID == window
	was := m.book.Tab.TabID
	if !again {
		m.leavePage()
		m.book = inspect.Book{PID: pid, WindowID: window}
		m.zoom = false
		m.focusOn(outlinePane)
	}
	m.book.Bind, m.book.Revoked, m.book.Lost = r, false, nil
	m.book.Tab = contract.Tab{}
	m.screen = cmdtable.Inspector
	tab, ok := chooseTab(r.Tabs, was)
	if !ok {
		m.book.Clear()
		m.refresh("no tab is chosen; t chooses one")
		if len(r.Tabs) == 0 {
			return m.say(theme.Bad, "the window is bound, but shows no tab")
		}
		m.push(sheet{scope: cmdtable.Tabs, pane: m.tabMenu()})
		return nil
	}
	m.book.Tab = tab
	if again && tab.TabID != was {
		m.leavePage()
	}
	m.refresh("reading the page …")
	return m.snapshot(m.book.Query, "")
}

// leavePage drops what was read of the tab looked at: another tab's nodes bear
// the same numbers.
func (m *Model) leavePage() {
	m.book.Clear()
	m.outline.Forget()
	m.refs.Forget()
}

// chooseTab returns the tab looked at before, else the only one, else the one
// that says it is active. It never guesses between several.
func chooseTab(tabs []contract.Tab, was string) (contract.Tab, bool) {
	var active []contract.Tab
	for _, t := range tabs {
		if t.TabID == was {
			return t, true
		}
		if t.Active != nil && *t.Active {
			active = append(active, t)
		}
	}
	switch {
	case len(tabs) == 1:
		return tabs[0], true
	case len(active) == 1:
		return active[0], true
	}
	return contract.Tab{}, false
}

// prove binds again after the program was suspended: the world moved on.
func (m *Model) prove() tea.Cmd {
	switch {
	case m.mutating: // its answer will say what became of it
		return nil
	case m.book.Bind == nil:
		return m.listWindows()
	}
	return m.bind(m.book.PID, m.book.WindowID, true)
}

func (m *Model) stateRequest() contract.StateRequest {
	return contract.StateRequest{Session: m.session, TargetID: m.book.Bind.TargetID, TabID: m.book.Tab.TabID}
}

// snapshot reads the tab anew; the selection stays on its node.
func (m *Model) snapshot(query, scope string) tea.Cmd {
	r := m.stateRequest()
	r.Query, r.ScopeRef = query, scope
	return m.read(r)
}

// read takes the snapshot that r asks for.
func (m *Model) read(r contract.StateRequest) tea.Cmd {
	return m.readThen(r, func(*Model) {}, func(error) {})
}

// readThen takes the snapshot that r asks for, and does one thing or the other
// after it is there, or is not.
func (m *Model) readThen(r contract.StateRequest, then func(*Model), not func(error)) tea.Cmd {
	about := "snapshot"
	switch {
	case r.Query != "":
		about = fmt.Sprintf("snapshot, query %q", r.Query)
	case r.ScopeRef != "":
		about = "snapshot, scope " + r.ScopeRef
	}
	return start(m, &m.call, request[contract.StateRequest, *contract.StateResult]{
		tool: "get_browser_state", stage: "reading the page", about: about, args: r, call: m.engine.State,
		apply: func(m *Model, res *contract.StateResult, took time.Duration) tea.Cmd {
			if res.Semantic == nil {
				return m.say(theme.Bad, "the engine answered without a snapshot")
			}
			m.book.Query, m.book.ScopeRef = r.Query, r.ScopeRef
			m.book.Start(segment(res, took))
			m.refresh("")
			then(m)
			if note := res.Snapshot.QueryNote; note != "" {
				return m.say(theme.Warn, note)
			}
			return nil
		},
		failed: func(m *Model, err error) (tea.Cmd, bool) {
			if _, ok := m.book.Current(); !ok {
				m.refresh("there is no snapshot; r tries again")
			}
			not(err)
			return nil, false
		},
	})
}

func segment(r *contract.StateResult, took time.Duration) inspect.Segment {
	return inspect.Segment{Semantic: r.Semantic, Partial: r.Status == contract.Partial, Took: took}
}

// continueSnapshot reads the next segment; then, where it is not nil, is what
// comes after that.
func (m *Model) continueSnapshot(then func(*Model) tea.Cmd) tea.Cmd {
	r := m.stateRequest()
	r.Continuation = m.book.Continuation()
	return start(m, &m.call, request[contract.StateRequest, *contract.StateResult]{
		tool: "get_browser_state", stage: "reading the next segment", about: fmt.Sprintf("segment %d", m.book.Read()+1), args: r, call: m.engine.State,
		apply: func(m *Model, res *contract.StateResult, took time.Duration) tea.Cmd {
			if res.Semantic == nil {
				return m.say(theme.Bad, "the engine answered without a snapshot")
			}
			m.book.Append(segment(res, took))
			m.fromTop()
			if then != nil {
				return then(m)
			}
			return nil
		},
	})
}

func (m *Model) navigate(url string) tea.Cmd {
	return start(m, &m.call, request[contract.NavigateRequest, *contract.NavigateResult]{
		tool: "browser_navigate", stage: "loading", about: "go to " + url, mutates: true,
		args: contract.NavigateRequest{Session: m.session, TargetID: m.book.Bind.TargetID, TabID: m.book.Tab.TabID, Action: "url", URL: url},
		call: m.engine.Navigate,
		apply: func(m *Model, r *contract.NavigateResult, _ time.Duration) tea.Cmd {
			token, word := theme.Good, r.LoadState
			if r.ErrorText != "" {
				token, word = theme.Bad, r.ErrorText
			}
			said := m.say(token, fmt.Sprintf("%s: %s %s", r.Effect, word, r.URL))
			if r.Dialog != nil {
				m.showDialog(r.Dialog, true)
				return said
			}
			return tea.Batch(m.snapshot("", ""), said)
		},
	})
}
