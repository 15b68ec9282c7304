package snapshotfmt_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"cuatui/snapshotfmt"
)

func TestEstimateTokensByScript(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want int
	}{
		{"nothing", "", 0},
		{"one letter still costs a token", "a", 1},
		{"four Latin letters a token", strings.Repeat("word", 100), 100},
		{"three digits a token", strings.Repeat("123", 100), 100},
		{"two punctuation marks a token", strings.Repeat("{}", 100), 100},
		{"a Han character a token", strings.Repeat("漢", 100), 100},
		{"a Hangul syllable a token", strings.Repeat("한", 100), 100},
		{"a Kana a token", strings.Repeat("かカ", 50), 100},
		{"full-width punctuation like Han", strings.Repeat("。", 100), 100},
		{"two Cyrillic letters a token", strings.Repeat("да", 100), 100},
		{"two Arabic letters a token", strings.Repeat("لا", 100), 100},
		{"an emoji two tokens", strings.Repeat("😀", 100), 200},
		{"a bad byte a token", strings.Repeat("\xff", 100), 100},
		{"a control a token", strings.Repeat("\x1b", 100), 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := snapshotfmt.EstimateTokens(tt.in); got != tt.want {
				t.Errorf("EstimateTokens = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestPunctuationCostsMoreThanWords(t *testing.T) {
	words, marks := strings.Repeat("button name ", 50), strings.Repeat(`{"a":[1,2]} `, 50)
	if w, m := snapshotfmt.EstimateTokens(words), snapshotfmt.EstimateTokens(marks); m <= w {
		t.Errorf("words %d, markup of the same length %d: want more", w, m)
	}
}

func FuzzEstimateTokensAddsUp(f *testing.F) {
	f.Add("button \"Reply\"", "漢字 and 😀")
	f.Add("", "\x1b[2J")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return // two halves of a character are more than the whole
		}
		sum := snapshotfmt.EstimateTokens(a) + snapshotfmt.EstimateTokens(b)
		if got := snapshotfmt.EstimateTokens(a + b); got != sum && got != sum-1 {
			t.Errorf("joined %d, apart %d", got, sum)
		}
	})
}
