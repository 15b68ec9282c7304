package devtools

import (
	"encoding/json"
	"errors"
	"fmt"
)

var (
	// ErrClosed is wrapped by every error that the end of the connection causes,
	// whether it was lost or closed on purpose.
	ErrClosed = errors.New("the browser connection is closed")
	// ErrDetached ends a session whose target is gone or was let go.
	ErrDetached = errors.New("the browser session is detached")
	// ErrOverflow ends subscriptions whose events were not read in time.
	ErrOverflow = errors.New("too many unread browser events")

	errClosedHere   = errors.New("closed by this program")
	errNotAnswer    = errors.New("the reply has neither a result nor an error")
	errWriteBacklog = errors.New("the browser does not read its requests")
)

// codeSessionNotFound is what Chromium answers for a session it does not know.
const codeSessionNotFound = -32001

// Error is an error reply of the browser.
type Error struct {
	Code    int
	Message string
	Data    string
}

// Error gives the browser's message, its code and its data.
func (e *Error) Error() string {
	text := fmt.Sprintf("the browser answered %q (code %d", e.Message, e.Code)
	if e.Data != "" {
		text += fmt.Sprintf(", %q", e.Data)
	}
	return text + ")"
}

// parseError reads the error member of a reply. Chromium sends a string as
// data; JSON-RPC allows anything, so other values are kept as their JSON.
func parseError(raw []byte) error {
	var wire struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return fmt.Errorf("reading the browser's error reply: %w", err)
	}
	e := &Error{Code: wire.Code, Message: wire.Message}
	if len(wire.Data) > 0 && string(wire.Data) != "null" {
		if json.Unmarshal(wire.Data, &e.Data) != nil {
			e.Data = string(wire.Data)
		}
	}
	return e
}
