package attach

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"cuatui/engine/refusal"
	"cuatui/platform"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answerMax is how long a listener that answers may take; no test waits for it.
const answerMax = 20 * time.Second

const browserGUID = "/devtools/browser/9f1c2c1e-0000-4000-8000-000000000000"

// browser is the process whose endpoint is looked for.
var browser = platform.Process{PID: 100, PPID: 1, Start: 5000, Executable: "/usr/lib/chromium/chromium", Args: []string{"chromium"}, UID: 1000}

// child is a process of the same launch.
func child(pid, ppid int, start uint64) platform.Process {
	return platform.Process{PID: pid, PPID: ppid, Start: start, Executable: browser.Executable, UID: browser.UID}
}

// system is what the operating system says, as the test wants it.
type system struct {
	platform.System
	processes []platform.Process
	listeners map[int][]netip.AddrPort
	peer      int   // the process at the other end of every connection
	peerErr   error // instead
	err       error // of every question
	hidden    int   // a process whose sockets are not visible
}

func (s *system) Process(_ context.Context, pid int) (platform.Process, error) {
	i := slices.IndexFunc(s.processes, func(p platform.Process) bool { return p.PID == pid })
	if s.err != nil || i < 0 {
		return platform.Process{}, errors.Join(s.err, platform.ErrNotFound)
	}
	return s.processes[i], nil
}

func (s *system) Processes(context.Context) ([]platform.Process, error) { return s.processes, s.err }

func (s *system) Listeners(ctx context.Context, pid int) ([]netip.AddrPort, error) {
	if _, err := s.Process(ctx, pid); err != nil {
		return nil, err
	}
	if pid == s.hidden {
		return nil, platform.ErrUnknown
	}
	return s.listeners[pid], nil
}

func (s *system) PeerPID(context.Context, int, int) (int, error) { return s.peer, s.peerErr }

// running is a system in which the browser runs, beside others, and listens.
func running(at []netip.AddrPort, others ...platform.Process) *system {
	return &system{
		processes: append([]platform.Process{{PID: 1, Start: 1, Executable: "/sbin/init"}, browser}, others...),
		listeners: map[int][]netip.AddrPort{browser.PID: at}, peer: browser.PID,
	}
}

// serve serves HTTP on a free loopback port of the host until the test ends.
func serve(t *testing.T, host string, handler http.Handler) netip.AddrPort {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: handler, ReadHeaderTimeout: answerMax}}
	s.Start()
	t.Cleanup(s.Close)
	return l.Addr().(*net.TCPAddr).AddrPort()
}

// endpoint is a browser's debugging port: it hands out its own address, takes
// a connection at the path, and counts what it is asked.
type endpoint struct {
	t     *testing.T
	url   string // "": the one of the listener itself
	asked chan string
}

func newEndpoint(t *testing.T) *endpoint { return &endpoint{t: t, asked: make(chan string, 64)} }

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.asked <- r.URL.Path
	switch r.URL.Path {
	case "/json/version":
		url := e.url
		if url == "" {
			url = "ws://" + r.Host + browserGUID
		}
		_, _ = w.Write([]byte(`{"Browser": "Chrome/156.0.0.0", "webSocketDebuggerUrl": "` + url + `"}`))
	case browserGUID:
		c, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			e.t.Error(err)
			return
		}
		defer c.Close()
		_, message, err := c.ReadMessage() // until the other side closes
		if err == nil {
			e.asked <- string(message)
		}
	default:
		http.NotFound(w, r)
	}
}

// refused fails the test if err is no refusal for the reason.
func refused(t *testing.T, err error, reason refusal.Reason) {
	t.Helper()
	r, ok := refusal.As(err)
	if !ok || r.Reason != reason {
		t.Fatalf("got %v, want a refusal for %s", err, reason)
	}
}

// nowhere is a loopback address on which nothing listens.
func nowhere(t *testing.T) netip.AddrPort {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).AddrPort()
}
