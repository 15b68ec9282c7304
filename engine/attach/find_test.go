package attach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuatui/engine/refusal"
	"cuatui/platform"
)

func TestTheEndpointOfAProcessIsFound(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "::1"} {
		t.Run(host, func(t *testing.T) {
			at := serve(t, host, newEndpoint(t))
			e, err := Find(t.Context(), running([]netip.AddrPort{at}), browser, "")
			if err != nil {
				t.Fatal(err)
			}
			if want := "ws://" + at.String() + browserGUID; e.url != want || e.Owner != browser.Fingerprint() || e.Source != JSONVersion {
				t.Errorf("found %+v, want %s of the browser", e, want)
			}
		})
	}
}

// TestAnotherListenerOnTheSamePortIsNotAsked: the browser listens on one
// address family, somebody else on the same port of the other.
func TestAnotherListenerOnTheSamePortIsNotAsked(t *testing.T) {
	own, other := newEndpoint(t), newEndpoint(t)
	at := serve(t, "::1", own)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", at.Port()))
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: other, ReadHeaderTimeout: answerMax}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), <-done); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	if _, err := Find(t.Context(), running([]netip.AddrPort{at}), browser, ""); err != nil {
		t.Error(err)
	}
	if n := len(other.asked); n > 0 || len(own.asked) != 1 {
		t.Errorf("the other listener was asked %d times, the browser %d", n, len(own.asked))
	}
}

