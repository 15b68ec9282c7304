package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// keyed are the controls of the page keys that one key activates, by id: the
// measured table of the trusted_key route.
var keyed = []struct{ id, key string }{
	{"button", " "},
	{"input-button", " "},
	{"input-submit", " "},
	{"input-reset", " "},
	{"input-image", " "},
	{"input-color", " "},
	{"summary", " "},
	{"link", "Enter"},
	{"area", "Enter"},
	{"checkbox", " "},
	{"radio", " "},
}

func TestOneKeyGivesOneTrustedClick(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "keys")
	snapshot := b.state(nil)
	for _, k := range keyed {
		t.Run(k.id, func(t *testing.T) {
			b := b.on(t)
			c := declared(t, "keys", k.id)
			e := find(t, snapshot, c.Role, c.Name)
			if !slices.Equal(e.Routes["click"], []string{"trusted_key", "dom_event"}) {
				t.Errorf("routes %v, want trusted_key and dom_event", e.Routes)
			}
			s.pages.Reset(run)
			display := s.watch(t)
			got := b.click(e.Ref, "trusted_key")
			seen := b.settled(run)
			display.undisturbed("a key")
			oneClick(t, seen, k.id, true)
			for _, typ := range []string{"keydown", "keyup"} {
				if r, ok := fixtures.Last(seen, typ, ""); !ok || fixtures.Count(seen, typ, "") != 1 || r.Target != k.id || r.Key != k.key || !r.Trusted {
					t.Errorf("want one trusted %s of %q on %s, observed %s", typ, k.key, k.id, told(seen))
				}
			}
			if n := fixtures.Count(seen, "scroll", ""); n > 0 {
				t.Errorf("the page scrolled %d times", n)
			}
			if got.Route != "trusted_key" || got.Delivery.Mode != "background" || got.Effect != refusal.EffectConfirmed || !slices.Contains(got.SideEffects, "focus: moved") {
				t.Errorf("answered %+v", got)
			}
		})
	}
}

// TestAChooserIsSaid records what a key does to a colour input that the page
// leaves to the browser: its chooser opens in front of every window, although
// the stacking order and the active window stay.
func TestAChooserIsSaid(t *testing.T) {
	const effect = "unless the page prevents it, the browser opens its chooser in front of every window"
	s := use(t)
	b, run := s.tab(t, "form")
	snapshot := b.state(nil)
	before, err := s.desktop.Popups()
	must(t, err)
	display := s.watch(t)
	if got := b.click(find(t, snapshot, "button", "Colour").Ref, "dom_event"); slices.Contains(got.SideEffects, effect) {
		t.Errorf("a synthetic click opens no chooser, but says %q", got.SideEffects)
	}
	if now, err := s.desktop.Popups(); err != nil || !slices.Equal(now, before) {
		t.Errorf("a synthetic click opened %v, before %v, %v", now, before, err)
	}
	got := b.click(find(t, snapshot, "button", "Colour").Ref, "trusted_key")
	if !slices.Contains(got.SideEffects, effect) {
		t.Errorf("side effects %q do not say that a chooser opens", got.SideEffects)
	}
	eventually(t, "a chooser opens", func() bool {
		now, err := s.desktop.Popups()
		must(t, err)
		return len(now) == len(before)+1
	})
	display.undisturbed("a chooser")
	if seen := b.settled(run); fixtures.Count(seen, "click", "color") != 2 {
		t.Errorf("observed %s", told(seen))
	}
	if other := b.click(find(t, snapshot, "button", "Add item").Ref, "trusted_key"); slices.Contains(other.SideEffects, effect) {
		t.Errorf("a button says %q", other.SideEffects)
	}
	b.open("keys") // the chooser goes with its page
	eventually(t, "the chooser closes", func() bool {
		now, err := s.desktop.Popups()
		must(t, err)
		return slices.Equal(now, before)
	})
}

// on is the same tab in a subtest.
func (b tab) on(t *testing.T) tab {
	b.t = t
	return b
}

// oneClick fails unless exactly one click arrived, at the element.
func oneClick(t *testing.T, seen []fixtures.Record, id string, trusted bool) {
	t.Helper()
	r, _ := fixtures.Last(seen, "click", "")
	if fixtures.Count(seen, "click", "") != 1 || r.Target != id || r.Trusted != trusted {
		t.Errorf("want one click on %s (trusted %v), observed %s", id, trusted, told(seen))
	}
}

func TestNoKeyIsSentWithoutAContract(t *testing.T) {
	tests := []struct {
		page, id string
		reason   refusal.Reason
	}{
		{"keys", "radio-checked", refusal.NoKeyContract},
		{"keys", "input-file", refusal.NotDeclared},
		{"form", "range", refusal.NoKeyContract},
		{"form", "fruit", refusal.NotDeclared},
		{"form", "switch", refusal.NoKeyContract},
		{"form", "aria-checkbox", refusal.NoKeyContract},
		{"form", "tab-1", refusal.NoKeyContract},
		{"form", "text", refusal.NoKeyContract},
	}
	s := use(t)
	open := ""
	var b tab
	var run string
	var snapshot *contract.StateResult
	for _, tt := range tests {
		t.Run(tt.page+"/"+tt.id, func(t *testing.T) {
			if open != tt.page {
				b, run = s.tab(t, tt.page)
				snapshot, open = b.state(nil), tt.page
			}
			b := b.on(t)
			ref := b.refOf(snapshot, run, tt.page, tt.id)
			display := s.watch(t)
			r := b.clickRefused(tt.reason, ref, "trusted_key")
			b.untouched(run, "a refused key")
			display.undisturbed("a refused key")
			if tt.reason == refusal.NoKeyContract && (r.Detail == nil || !slices.Equal(r.Detail.AlternativeRoutes, []string{"dom_event"})) {
				t.Errorf("detail %+v, want dom_event as the alternative", r.Detail)
			}
			if at := failed(r.Proof); len(at) != 1 {
				t.Errorf("failed steps %v, want one", at)
			}
		})
	}
}

// refOf is the ref of a declared control; one that has no declared role or
// name is told apart by its accessible name in the page.
func (b tab) refOf(snapshot *contract.StateResult, run, page, id string) string {
	b.t.Helper()
	c := declared(b.t, page, id)
	if c.Name == "" {
		b.stage.witness.eval(b.t, run, "document.getElementById('"+id+"').getAttribute('aria-label')", &c.Name)
	}
	return find(b.t, snapshot, c.Role, strings.TrimSpace(c.Name)).Ref
}
