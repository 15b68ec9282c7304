package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSafe(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain text stays", "Reply to all", "Reply to all"},
		{"other scripts stay", "日本語 עברית مرحبا नमस्ते", "日本語 עברית مرحبا नमस्ते"},
		{"an escape sequence is seen", "a\x1b[2Jb", "a␛[2Jb"},
		{"C1 is marked", "\u009b31m", "\ufffd31m"},
		{"a bidi override is marked", "x\u202ey", "x\ufffdy"},
		{"a newline is seen", "a\nb", "a␊b"},
		{"a carriage return is seen", "a\rb", "a␍b"},
		{"a tab is a space", "a\tb", "a b"},
		{"delete is seen", "a\x7f", "a␡"},
		{"a zero-width space is marked", "a\u200bb", "a\ufffdb"},
		{"a family comes apart", "👩\u200d👩\u200d👧", "👩👩👧"},
		{"a variation selector goes", "⚠\ufe0f", "⚠"},
		{"a filler that draws nothing is marked", "a\u3164b\u115f", "a\ufffdb\ufffd"},
		{"tags are marked", "a\U000e0041", "a\ufffd"},
		{"bad UTF-8 is marked", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"combining marks stay", "e\u0301", "e\u0301"},
		{"a pile of marks is cut", "e" + strings.Repeat("\u0301", 20) + "f", "e" + strings.Repeat("\u0301", maxMarks) + "f"},
		{"nothing stays nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Safe(tt.in)
			if got != tt.want {
				t.Errorf("Safe(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if Safe(got) != got {
				t.Errorf("Safe is not idempotent on %q", tt.in)
			}
		})
	}
}

func TestSafeTextCostsNothing(t *testing.T) {
	s := `button "Reply to all — 日本語" p42:8 click`
	if n := testing.AllocsPerRun(100, func() { _ = Safe(s) }); n != 0 {
		t.Errorf("%v allocations for text with nothing to change", n)
	}
}

func FuzzSafe(f *testing.F) {
	for _, s := range []string{"a\x1b[2Jb", "\u009b", "\u202e", "👩\u200d👩", "e\u0301", "\xff", "\u034f", "日本"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Safe(s)
		if !utf8.ValidString(got) || Safe(got) != got {
			t.Fatalf("Safe(%q) = %q", s, got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Bidi_Control, unicode.Variation_Selector) {
				t.Fatalf("Safe(%q) keeps %U", s, r)
			}
		}
		for _, m := range []Measure{{}, Graphemes} {
			for w := range 12 {
				if n := m.Width(m.Fit(got, w)); n != w {
					t.Fatalf("Fit(%q, %d) has %d cells", got, w, n)
				}
			}
		}
	})
}

func TestFit(t *testing.T) {
	tests := []struct {
		name, in string
		w        int
		want     string
	}{
		{"short text is padded", "ab", 4, "ab  "},
		{"long text ends in an ellipsis", "abcdef", 4, "abc…"},
		{"a wide character is not halved", "日本語", 4, "日… "},
		{"exact text stays", "日本", 4, "日本"},
		{"no room is no text", "ab", 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Measure{}).Fit(tt.in, tt.w); got != tt.want {
				t.Errorf("Fit = %q, want %q", got, tt.want)
			}
		})
	}
	long := strings.Repeat("日", 1<<20)
	if got := (Measure{}).Fit(long, 5); got != "日日…" {
		t.Errorf("Fit of a long text = %q", got)
	}
	if got := (Measure{}).FitRight("12", 4); got != "  12" {
		t.Errorf("FitRight = %q", got)
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		name, in string
		w        int
		want     []string
	}{
		{"at spaces", "the quick brown fox", 9, []string{"the quick", "brown fox"}},
		{"inside a word that is too long", "abcdefgh ij", 3, []string{"abc", "def", "gh", "ij"}},
		{"wide characters", "日本語", 4, []string{"日本", "語"}},
		{"a cell too narrow for its character still moves on", "日本", 1, []string{"日", "本"}},
		{"nothing is one line", "", 5, []string{""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := (Measure{}).Wrap(tt.in, tt.w)
			if strings.Join(got, "|") != strings.Join(tt.want, "|") {
				t.Errorf("Wrap = %q, want %q", got, tt.want)
			}
		})
	}
	if n := len((Measure{}).Wrap(strings.Repeat("日", 4000), 80)); n != 100 {
		t.Errorf("a long word is %d lines", n)
	}
}
