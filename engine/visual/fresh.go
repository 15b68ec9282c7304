package visual

import (
	"fmt"
	"math"
)

// Clip is an ancestor that cuts what is inside it: which element it is, along
// which axes, by what overflow, and its client box.
type Clip struct {
	Local int
	Axes  int // 1 across, 2 down, 3 both
	Over  string
	Box   Rect
}

// Sighting is where an element stood in its document's viewport when it was
// seen: its box, what was let through of it, and by what.
type Sighting struct {
	Box, Crop Rect
	Clips     []Clip
}

// Tolerance is how far an edge may be from where it was, in CSS px. Two reads
// of a page that stands still differ by about 1e-5.
const Tolerance = 0.25

// Moved says what is no longer as it was, "" for nothing.
func (was Sighting) Moved(is Sighting) string {
	if len(was.Clips) != len(is.Clips) {
		return fmt.Sprintf("%d ancestors clip it, and %d did", len(is.Clips), len(was.Clips))
	}
	for i, a := range was.Clips {
		b := is.Clips[i]
		if a.Local != b.Local || a.Axes != b.Axes || a.Over != b.Over {
			return "another ancestor clips it, or another way"
		}
		if d := a.Box.off(b.Box); d > Tolerance {
			return fmt.Sprintf("an ancestor that clips it moved by %.2f px", d)
		}
	}
	if d := was.Box.off(is.Box); d > Tolerance {
		return fmt.Sprintf("its box moved by %.2f px", d)
	}
	if d := was.Crop.off(is.Crop); d > Tolerance {
		return fmt.Sprintf("what is let through of it moved by %.2f px", d)
	}
	return ""
}

// off is the most that an edge of one is off the other's. What is no number is
// as far off as can be.
func (r Rect) off(o Rect) float64 {
	d := max(math.Abs(r.L-o.L), math.Abs(r.T-o.T), math.Abs(r.R-o.R), math.Abs(r.B-o.B))
	if math.IsNaN(d) {
		return math.Inf(1)
	}
	return d
}
