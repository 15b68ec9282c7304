package e2e_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
	"cuatui/platform/proc"
)

// impostor starts an application whose endpoint is not what it seems.
func (a agent) impostor(arguments ...string) *outside {
	a.t.Helper()
	url, run := a.stage.pages.Page("keys")
	o := a.qt(nil, "testdata/impostor.py", append([]string{url}, arguments...)...)
	must(a.t, a.stage.pages.Flush(soon(a.t), run))
	must(a.t, a.stage.desktop.RaiseSentinel(soon(a.t)))
	return o
}

func (o *outside) where() args { return args{"pid": o.pid, "window_id": o.window} }

func TestAListenerThatNamesAnotherPort(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "another-port")
	other, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = other.Close() })
	port := other.Addr().(*net.TCPAddr).Port
	o := a.impostor("elsewhere", fmt.Sprint(port))
	r := a.refused(refusal.OtherProcess, "get_browser_state", o.where())
	if at := failed(r.Proof); len(at) != 1 || at[0].Step != "endpoint" {
		t.Errorf("failed at %+v", at)
	}
	a.leads(r)
	if all, _ := connections(t, port); all > 0 {
		t.Errorf("%d connections reached the other port", all)
	}
}

// TestAConnectionThatIsHandedOn: the listener is the application's own, but
// who answers is not.
func TestAConnectionThatIsHandedOn(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "handed-on")
	heard := filepath.Join(t.TempDir(), "heard")
	o := a.impostor("handover", heard)
	r := a.refused(refusal.PeerMismatch, "get_browser_state", o.where())
	if at := failed(r.Proof); len(at) != 1 || at[0].Step != "endpoint" {
		t.Errorf("failed at %+v", at)
	}
	a.leads(r)
	const closing = 0x88 // the first byte of the message that ends a WebSocket
	if got := written(t, heard); len(got) > 0 && got[0] != closing {
		t.Errorf("the stranger was sent %q", got)
	}
}

// written is what a file holds, once it is there.
func written(t *testing.T, name string) []byte {
	t.Helper()
	ctx := soon(t)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		b, err := os.ReadFile(name)
		if err == nil {
			return b
		}
		if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		select {
		case <-tick.C: // no event tells that a file was written
		case <-ctx.Done():
			t.Fatal("nobody has written " + name)
		}
	}
}

// TestAChildThatOutlivesItsParent listens on after the application that started
// it, and after its window, are gone.
func TestAChildThatOutlivesItsParent(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "outlives")
	o := a.impostor("child")
	table := proc.New("")
	all, err := table.Processes(t.Context())
	must(t, err)
	child, port := 0, 0
	for _, p := range all {
		if at, err := table.Listeners(t.Context(), p.PID); p.PPID == o.pid && err == nil && len(at) == 1 {
			child, port = p.PID, int(at[0].Port())
		}
	}
	if child == 0 {
		t.Fatal("no child listens")
	}
	must(t, syscall.Kill(o.pid, syscall.SIGKILL))
	<-o.done
	must(t, s.waitGone(soon(t), o.window))
	if at, err := table.Listeners(t.Context(), child); err != nil || len(at) != 1 {
		t.Fatalf("the child listens on %v, %v", at, err)
	}
	a.leads(a.refused(refusal.NotABrowser, "get_browser_state", o.where()))
	// The child has mapped the engine as its parent had; but it has no window.
	a.leads(a.refused(refusal.WindowGone, "get_browser_state", args{"pid": child, "window_id": o.window}))

	// Nor is it believed where the profile of another browser names its port.
	profile := t.TempDir()
	b, _ := s.browseKeys(t, profile)
	must(t, s.desktop.RaiseSentinel(soon(t)))
	must(t, os.WriteFile(filepath.Join(profile, "DevToolsActivePort"), fmt.Appendf(nil, "%d\n/devtools/browser/0f9d4c1e-0000-4000-8000-000000000000", port), 0o600))
	a.grant(b)
	a.leads(a.refused(refusal.OtherProcess, "get_browser_state", b.where()))
	if all, _ := connections(t, port); all > 0 {
		t.Errorf("%d connections reached the child", all)
	}
}

// TestAnEndpointThatOnlyTheProfileNames is that of a browser in whose own
// settings remote debugging was switched on: it serves no /json, and asks the
// person itself before it takes a connection.
func TestAnEndpointThatOnlyTheProfileNames(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "profile-names")
	profile := t.TempDir()
	must(t, os.WriteFile(filepath.Join(profile, "Local State"), []byte(`{"devtools":{"remote_debugging":{"user-enabled":true}}}`), 0o600))
	o, run := s.browseKeys(t, profile)
	port := portOf(t, profile)
	must(t, s.desktop.Activate(soon(t), uint32(o.window)))
	tab{agent: a}.settled(run)
	s.pages.Reset(run)
	a.refused(refusal.PersonalBrowser, "get_browser_state", o.where())
	// The port is a fixed one where it is free, so that what has ended on it
	// may be another's.
	if _, now := connections(t, port); now > 0 {
		t.Errorf("%d connections reached the browser's port without consent", now)
	}
	tab{agent: a}.untouched(run, "a refusal for want of consent")
	a.grant(o)
	s.pages.Reset(run)
	bound := make(chan *contract.StateResult, 1)
	go func() {
		answer, _ := a.call("get_browser_state", o.where())
		r, _ := answer.Result.(*contract.StateResult)
		bound <- r
	}()
	r := s.allow(t, run, bound)
	if r == nil || r.BindingQuality != "exact" || r.Transport != "dev_tools_active_port" || len(r.Tabs) != 1 {
		t.Fatalf("bound as %+v", r)
	}
	must(t, s.desktop.RaiseSentinel(soon(t)))
	b := tab{a, r.TargetID, r.Tabs[0].TabID}
	ref := find(t, b.state(nil), "button", "Button").Ref
	b.settled(run)
	s.pages.Reset(run)
	b.click(ref, "dom_event")
	oneClick(t, b.settled(run), "button", false)
}

// allow answers the browser's own question with yes, as a person does: when it
// opens, the page loses the focus to no, and yes is the next. For a moment
// after that the browser takes no answer.
func (s *stage) allow(t *testing.T, run string, answered <-chan *contract.StateResult) *contract.StateResult {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	ctx, asked := soon(t), false
	for {
		select {
		case r := <-answered:
			return r
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("nobody has answered; the browser has asked: %v", asked)
		}
		switch {
		case asked:
			s.native(t, "key", "Return")
		case fixtures.Count(s.pages.Journal(run), "blur", "") > 0:
			s.native(t, "key", "Tab")
			asked = true
		}
	}
}
