//go:build !unix

package headless

import "io/fs"

// private says whether nobody but this user may read or write a file. Where a
// mode does not tell, it is what its folder lets others do.
func private(fs.FileInfo) bool { return true }
