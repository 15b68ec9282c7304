package tui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/pane"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// draw returns the frame, exactly h lines of exactly w cells, and the text
// cursor where something is being typed.
func (m *Model) draw() (string, *tea.Cursor) {
	if m.w <= 0 || m.h <= 0 {
		return "", nil
	}
	if m.w < minWidth || m.h < minHeight {
		return strings.Join(m.tooSmall(), "\n"), nil
	}
	lines := m.header()
	body := m.body()
	lines = append(lines, m.drawBody(body)...)
	status, cursor := m.status()
	lines = append(lines, status, m.footer())
	return strings.Join(lines, "\n"), cursor
}

func (m *Model) tooSmall() []string {
	say := fmt.Sprintf("cuatui needs %d x %d cells; this terminal has %d x %d.", minWidth, minHeight, m.w, m.h)
	var out []string
	for _, l := range m.paint.Text.Wrap(say, m.w) {
		out = append(out, m.paint.Row(m.w, false, draw.Of(theme.Text, l)))
	}
	return draw.Fill(out, m.w, m.h)
}

func (m *Model) drawBody(body rect) []string {
	p := &m.paint
	covered := len(m.sheets) > 0
	var lines []string
	if covered {
		r := m.sheetRect(body)
		lines = m.drawSheet(r)
		if r.h == body.h {
			return lines
		}
		body.h -= r.h
	}
	if m.screen == cmdtable.Windows {
		title, note := m.windows.Head()
		out := []string{p.Rule(body.w, !covered, title, note)}
		return append(append(out, m.windows.Draw(p, body.w, body.h-1, !covered)...), lines...)
	}
	return append(m.drawColumns(body, !covered), lines...)
}

// ofThePage are the pages that say how the page is now.
const ofThePage = cmdtable.Explanation | cmdtable.Nodes | cmdtable.Action

func (m *Model) drawSheet(r rect) []string {
	s, paint := m.top().pane, &m.paint
	if m.top().scope&ofThePage != 0 {
		paint = m.bookPaint()
	}
	title, note := s.Head()
	out := []string{m.paint.Rule(r.w, true, title, note)}
	return append(out, s.Draw(paint, r.w, r.h-1, true)...)
}

// drawColumns joins the columns line by line, parted by a thin rule.
func (m *Model) drawColumns(body rect, live bool) []string {
	cols := columns(body, m.focus, m.side, m.zoom)
	parts := make([][]string, len(cols))
	for i, c := range cols {
		for _, pl := range c.places {
			parts[i] = append(parts[i], m.drawPlace(pl, live && pl.pane == m.focus)...)
		}
	}
	bar := m.paint.Row(1, false, draw.Of(theme.Faint, "│"))
	out := make([]string, body.h)
	var b strings.Builder
	for y := range out {
		b.Reset()
		for i := range parts {
			if i > 0 {
				b.WriteString(bar)
			}
			b.WriteString(parts[i][y])
		}
		out[y] = b.String()
	}
	return out
}

func (m *Model) drawPlace(pl place, focused bool) []string {
	if pl.rect.h <= 0 {
		return nil
	}
	s, paint := m.panes[pl.pane], m.bookPaint()
	if pl.pane == journalPane { // what was answered was answered
		paint = &m.paint
	}
	title, note := s.Head()
	rule := m.paint.Rule(pl.rect.w, focused, fmt.Sprintf("%d %s", pl.pane+1, title), note)
	if pl.tabs != nil {
		rule = m.tabRule(pl, focused, note)
	}
	out := []string{rule}
	return append(out, s.Draw(paint, pl.rect.w, pl.rect.h-1, focused)...)
}

// tabRule heads a place that several panes share: all their names, the shown
// one in brackets, or only its name where the others do not fit.
func (m *Model) tabRule(pl place, focused bool, note string) string {
	p := &m.paint
	line, tk, rk := "─", theme.Strong, theme.Faint
	if focused {
		line, tk, rk = "━", theme.Accent, theme.Accent
	}
	spans := func(full bool) []draw.Span {
		out := []draw.Span{draw.Of(rk, line), draw.Of(theme.Text, " ")}
		for _, i := range pl.tabs {
			title, _ := m.panes[i].Head()
			name := fmt.Sprintf("%d %s", i+1, title)
			switch {
			case i == pl.pane:
				out = append(out, draw.Of(tk, "["+name+"]"))
			case full:
				out = append(out, draw.Of(theme.Dim, " "+name+" "))
			default:
				out = append(out, draw.Of(theme.Dim, fmt.Sprintf(" %d ", i+1)))
			}
		}
		return append(out, draw.Of(theme.Text, " "))
	}
	var right []draw.Span
	if note != "" {
		right = []draw.Span{draw.Of(theme.Dim, " "+note+" "), draw.Of(rk, line)}
	}
	left := spans(true)
	if p.Width(left...)+1+p.Width(right...) > pl.rect.w { // the help page has the names, nothing else the note
		left = spans(false)
	}
	gap := pl.rect.w - p.Width(left...) - p.Width(right...)
	if gap < 1 {
		right = nil
		gap = max(pl.rect.w-p.Width(left...), 0)
	}
	left = append(left, draw.Of(rk, strings.Repeat(line, gap)))
	return p.Row(pl.rect.w, false, append(left, right...)...)
}

