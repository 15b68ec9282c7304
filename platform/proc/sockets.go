package proc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"

	"cuatui/platform"
)

// The states of a TCP socket that matter, as /proc/net/tcp numbers them.
const (
	tcpEstablished = 0x01
	tcpListen      = 0x0A
)

// holderScans is how often the holder of a socket is looked for when several
// processes hold it: a child between fork and exec shares all of its parent's
// descriptors for a moment.
const holderScans = 3

// Listeners returns the loopback TCP addresses, by port, on which the process
// itself listens. A child's listener is the child's. An IPv4 address that an
// IPv6 socket listens on is given as IPv4, as which it is connected to.
func (t *Table) Listeners(ctx context.Context, pid int) ([]netip.AddrPort, error) {
	tree, err := procfs.NewFS(t.root)
	if err != nil {
		return nil, fmt.Errorf("opening the process table: %w", err)
	}
	if _, err := t.Process(ctx, pid); err != nil {
		return nil, err
	}
	held, err := socketsOf(tree, pid)
	if err != nil {
		return nil, err
	}
	rows, err := loopbackRows(tree)
	if err != nil {
		return nil, err
	}
	at := []netip.AddrPort{}
	for _, row := range rows {
		if row.state == tcpListen && held[row.inode] {
			at = append(at, netip.AddrPortFrom(row.address, uint16(row.localPort)))
		}
	}
	slices.SortFunc(at, func(a, b netip.AddrPort) int {
		return cmp.Or(cmp.Compare(a.Port(), b.Port()), a.Addr().Compare(b.Addr()))
	})
	return slices.Compact(at), nil
}

// PeerPID returns the process at the other end of the established loopback
// connection whose end here has localPort and whose far end has remotePort.
// It is ErrNotFound without such a connection, and ErrUnknown where the far
// end's holder is not visible or not the only one.
func (t *Table) PeerPID(ctx context.Context, localPort, remotePort int) (int, error) {
	tree, err := procfs.NewFS(t.root)
	if err != nil {
		return 0, fmt.Errorf("opening the process table: %w", err)
	}
	inode, err := peerInode(tree, localPort, remotePort)
	if err != nil {
		return 0, err
	}
	pid, err := soleHolder(ctx, tree, inode)
	if err != nil {
		return 0, fmt.Errorf("the peer on port %d: %w", remotePort, err)
	}
	// The scan took a while: the answer counts only if the connection is still
	// the same and the process still holds its end.
	again, err := peerInode(tree, localPort, remotePort)
	if err != nil {
		return 0, err
	}
	held, err := socketsOf(tree, pid)
	if err != nil {
		return 0, err
	}
	if again != inode || !held[inode] {
		return 0, fmt.Errorf("the peer on port %d changed while it was looked for: %w", remotePort, platform.ErrUnknown)
	}
	return pid, nil
}

// peerInode finds the connection by both of its ends, so that a socket that
// merely uses the same port numbers on another address is not taken for it.
func peerInode(tree procfs.FS, localPort, remotePort int) (uint64, error) {
	rows, err := loopbackRows(tree)
	if err != nil {
		return 0, err
	}
	var found []uint64
	for _, ours := range rows {
		if ours.state != tcpEstablished || ours.localPort != localPort || ours.remotePort != remotePort {
			continue
		}
		for _, theirs := range rows {
			if theirs.state == tcpEstablished && theirs.local == ours.remote && theirs.remote == ours.local &&
				theirs.localPort == remotePort && theirs.remotePort == localPort {
				found = append(found, theirs.inode)
			}
		}
	}
	switch {
	case len(found) == 0:
		return 0, fmt.Errorf("connection from port %d to %d: %w", localPort, remotePort, platform.ErrNotFound)
	case len(found) > 1:
		return 0, fmt.Errorf("%d connections from port %d to %d: %w", len(found), localPort, remotePort, platform.ErrUnknown)
	}
	return found[0], nil
}

