package prepare

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// procStat is what the kernel says of a process that this package alone needs:
// platform.System tells neither zombies nor process groups apart.
type procStat struct {
	state byte
	group int
	start uint64 // clock ticks since boot
}

var errNoProcess = errors.New("no such process")

// readStat reads /proc/<pid>/stat.
func readStat(pid int) (procStat, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return procStat{}, errNoProcess
	}
	if err != nil {
		return procStat{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return parseStat(string(data))
}

// parseStat reads a stat line. The command in it is the process's own choice
// and may hold anything, so the fields are counted from the last parenthesis.
func parseStat(line string) (procStat, error) {
	const groupField, startField = 2, 19 // from the state on; stat(5) counts from 1 with pid and command first
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	if len(fields) <= startField || len(fields[0]) != 1 {
		return procStat{}, errors.New("process state: malformed")
	}
	group, err := strconv.Atoi(fields[groupField])
	if err != nil {
		return procStat{}, fmt.Errorf("process group: %w", err)
	}
	start, err := strconv.ParseUint(fields[startField], 10, 64)
	if err != nil {
		return procStat{}, fmt.Errorf("process start: %w", err)
	}
	return procStat{state: fields[0][0], group: group, start: start}, nil
}

// ended reports whether the process only waits to be reaped.
func (s procStat) ended() bool { return s.state == 'Z' || s.state == 'X' }

// alive reports whether the very process that started at start still runs. What
// cannot be read counts as alive: unknown is not absent.
func alive(pid int, start uint64) bool {
	s, err := readStat(pid)
	if errors.Is(err, errNoProcess) {
		return false
	}
	return err != nil || (s.start == start && !s.ended())
}

// groupMembers lists the running processes of a process group. Ended ones that
// nobody reaps (in a container process 1 often does not) are left out.
func groupMembers(group int) ([]int, error) {
	if errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
		return nil, nil
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var members []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if s, err := readStat(pid); err == nil && s.group == group && !s.ended() {
			members = append(members, pid)
		}
	}
	return members, nil
}

const pollInterval = 10 * time.Millisecond

// poll calls ready until it says yes, fails or ctx ends. It is for facts that
// the system announces by no event.
func poll(ctx context.Context, ready func() (bool, error)) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		ok, err := ready()
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// waitGroupGone waits until no process of the group runs.
func waitGroupGone(ctx context.Context, group int) error {
	err := poll(ctx, func() (bool, error) {
		members, err := groupMembers(group)
		return len(members) == 0, err
	})
	if err != nil {
		return fmt.Errorf("waiting for process group %d to end: %w", group, err)
	}
	return nil
}

// executableOf returns the path of a process's image. A package upgrade deletes
// the file under a running browser; it is the same image still.
func executableOf(pid int) (string, error) {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return "", fmt.Errorf("executable of process %d: %w", pid, err)
	}
	return strings.TrimSuffix(path, " (deleted)"), nil
}

// argsOf returns the command line of a process.
func argsOf(pid int) ([]string, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return nil, fmt.Errorf("arguments of process %d: %w", pid, err)
	}
	return strings.Split(string(data), "\x00"), nil
}

// bootID names this run of the kernel: process ids and start times of another
// run say nothing.
func bootID() (string, error) {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("boot id: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}
