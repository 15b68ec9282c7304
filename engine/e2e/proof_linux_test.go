package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// lift takes every cover of the page covered away, until lower.
const (
	lift = `document.head.append(Object.assign(document.createElement('style'), { id: 'lift', textContent:
		'.cover, #glass { display: none !important } #pseudo::after { content: none !important } main > div { overflow: visible !important } header { position: static !important }' }));
		document.getElementById('scroller').scrollTop = 0`
	lower = `document.getElementById('lift').remove(); document.getElementById('scroller').scrollTop = 40`
)

func TestACoveredControlIsNeverClicked(t *testing.T) {
	tests := []struct {
		id, role, name string
		reason         refusal.Reason
		tag, says      string // of the occluder
	}{
		{"under-fixed", "button", "Under a fixed overlay", refusal.Occluded, "div", ""},
		{"under-two", "button", "Under two covers", refusal.Occluded, "div", ""},
		{"under-pseudo", "button", "Under a pseudo element", refusal.Occluded, "div", "Pseudo"},
		{"under-header", "link", "Under the header", refusal.Occluded, "a", "Header link"},
		{"under-glass", "button", "Under glass", refusal.Occluded, "div", ""},
		{"clipped", "button", "Clipped away", refusal.Offscreen, "", ""},
	}
	s := use(t)
	b, run := s.tab(t, "covered")
	covered := b.state(nil)
	s.witness.eval(t, run, lift, nil)
	free := b.state(nil)
	s.witness.eval(t, run, lower, nil)
	b.settled(run)
	s.pages.Reset(run)
	display := s.watch(t)
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			b := b.on(t)
			for _, e := range entries(covered) {
				if e.Role == tt.role && e.Name == tt.name && slices.Contains(e.Actions, "click") {
					t.Errorf("the snapshot of the covered page offers %+v", e)
				}
			}
			ref := find(t, free, tt.role, tt.name).Ref
			for _, route := range []string{"dom_event", "trusted_key"} {
				r := b.clickRefused(tt.reason, ref, route)
				if at := failed(r.Proof); len(at) != 1 || r.Detail == nil {
					t.Fatalf("failed steps %v, detail %v", at, r.Detail)
				}
				by := r.Detail.Occluder
				if tt.tag != "" && (by == nil || by.Tag != tt.tag || by.Name != tt.says) {
					t.Errorf("occluder %+v, want %s %q", by, tt.tag, tt.says)
				}
			}
		})
	}
	seen := b.settled(run)
	if n := fixtures.Count(seen, "click", "") + fixtures.Count(seen, "reached", "") + fixtures.Count(seen, "focusin", ""); n > 0 {
		t.Errorf("the page observed %s", told(seen))
	}
	display.undisturbed("refused clicks")
	// What a cover leaves free can be clicked, and the same page proves it.
	b.click(find(t, b.state(nil), "button", "Partly covered").Ref, "dom_event")
	if n := fixtures.Count(b.settled(run), "reached", ""); n != 1 {
		t.Errorf("the partly covered button was reached %d times, want once", n)
	}
}

func TestWhatChangedAfterTheSnapshotIsNotClicked(t *testing.T) {
	tests := []struct {
		name, change string
		reason       refusal.Reason
		was, is      string
	}{
		{"disabled", `free.disabled = true`, refusal.Disabled, "", ""},
		{"disabled for assistive technology", `free.setAttribute('aria-disabled', 'true')`, refusal.Disabled, "", ""},
		{"renamed", `free.textContent = 'Delete everything'`, refusal.IdentityChanged, `button "Not covered"`, `button "Delete everything"`},
		{"given another role", `free.setAttribute('role', 'switch')`, refusal.IdentityChanged, `button "Not covered"`, `switch "Not covered"`},
		{"removed", `free.remove()`, refusal.NodeGone, "", ""},
		{"replaced by its like", `free.outerHTML = free.outerHTML`, refusal.NodeGone, "", ""},
		{"hidden", `free.style.display = 'none'`, refusal.Hidden, "", ""},
		{"transparent", `free.parentNode.style.opacity = 0`, refusal.Hidden, "", ""},
		{"inert", `free.inert = true`, refusal.Inert, "", ""},
		{"behind a modal dialog", `{ const d = document.createElement('dialog'); document.body.append(d); d.showModal(); }`, refusal.Inert, "", ""},
		{"without size", `free.style.cssText = 'width: 0; height: 0; padding: 0; border: 0; overflow: hidden'`, refusal.NoLayout, "", ""},
		{"deaf to the pointer", `free.style.pointerEvents = 'none'`, refusal.Occluded, "", ""},
		{"covered", `document.body.append(Object.assign(document.createElement('div'), { style: 'position: fixed; inset: 0; z-index: 99' }))`, refusal.Occluded, "", ""},
	}
	s := use(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, run := s.tab(t, "covered")
			ref := find(t, b.state(nil), "button", "Not covered").Ref
			s.witness.eval(t, run, "{ const free = document.getElementById('free'); "+tt.change+" }", nil)
			r := b.clickRefused(tt.reason, ref, "dom_event")
			if tt.was != "" && (r.Detail == nil || r.Detail.Was != tt.was || r.Detail.Is != tt.is || r.Detail.SameNode != "changed") {
				t.Errorf("detail %+v, want it to have been %s and to be %s", r.Detail, tt.was, tt.is)
			}
			if seen := b.settled(run); fixtures.Count(seen, "click", "")+fixtures.Count(seen, "reached", "") > 0 {
				t.Errorf("the page observed %s", told(seen))
			}
		})
	}
}

