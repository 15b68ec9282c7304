package e2e_test

import (
	"testing"

	"cuatui/engine/contract"
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

// A wait looks into every document, also of another process, and takes nothing
// for gone that a document shows.
func TestAWaitLooksIntoEveryFrame(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "frames")
	wait := func(with args) *contract.WaitResult {
		t.Helper()
		return ask[contract.WaitResult](b.agent, "browser_wait", b.with(with))
	}
	for _, text := range []string{"Button in bordered", "Button in inner", "Button in srcdoc", "Button in written", "Button in other-site"} {
		if got := wait(args{"text": text, "timeout_ms": 100}); got.Verdict != "already_true" {
			t.Errorf("%s: %+v", text, got)
		}
		if got := wait(args{"text_gone": text, "timeout_ms": 100}); got.Verdict != "unmet" || got.Missing != "text_gone" || got.Why != "" {
			t.Errorf("%s gone: %+v", text, got)
		}
	}
	s.on(t, run, "other-site", `setTimeout(() => e.style.display = 'none', 300)`)
	if got := wait(args{"text_gone": "Button in other-site"}); got.Verdict != "met" {
		t.Errorf("a frame that is hidden: %+v", got)
	}
	s.on(t, run, "other-site", `e.style.display = ''; setTimeout(() => e.remove(), 300)`)
	if got := wait(args{"text": "Button in other-site"}); got.Verdict != "already_true" {
		t.Errorf("a frame that is shown again: %+v", got)
	}
	if got := wait(args{"text_gone": "Button in other-site"}); got.Verdict != "met" {
		t.Errorf("a frame that is removed: %+v", got)
	}
	s.on(t, run, "padded", `setTimeout(() => e.contentDocument.body.append('Late words'), 300)`)
	if got := wait(args{"text": "Late words"}); got.Verdict != "met" {
		t.Errorf("a text that comes: %+v", got)
	}
	if got := wait(args{"quiet_ms": 300}); got.Verdict != "met" {
		t.Errorf("nothing changes: %+v", got)
	}
	s.on(t, run, "padded", `setInterval(() => e.contentDocument.body.append('.'), 20)`)
	if got := wait(args{"quiet_ms": 300, "timeout_ms": 1000}); got.Verdict != "unmet" || got.Missing != "quiet" {
		t.Errorf("a frame that changes all the time: %+v", got)
	}
}

// What is behind a modal dialog, or in a closed shadow tree, is shown.
func TestAWaitSeesWhatIsInertOrClosed(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "frames")
	s.on(t, run, "heading", `const p = document.createElement('p'); e.after(p); p.attachShadow({ mode: 'closed' }).innerHTML = 'Closed words <i style="display: none">Unseen words</i>';
		document.body.append(Object.assign(document.createElement('dialog'), { id: 'modal', textContent: 'In the modal' })); document.getElementById('modal').showModal()`)
	for text, shown := range map[string]bool{"Frames": true, "In the modal": true, "Button in other-site": true, "Button in padded": true, "Closed words": true, "Unseen words": false} {
		want := map[bool]string{true: "already_true", false: "unmet"}
		if got := ask[contract.WaitResult](b.agent, "browser_wait", b.with(args{"text": text, "timeout_ms": 100})); got.Verdict != want[shown] {
			t.Errorf("%s: %+v", text, got)
		}
		if got := ask[contract.WaitResult](b.agent, "browser_wait", b.with(args{"text_gone": text, "timeout_ms": 100})); got.Verdict != want[!shown] {
			t.Errorf("%s gone: %+v", text, got)
		}
	}
}
