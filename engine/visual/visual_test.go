package visual

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// many are n regions at places of their own, the largest of them last.
func many(n int) []Region {
	out := make([]Region, n)
	for i := range out {
		x, y := float64(i%300), float64(i/300)
		out[i] = Region{Local: i + 1, Parent: i + 1, Kind: "canvas", Crop: Rect{x, y, x + 10, y + 10 + float64(i)/float64(n)}}
	}
	return out
}

func TestWorkGrowsWithTheRegionsAndTheRows(t *testing.T) {
	for _, n := range []int{1000, 10_000, 100_000} {
		for _, k := range []int{0, 1, 32, 512} {
			s := Select(many(n), k)
			if len(s.Rows) != min(k, n) || s.Cut != n-len(s.Rows) {
				t.Errorf("%d regions, %d rows: %d rows and %d cut", n, k, len(s.Rows), s.Cut)
			}
			// Each region is looked at twice, and held against the heap at most
			// twice a level.
			most := n * (1 + 2*bits.Len(uint(k)))
			if s.Work.Looked != 2*n || s.Work.Compared > most || s.Work.HeapMost > k {
				t.Errorf("%d regions, %d rows: %+v, and at most %d comparisons", n, k, s.Work, most)
			}
			if k > 0 && s.Rows[0].Region.Local != n {
				t.Errorf("%d regions, %d rows: the first is %d, not the largest", n, k, s.Rows[0].Region.Local)
			}
		}
	}
}

func TestTheLargestIsListedBeyondTheKeys(t *testing.T) {
	s := Select(many(KeysMax+1), 512)
	if !s.Degraded || s.Rows[0].Region.Local != KeysMax+1 {
		t.Errorf("degraded %v, the first is %d", s.Degraded, s.Rows[0].Region.Local)
	}
	if s := Select(many(KeysMax), 512); s.Degraded {
		t.Error("as many as there are keys are not told apart")
	}
	// A place that is known is told as such even then.
	twice := append(many(KeysMax+1), Region{Local: KeysMax + 5, Parent: 1, Kind: "canvas", Crop: many(KeysMax + 1)[0].Crop})
	if s := Select(twice, 512); s.Cut+rowRegions(s) != len(twice) {
		t.Errorf("%d of %d regions are accounted for", s.Cut+rowRegions(s), len(twice))
	}
}

func rowRegions(s Selection) (n int) {
	for _, r := range s.Rows {
		n += r.Regions()
	}
	return n
}

func TestRowsMaxHoldsWhateverIsAskedFor(t *testing.T) {
	if s := Select(many(1000), 10_000); len(s.Rows) != RowsMax {
		t.Errorf("%d rows", len(s.Rows))
	}
}

// told is a selection by the numbers of its regions.
func told(s Selection) string {
	out := ""
	for _, r := range s.Rows {
		out += fmt.Sprint(r.Region.Local, "=")
		for _, g := range r.Same {
			out += fmt.Sprint(g.Local, ",")
		}
		out += "~"
		for _, g := range r.Like {
			out += fmt.Sprint(g.Local, ",")
		}
		out += " "
	}
	return out
}

func TestTheOrderOfTiesIsTheSame(t *testing.T) {
	var regions []Region
	for i := range 40 { // equal in all but number, place and parent
		regions = append(regions, Region{Local: i + 1, Parent: i % 5, Kind: "canvas", Crop: Rect{float64(i / 2), 0, float64(i/2) + 10, 10}})
	}
	first := told(Select(regions, 16))
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		mixed := slices.Clone(regions)
		r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if got := told(Select(mixed, 16)); got != first {
			t.Fatalf("in another order %s, and %s", got, first)
		}
	}
}

func TestOrderOfRows(t *testing.T) {
	at := func(local, doc int, active bool, x, y, w, h float64) Region {
		return Region{Local: local, Doc: doc, Parent: local, Kind: "canvas", Active: active, Crop: Rect{x, y, x + w, y + h}}
	}
	got := told(Select([]Region{
		at(7, 0, false, 5, 5, 200, 200), at(6, 0, false, 0, 5, 200, 200), at(5, 0, false, 9, 0, 200, 200), at(4, 1, false, 0, 0, 200, 200),
		at(3, 0, false, 9, 9, 200, 201), at(2, 0, true, 0, 0, 5, 5), at(1, 0, true, 0, 0, 6, 5),
	}, 512))
	if want := "1=~ 2=~ 3=~ 5=~ 6=~ 7=~ 4=~ "; got != want {
		t.Errorf("the order is %s, want %s", got, want)
	}
}

