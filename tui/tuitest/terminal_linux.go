package tuitest

import (
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/charmbracelet/x/xpty"
	"golang.org/x/sys/unix"
)

// Terminal is a program in a pseudo-terminal with an emulator behind it.
type Terminal struct {
	t      testing.TB
	pty    *xpty.UnixPty
	emu    *vt.SafeEmulator
	cmd    *exec.Cmd
	before *unix.Termios

	mu      sync.Mutex
	raw     strings.Builder
	changed chan struct{} // gets a value after every piece of output
	done    sync.WaitGroup
}

// patience bounds how long a test waits for something that has to come. It is
// no measure of speed: only a test that fails waits so long.
const patience = 30 * time.Second

// Start runs cmd in a terminal of w by h cells.
func Start(t testing.TB, cmd *exec.Cmd, w, h int) *Terminal {
	t.Helper()
	pty, err := xpty.NewUnixPty(w, h)
	if err != nil {
		t.Fatal(err)
	}
	x := &Terminal{t: t, pty: pty, emu: vt.NewSafeEmulator(w, h), cmd: cmd, changed: make(chan struct{}, 1)}
	if x.before, err = unix.IoctlGetTermios(int(pty.Slave().Fd()), unix.TCGETS); err != nil {
		t.Fatal(err)
	}
	// Without a session and a controlling terminal no SIGWINCH arrives.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := pty.Start(cmd); err != nil {
		t.Fatal(err)
	}
	x.done.Add(2)
	go x.show()
	go func() { // what the emulator answers to the program's questions
		defer x.done.Done()
		_, _ = io.Copy(pty, x.emu)
	}()
	return x
}

func (x *Terminal) show() {
	defer x.done.Done()
	buf := make([]byte, 32<<10)
	for {
		n, err := x.pty.Read(buf)
		if n > 0 {
			x.mu.Lock()
			x.raw.Write(buf[:n])
			x.mu.Unlock()
			_, _ = x.emu.Write(buf[:n])
			select {
			case x.changed <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// Screen is what a person would see, as text.
func (x *Terminal) Screen() string { return ansi.Strip(x.emu.Render()) }

// Raw is every byte that the program wrote.
func (x *Terminal) Raw() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// Type sends keys as bytes.
func (x *Terminal) Type(s string) {
	x.t.Helper()
	if _, err := io.WriteString(x.pty, s); err != nil {
		x.t.Fatal(err)
	}
}

// beat is more than what a dialog asks for between two keys of a hand.
const beat = 60 * time.Millisecond

// Answer types a word behind a prompt, and enter, at the pace of a hand: each
// key a beat after the one before is on the screen.
func (x *Terminal) Answer(prompt, word string) {
	x.t.Helper()
	for i := range word {
		x.Type(word[i : i+1])
		x.Wait(prompt + " " + word[:i+1])
		time.Sleep(beat)
	}
	x.Type("\r")
}

// Resize changes the size of the terminal.
func (x *Terminal) Resize(w, h int) {
	x.t.Helper()
	x.emu.Resize(w, h)
	if err := x.pty.Resize(w, h); err != nil {
		x.t.Fatal(err)
	}
}

// Signal sends the program a signal.
func (x *Terminal) Signal(s syscall.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(s); err != nil {
		x.t.Fatal(err)
	}
}

// Wait waits until the screen holds text.
func (x *Terminal) Wait(text string) {
	x.t.Helper()
	x.WaitUntil(text, func() bool { return strings.Contains(x.Screen(), text) })
}

// WaitUntil waits until shown holds of the screen; what says what that is.
func (x *Terminal) WaitUntil(what string, shown func() bool) {
	x.t.Helper()
	limit := time.After(patience)
	for !shown() {
		select {
		case <-x.changed:
		case <-limit:
			_ = x.cmd.Process.Kill()
			x.t.Fatalf("the screen never showed %q:\n%s", what, x.Screen())
		}
	}
}

// End waits for the program to leave, returns its exit code, and fails the test
// unless the terminal is as it was: out of the alternate screen, the cursor
// shown, the line discipline untouched.
func (x *Terminal) End() int {
	x.t.Helper()
	kill := time.AfterFunc(patience, func() { _ = x.cmd.Process.Kill() })
	_ = x.cmd.Wait()
	kill.Stop()
	after, err := unix.IoctlGetTermios(int(x.pty.Slave().Fd()), unix.TCGETS)
	if err != nil {
		x.t.Error(err)
	} else if after.Lflag != x.before.Lflag || after.Iflag != x.before.Iflag || after.Oflag != x.before.Oflag {
		x.t.Errorf("line discipline: was %+v, is %+v", x.before, after)
	}
	// With the last slave closed the reader drains what is left and ends.
	_ = x.pty.Slave().Close()
	if c, ok := x.emu.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
	x.done.Wait()
	_ = x.pty.Master().Close()
	if x.emu.IsAltScreen() {
		x.t.Error("the alternate screen is still on")
	}
	if x.emu.CursorHidden() {
		x.t.Error("the cursor is still hidden")
	}
	return x.cmd.ProcessState.ExitCode()
}
