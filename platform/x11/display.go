// Package x11 lists the native windows of an X display with what only the
// server knows of them: owner, geometry, stacking, focus.
//
// An X error is an error, never an empty list: a caller that binds by proof
// must be able to tell "no window" from "could not look".
package x11

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"time"

	"github.com/jezek/xgb"

	"cuatui/platform"
)

// callTimeout bounds one call, the connection included. A local server answers
// in about a millisecond; a stopped one never does.
const callTimeout = 5 * time.Second

// xgb reports lost connections on standard error, which would tear a terminal
// program's screen. The same facts reach the caller as errors.
func init() { xgb.Logger = log.New(io.Discard, "", 0) }

// Display is a connection to an X display that is made at the first call and
// made again at the next call after it was lost. Calls take turns, so that a
// call that gives up can close the connection without hurting another.
type Display struct {
	name    string
	timeout time.Duration // of one call
	turn    chan struct{} // held by the one running call
	client  *client       // nil until connected; guarded by turn
	closed  bool          // guarded by turn
}

// New returns the display called name; "" is $DISPLAY as it is now. It does
// not connect.
func New(name string) *Display {
	if name == "" {
		name = os.Getenv("DISPLAY")
	}
	return &Display{name: name, timeout: callTimeout, turn: make(chan struct{}, 1)}
}

// Name returns the display's name, "" if there is none.
func (d *Display) Name() string { return d.name }

// Number returns the display's number where its server is on this machine.
func (d *Display) Number() (int, bool) {
	a, err := parseDisplay(d.name)
	return a.number, err == nil && a.host == ""
}

// Answers says whether the display's server answers, whatever it shows.
func (d *Display) Answers(ctx context.Context) error {
	err := d.do(ctx, func(c *client) error {
		_, err := c.windowManager()
		return err
	})
	if err != nil {
		return fmt.Errorf("asking the display: %w", err)
	}
	return nil
}

// Windows lists the top-level windows from the bottom of the stack up.
//
// The list is the window manager's. Where no window manager runs, it is the
// mapped children of the root; where one runs that does not publish its list,
// there is no honest answer and Windows returns an error. A window that dies
// while it is looked at is left out.
func (d *Display) Windows(ctx context.Context) ([]platform.Window, error) {
	var out []platform.Window
	err := d.do(ctx, func(c *client) (err error) {
		out, err = c.windows()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing windows: %w", err)
	}
	return out, nil
}

// Check says how the display, its window manager and its knowledge of window
// owners stand.
func (d *Display) Check(ctx context.Context) []platform.Finding {
	var found []platform.Finding
	err := d.do(ctx, func(c *client) (err error) {
		found, err = c.check()
		return err
	})
	if err != nil {
		return []platform.Finding{{Name: "display", State: platform.Missing, Note: err.Error()}}
	}
	return append([]platform.Finding{{Name: "display", State: platform.Works, Note: "X11 " + d.name}}, found...)
}

// Close ends the connection; later calls fail. It waits for a running call.
func (d *Display) Close() error {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	d.closed = true
	d.drop()
	return nil
}

// do runs f with a live connection. Whatever ends badly, other than an X error
// about one request, drops the connection; the next call makes a new one.
func (d *Display) do(parent context.Context, f func(*client) error) error {
	ctx, cancel := context.WithTimeout(parent, d.timeout)
	defer cancel()
	select {
	case d.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-d.turn }()

	if err := d.connect(ctx); err != nil {
		if parent.Err() != nil {
			return parent.Err()
		}
		return err
	}
	stop := context.AfterFunc(ctx, d.client.abort)
	err := guarded(func() error { return f(d.client) })
	var xerr xgb.Error
	if intact := stop(); !intact || (err != nil && !errors.As(err, &xerr)) {
		d.drop()
	}
	switch {
	case err == nil:
		return nil
	case parent.Err() != nil:
		return parent.Err()
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %s did not answer within %v", platform.ErrNoDisplay, d.name, d.timeout)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: the connection to %s was lost", platform.ErrNoDisplay, d.name)
	}
	return err
}

// guarded turns a panic in xgb's decoding of a malformed reply into an error.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("malformed reply from the X server: %v", r)
		}
	}()
	return f()
}

// connect makes sure there is a connection.
func (d *Display) connect(ctx context.Context) error {
	switch {
	case d.closed:
		return net.ErrClosed
	case d.client != nil:
		return nil
	case d.name == "":
		return fmt.Errorf("%w: DISPLAY is not set", platform.ErrNoDisplay)
	}
	a, err := parseDisplay(d.name)
	if err != nil {
		return fmt.Errorf("%w: %w", platform.ErrNoDisplay, err)
	}
	c, err := connect(ctx, a)
	if err != nil {
		return fmt.Errorf("%w: connecting to %s: %w", platform.ErrNoDisplay, d.name, err)
	}
	d.client = c
	return nil
}

func (d *Display) drop() {
	if d.client != nil {
		d.client.close()
		d.client = nil
	}
}
