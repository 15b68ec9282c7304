// Package bind decides which browser window a native window is. Everything
// here is a pure function of what was read; nothing here reads.
//
// A native window is known by the window system, a browser window by the
// browser. The two share no id, so a match is proven by their boxes, or by
// there being only one of each; a title, which any page can choose, never
// proves more than which of two windows in the same place is meant.
package bind

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cuatui/engine/contract"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// Quality is how well a binding is proven.
type Quality string

// The qualities. A heuristic binding can be read and never acted on.
const (
	Exact     Quality = "exact"
	Heuristic Quality = "heuristic"
	None      Quality = ""
)

// The routes by which a binding is proven.
const (
	RouteWindow      = "native_cdp_window"    // the boxes agree
	RouteCardinality = "cardinality"          // one native window, one browser window
	RouteEmbedded    = "embedded_single_page" // one native window, one page, no window ids
)

// StepCorrelation is the name of the proof step.
const StepCorrelation = "correlation"

// BrowserWindow is a window as the browser tells it. A browser that knows no
// windows (embedded Chromium) gives one per page, with HasWindow false.
type BrowserWindow struct {
	ID        int
	Bounds    platform.Rect // DIP; zero if not known
	State     string        // normal, minimized, maximized, fullscreen
	Titles    []string      // of its tabs
	HasWindow bool          // whether ID is an id of the browser
}

// Native is the native window to be bound.
type Native struct {
	Window platform.Window
	// Beside are the other native windows of its owner.
	Beside []platform.Window
	// OnlyWindow says whether it is the only native window of the endpoint's
	// owner; nil is not known.
	OnlyWindow *bool
	// ForcedScale is the device pixels per DIP that the owner's own arguments
	// impose (see ForcedScale); 0 if none.
	ForcedScale float64
}

// Result is the verdict. Refusal is set exactly where Quality is None.
type Result struct {
	Quality Quality
	Route   string
	Window  BrowserWindow
	// ByTitle: the title decided between windows in the same place. The caller
	// must read both sides again and find them unchanged; see Result.Rests.
	ByTitle bool
	// Rests is what the verdict rests on, of both sides: where it differs from
	// one reading to the next, a page or a person is changing it.
	Rests   string
	Refusal *refusal.Refusal
	Step    refusal.Step
}

// WouldBind is the verdict as list_windows shows it.
func (r Result) WouldBind() contract.WouldBind {
	if r.Refusal != nil {
		return contract.WouldBind{Verdict: "refused", Code: r.Refusal.Code, Reason: r.Refusal.Reason}
	}
	return contract.WouldBind{Verdict: string(r.Quality)}
}

// Correlate finds the browser window that n is.
//
// Boxes decide first, each of x, y, width and height within
// limits.BoxToleranceDIP. One box is exact. Of several, the title decides only
// if the native title is exactly "<tab title> - <suffix>" for one of them and
// holds no title of another, and no other native window there has a title of
// that one's; else they are all named as candidates. Where no
// box matches, a unique title is heuristic, and only the proof that there is
// nothing else to confuse raises that, or nothing, to exact. Where the window
// system tells no windows, the browser's only one is heuristic.
func Correlate(n Native, windows []BrowserWindow, productSuffixes []string) Result {
	c := newCorrelation(n, windows, productSuffixes)
	if !n.Window.On.TellsWindows() {
		return c.untold()
	}
	at := c.matching(func(w BrowserWindow) bool { return c.boxMatches(w) })
	switch {
	case len(at) == 1 && c.windows[at[0]].HasWindow:
		r := c.exact(RouteWindow, c.windows[at[0]], "one browser window has its box")
		r.Rests = c.rests(at, false)
		return r
	case len(at) > 1:
		return c.sameBox(at)
	}

	var titled []int
	if len(at) == 0 {
		titled = c.matching(func(w BrowserWindow) bool { return c.containedTitle(w) != "" })
	}
	switch {
	case len(titled) > 1:
		return c.refuse(refusal.SameTitle, fmt.Sprintf("no box matches, and the titles of %d browser windows fit", len(titled)),
			"no browser window is where the native window is, and the titles of %d fit", len(titled))
	case n.OnlyWindow != nil && *n.OnlyWindow && len(c.windows) == 1:
		return c.onlyOne(at)
	case len(titled) == 1:
		return c.verdict(Heuristic, "", c.windows[titled[0]], refusal.Step{
			Step: StepCorrelation, Verdict: refusal.Pass, Want: c.want, Got: "no box matches; one title fits (read-only)",
		})
	}
	return c.refuse(refusal.NoMatch, fmt.Sprintf("none of %d browser windows fits", len(c.windows)),
		"none of the browser's %d windows is this native window", len(c.windows))
}

