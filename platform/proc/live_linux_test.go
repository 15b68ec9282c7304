package proc

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"cuatui/platform"
)

func TestOwnProcess(t *testing.T) {
	p, err := New("").Process(t.Context(), os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if p.PID != os.Getpid() || p.PPID != os.Getppid() || p.UID != os.Getuid() || p.Executable != executable ||
		!slices.Equal(p.Args, os.Args) || p.Start == 0 {
		t.Errorf("got %+v", p)
	}
	all, err := New("").Processes(t.Context())
	if err != nil || !slices.ContainsFunc(all, func(q platform.Process) bool { return q.Fingerprint() == p.Fingerprint() }) {
		t.Errorf("not among the %d processes listed (%v)", len(all), err)
	}
}

func TestZombieIsUnknownUntilItIsCollected(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	_, before := New("").Process(t.Context(), cmd.Process.Pid)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	_, after := New("").Process(t.Context(), cmd.Process.Pid)
	if !errors.Is(before, platform.ErrUnknown) || !errors.Is(after, platform.ErrNotFound) {
		t.Errorf("uncollected: %v; collected: %v", before, after)
	}
}

func TestRealConnection(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()

	ctx, table := t.Context(), New("")
	local, remote := client.LocalAddr().(*net.TCPAddr).Port, client.RemoteAddr().(*net.TCPAddr).Port
	want := listener.Addr().(*net.TCPAddr).AddrPort()
	if at, err := table.Listeners(ctx, os.Getpid()); err != nil || !slices.Contains(at, want) {
		t.Errorf("listening on %v, %v; want %v among them", at, err, want)
	}
	if pid, err := table.PeerPID(ctx, local, remote); err != nil || pid != os.Getpid() {
		t.Errorf("peer is %d, %v; want this process", pid, err)
	}
	if pid, err := table.PeerPID(ctx, remote, remote); !errors.Is(err, platform.ErrNotFound) {
		t.Errorf("no such connection, yet peer is %d, %v", pid, err)
	}
}
