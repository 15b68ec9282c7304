package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/inspect"
	"cuatui/tui/pane"
	"cuatui/tui/term"
	"cuatui/tui/text"
)

// The plain mode is the same model without a screen: a line in is a command, a
// row, or what a prompt asks for; lines out are what has the keys then, each row
// with its number. There are no colours, nothing is drawn over, and no timer
// runs but the one of a consent that is asked for.
const (
	plainWidth = 400  // cells: lines are cut nowhere near
	plainRows  = 2500 // rows that are printed at most
)

// plainHelp is said at the start and by help.
const plainHelp = `Type a command by its name or key, a row by its number, or / and a text to filter.
A command that asks for something takes it on the same line: why-of Send. One that is about
the selection takes a listed ref, and selects it: act p1:4. Others take nothing.
help lists the commands that work now, print says again what is shown, quit leaves.`

// A LineError is the error of a plain run whose lines came from no person: the
// first of them that did not come to what it says. A person has seen it.
type LineError struct {
	Line    int // from 1; 0 is what the program was started with
	Command string
	Outcome pane.Outcome
}

func (f *LineError) Error() string {
	if f.Line == 0 {
		return "at the start: " + string(f.Outcome)
	}
	return fmt.Sprintf("line %d, %s: %s", f.Line, f.Command, f.Outcome)
}

// plain is one run of the plain mode.
type plain struct {
	m      *Model
	out    io.Writer
	person bool
	paint  draw.Paint
	said   string // the last heading, so as not to repeat it
	last   string // what was printed last
	read   int    // lines read
	news   chan tea.Msg
	failed *LineError
	asked  *question // the consent that a line answers now
	drop   func() error
	err    error
	quit   bool
}

func newPlain(m *Model, o Options) *plain {
	m.colour = false
	m.setTheme()
	m.w, m.h = plainWidth, plainRows
	return &plain{
		m: m, out: o.Out, person: o.Person, paint: m.paint, news: make(chan tea.Msg),
		drop: func() error { return term.DropInput(o.In) },
	}
}

// run reads lines of in until quit, the end of the input, or of ctx.
func (p *plain) run(ctx context.Context, o Options) error {
	m := p.m
	m.aside = func(c tea.Cmd) tea.Cmd { return p.aside(ctx, c) }
	m.after = p.onlyGrace(m.after)
	lines, failed := readLines(ctx, o.In, m.now)
	p.print(plainHelp)
	if m.replay != nil {
		p.print("replay of " + text.Safe(m.caseName) + ": what was, without a browser")
	}
	p.drive(m.startSession())
	if o.StartURL != "" || !m.started {
		p.settle("")
	}
	p.show()
	for !p.quit && p.err == nil {
		select {
		case <-ctx.Done():
			return nil
		case msg := <-p.news:
			p.drive(func() tea.Msg { return msg })
			p.show()
			p.hear()
		case line, ok := <-lines:
			if !ok {
				return errors.Join(p.err, <-failed, p.failure())
			}
			p.read++
			m.trouble = ""
			if line.size > plainInput {
				p.refuse(fmt.Sprintf("the line is too long: %d of at most %d bytes", line.size, plainInput))
			} else {
				p.line(line)
			}
			p.settle(line.text)
		}
	}
	if m.crash != nil {
		return fmt.Errorf("terminal UI: %w", m.crash)
	}
	return errors.Join(p.err, p.failure())
}

// aside runs a command that may take until the end beside the lines.
func (p *plain) aside(ctx context.Context, c tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		go func() {
			select {
			case p.news <- c():
			case <-ctx.Done():
			}
		}()
		return nil
	}
}

// settle keeps the first line that failed; one that came in part gives way to
// one that failed.
func (p *plain) settle(line string) {
	how := p.m.trouble
	if how != "" && (p.failed == nil || p.failed.Outcome == pane.Partly && how != pane.Partly) {
		command, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		p.failed = &LineError{Line: p.read, Command: p.m.paint.Text.Cut(text.Safe(command), maxCommand), Outcome: how}
	}
}

