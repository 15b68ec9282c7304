package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/tui/cmdtable"
	"cuatui/tui/job"
	"cuatui/tui/pane"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// accessApproved is the access class of a window under a person's consent.
const accessApproved = "existing_profile_approved"

// grace is how long the keyboard must have been silent before a consent dialog
// takes a key: what was being typed when it opened was meant for something else.
const grace = 800 * time.Millisecond

// stroke is the least that a hand takes from one key of an answer to the next.
// Keys that come faster are a paste that the terminal did not mark as one, or a
// program's: the dialog drops them and asks anew.
const stroke = 30 * time.Millisecond

type graceMsg struct{}

// A question is an open consent dialog.
type question struct {
	subject
	dialog *pane.Consent
	opens  time.Time // keys count from then on
	typed  time.Time // when the last key of the answer came
}

// A subject is the window that a consent, or a refusal for lack of one, is about.
type subject struct {
	pid    int
	window uint64
	title  string
	run    string // of the process, as it was shown
}

func subjectOf(w contract.NativeWindow) subject {
	return subject{pid: w.PID, window: w.WindowID, title: w.Title, run: w.Run}
}

func (s subject) String() string { return fmt.Sprintf("pid %d window %#x", s.pid, s.window) }

func (s subject) request(session string) contract.GrantRequest {
	return contract.GrantRequest{Session: session, PID: s.pid, WindowID: s.window, Run: s.run}
}

// asksConsent says whether a person's yes would lift a refusal; first, whether
// it was never given or ran out, so that the person may be asked right away.
func asksConsent(r *refusal.Refusal) (asks, first bool) {
	if r == nil {
		return false, false
	}
	return consentLifts(r.Code, r.Reason)
}

func consentLifts(code refusal.Code, reason refusal.Reason) (asks, first bool) {
	if code == refusal.ConsentRequired {
		asks = reason == refusal.PersonalBrowser || reason == refusal.Expired
		return asks, asks
	}
	return code == refusal.ConsentRevoked && reason == refusal.ByPerson, false
}

// consider asks the person about a window: first what it is now, so that the
// question shows no title or place of before.
func (m *Model) consider(s subject, expired bool) tea.Cmd {
	return start(m, &m.call, request[contract.ListWindowsRequest, *contract.ListWindowsResult]{
		tool: "list_windows", stage: "looking at the window", about: "the window to ask about",
		args: contract.ListWindowsRequest{Session: m.session, All: true}, call: m.engine.ListWindows, asks: true,
		apply: func(m *Model, r *contract.ListWindowsResult, _ time.Duration) tea.Cmd {
			for _, w := range r.Windows {
				if w.PID == s.pid && w.WindowID == s.window {
					return m.askConsent(w, expired)
				}
			}
			return m.say(theme.Bad, "the window is gone; there is nothing to agree to")
		},
	})
}

// questionComes says whether a call is under way that ends in a question. What is
// typed then is meant neither for it nor for what it was asked from.
func (m *Model) questionComes() bool {
	_, _, running := m.call.Running()
	return running && m.asking
}

// keyMeanwhile takes a key while a question is on its way: it calls that off, or
// does nothing.
func (m *Model) keyMeanwhile(k string) tea.Cmd {
	c, ok := cmdtable.Find(cmdtable.Windows, k)
	switch {
	case ok && c.ID == cmdtable.Back:
		stage, _, _ := m.call.Running()
		return m.cancel(stage)
	case ok && c.ID == cmdtable.Suspend:
		return tea.Suspend
	}
	return m.say(theme.Warn, "no key counts while the question is on its way; esc calls it off")
}

// askConsent opens the dialog over everything else.
func (m *Model) askConsent(w contract.NativeWindow, expired bool) tea.Cmd {
	m.listing.Stop() // its failure must not open anything over the question
	m.toast.text = ""
	q := &question{subject: subjectOf(w), dialog: pane.NewConsent(w, expired)}
	m.sheets = append(m.sheets, sheet{scope: cmdtable.Consent, pane: q.dialog, question: q})
	return m.pauseFor(q)
}

// question returns the open consent dialog, nil if there is none.
func (m *Model) question() *question {
	if len(m.sheets) == 0 {
		return nil
	}
	return m.top().question
}

// askAnew asks an open question again from its beginning: it went out of sight,
// or is not laid out any more as it was read.
func (m *Model) askAnew(q *question) tea.Cmd {
	q.dialog.Restart()
	return m.pauseFor(q)
}

// pauseFor starts the grace period of a dialog, again with every key that comes in it.
func (m *Model) pauseFor(q *question) tea.Cmd {
	q.opens = m.now().Add(grace)
	return m.after(grace, graceMsg{})
}

func (q *question) held(now time.Time) bool { return now.Before(q.opens) }

// answerKey takes a key while a dialog is open.
func (m *Model) answerKey(q *question, msg tea.KeyPressMsg, k string) tea.Cmd {
	if q.held(m.now()) || !q.dialog.Shown() {
		return m.pauseFor(q)
	}
	m.toast.text = ""
	c, ok := cmdtable.Find(cmdtable.Consent, k)
	if of := !ok || c.ID == cmdtable.Agree; of && q.rushed(m.now()) {
		return tea.Batch(m.askAnew(q), m.say(theme.Warn, "too fast for a hand: type "+pane.ConsentWord+" again"))
	}
	if !ok {
		q.dialog.Input.Update(msg)
		return nil
	}
	if q.dialog.Do(c.ID) {
		return nil
	}
	return handlers[c.ID](m)
}

