package bind

import (
	"math"
	"strings"
	"testing"

	"cuatui/engine/refusal"
	"cuatui/platform"
)

func window(id int, bounds platform.Rect, titles ...string) BrowserWindow {
	return BrowserWindow{ID: id, Bounds: bounds, State: "normal", Titles: titles, HasWindow: true}
}

func page(title string) BrowserWindow { return BrowserWindow{Titles: []string{title}} }

func native(title string, box platform.Rect) Native {
	return Native{Window: platform.Window{ID: 1, PID: 2, Title: title, Box: box, Frame: box, Scale: 1}}
}

func only(n Native, is bool) Native { n.OnlyWindow = &is; return n }

func with(n Native, changes ...func(*Native)) Native {
	for _, change := range changes {
		change(&n)
	}
	return n
}

func beside(title string, box platform.Rect) func(*Native) {
	return func(n *Native) { n.Beside = append(n.Beside, native(title, box).Window) }
}

var (
	here      = platform.Rect{X: 100, Y: 80, W: 1000, H: 700}
	elsewhere = platform.Rect{X: 300, Y: 80, W: 1000, H: 700}
)

func moved(r platform.Rect, x, y, w, h float64) platform.Rect {
	return platform.Rect{X: r.X + x, Y: r.Y + y, W: r.W + w, H: r.H + h}
}

// shadowed is a window as X11 shows a Chromium that draws its own frame, here
// under a desktop with large shadows: the browser means the client window.
func shadowed(title string) Native {
	return with(native(title, moved(here, 20, 10, -40, -40)), func(n *Native) {
		n.Window.Client = here
		n.Window.Frame = n.Window.Box
	})
}

