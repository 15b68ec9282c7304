package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
	"cuatui/fixtures/desktop"
	"cuatui/platform"
	"cuatui/platform/proc"
)

// second is a second window of the shared browser.
type second struct {
	run      string
	window   uint64
	target   string // the browser's ids
	browser  int
	closed   bool
	on       *stage
	boundsOf map[string]any // of the first window
}

// openWindow opens a second window of the shared browser behind the engine's
// back, where the first one is.
func (s *stage) openWindow(t *testing.T, page, first string) *second {
	t.Helper()
	url, run := s.pages.Page(page)
	o := &second{run: run, on: s}
	browser := s.witness.conn.Browser()
	var made struct {
		ID string `json:"targetId"`
	}
	must(t, browser.Call(soon(t), "Target.createTarget", map[string]any{"url": url, "newWindow": true}, &made))
	o.target = made.ID
	t.Cleanup(func() { o.close(t) })
	must(t, s.pages.Flush(soon(t), run))
	var at struct {
		WindowID int `json:"windowId"`
		Bounds   map[string]any
	}
	must(t, browser.Call(soon(t), "Browser.getWindowForTarget", map[string]any{"targetId": o.target}, &at))
	o.browser = at.WindowID
	must(t, browser.Call(soon(t), "Browser.getWindowForTarget", map[string]any{"targetId": s.witness.showing(t, first).ID}, &at))
	delete(at.Bounds, "windowState")
	o.boundsOf = at.Bounds
	o.place(t, 0)
	o.window = uint64(s.waitWindow(t, 0).ID)
	must(t, s.desktop.RaiseSentinel(soon(t)))
	s.witness.learn(t)
	s.pages.Reset(run)
	return o
}

// place puts the window so many pixels to the right of the first one.
func (o *second) place(t *testing.T, dx float64) {
	t.Helper()
	bounds := map[string]any{}
	for k, v := range o.boundsOf {
		bounds[k] = v
	}
	bounds["left"] = o.boundsOf["left"].(float64) + dx
	must(t, o.on.witness.conn.Browser().Call(soon(t), "Browser.setWindowBounds", map[string]any{"windowId": o.browser, "bounds": bounds}, nil))
}

// waitWindow waits until a second window of the shared browser is so many
// pixels to the right of the first one.
func (s *stage) waitWindow(t *testing.T, dx int) desktop.Window {
	t.Helper()
	all, err := s.desktop.Windows()
	must(t, err)
	var first desktop.Window
	for _, w := range all {
		if uint64(w.ID) == s.window {
			first = w
		}
	}
	w, err := s.desktop.WaitWindow(soon(t), func(w desktop.Window) bool {
		return w.PID == s.pid && w.ID != first.ID && w.X == first.X+dx && w.Y == first.Y && w.Width == first.Width && w.Height == first.Height
	})
	must(t, err)
	return w
}

// close closes the window, once.
func (o *second) close(t *testing.T) {
	if o.closed {
		return
	}
	o.closed = true
	ctx, cancel := context.WithTimeout(context.Background(), waitMax)
	defer cancel()
	if err := o.on.witness.conn.Browser().Call(ctx, "Target.closeTarget", map[string]any{"targetId": o.target}, nil); err != nil {
		t.Error(err)
		return
	}
	if err := o.on.waitGone(ctx, o.window); err != nil {
		t.Errorf("the second window has not closed: %v", err)
	}
}

// waitGone waits until a window is managed no more.
func (s *stage) waitGone(ctx context.Context, window uint64) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		all, err := s.desktop.Windows()
		if err != nil || !slices.ContainsFunc(all, func(w desktop.Window) bool { return uint64(w.ID) == window }) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// native makes the window manager do something, as a person does.
func (s *stage) native(t *testing.T, arguments ...string) {
	t.Helper()
	cmd := exec.CommandContext(soon(t), "xdotool", arguments...)
	cmd.Env = s.desktop.Env()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("xdotool %v: %v %s", arguments, err, out)
	}
}

func TestAWindowThatMovesStaysExact(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "keys")
	ref := find(t, b.state(nil), "button", "Button").Ref
	id := fmt.Sprint(s.window)
	all, err := s.desktop.Windows()
	must(t, err)
	for _, step := range [][]string{
		{"windowmove", "--sync", id, "211", "137"}, {"windowsize", "--sync", id, "901", "655"}, {"windowmove", "--sync", id, "3", "60"},
	} {
		s.native(t, step...)
		display := s.watch(t)
		b.click(ref, "dom_event")
		display.undisturbed("a click after " + step[0])
	}
	if n := fixtures.Count(b.settled(run), "click", "button"); n != 3 {
		t.Errorf("%d clicks arrived, want 3", n)
	}
	for _, w := range all { // the other tests' window is as it was
		if uint64(w.ID) == s.window {
			s.native(t, "windowsize", id, fmt.Sprint(w.Width), fmt.Sprint(w.Height))
			s.native(t, "windowmove", id, fmt.Sprint(w.X), fmt.Sprint(w.Y))
		}
	}
}

