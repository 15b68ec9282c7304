package tui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/pane"
	"cuatui/tui/replay"
	"cuatui/tui/theme"
)

// formats shows the segment in every form that it is given out in.
func (m *Model) formats() tea.Cmd {
	cur, ok := m.book.Current()
	if !ok {
		return nil
	}
	m.push(sheet{scope: cmdtable.Formats, pane: pane.NewFormats(cur.Semantic)})
	return nil
}

// saved is the message that a file was written, or was not.
type saved struct {
	path string
	size int
	err  error
	then string // what is said beside that it was
}

// askSave asks where to write the text that copying would copy. A clipboard
// over the terminal has a limit of its own, which nobody tells; a file has none.
func (m *Model) askSave() tea.Cmd {
	what, body := m.active().Copy()
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.SplitN(what, ",", 2)[0])
	return m.ask("save "+what+" to", "a path; a file that exists is kept", "cuatui-"+name+".txt", func(path string) tea.Cmd {
		return func() tea.Msg { return m.save(path, body) }
	})
}

// askSaveCase asks where to keep every call of this session with its answer: a
// file that cuatui replay shows without a browser.
func (m *Model) askSaveCase() tea.Cmd {
	return m.ask("save a case file to", "a new file; it holds what pages show and what was typed", "cuatui-case.json.gz", func(path string) tea.Cmd {
		calls, version, now := m.journal.Calls(), m.version, m.now()
		return func() tea.Msg {
			c, err := replay.Case(calls, version, now)
			var b strings.Builder
			if err == nil {
				err = snapshotfmt.WriteCase(&b, c)
			}
			if err != nil {
				return saved{path: path, err: err}
			}
			s := m.save(path, b.String())
			s.then = "; cuatui replay shows it"
			return s
		}
	})
}

// save writes a new file that only its owner can read: it holds page text. It
// never overwrites one.
func save(path, body string) saved {
	path = filepath.Clean(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = f.WriteString(body)
		err = errors.Join(err, f.Close())
	}
	return saved{path: path, size: len(body), err: err}
}

func (m *Model) wasSaved(s saved) tea.Cmd {
	if s.err != nil {
		return m.say(theme.Bad, "not saved: "+s.err.Error())
	}
	return m.say(theme.Good, fmt.Sprintf("saved %d bytes as %s%s", s.size, s.path, s.then))
}
