package proc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cuatui/platform"
)

// tree is a process table of files.
type tree struct {
	t    *testing.T
	root string
}

func newTree(t *testing.T) tree {
	tr := tree{t, t.TempDir()}
	tr.write("net/tcp", socketHeader)
	tr.write("net/tcp6", socketHeader)
	return tr
}

func (tr tree) table() *Table { return New(tr.root) }

func (tr tree) write(name, content string) {
	tr.t.Helper()
	path := filepath.Join(tr.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

func (tr tree) link(name, target string) {
	tr.t.Helper()
	path := filepath.Join(tr.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		tr.t.Fatal(err)
	}
}

// process adds a process with sockets open.
func (tr tree) process(p platform.Process, state string, sockets ...int) {
	dir := fmt.Sprint(p.PID)
	tr.write(dir+"/stat", stat(p, state))
	tr.write(dir+"/cmdline", strings.Join(p.Args, "\x00")+"\x00")
	tr.write(dir+"/status", fmt.Sprintf("Name:\tx\nPPid:\t%d\nUid:\t%d\t0\t0\t0\n", p.PPID, p.UID))
	tr.link(dir+"/exe", p.Executable)
	tr.link(dir+"/fd/0", "/dev/null")
	tr.link(dir+"/fd/1", "pipe:[77]")
	for i, inode := range sockets {
		tr.link(fmt.Sprintf("%s/fd/%d", dir, i+3), fmt.Sprintf("socket:[%d]", inode))
	}
}

// stat is a stat file whose command name tries to be more fields.
func stat(p platform.Process, state string) string {
	return fmt.Sprintf("%d (a) S 9 9) %s %d%s %d%s\n", p.PID, state, p.PPID, strings.Repeat(" 1", 17), p.Start, strings.Repeat(" 2", 30))
}

const (
	socketHeader = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	four         = "0100007F"
	fourB        = "0200007F"
	six          = "00000000000000000000000001000000"
	mapped       = "0000000000000000FFFF00000100007F"
	every        = "00000000"
	listen       = 0x0A
	established  = 0x01
	closing      = 0x08
)

// socket is a line of net/tcp.
func socket(local string, localPort int, remote string, remotePort, state, inode int) string {
	return fmt.Sprintf("   0: %s:%04X %s:%04X %02X 00000000:00000000 00:00000000 00000000  1000        0 %d 1 0 100 0 0 10 0\n",
		local, localPort, remote, remotePort, state, inode)
}

var chromium = platform.Process{
	PID: 40, PPID: 1, Start: 123456, UID: 1000,
	Executable: "/usr/lib/chromium/chromium", Args: []string{"/usr/lib/chromium/chromium", "--flag", "a b"},
}

func same(a, b platform.Process) bool {
	return a.Fingerprint() == b.Fingerprint() && a.PPID == b.PPID && a.UID == b.UID && slices.Equal(a.Args, b.Args)
}

func TestProcessIsReadWhole(t *testing.T) {
	tr := newTree(t)
	tr.process(chromium, "S")
	got, err := tr.table().Process(t.Context(), chromium.PID)
	if err != nil || !same(got, chromium) {
		t.Errorf("got %+v, %v; want %+v", got, err, chromium)
	}
}

func TestUpgradedImageKeepsItsIdentity(t *testing.T) {
	tr := newTree(t)
	p := chromium
	p.Executable += " (deleted)"
	tr.process(p, "R")
	got, err := tr.table().Process(t.Context(), p.PID)
	if err != nil || got.Fingerprint() != chromium.Fingerprint() {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAbsentAndInvisibleAreNotTheSame(t *testing.T) {
	tr := newTree(t)
	zombie, dead := chromium, chromium
	zombie.PID, dead.PID = 41, 42
	tr.process(zombie, "Z")
	tr.process(dead, "X")
	tr.write("43/stat", "no process")
	for pid, want := range map[int]error{
		41: platform.ErrUnknown, 42: platform.ErrUnknown,
		99: platform.ErrNotFound, 0: platform.ErrNotFound, -1: platform.ErrNotFound,
	} {
		if _, err := tr.table().Process(t.Context(), pid); !errors.Is(err, want) {
			t.Errorf("process %d: %v, want %v", pid, err, want)
		}
	}
	_, err := tr.table().Process(t.Context(), 43)
	if err == nil || errors.Is(err, platform.ErrNotFound) || errors.Is(err, platform.ErrUnknown) {
		t.Errorf("a malformed stat file gave %v", err)
	}
}

func TestErrorsOfTheKernelAreClassified(t *testing.T) {
	for cause, want := range map[error]error{
		fs.ErrNotExist: platform.ErrNotFound, syscall.ESRCH: platform.ErrNotFound,
		syscall.EACCES: platform.ErrUnknown, syscall.EPERM: platform.ErrUnknown,
	} {
		if err := classify(1, &fs.PathError{Op: "read", Path: "x", Err: cause}); !errors.Is(err, want) {
			t.Errorf("%v became %v, want %v", cause, err, want)
		}
	}
	if err := classify(1, syscall.EIO); !errors.Is(err, syscall.EIO) {
		t.Errorf("the cause was lost: %v", err)
	}
}

func TestProcessesLeavesOutWhatCannotBeSeen(t *testing.T) {
	tr := newTree(t)
	second, zombie := chromium, chromium
	second.PID, zombie.PID = 7, 50
	tr.process(chromium, "S")
	tr.process(second, "S")
	tr.process(zombie, "Z")
	got, err := tr.table().Processes(t.Context())
	if err != nil || len(got) != 2 || got[0].PID != 7 || !same(got[1], chromium) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestNoProcessTableIsAnError(t *testing.T) {
	table := New(filepath.Join(t.TempDir(), "absent"))
	if got, err := table.Processes(t.Context()); err == nil {
		t.Errorf("got %v", got)
	}
	if _, err := table.PeerPID(t.Context(), 1, 2); err == nil {
		t.Error("a peer was found")
	}
	if _, err := table.Listeners(t.Context(), 1); err == nil {
		t.Error("listeners were found")
	}
}

func TestCancelledContextIsHonoured(t *testing.T) {
	tr := newTree(t)
	tr.process(chromium, "S", 9)
	tr.write("net/tcp", socketHeader+socket(four, 50, four, 60, established, 8)+socket(four, 60, four, 50, established, 9))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err1 := tr.table().Processes(ctx)
	_, err2 := tr.table().Process(ctx, chromium.PID)
	_, err3 := tr.table().PeerPID(ctx, 50, 60)
	_, err4 := tr.table().Listeners(ctx, chromium.PID)
	for i, err := range []error{err1, err2, err3, err4} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("call %d: %v", i+1, err)
		}
	}
}
