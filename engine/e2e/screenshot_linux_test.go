package e2e_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"net/url"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// picture is a screenshot with its image.
type picture struct {
	*contract.ScreenshotResult
	image image.Image
}

// shot takes an image and checks that it is what its result says.
func (b tab) shot(arguments args) picture {
	b.t.Helper()
	r := ask[contract.ScreenshotResult](b.agent, "browser_screenshot", b.with(arguments))
	data, err := base64.StdEncoding.DecodeString(r.Data)
	must(b.t, err)
	img, err := png.Decode(bytes.NewReader(data))
	must(b.t, err)
	if s := img.Bounds().Size(); s.X != r.Width || s.Y != r.Height || r.MIME != "image/png" {
		b.t.Fatalf("an image of %v is told to be %d by %d, %s", s, r.Width, r.Height, r.MIME)
	}
	return picture{r, img}
}

// at is the colour at a place of the page, as rgb.
func (p picture) at(x, y float64) string {
	px, py := int((x-p.Box[0])*p.Scale[0]), int((y-p.Box[1])*p.Scale[1])
	r, g, b, _ := p.image.At(px, py).RGBA()
	return fmt.Sprintf("%02x%02x%02x", r>>8, g>>8, b>>8)
}

// visual opens a page of visual regions and returns its one canvas's ref.
func (b tab) visual(page string) string {
	b.t.Helper()
	b.goTo(page)
	r := b.state(nil).Regions
	if r == nil || r.Found != 1 || r.List[0].Kind != "canvas" || r.List[0].Ref == "" {
		b.t.Fatalf("the regions of %s are %+v", page, r)
	}
	return r.List[0].Ref
}

func (b tab) goTo(page string) {
	b.t.Helper()
	url := b.stage.pages.URL("hard/visual/" + page)
	if got := ask[contract.NavigateResult](b.agent, "browser_navigate", b.with(args{"url": url})); got.Status != contract.OK {
		b.t.Fatalf("%+v", got)
	}
}

// A visual ref is refused by everything but browser_screenshot, before the page
// observes anything.
func TestAVisualRefIsOnlyShown(t *testing.T) {
	b, _ := use(t).tab(t, "inbox-attribute")
	ref := b.visual("point.html")
	button := find(t, b.state(nil), "button", "Beside").Ref
	ref = "v" + strings.TrimPrefix(button[:strings.Index(button, ":")], "p") + ref[strings.Index(ref, ":"):]
	calls := map[string]args{
		"browser_click":           {"ref": ref, "route": "trusted"},
		"browser_type":            {"ref": ref, "text": "a"},
		"browser_select":          {"ref": ref, "labels": []any{"a"}},
		"browser_press":           {"ref": ref, "key": "Enter"},
		"browser_pointer":         {"ref": ref, "gesture": "hover"},
		"browser_set_input_files": {"ref": ref, "files": []any{"/etc/hostname"}, "root": "/etc"},
		"browser_download":        {"ref": ref, "route": "dom_event", "root": t.TempDir()},
		"browser_wait":            {"ref_gone": ref},
		"browser_navigate":        {"action": "reload", "expect": args{"ref": ref, "state": "gone"}},
		"get_browser_state":       {"scope_ref": ref},
		"explain_browser_state":   {"ref": ref},
	}
	for tool, more := range calls {
		r := b.refused(refusal.RefKindUnsupported, tool, b.with(more))
		if r.Next == nil || r.Next.Tool != "browser_screenshot" || r.Next.Arguments["ref"] != ref {
			t.Errorf("%s leads to %+v, want the image of %s", tool, r.Next, ref)
			continue
		}
		b.leads(r)
	}
	r := b.refused(refusal.RefKindUnsupported, "browser_pointer", b.with(args{"ref": button, "gesture": "drag", "to_ref": ref, "route": "dom_event"}))
	b.leads(r)
	if title := b.state(nil).Page.Title; title != "quiet" {
		t.Errorf("the page observed %s", title)
	}
	if r := b.refused(refusal.Superseded, "browser_screenshot", b.with(args{"ref": ref})); r.Next == nil || r.Next.Tool != "get_browser_state" {
		t.Errorf("of an older snapshot it leads to %+v", r.Next)
	}
	b.refused(refusal.Foreign, "browser_screenshot", b.with(args{"ref": "v9999:1"}))
	b.refused(refusal.Malformed, "browser_screenshot", b.with(args{"ref": "canvas"}))
	b.refused(refusal.RefKindUnsupported, "browser_screenshot", b.with(args{"ref": "o1:1"}))
}

