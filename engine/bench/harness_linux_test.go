package bench

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestSamplesTellMedianAndRange(t *testing.T) {
	ms := func(values ...float64) (s samples) {
		for _, v := range values {
			s = append(s, time.Duration(v*float64(time.Millisecond)))
		}
		return s
	}
	for _, tt := range []struct{ name, got, want string }{
		{"odd", ms(3, 1, 2).String(), "2.0 (1.0-3.0)"},
		{"even", ms(4, 1, 2, 3).String(), "2.5 (1.0-4.0)"},
		{"long", ms(1234, 99).String(), "666 (99.0-1234)"},
		{"none", samples(nil).String(), "-"},
		{"in pairs, not of the medians", ms(10, 2, 30).over(ms(1, 2, 10)), "3.00 (1.00-10.00)"},
		{"of the medians", ms(10, 20, 30).times(ms(4, 5)), "4.44"},
		{"over nothing", ms(1).over(nil) + ms(1).times(nil), "--"},
		{"at the bar", held(5*time.Millisecond, 5*time.Millisecond), "held (5)"},
		{"over the bar", held(6*time.Millisecond, 5*time.Millisecond), "MISSED (5)"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	small := &measured{elements: smallMax, walk: ms(10)}
	if bar := small.warmBar(); bar != 60*time.Millisecond {
		t.Errorf("the bar of a small page is %v", bar)
	}
	if small.elements++; small.warmBar() != 30*time.Millisecond {
		t.Errorf("the bar of a large page is %v", small.warmBar())
	}
}

func TestTheKeyBenchmarkIsRead(t *testing.T) {
	const out = "goos: linux\nBenchmarkKeyOn50000Rows-2   \t     300\t   1234567.5 ns/op\t  190000 B/op\t     808 allocs/op\nPASS\n"
	m := keyLine.FindStringSubmatch(out)
	if len(m) != 3 || m[1] != "1234567.5" || m[2] != "808" {
		t.Errorf("read %q", m)
	}
}

// TestTheHarnessMeasures runs every comparison of pages once, on small ones: it
// holds that the figures are there, not what they are.
func TestTheHarnessMeasures(t *testing.T) {
	list := subject{"list", "list?rows=200&labels=1", `"Archive 1"`}
	sheets := compareSnapshots(t, []subject{list, {"modal-dialog", "modal-dialog", `"OK"`}}, turns{documents: 1, warm: 2})
	sheets = append(sheets, compareStalls(t, list.path+"&stall=1", 1), compareReads(t, []subject{list}, 1), machine(t.Context()))
	var all bytes.Buffer
	for _, s := range sheets {
		if len(s.rows) == 0 {
			t.Errorf("%s is empty", s.title)
		}
		for _, row := range s.rows {
			if len(row) != len(s.head) {
				t.Errorf("%s: %d cells under %d heads: %q", s.title, len(row), len(s.head), row)
			}
			for i, cell := range row {
				if cell == "-" || cell == "-1" || strings.HasPrefix(cell, "0.0 ") || cell == "unknown" {
					t.Errorf("%s, %s: no %s (%q)", s.title, row[0], s.head[i], cell)
				}
			}
		}
		if err := s.print(&all); err != nil {
			t.Fatal(err)
		}
	}
	if t.Failed() {
		t.Log(all.String())
	}
}
