package wayland

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"cuatui/platform/proc"
)

func inodeOf(t *testing.T, c net.Conn) uint64 {
	t.Helper()
	file, err := c.(*net.UnixConn).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Ino
}

// TestTheKernelTellsWhoIsConnected: two listeners of one process, and a client
// of each.
func TestTheKernelTellsWhoIsConnected(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	dir := t.TempDir()
	ends := map[string]uint64{}
	for _, name := range []string{"wayland-1", "other"} {
		l, err := new(net.ListenConfig).Listen(ctx, "unix", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		c, err := new(net.Dialer).DialContext(ctx, "unix", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		far, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = far.Close() })
		ends[name] = inodeOf(t, c)
	}
	table := proc.New("")
	held, err := table.Sockets(ctx, os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Clients(ctx, filepath.Join(dir, "wayland-1"), held)
	if err != nil || !slices.Equal(got, []uint64{ends["wayland-1"]}) {
		t.Fatalf("got %v, %v, want %d alone", got, err, ends["wayland-1"])
	}
	if pids, err := table.Holders(ctx, got); err != nil || !slices.Equal(pids, []int{os.Getpid()}) {
		t.Errorf("held by %v, %v", pids, err)
	}
	if pids, err := table.Holders(ctx, nil); err != nil || len(pids) > 0 {
		t.Errorf("nothing is held by %v, %v", pids, err)
	}
}

func TestWhatIsNoDisplayHasNoClients(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(dir, "absent"), ""} {
		if got, err := Clients(t.Context(), path, nil); err == nil {
			t.Errorf("%q: got %v", path, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dump(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
}
