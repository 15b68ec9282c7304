package headless

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// unreadMax is how long a write waits for its reader once there is nothing
	// more to come from it: the input has ended.
	unreadMax = 5 * time.Second
	// unreadWhenAsked is the same after a signal; who sends one kills soon.
	unreadWhenAsked = time.Second
)

var errUnread = errors.New("nobody reads it, and the input has ended or a signal came")

// Outlet is an output that cannot keep the program from ending. A reader that
// takes nothing holds a write up, as it should, while the input goes on: it may
// be slow, or stopped. Once the program is asked to end it has unreadWhenAsked
// left, and after the end of input unreadMax; then the write and all after it
// fail, and what was launched can be released. A Write is a whole line and safe
// for concurrent use.
type Outlet struct {
	out   io.Writer
	asked <-chan struct{}
	in    any // the input, nil: none
	ended atomic.Bool

	writing sync.Mutex
	broken  error
}

// NewOutlet returns an Outlet that is asked to end when ctx ends.
func NewOutlet(ctx context.Context, out io.Writer) *Outlet { return newOutlet(ctx, nil, out) }

func newOutlet(ctx context.Context, in any, out io.Writer) *Outlet {
	return &Outlet{out: out, asked: ctx.Done(), in: in}
}

// inputEnded says that the input was read to its end.
func (o *Outlet) inputEnded() { o.ended.Store(true) }

// over reports whether the input has ended: as far as it was read, or, where
// unread answers hold up the reading, as the system knows it.
func (o *Outlet) over() bool { return o.ended.Load() || hungUp(o.in) }

// Err says why a write failed, nil if none did.
func (o *Outlet) Err() error {
	o.writing.Lock()
	defer o.writing.Unlock()
	return o.broken
}

// Write implements [io.Writer]. What it gives up on may still hold line.
func (o *Outlet) Write(line []byte) (int, error) {
	o.writing.Lock()
	defer o.writing.Unlock()
	if o.broken != nil {
		return 0, o.broken
	}
	type outcome struct {
		n   int
		err error
	}
	done := make(chan outcome, 1)
	go func() { // a write cannot be cancelled
		n, err := o.out.Write(line)
		done <- outcome{n, err}
	}()
	patience := time.NewTimer(unreadMax)
	defer patience.Stop()
	for asked := o.asked; ; {
		select {
		case end := <-done:
			if end.err != nil {
				o.broken = fmt.Errorf("standard output: %w", end.err)
			}
			return end.n, o.broken
		case <-asked:
			asked = nil
			patience.Reset(unreadWhenAsked)
		case <-patience.C:
			if asked == nil && o.asked != nil || o.over() {
				o.broken = fmt.Errorf("standard output: %w", errUnread)
				return 0, o.broken
			}
			patience.Reset(unreadMax)
		}
	}
}
