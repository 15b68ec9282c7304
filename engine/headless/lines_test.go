package headless

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// readAllLines collects the lines of a stream; a line that is too long is "!".
func readAllLines(t *testing.T, in io.Reader) []string {
	t.Helper()
	var got []string
	for r := newLineReader(in); ; {
		line, err := r.next()
		switch {
		case errors.Is(err, errLineTooLong):
			got = append(got, "!")
		case errors.Is(err, io.EOF):
			return got
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, string(line))
		}
	}
}

func TestLines(t *testing.T) {
	longest := strings.Repeat("x", lineBytesMax)
	tests := []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"one line", "a\n", []string{"a"}},
		{"last line without end", "a\nb", []string{"a", "b"}},
		{"empty lines", "\n\na\n", []string{"", "", "a"}},
		{"carriage returns", "a\r\nb\r\n", []string{"a", "b"}},
		{"longest line", longest + "\nb\n", []string{longest, "b"}},
		{"one byte too long", longest + "x\nb\n", []string{"!", "b"}},
		{"several buffers too long", longest + longest + longest + "\nb", []string{"!", "b"}},
		{"too long at the end", longest + "x", []string{"!"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := readAllLines(t, strings.NewReader(tt.in)); !slices.Equal(got, tt.want) {
				t.Errorf("got %d lines, want %d", len(got), len(tt.want))
			}
		})
	}
}

func TestLinesPassOnTheErrorOfTheStream(t *testing.T) {
	broken := errors.New("broken")
	r := newLineReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)))
	if line, err := r.next(); err != nil || string(line) != "a" {
		t.Fatalf("first line %q, %v", line, err)
	}
	if _, err := r.next(); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the stream", err)
	}
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "a\nb", "\r\n\r", "{\"id\":1}\n\n", "\x00\xff\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > lineBytesMax {
			return
		}
		want := strings.Split(string(in), "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		for i := range want {
			want[i] = strings.TrimSuffix(want[i], "\r")
		}
		if got := readAllLines(t, iotest.OneByteReader(bytes.NewReader(in))); !slices.Equal(got, want) {
			t.Errorf("lines of %q are %q, want %q", in, got, want)
		}
	})
}