func TestTwoWindowsInOnePlace(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "keys")
	ref := find(t, b.state(nil), "button", "Button").Ref
	other := s.openWindow(t, "keys", run)
	b.settled(run)
	s.pages.Reset(run)
	display := s.watch(t)

	// What was bound is not what it was; and neither of the two can be bound.
	for _, route := range []string{"dom_event", "trusted_key"} {
		r := b.clickRefused(refusal.WindowChanged, ref, route)
		if r.Detail == nil || len(r.Detail.Candidates) != 2 {
			t.Errorf("detail %+v, want both candidates", r.Detail)
		}
		b.leads(r)
	}
	for _, window := range []uint64{s.window, other.window} {
		r := b.refused(refusal.SameBox, "get_browser_state", args{"pid": s.pid, "window_id": window})
		if r.Code != refusal.BindingAmbiguous || r.Detail == nil || len(r.Detail.Candidates) != 2 {
			t.Errorf("%s, detail %+v; want both candidates", r.Code, r.Detail)
		}
		b.leads(r)
	}
	b.untouched(run, "refusals for two windows in one place")
	b.untouched(other.run, "refusals for two windows in one place")
	display.undisturbed("refusals for two windows in one place")

	// Titles tell them apart.
	s.witness.eval(t, other.run, "document.title = 'Another one'", nil)
	_, err := s.desktop.WaitWindow(soon(t), func(w desktop.Window) bool {
		return uint64(w.ID) == other.window && w.Title == "Another one - Chromium"
	})
	must(t, err)
	b.click(ref, "dom_event")
	oneClick(t, b.settled(run), "button", false)
	b.untouched(other.run, "a click in the first window")
	s.pages.Reset(run)
	there := b.bind(s.pid, other.window)
	there.click(find(t, there.state(nil), "button", "Button").Ref, "dom_event")
	oneClick(t, b.settled(other.run), "button", false)
	b.untouched(run, "a click in the second window")

	// Elsewhere, it is none of the first one's business.
	s.witness.eval(t, other.run, "document.title = 'Keys'", nil)
	other.place(t, 40)
	s.waitWindow(t, 40)
	s.pages.Reset(run)
	b.click(ref, "dom_event")
	oneClick(t, b.settled(run), "button", false)
}

// Windows in one place whose pages go on changing their titles are not bound: the browser's own list has a title before the window system does.
func TestTitlesThatGoOnChangingBindNoOther(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "keys")
	other := s.openWindow(t, "keys", run) // in the same place
	const flip = `window.flips = setInterval(() => { document.title = document.title === %q ? %q : %q }, %d)`
	for _, tt := range []struct {
		name          string
		first, second string
	}{
		{"one flips to the other's", `document.title = 'Alpha'`, `document.title = 'Zeta'; ` + fmt.Sprintf(flip, "Alpha", "Zeta", "Alpha", 130)},
		{"both flip", `document.title = 'Alpha'; ` + fmt.Sprintf(flip, "Alpha", "Zeta", "Alpha", 130), `document.title = 'Zeta'; ` + fmt.Sprintf(flip, "Alpha", "Zeta", "Alpha", 130)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := b.on(t)
			s.witness.eval(t, run, tt.first, nil)
			s.witness.eval(t, other.run, tt.second, nil)
			for range 6 {
				b.refused(refusal.SameBox, "get_browser_state", args{"pid": s.pid, "window_id": other.window})
			}
			for _, r := range []string{run, other.run} {
				s.witness.eval(t, r, "clearInterval(window.flips); document.title = 'Keys'", nil)
			}
		})
	}
}

func TestAWindowThatIsClosedIsGone(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "keys")
	other := s.openWindow(t, "form", run)
	other.place(t, 40)
	s.waitWindow(t, 40)
	there := b.bind(s.pid, other.window)
	there.state(nil)
	other.close(t)
	b.settled(run)
	s.pages.Reset(run)
	for tool, arguments := range map[string]args{
		"get_browser_state": there.with(nil), "browser_click": there.with(args{"ref": "p1:1", "route": "dom_event"}), "browser_navigate": there.with(args{"action": "reload"}),
	} {
		b.leads(b.refused(refusal.WindowGone, tool, arguments))
	}
	b.leads(b.refused(refusal.WindowGone, "get_browser_state", args{"pid": s.pid, "window_id": other.window}))
	b.untouched(run, "calls on a closed window")
	if bound := ask[contract.StateResult](b.agent, "get_browser_state", args{"pid": s.pid, "window_id": s.window}); bound.BindingQuality != "exact" {
		t.Errorf("the window that is left is bound as %+v", bound)
	}
}

