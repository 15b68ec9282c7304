package x11

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cuatui/platform"
)

func TestNoDisplay(t *testing.T) {
	t.Setenv("DISPLAY", "")
	for _, name := range []string{"", "nonsense", ":x", ":-1", ":1.x", ":99999999", "/tmp/x:0", ":59000"} {
		d := New(name)
		wantError(t, d, platform.ErrNoDisplay)
		found := d.Check(t.Context())
		if len(found) != 1 || found[0].State != platform.Missing || found[0].Note == "" {
			t.Errorf("%q: check says %+v", name, found)
		}
		_ = d.Close()
	}
}

func TestDisplayFromTheEnvironment(t *testing.T) {
	s := startServer(t)
	t.Setenv("DISPLAY", s.display)
	d := New("")
	defer d.Close()
	listed(t, d, 0)
}

func TestScreenThatDoesNotExist(t *testing.T) {
	s := startServer(t)
	d := New(s.display + ".7")
	defer d.Close()
	wantError(t, d, platform.ErrNoDisplay)
}

func TestLostServerIsFoundAgain(t *testing.T) {
	s := startServer(t)
	d := s.open()
	listed(t, d, 0)
	s.stop()
	wantError(t, d, platform.ErrNoDisplay)
	wantError(t, d, platform.ErrNoDisplay) // and cannot connect
	again := startServer(t, s.display)
	if again.display != s.display {
		t.Fatalf("started on %s, want %s", again.display, s.display)
	}
	listed(t, d, 0)
}

func TestStoppedServerDoesNotHoldACallPastItsContext(t *testing.T) {
	s := startServer(t)
	d := s.open()
	listed(t, d, 0)
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for range 2 { // on the old connection, then on a new one
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := d.Windows(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		cancel()
	}
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	listed(t, d, 0)
}

func TestStoppedServerDoesNotHoldACallPastItsBudget(t *testing.T) {
	s := startServer(t)
	d := s.open()
	listed(t, d, 0)
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	d.timeout = 50 * time.Millisecond
	_, err := d.Windows(t.Context())
	if !errors.Is(err, platform.ErrNoDisplay) || !strings.Contains(err.Error(), "did not answer within 50ms") {
		t.Errorf("got %v", err)
	}
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s := startServer(t)
	d := s.open()
	listed(t, d, 0)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	goleak.VerifyNone(t, before) // while the server still runs
}

// silentServer takes connections and never says a word.
func silentServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return fmt.Sprintf("127.0.0.1:%d", l.Addr().(*net.TCPAddr).Port-6000)
}

func TestSilentServerIsNoDisplay(t *testing.T) {
	d := New(silentServer(t))
	defer d.Close()
	d.timeout = 50 * time.Millisecond
	wantError(t, d, platform.ErrNoDisplay)
}

func TestCancelledCallReturnsItsOwnError(t *testing.T) {
	d := New(silentServer(t))
	defer d.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := d.Windows(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, platform.ErrNoDisplay) {
		t.Errorf("got %v", err)
	}
	if _, err := d.Windows(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("already cancelled: %v", err)
	}
}

func TestServerThatSpeaksSomethingElse(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	left := make(chan struct{})
	go func() {
		defer close(left)
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = c.Write([]byte("\x01\x00\x0b\x00\x00\x00\x01\x00abcd")) // success, of four bytes
		_, _ = io.Copy(io.Discard, c)
		_ = c.Close()
	}()
	d := New(fmt.Sprintf("127.0.0.1:%d", l.Addr().(*net.TCPAddr).Port-6000))
	defer d.Close()
	wantError(t, d, platform.ErrNoDisplay)
	<-left // the connection was closed
}

func TestConcurrentCallsAndClose(t *testing.T) {
	s := startServer(t)
	k := s.desk()
	k.show(k.window(0, 0, 9, 9))
	d := s.open()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%4 == 3 {
				cancel()
				if _, err := d.Windows(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled call: %v", err)
				}
				return
			}
			if got, err := d.Windows(ctx); err != nil || len(got) != 1 {
				t.Errorf("%d windows, %v", len(got), err)
			}
		})
	}
	wg.Wait()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	wantError(t, d, net.ErrClosed)
}

func TestCheck(t *testing.T) {
	states := func(found []platform.Finding) string {
		var b strings.Builder
		for _, f := range found {
			fmt.Fprintf(&b, "%s %s; ", f.Name, f.State)
		}
		return b.String()
	}
	s := startServer(t)
	d := s.open()
	if got := states(d.Check(t.Context())); got != "display works; window manager missing; window owners works; " {
		t.Errorf("without a window manager: %s", got)
	}
	s.desk().manage()
	found := d.Check(t.Context())
	if got := states(found); got != "display works; window manager works; window owners works; " || found[1].Note != "Test manager" {
		t.Errorf("with a window manager: %+v", found)
	}
	bare := startServer(t, "-extension", "X-Resource")
	if got := states(bare.open().Check(t.Context())); got != "display works; window manager missing; window owners unverified; " {
		t.Errorf("without XRes: %s", got)
	}
}

