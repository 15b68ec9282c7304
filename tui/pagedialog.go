package tui

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/tui/cmdtable"
	"cuatui/tui/pane"
	"cuatui/tui/theme"
)

const dialogTool = "browser_dialog"

// A pageDialog is a dialog of the page as it was shown. No key answers it before
// opens: one that it came under was meant for something else.
type pageDialog struct {
	contract.Dialog
	opens time.Time
}

// lookAtDialog is o: it shows the dialog that the page has open, if there is one.
func (m *Model) lookAtDialog() tea.Cmd {
	return m.seekDialog(false, func(m *Model) tea.Cmd { return m.say(theme.Dim, "no page dialog is open") })
}

// seekDialog asks for the open dialog and shows it; none, where it is not nil, is
// what is done where there is none. byItself says that no key has asked for it.
func (m *Model) seekDialog(byItself bool, none func(*Model) tea.Cmd) tea.Cmd {
	q := m.dialogRequest("inspect")
	call := m.engine.Dialog
	return start(m, &m.call, request[contract.DialogRequest, *contract.DialogResult]{
		tool: dialogTool, stage: "looking at the page dialog", about: "the open page dialog", args: q,
		call: func(ctx context.Context, q contract.DialogRequest) (*contract.DialogResult, error) {
			return call(ctx, q)
		},
		apply: func(m *Model, r *contract.DialogResult, _ time.Duration) tea.Cmd {
			switch {
			case r.Present && r.Dialog != nil:
				m.showDialog(r.Dialog, byItself)
			case none != nil:
				m.forget(nil)
				return none(m)
			default:
				m.forget(nil)
			}
			return nil
		},
	})
}

func (m *Model) dialogRequest(answer string) contract.DialogRequest {
	s := m.stateRequest()
	return contract.DialogRequest{Session: s.Session, TargetID: s.TargetID, TabID: s.TabID, Answer: answer}
}

// showDialog opens the page on which a dialog is answered.
func (m *Model) showDialog(d *contract.Dialog, byItself bool) {
	m.forget(func(s sheet) bool { return s.dialog == nil })
	shown := &pageDialog{Dialog: *d}
	if byItself {
		shown.opens = m.now().Add(grace)
	}
	accept, dismiss := cmdtable.ByID(cmdtable.Accept).Key(), cmdtable.ByID(cmdtable.Dismiss).Key()
	m.push(sheet{scope: cmdtable.PageDialog, pane: pane.NewPageDialog(d, accept, dismiss), dialog: shown})
}

// forget closes what tells of a dialog that is open, refusals for it included,
// but for what keep, where it is not nil, says to keep.
func (m *Model) forget(keep func(sheet) bool) {
	m.sheets = slices.DeleteFunc(m.sheets, func(s sheet) bool {
		over := s.dialog != nil || s.refusal != nil && s.refusal.Reason == refusal.DialogOpen
		return over && (keep == nil || !keep(s))
	})
}

// acceptDialog accepts the dialog on top; a prompt asks for its text first, and an
// empty one is a text, too.
func (m *Model) acceptDialog() tea.Cmd {
	d := m.top().dialog
	switch {
	case m.now().Before(d.opens):
		return m.early()
	case d.Type != "prompt":
		return m.answerDialog(d, "accept", "")
	}
	m.prompt = &prompt{
		in:     pane.NewInput("text for the page", "empty gives it an empty text", ""),
		submit: func(s string) tea.Cmd { return m.answerDialog(d, "accept", s) },
	}
	return nil
}

func (m *Model) dismissDialog() tea.Cmd {
	d := m.top().dialog
	if m.now().Before(d.opens) {
		return m.early()
	}
	return m.answerDialog(d, "dismiss", "")
}

func (m *Model) early() tea.Cmd {
	return m.cannot("the dialog has just opened: read it, then press the key again")
}

// answerDialog answers the dialog that was shown, by its id, and then shows the
// next one, or what the page has become.
func (m *Model) answerDialog(d *pageDialog, answer, text string) tea.Cmd {
	q := m.dialogRequest(answer)
	q.DialogID, q.PromptText = d.ID, text
	call := m.engine.Dialog
	return start(m, &m.call, request[contract.DialogRequest, *contract.DialogResult]{
		tool: dialogTool, stage: "answering the page dialog", about: answer + " the " + d.Type, mutates: true, args: q,
		call: func(ctx context.Context, q contract.DialogRequest) (*contract.DialogResult, error) {
			return call(ctx, q)
		},
		apply: func(m *Model, r *contract.DialogResult, _ time.Duration) tea.Cmd {
			m.forget(nil)
			token := theme.Good
			if r.Effect != refusal.EffectConfirmed {
				token = theme.Warn
			}
			said := m.say(token, fmt.Sprintf("%s: %s the %s", r.Effect, answer, d.Type))
			return tea.Batch(said, m.seekDialog(true, func(m *Model) tea.Cmd { return m.snapshot(m.book.Query, "") }))
		},
		failed: func(m *Model, err error) (tea.Cmd, bool) {
			if r, ok := refusal.As(err); ok && r.Reason == refusal.NoDialog {
				m.forget(nil)
			}
			return nil, false
		},
	})
}
