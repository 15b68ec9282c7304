package pane

import (
	"fmt"
	"math"
	"strings"

	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/rows"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Regions lists what the page shows as pixels that no text tells, and below it,
// in words, what is not listed and why.
type Regions struct {
	of      *snapshotfmt.Regions
	why     string
	rows    []regionRow
	visible []int32
	query   string
	list    rows.List[string]
	cache   cache
}

// regionRow is a region, or what is said of those that have no row.
type regionRow struct {
	region *snapshotfmt.Region
	note   string
}

// Set replaces the regions; why says what to show where nil is known of them.
func (r *Regions) Set(of *snapshotfmt.Regions, why string) {
	r.of, r.why, r.rows = of, why, nil
	if of != nil {
		for i := range of.List {
			r.rows = append(r.rows, regionRow{region: &of.List[i]})
		}
		for _, s := range absences(of) {
			r.rows = append(r.rows, regionRow{note: s})
		}
	}
	r.rebuild()
}

// absences are the reasons why a region may not be listed, or not as it should
// be, each with its count.
func absences(of *snapshotfmt.Regions) (out []string) {
	if of.Found == 0 {
		out = append(out, "none in view where it could be looked")
	}
	if of.Truncated > 0 {
		out = append(out, fmt.Sprintf("truncated: %d in view, but over the budget; no row tells of them", of.Truncated))
	}
	if of.Approx > 0 {
		out = append(out, fmt.Sprintf("unsupported: %d in view whose place is not exact; they have no ref", of.Approx))
	}
	for _, u := range of.Unavailable {
		where := ""
		if u.Frame != "" {
			where = " in " + u.Frame
		}
		out = append(out, "unavailable: could not be looked for"+where+": "+u.Why)
	}
	if of.Offscreen > 0 {
		out = append(out, fmt.Sprintf("not in view: %d that scrolling may bring into view", of.Offscreen))
	}
	if of.Hidden > 0 {
		out = append(out, fmt.Sprintf("not in view: %d that style or clipping hides", of.Hidden))
	}
	if of.Degraded {
		out = append(out, "there were too many to tell all duplicates")
	}
	return out
}

// id keeps the place in the next snapshot, whose refs have another number.
func (x *regionRow) id() string {
	switch {
	case x.region == nil:
		return "note " + x.note
	case x.region.Ref == "":
		return x.region.Text()
	}
	_, k, _ := strings.Cut(x.region.Ref, ":")
	return k
}

func (x *regionRow) text() string {
	if x.region != nil {
		return x.region.Text()
	}
	return x.note
}

func (r *Regions) rebuild() {
	r.visible = r.visible[:0:0]
	for i := range r.rows {
		if r.query == "" || strings.Contains(strings.ToLower(text.Safe(r.rows[i].text())), r.query) {
			r.visible = append(r.visible, int32(i))
		}
	}
	r.list.Set(r.visible, func(i int) string { return r.rows[i].id() })
}

// Selected is the region under the cursor, nil for none, and what is said there
// instead.
func (r *Regions) Selected() (region *snapshotfmt.Region, note string) {
	i, ok := r.list.Current()
	if !ok {
		return nil, ""
	}
	return r.rows[i].region, r.rows[i].note
}

// Head is the title and how many are in view.
func (r *Regions) Head() (title, note string) {
	switch {
	case r.of == nil:
		return "Regions", ""
	case r.query != "":
		return "Regions", fmt.Sprintf("/%s  %d of %d", text.Safe(r.query), r.list.Len(), len(r.rows))
	}
	return "Regions", fmt.Sprintf("%d in view", r.of.Found)
}

// Do moves.
func (r *Regions) Do(id cmdtable.ID) bool { return move(&r.list, id) }

// Filter shows only rows that contain q.
func (r *Regions) Filter(q string) { r.query = strings.ToLower(q); r.rebuild() }

// Filtering returns the filter.
func (r *Regions) Filtering() string { return r.query }

// Seek moves to the next row of the filter.
func (r *Regions) Seek(d int) bool { return r.list.Seek(d, func(int) bool { return true }) }

// Click moves to line y.
func (r *Regions) Click(y int) { r.list.Click(y) }

// Copy is the ref, or the row where it has none.
func (r *Regions) Copy() (what, s string) {
	i, ok := r.list.Current()
	switch {
	case !ok:
		return "", ""
	case r.rows[i].region != nil && r.rows[i].region.Ref != "":
		return "ref", r.rows[i].region.Ref
	}
	return "line", r.rows[i].text()
}

// Draw draws the rows in sight.
func (r *Regions) Draw(p *draw.Paint, w, h int, focused bool) []string {
	return r.cache.draw(p, w, h, focused, r.list.Rev(), func() []string {
		if r.of == nil {
			return empty(p, w, h, r.why)
		}
		if r.list.Len() == 0 {
			return empty(p, w, h, "nothing matches")
		}
		g := draw.NewGrid(max(w-2, 0), r.columns(p))
		spans := make([]draw.Span, 0, 20)
		return r.list.Draw(make([]string, 0, h), h, func(i int, cursor bool) string {
			x, lead := r.rows[i].region, cursorSpan(cursor, focused)
			if x == nil {
				return p.Row(w, cursor && focused, lead, draw.Of(theme.Warn, text.Safe(r.rows[i].note)))
			}
			return p.Row(w, cursor && focused, g.Row(p.Text, append(spans, lead), cells(x)...)...)
		})
	})
}

// columns are as wide as what they hold.
func (r *Regions) columns(p *draw.Paint) []draw.Column {
	cols := []draw.Column{{Max: 12}, {Max: 10, Drop: 3}, {Grow: true, Min: 8}, {Max: 24, Drop: 2}, {Right: true, Drop: 1}, {Drop: 5}, {Max: 8, Drop: 4}}
	for i := range r.of.List {
		for c, s := range cells(&r.of.List[i]) {
			cols[c].Want = max(cols[c].Want, p.Text.Width(s.Text))
		}
	}
	return cols
}

// cells are a row: ref, kind, what it is, where it is, its share of the viewport,
// how much of it is hidden, accuracy.
func cells(x *snapshotfmt.Region) []draw.Span {
	ref, accuracy := draw.Of(theme.Ref, text.Safe(x.Ref)), draw.Of(theme.Dim, text.Safe(x.Accuracy))
	name := text.Safe(x.Label) + alike(x)
	if x.Accuracy != "exact" {
		ref, accuracy = draw.Of(theme.Dim, "no ref"), draw.Of(theme.Warn, text.Safe(x.Accuracy))
		name = text.Safe(x.Why) + "  " + name
	}
	return []draw.Span{
		ref, draw.Of(theme.Role, text.Safe(x.Kind)), draw.Of(theme.Text, strings.TrimSpace(name)), draw.Of(theme.Dim, boxWords(x.Box)),
		draw.Of(theme.Strong, percent(x.Share)), draw.Of(theme.Warn, hidden(x)), accuracy,
	}
}

// alike counts the others of a row.
func alike(x *snapshotfmt.Region) string {
	s := ""
	if n := len(x.Same); n > 0 {
		s += fmt.Sprintf("  +%d in its place", n)
	}
	switch n := len(x.Like) + x.More; {
	case len(x.Like) > 0:
		s += fmt.Sprintf("  +%d like it", n)
	case n > 0:
		s += fmt.Sprintf("  +%d", n)
	}
	return s
}

// boxWords is WxH@x,y in whole px.
func boxWords(b [4]float64) string {
	n := func(v float64) float64 { return math.Round(v) + 0 } // never -0
	return fmt.Sprintf("%.0fx%.0f@%.0f,%.0f", n(b[2]), n(b[3]), n(b[0]), n(b[1]))
}

func percent(share float64) string {
	if share > 0 && share < 0.01 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

// hidden is how much of it something else hides, "" for nothing.
func hidden(x *snapshotfmt.Region) string {
	switch {
	case x.Occluded == nil:
		return "hidden: ?"
	case *x.Occluded <= 0:
		return ""
	}
	return percent(*x.Occluded) + " hidden"
}

// ShowRegion shows everything about a region, or what is said of those without a
// row.
func (d *Detail) ShowRegion(x *snapshotfmt.Region, note string) {
	if x == nil {
		d.show("regions", []Para{{Text: note}}, "line", note)
		return
	}
	what, ref := "ref", x.Ref
	if ref == "" {
		what, ref = "line", x.Text()
	}
	occluded := "cannot be told"
	if x.Occluded != nil {
		occluded = percent(*x.Occluded)
	}
	ps := []Para{
		{Label: x.Kind, Text: snapshotfmt.Quote(x.Label), LabelToken: theme.Strong},
		{},
		field("place", boxWords(x.Box)+" CSS px of the viewport"),
		field("share", percent(x.Share)+" of the viewport"),
		field("hidden", occluded),
		field("accuracy", x.Accuracy),
	}
	if x.Why != "" {
		ps = append(ps, field("because", x.Why))
	}
	ps = append(ps, field("frame", x.Frame))
	if len(x.Same) > 0 {
		ps = append(ps, field("in its place", strings.Join(x.Same, " ")))
	}
	if len(x.Like) > 0 {
		ps = append(ps, field("like it", strings.Join(x.Like, " ")))
	}
	if x.More > 0 {
		ps = append(ps, field("without ref", fmt.Sprint(x.More)))
	}
	last := Para{Text: "enter shows its picture, w says what is at its middle", Token: theme.Accent}
	if x.Ref == "" {
		last.Text = "it has no ref and no picture: its place is not exact; w says what is at its middle"
	}
	d.show(ref, append(ps, Para{}, last), what, ref)
}
