package observe_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/fixtures"
	"cuatui/snapshotfmt"
)

// factor is a way in which a px of a page is not one of its window.
type factor struct {
	name   string
	flag   string  // of the browser's process, where it takes one
	window [2]int  // such that the marks of the pages are true in it
	device float64 // emulated pixel ratio, 0 for the real one
	zoom   float64 // of the browser's own zoom, 0 for 1
	style  string  // of the top document
	pinch  float64 // of two fingers, 0 for none
	// some: what is judged by its mark is only what stands in the top document
	// and wholly in the window.
	some bool
}

var factors = []factor{
	{name: "emulated ratio 1.5", window: [2]int{1280, 800}, device: 1.5},
	{name: "emulated ratio 2", window: [2]int{1280, 800}, device: 2},
	{name: "real ratio 1.5", flag: "--force-device-scale-factor=1.5", window: [2]int{1280, 800}},
	{name: "page zoom 1.25 at real ratio 2", flag: "--force-device-scale-factor=2", window: [2]int{1600, 1000}, zoom: 1.25},
	{name: "page zoom 0.8", window: [2]int{1024, 640}, zoom: 0.8},
	{name: "page zoom 1.25", window: [2]int{1600, 1000}, zoom: 1.25},
	{name: "root zoomed 1.25", window: [2]int{1600, 1000}, device: 1, style: "html{zoom:1.25}"},
	{name: "root zoomed 0.8", window: [2]int{1024, 640}, device: 1, style: "html{zoom:.8}"},
	{name: "ancestor zoomed 1.25", window: [2]int{1600, 1000}, device: 1, style: "body{zoom:1.25}"},
	{name: "frame owners zoomed 1.25", window: [2]int{1280, 800}, device: 1, style: "iframe,object,embed{zoom:1.25}", some: true},
	{name: "pinched to 2", window: [2]int{1280, 800}, device: 1, pinch: 2, some: true},
}

// zoomedPages are the hard pages that a factor could make wrong: those whose
// answer depends on where things are, one of each kind. The first two are read
// under every factor, of the others every factor reads every second.
var zoomedPages = []string{"frames", "geometry", "clip", "scroll", "zoomed", "maps"}

// zoomGaps are marks that are not true under a factor: "factor page#id", and why.
var zoomGaps = map[string]string{
	"root zoomed 0.8 geometry#fixbelow": "100vh of a root of 0.8 is 0.8 of the window, so that it is in view",
}

// styleJS puts a style of its own into the top document, before anything of the page.
const styleJS = `if (window === top) new MutationObserver((_, o) => {
  if (!document.documentElement) return;
  o.disconnect();
  const s = document.createElement('style');
  s.textContent = %q;
  document.documentElement.append(s);
}).observe(document, { childList: true });`

// inWindowJS are the ids in the top document that stand wholly in the window.
const inWindowJS = `(() => {
  const v = visualViewport, x = v.scale === 1 ? innerWidth : v.offsetLeft + v.width, y = v.scale === 1 ? innerHeight : v.offsetTop + v.height;
  return [...document.querySelectorAll('[id]')].filter((e) => {
    const b = e.getBoundingClientRect();
    return b.left >= v.offsetLeft && b.top >= v.offsetTop && b.right <= x && b.bottom <= y;
  }).map((e) => e.id);
})()`

// hearJS notes in the top window what the pointer is over, in every document
// that lets itself be reached.
const hearJS = `(() => {
  const hear = (w) => {
    try { w.addEventListener('pointermove', (e) => { window.over = e.composedPath()[0]; }, true); } catch { return; }
    for (let i = 0; i < w.length; i++) hear(w[i]);
  };
  hear(window);
})()`

// landedJS says what is wrong with where the pointer is, for the node it was
// meant for: "" if it is over it, or over what stands for it.
const landedJS = `function() {
  const over = top.over;
  top.over = null;
  if (!over) return 'nothing heard of the pointer';
  for (let n = over; n; n = n.assignedSlot || n.parentNode || n.host) if (n === this) return '';
  if (this.labels && [...this.labels].some((l) => l.contains(over))) return '';
  if (this.getRootNode().host === over) return ''; // a closed tree tells its host
  return 'the pointer is over ' + over.localName + '#' + over.id;
}`

// deaf are pages' controls whose pointer cannot be heard from the top window.
var deaf = map[string]string{"frames#f28": "its frame is sandboxed"}

