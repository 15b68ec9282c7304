// Package text is the one door through which page text becomes UI text, and
// the one owner of widths. Everything a browser, page or engine says passes
// Safe before a pane draws it; everything a pane prints is measured by a
// Measure.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"cuatui/snapshotfmt"
)

// maxMarks is how many combining marks one base character keeps. Real scripts
// need at most four or so; the rest is a way to paint over neighbouring rows.
const maxMarks = 8

// Safe returns s as one line in which everything that could steer a terminal
// or hide from a reader is a visible mark, as snapshotfmt.PrintableLine has it:
// ESC is ␛, a newline ␊, C1 and bidi controls and bad UTF-8 are U+FFFD, a tab
// is a space. A screen of cells asks for more: joiners and variation selectors
// are dropped, so that both ways of measuring width agree; what else draws
// nothing becomes U+FFFD; and no character carries more than a few combining
// marks. Text with nothing to change is returned as it is, without allocating.
// Safe is idempotent.
func Safe(s string) string {
	s = snapshotfmt.PrintableLine(s)
	i := firstOdd(s)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	marks := 0
	for _, r := range s {
		switch {
		case dropped(r):
			continue
		case blank(r):
			r = utf8.RuneError
		}
		if !unicode.Is(unicode.M, r) {
			marks = 0
		} else if marks++; marks > maxMarks {
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// firstOdd returns the index of the first character that Safe still has to
// change, len(s) if there is none.
func firstOdd(s string) int {
	marks := 0
	for i, r := range s {
		switch {
		case r < 0xad:
			marks = 0
		case dropped(r) || blank(r):
			return i
		case !unicode.Is(unicode.M, r):
			marks = 0
		default:
			if marks++; marks > maxMarks {
				return i
			}
		}
	}
	return len(s)
}

// dropped says whether r is left out: joiners and variation selectors only
// choose between shapes of what stays.
func dropped(r rune) bool {
	return r >= 0x180b && (r == 0x200c || r == 0x200d || unicode.Is(unicode.Variation_Selector, r))
}

// blank says whether r draws nothing, though it takes part in widths.
func blank(r rune) bool {
	return r >= 0xad && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point)
}
