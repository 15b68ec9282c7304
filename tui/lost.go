package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/inspect"
	"cuatui/tui/job"
	"cuatui/tui/pane"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// held names what the engine is asked to say the end of: one tab under one
// binding.
type held struct {
	bind *contract.StateResult
	tab  string
}

// keepHold keeps one call waiting for the end of what is bound, so that it shows
// without a key being pressed. It runs after every message, as watch does.
func (m *Model) keepHold() tea.Cmd {
	now := held{m.book.Bind, m.book.Tab.TabID}
	if m.held == now {
		return nil
	}
	m.held = now
	m.hold.Stop()
	if !m.book.Bound() {
		return nil
	}
	call := m.engine.Lost
	return m.aside(start(m, &m.hold, request[contract.StateRequest, struct{}]{
		tool: "binding", stage: "watching", about: "whether it still holds", args: m.stateRequest(),
		call:  func(ctx context.Context, r contract.StateRequest) (struct{}, error) { return struct{}{}, call(ctx, r) },
		apply: func(*Model, struct{}, time.Duration) tea.Cmd { return nil },
	}))
}

// letGo takes in that what was bound has ended. Nothing opens over what is open
// or being typed: the header says it all the same.
func (m *Model) letGo(d job.Done[answer]) tea.Cmd {
	a := d.Value
	if !a.slot.Accept(d) || d.Err == nil || a.entry.Outcome == pane.Cancelled {
		return nil
	}
	m.note(&a.entry, d.Err)
	known := m.book.Lost != nil // a call was refused for it
	m.lose(d.Err)
	if known || m.screen != cmdtable.Inspector {
		return nil
	}
	_, _, calling := m.call.Running() // its own answer will say so, too
	if calling || len(m.sheets) > 0 || m.prompt != nil {
		return m.say(theme.Bad, "the binding is lost: "+m.book.Lost.Words())
	}
	return m.fail(a, d.Err)
}

// note enters a failed call in the journal.
func (m *Model) note(c *pane.Call, err error) {
	if r, ok := refusal.As(err); ok {
		c.About += "  " + string(r.Code) + " " + string(r.Reason)
	}
	m.journal.Add(*c)
}

// unbinding are the codes which say that what was bound is not, or not provably,
// there any more. Others are about a node or an action, and leave the binding.
var unbinding = map[refusal.Code]bool{
	refusal.BindingStale: true, refusal.BindingAmbiguous: true, refusal.TabNotFound: true, refusal.EndpointOwnerMismatch: true,
	refusal.ConsentRequired: true, refusal.ConsentRevoked: true, refusal.ReconnectExhausted: true,
}

// unbound says whether an error of a call on what is bound means that it is not
// bound any more.
func unbound(err error) bool {
	if r, ok := refusal.As(err); ok {
		return unbinding[r.Code]
	}
	return contract.NewCallError(err).Kind == contract.ConnectionLost
}

// lose marks the binding as lost by an error.
func (m *Model) lose(err error) {
	l := inspect.Loss{Code: string(contract.NewCallError(err).Kind), At: m.now()}
	if r, ok := refusal.As(err); ok {
		l.Code, l.Reason = string(r.Code), string(r.Reason)
		m.proof = &proof{of: "binding, lost", steps: r.Proof}
	}
	m.book.Lost = &l
	m.pursuit.on = false
	m.pursuit.slot.Stop()
}

// found marks a binding as one that holds, if it was lost: an action proved it.
func (m *Model) found(steps []refusal.Step) {
	if m.book.Lost != nil {
		m.book.Lost, m.proof = nil, &proof{of: "binding, by an action", steps: steps}
	}
}

// judge takes from an answer whether the binding still holds: a refusal may say
// that it does not, and an action that was done has proved it anew.
func (m *Model) judge(a *answer, err error) {
	if a.expects != "" || !m.onOurs(a.entry.Request) {
		return
	}
	if err != nil {
		if unbound(err) {
			m.lose(err)
		}
		return
	}
	switch r := a.entry.Answer.(type) {
	case *contract.ActionResult:
		m.found(r.Proof)
	case *contract.NavigateResult:
		m.found(r.Proof)
	}
}

// hear takes from an answer whether the browser answers. A call that ended by its
// deadline says that it did not; one that took its answer from the browser, that
// it does again. Others say nothing of it: a refusal may come from what is known.
func (m *Model) hear(a *answer, err error) {
	if !m.onOurs(a.entry.Request) && !m.bindsOurs(a.entry.Request) {
		return
	}
	_, refused := refusal.As(err)
	switch {
	case err == nil:
		if m.book.Bind != nil && fromBrowser(a.entry.Answer) {
			m.book.Silent = time.Time{}
		}
	case !refused && contract.NewCallError(err).Kind == contract.Deadline && m.book.Silent.IsZero():
		m.book.Silent = m.now()
	}
}

