package tui

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/inspect"
	"cuatui/tui/pane"
)

// acting is what a page of actions is about, and what is added to whichever of
// them is fired.
type acting struct {
	entry   *snapshotfmt.Entry
	lost    string
	menu    *pane.Menu
	options pane.ActOptions
	expect  *contract.Expect
}

// act is a: the actions of the selected ref.
func (m *Model) act() tea.Cmd {
	e := m.selectedEntry()
	if e == nil {
		return m.cannot("act: the selection is not listed in this segment")
	}
	a := &acting{entry: e}
	if l := m.loss(); l != nil {
		a.lost = "the binding is lost: " + l.Words()
	}
	a.menu = pane.NewActions(e, a.lost, a.options)
	m.push(sheet{scope: cmdtable.Action, pane: a.menu, ref: e.Ref, acting: a})
	return nil
}

// deed is the one under the cursor, and whether there is one.
func (a *acting) deed() (pane.Deed, bool) {
	it, ok := a.menu.Selected()
	if !ok {
		return pane.Deed{}, false
	}
	return pane.DeedOf(it)
}

func (a *acting) reword() { a.menu.ShowActions(a.entry, a.lost, a.options) }

func (m *Model) toggleReplace() tea.Cmd {
	a := m.top().acting
	a.options.Replace = !a.options.Replace
	a.reword()
	return nil
}

func (m *Model) toggleSubmit() tea.Cmd {
	a := m.top().acting
	a.options.Submit = !a.options.Submit
	a.reword()
	return nil
}

// askExpect asks for post-conditions. An empty line asks for none.
func (m *Model) askExpect() tea.Cmd {
	a := m.top().acting
	in := pane.NewInput("expect", `a text, or text_gone= url_part= state= value= dialog= download=true`, a.options.Expect)
	m.prompt = &prompt{in: in, check: func(s string) error { _, err := readExpect(s); return err }, submit: func(s string) tea.Cmd {
		a.options.Expect = strings.TrimSpace(s)
		a.expect, _ = readExpect(s)
		a.reword()
		return nil
	}}
	return nil
}

// fire is enter on a page of actions: it does the one under the cursor, once
// what that needs has been typed.
func (m *Model) fire() tea.Cmd {
	s := *m.top()
	d, ok := s.acting.deed()
	if !ok {
		return m.cannot("act: no tool is known here that does it")
	}
	deliver := func(typed string) tea.Cmd {
		q, err := m.deedRequest(s.ref, d, s.acting, typed)
		if err != nil {
			return m.cannot("act: " + err.Error())
		}
		m.pop()
		return m.deliver(s.ref, d, q)
	}
	if d.Asks == "" {
		return deliver("")
	}
	m.prompt = &prompt{in: pane.NewInput(d.Asks, d.Hint, ""), submit: deliver, check: func(typed string) error {
		_, err := m.deedRequest(s.ref, d, s.acting, typed)
		return err
	}}
	return nil
}

// deedRequest is the request of a deed, with what was typed for it. The error
// says what is wrong with that.
func (m *Model) deedRequest(ref string, d pane.Deed, a *acting, typed string) (any, error) {
	s, ref := m.stateRequest(), m.sameRef(ref)
	delivery, route := "", ""
	if d.Tool == "browser_click" || d.Tool == "browser_pointer" {
		route = d.How
	}
	if d.Foreground() {
		delivery = "foreground"
	}
	switch d.Tool {
	case "browser_click":
		q := contract.ClickRequest{Session: s.Session, TargetID: s.TargetID, TabID: s.TabID, Ref: ref, Route: route, Delivery: delivery, Expect: a.expect}
		return q, plainly(q.Validate())
	case "browser_type":
		q := contract.TypeRequest{
			Session: s.Session, TargetID: s.TargetID, TabID: s.TabID, Ref: ref, Text: typed, Mode: d.How,
			Replace: a.options.Replace, Submit: a.options.Submit, Expect: a.expect,
		}
		return q, plainly(q.Validate())
	case "browser_select":
		q := contract.SelectRequest{Session: s.Session, TargetID: s.TargetID, TabID: s.TabID, Ref: ref, Expect: a.expect}
		list := &q.Labels
		if d.How == "value" {
			list = &q.Values
		}
		var err error
		if *list, err = readList(typed); err != nil {
			return nil, err
		}
		return q, plainly(q.Validate())
	case "browser_set_input_files":
		q := contract.FilesRequest{Session: s.Session, TargetID: s.TargetID, TabID: s.TabID, Ref: ref, Expect: a.expect}
		var err error
		if q.Files, err = readList(typed); err != nil {
			return nil, err
		}
		return q, plainly(q.Validate())
	case "browser_press":
		q := contract.PressRequest{Session: s.Session, TargetID: s.TargetID, TabID: s.TabID, Ref: ref, Expect: a.expect}
		q.Key, q.Modifiers = readChord(typed)
		return q, plainly(q.Validate())
	case "browser_pointer":
		q := contract.PointerRequest{Session: s.Session, TargetID: s.TargetID, TabID: s.TabID, Ref: ref, Gesture: d.Verb, Route: route, Delivery: delivery, Expect: a.expect}
		switch d.Verb {
		case "scroll":
			var err error
			if q.DeltaX, q.DeltaY, err = readDelta(typed); err != nil {
				return nil, err
			}
		case "drag":
			q.ToRef = strings.TrimSpace(typed)
		}
		return q, plainly(q.Validate())
	}
	return nil, fmt.Errorf("no key here calls %s", d.Tool)
}

