package devtools

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

// sink is a write end that keeps what it gets.
type sink struct{ bytes.Buffer }

func (*sink) Close() error { return nil }

func newTestPipe(r io.Reader) (*pipe, *sink) {
	w := new(sink)
	return NewPipe(io.NopCloser(r), w).(*pipe), w
}

// pattern is a text in which every stretch differs from its neighbours.
func pattern(n int) string { return longPattern()[:n] }

var longPattern = sync.OnceValue(func() string {
	b := make([]byte, 0, 17*partBytes)
	for i := 0; len(b) < 16*partBytes; i++ {
		b = append(strconv.AppendInt(b, int64(i), 10), ',')
	}
	return string(b)
})

func TestPipeReadsMessagesOfAnySize(t *testing.T) {
	sizes := []int{
		0, 1, 100, pipeChunk - 2, pipeChunk - 1, pipeChunk, pipeChunk + 1, 3, 5,
		2 * pipeChunk, partBytes - 1, partBytes, partBytes + 1, 0, 2,
		5 * partBytes, 5*partBytes - 7, 5*partBytes + 100, 3 * partBytes, 7 * partBytes, 10,
	}
	var wire bytes.Buffer
	for _, n := range sizes {
		wire.WriteString(pattern(n) + "\x00")
	}
	readers := map[string]func(io.Reader) io.Reader{
		"whole":       func(r io.Reader) io.Reader { return r },
		"halves":      iotest.HalfReader,
		"data at end": iotest.DataErrReader,
	}
	for name, slow := range readers {
		t.Run(name, func(t *testing.T) {
			p, _ := newTestPipe(slow(bytes.NewReader(wire.Bytes())))
			for i, n := range sizes {
				got, err := p.ReadMessage()
				if err != nil {
					t.Fatalf("message %d: %v", i, err)
				}
				if string(got) != pattern(n) {
					t.Fatalf("message %d of %d bytes came as %d other bytes", i, n, len(got))
				}
				if cap(got) > n+n/4+512 {
					t.Errorf("message %d of %d bytes holds %d", i, n, cap(got))
				}
			}
			if _, err := p.ReadMessage(); !errors.Is(err, io.EOF) {
				t.Errorf("after the last message: %v", err)
			}
		})
	}
}

func TestPipeMessagesStayAsTheyWere(t *testing.T) {
	p, _ := newTestPipe(strings.NewReader("first\x00second\x00" + strings.Repeat("x", 3*pipeChunk) + "\x00"))
	first, _ := p.ReadMessage()
	second, _ := p.ReadMessage()
	if _, err := p.ReadMessage(); err != nil {
		t.Fatal(err)
	}
	if string(first) != "first" || string(second) != "second" {
		t.Errorf("later reads changed them to %q, %q", first, second)
	}
}

func TestPipeCutInAMessageIsNoEnd(t *testing.T) {
	for _, wire := range []string{"abc", strings.Repeat("x", pipeChunk), strings.Repeat("x", 3*partBytes)} {
		p, _ := newTestPipe(strings.NewReader(wire))
		if got, err := p.ReadMessage(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes without an end: message of %d bytes, error %v", len(wire), len(got), err)
		}
	}
}

func TestPipeRefusesAMessageOverTheLimit(t *testing.T) {
	for _, size := range []int{2 * partBytes, 4*partBytes + 10} {
		for _, over := range []int{0, 1, 2 * pipeChunk} {
			p, _ := newTestPipe(strings.NewReader(strings.Repeat("x", size+over) + "\x00"))
			p.max, p.last = size, size
			got, err := p.ReadMessage()
			if (err != nil) != (over > 0) || over == 0 && len(got) != size {
				t.Errorf("%d bytes of %d allowed: %d read, error %v", size+over, size, len(got), err)
			}
			if err != nil && !strings.Contains(err.Error(), fmt.Sprint(size)) {
				t.Errorf("the error does not name the limit: %v", err)
			}
		}
	}
}

func TestPipeAllocatesLittleMoreThanTheMessage(t *testing.T) {
	wire := pattern(16*partBytes) + "\x00"
	p, _ := newTestPipe(nil)
	read := func() (allocated int) {
		p.r = io.NopCloser(strings.NewReader(wire))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := p.ReadMessage(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return int(after.TotalAlloc - before.TotalAlloc)
	}
	if n := read(); n > len(wire)*9/4 {
		t.Errorf("the first message of %d bytes allocates %d", len(wire), n)
	}
	if n := read(); n > len(wire)*11/8 {
		t.Errorf("another message of %d bytes allocates %d", len(wire), n)
	}
}

func TestPipeWritesOneNULAfterEachMessage(t *testing.T) {
	p, w := newTestPipe(nil)
	large := strings.Repeat("y", 5<<20)
	for _, message := range []string{"{}", large, `{"a":1}`} {
		if err := p.WriteMessage([]byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := w.String(), "{}\x00"+large+"\x00{\"a\":1}\x00"; got != want {
		t.Errorf("wrote %d bytes, want %d: %.80q", len(got), len(want), got)
	}
	if err := p.WriteMessage([]byte("a\x00b")); err == nil {
		t.Error("a message with a NUL in it was written as two")
	}
}
