package observe_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/snapshotfmt"
)

// sized makes the viewport w by h CSS px at a pixel ratio.
func sized(t *testing.T, s *devtools.Session, w, h int, ratio float64) {
	t.Helper()
	view := map[string]any{"width": w, "height": h, "deviceScaleFactor": ratio, "mobile": false}
	if err := s.Call(t.Context(), "Emulation.setDeviceMetricsOverride", view, nil); err != nil {
		t.Fatal(err)
	}
}

// visualPage opens a page of regions at 1440 by 1100 CSS px.
func visualPage(t *testing.T, h hard, page string) (*devtools.Session, *observe.Page) {
	t.Helper()
	s := h.open(t)
	sized(t, s, 1440, 1100, 1)
	enginetest.Go(t, s, h.srv.URL("hard/visual/"+page))
	drawn(t, s)
	return s, unhurried(h.conn, s, "visual-world")
}

// cell is a place of the grid with what it declares of its region.
type cell struct {
	ID   string  `json:"id"`
	Want string  `json:"want"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
}

const cellsJS = `[...document.querySelectorAll(".cell")].map((e) => { const b = e.getBoundingClientRect(); return { id: e.id, want: e.dataset.want, x: b.x, y: b.y }; })`

func inCell(c cell, r snapshotfmt.Region) bool {
	x, y := r.Box[0]+r.Box[2]/2, r.Box[1]+r.Box[3]/2
	return x >= c.X-5 && x < c.X+170 && y >= c.Y-5 && y < c.Y+95
}

func TestRegionsOfTheGrid(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	s, page := visualPage(t, h, "grid.html")
	var cells []cell
	enginetest.Eval(t, s, cellsJS, &cells)
	if len(cells) < 60 {
		t.Fatalf("the page has %d cells", len(cells))
	}
	sem := read(t, page, observe.Options{}).segments[0].Semantic
	if sem.Regions == nil {
		t.Fatal("no regions are told")
	}
	left := sem.Regions.List
	for _, c := range cells {
		var got []snapshotfmt.Region
		rest := left[:0:0]
		for _, r := range left {
			if inCell(c, r) {
				got = append(got, r)
			} else {
				rest = append(rest, r)
			}
		}
		left = rest
		if why := c.judge(got); why != "" {
			t.Errorf("%s: %s", c.ID, why)
		}
	}
	for _, r := range left {
		t.Errorf("a region is of no cell: %s", r.Text())
	}
	accounts(t, sem)
}

// accounts holds the counts of the regions against each other, and every row
// against its line.
func accounts(t *testing.T, sem *snapshotfmt.Semantic) {
	t.Helper()
	n, approx := sem.Regions.Truncated, 0
	for _, r := range sem.Regions.List {
		n += 1 + len(r.Same) + len(r.Like)
		if (r.Ref == "") != (r.Accuracy == "approx") || (r.Why == "") != (r.Accuracy == "exact") {
			t.Errorf("a region is %s, by ref %q and reason %q", r.Accuracy, r.Ref, r.Why)
		}
		if r.Accuracy == "approx" {
			approx++
		}
		if !strings.Contains(sem.Outline, "\n"+r.Text()) && !strings.HasPrefix(sem.Outline, r.Text()) {
			t.Errorf("the outline has no line %q", r.Text())
		}
	}
	if n != sem.Regions.Found || sem.Regions.Truncated == 0 && approx != sem.Regions.Approx {
		t.Errorf("%d regions are accounted for of %d, %d of %d approximate", n, sem.Regions.Found, approx, sem.Regions.Approx)
	}
}

// judge says what is wrong with the rows of a cell, "" for nothing.
func (c cell) judge(got []snapshotfmt.Region) string {
	words := strings.Fields(c.Want)
	if c.Want == "none" {
		if len(got) > 0 {
			return "there is " + got[0].Text()
		}
		return ""
	}
	want := map[string]string{"rows": "1", "same": "0", "kind": "canvas", "label": ""}
	for _, w := range words {
		if key, v, ok := strings.Cut(w, "="); ok {
			want[key] = v
		}
	}
	if fmt.Sprint(len(got)) != want["rows"] {
		return fmt.Sprintf("%d rows: %v", len(got), got)
	}
	for _, r := range got {
		if words[0] == "approx" {
			if r.Accuracy != "approx" || r.Why != words[1] {
				return "it is told as " + r.Text()
			}
			continue
		}
		if r.Accuracy != "exact" || r.Kind != want["kind"] || r.Label != want["label"] || fmt.Sprint(len(r.Same)) != want["same"] {
			return "it is told as " + r.Text()
		}
		for i, at := range []float64{c.X, c.Y, 0, 0} {
			if v, err := strconv.ParseFloat(words[i], 64); err != nil || math.Abs(r.Box[i]-at-v) > 0.05 {
				return fmt.Sprintf("its box is %v, want %s in %v,%v", r.Box, c.Want, c.X, c.Y)
			}
		}
	}
	return ""
}

// at is the region whose box begins nearest to a point.
func at(t *testing.T, sem *snapshotfmt.Semantic, x, y float64) snapshotfmt.Region {
	t.Helper()
	if sem.Regions == nil {
		t.Fatal("no regions are told")
	}
	for _, r := range sem.Regions.List {
		if math.Hypot(r.Box[0]-x, r.Box[1]-y) < 5 {
			return r
		}
	}
	t.Fatalf("no region is at %v,%v: %v", x, y, sem.Regions.List)
	return snapshotfmt.Region{}
}

func TestRegionsInFrames(t *testing.T) {
	t.Parallel()
	h := newHard(t, "--site-per-process")
	_, page := visualPage(t, h, "frames.html")
	sem := read(t, page, observe.Options{}).segments[0].Semantic
	for _, c := range []struct {
		what       string
		x, y, w, h float64
	}{
		{"same process, border and padding", 67, 633, 120, 40},
		{"another process", 427, 633, 120, 40},
		{"scrolled by 10", 787, 623, 120, 40},
		{"scaled owner", 73.75, 81.25, 150, 50},
		{"in a frame in a frame", 564, 170, 120, 40},
		{"under aria-hidden, another process", 927, 73, 120, 40},
	} {
		r := at(t, sem, c.x, c.y)
		for i, v := range []float64{c.x, c.y, c.w, c.h} {
			if math.Abs(r.Box[i]-v) > 0.05 {
				t.Errorf("%s: its box is %v, want %v", c.what, r.Box, c)
				break
			}
		}
		if r.Accuracy != "exact" || r.Frame == "main" {
			t.Errorf("%s: it is told as %+v", c.what, r)
		}
	}
	if sem.Regions.Approx != 1 || sem.Regions.Found != 7 || len(sem.Regions.Unavailable) != 0 {
		t.Errorf("of the turned frame and the others it is told: %+v", sem.Regions)
	}
	accounts(t, sem)
}

func TestATableThatIsDrawnInAnotherSitesFrame(t *testing.T) {
	t.Parallel()
	h := newHard(t, "--site-per-process")
	_, page := visualPage(t, h, "table.html")
	got := read(t, page, observe.Options{})
	sem := got.segments[0].Semantic
	buttons := 0
	for _, e := range sem.Refs {
		if e.Role == "button" {
			buttons++
		}
	}
	r := at(t, sem, 38, 88)
	if buttons != 2 || sem.Regions.Found != 1 || r.Ref == "" || r.Box != [4]float64{38, 88, 780, 360} || r.Frame == "main" {
		t.Errorf("%d buttons and the region %+v are told", buttons, r)
	}
	if want := "v1:"; !strings.HasPrefix(r.Ref, want) || len(got.segments[0].Visual) != 1 {
		t.Errorf("its ref is %s, and %v have one", r.Ref, got.segments[0].Visual)
	}
}

func TestRegionsFollowThePage(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	s := h.open(t)
	sized(t, s, 900, 700, 1)
	page := unhurried(h.conn, s, "visual-world")
	const made = `document.body.innerHTML = '<style>body{margin:0;height:3000px}canvas{position:absolute;left:0}</style><canvas id="half" width="120" height="40" style="top:680px"></canvas><canvas width="120" height="40" style="top:900px"></canvas>', 0`
	enginetest.Eval(t, s, made, nil)
	regions := func() *snapshotfmt.Regions { return read(t, page, observe.Options{}).segments[0].Semantic.Regions }
	r := regions()
	if r == nil || r.Found != 1 || r.Offscreen != 1 || r.List[0].Box != [4]float64{0, 680, 120, 20} {
		t.Fatalf("below the fold: %+v", r)
	}
	for _, c := range []struct {
		does, then    string
		found, hidden int
	}{
		{"inserts one", `document.body.insertAdjacentHTML("beforeend", '<canvas id="new" width="120" height="40" style="top:10px"></canvas>')`, 2, 0},
		{"makes it of no size", `document.querySelector("#new").style.width = "0"`, 1, 1},
		{"gives its size back", `document.querySelector("#new").style.width = ""`, 2, 0},
		{"takes it out", `document.querySelector("#new").remove()`, 1, 0},
	} {
		enginetest.Eval(t, s, "("+c.then+", 0)", nil)
		if r := regions(); r.Found != c.found || r.Hidden != c.hidden || r.Offscreen != 1 {
			t.Errorf("the page %s: %+v", c.does, r)
		}
	}
	enginetest.Eval(t, s, `document.body.innerHTML = "<button>None</button>", 0`, nil)
	if r := regions(); r != nil {
		t.Errorf("of a page without regions it is told: %+v", r)
	}
}

func TestManyRegions(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	s := h.open(t)
	sized(t, s, 1440, 1100, 1)
	page := unhurried(h.conn, s, "visual-world")
	for _, c := range []struct {
		what, made         string
		found, rows, lists int // regions, rows, and regions that have a ref
	}{
		{"sparklines", `Array.from({length: 20}, () => '<canvas width="120" height="40"></canvas>').join("")`, 20, 1, 20},
		{"of different sizes", `Array.from({length: 24}, (_, i) => '<canvas width="120" height="' + (10 + i) + '"></canvas>').join("")`, 24, 24, 24},
		{"many named", `Array.from({length: 120}, (_, i) => '<canvas width="90" height="30" title="Canvas number ' + i + ' of a long list"></canvas>').join("")`, 120, -1, -1},
		{"at one place", `Array.from({length: 30}, () => '<canvas width="300" height="200" style="position:absolute"></canvas>').join("")`, 30, 1, 9},
	} {
		enginetest.Eval(t, s, "(document.body.innerHTML = "+c.made+", 0)", nil)
		sem := read(t, page, observe.Options{}).segments[0].Semantic
		r := sem.Regions
		if r.Found != c.found || c.rows >= 0 && (len(r.List) != c.rows || r.Found-r.Truncated != c.lists) {
			t.Errorf("%s: %d found, %d rows, %d truncated", c.what, r.Found, len(r.List), r.Truncated)
		}
		if sem.Snapshot.Complete != (r.Truncated == 0) || r.Tokens > 2048 {
			t.Errorf("%s: complete %v with %d truncated, by %d tokens", c.what, sem.Snapshot.Complete, r.Truncated, r.Tokens)
		}
		accounts(t, sem)
	}
}

func TestRegionsOfAQueryAndAScope(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	s := h.open(t)
	page := unhurried(h.conn, s, "visual-world")
	enginetest.Eval(t, s, `(document.body.innerHTML = '<main aria-label="Here"><button>Sales of beans</button><canvas title="Sales"></canvas></main><canvas title="Costs"></canvas>', 0)`, nil)
	whole := read(t, page, observe.Options{})
	if n := whole.segments[0].Semantic.Regions.Found; n != 2 {
		t.Fatalf("%d regions are found", n)
	}
	var scope int
	for _, m := range whole.minted {
		if m.Role == "main" {
			scope = m.K
		}
	}
	for what, o := range map[string]observe.Options{"query": {Query: "sALES"}, "scope": {Scope: scope}} {
		r := read(t, page, o).segments[0].Semantic.Regions
		if r == nil || r.Found != 1 || r.List[0].Label != "Sales" {
			t.Errorf("%s: %+v", what, r)
		}
	}
}

func TestHowMuchOfARegionIsHidden(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	s := h.open(t)
	page := unhurried(h.conn, s, "visual-world")
	enginetest.Eval(t, s, `(document.body.innerHTML = '<style>body{margin:0}canvas,div{position:absolute;left:0;width:400px;height:100px}</style>'
		+ '<canvas style="top:0"></canvas><div style="top:0;width:200px;background:red"></div>'
		+ '<canvas style="top:200px;height:101px"></canvas><div style="top:200px;background:#0001"></div>'
		+ '<canvas style="top:400px;height:102px;pointer-events:none"></canvas>', 0)`, nil)
	sem := read(t, page, observe.Options{}).segments[0].Semantic
	for y, want := range map[float64]string{0: "0.5", 200: "0", 400: "<nil>"} {
		got := "<nil>"
		if o := at(t, sem, 0, y).Occluded; o != nil {
			got = fmt.Sprint(*o)
		}
		if got != want {
			t.Errorf("of the region at %v is hidden %s, want %s", y, got, want)
		}
	}
}
