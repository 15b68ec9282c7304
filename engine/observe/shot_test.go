package observe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
	"cuatui/engine/visual"
)

// square is a PNG of n by n px.
func square(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, image.NewGray(image.Rect(0, 0, n, n))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// window scripts a page whose window is 2,000 px square, and the images that it
// gives, one after another; the last again and again.
func window(t *testing.T, images ...[]byte) *scripted {
	s := script(t)
	s.Say("view", map[string]any{"w": 2000, "h": 2000, "ratio": 1, "pinch": 1, "state": "visible"})
	given := 0
	s.Handle("Page.captureScreenshot", func(string, json.RawMessage) (any, *devtools.Error) {
		img := images[min(given, len(images)-1)]
		given++
		return map[string]any{"data": img}, nil
	})
	return s
}

// What is in the head of an image decides whether its pixels can be placed; an
// image of another size is taken once more, and never scaled to fit.
func TestAnImageIsOfTheWindowOrNone(t *testing.T) {
	fits, large := square(t, 2000), square(t, 3000)
	for name, tt := range map[string]struct {
		images [][]byte
		reason refusal.Reason
		err    string
		shots  int
	}{
		"it fits":                  {[][]byte{fits}, "", "", 1},
		"too large, then it fits":  {[][]byte{large, fits}, "", "", 2},
		"too large twice":          {[][]byte{large, large, fits}, refusal.GeometryChanged, "", 2},
		"too small twice":          {[][]byte{square(t, 1000)}, refusal.GeometryChanged, "", 2},
		"none at all":              {[][]byte{nil}, "", "is no PNG", 1},
		"something else":           {[][]byte{[]byte("GIF89a")}, "", "is no PNG", 1},
		"a head and nothing more":  {[][]byte{fits[:40]}, "", "cannot be read", 1},
		"a head that is corrupted": {[][]byte{append(bytes.Clone(fits[:20]), fits[24:]...)}, "", "is no PNG", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := window(t, tt.images...)
			part := func(context.Context) (visual.Rect, error) { return visual.Rect{L: 10, T: 10, R: 110, B: 60}, nil }
			shot, err := s.page.Shoot(t.Context(), part)
			switch {
			case tt.reason != "":
				wantReason(t, err, tt.reason)
			case tt.err != "":
				if _, refused := refusal.As(err); err == nil || refused || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want an error that says %q", err, tt.err)
				}
			case err != nil:
				t.Error(err)
			default:
				if img, err := png.DecodeConfig(bytes.NewReader(shot.PNG)); err != nil || img.Width != 100 || img.Height != 50 || shot.Width != 100 || shot.Height != 50 || shot.Moved != "" {
					t.Errorf("%d by %d, %q, %v", shot.Width, shot.Height, shot.Moved, err)
				}
			}
			if n := len(s.Calls("Page.captureScreenshot")); n != tt.shots {
				t.Errorf("%d images were taken, want %d", n, tt.shots)
			}
		})
	}
}

// A shot that its caller gives up, or whose page goes, ends at once; nothing of
// it goes on.
func TestAShotEndsWithItsCallerAndItsPage(t *testing.T) {
	t.Run("its caller", func(t *testing.T) {
		s := window(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		s.Handle("Page.captureScreenshot", func(string, json.RawMessage) (any, *devtools.Error) { cancel(); return nil, enginetest.ErrSilent })
		if _, err := s.page.Shoot(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
	t.Run("its page", func(t *testing.T) {
		s := window(t, nil)
		s.Handle("Page.captureScreenshot", func(session string, _ json.RawMessage) (any, *devtools.Error) {
			s.Emit("", "Target.detachedFromTarget", map[string]any{"sessionId": session})
			return nil, enginetest.ErrSilent
		})
		if _, err := s.page.Shoot(t.Context(), nil); !errors.Is(err, devtools.ErrDetached) {
			t.Errorf("%v", err)
		}
	})
}

// What has moved once the image was taken is said; the image is as it was.
func TestWhatMovesDuringAShotIsSaid(t *testing.T) {
	for name, second := range map[string]struct {
		at    float64
		err   error
		moved bool
	}{
		"it stands":           {10, nil, false},
		"by less than it may": {10.249, nil, false},
		"by a quarter":        {10.26, nil, true},
		"it is gone":          {0, refusal.New(refusal.NodeGone, "it is gone"), true},
	} {
		s, asked := window(t, square(t, 2000)), 0
		shot, err := s.page.Shoot(t.Context(), func(context.Context) (visual.Rect, error) {
			if asked++; asked == 1 {
				return visual.Rect{L: 10, T: 10, R: 110, B: 60}, nil
			}
			return visual.Rect{L: second.at, T: 10, R: second.at + 100, B: 60}, second.err
		})
		if err != nil || (shot.Moved != "") != second.moved {
			t.Errorf("%s: %+v, %v", name, shot, err)
		}
	}
}
