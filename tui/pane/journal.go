package pane

import (
	"fmt"
	"strings"
	"time"

	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/rows"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Outcome is how a call ended, for the journal.
type Outcome string

// The outcomes.
const (
	Ok        Outcome = "ok"
	Partly    Outcome = "partial"
	Refused   Outcome = "refused"
	Bad       Outcome = "bad arguments"
	Lost      Outcome = "no answer"
	Cancelled Outcome = "cancelled"
	Declined  Outcome = "declined" // by the person
)

var outcomeMarks = map[Outcome]mark{
	Ok:        {glyph: "✓", token: theme.Good},
	Partly:    {glyph: "◐", token: theme.Warn},
	Refused:   {glyph: "✗", token: theme.Bad},
	Bad:       {glyph: "!", token: theme.Bad},
	Lost:      {glyph: "!", token: theme.Bad},
	Cancelled: {glyph: "·", token: theme.Dim},
	Declined:  {glyph: "✗", token: theme.Warn},
}

// Call is one entry of the journal.
type Call struct {
	At      time.Time
	Tool    string
	About   string
	Outcome Outcome
	Took    time.Duration
	Request any
	// Answer is the result, or what stands for the error.
	Answer any
}

// maxCalls bounds the journal; the oldest go first.
const maxCalls = 2000

// Journal is every call with its answer, the newest first.
type Journal struct {
	calls []Call // oldest first
	base  int    // serial number of calls[0]
	query string
	list  rows.List[int]
	cache cache
}

// Add records a call. The cursor follows the newest one unless it was moved.
func (j *Journal) Add(c Call) {
	follow := j.list.Position() == 0
	j.calls = append(j.calls, c)
	if over := len(j.calls) - maxCalls; over > 0 {
		j.calls, j.base = append([]Call{}, j.calls[over:]...), j.base+over
	}
	j.rebuild()
	if follow {
		j.list.Home()
	}
}

// Calls are the calls that are kept, the oldest first.
func (j *Journal) Calls() []Call { return append([]Call{}, j.calls...) }

func (j *Journal) rebuild() {
	var visible []int32
	for i := len(j.calls) - 1; i >= 0; i-- {
		c := &j.calls[i]
		if j.query == "" || strings.Contains(strings.ToLower(c.Tool+" "+text.Safe(c.About)+" "+string(c.Outcome)), j.query) {
			visible = append(visible, int32(i))
		}
	}
	base := j.base
	j.list.Set(visible, func(i int) int { return base + i })
}

// Selected returns the call under the cursor.
func (j *Journal) Selected() (Call, bool) {
	if i, ok := j.list.Current(); ok {
		return j.calls[i], true
	}
	return Call{}, false
}

// Page returns a page with the call's request and answer as JSON.
func (c Call) Page() *Doc {
	body := struct {
		Tool      string  `json:"tool"`
		Arguments any     `json:"arguments"`
		MS        float64 `json:"ms"`
		Answer    any     `json:"answer"`
	}{c.Tool, c.Request, float64(c.Took.Microseconds()) / 1000, c.Answer}
	return NewLines("JSON", c.Tool+"  "+string(c.Outcome), asJSON(body))
}

// Head is the title and the number of calls.
func (j *Journal) Head() (title, note string) {
	if j.query != "" {
		return "Journal", fmt.Sprintf("/%s  %d of %d", text.Safe(j.query), j.list.Len(), len(j.calls))
	}
	return "Journal", Count(j.base+len(j.calls), "call")
}

// Do moves.
func (j *Journal) Do(id cmdtable.ID) bool { return move(&j.list, id) }

// Filter shows only calls that contain q.
func (j *Journal) Filter(q string) { j.query = strings.ToLower(q); j.rebuild() }

// Filtering returns the filter.
func (j *Journal) Filtering() string { return j.query }

// Seek moves to the next call of the filter.
func (j *Journal) Seek(d int) bool { return j.list.Seek(d, func(int) bool { return true }) }

// Click moves to line y.
func (j *Journal) Click(y int) { j.list.Click(y) }

// Copy is the call as JSON.
func (j *Journal) Copy() (what, s string) {
	c, ok := j.Selected()
	if !ok {
		return "", ""
	}
	_, s = c.Page().Copy()
	return "JSON of the call", s
}

// Draw draws the calls in sight.
func (j *Journal) Draw(p *draw.Paint, w, h int, focused bool) []string {
	return j.cache.draw(p, w, h, focused, j.list.Rev(), func() []string {
		if j.list.Len() == 0 {
			return empty(p, w, h, "no call yet")
		}
		g := draw.NewGrid(max(w-2, 0), []draw.Column{
			{Want: 8, Drop: 2}, {Want: 8, Right: true, Drop: 1}, {Want: 1}, {Want: 17, Drop: 3}, {Grow: true, Min: 16},
		})
		spans := make([]draw.Span, 0, 16)
		return j.list.Draw(make([]string, 0, h), h, func(i int, cursor bool) string {
			c := &j.calls[i]
			m := outcomeMarks[c.Outcome]
			about := text.Safe(c.About)
			if c.Outcome != Ok {
				about = string(c.Outcome) + "  " + about
			}
			return p.Row(w, cursor && focused, g.Row(p.Text, append(spans, cursorSpan(cursor, focused)),
				draw.Of(theme.Dim, c.At.Format(time.TimeOnly)), draw.Of(theme.Dim, Millis(c.Took)), m.span(),
				draw.Of(theme.Role, c.Tool), draw.Of(theme.Text, about))...)
		})
	})
}
