package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cuatui/engine"
	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
	"cuatui/fixtures/desktop"
)

// swayBrowser is a browser of a session's own in a session of Sway.
type swayBrowser struct {
	agent
	pid    int
	window uint64
	run    string // of the page it shows first
}

// launch starts a browser that shows a fixture page, with the sentinel in
// front. Its session ends with the test.
func (s *swayStage) launch(t *testing.T, e *engine.Engine, session, page string, more args) (swayBrowser, *contract.PrepareResult) {
	t.Helper()
	a := agent{t, &s.stage, e, session}
	url, run := s.pages.Page(page)
	ask[contract.StartSessionResult](a, "start_session", nil)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), waitMax)
		defer cancel()
		_ = headless.Call(ctx, e, "end_session", fmt.Appendf(nil, `{"session":%q}`, session))
	})
	arguments := args{"profile": "isolated_new", "allow_launch": true, "url": url}
	for k, v := range more {
		arguments[k] = v
	}
	made := ask[contract.PrepareResult](a, "browser_prepare", arguments)
	must(t, s.pages.Flush(soon(t), run))
	s.pages.Reset(run)
	if made.SideEffects.PrivateDisplay || len(made.WindowIDs) != 1 {
		t.Fatalf("prepared as %+v", made)
	}
	must(t, s.sway.FocusSentinel(soon(t)))
	must(t, s.arranged(t))
	return swayBrowser{a, made.PreparedPID, made.WindowIDs[0], run}, made
}

// arranged waits until the layout has taken in a new window: those that are
// shown stand side by side below their title bars.
func (s *swayStage) arranged(t *testing.T) error {
	t.Helper()
	_, err := s.sway.Wait(soon(t), func(f desktop.SwayFacts) bool {
		wide := 0
		for _, w := range f.Windows {
			if w.Visible {
				wide += w.Width
			}
		}
		return wide <= desktop.Width && !slices.ContainsFunc(f.Windows, func(w desktop.SwayWindow) bool { return w.Visible && w.Y == 0 })
	})
	return err
}

// spared fails if the page observed anything but that the layout gave its
// window another size, which may take it until now.
func (b tab) spared(run, what string) {
	b.t.Helper()
	seen := slices.DeleteFunc(b.settled(run), func(r fixtures.Record) bool { return r.Type == "resize" })
	if len(seen) > 0 {
		b.t.Errorf("%s: the page observed %s", what, told(seen))
	}
}

// facts are what Sway says, once nothing is on its way any more.
func (s *swayStage) facts(t *testing.T) desktop.SwayFacts {
	t.Helper()
	f, err := s.sway.Facts(soon(t))
	must(t, err)
	return f
}

// listed is how list_windows lists a window.
func (b swayBrowser) listed(window uint64) contract.NativeWindow {
	b.t.Helper()
	list := ask[contract.ListWindowsResult](b.agent, "list_windows", nil)
	i := slices.IndexFunc(list.Windows, func(w contract.NativeWindow) bool { return w.WindowID == window })
	if i < 0 {
		b.t.Fatalf("window %d is not listed: %+v", window, list)
	}
	return list.Windows[i]
}

