package proc

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cuatui/platform"
)

func TestListenersAreTheProcessesOwnOnLoopback(t *testing.T) {
	tr := newTree(t)
	child := chromium
	child.PID, child.PPID = 41, chromium.PID
	tr.process(chromium, "S", 1, 2, 3, 4, 5, 6)
	tr.process(child, "S", 11)
	tr.write("net/tcp", socketHeader+
		socket(four, 9333, every, 0, listen, 2)+
		socket(four, 9222, every, 0, listen, 1)+
		socket(every, 80, every, 0, listen, 3)+ // not on loopback
		socket(four, 9444, four, 5, established, 4)+ // not listening
		socket(four, 9555, every, 0, listen, 11)+ // the child's
		socket(four, 9666, every, 0, listen, 99)) // nobody's
	tr.write("net/tcp6", socketHeader+
		socket(six, 9222, every+every+every+every, 0, listen, 5)+
		socket(mapped, 9777, every+every+every+every, 0, listen, 6))
	got, err := tr.table().Listeners(t.Context(), chromium.PID)
	want := []netip.AddrPort{
		netip.MustParseAddrPort("127.0.0.1:9222"), netip.MustParseAddrPort("[::1]:9222"),
		netip.MustParseAddrPort("127.0.0.1:9333"), netip.MustParseAddrPort("127.0.0.1:9777"),
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

func TestListenersOfNoProcess(t *testing.T) {
	tr := newTree(t)
	zombie := chromium
	tr.process(zombie, "Z")
	if _, err := tr.table().Listeners(t.Context(), 99); !errors.Is(err, platform.ErrNotFound) {
		t.Errorf("absent: %v", err)
	}
	if _, err := tr.table().Listeners(t.Context(), zombie.PID); !errors.Is(err, platform.ErrUnknown) {
		t.Errorf("zombie: %v", err)
	}
}

func TestMachineWithoutIPv6(t *testing.T) {
	tr := newTree(t)
	tr.process(chromium, "S", 1)
	tr.write("net/tcp", socketHeader+socket(four, 9222, every, 0, listen, 1))
	if err := os.Remove(filepath.Join(tr.root, "net", "tcp6")); err != nil {
		t.Fatal(err)
	}
	if got, err := tr.table().Listeners(t.Context(), chromium.PID); err != nil || !slices.Equal(got, []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:9222")}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestMalformedSocketTableIsAnError(t *testing.T) {
	tr := newTree(t)
	tr.process(chromium, "S", 1)
	tr.write("net/tcp", socketHeader+"   0: zz\n")
	if got, err := tr.table().Listeners(t.Context(), chromium.PID); err == nil {
		t.Errorf("got %v", got)
	}
}

func TestPeerPID(t *testing.T) {
	const ours, theirs = 40001, 9222
	pair := func(local, remote string, localInode, remoteInode int) string {
		return socket(local, ours, remote, theirs, established, localInode) + socket(remote, theirs, local, ours, established, remoteInode)
	}
	for _, c := range []struct {
		name      string
		tcp, tcp6 string
		pid       int
		err       error
	}{
		{name: "the holder of the other end", tcp: pair(four, four, 100, 200), pid: 40},
		{name: "over IPv6", tcp6: pair(six, six, 100, 200), pid: 40},
		{
			name: "an IPv4 client of an IPv6 server", pid: 40,
			tcp: socket(four, ours, four, theirs, established, 100), tcp6: socket(mapped, theirs, mapped, ours, established, 200),
		},
		{name: "no connection", err: platform.ErrNotFound},
		{name: "only our end", tcp: socket(four, ours, four, theirs, established, 100), err: platform.ErrNotFound},
		{
			name: "the listener is not the peer", err: platform.ErrNotFound,
			tcp: socket(four, ours, four, theirs, established, 100) + socket(four, theirs, every, 0, listen, 200),
		},
		{
			name: "same ports on another address", err: platform.ErrNotFound,
			tcp: socket(four, ours, four, theirs, established, 100) + socket(fourB, theirs, four, ours, established, 200),
		},
		{
			name: "closing", err: platform.ErrNotFound,
			tcp: socket(four, ours, four, theirs, established, 100) + socket(four, theirs, four, ours, closing, 200),
		},
		{name: "two connections with these ports", tcp: pair(four, four, 100, 200) + pair(four, fourB, 101, 201), err: platform.ErrUnknown},
		{name: "left by its process", tcp: pair(four, four, 100, 0), err: platform.ErrUnknown},
		{name: "held by nobody visible", tcp: pair(four, four, 100, 999), err: platform.ErrUnknown},
		{name: "held by two", tcp: pair(four, four, 100, 300), err: platform.ErrUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTree(t)
			second := chromium
			second.PID = 41
			tr.process(chromium, "S", 5, 200, 201, 300)
			tr.process(second, "S", 100, 300)
			tr.write("net/tcp", socketHeader+c.tcp)
			tr.write("net/tcp6", socketHeader+c.tcp6)
			pid, err := tr.table().PeerPID(t.Context(), ours, theirs)
			if pid != c.pid || !errors.Is(err, c.err) {
				t.Errorf("got %d, %v; want %d, %v", pid, err, c.pid, c.err)
			}
		})
	}
}
