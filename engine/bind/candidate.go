package bind

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"cuatui/engine/refusal"
	"cuatui/platform"
)

// What a refusal shows of the windows that could have been meant. The nearest
// are shown; titles come from pages and may be of any length.
const (
	candidatesMax     = 20
	candidateRunesMax = 200
)

// candidates lists the browser windows, nearest first.
func (c *correlation) candidates() []refusal.Candidate {
	out := make([]refusal.Candidate, 0, len(c.windows))
	for _, w := range c.windows {
		out = append(out, c.candidate(w))
	}
	slices.SortStableFunc(out, func(a, b refusal.Candidate) int {
		switch da, db := distance(a), distance(b); {
		case da < db:
			return -1
		case da > db:
			return 1
		}
		return 0
	})
	return out[:min(len(out), candidatesMax)]
}

func (c *correlation) candidate(w BrowserWindow) refusal.Candidate {
	title := c.containedTitle(w)
	why := []string{}
	switch {
	case !known(w.Bounds):
		why = append(why, "the browser gives no box")
	case len(c.boxes) == 0:
		why = append(why, "the native window's box is not known")
	case c.boxMatches(w):
		why = append(why, "same box")
	default:
		why = append(why, "other box")
	}
	switch {
	case c.exactTitle(c.native.Window.Title, w):
		why = append(why, "title is the native title")
	case title != "":
		why = append(why, "title is part of the native title")
	default:
		why = append(why, "title differs")
	}
	if !w.HasWindow {
		why = append(why, "no window id")
	}
	if title == "" && len(w.Titles) > 0 {
		title = w.Titles[0]
	}
	out := refusal.Candidate{Title: cut(title), Why: strings.Join(why, ", ")}
	if known(w.Bounds) {
		out.Box = [4]float64{w.Bounds.X, w.Bounds.Y, w.Bounds.W, w.Bounds.H}
		if len(c.boxes) > 0 {
			out.Delta = delta(w.Bounds, c.nearest(w.Bounds))
		}
	}
	return out
}

// nearest returns the native box that fits bounds best.
func (c *correlation) nearest(bounds platform.Rect) platform.Rect {
	return slices.MinFunc(c.boxes, func(a, b platform.Rect) int {
		switch da, db := largest(delta(bounds, a)), largest(delta(bounds, b)); {
		case da < db:
			return -1
		case da > db:
			return 1
		}
		return 0
	})
}

// distance orders candidates; those without a box come last.
func distance(c refusal.Candidate) float64 {
	if c.Box == ([4]float64{}) {
		return math.Inf(1)
	}
	return largest(c.Delta)
}

func largest(d [4]float64) float64 {
	m := 0.0
	for _, v := range d {
		m = max(m, math.Abs(v))
	}
	return m
}

// delta is a minus b: x, y, width, height.
func delta(a, b platform.Rect) [4]float64 {
	return [4]float64{a.X - b.X, a.Y - b.Y, a.W - b.W, a.H - b.H}
}

// known says whether r is a box at all. The comparisons are false for NaN.
func known(r platform.Rect) bool {
	return r.W > 0 && r.H > 0 && r.W < math.MaxInt32 && r.H < math.MaxInt32 &&
		math.Abs(r.X) < math.MaxInt32 && math.Abs(r.Y) < math.MaxInt32
}

func describe(r platform.Rect) string { return fmt.Sprintf("%g,%g %gx%g", r.X, r.Y, r.W, r.H) }

func cut(s string) string {
	count := 0
	for i := range s {
		if count++; count > candidateRunesMax {
			return s[:i] + "…"
		}
	}
	return s
}

// The bounds of a plausible forced scale.
const (
	forcedScaleMin = 0.5
	forcedScaleMax = 8
)

// ForcedScale returns the device pixels per DIP that a Chromium's arguments
// impose whatever the display says, or 0. As in Chromium the last one counts,
// and nothing after "--".
func ForcedScale(args []string) float64 {
	scale := 0.0
	for _, arg := range args {
		if arg == "--" {
			break
		}
		value, found := strings.CutPrefix(arg, "--force-device-scale-factor=")
		if !found {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if scale = v; err != nil || !(v >= forcedScaleMin && v <= forcedScaleMax) {
			scale = 0
		}
	}
	return scale
}