// rushed takes in that a key of the answer came, and says whether no hand typed
// it after the one before.
func (q *question) rushed(now time.Time) bool {
	was := q.typed
	q.typed = now
	return now.Sub(was) < stroke
}

// answer takes what was typed into the dialog for the person's answer.
func (m *Model) answer() tea.Cmd {
	q := m.question()
	if q == nil {
		return nil
	}
	return m.reply(q, q.dialog.Input.Value())
}

// reply takes v for the person's answer: nothing is none, anything but the word
// is no.
func (m *Model) reply(q *question, v string) tea.Cmd {
	switch {
	case v == "":
		return nil
	case v != pane.ConsentWord:
		return m.decline()
	case !q.dialog.Read():
		return m.say(theme.Warn, "read it to its end first; ↓ shows the rest")
	}
	m.pop()
	return m.grant(q.subject)
}

func (m *Model) decline() tea.Cmd {
	q := m.question()
	if q == nil {
		return nil
	}
	m.pop()
	m.journal.Add(pane.Call{At: m.now(), Tool: "consent", About: q.String(), Outcome: pane.Declined, Request: q.request(m.session), Answer: "no"})
	m.log.Info("consent declined", "pid", q.pid)
	return m.say(theme.Warn, "you said no: nothing was connected")
}

// grant records the person's yes and binds.
func (m *Model) grant(s subject) tea.Cmd {
	return start(m, &m.call, request[contract.GrantRequest, *contract.GrantResult]{
		tool: "consent", stage: "recording your consent", about: "yes to " + s.String(), args: s.request(m.session), call: m.engine.Grant, mutates: true,
		apply: func(m *Model, r *contract.GrantResult, _ time.Duration) tea.Cmd {
			said := m.say(theme.Good, fmt.Sprintf("agreed: for %s unused, %s at most; R withdraws it", pane.Count(r.IdleMinutes, "minute"), pane.Count(r.Hours, "hour")))
			return tea.Batch(said, m.bind(s.pid, s.window, false))
		},
		dropped: func(m *Model) tea.Cmd { return m.withdraw(s, &m.undo) },
	})
}

// consented returns the window under consent that revoking would be about.
func (m *Model) consented() (subject, bool) {
	if m.screen == cmdtable.Windows {
		w, ok := m.windows.Selected()
		return subjectOf(w), ok && w.Access == accessApproved
	}
	b := m.book.Bind
	if b == nil {
		return subject{}, false
	}
	return subject{pid: m.book.PID, window: m.book.WindowID, title: b.NativeTitle}, b.Access == accessApproved && !m.book.Revoked
}

func (m *Model) askRevoke() tea.Cmd {
	s, ok := m.consented()
	if !ok {
		return nil
	}
	m.push(sheet{scope: cmdtable.Confirm, pane: pane.NewRevoke(s.title, s.String()), subject: s})
	return nil
}

// revoke withdraws the consent that the sheet on top is about.
func (m *Model) revoke() tea.Cmd {
	s := m.top().subject
	m.pop()
	return m.withdraw(s, &m.call)
}

func (m *Model) withdraw(s subject, slot *job.Slot[answer]) tea.Cmd {
	return start(m, slot, request[contract.GrantRequest, *contract.GrantResult]{
		tool: "revoke", stage: "withdrawing consent", about: "consent to " + s.String(), args: s.request(m.session), call: m.engine.Revoke, mutates: true,
		apply: func(m *Model, _ *contract.GrantResult, _ time.Duration) tea.Cmd {
			if m.book.PID == s.pid && m.book.WindowID == s.window {
				m.book.Revoked = true
			}
			said := m.say(theme.Good, "your consent is withdrawn: "+text.Safe(s.String()))
			if m.screen == cmdtable.Windows {
				return tea.Batch(said, m.listWindows())
			}
			return said
		},
	})
}

// lacking returns the window that consent is lacking for: of the refusal on top,
// under the cursor of the list, or bound and lost for it. Expired says that it
// has run out.
func (m *Model) lacking() (s subject, expired, ok bool) {
	var code refusal.Code
	var reason refusal.Reason
	switch {
	case len(m.sheets) > 0:
		if r := m.top().refusal; r != nil {
			s, code, reason = m.top().subject, r.Code, r.Reason
		}
	case m.screen == cmdtable.Windows:
		w, _ := m.windows.Selected()
		s, code, reason = subjectOf(w), w.WouldBind.Code, w.WouldBind.Reason
	case m.book.Revoked:
		s, code, reason = m.bookSubject(), refusal.ConsentRevoked, refusal.ByPerson
	case m.book.Lost != nil:
		s, code, reason = m.bookSubject(), refusal.Code(m.book.Lost.Code), refusal.Reason(m.book.Lost.Reason)
	}
	asks, _ := consentLifts(code, reason)
	return s, reason == refusal.Expired, asks && s.pid != 0
}

func (m *Model) bookSubject() subject { return subject{pid: m.book.PID, window: m.book.WindowID} }

// askAgain asks for the consent that is lacking.
func (m *Model) askAgain() tea.Cmd {
	s, expired, ok := m.lacking()
	if !ok {
		return nil
	}
	if len(m.sheets) > 0 {
		m.pop()
	}
	return m.consider(s, expired)
}
