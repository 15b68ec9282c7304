package snapshotfmt_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"cuatui/snapshotfmt"
)

func TestQuote(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", "", `""`},
		{"plain text is as it is", "Größe <b> & 漢字 😀", `"Größe <b> & 漢字 😀"`},
		{"quotes cannot end it", `a" [disabled] p1:2`, `"a\" [disabled] p1:2"`},
		{"lines cannot end it", "a\n- button\r\u2028\u2029", `"a\n- button\r\u2028\u2029"`},
		{"nothing steers a terminal", "\x1b]0;t\x07\u009b2J\x7f", `"\u001b]0;t\u0007\u009b2J\u007f"`},
		{"nothing turns a line around", "\u202eevil\u2066", `"\u202eevil\u2066"`},
		{"what cannot be seen is seen", "a\u200b\ufeff\u00adb\U000e0041", `"a\u200b\ufeff\u00adb\udb40\udc41"`},
		{"joiners stay", "نمی\u200cخواهم \U0001f468\u200d\U0001f469", "\"نمی\u200cخواهم \U0001f468\u200d\U0001f469\""},
		{"bad bytes are marked", "\xff", `"\ufffd"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := snapshotfmt.Quote(tt.in); got != tt.want {
				t.Errorf("Quote(%q) = %s, want %s", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", `"`, "\\", "a\nb", "\u2028", "\x1b[2J", "\u202e", "\U000e0001", "\xc3\x28"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := snapshotfmt.Quote(s)
		var back string
		if err := json.Unmarshal([]byte(q), &back); err != nil || back != strings.ToValidUTF8(s, "\ufffd") && utf8.ValidString(s) {
			t.Errorf("Quote(%q) = %s reads back as %q, %v", s, q, back, err)
		}
		if utf8.RuneCountInString(back) != utf8.RuneCountInString(s) {
			t.Errorf("Quote(%q) = %s: something was dropped", s, q)
		}
		for _, r := range q {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
				t.Errorf("Quote(%q) = %s holds %U", s, q, r)
			}
		}
		if snapshotfmt.PrintableLine(q) != q {
			t.Errorf("Quote(%q) = %s is not printable", s, q)
		}
	})
}