var correlations = []struct {
	name    string
	native  Native
	windows []BrowserWindow
	quality Quality
	route   string
	id      int
	byTitle bool
	reason  refusal.Reason
}{
	// Boxes.
	{
		name:   "one window with the box and an id is exact, whatever its title",
		native: native("A - Chromium", here), windows: []BrowserWindow{window(7, here, "B"), window(8, elsewhere, "A")},
		quality: Exact, route: RouteWindow, id: 7,
	},
	{
		name:   "all edges 8 off still match",
		native: native("", here), windows: []BrowserWindow{window(7, moved(here, 8, -8, 8, -8)), window(8, elsewhere)},
		quality: Exact, route: RouteWindow, id: 7,
	},
	{
		name:   "x over 8 off does not match",
		native: native("", here), windows: []BrowserWindow{window(7, moved(here, 8.01, 0, 0, 0))}, reason: refusal.NoMatch,
	},
	{
		name:   "y over 8 off does not match",
		native: native("", here), windows: []BrowserWindow{window(7, moved(here, 0, -8.01, 0, 0))}, reason: refusal.NoMatch,
	},
	{
		name:   "width over 8 off does not match",
		native: native("", here), windows: []BrowserWindow{window(7, moved(here, 0, 0, 8.01, 0))}, reason: refusal.NoMatch,
	},
	{
		name:   "height over 8 off does not match",
		native: native("", here), windows: []BrowserWindow{window(7, moved(here, 0, 0, 0, -8.01))}, reason: refusal.NoMatch,
	},
	{
		name:   "a box without a window id is no match",
		native: native("A - Chromium", here), windows: []BrowserWindow{{Bounds: here, Titles: []string{"A"}}}, reason: refusal.NoMatch,
	},
	{
		name:   "a box without a window id is no match even of an only window",
		native: only(native("A - Chromium", here), true), windows: []BrowserWindow{{Bounds: here, Titles: []string{"A"}}}, reason: refusal.NoMatch,
	},
	{
		name:    "the tabs of one window are one candidate",
		native:  native("B - Chromium", here),
		windows: []BrowserWindow{window(7, here, "A"), window(7, here, "B"), window(7, here, "C")},
		quality: Exact, route: RouteWindow, id: 7,
	},
	{
		name:   "windows without an id stay apart",
		native: native("A - Chromium", platform.Rect{}), windows: []BrowserWindow{page("A"), page("A")}, reason: refusal.SameTitle,
	},
	{
		name:   "a page without an id is not taken for window 0",
		native: native("A - Chromium", here), windows: []BrowserWindow{window(0, elsewhere, "A"), page("A")}, reason: refusal.SameTitle,
	},

	// Several in one place.
	{
		name:   "same box, one has the whole title",
		native: native("A - Chromium", here), windows: []BrowserWindow{window(7, here, "B"), window(8, here, "X", "A")},
		quality: Exact, route: RouteWindow, id: 8, byTitle: true,
	},
	{
		name:    "same box, another native window has its title too",
		native:  with(native("A - Chromium", here), beside("A - Chromium", here)),
		windows: []BrowserWindow{window(7, here, "B"), window(8, here, "A")}, reason: refusal.SameBox,
	},
	{
		name:    "same box, another native window shows another of its tabs",
		native:  with(native("A - Chromium", here), beside("X - Chromium", here)),
		windows: []BrowserWindow{window(7, here, "B"), window(8, here, "X", "A")}, reason: refusal.SameBox,
	},
	{
		name:    "same box, a native window whose place is not known has its title too",
		native:  with(native("A - Chromium", here), beside("A - Chromium", platform.Rect{})),
		windows: []BrowserWindow{window(7, here, "B"), window(8, here, "A")}, reason: refusal.SameBox,
	},
	{
		name:    "same box, other native windows have other titles, or another place",
		native:  with(native("A - Chromium", here), beside("B - Chromium", here), beside("A - Chromium", elsewhere)),
		windows: []BrowserWindow{window(7, here, "B"), window(8, here, "A")}, quality: Exact, route: RouteWindow, id: 8, byTitle: true,
	},
	{
		name:   "same box, no title fits",
		native: native("C - Chromium", here), windows: []BrowserWindow{window(7, here, "A"), window(8, here, "B")}, reason: refusal.SameBox,
	},
	{
		name:   "same box, both have the title",
		native: native("A - Chromium", here), windows: []BrowserWindow{window(7, here, "A"), window(8, here, "A")}, reason: refusal.SameBox,
	},
	{
		name:   "same box, the title is only a part",
		native: native("A and more - Chromium", here), windows: []BrowserWindow{window(7, here, "A"), window(8, here, "B")}, reason: refusal.SameBox,
	},
	{
		name:    "same box, another's title is part of the native title",
		native:  native("Inbox - Mail - Chromium", here),
		windows: []BrowserWindow{window(7, here, "Inbox - Mail"), window(8, here, "Mail")}, reason: refusal.SameBox,
	},
	{
		name:    "same box, a background tab of another has the title in part",
		native:  native("Inbox - Chromium", here),
		windows: []BrowserWindow{window(7, here, "Inbox"), window(8, here, "Shop", "In")}, reason: refusal.SameBox,
	},
	{
		name:   "same box, unknown product",
		native: native("A - Somebrowser", here), windows: []BrowserWindow{window(7, here, "A"), window(8, here, "B")}, reason: refusal.SameBox,
	},
	{
		name:   "same box, titles are compared by case",
		native: native("a - Chromium", here), windows: []BrowserWindow{window(7, here, "A"), window(8, here, "B")}, reason: refusal.SameBox,
	},
	{
		name:   "same box, an empty title says nothing",
		native: native(" - Chromium", here), windows: []BrowserWindow{window(7, here, ""), window(8, here, "B")}, reason: refusal.SameBox,
	},
	{
		name:    "same box, the one with the title has no id",
		native:  native("A - Chromium", here),
		windows: []BrowserWindow{{Bounds: here, Titles: []string{"A"}}, window(8, here, "B")}, reason: refusal.SameBox,
	},
	{
		name:   "ambiguity is not rescued by an only window",
		native: only(native("", here), true), windows: []BrowserWindow{window(7, here), window(8, here)}, reason: refusal.SameBox,
	},

	// No box.
	{
		name:   "no box, one title: readable only",
		native: native("A - Chromium", here), windows: []BrowserWindow{window(7, elsewhere, "A"), window(8, elsewhere, "B")},
		quality: Heuristic, id: 7,
	},
	{
		name:   "native box unknown, one title: readable only",
		native: native("A - Chromium", platform.Rect{}), windows: []BrowserWindow{window(7, platform.Rect{}, "A"), window(8, here, "B")},
		quality: Heuristic, id: 7,
	},
	{
		name:   "no box, several titles",
		native: native("A B - Chromium", here), windows: []BrowserWindow{window(7, elsewhere, "A"), window(8, elsewhere, "B")}, reason: refusal.SameTitle,
	},
	{
		name:   "several titles are not rescued by an only window",
		native: only(native("A - Chromium", here), true), windows: []BrowserWindow{window(7, elsewhere, "A"), window(8, elsewhere, "A")}, reason: refusal.SameTitle,
	},
	{
		name:   "neither box nor title",
		native: native("C - Chromium", here), windows: []BrowserWindow{window(7, elsewhere, "A"), window(8, elsewhere, "B")}, reason: refusal.NoMatch,
	},
	{name: "no browser window at all", native: only(native("A", here), true), reason: refusal.NoMatch},

	// Raised by there being only one.
	{
		name:   "one native, one browser window with the title",
		native: only(native("A - Chromium", here), true), windows: []BrowserWindow{window(7, elsewhere, "A")},
		quality: Exact, route: RouteCardinality, id: 7,
	},
	{
		name:   "one native, one browser window without the title",
		native: only(native("Z", here), true), windows: []BrowserWindow{window(7, elsewhere, "A"), window(7, elsewhere, "B")},
		quality: Exact, route: RouteCardinality, id: 7,
	},
	{
		name:   "one native, two browser windows",
		native: only(native("A - Chromium", here), true), windows: []BrowserWindow{window(7, elsewhere, "A"), window(8, elsewhere, "B")},
		quality: Heuristic, id: 7,
	},
	{
		name:   "several natives, one browser window",
		native: only(native("Z", here), false), windows: []BrowserWindow{window(7, elsewhere, "A")}, reason: refusal.NoMatch,
	},
	{
		name:   "not known whether the only native",
		native: native("Z", here), windows: []BrowserWindow{window(7, elsewhere, "A")}, reason: refusal.NoMatch,
	},
	{
		name:   "one native, one page without a window",
		native: only(native("App", here), true), windows: []BrowserWindow{page("A")}, quality: Exact, route: RouteEmbedded,
	},
	{
		name:   "one native, two pages without windows",
		native: only(native("Zed", here), true), windows: []BrowserWindow{page("A"), page("B")}, reason: refusal.NoMatch,
	},
	{
		name:   "not known whether the only native of a page without a window",
		native: native("A", here), windows: []BrowserWindow{page("A")}, quality: Heuristic,
	},

	// Which box, which unit.
	{
		name:   "a browser that means the whole client window",
		native: shadowed("A - Chromium"), windows: []BrowserWindow{window(7, here, "A"), window(8, elsewhere, "B")},
		quality: Exact, route: RouteWindow, id: 7,
	},
	{
		name:   "a browser that means its box without the shadow",
		native: shadowed("A - Chromium"), windows: []BrowserWindow{window(7, moved(here, 20, 10, -40, -40), "A"), window(8, elsewhere, "B")},
		quality: Exact, route: RouteWindow, id: 7,
	},
	{
		name:    "a browser that means the window manager's frame",
		native:  with(native("A", here), func(n *Native) { n.Window.Frame = moved(here, -1, -20, 2, 25) }),
		windows: []BrowserWindow{window(7, moved(here, -1, -20, 2, 25))}, quality: Exact, route: RouteWindow, id: 7,
	},
	{
		name:    "one has the client box and another the frame",
		native:  with(native("A", here), func(n *Native) { n.Window.Frame = moved(here, -1, -20, 2, 25) }),
		windows: []BrowserWindow{window(7, here), window(8, moved(here, -1, -20, 2, 25))}, reason: refusal.SameBox,
	},
	{
		name:    "the edges of two boxes are not mixed",
		native:  with(native("A", here), func(n *Native) { n.Window.Frame = moved(here, -30, -40, 60, 80) }),
		windows: []BrowserWindow{window(7, moved(here, -30, 0, 0, 80))}, reason: refusal.NoMatch,
	},
	{
		name:   "a forced scale that the display does not know of",
		native: with(native("A", platform.Rect{X: 400, Y: 240, W: 1800, H: 1400}), func(n *Native) { n.ForcedScale = 2 }), id: 7,
		windows: []BrowserWindow{window(7, platform.Rect{X: 200, Y: 120, W: 900, H: 700}), window(8, platform.Rect{X: 400, Y: 240, W: 1800, H: 1400})},
		quality: Exact, route: RouteWindow,
	},
	{
		name:   "a box that is no number matches nothing",
		native: native("", here), windows: []BrowserWindow{window(7, platform.Rect{X: math.NaN(), Y: 80, W: 1000, H: 700})}, reason: refusal.NoMatch,
	},
	{
		name:    "an infinite box matches nothing",
		native:  native("", platform.Rect{W: math.Inf(1), H: math.Inf(1)}),
		windows: []BrowserWindow{window(7, platform.Rect{W: math.Inf(1), H: math.Inf(1)})}, reason: refusal.NoMatch,
	},
}

