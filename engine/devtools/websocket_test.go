package devtools

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

func TestDialWebSocketTakesLoopbackEndpointsOnly(t *testing.T) {
	for _, refused := range []string{
		"", "://", "127.0.0.1:9222", "http://127.0.0.1:9222/x", "wss://127.0.0.1:9222/x",
		"ws://127.0.0.1/x", "ws://user:pass@127.0.0.1:9222/x", "ws://example.com:9222/x",
		"ws://localhost.example.com:9222/x", "ws://192.168.1.7:9222/x", "ws://0.0.0.0:9222/x", "ws://[::]:9222/x",
		"ws://[::ffff:10.0.0.1]:9222/x", "ws://127.0.0.1.example.com:9222/x", "ws://2130706433:9222/x", "ws://:9222/x",
	} {
		if addresses, err := loopbackAddresses(refused); err == nil {
			t.Errorf("%q: would connect to %v", refused, addresses)
		}
		if _, err := DialWebSocket(gone(), refused); err == nil {
			t.Errorf("%q: connected", refused)
		}
	}
	for taken, want := range map[string]string{
		"ws://127.0.0.1:9222/devtools/browser/a": "127.0.0.1:9222",
		"ws://127.8.9.1:1/":                      "127.8.9.1:1",
		"ws://[::1]:9222/x":                      "[::1]:9222",
		"ws://[::ffff:127.0.0.1]:9222/x":         "[::ffff:127.0.0.1]:9222",
		"ws://localhost:9222/x":                  "127.0.0.1:9222 [::1]:9222",
	} {
		if addresses, err := loopbackAddresses(taken); err != nil || strings.Join(addresses, " ") != want {
			t.Errorf("%q: %v, %v", taken, addresses, err)
		}
	}
}

func gone() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// serve starts a WebSocket server that runs f on its only connection.
func serve(t *testing.T, f func(*websocket.Conn)) (url string) {
	t.Helper()
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		upgrader := websocket.Upgrader{CheckOrigin: func(r *http.Request) bool { return r.Header.Get("Origin") == "" }}
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Errorf("upgrading: %v", err)
			return
		}
		defer conn.Close()
		f(conn)
	}))
	t.Cleanup(func() {
		<-done
		server.Close()
	})
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

func echoFrames(conn *websocket.Conn) {
	for {
		kind, data, err := conn.ReadMessage()
		if err != nil || conn.WriteMessage(kind, data) != nil {
			return
		}
	}
}

func TestWebSocketCarriesMessagesOfAnySize(t *testing.T) {
	transport, err := DialWebSocket(t.Context(), serve(t, echoFrames))
	if err != nil {
		t.Fatal(err)
	}
	defer transport.Close()
	for _, size := range []int{1, 4096, pipeChunk - 1, pipeChunk, pipeChunk + 1, socketBuffer, partBytes, 5 * partBytes, 5*partBytes + 1, 7} {
		if err := transport.WriteMessage([]byte(pattern(size))); err != nil {
			t.Fatal(err)
		}
		got, err := transport.ReadMessage()
		if err != nil || string(got) != pattern(size) {
			t.Errorf("%d bytes came as %d, %v", size, len(got), err)
		}
	}
	if last := transport.(*socket).last; last != 5*partBytes+1 {
		t.Errorf("the guess for the next long message is %d bytes", last)
	}
	if ends, ok := transport.(interface{ LocalAddr() net.Addr }); !ok || ends.LocalAddr().(*net.TCPAddr).Port == 0 {
		t.Error("the transport does not say which socket it is")
	}
}

func TestWebSocketEndsWithAClearError(t *testing.T) {
	ends := map[string]struct {
		server func(*websocket.Conn)
		want   string
	}{
		"closed": {func(c *websocket.Conn) {
			_ = c.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, "bye"))
		}, "going away"},
		"cut":              {func(c *websocket.Conn) { c.NetConn().Close() }, "unexpected EOF"},
		"cut in a message": {func(c *websocket.Conn) { c.NetConn().Write([]byte{0x81, 100, '{'}); c.NetConn().Close() }, "unexpected EOF"},
		"cut in a long message": {func(c *websocket.Conn) {
			c.NetConn().Write(append([]byte{0x81, 127, 0, 0, 0, 0, 1, 0, 0, 0}, pattern(3*partBytes)...))
			c.NetConn().Close()
		}, "unexpected EOF"},
		"over the limit": {func(c *websocket.Conn) {
			c.NetConn().Write([]byte{0x81, 127, 0, 0, 0, 0, 0x7f, 0, 0, 0})
			io.Copy(io.Discard, c.NetConn())
		}, "read limit exceeded"},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			transport, err := DialWebSocket(t.Context(), serve(t, end.server))
			if err != nil {
				t.Fatal(err)
			}
			defer transport.Close()
			got, err := transport.ReadMessage()
			if err == nil || !strings.Contains(err.Error(), end.want) {
				t.Errorf("read %d bytes, %v", len(got), err)
			}
			if err != nil && strings.Contains(err.Error(), "127.0.0.1") {
				t.Errorf("the error holds the address: %v", err)
			}
		})
	}
}

func TestDialWebSocketErrorsHoldNoAddress(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	closed.Close()
	page := httptest.NewServer(http.NotFoundHandler())
	defer page.Close()
	for what, url := range map[string]string{
		"nobody listens":   "ws://" + address + "/devtools/browser/secret",
		"no such endpoint": "ws" + strings.TrimPrefix(page.URL, "http") + "/devtools/browser/secret",
	} {
		_, err := DialWebSocket(t.Context(), url)
		if err == nil || strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := DialWebSocket(gone(), "ws://"+address+"/"); err == nil || !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "cancel") {
		t.Errorf("with a context that is over: %v", err)
	}
}

func TestWebSocketCloseEndsReadAndWrite(t *testing.T) {
	release := make(chan struct{})
	transport, err := DialWebSocket(t.Context(), serve(t, func(*websocket.Conn) { <-release }))
	if err != nil {
		t.Fatal(err)
	}
	defer close(release)
	ended := make(chan error, 2)
	go func() {
		_, err := transport.ReadMessage()
		ended <- err
	}()
	go func() {
		message := []byte(pattern(8 * partBytes))
		for {
			if err := transport.WriteMessage(message); err != nil { // blocks: nobody reads
				ended <- err
				return
			}
		}
	}()
	if err := transport.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-ended; err == nil {
			t.Error("no error after Close")
		}
	}
}

func TestConnOverAWebSocket(t *testing.T) {
	url := serve(t, func(conn *websocket.Conn) {
		for id := 1; ; id++ {
			if _, _, err := conn.ReadMessage(); err != nil {
				return
			}
			reply := `{"id":` + string(rune('0'+id)) + `,"result":{"pad":"` + pattern(id*partBytes) + `"}}`
			if err := conn.WriteMessage(websocket.TextMessage, []byte(reply)); err != nil {
				return
			}
		}
	})
	transport, err := DialWebSocket(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	c := New(transport, Options{})
	defer c.Close()
	for id := 1; id < 4; id++ {
		var reply struct{ Pad string }
		if err := c.Browser().Call(t.Context(), "Test.pad", pattern(100_000), &reply); err != nil || reply.Pad != pattern(id*partBytes) {
			t.Errorf("call %d: %d bytes, %v", id, len(reply.Pad), err)
		}
	}
}
