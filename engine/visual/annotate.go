package visual

import (
	"image"
	"image/color"
	"image/draw"
	"slices"
)

// Mark is a box on an image with a number beside it.
type Mark struct {
	Box    image.Rectangle // px of the image
	Number string          // decimal digits
	// Label is where its number stands; empty until it has been placed, or
	// where the image has no room left.
	Label image.Rectangle
}

// The digits, three px wide and five high: a row is three bits.
var digits = [10][5]uint8{
	{7, 5, 5, 5, 7},
	{2, 6, 2, 2, 7},
	{7, 1, 7, 4, 7},
	{7, 1, 7, 1, 7},
	{5, 5, 7, 1, 1},
	{7, 4, 7, 1, 7},
	{7, 4, 7, 5, 7},
	{7, 1, 1, 1, 1},
	{7, 5, 7, 5, 7},
	{7, 5, 7, 1, 7},
}

// inks are told apart on any ground by the white of their numbers.
var inks = []color.RGBA{{0xb0, 0x00, 0x20, 0xff}, {0x00, 0x4f, 0xa3, 0xff}, {0x1b, 0x6b, 0x1b, 0xff}, {0x7a, 0x1f, 0x8a, 0xff}, {0x8a, 0x4b, 0x00, 0xff}, {0x00, 0x5f, 0x66, 0xff}}

// labelSize is how much room a number takes at a zoom of the digits.
func labelSize(number string, zoom int) image.Point {
	return image.Pt((4*len(number)+1)*zoom, 7*zoom)
}

// PlaceLabels gives each mark's number a place of its own inside bounds: at a
// corner of its box if one is free, else below it, else wherever there is room.
// No two cover each other. It returns how many found none.
func PlaceLabels(marks []Mark, bounds image.Rectangle, zoom int) (without int) {
	var taken []image.Rectangle
	free := func(r image.Rectangle) bool {
		return r.In(bounds) && !slices.ContainsFunc(taken, r.Overlaps)
	}
	for i := range marks {
		m := &marks[i]
		size := labelSize(m.Number, zoom)
		m.Label = image.Rectangle{}
		for p := range places(m.Box, size, bounds) {
			if r := (image.Rectangle{Min: p, Max: p.Add(size)}); free(r) {
				m.Label = r
				taken = append(taken, r)
				break
			}
		}
		if m.Label.Empty() {
			without++
		}
	}
	return without
}

// places are the corners at which a label of a box may stand, the best first.
func places(box image.Rectangle, size image.Point, bounds image.Rectangle) func(func(image.Point) bool) {
	x, y, r, b := box.Min.X, box.Min.Y, box.Max.X, box.Max.Y
	near := []image.Point{
		{x, y - size.Y}, {r - size.X, y - size.Y}, {x, b}, {r - size.X, b}, {x - size.X, y}, {r, y}, {x, y}, {r - size.X, y}, {x, b - size.Y}, {r - size.X, b - size.Y},
	}
	return func(yield func(image.Point) bool) {
		for _, p := range near {
			if !yield(p) {
				return
			}
		}
		for at := bounds.Min.Y; at+size.Y <= bounds.Max.Y; at += size.Y { // in its own columns, and then anywhere
			if !yield(image.Pt(min(x, bounds.Max.X-size.X), at)) {
				return
			}
		}
		for at := bounds.Min.Y; at+size.Y <= bounds.Max.Y; at += size.Y {
			for left := bounds.Min.X; left+size.X <= bounds.Max.X; left += size.X {
				if !yield(image.Pt(left, at)) {
					return
				}
			}
		}
	}
}

// DrawMarks draws the boxes and the numbers that have a place.
func DrawMarks(img draw.Image, marks []Mark, zoom int) {
	for i, m := range marks {
		ink := image.NewUniform(inks[i%len(inks)])
		in := m.Box.Intersect(img.Bounds())
		for _, side := range []image.Rectangle{
			{in.Min, image.Pt(in.Max.X, in.Min.Y+zoom)},
			{image.Pt(in.Min.X, in.Max.Y-zoom), in.Max},
			{in.Min, image.Pt(in.Min.X+zoom, in.Max.Y)},
			{image.Pt(in.Max.X-zoom, in.Min.Y), in.Max},
		} {
			draw.Draw(img, side.Intersect(in), ink, image.Point{}, draw.Src)
		}
	}
	for i, m := range marks { // over every box
		if m.Label.Empty() {
			continue
		}
		draw.Draw(img, m.Label, image.NewUniform(inks[i%len(inks)]), image.Point{}, draw.Src)
		for j, d := range m.Number {
			drawDigit(img, int(d-'0'), m.Label.Min.Add(image.Pt((4*j+1)*zoom, zoom)), zoom)
		}
	}
}

func drawDigit(img draw.Image, d int, at image.Point, zoom int) {
	if d < 0 || d > 9 {
		return
	}
	for y, row := range digits[d] {
		for x := range 3 {
			if row&(4>>x) != 0 {
				p := at.Add(image.Pt(x*zoom, y*zoom))
				draw.Draw(img, image.Rectangle{Min: p, Max: p.Add(image.Pt(zoom, zoom))}, image.White, image.Point{}, draw.Src)
			}
		}
	}
}
