package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cuatui/engine/act"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
)

// copies are private copies of files, in a folder of their own.
type copies struct {
	folder string
	files  []act.File
}

// remove takes the copies away. What is left of them is in a private folder of
// the system's temporary ones.
func (c *copies) remove() { _ = os.RemoveAll(c.folder) }

// copyFiles copies each file from one opening of it, so that what is handed
// over is what was looked at. root, where it is given, is the folder that they
// must lie in. A refusal names a file by its place in the list, never by path.
func copyFiles(ctx context.Context, paths []string, root string) (*copies, error) {
	folder, err := os.MkdirTemp("", "cuatui-upload-")
	if err != nil {
		return nil, fmt.Errorf("copy files: %w", err)
	}
	made := &copies{folder: folder}
	if err := made.copyAll(ctx, paths, root); err != nil {
		made.remove()
		return nil, err
	}
	return made, nil
}

func (c *copies) copyAll(ctx context.Context, paths []string, root string) error {
	left := int64(limits.UploadBytesMax)
	for i, path := range paths {
		f, why, err := c.copyOne(ctx, path, root, i, left)
		if err != nil {
			return err
		}
		if why != "" {
			var p refusal.Proof
			p.Fail("files", "regular files, reached without links", fmt.Sprintf("file %d: %s", i+1, why))
			return refusal.New(refusal.FileRejected, "file %d of %d: %s", i+1, len(paths), why).WithProof(p.Steps())
		}
		left -= f.Size
		c.files = append(c.files, f)
	}
	return nil
}

// copyOne copies one file of at most left bytes; why says why it is none to
// hand over.
func (c *copies) copyOne(ctx context.Context, path, root string, i int, left int64) (f act.File, why string, err error) {
	path = filepath.Clean(path)
	if root != "" && !inside(path, filepath.Clean(root)) {
		return f, "it does not lie in the root", nil
	}
	from, why := openRegular(path)
	if why != "" {
		return f, why, nil
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return f, "", fmt.Errorf("copy files: %w", err)
	}
	own := filepath.Join(c.folder, strconv.Itoa(i)) // two may have one name
	if err := os.Mkdir(own, 0o700); err != nil {
		return f, "", fmt.Errorf("copy files: %w", err)
	}
	f = act.File{Path: filepath.Join(own, filepath.Base(path)), Name: filepath.Base(path)}
	to, err := os.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return f, "", fmt.Errorf("copy files: %w", err)
	}
	f.Size, err = io.Copy(to, io.LimitReader(&whileWanted{ctx, from}, left+1))
	if err = errors.Join(err, to.Close()); err != nil {
		return f, "", fmt.Errorf("copy files: %w", err)
	}
	if f.Size > left {
		return f, fmt.Sprintf("together they are larger than %d MB", limits.UploadBytesMax>>20), nil
	}
	if err := os.Chtimes(f.Path, info.ModTime(), info.ModTime()); err != nil {
		return f, "", fmt.Errorf("copy files: %w", err)
	}
	return f, "", nil
}

// openRegular opens a regular file that no symbolic link leads to, once. It is
// looked at before, so that nothing but a file is ever opened, and after.
func openRegular(path string) (f *os.File, why string) {
	before, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "there is none of that name"
	case err != nil:
		return nil, "it cannot be looked at"
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, "it is a symbolic link"
	case !before.Mode().IsRegular():
		return nil, "it is no regular file"
	}
	direct, err := filepath.EvalSymlinks(path)
	if err != nil || direct != path {
		return nil, "a symbolic link leads to it"
	}
	if f, err = os.OpenFile(path, os.O_RDONLY|openNoFollow, 0); err != nil {
		return nil, "it cannot be read"
	}
	opened, err := f.Stat()
	if err != nil || !opened.Mode().IsRegular() || !os.SameFile(before, opened) {
		_ = f.Close()
		return nil, "it was exchanged while it was opened"
	}
	return f, ""
}

// inside says whether a clean path lies below a clean folder.
func inside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// whileWanted reads until the call is given up.
type whileWanted struct {
	ctx context.Context //nolint:containedctx // it is the reader's whole point
	io.Reader
}

func (r *whileWanted) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err //nolint:wrapcheck // the caller says what was read
	}
	return r.Reader.Read(b) //nolint:wrapcheck // io.EOF must stay itself
}
