package tuitest

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// Screenshot takes the image that Shot makes; the clock's region has moved.
func (e *Engine) Screenshot(ctx context.Context, r contract.ScreenshotRequest) (*contract.ScreenshotResult, error) {
	e.note("browser_screenshot %s", r.Ref)
	switch {
	case e.OnShot != nil:
		return e.OnShot(ctx, r)
	case r.Ref == "v42:61":
		return nil, refusal.New(refusal.GeometryChanged, "the region is no longer where the snapshot saw it")
	}
	return Shot(r), nil
}

// Shot is an image of 96 by 48 px: four bars from black to white, below them red,
// green, blue and yellow.
func Shot(r contract.ScreenshotRequest) *contract.ScreenshotResult {
	img := image.NewRGBA(image.Rect(0, 0, 96, 48))
	colours := [2][4]color.RGBA{
		{{0, 0, 0, 255}, {85, 85, 85, 255}, {170, 170, 170, 255}, {255, 255, 255, 255}},
		{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 0, 255}},
	}
	for y := range 48 {
		for x := range 96 {
			img.SetRGBA(x, y, colours[y/24][x/24])
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img) // to memory
	return &contract.ScreenshotResult{
		Status: contract.OK, TargetID: r.TargetID, TabID: r.TabID, Of: "region", Ref: r.Ref, Width: 96, Height: 48,
		Box: [4]float64{40, 80, 96, 48}, Scale: [2]float64{1, 1}, MIME: "image/png", PNG: b.Bytes(),
	}
}

// Pictures is the inbox with visual regions of every sort.
func Pictures(n int, r contract.StateRequest) (*snapshotfmt.Semantic, error) {
	s, err := Inbox(n, r)
	if err != nil || r.Continuation != "" {
		return s, err
	}
	none, some := 0.0, 0.25
	s.Regions = &snapshotfmt.Regions{
		Found: 17, Approx: 1, Truncated: 3, Offscreen: 2, Hidden: 4,
		List: []snapshotfmt.Region{
			{Ref: "v42:60", Kind: "canvas", Label: "Messages a day, 日本語", Frame: "main", Box: [4]float64{640, 200, 600, 300}, Share: 0.2197, Occluded: &some, Accuracy: "exact"},
			{Ref: "v42:61", Kind: "svg", Label: "Clock", Frame: "main", Box: [4]float64{1200, 8, 48, 48}, Share: 0.0028, Occluded: &none, Accuracy: "exact", Same: []string{"v42:62"}},
			{Kind: "canvas", Frame: "f1", Box: [4]float64{20, 400, 200, 120}, Share: 0.0293, Accuracy: "approx", Why: "it is turned"},
			{Ref: "v42:63", Kind: "image", Frame: "main", Box: [4]float64{20, 560, 40, 40}, Share: 0.002, Occluded: &none, Accuracy: "exact", Like: []string{"v42:64", "v42:65"}, More: 8},
		},
		Unavailable: []snapshotfmt.Unlooked{{Frame: "f2", Why: "its place in the page is not known"}},
	}
	return s, nil
}