func swayOneWindow(t *testing.T, s *swayStage) {
	b, _ := s.launch(t, s.engine, "one", "inbox-attribute", nil)
	facts := s.facts(t)
	if i := slices.IndexFunc(facts.Windows, func(w desktop.SwayWindow) bool { return w.ID == b.window }); i < 0 || facts.Windows[i].PID != b.pid {
		t.Fatalf("window %d of process %d is not Sway's: %+v", b.window, b.pid, facts)
	}
	if w := b.listed(b.window); w.WouldBind.Verdict != "exact" || w.PID != b.pid || w.Active || w.Access != "driver_owned" || !strings.HasPrefix(w.Title, "Inbox") || w.Box[2] <= 0 {
		t.Errorf("listed as %+v", w)
	}
	bound := ask[contract.StateResult](b.agent, "get_browser_state", args{"pid": b.pid, "window_id": b.window})
	if bound.BindingQuality != "exact" || bound.BindingRoute != "cardinality" || bound.MutationAllowed == nil || !*bound.MutationAllowed || len(bound.Tabs) != 1 {
		t.Fatalf("bound as %+v", bound)
	}
	if at := failed(bound.Proof); len(at) > 0 {
		t.Errorf("steps failed: %+v", at)
	}
	in := tab{b.agent, bound.TargetID, bound.Tabs[0].TabID}
	readToTheEnd(t, in, "inbox-attribute", in.state(nil))
	in.spared(b.run, "reading to the end")
	ref := find(t, in.state(nil), "button", "Send").Ref
	in.click(ref, "trusted_key")
	oneClick(t, in.settled(b.run), "send", true)
	s.pages.Reset(b.run)
	in.click(ref, "dom_event")
	oneClick(t, in.settled(b.run), "send", false)
	if now := s.facts(t); !now.Is(facts) {
		t.Errorf("Sway shows %+v, before %+v", now, facts)
	}
}

func swayPointer(t *testing.T, s *swayStage) {
	b, _ := s.launch(t, s.engine, "pointer", "inbox-attribute", nil)
	in := b.bind(b.pid, b.window)
	before := s.facts(t)
	for _, arguments := range []args{{}, {"delivery_mode": "background"}} {
		e := find(t, in.state(nil), "button", "Send")
		if !slices.Contains(e.Routes["click"], "trusted") {
			t.Errorf("routes %v do not offer trusted", e.Routes)
		}
		s.pages.Reset(b.run)
		arguments["ref"], arguments["route"] = e.Ref, "trusted"
		got := ask[contract.ActionResult](b.agent, "browser_click", in.with(arguments))
		seen := in.settled(b.run)
		oneClick(t, seen, "send", true)
		if fixtures.Count(seen, "mousedown", "send") != 1 || fixtures.Count(seen, "mouseup", "send") != 1 {
			t.Errorf("observed %s", told(seen))
		}
		if got.Delivery.Mode != "background" || got.Effect != refusal.EffectConfirmed || !slices.Contains(got.SideEffects, "the window is marked as wanting attention") {
			t.Errorf("answered %+v", got)
		}
		// The mark comes last; then whatever else would have come is there.
		now, err := s.sway.Wait(soon(t), func(f desktop.SwayFacts) bool {
			return slices.ContainsFunc(f.Windows, func(w desktop.SwayWindow) bool { return w.ID == b.window && w.Urgent })
		})
		must(t, err)
		for i := range now.Windows {
			now.Windows[i].Urgent = false
		}
		if !now.Is(before) {
			t.Errorf("Sway shows %+v, before %+v", now, before)
		}
		must(t, s.sway.FocusSentinel(soon(t)))
	}
	must(t, s.sway.Focus(soon(t), b.window))
	got := in.click(find(t, in.state(nil), "button", "Send").Ref, "trusted")
	if slices.Contains(got.SideEffects, "the window is marked as wanting attention") {
		t.Errorf("the window in front is marked: %+v", got)
	}
}

// mutations are one good call of every kind that changes something.
func mutations(ref string) map[string]args {
	return map[string]args{
		"click by key":      {"tool": "browser_click", "ref": ref, "route": "trusted_key"},
		"click by event":    {"tool": "browser_click", "ref": ref, "route": "dom_event"},
		"click by pointer":  {"tool": "browser_click", "ref": ref, "route": "trusted"},
		"click in front":    {"tool": "browser_click", "ref": ref, "route": "trusted", "delivery_mode": "foreground"},
		"navigate to a URL": {"tool": "browser_navigate", "url": "about:blank"},
		"navigate back":     {"tool": "browser_navigate", "action": "back"},
		"reload":            {"tool": "browser_navigate", "action": "reload"},
	}
}

