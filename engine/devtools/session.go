package devtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mafredri/cdp/rpcc"
)

// sendGrace is how long Send waits for a browser that does not read: it has no
// context to go by, and a healthy browser takes a request in microseconds.
const sendGrace = 100 * time.Millisecond

// Session is one attached target, or the browser itself. Its methods may be
// called from any goroutine.
type Session struct {
	conn  *Conn
	id    string
	tail  string // what closes every request of the session
	ended chan struct{}
	tally tally
	codec *codec

	rpcOnce sync.Once
	rpc     *rpcc.Conn
	rpcErr  error

	// Guarded by Conn.mu.
	err       error
	parent    *Session // who announced it; nil: unknown
	claimed   bool
	begun     bool // it has sent a request
	early     []queued
	earlyLost bool
	subs      []*Events
	unread    int // bytes its subscriptions hold
}

func newSession(c *Conn, id string) *Session {
	s := &Session{conn: c, id: id, tail: "}", ended: make(chan struct{})}
	if id != "" {
		text, _ := json.Marshal(id) // a string always encodes
		s.tail = `,"sessionId":` + string(text) + "}"
	}
	s.codec = newCodec(s)
	return s
}

// ID is the session's id in the protocol, empty for the root.
func (s *Session) ID() string { return s.id }

// Counters of this session only.
func (s *Session) Counters() Counters { return s.tally.counters() }

func (s *Session) endError() error {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.err
}

// Send sends a call and does not wait for its reply. The message is written when
// Send returns; if the browser does not read, it has its place in the order of
// writing, and what gives up the Pending takes it back. An error, of encoding
// too, is the Pending's.
func (s *Session) Send(method string, params any) *Pending {
	r, err := s.newRequest(method, params)
	if err == nil {
		err = s.conn.post(r, 0)
	}
	if err != nil {
		s.conn.mu.Lock()
		r.finish(nil, err)
		s.conn.mu.Unlock()
		return &Pending{r}
	}
	grace := time.NewTimer(sendGrace)
	defer grace.Stop()
	select {
	case <-r.out.written:
	case <-s.ended:
	case <-grace.C:
	}
	return &Pending{r}
}

// Detach lets the session go. It ends with ErrDetached, here and in the browser;
// also when the browser does not answer, and then the error says so. Detaching
// what is gone already, with the browser or alone, is no error.
func (s *Session) Detach(ctx context.Context) error {
	c := s.conn
	if s == c.root {
		return errors.New("the root session cannot be detached")
	}
	c.mu.Lock()
	parent := s.parent
	gone := s.err != nil
	c.mu.Unlock()
	if gone {
		return nil //nolint:nilerr // what has ended is detached already
	}
	if parent == nil {
		parent = c.root
	}
	err := parent.Call(ctx, "Target.detachFromTarget", map[string]any{"sessionId": s.id}, nil)
	c.mu.Lock()
	c.end(s, ErrDetached)
	c.mu.Unlock()
	var refused *Error
	if err == nil || errors.Is(err, ErrClosed) || errors.Is(err, ErrDetached) || errors.As(err, &refused) {
		return nil
	}
	return fmt.Errorf("detaching: %w", err)
}