// correlation is one run of Correlate.
type correlation struct {
	native   Native
	boxes    []platform.Rect // of the native window, the likeliest first
	windows  []BrowserWindow // one for each browser window
	suffixes []string
	want     string
}

func newCorrelation(n Native, windows []BrowserWindow, suffixes []string) *correlation {
	c := &correlation{native: n, windows: representatives(windows), suffixes: suffixes}
	unit := 1.0
	if n.ForcedScale > 0 && n.Window.Scale > 0 {
		unit = n.Window.Scale / n.ForcedScale
	}
	// Which box a browser means by its bounds, measured with Chromium 156 under
	// openbox, with and without a compositor, at scales 1, 1.08, 1.14 and 1.5
	// (Xft.dpi) and 2 (forced): always the whole client window, to the DIP. With its own frame
	// that includes the invisible shadow it draws (4 DIP left, right and below),
	// with the system title bar it is the content area without the bar; the
	// same when maximised, full screen or minimised. The other two boxes are
	// for browsers that mean those; a window that fits another's frame only
	// makes the answer ambiguous, since the right one fits as well.
	boxes := []platform.Rect{n.Window.Client, n.Window.Box, n.Window.Frame}
	if !n.Window.On.TellsPlace() {
		boxes = nil // one that matched would do so by chance
	}
	for _, r := range boxes {
		r = platform.Rect{X: r.X * unit, Y: r.Y * unit, W: r.W * unit, H: r.H * unit}
		if known(r) {
			c.boxes = append(c.boxes, r)
		}
	}
	c.want = "its box is not known"
	if len(c.boxes) > 0 {
		c.want = fmt.Sprintf("box %s, each edge within %g DIP", describe(c.boxes[0]), limits.BoxToleranceDIP)
	}
	return c
}

// representatives merges what was given twice under one window id.
func representatives(windows []BrowserWindow) []BrowserWindow {
	out := make([]BrowserWindow, 0, len(windows))
	place := map[int]int{}
	for _, w := range windows {
		w.Titles = slices.Clone(w.Titles)
		if i, seen := place[w.ID]; seen && w.HasWindow {
			out[i].Titles = append(out[i].Titles, w.Titles...)
			continue
		}
		if w.HasWindow {
			place[w.ID] = len(out)
		}
		out = append(out, w)
	}
	return out
}

func (c *correlation) matching(fits func(BrowserWindow) bool) []int {
	var at []int
	for i, w := range c.windows {
		if fits(w) {
			at = append(at, i)
		}
	}
	return at
}

func (c *correlation) boxMatches(w BrowserWindow) bool {
	return known(w.Bounds) && slices.ContainsFunc(c.boxes, func(b platform.Rect) bool {
		return near(w.Bounds, b)
	})
}

func near(a, b platform.Rect) bool {
	for _, d := range delta(a, b) {
		if math.Abs(d) > limits.BoxToleranceDIP {
			return false
		}
	}
	return true
}

// untold is the verdict where the native window stands for all of a process's:
// what the browser says alone never proves a window on the desktop.
func (c *correlation) untold() Result {
	switch len(c.windows) {
	case 0:
		return c.refuse(refusal.NoMatch, "the browser has no window", "the browser has no window")
	case 1:
		return c.verdict(Heuristic, "", c.windows[0], refusal.Step{
			Step: StepCorrelation, Verdict: refusal.Pass, Want: c.want, Got: "the browser's only window; the compositor tells none (read-only)",
		})
	}
	return c.refuse(refusal.SeveralWindows, fmt.Sprintf("the browser has %d windows, and the compositor tells none", len(c.windows)),
		"the browser has %d windows, and the compositor does not tell which are on the desktop", len(c.windows))
}

// sameBox decides between the windows at, which are all where n is.
func (c *correlation) sameBox(at []int) Result {
	exact := -1
	for _, i := range at {
		if !c.exactTitle(c.native.Window.Title, c.windows[i]) {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(at), func(j int) bool { return j == i })
		if slices.ContainsFunc(others, func(j int) bool { return c.containedTitle(c.windows[j]) != "" }) {
			exact = -1
			break
		}
		exact = i
	}
	if exact >= 0 && slices.ContainsFunc(c.native.Beside, func(n platform.Window) bool { return c.there(n) && c.exactTitle(n.Title, c.windows[exact]) }) {
		exact = -1 // two native windows say that they are it
	}
	if exact >= 0 && c.windows[exact].HasWindow {
		r := c.exact(RouteWindow, c.windows[exact], fmt.Sprintf("%d browser windows have its box; its title is one's alone", len(at)))
		r.ByTitle, r.Rests = true, c.rests(at, true)
		return r
	}
	return c.refuse(refusal.SameBox, fmt.Sprintf("%d browser windows have its box", len(at)),
		"%d browser windows are where the native window is, and its title does not tell them apart", len(at))
}

