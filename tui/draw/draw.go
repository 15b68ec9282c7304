// Package draw builds lines of exactly so many cells out of spans of text. It
// is how every pane paints; it knows no pane and no message.
package draw

import (
	"strings"

	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Paint is what a pane draws with.
type Paint struct {
	Theme *theme.Theme
	Text  text.Measure
}

// Span is a piece of a line: cleaned text and what it is.
type Span struct {
	Text  string
	Token theme.Token
}

// Of returns a span.
func Of(k theme.Token, s string) Span { return Span{Text: s, Token: k} }

// Row joins spans to one line of exactly w cells: the last span that does not
// fit is cut with an ellipsis, what is missing is filled. A selected row has
// the selection's background over its full width.
func (p *Paint) Row(w int, selected bool, spans ...Span) string {
	if w <= 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(w + 24*len(spans))
	left := w
	for _, s := range spans {
		if left == 0 {
			break
		}
		if s.Text == "" {
			continue
		}
		t := p.Text.Cut(s.Text, left)
		n := p.Text.Width(t)
		if len(t) != len(s.Text) {
			// It was cut. A wide character may leave one cell over; the line
			// ends here all the same.
			t += text.Spaces(left - n)
			n = left
		}
		p.ink(&b, t, s.Token, selected)
		left -= n
	}
	if left > 0 {
		if selected {
			p.ink(&b, text.Spaces(left), theme.Text, true)
		} else {
			b.WriteString(text.Spaces(left))
		}
	}
	return b.String()
}

// Split is a line with spans at its left and its right end. The right end is
// kept where both do not fit, unless it alone is too long.
func (p *Paint) Split(w int, left, right []Span) string {
	rw := p.Width(right...)
	if rw > w {
		return p.Row(w, false, right...)
	}
	room := max(w-rw-2, 0)
	return p.Row(room, false, left...) + text.Spaces(w-rw-room) + p.Row(rw, false, right...)
}

// Width returns the cells the spans take together.
func (p *Paint) Width(spans ...Span) int {
	n := 0
	for _, s := range spans {
		n += p.Text.Width(s.Text)
	}
	return n
}

func (p *Paint) ink(b *strings.Builder, t string, k theme.Token, selected bool) {
	open := p.Theme.Ink(k).Open(selected)
	b.WriteString(open)
	b.WriteString(t)
	if open != "" {
		b.WriteString(theme.Reset)
	}
}

// Fill appends blank lines until there are h, and cuts what is over.
func Fill(lines []string, w, h int) []string {
	h = max(h, 0)
	for len(lines) < h {
		lines = append(lines, text.Spaces(w))
	}
	return lines[:h]
}

// Rule is a line that heads a pane: its title on a rule, a note at the right.
// The rule is heavy where the pane has the focus, so that focus shows without
// colour.
func (p *Paint) Rule(w int, focused bool, title, note string) string {
	line, tk, rk := "─", theme.Dim, theme.Faint
	if focused {
		line, tk, rk = "━", theme.Accent, theme.Accent
	}
	spans := []Span{Of(rk, line), Of(tk, " "+title+" ")}
	var right []Span
	if note != "" {
		right = []Span{Of(theme.Dim, " "+note+" "), Of(rk, line)}
	}
	gap := w - p.Width(spans...) - p.Width(right...)
	if gap < 0 {
		right = nil
		gap = max(w-p.Width(spans...), 0)
	}
	spans = append(spans, Of(rk, strings.Repeat(line, gap)))
	return p.Row(w, false, append(spans, right...)...)
}

// Chip is a span at the right of a line that may be left out.
type Chip struct {
	Span
	// Drop orders which go first where there is no room: the highest first,
	// 0 never.
	Drop int
}

// Chips is a line with left at its left and chips, parted by dots, at its
// right; chips are dropped until left keeps at least keep cells.
func (p *Paint) Chips(w, keep int, left []Span, chips []Chip) string {
	for {
		var right []Span
		worst := -1
		for i, c := range chips {
			if c.Text == "" {
				continue
			}
			if right != nil {
				right = append(right, Of(theme.Faint, " · "))
			}
			right = append(right, c.Span)
			if c.Drop > 0 && (worst < 0 || c.Drop > chips[worst].Drop) {
				worst = i
			}
		}
		right = append(right, Of(theme.Text, " "))
		need := min(keep, p.Width(left...)) + 2
		if worst < 0 || p.Width(right...)+need <= w {
			return p.Split(w, left, right)
		}
		chips = append([]Chip{}, chips...)
		chips[worst].Text = ""
		chips[worst].Drop = 0
	}
}
