package engine

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"cuatui/engine/attach"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// scene is a desktop with one browser, in the test's hands: what the operating
// system says of it, and what the browser says.
type scene struct {
	platform.System
	*enginetest.Browser

	mu        sync.Mutex
	processes []platform.Process
	windows   []platform.Window
	mapped    []platform.Mapping // of the browser's process
	beside    []string           // its executable
	listens   bool
	failure   error  // of the list of windows
	looked    func() // when the windows are listed; under the lock
	tabs      []tabIn
	clock     time.Time
}

// tabIn is a tab as the browser has it.
type tabIn struct {
	id, title string
	window    int // 0: the browser says that it has none
	at        platform.Rect
	code      int // of an error instead
}

var place = platform.Rect{X: 100, Y: 100, W: 800, H: 600}

const (
	movingPID     = 100
	movingSession = "moving"
)

func newScene(executable string) *scene {
	w := &scene{
		Browser:   enginetest.New(),
		processes: []platform.Process{{PID: movingPID, Start: 5000, Executable: executable, Args: []string{executable}}},
		windows:   []platform.Window{windowAt(11, "One - Chromium", place)},
		listens:   true,
		tabs:      []tabIn{{id: "T1", title: "One", window: 1, at: place}},
		clock:     time.Date(2024, 3, 1, 9, 0, 0, 0, time.UTC),
	}
	w.windows[0].Active = true // so that no test waits for what brings it to the front
	w.Result("Page.enable", nil)
	w.Handle("Target.getTargets", w.targets)
	w.Handle("Browser.getWindowForTarget", w.windowFor)
	return w
}

func windowAt(id platform.WindowID, title string, at platform.Rect) platform.Window {
	return platform.Window{ID: id, On: platform.X11, PID: movingPID, Owner: platform.OwnerXRes, Title: title, Client: at, Box: at, Frame: at, Scale: 1}
}

// Mapped and Beside make the scene a platform.Files.
func (w *scene) Mapped(context.Context, int) ([]platform.Mapping, error) { return w.mapped, nil }

func (w *scene) Beside(_ context.Context, _ int, names ...string) ([]string, error) {
	return slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(w.beside, n) }), nil
}

func (w *scene) targets(string, json.RawMessage) (any, *devtools.Error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	infos := []any{}
	for _, t := range w.tabs {
		infos = append(infos, map[string]any{"targetId": t.id, "type": "page", "title": t.title, "url": "http://localhost/"})
	}
	return map[string]any{"targetInfos": infos}, nil
}

