package visual

import (
	"image"
	"image/color"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestLabelsCoverNoneOfTheOthers(t *testing.T) {
	bounds := image.Rect(0, 0, 640, 400)
	for what, box := range map[string]func(i int, r *rand.Rand) image.Rectangle{
		"all at one place": func(int, *rand.Rand) image.Rectangle { return image.Rect(100, 100, 140, 120) },
		"at the edges":     func(i int, _ *rand.Rand) image.Rectangle { return image.Rect(640-i%7, 400-i%5, 640, 400) },
		"anywhere": func(_ int, r *rand.Rand) image.Rectangle {
			x, y := r.IntN(640), r.IntN(400)
			return image.Rect(x, y, x+40, y+20)
		},
		"of the whole": func(int, *rand.Rand) image.Rectangle { return bounds },
		"out of it":    func(int, *rand.Rand) image.Rectangle { return image.Rect(-90, -90, -50, -70) },
	} {
		r := rand.New(rand.NewPCG(1, 1))
		marks := make([]Mark, 300)
		for i := range marks {
			marks[i] = Mark{Box: box(i, r), Number: strconv.Itoa(i + 1)}
		}
		if n := PlaceLabels(marks, bounds, 2); n != 0 {
			t.Errorf("%s: %d of 300 have no place", what, n)
		}
		for i, a := range marks {
			if !a.Label.In(bounds) || a.Label.Size() != labelSize(a.Number, 2) {
				t.Fatalf("%s: the label %v of %s", what, a.Label, a.Number)
			}
			for _, b := range marks[:i] {
				if a.Label.Overlaps(b.Label) {
					t.Fatalf("%s: %s at %v covers %s at %v", what, a.Number, a.Label, b.Number, b.Label)
				}
			}
		}
	}
	one := []Mark{{Box: image.Rect(50, 50, 90, 70), Number: "7"}, {Box: image.Rect(50, 50, 90, 70), Number: "8"}}
	PlaceLabels(one, bounds, 2)
	if one[0].Label.Min != image.Pt(50, 36) || one[1].Label.Max != image.Pt(90, 50) {
		t.Errorf("beside its box is free, and it is at %v; the other at %v", one[0].Label, one[1].Label)
	}
	if n := PlaceLabels(make10(), image.Rect(0, 0, 30, 14), 2); n == 0 || n == 10 {
		t.Errorf("where there is room for a few, %d have none", n)
	}
}

func make10() []Mark {
	out := make([]Mark, 10)
	for i := range out {
		out[i] = Mark{Box: image.Rect(0, 0, 5, 5), Number: "1"}
	}
	return out
}

func TestMarksAreDrawn(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 100, 60))
	marks := []Mark{{Box: image.Rect(20, 20, 60, 40), Number: "42"}, {Box: image.Rect(80, 50, 400, 400), Number: "1"}}
	PlaceLabels(marks, img.Bounds(), 2)
	DrawMarks(img, marks, 2)
	at := func(x, y int) color.RGBA { return img.RGBAAt(x, y) }
	for _, p := range []image.Point{{20, 20}, {59, 39}, {20, 30}, {40, 39}, {80, 50}} {
		if at(p.X, p.Y).A == 0 {
			t.Errorf("no edge is drawn at %v", p)
		}
	}
	if at(40, 30).A != 0 {
		t.Error("a box is filled")
	}
	// The first row of the 4 is white, blank, white.
	from := marks[0].Label.Min
	white := color.RGBA{255, 255, 255, 255}
	if at(from.X+2, from.Y+2) != white || at(from.X+4, from.Y+2) == white || at(from.X+6, from.Y+2) != white {
		t.Error("no 4 is drawn")
	}
}
