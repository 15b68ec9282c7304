package snapshotfmt

import "unicode"

// The weights of the token estimate, in twelfths of a token. Byte-pair
// tokenizers of current language models put about four Latin letters in a
// token, keep digits in groups of up to three, split punctuation early, spend
// about a token on each CJK character and two on an emoji, and need about one
// for two characters of the other scripts.
const (
	tokenUnits  = 12
	unitsLetter = 3
	unitsDigit  = 4
	unitsPunct  = 6
	unitsOther  = 6
	unitsWide   = 12
	unitsEmoji  = 24
)

// EstimateTokens estimates how many tokens a language model spends on s. It is
// an estimate by script class, not a tokenizer: good for budgets and for
// comparing formats of one page, within a third or so on ordinary text.
//
// It adds up: the estimate of two strings joined is the sum of their estimates
// or one less, from rounding up once instead of twice.
func EstimateTokens(s string) int {
	units := 0
	for _, r := range s {
		units += runeUnits(r)
	}
	return (units + tokenUnits - 1) / tokenUnits
}

func runeUnits(r rune) int {
	switch {
	case r <= unicode.MaxASCII:
		return asciiUnits(r)
	case r == unicode.ReplacementChar: // also what a bad byte decodes to
		return unitsWide
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo):
		return unitsWide
	case r >= 0x3000 && r <= 0x303F, r >= 0xFF00 && r <= 0xFFEF: // CJK and full-width punctuation
		return unitsWide
	case unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) && r > 0xFFFF:
		return unitsEmoji
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r), unicode.IsPunct(r), unicode.IsSpace(r):
		return unitsOther
	}
	return unitsWide // controls, format characters, private use
}

func asciiUnits(r rune) int {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == ' ':
		return unitsLetter
	case r >= '0' && r <= '9':
		return unitsDigit
	case r < ' ' && r != '\n' && r != '\t':
		return unitsWide
	}
	return unitsPunct
}
