package pane

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/rows"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// windowID names a native window.
type windowID struct {
	pid int
	id  uint64
}

// Windows lists native windows and what binding would say of each.
type Windows struct {
	last    contract.ListWindowsResult
	system  string
	windows []contract.NativeWindow
	ghost   bool // the window under the cursor is gone
	pace    string
	notes   []string
	why     string
	keys    []string
	query   string
	list    rows.List[windowID]
	cache   cache
}

// Set replaces the windows and says whether they are others than before. The
// cursor stays on the same window. Where that is gone, its row stays until the
// cursor leaves it: the list changes by itself, and enter must not mean another
// window than the one that was looked at.
func (l *Windows) Set(r *contract.ListWindowsResult) (changed bool) {
	last := contract.ListWindowsResult{Status: r.Status, System: r.System, Windows: slices.Clone(r.Windows), Notes: slices.Clone(r.Notes)}
	changed = !reflect.DeepEqual(l.last, last)
	if !changed && !l.ghost {
		return false
	}
	windows, ghost := slices.Clone(r.Windows), false
	if at, ok := l.list.Current(); ok && len(windows) > 0 {
		was := l.windows[at]
		if !slices.ContainsFunc(windows, func(w contract.NativeWindow) bool { return idOf(&w) == idOf(&was) }) {
			was.Active, was.Endpoint = false, "none"
			was.WouldBind = contract.WouldBind{Verdict: "refused", Code: refusal.BindingStale, Reason: refusal.WindowGone}
			windows, ghost = slices.Insert(windows, min(at, len(windows)), was), true
		}
	}
	l.last, l.ghost = last, ghost
	l.system, l.windows, l.notes, l.keys = r.System, windows, r.Notes, nil
	l.why = "no browser window here: L launches an isolated browser, A lists windows of other programs"
	l.rebuild()
	return changed
}

func idOf(w *contract.NativeWindow) windowID { return windowID{w.PID, w.WindowID} }

// Refused returns the first window that binding would refuse for a reason, and
// whether there is one.
func (l *Windows) Refused(reason refusal.Reason) (contract.NativeWindow, bool) {
	for _, w := range l.windows {
		if w.WouldBind.Reason == reason {
			return w, true
		}
	}
	return contract.NativeWindow{}, false
}

// Live is the pace of a list that follows the desktop.
const Live = "live"

// Pace says, in a word, how the list follows the desktop.
func (l *Windows) Pace(word string) {
	if l.pace != word {
		l.pace = word
		l.list.Touch()
	}
}

// Say sets what is shown where there are no windows.
func (l *Windows) Say(why string) { l.why = why; l.list.Touch() }

func (l *Windows) rebuild() {
	visible := rows.All(len(l.windows))
	if l.query != "" {
		if l.keys == nil {
			for _, w := range l.windows {
				l.keys = append(l.keys, strings.ToLower(text.Safe(fmt.Sprintf("%s %s %d %s", w.Title, w.Product, w.PID, w.WouldBind.Verdict))))
			}
		}
		visible = visible[:0]
		for i, key := range l.keys {
			if strings.Contains(key, l.query) {
				visible = append(visible, int32(i))
			}
		}
	}
	l.list.Set(visible, func(i int) windowID { return idOf(&l.windows[i]) })
}

// Selected returns the window under the cursor.
func (l *Windows) Selected() (contract.NativeWindow, bool) {
	if i, ok := l.list.Current(); ok {
		return l.windows[i], true
	}
	return contract.NativeWindow{}, false
}

// Head is the title and the system.
func (l *Windows) Head() (title, note string) {
	if l.query != "" {
		return "Windows", fmt.Sprintf("/%s  %d of %d", text.Safe(l.query), l.list.Len(), len(l.windows))
	}
	if l.system == "" {
		return "Windows", ""
	}
	note = Count(len(l.last.Windows), "window") + " · " + text.Safe(l.system)
	if l.pace != "" {
		note += " · " + l.pace
	}
	return "Windows", note
}

// Do moves.
func (l *Windows) Do(id cmdtable.ID) bool { return move(&l.list, id) }

// Filter shows only windows of which a text contains q.
func (l *Windows) Filter(q string) {
	l.query = strings.ToLower(q)
	l.rebuild()
	if q != "" {
		l.list.Home()
	}
}

// Filtering returns the filter.
func (l *Windows) Filtering() string { return l.query }

// Seek moves to the next window of the filter.
func (l *Windows) Seek(d int) bool { return l.list.Seek(d, func(int) bool { return true }) }

// Click moves to line y, below the heading.
func (l *Windows) Click(y int) { l.list.Click(y - 1) }

// Copy is the pair that binds the window.
func (l *Windows) Copy() (what, s string) {
	w, ok := l.Selected()
	if !ok {
		return "", ""
	}
	return "pid and window id", fmt.Sprintf("--pid %d --window %#x", w.PID, w.WindowID)
}

// markOf is the verdict on a window, muted where the list does not follow the
// desktop: then it is what was proved, not what is.
func (l *Windows) markOf(b contract.WouldBind) (m mark, whole bool) {
	m, whole = windowMark(b)
	if m.token == theme.Good && l.pace != "" && l.pace != Live {
		m.token = theme.Dim
	}
	return m, whole
}

