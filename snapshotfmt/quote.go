package snapshotfmt

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Quote writes s as a JSON string on one line. Beyond what JSON asks for, it
// escapes what could steer a terminal or reorder a line: C1 controls, bidi
// controls and invisible characters other than joiners.
func Quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string always encodes
		return `""`
	}
	q := strings.TrimSuffix(b.String(), "\n")
	if strings.IndexFunc(q, unsafeRune) < 0 {
		return q
	}
	b.Reset()
	for _, r := range q {
		switch {
		case !unsafeRune(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+(r>>10), 0xDC00+(r&0x3FF))
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