// there says whether another native window of the owner is where n is; one
// whose place is not known may be.
func (c *correlation) there(n platform.Window) bool {
	a, b := placeOf(n), placeOf(c.native.Window)
	return !known(a) || !known(b) || near(a, b)
}

// placeOf is the likeliest box of a native window, zero where none is known.
func placeOf(n platform.Window) platform.Rect {
	for _, r := range []platform.Rect{n.Client, n.Box, n.Frame} {
		if known(r) {
			return r
		}
	}
	return platform.Rect{}
}

// rests tells what a verdict between the windows at rests on: where they are,
// and by what titles they are told apart.
func (c *correlation) rests(at []int, titles bool) string {
	var b strings.Builder
	side := func(id uint64, box platform.Rect, names ...string) {
		fmt.Fprintf(&b, "%d %v", id, box)
		if titles {
			fmt.Fprintf(&b, " %q", names)
		}
		b.WriteByte('\n')
	}
	side(uint64(c.native.Window.ID), placeOf(c.native.Window), c.native.Window.Title)
	for _, n := range c.native.Beside {
		if titles && c.there(n) {
			side(uint64(n.ID), placeOf(n), n.Title)
		}
	}
	for _, i := range at {
		side(uint64(c.windows[i].ID), c.windows[i].Bounds, c.windows[i].Titles...)
	}
	return b.String()
}

// exactTitle says whether a native title is a tab's title and the product, and
// nothing else.
func (c *correlation) exactTitle(native string, w BrowserWindow) bool {
	return slices.ContainsFunc(w.Titles, func(title string) bool {
		return title != "" && slices.ContainsFunc(c.suffixes, func(suffix string) bool {
			return suffix != "" && native == title+" - "+suffix
		})
	})
}

// containedTitle returns the first of w's titles that the native title holds,
// or "".
func (c *correlation) containedTitle(w BrowserWindow) string {
	for _, title := range w.Titles {
		if title != "" && strings.Contains(c.native.Window.Title, title) {
			return title
		}
	}
	return ""
}

// onlyOne binds the only browser window to the only native window. boxed names
// it where its box matched although it has no id.
func (c *correlation) onlyOne(boxed []int) Result {
	w := c.windows[0]
	switch {
	case w.HasWindow:
		return c.exact(RouteCardinality, w, "the owner has one native window and the browser one window")
	case len(boxed) == 0 && w.Bounds == (platform.Rect{}):
		return c.exact(RouteEmbedded, w, "the owner has one native window and the browser one page, without window ids")
	}
	return c.refuse(refusal.NoMatch, "the browser gives bounds without a window id", "the browser's only window has no identity")
}

func (c *correlation) exact(route string, w BrowserWindow, got string) Result {
	return c.verdict(Exact, route, w, refusal.Step{Step: StepCorrelation, Verdict: refusal.Pass, Want: c.want, Got: got})
}

func (c *correlation) verdict(q Quality, route string, w BrowserWindow, s refusal.Step) Result {
	return Result{Quality: q, Route: route, Window: w, Step: s}
}

func (c *correlation) refuse(reason refusal.Reason, got, message string, args ...any) Result {
	step := refusal.Step{Step: StepCorrelation, Verdict: refusal.Fail, Want: c.want, Got: got}
	r := refusal.New(reason, message, args...).
		WithProof([]refusal.Step{step}).
		WithDetail(refusal.Detail{Candidates: c.candidates()})
	return Result{Refusal: r, Step: step}
}

// OnlyWindow says whether the window is the only one of its process: nil where
// some window's owner is not known, because that one might be the second.
func OnlyWindow(windows []platform.Window, pid int, id platform.WindowID) *bool {
	only, found := true, false
	for _, w := range windows {
		switch {
		case w.ID == id:
			found = w.PID == pid
		case w.PID == pid:
			only = false
		}
	}
	if only = only && found; !only {
		return &only
	}
	if slices.ContainsFunc(windows, func(w platform.Window) bool { return w.PID == 0 || w.Owner == platform.OwnerUnknown }) {
		return nil
	}
	return &only
}
