package e2e_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"cuatui/engine"
	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures/desktop"
	"cuatui/platform"
)

// program starts a person's Chromium in the session, with the sentinel in
// front, and returns it and its port.
func (s *swayStage) program(t *testing.T, ozone, url, run string) (*outside, int) {
	t.Helper()
	profile := t.TempDir()
	o, said := begin(t, append(s.sway.Env(), "DISPLAY="+s.sway.XDisplay()), profile, personalChromium, browsing(profile, ozone, url, "--remote-debugging-port=0")...)
	if _, err := s.sway.WaitWindow(soon(t), func(w desktop.SwayWindow) bool { return w.PID == o.pid }); err != nil {
		o.kill()
		t.Fatalf("Chromium shows no window: %v; it said %s", err, said.String())
	}
	must(t, s.pages.Flush(soon(t), run))
	s.pages.Reset(run)
	must(t, s.sway.FocusSentinel(soon(t)))
	must(t, s.arranged(t))
	return o, portOf(t, profile)
}

// visitor is a session of an engine that finds the compositor as the
// environment has it now.
func (s *swayStage) visitor(t *testing.T, session string) agent {
	t.Helper()
	e, err := engine.New(engine.Options{StateDir: t.TempDir()})
	must(t, err)
	t.Cleanup(func() { must(t, e.Close(context.Background())) })
	own := s.stage
	own.engine = e
	a := agent{t, &own, e, session}
	ask[contract.StartSessionResult](a, "start_session", nil)
	return a
}

// untoldBrowser is a person's Chromium under a compositor that tells nothing of
// its windows. Sway itself is asked by the test alone, as the witness.
func untoldBrowser(t *testing.T, s *swayStage) {
	url, run := s.pages.Page("inbox-attribute")
	o, port := s.program(t, "wayland", url, run)
	s.untold(t)
	a := s.visitor(t, "untold")
	before := s.facts(t)
	o.window = uint64(platform.WaylandWindow(o.pid))
	where := args{"pid": o.pid, "window_id": o.window}

	if w := a.listed(o.window); w.WouldBind.Reason != refusal.PersonalBrowser || w.Title != "" || w.Box != [4]float64{} || w.Product != "Chromium" {
		t.Errorf("listed as %+v", w)
	}
	a.refused(refusal.PersonalBrowser, "get_browser_state", where)
	if all, _ := connections(t, port); all > 0 {
		t.Errorf("%d connections reached the browser's port without consent", all)
	}
	a.grant(o)
	if w := a.listed(o.window); w.WouldBind.Verdict != "heuristic" {
		t.Errorf("listed as %+v", w)
	}
	list := ask[contract.ListWindowsResult](a, "list_windows", nil)
	if len(list.Windows) != 1 || len(list.Notes) != 1 || !strings.Contains(list.Notes[0], "not acted on") || list.System != "linux/wayland" {
		t.Errorf("listed %+v", list)
	}
	bound := ask[contract.StateResult](a, "get_browser_state", where)
	if bound.BindingQuality != "heuristic" || bound.BindingRoute != "" || bound.MutationAllowed == nil || *bound.MutationAllowed || len(bound.Tabs) != 1 || bound.Tabs[0].URL != url {
		t.Fatalf("bound as %+v", bound)
	}
	in := tab{a, bound.TargetID, bound.Tabs[0].TabID}
	e := find(t, in.state(nil), "button", "Send")
	for name, m := range mutations(e.Ref) {
		tool := m["tool"].(string)
		delete(m, "tool")
		if r := a.refused(refusal.HeuristicBinding, tool, in.with(m)); r.Code != refusal.WrongTargetRefused || r.Next == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	in.spared(run, "what was refused")
	if now := s.facts(t); !now.Is(before) {
		t.Errorf("Sway shows %+v, before %+v", now, before)
	}

	w, err := dialWitness(soon(t), port)
	must(t, err)
	t.Cleanup(func() { must(t, w.conn.Close()) })
	second, other := s.pages.Page("form")
	must(t, w.conn.Browser().Call(soon(t), "Target.createTarget", map[string]any{"url": second, "newWindow": true}, nil))
	must(t, s.pages.Flush(soon(t), other))
	r := a.refused(refusal.SeveralWindows, "get_browser_state", where)
	if r.Code != refusal.BindingAmbiguous || r.Detail == nil || len(r.Detail.Candidates) != 2 {
		t.Errorf("refused as %+v, want both candidates", r)
	}
	a.leads(r)

	o.kill()
	a.leads(a.refused(refusal.NotABrowser, "get_browser_state", where))
	a.leads(a.refused(refusal.ProcessChanged, "get_browser_state", in.with(nil)))
}

// untoldXwayland: what a window is says the process, not the environment.
func untoldXwayland(t *testing.T, s *swayStage) {
	url, run := s.pages.Page("inbox-attribute")
	o, _ := s.program(t, "x11", url, run)
	s.untold(t)
	t.Setenv("DISPLAY", s.sway.XDisplay())
	a := s.visitor(t, "untold-x11")
	list := ask[contract.ListWindowsResult](a, "list_windows", nil)
	if len(list.Windows) != 1 || list.Windows[0].PID != o.pid || len(list.Notes) != 1 {
		t.Fatalf("listed %+v, want its window on X11 alone", list)
	}
	o.window = list.Windows[0].WindowID
	facts := s.facts(t)
	i := slices.IndexFunc(facts.Windows, func(w desktop.SwayWindow) bool { return w.PID == o.pid })
	if i < 0 || uint64(facts.Windows[i].XID) != o.window {
		t.Fatalf("window %#x is not on Xwayland: %+v", o.window, facts.Windows)
	}
	a.grant(o)
	in := a.bind(o.pid, o.window)
	in.click(find(t, in.state(nil), "button", "Send").Ref, "dom_event")
	oneClick(t, in.settled(run), "send", false)
	if now := s.facts(t); !now.Is(facts) {
		t.Errorf("Sway shows %+v, before %+v", now, facts)
	}
}
