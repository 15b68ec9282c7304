package observe

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"cuatui/engine/observe/domtree"
)

// scaleOf is how many px of the viewport one of n's own lengths takes.
func scaleOf(n *domtree.Node) (x, y float64) {
	ratio := func(laid, own float64) float64 {
		if own != 0 && (own == 1 || math.Abs(laid-own) >= 1) {
			return laid / own
		}
		return 1
	}
	return ratio(n.Box.Rect[2], n.Box.Offset[0]), ratio(n.Box.Rect[3], n.Box.Offset[1])
}

var (
	insetShape = regexp.MustCompile(`^inset\(([^)]*?)(?:\s+round[^)]*)?\)`)
	rectShape  = regexp.MustCompile(`^rect\((.*)\)$`)
)

// clipOf is the box that clip-path or clip leaves of a node, as far as it can
// be told; ok is false where there is none.
func clipOf(n *domtree.Node, box rect, out *rect) (ok bool) {
	sx, sy := scaleOf(n)
	side := func(s string, full, scale float64) float64 {
		if strings.HasSuffix(s, "%") {
			return number(strings.TrimSuffix(s, "%"), 0) / 100 * full
		}
		return number(s, 0) * scale
	}
	*out = box
	if m := insetShape.FindStringSubmatch(n.Style("clip-path")); m != nil {
		f := strings.Fields(m[1])
		for len(f) < 4 {
			f = append(f, f[max(len(f)-2, 0)])
		}
		w, h := box.R-box.L, box.B-box.T
		*out, ok = rect{box.L + side(f[3], w, sx), box.T + side(f[0], h, sy), box.R - side(f[1], w, sx), box.B - side(f[2], h, sy)}, true
	}
	if m := rectShape.FindStringSubmatch(n.Style("clip")); m != nil && (n.Style("position") == "absolute" || n.Style("position") == "fixed") {
		f := strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' })
		at := func(i int, auto, scale float64) float64 {
			if i >= len(f) || f[i] == "auto" {
				return auto
			}
			return number(f[i], 0) * scale
		}
		*out, ok = out.cut(rect{box.L + at(3, 0, sx), box.T + at(0, 0, sy), box.L + at(1, box.R-box.L, sx), box.T + at(2, box.B-box.T, sy)}), true
	}
	return ok
}

func scrollsOn(n *domtree.Node, axis string) bool {
	o := n.Style("overflow-" + axis)
	if o != "auto" && o != "scroll" && o != "overlay" {
		return false
	}
	if axis == "x" {
		return n.Box.Scroll[2] > n.Box.Client[2]+0.5
	}
	return n.Box.Scroll[3] > n.Box.Client[3]+0.5
}

var unclipping = set("inline contents table-row table-row-group table-header-group table-footer-group table-column table-column-group")

func containsFixed(n *domtree.Node) bool {
	if unclipping[n.Style("display")] {
		return false
	}
	for _, p := range []string{"transform", "perspective", "filter", "backdrop-filter", "translate", "scale", "rotate"} {
		if v := n.Style(p); v != "" && v != "none" {
			return true
		}
	}
	for _, p := range []string{"transform", "perspective", "filter"} {
		if strings.Contains(n.Style("will-change"), p) {
			return true
		}
	}
	c := n.Style("contain")
	return strings.Contains(c, "paint") || strings.Contains(c, "layout") || strings.Contains(c, "strict") || strings.Contains(c, "content")
}

// place decides the tier of a laid-out node and the context of its children.
func (w *protoWalk) place(n *domtree.Node, c walkContext, p *protoNode, role string, own, contents, modalHere bool, kids []*domtree.Node) walkContext {
	box, clip := rect{}, c.flow
	over := cutsOff(n)
	if n.Box != nil {
		box, clip = fromBox(n.Box.Rect), c.clipOf(n.Style("position"), modalHere)
		var shape rect
		if clipOf(n, box, &shape) {
			clip = clip.narrow(shape)
		}
		if over && n != w.root && n != w.body {
			p.flags |= scrollFlag(n)
		}
	}
	if p.ev&^(evListener|evHandler|evCursor) == 0 && elementsIn(kids) > 0 && w.fills(box) {
		p.flags &^= flagAct
	}
	candidate := p.flags&(flagAct|flagText|flagSemantic|flagScroll) != 0
	p.tier, p.clip, p.hardClip, p.vis = "offscreen", clip.soft, clip.hard, box
	if candidate || p.flags&flagFrame != 0 {
		w.tier(n, p, box, clip, contents || p.flags&flagAct != 0 && !over)
		if fold := w.folds(n, c, p, role, own, contents); fold >= 0 && p.tier != "css_hidden" && p.tier != "no_layout" {
			p.owner, p.folded, p.inline = fold, true, fold == c.inline
		}
	}
	w.keep(p, candidate)
	return w.inner(n, c, p, role, own, contents, clip, over)
}

