package observe

import "math"

// rect is left, top, right, bottom in CSS px.
type rect struct{ L, T, R, B float64 }

func fromBox(b [4]float64) rect { return rect{b[0], b[1], b[0] + b[2], b[1] + b[3]} }

func (r rect) box() [4]float64 { return [4]float64{r.L, r.T, r.R - r.L, r.B - r.T} }

func (r rect) edges() []float64 { return []float64{r.L, r.T, r.R, r.B} }

func (r rect) cut(o rect) rect {
	return rect{max(r.L, o.L), max(r.T, o.T), min(r.R, o.R), min(r.B, o.B)}
}

func (r rect) empty() bool { return r.R <= r.L || r.B <= r.T }

// mapping places a document in another's viewport: x' = X + SX*x. Only moves
// and positive scales are exact; anything else has no mapping.
type mapping struct{ X, Y, SX, SY float64 }

var identity = mapping{0, 0, 1, 1}

func (m mapping) rect(r rect) rect {
	return rect{m.X + m.SX*r.L, m.Y + m.SY*r.T, m.X + m.SX*r.R, m.Y + m.SY*r.B}
}

// sane says whether positions can be told through m: what a page scales beyond
// this is not seen, and its numbers mean nothing.
func (m mapping) sane() bool {
	const most = 1e6
	ok := func(scale, at float64) bool { return scale >= 1/most && scale <= most && math.Abs(at) < pixelsMax }
	return ok(m.SX, m.X) && ok(m.SY, m.Y)
}

func (m mapping) point(x, y float64) (float64, float64) { return m.X + m.SX*x, m.Y + m.SY*y }

// inverse maps a rect of the outer viewport into the document's own.
func (m mapping) inverse(r rect) rect {
	return rect{(r.L - m.X) / m.SX, (r.T - m.Y) / m.SY, (r.R - m.X) / m.SX, (r.B - m.Y) / m.SY}
}

// within is the mapping of a child document whose parent is placed by m.
func (m mapping) within(inner [4]float64, scale [2]float64) mapping {
	return mapping{m.X + m.SX*inner[0], m.Y + m.SY*inner[1], m.SX * scale[0], m.SY * scale[1]}
}
