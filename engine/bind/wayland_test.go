package bind

import (
	"strings"
	"testing"

	"cuatui/engine/refusal"
	"cuatui/platform"
)

// A Wayland client makes its windows' places up: Chromium says 0,0 of every one
// of them. A box that fits there fits by chance.
func TestABoxProvesNothingUnderWayland(t *testing.T) {
	top := platform.Rect{W: 1000, H: 700}
	tests := []struct {
		name    string
		native  Native
		windows []BrowserWindow
		quality Quality
		route   string
		reason  refusal.Reason
	}{
		{"one of two fits, and its title", native("A - Chromium", top), []BrowserWindow{window(7, top, "A"), window(8, here, "B")}, Heuristic, "", ""},
		{"both fit, one by title", native("A - Chromium", top), []BrowserWindow{window(7, top, "A"), window(8, top, "B")}, Heuristic, "", ""},
		{"one of two fits, no title does", native("C - Chromium", top), []BrowserWindow{window(7, top, "A"), window(8, here, "B")}, None, "", refusal.NoMatch},
		{"both fit, and both titles", native("A - Chromium", top), []BrowserWindow{window(7, top, "A"), window(8, top, "A")}, None, "", refusal.SameTitle},
		{"one of each", only(native("A - Chromium", top), true), []BrowserWindow{window(7, top, "B")}, Exact, RouteCardinality, ""},
		{"one of each, elsewhere", only(native("A - Chromium", top), true), []BrowserWindow{window(7, here, "B")}, Exact, RouteCardinality, ""},
		{"one here, more there", only(native("C - Chromium", top), false), []BrowserWindow{window(7, top, "B")}, None, "", refusal.NoMatch},
	}
	for _, on := range []platform.WindowSystem{platform.Sway, platform.SwayActivating} {
		for _, tt := range tests {
			t.Run(string(on)+": "+tt.name, func(t *testing.T) {
				tt.native.Window.On = on
				r := Correlate(tt.native, tt.windows, []string{"Chromium"})
				if r.Quality != tt.quality || r.Route != tt.route || r.ByTitle || (r.Refusal == nil) != (tt.reason == "") {
					t.Fatalf("got %+v", r)
				}
				if r.Refusal != nil && r.Refusal.Reason != tt.reason {
					t.Errorf("refused with %s, want %s", r.Refusal.Reason, tt.reason)
				}
				if !strings.Contains(r.Step.Want, "box is not known") {
					t.Errorf("the step wants %q", r.Step.Want)
				}
			})
		}
	}
}

// A compositor that tells no windows leaves only the browser's own word, which
// can be read, whatever else fits.
func TestNothingIsExactWhereNoWindowIsTold(t *testing.T) {
	at := platform.Rect{W: 1000, H: 700}
	for _, tt := range []struct {
		name    string
		windows []BrowserWindow
		quality Quality
		reason  refusal.Reason
	}{
		{"one window", []BrowserWindow{window(7, at, "A")}, Heuristic, ""},
		{"one window of two tabs", []BrowserWindow{window(7, at, "A"), window(7, at, "B")}, Heuristic, ""},
		{"one page without a window id", []BrowserWindow{page("A")}, Heuristic, ""},
		{"two windows", []BrowserWindow{window(7, at, "A"), window(8, here, "B")}, None, refusal.SeveralWindows},
		{"no window", nil, None, refusal.NoMatch},
	} {
		for _, n := range []Native{{}, {Window: platform.Window{Title: "A - Chromium", Client: at, Box: at, Frame: at, Scale: 1}}} {
			n.Window.On = platform.Wayland
			for _, only := range []Native{n, only(n, true), only(n, false)} {
				r := Correlate(only, tt.windows, []string{"Chromium"})
				if r.Quality != tt.quality || r.Route != "" || r.ByTitle || (r.Refusal == nil) != (tt.reason == "") {
					t.Fatalf("%s: got %+v", tt.name, r)
				}
				if r.Refusal != nil && (r.Refusal.Reason != tt.reason || len(r.Refusal.Detail.Candidates) != len(tt.windows)) {
					t.Errorf("%s: refused with %+v, want %s", tt.name, r.Refusal, tt.reason)
				}
			}
		}
	}
}
