package pane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/rows"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Refs is the table of what a snapshot lists.
type Refs struct {
	refs, content []snapshotfmt.Entry
	entries       []*snapshotfmt.Entry
	withContent   bool
	order         int // of orders
	columns       []draw.Column
	keys          []string
	query         string
	why           string
	list          rows.List[string]
	cache         cache
}

// Set replaces the entries. The cursor stays on the same node.
func (r *Refs) Set(refs, content []snapshotfmt.Entry, why string) {
	r.refs, r.content, r.why = refs, content, why
	r.collect()
}

// Forget drops the cursor of the page before.
func (r *Refs) Forget() { r.list.Forget() }

// ToggleContent shows content refs in the table, or hides them, and returns
// whether they are shown.
func (r *Refs) ToggleContent() bool {
	r.withContent = !r.withContent
	r.collect()
	return r.withContent
}

// orders are the orders of the table, by what of an entry it is sorted. The first
// is the snapshot's own.
var orders = []struct {
	name string
	key  func(*snapshotfmt.Entry) string
}{
	{"", nil},
	{"role", func(e *snapshotfmt.Entry) string { return e.Role }},
	{"name", func(e *snapshotfmt.Entry) string { return strings.ToLower(e.Name) }},
	{"actions", func(e *snapshotfmt.Entry) string { return strings.Join(e.Actions, " ") }},
	{"tier", func(e *snapshotfmt.Entry) string { return string(e.Visibility) }},
	{"frame", func(e *snapshotfmt.Entry) string { return e.Frame }},
}

// Sort orders the table by the next of its columns, and returns its name, "" for
// the order of the snapshot. The cursor stays on its row.
func (r *Refs) Sort() string {
	r.order = (r.order + 1) % len(orders)
	r.collect()
	return orders[r.order].name
}

func (r *Refs) collect() {
	r.entries, r.keys = nil, nil
	for i := range r.refs {
		r.entries = append(r.entries, &r.refs[i])
	}
	if r.withContent {
		for i := range r.content {
			r.entries = append(r.entries, &r.content[i])
		}
	}
	if key := orders[r.order].key; key != nil {
		slices.SortStableFunc(r.entries, func(a, b *snapshotfmt.Entry) int { return cmp.Compare(key(a), key(b)) })
	}
	r.columns = nil
	r.rebuild()
}

// nodeID is what stays of a ref across snapshots: its k.
func nodeID(ref string) string {
	if _, k, ok := strings.Cut(ref, ":"); ok {
		return k
	}
	return ref
}

func (r *Refs) rebuild() {
	visible := rows.All(len(r.entries))
	if r.query != "" {
		visible = r.matches(visible[:0])
	}
	r.list.Set(visible, func(i int) string { return nodeID(r.entries[i].Ref) })
}

func (r *Refs) matches(visible []int32) []int32 {
	if r.keys == nil {
		r.keys = make([]string, len(r.entries))
		for i, e := range r.entries {
			r.keys[i] = strings.ToLower(text.Safe(strings.Join([]string{e.Ref, e.Role, e.Name, e.Value, strings.Join(e.Actions, " ")}, " ")))
		}
	}
	for i, k := range r.keys {
		if strings.Contains(k, r.query) {
			visible = append(visible, int32(i))
		}
	}
	return visible
}

// Selected returns the entry under the cursor, nil if there is none.
func (r *Refs) Selected() *snapshotfmt.Entry {
	if i, ok := r.list.Current(); ok {
		return r.entries[i]
	}
	return nil
}

// Select moves the cursor to the node of a ref, if it is shown.
func (r *Refs) Select(ref string) bool { return ref != "" && r.list.Select(nodeID(ref)) }

// Entry returns the entry with a ref, content refs included, nil if there is
// none.
func (r *Refs) Entry(ref string) *snapshotfmt.Entry {
	for _, list := range [][]snapshotfmt.Entry{r.refs, r.content} {
		for i := range list {
			if list[i].Ref == ref {
				return &list[i]
			}
		}
	}
	return nil
}

// Head is the title and the counts.
func (r *Refs) Head() (title, note string) {
	note = Count(len(r.refs), "ref")
	if len(r.content) > 0 {
		note += fmt.Sprintf(" +%d content", len(r.content))
	}
	if r.query != "" {
		note = fmt.Sprintf("/%s  %d of %d", text.Safe(r.query), r.list.Len(), len(r.entries))
	}
	if by := orders[r.order].name; by != "" {
		note += " by " + by
	}
	return "Refs", note
}

// Do moves.
func (r *Refs) Do(id cmdtable.ID) bool { return move(&r.list, id) }

// Filter shows only rows that contain q.
func (r *Refs) Filter(q string) { r.query = strings.ToLower(q); r.rebuild() }

