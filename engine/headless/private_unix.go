//go:build unix

package headless

import (
	"io/fs"
	"os"
	"syscall"
)

// private says whether nobody but this user may read or write a file.
func private(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
