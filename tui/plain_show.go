package tui

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"cuatui/tui/cmdtable"
	"cuatui/tui/text"
)

// What the plain mode shows.

// heading is where we are: page, pane or sheet.
func (p *plain) heading() string {
	m := p.m
	title, note := m.active().Head()
	s := title
	if note != "" {
		s += ", " + note
	}
	if cur, ok := m.book.Current(); ok && m.screen == cmdtable.Inspector && len(m.sheets) == 0 {
		s = text.Safe(cur.Page.URL+" "+cur.Snapshot.ID) + ", " + s
		if !m.book.Silent.IsZero() {
			s += ", as it was: the browser did not answer"
		}
	}
	return s
}

// show says what has the keys now, and what was toasted. What was said last is
// not said again.
func (p *plain) show() {
	m := p.m
	if m.toast.text != "" {
		p.print(m.toast.text)
	}
	switch {
	case m.prompt != nil && m.question() == nil:
		p.print(text.Safe(m.prompt.in.Label) + "? (" + text.Safe(m.prompt.in.Value()) + ")")
		return
	case p.heading() == p.said:
		return
	}
	p.said = p.heading()
	p.print("== " + p.said)
	for i, l := range p.lines() {
		if l != "" { // a number is the line's place, as pick takes it
			p.print(fmt.Sprintf("%d  %s", i+1, l))
		}
	}
	if m.question() != nil {
		p.print("no line counts yet: let go of the keyboard for a moment")
	}
}

func (p *plain) lines() []string {
	return flat(p.m.active().Draw(&p.paint, plainWidth, plainRows, true))
}

var gaps = regexp.MustCompile(`(\S) {2,}`)

// flat takes styles, rules, marks of the cursor and what pads columns out of
// lines. The full circle goes, too: it says that there is nothing to say.
func flat(lines []string) []string {
	out := make([]string, 0, 64)
	for _, l := range lines {
		l = strings.TrimLeft(strings.TrimRight(ansi.Strip(l), " ─┄"), "▌▏─┄")
		out = append(out, gaps.ReplaceAllString(strings.ReplaceAll(l, "● ", ""), "$1  "))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
