package observe

import (
	"regexp"
	"strings"

	"cuatui/engine/limits"
	"cuatui/engine/observe/domtree"
)

// protoWalk judges one document of a protocol tree.
type protoWalk struct {
	heard     map[int]int // event types by listening backend id
	labelled  map[*domtree.Node]*domtree.Node
	labels    []*domtree.Node // of the document, once they are asked for
	scrolled  [2]float64
	inherit   string
	under     string // why nothing can be used that is not in view
	root      *domtree.Node
	body      *domtree.Node
	bodyClips bool // the root has an overflow of its own, so that the body has, too
	modal     *domtree.Node
	view      rect // what is let through now, own px
	near      rect
	doc       rect // what scrolling can bring into the window
	hard      rect
	viewport  rect

	all      []*protoNode
	index    map[*domtree.Node]int
	frames   []*protoNode
	pending  []*domtree.Node // controls of labels that were met before them
	elements int
}

// protoNode is a candidate of a protocol tree.
type protoNode struct {
	n        *domtree.Node
	i        int
	flags    int
	ev       int
	tier     string // "in", or a public tier
	sub      string
	owner    int // the candidate that says its text, -1 for none
	folded   bool
	inline   bool
	vis      rect
	clip     rect
	hardClip rect
	hit      int
	why      string
	points   []float64
	// as a frame element
	covering bool
}

type clipPair struct{ hard, soft rect }

func (c clipPair) narrow(r rect) clipPair { return clipPair{c.hard.cut(r), c.soft.cut(r)} }

// walkContext is what a node takes over from above.
type walkContext struct {
	hid                 string
	laid                bool
	opacity             float64
	pointer             bool
	fold                int
	label               *string
	inline              int
	dialog              bool
	flow, placed, fixed clipPair
}

// labelBase marks the owner of a label's text until its control is met.
const labelBase = 1 << 28

func (w *protoWalk) walk() {
	flow, fixed := clipPair{w.doc, w.view}, clipPair{w.hard, w.view}
	w.index, w.labelled = map[*domtree.Node]int{}, map[*domtree.Node]*domtree.Node{}
	w.step(w.root, walkContext{hid: w.inherit, laid: w.inherit == "", opacity: 1, fold: -1, inline: -1, flow: flow, placed: flow, fixed: fixed})
	for _, p := range w.all {
		if p.owner < labelBase {
			continue
		}
		at, ok := w.index[w.pending[p.owner-labelBase]]
		if !ok || w.all[at].flags&flagAct == 0 || w.all[at].tier == "css_hidden" || w.all[at].tier == "no_layout" {
			p.owner, p.folded = -1, false
			continue
		}
		p.owner = at
	}
}

var ink = regexp.MustCompile(`[^\s\x{200B}\x{FEFF}\x{A0}]`)

// hasLayout says whether anything below a node without a box has one: then it
// is display:contents.
func hasLayout(n *domtree.Node, depth int) bool {
	for _, k := range n.Flat() {
		if k.Box != nil || depth < 20 && k.Type == 1 && hasLayout(k, depth+1) {
			return true
		}
	}
	return false
}

func (w *protoWalk) step(n *domtree.Node, c walkContext) {
	if skipTags[n.Tag] {
		return
	}
	w.elements++
	kids := n.Flat()
	if n.Is("textarea", "iframe", "object", "video", "audio", "canvas") && n.Shadow == nil {
		kids = nil
	}
	own := hasInk(kids)
	modalHere := w.modal == n
	if modalHere || n.Has("popover") && n.Box != nil && n.Style("position") == "fixed" {
		w.toTop(&c, modalHere)
	}
	hid, laid, opacity, contents := w.enter(n, c)
	flags, ev, role := w.kind(n, c, laid && hid == "" && n.Box != nil)
	if own {
		flags |= flagText
	}
	if c.dialog || modalHere || role == "dialog" || role == "alertdialog" || n.Is("dialog") {
		flags |= flagDialog
	}
	if focused(n) {
		flags |= flagFocused
	}
	p := &protoNode{n: n, flags: flags, ev: ev, owner: -1}
	if hid != "" || !laid {
		p.tier, p.sub = "css_hidden", orWhy(hid, "display")
		if p.sub == "unslotted" {
			p.tier = "no_layout"
		}
		w.keep(p, flags&(flagAct|flagText|flagSemantic) != 0)
		c.hid, c.laid, c.opacity = p.sub, laid, 1
		w.below(n, kids, c, p)
		return
	}
	c.opacity = opacity
	w.below(n, kids, w.place(n, c, p, role, own, contents, modalHere, kids), p)
}

func hasInk(kids []*domtree.Node) bool {
	for _, k := range kids {
		if k.Type == 3 && ink.MatchString(k.Text) {
			return true
		}
	}
	return false
}

func focused(n *domtree.Node) bool {
	return n.AX != nil && n.AX.Props["focused"] == true && !n.Is("html", "body")
}

// toTop is the context of the top layer: it leaves the clips and the opacity
// above it behind, and a modal the inertness, too.
func (w *protoWalk) toTop(c *walkContext, modal bool) {
	c.flow = clipPair{w.hard, w.view}
	c.placed, c.fixed, c.opacity, c.dialog = c.flow, c.flow, 1, c.dialog || modal
	if c.hid == "opacity" || modal && (c.hid == "behind_modal" || c.hid == "inert") {
		c.hid, c.laid = "", true
	}
}

