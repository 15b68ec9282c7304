// Package term is what the program knows of the terminal it runs in: what its
// environment says, and how text gets to the clipboard.
package term

import "strings"

// Env is the environment as NAME=value strings; the last one of a name counts.
type Env []string

// Get returns the value of a variable, "" if it is not set.
func (e Env) Get(name string) string {
	for i := len(e) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(e[i], "="); ok && k == name {
			return v
		}
	}
	return ""
}

// NoColor says whether colour is unwanted: NO_COLOR with any value but the
// empty one (no-color.org). The colour library reads it as a boolean and would
// ignore NO_COLOR=yes.
func (e Env) NoColor() bool { return e.Get("NO_COLOR") != "" }

// Remote says whether the terminal is at the far end of an ssh connection, so
// that this machine's clipboard is not the person's.
func (e Env) Remote() bool { return e.Get("SSH_TTY") != "" || e.Get("SSH_CONNECTION") != "" }

// Tmux says whether the terminal is tmux.
func (e Env) Tmux() bool { return e.Get("TMUX") != "" }