// maxCommand bounds what is told of a line that failed, in cells.
const maxCommand = 40

// failure is what a run that no person has seen ends with.
func (p *plain) failure() error {
	if p.person || p.failed == nil {
		return nil
	}
	return p.failed
}

func (p *plain) print(s string) {
	p.last = s
	if _, err := io.WriteString(p.out, s+"\n"); err != nil && p.err == nil {
		p.err = fmt.Errorf("terminal UI: %w", err)
	}
}

// drive runs a command and all that comes of it, in order.
func (p *plain) drive(cmd tea.Cmd) {
	if cmd == nil || p.quit {
		return
	}
	if stage, _, ok := p.m.call.Running(); ok {
		if s := stage + " …"; s != p.last { // one command may ask twice
			p.print(s)
		}
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.QuitMsg:
		p.quit = true
	case tea.BatchMsg:
		for _, c := range msg {
			p.drive(c)
		}
	default:
		if isSequence(msg) {
			return // asks the terminal for something, which there is none of
		}
		_, next := p.m.Update(msg)
		p.drive(next)
	}
}

func isSequence(msg tea.Msg) bool { return reflect.TypeOf(msg).Kind() == reflect.Slice }

// line takes a line in and says what has come of it.
func (p *plain) line(in line) {
	m := p.m
	m.toast.text = ""
	switch {
	case m.question() != nil:
		p.consent(m.question(), in)
	case m.prompt != nil:
		p.fill(in.text)
	case strings.TrimSpace(in.text) == "":
		return
	default:
		p.command(strings.TrimSpace(in.text))
	}
	p.consentNeedsAPerson()
	if !p.quit {
		p.show()
	}
}

// fill answers the prompt. A line that is empty accepts what it holds.
func (p *plain) fill(line string) {
	if why := pane.Unfit(line); why != "" {
		p.refuse(why)
		return
	}
	if line != "" {
		p.keys("end", "ctrl+u")
		_, cmd := p.m.Update(tea.PasteMsg{Content: line})
		p.drive(cmd)
	}
	p.keys("enter")
	if in := p.m.prompt; in != nil && in.in.Refused() != "" { // it stays to be mended, which no line can
		p.refuse(in.in.Refused())
	}
}

// refuse takes nothing of a line, and asks no more for what it was to be: the
// next line is none that was meant for that.
func (p *plain) refuse(why string) {
	p.m.prompt = nil
	p.bad(why + "; nothing was done")
}

func (p *plain) keys(names ...string) {
	named := map[string]tea.KeyPressMsg{"enter": {Code: tea.KeyEnter}, "end": {Code: tea.KeyEnd}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "esc": {Code: tea.KeyEscape}}
	for _, n := range names {
		_, cmd := p.m.Update(named[n])
		p.drive(cmd)
	}
}

// command runs a line that names a command, a row, or a filter.
func (p *plain) command(line string) {
	m := p.m
	f := m.facts()
	if n, err := strconv.Atoi(line); err == nil && f.Scope != cmdtable.Lab {
		p.pick(n)
		return
	}
	if q, ok := strings.CutPrefix(line, "/"); ok && f.Scope&(cmdtable.Screens|cmdtable.Formats|cmdtable.Document) != 0 {
		m.active().Filter(strings.TrimSpace(q))
		m.follow()
		return
	}
	name, argument, _ := strings.Cut(line, " ")
	argument = strings.TrimSpace(argument)
	c, own := named(name, f.Scope), p.own(name, f)
	switch {
	case c == nil && own == nil:
		p.bad("no command is called " + text.Safe(name) + " here; help lists them")
	case argument != "" && (c == nil || c.Takes == cmdtable.None):
		p.bad(text.Safe(name) + " takes no argument; nothing was done")
	case own != nil:
		own()
	default:
		m.pressed = name
		p.do(c, f, argument)
	}
}

// bad says why a line is no good.
func (p *plain) bad(why string) {
	p.m.fails(pane.Bad)
	p.print(why)
}