// cutsOff says whether a node has an overflow of its own.
func cutsOff(n *domtree.Node) bool {
	if n.Box == nil || n.Is("input", "textarea") || n.Style("display") == "inline" && !outerSVG(n) {
		return false
	}
	return n.Style("overflow-x") != "visible" || n.Style("overflow-y") != "visible"
}

// outerSVG says whether n is the SVG of a picture in the page, which cuts off
// what is outside of it even where it stands in a line of text.
func outerSVG(n *domtree.Node) bool {
	up := n.Up()
	return n.Tag == "svg" && !n.HTML && (up == nil || up.HTML)
}

func scrollFlag(n *domtree.Node) int {
	if scrollsOn(n, "x") || scrollsOn(n, "y") {
		return flagScroll
	}
	return 0
}

// clipOf is the clip of a child that is placed in one way or another.
func (c *walkContext) clipOf(position string, modal bool) clipPair {
	switch {
	case modal || position == "fixed":
		return c.fixed
	case position == "absolute":
		return c.placed
	}
	return c.flow
}

func elementsIn(kids []*domtree.Node) (n int) {
	for _, k := range kids {
		if k.Type == 1 {
			n++
		}
	}
	return n
}

// fills says whether a box takes most of the viewport: a listener on it serves
// what is inside.
func (w *protoWalk) fills(r rect) bool {
	return (r.R-r.L)*(r.B-r.T) > 0.6*(w.viewport.R-w.viewport.L)*(w.viewport.B-w.viewport.T)
}

// tier says where a node with layout is.
func (w *protoWalk) tier(n *domtree.Node, p *protoNode, box rect, clip clipPair, open bool) {
	if n.Box != nil && n.Style("visibility") != "visible" {
		u := visibleBelow(n)
		if u.empty() || p.flags&flagAct == 0 {
			p.tier, p.sub = "css_hidden", "visibility"
			return
		}
		box = u
	}
	if n.Is("area") {
		box = w.areaBox(n)
	}
	if open && box.empty() {
		box = spread(n)
	}
	p.tier, p.sub, p.vis = w.tierOf(box, clip)
	if p.tier != "no_layout" && n.Box != nil && dot(n, box) {
		p.tier, p.sub = "no_layout", "clipped"
	}
	if n.Box != nil && squeezed(n, box) {
		p.tier, p.sub = "no_layout", "zero_area"
	}
}

// dot says whether a box is at most a px of n's own.
func dot(n *domtree.Node, r rect) bool {
	w, h := r.R-r.L, r.B-r.T
	if w > 9 || h > 9 {
		return false
	}
	x, y := scaleOf(n)
	return w <= max(1, 1.001*x) && h <= max(1, 1.001*y)
}

// leastPx is what a box must measure along either axis to be seen or hit where
// something scales it down to that.
const leastPx = 0.5

// squeezed says whether n, which has a size of its own, is scaled to less than
// leastPx, and nothing in it is scaled up again.
func squeezed(n *domtree.Node, r rect) bool {
	thin := func(r rect) bool { return r.R-r.L < leastPx || r.B-r.T < leastPx }
	if !thin(r) || n.Box.Offset[0] <= 1 || n.Box.Offset[1] <= 1 {
		return false
	}
	var allThin func(n *domtree.Node) bool
	allThin = func(n *domtree.Node) bool {
		for _, k := range n.Flat() {
			if k.Type == 1 && (k.Box != nil && !thin(fromBox(k.Box.Rect)) || !allThin(k)) {
				return false
			}
		}
		return true
	}
	return allThin(n)
}