// fromBrowser says whether an answer is one that only the browser can have given.
func fromBrowser(answer any) bool {
	switch r := answer.(type) {
	case *contract.StateResult, *contract.ExplainResult:
		return true
	case *contract.ActionResult:
		return r.Effect == refusal.EffectConfirmed
	case *contract.NavigateResult:
		return r.Effect == refusal.EffectConfirmed
	case *contract.DialogResult:
		return r.Effect == refusal.EffectConfirmed
	}
	return false
}

// bindsOurs says whether a request binds the window that is inspected.
func (m *Model) bindsOurs(request any) bool {
	r, ok := request.(contract.StateRequest)
	return ok && m.book.Bind != nil && r.PID != 0 && r.PID == m.book.PID && r.WindowID == m.book.WindowID
}

// onOurs says whether a request is about the tab that is inspected. The lab
// makes others, which say nothing of it.
func (m *Model) onOurs(request any) bool {
	if !m.book.Bound() {
		return false
	}
	p := placeOf(request)
	return p.session == m.session && p.target == m.book.Bind.TargetID && p.tab == m.book.Tab.TabID
}

// whereabouts are what a request names: session, target, tab and ref, each ""
// where it names none.
type whereabouts struct{ session, target, tab, ref string }

func placeOf(request any) whereabouts {
	switch r := request.(type) {
	case contract.StateRequest:
		return whereabouts{r.Session, r.TargetID, r.TabID, ""}
	case contract.ClickRequest:
		return whereabouts{r.Session, r.TargetID, r.TabID, r.Ref}
	case contract.TypeRequest:
		return whereabouts{r.Session, r.TargetID, r.TabID, r.Ref}
	case contract.SelectRequest:
		return whereabouts{r.Session, r.TargetID, r.TabID, r.Ref}
	case contract.PressRequest:
		return whereabouts{r.Session, r.TargetID, r.TabID, r.Ref}
	case contract.PointerRequest:
		return whereabouts{r.Session, r.TargetID, r.TabID, r.Ref}
	case contract.FilesRequest:
		return whereabouts{r.Session, r.TargetID, r.TabID, r.Ref}
	case contract.NavigateRequest:
		return whereabouts{r.Session, r.TargetID, r.TabID, ""}
	case contract.WaitRequest:
		return whereabouts{r.Session, r.TargetID, r.TabID, ""}
	case contract.ExplainRequest:
		return whereabouts{r.Session, r.TargetID, r.TabID, ""}
	case contract.ScreenshotRequest:
		return whereabouts{r.Session, r.TargetID, r.TabID, ""}
	case contract.DialogRequest:
		return whereabouts{r.Session, r.TargetID, r.TabID, ""}
	}
	return whereabouts{}
}

// loss is why nothing on the inspector is proven any more, nil while it is.
func (m *Model) loss() *inspect.Loss {
	if m.book.Lost == nil && m.book.Revoked {
		return &inspect.Loss{Code: "consent withdrawn"}
	}
	return m.book.Lost
}

// bookPaint paints what was read of the page: once the binding is lost, or the
// browser does not answer, in muted inks, since nothing of it is proven any more.
func (m *Model) bookPaint() *draw.Paint {
	if m.loss() == nil && m.book.Silent.IsZero() {
		return &m.paint
	}
	p := m.paint
	p.Theme = m.muted
	return &p
}

// setTheme sets the inks for the background and the colours there are.
func (m *Model) setTheme() {
	m.paint.Theme = theme.New(m.dark, m.colour)
	m.muted = m.paint.Theme.Muted()
}

// lostLines is the header of a lost binding: since when and why, and what leads
// on.
func (m *Model) lostLines(l *inspect.Loss, title, url string) []string {
	why := draw.Of(theme.Bad, text.Safe(l.Words()))
	return m.unproven("lost", why, l.At, draw.Of(theme.Warn, "esc windows, L launch"), title, url)
}

// silentLines is the header while the browser does not answer.
func (m *Model) silentLines(at time.Time, title, url string) []string {
	was := "the browser did not answer; " + text.Safe(m.book.Bind.BindingQuality) + " before"
	return m.unproven(pane.NoAnswer, draw.Of(theme.Warn, was), at, draw.Of(theme.Warn, "r asks again"), title, url)
}

// unproven is the header of what is not proven now, since at, zero for not known.
func (m *Model) unproven(badge string, why draw.Span, at time.Time, leads draw.Span, title, url string) []string {
	next := []draw.Chip{{Span: leads}}
	if cur, ok := m.book.Current(); ok {
		read := cur.Snapshot.ID + " as it was"
		if !at.IsZero() {
			read += " before " + at.Format(time.TimeOnly)
		}
		next = append([]draw.Chip{{Span: draw.Of(theme.Dim, text.Safe(read)), Drop: 1}}, next...)
	}
	left := append([]draw.Span{draw.Of(theme.Text, " ")}, pane.Badge(badge)...)
	return []string{
		m.paint.Chips(m.w, 10, append(left, draw.Of(theme.Strong, "  "+title)), []draw.Chip{{Span: why}}),
		m.paint.Chips(m.w, 10, []draw.Span{draw.Of(theme.Text, " "), draw.Of(theme.Dim, url)}, next),
	}
}
