package e2e_test

import (
	"testing"

	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

func TestAClickReachesItsFrame(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "frames")
	// A frame's document reports under a name, which one frame element does not share.
	reports := map[string]string{"nested": "outer"}
	expect, _ := fixtures.ExpectFor("frames")
	for _, route := range []string{"dom_event", "trusted_key"} {
		for _, c := range expect.Visible {
			t.Run(c.ID+"/"+route, func(t *testing.T) {
				b := b.on(t)
				ref := find(t, b.state(nil), c.Role, c.Name).Ref
				s.pages.Reset(run)
				display := s.watch(t)
				got := b.click(ref, route)
				seen := b.settled(run)
				display.undisturbed("a click in a frame")
				oneClick(t, seen, c.ID, route == "trusted_key")
				frame := c.Frame
				if name, ok := reports[frame]; ok {
					frame = name
				}
				if r, _ := fixtures.Last(seen, "click", ""); r.Frame != frame {
					t.Errorf("the click arrived in frame %s, want %s", r.Frame, frame)
				}
				if fixtures.Count(seen, "scroll", "") > 0 || got.Invalidated || got.Status != "ok" {
					t.Errorf("observed %s, answered %+v", told(seen), got)
				}
			})
		}
	}
}

func TestAFrameThatIsCoveredIsNotClicked(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "frames")
	snapshot := b.state(nil)
	s.witness.eval(t, run, `document.body.append(Object.assign(document.createElement('aside'), { ariaLabel: 'Cookie notice', style: 'position: fixed; inset: 0; z-index: 9' }))`, nil)
	for _, name := range []string{"Button in bordered", "Button in inner", "Button in srcdoc"} {
		r := b.clickRefused(refusal.Occluded, find(t, snapshot, "button", name).Ref, "dom_event")
		if by := r.Detail.Occluder; by == nil || by.Tag != "aside" || by.Name != "Cookie notice" {
			t.Errorf("%s: occluder %+v, want the cookie notice", name, by)
		}
	}
	s.witness.eval(t, run, `document.querySelector('aside').remove(); document.getElementById('bordered').remove()`, nil)
	b.clickRefused(refusal.FrameGone, find(t, snapshot, "button", "Button in bordered").Ref, "dom_event")
	s.witness.eval(t, run, `document.getElementById('padded').contentWindow.location.reload()`, nil)
	b.settled(run)
	b.clickRefused(refusal.Navigated, find(t, snapshot, "button", "Button in padded").Ref, "dom_event")
	if seen := b.settled(run); fixtures.Count(seen, "click", "") > 0 {
		t.Errorf("the page observed %s", told(seen))
	}
	for _, f := range b.state(nil).Frames {
		if f.ID != "main" && f.Box == nil && f.Status == "read" {
			t.Errorf("frame %+v has no place", f)
		}
	}
}