// handler answers /json/version with a body.
func handler(status int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func TestWhatAListenerAnswersIsNotBelieved(t *testing.T) {
	redirected := newEndpoint(t)
	elsewhere := serve(t, "127.0.0.1", redirected)
	tests := []struct {
		name   string
		answer http.Handler
		reason refusal.Reason
	}{
		{"another port", &endpoint{t: t, asked: make(chan string, 9), url: "ws://127.0.0.1:1" + browserGUID}, refusal.OtherProcess},
		{"another machine", &endpoint{t: t, asked: make(chan string, 9), url: "ws://example.com:9222" + browserGUID}, refusal.OtherProcess},
		{"no port", &endpoint{t: t, asked: make(chan string, 9), url: "ws://127.0.0.1" + browserGUID}, refusal.OtherProcess},
		{"another scheme", &endpoint{t: t, asked: make(chan string, 9), url: "http://127.0.0.1" + browserGUID}, refusal.OtherProcess},
		{"no URL at all", &endpoint{t: t, asked: make(chan string, 9), url: "::"}, refusal.OtherProcess},
		{"a name and a password", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"webSocketDebuggerUrl": "ws://me:pw@%s%s"}`, r.Host, browserGUID)
		}), refusal.OtherProcess},
		{"the path of a page", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"webSocketDebuggerUrl": "ws://%s/devtools/page/1"}`, r.Host)
		}), refusal.NoEndpoint},
		{"a redirect to another listener", http.RedirectHandler("http://"+elsewhere.String()+"/json/version", http.StatusFound), refusal.NoEndpoint},
		{"not found", http.NotFoundHandler(), refusal.NoEndpoint},
		{"an error page", handler(http.StatusInternalServerError, `{"webSocketDebuggerUrl": "ws://127.0.0.1:1/"}`), refusal.NoEndpoint},
		{"no JSON", handler(http.StatusOK, "<html>"), refusal.NoEndpoint},
		{"JSON of another shape", handler(http.StatusOK, `{"webSocketDebuggerUrl": ["ws://127.0.0.1"]}`), refusal.NoEndpoint},
		{"JSON without an endpoint", handler(http.StatusOK, `{"Browser": "node.js/v22"}`), refusal.NoEndpoint},
		{"nothing", handler(http.StatusOK, ""), refusal.NoEndpoint},
		{"more than a browser says", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"filler": "%s", "webSocketDebuggerUrl": "ws://%s%s"}`, strings.Repeat("x", 2*probeBytesMax), r.Host, browserGUID)
		}), refusal.NoEndpoint},
		{"a head without end", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Filler", strings.Repeat("x", 2*headBytesMax))
			fmt.Fprintf(w, `{"webSocketDebuggerUrl": "ws://%s%s"}`, r.Host, browserGUID)
		}), refusal.NoEndpoint},
		{"half an answer", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "400")
			_, _ = io.WriteString(w, `{"Browser"`)
			panic(http.ErrAbortHandler)
		}), refusal.NoEndpoint},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at := serve(t, "127.0.0.1", tt.answer)
			_, err := find(t.Context(), running([]netip.AddrPort{at}), browser, "", answerMax)
			refused(t, err, tt.reason)
		})
	}
	if n := len(redirected.asked); n > 0 {
		t.Errorf("the redirect was followed %d times", n)
	}
}

// mute is a listener that takes connections and says nothing until released.
func mute(t *testing.T) netip.AddrPort {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // the kernel takes the connections; nobody accepts them
	return l.Addr().(*net.TCPAddr).AddrPort()
}

func TestASilentListenerIsNoMissingEndpoint(t *testing.T) {
	const patience = 50 * time.Millisecond // nothing that answers is waited for
	_, err := find(t.Context(), running([]netip.AddrPort{mute(t), mute(t)}), browser, "", patience)
	refused(t, err, refusal.ConnectFailed)
	_, err = find(t.Context(), running([]netip.AddrPort{nowhere(t)}), browser, "", answerMax)
	refused(t, err, refusal.NoEndpoint)
	_, err = find(t.Context(), running(nil), browser, "", answerMax)
	refused(t, err, refusal.NoEndpoint)
}

func TestACallThatIsGivenUpIsNoRefusal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	at := serve(t, "127.0.0.1", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	_, err := find(ctx, running([]netip.AddrPort{at}), browser, "", answerMax)
	if _, isRefusal := refusal.As(err); isRefusal || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cancellation", err)
	}
}

func TestSeveralEndpointsAreAmbiguous(t *testing.T) {
	one, two := serve(t, "127.0.0.1", newEndpoint(t)), serve(t, "127.0.0.1", newEndpoint(t))
	_, err := Find(t.Context(), running([]netip.AddrPort{one, two}), browser, "")
	refused(t, err, refusal.SeveralEndpoints)

	sys := running([]netip.AddrPort{one}, child(101, 100, 5001))
	sys.listeners[101] = []netip.AddrPort{two}
	_, err = Find(t.Context(), sys, browser, "")
	refused(t, err, refusal.SeveralEndpoints)

	var many []netip.AddrPort
	for range listenersMax + 1 {
		many = append(many, one)
	}
	_, err = Find(t.Context(), running(many), browser, "")
	refused(t, err, refusal.SeveralEndpoints)
}

func TestOneEndpointOnTwoAddressesIsOne(t *testing.T) {
	at := serve(t, "127.0.0.1", newEndpoint(t))
	if _, err := Find(t.Context(), running([]netip.AddrPort{at, at}), browser, ""); err != nil {
		t.Error(err)
	}
	// Other listeners of the process take nothing away from it.
	others := []netip.AddrPort{at, serve(t, "127.0.0.1", http.NotFoundHandler()), nowhere(t)}
	if e, err := Find(t.Context(), running(others), browser, ""); err != nil || e.at != at {
		t.Errorf("found %+v, %v", e, err)
	}
	endpoint := &Endpoint{at: at}
	if got, silent, err := sift([]*listener{{silent: true}, {endpoint: endpoint}, {}}); err != nil || !silent || len(got) != 1 || got[0] != endpoint {
		t.Errorf("beside a silent one: %v, %v, %v", got, silent, err)
	}
}

func TestOnlyChildrenOfTheSameLaunchAreBelieved(t *testing.T) {
	const found = refusal.Reason("")
	foreign := child(101, 100, 5001)
	foreign.UID = 0
	tests := []struct {
		name   string
		others []platform.Process // the last one listens
		reason refusal.Reason
	}{
		{"a child", []platform.Process{child(101, 100, 5001)}, found},
		{"a child of the same tick", []platform.Process{child(101, 100, 5000)}, found},
		{"a grandchild", []platform.Process{child(101, 100, 5001), child(102, 101, 5002)}, found},
		{"a child that is older than its parent", []platform.Process{child(101, 100, 4999)}, refusal.NoEndpoint},
		{"a grandchild older than its parent", []platform.Process{child(101, 100, 5003), child(102, 101, 5002)}, refusal.NoEndpoint},
		{"one that outlived its parent", []platform.Process{child(102, 1, 5002)}, refusal.NoEndpoint},
		{"one whose parent is not there", []platform.Process{child(102, 101, 5002)}, refusal.NoEndpoint},
		{"one of another user", []platform.Process{foreign}, refusal.NoEndpoint},
		{"a stranger", []platform.Process{child(300, 200, 9000)}, refusal.NoEndpoint},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := newEndpoint(t)
			sys := running(nil, tt.others...)
			owner := tt.others[len(tt.others)-1]
			sys.listeners[owner.PID] = []netip.AddrPort{serve(t, "127.0.0.1", server)}
			e, err := Find(t.Context(), sys, browser, "")
			if tt.reason != found {
				refused(t, err, tt.reason)
				if len(server.asked) > 0 {
					t.Error("it was asked")
				}
				return
			}
			if err != nil || e.Owner != owner.Fingerprint() {
				t.Errorf("found %+v, %v; want it owned by %d", e, err, owner.PID)
			}
		})
	}
}

func TestACircleOfParentsEnds(t *testing.T) {
	self := browser
	self.PPID = 101
	sys := running(nil, child(101, 100, 5000))
	sys.processes[1] = self
	_, err := Find(t.Context(), sys, self, "")
	refused(t, err, refusal.NoEndpoint)
}

func TestTheProcessMustBeTheOneThatWasMeant(t *testing.T) {
	at := serve(t, "127.0.0.1", newEndpoint(t))
	reused := running([]netip.AddrPort{at}, child(101, 100, 7001))
	reused.processes[1].Start = 7000
	_, err := Find(t.Context(), reused, browser, "")
	refused(t, err, refusal.ProcessChanged)

	gone := running([]netip.AddrPort{at})
	gone.processes = gone.processes[:1]
	_, err = Find(t.Context(), gone, browser, "")
	refused(t, err, refusal.ProcessChanged)
}

func TestWhatTheSystemCannotSayIsAnError(t *testing.T) {
	at := serve(t, "127.0.0.1", newEndpoint(t))
	sys := running([]netip.AddrPort{at})
	sys.err = errors.New("no process table")
	if _, err := Find(t.Context(), sys, browser, ""); !errors.Is(err, sys.err) {
		t.Errorf("got %v", err)
	}
	hidden := running([]netip.AddrPort{at})
	hidden.hidden = browser.PID
	if _, err := Find(t.Context(), hidden, browser, ""); !errors.Is(err, platform.ErrUnknown) {
		t.Errorf("the browser's own sockets are not visible: %v", err)
	}
	child := running([]netip.AddrPort{at}, child(101, 100, 5001))
	child.hidden = 101
	if _, err := Find(t.Context(), child, browser, ""); err != nil {
		t.Errorf("a child's sockets are not visible: %v", err)
	}
}

// withProfile is the browser with a profile that names a port.
func withProfile(t *testing.T, port uint16) platform.Process {
	t.Helper()
	p := browser
	dir := t.TempDir()
	p.Args = []string{"chromium", "--user-data-dir=" + dir}
	text := fmt.Sprintf("%d\n%s", port, browserGUID)
	if err := os.WriteFile(filepath.Join(dir, portFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheProfileNamesThePortWhereJSONIsNotServed(t *testing.T) {
	at := serve(t, "127.0.0.1", http.NotFoundHandler())
	p := withProfile(t, at.Port())
	sys := running([]netip.AddrPort{at})
	sys.processes[1] = p
	e, err := Find(t.Context(), sys, p, "")
	if err != nil || e.Source != ActivePort || e.url != "ws://"+at.String()+browserGUID {
		t.Errorf("found %+v, %v", e, err)
	}
	// What serves /json speaks for itself.
	at = serve(t, "127.0.0.1", handler(http.StatusOK, "{}"))
	p = withProfile(t, at.Port())
	sys = running([]netip.AddrPort{at})
	_, err = Find(t.Context(), sys, p, "")
	refused(t, err, refusal.NoEndpoint)
}

func TestAFakeListenerOnTheProfilesPort(t *testing.T) {
	fake := newEndpoint(t)
	at := serve(t, "127.0.0.1", fake)
	p := withProfile(t, at.Port())
	stranger := child(300, 1, 9000)
	sys := running(nil, stranger)
	sys.listeners[stranger.PID] = []netip.AddrPort{at}
	_, err := Find(t.Context(), sys, p, "")
	refused(t, err, refusal.OtherProcess)
	if len(fake.asked) > 0 {
		t.Error("the stranger was asked")
	}
	// The file is a leftover: the browser's own endpoint is proven without it.
	sys.listeners[browser.PID] = []netip.AddrPort{serve(t, "127.0.0.1", newEndpoint(t))}
	if e, err := Find(t.Context(), sys, p, ""); err != nil || e.Source != JSONVersion {
		t.Errorf("found %+v, %v", e, err)
	}
	// Nobody listens there any more.
	sys.listeners = map[int][]netip.AddrPort{}
	_, err = Find(t.Context(), sys, p, "")
	refused(t, err, refusal.NoEndpoint)
}
