// Package enginetest is a scripted browser for tests of the engine: a
// devtools.Transport that answers protocol calls as the test says, so that the
// order of the wire, its delays, its errors and its end are in the test's hands
// and nothing depends on time.
//
// Replies come in the order of the requests, each after the events its handler
// emitted, because handlers run while the request is written. A method given to
// [Browser.Take] is answered by the test instead, when and in whatever order it
// likes. [Browser.Pipe] serves the same script as bytes, to cut it anywhere.
//
//	b := enginetest.New()
//	b.Handle("Runtime.evaluate", func(session string, params json.RawMessage) (any, *devtools.Error) {
//		b.Emit(session, "Runtime.consoleAPICalled", map[string]any{"type": "log"})
//		return map[string]any{"result": map[string]any{"value": 7}}, nil
//	})
//	conn := devtools.New(b, devtools.Options{})
//	defer conn.Close()
//
// As in Chromium, a method without a handler is answered with code -32601, a
// session that is not attached with -32001 and no session id. Attaching and
// detaching work from the start, for any target id.
package enginetest

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"cuatui/engine/devtools"
)

// ErrSilent is what a Handler returns to give no answer at all.
var ErrSilent = &devtools.Error{Message: "enginetest: no answer"}

// Handler answers one call. It may call the Browser's methods but Pipe's.
type Handler func(session string, params json.RawMessage) (result any, err *devtools.Error)

// Request is one call as the browser received it.
type Request struct {
	ID      uint64          `json:"id"`
	Session string          `json:"sessionId"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`

	browser *Browser
}

// Browser is the fake. It is safe for use from several goroutines.
type Browser struct {
	lost chan struct{}

	mu       sync.Mutex
	changed  *sync.Cond
	handlers map[string]Handler
	taken    map[string]chan *Request
	sessions map[string]string // attached sessions and their targets
	log      []Request
	wire     [][]byte // messages on their way to the reader
	err      error    // why the connection ended
	writable chan struct{}
	attached int
	loseAt   int  // the request at which the connection is lost; 0: none
	handled  bool // it is handled first, and its answer lost
	loseErr  error
}

// New makes a browser that knows how to attach and detach and nothing else.
func New() *Browser {
	b := &Browser{
		lost:     make(chan struct{}),
		handlers: make(map[string]Handler),
		taken:    make(map[string]chan *Request),
		sessions: make(map[string]string),
		writable: make(chan struct{}),
	}
	close(b.writable)
	b.changed = sync.NewCond(&b.mu)
	b.Handle("Target.attachToTarget", b.attach)
	b.Handle("Target.detachFromTarget", b.detach)
	return b
}

// Handle answers every later call of the method with h, in any session.
func (b *Browser) Handle(method string, h Handler) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.handlers[method] = h
}

// Handler is what answers calls of the method now, for a test to build on.
func (b *Browser) Handler(method string) Handler {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.handlers[method]
}

// Result answers every later call of the method with one result.
func (b *Browser) Result(method string, result any) {
	b.Handle(method, func(string, json.RawMessage) (any, *devtools.Error) { return result, nil })
}

// Fail answers every later call of the method with an error.
func (b *Browser) Fail(method string, code int, message string) {
	b.Handle(method, func(string, json.RawMessage) (any, *devtools.Error) {
		return nil, &devtools.Error{Code: code, Message: message}
	})
}

// Take leaves every later call of the method to the test: each comes through
// the channel and is answered by its Reply or Fail, or never.
func (b *Browser) Take(method string) <-chan *Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	ch := make(chan *Request, 1024)
	b.taken[method] = ch
	return ch
}

// Reply answers a taken request with a result.
func (r *Request) Reply(result any) {
	r.browser.answer(r, result, nil)
}

// Fail answers a taken request with an error.
func (r *Request) Fail(code int, message string) {
	r.browser.answer(r, nil, &devtools.Error{Code: code, Message: message})
}

// Emit sends an event, of the root when session is empty. In a handler, it
// precedes the reply.
func (b *Browser) Emit(session, method string, params any) {
	b.EmitRaw(encode(
		member{"method", method}, member{"params", params}, member{"sessionId", session}))
}

// EmitRaw sends a message as it is, well formed or not.
func (b *Browser) EmitRaw(message []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wire = append(b.wire, message)
	b.changed.Broadcast()
}

// Announce attaches a session the client did not ask for, below the session
// parent, as auto-attach does.
func (b *Browser) Announce(parent, session, target string) {
	b.AnnounceAs(parent, session, map[string]any{"targetId": target, "type": "page", "title": "", "url": "", "attached": true})
}

// AnnounceAs is Announce with the target's info as the test says it.
func (b *Browser) AnnounceAs(parent, session string, info map[string]any) {
	target, _ := info["targetId"].(string)
	b.mu.Lock()
	b.sessions[session] = target
	b.mu.Unlock()
	b.Emit(parent, "Target.attachedToTarget", map[string]any{"sessionId": session, "targetInfo": info, "waitingForDebugger": false})
}

