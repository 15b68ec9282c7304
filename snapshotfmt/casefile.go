package snapshotfmt

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// CaseFormat names the form of a case file. Another form has another name.
const CaseFormat = "cuatui-case-1"

// The bounds of a case file: bytes of it once it is unpacked, and calls in it.
const (
	CaseBytesMax = 256 << 20
	CaseCallsMax = 10_000
)

// Case is what was asked in a session and what was answered, in its order: enough
// to be shown again without the browser.
type Case struct {
	Format  string     `json:"format"`
	Version string     `json:"version,omitempty"` // of the program that wrote it
	Saved   time.Time  `json:"saved"`
	Calls   []CaseCall `json:"calls"`
}

// CaseCall is one call. Request and answer are as the tool takes and gives them,
// the answer of one that failed as the error; lines are the outline of a
// snapshot with its structure, which its answer does not have.
type CaseCall struct {
	At      time.Time       `json:"at"`
	Tool    string          `json:"tool"`
	About   string          `json:"about,omitempty"`
	Outcome string          `json:"outcome"`
	TookUS  int64           `json:"took_us"`
	Request json.RawMessage `json:"request"`
	Answer  json.RawMessage `json:"answer"`
	Lines   []Line          `json:"lines,omitempty"`
}

// WriteCase writes a case file, packed. One that could not be read again is an
// error.
func WriteCase(w io.Writer, c *Case) error {
	c.Format = CaseFormat
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c); err != nil {
		return fmt.Errorf("write case: %w", err)
	}
	if raw.Len() > CaseBytesMax || len(c.Calls) > CaseCallsMax {
		return fmt.Errorf("write case: %d calls of %d bytes are too many", len(c.Calls), raw.Len())
	}
	z := gzip.NewWriter(w)
	_, err := z.Write(raw.Bytes())
	if err := errors.Join(err, z.Close()); err != nil {
		return fmt.Errorf("write case: %w", err)
	}
	return nil
}

// ReadCase reads a case file, packed or not. The error says what it is that is no
// case file; of one that is, what the calls hold is for the reader to check.
func ReadCase(r io.Reader) (*Case, error) { return readCase(r, CaseBytesMax) }

func readCase(r io.Reader, most int64) (*Case, error) {
	buffered := bufio.NewReader(r)
	var in io.Reader = buffered
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("read case: %w", err)
		}
		in = z
	}
	raw, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read case: %w", err)
	case int64(len(raw)) > most:
		return nil, fmt.Errorf("read case: more than %d bytes", most)
	}
	var head struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(raw, &head); err != nil || head.Format == "" {
		return nil, errors.New("read case: it is no case file: no JSON object with a format")
	}
	if head.Format != CaseFormat {
		return nil, fmt.Errorf("read case: its format is %s, and this program reads %s", Quote(head.Format), CaseFormat)
	}
	var c Case
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return nil, fmt.Errorf("read case: %w", err)
	}
	if len(c.Calls) > CaseCallsMax {
		return nil, fmt.Errorf("read case: %d calls, of at most %d", len(c.Calls), CaseCallsMax)
	}
	return &c, nil
}
