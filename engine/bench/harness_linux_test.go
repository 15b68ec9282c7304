package bench

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
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

// The bare walk walks all that a snapshot does: frames of the page's process,
// frames in them, and frames of other processes.
func TestTheBareWalkSeesEveryDocument(t *testing.T) {
	b := openBrowser(t)
	b.open("frames")
	walked, _ := b.walk()
	_, segment, _ := b.snapshot("")
	read := segment.Semantic
	if len(b.docs) != len(read.Frames) || walked.Elements < read.Generated.Elements || read.Snapshot.Omitted.UnprovableFrame != 0 {
		t.Errorf("the walk finds %d elements in %d documents, a snapshot %d in %d", walked.Elements, len(b.docs), read.Generated.Elements, len(read.Frames))
	}
	b.open("form")
	if len(b.docs) != 1 {
		t.Errorf("a page without frames has %d documents", len(b.docs))
	}
}

// scripted is a program that shows a text, or fails at its first or third call.
type scripted struct {
	text           string
	openErr, third error
	calls          int
	closed         *int
}

func (s *scripted) open(context.Context, string) error { return s.openErr }

func (s *scripted) see(context.Context) (string, error) {
	if s.calls++; s.calls == 3 && s.third != nil {
		return "", s.third
	}
	return s.text, nil
}

func (s *scripted) close() { *s.closed++ }

// A peer that does not run, or not to the end, is told with its reason; the
// others are measured all the same.
func TestPeersAreToldWithTheirReasons(t *testing.T) {
	started, closed := 0, 0
	fake := func(name string, s scripted, err error) entrant {
		return entrant{name, func(testing.TB, string) (rival, error) {
			started++
			if err != nil {
				return nil, err
			}
			r := s
			r.closed = &closed
			return &r, nil
		}}
	}
	all := []entrant{
		fake("ours", scripted{text: `a "Go"`}, nil), fake("whole", scripted{text: `- link "Go" and more`}, nil), fake("absent", scripted{}, os.ErrNotExist),
		fake("lost", scripted{openErr: errors.New("no\nway")}, nil), fake("slow", scripted{third: context.DeadlineExceeded}, nil),
	}
	sheets := comparePeers(t, all, []subject{{"one", "form", `"Go"`}, {"two", "form", `"Stop"`}}, 4)
	cells := func(s *sheet, program string, i int) (out []string) {
		for _, row := range s.rows {
			if row[1] == program {
				out = append(out, row[i])
			}
		}
		return out
	}
	for program, want := range map[string][2]string{"ours": {"2", "-1"}, "whole": {"7", "-1"}, "absent": {"-", "-"}, "lost": {"-", "-"}, "slow": {"-", "-"}} {
		if got := cells(sheets[1], program, 5); !slices.Equal(got, want[:]) {
			t.Errorf("the control stands at %v of %s, want %v", got, program, want)
		}
	}
	if got := cells(sheets[1], "whole", 4); got[0] != "3.33" {
		t.Errorf("20 characters are %s times 6", got[0])
	}
	for program, want := range map[string]string{"absent": "does not open it: file does not exist", "lost": "does not open it: no", "slow": "does not show it: no answer in 40s"} {
		if got := cells(sheets[0], program, 2); got[0] != want || got[1] != want {
			t.Errorf("of %s is told %q, want %q", program, got, want)
		}
	}
	if started != 8 || closed != 6 { // what failed is started anew for the next page, and all is ended
		t.Errorf("%d started, %d ended", started, closed)
	}
}
