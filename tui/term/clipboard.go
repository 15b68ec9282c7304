package term

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"
)

// clipboardLimit bounds the wait for the clipboard's helper program: xclip and
// wl-copy are known to hang, and cannot be cancelled.
const clipboardLimit = 2 * time.Second

// Clipboard copies text: through the desktop's clipboard where there is one,
// else, and always over ssh, by asking the terminal (OSC 52).
type Clipboard struct {
	// Write puts text on the desktop's clipboard; nil is the real one.
	Write func(string) error
	// Limit bounds Write; 0 is two seconds.
	Limit time.Duration
	Env   Env
}

// Copied says how a copy went, in words for a person.
type Copied struct{ What, Via string }

// Copy returns the command that copies s; what names it in the answer, which is
// a Copied.
func (c Clipboard) Copy(what, s string) tea.Cmd {
	if c.Env.Remote() {
		return c.ask(what, s, "over ssh")
	}
	return func() tea.Msg {
		if err := c.write(s); err != nil {
			return c.ask(what, s, "no desktop clipboard: "+err.Error())()
		}
		return Copied{What: what, Via: "desktop clipboard"}
	}
}

func (c Clipboard) ask(what, s, why string) tea.Cmd {
	via := "OSC 52"
	if c.Env.Tmux() {
		via += "; tmux needs: set -g set-clipboard on"
	}
	via += " (" + why + ")"
	return tea.Sequence(tea.SetClipboard(s), func() tea.Msg { return Copied{What: what, Via: via} })
}

// write runs Write in a goroutine that may outlive it: a hung helper program
// cannot be stopped from here.
func (c Clipboard) write(s string) error {
	put, limit := c.Write, c.Limit
	if put == nil {
		put = clipboard.WriteAll
	}
	if limit == 0 {
		limit = clipboardLimit
	}
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Errorf("clipboard: %v", r)
			}
		}()
		done <- put(s)
	}()
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case err := <-done:
		return err
	case <-t.C:
		return fmt.Errorf("no answer in %v", limit)
	}
}
