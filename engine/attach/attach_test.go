package attach

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"testing"

	"cuatui/engine/refusal"
	"cuatui/platform"
)

// found is the endpoint of the browser, found.
func found(t *testing.T, sys *system) *Endpoint {
	t.Helper()
	e, err := Find(t.Context(), sys, browser, "")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAConnectionIsProvenBeforeAnythingIsSent(t *testing.T) {
	tests := []struct {
		name      string
		meanwhile func(*system)
		reason    refusal.Reason
	}{
		{"it is the browser", func(*system) {}, ""},
		{"a proxy stands in front", func(s *system) { s.peer = 300 }, refusal.PeerMismatch},
		{"several processes hold the other end", func(s *system) { s.peerErr = platform.ErrUnknown }, refusal.PeerMismatch},
		{"the other end is gone", func(s *system) { s.peerErr = platform.ErrNotFound }, refusal.ConnectFailed},
		{"the pid was reused", func(s *system) { s.processes[1].Start++ }, refusal.ListenerChanged},
		{"another program runs under the pid", func(s *system) { s.processes[1].Executable = "/usr/bin/nc" }, refusal.ListenerChanged},
		{"it has ended", func(s *system) { s.processes = s.processes[:1] }, refusal.EndpointChanged},
		{"it listens no more", func(s *system) { s.listeners = nil }, refusal.EndpointChanged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := newEndpoint(t)
			sys := running([]netip.AddrPort{serve(t, "127.0.0.1", server)})
			e := found(t, sys)
			<-server.asked // what Find asked
			tt.meanwhile(sys)
			conn, err := e.Connect(t.Context(), sys)
			if tt.reason == "" {
				if err != nil {
					t.Fatal(err)
				}
				if err := conn.Close(); err != nil {
					t.Error(err)
				}
				return
			}
			refused(t, err, tt.reason)
			for len(server.asked) > 0 {
				if asked := <-server.asked; asked != browserGUID {
					t.Errorf("it was sent %q", asked)
				}
			}
		})
	}
}

func TestAnEndpointThatTakesNoConnection(t *testing.T) {
	deaf := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/json/version" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(`{"webSocketDebuggerUrl": "ws://` + r.Host + browserGUID + `"}`))
	})
	sys := running([]netip.AddrPort{serve(t, "127.0.0.1", deaf)})
	_, err := found(t, sys).Connect(t.Context(), sys)
	refused(t, err, refusal.ConnectFailed)
}

func TestAConnectionThatIsGivenUpIsNoRefusal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stalled := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/json/version" {
			_, _ = w.Write([]byte(`{"webSocketDebuggerUrl": "ws://` + r.Host + browserGUID + `"}`))
			return
		}
		cancel()
		<-r.Context().Done()
	})
	sys := running([]netip.AddrPort{serve(t, "127.0.0.1", stalled)})
	_, err := found(t, sys).Connect(ctx, sys)
	if _, isRefusal := refusal.As(err); isRefusal || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cancellation", err)
	}
}

func TestAnEndpointIsProvenAgain(t *testing.T) {
	tests := []struct {
		name      string
		meanwhile func(*system)
		reason    refusal.Reason
	}{
		{"it has ended", func(s *system) { s.processes = s.processes[:1] }, refusal.EndpointChanged},
		{"its sockets are not visible any more", func(s *system) { s.hidden = browser.PID }, refusal.EndpointChanged},
		{"the pid was reused", func(s *system) { s.processes[1].Start++ }, refusal.ListenerChanged},
		{"it listens no more", func(s *system) { s.listeners = nil }, refusal.EndpointChanged},
		{"it listens on another port", func(s *system) {
			s.listeners[browser.PID] = []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:1")}
		}, refusal.EndpointChanged},
		{"it listens on the port of another address", func(s *system) {
			at := s.listeners[browser.PID][0]
			s.listeners[browser.PID] = []netip.AddrPort{netip.AddrPortFrom(netip.IPv6Loopback(), at.Port())}
		}, refusal.EndpointChanged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sys := running([]netip.AddrPort{serve(t, "127.0.0.1", newEndpoint(t))})
			e := found(t, sys)
			if err := e.Prove(t.Context(), sys); err != nil {
				t.Fatalf("before: %v", err)
			}
			tt.meanwhile(sys)
			refused(t, e.Prove(t.Context(), sys), tt.reason)
		})
	}
	sys := running([]netip.AddrPort{serve(t, "127.0.0.1", newEndpoint(t))})
	e := found(t, sys)
	sys.err = errors.New("no process table")
	sys.processes = nil
	if err := e.Prove(t.Context(), &failing{system: sys, err: sys.err}); !errors.Is(err, sys.err) {
		t.Errorf("what the system cannot say: %v", err)
	}
}

// failing is a system that answers nothing.
type failing struct {
	*system
	err error
}

func (f *failing) Process(context.Context, int) (platform.Process, error) {
	return platform.Process{}, f.err
}
