// Package theme turns a handful of tokens (what a thing is) into terminal
// styles (how it looks). Styles are made once per theme, never while drawing.
// Meaning is never told by colour alone: panes always add a glyph or a word.
package theme

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
)

// Token names what a piece of text is.
type Token uint8

// The tokens.
const (
	Text   Token = iota // page text and plain words
	Dim                 // what matters less
	Faint               // rules and separators
	Strong              // titles
	Accent              // focus, keys
	Ref                 // refs, ids
	Role                // roles, names of fields
	Good                // exact, pass, ok
	Warn                // heuristic, partial
	Bad                 // refused, fail, lost
	tokens
)

// An Ink is the escape sequence that starts a style, plain and on the
// selection's background. Every sequence is complete in itself.
type Ink struct{ plain, selected string }

// Reset ends any ink.
const Reset = "\x1b[m"

// Open returns the sequence that starts the ink; selected is for the row under
// the cursor of the focused pane.
func (i Ink) Open(selected bool) string {
	if selected {
		return i.selected
	}
	return i.plain
}

// Theme holds the ink of every token.
type Theme struct {
	inks   [tokens]Ink
	colour bool
}

// Coloured says whether colours may be used.
func (t *Theme) Coloured() bool { return t.colour }

// Ink returns the ink of a token.
func (t *Theme) Ink(k Token) Ink { return t.inks[k] }

type pair struct{ light, dark string }

// The greys are ones that the 256 colours have, so that they stay grey there.
var colours = [tokens]pair{
	Text:   {"#24292f", "#d8dee9"},
	Dim:    {"#6c6c6c", "#8a8a8a"},
	Faint:  {"#c6c6c6", "#444444"},
	Strong: {"#0b1021", "#ffffff"},
	Accent: {"#6639ba", "#b392f0"},
	Ref:    {"#0550ae", "#79c0ff"},
	Role:   {"#116329", "#7ee0b8"},
	Good:   {"#1a7f37", "#56d364"},
	Warn:   {"#9a6700", "#e3b341"},
	Bad:    {"#cf222e", "#ff7b72"},
}

var selection = pair{"#e4e4e4", "#303030"}

// New builds a theme for a dark or light background. Without colour it uses
// bold, faint and reverse only.
func New(dark, colour bool) *Theme {
	t := &Theme{colour: colour}
	pick := func(p pair) color.Color {
		if dark {
			return lipgloss.Color(p.dark)
		}
		return lipgloss.Color(p.light)
	}
	for k := range tokens {
		s := lipgloss.NewStyle()
		switch k {
		case Strong, Accent, Bad:
			s = s.Bold(true)
		case Dim, Faint:
			s = s.Faint(!colour)
		default:
		}
		sel := s.Reverse(true)
		if colour {
			s = s.Foreground(pick(colours[k]))
			sel = s.Background(pick(selection))
		}
		t.inks[k] = Ink{plain: open(s), selected: open(sel)}
	}
	return t
}

// Muted is the theme for what is no longer proven: good news, refs and roles
// lose their colour; trouble and plain words keep theirs.
func (t *Theme) Muted() *Theme {
	m := *t
	for _, k := range []Token{Good, Ref, Role} {
		m.inks[k] = t.inks[Dim]
	}
	return &m
}

// open returns the sequence a style writes before its text.
func open(s lipgloss.Style) string {
	before, _, _ := strings.Cut(s.Render("x"), "x")
	return before
}
