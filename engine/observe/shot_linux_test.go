package observe_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"

	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/engine/refusal"
	"cuatui/engine/visual"
	"cuatui/snapshotfmt"
)

// fields are the colours of a canvas of colours.html, as rgb.
var fields = map[[2]float64]string{{0.25, 0.25}: "ff0000", {0.75, 0.25}: "00ff00", {0.25, 0.75}: "0000ff", {0.75, 0.75}: "ffff00"}

// colourAt is the colour that a shot shows at a place of the page.
func colourAt(t *testing.T, shot *observe.Shot, img image.Image, x, y float64) string {
	t.Helper()
	b := shot.Box
	px := int((x - b.L) / (b.R - b.L) * float64(shot.Width))
	py := int((y - b.T) / (b.B - b.T) * float64(shot.Height))
	if !image.Pt(px, py).In(img.Bounds()) {
		t.Fatalf("%v,%v is at %d,%d of an image of %v", x, y, px, py, img.Bounds())
	}
	r, g, bl, _ := img.At(px, py).RGBA()
	near := func(v uint32) uint32 { // to an end of the scale: colours may be managed
		switch v >>= 8; {
		case v < 24:
			return 0
		case v > 231:
			return 255
		default:
			return v
		}
	}
	return fmt.Sprintf("%02x%02x%02x", near(r), near(g), near(bl))
}

func decoded(t *testing.T, shot *observe.Shot) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(shot.PNG))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != shot.Width || b.Dy() != shot.Height {
		t.Fatalf("the image has %v, and is told to be %d by %d", b, shot.Width, shot.Height)
	}
	return img
}

// showsFields checks that the colours of a canvas, whose whole box is given,
// are in the shot where its mapping says, as far as it shows them.
func showsFields(t *testing.T, what string, shot *observe.Shot, img image.Image, whole, seen visual.Rect) (looked int) {
	t.Helper()
	for at, want := range fields {
		x, y := whole.L+at[0]*(whole.R-whole.L), whole.T+at[1]*(whole.B-whole.T)
		in := seen.Cut(shot.Box)
		if x < in.L+2 || x > in.R-2 || y < in.T+2 || y > in.B-2 {
			continue
		}
		looked++
		if got := colourAt(t, shot, img, x, y); got != want {
			t.Errorf("%s: at %.1f,%.1f is %s, want %s", what, x, y, got, want)
		}
	}
	return looked
}

func edgesOf(b [4]float64) visual.Rect {
	return visual.Rect{L: b[0], T: b[1], R: b[0] + b[2], B: b[1] + b[3]}
}

// TestPixelTruth: whatever is between the px of the page and those of its
// window, a shot shows what stands at a place where its mapping says.
func TestPixelTruth(t *testing.T) {
	t.Parallel()
	h := newHard(t, "--site-per-process")
	conns := map[string]hard{"": h}
	for n, f := range factors {
		on, ok := conns[f.flag]
		if !ok {
			on = hard{enginetest.Chromium(t, append(strings.Fields(f.flag), "--site-per-process")...), h.srv}
			conns[f.flag] = on
		}
		t.Run(f.name, func(t *testing.T) {
			s := f.open(t, on.conn)
			enginetest.Go(t, s, h.srv.URL("hard/visual/colours.html"))
			f.pinchTo(t, s)
			drawn(t, s)
			got := read(t, unhurried(on.conn, s, "visual-world"), observe.Options{})
			regions := got.segments[0].Semantic.Regions
			if regions == nil || regions.Found != 6 && f.pinch == 0 {
				t.Fatalf("the page has six canvases: %+v", regions)
			}
			window := shootWindow(t, got)
			whole := decoded(t, window)
			looked := 0
			for i, r := range regions.List {
				what := fmt.Sprintf("%s of %s", r.Text(), f.name)
				if r.Why == "pinch_zoom" && r.Box[2] == 300 && r.Box[3] == 200 || r.Accuracy == "exact" {
					looked += showsFields(t, "in the window, "+what, window, whole, wholeOf(r), edgesOf(r.Box))
				}
				if r.Accuracy != "exact" || i%3 != n%3 {
					continue // a third of them, others at each factor
				}
				shot, err := got.page.Shoot(t.Context(), got.snap.AimRegion(exactOf(got, i)))
				if err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				looked += showsFields(t, what, shot, decoded(t, shot), wholeOf(r), edgesOf(r.Box))
				if d := math.Abs(float64(shot.Width)/float64(shot.Height) - r.Box[2]/r.Box[3]); d > 0.1 || shot.Moved != "" {
					t.Errorf("%s: an image of %d by %d, moved: %q", what, shot.Width, shot.Height, shot.Moved)
				}
			}
			if least := map[bool]int{true: 4, false: 24}[f.pinch != 0]; looked < least {
				t.Errorf("only %d fields are looked at", looked)
			}
		})
	}
}

// wholeOf is the whole box of the canvas of a region, of which the clip of the
// page leaves the left half and three quarters of the height.
func wholeOf(r snapshotfmt.Region) visual.Rect {
	b := edgesOf(r.Box)
	if (b.R-b.L)/(b.B-b.T) < 2.5 && b.R-b.L < 100 {
		b.R, b.B = b.L+2*(b.R-b.L), b.T+(b.B-b.T)*4/3
	}
	return b
}

func shootWindow(t *testing.T, got *taken) *observe.Shot {
	t.Helper()
	shot, err := got.page.Shoot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return shot
}

