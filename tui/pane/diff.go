package pane

import (
	"fmt"
	"strings"

	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/inspect"
	"cuatui/tui/rows"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

var kindMarks = map[inspect.Kind]mark{
	inspect.Same:    {glyph: " ", token: theme.Dim},
	inspect.Added:   {glyph: "+", token: theme.Good},
	inspect.Removed: {glyph: "-", token: theme.Bad},
	inspect.Changed: {glyph: "~", token: theme.Warn},
}

// Diff steps through the last snapshots of a tab, each laid over the one before
// it.
type Diff struct {
	steps []inspect.Segment
	at    int // the later one of the two that are compared
	diff  *inspect.Diff
	all   bool // lines that stayed the same, too
	list  rows.List[int]
	cache cache
}

// NewDiff returns the diff of the last two of at least two snapshots.
func NewDiff(steps []inspect.Segment) *Diff {
	d := &Diff{steps: steps, at: len(steps) - 1}
	d.compare()
	return d
}

func (d *Diff) compare() {
	d.diff = inspect.Compare(d.steps[d.at-1].Semantic, d.steps[d.at].Semantic)
	d.list = rows.List[int]{}
	d.rebuild()
}

func (d *Diff) rebuild() {
	visible := make([]int32, 0, len(d.diff.Rows))
	for i, r := range d.diff.Rows {
		if d.all || r.Kind != inspect.Same {
			visible = append(visible, int32(i))
		}
	}
	d.list.Set(visible, func(i int) int { return i })
	d.list.Touch()
	d.cache = cache{}
}

// Step goes to the pair of snapshots before (-1) or after (1) this one, and
// says whether there is one.
func (d *Diff) Step(by int) bool {
	if d.at+by < 1 || d.at+by >= len(d.steps) {
		return false
	}
	d.at += by
	d.compare()
	return true
}

// Earlier and Later say whether Step would go.
func (d *Diff) Earlier() bool { return d.at > 1 }

// Later says whether there is a later pair.
func (d *Diff) Later() bool { return d.at+1 < len(d.steps) }

// ToggleAll shows the lines that stayed the same, too, or only changes.
func (d *Diff) ToggleAll() { d.all = !d.all; d.rebuild() }

// Head names the snapshots and counts the changes.
func (d *Diff) Head() (title, note string) {
	a, b := d.steps[d.at-1].Snapshot.ID, d.steps[d.at].Snapshot.ID
	return text.Safe("Diff · " + a + " → " + b), fmt.Sprintf("%s  %d/%d", d.diff.Counts(), d.at, len(d.steps)-1)
}

// Do moves.
func (d *Diff) Do(id cmdtable.ID) bool { return move(&d.list, id) }

// Filter does nothing: there are changes, or all lines.
func (d *Diff) Filter(string) {}

// Filtering is always "".
func (d *Diff) Filtering() string { return "" }

// Seek moves to the next change.
func (d *Diff) Seek(by int) bool {
	return d.list.Seek(by, func(i int) bool { return d.diff.Rows[i].Kind != inspect.Same })
}

// Click moves to line y.
func (d *Diff) Click(y int) { d.list.Click(y - d.noteLines()) }

// Copy is the diff as text, changes only.
func (d *Diff) Copy() (what, s string) {
	var b strings.Builder
	title, note := d.Head()
	fmt.Fprintf(&b, "%s  %s\n", title, note)
	for _, r := range d.diff.Rows {
		if r.Kind != inspect.Same {
			fmt.Fprintf(&b, "%c %s%s\n", r.Kind, r.Line.Text, whatWords(r.What))
		}
	}
	return "diff", b.String()
}

func whatWords(what string) string {
	if what == "" {
		return ""
	}
	return "   " + what
}

func (d *Diff) noteLines() int {
	if d.diff.Note == "" {
		return 0
	}
	return 1
}

// Want is a line for each row.
func (d *Diff) Want(*draw.Paint, int) int { return d.noteLines() + max(d.list.Len(), 1) }

// Draw draws the rows in sight.
func (d *Diff) Draw(p *draw.Paint, w, h int, focused bool) []string {
	return d.cache.draw(p, w, h, focused, d.list.Rev(), func() []string {
		out := make([]string, 0, h+1)
		if d.diff.Note != "" {
			out = append(out, p.Row(w, false, draw.Of(theme.Warn, "  "+text.Safe(d.diff.Note))))
		}
		if d.list.Len() == 0 {
			return append(out, empty(p, w, max(h-len(out), 0), "nothing changed but the refs")...)
		}
		return d.list.Draw(out, h-len(out), func(i int, cursor bool) string { return d.row(p, w, &d.diff.Rows[i], cursor, focused) })
	})
}

func (d *Diff) row(p *draw.Paint, w int, r *inspect.Row, cursor, focused bool) string {
	m := kindMarks[r.Kind]
	body := strings.TrimPrefix(text.Safe(r.Line.Text), "- ")
	token := theme.Text
	if r.Kind == inspect.Same || r.Kind == inspect.Removed {
		token = theme.Dim
	}
	indent := min(2*r.Line.Depth, max(w/3, 0))
	spans := []draw.Span{cursorSpan(cursor, focused), m.span(), draw.Of(theme.Text, text.Spaces(1+indent))}
	if what := text.Safe(r.What); what != "" {
		// What changed is the point: the line gives way to it.
		room := max(w-p.Width(spans...)-p.Text.Width(what)-2, min(24, w/3))
		return p.Row(w, cursor && focused, append(spans, draw.Of(token, p.Text.Cut(body, room)), draw.Of(m.token, "  "+what))...)
	}
	return p.Row(w, cursor && focused, append(spans, draw.Of(token, body))...)
}