// tierOf is the tier of a box under a clip, and what is seen of it.
func (w *protoWalk) tierOf(box rect, clip clipPair) (tier, sub string, vis rect) {
	width, height := box.R-box.L, box.B-box.T
	if width <= 0.01 || height <= 0.01 {
		return "no_layout", "zero_area", box
	}
	vis = box.cut(clip.soft).cut(w.view).cut(clip.hard)
	if vw, vh := vis.R-vis.L, vis.B-vis.T; vw > 0.01 && vh > 0.01 && (vw >= 1 || width < 1) && (vh >= 1 || height < 1) {
		if vw <= 1 && vh <= 1 {
			return "no_layout", "clipped", vis
		}
		return "in", "", vis
	}
	left := box.cut(clip.hard)
	switch {
	case left.R-left.L > 0.01 && left.B-left.T > 0.01:
		if left.L < w.near.R && left.R > w.near.L && left.T < w.near.B && left.B > w.near.T {
			return "near_viewport", "", left
		}
		return "offscreen", "", left
	case box.cut(w.doc).empty():
		return "no_layout", "off_canvas", box
	}
	return "no_layout", "clipped", box
}

// spread is the union of what is laid out below a node without a box.
func spread(n *domtree.Node) rect {
	var u rect
	for _, k := range n.Flat() {
		r := rect{}
		if k.Box != nil {
			r = fromBox(k.Box.Rect)
		}
		if r.empty() {
			r = spread(k)
		}
		u = union(u, r)
	}
	for _, b := range n.Pseudo {
		if u.empty() {
			u = fromBox(b)
		}
	}
	return u
}

func visibleBelow(n *domtree.Node) rect {
	var u rect
	for _, k := range n.Flat() {
		if k.Type == 1 && k.Box != nil && k.Style("visibility") == "visible" {
			u = union(u, fromBox(k.Box.Rect))
		}
		u = union(u, visibleBelow(k))
	}
	return u
}

func union(a, b rect) rect {
	switch {
	case a.empty():
		return b
	case b.empty():
		return a
	}
	return rect{min(a.L, b.L), min(a.T, b.T), max(a.R, b.R), max(a.B, b.B)}
}

// areaImage is the first displayed image that uses an area's map.
func (w *protoWalk) areaImage(area *domtree.Node) *domtree.Node {
	m := area.Parent
	for m != nil && !m.Is("map") {
		m = m.Parent
	}
	if m == nil {
		return nil
	}
	top := m
	for top.Parent != nil && top.Type == 1 {
		top = top.Parent
	}
	var found *domtree.Node
	var visit func(n *domtree.Node)
	visit = func(n *domtree.Node) {
		for _, k := range n.Kids {
			if found == nil && k.Is("img") && k.Attr("usemap") == "#"+m.Attr("name") && w.seenScrolled(k, nil, true) {
				found = k
			}
			visit(k)
		}
	}
	visit(top)
	return found
}

func (w *protoWalk) areaBox(area *domtree.Node) rect {
	img := w.areaImage(area)
	if img == nil {
		return rect{}
	}
	b := fromBox(img.Box.Rect)
	sx, sy := scaleOf(img)
	var v []float64
	for _, f := range strings.FieldsFunc(area.Attr("coords"), func(r rune) bool { return r == ',' || r == ' ' }) {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return rect{}
		}
		v = append(v, x)
	}
	shape := strings.ToLower(area.Attr("shape"))
	switch {
	case shape == "default":
		return b
	case strings.HasPrefix(shape, "circ") && len(v) >= 3:
		return rect{b.L + (v[0]-v[2])*sx, b.T + (v[1]-v[2])*sy, b.L + (v[0]+v[2])*sx, b.T + (v[1]+v[2])*sy}.cut(b)
	case len(v) < 4:
		return rect{}
	}
	out := rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for i := 0; i+1 < len(v); i += 2 {
		x, y := b.L+v[i]*sx, b.T+v[i+1]*sy
		out = rect{min(out.L, x), min(out.T, y), max(out.R, x), max(out.B, y)}
	}
	return out.cut(b)
}

