package pane

import (
	"cmp"
	"slices"
	"strings"

	"cuatui/snapshotfmt"
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

// Menu is a list of choices, one line each.
type Menu struct {
	title, note string
	items       []Item
	list        rows.List[int]
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
	m.items = items
	m.list.Set(rows.All(len(items)), func(i int) int { return i })
	m.list.Home()
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
func (m *Menu) Click(y int) { m.list.Click(y) }

// Copy is nothing.
func (m *Menu) Copy() (what, s string) { return "", "" }

// Want is the number of choices.
func (m *Menu) Want(*draw.Paint, int) int { return max(len(m.items), 1) }

// Draw draws the choices in sight.
func (m *Menu) Draw(p *draw.Paint, w, h int, focused bool) []string {
	return m.cache.draw(p, w, h, focused, m.list.Rev(), func() []string {
		if len(m.items) == 0 {
			return empty(p, w, h, "nothing to choose")
		}
		width := 0
		for _, it := range m.items {
			width = max(width, p.Text.Width(text.Safe(it.Name)))
		}
		width = min(width, w/2)
		return m.list.Draw(make([]string, 0, h), h, func(i int, cursor bool) string {
			it := m.items[i]
			name, about := theme.Strong, it.About
			switch {
			case it.Why != "":
				name, about = theme.Dim, "not now: "+it.Why
			case it.Quiet:
				name = theme.Dim
			}
			return p.Row(w, cursor && focused, cursorSpan(cursor, focused), draw.Of(theme.Text, " "), it.Mark, draw.Of(theme.Text, " "),
				draw.Of(name, p.Text.Fit(text.Safe(it.Name), width)), draw.Of(theme.Dim, "  "+text.Safe(about)))
		})
	})
}

// The routes of a click, strongest proof first.
var clickRoutes = []struct{ route, about string }{
	{"trusted_key", "focus and a key: a trusted click, the window stays where it is"},
	{"dom_event", "an event of the page itself: isTrusted is false"},
	{"trusted", "the mouse, in the foreground: raises the window if the engine lets it"},
}

// NewActions returns the menu of a ref's actions: every route of a click, each
// with the reason where it would not be accepted now. What is not accepted can
// be fired all the same, to see the refusal.
func NewActions(e *snapshotfmt.Entry) *Menu {
	var items []Item
	accepted := e.Routes["click"]
	for _, r := range clickRoutes {
		it := Item{Mark: draw.Of(theme.Good, "●"), Name: "click · " + r.route, About: r.about, Key: r.route}
		switch {
		case slices.Contains(accepted, r.route):
		case r.route == "trusted" && len(accepted) > 0:
			// The routes of an entry are those of the background; this one is
			// delivered in the foreground.
			it.Mark = draw.Of(theme.Warn, "◐")
		default:
			it.Mark = draw.Of(theme.Dim, "○")
			it.Why = notAccepted(e)
		}
		items = append(items, it)
	}
	note := "declares " + cmp.Or(strings.Join(e.Actions, ", "), "no action") + "; enter shows a refusal, too"
	return NewMenu("Act · "+e.Ref+" "+e.Role+" "+e.Name, note, items)
}

// notAccepted says why no route, or not this one, would be accepted now, as far
// as the snapshot knows; the engine's refusal knows better.
func notAccepted(e *snapshotfmt.Entry) string {
	m := tierMark(e.Visibility)
	switch {
	case e.Why != "":
		return e.Why
	case !slices.Contains(e.Actions, "click"):
		return "the ref does not declare click"
	case e.Visibility != snapshotfmt.InViewport:
		return "the node is " + m.word
	}
	return "this ref does not accept the route"
}