func TestABrowserThatWasKilledIsGone(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "killed")
	url, run := s.pages.Page("keys")
	made := ask[contract.PrepareResult](a, "browser_prepare", args{"profile": "isolated_new", "allow_launch": true, "url": url})
	must(t, s.pages.Flush(soon(t), run))
	must(t, s.desktop.RaiseSentinel(soon(t)))
	b := a.bind(made.PreparedPID, made.WindowIDs[0])
	b.state(nil)
	must(t, syscall.Kill(-made.PreparedPID, syscall.SIGKILL))
	must(t, s.waitGone(soon(t), made.WindowIDs[0]))
	waitEnded(t, made.PreparedPID)
	for tool, arguments := range map[string]args{
		"get_browser_state": b.with(nil), "browser_click": b.with(args{"ref": "p1:1", "route": "dom_event"}), "browser_navigate": b.with(args{"action": "reload"}),
	} {
		b.leads(b.refused(refusal.ProcessChanged, tool, arguments))
	}
}

// waitEnded waits until a process that was killed has ended, its parent having
// asked for its end or not.
func waitEnded(t *testing.T, pid int) {
	t.Helper()
	ctx, system := soon(t), proc.New("")
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := system.Process(ctx, pid); errors.Is(err, platform.ErrNotFound) || errors.Is(err, platform.ErrUnknown) {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("process %d goes on", pid)
		}
	}
}

// TestATabThatWasMovedIsNeitherReadNorActedOn: a person drags the tab out into a window of
// its own, for which a page of the browser's own stands in.
func TestATabThatWasMovedIsNeitherReadNorActedOn(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "moved-tab")
	profile := t.TempDir()
	url, run := s.pages.Page("keys")
	o := s.browse(t, profile, url, "--remote-debugging-port=0")
	must(t, s.pages.Flush(soon(t), run))
	w, err := dialWitness(soon(t), portOf(t, profile))
	must(t, err)
	t.Cleanup(func() { must(t, w.conn.Close()) })
	const mover = "chrome://bookmarks"
	must(t, w.conn.Browser().Call(soon(t), "Target.createTarget", map[string]any{"url": mover, "background": true}, nil))
	must(t, s.desktop.RaiseSentinel(soon(t)))
	a.grant(o)
	bound := ask[contract.StateResult](a, "get_browser_state", o.where())
	i := slices.IndexFunc(bound.Tabs, func(t contract.Tab) bool { return t.URL == url })
	if bound.BindingQuality != "exact" || len(bound.Tabs) != 2 || i < 0 {
		t.Fatalf("bound as %+v", bound)
	}
	b := tab{a, bound.TargetID, bound.Tabs[i].TabID}
	ref := find(t, b.state(nil), "button", "Button").Ref
	b.click(ref, "dom_event")

	w.eval(t, mover, "new Promise(done => chrome.tabs.query({active: true}, tabs => chrome.windows.create({tabId: tabs[0].id}, () => done(1))))", nil)
	there, err := s.desktop.WaitWindow(soon(t), func(w desktop.Window) bool {
		return w.PID == o.pid && uint64(w.ID) != o.window && w.Title == "Keys - Chromium"
	})
	must(t, err)
	must(t, s.desktop.RaiseSentinel(soon(t)))
	b.settled(run)
	s.pages.Reset(run)
	display := s.watch(t)
	for name, m := range mutations(ref) {
		tool := m["tool"].(string)
		delete(m, "tool")
		r := a.refused(refusal.TabMoved, tool, b.with(m))
		if at := failed(r.Proof); len(at) != 1 || at[0].Step != "browser_window" {
			t.Errorf("%s failed at %+v", name, at)
		}
		a.leads(r)
	}
	for name, read := range map[string]args{
		"snapshot": {}, "continuation": {"continuation": "cont-1"}, "query": {"query": "Button"},
		"explain": {"tool": "explain_browser_state", "text": "Button"}, "wait": {"tool": "browser_wait", "text": "Button"},
		"dialog": {"tool": "browser_dialog", "answer": "inspect"},
	} {
		tool, ok := read["tool"].(string)
		if delete(read, "tool"); !ok {
			tool = "get_browser_state"
		}
		r := a.refused(refusal.TabMoved, tool, b.with(read))
		if at := failed(r.Proof); len(at) != 1 || at[0].Step != "browser_window" {
			t.Errorf("%s failed at %+v", name, at)
		}
		a.leads(r)
	}
	b.untouched(run, "acting in the window that it left")
	display.undisturbed("acting in the window that it left")

	// Where it is now it can be used, by a consent of that window's own.
	o.window = uint64(there.ID)
	a.refused(refusal.PersonalBrowser, "get_browser_state", o.where())
	a.grant(o)
	now := a.bind(o.pid, o.window)
	now.click(find(t, now.state(nil), "button", "Button").Ref, "dom_event")
	oneClick(t, now.settled(run), "button", false)
}
