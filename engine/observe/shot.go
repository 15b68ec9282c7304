package observe

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"sync"
	"time"

	"cuatui/engine/refusal"
	"cuatui/engine/visual"
	"cuatui/engine/world"
)

// Shot is an image of the window or a part of it.
type Shot struct {
	PNG           []byte
	Width, Height int
	// Box is what it shows, CSS px of the top viewport: the image's px are
	// Width / (Box.R - Box.L) times those across, and so down.
	Box visual.Rect
	// Undrawn says that the tab was not shown: the page ran frames for the shot.
	Undrawn bool
	// Moved says what was no longer as before when the shot had been taken, ""
	// for nothing.
	Moved string
}

// Aim says where to shoot, now: a rect of the top viewport. It refuses where
// that cannot be told, or is no longer what it was. The zero Aim is the window.
type Aim func(ctx context.Context) (visual.Rect, error)

// tries is how often a window is shot that does not hold still.
const tries = 2

// imagePixelsMax bounds what is decoded: a window of 8192 px square.
const imagePixelsMax = 8192 * 8192

// Shoot takes an image. It scrolls nothing and activates nothing. It refuses
// as aim does, with navigated, and with geometry_changed where the browser's
// image is not one of the window as the page has it.
func (p *Page) Shoot(ctx context.Context, aim Aim) (shot *Shot, err error) {
	defer func() { err = p.blame(err) }()
	for range tries {
		shot, err = p.shoot(ctx, aim)
		if err != nil || shot != nil {
			return shot, err
		}
	}
	return nil, refusal.New(refusal.GeometryChanged, "the window changed while it was shot, %d times, so that the image's pixels cannot be placed", tries)
}

// shoot takes one image; nil for one that does not fit the window.
func (p *Page) shoot(ctx context.Context, aim Aim) (*Shot, error) {
	v, err := p.view(ctx)
	if err != nil {
		return nil, err
	}
	at := v.whole()
	if aim != nil {
		if at, err = aim(ctx); err != nil {
			return nil, err
		}
	}
	data, err := p.capture(ctx, v.State == "visible")
	if err != nil {
		return nil, err
	}
	head, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("screenshot: the browser's image is no PNG: %w", err)
	}
	after, err := p.view(ctx)
	if err != nil {
		return nil, err
	}
	if w := v.window(); after.window() != w || !w.Holds(head.Width, head.Height) {
		return nil, nil //nolint:nilnil // to be taken again
	}
	shot, err := v.cut(data, head, at)
	if err != nil || aim == nil {
		return shot, err
	}
	return shot, shot.still(ctx, aim, at)
}

// still notes whether what was shot is where it was.
func (s *Shot) still(ctx context.Context, aim Aim, at visual.Rect) error {
	now, err := aim(ctx)
	if r, refused := refusal.As(err); refused {
		s.Moved = r.Message
		return nil
	}
	if err == nil {
		s.Moved = visual.Sighting{Box: at, Crop: at}.Moved(visual.Sighting{Box: now, Crop: now})
	}
	return err
}

// viewReply is the window as the page has it.
type viewReply struct {
	W       float64 `json:"w"`
	H       float64 `json:"h"`
	Ratio   float64 `json:"ratio"`
	Pinched *rect   `json:"pinched"`
	Pinch   float64 `json:"pinch"`
	State   string  `json:"state"`
}

