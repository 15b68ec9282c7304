package tui

import (
	"context"
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
	"cuatui/tui/theme"
)

// why is w: it explains what is selected, wherever that is.
func (m *Model) why() tea.Cmd {
	if len(m.sheets) > 0 {
		return m.whyOnSheet()
	}
	if m.screen == cmdtable.Windows {
		return m.proveWindow()
	}
	if m.focus == omissionsPane {
		return m.whyOmitted()
	}
	if m.focus == regionsPane {
		return m.whyRegion()
	}
	if q := m.active().Filtering(); q != "" && m.selectedRef() == "" {
		if _, ok := m.outline.Selected(); !ok || m.from == refsPane {
			return m.explain(contract.ExplainRequest{Text: q}) // nothing matches: why is it not there?
		}
	}
	if m.from == refsPane {
		if ref := m.selectedRef(); ref != "" {
			return m.explain(contract.ExplainRequest{Ref: ref})
		}
		return m.askWhy()
	}
	l, ok := m.outline.Selected()
	switch {
	case !ok:
		return m.askWhy()
	case l.Ref != "":
		return m.explain(contract.ExplainRequest{Ref: l.Ref})
	case l.K != 0: // an ancestor that is shown for its place only
		return m.explain(contract.ExplainRequest{Ref: m.explainRef(l.K)})
	}
	return m.whyCount(snapshotfmt.OmitFolded, "")
}

func (m *Model) whyOnSheet() tea.Cmd {
	s := m.top()
	if s.nodes != nil {
		if x, ok := s.nodes.Selected(); ok {
			return m.explain(contract.ExplainRequest{Ref: x.Ref})
		}
		return nil
	}
	return m.explain(contract.ExplainRequest{Ref: s.ref})
}

// explainRef names a node of the current snapshot for an explanation.
func (m *Model) explainRef(k int) string {
	cur, _ := m.book.Current()
	return fmt.Sprintf("o%s:%d", strings.TrimPrefix(cur.Snapshot.ID, "p"), k)
}

func (m *Model) whyOmitted() tea.Cmd {
	r, sub, ok := m.omissions.SelectedCause()
	if !ok {
		return m.say(theme.Dim, "nothing was left out")
	}
	return m.whyCount(r, sub)
}

// whyCount opens what a count of omissions stands for.
func (m *Model) whyCount(r snapshotfmt.OmitReason, sub string) tea.Cmd {
	reason := string(r)
	if sub != "" {
		reason += "/" + sub
	}
	return m.explain(contract.ExplainRequest{Reason: reason})
}

// askWhy is W: it asks about a text, a point or a ref.
func (m *Model) askWhy() tea.Cmd {
	return m.ask("why of", "a text on the page, a point as 640,400, or a ref", "", func(s string) tea.Cmd { return m.explain(readQuestion(s)) })
}

var (
	pointForm = regexp.MustCompile(`^(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?)$`)
	refForm   = regexp.MustCompile(`^[po]\d+:\d+$`)
)

// readQuestion reads what was typed: a point, a ref, else a text.
func readQuestion(s string) contract.ExplainRequest {
	if p := pointForm.FindStringSubmatch(s); p != nil {
		x, errX := strconv.ParseFloat(p[1], 64)
		y, errY := strconv.ParseFloat(p[2], 64)
		if errX == nil && errY == nil {
			return contract.ExplainRequest{Point: []float64{x, y}}
		}
	}
	if refForm.MatchString(s) {
		return contract.ExplainRequest{Ref: s}
	}
	return contract.ExplainRequest{Text: s}
}

// explainWords says in a few words what a request asks.
func explainWords(q contract.ExplainRequest) string {
	switch {
	case q.Ref != "":
		return "why " + q.Ref
	case len(q.Point) == 2:
		return fmt.Sprintf("why what is at %g,%g", q.Point[0], q.Point[1])
	case q.Reason != "":
		return "what is left out as " + q.Reason
	}
	return fmt.Sprintf("why %q", q.Text)
}

// explain asks the engine and opens the answer.
func (m *Model) explain(q contract.ExplainRequest) tea.Cmd {
	return m.explainAs(q, func(m *Model, r *contract.ExplainResult) tea.Cmd {
		switch {
		case r.Node != nil:
			m.pushExplanation(q, r)
			return nil
		case q.Text != "" && len(r.Rows) == 1 && r.Next == "":
			return m.explain(contract.ExplainRequest{Ref: r.Rows[0].Ref})
		}
		n := pane.NewNodes(q, m.counted(q.Reason))
		n.Add(r)
		m.push(sheet{scope: cmdtable.Nodes, pane: n, nodes: n, raw: explainPage(q, r)})
		return m.moreIfEmpty(n)
	})
}