// header says what is looked at and how sure we are of it.
func (m *Model) header() []string {
	p := &m.paint
	if m.screen == cmdtable.Windows || m.book.Bind == nil {
		what := draw.Of(theme.Dim, "  what an agent can see and do in a browser window")
		if m.replay != nil {
			what = draw.Of(theme.Warn, "  ▷ replay of "+text.Safe(m.caseName)+": what was, without a browser")
		}
		out := p.Chips(m.w, 10, []draw.Span{draw.Of(theme.Strong, " cuatui"), what},
			[]draw.Chip{{Span: draw.Of(theme.Dim, "session "+m.session), Drop: 1}})
		if m.screen == cmdtable.Windows {
			return []string{out}
		}
		return []string{out, text.Spaces(m.w)}
	}
	if l := m.loss(); l != nil {
		return m.lostLines(l, m.pageTitle(), m.pageURL())
	}
	if at := m.book.Silent; !at.IsZero() {
		return m.silentLines(at, m.pageTitle(), m.pageURL())
	}
	return []string{m.bindingLine(), m.pageLine()}
}

// pageTitle and pageURL are of the page as it was read last, else of what was
// bound.
func (m *Model) pageTitle() string {
	title := m.book.Bind.NativeTitle
	if cur, ok := m.book.Current(); ok { // the window's was read when it was bound
		title = cmp.Or(cur.Page.Title, "(no title)")
	}
	return text.Safe(cmp.Or(title, "(untitled)"))
}

func (m *Model) pageURL() string {
	url := m.book.Tab.URL
	if cur, ok := m.book.Current(); ok {
		url = cur.Page.URL
	}
	return text.Safe(cmp.Or(url, "(no url)"))
}

func (m *Model) bindingLine() string {
	b := m.book.Bind
	badge := pane.Badge(b.BindingQuality)
	if m.replay != nil { // nothing is proven now
		badge = []draw.Span{draw.Of(theme.Warn, "▷ replay, "+text.Safe(b.BindingQuality)+" then")}
	}
	left := append([]draw.Span{draw.Of(theme.Text, " ")}, badge...)
	left = append(left, draw.Of(theme.Strong, "  "+m.pageTitle()))
	access := ""
	if b.MutationAllowed != nil && !*b.MutationAllowed {
		access = "read only"
	}
	return m.paint.Chips(m.w, 24, left, []draw.Chip{
		{Span: draw.Of(theme.Warn, access)},
		{Span: labelled("access", b.Access), Drop: 2},
		{Span: labelled("route", b.BindingRoute), Drop: 3},
		{Span: labelled("transport", b.Transport), Drop: 4},
		{Span: draw.Of(theme.Dim, fmt.Sprintf("generation %d", b.Generation)), Drop: 1},
		{Span: draw.Of(theme.Dim, fmt.Sprintf("window %#x", m.book.WindowID)), Drop: 5},
	})
}

// labelled is a value under the name it has in the contract, in a word.
func labelled(label, value string) draw.Span {
	if value == "" {
		return draw.Span{}
	}
	return draw.Of(theme.Dim, label+" "+text.Safe(value))
}

