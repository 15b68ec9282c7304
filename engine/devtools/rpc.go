package devtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mafredri/cdp/rpcc"
)

// codec stands between one session and its rpcc connection. Requests leave
// through the connection's writer, answers come from its reader; rpcc sees
// neither bytes nor sessions, and its own limits on both do not apply.
type codec struct {
	session *Session
	wake    chan struct{} // holds a token while there may be an answer

	mu      sync.Mutex
	answers []*request
}

func newCodec(s *Session) *codec {
	return &codec{session: s, wake: make(chan struct{}, 1)}
}

// WriteRequest queues what Call has encoded and never waits for the browser: rpcc
// holds a lock meanwhile, behind which every other call would wait.
func (k *codec) WriteRequest(q *rpcc.Request) error {
	r, ok := q.Args.(*request)
	if !ok {
		return errors.New("the request was not made by Session.Call")
	}
	return k.session.conn.post(r, q.ID)
}

// push hands an answered request to rpcc.
func (k *codec) push(r *request) {
	k.mu.Lock()
	k.answers = append(k.answers, r)
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

func (k *codec) pop() *request {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.answers) == 0 {
		return nil
	}
	r := k.answers[0]
	k.answers[0] = nil
	k.answers = k.answers[1:]
	return r
}

// ReadResponse waits for the next answer. An error of the call travels in the
// request, not here, so that it keeps its type.
func (k *codec) ReadResponse(a *rpcc.Response) error {
	for {
		if r := k.pop(); r != nil {
			a.ID, a.Result = r.rpcID, r.result
			if r.err != nil {
				a.Result = json.RawMessage("null")
			}
			return nil
		}
		select {
		case <-k.wake:
		case <-k.session.ended:
			if err := k.session.endError(); k.empty() {
				return err
			}
		}
	}
}

func (k *codec) empty() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.answers) == 0
}

// noSocket is the connection rpcc believes it dialled.
type noSocket struct{}

func (noSocket) Read([]byte) (int, error)    { return 0, io.EOF }
func (noSocket) Write(b []byte) (int, error) { return len(b), nil }
func (noSocket) Close() error                { return nil }

// rpcConn makes the session's rpcc connection when the first call needs it.
func (s *Session) rpcConn() (*rpcc.Conn, error) {
	s.rpcOnce.Do(func() {
		s.rpc, s.rpcErr = rpcc.DialContext(context.Background(), "",
			rpcc.WithDialer(func(context.Context, string) (io.ReadWriteCloser, error) { return noSocket{}, nil }),
			rpcc.WithCodec(func(io.ReadWriter) rpcc.Codec { return s.codec }))
	})
	return s.rpc, s.rpcErr
}

// Call makes one typed call: params are encoded, the reply decoded into result;
// both may be nil. It returns by the context's deadline, or else within
// limits.CallTimeout, even while the connection cannot be written. An error reply
// is an *Error. Results of megabytes are better off with Send.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	r, err := s.newRequest(method, params)
	if err != nil {
		return err
	}
	r.viaRPC = true
	conn, err := s.rpcConn() //nolint:contextcheck // the connection outlives this call
	if err != nil {
		return fmt.Errorf("calling %s: %w", method, err)
	}
	// rpcc decodes into what it is given even after the caller has left, so it
	// gets a value nobody else holds; the caller's is filled here.
	var reply json.RawMessage
	var into any
	if result != nil {
		into = &reply
	}
	err = rpcc.Invoke(ctx, method, r, into, conn)
	if err == nil {
		err = r.err
	} else {
		err = s.conn.abandoned(ctx, r, err)
	}
	if err != nil {
		return fmt.Errorf("calling %s: %w", method, err)
	}
	return decodeResult(method, reply, result)
}