// paddingBox is the client box of n in px of the viewport, through any scale.
func paddingBox(n *domtree.Node) rect {
	sx, sy := scaleOf(n)
	b := fromBox(n.Box.Rect)
	l, t := b.L+n.Box.Client[0]*sx, b.T+n.Box.Client[1]*sy
	return rect{l, t, l + n.Box.Client[2]*sx, t + n.Box.Client[3]*sy}
}

// keepsPaint says whether nothing of what is in n is painted outside of it,
// whatever its overflow.
func keepsPaint(n *domtree.Node) bool {
	c := n.Style("contain")
	return n.Box != nil && !n.Is("html", "body") && !unclipping[n.Style("display")] && !strings.ContainsAny(n.Style("overflow-clip-margin"), "123456789") &&
		(strings.Contains(c, "paint") || strings.Contains(c, "strict") || strings.Contains(c, "content"))
}

// throughOverflow narrows a clip by the overflow of n, an axis at a time.
func throughOverflow(n *domtree.Node, c clipPair) clipPair {
	sx, sy := scaleOf(n)
	pad := paddingBox(n)
	mx, my := clipMargin(n, "x")*sx, clipMargin(n, "y")*sy
	pad = rect{pad.L - mx, pad.T - my, pad.R + mx, pad.B + my}
	flipX, flipY := flipped(n)
	scroll := func(axis string, at, all, seen float64) (back, on float64) {
		o := n.Style("overflow-" + axis)
		if o != "auto" && o != "scroll" && o != "overlay" {
			return 0, 0
		}
		return travel(at, all, seen, axis == "x" && flipX || axis == "y" && flipY)
	}
	if n.Style("overflow-x") != "visible" {
		c.soft.L, c.soft.R = max(c.soft.L, pad.L), min(c.soft.R, pad.R)
		c.hard.L, c.hard.R = max(c.hard.L, pad.L), min(c.hard.R, pad.R)
		if c.hard.R > c.hard.L {
			back, on := scroll("x", n.Box.Scroll[0], n.Box.Scroll[2], n.Box.Client[2])
			c.hard.L, c.hard.R = c.hard.L-back*sx, c.hard.R+on*sx
		}
	}
	if n.Style("overflow-y") != "visible" {
		c.soft.T, c.soft.B = max(c.soft.T, pad.T), min(c.soft.B, pad.B)
		c.hard.T, c.hard.B = max(c.hard.T, pad.T), min(c.hard.B, pad.B)
		if c.hard.B > c.hard.T {
			back, on := scroll("y", n.Box.Scroll[1], n.Box.Scroll[3], n.Box.Client[3])
			c.hard.T, c.hard.B = c.hard.T-back*sy, c.hard.B+on*sy
		}
	}
	return c
}

// clipMargin is how far content may stick out of overflow: clip, own px.
func clipMargin(n *domtree.Node, axis string) float64 {
	m := pxLength.FindString(n.Style("overflow-clip-margin"))
	if n.Style("overflow-"+axis) != "clip" || m == "" {
		return 0
	}
	return number(m, 0)
}

var pxLength = regexp.MustCompile(`[\d.]+px`)

// flipped says which axes of a scroller grow towards the left or the top.
func flipped(n *domtree.Node) (x, y bool) {
	mode := n.Style("writing-mode")
	vertical, rtl := strings.HasPrefix(mode, "vertical") || strings.HasPrefix(mode, "sideways"), n.Style("direction") == "rtl"
	flex := ""
	if strings.HasSuffix(n.Style("display"), "flex") {
		flex = n.Style("flex-direction")
	}
	inline, block := rtl != (flex == "row-reverse"), (mode == "vertical-rl" || mode == "sideways-rl") != (flex == "column-reverse")
	if vertical {
		return block, inline
	}
	return inline, block
}

// travel is how far a scroller can still move its content towards the end of
// an axis and towards its start, in its own px.
func travel(at, all, seen float64, flip bool) (back, on float64) {
	most := max(0, all-seen)
	if back = at; flip || at < 0 {
		back = most + at
	}
	back = min(most, max(0, back))
	return back, most - back
}
