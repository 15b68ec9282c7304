package headless

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cuatui/engine/limits"
	"cuatui/snapshotfmt"
)

// drainTimeout is how long calls in flight may still be answered after the end
// of input, before they are cancelled.
const drainTimeout = limits.EndSessionTimeout

// mcpStream carries MCP messages, one a line. It stands in for the transport of
// the SDK in three points: a line that is no message is answered and skipped
// and does not end the connection; what is written cannot steer a terminal; and
// the end of input is passed on only when the calls before it are answered, so
// that a file of calls can be piped in.
//
// While inFlightMax calls are unanswered, the next call waits, and what follows it.
type mcpStream struct {
	in     io.Reader
	lines  chan inputLine
	closed chan struct{}
	once   sync.Once

	out      *Outlet
	slots    chan struct{} // one a call that is unanswered
	mu       sync.Mutex
	inFlight map[jsonrpc.ID]bool // the same calls
}

func newMCPStream(ctx context.Context, in io.Reader, out io.Writer) *mcpStream {
	return &mcpStream{
		in: in, out: newOutlet(ctx, in, out), lines: make(chan inputLine), closed: make(chan struct{}),
		slots: make(chan struct{}, inFlightMax), inFlight: map[jsonrpc.ID]bool{},
	}
}

// Connect implements [mcp.Transport]; it is called once.
func (s *mcpStream) Connect(context.Context) (mcp.Connection, error) {
	go readLines(s.in, s.lines, s.closed, s.out.inputEnded)
	return s, nil
}

// SessionID implements [mcp.Connection]: a pair of streams is one session.
func (*mcpStream) SessionID() string { return "" }

// Close implements [mcp.Connection]. It ends a Read that waits.
func (s *mcpStream) Close() error {
	s.once.Do(func() {
		close(s.closed)
		if closer, ok := s.in.(io.Closer); ok {
			_ = closer.Close() // only to end the Read of the stream
		}
	})
	return nil
}

// Read implements [mcp.Connection]. It is called by one goroutine.
func (s *mcpStream) Read(context.Context) (jsonrpc.Message, error) {
	for {
		var line inputLine
		select {
		case line = <-s.lines:
		case <-s.closed:
			return nil, io.EOF
		}
		if line.err != nil && !errors.Is(line.err, errLineTooLong) {
			s.drain()
			return nil, line.err
		}
		msg, code, err := decodeMessage(line)
		var id json.RawMessage
		if err != nil {
			id = s.idIn(line)
		}
		if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() {
			code, err = jsonrpc.CodeInvalidRequest, s.enter(r.ID)
		}
		if err != nil {
			msg, err = nil, s.reject(id, code, err.Error())
		}
		if msg != nil || err != nil {
			return msg, err
		}
	}
}

var errIDTaken = errors.New("the id belongs to a call that is still in flight")

// enter waits until a call may run and records it, unless its id is taken: the
// SDK would leave such a call unanswered.
func (s *mcpStream) enter(id jsonrpc.ID) error {
	s.mu.Lock()
	taken := s.inFlight[id]
	s.inFlight[id] = true
	s.mu.Unlock()
	if taken {
		return errIDTaken
	}
	select {
	case s.slots <- struct{}{}:
	case <-s.closed: // the Read after this one says so
	}
	return nil
}

// leave says whether a call was in flight, and that it is no more.
func (s *mcpStream) leave(id jsonrpc.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.inFlight[id]
	delete(s.inFlight, id)
	return was
}

// decodeMessage reads one message, nil for a blank line, or says with which code
// the line is rejected.
func decodeMessage(line inputLine) (jsonrpc.Message, int64, error) {
	text := bytes.TrimSpace(line.text)
	switch {
	case line.err != nil:
		return nil, jsonrpc.CodeInvalidRequest, line.err
	case len(text) == 0:
		return nil, 0, nil
	case !json.Valid(text):
		return nil, jsonrpc.CodeParseError, errors.New("the line is not valid JSON")
	}
	msg, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, jsonrpc.CodeInvalidRequest, errors.New("the line is not one JSON-RPC 2.0 message")
	}
	return msg, 0, nil
}

// drain waits until every call is answered, for a while.
func (s *mcpStream) drain() {
	t := time.NewTimer(drainTimeout)
	defer t.Stop()
	for range cap(s.slots) { // all of them are free once this has taken them
		select {
		case s.slots <- struct{}{}:
		case <-s.closed:
			return
		case <-t.C:
			return
		}
	}
}

// Write implements [mcp.Connection]. It may be called concurrently.
func (s *mcpStream) Write(_ context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encoding an answer: %w", err)
	}
	answers := false
	if r, ok := msg.(*jsonrpc.Response); ok {
		answers = s.leave(r.ID) // before it is written, after which the id may be used again
	}
	err = s.writeLine(append(snapshotfmt.PrintableJSON(data), '\n'))
	if answers {
		<-s.slots
	}
	return err
}

// idIn finds the id in a line that is rejected, so that its sender need not wait
// for an answer; nil if there is none, if the line is no request, or if the id is
// of a call in flight, whose answer this is not.
func (s *mcpStream) idIn(line inputLine) json.RawMessage {
	var long longLineError
	if !errors.As(line.err, &long) && json.Valid(line.text) {
		var scan idScan
		scan.feed(line.text)
		long = longLineError{scan.found(), scan.request}
	}
	if long.id == nil || !long.request {
		return nil
	}
	msg, err := jsonrpc.DecodeMessage(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"ping"}`, long.id))
	call, ok := msg.(*jsonrpc.Request)
	if err != nil || !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight[call.ID] {
		return nil
	}
	return long.id
}

// reject answers a line that is no message, by its id or, with nil, by null.
func (s *mcpStream) reject(id json.RawMessage, code int64, message string) error {
	var r struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   struct {
			Code    int64  `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	r.ID, r.Version, r.Error.Code, r.Error.Message = id, "2.0", code, message
	line, err := encodeLine(r)
	if err != nil {
		return err
	}
	return s.writeLine(line)
}

func (s *mcpStream) writeLine(line []byte) error {
	if _, err := s.out.Write(line); err != nil {
		return fmt.Errorf("writing an answer: %w", err)
	}
	return nil
}
