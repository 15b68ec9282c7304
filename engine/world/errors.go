package world

import (
	"errors"
	"strings"

	"cuatui/engine/devtools"
)

func asProtocol(err error, target **devtools.Error) bool { return errors.As(err, target) }

// NeverRan says whether err means that the document or its process was gone
// before the call reached it, so that the call has had no effect.
func NeverRan(err error) bool {
	var p *devtools.Error
	if !errors.As(err, &p) {
		return false
	}
	for _, s := range []string{"Cannot find context", "Could not find object", "Cannot find execution context", "Session with given id not found"} {
		if strings.Contains(p.Message, s) {
			return true
		}
	}
	return false
}

// Gone says whether err means that the document went away underneath the call:
// its world was destroyed by a navigation or its frame was removed. Chromium
// has no code of its own for this; it answers -32000 with one of these texts.
func Gone(err error) bool {
	var p *devtools.Error
	if errors.Is(err, devtools.ErrDetached) {
		return true
	}
	if !errors.As(err, &p) {
		return false
	}
	for _, s := range []string{
		"Cannot find context", "Execution context was destroyed", "Could not find object", "Inspected target navigated",
		"No frame for given id", "Cannot find execution context", "Promise was collected", "Session with given id not found", "Target closed",
	} {
		if strings.Contains(p.Message, s) {
			return true
		}
	}
	return false
}
