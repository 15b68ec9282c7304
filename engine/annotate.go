package engine

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"sort"
	"strconv"

	"cuatui/engine/contract"
	"cuatui/engine/observe"
	"cuatui/engine/visual"
	"cuatui/snapshotfmt"
)

// annotate draws what the tab's snapshot has handed out refs to: the box of
// each node that takes an action and stands where the snapshot saw it, with
// the number of its ref. It draws on the image, never in the page.
func (t *resolved) annotate(ctx context.Context, shot *observe.Shot, out *contract.ScreenshotResult) error {
	n := t.target.Current(t.tab)
	if n == 0 {
		return &contract.ArgumentError{Field: "annotate", Message: "draws the refs of a snapshot, and this tab has none: take one first"}
	}
	refs, _, refused := t.target.Listing(t.tab, "p"+strconv.Itoa(n))
	if refused != nil {
		return refused
	}
	var ks []int
	for k, r := range refs {
		if len(r.Actions) > 0 && r.Shown.Visibility == snapshotfmt.InViewport && r.Shown.Box != nil {
			ks = append(ks, k)
		}
	}
	sort.Ints(ks)
	now, err := t.live.page.Boxes(ctx, ks)
	if err != nil {
		return err
	}
	out.Marks = []contract.Mark{}
	var marks []visual.Mark
	for _, k := range ks {
		b := *refs[k].Shown.Box
		was := visual.Rect{L: b[0], T: b[1], R: b[0] + b[2], B: b[1] + b[3]}
		if was.Cut(shot.Box).Area() == 0 {
			continue // in view, and not of this image
		}
		is, ok := now[k]
		if !ok || (visual.Sighting{Box: was}).Moved(visual.Sighting{Box: is}) != "" {
			out.Unmarked++
			continue
		}
		marks = append(marks, visual.Mark{Box: onImage(is, shot), Number: strconv.Itoa(k)})
		out.Marks = append(out.Marks, contract.Mark{Ref: fmt.Sprintf("p%d:%d", n, k), Box: boxOf(onImage(is, shot))})
	}
	img, err := png.Decode(bytes.NewReader(shot.PNG))
	if err != nil {
		return fmt.Errorf("annotate: %w", err)
	}
	canvas := image.NewRGBA(image.Rect(0, 0, shot.Width, shot.Height))
	draw.Draw(canvas, canvas.Rect, img, img.Bounds().Min, draw.Src)
	zoom := max(1, int(math.Round(2*min(2, float64(shot.Width)/(shot.Box.R-shot.Box.L)))))
	visual.PlaceLabels(marks, canvas.Rect, zoom)
	visual.DrawMarks(canvas, marks, zoom)
	for i, m := range marks {
		if !m.Label.Empty() {
			label := boxOf(m.Label)
			out.Marks[i].Label = &label
		}
	}
	var drawn bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&drawn, canvas); err != nil {
		return fmt.Errorf("annotate: %w", err)
	}
	shot.PNG = drawn.Bytes()
	return nil
}

// onImage is a rect of the page in px of an image of it, cut to the image.
func onImage(r visual.Rect, shot *observe.Shot) image.Rectangle {
	b := shot.Box
	x := func(v float64) int { return int(math.Round((v - b.L) / (b.R - b.L) * float64(shot.Width))) }
	y := func(v float64) int { return int(math.Round((v - b.T) / (b.B - b.T) * float64(shot.Height))) }
	return image.Rect(x(r.L), y(r.T), x(r.R), y(r.B)).Intersect(image.Rect(0, 0, shot.Width, shot.Height))
}

func boxOf(r image.Rectangle) [4]int { return [4]int{r.Min.X, r.Min.Y, r.Dx(), r.Dy()} }