func TestCorrelate(t *testing.T) {
	for _, c := range correlations {
		t.Run(c.name, func(t *testing.T) {
			got := Correlate(c.native, c.windows, []string{"Chromium", "Google Chrome"})
			if got.Quality != c.quality || got.Route != c.route || got.ByTitle != c.byTitle || got.Window.ID != c.id {
				t.Errorf("got %q by %q, window %d, by title %v; want %q by %q, window %d, by title %v",
					got.Quality, got.Route, got.Window.ID, got.ByTitle, c.quality, c.route, c.id, c.byTitle)
			}
			checkRefusal(t, got, c.reason, len(c.windows))
			if got.Step.Step != StepCorrelation || got.Step.Got == "" {
				t.Errorf("step %+v says nothing", got.Step)
			}
		})
	}
}

// checkRefusal wants a refusal exactly where there is a reason, with a verdict
// that agrees in every place.
func checkRefusal(t *testing.T, got Result, reason refusal.Reason, windows int) {
	t.Helper()
	if (got.Refusal != nil) != (reason != "") || (got.Quality == None) != (reason != "") {
		t.Fatalf("refusal %v, quality %q; want reason %q", got.Refusal, got.Quality, reason)
	}
	would := got.WouldBind()
	if reason == "" {
		if got.Step.Verdict != refusal.Pass || would.Verdict != string(got.Quality) || would.Code != "" {
			t.Errorf("verdicts disagree: step %+v, would bind %+v", got.Step, would)
		}
		return
	}
	if got.Refusal.Reason != reason || would.Reason != reason || would.Code != got.Refusal.Code || would.Verdict != "refused" {
		t.Errorf("refused with %v (would bind %+v), want %v", got.Refusal, would, reason)
	}
	if got.Step.Verdict != refusal.Fail || len(got.Refusal.Proof) != 1 || got.Refusal.Proof[0] != got.Step {
		t.Errorf("proof %+v, step %+v", got.Refusal.Proof, got.Step)
	}
	if windows > 0 && len(got.Refusal.Detail.Candidates) == 0 {
		t.Error("no candidates named")
	}
}

