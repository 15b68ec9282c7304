package draw

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	stddraw "image/draw"
	"image/png"
	"strings"

	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// Picture is an image made small enough to be drawn in cells at any size of a
// terminal. Nothing of the file that it came from is kept.
type Picture struct{ pix *image.RGBA }

// The largest image that is decoded: what the engine shoots has no more. No side
// of a picture has more than keep pixels.
const (
	pictureEdge  = 2048
	picturePixel = 4_000_000
	pictureBytes = 32 << 20
	keep         = 512
)

// ReadPicture decodes a PNG of w by h pixels. What it says of its size is looked
// at before any of it is decoded.
func ReadPicture(file []byte, w, h int) (*Picture, error) {
	if len(file) > pictureBytes {
		return nil, fmt.Errorf("an image of %d bytes is not drawn", len(file))
	}
	c, err := png.DecodeConfig(bytes.NewReader(file))
	switch {
	case err != nil:
		return nil, errors.New("the image is no PNG")
	case c.Width <= 0 || c.Height <= 0 || c.Width > pictureEdge || c.Height > pictureEdge || c.Width*c.Height > picturePixel:
		return nil, fmt.Errorf("an image of %d by %d px is not drawn", c.Width, c.Height)
	case c.Width != w || c.Height != h:
		return nil, fmt.Errorf("the image has %d by %d px, not %d by %d", c.Width, c.Height, w, h)
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, errors.New("the image is a PNG that cannot be decoded")
	}
	full := image.NewRGBA(image.Rect(0, 0, w, h))
	stddraw.Draw(full, full.Bounds(), img, img.Bounds().Min, stddraw.Src)
	most := max(w, h)
	if most <= keep {
		return &Picture{full}, nil
	}
	return &Picture{scale(full, max(w*keep/most, 1), max(h*keep/most, 1))}, nil
}

// scale makes every pixel the mean of those it stands for.
func scale(src *image.RGBA, w, h int) *image.RGBA {
	from := src.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		y0, y1 := span(y, h, from.Dy())
		for x := range w {
			x0, x1 := span(x, w, from.Dx())
			var sum [4]int
			for sy := y0; sy < y1; sy++ {
				row := src.Pix[src.PixOffset(x0, sy):src.PixOffset(x1, sy)]
				for i, v := range row {
					sum[i%4] += int(v)
				}
			}
			n := (y1 - y0) * (x1 - x0)
			for i := range sum {
				out.Pix[out.PixOffset(x, y)+i] = uint8(sum[i] / n)
			}
		}
	}
	return out
}

// span is what the i-th of n stands for of all: one at least.
func span(i, n, all int) (from, to int) {
	from = i * all / n
	return from, max((i+1)*all/n, from+1)
}

// shades are of a cell without colour, from dark to bright. None is a space: a
// dark part is part of the picture.
var shades = [...]string{"·", "░", "▒", "▓", "█"}

// Picture draws an image in the middle of w by h cells, as large as fits: two
// pixels a cell, one over the other, in their colours, or a shade a cell where the
// theme has none. A cell is taken to be twice as high as it is wide.
func (p *Paint) Picture(pic *Picture, w, h int) []string {
	if w <= 0 || h <= 0 {
		return nil
	}
	from := pic.pix.Bounds()
	pw, ph := w, max(from.Dy()*w/from.Dx(), 1)
	if ph > 2*h {
		pw, ph = max(from.Dx()*2*h/from.Dy(), 1), 2*h
	}
	ph += ph % 2
	img := scale(pic.pix, min(pw, w), ph)
	pw = img.Bounds().Dx()
	left := (w - pw) / 2
	out := make([]string, 0, h)
	for range (h - ph/2) / 2 {
		out = append(out, text.Spaces(w))
	}
	for y := 0; y < ph; y += 2 {
		var b strings.Builder
		b.WriteString(text.Spaces(left))
		for x := range pw {
			p.cell(&b, img.Pix[img.PixOffset(x, y):], img.Pix[img.PixOffset(x, y+1):])
		}
		if p.Theme.Coloured() {
			b.WriteString(theme.Reset)
		}
		b.WriteString(text.Spaces(w - left - pw))
		out = append(out, b.String())
	}
	return Fill(out, w, h)
}

// cell draws two pixels, RGBA each.
func (p *Paint) cell(b *strings.Builder, upper, lower []uint8) {
	if p.Theme.Coloured() {
		fmt.Fprintf(b, "\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm▀", upper[0], upper[1], upper[2], lower[0], lower[1], lower[2])
		return
	}
	bright := 0 // of both, weighed as the eye does, to 510,000
	for _, px := range [][]uint8{upper, lower} {
		bright += 299*int(px[0]) + 587*int(px[1]) + 114*int(px[2])
	}
	b.WriteString(shades[min(bright*len(shades)/510_000, len(shades)-1)])
}