// TestPixelsOfPageAndWindow: whatever is between the pixels of a page and
// those of its window, what is marked is read as marked, and a real pointer at
// the point of a listed node is over that node.
func TestPixelsOfPageAndWindow(t *testing.T) {
	t.Parallel()
	srv := fixtures.NewServer()
	if err := srv.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	browsers := map[string]*devtools.Conn{}
	open := maps.Clone(zoomGaps)
	for n, f := range factors {
		if browsers[f.flag] == nil {
			browsers[f.flag] = enginetest.Chromium(t, strings.Fields(f.flag)...)
		}
		t.Run(f.name, func(t *testing.T) {
			s := f.open(t, browsers[f.flag])
			page := unhurried(browsers[f.flag], s, "hard-world")
			judged := 0
			for i, name := range zoomedPages {
				if i >= 2 && i%4 != n%4 {
					continue // a quarter of the pages, others at each factor
				}
				enginetest.Go(t, s, srv.URL("hard/"+name+".html"))
				f.pinchTo(t, s)
				ready(t, s)
				got := read(t, page, observe.Options{})
				judged += f.judge(t, s, name, got, open)
				if (i+n)%2 == 0 {
					alike(t, name, got)
				} else {
					lands(t, s, name, got)
				}
			}
			if least := map[bool]int{true: 10, false: 30}[f.pinch != 0]; judged < least { // a pinch leaves little in view
				t.Errorf("only %d marks are judged", judged)
			}
		})
	}
	for gone := range open {
		t.Errorf("the gap %s holds, or is no mark of any page", gone)
	}
}