// plainly says what is wrong with an argument without its name: there is one
// line, and that is meant.
func plainly(err error) error {
	var bad *contract.ArgumentError
	if errors.As(err, &bad) {
		return errors.New(bad.Message)
	}
	return err
}

// deliver makes the call of a deed.
func (m *Model) deliver(ref string, d pane.Deed, q any) tea.Cmd {
	about := d.Verb + " " + m.sameRef(ref)
	if d.How != "" {
		about += " by " + d.How
	}
	switch q := q.(type) {
	case contract.ClickRequest:
		return acted(m, d.Tool, about, q, m.engine.Click)
	case contract.TypeRequest:
		return acted(m, d.Tool, about, q, m.engine.Type)
	case contract.SelectRequest:
		return acted(m, d.Tool, about, q, m.engine.Select)
	case contract.PressRequest:
		return acted(m, d.Tool, about, q, m.engine.Press)
	case contract.PointerRequest:
		return acted(m, d.Tool, about, q, m.engine.Pointer)
	case contract.FilesRequest:
		return acted(m, d.Tool, about, q, m.engine.SetInputFiles)
	}
	return m.cannot("act: no key here calls " + d.Tool)
}

// clickRef clicks a ref by a route: the next call of a refusal.
func (m *Model) clickRef(ref, route string) tea.Cmd {
	d, ok := pane.ClickBy(route)
	if !ok {
		return m.cannot("act: a click has no such route")
	}
	q, err := m.deedRequest(ref, d, &acting{}, "")
	if err != nil {
		return m.cannot("act: " + err.Error())
	}
	return m.deliver(ref, d, q)
}

// acted makes a call that acts on the page, shows what it did, and reads the page
// anew: what it shows otherwise than before is part of the answer.
func acted[Q any](m *Model, tool, about string, q Q, call func(context.Context, Q) (*contract.ActionResult, error)) tea.Cmd {
	return start(m, &m.call, request[Q, *contract.ActionResult]{
		tool: tool, stage: "acting: " + about, about: about, mutates: true, args: q, call: call,
		apply: func(m *Model, r *contract.ActionResult, took time.Duration) tea.Cmd {
			doc := pane.NewResult(about, r)
			raw := pane.Call{Tool: tool, Outcome: pane.Ok, Took: took, Request: q, Answer: r}.Page()
			m.push(sheet{scope: cmdtable.Result, pane: doc, proof: &proof{of: about, steps: r.Proof}, raw: raw, ref: refOf(q)})
			if r.Dialog != nil { // nothing can be read behind it
				pane.ShowChange(doc, r, pane.Change{Why: "not read: the dialog holds the page up"})
				m.showDialog(r.Dialog, true)
				return nil
			}
			return m.readAfter(r, doc)
		},
	})
}

// readAfter reads the page as it was read before an action, and puts what it
// shows otherwise on the page of the result.
func (m *Model) readAfter(r *contract.ActionResult, doc *pane.Doc) tea.Cmd {
	q := m.stateRequest()
	q.Query = m.book.Query
	if m.book.ScopeRef != "" && !r.Invalidated {
		q.ScopeRef = m.current(m.book.ScopeRef)
	}
	before, _ := m.book.Latest()
	return m.readThen(q, func(m *Model) {
		pane.ShowChange(doc, r, changeSince(&m.book, before))
	}, func(error) {
		pane.ShowChange(doc, r, pane.Change{Why: "the page could not be read again"})
	})
}

// changeSince is what the page shows otherwise than in a snapshot before.
func changeSince(b *inspect.Book, before inspect.Segment) pane.Change {
	now, ok := b.Latest()
	switch d := b.Since(before); {
	case !ok || before.Semantic == nil:
		return pane.Change{Why: "there was no snapshot before"}
	case d == nil:
		return pane.Change{Why: "not comparable: the snapshot before answers another request"}
	default:
		return pane.Change{From: before.Snapshot.ID, To: now.Snapshot.ID, Diff: d}
	}
}

var quotedForm = regexp.MustCompile(`^\s*,?\s*("(?:[^"\\]|\\.)*")`)

// readList reads one text, or several in quotes.
func readList(s string) ([]string, error) {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, `"`) {
		if s == "" {
			return nil, errors.New("is empty")
		}
		return []string{s}, nil
	}
	var out []string
	for s != "" {
		part := quotedForm.FindStringSubmatch(s)
		if part == nil {
			return nil, errors.New(`write each in quotes: "One" "Two"`)
		}
		text, err := strconv.Unquote(part[1])
		if err != nil {
			return nil, fmt.Errorf("%s is not quoted rightly", part[1])
		}
		out = append(out, text)
		s = strings.TrimSpace(s[len(part[0]):])
	}
	return out, nil
}

// readChord reads a key with its modifiers: Control+Shift+a.
func readChord(s string) (key string, modifiers []string) {
	if s != " " {
		s = strings.TrimSpace(s)
	}
	for {
		i := strings.Index(s, "+")
		if i <= 0 || i == len(s)-1 {
			return s, modifiers
		}
		modifiers, s = append(modifiers, s[:i]), s[i+1:]
	}
}

// readDelta reads how far to scroll: down, or right and down.
func readDelta(s string) (x, y float64, err error) {
	right, down, both := strings.Cut(s, ",")
	if !both {
		right, down = "0", right
	}
	x, errX := strconv.ParseFloat(strings.TrimSpace(right), 64)
	y, errY := strconv.ParseFloat(strings.TrimSpace(down), 64)
	if errX != nil || errY != nil {
		return 0, 0, errors.New("must be CSS px down, or right,down: 400 or 0,-400")
	}
	return x, y, nil
}
