package e2e_test

import (
	"os/exec"
	"strings"
	"testing"

	"cuatui/tui/tuitest"
)

// payloads are pieces of the escape page that no program of ours ever writes.
var payloads = []string{
	"\x1b]52;c;", "\x1b]8;;http", "\x1b]0;owned", "\x1b[6n", "\x1bP+q544e", "\x1bc", "\u009b", "\u009c", "\u009d", "\u0090",
	"\u202e", "\u2066", "\u2067", "\b\b\b", "\x0e", "\x00", "\x0b", "\x0c",
}

// TestNoControlByteOfAPageReachesTheTerminal opens a page made of escape
// sequences in the real program and reads every byte that the terminal got.
func TestNoControlByteOfAPageReachesTheTerminal(t *testing.T) {
	s := use(t)
	path, err := binary()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), path, "--state-dir", t.TempDir())
	cmd.Env = append(s.desktop.Env(), "TERM=xterm-256color")
	x := tuitest.Start(t, cmd, 120, 40)
	x.Wait("Windows")
	x.Type("L")
	x.Wait("http")
	x.Type("\x15" + s.pages.URL("/escape") + "\r")
	x.Wait("The end of the page")
	for _, pane := range []string{"2", "3", "4", "5"} {
		x.Type(pane)
	}
	x.Type("1jjjjjjjjjjjjp")
	x.Wait("Proof")
	x.Type("\x03")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	raw := x.Raw()
	if !strings.Contains(raw, "The end of the page") {
		t.Fatal("the page was not shown: the test proves nothing")
	}
	for _, p := range payloads {
		if i := strings.Index(raw, p); i >= 0 {
			t.Errorf("%q reached the terminal: %q", p, raw[max(0, i-40):min(len(raw), i+40)])
		}
	}
}
