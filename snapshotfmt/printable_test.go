package snapshotfmt_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"cuatui/snapshotfmt"
)

func TestPrintableMarksWhatCouldSteerATerminal(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain text stays", "Reply – 漢字 😀", "Reply – 漢字 😀"},
		{"escape sequence", "\x1b[2Jx", "␛[2Jx"},
		{"C1 introducer", "\u009b31m", "\ufffd31m"},
		{"delete", "a\x7f", "a␡"},
		{"nul and bell", "\x00\a", "␀␇"},
		{"carriage return", "a\rb", "a␍b"},
		{"tab", "a\tb", "a b"},
		{"newline stays", "a\nb", "a\nb"},
		{"right-to-left override", "a\u202eb", "a\ufffdb"},
		{"isolate", "\u2066x\u2069", "\ufffdx\ufffd"},
		{"Arabic letter mark", "\u061c", "\ufffd"},
		{"line separator", "\u2028", "\ufffd"},
		{"zero-width space", "pay\u200bpal", "pay\ufffdpal"},
		{"tag characters", "\U000e0041", "\ufffd"},
		{"bad UTF-8", "a\xffb", "a\ufffdb"},
		{"joiners of an emoji stay", "👩\u200d👧\ufe0f", "👩\u200d👧\ufe0f"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := snapshotfmt.Printable(tt.in); got != tt.want {
				t.Errorf("Printable(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestPrintableLineMarksNewlines(t *testing.T) {
	if got := snapshotfmt.PrintableLine("a\nb\x1b"); got != "a␊b␛" {
		t.Errorf("PrintableLine = %q", got)
	}
}

func TestPrintableOfCleanTextAllocatesNothing(t *testing.T) {
	s := strings.Repeat("button \"Reply\" 漢字\n", 20)
	if n := testing.AllocsPerRun(100, func() { _ = snapshotfmt.Printable(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestPrintableJSONKeepsTheValue(t *testing.T) {
	for _, s := range []string{"plain", "\x1b[2J\u009b", "\u202e\u2028\ufeff", "\U000e0041x", "\x7f", "😀"} {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		out := snapshotfmt.PrintableJSON(data)
		if clean := snapshotfmt.PrintableLine(string(out)); clean != string(out) {
			t.Errorf("%q still holds marks: %q", s, out)
		}
		var back string
		if err := json.Unmarshal(out, &back); err != nil || back != s {
			t.Errorf("%q came back as %q, %v", s, back, err)
		}
	}
}

// steers is a second opinion on what must never reach a terminal.
func steers(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}

func FuzzPrintable(f *testing.F) {
	for _, s := range []string{"", "a\x1b]0;t\a", "\u009d", "\xc2", "\u202a", "\r\n", "\U000e0001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := snapshotfmt.Printable(s)
		if !utf8.ValidString(got) || strings.IndexFunc(got, steers) >= 0 {
			t.Errorf("Printable(%q) = %q", s, got)
		}
		if again := snapshotfmt.Printable(got); again != got {
			t.Errorf("not stable: %q, then %q", got, again)
		}
		if utf8.RuneCountInString(got) != utf8.RuneCountInString(s) {
			t.Errorf("%q has another length than %q: something was dropped", got, s)
		}
	})
}
