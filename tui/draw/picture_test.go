package draw_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"cuatui/tui/draw"
	"cuatui/tui/theme"
)

// file is a PNG that is white above and black below.
func file(t testing.TB, w, h int) []byte {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h / 2 {
		for x := range w {
			img.SetGray(x, y, color.Gray{255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// claims is a PNG whose header says that it has another size.
func claims(file []byte, w, h uint32) []byte {
	out := bytes.Clone(file)
	binary.BigEndian.PutUint32(out[16:], w)
	binary.BigEndian.PutUint32(out[20:], h)
	binary.BigEndian.PutUint32(out[29:], crc32.ChecksumIEEE(out[12:29]))
	return out
}

func TestAnImageThatIsNotWhatItShouldBeIsRefused(t *testing.T) {
	ok := file(t, 8, 4)
	tests := []struct {
		name string
		file []byte
		w, h int
		want string
	}{
		{"nothing", nil, 8, 4, "no PNG"},
		{"text", []byte("\x1b[2J<svg onload=alert(1)>"), 8, 4, "no PNG"},
		{"huge", claims(ok, 1<<20, 1<<20), 1 << 20, 1 << 20, "not drawn"},
		{"long", claims(ok, 2049, 1), 2049, 1, "not drawn"},
		{"large", claims(ok, 2048, 2048), 2048, 2048, "not drawn"},
		{"another size", ok, 9, 4, "has 8 by 4 px, not 9 by 4"},
		{"cut", ok[:len(ok)-20], 8, 4, "cannot be decoded"},
		{"more than it has", claims(ok, 1000, 1000), 1000, 1000, "cannot be decoded"},
		{"many bytes", append(bytes.Clone(ok), make([]byte, 33<<20)...), 8, 4, "bytes is not drawn"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pic, err := draw.ReadPicture(tt.file, tt.w, tt.h)
			if err == nil || pic != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("picture %v, error %v, want %q", pic, err, tt.want)
			}
		})
	}
}

func TestAPictureFillsItsCellsExactly(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {8, 4}, {2000, 1}, {1, 2000}, {1600, 1200}} {
		pic, err := draw.ReadPicture(file(t, size[0], size[1]), size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, colour := range []bool{true, false} {
			p := &draw.Paint{Theme: theme.New(true, colour)}
			for w := range 40 {
				for h := range 12 {
					lines := p.Picture(pic, w, h)
					if w > 0 && len(lines) != h {
						t.Fatalf("%v in %dx%d has %d lines", size, w, h, len(lines))
					}
					for _, l := range lines {
						if n := ansi.StringWidth(l); n != w {
							t.Fatalf("%v in %dx%d: a line has %d cells: %q", size, w, h, n, l)
						}
					}
				}
			}
		}
	}
}

func TestAPictureShowsWhatTheImageShows(t *testing.T) {
	pic, err := draw.ReadPicture(file(t, 40, 40), 40, 40)
	if err != nil {
		t.Fatal(err)
	}
	grey := &draw.Paint{Theme: theme.New(true, false)}
	if got := strings.Join(grey.Picture(pic, 6, 2), "\n"); got != " ████ \n ···· " {
		t.Errorf("without colour:\n%s", got)
	}
	// A cell is two pixels: white over black.
	one := (&draw.Paint{Theme: theme.New(true, true)}).Picture(pic, 2, 1)
	if want := strings.Repeat("\x1b[38;2;255;255;255;48;2;0;0;0m▀", 2) + theme.Reset; one[0] != want {
		t.Errorf("in colour: %q, want %q", one[0], want)
	}
}
