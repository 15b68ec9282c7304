package term

import "golang.org/x/sys/unix"

func drop(fd uintptr) error { return unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) }
