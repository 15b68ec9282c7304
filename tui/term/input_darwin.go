package term

import "golang.org/x/sys/unix"

// fRead is FREAD of <sys/fcntl.h>: the queue of what was typed.
const fRead = 1

func drop(fd uintptr) error { return unix.IoctlSetPointerInt(int(fd), unix.TIOCFLUSH, fRead) }
