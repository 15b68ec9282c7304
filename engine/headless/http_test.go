package headless_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/limits"
)

const aToken = "0123456789abcdefghijklmnopqrstuv"

// httpServer is an HTTPServer that serves, and what it has opened.
type httpServer struct {
	t    *testing.T
	url  string
	port string
	stop context.CancelFunc
	done chan error // what Serve returned

	mu     sync.Mutex
	opened []*namespace
}

// namespace is an engine that knows the sessions that were opened in it.
type namespace struct {
	*fakeEngine
	mu    sync.Mutex
	open  map[string]bool
	ended chan string
}

func (n *namespace) StartSession(_ context.Context, r contract.StartSessionRequest) (*contract.StartSessionResult, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.open[r.Session] {
		return nil, &contract.ArgumentError{Field: "session", Message: "a session of this name is open"}
	}
	n.open[r.Session] = true
	return &contract.StartSessionResult{Status: contract.OK, Session: r.Session}, nil
}

func (n *namespace) EndSession(_ context.Context, r contract.EndSessionRequest) (*contract.EndSessionResult, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.open[r.Session] {
		return nil, &contract.ArgumentError{Field: "session", Message: "no such session is open"}
	}
	time.Sleep(longer) // than an answer that does not wait for it would take
	delete(n.open, r.Session)
	n.ended <- r.Session
	return &contract.EndSessionResult{Status: contract.OK, Session: r.Session, Released: []string{}}, nil
}

func serveHTTP(t *testing.T, eng *fakeEngine, lost time.Duration) *httpServer {
	t.Helper()
	l, err := headless.ListenLoopback(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	h := &httpServer{t: t, url: "http://" + l.Addr().String() + headless.MCPPath, stop: stop, done: make(chan error, 1)}
	_, h.port, _ = net.SplitHostPort(l.Addr().String())
	s := &headless.HTTPServer{Token: aToken, Version: "v1", Open: func() (headless.Engine, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		n := &namespace{fakeEngine: eng, open: map[string]bool{}, ended: make(chan string, 10)}
		h.opened = append(h.opened, n)
		return n, nil
	}}
	s.LosesAfter(lost)
	go func() { h.done <- s.Serve(ctx, l) }()
	return h
}

// end asks the server to end and returns what Serve returned.
func (h *httpServer) end() {
	h.t.Helper()
	h.stop()
	if err := <-h.done; err != nil {
		h.t.Errorf("Serve = %v; being asked to end is a normal end", err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// nth is the engine of the nth connection that made a call.
func (h *httpServer) nth(i int) *namespace {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.opened[i]
}

// authorized adds the token to every request.
type authorized struct{}

func (authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+aToken)
	return http.DefaultTransport.RoundTrip(r)
}

func (h *httpServer) dial() *mcpClient {
	h.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "v1"}, nil)
	session, err := client.Connect(h.t.Context(), &mcp.StreamableClientTransport{Endpoint: h.url, HTTPClient: &http.Client{Transport: authorized{}}}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	return &mcpClient{t: h.t, ClientSession: session}
}

// do sends a request as a client writes it, with the token, and returns the
// answer. A header of "" is left out.
func (h *httpServer) do(ctx context.Context, method, id, body string, headers map[string]string) (*http.Response, error) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, h.url, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	all := map[string]string{
		"Authorization": "Bearer " + aToken, "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": id,
	}
	for name, value := range headers {
		all[name] = value
	}
	for name, value := range all {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	r.Host = headers["Host"]
	return http.DefaultClient.Do(r)
}

const (
	hello  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	thanks = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	starts = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"start_session","arguments":{"session":"a"}}}`
	lists  = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_windows","arguments":{"session":"a"}}}`
)

// must sends a request that has to be answered with a status, and returns the
// answer's connection and text.
func (h *httpServer) must(status int, method, id, body string, headers map[string]string) (connection, text string) {
	h.t.Helper()
	r, err := h.do(h.t.Context(), method, id, body, headers)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	if r.StatusCode != status {
		h.t.Errorf("%s %v is answered %d %s, want %d", method, headers, r.StatusCode, data, status)
	}
	if status == http.StatusUnauthorized && r.Header.Get("WWW-Authenticate") != "Bearer" {
		h.t.Errorf("it is not said what is missing: %v", r.Header)
	}
	if r.Header.Get("Access-Control-Allow-Origin") != "" {
		h.t.Errorf("a page of another origin may read it: %v", r.Header)
	}
	return r.Header.Get("Mcp-Session-Id"), string(data)
}

// connect is the way from hello to a connection that has opened a session.
func (h *httpServer) connect() (id string) {
	h.t.Helper()
	id, _ = h.must(200, "POST", "", hello, nil)
	h.must(202, "POST", id, thanks, nil)
	if _, text := h.must(200, "POST", id, starts, nil); !strings.Contains(text, "session a is open") {
		h.t.Fatalf("start_session is answered %s", text)
	}
	return id
}

