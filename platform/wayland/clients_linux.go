package wayland

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// callTimeout bounds one listing; the kernel answers in about a millisecond.
const callTimeout = 5 * time.Second

// Clients returns the sockets, as inodes, by which programs are connected to
// the Wayland display whose socket lies at path. held are the sockets that its
// compositor has open: what merely carries the same name is not the display.
// Programs that a sandbox connects by a socket of its own are not among them.
func Clients(ctx context.Context, path string, held map[uint64]bool) ([]uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, errors.New("the display's socket is gone") // without the path, which is nobody's business
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode().Type() != os.ModeSocket {
		return nil, errors.New("the display's socket is none")
	}
	answer, err := dump(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking the kernel for local sockets: %w", err)
	}
	all, err := parse(answer)
	if err != nil {
		return nil, fmt.Errorf("asking the kernel for local sockets: %w", err)
	}
	return clients(all, uint32(stat.Ino), held) //nolint:gosec // the kernel gives the lower half of it
}

// dump asks the kernel for every local socket of this network namespace.
func dump(ctx context.Context) ([]byte, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	limit := callTimeout
	if at, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(at))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	wait := unix.NsecToTimeval(max(limit, time.Millisecond).Nanoseconds())
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait); err != nil {
		return nil, err
	}
	if err := unix.Sendto(fd, question(), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	var out []byte
	buffer := make([]byte, datagramMax)
	for {
		n, _, flags, from, err := unix.Recvmsg(fd, buffer, nil, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if kernel, ok := from.(*unix.SockaddrNetlink); !ok || kernel.Pid != 0 {
			continue // anybody may write to this socket; only the kernel is asked
		}
		if flags&unix.MSG_TRUNC != 0 {
			return nil, errors.New("an answer is longer than any should be")
		}
		out = append(out, buffer[:n]...)
		if len(out) > answerMax {
			return nil, errors.New("there are too many sockets")
		}
		done, err := complete(buffer[:n])
		if err != nil || done {
			return out, err
		}
	}
}
