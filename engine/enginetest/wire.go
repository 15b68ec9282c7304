package enginetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// member is one member of a message's top level, in Chromium's order.
type member struct {
	name  string
	value any
}

// encode writes a message as Chromium does: an absent session id is left out,
// another is last. json.RawMessage and []byte values are written as they are. A
// value that cannot be encoded is a mistake of the test, and panics.
func encode(members ...member) []byte {
	out := []byte("{")
	for _, m := range members {
		if m.name == "sessionId" && m.value == "" {
			continue
		}
		if m.name == "params" && m.value == nil {
			m.value = struct{}{}
		}
		value, ok := m.value.([]byte)
		if raw, isRaw := m.value.(json.RawMessage); isRaw {
			value, ok = raw, true
		}
		if !ok {
			var err error
			if value, err = json.Marshal(m.value); err != nil {
				panic(fmt.Sprintf("enginetest: encoding %s: %v", m.name, err))
			}
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, '"')
		out = append(out, m.name...)
		out = append(out, '"', ':')
		out = append(out, value...)
	}
	return append(out, '}')
}

// Pipe serves the browser as the two ends of --remote-debugging-pipe, for
// devtools.NewPipe. The connection is lost after cut bytes of what the browser
// sends, in the middle of a message or not; a negative cut never comes. It
// starts no goroutine.
func (b *Browser) Pipe(cut int) (io.ReadCloser, io.WriteCloser) {
	return &pipeOut{b: b, left: cut}, &pipeIn{b: b}
}

// pipeOut is what the browser writes; one goroutine reads it.
type pipeOut struct {
	b    *Browser
	rest []byte
	left int // bytes until the cut; negative: none
}

func (p *pipeOut) Read(into []byte) (int, error) {
	if p.left == 0 {
		p.b.Lose(io.EOF)
		return 0, io.EOF
	}
	if len(p.rest) == 0 {
		message, err := p.b.ReadMessage()
		if err != nil {
			return 0, err
		}
		p.rest = append(bytes.Clone(message), 0)
	}
	n := min(len(into), len(p.rest))
	if p.left > 0 {
		n = min(n, p.left)
		p.left -= n
	}
	copy(into, p.rest[:n])
	p.rest = p.rest[n:]
	return n, nil
}

func (p *pipeOut) Close() error { return p.b.Close() }

// pipeIn is what the browser reads; one goroutine writes it.
type pipeIn struct {
	b    *Browser
	held []byte
}

func (p *pipeIn) Write(data []byte) (int, error) {
	p.held = append(p.held, data...)
	for {
		i := bytes.IndexByte(p.held, 0)
		if i < 0 {
			return len(data), nil
		}
		message := bytes.Clone(p.held[:i])
		p.held = p.held[i+1:]
		if err := p.b.WriteMessage(message); err != nil {
			return 0, err
		}
	}
}

func (p *pipeIn) Close() error { return p.b.Close() }