func TestSizesOfAnImage(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	s := h.open(t)
	for _, c := range []struct {
		w, h         int
		ratio        float64
		made         string
		width, hight int
	}{
		{1280, 800, 1, "120px;height:40px", 120, 40},
		{1280, 800, 1.5, "120px;height:40px", 180, 60},
		{1280, 800, 2, "120px;height:40px", 240, 80},
		{2100, 1050, 2, "2100px;height:1050px", 2048, 1024},
		{2100, 2100, 1, "2100px;height:2100px", 2000, 2000},
	} {
		sized(t, s, c.w, c.h, c.ratio)
		enginetest.Go(t, s, h.srv.URL("hard/smoke.html"))
		enginetest.Eval(t, s, `(document.body.innerHTML = '<style>body{margin:0}canvas{position:absolute;left:0;top:0;width:`+c.made+`}</style><canvas></canvas>', 0)`, nil)
		drawn(t, s)
		got := read(t, unhurried(h.conn, s, "visual-world"), observe.Options{})
		shot, err := got.page.Shoot(t.Context(), got.snap.AimRegion(got.segments[0].Visual[0]))
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		decoded(t, shot)
		if shot.Width != c.width || shot.Height != c.hight {
			t.Errorf("%+v: an image of %d by %d", c, shot.Width, shot.Height)
		}
	}
}

func TestARegionThatIsNotAsItWas(t *testing.T) {
	t.Parallel()
	h := newHard(t, "--site-per-process")
	s, page := visualPage(t, h, "frames.html")
	child := func(does string) string {
		return `document.querySelector("#same").contentWindow.eval(` + fmt.Sprintf("%q", does) + `)`
	}
	for _, c := range []struct {
		what, does string
		want       refusal.Reason
	}{
		{"nothing", `0`, ""},
		{"another URL, the same document", `history.replaceState(null, "", "?other")`, ""},
		{"other pixels", child(`document.querySelector("canvas").getContext("2d").fillRect(0, 0, 50, 50)`), ""},
		{"a quarter of a px", child(`document.querySelector("canvas").style.marginLeft = "0.249px"`), ""},
		{"a px", child(`document.querySelector("canvas").style.marginLeft = "1px"`), refusal.GeometryChanged},
		{"a width of 121", child(`document.querySelector("canvas").style.width = "121px"`), refusal.GeometryChanged},
		{"a child that is scrolled", child(`scrollTo(0, 3)`), refusal.GeometryChanged},
		{"an owner that moves", `document.querySelector("#same").style.marginLeft = "1px"`, refusal.GeometryChanged},
		{"an owner with another border", `document.querySelector("#same").style.borderLeftWidth = "6px"`, refusal.GeometryChanged},
		{"an ancestor that clips it, to no effect", child(`document.querySelector("canvas").parentNode.innerHTML = '<div id="w" style="overflow:hidden;width:500px;height:500px"></div>'; 0`), refusal.NodeGone},
		{"a page that is scrolled", `document.body.style.height = "3000px"; scrollTo(0, 20)`, refusal.GeometryChanged},
		{"no element", child(`document.querySelector("canvas").remove()`), refusal.NodeGone},
		{"an element that is hidden", child(`document.querySelector("canvas").style.visibility = "hidden"`), refusal.GeometryChanged},
		{"an element that is turned", child(`document.querySelector("canvas").style.rotate = "3deg"`), refusal.GeometryChanged},
		{"no frame", `document.querySelector("#same").remove()`, refusal.FrameGone},
		{"another document in the frame", `new Promise((ok) => { const f = document.querySelector("#same"); f.onload = ok; f.src = "child.html?another"; })`, refusal.Navigated},
		{"a document that is opened anew", child(`document.open(); document.write("<canvas></canvas>"); document.close()`), refusal.Navigated},
	} {
		enginetest.Go(t, s, h.srv.URL("hard/visual/frames.html"))
		drawn(t, s)
		got := read(t, page, observe.Options{})
		r := at(t, got.segments[0].Semantic, 67, 633)
		k := 0
		for i, g := range got.segments[0].Semantic.Regions.List {
			if g.Ref == r.Ref {
				k = exactOf(got, i)
			}
		}
		enginetest.Eval(t, s, "(async () => { await ("+strings.ReplaceAll(c.does, "; scroll", ", scroll")+"); })()", nil)
		drawn(t, s)
		shot, err := page.Shoot(t.Context(), got.snap.AimRegion(k))
		refused, _ := refusal.As(err)
		switch {
		case c.want == "" && (err != nil || shot.Moved != ""):
			t.Errorf("%s: %v", c.what, err)
		case c.want != "" && (refused == nil || refused.Reason != c.want):
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
	}
}

// exactOf is the k of row i of the regions, of which each has one ref or none.
func exactOf(got *taken, row int) int {
	n := 0
	for _, r := range got.segments[0].Semantic.Regions.List[:row] {
		if r.Ref != "" {
			n++
		}
	}
	return got.segments[0].Visual[n]
}

// scroll positions and clips of ancestors that appear: the crop is as it was.
func TestANewClipIsNoticed(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	s := h.open(t)
	page := unhurried(h.conn, s, "visual-world")
	enginetest.Eval(t, s, `(document.body.innerHTML = '<div id="w"><canvas width="120" height="40"></canvas></div>', 0)`, nil)
	got := read(t, page, observe.Options{})
	k := got.segments[0].Visual[0]
	enginetest.Eval(t, s, `(document.querySelector("#w").style.overflow = "hidden", 0)`, nil)
	_, err := page.Shoot(t.Context(), got.snap.AimRegion(k))
	if r, ok := refusal.As(err); !ok || r.Reason != refusal.GeometryChanged || !strings.Contains(r.Message, "ancestors clip it") {
		t.Errorf("%v", err)
	}
}
