package pane

import (
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/rows"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Item is a choice of a Menu.
type Item struct {
	Mark  draw.Span
	Name  string
	About string
	// Why says why it would not be accepted now, "" if it would.
	Why string
	// Quiet sets a choice back behind the others.
	Quiet bool
	// Key is what choosing it means to the one who made the menu.
	Key string
}

// words is all that is said of a choice, what stands against it first.
func (it *Item) words() string {
	switch {
	case it.Why == "":
		return text.Safe(it.About)
	case it.About == "":
		return text.Safe("not now: " + it.Why)
	}
	return text.Safe("not now: " + it.Why + " · " + it.About)
}

// Menu is a list of choices, one line each, and below it the whole of the one
// under the cursor, where the line of any is cut.
type Menu struct {
	title, note string
	items       []Item
	list        rows.List[int]
	rows        int // that the last drawing had room for
	cache       cache
}

// NewMenu returns a menu with the cursor on the first choice.
func NewMenu(title, note string, items []Item) *Menu {
	m := &Menu{title: title, note: note}
	m.Set(items)
	return m
}

// Set replaces the choices.
func (m *Menu) Set(items []Item) {
	m.reword(items)
	m.list.Home()
}

// reword replaces the choices by ones that stand for the same; the cursor stays.
func (m *Menu) reword(items []Item) {
	m.items = items
	m.list.Set(rows.All(len(items)), func(i int) int { return i })
	m.list.Touch()
}

// Selected returns the choice under the cursor.
func (m *Menu) Selected() (Item, bool) {
	if i, ok := m.list.Current(); ok {
		return m.items[i], true
	}
	return Item{}, false
}

// Head is the title and note.
func (m *Menu) Head() (title, note string) { return text.Safe(m.title), text.Safe(m.note) }

// Do moves.
func (m *Menu) Do(id cmdtable.ID) bool { return move(&m.list, id) }

// Filter does nothing: who makes the menu chooses its items.
func (m *Menu) Filter(string) {}

// Filtering is always "".
func (m *Menu) Filtering() string { return "" }

// Seek finds nothing.
func (m *Menu) Seek(int) bool { return false }

// Click moves to line y.
func (m *Menu) Click(y int) {
	if y < m.rows {
		m.list.Click(y)
	}
}

// Copy is nothing.
func (m *Menu) Copy() (what, s string) { return "", "" }

// Want is a line for each choice, and those of the one under the cursor.
func (m *Menu) Want(p *draw.Paint, w int) int {
	return max(len(m.items), 1) + m.detailHeight(p, w, maxDetail)
}

// maxDetail bounds the lines about the choice under the cursor.
const maxDetail = 8

// nameWidth is the width of the column of names.
func (m *Menu) nameWidth(p *draw.Paint, w int) int {
	width := 0
	for i := range m.items {
		width = max(width, p.Text.Width(text.Safe(m.items[i].Name)))
	}
	return min(width, w/2)
}

// detailHeight is how many lines the whole of a choice takes, with the rule
// above: the same for every choice, so that the list does not jump, 0 where no
// line is cut.
func (m *Menu) detailHeight(p *draw.Paint, w, limit int) int {
	names, lines, cut := m.nameWidth(p, w), 0, false
	for i := range m.items {
		it := &m.items[i]
		name, words := p.Text.Cut(text.Safe(it.Name), w*limit), p.Text.Cut(it.words(), w*limit)
		cut = cut || p.Text.Width(name) > names || names+p.Text.Width(words)+p.Width(it.Mark)+rowFrame > w
		lines = max(lines, len(wholeOf(p, w, it, limit)))
	}
	if !cut {
		return 0
	}
	return min(lines+1, limit)
}

// rowFrame is what a row has around mark, name and words: cursor and gaps.
const rowFrame = 5

// wholeOf is all that is said of a choice, wrapped: its name only where that is
// cut at the worst width of a column.
func wholeOf(p *draw.Paint, w int, it *Item, limit int) []string {
	said := it.words()
	if name := text.Safe(it.Name); p.Text.Width(name) > w/2 {
		said = name + "  " + said
	}
	return p.Text.Wrap(p.Text.Cut(said, w*limit), max(w-4, 1))
}

// detail draws everything about the choice under the cursor, in n lines.
func (m *Menu) detail(p *draw.Paint, w, n int) []string {
	if n == 0 {
		return nil
	}
	it, _ := m.Selected()
	out := []string{p.Rule(w, false, p.Text.Cut(text.Safe(it.Name), max(w-6, 1)), "")}
	for _, line := range wholeOf(p, w, &it, n) {
		out = append(out, p.Row(w, false, draw.Of(theme.Text, "  "+line)))
	}
	return draw.Fill(out, w, n)
}

// Draw draws the choices in sight.
func (m *Menu) Draw(p *draw.Paint, w, h int, focused bool) []string {
	return m.cache.draw(p, w, h, focused, m.list.Rev(), func() []string {
		if len(m.items) == 0 {
			return empty(p, w, h, "nothing to choose")
		}
		below := m.detail(p, w, m.detailHeight(p, w, min(maxDetail, h/2)))
		width := m.nameWidth(p, w)
		m.rows = h - len(below)
		out := m.list.Draw(make([]string, 0, h), m.rows, func(i int, cursor bool) string {
			it := &m.items[i]
			name := theme.Strong
			if it.Why != "" || it.Quiet {
				name = theme.Dim
			}
			return p.Row(w, cursor && focused, cursorSpan(cursor, focused), draw.Of(theme.Text, " "), it.Mark, draw.Of(theme.Text, " "),
				draw.Of(name, p.Text.Fit(text.Safe(it.Name), width)), draw.Of(theme.Dim, "  "+it.words()))
		})
		return append(draw.Fill(out, w, m.rows), below...)
	})
}