func TestHTTPLetsInWhoKnowsTheTokenAndNoPage(t *testing.T) {
	h := serveHTTP(t, &fakeEngine{}, 0)
	as := func(name, value string) map[string]string { return map[string]string{name: value} }
	for _, tt := range []struct {
		name    string
		headers map[string]string
		want    int
	}{
		{"as a program", nil, 200},
		{"by another name of this machine", as("Host", "localhost:"+h.port), 200},
		{"by another address of this machine", as("Host", "127.0.0.2:"+h.port), 200},
		{"by its address of the other kind", as("Host", "[::1]:"+h.port), 200},
		{"from a page of its own", as("Origin", "http://127.0.0.1:"+h.port), 200},
		{"scheme in other letters", as("Authorization", "bearer "+aToken), 200},

		{"no token", as("Authorization", ""), 401},
		{"an empty token", as("Authorization", "Bearer "), 401},
		{"a scheme alone", as("Authorization", "Bearer"), 401},
		{"another token", as("Authorization", "Bearer "+strings.Repeat("x", 32)), 401},
		{"a token that goes on", as("Authorization", "Bearer "+aToken+"x"), 401},
		{"the beginning of the token", as("Authorization", "Bearer "+aToken[:31]), 401},
		{"another scheme", as("Authorization", "Basic "+aToken), 401},
		{"the token alone", as("Authorization", aToken), 401},
		{"the token and a space", as("Authorization", "Bearer  "+aToken), 401},

		{"a page of another site", as("Origin", "https://example.com"), 403},
		{"a page of another port", as("Origin", "http://127.0.0.1:1"), 403},
		{"a page of another machine", as("Origin", "http://192.0.2.1:"+h.port), 403},
		{"a page by another scheme", as("Origin", "https://127.0.0.1:"+h.port), 403},
		{"a page without an origin", as("Origin", "null"), 403},
		{"a page whose name begins alike", as("Origin", "http://127.0.0.1:"+h.port+".example.com"), 403},
		{"a page whose address has a user", as("Origin", "http://127.0.0.1:"+h.port+"@example.com"), 403},
		{"a page without the token", map[string]string{"Origin": "https://example.com", "Authorization": ""}, 403},

		{"a name that was made to point here", as("Host", "example.com:"+h.port), 403},
		{"a name that begins alike", as("Host", "localhost.example.com:"+h.port), 403},
		{"a name that looks like an address", as("Host", "127.0.0.1.example.com:"+h.port), 403},
		{"an address of nobody", as("Host", "0.0.0.0:"+h.port), 403},
		{"another port", as("Host", "127.0.0.1:1"), 403},
		{"no port", as("Host", "127.0.0.1"), 403},
		{"a name of it and its own origin", map[string]string{"Host": "example.com:" + h.port, "Origin": "http://example.com:" + h.port}, 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			outer := h.t
			h.t = t
			defer func() { h.t = outer }()
			id, _ := h.must(tt.want, "POST", "", hello, tt.headers)
			if (id != "") != (tt.want == 200) {
				t.Errorf("the connection is %q", id)
			}
			if id != "" {
				h.must(204, "DELETE", id, "", nil)
			}
		})
	}
	url := h.url
	h.url = strings.TrimSuffix(url, headless.MCPPath) + "/"
	h.must(404, "POST", "", hello, nil)
	h.must(401, "POST", "", hello, as("Authorization", ""))
	h.url = url
	h.must(404, "POST", "nobody's", starts, nil)
	h.must(404, "DELETE", "nobody's", "", nil)
	h.must(400, "POST", "", "{", nil)
	h.must(413, "POST", "", strings.Repeat(" ", 2<<20)+hello, nil)
	h.end()
}

