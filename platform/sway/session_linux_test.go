package sway

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cuatui/platform"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// listen serves a socket: after the first request comes the whole answer, and
// then no more; nil leaves the other side waiting.
func listen(t *testing.T, path string, answer []byte) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.AcceptUnix()
			if err != nil {
				return
			}
			_, err = conn.Read(make([]byte, headerBytes))
			if err == nil && answer != nil {
				_, _ = conn.Write(answer)
				_ = conn.CloseWrite()
			}
			_, _ = io.Copy(io.Discard, conn) // until the other side gives up
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
}

// session3 is what a session answers to the questions about its windows.
func session3(tree []byte) []byte {
	return slices.Concat(message(getTree, tree), message(getConfig, []byte(`{"config":"# none"}`)), message(getVersion, []byte(`{}`)))
}

func message(kind uint32, payload []byte) []byte {
	b := append([]byte(magic), make([]byte, 8)...)
	binary.NativeEndian.PutUint32(b[len(magic):], uint32(len(payload)))
	binary.NativeEndian.PutUint32(b[len(magic)+4:], kind)
	return append(b, payload...)
}

// session is one that is named in an otherwise empty environment.
func session(t *testing.T, answer []byte) *Session {
	t.Helper()
	none(t)
	path := filepath.Join(t.TempDir(), "s")
	if answer != nil {
		listen(t, path, answer)
	}
	return New(path)
}

func none(t *testing.T) {
	t.Helper()
	for _, name := range []string{"SWAYSOCK", "XDG_RUNTIME_DIR", "WAYLAND_DISPLAY"} {
		t.Setenv(name, "")
	}
}

func TestWindowsComeWithTheProcessOfSway(t *testing.T) {
	s := session(t, session3(tree(wayland)))
	all, pid, err := s.Windows(t.Context())
	if err != nil || len(all) != 1 || pid != os.Getpid() {
		t.Errorf("got %+v, %d, %v", all, pid, err)
	}
}

func TestABadAnswerIsAnError(t *testing.T) {
	whole := message(getTree, tree())
	huge := message(getTree, nil)
	binary.NativeEndian.PutUint32(huge[len(magic):], replyBytesMax+1)
	tests := map[string]struct {
		answer []byte
		want   string
	}{
		"none":             {[]byte{}, "reading the answer"},
		"another protocol": {[]byte("HTTP/1.1 200 OK\r\n"), "does not begin with"},
		"another question": {message(getVersion, tree()), "answered as 7"},
		"too long":         {huge, "over"},
		"cut in the head":  {whole[:9], "reading the answer"},
		"cut in the body":  {whole[:40], "unexpected EOF"},
		"not a tree":       {session3([]byte("[]")), errProtocol.Error()},
		"no more answers":  {whole, "reading the answer"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			all, _, err := session(t, tt.answer).Windows(t.Context())
			if all != nil || err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, ErrNotRunning) {
				t.Errorf("got %+v, %v; want an error that says %q", all, err, tt.want)
			}
		})
	}
}

func TestAStoppedSwayEndsTheCall(t *testing.T) {
	none(t)
	path := filepath.Join(t.TempDir(), "s")
	listen(t, path, nil)
	s := New(path)
	s.timeout = 20 * time.Millisecond
	if _, _, err := s.Windows(t.Context()); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within") {
		t.Errorf("its own limit: %v", err)
	}
	s.timeout = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := s.Windows(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's limit: %v", err)
	}
}

func TestAnotherUsersSwayIsNotAsked(t *testing.T) {
	s := session(t, session3(tree(wayland)))
	s.uid++
	all, _, err := s.Windows(t.Context())
	if all != nil || !errors.Is(err, platform.ErrUnknown) || errors.Is(err, ErrNotRunning) {
		t.Errorf("got %+v, %v", all, err)
	}
	if found := s.Check(t.Context()); len(found) != 1 || found[0].State != platform.Missing {
		t.Errorf("check says %+v", found)
	}
}

func TestNoSwayIsNotAnEmptySession(t *testing.T) {
	none(t)
	dead := filepath.Join(t.TempDir(), "dead")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: dead})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	for name, s := range map[string]*Session{
		"nothing named":  New(""),
		"no such socket": New(filepath.Join(t.TempDir(), "none")),
		"a dead socket":  New(dead),
	} {
		all, _, err := s.Windows(t.Context())
		if all != nil || !errors.Is(err, ErrNotRunning) || !errors.Is(err, platform.ErrNoDisplay) {
			t.Errorf("%s: got %+v, %v", name, all, err)
		}
		if err != nil && strings.Contains(err.Error(), os.TempDir()) {
			t.Errorf("%s: the error names the path: %v", name, err)
		}
		if found := s.Check(t.Context()); (len(found) == 0) != (name == "nothing named") {
			t.Errorf("%s: check says %+v", name, found)
		}
	}
}

func TestTheSocketIsFoundWhereSwayPutsIt(t *testing.T) {
	none(t)
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	name := func(uid int, pid string) string {
		return filepath.Join(dir, strings.Join([]string{"sway-ipc", strconv.Itoa(uid), pid, "sock"}, "."))
	}
	uid := os.Geteuid()
	for _, decoy := range []string{name(uid, "12"), name(uid, "x"), filepath.Join(dir, "other.sock")} {
		if err := os.WriteFile(decoy, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	listen(t, name(uid+1, "14"), session3(tree())) // says that it is another user's
	s := New("")
	if _, _, err := s.Windows(t.Context()); !errors.Is(err, ErrNotRunning) || s.Named() {
		t.Errorf("with decoys alone: %v, named %v", err, s.Named())
	}
	listen(t, name(uid, "15"), session3(tree(wayland)))
	if all, _, err := s.Windows(t.Context()); err != nil || len(all) != 1 || !s.Named() {
		t.Errorf("got %+v, %v, named %v", all, err, s.Named())
	}
	listen(t, name(uid, "16"), session3(tree()))
	if _, _, err := s.Windows(t.Context()); err == nil || !strings.Contains(err.Error(), "SWAYSOCK does not say") {
		t.Errorf("with two sessions: %v", err)
	}
}

func TestTheCompositorIsTheProcessBehindTheDisplay(t *testing.T) {
	none(t)
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	if _, err := New("").Compositor(t.Context()); !errors.Is(err, platform.ErrNoDisplay) {
		t.Errorf("without a display: %v", err)
	}
	for name, display := range map[string]string{"by name": "wayland-7", "by path": filepath.Join(t.TempDir(), "w")} {
		t.Setenv("WAYLAND_DISPLAY", display)
		if _, err := New("").Compositor(t.Context()); !errors.Is(err, platform.ErrNoDisplay) {
			t.Errorf("%s: nothing listens, yet %v", name, err)
		}
		path := display
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, display)
		}
		listen(t, path, nil)
		if pid, err := New("").Compositor(t.Context()); err != nil || pid != os.Getpid() {
			t.Errorf("%s: got %d, %v", name, pid, err)
		}
	}
}

func TestCheckNamesTheVersion(t *testing.T) {
	s := session(t, message(getVersion, []byte(`{"human_readable":"1.7"}`)))
	if found := s.Check(t.Context()); len(found) != 1 || found[0].State != platform.Works || found[0].Note != "Sway 1.7" {
		t.Errorf("got %+v", found)
	}
	s = session(t, message(getVersion, []byte(`[]`)))
	if found := s.Check(t.Context()); len(found) != 1 || found[0].State != platform.Missing {
		t.Errorf("got %+v", found)
	}
}
