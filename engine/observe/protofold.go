package observe

import (
	"strings"

	"cuatui/engine/observe/domtree"
)

// folds returns the candidate that says a node's text already, or -1.
func (w *protoWalk) folds(n *domtree.Node, c walkContext, p *protoNode, role string, own, contents bool) int {
	if p.flags&(flagAct|flagProxy) != 0 {
		return -1
	}
	if p.flags&(flagSemantic|flagScroll) != 0 {
		if n.Tag != "img" && n.Tag != "svg" || c.fold < 0 || c.label != nil {
			return -1
		}
		return c.fold
	}
	if n.Is("label") {
		if ctl := w.labelControl(n); ctl != nil {
			return w.pend(ctl)
		}
	}
	if c.fold >= 0 {
		if c.label == nil || strings.Contains(*c.label, strings.ToLower(cleanText(textOf(n)))) {
			return c.fold
		}
		return -1
	}
	d := n.Style("display")
	if c.inline >= 0 && own && (d == "inline" || contents) && !structs[role] {
		return c.inline
	}
	return -1
}

func (w *protoWalk) pend(ctl *domtree.Node) int {
	w.pending = append(w.pending, ctl)
	return labelBase + len(w.pending) - 1
}

// cardMax is how much text a clickable node without a role may hold to be
// named by it, UTF-16 units.
const cardMax = 300

// inner is the context of the children of a laid-out node.
func (w *protoWalk) inner(n *domtree.Node, c walkContext, p *protoNode, role string, own, contents bool, clip clipPair, over bool) walkContext {
	d := c
	d.pointer = n.Style("cursor") == "pointer"
	if contents { // it has no style here: a link has the pointer cursor
		d.pointer = c.pointer || p.ev&evNative != 0
	}
	if p.flags&flagDialog != 0 && (n.Is("dialog") || role == "dialog" || role == "alertdialog") {
		d.dialog = true
	}
	w.innerText(n, c, &d, p, role, own, contents)
	if n.Box == nil {
		return d
	}
	d.clips(n, clip, over && n != w.root && (n != w.body || w.bodyClips))
	if n.Style("content-visibility") == "hidden" && n.Style("display") != "inline" {
		d.hid, d.laid = "content_visibility", false
		if n.Has("hidden") {
			d.hid = "hidden"
		}
	}
	return d
}

// clips sets the clips of the children of n.
func (d *walkContext) clips(n *domtree.Node, clip clipPair, over bool) {
	if over && (outerSVG(n) || !unclipping[n.Style("display")]) {
		clip = throughOverflow(n, clip)
	}
	if keepsPaint(n) {
		clip = clip.narrow(paddingBox(n))
	}
	d.flow = clip
	fixed := containsFixed(n)
	if n.Style("position") != "static" || fixed {
		d.placed = clip
	}
	if fixed {
		d.fixed = clip
	}
}

// innerText says which candidate tells the text of the children of n.
func (w *protoWalk) innerText(n *domtree.Node, c walkContext, d *walkContext, p *protoNode, role string, own, contents bool) {
	if p.i >= 0 && p.flags&(flagAct|flagSemantic) != 0 && !p.folded && w.tellsText(n, p, role) {
		d.fold, d.label, d.inline = p.i, ownLabel(n), -1
	}
	if n.Is("label") && p.flags&flagProxy == 0 {
		if ctl := w.labelControl(n); ctl != nil {
			d.fold, d.label = w.pend(ctl), nil
		}
	} else if p.flags&flagProxy != 0 && p.i >= 0 {
		d.fold, d.label = p.i, nil
	}
	switch {
	case d.fold >= 0:
	case p.folded && c.inline >= 0:
		d.inline = c.inline
	case own && p.i >= 0 && p.flags&flagAct == 0:
		d.inline = p.i
	case !contents && n.Style("display") != "inline":
		d.inline = -1
	}
}

// tellsText says whether a candidate is named by what is in it.
func (w *protoWalk) tellsText(n *domtree.Node, p *protoNode, role string) bool {
	switch {
	case role != "":
	case n.HTML && headings[n.Tag]:
		role = "heading"
	case n.Tag == "a" && p.ev&evNative != 0:
		role = "link"
	case n.Tag == "button", n.Tag == "summary", n.Tag == "option":
		role = n.Tag
	}
	plain := role == "" && p.flags&flagAct != 0 && p.flags&flagSemantic == 0 && p.ev&evEditable == 0 && w.roleOf(n) == "generic" && len(textOf(n)) <= cardMax
	return byText[role] || plain
}

// ownLabel is the name that a node is given in place of its text, in lower case.
func ownLabel(n *domtree.Node) *string {
	l := n.Attr("aria-label")
	if n.Has("aria-labelledby") && n.AX != nil {
		l = n.AX.Name
	}
	if l == "" {
		return nil
	}
	l = strings.ToLower(cleanText(l))
	return &l
}
