package e2e_test

import (
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/limits"
	"cuatui/fixtures"
)

// walkTime is well within the walk of a list of 20,000 rows on any machine.
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
		{"walking", "list?rows=20000", false},
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
