package pane

import (
	"fmt"

	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/rows"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Omissions counts what a snapshot left out, by reason and finer cause.
type Omissions struct {
	info   snapshotfmt.Info
	known  bool
	rows   []omissionRow
	folded map[snapshotfmt.OmitReason]bool
	list   rows.List[omissionRow]
	cache  cache
}

// omissionRow is a reason, or one of its causes where sub is set.
type omissionRow struct {
	reason snapshotfmt.OmitReason
	sub    string
}

// Set replaces the counts. A snapshot that is not known has none.
func (o *Omissions) Set(info snapshotfmt.Info, known bool) {
	o.info, o.known = info, known
	o.rebuild()
}

func (o *Omissions) rebuild() {
	o.rows = o.rows[:0:0]
	for _, r := range snapshotfmt.OmitReasons {
		if o.info.Omitted.Get(r) == 0 {
			continue
		}
		o.rows = append(o.rows, omissionRow{reason: r})
		if o.folded[r] {
			continue
		}
		for _, sub := range subReasons(o.info.Omitted, r) {
			o.rows = append(o.rows, omissionRow{r, sub})
		}
	}
	o.list.Set(rows.All(len(o.rows)), func(i int) omissionRow { return o.rows[i] })
}

// SelectedCause returns the reason under the cursor, and its cause, "" for all
// of them.
func (o *Omissions) SelectedCause() (r snapshotfmt.OmitReason, sub string, ok bool) {
	i, ok := o.list.Current()
	if !ok {
		return "", "", false
	}
	return o.rows[i].reason, o.rows[i].sub, true
}

// Head is the title and the total.
func (o *Omissions) Head() (title, note string) {
	if !o.known {
		return "Omissions", ""
	}
	return "Omissions", fmt.Sprintf("%d of %d", o.info.Omitted.Total(), o.info.Candidates)
}

// Do moves and folds.
func (o *Omissions) Do(id cmdtable.ID) bool {
	switch id {
	case cmdtable.Left, cmdtable.Right:
		i, ok := o.list.Current()
		if !ok {
			return true
		}
		r := o.rows[i].reason
		o.list.Select(omissionRow{reason: r})
		if o.folded == nil {
			o.folded = map[snapshotfmt.OmitReason]bool{}
		}
		o.folded[r] = id == cmdtable.Left
		o.rebuild()
		return true
	default:
		return move(&o.list, id)
	}
}

// Filter does nothing: there are at most a handful of reasons.
func (o *Omissions) Filter(string) {}

// Filtering is always "".
func (o *Omissions) Filtering() string { return "" }

// Seek finds nothing.
func (o *Omissions) Seek(int) bool { return false }

// Click moves to line y, below the summary.
func (o *Omissions) Click(y int) { o.list.Click(y - omissionHead) }

// Copy is the reason.
func (o *Omissions) Copy() (what, s string) {
	r, sub, ok := o.SelectedCause()
	if !ok {
		return "", ""
	}
	return "reason", reasonKey(r, sub)
}

// omissionHead is how many lines are above the rows.
const omissionHead = 1

// Draw draws the summary and the rows in sight.
func (o *Omissions) Draw(p *draw.Paint, w, h int, focused bool) []string {
	return o.cache.draw(p, w, h, focused, o.list.Rev(), func() []string {
		if !o.known {
			return empty(p, w, h, "no snapshot yet")
		}
		out := append(make([]string, 0, h+1), p.Row(w, false, o.summary()...))
		if len(o.rows) == 0 {
			return append(out, empty(p, w, h-1, "nothing was left out")...)
		}
		return o.list.Draw(out, h-1, func(i int, cursor bool) string {
			return o.row(p, w, o.rows[i], cursor, focused)
		})
	})
}

// summary is the sum that every snapshot must satisfy.
func (o *Omissions) summary() []draw.Span {
	s := []draw.Span{
		draw.Of(theme.Dim, "  "), draw.Of(theme.Text, fmt.Sprint(o.info.Candidates)), draw.Of(theme.Dim, " = "),
		draw.Of(theme.Text, fmt.Sprint(o.info.Returned)), draw.Of(theme.Dim, " here + "),
	}
	if o.info.Earlier > 0 {
		s = append(s, draw.Of(theme.Text, fmt.Sprint(o.info.Earlier)), draw.Of(theme.Dim, " earlier + "))
	}
	s = append(s, draw.Of(theme.Text, fmt.Sprint(o.info.Omitted.Total())), draw.Of(theme.Dim, " omitted"))
	if o.info.NotWalkedAtLeast > 0 {
		s = append(s, draw.Of(theme.Warn, fmt.Sprintf("; not walked: at least %d", o.info.NotWalkedAtLeast)))
	}
	return s
}

func (o *Omissions) row(p *draw.Paint, w int, r omissionRow, cursor, focused bool) string {
	lead := cursorSpan(cursor, focused)
	if r.sub != "" {
		n := o.info.Omitted.Sub[string(r.reason)+"/"+r.sub]
		return p.Row(w, cursor && focused, lead, draw.Of(theme.Dim, fmt.Sprintf("     %6d  ", n)), draw.Of(theme.Dim, text.Safe(r.sub)))
	}
	fold := "  "
	switch {
	case o.folded[r.reason]:
		fold = "▸ "
	case len(subReasons(o.info.Omitted, r.reason)) > 0:
		fold = "▾ "
	}
	return p.Row(w, cursor && focused, lead, draw.Of(theme.Faint, fold),
		draw.Of(theme.Strong, fmt.Sprintf("%6d  ", o.info.Omitted.Get(r.reason))),
		draw.Of(theme.Text, p.Text.Fit(string(r.reason), 17)), draw.Of(theme.Dim, " "+omissions[r.reason]))
}
