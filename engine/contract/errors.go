package contract

import (
	"context"
	"errors"
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
	Internal       ErrorKind = "internal"
)

// CallError is how a failed call looks to a caller outside the process. Its
// message is one of a few fixed sentences, except for bad arguments: the text
// of the cause may name addresses and paths, which belong in the log only.
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
	}
	return &CallError{Kind: Internal, Message: "the engine failed; its log has the cause", cause: err}
}
