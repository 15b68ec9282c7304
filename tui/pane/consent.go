package pane

import (
	"cmp"
	"fmt"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Consent asks a person, in words, for consent to use the window of a browser
// with a profile of the person's own. It shows and scrolls; what was typed is
// judged by who opened it.
//
// The window's title is in the hands of a page. It is quoted, alone in its
// field and on one line, so that it can neither be taken for words of the
// dialog nor push them out of sight.
type Consent struct {
	// Input is where the answer is typed.
	Input *Input

	subject string
	doc     *Doc
	top     int
	height  int
	below   int
	laid    layout
	shown   bool
	read    bool
}

// layout is what decides where the lines of a page break, and how many are in
// sight.
type layout struct {
	w, h int
	text text.Measure
}

// ConsentWord is what has to be typed to agree.
const ConsentWord = "yes"

// What is asked for: first to read, where not all has been in sight.
const (
	askRead = "↓ to the end, then type " + ConsentWord + ":"
	askWord = "type " + ConsentWord + " to agree:"

	answerHint = "anything else is no"
)

// NewConsent returns the question about a window; expired says that an
// earlier consent has run out.
func NewConsent(w contract.NativeWindow, expired bool) *Consent {
	product := cmp.Or(w.Product, "an unknown program")
	lead := "This browser is a person's own, not cuatui's. It is used only if you agree."
	if expired {
		lead = "Your consent to this window has run out. It is used again only if you agree."
	}
	strong := func(label, value string) Para {
		return Para{Label: label, Text: value, LabelToken: theme.Dim, Token: theme.Strong, OneLine: true}
	}
	ps := []Para{
		{Text: lead, Token: theme.Warn},
		{},
		strong("process", fmt.Sprintf("%s, pid %d", product, w.PID)),
		strong("window", snapshotfmt.Quote(w.Title)),
		strong("place", place(w)),
		strong("profile", "your own: you may be logged in, and your data is in it"),
		field("allows", "this session, and no other, to read what the pages in this window show, and to act on them through refs that are proven each time"),
		field("never", "other windows: only their titles and places are compared, to know which this is"),
		field("lasts", fmt.Sprintf("until it is unused for %s, at most %s; ends before that when you press R, when this session ends, or when the browser does",
			words(limits.GrantIdle), words(limits.GrantAbsolute))),
	}
	return &Consent{
		Input:   NewInput(askRead, answerHint, ""),
		subject: fmt.Sprintf("%s, pid %d", product, w.PID),
		doc:     NewDoc("", "", ps, "", ""),
	}
}

// place says where a window is. A compositor may tell neither that nor which of
// the program's windows it is; what is meant then is all of them.
func place(w contract.NativeWindow) string {
	if w.Box == [4]float64{} {
		return fmt.Sprintf("window %#x; its place is not known, nor whether it is the only one", w.WindowID)
	}
	return fmt.Sprintf("window %#x, %g x %g at %g, %g", w.WindowID, w.Box[2], w.Box[3], w.Box[0], w.Box[1])
}

func words(d time.Duration) string {
	if d%time.Hour == 0 {
		return Count(int(d/time.Hour), "hour")
	}
	return Count(int(d/time.Minute), "minute")
}

// Restart asks anew: the question is out of sight, and has to be drawn and read
// to its end again. What was typed is dropped.
func (c *Consent) Restart() {
	c.Input = NewInput(askRead, answerHint, "")
	c.top, c.shown, c.read = 0, false, false
}

// Shown says whether the question is in sight, or the part of it that fits.
func (c *Consent) Shown() bool { return c.shown }

// Read says whether all of the question has been in sight, laid out as it is
// now. Nobody agrees to what was never shown.
func (c *Consent) Read() bool { return c.read }

// Head asks, and says how much is below.
func (c *Consent) Head() (title, note string) {
	if c.below > 0 {
		return "May this window be used?", fmt.Sprintf("↓ %d more", c.below)
	}
	return "May this window be used?", text.Safe(c.subject)
}

// Do scrolls.
func (c *Consent) Do(id cmdtable.ID) bool {
	switch id {
	case cmdtable.Up:
		c.top--
	case cmdtable.Down:
		c.top++
	case cmdtable.PageUp:
		c.top -= c.height
	case cmdtable.PageDown:
		c.top += c.height
	default:
		return false
	}
	c.clamp()
	return true
}

func (c *Consent) clamp() {
	c.top = max(min(c.top, len(c.doc.lines)-c.height), 0)
	c.below = max(len(c.doc.lines)-c.height-c.top, 0)
}

// Filter does nothing: a question is not narrowed.
func (c *Consent) Filter(string) {}

// Filtering is always "".
func (c *Consent) Filtering() string { return "" }

// Seek finds nothing.
func (c *Consent) Seek(int) bool { return false }

// Click does nothing: a click is no answer.
func (c *Consent) Click(int) {}

// Copy is nothing.
func (c *Consent) Copy() (what, s string) { return "", "" }

// Want is the number of lines of the question.
func (c *Consent) Want(p *draw.Paint, w int) int { return c.doc.Want(p, w) }

// Draw draws the lines in sight, and notes whether the last one is. Where the
// lines are others than before, they are read from the first.
func (c *Consent) Draw(p *draw.Paint, w, h int, _ bool) []string {
	if now := (layout{w, h, p.Text}); c.laid != now {
		c.laid, c.top, c.read = now, 0, false
	}
	c.doc.wrap(p, w)
	c.height = max(h, 0)
	c.clamp()
	c.shown = h > 0
	c.read = c.read || c.shown && c.below == 0
	c.Input.Label = askRead
	if c.read {
		c.Input.Label = askWord
	}
	out := make([]string, 0, h)
	for _, l := range c.doc.lines[c.top:min(c.top+c.height, len(c.doc.lines))] {
		out = append(out, p.Row(w, false, draw.Of(theme.Text, "  "), draw.Of(l.lt, l.label), draw.Of(l.tt, l.text)))
	}
	return draw.Fill(out, w, h)
}

// NewRevoke returns the page that asks once more before consent is withdrawn.
func NewRevoke(title, about string) *Doc {
	return NewDoc("Withdraw your consent?", "y withdraws, esc keeps it", []Para{
		{Label: "window", Text: snapshotfmt.Quote(title), LabelToken: theme.Dim, Token: theme.Strong, OneLine: true},
		{Label: "process", Text: about, LabelToken: theme.Dim, Token: theme.Strong},
		field("then", "nothing more is done with it: calls are refused with "+string(refusal.ConsentRevoked)),
		field("again", "only you can give it anew: C asks you"),
	}, "", "")
}