func TestWhatSharesARow(t *testing.T) {
	base := Region{Local: 1, Parent: 9, Kind: "canvas", Crop: Rect{0, 0, 120, 40}}
	with := func(f func(*Region)) Region { r := base; r.Local = 2; f(&r); return r }
	for what, c := range map[string]struct {
		other Region
		rows  int
	}{
		"the same place and parent": {with(func(*Region) {}), 1},
		"another parent":            {with(func(r *Region) { r.Parent = 8 }), 2},
		"another document":          {with(func(r *Region) { r.Doc = 1 }), 2},
		"a hair away":               {with(func(r *Region) { r.Crop.L += 0.01 }), 2},
		"no exact place":            {with(func(r *Region) { r.Why = "transform" }), 2},
	} {
		if s := Select([]Region{c.other, base}, 512); len(s.Rows) != c.rows || s.Rows[0].Region.Local != 1 {
			t.Errorf("%s: %s", what, told(s))
		}
	}
}

func TestSmallEqualSiblingsAreAGroup(t *testing.T) {
	row := func(n int, f func(int, *Region)) []Region {
		var out []Region
		for i := range n {
			r := Region{Local: i + 1, Parent: 9, Kind: "canvas", Crop: Rect{float64(130 * i), 0, float64(130*i + 120), 40}}
			f(i, &r)
			out = append(out, r)
		}
		return out
	}
	same := func(int, *Region) {}
	for what, c := range map[string]struct {
		regions []Region
		rows    int
	}{
		"equal":             {row(GroupMin, same), 1},
		"too few":           {row(GroupMin-1, same), GroupMin - 1},
		"each with a label": {row(5, func(i int, r *Region) { r.Label = fmt.Sprint(i) }), 5},
		"one with a label":  {row(5, func(i int, r *Region) { r.Label = []string{"", "", "", "", "x"}[i] }), 2},
		"other kinds":       {row(4, func(i int, r *Region) { r.Kind = []string{"canvas", "video"}[i/2] }), 4},
		"other parents":     {row(4, func(i int, r *Region) { r.Parent = i / 2 }), 4},
		"large":             {row(4, func(_ int, r *Region) { r.Crop.B = 400 }), 4},
	} {
		s := Select(c.regions, 512)
		if len(s.Rows) != c.rows || rowRegions(s) != len(c.regions) {
			t.Errorf("%s: %s", what, told(s))
		}
	}
	// What is one row takes its room together.
	big := Region{Local: 99, Parent: 1, Kind: "canvas", Crop: Rect{0, 0, 120, 60}}
	if s := Select(append(row(4, same), big), 1); s.Rows[0].Regions() != 4 || s.Cut != 1 {
		t.Errorf("a group of four stands behind one of less than theirs: %s", told(s))
	}
}

func TestTheRegionsAreNotChanged(t *testing.T) {
	regions := many(500)
	before := slices.Clone(regions)
	Select(regions, 8)
	if !reflect.DeepEqual(regions, before) {
		t.Error("they are")
	}
}

func TestBudget(t *testing.T) {
	const head, hint = 60, 12
	rows := []int{20, 20, 20}
	for _, c := range []struct {
		what string
		b    Budget
		want Plan
	}{
		{"all of the own share", Budget{Own: 2048, Total: 16_000, Head: head}, Plan{3, true, 72}},
		{"an own share of two rows", Budget{Own: 52, Total: 16_000, Head: head}, Plan{2, true, 52}},
		{"one less", Budget{Own: 51, Total: 16_000, Head: head}, Plan{1, true, 32}},
		{"the head alone", Budget{Total: head, Head: head}, Plan{}},
		{"one less than the hint", Budget{Total: head + hint - 1, Head: head}, Plan{}},
		{"the hint", Budget{Total: head + hint, Head: head}, Plan{0, true, hint}},
		{"64", Budget{Total: 64, Head: head}, Plan{}},
		{"128", Budget{Total: 128, Head: head}, Plan{0, true, 12}},
		{"256", Budget{Total: 256, Head: head}, Plan{1, true, 32}},
		{"2048", Budget{Total: 2048, Head: head}, Plan{3, true, 72}},
	} {
		if got, err := c.b.Plan(hint, rows); err != nil || got != c.want {
			t.Errorf("%s: %+v (%v), want %+v", c.what, got, err, c.want)
		}
	}
	_, err := Budget{Total: head - 1, Head: head}.Plan(hint, rows)
	var small *TooSmallError
	if !errors.As(err, &small) || small.Minimum != head {
		t.Errorf("less than the head: %v", err)
	}
	// A caller's total may be large; the regions take no more than their share.
	if got, err := (Budget{Total: 1_000_000, Head: head}).Plan(hint, slices.Repeat([]int{20}, 512)); err != nil || got.Cost > OwnTokens || got.Rows != (OwnTokens-hint)/20 {
		t.Errorf("of a large total: %+v (%v)", got, err)
	}
}