// TestAChangingListNeverGivesAWrongRow acts on refs that were taken before the
// page changed its rows. Each must reach the row it was made for, or nothing.
func TestAChangingListNeverGivesAWrongRow(t *testing.T) {
	const reached = refusal.Reason("")
	tests := []struct {
		by, button         string
		alpha, beta, gamma refusal.Reason
	}{
		{"replace", "Replace the nodes", refusal.NodeGone, refusal.NodeGone, refusal.NodeGone},
		{"resort", "Reverse the order", reached, reached, reached},
		{"recycle", "Recycle the rows", refusal.IdentityChanged, refusal.IdentityChanged, refusal.IdentityChanged},
		{"prepend", "Prepend a row", reached, reached, reached},
		{"remove", "Remove Beta", reached, refusal.NodeGone, reached},
	}
	s := use(t)
	for _, tt := range tests {
		for _, route := range []string{"dom_event", "trusted_key"} {
			t.Run(tt.by+"/"+route, func(t *testing.T) {
				b, run := s.tab(t, "rerender")
				old := b.state(nil)
				if got := b.click(find(t, old, "button", tt.button).Ref, "dom_event"); got.Invalidated || got.Effect != refusal.EffectConfirmed {
					t.Errorf("the change answered %+v", got)
				}
				s.pages.Reset(run)
				want := 0
				for key, reason := range map[string]refusal.Reason{"Alpha": tt.alpha, "Beta": tt.beta, "Gamma": tt.gamma} {
					ref := find(t, old, "button", "Open "+key).Ref
					if reason != reached {
						b.clickRefused(reason, ref, route)
						continue
					}
					want++
					b.click(ref, route)
					note, _ := fixtures.Last(b.settled(run), "opened", "")
					if !strings.Contains(string(note.Data), `"`+strings.ToLower(key)+`"`) {
						t.Errorf("the ref of %s opened %s", key, note.Data)
					}
				}
				seen := b.settled(run)
				if n := fixtures.Count(seen, "opened", ""); n != want || fixtures.Count(seen, "click", "") != want {
					t.Errorf("%d rows were opened, want %d: %s", n, want, told(seen))
				}
			})
		}
	}
}

func TestAnOlderSnapshotNamesTheSuccessor(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "rerender")
	old := b.state(nil)
	now := b.state(nil)
	e := find(t, old, "button", "Open Beta")
	r := b.clickRefused(refusal.Superseded, e.Ref, "dom_event")
	if want := find(t, now, "button", "Open Beta").Ref; r.Detail == nil || r.Detail.Successor != want || e.Ref == want {
		t.Errorf("detail %+v, want the successor %s of %s", r.Detail, want, e.Ref)
	}
	s.witness.eval(t, run, `document.getElementById('recycle').click()`, nil)
	recycled := b.state(nil)
	r = b.clickRefused(refusal.Superseded, e.Ref, "dom_event")
	if r.Detail == nil || r.Detail.Successor != "" || r.Detail.SameNode != "changed" {
		t.Errorf("a recycled row: detail %+v, want changed and no successor", r.Detail)
	}
	s.witness.eval(t, run, `document.getElementById('replace').click()`, nil)
	b.state(nil)
	r = b.clickRefused(refusal.Superseded, find(t, recycled, "button", "Open Beta").Ref, "dom_event")
	if r.Detail == nil || r.Detail.Successor != "" || r.Detail.SameNode != "gone" {
		t.Errorf("a replaced row: detail %+v, want gone and no successor", r.Detail)
	}
	if n := fixtures.Count(b.settled(run), "opened", ""); n != 0 {
		t.Errorf("%d rows were opened", n)
	}
}
