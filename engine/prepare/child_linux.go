package prepare

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// endGrace is how long a child may take to end by itself.
	endGrace = time.Second
	// endTimeout bounds the wait for the kernel after SIGKILL.
	endTimeout = 5 * time.Second
)

// child is a process we started, leader of its own group. Its group never
// outlives it: when the leader ends, the rest is killed before the leader is
// reaped, because only until then is the group's number surely still its own.
type child struct {
	self ident
	done chan struct{} // closed when the leader is reaped
	err  error         // how it ended; read after done

	mu     sync.Mutex
	reaped bool
}

// command prepares a child. No context ends it: that would kill the leader at
// once and is not what ends a browser that has a profile to write.
func command(path string, args ...string) *exec.Cmd {
	return exec.Command(path, args...) //nolint:noctx // see above
}

// startChild starts cmd in a process group of its own. orphan, unless 0, is
// the signal the kernel sends the child when we die.
//
// The kernel ties that signal to the thread that forked, so the thread is
// locked and kept for as long as the child lives. Even so it reaches the leader
// only, and not if the leader changes its credentials: it is an addition, for
// children that have no pipe whose end tells them.
func startChild(cmd *exec.Cmd, orphan syscall.Signal) (*child, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: orphan}
	c := &child{done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- c.identify(cmd)
		c.reap(cmd)
	}()
	err := <-started
	if err == nil {
		return c, nil
	}
	if cmd.Process != nil {
		c.signal(unix.SIGKILL)
		<-c.done
	}
	return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
}

// identify reads the fingerprint. The process cannot be gone: it is not reaped.
func (c *child) identify(cmd *exec.Cmd) error {
	c.self.PID = cmd.Process.Pid
	stat, err := readStat(c.self.PID)
	if err != nil {
		return err
	}
	c.self.Start = stat.start
	if c.self.Executable, err = executableOf(c.self.PID); err != nil {
		c.self.Executable = cmd.Path // it has ended already, and its image with it
	}
	return nil
}

func (c *child) reap(cmd *exec.Cmd) {
	for errors.Is(unix.Waitid(unix.P_PID, c.self.PID, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	c.mu.Lock()
	_ = unix.Kill(-c.self.PID, unix.SIGKILL) // fails only if nobody else is left
	c.err = cmd.Wait()
	c.reaped = true
	c.mu.Unlock()
	close(c.done)
}

// signal sends sig to the whole group, if its number is still its own.
func (c *child) signal(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reaped {
		_ = unix.Kill(-c.self.PID, sig) // fails only if the group has ended
	}
}

// waitEnd waits until the child ended by itself, for endGrace or until ctx ends.
func (c *child) waitEnd(ctx context.Context) bool {
	grace := time.NewTimer(endGrace)
	defer grace.Stop()
	select {
	case <-c.done:
		return true
	case <-grace.C:
	case <-ctx.Done():
	}
	return false
}

// end waits for the child as waitEnd does, then kills its group. When it
// returns nil, no process of the group runs.
func (c *child) end(ctx context.Context) error {
	if !c.waitEnd(ctx) {
		c.signal(unix.SIGKILL)
	}
	// What was killed must be waited for, whatever became of the caller.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	select {
	case <-c.done:
	case <-ctx.Done():
		return fmt.Errorf("process %d did not end within %v of SIGKILL", c.self.PID, endTimeout)
	}
	return waitGroupGone(ctx, c.self.PID)
}

// ended reports whether the child has ended, without waiting.
func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// howEnded says in words how the child ended. It must have.
func (c *child) howEnded() string {
	if c.err == nil {
		return "exit status 0"
	}
	return c.err.Error()
}