// Filtering returns the filter.
func (r *Refs) Filtering() string { return r.query }

// Seek moves to the next row of the filter.
func (r *Refs) Seek(d int) bool { return r.list.Seek(d, func(int) bool { return true }) }

// Click moves to line y; the first line is the heading.
func (r *Refs) Click(y int) { r.list.Click(y - 1) }

// Copy is the ref.
func (r *Refs) Copy() (what, s string) {
	if e := r.Selected(); e != nil {
		ref := text.Safe(e.Ref)
		return "ref " + ref, ref
	}
	return "", ""
}

// cells returns the cells of an entry, in the order of the columns.
func (r *Refs) cells(e *snapshotfmt.Entry) [7]draw.Span {
	m := tierMark(e.Visibility)
	actions := draw.Of(theme.Text, text.Safe(strings.Join(e.Actions, " ")))
	if len(e.Actions) == 0 {
		actions = draw.Of(theme.Dim, "–")
	}
	name := draw.Of(theme.Text, text.Safe(e.Name))
	if e.Name == "" {
		name = draw.Of(theme.Dim, "(no name)")
	}
	return [...]draw.Span{
		draw.Of(theme.Ref, text.Safe(e.Ref)),
		draw.Of(theme.Role, text.Safe(e.Role)),
		name,
		actions,
		draw.Of(theme.Dim, m.word),
		draw.Of(theme.Dim, text.Safe(e.Frame)),
		draw.Of(theme.Warn, text.Safe(strings.Join(stateWords(e.States), " "))),
	}
}

// layout returns the columns with their natural widths, found once a snapshot.
func (r *Refs) layout(p *draw.Paint) []draw.Column {
	if r.columns != nil {
		return r.columns
	}
	r.columns = []draw.Column{
		{Title: "ref", Max: 10},
		{Title: "role", Max: 14},
		{Title: "name", Grow: true, Min: 14},
		{Title: "actions", Max: 14, Drop: 2},
		{Title: "tier", Max: 11, Drop: 4},
		{Title: "frame", Max: 6, Drop: 5},
		{Title: "states", Max: 18, Drop: 3},
	}
	states := false
	for _, e := range r.entries {
		for i, c := range r.cells(e) {
			r.columns[i].Want = max(r.columns[i].Want, p.Text.Width(c.Text))
		}
		states = states || r.columns[6].Want > 0
	}
	if !states {
		r.columns[6] = draw.Column{Title: "states", Drop: 9}
	}
	return r.columns
}

// Draw draws the heading and the rows in sight.
func (r *Refs) Draw(p *draw.Paint, w, h int, focused bool) []string {
	return r.cache.draw(p, w, h, focused, r.list.Rev(), func() []string {
		if r.list.Len() == 0 {
			why := r.why
			if r.query != "" {
				why = "no ref matches /" + text.Safe(r.query)
			}
			return empty(p, w, h, why)
		}
		g := draw.NewGrid(max(w-4, 0), r.layout(p))
		spans := make([]draw.Span, 0, 20)
		head := p.Row(w, false, g.Row(p.Text, append(spans, draw.Of(theme.Text, "   ")), g.Titles()...)...)
		return r.list.Draw(append(make([]string, 0, h), head), h-1, func(i int, cursor bool) string {
			cells := r.cells(r.entries[i])
			tier := tierMark(r.entries[i].Visibility).span()
			return p.Row(w, cursor && focused, g.Row(p.Text, append(spans, cursorSpan(cursor, focused), tier, draw.Of(theme.Text, " ")), cells[:]...)...)
		})
	})
}

// stateWords are the states worth a word, as words.
func stateWords(s snapshotfmt.States) []string {
	var out []string
	add := func(on bool, w string) {
		if on {
			out = append(out, w)
		}
	}
	add(s.Disabled, "disabled")
	add(s.Focused, "focused")
	add(s.Checked != "", "checked="+s.Checked)
	add(s.Pressed != "", "pressed="+s.Pressed)
	add(s.Expanded != nil && *s.Expanded, "expanded")
	add(s.Expanded != nil && !*s.Expanded, "collapsed")
	add(s.Selected != nil && *s.Selected, "selected")
	add(s.Required, "required")
	add(s.Readonly, "readonly")
	add(s.Invalid != "", "invalid="+s.Invalid)
	add(s.Modal, "modal")
	add(s.Multiline, "multiline")
	add(s.Busy, "busy")
	add(s.Level != 0, fmt.Sprintf("level=%d", s.Level))
	add(s.HasPopup != "", "haspopup="+s.HasPopup)
	add(s.Current != "", "current="+s.Current)
	return out
}
