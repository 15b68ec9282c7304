//go:build unix

package engine

import "golang.org/x/sys/unix"

// openNoFollow opens neither through a link nor waits for a pipe's other end.
const openNoFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK
