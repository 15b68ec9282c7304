package pane

import (
	"fmt"
	"strings"

	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/inspect"
	"cuatui/tui/rows"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// lineID names an outline line: by the node's identity, or by its place where
// it is no node.
type lineID struct{ k, place int }

// Outline is the semantic tree, foldable, each line with its tier and ref.
type Outline struct {
	lines  []snapshotfmt.Line
	ends   []int32 // index after the last descendant of each line
	keys   []string
	hits   []bool
	marks  map[int]inspect.Kind
	folded map[lineID]bool
	query  string
	why    string
	list   rows.List[lineID]
	cache  cache
}

// Set replaces the lines. The cursor stays on the same node; why says what to
// show where there are none.
func (o *Outline) Set(lines []snapshotfmt.Line, why string) {
	o.lines, o.why, o.keys, o.hits = lines, why, nil, nil
	o.ends = subtreeEnds(lines)
	o.rebuild()
}

// Forget drops what is known of the page before: its cursor and its folds.
func (o *Outline) Forget() {
	o.folded = nil
	o.list.Forget()
}

// subtreeEnds returns for each line the index after its last descendant.
func subtreeEnds(lines []snapshotfmt.Line) []int32 {
	ends := make([]int32, len(lines))
	var open []int32
	for i, l := range lines {
		for len(open) > 0 && lines[open[len(open)-1]].Depth >= l.Depth {
			ends[open[len(open)-1]] = int32(i)
			open = open[:len(open)-1]
		}
		open = append(open, int32(i))
	}
	for _, i := range open {
		ends[i] = int32(len(lines))
	}
	return ends
}

func (o *Outline) id(i int) lineID {
	if k := o.lines[i].K; k != 0 {
		return lineID{k: k}
	}
	return lineID{place: i + 1}
}

// rebuild makes the visible index anew: after new data, a fold or a filter,
// never for a cursor move.
func (o *Outline) rebuild() {
	visible := make([]int32, 0, len(o.lines))
	switch {
	case o.query != "":
		visible = o.matches(visible)
	default:
		for i := 0; i < len(o.lines); {
			visible = append(visible, int32(i))
			if o.folded[o.id(i)] {
				i = int(o.ends[i])
				continue
			}
			i++
		}
	}
	o.list.Set(visible, o.id)
}

// matches appends the lines that match the filter, and their ancestors.
func (o *Outline) matches(visible []int32) []int32 {
	if o.keys == nil {
		o.keys = make([]string, len(o.lines))
		for i, l := range o.lines {
			o.keys[i] = strings.ToLower(text.Safe(l.Text))
		}
	}
	o.hits = make([]bool, len(o.lines))
	shown := make([]bool, len(o.lines))
	var ancestors []int32
	for i, l := range o.lines {
		for len(ancestors) > 0 && o.lines[ancestors[len(ancestors)-1]].Depth >= l.Depth {
			ancestors = ancestors[:len(ancestors)-1]
		}
		ancestors = append(ancestors, int32(i))
		if !strings.Contains(o.keys[i], o.query) {
			continue
		}
		o.hits[i] = true
		from := len(ancestors) - 1
		for from > 0 && !shown[ancestors[from-1]] {
			from--
		}
		for _, a := range ancestors[from:] {
			shown[a] = true
		}
		visible = append(visible, ancestors[from:]...)
	}
	return visible
}

// Selected returns the line under the cursor, and whether there is one.
func (o *Outline) Selected() (snapshotfmt.Line, bool) {
	i, ok := o.list.Current()
	if !ok {
		return snapshotfmt.Line{}, false
	}
	return o.lines[i], true
}

// Select moves the cursor to the node k, if it is shown.
func (o *Outline) Select(k int) bool { return k != 0 && o.list.Select(lineID{k: k}) }

// Reveal unfolds what is around the node k and moves the cursor to it.
func (o *Outline) Reveal(k int) {
	for i := range o.lines {
		if o.lines[i].K != k {
			continue
		}
		for a := range i {
			if int(o.ends[a]) > i {
				delete(o.folded, o.id(a))
			}
		}
		o.rebuild()
		o.Select(k)
		return
	}
}

// Mark marks nodes that came or changed, by their identity.
func (o *Outline) Mark(kinds map[int]inspect.Kind) { o.marks = kinds; o.list.Touch() }

// Head is the title and how many lines there are.
func (o *Outline) Head() (title, note string) {
	if o.query != "" {
		return "Outline", fmt.Sprintf("/%s  %d of %d", text.Safe(o.query), o.list.Len(), len(o.lines))
	}
	if n := len(o.lines); n > 0 {
		return "Outline", fmt.Sprintf("%d/%d", o.list.Position()+1, o.list.Len())
	}
	return "Outline", ""
}

// Do moves, folds and unfolds.
func (o *Outline) Do(id cmdtable.ID) bool {
	i, ok := o.list.Current()
	switch id {
	case cmdtable.Left:
		if ok && (!o.parent(i) || o.folded[o.id(i)] || o.query != "") {
			o.toParent(i)
		} else if ok {
			o.fold(i, true)
		}
	case cmdtable.Right:
		if ok && o.folded[o.id(i)] {
			o.fold(i, false)
		} else if ok && o.parent(i) {
			o.list.Move(1)
		}
	case cmdtable.Open:
		if ok && o.parent(i) {
			o.fold(i, !o.folded[o.id(i)])
		}
	default:
		return move(&o.list, id)
	}
	return true
}

// parent says whether line i has children.
func (o *Outline) parent(i int) bool { return int(o.ends[i]) > i+1 }

func (o *Outline) fold(i int, on bool) {
	if o.folded == nil {
		o.folded = map[lineID]bool{}
	}
	if on {
		o.folded[o.id(i)] = true
	} else {
		delete(o.folded, o.id(i))
	}
	o.rebuild()
}

func (o *Outline) toParent(i int) {
	for j := i - 1; j >= 0; j-- {
		if o.lines[j].Depth < o.lines[i].Depth {
			o.list.Select(o.id(j))
			return
		}
	}
}

// Filter shows only lines that contain q, and their ancestors.
func (o *Outline) Filter(q string) {
	o.query = strings.ToLower(q)
	o.hits = nil
	o.rebuild()
	if i, ok := o.list.Current(); ok && o.query != "" && !o.hits[i] {
		o.Seek(1)
	}
}

// Filtering returns the filter.
func (o *Outline) Filtering() string { return o.query }

// Seek moves to the next line that itself matches.
func (o *Outline) Seek(d int) bool {
	return o.hits != nil && o.list.Seek(d, func(i int) bool { return o.hits[i] })
}

// Click moves to line y.
func (o *Outline) Click(y int) { o.list.Click(y) }

// Copy is the ref of the selection, or its line.
func (o *Outline) Copy() (what, s string) {
	l, ok := o.Selected()
	switch {
	case !ok:
		return "", ""
	case l.Ref != "":
		return "ref " + text.Safe(l.Ref), text.Safe(l.Ref)
	}
	return "line", text.Safe(l.Text)
}

// Draw draws the lines in sight.
func (o *Outline) Draw(p *draw.Paint, w, h int, focused bool) []string {
	return o.cache.draw(p, w, h, focused, o.list.Rev(), func() []string {
		if o.list.Len() == 0 {
			why := o.why
			if o.query != "" {
				why = "no line matches /" + text.Safe(o.query)
			}
			return empty(p, w, h, why)
		}
		return o.list.Draw(make([]string, 0, h), h, func(i int, cursor bool) string {
			return o.row(p, w, i, cursor, focused)
		})
	})
}

func (o *Outline) row(p *draw.Paint, w, i int, cursor, focused bool) string {
	l := &o.lines[i]
	glyph := draw.Of(theme.Faint, "·")
	if l.Tier != "" && !l.Context {
		glyph = tierMark(l.Tier).span()
	}
	foldMark := "  "
	switch {
	case o.parent(i) && o.folded[o.id(i)] && o.query == "":
		foldMark = "▸ "
	case o.parent(i):
		foldMark = "▾ "
	}
	// A deep tree keeps at least half of the row for its text.
	indent, deep := 2*l.Depth, ""
	if limit := max(w/2-8, 0); indent > limit {
		deep = fmt.Sprintf("%d›", l.Depth)
		indent = max(limit-len(deep), 0)
	}
	var spans [10]draw.Span
	changed := draw.Of(theme.Text, " ")
	if k, ok := o.marks[l.K]; ok && l.K != 0 {
		changed = kindMarks[k].span()
	}
	s := append(spans[:0], cursorSpan(cursor, focused), glyph, changed,
		draw.Of(theme.Text, text.Spaces(indent)), draw.Of(theme.Faint, deep), draw.Of(theme.Faint, foldMark))
	room := w - p.Width(s...)
	if foldMark == "▸ " {
		room -= 6
	}
	s = lineSpans(p, s, l, room)
	if foldMark == "▸ " {
		s = append(s, draw.Of(theme.Dim, fmt.Sprintf("  +%d", int(o.ends[i])-i-1)))
	}
	return p.Row(w, cursor && focused, s...)
}

// lineSpans appends the text of a line with its role and ref picked out. Where
// it does not fit in room cells, what is before the ref is cut: without its ref
// a line is of no use.
func lineSpans(p *draw.Paint, s []draw.Span, l *snapshotfmt.Line, room int) []draw.Span {
	body := strings.TrimPrefix(text.Safe(l.Text), "- ") // the fold mark stands there
	rt, tt := theme.Role, theme.Text
	if l.Context || l.K == 0 {
		rt, tt = theme.Dim, theme.Dim
	}
	role := text.Safe(l.Role)
	if !strings.HasPrefix(body, role) {
		role = ""
	}
	ref := text.Safe(l.Ref)
	at := strings.LastIndex(body, ref)
	if ref == "" || at < len(role) {
		return append(s, draw.Of(rt, role), draw.Of(tt, body[len(role):]))
	}
	head, tail := body[len(role):at], body[at+len(ref):]
	if keep := room - p.Text.Width(role) - p.Text.Width(ref); p.Text.Width(head) > keep {
		head = p.Text.Cut(strings.TrimRight(head, " "), max(keep-1, 1)) + " "
	}
	return append(s, draw.Of(rt, role), draw.Of(tt, head), draw.Of(theme.Ref, ref), draw.Of(theme.Dim, tail))
}
