package e2e_test

import (
	"fmt"
	"os/exec"
	"syscall"
	"testing"

	"cuatui/tui/tuitest"
)

// TestAPersonIsAskedInTheTerminal gives and withdraws consent in the real
// program, with a real browser of a person's.
func TestAPersonIsAskedInTheTerminal(t *testing.T) {
	s := use(t)
	a := s.agent(t)
	path, err := binary()
	must(t, err)
	profile := t.TempDir()
	o, run := s.browseKeys(t, profile, "--remote-debugging-port=0")
	port := portOf(t, profile)
	must(t, s.desktop.RaiseSentinel(soon(t)))
	tab{agent: a}.settled(run)
	s.pages.Reset(run)
	display := s.watch(t)

	cmd := exec.CommandContext(t.Context(), path, "--state-dir", t.TempDir())
	cmd.Env = append(s.desktop.Env(), "TERM=xterm-256color")
	x := tuitest.Start(t, cmd, 120, 40)
	x.Wait("needs consent")
	x.Type(fmt.Sprintf("/%d\r", o.pid))
	x.Wait("n and N go from match to match")
	x.Type("\r")
	x.Wait("May this window be used?")
	x.Wait(fmt.Sprintf("Chromium, pid %d", o.pid))
	x.Wait("type yes to agree:")
	if all, _ := connections(t, port); all > 0 {
		t.Errorf("%d connections reached the browser's port before the answer", all)
	}
	x.Answer("type yes to agree:", "yes")
	x.Wait("agreed: for 30 minutes unused")
	x.Wait(`"Input button"`)
	if _, now := connections(t, port); now == 0 {
		t.Error("no connection is seen although the page was read")
	}
	x.Type("R")
	x.Wait("Withdraw your consent?")
	x.Type("y")
	x.Wait("your consent is withdrawn")
	if _, now := connections(t, port); now > 0 {
		t.Errorf("%d connections are left", now)
	}
	x.Type("r")
	x.Wait("browser_consent_revoked")
	x.Type("\x03")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	a.unused(run, "looking at the page under consent")
	display.undisturbed("looking at the page under consent")
	must(t, syscall.Kill(o.pid, 0))
}