func TestHTTPListensOnLoopbackOnly(t *testing.T) {
	for _, address := range []string{
		"", ":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.com:0", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000", "127.0.0.1:-1", "127.0.0.1:http", "[fe80::1%lo]:0", "[::1%lo]:0", "localhost", "127.1:0", "/run/socket",
	} {
		l, err := headless.ListenLoopback(t.Context(), address)
		if !errors.Is(err, headless.ErrNotLoopback) {
			t.Errorf("%q: %v, want %v", address, err, headless.ErrNotLoopback)
		}
		if l != nil {
			_ = l.Close()
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "127.0.0.9:0"} {
		l, err := headless.ListenLoopback(t.Context(), address)
		if err != nil {
			t.Errorf("%q: %v", address, err)
			continue
		}
		if tcp, ok := l.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() || tcp.Port == 0 {
			t.Errorf("%q: listens on %v", address, l.Addr())
		}
		_, err = headless.ListenLoopback(t.Context(), l.Addr().String())
		if err == nil || errors.Is(err, headless.ErrNotLoopback) {
			t.Errorf("an address that is taken: %v", err)
		}
		_ = l.Close()
	}
}

func TestHTTPClientsHaveSessionsOfTheirOwn(t *testing.T) {
	h := serveHTTP(t, clicker(), 0)
	one, other := h.dial(), h.dial()
	for _, c := range []*mcpClient{one, other} { // of one name, at the same time
		if r := c.must("start_session", map[string]any{"session": "a"}); r.IsError {
			t.Errorf("start_session: %s", textOf(t, r))
		}
	}
	one.must("start_session", map[string]any{"session": "mine"})
	if r := other.must("end_session", map[string]any{"session": "mine"}); !r.IsError || !strings.Contains(textOf(t, r), "no such session") {
		t.Errorf("another's session is ended: %s", textOf(t, r))
	}
	if got := textOf(t, one.must("browser_click", clickArgs("p1:1"))); !strings.HasPrefix(got, "refused browser_ref_stale (superseded)") {
		t.Errorf("a refusal reads %s", got)
	}
	if len(h.opened) != 2 {
		t.Fatalf("%d engines for two clients", len(h.opened))
	}
	if err := one.Close(); err != nil { // a DELETE, answered when all is released
		t.Error(err)
	}
	if one, two := len(h.nth(0).ended), len(h.nth(1).ended); one != 2 || two != 0 {
		t.Errorf("%d sessions of the client that left are ended, want 2, and %d of the other", one, two)
	}
	other.must("list_windows", map[string]any{"session": "a"})
	_ = other.Close()
	h.end()
}

func TestHTTPDeletingAConnectionCancelsItsCalls(t *testing.T) {
	entered := make(chan string)
	h := serveHTTP(t, gate(entered, nil), 0)
	id := h.connect()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if r, err := h.do(t.Context(), "POST", id, lists, nil); err == nil {
			_, _ = io.Copy(io.Discard, r.Body) // it may be answered, or not any more
			_ = r.Body.Close()
		}
	}()
	<-entered
	h.must(204, "DELETE", id, "", nil)
	if got := <-h.nth(0).ended; got != "a" {
		t.Errorf("session %s was ended", got)
	}
	<-gone
	h.must(404, "POST", id, lists, nil)
	h.end()
}

// longer than a client is waited for, so that a server that ends who it must not
// is seen to; one that is right passes however long it is.
const longer = 30 * time.Millisecond

// A client that is killed closes its streams and says nothing.
func TestHTTPAClientThatIsGoneIsNotWaitedFor(t *testing.T) {
	h := serveHTTP(t, &fakeEngine{}, time.Millisecond)
	id := h.connect()
	ctx, kill := context.WithCancel(t.Context())
	stream, err := h.do(ctx, "GET", id, "", nil)
	if err != nil || stream.StatusCode != 200 {
		t.Fatalf("the stream: %v, %v", stream, err)
	}
	h.must(200, "POST", id, lists, nil)
	time.Sleep(longer)
	h.must(200, "POST", id, lists, nil)
	kill()
	_ = stream.Body.Close()
	if got := <-h.nth(0).ended; got != "a" {
		t.Errorf("session %s was ended", got)
	}
	silent := h.connect() // of who never had a stream, nothing is known
	h.must(200, "POST", silent, lists, nil)
	time.Sleep(longer)
	h.must(200, "POST", silent, lists, nil)
	h.end()
	if got := <-h.nth(1).ended; got != "a" {
		t.Errorf("session %s was ended with the server", got)
	}
}

func TestHTTPAskedToEndCancelsCallsAndEndsSessions(t *testing.T) {
	entered := make(chan string)
	h := serveHTTP(t, gate(entered, nil), 0)
	c := h.dial()
	c.must("start_session", map[string]any{"session": "a"})
	gone := c.begin("list_windows")
	<-entered
	h.end()
	if got := <-h.nth(0).ended; got != "a" {
		t.Errorf("session %s was ended", got)
	}
	<-gone
	_ = c.Close()
	http.DefaultClient.CloseIdleConnections()
}

func TestHTTPConnectionsAreBounded(t *testing.T) {
	h := serveHTTP(t, &fakeEngine{}, 0)
	var ids []string
	for range limits.ConnectionsMax {
		id, _ := h.must(200, "POST", "", hello, nil)
		ids = append(ids, id)
	}
	h.must(503, "POST", "", hello, nil)
	h.must(202, "POST", ids[0], thanks, nil)
	h.must(204, "DELETE", ids[1], "", nil)
	h.must(200, "POST", "", hello, nil)
	h.must(503, "POST", "", hello, nil)
	h.end()
}

func TestATokenThatIsNoneIsNotRepeated(t *testing.T) {
	for _, bad := range []string{"", "short", strings.Repeat("x", 513), strings.Repeat("x", 40) + "\n", strings.Repeat("x", 40) + " y", strings.Repeat("é", 40)} {
		err := headless.CheckToken(bad)
		if err == nil || bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := headless.CheckToken(aToken); err != nil {
		t.Error(err)
	}
}
