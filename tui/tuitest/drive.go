package tuitest

import (
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Drive sends a message to a model and runs every command that comes of it to
// its end, in order, until none is left. It returns whether the model quit.
func Drive(t testing.TB, m tea.Model, msgs ...tea.Msg) (quit bool) {
	t.Helper()
	for n := 0; len(msgs) > 0; n++ {
		if n > 10_000 {
			t.Fatal("the commands never end")
		}
		msg := msgs[0]
		msgs = msgs[1:]
		if _, ok := msg.(tea.QuitMsg); ok {
			return true
		}
		_, cmd := m.Update(msg)
		msgs = append(Run(cmd), msgs...)
	}
	return false
}

// Run runs a command and the ones it batches, and returns their messages.
func Run(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	if msg == nil {
		return nil
	}
	batch, ok := msg.(tea.BatchMsg)
	if !ok {
		return []tea.Msg{msg}
	}
	var out []tea.Msg
	for _, c := range batch {
		out = append(out, Run(c)...)
	}
	return out
}

// Key returns the message of a key: "a", "G", "enter", "ctrl+d", "[".
func Key(k string) tea.KeyPressMsg {
	named := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft,
		"right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace,
	}
	if k == "shift+tab" {
		return tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
	}
	if r, ok := named[k]; ok {
		return tea.KeyPressMsg{Code: r}
	}
	if c, ok := strings.CutPrefix(k, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(c[0]), Mod: tea.ModCtrl}
	}
	r := []rune(k)[0]
	return tea.KeyPressMsg{Code: unicode.ToLower(r), Text: k}
}

// Keys returns the messages of keys; "type:abc" types letter by letter.
func Keys(keys ...string) []tea.Msg {
	var out []tea.Msg
	for _, k := range keys {
		if s, ok := strings.CutPrefix(k, "type:"); ok {
			for _, r := range s {
				out = append(out, Key(string(r)))
			}
			continue
		}
		out = append(out, Key(k))
	}
	return out
}

// Frame returns a model's frame without its styles, and fails the test unless
// it is exactly h lines of exactly w cells.
func Frame(t testing.TB, m tea.Model, w, h int) string {
	t.Helper()
	plain := ansi.Strip(m.View().Content)
	lines := strings.Split(plain, "\n")
	if len(lines) != h {
		t.Fatalf("frame of %dx%d has %d lines", w, h, len(lines))
	}
	for y, l := range lines {
		if n := ansi.StringWidthWc(l); n != w {
			t.Fatalf("frame of %dx%d: line %d has %d cells: %q", w, h, y, n, l)
		}
	}
	return plain
}
