package devtools

import "sync"

// outbox is the queue of the one writer. Whoever adds never waits for the
// browser to read, and what was not begun can be taken back.
type outbox struct {
	wake chan struct{} // holds a token while there may be something to write

	mu    sync.Mutex
	queue []*outgoing
	bytes int
	limit int
}

// outgoing is one message on its way.
type outgoing struct {
	session *Session
	data    []byte // nil once it is taken: by the writer or by its owner
	queued  bool
	written chan struct{}
}

func newOutbox(limit int) *outbox {
	return &outbox{wake: make(chan struct{}, 1), limit: limit}
}

// add gives the message its place in the order of writing.
func (o *outbox) add(m *outgoing) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bytes > 0 && o.bytes+len(m.data) > o.limit {
		return errWriteBacklog
	}
	o.queue = append(o.queue, m)
	m.queued = true
	o.bytes += len(m.data)
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return nil
}

// next waits for the message to write now; nil when done is closed.
func (o *outbox) next(done <-chan struct{}) (*outgoing, []byte) {
	for {
		if m, data := o.pop(); m != nil {
			return m, data
		}
		select {
		case <-o.wake:
		case <-done:
			return nil, nil
		}
	}
}

func (o *outbox) pop() (*outgoing, []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) > 0 {
		m := o.queue[0]
		o.queue[0] = nil
		o.queue = o.queue[1:]
		if data := m.data; data != nil {
			m.data, m.queued = nil, false
			o.bytes -= len(data)
			return m, data
		}
	}
	o.queue = nil
	return nil, nil
}

// withdraw takes a message back unless its writing has begun.
func (o *outbox) withdraw(m *outgoing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m.queued {
		o.bytes -= len(m.data)
	}
	m.data, m.queued = nil, false
}
