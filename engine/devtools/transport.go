package devtools

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"cuatui/engine/limits"
)

// Transport carries whole protocol messages. One goroutine reads and one
// writes; Close may come from any other and makes both return.
type Transport interface {
	// ReadMessage returns the next message in a buffer the caller owns.
	ReadMessage() ([]byte, error)
	// WriteMessage sends one message and keeps no reference to it.
	WriteMessage([]byte) error
	Close() error
}

const (
	// pipeChunk is how much one read of the pipe asks for: what a Linux pipe holds.
	pipeChunk = 64 << 10
)

// NewPipe is the transport of --remote-debugging-pipe: messages that end in a
// NUL byte. r is what the browser writes and w what it reads.
func NewPipe(r io.ReadCloser, w io.WriteCloser) Transport {
	return &pipe{r: r, w: w, in: make([]byte, pipeChunk), max: limits.MessageBytesMax}
}

type pipe struct {
	r io.ReadCloser
	w io.WriteCloser

	in    []byte // what was read ahead is in[start:end]
	start int
	end   int
	last  int // bytes of the last long message, the guess for the next one
	max   int

	out []byte
}

// ReadMessage copies short messages out of the read buffer and collects long ones.
func (p *pipe) ReadMessage() ([]byte, error) {
	for {
		if i := bytes.IndexByte(p.in[p.start:p.end], 0); i >= 0 {
			message := bytes.Clone(p.in[p.start : p.start+i])
			p.start += i + 1
			if message == nil {
				message = []byte{}
			}
			return message, nil
		}
		if p.start > 0 {
			p.end = copy(p.in, p.in[p.start:p.end])
			p.start = 0
		}
		if p.end == len(p.in) {
			return p.readLong()
		}
		n, err := p.r.Read(p.in[p.end:])
		p.end += n
		if n == 0 && err != nil {
			return nil, p.readError(err, p.end > 0)
		}
	}
}

// readLong collects a message that is longer than the read buffer.
func (p *pipe) readLong() ([]byte, error) {
	c := newCollector(p.in[:p.end], p.last, p.max)
	p.start, p.end = 0, 0
	for {
		room, err := c.room(pipeChunk)
		if err != nil {
			return nil, err
		}
		n, err := p.r.Read(room)
		if i := bytes.IndexByte(room[:n], 0); i >= 0 {
			p.end = copy(p.in, room[i+1:n])
			c.took(i)
			p.last = c.size
			return c.message()
		}
		c.took(n)
		if n == 0 && err != nil {
			return nil, p.readError(err, true)
		}
	}
}

func (p *pipe) readError(err error, midMessage bool) error {
	if errors.Is(err, io.EOF) && midMessage {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("reading the browser's pipe: %w", err)
}

// WriteMessage sends data and the NUL in one write where that costs no large copy.
func (p *pipe) WriteMessage(data []byte) error {
	if bytes.IndexByte(data, 0) >= 0 {
		return errors.New("writing the browser's pipe: the message holds a NUL byte")
	}
	if len(data) < pipeChunk {
		p.out = append(append(p.out[:0], data...), 0)
		return p.write(p.out)
	}
	if err := p.write(data); err != nil {
		return err
	}
	return p.write([]byte{0})
}

func (p *pipe) write(b []byte) error {
	if _, err := p.w.Write(b); err != nil {
		return fmt.Errorf("writing the browser's pipe: %w", err)
	}
	return nil
}

// Close closes both ends.
func (p *pipe) Close() error {
	return errors.Join(p.w.Close(), p.r.Close())
}
