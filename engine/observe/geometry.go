package observe

import (
	"encoding/json"
	"fmt"
	"math"
)

// rect is left, top, right, bottom in CSS px.
type rect struct{ L, T, R, B float64 }

// UnmarshalJSON reads the four edges as an array.
func (r *rect) UnmarshalJSON(text []byte) error {
	var e [4]float64
	if err := json.Unmarshal(text, &e); err != nil {
		return fmt.Errorf("edges: %w", err)
	}
	*r = rect{e[0], e[1], e[2], e[3]}
	return nil
}

func fromBox(b [4]float64) rect { return rect{b[0], b[1], b[0] + b[2], b[1] + b[3]} }

func (r rect) box() [4]float64 { return [4]float64{r.L, r.T, r.R - r.L, r.B - r.T} }

func (r rect) edges() []float64 { return []float64{r.L, r.T, r.R, r.B} }

func (r rect) cut(o rect) rect {
	return rect{max(r.L, o.L), max(r.T, o.T), min(r.R, o.R), min(r.B, o.B)}
}

func (r rect) empty() bool { return r.R <= r.L || r.B <= r.T }

// mapping places a document in another's viewport, by any move, scale, turn
// or skew: x' = A*x + C*y + E, y' = B*x + D*y + F. Perspective has none.
type mapping struct{ A, B, C, D, E, F float64 }

var identity = mapping{A: 1, D: 1}

func (m mapping) point(x, y float64) (float64, float64) {
	return m.A*x + m.C*y + m.E, m.B*x + m.D*y + m.F
}

// rect is the box around the mapped rect: the rect itself where nothing turns.
func (m mapping) rect(r rect) rect {
	x, y := m.point(r.L, r.T)
	out := rect{x, y, x, y}
	for _, p := range [3][2]float64{{r.R, r.T}, {r.R, r.B}, {r.L, r.B}} {
		x, y := m.point(p[0], p[1])
		out = rect{min(out.L, x), min(out.T, y), max(out.R, x), max(out.B, y)}
	}
	return out
}

func (m mapping) determinant() float64 { return m.A*m.D - m.B*m.C }

// sane says whether positions can be told through m: what a page scales beyond
// this is not seen, and its numbers mean nothing.
func (m mapping) sane() bool {
	const most = 1e6
	x, y := math.Hypot(m.A, m.B), math.Hypot(m.C, m.D)
	within := func(scale, at float64) bool { return scale >= 1/most && scale <= most && math.Abs(at) < pixelsMax }
	return within(x, m.E) && within(y, m.F) && math.Abs(m.determinant()) > x*y/most
}

// back maps the outer viewport into the document's own; m must be sane.
func (m mapping) back() mapping {
	d := m.determinant()
	return mapping{
		A: m.D / d, B: -m.B / d, C: -m.C / d, D: m.A / d,
		E: (m.C*m.F - m.D*m.E) / d, F: (m.B*m.E - m.A*m.F) / d,
	}
}

// inverse maps a rect of the outer viewport into the document's own.
func (m mapping) inverse(r rect) rect { return m.back().rect(r) }

// after is the mapping that first applies n, then m.
func (m mapping) after(n mapping) mapping {
	return mapping{
		A: m.A*n.A + m.C*n.B, B: m.B*n.A + m.D*n.B, C: m.A*n.C + m.C*n.D, D: m.B*n.C + m.D*n.D,
		E: m.A*n.E + m.C*n.F + m.E, F: m.B*n.E + m.D*n.F + m.F,
	}
}

// within is the mapping of a child document whose parent is placed by m.
func (m mapping) within(inner [4]float64, scale [2]float64) mapping {
	return m.after(mapping{A: scale[0], D: scale[1], E: inner[0], F: inner[1]})
}

// ofQuad is the mapping that puts a w by h document onto a quad (four corners,
// clockwise from its top left). ok is false for one that is no parallelogram:
// there is perspective.
func ofQuad(q [8]float64, w, h float64) (m mapping, ok bool) {
	if w <= 0 || h <= 0 {
		return mapping{}, false
	}
	const slack = 0.5 // CSS px: quads are given in floats of device px
	dx, dy := q[2]-q[0]+q[6]-q[0]-(q[4]-q[0]), q[3]-q[1]+q[7]-q[1]-(q[5]-q[1])
	if dx*dx+dy*dy > slack*slack {
		return mapping{}, false
	}
	return mapping{A: (q[2] - q[0]) / w, B: (q[3] - q[1]) / w, C: (q[6] - q[0]) / h, D: (q[7] - q[1]) / h, E: q[0], F: q[1]}, true
}