func (m *Model) pageLine() string {
	b := m.book.Bind
	tab := ""
	for i, t := range b.Tabs {
		if t.TabID == m.book.Tab.TabID && len(b.Tabs) > 1 {
			tab = fmt.Sprintf("tab %d/%d", i+1, len(b.Tabs))
		}
	}
	chips := []draw.Chip{{Span: draw.Of(theme.Dim, tab), Drop: 4}}
	if cur, ok := m.book.Current(); ok {
		s := cur.Snapshot
		counts := fmt.Sprintf("segment %d, %d of %d", s.Segment, s.Returned, s.Candidates)
		chips = append(chips,
			draw.Chip{Span: draw.Of(theme.Ref, text.Safe(s.ID))},
			draw.Chip{Span: draw.Of(theme.Accent, m.followWords()), Drop: 1},
			draw.Chip{Span: draw.Of(theme.Accent, m.scopeWords()), Drop: 3},
			draw.Chip{Span: draw.Of(theme.Dim, counts), Drop: 2},
			draw.Chip{Span: draw.Of(theme.Warn, warnings(cur.Partial, s.Torn))},
			draw.Chip{Span: draw.Of(theme.Dim, fmt.Sprintf("%s/%s tokens", short(s.EstimatedTokens), short(s.OutputBudget))), Drop: 3},
			draw.Chip{Span: draw.Of(theme.Dim, pane.Millis(time.Duration(cur.Generated.TotalMS*float64(time.Millisecond)))), Drop: 5},
		)
	}
	left := []draw.Span{draw.Of(theme.Text, " "), draw.Of(theme.Ref, m.pageURL())}
	return m.paint.Chips(m.w, 22, left, chips)
}

func (m *Model) scopeWords() string {
	switch {
	case m.book.Query != "":
		return "query " + text.Safe(m.book.Query)
	case m.book.ScopeRef != "":
		return "scope " + text.Safe(m.book.ScopeRef)
	}
	return ""
}

func warnings(partial, torn bool) string {
	switch {
	case torn:
		return "torn: the page changed while it was read"
	case partial:
		return "partial"
	}
	return ""
}

// short prints a count in as few cells as it takes.
func short(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 10_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%dk", n/1000)
}

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// status is the line above the footer: what is being typed, what runs, what
// happened, or what is filtered.
func (m *Model) status() (string, *tea.Cursor) {
	p := &m.paint
	if q := m.question(); q != nil {
		return m.questionLine(q)
	}
	if m.prompt != nil {
		line, x := m.prompt.in.Draw(p, m.w)
		return line, tea.NewCursor(x, m.h-footLines)
	}
	stage, began, running := m.call.Running()
	if !running {
		stage, began, running = m.listing.Running()
	}
	if elapsed := m.now().Sub(began); running && m.spin > 0 {
		return p.Row(m.w, false, draw.Of(theme.Accent, " "+spinner[m.spin%len(spinner)]+" "), draw.Of(theme.Text, stage),
			draw.Of(theme.Dim, fmt.Sprintf("  %.1f s  esc cancels", elapsed.Seconds()))), nil
	}
	if m.toast.text != "" {
		return p.Row(m.w, false, draw.Of(m.toast.token, " "+m.toast.text)), nil
	}
	if q := m.active().Filtering(); q != "" {
		return p.Row(m.w, false, draw.Of(theme.Accent, " /"+text.Safe(q)), draw.Of(theme.Dim, "  n and N go from match to match, esc shows all")), nil
	}
	return text.Spaces(m.w), nil
}

// questionLine is where a consent dialog is answered, once it takes keys.
func (m *Model) questionLine(q *question) (string, *tea.Cursor) {
	p := &m.paint
	switch {
	case q.held(m.now()):
		return p.Row(m.w, false, draw.Of(theme.Warn, " no key counts yet: "), draw.Of(theme.Dim, "let go of the keyboard for a moment")), nil
	case m.toast.text != "":
		return p.Row(m.w, false, draw.Of(m.toast.token, " "+m.toast.text)), nil
	}
	line, x := q.dialog.Input.Draw(p, m.w)
	return line, tea.NewCursor(x, m.h-footLines)
}

// footer lists the keys that matter now, as many as there is room for.
func (m *Model) footer() string {
	p := &m.paint
	if m.prompt != nil && m.question() == nil {
		return p.Row(m.w, false, append(hint("enter", "accept"), hint("esc", "cancel")...)...)
	}
	f := m.facts()
	hints := cmdtable.Footer(f)
	var right []draw.Span
	for _, c := range hints {
		if c.ID == cmdtable.HelpPage {
			right = hint(c.Key(), c.Short)
		}
	}
	room := m.w - p.Width(right...) - 2
	var left []draw.Span
	seen := ""
	for _, c := range hints {
		pair := hint(c.Key(), c.Short)
		if c.ID == cmdtable.HelpPage || c.Key() == seen || p.Width(left...)+p.Width(pair...) > room {
			continue
		}
		seen = c.Key()
		left = append(left, pair...)
	}
	return p.Split(m.w, left, right)
}

func hint(key, word string) []draw.Span {
	return []draw.Span{draw.Of(theme.Accent, " "+key), draw.Of(theme.Dim, " "+word+" ")}
}
