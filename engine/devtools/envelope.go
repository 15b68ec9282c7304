package devtools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// envelope is the top level of one message. The values are slices of the
// message, not decoded and not checked; nil means absent.
type envelope struct {
	session string
	method  string
	id      uint64
	hasID   bool
	params  []byte
	result  []byte
	failure []byte // the member "error"
	odd     bool   // a member of the wrong type: the message belongs to nobody
}

// quickBytes is the size from which a message is worth the quick way.
const quickBytes = 64 << 10

// scanEnvelope finds the members of the top level and nothing below it: a
// session id inside a result is the result's. It does not look into a large
// result or params: Chromium writes the session id last, which the end of the
// message proves or not (see tailSession). A message that is not one JSON object
// is an error; what is wrong inside a value is left to who decodes it.
func scanEnvelope(data []byte) (envelope, error) {
	quickEnd, session := 0, ""
	if len(data) >= quickBytes {
		session, quickEnd = tailSession(data)
	}
	return scanMembers(data, session, quickEnd)
}

func scanMembers(data []byte, session string, quickEnd int) (envelope, error) {
	s := scanner{data: data}
	var e envelope
	if !s.accept('{') {
		return e, s.fail("an object")
	}
	if s.accept('}') {
		return e, s.end()
	}
	for {
		key, err := s.key()
		if err != nil {
			return e, err
		}
		if quickEnd > s.pos && (e.hasID || e.method != "") {
			if key == "result" {
				e.result = s.data[s.pos:quickEnd:quickEnd]
				e.session = session
				return e, nil
			}
			if key == "params" {
				e.params = s.data[s.pos:quickEnd:quickEnd]
				e.session = session
				return e, nil
			}
		}
		value, err := s.value()
		if err != nil {
			return e, err
		}
		e.set(key, value)
		if s.accept('}') {
			return e, s.end()
		}
		if !s.accept(',') {
			return e, s.fail("a comma or the end of the object")
		}
	}
}

// set takes one member; of two with one name the last counts, as in encoding/json.
func (e *envelope) set(key string, value []byte) {
	switch key {
	case "id":
		id, err := strconv.ParseUint(string(value[:min(len(value), 20)]), 10, 64)
		e.id, e.hasID = id, err == nil && len(value) <= 20
	case "method":
		e.method = e.text(value)
	case "sessionId":
		e.session = e.text(value)
	case "params":
		e.params = value
	case "result":
		e.result = value
	case "error":
		e.failure = value
	}
}

func (e *envelope) text(value []byte) string {
	text, ok := unquote(value)
	if !ok {
		e.odd = true
	}
	return text
}

const sessionKey = `,"sessionId":"`

// tailSession reads the session id when it is the last member, as Chromium
// writes it, and says where the member begins. It cannot be fooled by valid
// JSON: the last brace closes the top level, so the string before it ends a
// member of the top level; that string holds no quote and no backslash, and
// what stands before it is a colon, so the quote found is the one that opens
// it; the same holds for the key before the comma. 0 means: not of this form.
func tailSession(data []byte) (session string, start int) {
	const longest = 128
	if len(data) < 2 || !bytes.HasSuffix(data, []byte(`"}`)) {
		return "", 0
	}
	end := len(data) - 2
	from := max(0, end-longest)
	open := bytes.LastIndexByte(data[from:end], '"')
	if open < 0 {
		return "", 0
	}
	open += from
	text := data[open+1 : end]
	if !bytes.HasSuffix(data[:open+1], []byte(sessionKey)) || !plain(text) {
		return "", 0
	}
	return string(text), open + 1 - len(sessionKey)
}

// plain reports text that stands for itself inside a JSON string.
func plain(text []byte) bool {
	for _, b := range text {
		if b < 0x20 || b >= 0x80 || b == '"' || b == '\\' {
			return false
		}
	}
	return true
}

// unquote decodes a JSON string.
func unquote(token []byte) (string, bool) {
	if len(token) < 2 || token[0] != '"' {
		return "", false
	}
	if inner := token[1 : len(token)-1]; plain(inner) {
		return string(inner), true
	}
	var text string
	err := json.Unmarshal(token, &text)
	return text, err == nil
}

// scanner walks the tokens of one message.
type scanner struct {
	data []byte
	pos  int
}

func (s *scanner) fail(wanted string) error {
	return fmt.Errorf("not a JSON object: %s expected at byte %d of %d", wanted, s.pos, len(s.data))
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// accept steps over b and the space around it, if b is next.
func (s *scanner) accept(b byte) bool {
	s.space()
	if s.pos == len(s.data) || s.data[s.pos] != b {
		return false
	}
	s.pos++
	s.space()
	return true
}

func (s *scanner) end() error {
	if s.pos != len(s.data) {
		return s.fail("nothing more")
	}
	return nil
}

func (s *scanner) key() (string, error) {
	start := s.pos
	if err := s.skipString(); err != nil {
		return "", err
	}
	key, ok := unquote(s.data[start:s.pos])
	if !ok || !s.accept(':') {
		return "", s.fail("a member")
	}
	return key, nil
}

// value returns the next value, whole and undecoded.
func (s *scanner) value() ([]byte, error) {
	start := s.pos
	if s.pos == len(s.data) {
		return nil, s.fail("a value")
	}
	var err error
	switch s.data[s.pos] {
	case '"':
		err = s.skipString()
	case '{', '[':
		err = s.skipNested()
	default:
		for s.pos < len(s.data) && bytes.IndexByte([]byte(",}] \t\r\n"), s.data[s.pos]) < 0 {
			s.pos++
		}
		if !json.Valid(s.data[start:s.pos]) {
			s.pos = start
			err = s.fail("a value")
		}
	}
	return s.data[start:s.pos:s.pos], err
}

// skipString steps over a string. A quote ends it unless an odd number of
// backslashes stands before it.
func (s *scanner) skipString() error {
	if s.pos == len(s.data) || s.data[s.pos] != '"' {
		return s.fail("a string")
	}
	open := s.pos
	for at := open + 1; ; {
		i := bytes.IndexByte(s.data[at:], '"')
		if i < 0 {
			return s.fail("the end of a string")
		}
		quote := at + i
		slashes := 0
		for s.data[quote-1-slashes] == '\\' {
			slashes++
		}
		at = quote + 1
		if slashes%2 == 0 {
			s.pos = at
			return nil
		}
	}
}

// skipNested steps over an object or array by its brackets.
func (s *scanner) skipNested() error {
	depth := 0
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case '"':
			if err := s.skipString(); err != nil {
				return err
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.pos++
		if depth == 0 {
			return nil
		}
	}
	return s.fail("the end of a value")
}