// soleHolder returns the one process that holds the socket.
func soleHolder(ctx context.Context, tree procfs.FS, inode uint64) (int, error) {
	for range holderScans {
		holders, err := holdersOf(ctx, tree, inode)
		switch {
		case err != nil:
			return 0, err
		case len(holders) == 0:
			return 0, fmt.Errorf("no visible process holds the socket: %w", platform.ErrUnknown)
		case len(holders) == 1:
			return holders[0], nil
		}
	}
	return 0, fmt.Errorf("several processes hold the socket: %w", platform.ErrUnknown)
}

func holdersOf(ctx context.Context, tree procfs.FS, inodes ...uint64) ([]int, error) {
	all, err := tree.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var holders []int
	for _, entry := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		held, err := socketsOf(tree, entry.PID)
		switch {
		case err == nil:
			if slices.ContainsFunc(inodes, func(i uint64) bool { return held[i] }) {
				holders = append(holders, entry.PID)
			}
		case errors.Is(err, platform.ErrNotFound), errors.Is(err, platform.ErrUnknown):
		default:
			return nil, err
		}
	}
	return holders, nil
}

// Sockets returns the inodes of the sockets that the process has open.
func (t *Table) Sockets(_ context.Context, pid int) (map[uint64]bool, error) {
	tree, err := procfs.NewFS(t.root)
	if err != nil {
		return nil, fmt.Errorf("opening the process table: %w", err)
	}
	return socketsOf(tree, pid)
}

// Holders returns the processes, by pid, that have any of the sockets open and
// that this user can see into.
func (t *Table) Holders(ctx context.Context, inodes []uint64) ([]int, error) {
	tree, err := procfs.NewFS(t.root)
	if err != nil {
		return nil, fmt.Errorf("opening the process table: %w", err)
	}
	holders, err := holdersOf(ctx, tree, inodes...)
	slices.Sort(holders)
	return holders, err
}

// socketsOf returns the inodes of the sockets the process has open.
func socketsOf(tree procfs.FS, pid int) (map[uint64]bool, error) {
	entry, err := tree.Proc(pid)
	if err != nil {
		return nil, classify(pid, err)
	}
	targets, err := entry.FileDescriptorTargets()
	if err != nil {
		return nil, classify(pid, err)
	}
	held := map[uint64]bool{}
	for _, target := range targets {
		number, isSocket := strings.CutPrefix(target, "socket:[")
		if !isSocket {
			continue
		}
		inode, err := strconv.ParseUint(strings.TrimSuffix(number, "]"), 10, 64)
		if err == nil && inode != 0 {
			held[inode] = true
		}
	}
	return held, nil
}

// row is one loopback TCP socket.
type row struct {
	address               netip.Addr // the local one
	local, remote         string
	localPort, remotePort int
	state                 uint64
	inode                 uint64
}

// loopbackRows reads the TCP sockets bound to a loopback address, of both
// families. A kernel without IPv6 has no tcp6 file.
func loopbackRows(tree procfs.FS) ([]row, error) {
	// The netlink interface that replaces this file cannot be read from a tree
	// of files, and the cost of the file on a busy machine is not ours.
	four, err := tree.NetTCP() //nolint:staticcheck // as above
	if err != nil {
		return nil, fmt.Errorf("reading TCP sockets: %w", err)
	}
	six, err := tree.NetTCP6() //nolint:staticcheck // as above
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading TCP6 sockets: %w", err)
	}
	var rows []row
	for _, line := range slices.Concat(four, six) {
		if !line.LocalAddr.IsLoopback() {
			continue
		}
		// String writes an IPv4 address mapped into IPv6 as IPv4, so that the
		// two ends of one connection compare equal across the two files.
		address, _ := netip.AddrFromSlice(line.LocalAddr) // it is loopback, so it has a length of one
		rows = append(rows, row{
			address: address.Unmap(),
			local:   line.LocalAddr.String(), localPort: int(line.LocalPort),
			remote: line.RemAddr.String(), remotePort: int(line.RemPort),
			state: line.St, inode: line.Inode,
		})
	}
	return rows, nil
}
