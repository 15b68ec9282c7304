package snapshotfmt

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns s in a form that cannot steer a terminal: C0 controls
// become their pictures (ESC is shown as ␛), C1 controls, bidi controls,
// characters without width that hide text, and bad UTF-8 become U+FFFD, a tab
// becomes a space. Newlines stay, because the outline is made of lines; text
// that belongs on one line goes through PrintableLine. Nothing to change costs
// no allocation, and doing it twice changes nothing more.
func Printable(s string) string { return clean(s, true) }

// PrintableLine is Printable for text that belongs on one line: a newline is
// shown as ␊.
func PrintableLine(s string) string { return clean(s, false) }

func clean(s string, keepNewlines bool) string {
	bad := func(r rune) bool { return unsafeRune(r) && (r != '\n' || !keepNewlines) }
	if strings.IndexFunc(s, bad) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for _, r := range s { // a bad byte arrives as U+FFFD, which is its mark
		switch {
		case !bad(r):
			b.WriteRune(r)
		case r == '\t':
			b.WriteByte(' ')
		case r < ' ':
			b.WriteRune('\u2400' + r) // control pictures
		case r == 0x7F:
			b.WriteRune('\u2421')
		default:
			b.WriteRune(utf8.RuneError)
		}
	}
	return b.String()
}

// unsafeRune says whether r could steer a terminal or hide text in it. Joiners
// and variation selectors are left alone: scripts and emoji need them.
func unsafeRune(r rune) bool {
	switch {
	case r < ' ', r >= 0x7F && r <= 0x9F: // C0, DEL, C1
		return true
	case r < 0xAD:
		return false
	case unicode.Is(unicode.Bidi_Control, r):
		return true
	case r == 0x2028, r == 0x2029: // line and paragraph separator
		return true
	case r == 0xAD, r == 0x180E, r == 0x200B, r == 0xFEFF: // shown as nothing
		return true
	case r >= 0x2060 && r <= 0x206F, r >= 0xFFF9 && r <= 0xFFFB: // invisible operators, annotations
		return true
	case r >= 0xE0000 && r <= 0xE007F: // tags: text that no person sees
		return true
	}
	return false
}

// PrintableJSON returns JSON text with the same value in which the characters
// that Printable would mark are written as \u escapes, so that data piped to a
// terminal cannot steer it either. data must be compact, valid JSON.
func PrintableJSON(data []byte) []byte {
	s := string(data)
	if strings.IndexFunc(s, unsafeRune) < 0 {
		return data
	}
	out := make([]byte, 0, len(data)+64)
	for _, r := range s {
		switch {
		case !unsafeRune(r):
			out = utf8.AppendRune(out, r)
		case r > 0xFFFF:
			hi, lo := (r-0x10000)>>10+0xD800, (r-0x10000)&0x3FF+0xDC00
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