func (p *Page) view(ctx context.Context) (*viewReply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	frames, err := p.allFrames(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := p.enter(ctx, frames[:1]); err != nil {
		return nil, err
	}
	var v viewReply
	d := p.docs[frames[0].ID]
	if d != nil {
		err = d.Call(ctx, "view", nil, &v)
	}
	switch {
	case d == nil || world.Gone(err):
		return nil, refusal.New(refusal.Navigated, "the document was replaced while the window was looked at")
	case err != nil:
		return nil, err
	}
	w := v.window()
	if !(w.Scale > 0 && w.Scale < 100 && w.Width > 0 && w.Height > 0) || !placed(rect{w.Left, w.Top, w.Width, w.Height}) {
		return nil, fmt.Errorf("view: the window is said to be %v by %v px at a ratio of %v", v.W, v.H, v.Ratio)
	}
	return &v, nil
}

func (v *viewReply) window() visual.Window {
	if v.Pinched == nil {
		return visual.Window{Scale: v.Ratio, Width: v.W, Height: v.H}
	}
	r := *v.Pinched
	return visual.Window{Left: r.L, Top: r.T, Scale: v.Ratio * v.Pinch, Width: r.R - r.L, Height: r.B - r.T}
}

func (v *viewReply) whole() visual.Rect {
	w := v.window()
	return visual.Rect{L: w.Left, T: w.Top, R: w.Left + w.Width, B: w.Top + w.Height}
}

// capture has the browser draw the window. Without a clip it changes nothing
// of the page's metrics to do so.
//
// A tab that is not shown is drawn for the time of the capture only. Where one
// capture follows another closely, the browser stops drawing after the first
// while the second waits (measured: most of 60 in a row would never have been
// answered): what is not answered soon is asked for again beside it.
func (p *Page) capture(ctx context.Context, shown bool) ([]byte, error) {
	soon := captureSoon
	if !shown {
		soon = captureSoonHidden
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // of those that are still waited for
	type answer struct {
		data []byte
		err  error
	}
	answers := make(chan answer, capturesMax)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	for n := range capturesMax {
		args := map[string]any{"format": "png", "fromSurface": true, "captureBeyondViewport": false, "optimizeForSpeed": true}
		sent := p.session.Send("Page.captureScreenshot", args)
		asking.Go(func() {
			var r struct {
				Data []byte `json:"data"`
			}
			err := sent.Decode(ctx, &r)
			answers <- answer{r.Data, err}
		})
		patience := time.NewTimer(soon << n)
		select {
		case a := <-answers:
			patience.Stop()
			return a.data, wrapped("screenshot", a.err)
		case <-patience.C:
		}
	}
	a := <-answers
	return a.data, wrapped("screenshot", a.err)
}

// captureSoon is how long the first capture is waited for before another is
// asked for; each next is waited for twice as long.
const (
	captureSoon       = 2 * time.Second
	captureSoonHidden = 200 * time.Millisecond
	capturesMax       = 5
)

func wrapped(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// cut takes the part of an image of the window that shows at, and makes it as
// small as an image may be.
func (v *viewReply) cut(data []byte, head image.Config, at visual.Rect) (*Shot, error) {
	if head.Width > imagePixelsMax/max(1, head.Height) {
		return nil, fmt.Errorf("screenshot: an image of %d by %d px is too large", head.Width, head.Height)
	}
	l, t, r, b := v.window().Pixels(at, head.Width, head.Height)
	if r <= l || b <= t {
		return nil, refusal.New(refusal.GeometryChanged, "nothing of it is in the window any more")
	}
	w, h := visual.Fit(r-l, b-t)
	shot := &Shot{PNG: data, Width: w, Height: h, Box: v.window().Box(l, t, r, b), Undrawn: v.State != "visible"}
	if w == head.Width && h == head.Height {
		return shot, nil
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("screenshot: the browser's image cannot be read: %w", err)
	}
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&out, part(img, image.Rect(l, t, r, b).Add(img.Bounds().Min), w, h)); err != nil {
		return nil, fmt.Errorf("screenshot: %w", err)
	}
	shot.PNG = out.Bytes()
	return shot, nil
}

// part is w by h px of an image, each the mean of those of r that it stands for.
func part(img image.Image, r image.Rectangle, w, h int) *image.RGBA {
	all := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(all, all.Rect, img, r.Min, draw.Src)
	if w == r.Dx() && h == r.Dy() {
		return all
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			from := image.Rect(x*r.Dx()/w, y*r.Dy()/h, (x+1)*r.Dx()/w, (y+1)*r.Dy()/h)
			copy(out.Pix[out.PixOffset(x, y):], mean(all, from))
		}
	}
	return out
}

// mean is the mean colour of a part of an image that is not empty.
func mean(img *image.RGBA, r image.Rectangle) []uint8 {
	var sum [4]int
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := img.Pix[img.PixOffset(r.Min.X, y):img.PixOffset(r.Max.X, y)]
		for i, v := range row {
			sum[i%4] += int(v)
		}
	}
	out := make([]uint8, 4)
	for c, v := range sum {
		out[c] = uint8(v / (r.Dx() * r.Dy())) //nolint:gosec // a mean of bytes is one
	}
	return out
}