func TestMoved(t *testing.T) {
	clip := Clip{Local: 3, Axes: 1, Over: "hidden visible", Box: Rect{0, 0, 60, 40}}
	was := Sighting{Box: Rect{0, 0, 120, 40}, Crop: Rect{0, 0, 60, 40}, Clips: []Clip{clip}}
	for what, c := range map[string]struct {
		is    func(*Sighting)
		moved bool
	}{
		"nothing":                               {func(*Sighting) {}, false},
		"an edge by 0.249":                      {func(s *Sighting) { s.Box.R += 0.249 }, false},
		"an edge by 0.25":                       {func(s *Sighting) { s.Box.B -= 0.25 }, false},
		"an edge by 0.251":                      {func(s *Sighting) { s.Box.L -= 0.251 }, true},
		"a px":                                  {func(s *Sighting) { s.Box.T++ }, true},
		"a width of 121":                        {func(s *Sighting) { s.Box.R = 121 }, true},
		"what is let through by 0.249":          {func(s *Sighting) { s.Crop.R += 0.249 }, false},
		"what is let through by 0.251":          {func(s *Sighting) { s.Crop.R += 0.251 }, true},
		"a clip by 0.25":                        {func(s *Sighting) { s.Clips[0].Box.L += 0.25 }, false},
		"a clip by 0.251":                       {func(s *Sighting) { s.Clips[0].Box.L += 0.251 }, true},
		"a clip on another axis":                {func(s *Sighting) { s.Clips[0].Axes = 3 }, true},
		"a clip by another overflow":            {func(s *Sighting) { s.Clips[0].Over = "clip visible" }, true},
		"a clip of another ancestor":            {func(s *Sighting) { s.Clips[0].Local = 4 }, true},
		"a new clip, though the crop is as was": {func(s *Sighting) { s.Clips = append(s.Clips, clip) }, true},
		"a clip less":                           {func(s *Sighting) { s.Clips = nil }, true},
		"to no number":                          {func(s *Sighting) { s.Box.L = nan() }, true},
	} {
		is := was
		is.Clips = slices.Clone(was.Clips)
		c.is(&is)
		if got := was.Moved(is); (got != "") != c.moved {
			t.Errorf("%s: %q", what, got)
		}
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

func TestPixelPlan(t *testing.T) {
	for _, c := range []struct{ w, h, ratio, want float64 }{
		{4096, 2048, 2, 0.25}, {4000, 4000, 1, 0.5}, {2000, 2000, 1, 1}, {2048, 100, 1, 1}, {2049, 1, 1, 2048. / 2049}, {120, 40, 2, 1},
	} {
		if got := Scale(c.w*c.ratio, c.h*c.ratio); got != c.want {
			t.Errorf("%v: scale %v", c, got)
		}
	}
	for _, c := range [][2]int{{1, 1}, {8192, 4096}, {3000, 3000}, {100_000, 1}, {1, 100_000}, {2048, 2048}, {1999, 2001}, {1_000_000, 1_000_000}} {
		w, h := Fit(c[0], c[1])
		if w < 1 || h < 1 || w > EdgeMax || h > EdgeMax || w*h > PixelMax {
			t.Errorf("%v is handed out as %d by %d", c, w, h)
		}
	}
}

func TestPixelsOfTheWindow(t *testing.T) {
	for _, ratio := range []float64{1, 1.5, 2, 0.8, 1.25, 1.8} {
		v := Window{Scale: ratio, Width: 1440, Height: 1100}
		w, h := int(1440*ratio), int(1100*ratio)
		if !v.Holds(w, h) || v.Holds(w+4, h) || v.Holds(w, h/2) {
			t.Errorf("at %v an image of %d by %d is judged wrong", ratio, w, h)
		}
		l, top, r, b := v.Pixels(Rect{100, 200, 220, 240}, w, h)
		if box := v.Box(l, top, r, b); box.off(Rect{100, 200, 220, 240}) > 0.5/ratio {
			t.Errorf("at %v the px show %v", ratio, box)
		}
	}
	if l, top, r, b := (Window{Scale: 1, Width: 100, Height: 100}).Pixels(Rect{-5, -5, 500, nan()}, 100, 100); l != 0 || top != 0 || r != 100 || b != 0 {
		t.Errorf("out of the image: %d %d %d %d", l, top, r, b)
	}
	pinched := Window{Left: 10, Top: 20, Scale: 2, Width: 50, Height: 40}
	if l, top, r, b := pinched.Pixels(Rect{20, 30, 40, 50}, 100, 80); l != 20 || top != 20 || r != 60 || b != 60 {
		t.Errorf("pinched: %d %d %d %d", l, top, r, b)
	}
}
