// Package sway knows the windows of a Sway session, through the compositor's
// own socket: a small client of its own for the few questions that are asked,
// because all of what comes back is bounded here and nothing is ever commanded.
//
// The socket is trusted for what it says only if the process behind it runs as
// this user. There is no exception for root: to look at another user's session,
// run as that user.
package sway

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// The wire format: the magic, then the length of the payload and the type of
// the message, both in the byte order of the machine, then the payload.
const (
	magic       = "i3-ipc"
	headerBytes = len(magic) + 8
	// replyBytesMax bounds an answer. A window is about 1.5 kB of it.
	replyBytesMax = 16 << 20
)

// The types of messages used.
const (
	getTree    = 4
	getVersion = 7
	getConfig  = 9
)

var errProtocol = errors.New("not an answer of Sway's")

// ask sends one question without a payload and returns the answer's payload.
// The end of ctx ends it.
func ask(ctx context.Context, conn net.Conn, question uint32) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	answer, err := exchange(conn, question)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return answer, err
}

func exchange(conn io.ReadWriter, question uint32) ([]byte, error) {
	request := append([]byte(magic), make([]byte, 8)...)
	binary.NativeEndian.PutUint32(request[len(magic)+4:], question)
	if _, err := conn.Write(request); err != nil {
		return nil, fmt.Errorf("asking: %w", err)
	}
	header := make([]byte, headerBytes)
	if _, err := io.ReadFull(conn, header); err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	length := binary.NativeEndian.Uint32(header[len(magic):])
	kind := binary.NativeEndian.Uint32(header[len(magic)+4:])
	switch {
	case string(header[:len(magic)]) != magic:
		return nil, fmt.Errorf("%w: it does not begin with %q", errProtocol, magic)
	case kind != question:
		return nil, fmt.Errorf("%w: question %d was answered as %d", errProtocol, question, kind)
	case length > replyBytesMax:
		return nil, fmt.Errorf("%w: %d bytes, over %d", errProtocol, length, replyBytesMax)
	}
	// Read as it comes: a length that is a lie takes no memory.
	body, err := io.ReadAll(io.LimitReader(conn, int64(length)))
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if len(body) < int(length) {
		return nil, fmt.Errorf("reading the answer: %w", io.ErrUnexpectedEOF)
	}
	return body, nil
}

// absent says whether dialing failed because nobody listens there: no socket,
// or one that its process has left behind.
func absent(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}
