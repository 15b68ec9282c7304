package prepare

import (
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	stderrBytesMax = 16 << 10
	tailBytesMax   = 2 << 10
)

// tail keeps the last bytes of what a child says on its standard error.
type tail struct {
	mu   sync.Mutex
	buf  []byte
	done chan struct{}
}

// readTail reads r to its end, so that the child never blocks on it.
func readTail(r io.Reader) *tail {
	t := &tail{done: make(chan struct{})}
	go func() {
		defer close(t.done)
		chunk := make([]byte, 4<<10)
		for {
			n, err := r.Read(chunk)
			t.add(chunk[:n])
			if err != nil {
				return
			}
		}
	}()
	return t
}

func (t *tail) add(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if extra := len(t.buf) - stderrBytesMax; extra > 0 {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
	}
}

// text returns the end of what was said, fit to be shown: no control
// characters, no endpoint, hidden names replaced by what they stand for, and
// without the complaints every browser makes where no message bus runs.
func (t *tail) text(hide map[string]string) string {
	t.mu.Lock()
	said := string(t.buf)
	t.mu.Unlock()
	for name, stand := range hide {
		if name != "" {
			said = strings.ReplaceAll(said, name, stand)
		}
	}
	var lines []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(strings.Map(printable, strings.ToValidUTF8(line, "")))
		if line == "" || strings.Contains(line, "ws://") || strings.Contains(line, "dbus/") {
			continue
		}
		lines = append(lines, line)
	}
	return cutStart(strings.Join(lines, "; "), tailBytesMax)
}

func printable(r rune) rune {
	if r == '\t' {
		return ' '
	}
	if !unicode.IsPrint(r) {
		return -1
	}
	return r
}

// cutStart keeps the last limit bytes of s, whole characters only.
func cutStart(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	s = s[len(s)-limit:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return "…" + s
}
