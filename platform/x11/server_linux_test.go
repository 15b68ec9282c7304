package x11

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"go.uber.org/goleak"

	"cuatui/platform"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is an X server of the test's own.
type server struct {
	t       *testing.T
	display string
	cmd     *exec.Cmd
}

// startServer starts Xvfb and waits until it takes connections. -noreset keeps
// the root's properties when the last client leaves.
func startServer(t *testing.T, args ...string) *server {
	t.Helper()
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Fatal("Xvfb is not installed: run `make install-deps`")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(path, append([]string{"-displayfd", "3", "-screen", "0", "800x600x24", "-noreset"}, args...)...)
	cmd.ExtraFiles = []*os.File{w}
	err = cmd.Start()
	_ = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, cmd: cmd}
	t.Cleanup(s.stop)
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb did not start: %v", err)
	}
	s.display = ":" + strings.TrimSpace(number)
	return s
}

func (s *server) stop() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
}

// open returns the display under test.
func (s *server) open() *Display {
	d := New(s.display)
	s.t.Cleanup(func() { _ = d.Close() })
	return d
}

// desk makes windows and, where a test says so, plays the window manager.
type desk struct {
	t    *testing.T
	conn *xgb.Conn
	root xproto.Window
}

func (s *server) desk() *desk {
	s.t.Helper()
	conn, err := xgb.NewConnDisplay(s.display)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(conn.Close)
	return &desk{t: s.t, conn: conn, root: xproto.Setup(conn).DefaultScreen(conn).Root}
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) atom(name string) xproto.Atom {
	d.t.Helper()
	reply, err := xproto.InternAtom(d.conn, false, uint16(len(name)), name).Reply()
	d.must(err)
	return reply.Atom
}

// window makes a window that is not mapped yet.
func (d *desk) window(x, y int16, w, h uint16) xproto.Window {
	return d.create(xproto.WindowClassInputOutput, false, x, y, w, h)
}

func (d *desk) create(class uint16, override bool, x, y int16, w, h uint16) xproto.Window {
	d.t.Helper()
	id, err := xproto.NewWindowId(d.conn)
	d.must(err)
	values := []uint32{0}
	if override {
		values[0] = 1
	}
	d.must(xproto.CreateWindowChecked(d.conn, 0, id, d.root, x, y, w, h, 0, class, 0, xproto.CwOverrideRedirect, values).Check())
	return id
}

func (d *desk) show(w xproto.Window) xproto.Window {
	d.t.Helper()
	d.must(xproto.MapWindowChecked(d.conn, w).Check())
	return w
}

func (d *desk) bytes(w xproto.Window, name, kind, value string) {
	d.t.Helper()
	d.must(xproto.ChangePropertyChecked(d.conn, xproto.PropModeReplace, w, d.atom(name), d.atom(kind), 8,
		uint32(len(value)), []byte(value)).Check())
}

func (d *desk) numbers(w xproto.Window, name, kind string, values ...uint32) {
	d.t.Helper()
	data := make([]byte, 4*len(values))
	for i, v := range values {
		xgb.Put32(data[4*i:], v)
	}
	d.must(xproto.ChangePropertyChecked(d.conn, xproto.PropModeReplace, w, d.atom(name), d.atom(kind), 32,
		uint32(len(values)), data).Check())
}

// manage makes the test the window manager and returns its check window.
func (d *desk) manage() xproto.Window {
	d.t.Helper()
	d.must(xproto.ChangeWindowAttributesChecked(d.conn, d.root, xproto.CwEventMask,
		[]uint32{xproto.EventMaskSubstructureRedirect}).Check())
	check := d.window(-10, -10, 1, 1)
	d.numbers(d.root, netSupportingWMCheck, "WINDOW", uint32(check))
	d.numbers(check, netSupportingWMCheck, "WINDOW", uint32(check))
	d.bytes(check, netWMName, utf8String, "Test manager")
	return check
}

// list publishes the window manager's list of windows.
func (d *desk) list(name string, windows ...xproto.Window) {
	d.t.Helper()
	values := make([]uint32, len(windows))
	for i, w := range windows {
		values[i] = uint32(w)
	}
	d.numbers(d.root, name, "WINDOW", values...)
}

// listed returns the windows, and fails the test if there are not as many.
func listed(t *testing.T, d *Display, want int) []platform.Window {
	t.Helper()
	got, err := d.Windows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != want {
		t.Fatalf("%d windows %+v, want %d", len(got), got, want)
	}
	return got
}

func wantError(t *testing.T, d *Display, target error) {
	t.Helper()
	got, err := d.Windows(t.Context())
	if err == nil || got != nil {
		t.Fatalf("listed %+v", got)
	}
	if target != nil && !errors.Is(err, target) {
		t.Errorf("got %v, want %v", err, target)
	}
}
