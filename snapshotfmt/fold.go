package snapshotfmt

import (
	"fmt"
	"strings"
	"unicode"
)

// Fold prepares page text for a name: white space runs and private-use glyphs
// (icon fonts) become one space, controls and bidi controls are dropped,
// joiners stay. What is over limit runes is cut, with a mark that counts it
// behind; without a cut, folding again changes nothing.
func Fold(s string, limit int) string {
	var b strings.Builder
	space, n, cut := false, 0, 0
	for _, r := range s {
		switch {
		case blank(r):
			space = n+cut > 0
			continue
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			continue
		}
		width := 1
		if space {
			width = 2 // the space before it belongs to it
		}
		if cut > 0 || n+width > limit {
			cut, space = cut+width, false
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
		n += width
	}
	if cut > 0 {
		fmt.Fprintf(&b, "… [+%d characters]", cut)
	}
	return b.String()
}

// blank says whether r is shown as nothing but a gap.
func blank(r rune) bool {
	switch r {
	case 0x200B, 0xFEFF, 0x2060: // no width
		return true
	case 0x85: // a C1 control to HTML
		return false
	}
	return unicode.IsSpace(r) || unicode.Is(unicode.Co, r)
}