// keep numbers a candidate; frames are kept in any case.
func (w *protoWalk) keep(p *protoNode, candidate bool) {
	p.i = -1
	if candidate {
		p.i = len(w.all)
		w.index[p.n] = p.i
		w.all = append(w.all, p)
	}
	if p.flags&flagFrame != 0 {
		w.frames = append(w.frames, p)
	}
}

// enter says what a node does to itself and what is below it.
func (w *protoWalk) enter(n *domtree.Node, c walkContext) (hid string, laid bool, opacity float64, contents bool) {
	hid, laid, opacity = w.mapped(n, c)
	if laid && n.Box == nil {
		contents = hasLayout(n, 0)
		if !contents && (!n.Is("area") || w.areaImage(n) == nil) {
			hid, laid = orWhy(hid, undisplayed(n)), false
		}
	}
	if hid == "" {
		hid = w.barred(n)
	}
	if hid == "" && laid && !contents {
		if opacity *= ownOpacity(n); opacity < 0.01 && (c.opacity < 0.01 || !w.drawnOver(n)) {
			hid = "opacity"
		}
	}
	if hid != "" && laid {
		laid = hid == "opacity" || hid == "behind_modal" || hid == "inert"
	}
	return hid, laid, opacity, contents
}

// barred is what a node says of itself that takes it out of use.
func (w *protoWalk) barred(n *domtree.Node) string {
	switch {
	case n.Has("inert"), n.Style("interactivity") == "inert":
		return "inert"
	case strings.EqualFold(n.Attr("aria-hidden"), "true"):
		return "aria_hidden"
	case w.modal != nil && n == w.root:
		return "behind_modal"
	}
	return ""
}

// mapped is what a node takes over from above: an area is where its image is,
// and its map need not be displayed.
func (w *protoWalk) mapped(n *domtree.Node, c walkContext) (hid string, laid bool, opacity float64) {
	if !c.laid && c.hid != "aria_hidden" && n.Is("area") && w.areaImage(n) != nil {
		return "", true, c.opacity
	}
	return c.hid, c.laid, c.opacity
}

func ownOpacity(n *domtree.Node) float64 {
	o := number(n.Style("opacity"), 1)
	if m := filterOpacity.FindStringSubmatch(n.Style("filter")); m != nil {
		o *= number(m[1], 1)
	}
	return o
}

// undisplayed is what takes a node its box.
func undisplayed(n *domtree.Node) string {
	switch {
	case n.Has("hidden"):
		return "hidden"
	case n.Has("popover"):
		return "popover"
	}
	return "display"
}

var filterOpacity = regexp.MustCompile(`opacity\(([\d.]+)\)`)

func (w *protoWalk) below(n *domtree.Node, kids []*domtree.Node, c walkContext, p *protoNode) {
	shut := n.Is("details") && !n.Has("open") && c.hid == ""
	for _, k := range kids {
		if k.Type != 1 {
			continue
		}
		kc := c
		switch {
		case n.Is("select"):
			kc.fold, kc.label, kc.laid = p.i, nil, false
			kc.hid = orWhy(kc.hid, "option")
		case shut && k != firstSummary(n):
			kc.hid, kc.laid = "closed_details", false
		}
		w.step(k, kc)
	}
	if n.Shadow == nil {
		return
	}
	for _, k := range n.Kids {
		if k.Type == 1 && k.Slot == nil {
			kc := c
			kc.hid, kc.laid = orWhy(c.hid, "unslotted"), false
			w.step(k, kc)
		}
	}
}

// limitsOf sets what is in and near view: of the window, or as the documents
// above told by args.
func (w *protoWalk) limitsOf(page pageFacts, args map[string]any) {
	w.viewport = rect{0, 0, page.W, page.H}
	w.view = inWindow(page.W, page.H, page.Pinched)
	w.hard, w.scrolled = w.viewport, [2]float64{page.X, page.Y}
	near := float64(limits.NearMarginPx)
	w.near = rect{w.view.L - near, w.view.T - near, w.view.R + near, w.view.B + near}
	edges := func(name string, into *rect) {
		if e, ok := args[name].([]float64); ok && len(e) == 4 {
			*into = rect{e[0], e[1], e[2], e[3]}
		}
	}
	edges("view", &w.view)
	edges("near", &w.near)
	edges("hard", &w.hard)
	w.inherit, _ = args["inherit"].(string)
	w.under, _ = args["under"].(string)
	w.doc = w.hard
	w.bodyClips = w.root.Style("overflow-x") != "visible" || w.root.Style("overflow-y") != "visible"
	if w.root.Box == nil || w.hard.empty() || args["stuck"] == true {
		return
	}
	governs := w.root
	if w.body != nil && w.body.Box != nil && !w.bodyClips {
		governs = w.body
	}
	stuck := func(axis string) bool {
		o := governs.Style("overflow-" + axis)
		return o == "hidden" || o == "clip"
	}
	flipX, flipY := flipped(w.root)
	if !stuck("x") {
		back, on := travel(page.X, w.root.Box.Scroll[2], page.W, flipX)
		w.doc.L, w.doc.R = w.doc.L-back, w.doc.R+on
	}
	if !stuck("y") {
		back, on := travel(page.Y, w.root.Box.Scroll[3], page.H, flipY)
		w.doc.T, w.doc.B = w.doc.T-back, w.doc.B+on
	}
}