func (w *scene) windowFor(_ string, params json.RawMessage) (any, *devtools.Error) {
	var p struct {
		TargetID string `json:"targetId"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &devtools.Error{Code: -32700, Message: err.Error()}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.tabs, func(t tabIn) bool { return t.id == p.TargetID })
	switch {
	case i < 0:
		return nil, &devtools.Error{Code: -32000, Message: "No target with given id"}
	case w.tabs[i].code != 0:
		return nil, &devtools.Error{Code: w.tabs[i].code, Message: "as scripted"}
	case w.tabs[i].window == 0:
		return nil, &devtools.Error{Code: -32000, Message: "Browser window not found"}
	}
	at := w.tabs[i].at
	return map[string]any{"windowId": w.tabs[i].window, "bounds": map[string]any{
		"left": at.X, "top": at.Y, "width": at.W, "height": at.H, "windowState": "normal",
	}}, nil
}

func (w *scene) Name() string { return "a test" }
func (w *scene) Close() error { return nil }

func (w *scene) Process(_ context.Context, pid int) (platform.Process, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.processes {
		if p.PID == pid {
			return p, nil
		}
	}
	return platform.Process{}, platform.ErrNotFound
}

func (w *scene) Processes(context.Context) ([]platform.Process, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.processes), nil
}

func (w *scene) Windows(context.Context) ([]platform.Window, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure != nil {
		return nil, w.failure
	}
	all := slices.Clone(w.windows)
	if w.looked != nil {
		w.looked()
	}
	return all, nil
}

// Listeners knows one address: the endpoint's, which has none in these tests.
func (w *scene) Listeners(context.Context, int) ([]netip.AddrPort, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.listens {
		return nil, nil
	}
	return []netip.AddrPort{{}}, nil
}

func (w *scene) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

// asked are the methods that the browser was asked.
func (w *scene) asked() []string {
	out := []string{}
	for _, r := range w.Log() {
		out = append(out, r.Method)
	}
	return out
}

// bench is an engine whose session has a browser of the world at hand.
type bench struct {
	t *testing.T
	*scene
	e *Engine
}

func newBench(t *testing.T, executable, access string) *bench {
	t.Helper()
	w := newScene(executable)
	e, err := New(Options{StateDir: t.TempDir(), Display: ":none", Clock: w.now})
	if err != nil {
		t.Fatal(err)
	}
	e.system = w
	b := &bench{t, w, e}
	b.must(e.StartSession(t.Context(), contract.StartSessionRequest{Session: movingSession}))
	b.connect(w.Browser, access)
	t.Cleanup(func() {
		if err := e.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) must(_ any, err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// connect gives the session a connection to the browser, as found.
func (b *bench) connect(transport devtools.Transport, access string) *browser {
	conn := devtools.New(transport, devtools.Options{})
	found := &browser{
		conn: conn, process: b.processes[0], system: b.scene, product: "Chromium", access: access, generation: 1,
		endpoint: &attach.Endpoint{Owner: b.processes[0].Fingerprint(), Source: attach.JSONVersion}, tabs: map[string]*tab{}, locks: &b.e.tabLocks,
		release: func(context.Context) error { return conn.Close() },
	}
	b.e.browsers[movingSession] = append(b.e.browsers[movingSession], found)
	return found
}

// bind binds the window and returns the ids of target and first tab.
func (b *bench) bind() (target, tab string) {
	b.t.Helper()
	r, err := b.e.State(b.t.Context(), contract.StateRequest{Session: movingSession, PID: movingPID, WindowID: 11})
	if err != nil {
		b.t.Fatal(err)
	}
	if r.BindingQuality != "exact" {
		b.t.Fatalf("bound as %+v", r)
	}
	return r.TargetID, r.Tabs[0].TabID
}

// mutate proves a mutation and gives it back at once.
func (b *bench) mutate(target, tab string) error {
	m, err := b.e.mutate(b.t.Context(), movingSession, target, tab)
	if err == nil {
		m.live.release()
	}
	return err
}

// refusedFor checks a refusal: its reason, one failing step with all of the
// steps that the plan names, and a next call.
func (b *bench) refusedFor(err error, reason refusal.Reason) *refusal.Refusal {
	b.t.Helper()
	r, ok := refusal.As(err)
	if !ok || r.Reason != reason {
		b.t.Fatalf("got %v, want a refusal for %s", err, reason)
	}
	fails := 0
	for _, s := range r.Proof {
		if s.Verdict == refusal.Fail {
			fails++
		}
	}
	for _, step := range mutateSteps {
		if !slices.ContainsFunc(r.Proof, func(s refusal.Step) bool { return s.Step == step }) {
			b.t.Errorf("step %s is missing in %+v", step, r.Proof)
		}
	}
	if fails != 1 || r.Effect != refusal.EffectNone || r.Next == nil {
		b.t.Errorf("%d failing steps, effect %s, next %+v in %+v", fails, r.Effect, r.Next, r.Proof)
	}
	return r
}

const (
	embedded = "/usr/lib/electron/electron"
	personal = "/usr/lib/chromium/chromium"
)

// moves are the ways in which the world moves on after a window was bound.
var moves = []struct {
	name   string
	move   func(*scene)
	reason refusal.Reason // "" is: the mutation is still proven
	silent bool           // the browser is asked nothing
}{
	{name: "nothing happened", move: func(*scene) {}},
	{name: "the window moved, and the browser knows it", move: func(w *scene) {
		w.windows[0] = windowAt(11, "One - Chromium", platform.Rect{X: 300, Y: 50, W: 500, H: 400})
		w.tabs[0].at = w.windows[0].Client
	}},
	{name: "the window moved, and the browser does not know it", move: func(w *scene) {
		w.windows[0] = windowAt(11, "One - Chromium", platform.Rect{X: 300, Y: 100, W: 800, H: 600})
	}, reason: refusal.WindowChanged},
	{name: "the window was resized, and the browser does not know it", move: func(w *scene) {
		w.windows[0] = windowAt(11, "One - Chromium", platform.Rect{X: 100, Y: 100, W: 800, H: 609})
	}, reason: refusal.WindowChanged},
	{name: "the browser's window moved, and the desktop does not show it yet", move: func(w *scene) {
		w.tabs[0].at = platform.Rect{X: 300, Y: 100, W: 800, H: 600}
		looks := 0
		w.looked = func() {
			if looks++; looks == 1 { // the answer to the second look
				w.windows[0] = windowAt(11, "One - Chromium", w.tabs[0].at)
			}
		}
	}},
	{name: "the window was closed", move: func(w *scene) { w.windows = nil }, reason: refusal.WindowGone, silent: true},
	{name: "the window closed while it was looked at again", move: func(w *scene) {
		w.tabs[0].at = platform.Rect{X: 300, Y: 100, W: 800, H: 600}
		w.looked = func() { w.windows = nil }
	}, reason: refusal.WindowGone},
	{name: "the window's id is another process's", move: func(w *scene) { w.windows[0].PID = 300 }, reason: refusal.WindowNotOwned, silent: true},
	{name: "the window's owner is not known", move: func(w *scene) { w.windows[0].PID = 0 }, reason: refusal.WindowNotOwned, silent: true},
	{name: "the windows cannot be listed", move: func(w *scene) { w.failure = errors.New("protocol error") }, reason: refusal.EnumerationFailed, silent: true},
	{name: "the display is gone", move: func(w *scene) { w.failure = platform.ErrNoDisplay }, reason: refusal.DisplayUnavailable, silent: true},
	{name: "the tab is in another window", move: func(w *scene) {
		w.windows = append(w.windows, windowAt(12, "One - Chromium", platform.Rect{X: 900, Y: 100, W: 300, H: 300}))
		w.tabs[0].window, w.tabs[0].at = 2, w.windows[1].Client
	}, reason: refusal.TabMoved},
	{name: "the tab is in another window in the same place", move: func(w *scene) {
		w.windows = append(w.windows, windowAt(12, "One - Chromium", place))
		w.tabs[0].window = 2
	}, reason: refusal.TabMoved},
	{name: "the tab went to another window while it was looked at again", move: func(w *scene) {
		w.tabs[0].at = platform.Rect{X: 300, Y: 100, W: 800, H: 600}
		w.looked = func() { w.tabs[0].window = 2 }
	}, reason: refusal.TabMoved},
	{name: "the tab is in no window", move: func(w *scene) { w.tabs[0].window = 0 }, reason: refusal.TabMoved},
	{name: "the tab was closed", move: func(w *scene) { w.tabs = nil }, reason: refusal.TabClosed},
	{name: "another window of another title is in the same place", move: func(w *scene) {
		w.windows = append(w.windows, windowAt(12, "Two - Chromium", place))
		w.tabs = append(w.tabs, tabIn{id: "T2", title: "Two", window: 2, at: place})
	}},
	{name: "another window of the same title is in the same place", move: func(w *scene) {
		w.windows = append(w.windows, windowAt(12, "One - Chromium", place))
		w.tabs = append(w.tabs, tabIn{id: "T2", title: "One", window: 2, at: place})
	}, reason: refusal.WindowChanged},
	{name: "another window is elsewhere", move: func(w *scene) {
		at := platform.Rect{X: 900, Y: 100, W: 300, H: 300}
		w.windows = append(w.windows, windowAt(12, "One - Chromium", at))
		w.tabs = append(w.tabs, tabIn{id: "T2", title: "One", window: 2, at: at})
	}},
	{name: "the process has ended", move: func(w *scene) { w.processes, w.windows = nil, nil }, reason: refusal.ProcessChanged, silent: true},
	{name: "the pid belongs to a later process", move: func(w *scene) { w.processes[0].Start++ }, reason: refusal.ProcessChanged, silent: true},
	{name: "the process runs another program", move: func(w *scene) { w.processes[0].Executable = "/usr/bin/bash" }, reason: refusal.ProcessChanged, silent: true},
	{name: "the endpoint is gone", move: func(w *scene) { w.listens = false }, reason: refusal.EndpointChanged, silent: true},
}

func TestEveryMutationIsProvenAgainstTheMovingWorld(t *testing.T) {
	for _, tt := range moves {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, embedded, accessEmbedded)
			target, tab := b.bind()
			if err := b.mutate(target, tab); err != nil {
				t.Fatalf("before it moved: %v", err)
			}
			before := len(b.asked())
			b.mu.Lock()
			tt.move(b.scene)
			b.mu.Unlock()
			err := b.mutate(target, tab)
			asked := b.asked()[before:]
			if tt.reason == "" && err != nil {
				t.Fatalf("refused: %v", err)
			}
			if tt.reason != "" {
				b.refusedFor(err, tt.reason)
			}
			if tt.silent && len(asked) > 0 {
				t.Errorf("the browser was asked %v", asked)
			}
			for _, method := range asked {
				if method != "Browser.getWindowForTarget" && method != "Target.getTargets" {
					t.Errorf("the browser was asked %s", method)
				}
			}
		})
	}
}

func TestTwoWindowsThatCannotBeToldApartAreBothNamed(t *testing.T) {
	b := newBench(t, embedded, accessEmbedded)
	target, tab := b.bind()
	b.mu.Lock()
	b.windows = append(b.windows, windowAt(12, "One - Chromium", place))
	b.tabs = append(b.tabs, tabIn{id: "T2", title: "One", window: 2, at: place})
	b.mu.Unlock()
	if r := b.refusedFor(b.mutate(target, tab), refusal.WindowChanged); r.Detail == nil || len(r.Detail.Candidates) != 2 {
		t.Errorf("detail %+v", r.Detail)
	}
	_, err := b.e.State(t.Context(), contract.StateRequest{Session: movingSession, PID: movingPID, WindowID: 11})
	r, ok := refusal.As(err)
	if !ok || r.Code != refusal.BindingAmbiguous || r.Detail == nil || len(r.Detail.Candidates) != 2 || r.Next == nil {
		t.Errorf("bound again: %v", err)
	}
}

// TestOneQuestionProvesATab: however many tabs are open, the window is asked
// for once, and only what could be mistaken costs more.
func TestOneQuestionProvesATab(t *testing.T) {
	b := newBench(t, embedded, accessEmbedded)
	target, tab := b.bind()
	for _, id := range []string{"T2", "T3", "T4"} {
		b.tabs = append(b.tabs, tabIn{id: id, title: id, window: 1, at: place})
	}
	before := len(b.asked())
	if err := b.mutate(target, tab); err != nil {
		t.Fatal(err)
	}
	if asked := b.asked()[before:]; !slices.Equal(asked, []string{"Browser.getWindowForTarget"}) {
		t.Errorf("the browser was asked %v", asked)
	}
}

func TestNothingIsProvenByAnAnswerThatCannotBeUsed(t *testing.T) {
	b := newBench(t, embedded, accessEmbedded)
	target, tab := b.bind()
	b.tabs[0].code = -32603
	b.refusedFor(b.mutate(target, tab), refusal.ConnectFailed)
	b.Result("Browser.getWindowForTarget", map[string]any{"windowId": "one"})
	b.refusedFor(b.mutate(target, tab), refusal.ConnectFailed)
}

// single makes the world one without window ids, as embedded engines are.
func (w *scene) single() {
	w.Fail("Browser.getWindowForTarget", -32601, "'Browser.getWindowForTarget' wasn't found")
	w.windows[0].Title = "An application"
}

func TestAnEmbeddedPageIsExactWhileItIsTheOnlyOne(t *testing.T) {
	for _, tt := range []struct {
		name   string
		move   func(*scene)
		reason refusal.Reason
	}{
		{"nothing happened", func(*scene) {}, ""},
		{"a second window", func(w *scene) {
			w.windows = append(w.windows, windowAt(12, "About", platform.Rect{X: 900, Y: 100, W: 300, H: 300}))
		}, refusal.WindowChanged},
		{"a second window whose title is the page's", func(w *scene) {
			w.windows[0].Title = "One"
			w.windows = append(w.windows, windowAt(12, "About", place))
		}, refusal.WindowChanged},
		{"a window whose owner is not known", func(w *scene) {
			w.windows = append(w.windows, platform.Window{ID: 12, Owner: platform.OwnerUnknown})
		}, refusal.WindowChanged},
		{"a second page", func(w *scene) { w.tabs = append(w.tabs, tabIn{id: "T2", title: "Two"}) }, refusal.WindowChanged},
		{"a second page of the same title", func(w *scene) {
			w.windows[0].Title = "One"
			w.tabs = append(w.tabs, tabIn{id: "T2", title: "One"})
		}, refusal.WindowChanged},
		{"another page instead", func(w *scene) { w.tabs[0].id = "T2" }, refusal.TabMoved},
		{"no page", func(w *scene) { w.tabs = nil }, refusal.WindowChanged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, embedded, accessEmbedded)
			b.single()
			target, tab := b.bind()
			b.mu.Lock()
			tt.move(b.scene)
			b.mu.Unlock()
			err := b.mutate(target, tab)
			if tt.reason == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			b.refusedFor(err, tt.reason)
		})
	}
}

// two puts two windows of the browser into one place, told apart by titles.
func (w *scene) two(native1, native2, tab1, tab2 string) {
	w.windows = []platform.Window{windowAt(11, native1+" - Chromium", place), windowAt(12, native2+" - Chromium", place)}
	w.tabs = []tabIn{{id: "T1", title: tab1, window: 1, at: place}, {id: "T2", title: tab2, window: 2, at: place}}
}

// A title is in the browser's own list before the window system has it: what is
// bound while two pages take each other's is not the other's window.
func TestTitlesThatChangePlacesDoNotBindTheOther(t *testing.T) {
	b := personalBench(t)
	b.two("Zeta", "Alpha", "Alpha", "Zeta") // window 1 is 11, and its new title is on the way
	looks := 0
	b.looked = func() {
		if looks++; looks == 5 {
			b.windows[0].Title, b.windows[1].Title = "Alpha - Chromium", "Zeta - Chromium"
		}
	}
	r, err := b.e.State(t.Context(), contract.StateRequest{Session: movingSession, PID: movingPID, WindowID: 11})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Tabs) != 1 || r.Tabs[0].Title != "Alpha" || looks < 6 {
		t.Errorf("bound to %+v after %d looks, want the window whose title is Alpha", r.Tabs, looks)
	}
}

// What never stands still is told apart by nothing.
func TestWindowsThatDoNotStandStillAreNotBound(t *testing.T) {
	elsewhere := platform.Rect{X: 500, Y: 100, W: 800, H: 600}
	tests := map[string]struct {
		set, change func(*scene)
	}{
		"titles": {func(w *scene) { w.two("Zeta", "Alpha", "Alpha", "Zeta") }, func(w *scene) {
			w.windows[0].Title, w.windows[1].Title = w.windows[1].Title, w.windows[0].Title
			w.tabs[0].title, w.tabs[1].title = w.tabs[1].title, w.tabs[0].title
		}},
		"the title of the other": {func(w *scene) { w.two("Alpha", "Beta", "Alpha", "Beta") }, func(w *scene) {
			if w.tabs[1].title += "!"; len(w.tabs[1].title) > 100 {
				w.tabs[1].title = ""
			}
		}},
		"places": {func(w *scene) {
			w.two("Same", "Same", "Same", "Same")
			w.windows[1], w.tabs[1].at = windowAt(12, "Same - Chromium", elsewhere), elsewhere
		}, func(w *scene) {
			w.windows[0], w.windows[1] = windowAt(11, "Same - Chromium", w.windows[1].Client), windowAt(12, "Same - Chromium", w.windows[0].Client)
			w.tabs[0].at, w.tabs[1].at = w.tabs[1].at, w.tabs[0].at
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := personalBench(t)
			tt.set(b.scene)
			looks := 0
			b.looked = func() {
				if looks++; looks%3 == 0 {
					tt.change(b.scene)
				}
			}
			_, err := b.e.State(t.Context(), contract.StateRequest{Session: movingSession, PID: movingPID, WindowID: 11})
			if r, ok := refusal.As(err); !ok || r.Reason != refusal.SameBox {
				t.Errorf("%v, want a refusal for %s", err, refusal.SameBox)
			}
		})
	}
}

// Still windows are bound, and one that is alone is not waited for.
func TestStillWindowsAreBound(t *testing.T) {
	b := personalBench(t)
	b.two("Alpha", "Beta", "Alpha", "Beta")
	b.bind()
	if n := slices.Index(b.asked(), "Target.getTargets"); n < 0 {
		t.Fatal("the browser was not asked for its pages")
	}
	count := func() (n int) {
		for _, m := range b.asked() {
			if m == "Target.getTargets" {
				n++
			}
		}
		return n
	}
	told := count()
	if told != 1+len(titleMoments) {
		t.Errorf("the pages were listed %d times, want %d", told, 1+len(titleMoments))
	}
	b.windows, b.tabs = b.windows[:1], b.tabs[:1]
	b.bind()
	if again := count() - told; again != 1 {
		t.Errorf("of an only window, the pages were listed %d times", again)
	}
}

// A page that goes between the list and the question where it is has the list
// made anew; pages that come and go without end fail it.
func TestAPageThatGoesWhileItIsListed(t *testing.T) {
	for name, tt := range map[string]struct {
		times int
		whole bool
	}{"once": {1, true}, "twice": {2, true}, "again and again": {1000, false}} {
		t.Run(name, func(t *testing.T) {
			b := personalBench(t)
			left := tt.times
			b.Handle("Target.getTargets", func(m string, p json.RawMessage) (any, *devtools.Error) {
				list, err := b.targets(m, p)
				if left > 0 {
					left--
					all := list.(map[string]any)
					all["targetInfos"] = append(all["targetInfos"].([]any), map[string]any{"targetId": "GOING", "type": "page"})
				}
				return list, err
			})
			r, err := b.e.State(t.Context(), contract.StateRequest{Session: movingSession, PID: movingPID, WindowID: 11})
			if tt.whole != (err == nil && len(r.Tabs) == 1) {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}
