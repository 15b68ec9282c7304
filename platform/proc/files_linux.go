package proc

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/procfs"

	"cuatui/platform"
)

// Mapped returns the files that the process has mapped into its memory, each
// once, and whether as code.
func (t *Table) Mapped(ctx context.Context, pid int) ([]platform.Mapping, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tree, err := procfs.NewFS(t.root)
	if err != nil {
		return nil, fmt.Errorf("opening the process table: %w", err)
	}
	entry, err := tree.Proc(pid)
	if err != nil {
		return nil, classify(pid, err)
	}
	all, err := entry.ProcMaps()
	if err != nil {
		return nil, classify(pid, err)
	}
	at := map[string]int{}
	var out []platform.Mapping
	for _, m := range all {
		// As with the executable, a file that was replaced is the same one.
		path := strings.TrimSuffix(m.Pathname, " (deleted)")
		if !filepath.IsAbs(path) {
			continue // no file: the stack, memory without a name
		}
		i, seen := at[path]
		if !seen {
			i = len(out)
			at[path], out = i, append(out, platform.Mapping{Path: path})
		}
		out[i].Code = out[i].Code || m.Perms.Execute
	}
	return out, nil
}

// Beside says which of the files are seen to exist below the folder of the process's
// executable, as the process sees it: in a container, that is another tree.
func (t *Table) Beside(ctx context.Context, pid int, names ...string) ([]string, error) {
	p, err := t.Process(ctx, pid)
	if err != nil || p.Executable == "" {
		return nil, err
	}
	dir := filepath.Join(t.root, fmt.Sprint(pid), "root", filepath.Dir(p.Executable))
	var out []string
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			out = append(out, name)
		}
	}
	return out, nil
}