// open opens a page under the factor.
func (f factor) open(t *testing.T, conn *devtools.Conn) *devtools.Session {
	t.Helper()
	settings := enginetest.Open(t, conn, "chrome://settings/appearance")
	var ok bool
	zoom := cmp.Or(f.zoom, 1)
	enginetest.Eval(t, settings, fmt.Sprintf("new Promise((r) => chrome.settingsPrivate.setDefaultZoom(%v, r))", zoom), &ok)
	if err := settings.Call(t.Context(), "Page.close", nil, nil); err != nil || !ok {
		t.Fatalf("the browser's zoom is not set: %v", err)
	}
	s := enginetest.Open(t, conn, "about:blank")
	view := map[string]any{"width": f.window[0], "height": f.window[1], "deviceScaleFactor": f.device, "mobile": false}
	if err := s.Call(t.Context(), "Emulation.setDeviceMetricsOverride", view, nil); err != nil {
		t.Fatal(err)
	}
	if f.style != "" {
		if err := s.Call(t.Context(), "Page.enable", nil, nil); err != nil {
			t.Fatal(err)
		}
		add := map[string]any{"source": fmt.Sprintf(styleJS, f.style)}
		if err := s.Call(t.Context(), "Page.addScriptToEvaluateOnNewDocument", add, nil); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// pinchTo pinches and moves the page in the window, as two fingers would.
func (f factor) pinchTo(t *testing.T, s *devtools.Session) {
	t.Helper()
	if f.pinch == 0 {
		return
	}
	pinch := map[string]any{"x": 400, "y": 200, "scaleFactor": f.pinch, "relativeSpeed": 8000}
	if err := s.Call(t.Context(), "Input.synthesizePinchGesture", pinch, nil); err != nil {
		t.Fatal(err)
	}
	var at []float64
	enginetest.Eval(t, s, "[visualViewport.scale, visualViewport.offsetLeft, visualViewport.offsetTop]", &at)
	if at[0] < 1.5 || at[1] == 0 || at[2] == 0 {
		t.Fatalf("the page is not pinched and moved: %v", at)
	}
}

// judge compares what is listed with the marks of the page.
func (f factor) judge(t *testing.T, s *devtools.Session, name string, got *taken, open map[string]string) (judged int) {
	t.Helper()
	byID := offered(t, got)
	var marks []mark
	enginetest.Eval(t, s, marksJS, &marks)
	if f.some {
		var in []string
		enginetest.Eval(t, s, inWindowJS, &in)
		marks = slices.DeleteFunc(marks, func(m mark) bool { return !slices.Contains(in, m.ID) })
	}
	for _, m := range marks {
		key := f.name + " " + name + "#" + m.ID
		err := m.judge(byID)
		switch {
		case err != nil && zoomGaps[key] == "" && gaps[name+"#"+m.ID] == "":
			t.Errorf("%s#%s: %v", name, m.ID, err)
		case err != nil:
			delete(open, key)
		}
	}
	return len(marks)
}

// unboxed are controls whose box the collectors tell otherwise, and why.
var unboxed = map[string]string{"clip#cc12": shaped}

// alike holds the survey against the protocol's trees, whose layout is in other
// px: of the same nodes they say the same, and where each takes the pointer.
func alike(t *testing.T, name string, got *taken) {
	t.Helper()
	survey := byIdentity(t, got)
	protocol := byIdentity(t, read(t, got.page, observe.Options{Collector: observe.CollectProtocol}))
	for k := range union(survey, protocol) {
		one, other := survey[k], protocol[k]
		key := nameOf(name, one, other)
		if differences[key] != "" {
			continue
		}
		if what := apartFrom(one, other); what != "" {
			t.Errorf("%s: %s", key, what)
		} else if one.Hit != nil && *one.Hit && unboxed[key] == "" && !sameBox(one.Box, other.Box) {
			t.Errorf("%s is at %v, and at %v by the protocol", key, one.Box, other.Box)
		}
	}
}

// sameBox says whether two boxes are one, of which each edge was rounded to
// what a layout counts in.
func sameBox(a, b *[4]float64) bool {
	const slack = 0.05 // px: twice a 64th, zoomed
	if a == nil || b == nil {
		return a == b
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > slack {
			return false
		}
	}
	return true
}

// lands puts a real pointer on the point at which each listed control in view
// says it takes one.
func lands(t *testing.T, s *devtools.Session, name string, got *taken) {
	t.Helper()
	var done any
	enginetest.Eval(t, s, hearJS, &done)
	var entries []snapshotfmt.Entry
	for _, e := range got.entries {
		if len(e.Actions) == 0 || e.Visibility != snapshotfmt.InViewport || e.Hit == nil || !*e.Hit {
			continue
		}
		entries = append(entries, e)
	}
	ks, nodes := described(t, got.page, entries)
	var pan, last [2]float64
	enginetest.Eval(t, s, "[visualViewport.offsetLeft, visualViewport.offsetTop]", &pan)
	for i, e := range entries {
		if deaf[name+"#"+nodes[i].ID] != "" {
			continue
		}
		at, err := pointOf(t, got.page, ks[i], e, pan)
		if err == nil && at == last { // a pointer that does not move tells nothing
			err = point(t, s, [2]float64{-1, -1})
		}
		if err == nil {
			last, err = at, errors.Join(point(t, s, at), over(t, nodes[i]))
		}
		if err != nil {
			t.Errorf("%s#%s %s %q: %v", name, nodes[i].ID, e.Role, e.Name, err)
		}
	}
}

// pointOf looks at a listed node again and returns its point, px of the
// window. pan is where the window begins in the viewport.
func pointOf(t *testing.T, page *observe.Page, k int, e snapshotfmt.Entry, pan [2]float64) (at [2]float64, err error) {
	found, err := page.Find(t.Context(), k)
	if err != nil {
		return at, err
	}
	sight, err := page.Look(t.Context(), found)
	if err != nil {
		return at, err
	}
	if len(sight.Points) == 0 || sight.Box == nil || e.Box == nil || *sight.Box != *e.Box {
		return at, fmt.Errorf("looked at again, it is hit at %v, its box is %v and was %v", sight.Points, sight.Box, e.Box)
	}
	at = sight.Points[0]
	const slack = 0.51 // px: a scaled point and a rounded box
	if x, y := at[0]+pan[0]-e.Box[0], at[1]+pan[1]-e.Box[1]; x < -slack || y < -slack || x > e.Box[2]+slack || y > e.Box[3]+slack {
		return at, fmt.Errorf("its point %v is not in its box %v", at, *e.Box)
	}
	return at, nil
}

func point(t *testing.T, s *devtools.Session, to [2]float64) error {
	move := map[string]any{"type": "mouseMoved", "x": to[0], "y": to[1]}
	return s.Call(t.Context(), "Input.dispatchMouseEvent", move, nil)
}

// over says what is wrong if the pointer is not over the node.
func over(t *testing.T, node observe.Described) error {
	var obj struct {
		Object struct {
			ObjectID string `json:"objectId"`
		} `json:"object"`
	}
	if err := node.Session.Call(t.Context(), "DOM.resolveNode", map[string]any{"backendNodeId": node.Backend}, &obj); err != nil {
		return err
	}
	var r struct {
		Result           struct{ Value string } `json:"result"`
		ExceptionDetails json.RawMessage        `json:"exceptionDetails"`
	}
	call := map[string]any{"objectId": obj.Object.ObjectID, "functionDeclaration": landedJS, "returnByValue": true}
	if err := node.Session.Call(t.Context(), "Runtime.callFunctionOn", call, &r); err != nil {
		return err
	}
	if r.Result.Value != "" || r.ExceptionDetails != nil {
		return fmt.Errorf("%s%s", r.Result.Value, r.ExceptionDetails)
	}
	return nil
}
