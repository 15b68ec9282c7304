package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/engine/observe/domtree"
	"cuatui/engine/world"
	"cuatui/snapshotfmt"
)

// byProtocol collects from whole trees of the protocol: the accessibility
// tree, the pierced DOM and the layout snapshot, joined by node. It is slow on
// large pages, and freezes those whose accessibility is dear; it is there to
// be held against the survey. The page's world serves it for identity alone.
type byProtocol struct {
	s     *Snapshot
	trees map[*devtools.Session]*domtree.Tree
	walks map[*surveyed]*protoWalk
}

func (c *byProtocol) collect(ctx context.Context, level []*surveyed, heard map[*devtools.Session]listening) error {
	if len(c.s.docs) == 0 { // the first level of a try
		c.trees, c.walks = map[*devtools.Session]*domtree.Tree{}, map[*surveyed]*protoWalk{}
	}
	for _, d := range level {
		if d.unproven != "" {
			continue
		}
		err := c.read(ctx, d, heard[d.doc.Session].types)
		if d.above != nil && (world.Gone(err) || errors.Is(err, devtools.ErrDetached)) {
			d.unproven = "navigated while it was read"
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// top is the topmost document of a document's process.
func (c *byProtocol) top(d *surveyed) *surveyed {
	for d.above != nil && d.above.doc.Session == d.doc.Session {
		d = d.above
	}
	return d
}

// treeAt is the tree of the i-th process from a document up.
func (c *byProtocol) treeAt(d *surveyed, i int) *domtree.Tree {
	d = c.top(d)
	for ; i > 0 && d.above != nil; i-- {
		d = c.top(d.above)
	}
	return c.trees[d.doc.Session]
}

func (c *byProtocol) sign(i *snapshotfmt.Info) {
	i.Collector, i.Meaning = CollectProtocol, "accessibility"
	for _, t := range c.trees {
		if t.Why != "" {
			i.PartialWhy = t.Why // what kept a tree from being whole
		}
	}
}

// tree reads the documents of a process, once a snapshot.
func (c *byProtocol) tree(ctx context.Context, s *devtools.Session) (*domtree.Tree, error) {
	if t := c.trees[s]; t != nil {
		return t, nil
	}
	t, err := domtree.Read(ctx, s)
	if err == nil {
		err = t.Lay(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	c.trees[s] = t
	return t, nil
}

// read collects one document.
func (c *byProtocol) read(ctx context.Context, d *surveyed, heard map[int]int) error {
	began := time.Now()
	t, err := c.tree(ctx, d.doc.Session)
	if err != nil {
		return err
	}
	document := t.Root
	if c.top(d) != d {
		if document = t.Frames[d.frame.ID]; document == nil {
			d.unproven = "the protocol's tree has no such document"
			return nil
		}
	}
	if err := t.Mean(ctx, d.doc.Session, d.frame.ID); err != nil {
		return err
	}
	if err := d.doc.Call(ctx, "adopt", map[string]any{}, &d.reply); err != nil {
		return err
	}
	d.ancestors = map[int]ancestor{}
	w := &protoWalk{heard: heard}
	if z := handedDown(document); z != 1 && c.top(d) != d {
		document.Rescale(z)
	}
	for _, k := range document.Kids {
		if k.Type == 1 {
			w.root = k
		}
	}
	c.walks[d] = w
	if w.root == nil {
		return nil
	}
	for _, k := range w.root.Kids {
		if k.Is("body") {
			w.body = k
		}
	}
	w.modal = modalIn(w.root)
	args := map[string]any{}
	if d.above != nil {
		frameArgs(d, c.s.viewport(), args)
	}
	w.limitsOf(d.reply.Page, args)
	w.walk()
	h := &hitter{c: c, d: d, tree: t, w: w, left: limits.HitTestsMax}
	if d.exact {
		if err := h.hitAll(ctx); err != nil {
			return err
		}
	}
	if err := c.reply(ctx, d, w); err != nil {
		return err
	}
	if c.top(d) == d {
		d.reply.NotWalked = t.Missing // counted once a process
	}
	d.reply.WalkMS = ms(time.Since(began))
	return d.reply.check()
}

// handedDown is the zoom of the styles above a document of a frame.
func handedDown(document *domtree.Node) float64 {
	z := 1.0
	for n := document.Parent; n != nil; n = n.Parent {
		z *= number(n.Style("zoom"), 1)
	}
	return z
}

// modalIn is the open modal dialog of a document, the last where there are several.
func modalIn(n *domtree.Node) (found *domtree.Node) {
	if n.Is("dialog") && n.Has("open") && n.AX != nil && n.AX.Props["modal"] == true {
		found = n
	}
	for _, k := range n.Flat() {
		if k.Type == 1 {
			if m := modalIn(k); m != nil {
				found = m
			}
		}
	}
	return found
}

// reply puts what was found into the form that a survey answers with.
func (c *byProtocol) reply(ctx context.Context, d *surveyed, w *protoWalk) error {
	r := &d.reply
	r.Elements, r.Candidates, r.Counts = w.elements, len(w.all), map[string]int{}
	for _, p := range w.all {
		if !d.exact && p.tier == "in" && !p.folded {
			p.tier, p.sub, p.hit = "unknown", "frame_transformed", hitUnknown
		}
	}
	for _, p := range w.all {
		switch {
		case p.sub == "option":
			r.Counts["folded/option"]++
		case p.tier == "css_hidden" || p.tier == "no_layout":
			r.Counts[p.tier+"/"+p.sub]++
		case p.folded:
			r.Counts[w.foldedAs(p)]++
		case p.tier == string(tierOccluded):
			r.Counts[p.tier+"/"+p.sub]++
		case p.tier == "offscreen":
			r.Rest++
		default:
			r.Cols = append(r.Cols, w.column(p))
		}
	}
	backends := make([]int, len(w.frames))
	for i, p := range w.frames {
		backends[i] = p.n.Backend
	}
	var got struct {
		Ks []int `json:"ks"`
	}
	handles, err := d.doc.Resolve(ctx, d.doc.group+"-nodes", backends)
	if err == nil {
		err = d.doc.Call(ctx, "adopt", map[string]any{}, &got, handles...)
	}
	if err != nil {
		return err
	}
	if len(got.Ks) != len(w.frames) {
		return fmt.Errorf("adopt: %d identities for %d frame elements", len(got.Ks), len(w.frames))
	}
	for i, p := range w.frames {
		if got.Ks[i] != 0 {
			r.Frames = append(r.Frames, w.frameRow(p, got.Ks[i]))
		}
	}
	return nil
}

// foldedAs is how a folded node is counted: with what says its text.
func (w *protoWalk) foldedAs(p *protoNode) string {
	own := p
	for i := 0; i < 50 && own.folded && own.owner >= 0 && own.owner < len(w.all); i++ {
		own = w.all[own.owner]
	}
	switch {
	case own.tier == string(tierOccluded):
		return "page_occluded/with_control"
	case own.tier == "unknown":
		return "unknown/with_control"
	case p.inline:
		return "folded/inline"
	}
	return "folded/same_text"
}

func (w *protoWalk) column(p *protoNode) column {
	c := column{I: p.i, Tier: p.tier, Flags: p.flags, Ev: p.ev, Hit: p.hit, Why: p.why, Sub: p.sub, Points: p.points}
	b := p.vis.box()
	c.Box = &b
	if p.flags&flagAct == 0 {
		return c
	}
	target := p.n
	if p.flags&flagProxy != 0 {
		target = w.labelControl(p.n)
	}
	c.Dis = disabledWhy(target)
	if p.tier != "in" && p.why == "" {
		if c.Why = w.under; c.Why == "" && p.n.Style("pointer-events") == "none" {
			c.Why = "pointer_events_none"
		}
	}
	return c
}

// frameRow is how a frame element is laid out.
func (w *protoWalk) frameRow(p *protoNode, local int) frameRow {
	r := frameRow{Local: local, I: max(p.i, 0), Tier: p.tier, Sub: p.sub, Maybe: !p.n.Is("iframe", "frame"), Scoped: true}
	if p.n.Box == nil || p.tier == "css_hidden" {
		return r
	}
	if p.tier == "in" {
		r.Tier = "in"
	}
	n, b := p.n, fromBox(p.n.Box.Rect)
	sx, sy := scaleOf(n)
	pad := func(side string) float64 { return number(n.Style("padding-"+side), 0) }
	l, t := b.L+(n.Box.Client[0]+pad("left"))*sx, b.T+(n.Box.Client[1]+pad("top"))*sy
	r.Size = [2]float64{max(0, n.Box.Client[2]-pad("left")-pad("right")), max(0, n.Box.Client[3]-pad("top")-pad("bottom"))}
	inner := [4]float64{l, t, r.Size[0] * sx, r.Size[1] * sy}
	vis, hard := p.vis.box(), p.hardClip.cut(fromBox(inner))
	r.Inner, r.Scale, r.Vis, r.Hard = &inner, [2]float64{sx, sy}, &vis, &[4]float64{hard.L, hard.T, hard.R, hard.B}
	if n.Style("pointer-events") == "none" {
		r.Under = "pointer_events_none"
	}
	switch n.Attr("scrolling") {
	case "no", "off", "noscroll":
		r.Stuck = true
	}
	for q := n; q != nil; q = q.Up() {
		if turns(q) {
			r.Turned = true
		}
	}
	return r
}

// turns says whether a transform is more than a move and a positive scale.
func turns(n *domtree.Node) bool {
	if r, p := n.Style("rotate"), n.Style("perspective"); r != "" && r != "none" || p != "" && p != "none" {
		return true
	}
	m := n.Style("transform")
	if m == "" || m == "none" {
		return false
	}
	var a, b, c, d, e, f float64
	if k, err := fmt.Sscanf(m, "matrix(%g, %g, %g, %g, %g, %g)", &a, &b, &c, &d, &e, &f); k != 6 || err != nil {
		return true
	}
	return b > 1e-6 || b < -1e-6 || c > 1e-6 || c < -1e-6 || a <= 0 || d <= 0
}

func (c *byProtocol) describe(ctx context.Context, d *surveyed, indices []int) (described, error) {
	w := c.walks[d]
	kept := map[*domtree.Node]bool{}
	for _, p := range w.all {
		kept[p.n] = !p.folded && (p.tier == "in" || p.tier == "near_viewport" || p.tier == "unknown")
	}
	for _, i := range indices {
		kept[w.all[i].n] = true
	}
	var nodes []*domtree.Node
	flags := []int{}
	at := map[*domtree.Node]int{}
	take := func(n *domtree.Node, f int) {
		if _, ok := at[n]; !ok {
			at[n] = len(nodes)
			nodes, flags = append(nodes, n), append(flags, f)
		}
	}
	for _, i := range indices {
		take(w.all[i].n, w.all[i].flags)
	}
	for j := 0; j < len(nodes); j++ { //nolint:intrange // it grows as it is gone through
		if up := w.above(nodes[j], kept); up != nil {
			take(up, 0)
		}
	}
	backends := make([]int, len(nodes))
	for i, n := range nodes {
		backends[i] = n.Backend
	}
	group := d.doc.group + "-nodes"
	handles, err := d.doc.Resolve(ctx, group, backends)
	if err != nil {
		return described{}, err
	}
	var got struct {
		RootChanged bool      `json:"rootChanged"`
		Nodes       []meaning `json:"nodes"`
	}
	err = d.doc.Call(ctx, "identify", map[string]any{"flags": flags, "nameMax": limits.NameCharsMax}, &got, handles...)
	if err != nil || got.RootChanged {
		return described{RootChanged: got.RootChanged}, err
	}
	if len(got.Nodes) != len(nodes) {
		return described{}, fmt.Errorf("identify: %d answers for %d nodes", len(got.Nodes), len(nodes))
	}
	var out described
	up := func(n *domtree.Node) int {
		if a := w.above(n, kept); a != nil {
			return got.Nodes[at[a]].Local
		}
		return 0
	}
	for _, i := range indices {
		own := got.Nodes[at[w.all[i].n]]
		if own.Local == 0 {
			out.Gone = append(out.Gone, i)
			continue
		}
		m := w.meaningOf(w.all[i])
		m.Local, m.Steady, m.Key, m.Use, m.Contract, m.Up = own.Local, own.Steady, own.Key, own.Use, own.Contract, up(w.all[i].n)
		m.ownRole, m.ownName, m.foreign = own.Role, own.Name, true
		out.Nodes = append(out.Nodes, m)
	}
	for _, n := range nodes[min(len(indices), len(nodes)):] {
		if k := got.Nodes[at[n]].Local; k != 0 {
			out.Ctx = append(out.Ctx, ancestor{Local: k, Role: w.roleOf(n), Name: w.contextName(n), Up: up(n)})
		}
	}
	return out, releaseNodes(d.doc.Session, d.doc.group).Decode(ctx, nil)
}

func (c *byProtocol) rest(ctx context.Context, d *surveyed, from, count int) (described, error) {
	w := c.walks[d]
	var indices []int
	seen := 0
	for _, p := range w.all {
		if p.tier != "offscreen" || p.folded || p.sub == "option" {
			continue
		}
		if seen >= from && len(indices) < count {
			indices = append(indices, p.i)
		}
		seen++
	}
	out, err := c.describe(ctx, d, indices)
	for _, i := range indices {
		col := w.column(w.all[i])
		col.Box = nil
		out.Cols = append(out.Cols, col)
	}
	return out, err
}