func TestCandidatesAreNearestFirstAndSayWhy(t *testing.T) {
	got := Correlate(native("Mail - Chromium", here), []BrowserWindow{
		window(1, elsewhere, "Other"),
		{Titles: []string{"Page"}},
		window(2, moved(here, 0, 9, 0, -3), "Draft"),
	}, []string{"Chromium"})
	if got.Refusal == nil {
		t.Fatal("not refused")
	}
	want := []refusal.Candidate{
		{Title: "Draft", Box: [4]float64{100, 89, 1000, 697}, Delta: [4]float64{0, 9, 0, -3}, Why: "other box, title differs"},
		{Title: "Other", Box: [4]float64{300, 80, 1000, 700}, Delta: [4]float64{200, 0, 0, 0}, Why: "other box, title differs"},
		{Title: "Page", Why: "the browser gives no box, title differs, no window id"},
	}
	for i, c := range got.Refusal.Detail.Candidates {
		if i >= len(want) || c != want[i] {
			t.Errorf("candidate %d is %+v", i, c)
		}
	}
	if len(got.Refusal.Detail.Candidates) != len(want) {
		t.Errorf("%d candidates, want %d", len(got.Refusal.Detail.Candidates), len(want))
	}
}

func TestCandidatesAreBounded(t *testing.T) {
	windows := make([]BrowserWindow, 50)
	for i := range windows {
		windows[i] = window(i, here, strings.Repeat("é", 5000))
	}
	got := Correlate(native("A", here), windows, nil).Refusal.Detail.Candidates
	if len(got) != candidatesMax {
		t.Errorf("%d candidates, want %d", len(got), candidatesMax)
	}
	if want := strings.Repeat("é", candidateRunesMax) + "…"; got[0].Title != want {
		t.Errorf("title of %d bytes, want %d", len(got[0].Title), len(want))
	}
}

