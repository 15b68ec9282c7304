package pane

import (
	"fmt"
	"slices"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/rows"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Nodes is a list of nodes that an explanation found: by a text, or left out
// for a reason. It grows page by page.
type Nodes struct {
	// Asked is the request of the last page; its After is that of the next one,
	// "" where there is none.
	Asked contract.ExplainRequest

	about []string // lines above the rows
	title string
	total int // how many there are altogether, -1 where that is not known
	rows  []contract.Explained
	list  rows.List[string]
	cache cache
}

// NewNodes returns the list that answers a request. Of those counted as left
// out for a reason, counted is the number; it is -1 for a text.
func NewNodes(q contract.ExplainRequest, counted int) *Nodes {
	n := &Nodes{Asked: q, total: counted, title: "Why · " + snapshotfmt.Quote(q.Text)}
	if q.Reason == "" {
		n.about = []string{"Candidates of this snapshot that say it, listed or not."}
		return n
	}
	reason, sub := splitReason(q.Reason)
	o, _ := snapshotfmt.OmissionOf(reason, sub)
	n.title = "Left out · " + q.Reason
	n.about = []string{o.Meaning, o.Do}
	return n
}

// Add appends a page and remembers where the next one begins.
func (n *Nodes) Add(r *contract.ExplainResult) {
	n.rows = append(n.rows, r.Rows...)
	n.Asked.After = r.Next
	n.list.Set(rows.All(len(n.rows)), func(i int) string { return n.rows[i].Ref })
}

// Empty says whether it has no row yet.
func (n *Nodes) Empty() bool { return len(n.rows) == 0 }

// Selected returns the node under the cursor.
func (n *Nodes) Selected() (contract.Explained, bool) {
	if i, ok := n.list.Current(); ok {
		return n.rows[i], true
	}
	return contract.Explained{}, false
}

// Head is what was asked, and how many there are.
func (n *Nodes) Head() (title, note string) {
	note = fmt.Sprint(len(n.rows))
	if n.total >= 0 {
		note += fmt.Sprintf(" of %d", n.total)
	}
	if n.Asked.After != "" {
		note += ", ] for more"
	}
	return text.Safe(n.title), note
}

// Do moves.
func (n *Nodes) Do(id cmdtable.ID) bool { return move(&n.list, id) }

// Filter does nothing: the engine looks for texts.
func (n *Nodes) Filter(string) {}

// Filtering is always "".
func (n *Nodes) Filtering() string { return "" }

// Seek finds nothing.
func (n *Nodes) Seek(int) bool { return false }

// Click moves to line y, below what is said above.
func (n *Nodes) Click(y int) { n.list.Click(y - len(n.about)) }

// Copy is the explain-only or real ref.
func (n *Nodes) Copy() (what, s string) {
	if x, ok := n.Selected(); ok {
		ref := text.Safe(x.Ref)
		return "ref " + ref, ref
	}
	return "", ""
}

// Want is a line for each node, and what is said above.
func (n *Nodes) Want(*draw.Paint, int) int { return len(n.about) + max(len(n.rows), 3) }

// nothingFound says what it means that a text is nowhere.
const nothingFound = "No candidate of this snapshot says it. The page may show it as a picture or on a canvas, load it later, " +
	"have it in a frame that was not read (pane 4), or spell it differently. r takes a new snapshot; W asks about a point."

// Draw draws what is said above and the rows in sight.
func (n *Nodes) Draw(p *draw.Paint, w, h int, focused bool) []string {
	return n.cache.draw(p, w, h, focused, n.list.Rev(), func() []string {
		out := make([]string, 0, h+len(n.about))
		for _, s := range n.about {
			out = append(out, p.Row(w, false, draw.Of(theme.Dim, "  "+text.Safe(s))))
		}
		if n.Empty() {
			why := nothingFound
			if n.Asked.Reason != "" {
				why = "None of them can be named: they are in a document that was not read, or have left the page since."
			}
			return append(out, empty(p, w, max(h-len(out), 0), why)...)
		}
		g := draw.NewGrid(max(w-4, 0), n.columns(p))
		spans := make([]draw.Span, 0, 16)
		return n.list.Draw(out, h-len(out), func(i int, cursor bool) string {
			cells := n.cells(&n.rows[i])
			m := verdictMark(n.rows[i].Verdict)
			return p.Row(w, cursor && focused, g.Row(p.Text, append(spans, cursorSpan(cursor, focused), m.span(), draw.Of(theme.Text, " ")), cells...)...)
		})
	})
}

func (n *Nodes) cells(x *contract.Explained) []draw.Span {
	name := draw.Of(theme.Text, text.Safe(x.Name))
	if x.Name == "" {
		name = draw.Of(theme.Dim, "(no name)")
	}
	why := verdictMark(x.Verdict).word
	if x.Reason != "" {
		why = reasonKey(x.Reason, x.SubReason)
	}
	return []draw.Span{
		draw.Of(theme.Ref, text.Safe(x.Ref)), draw.Of(theme.Role, text.Safe(x.Role)), name,
		draw.Of(theme.Dim, text.Safe(why)), draw.Of(theme.Dim, text.Safe(x.Frame)),
	}
}

// columns measures the rows in memory, of which there are at most a few pages.
func (n *Nodes) columns(p *draw.Paint) []draw.Column {
	cols := []draw.Column{{Max: 10}, {Max: 14}, {Grow: true, Min: 14}, {Max: 26, Drop: 1}, {Max: 6, Drop: 2}}
	for i := range n.rows {
		for c, s := range n.cells(&n.rows[i]) {
			cols[c].Want = max(cols[c].Want, p.Text.Width(s.Text))
		}
	}
	return slices.Clip(cols)
}

// splitReason parts "reason/sub".
func splitReason(s string) (snapshotfmt.OmitReason, string) {
	for i := range len(s) {
		if s[i] == '/' {
			return snapshotfmt.OmitReason(s[:i]), s[i+1:]
		}
	}
	return snapshotfmt.OmitReason(s), ""
}
