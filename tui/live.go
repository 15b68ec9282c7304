package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/tui/cmdtable"
	"cuatui/tui/job"
	"cuatui/tui/pane"
	"cuatui/tui/theme"
)

// pollEvery is the pause between two looks at the desktop while the list of
// windows is shown; pollLimit bounds one look.
const (
	pollEvery = 1500 * time.Millisecond
	pollLimit = 10 * time.Second
)

type pollMsg struct{}

// watch keeps the list of windows following the desktop: it sets the timer for
// the next look wherever one is due and none is set. It runs after every
// message, so that no way into the screen can forget it.
func (m *Model) watch() tea.Cmd {
	_, _, looking := m.poll.Running()
	if m.armed || looking || m.paused || !m.started || m.screen != cmdtable.Windows {
		return nil
	}
	m.armed = true
	return m.after(pollEvery, pollMsg{})
}

// look lists the windows again, unless something else is under way.
func (m *Model) look() tea.Cmd {
	m.armed = false
	_, _, calling := m.call.Running()
	_, _, listing := m.listing.Running()
	if calling || listing || m.paused || m.screen != cmdtable.Windows {
		return nil
	}
	list := m.engine.ListWindows
	return start(m, &m.poll, request[contract.ListWindowsRequest, *contract.ListWindowsResult]{
		tool: "list_windows", stage: "looking", about: "native windows, as they changed",
		args: contract.ListWindowsRequest{Session: m.session, All: m.allWindows},
		call: func(ctx context.Context, r contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
			ctx, cancel := context.WithTimeout(ctx, pollLimit)
			defer cancel()
			return list(ctx, r)
		},
	})
}

// looked takes in what a look found. The journal keeps only looks that found
// something new: one every second or two would bury the rest.
func (m *Model) looked(d job.Done[answer]) {
	a := d.Value
	if !a.slot.Accept(d) {
		return
	}
	res, ok := a.entry.Answer.(*contract.ListWindowsResult)
	if !ok {
		if m.stale.IsZero() {
			m.stale = a.entry.At
			m.journal.Add(a.entry)
		}
		m.pace()
		return
	}
	if m.listed(res) {
		m.journal.Add(a.entry)
	}
}

// listed shows a list of windows, and says whether it is news.
func (m *Model) listed(r *contract.ListWindowsResult) (changed bool) {
	changed = m.windows.Set(r) || !m.stale.IsZero()
	m.stale = time.Time{}
	m.pace()
	return changed
}

// pace tells the pane how the list follows the desktop.
func (m *Model) pace() {
	switch {
	case !m.stale.IsZero():
		m.windows.Pace("not live since " + m.stale.Format(time.TimeOnly))
	case m.paused:
		m.windows.Pace("paused")
	default:
		m.windows.Pace(pane.Live)
	}
}

// before is the pace of a list that is about to be listed anew.
const before = "as it was"

// toWindows leaves the inspector. What the list says is of before, until it is
// listed anew.
func (m *Model) toWindows() tea.Cmd {
	m.screen = cmdtable.Windows
	m.windows.Pace(before)
	return m.listWindows()
}

func (m *Model) pause() tea.Cmd {
	m.paused = !m.paused
	if !m.paused {
		m.windows.Pace(before)
		return m.listWindows()
	}
	m.pace()
	m.poll.Stop()
	return m.say(theme.Dim, "the list stands still; P lets it go on, r looks once")
}

// proveWindow shows the proof of binding the window under the cursor, without
// opening it. A refusal shows its proof by itself.
func (m *Model) proveWindow() tea.Cmd {
	w, ok := m.windows.Selected()
	if !ok {
		return nil
	}
	r := m.bindRequest(w.PID, w.WindowID)
	r.stage, r.about = "proving", fmt.Sprintf("prove pid %d window %#x", w.PID, w.WindowID)
	r.apply = func(m *Model, res *contract.StateResult, _ time.Duration) tea.Cmd {
		p := &proof{of: "binding, " + res.BindingQuality, steps: res.Proof}
		m.push(sheet{scope: cmdtable.Proof, pane: pane.NewProof(p.of, p.steps), proof: p})
		return nil
	}
	return start(m, &m.call, r)
}
