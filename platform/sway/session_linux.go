package sway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cuatui/platform"
)

// callTimeout bounds one question, the connection included. Sway answers in
// about a millisecond; a stopped one never does.
const callTimeout = 5 * time.Second

// ErrNotRunning says that no Sway answers here. It is a platform.ErrNoDisplay.
var ErrNotRunning = fmt.Errorf("%w: Sway is not running", platform.ErrNoDisplay)

// Session is a Sway session. Every call makes a connection of its own, so
// there is nothing to close. It is safe for concurrent use.
type Session struct {
	socket  string // named; "" is to be found in runtime
	runtime string
	wayland string // path of the Wayland display's socket; "" if none is named
	uid     int    // as whom the server must run
	timeout time.Duration
}

// New returns the session whose socket is named, or if it is "", the one of
// $SWAYSOCK as it is now, or if there is none, the one that is found in
// $XDG_RUNTIME_DIR. It does not connect.
func New(socket string) *Session {
	if socket == "" {
		socket = os.Getenv("SWAYSOCK")
	}
	s := &Session{socket: socket, uid: os.Geteuid(), timeout: callTimeout}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		s.runtime = dir
	}
	s.wayland = displaySocket(os.Getenv("WAYLAND_DISPLAY"), s.runtime)
	return s
}

// displaySocket is the path of a Wayland display's socket, "" if there is none.
func displaySocket(display, runtime string) string {
	switch {
	case display == "":
		return ""
	case filepath.IsAbs(display):
		return display
	case runtime == "":
		return ""
	}
	return filepath.Join(runtime, display)
}

// Windows lists the session's windows in the order of Sway's tree, those of X
// programs included, and the process id of Sway itself.
func (s *Session) Windows(ctx context.Context) ([]Window, int, error) {
	answers, pid, err := s.ask(ctx, getTree, getConfig, getVersion)
	if err != nil {
		return nil, 0, fmt.Errorf("listing Sway's windows: %w", err)
	}
	on := platform.Sway
	if activates(answers[1], answers[2]) {
		on = platform.SwayActivating
	}
	all, err := windows(answers[0], on)
	if err != nil {
		return nil, 0, fmt.Errorf("listing Sway's windows: %w", err)
	}
	return all, pid, nil
}

// Check says how the session stands; nothing where there is none.
func (s *Session) Check(ctx context.Context) []platform.Finding {
	f := platform.Finding{Name: "sway", State: platform.Works}
	answers, _, err := s.ask(ctx, getVersion)
	switch {
	case errors.Is(err, ErrNotRunning) && s.socket == "":
		return nil
	case err != nil:
		f.State, f.Note = platform.Missing, err.Error()
		return []platform.Finding{f}
	}
	var version struct {
		Text string `json:"human_readable"`
	}
	if err := json.Unmarshal(answers[0], &version); err != nil {
		f.State, f.Note = platform.Missing, errProtocol.Error()
		return []platform.Finding{f}
	}
	const versionBytesMax = 64
	f.Note = "Sway " + bounded(version.Text, versionBytesMax)
	return []platform.Finding{f}
}

