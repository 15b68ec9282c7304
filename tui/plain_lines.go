package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"cuatui/tui/pane"
)

// plainInput bounds a line of the plain mode, in bytes: what a command may take,
// and its name.
const plainInput = pane.InputMax*utf8.UTFMax + 1<<10

// A line is one of the input, without its end. It is as old as its first byte:
// what a terminal hands over may have been typed long before it is taken.
type line struct {
	text  string
	size  int       // bytes; of one of more than plainInput, text is the beginning
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
// no end. Of one that is too long only the beginning is kept.
func eachLine(in io.Reader, now func() time.Time, take func(line) bool) error {
	var kept []byte // of the line that has begun
	var size int    // of it
	var began time.Time
	give := func() bool {
		text := strings.TrimSuffix(string(kept), "\r")
		l := line{text, size - (len(kept) - len(text)), began}
		kept, size = kept[:0], 0
		return take(l)
	}
	for buf := make([]byte, 64<<10); ; {
		n, err := in.Read(buf)
		at := now()
		for rest := buf[:n]; ; {
			part, after, ended := bytes.Cut(rest, []byte{'\n'})
			if size == 0 {
				began = at
			}
			kept = append(kept, part[:min(len(part), plainInput+1-len(kept))]...)
			size += len(part)
			if !ended {
				break
			}
			if !give() {
				return nil
			}
			rest = after
		}
		switch {
		case err == nil:
		case !errors.Is(err, io.EOF):
			return err
		default:
			if size > 0 {
				give()
			}
			return nil
		}
	}
}
