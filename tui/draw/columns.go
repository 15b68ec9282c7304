package draw

import (
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Column is one column of a table.
type Column struct {
	Title string
	// Want is the width of the widest cell, in cells.
	Want int
	// Max bounds Want; 0 is no bound.
	Max int
	// Grow marks the column that takes the room left over, and Min what it
	// needs at least. At most one column grows.
	Grow bool
	Min  int
	// Drop orders which columns go first where there is no room: the highest
	// goes first, 0 never.
	Drop  int
	Right bool // aligned to the right
}

const gap = 2

// Grid is a table's columns laid out for a width.
type Grid struct {
	cols   []Column
	widths []int // 0 for a dropped column
	w      int
}

// NewGrid lays out cols in w cells.
func NewGrid(w int, cols []Column) Grid {
	g := Grid{cols: cols, widths: make([]int, len(cols)), w: w}
	for i, c := range cols {
		g.widths[i] = c.natural()
	}
	for {
		used := g.used()
		if used <= w {
			g.grow(w - used)
			return g
		}
		worst := -1
		for i, c := range cols {
			if g.widths[i] > 0 && c.Drop > 0 && (worst < 0 || c.Drop > cols[worst].Drop) {
				worst = i
			}
		}
		if worst < 0 {
			return g
		}
		g.widths[worst] = 0
	}
}

func (c Column) natural() int {
	if c.Grow {
		return max(c.Min, 1)
	}
	n := max(c.Want, len(c.Title), 1)
	if c.Max > 0 {
		n = min(n, c.Max)
	}
	return n
}

func (g Grid) used() int {
	n := 0
	for _, w := range g.widths {
		if w > 0 {
			n += w + gap
		}
	}
	return n - gap
}

func (g Grid) grow(spare int) {
	for i, c := range g.cols {
		if c.Grow && g.widths[i] > 0 {
			g.widths[i] += spare
		}
	}
}

// Row appends the cells to spans, each cut or padded to its column.
func (g Grid) Row(m text.Measure, spans []Span, cells ...Span) []Span {
	first := true
	for i, c := range cells {
		w := g.widths[i]
		if w == 0 {
			continue
		}
		if !first {
			spans = append(spans, Of(theme.Text, text.Spaces(gap)))
		}
		first = false
		if g.cols[i].Right {
			c.Text = m.FitRight(c.Text, w)
		} else {
			c.Text = m.Fit(c.Text, w)
		}
		spans = append(spans, c)
	}
	return spans
}

// Titles returns the cells of the heading.
func (g Grid) Titles() []Span {
	out := make([]Span, len(g.cols))
	for i, c := range g.cols {
		out[i] = Of(theme.Dim, c.Title)
	}
	return out
}
