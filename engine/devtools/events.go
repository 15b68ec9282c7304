package devtools

import (
	"encoding/json"
	"slices"

	"cuatui/engine/limits"
)

// channelEvents is how many events a subscription holds ready in its channel.
const channelEvents = 256

// Event is one event. Params are as the browser wrote them, not checked, and
// shared with other subscriptions: read them only.
type Event struct {
	Seq    uint64 // position of its message on the wire
	Method string
	Params json.RawMessage
}

// queued is an event and what it costs to hold, in bytes.
type queued struct {
	Event
	size int
}

// Events is a subscription. It must be read or closed: what it holds unread
// counts against its session.
type Events struct {
	session *Session
	methods []string
	ch      chan Event
	stop    chan struct{}
	exited  chan struct{}
	wake    chan struct{} // holds a token while there may be a backlog
	drains  chan chan []Event

	// Guarded by Conn.mu.
	err     error
	stopped bool
	backlog []queued // what did not fit the channel
	sizes   []int    // costs of what was put into the channel, oldest first
}

// Subscribe delivers the named events from now on, in the order of the wire;
// without names, every event of the session. On a session that has not made a
// call yet, the events it has sent so far come first, to the first subscription
// that names them. On a session that has ended the subscription is ended.
func (s *Session) Subscribe(events ...string) *Events {
	c := s.conn
	e := &Events{
		session: s,
		methods: slices.Clone(events),
		ch:      make(chan Event, channelEvents),
		stop:    make(chan struct{}),
		exited:  make(chan struct{}),
		wake:    make(chan struct{}, 1),
		drains:  make(chan chan []Event),
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	why := s.err
	if why == nil && s.earlyLost && !s.begun {
		why = ErrOverflow
	}
	if why != nil {
		e.stopLocked(why)
		close(e.exited)
		close(e.ch)
		return e
	}
	s.subs = append(s.subs, e)
	kept := s.early
	s.early = nil
	for _, q := range kept {
		if e.wants(q.Method) {
			c.unclaimed -= q.size
			e.put(q)
		} else {
			s.early = append(s.early, q)
		}
	}
	c.wg.Go(e.pump)
	return e
}

func (e *Events) wants(method string) bool {
	return len(e.methods) == 0 || slices.Contains(e.methods, method)
}

// C delivers the events. It is closed when the subscription, its session or the
// connection ends; Err then says why, and of events not yet received only the
// next few hundred are still delivered.
func (e *Events) C() <-chan Event { return e.ch }

// Err is why the subscription ended: nil while it lives and after Close, else
// ErrOverflow or the end of its session.
func (e *Events) Err() error {
	e.session.conn.mu.Lock()
	defer e.session.conn.mu.Unlock()
	return e.err
}

// Drain returns, without waiting, every event that was received and not yet
// taken. After a call has returned that is all that came before its reply.
func (e *Events) Drain() []Event {
	reply := make(chan []Event, 1)
	select {
	case e.drains <- reply:
		return <-reply
	case <-e.exited:
		return e.takeReady()
	}
}

// Close ends the subscription.
func (e *Events) Close() {
	c := e.session.conn
	c.mu.Lock()
	e.stopLocked(nil)
	e.session.subs = slices.DeleteFunc(e.session.subs, func(o *Events) bool { return o == e })
	c.mu.Unlock()
	<-e.exited
}

// stopLocked ends the subscription and gives its memory back.
func (e *Events) stopLocked(why error) {
	if e.stopped {
		return
	}
	e.stopped, e.err = true, why
	for _, q := range e.backlog {
		e.session.unread -= q.size
	}
	for _, size := range e.sizes {
		e.session.unread -= size
	}
	e.backlog, e.sizes = nil, nil
	close(e.stop)
}

// take gives an event of the session to its subscriptions. Conn.mu is held.
func (s *Session) take(ev Event, size int) {
	wanted := false
	for _, e := range s.subs {
		if e.wants(ev.Method) {
			wanted = true
			e.put(queued{ev, size})
		}
	}
	if !wanted && !s.begun {
		s.conn.keepEarly(s, ev, size)
	}
	if s.unread <= limits.SessionQueueBytesMax {
		return
	}
	for _, e := range s.subs {
		e.settle()
	}
	if s.unread > limits.SessionQueueBytesMax {
		for _, e := range s.subs {
			e.stopLocked(ErrOverflow)
		}
		s.subs = nil
	}
}

// put adds an event: to the channel if it has room and nothing is before it.
func (e *Events) put(q queued) {
	e.settle()
	e.session.unread += q.size
	if len(e.backlog) == 0 {
		select {
		case e.ch <- q.Event:
			e.sizes = append(e.sizes, q.size)
			return
		default:
		}
	}
	e.backlog = append(e.backlog, q)
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// settle stops counting what was received from the channel: what is no longer in
// it is gone from the front of sizes. While pump has put an event in and not said
// so yet, this counts too much, never too little.
func (e *Events) settle() {
	for len(e.sizes) > len(e.ch) {
		e.session.unread -= e.sizes[0]
		e.sizes = e.sizes[1:]
	}
}

// pump moves the backlog into the channel as room comes. An event stays at the
// head of the backlog until it is in the channel, so that put cannot overtake it.
func (e *Events) pump() {
	defer close(e.exited)
	defer close(e.ch)
	for {
		var out chan<- Event
		head, ok := e.head()
		if ok {
			out = e.ch
		}
		select {
		case <-e.stop:
			return
		case <-e.wake:
		case out <- head:
			e.moved()
		case reply := <-e.drains:
			reply <- e.takeAll()
		}
	}
}

func (e *Events) head() (Event, bool) {
	e.session.conn.mu.Lock()
	defer e.session.conn.mu.Unlock()
	if len(e.backlog) == 0 {
		return Event{}, false
	}
	return e.backlog[0].Event, true
}

func (e *Events) moved() {
	e.session.conn.mu.Lock()
	defer e.session.conn.mu.Unlock()
	if len(e.backlog) == 0 {
		return // stopped meanwhile
	}
	e.sizes = append(e.sizes, e.backlog[0].size)
	e.backlog[0] = queued{}
	e.backlog = e.backlog[1:]
	e.settle()
}

// takeAll runs in pump, so no event is on its way into the channel.
func (e *Events) takeAll() []Event {
	e.session.conn.mu.Lock()
	defer e.session.conn.mu.Unlock()
	events := e.takeReady()
	for _, q := range e.backlog {
		events = append(events, q.Event)
		e.session.unread -= q.size
	}
	e.backlog = nil
	e.settle()
	return events
}

// takeReady empties the channel.
func (e *Events) takeReady() []Event {
	var events []Event
	for {
		select {
		case ev, ok := <-e.ch:
			if !ok {
				return events
			}
			events = append(events, ev)
		default:
			return events
		}
	}
}