func TestCorrelateLeavesItsInputAlone(t *testing.T) {
	windows := []BrowserWindow{{ID: 1, HasWindow: true, Titles: make([]string, 1, 4)}, {ID: 1, HasWindow: true, Titles: []string{"B"}}}
	Correlate(native("A", here), windows, nil)
	if got := windows[0].Titles[:2][1]; got != "" {
		t.Errorf("the caller's titles were written over with %q", got)
	}
}

func TestOnlyWindow(t *testing.T) {
	owned := func(id platform.WindowID, pid int) platform.Window {
		w := platform.Window{ID: id, PID: pid, Owner: platform.OwnerXRes}
		if pid == 0 {
			w.Owner = platform.OwnerUnknown
		}
		return w
	}
	yes, no := true, false
	for name, c := range map[string]struct {
		windows []platform.Window
		want    *bool
	}{
		"one of its own":                       {[]platform.Window{owned(1, 5), owned(2, 6)}, &yes},
		"a second, untitled one":               {[]platform.Window{owned(1, 5), owned(2, 5)}, &no},
		"someone's window of unknown owner":    {[]platform.Window{owned(1, 5), owned(2, 0)}, nil},
		"a second besides one of unknown":      {[]platform.Window{owned(1, 5), owned(2, 0), owned(3, 5)}, &no},
		"the window is gone":                   {[]platform.Window{owned(2, 6)}, &no},
		"the window has become someone else's": {[]platform.Window{owned(1, 6)}, &no},
	} {
		t.Run(name, func(t *testing.T) {
			got := OnlyWindow(c.windows, 5, 1)
			if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestForcedScale(t *testing.T) {
	for arg, want := range map[string]float64{
		"":                                  0,
		"--force-device-scale-factor=1.5":   1.5,
		"--force-device-scale-factor=2 ":    0,
		"--force-device-scale-factor=NaN":   0,
		"--force-device-scale-factor=0":     0,
		"--force-device-scale-factor=1e300": 0,
		"--force-device-scale-factors=2":    0,
		"x --force-device-scale-factor=2":   0,
	} {
		if got := ForcedScale([]string{"chromium", arg}); got != want {
			t.Errorf("%q: %v, want %v", arg, got, want)
		}
	}
	last := []string{"c", "--force-device-scale-factor=2", "--force-device-scale-factor=3", "--", "--force-device-scale-factor=4"}
	if got := ForcedScale(last); got != 3 {
		t.Errorf("%v: %v, want 3", last, got)
	}
}
