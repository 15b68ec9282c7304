package text

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Measure counts, cuts and pads in terminal cells, by the one method that the
// renderer uses too. It takes text that has passed Safe and holds no styles.
// The zero value counts by wcwidth, which is what the renderer does until the
// terminal says that it knows grapheme clusters (mode 2027).
type Measure struct{ method ansi.Method }

// Graphemes is the Measure for a terminal that knows grapheme clusters.
var Graphemes = Measure{method: ansi.GraphemeWidth}

// Width returns the number of cells s takes.
func (m Measure) Width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	return m.method.StringWidth(s)
}

// cellBytes bounds how many bytes of text one cell can use: a character of four
// bytes with the marks that Safe leaves it, and then some.
const cellBytes = 64

// Cut returns the longest prefix of s that fits in w cells, with an ellipsis
// as its last cell where something was cut off. It looks at no more of s than
// w cells can use, so that a text of megabytes costs what a line costs.
func (m Measure) Cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if limit := (w + 1) * cellBytes; len(s) > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		return m.method.Truncate(s[:limit], w-1, "") + "…"
	}
	if isASCII(s) {
		if len(s) <= w {
			return s
		}
		return s[:w-1] + "…"
	}
	return m.method.Truncate(s, w, "…")
}

// Fit returns s cut or padded with spaces to exactly w cells.
func (m Measure) Fit(s string, w int) string {
	s = m.Cut(s, w)
	return s + Spaces(w-m.Width(s))
}

// FitRight is Fit with the text at the right.
func (m Measure) FitRight(s string, w int) string {
	s = m.Cut(s, w)
	return Spaces(w-m.Width(s)) + s
}

// Wrap breaks s into lines of at most w cells, at spaces where there are some.
// It returns at least one line.
func (m Measure) Wrap(s string, w int) []string {
	if w <= 0 || m.fits(s, w) {
		return []string{s}
	}
	var out []string
	line, lw := "", 0
	for word := range strings.SplitSeq(s, " ") {
		if line != "" && m.fits(word, w-lw-1) {
			line += " " + word
			lw += 1 + m.Width(word)
			continue
		}
		if line != "" {
			out = append(out, line)
		}
		for !m.fits(word, w) {
			head := m.prefix(word, w)
			out = append(out, head)
			word = word[len(head):]
		}
		line, lw = word, m.Width(word)
	}
	if line != "" || len(out) == 0 {
		out = append(out, line)
	}
	return out
}

// fits says whether s takes at most w cells, without measuring all of a long s.
func (m Measure) fits(s string, w int) bool {
	return s == "" || len(s) <= (w+1)*cellBytes && m.Width(s) <= w
}

// prefix returns the longest prefix of s within w cells, at least one
// character, so that Wrap always moves on.
func (m Measure) prefix(s string, w int) string {
	if len(s) > w && isASCII(s[:w+1]) {
		return s[:w]
	}
	if limit := (w + 1) * cellBytes; len(s) > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		s = s[:limit]
	}
	if p := m.method.Truncate(s, w, ""); p != "" {
		return p
	}
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

const blanks = "                                                                                                                                "

// Spaces returns n spaces, "" if n is not positive.
func Spaces(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blanks) {
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
