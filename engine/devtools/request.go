package devtools

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"cuatui/engine/limits"
)

// request is one call, from its encoding to its answer.
type request struct {
	session *Session
	method  string
	id      uint64
	out     *outgoing

	// Guarded by Conn.mu until done is closed, or until rpcc has handed the
	// answer over.
	viaRPC bool
	rpcID  uint64 // the number rpcc knows the call by
	over   bool   // answered, failed or given up
	result []byte
	err    error
	done   chan struct{}
}

// newRequest encodes the call at once, in the caller's goroutine: afterwards
// nothing reads params, however long the message waits to be written.
func (s *Session) newRequest(method string, params any) (*request, error) {
	r := &request{session: s, method: method, id: s.conn.lastID.Add(1), done: make(chan struct{})}
	name, err := json.Marshal(method)
	if err != nil {
		return r, fmt.Errorf("encoding the method: %w", err)
	}
	var body []byte
	if params != nil {
		if body, err = json.Marshal(params); err != nil {
			return r, fmt.Errorf("encoding the parameters of %s: %w", method, err)
		}
	}
	frame := make([]byte, 0, len(name)+len(body)+len(s.tail)+64)
	frame = append(frame, `{"id":`...)
	frame = strconv.AppendUint(frame, r.id, 10)
	frame = append(frame, `,"method":`...)
	frame = append(frame, name...)
	if body != nil {
		frame = append(frame, `,"params":`...)
		frame = append(frame, body...)
	}
	frame = append(frame, s.tail...)
	r.out = &outgoing{session: s, data: frame, written: make(chan struct{})}
	return r, nil
}

// finish ends the request. Conn.mu is held.
func (r *request) finish(result []byte, err error) {
	if r.over {
		return
	}
	r.over, r.result, r.err = true, result, err
	if r.viaRPC {
		r.session.codec.push(r)
	}
	close(r.done)
}

// Pending is a call that was sent and whose reply is not awaited yet.
type Pending struct {
	r *request
}

// Raw waits for the reply and returns its result as the browser wrote it: JSON
// that nobody has checked. The caller owns the bytes. Giving up is final: every
// later Raw returns the same error, and the reply is dropped when it comes.
func (p *Pending) Raw(ctx context.Context) ([]byte, error) {
	r := p.r
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	select {
	case <-r.done:
	case <-ctx.Done():
		r.session.conn.giveUp(r, ctx.Err()) // nothing, if the answer is here after all
		<-r.done
	}
	if r.err != nil {
		return nil, fmt.Errorf("calling %s: %w", r.method, r.err)
	}
	return r.result, nil
}

// Decode waits for the reply and decodes its result.
func (p *Pending) Decode(ctx context.Context, result any) error {
	raw, err := p.Raw(ctx)
	if err != nil {
		return err
	}
	return decodeResult(p.r.method, raw, result)
}

func decodeResult(method string, raw []byte, result any) error {
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("decoding the reply to %s: %w", method, err)
	}
	return nil
}

// withDeadline gives a context that has none the budget of a protocol call.
func withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limits.CallTimeout)
}
