package observe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"cuatui/engine/devtools"
	"cuatui/engine/observe/domtree"
)

// The protocol hits whole px only.

// spots are relative places in a box, tried in rounds until one is the node's.
var spotRounds = [][][2]float64{{{0.5, 0.5}}, {{0.25, 0.25}, {0.75, 0.75}, {0.75, 0.25}, {0.25, 0.75}}, spotGrid(4), spotGrid(10)}

func spotGrid(n int) (out [][2]float64) {
	for i := range n {
		for j := range n {
			out = append(out, [2]float64{(float64(j) + 0.5) / float64(n), (float64(i) + 0.5) / float64(n)})
		}
	}
	return out
}

// hitter asks the browser what is where in the process of one document.
type hitter struct {
	c    *byProtocol
	d    *surveyed
	tree *domtree.Tree
	w    *protoWalk
	left int
}

// hitAll settles the hits of what is in view, a round of points at a time, all
// candidates of a round together.
func (h *hitter) hitAll(ctx context.Context) error {
	var open []*protoNode
	for _, p := range h.w.all {
		if p.tier == "in" && !p.folded {
			open = append(open, p)
		}
	}
	for _, round := range spotRounds {
		type ask struct {
			p    *protoNode
			x, y float64
			sent []*devtools.Pending
		}
		var asks []ask
		for _, p := range open {
			for _, fr := range h.fragments(p) {
				for _, f := range round {
					x, y, ok := h.spot(fr, f)
					if ok && h.left > 0 {
						h.left--
						asks = append(asks, ask{p, x, y, h.send(x, y)})
					}
				}
			}
		}
		for _, a := range asks {
			t, err := h.answer(ctx, a.sent)
			if err != nil {
				return err
			}
			h.judge(a.p, t, a.x, a.y)
		}
		rest := open[:0:0]
		for _, p := range open {
			if p.hit != hitOwn && (p.hit != hitShown || p.flags&flagAct != 0) {
				rest = append(rest, p)
			}
		}
		open = rest
	}
	for _, p := range open {
		p.unhit(h.d.above != nil)
	}
	return nil
}

// unhit settles what takes the pointer nowhere.
func (p *protoNode) unhit(inFrame bool) {
	switch {
	case p.why == "":
		p.hit, p.tier, p.sub, p.why = hitUnknown, "unknown", "no_point", "no_point"
	case p.hit != hitShown:
		p.hit, p.tier, p.sub = hitCovered, string(tierOccluded), p.why
		if inFrame && p.covering {
			p.sub = "covered_frame"
		}
	}
}

// fragments are the visible parts of a node's boxes: a wrapped link has several.
func (h *hitter) fragments(p *protoNode) []rect {
	var out []rect
	if p.n.Style("display") == "inline" {
		for _, k := range p.n.Flat() {
			if k.Type != 3 || k.Box == nil {
				continue
			}
			for _, b := range k.Box.Text {
				if r := fromBox(b).cut(p.clip).cut(h.w.view).cut(p.hardClip); !r.empty() {
					out = append(out, r)
				}
			}
		}
	}
	if len(out) < 2 {
		return []rect{p.vis}
	}
	return out
}

// spot is a whole px of the process's topmost viewport inside a part of a box,
// given in px of the document.
func (h *hitter) spot(r rect, f [2]float64) (x, y float64, ok bool) {
	ix, iy := min(1, (r.R-r.L)/4), min(1, (r.B-r.T)/4)
	x, y = r.L+ix+(r.R-r.L-2*ix)*f[0], r.T+iy+(r.B-r.T-2*iy)*f[1]
	gx, gy := h.d.place.point(x, y)
	q := h.c.top(h.d).place.inverse(rect{gx, gy, gx, gy})
	x, y = math.Floor(q.L), math.Floor(q.T)
	return x, y, true
}

// send asks for a point in the document's process and, where that is a frame of
// others, in each of those above.
func (h *hitter) send(x, y float64) []*devtools.Pending {
	top := h.c.top(h.d)
	sent := []*devtools.Pending{locate(top, x, y)}
	gx, gy := top.place.point(x, y)
	for up := top; up.above != nil; {
		up = h.c.top(up.above)
		q := up.place.inverse(rect{gx, gy, gx, gy})
		sent = append(sent, locate(up, math.Round(q.L), math.Round(q.T)))
	}
	return sent
}

// locate asks what is at a point of the viewport of a process's topmost
// document. The protocol counts from the document's own corner, in whole px.
func locate(top *surveyed, x, y float64) *devtools.Pending {
	p := top.reply.Page
	return top.doc.Session.Send("DOM.getNodeForLocation", map[string]any{"x": int(math.Round(x + p.X)), "y": int(math.Round(y + p.Y))})
}