// ask puts questions to Sway and returns the answers and Sway's process id.
func (s *Session) ask(parent context.Context, questions ...uint32) ([][]byte, int, error) {
	ctx, cancel := context.WithTimeout(parent, s.timeout)
	defer cancel()
	conn, pid, err := s.connect(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer conn.Close()
	answers := make([][]byte, len(questions))
	for i, q := range questions {
		if answers[i], err = ask(ctx, conn, q); err == nil {
			continue
		}
		if ctx.Err() != nil && parent.Err() == nil {
			err = fmt.Errorf("no answer within %v: %w", s.timeout, err)
		}
		return nil, 0, err
	}
	return answers, pid, nil
}

// connect connects to the named socket, or to the one of the only running
// session that is found.
func (s *Session) connect(ctx context.Context) (net.Conn, int, error) {
	if s.socket != "" {
		conn, pid, err := s.dial(ctx, s.socket)
		if absent(err) {
			return nil, 0, fmt.Errorf("%w: nothing answers at SWAYSOCK", ErrNotRunning)
		}
		return conn, pid, err
	}
	found, err := s.candidates()
	if err != nil {
		return nil, 0, err
	}
	// Of several sessions it is the one whose display programs are started on.
	serving := 0
	if len(found) > 1 && s.wayland != "" {
		if serving, err = s.Compositor(ctx); err != nil {
			return nil, 0, err
		}
	}
	var conn net.Conn
	var pid int
	for _, path := range found {
		c, p, err := s.dial(ctx, path)
		switch {
		case absent(err):
		case err != nil:
			return nil, 0, errors.Join(err, closeAny(conn))
		case serving != 0 && p != serving:
			_ = c.Close()
		case conn != nil:
			return nil, 0, errors.Join(errors.New("several Sway sessions run, and SWAYSOCK does not say which is meant"), c.Close(), conn.Close())
		default:
			conn, pid = c, p
		}
	}
	if conn == nil {
		return nil, 0, ErrNotRunning
	}
	return conn, pid, nil
}

func closeAny(c net.Conn) error {
	if c == nil {
		return nil
	}
	return c.Close()
}

// Named says whether there is anything to ask: a named socket, or a file that
// looks like one of Sway's.
func (s *Session) Named() bool {
	found, err := s.candidates()
	return s.socket != "" || err == nil && len(found) > 0
}

// candidates are the sockets of this user in the runtime directory that are
// named as Sway names its own: sway-ipc.<uid>.<pid>.sock.
func (s *Session) candidates() ([]string, error) {
	if s.runtime == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(s.runtime)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for Sway's socket: %w", err)
	}
	var out []string
	prefix := "sway-ipc." + strconv.Itoa(s.uid) + "."
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), prefix)
		number, isSocket := strings.CutSuffix(rest, ".sock")
		if _, err := strconv.ParseUint(number, 10, 31); !ok || !isSocket || err != nil || e.Type() != os.ModeSocket {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // gone since
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) == s.uid {
			out = append(out, filepath.Join(s.runtime, e.Name()))
		}
	}
	return out, nil
}

// Display is the path of the socket of $WAYLAND_DISPLAY, "" if none is named.
func (s *Session) Display() string { return s.wayland }

// Compositor returns the process that serves $WAYLAND_DISPLAY, whatever
// compositor it is. It is ErrNoDisplay where none is named or none answers.
func (s *Session) Compositor(ctx context.Context) (int, error) {
	if s.wayland == "" {
		return 0, fmt.Errorf("%w: WAYLAND_DISPLAY names none", platform.ErrNoDisplay)
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	conn, pid, err := s.dial(ctx, s.wayland)
	if absent(err) {
		return 0, fmt.Errorf("%w: WAYLAND_DISPLAY is set, but nothing answers there", platform.ErrNoDisplay)
	}
	if err != nil {
		return 0, fmt.Errorf("connecting to the Wayland display: %w", err)
	}
	return pid, conn.Close()
}

// dial connects to a socket whose server runs as this user, and returns the
// server's process id.
func (s *Session) dial(ctx context.Context, path string) (net.Conn, int, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err // without the path, which is nobody's business
		}
		return nil, 0, err
	}
	cred, err := peer(conn)
	if err == nil && int(cred.Uid) != s.uid {
		err = fmt.Errorf("%w: the server of the socket runs as user %d, not as this user", platform.ErrUnknown, cred.Uid)
	}
	if err != nil {
		return nil, 0, errors.Join(err, conn.Close())
	}
	return conn, int(cred.Pid), nil
}

// peer is what the kernel says of the process that listens at the other end.
func peer(conn net.Conn) (*unix.Ucred, error) {
	sock, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.New("not a local socket")
	}
	raw, err := sock.SyscallConn()
	if err != nil {
		return nil, err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return nil, err
	}
	return cred, credErr
}