func swayTwoWindows(t *testing.T, s *swayStage) {
	b, made := s.launch(t, s.engine, "two", "inbox-attribute", args{"expose_port": true})
	exact := b.bind(b.pid, b.window)
	ref := find(t, exact.state(nil), "button", "Send").Ref

	w, err := dialWitness(soon(t), made.SideEffects.PortExposed)
	must(t, err)
	t.Cleanup(func() { must(t, w.conn.Close()) })
	url, run := s.pages.Page("form")
	must(t, w.conn.Browser().Call(soon(t), "Target.createTarget", map[string]any{"url": url, "newWindow": true}, nil))
	must(t, s.pages.Flush(soon(t), run))
	second, err := s.sway.WaitWindow(soon(t), func(w desktop.SwayWindow) bool {
		return w.PID == b.pid && w.ID != b.window && !strings.HasPrefix(w.Title, "about:blank") && strings.HasSuffix(w.Title, "Chromium")
	})
	must(t, err)
	must(t, s.sway.FocusSentinel(soon(t)))
	must(t, s.arranged(t))
	s.pages.Reset(run)
	s.pages.Reset(b.run)

	// What was exact by there being one of each is so no more.
	for name, m := range mutations(ref) {
		tool := m["tool"].(string)
		delete(m, "tool")
		answer, raw := b.call(tool, exact.with(m))
		if answer.Refusal == nil || answer.Refusal.Refusal.Reason != refusal.WindowChanged {
			t.Errorf("%s of what was exact: %.500s", name, raw)
		}
	}
	for _, window := range []struct {
		id   uint64
		run  string
		role string
		name string
	}{{b.window, b.run, "button", "Send"}, {second.ID, run, "button", "Add item"}} {
		if l := b.listed(window.id); l.WouldBind.Verdict != "heuristic" {
			t.Errorf("listed as %+v", l)
		}
		bound := ask[contract.StateResult](b.agent, "get_browser_state", args{"pid": b.pid, "window_id": window.id})
		if bound.BindingQuality != "heuristic" || bound.MutationAllowed == nil || *bound.MutationAllowed || len(bound.Tabs) != 1 {
			t.Fatalf("bound as %+v", bound)
		}
		in := tab{b.agent, bound.TargetID, bound.Tabs[0].TabID}
		ref := find(t, in.state(nil), window.role, window.name).Ref
		for name, m := range mutations(ref) {
			tool := m["tool"].(string)
			delete(m, "tool")
			if r := b.refused(refusal.HeuristicBinding, tool, in.with(m)); r.Code != refusal.WrongTargetRefused {
				t.Errorf("%s: %+v", name, r)
			}
		}
		in.spared(window.run, "what was refused")
	}

	// Of two titles that are alike none says which window is meant.
	w.eval(t, run, "document.title = 'Inbox'", nil)
	_, err = s.sway.WaitWindow(soon(t), func(w desktop.SwayWindow) bool { return w.ID == second.ID && strings.HasPrefix(w.Title, "Inbox") })
	must(t, err)
	r := b.refused(refusal.SameTitle, "get_browser_state", args{"pid": b.pid, "window_id": second.ID})
	if r.Detail == nil || len(r.Detail.Candidates) != 2 {
		t.Errorf("detail %+v, want both candidates", r.Detail)
	}
}

func swayXwayland(t *testing.T, s *swayStage) {
	t.Setenv("DISPLAY", s.sway.XDisplay())
	e, err := engine.New(engine.Options{StateDir: s.state, BrowserArgs: []string{"--disable-gpu"}})
	must(t, err)
	t.Cleanup(func() { must(t, e.Close(context.Background())) })
	b, _ := s.launch(t, e, "xwayland", "inbox-attribute", nil)
	facts := s.facts(t)
	i := slices.IndexFunc(facts.Windows, func(w desktop.SwayWindow) bool { return w.PID == b.pid })
	if i < 0 || uint64(facts.Windows[i].XID) != b.window {
		t.Fatalf("window %#x is not on Xwayland: %+v", b.window, facts.Windows)
	}
	list := ask[contract.ListWindowsResult](b.agent, "list_windows", args{"all": true})
	seen := 0
	for _, w := range list.Windows {
		if w.PID == b.pid {
			seen++
		}
	}
	if seen != 1 || list.System != "linux/sway+x11" || len(list.Notes) > 0 {
		t.Errorf("its window is listed %d times in %+v", seen, list)
	}
	in := b.bind(b.pid, b.window)
	ref := find(t, in.state(nil), "button", "Send").Ref
	in.clickRefused(refusal.WouldActivate, ref, "trusted")
	in.click(ref, "dom_event")
	oneClick(t, in.settled(b.run), "send", false)
	if now := s.facts(t); !now.Is(facts) {
		t.Errorf("Sway shows %+v, before %+v", now, facts)
	}
}