// answer is the node at a point: of the document's process, or what another
// has above the frame. nil is none.
func (h *hitter) answer(ctx context.Context, sent []*devtools.Pending) (*domtree.Node, error) {
	nodes := make([]*domtree.Node, len(sent))
	for i, p := range sent {
		var r struct {
			BackendNodeID int `json:"backendNodeId"`
		}
		var perr *devtools.Error
		err := p.Decode(ctx, &r)
		if errors.As(err, &perr) {
			continue // nothing is there
		}
		if err != nil {
			return nil, fmt.Errorf("hit test: %w", err)
		}
		for _, t := range h.c.trees {
			if n := t.ByID[r.BackendNodeID]; n != nil && t == h.c.treeAt(h.d, i) {
				nodes[i] = n
			}
		}
	}
	below := h.c.top(h.d)
	for _, n := range nodes[1:] {
		if n == nil || n.FrameID != below.frame.ID {
			return n, nil // something of another document is above this frame
		}
		below = h.c.top(below.above)
	}
	return nodes[0], nil
}

// judge takes in what is at one point of a candidate.
func (h *hitter) judge(p *protoNode, t *domtree.Node, x, y float64) {
	if p.hit == hitOwn {
		return
	}
	t = within(t, p.n)
	control := p.flags&flagAct != 0
	rel := h.relation(t, p.n)
	switch {
	case rel == "own" || !control && rel == "inner":
		gx, gy := h.c.top(h.d).place.point(x+0.5, y+0.5)
		q := h.d.place.inverse(rect{gx, gy, gx, gy})
		p.hit, p.why, p.points = hitOwn, "", []float64{q.L, q.T}
		return
	case rel == "none":
		return
	}
	why := "covered"
	switch {
	case rel == "inner":
		why = "inner_control"
	case rel == "below" && p.n.Style("pointer-events") == "none":
		why = "pointer_events_none"
	}
	if p.why == "" || p.why == "pointer_events_none" {
		p.why = why
	}
	p.covering = p.covering || !sameDocument(t, p.n)
	if p.hit != hitShown && !hides(t, p.n) {
		p.hit = hitShown
	}
}

// within is what a hit node is to the document of e: where it is in a frame of
// that document, the frame element.
func within(t, e *domtree.Node) *domtree.Node {
	for up := t; up != nil; {
		if sameDocument(up, e) {
			return up
		}
		for up.Parent != nil && up.Type != 9 {
			up = up.Parent
		}
		up = up.Parent
	}
	return t
}

func sameDocument(a, b *domtree.Node) bool {
	top := func(n *domtree.Node) *domtree.Node {
		for n.Parent != nil && n.Type != 9 {
			n = n.Parent
		}
		return n
	}
	return top(a) == top(b)
}

// relation says what the topmost node t is to e.
func (h *hitter) relation(t, e *domtree.Node) string {
	if t == nil {
		return "none"
	}
	if t.Inside(e) {
		for n := t; n != e; n = n.Up() {
			ofLabel := n.Is("label") && h.w.labelControl(n) == e
			if h.w.acts(n) && !ofLabel {
				if disabledWhy(n) == "" && e.Is("label") && h.w.labelControl(e) == n {
					return "own"
				}
				return "inner"
			}
		}
		return "own"
	}
	for n := t; n != nil; n = n.Up() {
		if n.Is("label") {
			if h.w.labelControl(n) == e && !h.between(t, n) {
				return "own"
			}
			break
		}
	}
	if e.Is("area") && h.w.areaImage(e) == t {
		return "own"
	}
	if e.Inside(t) {
		return "below"
	}
	return "cover"
}

func (h *hitter) between(t, label *domtree.Node) bool {
	for n := t; n != nil && n != label; n = n.Up() {
		if h.w.acts(n) {
			return true
		}
	}
	return false
}

// veilOpacity is the opacity from which paint hides what is under it.
const veilOpacity = 0.5

// hides says whether the topmost node, or what it is part of, hides e.
func hides(t, e *domtree.Node) bool {
	for n := t; n != nil && !e.Inside(n); n = n.Up() {
		o := 1.0
		for p, i := n, 0; p != nil && i < 6; p, i = p.Up(), i+1 {
			o *= number(p.Style("opacity"), 1)
		}
		if n.Box == nil || o < veilOpacity || n.Style("visibility") != "visible" {
			continue
		}
		if n.Is("img", "video", "canvas", "iframe", "embed", "object", "frame") || alphaOf(n.Style("background-color"))*o >= veilOpacity ||
			n.Style("background-image") != "none" && !strings.Contains(n.Style("background-image"), "transparent") && !strings.Contains(n.Style("background-image"), "rgba(") ||
			n.Is("input") && drawnInputs[inputType(n)] && n.Style("appearance") != "none" {
			return true
		}
	}
	return false
}

// drawnInputs are those that the browser draws without a background of theirs.
var drawnInputs = map[string]bool{"checkbox": true, "radio": true, "range": true, "color": true}

func alphaOf(color string) float64 {
	if color == "transparent" {
		return 0
	}
	open := strings.IndexByte(color, '(')
	if open < 0 || !strings.HasPrefix(color, "rgb") {
		return 1
	}
	parts := strings.FieldsFunc(strings.TrimSuffix(color[open+1:], ")"), func(r rune) bool { return strings.ContainsRune(" ,/", r) })
	if len(parts) < 4 {
		return 1
	}
	return number(parts[3], 1)
}
