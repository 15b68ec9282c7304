package visual

import "fmt"

// Budget is what the visual channel may cost, in estimated tokens.
type Budget struct {
	// Own is the share that is its own; 0 where it is part of the caller's.
	Own int
	// Total is the caller's budget and Head what the frame of its answer costs.
	Total, Head int
}

// TooSmallError says that not even the frame of an answer fits.
type TooSmallError struct{ Minimum int }

func (e *TooSmallError) Error() string {
	return fmt.Sprintf("is too small: the frame of the answer alone costs %d estimated tokens", e.Minimum)
}

// Plan says how many rows a budget has room for.
type Plan struct {
	Rows int
	// Hint says that there is room for the line that tells of regions at all.
	Hint bool
	// Cost is what the hint and the rows cost together.
	Cost int
}

// partOf is which part of the caller's total the regions may take besides the
// hint, so that they never crowd out what can be acted on.
const partOf = 4

// Plan fits the hint, and then rows in their order, into the budget; the first
// that has no room ends it. It fails where not even the answer's head fits.
func (b Budget) Plan(hint int, rows []int) (Plan, error) {
	if b.Total < b.Head {
		return Plan{}, &TooSmallError{b.Head}
	}
	left := b.Own
	if b.Own == 0 {
		left = max((b.Total-b.Head)/partOf, min(hint, b.Total-b.Head))
		left = min(left, OwnTokens)
	}
	if hint > left {
		return Plan{}, nil
	}
	p := Plan{Hint: true, Cost: hint}
	for _, cost := range rows {
		if p.Cost+cost > left {
			break
		}
		p.Rows++
		p.Cost += cost
	}
	return p, nil
}

// OwnTokens is the share of the visual channel where the caller names no budget.
const OwnTokens = 2048
