package devtools

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"cuatui/engine/limits"
)

// Message is one message as it crossed the wire. Data must not be changed.
type Message struct {
	Seq  uint64 // position among all messages of the connection, from 1
	Sent bool   // to the browser; false: from it
	Data []byte
}

// Options of a connection.
type Options struct {
	// Tap sees every message in order, before it is written or dispatched. It
	// holds up the connection while it runs and must not call into it.
	Tap func(Message)
}

// Counters of a connection or a session since it began.
type Counters struct {
	Calls    int64 // requests handed to the writer
	Events   int64 // events received, subscribed or not
	BytesIn  int64 // bytes of messages received
	BytesOut int64 // bytes of messages handed to the transport
	Sessions int   // sessions attached now, without the root; 0 for a session
}

// tally counts without a lock.
type tally struct {
	calls, events, in, out atomic.Int64
}

func (t *tally) counters() Counters {
	return Counters{Calls: t.calls.Load(), Events: t.events.Load(), BytesIn: t.in.Load(), BytesOut: t.out.Load()}
}

// Conn is one connection to a browser. Its methods may be called from any
// goroutine.
type Conn struct {
	transport Transport
	tap       func(Message)
	out       *outbox
	root      *Session
	done      chan struct{}
	closeErr  error // of the transport; set before done is closed
	wg        sync.WaitGroup
	lastID    atomic.Uint64 // ids are unique in the connection, not only in a session
	tally     tally

	seqMu sync.Mutex // held over the tap, so that it sees messages in order
	seq   uint64

	mu        sync.Mutex
	err       error
	pending   map[uint64]*request
	sessions  map[string]*Session // by id: claimed ones, and those that were announced or spoke
	attached  int                 // sessions that are claimed
	unclaimed int                 // bytes of events kept for sessions that have not begun
}

// New starts the reader and the writer of a connection. Close ends them, and so
// does the loss of the transport.
func New(t Transport, o Options) *Conn {
	c := &Conn{
		transport: t,
		tap:       o.Tap,
		out:       newOutbox(limits.SessionQueueBytesMax),
		done:      make(chan struct{}),
		pending:   make(map[uint64]*request),
		sessions:  make(map[string]*Session),
	}
	c.root = newSession(c, "")
	c.root.claimed, c.root.begun = true, true
	c.sessions[""] = c.root
	c.wg.Go(c.read)
	c.wg.Go(c.write)
	return c
}

// Browser is the root session.
func (c *Conn) Browser() *Session { return c.root }

// Done is closed when the connection is lost or closed.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err says why the connection ended; it wraps ErrClosed. nil while it lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection and everything on it, and waits for the reader, the
// writer and the subscriptions. It must not be called from the tap.
func (c *Conn) Close() error {
	c.fail(errClosedHere)
	<-c.done
	c.wg.Wait()
	return c.closeErr
}

// Counters of all sessions together.
func (c *Conn) Counters() Counters {
	n := c.tally.counters()
	c.mu.Lock()
	n.Sessions = c.attached
	c.mu.Unlock()
	return n
}

// Attach attaches to a target and returns its session.
func (c *Conn) Attach(ctx context.Context, targetID string) (*Session, error) {
	var reply struct {
		SessionID string `json:"sessionId"`
	}
	params := map[string]any{"targetId": targetID, "flatten": true}
	if err := c.root.Call(ctx, "Target.attachToTarget", params, &reply); err != nil {
		return nil, err
	}
	if reply.SessionID == "" {
		return nil, errors.New("attaching to a target: the reply names no session")
	}
	return c.Adopt(reply.SessionID), nil
}

// Adopt claims a session that the browser announced with
// Target.attachedToTarget. Events it has sent since are kept for subscriptions
// made before its first call. On a connection that has ended the session is
// ended too. Adopting a session twice gives the same one.
func (c *Conn) Adopt(sessionID string) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.session(sessionID)
	if c.err != nil {
		c.end(s, c.err)
		return s
	}
	if !s.claimed {
		s.claimed = true
		c.attached++
	}
	return s
}

// read is the one reader. It never waits for a consumer.
func (c *Conn) read() {
	for {
		data, err := c.transport.ReadMessage()
		if err != nil {
			c.fail(err)
			return
		}
		seq := c.stamp(false, data)
		c.tally.in.Add(int64(len(data)))
		e, err := scanEnvelope(data)
		if err != nil {
			c.fail(fmt.Errorf("the browser sent message %d: %w", seq, err))
			return
		}
		if err := c.dispatch(seq, &e, len(data)); err != nil {
			c.fail(err)
			return
		}
	}
}

// write is the one writer. While the transport blocks it, only it waits.
func (c *Conn) write() {
	for {
		m, data := c.out.next(c.done)
		if m == nil {
			return
		}
		c.stamp(true, data)
		c.tally.out.Add(int64(len(data)))
		m.session.tally.out.Add(int64(len(data)))
		if err := c.transport.WriteMessage(data); err != nil {
			c.fail(err)
			return
		}
		close(m.written)
	}
}

// stamp numbers a message. A request gets its number before it is written, so
// it is lower than its reply's.
func (c *Conn) stamp(sent bool, data []byte) uint64 {
	c.seqMu.Lock()
	defer c.seqMu.Unlock()
	c.seq++
	if c.tap != nil {
		c.tap(Message{Seq: c.seq, Sent: sent, Data: data})
	}
	return c.seq
}

// post registers a request and queues it for writing, in one step, so that
// requests are written in the order in which they are posted.
func (c *Conn) post(r *request, rpcID uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := r.session
	if s.err != nil {
		return s.err
	}
	if r.over {
		return r.err
	}
	if err := c.out.add(r.out); err != nil {
		return err
	}
	c.begin(s)
	r.rpcID = rpcID
	c.pending[r.id] = r
	c.tally.calls.Add(1)
	s.tally.calls.Add(1)
	return nil
}

// giveUp ends a request for its caller: it is not written if it was not yet, and
// its reply is dropped.
func (c *Conn) giveUp(r *request, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, r.id)
	c.out.withdraw(r.out)
	if r.rpcID == 0 {
		r.viaRPC = false // rpcc does not wait for it
	}
	r.finish(nil, why)
}

// abandoned gives up a call that rpcc returned from with an error, and says what
// ended it: the session, or else the context.
func (c *Conn) abandoned(ctx context.Context, r *request, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if ended := r.session.endError(); ended != nil {
		err = ended
	}
	c.giveUp(r, err)
	return err
}

// fail ends the connection, once.
func (c *Conn) fail(cause error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = fmt.Errorf("%w: %w", ErrClosed, cause)
	for _, s := range c.sessions {
		c.end(s, c.err)
	}
	c.mu.Unlock()
	c.closeErr = c.transport.Close()
	close(c.done)
}
