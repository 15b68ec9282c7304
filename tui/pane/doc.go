package pane

import (
	"strings"

	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/rows"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Para is a paragraph of a Doc: a label in its own column and text that wraps
// beside it. Without a label the text takes the whole width; a Para with a
// Label and no Text is a heading. Both are cleaned when they are drawn.
type Para struct {
	Label, Text string
	LabelToken  theme.Token
	Token       theme.Token
	// OneLine cuts the text instead of wrapping it; a closing quote is kept.
	OneLine bool
}

// field is a labelled value.
func field(label, value string) Para {
	return Para{Label: label, Text: value, LabelToken: theme.Dim}
}

// heading is a line on its own, after a blank one.
func heading(s string) []Para {
	return []Para{{}, {Label: s, LabelToken: theme.Strong}}
}

// Doc is a page of paragraphs that wraps to its width and scrolls.
type Doc struct {
	title, note string
	paras       []Para
	copyWhat    string
	copyText    string
	pretty      bool // keep the indent of lines that wrap

	width int
	text  text.Measure
	lines []docLine
	query string
	list  rows.List[docID]
	cache cache
}

// docID names a line by its paragraph, so that the place stays when the page
// is wrapped anew.
type docID struct{ para, line int }

type docLine struct {
	id          docID
	label, text string
	lt, tt      theme.Token
}

// NewDoc returns a page; copyWhat names what copying copies.
func NewDoc(title, note string, paras []Para, copyWhat, copyText string) *Doc {
	return &Doc{title: title, note: note, paras: paras, copyWhat: copyWhat, copyText: copyText}
}

// NewLines returns a page of preformatted lines.
func NewLines(title, note string, body string) *Doc {
	d := &Doc{title: title, note: note, copyWhat: title, copyText: body, pretty: true}
	for line := range strings.SplitSeq(body, "\n") {
		d.paras = append(d.paras, Para{Text: line})
	}
	return d
}

// Set replaces the paragraphs and goes to the top.
func (d *Doc) Set(paras []Para) {
	d.paras, d.width = paras, 0
	d.list = rows.List[docID]{}
	d.cache = cache{}
}

// maxLabel bounds the label column, in cells.
const maxLabel = 34

// wrap lays the paragraphs out for a width; it runs when either changes.
func (d *Doc) wrap(p *draw.Paint, w int) {
	if d.width == w && d.text == p.Text {
		return
	}
	d.width, d.text, d.lines = w, p.Text, nil
	column := 0
	for _, para := range d.paras {
		if para.Text != "" && para.Label != "" {
			column = max(column, p.Text.Width(text.Safe(para.Label)))
		}
	}
	column = min(column, maxLabel, max(w/2-4, 4))
	for i, para := range d.paras {
		for n, line := range d.layOut(p, para, column, w) {
			line.id = docID{i, n}
			d.lines = append(d.lines, line)
		}
	}
	d.rebuild()
}

func (d *Doc) layOut(p *draw.Paint, para Para, column, w int) []docLine {
	label, body := text.Safe(para.Label), text.Safe(para.Text)
	room := w - 2
	lead := ""
	if label != "" && body != "" {
		lead = p.Text.Fit(label, column) + "  "
		room -= column + 2
	}
	switch {
	case body == "":
		return []docLine{{label: label, lt: para.LabelToken}}
	case para.OneLine:
		return []docLine{{label: lead, text: cutQuoted(p, body, room), lt: para.LabelToken, tt: para.Token}}
	case d.pretty:
		rest := strings.TrimLeft(body, " ")
		lead = text.Spaces(min(len(body)-len(rest), room/2))
		body, room = rest, room-len(lead)
	}
	var out []docLine
	for _, line := range p.Text.Wrap(body, max(room, 1)) {
		out = append(out, docLine{label: lead, text: line, lt: para.LabelToken, tt: para.Token})
		lead = text.Spaces(p.Text.Width(lead))
	}
	return out
}

// cutQuoted cuts s to w cells; a closing quote stays behind the ellipsis.
func cutQuoted(p *draw.Paint, s string, w int) string {
	if cut := p.Text.Cut(s, w); len(cut) == len(s) || !strings.HasSuffix(s, `"`) || w < 3 {
		return cut
	}
	return p.Text.Cut(s, w-1) + `"`
}

func (d *Doc) rebuild() {
	visible := rows.All(len(d.lines))
	if d.query != "" {
		visible = visible[:0]
		for i, l := range d.lines {
			if strings.Contains(strings.ToLower(l.label+l.text), d.query) {
				visible = append(visible, int32(i))
			}
		}
	}
	d.list.Set(visible, func(i int) docID { return d.lines[i].id })
}

// Head is the title and note.
func (d *Doc) Head() (title, note string) { return text.Safe(d.title), text.Safe(d.note) }

// Do moves.
func (d *Doc) Do(id cmdtable.ID) bool { return move(&d.list, id) }

// Filter shows only lines that contain q.
func (d *Doc) Filter(q string) { d.query = strings.ToLower(q); d.rebuild() }

// Filtering returns the filter.
func (d *Doc) Filtering() string { return d.query }

// Seek moves to the next line of the filter.
func (d *Doc) Seek(n int) bool { return d.list.Seek(n, func(int) bool { return true }) }

// Click moves to line y.
func (d *Doc) Click(y int) { d.list.Click(y) }

// Copy is what the page is about.
func (d *Doc) Copy() (what, s string) { return d.copyWhat, d.copyText }

// Want is the number of lines at width w.
func (d *Doc) Want(p *draw.Paint, w int) int {
	d.wrap(p, w)
	return len(d.lines)
}

// Draw draws the lines in sight.
func (d *Doc) Draw(p *draw.Paint, w, h int, focused bool) []string {
	d.wrap(p, w)
	return d.cache.draw(p, w, h, focused, d.list.Rev(), func() []string {
		return d.list.Draw(make([]string, 0, h), h, func(i int, cursor bool) string {
			l := d.lines[i]
			return p.Row(w, cursor && focused, cursorSpan(cursor && focused, focused), draw.Of(theme.Text, " "),
				draw.Of(l.lt, l.label), draw.Of(l.tt, l.text))
		})
	})
}
