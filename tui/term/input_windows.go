package term

import "golang.org/x/sys/windows"

func drop(fd uintptr) error { return windows.FlushConsoleInputBuffer(windows.Handle(fd)) }
