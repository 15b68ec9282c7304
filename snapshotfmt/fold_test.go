package snapshotfmt_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"cuatui/snapshotfmt"
)

func TestFold(t *testing.T) {
	tests := []struct {
		name, in string
		limit    int
		want     string
	}{
		{"runs of white space become one", "  a \t\r\n\u00a0\u3000b  ", 9, "a b"},
		{"characters without width part words too", "a\u200bb\ufeffc\u2060d", 9, "a b c d"},
		{"icon glyphs of every plane are gaps", "\ue000Save\uf8ff \U000f0001now\U0010fffd", 99, "Save now"},
		{"controls go without a gap", "a\x00b\x1bc\u0085d\u009de", 9, "abcde"},
		{"bidi controls go", "a\u202eb\u2066c\u200fd\u061ce", 9, "abcde"},
		{"joiners stay", "\U0001f468\u200d\U0001f469 نمی\u200cخواهم", 99, "\U0001f468\u200d\U0001f469 نمی\u200cخواهم"},
		{"bad bytes are marked", "a\xffb", 9, "a\ufffdb"},
		{"what fits is whole", "abc de", 6, "abc de"},
		{"the cut counts what is left out", "abc def", 6, "abc de… [+1 characters]"},
		{"spaces count", "a b c d", 5, "a b c… [+2 characters]"},
		{"no cut ends in a space", "ab cd", 3, "ab… [+3 characters]"},
		{"nothing fits", "ab", 0, "… [+2 characters]"},
		{"white space is no cut", "ab   ", 2, "ab"},
		{"nothing", " \n ", 5, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := snapshotfmt.Fold(tt.in, tt.limit); got != tt.want {
				t.Errorf("Fold(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
			}
		})
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"", "a  b", "\ue000x", "a\x00\u202e b", strings.Repeat("ab ", 40), "\xff\xfe", "… [+9 characters]"} {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		got := snapshotfmt.Fold(s, limit)
		whole := snapshotfmt.Fold(s, len(s)+1) // nothing is over this
		kept, cut := got, 0
		if got != whole {
			i := strings.LastIndex(got, "… [+")
			if i < 0 {
				t.Fatalf("Fold(%q, %d) = %q is neither whole nor marked", s, limit, got)
			}
			kept = got[:i]
			if _, err := fmt.Sscanf(got[i:], "… [+%d characters]", &cut); err != nil {
				t.Fatalf("the mark of %q: %v", got, err)
			}
		}
		if n := utf8.RuneCountInString(kept); n > max(0, limit) || n+cut != utf8.RuneCountInString(whole) || !strings.HasPrefix(whole, kept) {
			t.Errorf("Fold(%q, %d) keeps %q of %q and counts %d", s, limit, kept, whole, cut)
		}
		if again := snapshotfmt.Fold(kept, limit); again != kept {
			t.Errorf("not stable: %q, then %q", kept, again)
		}
		for _, r := range got {
			if r != ' ' && (unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Errorf("Fold(%q) keeps %U", s, r)
			}
		}
		if strings.Contains(got, "  ") || !utf8.ValidString(got) {
			t.Errorf("Fold(%q) = %q", s, got)
		}
	})
}
