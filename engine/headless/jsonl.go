package headless

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
)

const (
	// inFlightMax bounds the calls that run at once. While so many run, no
	// further line is read, cancellations included.
	inFlightMax = 32
	idBytesMax  = 128
)

// Serve answers JSON lines with no log; see Server.Serve.
func Serve(ctx context.Context, engine Engine, in io.Reader, out io.Writer) error {
	return (&Server{Engine: engine}).Serve(ctx, in, out)
}

// Server answers one program on a pair of streams: Serve in JSON lines, ServeMCP
// in the Model Context Protocol.
type Server struct {
	Engine Engine
	// Log gets one record a call, without arguments and results; nil: none.
	Log *slog.Logger
	// Version is what an MCP client is told of the build.
	Version string
}

func (s *Server) log() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}

// request is one line of input: a call, or the cancellation of one.
type request struct {
	ID        json.RawMessage `json:"id,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Cancel    json.RawMessage `json:"cancel,omitempty"`
}

// reply is one line of output. An ID of nil is written as null.
type reply struct {
	ID     json.RawMessage     `json:"id"`
	Result any                 `json:"result,omitempty"`
	Error  *contract.CallError `json:"error,omitempty"`
}

// Serve reads one request a line and writes one reply a line until in ends:
//
//	{"id":1,"tool":"list_windows","arguments":{"session":"a"}}   a call
//	{"cancel":1}                                                 ends that call early
//
// Calls run concurrently and are answered as they end, except start_session,
// which is answered before the next line is read, so that a script may use the
// session at once. A line that is no request is answered with id null.
//
// When in ends, Serve waits for the calls in flight and then ends every session
// that was opened. When ctx is cancelled, which is a request to end and no
// failure, it cancels the calls, closes in if it can and ends the sessions.
// Neither end waits for long for a reader of out that takes nothing. The error
// is that of a stream, of a deadline of ctx, or of ending a session.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := &conversation{
		engine: s.Engine, log: s.log(), out: newOutlet(ctx, in, out), stop: stop,
		slots: make(chan struct{}, inFlightMax), inFlight: map[string]context.CancelFunc{},
	}
	err := c.readAll(ctx, in)
	c.running.Wait()
	if cause := context.Cause(ctx); cause != nil {
		err = unlessAsked(cause)
	}
	return errors.Join(err, c.sessions.endAll(ctx, c.engine))
}

// unlessAsked drops the error of having been asked to end.
func unlessAsked(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// conversation is the state of one Serve.
type conversation struct {
	engine  Engine
	log     *slog.Logger
	stop    context.CancelCauseFunc
	slots   chan struct{} // one a running call
	running sync.WaitGroup

	out      *Outlet
	sessions openSessions

	mu       sync.Mutex
	inFlight map[string]context.CancelFunc // by id, as written
}

// readAll carries out the lines of in until it or ctx ends. The stream is read
// by a goroutine of its own, because a Read cannot be cancelled; when ctx ends
// first and in cannot be closed, that goroutine ends with its current Read.
func (c *conversation) readAll(ctx context.Context, in io.Reader) error {
	lines := make(chan inputLine)
	go readLines(in, lines, ctx.Done(), c.out.inputEnded)
	for {
		select {
		case <-ctx.Done():
			if closer, ok := in.(io.Closer); ok {
				_ = closer.Close() // only to end the Read above
			}
			return nil
		case line := <-lines:
			switch {
			case errors.Is(line.err, errLineTooLong):
				var long longLineError
				_ = errors.As(line.err, &long)
				c.reject(c.free(long.id), &contract.ArgumentError{Message: line.err.Error()})
			case errors.Is(line.err, io.EOF):
				return nil
			case line.err != nil:
				return fmt.Errorf("reading requests: %w", line.err)
			default:
				c.carryOut(ctx, line.text)
			}
		}
	}
}

// carryOut answers one line, or starts the call that will.
func (c *conversation) carryOut(ctx context.Context, line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	r, err := contract.Decode[request](line)
	if err == nil {
		err = r.validate()
	}
	if err != nil {
		c.reject(c.idIn(line), err)
		return
	}
	if r.Cancel != nil {
		c.cancel(string(r.Cancel))
		return
	}
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	callCtx, cancel := context.WithCancel(ctx)
	if !c.enter(string(r.ID), cancel) {
		cancel()
		<-c.slots
		c.reject(nil, &contract.ArgumentError{Field: "id", Message: "belongs to a call that is still in flight"})
		return
	}
	c.running.Add(1)
	run := func() {
		defer c.running.Done()
		defer func() { <-c.slots }()
		defer cancel()
		c.call(callCtx, r)
	}
	if r.Tool == "start_session" {
		run()
		return
	}
	go run()
}

func (r *request) validate() error {
	if r.Cancel != nil {
		if r.ID != nil || r.Tool != "" || r.Arguments != nil {
			return &contract.ArgumentError{Field: "cancel", Message: "stands alone"}
		}
		return validateID("cancel", r.Cancel)
	}
	if err := validateID("id", r.ID); err != nil {
		return err
	}
	if r.Tool == "" {
		return &contract.ArgumentError{Field: "tool", Message: "is required"}
	}
	return nil
}

// validateID admits a JSON string or number of a bounded length.
func validateID(field string, id json.RawMessage) error {
	text := len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
	if !text || len(id) > idBytesMax {
		return &contract.ArgumentError{Field: field, Message: fmt.Sprintf("must be a string or a number of at most %d bytes", idBytesMax)}
	}
	return nil
}

// enter records a call in flight, unless its id is taken.
func (c *conversation) enter(id string, cancel context.CancelFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight[id] != nil {
		return false
	}
	c.inFlight[id] = cancel
	return true
}

// cancel ends a call early. A call that has ended already is no error: the two
// lines may have crossed.
func (c *conversation) cancel(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.inFlight[id]; cancel != nil {
		cancel()
	}
}

// call runs one call to its reply.
func (c *conversation) call(ctx context.Context, r *request) {
	start := time.Now()
	a := Call(ctx, c.engine, r.Tool, r.Arguments)
	logCall(ctx, c.log, r.Tool, time.Since(start), a)
	c.sessions.note(a)
	c.mu.Lock()
	delete(c.inFlight, string(r.ID)) // before the reply, after which the id may be used again
	c.mu.Unlock()
	c.write(reply{ID: r.ID, Result: a.Value(), Error: a.Err})
}

// reject answers a line that is no request.
func (c *conversation) reject(id json.RawMessage, err error) {
	c.write(reply{ID: id, Error: contract.NewCallError(err)})
}

// idIn finds the id in a line that is no request, so that its sender can tell
// which of its lines the error is about; nil if there is none, or if it is of a
// call in flight, whose answer this is not.
func (c *conversation) idIn(line []byte) json.RawMessage {
	var r struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(line, &r) != nil || validateID("id", r.ID) != nil {
		return nil
	}
	return c.free(r.ID)
}

// free returns the id, nil if it is of a call in flight.
func (c *conversation) free(id json.RawMessage) json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight[string(id)] != nil {
		return nil
	}
	return id
}

// write sends one reply. A stream that takes no more ends the conversation.
func (c *conversation) write(r reply) {
	line, err := encodeLine(r)
	if err != nil {
		line, err = encodeLine(reply{ID: r.ID, Error: contract.NewCallError(err)})
	}
	if err == nil {
		_, err = c.out.Write(line)
	}
	if err != nil {
		c.stop(fmt.Errorf("writing a reply: %w", err))
	}
}

// encodeLine renders v as one line of JSON that is safe to print.
func encodeLine(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding a reply: %w", err)
	}
	line := snapshotfmt.PrintableJSON(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return append(line, '\n'), nil
}

// logCall records how a call ended. Neither arguments nor results are logged,
// because both may hold page text.
func logCall(ctx context.Context, log *slog.Logger, tool string, took time.Duration, a Answer) {
	attrs := []slog.Attr{slog.String("tool", tool), slog.Float64("ms", float64(took.Microseconds())/1000)}
	switch {
	case a.Refusal != nil:
		attrs = append(attrs, slog.String("code", string(a.Refusal.Refusal.Code)), slog.String("reason", string(a.Refusal.Refusal.Reason)))
	case a.Err != nil:
		attrs = append(attrs, slog.String("kind", string(a.Err.Kind)), slog.String("field", a.Err.Field))
		if cause := a.Err.Unwrap(); cause != nil && a.Err.Kind != contract.BadArguments {
			attrs = append(attrs, slog.String("cause", cause.Error()))
		}
	}
	log.LogAttrs(ctx, slog.LevelInfo, "call", attrs...)
}