// do runs a command with exactly what it takes.
func (p *plain) do(c *cmdtable.Command, f cmdtable.Facts, argument string) {
	m := p.m
	if len(m.sheets) > 0 && m.top().dialog != nil {
		m.top().dialog.opens = time.Time{} // a whole line is no key that was meant for something else
	}
	if argument != "" && c.TakesNot != nil {
		if why := c.TakesNot(f); why != "" {
			p.bad(why + "; nothing was done")
			return
		}
	}
	if c.Takes == cmdtable.Answer && argument != "" {
		p.answer(f, argument)
		return
	}
	if c.Takes == cmdtable.Ref && argument != "" {
		if !m.book.Lists(argument) || !m.goTo(inspect.K(argument)) {
			p.bad(text.Safe(argument) + " is not a ref that is listed here; why-of explains any")
			return
		}
		m.follow()
		f = m.facts()
	}
	p.drive(m.do(c, f))
	if c.Takes == cmdtable.Text && argument != "" && m.prompt != nil && m.question() == nil {
		p.fill(argument)
	}
}

// answer answers the page dialog on top: the one that was shown, and no other.
func (p *plain) answer(f cmdtable.Facts, argument string) {
	verb, given, _ := strings.Cut(argument, " ")
	c := named(verb, f.Scope)
	switch {
	case !f.Dialog:
		p.bad("no page dialog is shown here; dialog alone looks for one, and nothing was done")
	case c == nil || c.ID != cmdtable.Accept && c.ID != cmdtable.Dismiss:
		p.bad("a dialog takes accept or dismiss, not " + text.Safe(verb) + "; nothing was done")
	case given != "" && c.Takes == cmdtable.None:
		p.bad(string(c.ID) + " takes no text; nothing was done")
	default:
		p.do(c, f, strings.TrimSpace(given))
	}
}

// own is what the plain mode does by itself under a name, nil for nothing.
func (p *plain) own(name string, f cmdtable.Facts) func() {
	switch name {
	case "quit": // from any page, as the first line promises
		return func() { p.quit = true }
	case "print":
		return func() { p.said = "" }
	case string(cmdtable.HelpPage), "?":
		return func() { p.help(f) }
	case string(cmdtable.Copy), "y":
		return func() {
			_, s := p.m.active().Copy()
			p.print(text.Safe(s))
		}
	case string(cmdtable.Commands), ":", string(cmdtable.Suspend), "ctrl+z":
		return func() { p.print("there is no need for " + name + " here") }
	}
	return nil
}

// named finds a command by its name or a key.
func named(name string, scope cmdtable.Scope) *cmdtable.Command {
	for i := range cmdtable.Table {
		if c := &cmdtable.Table[i]; c.Scope&scope != 0 && string(c.ID) == name {
			return c
		}
	}
	c, _ := cmdtable.Find(scope, name)
	return c
}

// pick moves to a row by its number.
func (p *plain) pick(n int) {
	p.m.active().Do(cmdtable.Home)
	if rows := p.lines(); n < 1 || n > len(rows) || rows[n-1] == "" { // all rows are in sight from the first
		p.bad(fmt.Sprintf("there is no row %d here; print says which there are", n))
		return
	}
	p.m.active().Click(n - 1)
	p.m.follow()
	if p.m.screen == cmdtable.Inspector && len(p.m.sheets) == 0 && p.m.focus < detailPane {
		for _, l := range flat(p.m.detail.Draw(&p.paint, plainWidth, plainRows, false)) {
			if l != "" {
				p.print(l)
			}
		}
		p.said = p.heading()
	}
}

func (p *plain) help(f cmdtable.Facts) {
	p.print(plainHelp)
	for i := range cmdtable.Table {
		c := &cmdtable.Table[i]
		if c.Scope&f.Scope != 0 && c.Why(f) == "" {
			p.print(fmt.Sprintf("%s (%s): %s", c.Usage(), c.Key(), c.Help))
		}
	}
}
