package tui

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"
)

// plainInput bounds a line of the plain mode, in bytes.
const plainInput = 64 << 10

// A line is one of the input, without its end. It is as old as its first byte:
// what a terminal hands over may have been typed long before it is taken.
type line struct {
	text  string
	began time.Time // when its first byte was read
}

// readLines reads until the end of in, which may be after the end of ctx: a
// read cannot be called off.
func readLines(ctx context.Context, in io.Reader, now func() time.Time) (<-chan line, <-chan error) {
	lines, failed := make(chan line), make(chan error, 1)
	go func() {
		defer close(lines)
		failed <- eachLine(in, now, func(l line) bool {
			select {
			case lines <- l:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	return lines, failed
}

// eachLine gives take the lines of in until it wants no more. A last line needs
// no end.
func eachLine(in io.Reader, now func() time.Time, take func(line) bool) error {
	var rest []byte // of the line that has begun
	var began time.Time
	buf := make([]byte, plainInput)
	give := func(b []byte) bool {
		return take(line{strings.TrimSuffix(string(b), "\r"), began})
	}
	for {
		n, err := in.Read(buf)
		at := now()
		if len(rest) == 0 {
			began = at
		}
		rest = append(rest, buf[:n]...)
		for {
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				break
			}
			if !give(rest[:end]) {
				return nil
			}
			rest, began = rest[end+1:], at // read with the one before it
		}
		switch {
		case len(rest) >= plainInput:
			return bufio.ErrTooLong
		case err == nil:
		case !errors.Is(err, io.EOF):
			return err
		default:
			if len(rest) > 0 {
				give(rest)
			}
			return nil
		}
	}
}