func (m *Model) explainAs(q contract.ExplainRequest, apply func(*Model, *contract.ExplainResult) tea.Cmd) tea.Cmd {
	q.Session, q.TargetID, q.TabID = m.session, m.book.Bind.TargetID, m.book.Tab.TabID
	call := m.engine.Explain
	return start(m, &m.call, request[contract.ExplainRequest, *contract.ExplainResult]{
		tool: "explain_browser_state", stage: "asking why", about: explainWords(q), args: q,
		call: func(ctx context.Context, q contract.ExplainRequest) (*contract.ExplainResult, error) {
			return call(ctx, q)
		},
		apply: func(m *Model, r *contract.ExplainResult, _ time.Duration) tea.Cmd { return apply(m, r) },
	})
}

func (m *Model) pushExplanation(q contract.ExplainRequest, r *contract.ExplainResult) {
	m.push(sheet{
		scope: cmdtable.Explanation, pane: pane.NewExplanation(r, m.book.Continuation() != ""),
		ref: r.Node.Ref, explained: r.Node, raw: explainPage(q, r),
	})
}

func explainPage(q contract.ExplainRequest, r *contract.ExplainResult) *pane.Doc {
	return pane.Call{Tool: "explain_browser_state", Outcome: pane.Ok, Request: q, Answer: r}.Page()
}

// counted is how many nodes the segment looked at counts under "reason/sub".
func (m *Model) counted(reason string) int {
	cur, ok := m.book.Current()
	if !ok || reason == "" {
		return -1
	}
	if n, ok := cur.Snapshot.Omitted.Sub[reason]; ok {
		return n
	}
	for _, r := range snapshotfmt.OmitReasons {
		if string(r) == reason {
			return cur.Snapshot.Omitted.Get(r)
		}
	}
	return -1
}

// moreNodes reads the next page of the list on top.
func (m *Model) moreNodes() tea.Cmd {
	n := m.top().nodes
	return m.explainAs(n.Asked, func(m *Model, r *contract.ExplainResult) tea.Cmd {
		n.Add(r)
		return m.moreIfEmpty(n)
	})
}

// moreIfEmpty reads on where a page had nothing: an engine may pass over what
// has been listed since.
func (m *Model) moreIfEmpty(n *pane.Nodes) tea.Cmd {
	if !n.Empty() || n.Asked.After == "" || len(m.sheets) == 0 || m.top().nodes != n {
		return nil
	}
	return m.moreNodes()
}

// goOn is enter on an explanation: to the node where it is listed, else to the
// segment that may list it.
func (m *Model) goOn() tea.Cmd {
	x := m.top().explained
	k := inspect.K(x.Ref)
	if x.Verdict != pane.Listed {
		return m.continueSnapshot(func(m *Model) tea.Cmd {
			if len(m.sheets) > 0 && m.top().explained == x {
				m.pop()
			}
			return m.explain(contract.ExplainRequest{Ref: m.explainRef(k)})
		})
	}
	m.sheets = nil
	if !m.goTo(k) {
		return m.say(theme.Warn, "it is not in the segments read so far")
	}
	return nil
}

// goTo turns to a node in the segments in memory, and says whether it is there.
func (m *Model) goTo(k int) bool {
	if !m.book.Turn(k) {
		return false
	}
	m.refresh("")
	m.outline.Filter("")
	m.outline.Reveal(k)
	m.focusOn(outlinePane)
	return true
}

// current is the ref that the node of a ref has in the current snapshot, whether
// or not it is listed there.
func (m *Model) current(ref string) string {
	cur, ok := m.book.Current()
	if !ok || inspect.K(ref) == 0 {
		return ref
	}
	return fmt.Sprintf("%s:%d", cur.Snapshot.ID, inspect.K(ref))
}

// sameRef is the current ref of a node that was chosen by an earlier one, where
// it still has the role and name that it was chosen by; else the ref as it was,
// which will be refused.
func (m *Model) sameRef(ref string) string {
	is := m.refs.Entry(m.current(ref))
	was := m.book.Entry(ref)
	if is == nil || was == nil || is.Role != was.Role || is.Name != was.Name {
		return ref
	}
	return is.Ref
}
