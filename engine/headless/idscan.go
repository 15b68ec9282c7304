package headless

import (
	"encoding/json"
	"slices"
)

// idScan finds the id in a line that is too long to be kept, wherever it stands:
// clients write it first or last. It takes the line in pieces, keeps no more than
// a key and a value of idBytesMax, and knows JSON only as far as that needs.
type idScan struct {
	depth    int
	started  bool
	broken   bool // the line is no one object
	inString bool
	escaped  bool

	token []byte // the key or value at depth 1, as written, one byte over the most if longer
	key   []byte

	id      []byte
	ids     int
	request bool // it has a method: it is no answer, whose id would be the other side's
}

func (s *idScan) feed(part []byte) {
	for _, c := range part {
		s.next(c)
	}
}

func (s *idScan) next(c byte) {
	switch {
	case s.inString:
		s.inside(c)
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
	case s.depth == 0:
		s.broken = s.broken || s.started || c != '{'
		s.started, s.depth = true, 1
	case c == '{' || c == '[':
		s.keep(c) // so that it is no id
		s.depth++
	case c == '}' || c == ']':
		if s.depth == 1 {
			s.member()
		}
		s.depth--
	case s.depth == 1 && c == ':':
		s.key, s.token = s.token, nil
	case s.depth == 1 && c == ',':
		s.member()
	default:
		s.inString = c == '"'
		s.keep(c)
	}
}

// inside takes the next byte of a string.
func (s *idScan) inside(c byte) {
	s.keep(c)
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = true
	case c == '"':
		s.inString = false
	}
}

// keep adds to the token at depth 1.
func (s *idScan) keep(c byte) {
	if s.depth == 1 && len(s.token) <= idBytesMax {
		s.token = append(s.token, c)
	}
}

// member ends a member of the object.
func (s *idScan) member() {
	switch string(s.key) {
	case `"id"`:
		s.id = slices.Clone(s.token)
		s.ids++
	case `"method"`:
		s.request = true
	}
	s.key, s.token = nil, nil
}

// found returns the id as written, nil if the line has none, or two, or is not
// one object to its end.
func (s *idScan) found() json.RawMessage {
	whole := s.started && !s.broken && s.depth == 0
	if !whole || s.ids != 1 || validateID("id", s.id) != nil || !json.Valid(s.id) {
		return nil
	}
	return s.id
}
