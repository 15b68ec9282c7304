//go:build unix

package headless

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// hungUp reports whether nobody can write to in any more, however much of it is
// still unread.
func hungUp(in any) bool {
	file, ok := in.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return false
	}
	hung := false
	_ = raw.Control(func(fd uintptr) { // fails where in is closed, and then says nothing
		fds := []unix.PollFd{{Fd: int32(fd)}}
		if _, err := unix.Poll(fds, 0); err == nil {
			hung = fds[0].Revents&unix.POLLHUP != 0
		}
	})
	return hung
}
