// Package native opens the adapter for the system the program runs on.
package native

import (
	"io"

	"cuatui/platform"
)

// Options choose what to open.
type Options struct {
	// Display is the X display, for example ":1", and the only one that is
	// looked at. "" is the session as the environment has it: Sway where it
	// runs, and $DISPLAY.
	Display string
}

// Open never fails and does not connect yet: what is missing shows in the
// errors of the calls and in Check. Close ends what the calls opened.
func Open(o Options) *System { return open(o) }

var (
	_ platform.System  = (*System)(nil)
	_ platform.Partial = (*System)(nil)
	_ platform.Places  = (*System)(nil)
	_ io.Closer        = (*System)(nil)
)
