package tui

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"cuatui/tui/tuitest"
)

// start runs the program in a terminal, on the fake engine of a kind.
func start80(t *testing.T, kind string) *tuitest.Terminal {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{childEnv + "=" + kind, "TERM=xterm-256color", "COLORTERM=truecolor", "PATH=" + os.Getenv("PATH")}
	if kind == "panic-update" {
		// After a panic in Update, Bubble Tea closes its input without waiting
		// for its reader. The program is ending; the race is not ours to see.
		cmd.Env = append(cmd.Env, "GORACE=exitcode=1 log_path=/dev/null")
	}
	return tuitest.Start(t, cmd, 80, 24)
}

func TestTheProgramStartsListsAndLeaves(t *testing.T) {
	x := start80(t, "inbox")
	x.Wait("6 windows")
	x.Type("\r")
	x.Wait(`button "Reply" p42:22`)
	x.Resize(120, 40)
	x.Wait("[3 Detail]")
	x.Type("q")
	x.Wait("6 windows")
	x.Type("q")
	if code := x.End(); code != 0 {
		t.Errorf("exit code = %d", code)
	}
	if s := x.Screen(); !strings.Contains(s, "end_session") || strings.Contains(s, "━") {
		t.Errorf("screen after leaving:\n%s", s)
	}
}

func TestTheDemoOpensInTheInspector(t *testing.T) {
	x := start80(t, "demo")
	x.Wait(`button "Reply" p42:22`)
	x.Type("\x03")
	if code := x.End(); code != 0 {
		t.Errorf("exit code = %d", code)
	}
	if s := x.Screen(); !strings.Contains(s, "browser_prepare") || !strings.Contains(s, "end_session") {
		t.Errorf("calls:\n%s", s)
	}
}

func TestConsentIsAskedForAndGiven(t *testing.T) {
	x := start80(t, "inbox")
	x.Wait("6 windows")
	x.Type("jjjj\r")
	x.Wait("type yes to agree:")
	x.Type("yes\r")
	x.Wait("too fast for a hand")
	x.Answer("type yes to agree:", "yes")
	x.Wait("existing_profile_approved")
	x.Type("\x03")
	x.End()
	if s := x.Screen(); !strings.Contains(s, "grant 6120 0x3c00002") {
		t.Errorf("calls:\n%s", s)
	}
}

// The terminal holds the beginning of a line that the program cannot see.
func TestWhatWasTypedAheadAtATerminalDoesNotConsent(t *testing.T) {
	x := start80(t, "plain")
	x.Wait("6 windows")
	x.Type("6\nopen\nyes\nye")
	x.Wait("type yes to agree:")
	x.Type("s\n")
	x.Wait("you said no: nothing was connected")
	x.Type("quit\n")
	if code := x.End(); code != 0 {
		t.Errorf("exit code = %d", code)
	}
	if s := x.Screen(); strings.Contains(s, "grant") {
		t.Errorf("it agreed:\n%s", s)
	}
}

func TestASignalRestoresTheTerminalAndEndsTheSession(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			x := start80(t, "inbox")
			x.Wait("6 windows")
			x.Signal(sig)
			if code := x.End(); code != 0 {
				t.Errorf("exit code = %d", code)
			}
			if s := x.Screen(); !strings.Contains(s, "end_session") {
				t.Errorf("the session was not ended:\n%s", s)
			}
		})
	}
}

// 200 sizes one upon the other, most of which are never drawn; the last one is.
func TestAStormOfResizesEndsInAWholeFrame(t *testing.T) {
	x := start80(t, "inbox")
	x.Wait("6 windows")
	x.Type("\r")
	x.Wait(`button "Reply" p42:22`)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		x.Resize(1+rnd.IntN(200), 1+rnd.IntN(60))
	}
	x.Resize(120, 40)
	x.Wait("[3 Detail]")
	x.Type("?")
	x.Wait("━ Help")
	if lines := strings.Split(strings.TrimRight(x.Screen(), "\n"), "\n"); len(lines) != 40 {
		t.Errorf("the screen has %d lines", len(lines))
	}
	x.Type("\x03")
	if code := x.End(); code != 0 {
		t.Errorf("exit code = %d", code)
	}
}

func TestASignalEndsACallThatHangs(t *testing.T) {
	x := start80(t, "slow")
	x.Wait("6 windows")
	x.Type("\r")
	x.Wait("binding")
	x.Signal(syscall.SIGTERM)
	x.End()
}

func TestAPanicRestoresTheTerminal(t *testing.T) {
	for _, where := range []string{"call", "update"} {
		t.Run("in a "+where, func(t *testing.T) {
			x := start80(t, "panic-"+where)
			x.Wait("6 windows")
			x.Type("\r")
			if code := x.End(); code != 1 {
				t.Errorf("exit code = %d", code)
			}
			if s := x.Raw(); !strings.Contains(s, "panic: planted") && !strings.Contains(s, "nil pointer") {
				t.Errorf("the panic is not told:\n%s", s)
			}
		})
	}
}

func TestHostileTextNeverReachesTheTerminal(t *testing.T) {
	x := start80(t, "hostile")
	x.Wait("␛[2Jb")
	x.Type("\r")
	x.Wait("[1 Outline]")
	x.Type("23451a")
	x.Wait("Act ·")
	x.Type("q?")
	x.Wait("━ Help")
	x.Type("\x03")
	x.End()
	raw := x.Raw()
	for _, bad := range []string{"\x1b]52", "\u009b", "\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\u00ad", "\x00", "\x07c", "\x7f", "\xffn", "h\ri"} {
		if strings.Contains(raw, bad) {
			t.Errorf("%q reached the terminal", bad)
		}
	}
}