// another is a Sway of its own setting, found in the environment in the
// place of the shared one until the test ends.
func (s *swayStage) another(t *testing.T, lines ...string) *swayStage {
	t.Helper()
	sway, err := desktop.StartSway(soon(t), lines...)
	must(t, err)
	t.Cleanup(func() { must(t, sway.Close()) })
	for _, kv := range sway.Vars() {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	e, err := engine.New(engine.Options{StateDir: s.state, Wayland: true, BrowserArgs: []string{"--disable-gpu"}})
	must(t, err)
	t.Cleanup(func() { must(t, e.Close(context.Background())) })
	other := &swayStage{stage: s.stage, sway: sway}
	other.engine = e
	return other
}

func swayBehind(t *testing.T, s *swayStage) {
	other := s.another(t, "workspace_layout tabbed", `no_focus [app_id="chromium-browser"]`)
	b, _ := other.launch(t, other.engine, "behind", "inbox-attribute", nil)
	facts := other.facts(t)
	if i := slices.IndexFunc(facts.Windows, func(w desktop.SwayWindow) bool { return w.ID == b.window }); i < 0 || facts.Windows[i].Visible || facts.Windows[i].PID != b.pid {
		t.Fatalf("the window is not behind the sentinel: %+v", facts)
	}
	in := b.bind(b.pid, b.window)
	in.click(find(t, in.state(nil), "button", "Send").Ref, "dom_event")
	oneClick(t, in.settled(b.run), "send", false)
}

func swayActivating(t *testing.T, s *swayStage) {
	other := s.another(t, "focus_on_window_activation focus")
	b, _ := other.launch(t, other.engine, "activating", "inbox-attribute", nil)
	in := b.bind(b.pid, b.window)
	before := other.facts(t)
	e := find(t, in.state(nil), "button", "Send")
	if slices.Contains(e.Routes["click"], "trusted") {
		t.Errorf("routes %v offer what would be refused", e.Routes)
	}
	r := in.clickRefused(refusal.WouldActivate, e.Ref, "trusted")
	if r.Detail == nil || !slices.Equal(r.Detail.AlternativeRoutes, []string{"trusted_key", "dom_event"}) {
		t.Errorf("detail %+v, want both other routes", r.Detail)
	}
	in.spared(b.run, "a refused pointer")
	if now := other.facts(t); !now.Is(before) {
		t.Errorf("Sway shows %+v, before %+v", now, before)
	}
	got := ask[contract.ActionResult](b.agent, "browser_click", in.with(args{"ref": e.Ref, "route": "trusted", "delivery_mode": "foreground"}))
	_, err := other.sway.Wait(soon(t), func(f desktop.SwayFacts) bool { return f.Focused == b.window })
	must(t, err)
	if got.Delivery.Mode != "foreground" {
		t.Errorf("answered %+v", got)
	}
}

// untold leaves the session's display and takes away how Sway is asked for its
// windows: what is left is what any compositor gives.
func (s *swayStage) untold(t *testing.T) {
	t.Helper()
	vars := map[string]string{}
	for _, kv := range s.sway.Vars() {
		name, value, _ := strings.Cut(kv, "=")
		vars[name] = value
	}
	t.Setenv("WAYLAND_DISPLAY", vars["XDG_RUNTIME_DIR"]+"/"+vars["WAYLAND_DISPLAY"])
	t.Setenv("SWAYSOCK", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
}

func swayUnknownCompositor(t *testing.T, s *swayStage) {
	s.untold(t)
	for _, asked := range []bool{false, true} {
		e, err := engine.New(engine.Options{StateDir: s.state, Wayland: asked, BrowserArgs: []string{"--disable-gpu"}})
		must(t, err)
		t.Cleanup(func() { must(t, e.Close(context.Background())) })
		a := agent{t, &s.stage, e, "unknown"}
		ask[contract.StartSessionResult](a, "start_session", nil)
		list := ask[contract.ListWindowsResult](a, "list_windows", nil)
		if len(list.Windows) > 0 || len(list.Notes) != 1 || !strings.Contains(list.Notes[0], "no interface for them") {
			t.Errorf("%+v does not say what is missing", list)
		}
		before := s.facts(t)
		prepare := args{"profile": "isolated_new", "allow_launch": true}
		if asked {
			r := a.refused(refusal.DisplayUnavailable, "browser_prepare", prepare)
			if r.Detail == nil || len(r.Detail.Missing) != 1 || !strings.Contains(r.Detail.Missing[0], "not Sway") {
				t.Errorf("detail %+v does not say what is missing", r.Detail)
			}
		} else if made := ask[contract.PrepareResult](a, "browser_prepare", prepare); !made.SideEffects.PrivateDisplay {
			t.Errorf("prepared as %+v, want a private display", made)
		}
		if now := s.facts(t); !now.Is(before) {
			t.Errorf("Sway shows %+v, before %+v", now, before)
		}
	}
}

// inner is the size of the page's window, CSS px.
type inner struct {
	W, H  int
	Scale float64
}

const askInner = "({W: innerWidth, H: innerHeight, Scale: devicePixelRatio})"

func swaySameOutline(t *testing.T, s *swayStage) {
	on, made := s.launch(t, s.engine, "outline", "inbox-attribute", args{"expose_port": true})
	w, err := dialWitness(soon(t), made.SideEffects.PortExposed)
	must(t, err)
	t.Cleanup(func() { must(t, w.conn.Close()) })
	var want, got inner
	w.eval(t, on.run, askInner, &want)
	snapshot := on.bind(on.pid, on.window).state(nil)

	x, err := desktop.Start(soon(t))
	must(t, err)
	t.Cleanup(func() { must(t, x.Close()) })
	e, err := engine.New(engine.Options{StateDir: s.state, Display: x.Display(), BrowserArgs: []string{"--disable-gpu", "--site-per-process"}})
	must(t, err)
	t.Cleanup(func() { must(t, e.Close(context.Background())) })
	other, made := s.launch(t, e, "outline-x11", "inbox-attribute", args{"expose_port": true})
	v, err := dialWitness(soon(t), made.SideEffects.PortExposed)
	must(t, err)
	t.Cleanup(func() { must(t, v.conn.Close()) })
	v.eval(t, other.run, askInner, &got)
	// The window itself is resized, as by a person; nothing is emulated.
	var at struct {
		ID     int `json:"windowId"`
		Bounds struct {
			W int `json:"width"`
			H int `json:"height"`
		} `json:"bounds"`
	}
	must(t, v.conn.Browser().Call(soon(t), "Browser.getWindowForTarget", map[string]any{"targetId": v.showing(t, other.run).ID}, &at))
	must(t, v.conn.Browser().Call(soon(t), "Browser.setWindowBounds", map[string]any{
		"windowId": at.ID, "bounds": map[string]any{"width": at.Bounds.W + want.W - got.W, "height": at.Bounds.H + want.H - got.H},
	}, nil))
	v.eval(t, other.run, fmt.Sprintf(`new Promise(done => {
		const look = () => { if (innerWidth === %d && innerHeight === %d) done(); };
		addEventListener('resize', look);
		look();
	})`, want.W, want.H), nil)
	v.eval(t, other.run, askInner, &got)
	if got != want {
		t.Fatalf("the page is %+v on X11 and %+v on Sway", got, want)
	}
	if there := other.bind(other.pid, other.window).state(nil); there.Outline != snapshot.Outline {
		t.Errorf("on X11:\n%s\non Sway:\n%s", there.Outline, snapshot.Outline)
	}
}
