package observe

import "cuatui/engine/observe/domtree"

// A control that is transparent itself may be the control of what is drawn in
// its place: by the rules that the survey's kind.js states.

var drawnTypes = set("checkbox radio file range color date datetime-local month week time")

// drawnOver says whether a transparent control takes the clicks of what is drawn
// in its place.
func (w *protoWalk) drawnOver(n *domtree.Node) bool {
	p := n.Up()
	if p == nil || p.Box == nil || n.Box == nil || !w.redrawn(n) {
		return false
	}
	whole, r := fromBox(p.Box.Rect), fromBox(n.Box.Rect)
	if p.Style("overflow-x") != "visible" || p.Style("overflow-y") != "visible" {
		r = r.cut(whole)
	}
	all := alike(whole, r)
	for _, k := range p.Kids {
		if k.Type == 3 && all && ink.MatchString(k.Text) {
			return true
		}
		if k.Type == 1 && k != n && k.Box != nil && (all || alike(fromBox(k.Box.Rect), r)) && drawsSomething(k) {
			return true
		}
	}
	return all && inked(p)
}

// redrawn says whether a control is of a kind that pages draw anew, takes the
// pointer, and has no label to stand for it.
func (w *protoWalk) redrawn(n *domtree.Node) bool {
	if n.Style("pointer-events") == "none" || n.Style("filter") != "none" {
		return false
	}
	return n.Is("select") || n.Is("input") && drawnTypes[inputType(n)] && !w.hasLabel(n)
}

// alike says whether each of two boxes covers half of the other.
func alike(a, b rect) bool {
	both := a.cut(b)
	return !both.empty() && 2*area(both) >= area(a) && 2*area(both) >= area(b)
}

func drawsSomething(n *domtree.Node) bool {
	return displayed(n) && (inked(n) || ink.MatchString(textOf(n)) || pictured(n))
}

func area(r rect) float64 { return (r.R - r.L) * (r.B - r.T) }

// hasLabel says whether a displayed label stands for a control.
func (w *protoWalk) hasLabel(n *domtree.Node) bool {
	if w.labels == nil {
		w.labels = []*domtree.Node{}
		var find func(n *domtree.Node)
		find = func(n *domtree.Node) {
			if n.Is("label") {
				w.labels = append(w.labels, n)
			}
			for _, k := range n.Kids {
				find(k)
			}
			if n.Shadow != nil {
				find(n.Shadow)
			}
		}
		find(w.root)
	}
	for _, l := range w.labels {
		if w.labelControl(l) == n && displayed(l) {
			return true
		}
	}
	return false
}

// displayed says whether a node has a box, is visible, and no ancestor of it is
// wholly transparent.
func displayed(n *domtree.Node) bool {
	if n.Box == nil || n.Style("visibility") != "visible" {
		return false
	}
	for ; n != nil; n = n.Up() {
		if n.Box != nil && number(n.Style("opacity"), 1) == 0 {
			return false
		}
	}
	return true
}

// inked says whether a node has a ground or a frame.
func inked(n *domtree.Node) bool {
	if n.Box == nil || n.Style("visibility") != "visible" {
		return false
	}
	return alphaOf(n.Style("background-color")) > 0 || n.Style("background-image") != "none" || number(n.Style("border-top-width"), 0) > 0 && alphaOf(n.Style("border-top-color")) > 0
}

// pictured says whether a node is a picture, or holds one.
func pictured(n *domtree.Node) bool {
	if n.Tag == "svg" || n.Is("img", "canvas") {
		return true
	}
	for _, k := range n.Kids {
		if k.Type == 1 && pictured(k) {
			return true
		}
	}
	return false
}
