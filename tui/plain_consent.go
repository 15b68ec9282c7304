package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/tui/text"
)

// Consent in the plain mode keeps the rule of the dialog: what was typed before
// the question was shown, and in the grace period after it, is no answer. Lines
// that were read before that are dropped, and each of them starts the period
// anew; at its end goes what the terminal still holds, such as the beginning of
// a line. Then the person is asked to type, and the next line is the answer.

// onlyGrace keeps of all timers the one of the grace period; it runs beside the
// lines.
func (p *plain) onlyGrace(after func(time.Duration, tea.Msg) tea.Cmd) func(time.Duration, tea.Msg) tea.Cmd {
	return func(d time.Duration, msg tea.Msg) tea.Cmd {
		if _, ok := msg.(graceMsg); !ok || !p.person {
			return nil
		}
		return p.m.aside(after(d, msg))
	}
}

// hear asks for the answer once the grace period of a question is over.
func (p *plain) hear() {
	q := p.m.question()
	if q == nil || q == p.asked || q.held(p.m.now()) {
		return
	}
	if err := p.drop(); err != nil {
		p.drive(p.m.decline())
		p.print("what was typed before the question cannot be told from an answer here, so the answer is no: " + text.Safe(err.Error()))
		return
	}
	q.opens = p.m.now()
	p.asked = q
	q.dialog.Draw(&p.paint, plainWidth, plainRows, true)
	p.print(text.Safe(q.dialog.Input.Label))
}

// consent takes a line for the person's answer, if it was typed as one.
func (p *plain) consent(q *question, in line) {
	if q != p.asked || in.began.Before(q.opens) {
		p.asked = nil
		p.drive(p.m.pauseFor(q))
		p.print("a line that was typed before it is asked for is no answer")
		return
	}
	p.drive(p.m.reply(q, in.text))
	if p.m.question() == q { // an empty line
		p.print(text.Safe(q.dialog.Input.Label))
	}
}

// consentNeedsAPerson says no where nobody can be asked: lines out of a pipe are
// no person's word.
func (p *plain) consentNeedsAPerson() {
	if p.m.question() != nil && !p.person {
		p.drive(p.m.decline())
		p.print("consent is asked of a person at a terminal; this input is none, so the answer is no")
	}
}
