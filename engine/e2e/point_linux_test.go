package e2e_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// pointAt is the px of an image that shows a place of the page.
func (p picture) pointAt(x, y float64) []any {
	return []any{float64(int((x - p.Box[0]) * p.Scale[0])), float64(int((y - p.Box[1]) * p.Scale[1]))}
}

// clickIn are the arguments of a click in an image.
func (b tab) clickIn(p picture, point []any) args {
	return b.with(args{"capture_id": p.CaptureID, "point": point, "route": "trusted", "delivery_mode": "foreground"})
}

// observed is what the page has noted in its title.
func (b tab) observed() string { b.t.Helper(); return b.state(nil).Page.Title }

func TestAPointOfARegionIsClicked(t *testing.T) {
	b, _ := use(t).tab(t, "inbox-attribute")
	for _, c := range []struct {
		page       string
		x, y       float64 // of the canvas in the window
		left, down float64 // and in its own document
	}{
		{"point.html", 50, 60, 50, 60},
		{"point-frame.html", 88, 88, 50, 60}, // in a frame of another site, with a border
	} {
		p := b.shot(args{"ref": b.visual(c.page)})
		if p.CaptureID == "" || p.Box != [4]float64{c.x, c.y, 400, 200} {
			t.Fatalf("%s: %+v", c.page, p.ScreenshotResult)
		}
		// A point outside of the image is a bad argument, and uses nothing up.
		for _, at := range [][]any{{p.Width, 5}, {5, p.Height}} {
			if answer, raw := b.call("browser_click", b.clickIn(p, at)); answer.Err == nil || answer.Err.Field != "point" {
				t.Errorf("%v: %s", at, raw)
			}
		}
		got := ask[contract.ActionResult](b.agent, "browser_click", b.clickIn(p, p.pointAt(c.x+100, c.y+50)))
		if got.Route != "trusted" || got.Effect != refusal.EffectConfirmed && got.Effect != refusal.EffectDispatched {
			t.Errorf("%s: %+v", c.page, got)
		}
		b.refused(refusal.Spent, "browser_click", b.clickIn(p, p.pointAt(c.x+100, c.y+50)))
		want := fmt.Sprintf("click@%v,%v on board", c.left+100, c.down+50)
		if seen := b.observed(); strings.Count(seen, "click@") != 1 || !strings.Contains(seen, want) || strings.Contains(seen, "untrusted") {
			t.Errorf("%s: the page observed %q, want one %s", c.page, seen, want)
		}
	}
}

// Whatever of a region is not as its image shows it: no event reaches the page,
// and the image is used up.
func TestAPointThatIsNotTheRegionsIsNotClicked(t *testing.T) {
	b, _ := use(t).tab(t, "inbox-attribute")
	for what, c := range map[string]struct {
		does string
		want refusal.Reason
	}{
		"the region moves":              {`document.querySelector("canvas").style.left = "51px"`, refusal.GeometryChanged},
		"something covers the point":    {`document.body.insertAdjacentHTML("beforeend", '<div style="position:absolute;left:140px;top:100px;width:30px;height:30px;background:red"></div>')`, refusal.Occluded},
		"it lets the pointer through":   {`document.querySelector("canvas").style.pointerEvents = "none"`, refusal.Occluded},
		"it is inert":                   {`document.querySelector("canvas").inert = true`, refusal.Inert},
		"it is gone":                    {`document.querySelector("canvas").remove()`, refusal.NodeGone},
		"something covers all but that": {`document.body.insertAdjacentHTML("beforeend", '<div style="position:absolute;left:200px;top:60px;width:300px;height:200px;background:red"></div>')`, ""},
		"it is hidden from readers":     {`document.querySelector("canvas").setAttribute("aria-hidden", "true")`, ""},
	} {
		t.Run(what, func(t *testing.T) {
			b := b.on(t)
			b.goTo("point.html?then=" + url.QueryEscape(c.does))
			snap := b.state(nil)
			p := b.shot(args{"ref": snap.Regions.List[0].Ref})
			b.click(find(t, snap, "button", "Beside").Ref, "dom_event")
			at := p.pointAt(150, 110)
			if c.want == "" {
				ask[contract.ActionResult](b.agent, "browser_click", b.clickIn(p, at))
			} else {
				b.refused(c.want, "browser_click", b.clickIn(p, at))
			}
			b.refused(refusal.Spent, "browser_click", b.clickIn(p, at))
			pressed := strings.Contains(b.observed(), "mousedown@150,110 on board")
			if seen := b.observed(); pressed != (c.want == "") {
				t.Errorf("the page observed %q", seen)
			}
		})
	}
}
