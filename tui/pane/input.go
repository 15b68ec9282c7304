package pane

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"cuatui/tui/draw"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Input is a line to type on. Editing is Bubbles' text input; drawing is ours,
// because what is pasted may come from a page and has to pass the door.
type Input struct {
	Label string
	hint  string
	in    textinput.Model
	no    string // why what came last was not taken, "" where it was
}

// InputMax is the longest that a line can be, in characters: the most that a URL
// may have. What is longer is refused whole, since a part of it means another
// thing.
const InputMax = 32 << 10

// NewInput returns an input that holds value, with the cursor at its end.
func NewInput(label, hint, value string) *Input {
	in := textinput.New()
	in.CharLimit = 0 // it would cut without a word
	// Reading the clipboard runs a helper program without a limit; the
	// terminal's own paste arrives as a message.
	in.KeyMap.Paste = key.NewBinding(key.WithDisabled())
	in.SetValue(value)
	in.CursorEnd()
	in.Focus()
	return &Input{Label: label, hint: hint, in: in}
}

// Value is what has been typed.
func (i *Input) Value() string { return i.in.Value() }

// Refused says why what was typed or pasted last was not taken, "" where it was.
// Nothing is to be done with the line then: it is not what was meant.
func (i *Input) Refused() string { return i.no }

// Refuse says why the line cannot be used as it is, until it is changed.
func (i *Input) Refuse(why string) { i.no = text.Safe(why) }

// Unfit says why a text cannot be on a line of its own, "" if it can.
func Unfit(s string) string { return unfit(s, 0) }

// unfit says why s cannot be added to a line of so many characters. Line ends and
// tabs become spaces.
func unfit(s string, to int) string {
	if n := to + utf8.RuneCountInString(s); n > InputMax {
		return fmt.Sprintf("too long: %d of at most %d characters, not taken", n, InputMax)
	}
	odd := func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) }
	if !utf8.ValidString(s) || strings.ContainsFunc(s, odd) || strings.ContainsRune(s, utf8.RuneError) {
		return "no text: it holds a control character or broken UTF-8, not taken"
	}
	return ""
}

// Update edits, and says whether the value changed.
func (i *Input) Update(msg tea.Msg) bool {
	before := i.in.Value()
	added := ""
	switch msg := msg.(type) {
	case tea.PasteMsg:
		added = msg.Content
	case tea.KeyPressMsg:
		added = msg.Text
	}
	if why := unfit(added, utf8.RuneCountInString(before)); added != "" && why != "" {
		i.no = why
		return false
	}
	i.in, _ = i.in.Update(msg)
	changed := i.in.Value() != before
	if changed {
		i.no = ""
	}
	return changed
}

// Draw returns the line in w cells and the column of the cursor.
func (i *Input) Draw(p *draw.Paint, w int) (line string, cursor int) {
	label := " " + i.Label + " "
	room := max(w-p.Text.Width(label)-1, 1)
	value := []rune(i.in.Value())
	pos := min(i.in.Position(), len(value))
	before, after := text.Safe(string(value[:pos])), text.Safe(string(value[pos:]))
	// Keep the cursor in sight: drop characters at the left until it is, half of
	// them at a time while they are many.
	for half := secondHalf(before); p.Text.Width(half) > room-1 && len(half) < len(before); half = secondHalf(before) {
		before = half
	}
	for p.Text.Width(before) > room-1 {
		before = dropFirst(before)
	}
	cursor = min(p.Text.Width(label)+p.Text.Width(before), max(w-1, 0))
	if i.no != "" {
		return p.Row(w, false, draw.Of(theme.Bad, " "+i.no)), cursor
	}
	if len(value) == 0 {
		return p.Row(w, false, draw.Of(theme.Accent, label), draw.Of(theme.Dim, i.hint)), cursor
	}
	return p.Row(w, false, draw.Of(theme.Accent, label), draw.Of(theme.Text, before+after)), cursor
}

func secondHalf(s string) string {
	at := len(s) / 2
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}

func dropFirst(s string) string {
	for i := range s {
		if i > 0 {
			return s[i:]
		}
	}
	return ""
}
