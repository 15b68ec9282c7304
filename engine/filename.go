package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// nameBytesMax leaves room for a number behind a name: a file system takes 255.
const nameBytesMax = 200

// reservedNames are devices on Windows, with any ending.
var reservedNames = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true}

// safeName makes a name that a server or page suggests one that is a file's
// own on every system, and hides nothing: no path, no control or direction
// character, no dot in front, no device, no more than a file system takes.
func safeName(suggested string) string {
	name := suggested[strings.LastIndexAny(suggested, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			return -1
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, name)
	name = strings.Trim(name, ". ")
	ext := filepath.Ext(name)
	if len(ext) > 20 {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	for len(stem)+len(ext) > nameBytesMax {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	first, _, _ := strings.Cut(strings.ToLower(stem), ".")
	first = strings.TrimSpace(first)
	device := len(first) == 4 && (strings.HasPrefix(first, "com") || strings.HasPrefix(first, "lpt")) && first[3] >= '0' && first[3] <= '9'
	if reservedNames[first] || device {
		stem = "_" + stem
	}
	if stem == "" {
		stem = "download"
	}
	return strings.TrimRight(stem+ext, ". ")
}

// numbered are the names to try: the name, and with a number while it is taken.
func numbered(name string) []string {
	ext := filepath.Ext(name)
	out := []string{name}
	for i := 1; i < 1000; i++ {
		out = append(out, fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), i, ext))
	}
	return out
}

// locks are locks by process, for what a browser has once.
type locks struct {
	mu  sync.Mutex
	all map[int]chan struct{}
}

// acquire takes the lock of a process, or gives up with ctx.
func (l *locks) acquire(ctx context.Context, pid int) (release func(), err error) {
	l.mu.Lock()
	if l.all == nil {
		l.all = map[int]chan struct{}{}
	}
	lock := l.all[pid]
	if lock == nil {
		lock = make(chan struct{}, 1)
		l.all[pid] = lock
	}
	l.mu.Unlock()
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for another download: %w", ctx.Err())
	}
}