func (l *Windows) verdict(w *contract.NativeWindow) draw.Span {
	m, whole := l.markOf(w.WouldBind)
	word := text.Safe(m.word)
	if !whole {
		word += " " + strings.TrimPrefix(text.Safe(string(w.WouldBind.Code)), "browser_")
	}
	return draw.Of(m.token, m.glyph+" "+word)
}

func (l *Windows) cells(w *contract.NativeWindow) [7]draw.Span {
	title := draw.Of(theme.Text, text.Safe(w.Title))
	if w.Title == "" {
		title = draw.Of(theme.Dim, "(untitled)")
	}
	if w.Active {
		title.Text = "* " + title.Text
	}
	return [...]draw.Span{
		l.verdict(w),
		draw.Of(theme.Role, text.Safe(cmp.Or(w.Product, "–"))),
		title,
		draw.Of(theme.Dim, fmt.Sprint(w.PID)),
		draw.Of(theme.Ref, fmt.Sprintf("%#x", w.WindowID)),
		draw.Of(theme.Dim, fmt.Sprintf("%gx%g+%g+%g", w.Box[2], w.Box[3], w.Box[0], w.Box[1])),
		draw.Of(theme.Dim, text.Safe(w.Endpoint)),
	}
}

func (l *Windows) layout(p *draw.Paint) []draw.Column {
	cols := []draw.Column{
		{Title: "binding", Max: 32},
		{Title: "product", Max: 20, Drop: 2},
		{Title: "title", Grow: true, Min: 16},
		{Title: "pid", Right: true, Max: 8},
		{Title: "window", Max: 12, Drop: 3},
		{Title: "box", Max: 20, Drop: 4},
		{Title: "endpoint", Drop: 1},
	}
	for i := range l.windows {
		for c, cell := range l.cells(&l.windows[i]) {
			cols[c].Want = max(cols[c].Want, p.Text.Width(cell.Text))
		}
	}
	return cols
}

// Draw draws the heading, the windows in sight, and below them everything
// about the one under the cursor.
func (l *Windows) Draw(p *draw.Paint, w, h int, focused bool) []string {
	return l.cache.draw(p, w, h, focused, l.list.Rev(), func() []string {
		if l.list.Len() == 0 {
			why := l.why
			if l.query != "" {
				why = "no window matches /" + text.Safe(l.query)
			}
			out := empty(p, w, h, why)
			return append(out, l.noteLines(p, w, h-len(out))...)
		}
		strip := l.strip(p, w, h-minRows)
		if h < len(strip)+minRows {
			strip = nil
		}
		g := draw.NewGrid(max(w-2, 0), l.layout(p))
		spans := make([]draw.Span, 0, 16)
		head := p.Row(w, false, g.Row(p.Text, append(spans, draw.Of(theme.Text, " ")), g.Titles()...)...)
		room := h - len(strip)
		out := l.list.Draw(append(make([]string, 0, h), head), room-1, func(i int, cursor bool) string {
			cells := l.cells(&l.windows[i])
			return p.Row(w, cursor && focused, g.Row(p.Text, append(spans, cursorSpan(cursor, focused)), cells[:]...)...)
		})
		return append(draw.Fill(out, w, room), strip...)
	})
}

// minRows is how many lines the list of windows keeps, with its heading.
const minRows = 4

// strip is everything about the window under the cursor, and the notes, in at
// most room lines where the window itself leaves some.
func (l *Windows) strip(p *draw.Paint, w, room int) []string {
	win, _ := l.Selected()
	m, _ := l.markOf(win.WouldBind)
	verdict := m.glyph + " " + m.word
	if win.WouldBind.Code != "" {
		verdict += fmt.Sprintf("  %s · %s", win.WouldBind.Code, win.WouldBind.Reason)
	}
	access := win.Access
	if win.Active {
		access += "  * active"
	}
	of := fmt.Sprintf("%#x  pid %d  %s  box %s DIP  endpoint %s  %s", win.WindowID, win.PID, cmp.Or(win.Product, "–"), box(win.Box), win.Endpoint, access)
	out := []string{p.Rule(w, false, p.Text.Cut(text.Safe(cmp.Or(win.Title, "(untitled)")), max(w-6, 1)), "")}
	out = append(out, labelLines(p, w, "would bind", m.token, strings.TrimSpace(verdict+"  "+m.why))...)
	out = append(out, labelLines(p, w, "window", theme.Dim, of)...)
	return append(out, l.noteLines(p, w, room-len(out))...)
}

// labelLines is a label and what it stands for, wrapped beside it; nothing for
// nothing.
func labelLines(p *draw.Paint, w int, label string, token theme.Token, body string) []string {
	const column = 14
	if body == "" {
		return nil
	}
	var out []string
	lead := p.Text.Fit("  "+label, column)
	for _, line := range p.Text.Wrap(text.Safe(body), max(w-column, 1)) {
		out = append(out, p.Row(w, false, draw.Of(theme.Dim, lead), draw.Of(token, line)))
		lead = text.Spaces(column)
	}
	return out
}

// noteLines are the notes, wrapped, in at most room lines; the last says how
// many more there would be.
func (l *Windows) noteLines(p *draw.Paint, w, room int) []string {
	var out []string
	for _, n := range l.notes {
		out = append(out, labelLines(p, w, "note", theme.Text, n)...)
	}
	switch over := len(out) - room; {
	case over <= 0:
		return out
	case room <= 0:
		return nil
	default:
		return append(out[:room-1], labelLines(p, w, "", theme.Dim, "… and "+Count(over+1, "line")+" more: a higher terminal has room")...)
	}
}
