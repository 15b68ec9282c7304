package tui

import (
	"context"
	"errors"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/tui/cmdtable"
	"cuatui/tui/job"
	"cuatui/tui/pane"
	"cuatui/tui/theme"
)

// drawn counts the calls that draw over a page in the browser: none may be left
// when the program is suspended or ends.
type drawn struct {
	mu      sync.Mutex
	running int
	idle    chan struct{} // closed when the last has ended; nil where none runs
}

func (d *drawn) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running++; d.running == 1 {
		d.idle = make(chan struct{})
	}
}

func (d *drawn) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running--; d.running == 0 {
		close(d.idle)
		d.idle = nil
	}
}

func (d *drawn) any() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.running > 0
}

// wait returns once nothing is drawn any more, or with ctx.
func (d *drawn) wait(ctx context.Context) {
	d.mu.Lock()
	idle := d.idle
	d.mu.Unlock()
	if idle == nil {
		return
	}
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// glow is the mark in the browser: on, and on which ref it stands.
type glow struct {
	on   bool
	ref  string
	slot job.Slot[answer]
}

// pick is i: the person chooses a node in the browser with the mouse, and is told
// why it is as it is. esc ends it.
func (m *Model) pick() tea.Cmd {
	m.unglow()
	call, over := m.engine.Pick, m.drawn
	return m.aside(start(m, &m.call, request[contract.StateRequest, *contract.ExplainResult]{
		tool: "pick", stage: "click a node in the browser; the page does not see it", about: "a node chosen in the browser", args: m.stateRequest(),
		call: func(ctx context.Context, r contract.StateRequest) (*contract.ExplainResult, error) {
			over.begin()
			defer over.end()
			return call(ctx, r)
		},
		apply: func(m *Model, r *contract.ExplainResult, _ time.Duration) tea.Cmd {
			if r.Node == nil {
				return m.say(theme.Dim, "nothing was chosen: it was ended in the browser")
			}
			m.pushExplanation(contract.ExplainRequest{Ref: r.Node.Ref}, r)
			return nil
		},
	}))
}

// toggleGlow is H: it marks the selected node in the browser, and goes with the
// selection, until it is pressed again.
func (m *Model) toggleGlow() tea.Cmd {
	if m.glow.on {
		m.unglow()
		return m.say(theme.Dim, "no longer marked in the browser")
	}
	m.glow.on = true
	return m.say(theme.Dim, "marked in the browser, and with it what is selected next; H takes the mark away")
}

func (m *Model) unglow() {
	m.glow.on, m.glow.ref = false, ""
	m.glow.slot.Stop()
}

// pointed is the ref that the mark stands on: of the page on top, else of the
// selection.
func (m *Model) pointed() string {
	if len(m.sheets) > 0 {
		if ref := m.top().about(); ref != "" {
			return m.sameRef(ref)
		}
		return m.glow.ref // the page is about something else
	}
	return m.selectedRef()
}

// keepGlow moves the mark with the selection. It runs after every message.
func (m *Model) keepGlow() tea.Cmd {
	if !m.glow.on {
		return nil
	}
	if m.screen != cmdtable.Inspector || m.loss() != nil || !m.book.Bound() {
		m.unglow()
		return nil
	}
	ref := m.pointed()
	if ref == m.glow.ref {
		return nil
	}
	m.glow.ref = ref
	m.glow.slot.Stop()
	if ref == "" {
		return nil
	}
	s, call, over := m.stateRequest(), m.engine.Highlight, m.drawn
	q := contract.ExplainRequest{Session: s.Session, TargetID: s.TargetID, TabID: s.TabID, Ref: ref}
	return m.aside(start(m, &m.glow.slot, request[contract.ExplainRequest, struct{}]{
		tool: "highlight", stage: "marking", about: "mark " + ref + " in the browser", args: q,
		call: func(ctx context.Context, r contract.ExplainRequest) (struct{}, error) {
			over.begin()
			defer over.end()
			return struct{}{}, call(ctx, r)
		},
		apply: func(*Model, struct{}, time.Duration) tea.Cmd { return nil },
	}))
}

// dimmed takes in that a mark is gone without a key: its node, or its page, is.
func (m *Model) dimmed(d job.Done[answer]) tea.Cmd {
	a := d.Value
	if !a.slot.Accept(d) || d.Err == nil || errors.Is(d.Err, context.Canceled) {
		return nil
	}
	m.unglow()
	m.judge(&a, d.Err)
	m.note(&a.entry, d.Err)
	if a.entry.Outcome == pane.Refused && len(m.sheets) == 0 && m.prompt == nil {
		return m.fail(a, d.Err)
	}
	return m.say(theme.Warn, "not marked in the browser: "+contract.NewCallError(d.Err).Message)
}

// suspend takes away what is drawn in the browser before the program stands
// still.
func (m *Model) suspend() tea.Cmd {
	m.unglow()
	if stage, _, calling := m.call.Running(); calling && !m.mutating {
		m.call.Stop()
		m.toast.text = "cancelled: " + stage
	}
	ctx, over := m.ctx, m.drawn
	if !over.any() {
		return tea.Suspend
	}
	return tea.Sequence(func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, endLimit)
		defer cancel()
		over.wait(ctx)
		return nil
	}, tea.Suspend)
}
