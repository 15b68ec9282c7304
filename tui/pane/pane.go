// Package pane holds the rectangles of the terminal UI: outline, refs, detail,
// omissions, journal, windows, and the sheets that open over them. A pane is a
// plain struct that is given data, does commands and draws lines; it starts
// nothing, knows no engine, and sees page text only to pass it through
// text.Safe.
package pane

import (
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/rows"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Pane is what the root model asks of every rectangle.
type Pane interface {
	// Head returns the title and the note at the right of the rule above.
	Head() (title, note string)
	// Do carries out a movement or fold and says whether it was one.
	Do(id cmdtable.ID) bool
	// Filter narrows the rows; "" shows all.
	Filter(q string)
	// Filtering returns the filter that is set.
	Filtering() string
	// Seek moves to the next match of the filter, in direction 1 or -1.
	Seek(d int) bool
	// Click moves the cursor to a line of the last drawing.
	Click(y int)
	// Copy returns what copying the selection means, "" for nothing.
	Copy() (what, s string)
	// Draw returns exactly h lines of exactly w cells.
	Draw(p *draw.Paint, w, h int, focused bool) []string
}

// Sheet is a pane that opens over a screen, as high as it needs to be.
type Sheet interface {
	Pane
	// Want is how many lines would show everything at width w.
	Want(p *draw.Paint, w int) int
}

// move carries out a movement command on a list.
func move[ID comparable](l *rows.List[ID], id cmdtable.ID) bool {
	switch id {
	case cmdtable.Up:
		l.Move(-1)
	case cmdtable.Down:
		l.Move(1)
	case cmdtable.Home:
		l.Home()
	case cmdtable.End:
		l.End()
	case cmdtable.HalfUp:
		l.Page(-1)
	case cmdtable.HalfDown:
		l.Page(1)
	case cmdtable.PageUp:
		l.Page(-2)
	case cmdtable.PageDown:
		l.Page(2)
	default:
		return false
	}
	return true
}

// cache keeps the last drawing of a pane: View runs after every message, and
// most messages change one pane or none.
type cache struct {
	w, h    int
	focused bool
	rev     uint64
	theme   *theme.Theme
	text    text.Measure
	lines   []string
}

// draw returns the cached lines, or those of f if anything changed.
func (c *cache) draw(p *draw.Paint, w, h int, focused bool, rev uint64, f func() []string) []string {
	if c.lines != nil && c.w == w && c.h == h && c.focused == focused && c.rev == rev && c.theme == p.Theme && c.text == p.Text {
		return c.lines
	}
	*c = cache{w: w, h: h, focused: focused, rev: rev, theme: p.Theme, text: p.Text}
	c.lines = draw.Fill(f(), w, h)
	return c.lines
}

// cursorSpan is the first cell of a row: a bar under the cursor of the focused
// pane, a thin one in the others, so that the place shows without colour.
func cursorSpan(cursor, focused bool) draw.Span {
	switch {
	case cursor && focused:
		return draw.Of(theme.Accent, "▌")
	case cursor:
		return draw.Of(theme.Dim, "▏")
	}
	return draw.Of(theme.Text, " ")
}

// empty is the body of a pane with nothing to show, which says why.
func empty(p *draw.Paint, w, h int, why string) []string {
	var out []string
	for _, line := range p.Text.Wrap(why, max(w-2, 1)) {
		if len(out) < h {
			out = append(out, p.Row(w, false, draw.Of(theme.Dim, "  "+line)))
		}
	}
	return out
}
