package pane

import (
	"fmt"
	"strings"

	"cuatui/engine/contract"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/rows"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Picture is a page with the image of a region or a node, drawn in cells.
type Picture struct {
	of    string
	pic   *draw.Picture
	facts []Para
	list  rows.List[int] // empty: there is nothing to move through
	cache cache
}

// NewPicture returns the page of a screenshot.
func NewPicture(r *contract.ScreenshotResult, pic *draw.Picture) *Picture {
	s := &Picture{of: strings.TrimSpace(r.Of + " " + r.Ref), pic: pic}
	s.facts = []Para{{Text: fmt.Sprintf("%d x %d px of the image, %s CSS px of the viewport", r.Width, r.Height, boxWords(r.Box)), Token: theme.Dim}}
	if r.Moved != "" {
		s.facts = append(s.facts, Para{Text: "not shown exactly: right after the image, " + r.Moved, Token: theme.Warn})
	}
	for _, e := range r.SideEffects {
		s.facts = append(s.facts, Para{Text: e, Token: theme.Warn})
	}
	return s
}

// Head is the title and what it is of.
func (s *Picture) Head() (title, note string) { return "Picture", text.Safe(s.of) }

// Do takes the movements: all of it is in sight.
func (s *Picture) Do(id cmdtable.ID) bool { return move(&s.list, id) }

// Filter does nothing.
func (s *Picture) Filter(string) {}

// Filtering is always "".
func (s *Picture) Filtering() string { return "" }

// Seek finds nothing.
func (s *Picture) Seek(int) bool { return false }

// Click does nothing.
func (s *Picture) Click(int) {}

// Copy is what it is of, and where that is.
func (s *Picture) Copy() (what, body string) { return "what it shows", s.of + ": " + s.facts[0].Text }

// Want is all the room there is.
func (s *Picture) Want(*draw.Paint, int) int { return 1 << 16 }

// Draw draws the picture in the middle, and what is said of it below.
func (s *Picture) Draw(p *draw.Paint, w, h int, focused bool) []string {
	return s.cache.draw(p, w, h, focused, 0, func() []string {
		out := p.Picture(s.pic, w, max(h-len(s.facts), 0))
		for _, f := range s.facts {
			out = append(out, p.Row(w, false, draw.Of(f.Token, "  "+text.Safe(f.Text))))
		}
		return out
	})
}
