package e2e_test

import (
	"syscall"
	"testing"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
)

// slack is what a call may take beyond the time of its browser on a machine
// that is busy with other tests.
const slack = 3 * time.Second

// TestABrowserThatIsStoppedIsRefused: the list has the others at once, and the
// stopped one with its reason; whatever is asked of it is refused, and it can be
// used again when it goes on.
func TestABrowserThatIsStoppedIsRefused(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "stopped")
	profile := t.TempDir()
	o, _ := s.browseKeys(t, profile, "--remote-debugging-port=0")
	portOf(t, profile)
	must(t, s.desktop.RaiseSentinel(soon(t)))
	a.grant(o)
	b := a.bind(o.pid, o.window)
	ref := find(t, b.state(nil), "button", "Button").Ref
	must(t, syscall.Kill(o.pid, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(o.pid, syscall.SIGCONT) }) // it has not been waited for: the id is its own

	later := agent{t, a.stage, a.engine, "stopped-later"}
	made := later.prepare("keys") // in another session, on the same desktop
	ask[contract.StateResult](later, "get_browser_state", args{"pid": made.pid, "window_id": made.window})
	within(t, limits.VerdictTimeout+slack, "the list", func() {
		if got := a.listed(o.window).WouldBind; got.Reason != refusal.ConnectFailed || got.Code != refusal.RouteUnavailable || got.Verdict != "refused" {
			t.Errorf("the stopped one: %+v", got)
		}
	})
	within(t, limits.VerdictTimeout+slack, "the list", func() {
		if got := a.listed(made.window); got.PID != made.pid {
			t.Errorf("the later one: %+v", got)
		}
	})
	for name, arguments := range map[string]args{
		"get_browser_state": b.with(nil), "browser_click": b.with(args{"ref": ref, "route": "dom_event"}),
	} {
		within(t, limits.AnswerTimeout+slack, name, func() { a.refused(refusal.ConnectFailed, name, arguments) })
	}
	within(t, limits.AnswerTimeout+slack, "to bind it", func() { a.refused(refusal.ConnectFailed, "get_browser_state", o.where()) })

	must(t, syscall.Kill(o.pid, syscall.SIGCONT))
	b.click(find(t, b.state(nil), "button", "Button").Ref, "dom_event")
}

// TestAnEndpointThatTalksNonsenseIsRefused: whatever it says once it has taken
// the connection, binding it and listing it say the same.
func TestAnEndpointThatTalksNonsenseIsRefused(t *testing.T) {
	for _, what := range []string{"nothing", "frames", "large", "text"} {
		t.Run(what, func(t *testing.T) {
			s := use(t)
			a, _ := s.foreign(t, "says-"+what)
			o := a.impostor("says", what)
			within(t, limits.AnswerTimeout+slack, "to bind it", func() {
				a.refused(refusal.ConnectFailed, "get_browser_state", o.where())
			})
			if got := a.listed(o.window).WouldBind; got.Reason != refusal.ConnectFailed {
				t.Errorf("listed as %+v", got)
			}
		})
	}
}
