package contract

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// ErrConnectionLost is wrapped by every error of the engine that comes from
// losing the browser's connection. It is never turned into a refusal.
var ErrConnectionLost = errors.New("the connection to the browser was lost")

// ArgumentError says which argument of a request is bad and why. It is raised
// before anything is looked at or done.
type ArgumentError struct {
	Field   string
	Message string
}

func (e *ArgumentError) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// ErrorKind is the closed set of ways in which a call can fail without an
// answer. A refusal is an answer and is not among them.
type ErrorKind string

// The kinds of a CallError.
const (
	BadArguments   ErrorKind = "bad_arguments"
	Deadline       ErrorKind = "deadline"
	Cancelled      ErrorKind = "cancelled"
	ConnectionLost ErrorKind = "connection_lost"
	// System: the machine did not let the call be done. It was made for nothing,
	// and whoever runs the machine can mend what the message names.
	System   ErrorKind = "system"
	Internal ErrorKind = "internal"
)

// SystemError is a failure whose cause lies with the machine: a directory that
// cannot be written, a disk that is full, a file that others may change. Its
// text names what is in the way and what the system says of it, and is shown.
type SystemError struct{ Err error }

func (e *SystemError) Error() string { return e.Err.Error() }

// Unwrap returns what the system said.
func (e *SystemError) Unwrap() error { return e.Err }

// CallError is how a failed call looks to a caller outside the process. Its
// message is one of a few fixed sentences, except for bad arguments and the
// system's own word: the text of another cause may name addresses and paths,
// which belong in the log only.
type CallError struct {
	Kind    ErrorKind `json:"kind"`
	Message string    `json:"message"`
	Field   string    `json:"field,omitempty"`
	cause   error
}

func (e *CallError) Error() string { return string(e.Kind) + ": " + e.Message }

// Unwrap returns the cause, for the log.
func (e *CallError) Unwrap() error { return e.cause }

// NewCallError sorts an error that is no refusal into its kind.
func NewCallError(err error) *CallError {
	var call *CallError
	var bad *ArgumentError
	var system *SystemError
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &call):
		return call
	case errors.As(err, &bad):
		return &CallError{Kind: BadArguments, Message: bad.Message, Field: bad.Field, cause: err}
	case errors.Is(err, ErrConnectionLost):
		return &CallError{Kind: ConnectionLost, Message: ErrConnectionLost.Error(), cause: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &CallError{Kind: Deadline, Message: "the deadline passed before the call was done", cause: err}
	case errors.Is(err, context.Canceled):
		return &CallError{Kind: Cancelled, Message: "the call was cancelled before it was done", cause: err}
	case errors.As(err, &system):
		return &CallError{Kind: System, Message: system.Error(), cause: err}
	case errors.As(err, &path):
		return &CallError{Kind: System, Message: path.Error(), cause: err}
	case errors.As(err, &link):
		return &CallError{Kind: System, Message: link.Error(), cause: err}
	}
	return &CallError{Kind: Internal, Message: "the engine failed; its log has the cause", cause: err}
}
