package prepare

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// A browser gets a directory of its own for temporary files: what it puts
// there, and leaves when it is killed, goes with it. The directory cannot lie
// in the profile, because the browser makes a socket in it, and the path of a
// socket is short.

var tempName = regexp.MustCompile(`^cuatui-[0-9a-f]{16}$`)

const (
	// tempRootLenMax leaves room for the socket's own names within 108 bytes.
	tempRootLenMax = 32
	removeTimeout  = 2 * time.Second
)

func newTemp() string {
	root := os.TempDir()
	if !filepath.IsAbs(root) || len(root) > tempRootLenMax {
		root = "/tmp"
	}
	var id [8]byte
	rand.Read(id[:]) // never fails: the program would have ended
	return filepath.Join(root, "cuatui-"+hex.EncodeToString(id[:]))
}

// validTemp reports whether path can have come from newTemp.
func validTemp(path string) bool {
	return filepath.IsAbs(path) && filepath.Clean(path) == path && tempName.MatchString(filepath.Base(path))
}

// removeTemp removes the directory that a marker names, if it is a private one
// of this user. Otherwise it is another one by now, or gone.
func removeTemp(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if err != nil || !validTemp(path) || checkPrivateDir(info) != nil {
		return missingIsFine(err)
	}
	if err := persist(ctx, func() error { return os.RemoveAll(path) }); err != nil {
		return fmt.Errorf("removing temporary directory: %w", err)
	}
	return nil
}

// persist repeats remove for a moment while it fails: a process that is being
// killed may still be writing. It does so whatever became of the caller.
func persist(ctx context.Context, remove func() error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	var last error
	if poll(ctx, func() (bool, error) {
		last = remove()
		return last == nil, nil
	}) != nil {
		return last
	}
	return nil
}
