package headless

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// lineBytesMax is the longest request line, without its end.
const lineBytesMax = 1 << 20

// errLineTooLong is the answer to a line over lineBytesMax. The line is skipped
// and reading goes on.
var errLineTooLong = errors.New("the line is longer than 1 MB")

// longLineError is errLineTooLong with what was found in the line.
type longLineError struct {
	id      json.RawMessage // as written, nil if there is none to tell
	request bool            // it has a method
}

func (longLineError) Error() string { return errLineTooLong.Error() }

func (longLineError) Unwrap() error { return errLineTooLong }

// lineReader cuts a stream into lines and never holds more than one of them.
type lineReader struct{ r *bufio.Reader }

func newLineReader(r io.Reader) lineReader { return lineReader{bufio.NewReaderSize(r, 64<<10)} }

// next returns the next line without its end; the last one needs no end. The
// error is a longLineError, io.EOF once nothing is left, or the stream's own.
func (l lineReader) next() ([]byte, error) {
	var line []byte
	var tooLong *idScan
	for {
		part, err := l.r.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		if tooLong != nil {
			tooLong.feed(part)
		} else {
			line = append(line, part...)
		}
		if len(line) > lineBytesMax {
			tooLong = &idScan{}
			tooLong.feed(line)
			line = nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case tooLong != nil:
			return nil, longLineError{tooLong.found(), tooLong.request}
		case !ended && len(line) == 0:
			return nil, io.EOF
		}
		return bytes.TrimSuffix(line, []byte("\r")), nil
	}
}

type inputLine struct {
	text []byte
	err  error
}

// readLines sends the lines of in and then the error that ended it, until done.
// It calls ended as soon as it knows, also while nobody takes the lines.
// It is a goroutine's work, because a Read cannot be cancelled: it returns with
// its current Read.
func readLines(in io.Reader, lines chan<- inputLine, done <-chan struct{}, ended func()) {
	for r := newLineReader(in); ; {
		text, err := r.next()
		over := err != nil && !errors.Is(err, errLineTooLong)
		if over {
			ended()
		}
		select {
		case lines <- inputLine{text, err}:
		case <-done:
			return
		}
		if over {
			return
		}
	}
}
