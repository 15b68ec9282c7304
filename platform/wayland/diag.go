// Package wayland says which programs are connected to a Wayland display,
// whatever its compositor is. Wayland tells no program about the windows of
// another, but the kernel knows the two ends of every local connection.
//
// A connection is no window: it says that a program may show some, not how
// many, where, or under which title.
package wayland

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"syscall"
)

// The kernel's interface: linux/netlink.h, linux/sock_diag.h, linux/unix_diag.h.
const (
	headerBytes  = 16 // of a message: length, type, flags, sequence, port
	messageBytes = 16 // of a socket: family, type, state, padding, inode, two cookies
	attrBytes    = 4  // of an attribute: length, type

	typeError, typeDone, typeByFamily = 2, 3, 20
	flagRequest, flagDump             = 1, 0x300
	flagInterrupted                   = 0x10
	familyUnix                        = 1
	stateEstablished, stateListen     = 1, 10
	attrVFS, attrPeer                 = 1, 2
	showVFS, showPeer                 = 1 << 1, 1 << 2

	datagramMax = 1 << 18
	answerMax   = 64 << 20
)

var (
	native       = binary.NativeEndian
	errMalformed = errors.New("the answer is malformed")
)

// question asks for the listening and the connected sockets, each with the
// file it is bound to and the socket at its other end.
func question() []byte {
	b := native.AppendUint32(nil, headerBytes+24)
	b = native.AppendUint16(b, typeByFamily)
	b = native.AppendUint16(b, flagRequest|flagDump)
	b = native.AppendUint32(b, 1)
	b = native.AppendUint32(b, 0)
	b = append(b, familyUnix, 0, 0, 0)
	b = native.AppendUint32(b, 1<<stateEstablished|1<<stateListen)
	b = native.AppendUint32(b, 0)
	b = native.AppendUint32(b, showVFS|showPeer)
	b = native.AppendUint32(b, 1<<32-1)
	return native.AppendUint32(b, 1<<32-1)
}

// file is a file by its inode and its file system's device.
type file struct{ inode, device uint32 }

// socket is a local socket.
type socket struct {
	inode, peer uint32 // peer is 0 if not known
	listens     bool
	bound       file // zero if it is bound to none
}

// messages calls f with each message of an answer: its type, its flags and
// what it holds.
func messages(answer []byte, f func(kind, flags uint16, body []byte) error) error {
	for len(answer) > 0 {
		if len(answer) < headerBytes {
			return errMalformed
		}
		length := int(native.Uint32(answer))
		if length < headerBytes || length > len(answer) {
			return errMalformed
		}
		if err := f(native.Uint16(answer[4:]), native.Uint16(answer[6:]), answer[headerBytes:length]); err != nil {
			return err
		}
		answer = answer[min(aligned(length), len(answer)):]
	}
	return nil
}

func aligned(n int) int { return (n + 3) &^ 3 }

// complete says whether an answer ends with this part of it.
func complete(part []byte) (done bool, err error) {
	err = messages(part, func(kind, flags uint16, body []byte) error {
		switch {
		case flags&flagInterrupted != 0:
			return errors.New("the sockets changed while they were listed")
		case kind == typeError && len(body) >= 4:
			return fmt.Errorf("the kernel declines: %w", syscall.Errno(-int32(native.Uint32(body)))) //nolint:gosec // a negative errno
		case kind == typeError:
			return errMalformed
		}
		done = done || kind == typeDone
		return nil
	})
	return done, err
}

// parse reads the sockets of a whole answer.
func parse(answer []byte) ([]socket, error) {
	var out []socket
	err := messages(answer, func(kind, _ uint16, body []byte) error {
		if kind != typeByFamily {
			return nil
		}
		if len(body) < messageBytes || body[0] != familyUnix {
			return errMalformed
		}
		s := socket{inode: native.Uint32(body[4:]), listens: body[2] == stateListen}
		for rest := body[messageBytes:]; len(rest) > 0; {
			if len(rest) < attrBytes {
				return errMalformed
			}
			length := int(native.Uint16(rest))
			if length < attrBytes || length > len(rest) {
				return errMalformed
			}
			value := rest[attrBytes:length]
			switch kind := native.Uint16(rest[2:]); {
			case kind == attrVFS && len(value) >= 8:
				s.bound = file{native.Uint32(value), native.Uint32(value[4:])}
			case kind == attrPeer && len(value) >= 4:
				s.peer = native.Uint32(value)
			}
			rest = rest[min(aligned(length), len(rest)):]
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

// clients returns the far ends of what is connected to the display: of the
// sockets that the compositor holds and that are bound to the very file on
// which it listens, whose inode is given.
func clients(all []socket, inode uint32, held map[uint64]bool) ([]uint64, error) {
	var at []file
	for _, s := range all {
		if s.listens && s.bound.inode == inode && held[uint64(s.inode)] && !slices.Contains(at, s.bound) {
			at = append(at, s.bound)
		}
	}
	if len(at) != 1 {
		return nil, fmt.Errorf("%d of the compositor's sockets could be the display", len(at))
	}
	var out []uint64
	for _, s := range all {
		if !s.listens && s.bound == at[0] && held[uint64(s.inode)] && s.peer != 0 {
			out = append(out, uint64(s.peer))
		}
	}
	return out, nil
}
