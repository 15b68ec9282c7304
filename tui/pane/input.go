package pane

import (
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
}

// maxInput bounds what can be typed or pasted, in characters.
const maxInput = 4096

// NewInput returns an input that holds value, with the cursor at its end.
func NewInput(label, hint, value string) *Input {
	in := textinput.New()
	in.CharLimit = maxInput
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

// Update edits, and says whether the value changed.
func (i *Input) Update(msg tea.Msg) bool {
	before := i.in.Value()
	i.in, _ = i.in.Update(msg)
	return i.in.Value() != before
}

// Draw returns the line in w cells and the column of the cursor.
func (i *Input) Draw(p *draw.Paint, w int) (line string, cursor int) {
	label := " " + i.Label + " "
	room := max(w-p.Text.Width(label)-1, 1)
	value := []rune(i.in.Value())
	pos := min(i.in.Position(), len(value))
	before, after := text.Safe(string(value[:pos])), text.Safe(string(value[pos:]))
	// Keep the cursor in sight: drop characters at the left until it is.
	for p.Text.Width(before) > room-1 {
		before = dropFirst(before)
	}
	cursor = min(p.Text.Width(label)+p.Text.Width(before), max(w-1, 0))
	if len(value) == 0 {
		return p.Row(w, false, draw.Of(theme.Accent, label), draw.Of(theme.Dim, i.hint)), cursor
	}
	return p.Row(w, false, draw.Of(theme.Accent, label), draw.Of(theme.Text, before+after)), cursor
}

func dropFirst(s string) string {
	for i := range s {
		if i > 0 {
			return s[i:]
		}
	}
	return ""
}
