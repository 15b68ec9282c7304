package headless

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cuatui/engine/limits"
)

// MCPPath is where an HTTPServer answers.
const MCPPath = "/mcp"

// sessionHeader names the connection that a request belongs to.
const sessionHeader = "Mcp-Session-Id"

// HTTPServer answers any number of MCP clients over streamable HTTP, on a
// loopback address, each with sessions of its own.
type HTTPServer struct {
	// Open returns an engine whose sessions no other connection knows.
	Open func() (Engine, error)
	// Token is what a client says to be let in; see CheckToken.
	Token string
	// Log gets one record a call, without arguments and results; nil: none.
	Log *slog.Logger
	// Version is what a client is told of the build.
	Version string

	lost time.Duration // limits.ConnectionLost, if 0
}

// Serve answers on l, a listener of ListenLoopback, until ctx is cancelled, which
// is a request to end and no failure. A connection ends when its client deletes
// it, has made no request for limits.ConnectionIdle, or had a stream that broke
// and does not come back within limits.ConnectionLost. Its calls are cancelled
// then and its sessions ended, as all are at the end of Serve. The error is that
// of the listener, or of ending a session.
func (s *HTTPServer) Serve(ctx context.Context, l net.Listener) error {
	h := &httpFace{
		open: s.Open, log: (&Server{Log: s.Log}).log(), lost: cmp.Or(s.lost, limits.ConnectionLost),
		conns: map[string]*httpConn{}, clients: map[string]*client{},
	}
	h.ctx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	defer h.stop()
	h.mcp = mcpServer(s.Version, h.of)
	h.next = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return h.mcp }, &mcp.StreamableHTTPOptions{
		SessionTimeout: limits.ConnectionIdle, MaxRequestBodyBytes: lineBytesMax,
	})
	server := &http.Server{
		Handler:           newGuard(l.Addr(), s.Token, h),
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(h.log.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
	}
	ended := h.end()
	closing, cancel := context.WithTimeout(h.ctx, limits.EndSessionTimeout)
	defer cancel()
	if server.Shutdown(closing) != nil { //nolint:contextcheck // ctx has ended
		_ = server.Close() // who holds a request open after its connection has ended is not waited for
	}
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		err = fmt.Errorf("serving HTTP: %w", err)
		return errors.Join(err, ended)
	}
	return ended
}

// httpFace is the state of one Serve.
type httpFace struct {
	open func() (Engine, error)
	log  *slog.Logger
	ctx  context.Context // of all calls
	stop context.CancelFunc
	lost time.Duration
	mcp  *mcp.Server
	next http.Handler // the SDK's

	mu       sync.Mutex
	ending   bool
	opening  int                  // requests that may make a connection
	conns    map[string]*httpConn // those that have made a call, by their ids
	clients  map[string]*client   // those that are heard, by the ids of their connections
	watching sync.WaitGroup       // over conns
	errs     []error              // of ending sessions
}

// httpConn is a connection that has made a call, so that it may own something.
type httpConn struct {
	*mcpFace
	cancel context.CancelFunc // of its calls
	ended  chan struct{}      // closed when its sessions are
}

// of returns the connection of an SDK's session, which its first call makes.
func (h *httpFace) of(session *mcp.ServerSession) (*mcpFace, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.conns[session.ID()]; c != nil {
		return c.mcpFace, nil
	}
	if h.ending {
		return nil, errEnding
	}
	engine, err := h.open()
	if err != nil {
		return nil, fmt.Errorf("opening a connection: %w", err)
	}
	c := &httpConn{ended: make(chan struct{})}
	c.mcpFace = &mcpFace{engine: engine, log: h.log, slots: make(chan struct{}, inFlightMax)}
	c.ctx, c.cancel = context.WithCancel(h.ctx)
	h.conns[session.ID()] = c
	h.watching.Go(func() { h.watch(c, session) })
	return c.mcpFace, nil
}

// errEnding is the answer to who comes too late.
var errEnding = errors.New("the server is ending")

// watch ends what a connection opened, once it has ended and no call of it runs.
func (h *httpFace) watch(c *httpConn, session *mcp.ServerSession) {
	_ = session.Wait() // however it ended
	c.cancel()
	err := c.sessions.endAll(h.ctx, c.engine)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, session.ID())
	if err != nil {
		h.errs = append(h.errs, err)
	}
	close(c.ended)
}

// end ends every connection, and waits for that.
func (h *httpFace) end() error {
	h.mu.Lock()
	h.ending = true
	for _, c := range h.clients {
		c.stays()
	}
	h.mu.Unlock()
	h.stop()
	var closing sync.WaitGroup
	for session := range h.mcp.Sessions() {
		closing.Go(func() { _ = session.Close() })
	}
	closing.Wait()
	h.watching.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	return errors.Join(h.errs...)
}

// ServeHTTP hands a request that the guard has let through to the SDK.
func (h *httpFace) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		if !h.room() {
			http.Error(w, fmt.Sprintf("there are %d connections, or the server is ending", limits.ConnectionsMax), http.StatusServiceUnavailable)
			return
		}
		defer h.roomed()
	}
	h.hear(id, r.Method)
	defer h.heard(id)
	h.mu.Lock()
	c := h.conns[id]
	h.mu.Unlock()
	if r.Method != http.MethodDelete || c == nil {
		h.next.ServeHTTP(w, r)
		return
	}
	c.cancel() // or it would be waited for its calls
	h.next.ServeHTTP(w, r)
	<-c.ended // so that the answer says that all is released
}

// room says whether a request may make a connection; roomed is its end.
func (h *httpFace) room() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.opening
	for range h.mcp.Sessions() {
		n++
	}
	if h.ending || n >= limits.ConnectionsMax {
		return false
	}
	h.opening++
	return true
}

func (h *httpFace) roomed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.opening--
}

// client is who is at the other end of a connection.
type client struct {
	session  *mcp.ServerSession
	requests int         // that are not answered, streams among them
	streamed bool        // it has had a stream: without one, nothing tells that it is gone
	waiting  *time.Timer // for it to come back, nil while that was never needed
}

// stays ends the wait for a client.
func (c *client) stays() {
	if c.waiting != nil {
		c.waiting.Stop()
	}
}

// hear notes a request of a connection.
func (h *httpFace) hear(id, method string) {
	session := h.session(id)
	if session == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.clients[id]
	if c == nil {
		c = &client{session: session}
		h.clients[id] = c
	}
	c.stays()
	c.requests++
	c.streamed = c.streamed || method == http.MethodGet
}

// heard is the end of a request. Who had a stream and has no request any more has
// to come back.
func (h *httpFace) heard(id string) {
	session := h.session(id)
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.clients[id]
	if c == nil {
		return
	}
	if c.requests--; c.requests > 0 {
		return
	}
	if session == nil || !c.streamed || h.ending {
		delete(h.clients, id)
		return
	}
	if c.waiting != nil {
		c.waiting.Reset(h.lost)
		return
	}
	c.waiting = time.AfterFunc(h.lost, func() { _ = session.Close() })
}

// session is the SDK's session of an id, nil if there is none.
func (h *httpFace) session(id string) *mcp.ServerSession {
	if id == "" {
		return nil
	}
	for s := range h.mcp.Sessions() {
		if s.ID() == id {
			return s
		}
	}
	return nil
}
