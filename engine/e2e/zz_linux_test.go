package e2e_test

import "testing"

func TestZZColor(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "form")
	e := find(t, b.state(nil), "", "Colour")
	t.Logf("%+v", e)
	w := s.watch(t)
	got := b.click(e.Ref, "trusted_key")
	t.Logf("%+v", got)
	t.Log(told(b.settled(run)))
	f, _ := s.desktop.Facts()
	ws, _ := s.desktop.Windows()
	t.Logf("%+v\n%+v\nbefore %+v", f, ws, w.before)
	w.undisturbed("color")
	got = b.click(e.Ref, "dom_event")
	t.Logf("%+v", got)
	w.undisturbed("color dom")
	list, _ := b.call("list_windows", args{"all": true})
	t.Logf("%+v", list.Result)
	_, raw := b.call("get_browser_state", b.with(args{"query": "Colour"}))
	t.Logf("%.600s", raw)
}
