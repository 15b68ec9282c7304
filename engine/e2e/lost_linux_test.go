package e2e_test

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// walkTime is well within the walk of a list of 8,000 rows on any machine.
const walkTime = 100 * time.Millisecond

// TestTheBrowserIsKilledWhileItIsRead kills the browser with its whole process
// group at two moments: while its renderers are stopped, so that the read
// cannot have ended, and while they walk a long list.
func TestTheBrowserIsKilledWhileItIsRead(t *testing.T) {
	tests := []struct {
		name, page string
		stopped    bool
	}{
		{"stopped", "inbox-attribute", true},
		{"walking", "list?rows=8000", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := use(t)
			before := goleak.IgnoreCurrent()
			own := &stage{desktop: s.desktop, pages: fixtures.NewServer(), state: t.TempDir()}
			must(t, own.pages.Start(t.Context()))
			eng, err := own.newEngine(nil)
			must(t, err)
			a := agent{t, own, eng, "lost"}
			made := a.prepare(tt.page)
			b := a.bind(made.pid, made.window)
			if tt.stopped {
				for _, pid := range renderers(t, made.pid) {
					must(t, syscall.Kill(pid, syscall.SIGSTOP))
				}
			}
			answers := make(chan headless.Answer, 1)
			go func() {
				answer, _ := b.call("get_browser_state", b.with(nil))
				answers <- answer
			}()
			time.Sleep(walkTime) // nothing tells from outside how far the walk is
			must(t, syscall.Kill(-made.pid, syscall.SIGKILL))
			var answer headless.Answer
			within(t, limits.LostBrowserTimeout, "the read", func() { answer = <-answers })
			if answer.Result != nil {
				t.Errorf("answered %+v", answer)
			}
			lostCalls(t, b)
			within(t, limits.EndSessionTimeout+time.Second, "the end of the session", func() {
				ask[contract.EndSessionResult](a, "end_session", nil)
			})
			must(t, errors.Join(eng.Close(t.Context()), own.pages.Close()))
			ended(t, own.state)
			if left := profiles(t, own.state); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			goleak.VerifyNone(t, before)
		})
	}
}

// TestTheEndOfABindingIsToldWithoutACall: a face that shows a binding asks once
// for its end, and nothing while it waits; it is told what a call comes to then.
func TestTheEndOfABindingIsToldWithoutACall(t *testing.T) {
	tests := []struct {
		name   string
		end    func(t *testing.T, b tab, pid int)
		reason refusal.Reason
	}{
		{"the browser is killed", func(t *testing.T, _ tab, pid int) { must(t, syscall.Kill(-pid, syscall.SIGKILL)) }, refusal.ProcessChanged},
		{"the tab is closed", func(t *testing.T, b tab, _ int) {
			ask[contract.TabsResult](b.agent, "browser_tabs", args{"target_id": b.target, "change": "open"})
			ask[contract.TabsResult](b.agent, "browser_tabs", args{"target_id": b.target, "change": "close", "tab_id": b.id})
		}, refusal.TabClosed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := use(t)
			eng, err := (&stage{desktop: s.desktop, state: t.TempDir()}).newEngine(nil)
			must(t, err)
			defer func() { must(t, eng.Close(soon(t))) }()
			a := agent{t, s, eng, "told"}
			made := a.prepare("inbox-attribute")
			b := a.bind(made.pid, made.window)
			at := contract.StateRequest{Session: a.session, TargetID: b.target, TabID: b.id}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := eng.Lost(ctx, at); !errors.Is(err, context.Canceled) {
				t.Errorf("called off, it says %v", err)
			}
			told := make(chan error, 1)
			go func() { told <- eng.Lost(t.Context(), at) }()
			b.call("get_browser_state", b.with(nil)) // a read is no end
			select {
			case err := <-told:
				t.Fatalf("told before the end: %v", err)
			default:
			}
			tt.end(t, b, made.pid)
			within(t, limits.LostBrowserTimeout, "being told", func() { err = <-told })
			r, ok := refusal.As(err)
			if !ok || r.Reason != tt.reason || r.Next == nil || len(failed(r.Proof)) != 1 {
				t.Errorf("told %+v (%v), want %s with its proof and next call", r, err, tt.reason)
			}
		})
	}
}

// lostCalls: everything on the lost browser ends at once, with no result.
func lostCalls(t *testing.T, b tab) {
	t.Helper()
	within(t, limits.LostBrowserTimeout, "calls on a lost browser", func() {
		for tool, more := range map[string]args{
			"get_browser_state": nil,
			"browser_click":     {"ref": "p1:1", "route": "dom_event"},
			"browser_navigate":  {"action": "reload"},
		} {
			if answer, raw := b.call(tool, b.with(more)); answer.Result != nil {
				t.Errorf("%s answered %s", tool, raw)
			}
		}
	})
}

// renderers are the browser's renderer processes.
func renderers(t *testing.T, browser int) []int {
	t.Helper()
	out := slices.DeleteFunc(processes(t, "--type=renderer"), func(pid int) bool { return !inGroup(pid, browser) })
	if len(out) == 0 {
		t.Fatalf("browser %d has no renderer", browser)
	}
	return out
}

// inGroup says whether a process is of the browser's process group.
func inGroup(pid, browser int) bool {
	group, err := syscall.Getpgid(pid)
	return err == nil && group == browser
}
