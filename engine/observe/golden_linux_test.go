package observe_test

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/fixtures"
	"cuatui/snapshotfmt"
)

var update = flag.Bool("update", false, "rewrite the golden outlines")

// inView is the first segment of a page that nobody has read before, as text:
// the outline, without the numbers of its refs, and what is left out.
func inView(t *testing.T, p *observe.Page) string {
	t.Helper()
	snap, err := p.Take(t.Context(), observe.Options{NodeBudget: 300, OutputBudget: 16_000})
	if err != nil {
		t.Fatal(err)
	}
	seg, err := snap.Next(t.Context(), 1, "viewport")
	if err != nil {
		t.Fatal(err)
	}
	i := seg.Semantic.Snapshot
	assertIdentity(t, i)
	var b strings.Builder
	b.WriteString(refInText.ReplaceAllString(strings.TrimRight(seg.Semantic.Outline, "\n"), "p1") + "\n")
	fmt.Fprintf(&b, "# %d of %d candidates\n", i.Returned, i.Candidates)
	for _, reason := range snapshotfmt.OmitReasons {
		if n := i.Omitted.Get(reason); n > 0 {
			fmt.Fprintf(&b, "# omitted %s %d\n", reason, n)
		}
	}
	return b.String()
}

// TestGoldenOutlines holds what every fixture page reads as to the byte. The
// viewport is emulated, so that no window manager has a say in it.
func TestGoldenOutlines(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	golden := func(t *testing.T, name, url string, marked bool) {
		s := h.open(t)
		enginetest.Go(t, s, h.srv.URL(url))
		if marked {
			ready(t, s)
		}
		drawn(t, s)
		got := inView(t, observe.NewPage(h.conn, s, "golden-world"))
		file := filepath.Join("testdata", "outlines", name+".txt")
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s reads otherwise (go test ./engine/observe -run TestGoldenOutlines -update, then look at the difference):\n%s", file, firstDifference(got, string(want)))
		}
	}
	seen := map[string]bool{}
	for _, page := range fixtures.Pages() {
		t.Run(page, func(t *testing.T) { golden(t, page, "/"+page, false) })
		seen[page+".txt"] = true
	}
	for _, file := range fixtures.HardPages() {
		name := "hard-" + strings.TrimSuffix(path.Base(file), ".html")
		t.Run(name, func(t *testing.T) { golden(t, name, file, true) })
		seen[name+".txt"] = true
	}
	kept, err := os.ReadDir(filepath.Join("testdata", "outlines"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range kept {
		if !seen[f.Name()] {
			t.Errorf("testdata/outlines/%s is of no fixture page", f.Name())
		}
	}
}

// firstDifference is the first line in which two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := 0; ; i++ {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			at := func(lines []string) string {
				if i < len(lines) {
					return lines[i]
				}
				return "(the end)"
			}
			return fmt.Sprintf("line %d is  %.300q\nand was    %.300q", i+1, at(a), at(b))
		}
	}
}

func TestTwentyReadsGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	for _, page := range []string{"/inbox-attribute", "/frames"} {
		t.Run(page, func(t *testing.T) {
			first := ""
			for n := range 20 {
				t.Run(fmt.Sprint(n+1), func(t *testing.T) {
					s := h.open(t)
					enginetest.Go(t, s, h.srv.URL(page))
					drawn(t, s)
					got := inView(t, observe.NewPage(h.conn, s, "golden-world"))
					if first == "" {
						first = got
					}
					if got != first {
						t.Fatal(firstDifference(got, first))
					}
				})
			}
		})
	}
}