// A tab that is not shown is shot as it is: nothing is activated, nothing is
// scrolled, and that its page ran frames is told.
func TestAScreenshotOfATabThatIsNotShown(t *testing.T) {
	s := use(t)
	b, _ := s.tab(t, "inbox-attribute")
	watch := s.watch(t)
	opened := ask[contract.TabsResult](b.agent, "browser_tabs", args{"target_id": b.target, "change": "open", "url": s.pages.URL("hard/visual/point.html"), "expect": args{"text": "Beside"}})
	other := tab{b.agent, b.target, opened.TabID}
	defer ask[contract.TabsResult](b.agent, "browser_tabs", args{"target_id": b.target, "change": "close", "tab_id": opened.TabID})
	snap := other.state(nil)
	for _, c := range []struct {
		what string
		args args
		box  [4]float64
	}{
		{"viewport", nil, [4]float64{0, 0, snap.Page.Viewport[0], snap.Page.Viewport[1]}},
		{"region", args{"ref": snap.Regions.List[0].Ref}, [4]float64{50, 60, 400, 200}},
		{"node", args{"ref": find(t, snap, "button", "Beside").Ref}, [4]float64{50, 300, 120, 40}},
	} {
		got := other.shot(c.args)
		if got.Of != c.what || got.Box != c.box || got.Moved != "" || len(got.SideEffects) != 1 || !strings.Contains(got.SideEffects[0], "ran frames") {
			t.Errorf("%s: %+v", c.what, got.ScreenshotResult)
		}
		if c.what != "node" {
			for at, want := range map[[2]float64]string{{150, 110}: "ff0000", {350, 110}: "00ff00", {150, 210}: "0000ff", {350, 210}: "ffff00"} {
				if is := got.at(at[0], at[1]); is != want {
					t.Errorf("%s: at %v is %s, want %s", c.what, at, is, want)
				}
			}
		}
	}
	tabs := ask[contract.TabsResult](b.agent, "browser_tabs", args{"target_id": b.target, "change": "list"}).Tabs
	if i := slices.IndexFunc(tabs, func(t contract.Tab) bool { return t.TabID == other.id }); i < 0 || tabs[i].Active == nil || *tabs[i].Active {
		t.Errorf("the tab is shown now: %+v", tabs)
	}
	if got := b.shot(nil); len(got.SideEffects) != 0 {
		t.Errorf("of the tab that is shown: %v", got.SideEffects)
	}
	watch.undisturbed("screenshots")
}

// A node that is not in view is not scrolled to.
func TestAScreenshotScrollsNothing(t *testing.T) {
	b, _ := use(t).tab(t, "inbox-attribute")
	b.goTo("point.html")
	snap := b.state(nil)
	ref := find(t, snap, "button", "Beside").Ref
	b.goTo("child.html#scroll=300")
	b.refused(refusal.Navigated, "browser_screenshot", b.with(args{"ref": ref}))
	snap = b.state(nil)
	scrolled := snap.Page.Scroll
	if scrolled[1] < 100 || snap.Regions == nil || snap.Regions.Found != 0 || snap.Regions.Offscreen != 1 {
		t.Fatalf("%+v %+v", snap.Page, snap.Regions)
	}
	seen := b.state(args{"query": "canvas"})
	if len(seen.ContentRefs) != 1 {
		t.Fatalf("%+v", seen.ContentRefs)
	}
	b.refused(refusal.Offscreen, "browser_screenshot", b.with(args{"ref": seen.ContentRefs[0].Ref}))
	if now := b.state(nil).Page.Scroll; now != scrolled {
		t.Errorf("the page is scrolled to %v, and was to %v", now, scrolled)
	}
}

// The refs of a snapshot are drawn on the image, where their nodes are, and not
// in the page; one whose node has moved is not drawn, and counted.
func TestRefsAreDrawnOnTheImage(t *testing.T) {
	b, _ := use(t).tab(t, "inbox-attribute")
	b.goTo("point.html?then=" + url.QueryEscape(`document.querySelector("button").style.marginLeft = "5px"`))
	if answer, raw := b.call("browser_screenshot", b.with(args{"annotate": true})); answer.Err == nil || answer.Err.Field != "annotate" {
		t.Errorf("without a snapshot: %s", raw)
	}
	snap := b.state(nil)
	button := find(t, snap, "button", "Beside")
	plain := b.shot(nil)
	drawn := b.shot(args{"annotate": true})
	if len(drawn.Marks) != 1 || drawn.Marks[0].Ref != button.Ref || drawn.Marks[0].Box != [4]int{50, 300, 120, 40} || drawn.Unmarked != 0 {
		t.Fatalf("%+v, %d", drawn.Marks, drawn.Unmarked)
	}
	label := drawn.Marks[0].Label
	if label == nil || drawn.at(50, 320) == plain.at(50, 320) || drawn.at(float64(label[0]), float64(label[1])) != drawn.at(50, 320) || drawn.at(110, 320) != plain.at(110, 320) {
		t.Errorf("the box or its label %v is not drawn", label)
	}
	part := b.shot(args{"annotate": true, "ref": snap.Regions.List[0].Ref})
	if len(part.Marks) != 0 || part.Unmarked != 0 {
		t.Errorf("of another part: %+v", part.ScreenshotResult)
	}
	b.click(button.Ref, "dom_event")
	if moved := b.shot(args{"annotate": true}); len(moved.Marks) != 0 || moved.Unmarked != 1 {
		t.Errorf("of a node that moved: %+v, %d", moved.Marks, moved.Unmarked)
	}
	if after := b.shot(nil); after.at(50, 320) == drawn.at(50, 320) {
		t.Error("the marks are in the page")
	}
}
