// Package proc reads processes and their loopback sockets from a Linux /proc.
// The root is a parameter, so that tests read a tree of files.
//
// It answers from one moment: what it returns may have changed since. A zombie
// or a process of another user exists but cannot be seen into, and is
// platform.ErrUnknown; only a pid that is not there is platform.ErrNotFound.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/prometheus/procfs"

	"cuatui/platform"
)

// Table is a process table. It holds no state and is safe for concurrent use.
type Table struct{ root string }

// New returns the table under root; "" is /proc. It reads nothing yet.
func New(root string) *Table {
	if root == "" {
		root = procfs.DefaultMountPoint
	}
	return &Table{root: root}
}

// Process returns the process with the pid.
func (t *Table) Process(ctx context.Context, pid int) (platform.Process, error) {
	if err := ctx.Err(); err != nil {
		return platform.Process{}, err
	}
	tree, err := procfs.NewFS(t.root)
	if err != nil {
		return platform.Process{}, fmt.Errorf("opening the process table: %w", err)
	}
	return read(tree, pid)
}

// Processes lists the processes that this user can see into, by pid. Those
// that end while the list is made, zombies and other users' are left out.
func (t *Table) Processes(ctx context.Context) ([]platform.Process, error) {
	tree, err := procfs.NewFS(t.root)
	if err != nil {
		return nil, fmt.Errorf("opening the process table: %w", err)
	}
	all, err := tree.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	out := make([]platform.Process, 0, len(all))
	for _, entry := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := read(tree, entry.PID)
		switch {
		case err == nil:
			out = append(out, p)
		case errors.Is(err, platform.ErrNotFound), errors.Is(err, platform.ErrUnknown):
		default:
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b platform.Process) int { return a.PID - b.PID })
	return out, nil
}

// read collects one process from four files. The kernel may give the pid to
// another process in between, so the start time is read before and after.
func read(tree procfs.FS, pid int) (platform.Process, error) {
	entry, err := tree.Proc(pid)
	if err != nil {
		return platform.Process{}, classify(pid, err)
	}
	before, err := living(entry)
	if err != nil {
		return platform.Process{}, err
	}
	executable, err := entry.Executable()
	if err != nil {
		return platform.Process{}, classify(pid, err)
	}
	args, err := entry.CmdLine()
	if err != nil {
		return platform.Process{}, classify(pid, err)
	}
	status, err := entry.NewStatus()
	if err != nil {
		return platform.Process{}, classify(pid, err)
	}
	after, err := living(entry)
	if err != nil {
		return platform.Process{}, err
	}
	if before.Starttime != after.Starttime {
		return platform.Process{}, fmt.Errorf("process %d was replaced while it was read: %w", pid, platform.ErrUnknown)
	}
	return platform.Process{
		PID:   pid,
		PPID:  after.PPID,
		Start: after.Starttime,
		// The kernel marks an image whose file was replaced, as a package
		// upgrade does. The process is the same one as before it.
		Executable: strings.TrimSuffix(executable, " (deleted)"),
		Args:       args,
		UID:        int(status.UIDs[0]),
	}, nil
}

// living reads the stat file of a process that still runs.
func living(entry procfs.Proc) (procfs.ProcStat, error) {
	stat, err := entry.Stat()
	if err != nil {
		return stat, classify(entry.PID, err)
	}
	switch stat.State {
	case "Z", "X", "x":
		return stat, fmt.Errorf("process %d has ended and is not yet collected: %w", entry.PID, platform.ErrUnknown)
	}
	return stat, nil
}

// classify tells "not there" from "there, but not visible". ESRCH is what a
// read of a file opened before the process ended returns.
func classify(pid int, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH):
		return fmt.Errorf("process %d: %w", pid, platform.ErrNotFound)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("process %d: %w", pid, platform.ErrUnknown)
	}
	return fmt.Errorf("reading process %d: %w", pid, err)
}
