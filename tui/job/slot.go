// Package job runs engine calls away from the update loop: cancellable, the
// latest wins, and a stale answer is known by its number.
package job

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Slot holds at most one running call of a kind; starting another cancels it.
// The zero value is ready. A Slot belongs to the update loop and is not safe
// for other goroutines.
type Slot[T any] struct {
	cancel  context.CancelFunc
	gen     uint64
	running bool
	stage   string
	began   time.Time
}

// Done is the message that a call has ended.
type Done[T any] struct {
	gen   uint64
	Value T
	Err   error
}

// Start runs f in a command; stage says in a word or two what it does.
// A panic in f becomes a *PanicError, for the update loop to end the program in an
// orderly way.
func (s *Slot[T]) Start(ctx context.Context, now time.Time, stage string, f func(context.Context) (T, error)) tea.Cmd {
	s.Stop()
	ctx, s.cancel = context.WithCancel(ctx)
	s.running, s.stage, s.began = true, stage, now
	gen := s.gen
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = &PanicError{Value: r, Stack: debug.Stack()}
			}
		}()
		v, err := f(ctx)
		return Done[T]{gen: gen, Value: v, Err: err}
	}
}

// PanicError is the message, and the error, that a call has panicked.
type PanicError struct {
	Value any
	Stack []byte
}

func (p *PanicError) Error() string { return fmt.Sprintf("panic: %v\n\n%s", p.Value, p.Stack) }

// Stop cancels the running call, if there is one; its answer will not be
// accepted any more.
func (s *Slot[T]) Stop() {
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
	s.gen++
	s.running = false
}

// Accept says whether d answers the running call, and ends it if so.
func (s *Slot[T]) Accept(d Done[T]) bool {
	if !s.running || d.gen != s.gen {
		return false
	}
	s.Stop()
	return true
}

// Running says whether a call is under way, in what stage, since when.
func (s *Slot[T]) Running() (stage string, began time.Time, ok bool) {
	return s.stage, s.began, s.running
}
