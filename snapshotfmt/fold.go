package snapshotfmt

import (
	"fmt"
	"strings"
	"unicode"
)

// Fold prepares page text for a name: white space runs become one space,
// controls, private-use glyphs (icon fonts) and bidi controls are dropped,
// joiners stay, and what is over limit runes is cut with a mark that counts it.
func Fold(s string, limit int) string {
	var b strings.Builder
	space, n, cut := false, 0, 0
	for _, r := range s {
		switch {
		case unicode.IsSpace(r), r == 0x200B, r == 0xFEFF, r == 0x2060:
			space = n > 0
			continue
		case unicode.IsControl(r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Bidi_Control, r):
			continue
		}
		if n >= limit {
			cut++
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
		n++
	}
	if cut > 0 {
		fmt.Fprintf(&b, "… [+%d characters]", cut)
	}
	return b.String()
}
