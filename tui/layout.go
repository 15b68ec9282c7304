package tui

import (
	tea "charm.land/bubbletea/v2"

	"cuatui/tui/cmdtable"
)

// The smallest terminal that shows anything, and the widths, in cells, from
// which there is room for two and three columns.
const (
	minWidth, minHeight = 40, 10
	twoColumns          = 100
	threeColumns        = 140
)

// rect is a rectangle of cells.
type rect struct{ x, y, w, h int }

func (r rect) holds(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// place is where a pane is: its rectangle with the rule at its top, and which
// panes the rule offers as tabs, none for its own title only.
type place struct {
	pane int
	rect rect
	tabs []int
}

// column is a column of places; its cells are theirs.
type column struct {
	w      int
	places []place
}

// columns lays the inspector's panes out in body: side by side where it is
// wide, in two columns where it is less so, else one pane with tabs.
func columns(body rect, focus, side int, zoom bool) []column {
	switch {
	case zoom || body.w < twoColumns:
		all := []int{outlinePane, refsPane, detailPane, omissionsPane, journalPane, regionsPane}
		return []column{{body.w, []place{{focus, body, all}}}}
	case body.w < threeColumns:
		left := (body.w - 1) * 52 / 100
		l := rect{body.x, body.y, left, body.h}
		r := rect{body.x + left + 1, body.y, body.w - left - 1, body.h}
		top, bottom := split(r, 50)
		return []column{
			{l.w, []place{{outlinePane, l, nil}}},
			{r.w, []place{{refsPane, top, nil}, {side, bottom, []int{detailPane, omissionsPane, journalPane, regionsPane}}}},
		}
	}
	room := body.w - 2
	w1, w3 := room*33/100, max(room*25/100, 38)
	w2 := room - w1 - w3
	a := rect{body.x, body.y, w1, body.h}
	b := rect{a.x + w1 + 1, body.y, w2, body.h}
	c := rect{b.x + w2 + 1, body.y, w3, body.h}
	b1, b2 := split(b, 66)
	c1, c2 := split(c, 60)
	counts := omissionsPane
	if side == regionsPane {
		counts = regionsPane
	}
	return []column{
		{w1, []place{{outlinePane, a, nil}}},
		{w2, []place{{refsPane, b1, nil}, {counts, b2, []int{omissionsPane, regionsPane}}}},
		{w3, []place{{detailPane, c1, nil}, {journalPane, c2, nil}}},
	}
}

// split parts r into an upper part of so many percent and the rest.
func split(r rect, percent int) (upper, lower rect) {
	n := r.h * percent / 100
	return rect{r.x, r.y, r.w, n}, rect{r.x, r.y + n, r.w, r.h - n}
}

// body is the part of the screen between header and status line.
func (m *Model) body() rect {
	head := m.headerLines()
	return rect{0, head, m.w, max(m.h-head-footLines, 0)}
}

// footLines are the status line and the footer.
const footLines = 2

func (m *Model) headerLines() int {
	if m.screen == cmdtable.Inspector {
		return 2
	}
	return 1
}

// sheetRect is the part of the body that the top sheet covers: at the bottom,
// as high as it wants, all of it where little would be left.
func (m *Model) sheetRect(body rect) rect {
	want := m.top().pane.Want(&m.paint, body.w) + 2
	if want > body.h-4 {
		return body
	}
	return rect{body.x, body.y + body.h - want, body.w, want}
}

// at returns where the pane under a cell is, and what gives it the keys.
func (m *Model) at(x, y int) (r rect, pane int, ok bool) {
	if m.w < minWidth || m.h < minHeight {
		return rect{}, 0, false
	}
	body := m.body()
	switch {
	case len(m.sheets) > 0:
		r = m.sheetRect(body)
		return r, -1, r.holds(x, y)
	case m.screen == cmdtable.Windows:
		return body, -1, body.holds(x, y)
	}
	for _, c := range columns(body, m.focus, m.side, m.zoom) {
		for _, p := range c.places {
			if p.rect.holds(x, y) {
				return p.rect, p.pane, true
			}
		}
	}
	return rect{}, 0, false
}

// click selects the row under the mouse and gives its pane the keys.
func (m *Model) click(e tea.Mouse) {
	r, i, ok := m.at(e.X, e.Y)
	if !ok || m.prompt != nil || e.Button != tea.MouseLeft {
		return
	}
	if i >= 0 {
		m.focusOn(i)
	}
	if row := e.Y - r.y - 1; row >= 0 {
		m.active().Click(row)
	}
	m.follow()
}

// wheel scrolls the pane under the mouse.
func (m *Model) wheel(e tea.Mouse) {
	_, i, ok := m.at(e.X, e.Y)
	if !ok {
		return
	}
	p := m.active()
	if i >= 0 {
		p = m.panes[i]
	}
	id := cmdtable.Down
	if e.Button == tea.MouseWheelUp {
		id = cmdtable.Up
	}
	for range 3 {
		p.Do(id)
	}
	m.follow()
}