// Gone detaches a session from the browser's side, announced on the session parent.
func (b *Browser) Gone(parent, session string) {
	b.mu.Lock()
	target := b.sessions[session]
	delete(b.sessions, session)
	b.mu.Unlock()
	b.Emit(parent, "Target.detachedFromTarget", map[string]any{"sessionId": session, "targetId": target})
}

// Lose ends the connection. What was sent before is still read; then reading
// fails with err, and so does writing, at once.
func (b *Browser) Lose(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
		close(b.lost)
		b.changed.Broadcast()
	}
}

// LoseAt ends the connection with err when request n, counted from 1, has been
// received, before it is answered.
func (b *Browser) LoseAt(n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.loseAt, b.loseErr, b.handled = n, err, false
}

// LoseAfter ends the connection with err when request n, counted from 1, has
// been handled: the events of its handler are sent, and its answer is lost.
func (b *Browser) LoseAfter(n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.loseAt, b.loseErr, b.handled = n, err, true
}

// BlockWrites makes the browser stop reading its requests until release is called
// or the connection ends.
func (b *Browser) BlockWrites() (release func()) {
	gate := make(chan struct{})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writable = gate
	return sync.OnceFunc(func() { close(gate) })
}

// Log lists every request so far, in the order of the wire.
func (b *Browser) Log() []Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Request(nil), b.log...)
}

// Calls lists the requests of one method, in the order of the wire.
func (b *Browser) Calls(method string) []Request {
	var calls []Request
	for _, r := range b.Log() {
		if r.Method == method {
			calls = append(calls, r)
		}
	}
	return calls
}

// ReadMessage gives the client the next message.
func (b *Browser) ReadMessage() ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.wire) == 0 && b.err == nil {
		b.changed.Wait()
	}
	if len(b.wire) == 0 {
		return nil, b.err
	}
	message := b.wire[0]
	b.wire = b.wire[1:]
	return message, nil
}

// WriteMessage takes a request of the client and answers it.
func (b *Browser) WriteMessage(data []byte) error {
	b.mu.Lock()
	gate := b.writable
	b.mu.Unlock()
	select {
	case <-gate:
	case <-b.lost:
	}
	r := &Request{browser: b}
	if err := json.Unmarshal(data, r); err != nil {
		return fmt.Errorf("the client sent no request: %w", err)
	}
	b.mu.Lock()
	if b.err != nil {
		defer b.mu.Unlock()
		return b.err
	}
	b.log = append(b.log, *r)
	last := len(b.log) == b.loseAt
	if last && !b.handled {
		b.mu.Unlock()
		b.Lose(b.loseErr)
		return nil
	}
	_, attached := b.sessions[r.Session]
	handler, taken := b.handlers[r.Method], b.taken[r.Method]
	b.mu.Unlock()
	switch {
	case r.Session != "" && !attached:
		b.answer(&Request{ID: r.ID}, nil, &devtools.Error{Code: -32001, Message: "Session with given id not found."})
	case taken != nil:
		taken <- r
	case handler != nil:
		if result, err := handler(r.Session, r.Params); err != ErrSilent && !last {
			b.answer(r, result, err)
		}
	default:
		b.answer(r, nil, &devtools.Error{Code: -32601, Message: "'" + r.Method + "' wasn't found"})
	}
	if last {
		b.Lose(b.loseErr)
	}
	return nil
}

// Close is the client's end of the connection.
func (b *Browser) Close() error {
	b.Lose(io.ErrClosedPipe)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wire = nil
	return nil
}

func (b *Browser) answer(r *Request, result any, err *devtools.Error) {
	last := member{"result", result}
	if err != nil {
		failure := map[string]any{"code": err.Code, "message": err.Message}
		if err.Data != "" {
			failure["data"] = err.Data
		}
		last = member{"error", failure}
	} else if result == nil {
		last.value = struct{}{}
	}
	b.EmitRaw(encode(member{"id", r.ID}, last, member{"sessionId", r.Session}))
}

func (b *Browser) attach(parent string, params json.RawMessage) (any, *devtools.Error) {
	var p struct {
		TargetID string `json:"targetId"`
		Flatten  bool   `json:"flatten"`
	}
	if json.Unmarshal(params, &p) != nil || !p.Flatten {
		return nil, &devtools.Error{Code: -32602, Message: "Invalid parameters"}
	}
	b.mu.Lock()
	b.attached++
	session := fmt.Sprintf("SESSION%d", b.attached)
	b.mu.Unlock()
	b.Announce(parent, session, p.TargetID)
	return map[string]any{"sessionId": session}, nil
}

func (b *Browser) detach(parent string, params json.RawMessage) (any, *devtools.Error) {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	b.mu.Lock()
	err := json.Unmarshal(params, &p)
	_, attached := b.sessions[p.SessionID]
	b.mu.Unlock()
	if err != nil || !attached {
		return nil, &devtools.Error{Code: -32602, Message: "No session with given id"}
	}
	b.Gone(parent, p.SessionID)
	return nil, nil
}