// entry is one entry of an Xauthority file.
func entry(family int, fields ...string) string {
	b := string([]byte{byte(family >> 8), byte(family)})
	for _, f := range fields {
		b += string([]byte{byte(len(f) >> 8), byte(len(f))}) + f
	}
	return b
}

func TestServerThatWantsACookie(t *testing.T) {
	hostname, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	const secret, wrong = "0123456789abcdef", "fedcba9876543210"
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	s := startServer(t, "-auth", write("server", entry(familyLocal, hostname, "", magicCookie, secret)))
	number := s.display[1:]

	t.Setenv("XAUTHORITY", write("wrong", entry(familyLocal, hostname, number, magicCookie, wrong)))
	refused := s.open()
	wantError(t, refused, platform.ErrNoDisplay)
	t.Setenv("XAUTHORITY", filepath.Join(dir, "absent"))
	wantError(t, refused, platform.ErrNoDisplay)
	t.Setenv("XAUTHORITY", write("right",
		entry(familyLocal, hostname, number+"1", magicCookie, wrong)+entry(familyLocal, hostname, number, magicCookie, secret)))
	listed(t, refused, 0)
}

func TestPickCookie(t *testing.T) {
	const secret = "0123456789abcdef"
	local, remote := address{number: 5}, address{host: "192.0.2.1", number: 5}
	for name, c := range map[string]struct {
		file string
		at   address
		want bool
	}{
		"of this host and display":   {entry(familyLocal, "me", "5", magicCookie, secret), local, true},
		"of any display":             {entry(familyLocal, "me", "", magicCookie, secret), local, true},
		"of any host":                {entry(familyWild, "", "5", magicCookie, secret), remote, true},
		"after others":               {entry(familyLocal, "you", "5", magicCookie, "x") + entry(familyLocal, "me", "5", magicCookie, secret), local, true},
		"of a forwarded display":     {entry(familyLocal, "me", "5", magicCookie, secret), address{host: "localhost", number: 5}, true},
		"of an address":              {entry(familyInternet, "\xc0\x00\x02\x01", "5", magicCookie, secret), remote, true},
		"of another address":         {entry(familyInternet, "\xc0\x00\x02\x02", "5", magicCookie, secret), remote, false},
		"of another host":            {entry(familyLocal, "you", "5", magicCookie, secret), local, false},
		"local, for a remote server": {entry(familyLocal, "me", "5", magicCookie, secret), remote, false},
		"of another display":         {entry(familyLocal, "me", "6", magicCookie, secret), local, false},
		"of another kind":            {entry(familyLocal, "me", "5", "XDM-AUTHORIZATION-1", secret), local, false},
		"of the wrong length":        {entry(familyLocal, "me", "5", magicCookie, secret+"0"), local, false},
		"of an unknown family":       {entry(9, "me", "5", magicCookie, secret), local, false},
		"empty":                      {"", local, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := pickCookie([]byte(c.file), c.at, "me")
			if (got.data == secret) != c.want || !c.want && got != (cookie{}) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func FuzzPickCookie(f *testing.F) {
	whole := entry(familyLocal, "me", "5", magicCookie, "0123456789abcdef")
	for i := range len(whole) + 1 {
		f.Add([]byte(whole[:i]))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if got := pickCookie(file, address{number: 5}, "me"); got.name != "" && len(got.data) != authorityCookieLen {
			t.Errorf("got %q", got)
		}
	})
}

func TestScaleOf(t *testing.T) {
	for database, want := range map[string]float64{
		"":                               1,
		"Xft.dpi:\t96\n":                 1,
		"a: b\nXft.dpi: 144":             1.5,
		"Xft.dpi:\t120\nXft.dpi:\t240\n": 1.25,
		"Xft.dpi:\t103\n":                69.0 / 64,
		"Xft.dpi:\t110\n":                73.0 / 64,
		"Xft.dpi:\tlarge\n":              1,
		"Xft.dpi:\tNaN\n":                1,
		"Xft.dpi:\tInf\n":                1,
		"Xft.dpi:\t0\n":                  1,
		"Xft.dpi:\t-96\n":                1,
		"Xft.dpi:\t9600\n":               1,
		"*Xft.dpi2:\t192\n":              1,
		"Xft.dpi":                        1,
	} {
		if got := scaleOf(database); got != want {
			t.Errorf("%q: %v, want %v", database, got, want)
		}
	}
}
