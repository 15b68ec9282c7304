package pane

import (
	"fmt"

	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// form is one way to write a segment down.
type form struct {
	name, about string
	body        string
	tokens      int
	doc         *Doc
}

// Formats shows one segment in every form that it is given out in, with what
// each costs a language model.
type Formats struct {
	id    string
	forms []form
	at    int
	query string
}

// NewFormats returns the forms of a segment.
func NewFormats(s *snapshotfmt.Semantic) *Formats {
	f := &Formats{id: fmt.Sprintf("%s, segment %d", s.Snapshot.ID, s.Snapshot.Segment)}
	add := func(name, about, body string) {
		f.forms = append(f.forms, form{name: name, about: about, body: body, tokens: snapshotfmt.EstimateTokens(body), doc: NewLines(name, "", body)})
	}
	add("outline", "the tree as text", s.Outline)
	add("JSON", "semantic_v2, whole", compactJSON(s))
	add("JSON, indented", "semantic_v2, for people", asJSON(s))
	add("refs", "the refs alone", compactJSON(s.Refs))
	add(snapshotfmt.DomRefsV1, "a flat list, deprecated", s.DomRefsText())
	add(snapshotfmt.AxUIDV1, "the tree with uids", s.AxUIDText())
	return f
}

// Shown returns the name and the text of the form that is shown.
func (f *Formats) Shown() (name, body string) { return f.forms[f.at].name, f.forms[f.at].body }

// Head names the segment.
func (f *Formats) Head() (title, note string) {
	return "Formats · " + text.Safe(f.id), fmt.Sprintf("about %d tokens", f.forms[f.at].tokens)
}

// Do moves, and goes from form to form.
func (f *Formats) Do(id cmdtable.ID) bool {
	switch id {
	case cmdtable.NextPane:
		f.at = (f.at + 1) % len(f.forms)
	case cmdtable.PrevPane:
		f.at = (f.at + len(f.forms) - 1) % len(f.forms)
	default:
		return f.forms[f.at].doc.Do(id)
	}
	f.forms[f.at].doc.Filter(f.query)
	return true
}

// Filter shows only lines that contain q.
func (f *Formats) Filter(q string) { f.query = q; f.forms[f.at].doc.Filter(q) }

// Filtering returns the filter.
func (f *Formats) Filtering() string { return f.query }

// Seek moves to the next line of the filter.
func (f *Formats) Seek(d int) bool { return f.forms[f.at].doc.Seek(d) }

// Click chooses the form of a line of the table, or moves to a line of its text.
func (f *Formats) Click(y int) {
	if y < len(f.forms) {
		f.at = max(y, 0)
		return
	}
	f.forms[f.at].doc.Click(y - f.headLines())
}

// Copy is the whole text of the form.
func (f *Formats) Copy() (what, s string) {
	name, body := f.Shown()
	return name + " of " + text.Safe(f.id), body
}

func (f *Formats) headLines() int { return len(f.forms) + 1 }

// Want is all there is room for: the text is the point.
func (f *Formats) Want(p *draw.Paint, w int) int { return f.headLines() + f.forms[f.at].doc.Want(p, w) }

// Draw draws the table of forms and the text of the chosen one.
func (f *Formats) Draw(p *draw.Paint, w, h int, focused bool) []string {
	out := make([]string, 0, h)
	for i, x := range f.forms {
		token := theme.Text
		if i == f.at {
			token = theme.Strong
		}
		out = append(out, p.Row(w, false, cursorSpan(i == f.at, focused), draw.Of(theme.Text, " "),
			draw.Of(token, p.Text.Fit(x.name, 15)), draw.Of(theme.Dim, p.Text.FitRight(fmt.Sprintf("%d tokens", x.tokens), 14)),
			draw.Of(theme.Dim, p.Text.FitRight(fmt.Sprintf("%d bytes", len(x.body)), 15)), draw.Of(theme.Dim, "  "+x.about)))
	}
	out = append(out, p.Row(w, false, draw.Of(theme.Faint, repeat("┄", w))))
	if len(out) >= h {
		return draw.Fill(out, w, h)
	}
	return append(out, f.forms[f.at].doc.Draw(p, w, h-len(out), focused)...)
}

func repeat(s string, n int) string {
	out := make([]byte, 0, n*len(s))
	for range n {
		out = append(out, s...)
	}
	return string(out)
}
