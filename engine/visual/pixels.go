package visual

import "math"

// The bounds of an image that is handed out, in image px.
const (
	EdgeMax  = 2048
	PixelMax = 4_000_000
)

// Scale is by how much a w by h image is made smaller to be handed out: 1 where
// it fits as it is.
func Scale(w, h float64) float64 {
	return min(1, EdgeMax/max(w, h), math.Sqrt(PixelMax/(w*h)))
}

// Fit is the size of a w by h image that is handed out, at least a pixel.
func Fit(w, h int) (int, int) {
	s := Scale(float64(w), float64(h))
	if s == 1 {
		return w, h
	}
	fit := func(v int) int { return max(1, int(float64(v)*s)) }
	return fit(w), fit(h)
}

// Window is how the px of an image of the window stand to those of its page:
// image = (css - Left) * Scale, and so down.
type Window struct {
	Left, Top, Scale float64
	Width, Height    float64 // of the window, CSS px
}

// Holds says whether an image of w by h px is one of this window: a px of the
// page, or one of the image, may be cut off at the end.
func (v Window) Holds(w, h int) bool {
	slack := v.Scale + 1
	return math.Abs(float64(w)-v.Width*v.Scale) <= slack && math.Abs(float64(h)-v.Height*v.Scale) <= slack
}

// Pixels are the px of a w by h image of the window that show r, on whole px as
// the browser puts boxes on them: left, top, right, bottom.
func (v Window) Pixels(r Rect, w, h int) (l, t, right, b int) {
	at := func(c, from float64, most int) int {
		px := math.Round((c - from) * v.Scale)
		if !(px > 0) { // no number, too
			return 0
		}
		return int(min(float64(most), px))
	}
	return at(r.L, v.Left, w), at(r.T, v.Top, h), at(r.R, v.Left, w), at(r.B, v.Top, h)
}

// Box is the rect of the page that px of an image of the window show.
func (v Window) Box(l, t, right, b int) Rect {
	at := func(px int, from float64) float64 { return float64(px)/v.Scale + from }
	return Rect{at(l, v.Left), at(t, v.Top), at(right, v.Left), at(b, v.Top)}
}
