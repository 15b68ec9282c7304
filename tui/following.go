package tui

import (
	"context"
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

// Following the page: in rounds, each of which watches the page for a while,
// and reads it anew where something changed. What no watch sees (scrolling, a
// style that another window sets) is found by reading every few rounds all the
// same.
const (
	followPause  = 300 * time.Millisecond // between two rounds
	followWatch  = 700 * time.Millisecond // how long a round watches
	followRounds = 4                      // so many quiet rounds, then it reads
	followLimit  = 20 * time.Second       // bounds one call
)

type followMsg struct{}

// pursuit is the state of following. The zero value follows nothing.
type pursuit struct {
	on      bool
	armed   bool // the timer of the next round is set
	quiet   int  // rounds without a change since the last look
	slot    job.Slot[answer]
	changed time.Time // when the page last changed
}

// toggleFollow is f.
func (m *Model) toggleFollow() tea.Cmd {
	m.pursuit.on = !m.pursuit.on
	if !m.pursuit.on {
		m.pursuit.slot.Stop()
		return m.say(theme.Dim, "the snapshot stands still; f follows again, D has the last ones")
	}
	m.pursuit.quiet = followRounds // look at once
	return m.say(theme.Dim, "following the page; f pauses")
}

// rests says why no round begins now, "" if one may. While a page is open over
// the screen, or something is typed, what is shown must not change under it.
func (m *Model) rests() string {
	_, _, calling := m.call.Running()
	switch {
	case !m.book.Bound():
		return "no window is bound"
	case m.screen != cmdtable.Inspector || len(m.sheets) > 0 || m.prompt != nil:
		return "something else is open"
	case m.loss() != nil:
		return "the binding is lost"
	case calling:
		return "a call is under way"
	case !m.book.First():
		return "a later segment is shown"
	}
	return ""
}

// pursue sets the timer of the next round, wherever one is due. It runs after
// every message, as watch does.
func (m *Model) pursue() tea.Cmd {
	_, _, looking := m.pursuit.slot.Running()
	if !m.pursuit.on || m.pursuit.armed || looking || m.rests() != "" {
		return nil
	}
	m.pursuit.armed = true
	return m.after(followPause, followMsg{})
}

// round watches the page, or reads it where that is due.
func (m *Model) round() tea.Cmd {
	p := &m.pursuit
	p.armed = false
	if !p.on || m.rests() != "" {
		return nil
	}
	if p.quiet >= followRounds {
		return m.reread()
	}
	s := m.stateRequest()
	watch := int(followWatch.Milliseconds())
	call := m.engine.Wait
	return start(m, &p.slot, request[contract.WaitRequest, *contract.WaitResult]{
		tool: "browser_wait", stage: "following", about: "whether the page changes", call: limited(call),
		args: contract.WaitRequest{Session: s.Session, TargetID: s.TargetID, TabID: s.TabID, QuietMS: watch, TimeoutMS: watch},
		apply: func(m *Model, r *contract.WaitResult, _ time.Duration) tea.Cmd {
			if p.quiet++; r.Verdict == "unmet" {
				p.quiet = followRounds
			}
			return nil
		},
	})
}

// limited bounds a call in time.
func limited[Q, R any](call func(context.Context, Q) (R, error)) func(context.Context, Q) (R, error) {
	return func(ctx context.Context, r Q) (R, error) {
		ctx, cancel := context.WithTimeout(ctx, followLimit)
		defer cancel()
		return call(ctx, r)
	}
}

// reread takes a snapshot as the current one was taken.
func (m *Model) reread() tea.Cmd {
	m.pursuit.quiet = 0
	r := m.stateRequest()
	r.Query = m.book.Query
	if m.book.ScopeRef != "" {
		r.ScopeRef = m.current(m.book.ScopeRef)
	}
	return start(m, &m.pursuit.slot, request[contract.StateRequest, *contract.StateResult]{
		tool: "get_browser_state", stage: "following", about: "snapshot, as the page changed", args: r, call: limited(m.engine.State),
		apply: func(m *Model, res *contract.StateResult, took time.Duration) tea.Cmd {
			if res.Semantic != nil {
				m.book.ScopeRef = r.ScopeRef
				m.adopt(segment(res, took))
			}
			return nil
		},
	})
}

// adopt takes a new snapshot in. One that shows the same takes the place of the
// one before, so that the history holds changes only.
func (m *Model) adopt(s inspect.Segment) {
	if !m.book.Renew(s) {
		m.book.Start(s)
		m.pursuit.changed = m.now()
	}
	m.refresh("")
}

// pursued takes in what a round came to. The journal keeps what changed
// something or failed: a line every second would bury the rest. A page that
// cannot be followed any more is not tried again.
func (m *Model) pursued(d job.Done[answer]) tea.Cmd {
	a := d.Value
	if !a.slot.Accept(d) {
		return nil
	}
	m.hear(&a, d.Err)
	if d.Err == nil {
		was := m.pursuit.changed
		cmd := a.apply(m)
		if !m.pursuit.changed.Equal(was) {
			m.journal.Add(a.entry)
		}
		return cmd
	}
	if r, ok := refusal.As(d.Err); ok && (r.Reason == refusal.Navigated || r.Reason == refusal.Superseded) {
		m.book.ScopeRef = "" // the scope went with its document
		m.pursuit.quiet = followRounds
		return nil
	}
	m.pursuit.on = false
	m.judge(&a, d.Err)
	m.journal.Add(a.entry)
	cmd := m.fail(a, d.Err)
	return tea.Batch(cmd, m.say(theme.Bad, "no longer following: f tries again"))
}

// followWords says in the header how the page is followed.
func (m *Model) followWords() string {
	d := m.book.Diff()
	words := ""
	switch {
	case m.pursuit.on && m.rests() == "a later segment is shown":
		words = "follow rests"
	case m.pursuit.on:
		words = "follow"
	}
	if d != nil && !d.Empty() {
		if words != "" {
			words += " "
		}
		words += d.Counts()
	}
	return words
}

// showDiff is D: the last snapshots of the tab, each against the one before it.
func (m *Model) showDiff() tea.Cmd {
	d := pane.NewDiff(m.book.History())
	m.push(sheet{scope: cmdtable.Diff, pane: d, diff: d})
	return nil
}

func (m *Model) stepDiff(by int) tea.Cmd {
	m.top().diff.Step(by)
	return nil
}
