package observe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"cuatui/engine/devtools"
	"cuatui/engine/observe/domtree"
	"cuatui/engine/refusal"
)

// Offer is a ref in view that declares an action: what an audit holds against
// the page. Points are where an action would aim, CSS px of the top viewport.
type Offer struct {
	K      int
	Click  bool // it declares click
	Points [][2]float64
}

// Finding is one node that a snapshot is wrong about.
type Finding struct {
	K     int
	Tag   string
	Point [2]float64 // CSS px of the top viewport
	// Says is the evidence: of a miss what makes the node a control, of a lie
	// what was hit in its place.
	Says string
}

// Audit is what the browser's own hit testing says of a snapshot.
type Audit struct {
	Points   int // of the grid
	Controls int // distinct controls that were hit
	Offers   int // offers that were judged
	Misses   []Finding
	Lies     []Finding
	// Unread says why parts of the page could not be judged.
	Unread []string
}

// auditStepPx is the distance of the grid's points, CSS px, where that makes
// no more than auditPointsMax of them.
const (
	auditStepPx    = 16
	auditPointsMax = 6_000
)

// Audit judges offers by evidence that the survey does not use: a grid of
// points over the viewport asked of the protocol's hit testing, and roles,
// attributes and listeners as the protocol has them. A control that is hit but
// not offered is a miss; an offer that declares click and is not what is hit
// at its point is a lie.
func (s *Snapshot) Audit(ctx context.Context, offers []Offer) (a *Audit, err error) {
	s.page.mu.Lock()
	defer s.page.mu.Unlock()
	defer func() { err = s.page.blame(err) }()
	if err := s.unchanged(ctx); err != nil {
		return nil, err
	}
	h := &auditor{s: s, a: &Audit{}, trees: map[*devtools.Session]*auditTree{}, roots: map[*devtools.Session]*surveyed{}}
	if err := h.prepare(ctx); err != nil {
		return nil, err
	}
	offered := map[int]bool{}
	for _, o := range offers {
		offered[o.K] = true
	}
	if err := h.misses(ctx, offered); err != nil {
		return nil, err
	}
	if err := h.lies(ctx, offers); err != nil {
		return nil, err
	}
	return h.a, nil
}

type auditor struct {
	s     *Snapshot
	a     *Audit
	trees map[*devtools.Session]*auditTree
	roots map[*devtools.Session]*surveyed // the topmost document of each process
}

// prepare reads the tree of every process.
func (h *auditor) prepare(ctx context.Context) error {
	for _, d := range h.s.docs {
		if d.unproven != "" {
			h.a.Unread = append(h.a.Unread, "a frame: "+d.unproven)
			continue
		}
		if h.roots[d.doc.Session] != nil {
			continue
		}
		h.roots[d.doc.Session] = d
		t, err := d.doc.readTree(ctx)
		if err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		if t.Missing > 0 {
			h.a.Unread = append(h.a.Unread, fmt.Sprintf("frame %s: what is below %d nodes: %s", d.doc.label, t.Missing, t.Why))
		}
		h.trees[d.doc.Session] = t
	}
	return nil
}

// hit is what the browser says is at a point.
type hit struct {
	at   [2]float64
	root *surveyed // of the process that answered
	node int       // backend id, 0 for nothing
}

// hits asks for the topmost node at each point, CSS px of the top viewport,
// down through the frames of other processes.
func (h *auditor) hits(ctx context.Context, points [][2]float64) ([]hit, error) {
	out := make([]hit, len(points))
	todo := make([]int, len(points))
	for i, p := range points {
		out[i], todo[i] = hit{at: p, root: h.s.docs[0]}, i
	}
	for range frameDepthMax {
		sent := make([]*devtools.Pending, len(todo))
		for j, i := range todo {
			d := out[i].root
			x, y := d.place.back().point(out[i].at[0], out[i].at[1])
			// The protocol takes whole px of the document, not of its viewport.
			x, y = math.Floor(x)+math.Round(d.reply.Page.X), math.Floor(y)+math.Round(d.reply.Page.Y)
			sent[j] = d.doc.Session.Send("DOM.getNodeForLocation", map[string]any{"x": int(x), "y": int(y)})
		}
		var below []int
		for j, i := range todo {
			var r struct {
				ID int `json:"backendNodeId"`
			}
			var perr *devtools.Error
			err := sent[j].Decode(ctx, &r)
			if err != nil && !errors.As(err, &perr) { // an error reply says that nothing is there
				return nil, fmt.Errorf("audit: hit test: %w", err)
			}
			out[i].node = r.ID
			if child := h.childOf(out[i]); child != nil {
				out[i].root = child
				below = append(below, i)
			}
		}
		if todo = below; len(todo) == 0 {
			break
		}
	}
	return out, nil
}

// childOf is the document of another process whose frame element was hit.
func (h *auditor) childOf(at hit) *surveyed {
	for session, root := range h.roots {
		if root.above == nil || !root.exact || session == at.root.doc.Session || root.ownerID == 0 {
			continue
		}
		if root.above.doc.Session == at.root.doc.Session && root.ownerID == at.node {
			return root
		}
	}
	return nil
}

// misses hits a grid of points and names the controls that are not offered.
func (h *auditor) misses(ctx context.Context, offered map[int]bool) error {
	if err := h.findOwners(ctx); err != nil {
		return err
	}
	points := auditGrid(h.s.viewport())
	h.a.Points = len(points)
	hits, err := h.hits(ctx, points)
	if err != nil {
		return err
	}
	holds := map[*auditTree]map[*domtree.Node]bool{}
	for _, t := range h.trees {
		holds[t] = t.holders()
	}
	type control struct {
		session *devtools.Session
		node    *domtree.Node
	}
	found := map[control]Finding{}
	var order []control
	for _, at := range hits {
		t := h.trees[at.root.doc.Session]
		if t == nil || at.node == 0 {
			continue
		}
		n, says := t.controlAt(t.ByID[at.node], holds[t])
		if n == nil {
			continue
		}
		c := control{at.root.doc.Session, n}
		if _, ok := found[c]; !ok {
			found[c] = Finding{Tag: n.Tag, Point: at.at, Says: says}
			order = append(order, c)
		}
	}
	h.a.Controls = len(order)
	for _, c := range order {
		d := h.docOf(c.session, c.node)
		if d == nil {
			continue // of a document that is said to be unread
		}
		k, seen, err := d.lookedAt(ctx, c.node.Backend)
		if err != nil {
			return err
		}
		if f := found[c]; seen && !offered[k] {
			f.K = k
			h.a.Misses = append(h.a.Misses, f)
		}
	}
	return nil
}

// controlAt is the control that takes a click on a hit node, and what makes it
// one; nil where there is none, or it takes no input.
func (t *auditTree) controlAt(hit *domtree.Node, holds map[*domtree.Node]bool) (*domtree.Node, string) {
	chain := chain(hit)
	for i, n := range chain {
		says := strong(n)
		if says == "" {
			says = t.weak(n, holds)
		}
		switch {
		case n.Tag == "label" && says == "" || n.Tag == "img" && n.Has("usemap"):
			return nil, "" // the click is its control's, or an area's
		case says != "" && off(chain[i:]):
			return nil, ""
		case says != "":
			return n, says
		}
	}
	return nil, ""
}

// auditGrid is a grid of points over the viewport, off its edges.
func auditGrid(view rect) [][2]float64 {
	w, h := view.R-view.L, view.B-view.T
	if !(w > 0 && h > 0) {
		return nil
	}
	step := max(auditStepPx, math.Ceil(math.Sqrt(w*h/auditPointsMax)))
	var out [][2]float64
	for y := step / 2; y < h; y += step {
		for x := step / 2; x < w; x += step {
			out = append(out, [2]float64{x, y})
		}
	}
	return out
}

// findOwners finds the frame elements of other processes' documents.
func (h *auditor) findOwners(ctx context.Context) error {
	for _, root := range h.roots {
		if root.above == nil || root.owner == nil {
			continue
		}
		ids, err := root.above.doc.backendIDs(ctx, []int{root.owner.Local})
		if err != nil {
			return err
		}
		root.ownerID = ids[0]
	}
	return nil
}

// docOf is the read document that a node is in, nil if it was not read.
func (h *auditor) docOf(session *devtools.Session, n *domtree.Node) *surveyed {
	for n.Parent != nil && n.Type != 9 {
		n = n.Parent
	}
	if n == h.trees[session].Root {
		return h.roots[session]
	}
	for _, d := range h.s.docs {
		if d.unproven == "" && h.trees[session].Frames[d.frame.ID] == n {
			return d
		}
	}
	return nil
}

// seenJS is the browser's own answer to whether an element can be seen: a
// pointer hits what is wholly transparent, and a person does not.
const seenJS = `function() { return this.checkVisibility({ opacityProperty: true, visibilityProperty: true }); }`

// lookedAt is the identity of a node in the tab, and whether it can be seen,
// as far as the documents above let its frame be seen.
func (d *surveyed) lookedAt(ctx context.Context, id int) (k int, seen bool, err error) {
	handles, err := d.doc.Resolve(ctx, d.doc.group+"-nodes", []int{id})
	if err != nil || handles[0] == "" {
		return 0, false, err
	}
	local, err := d.doc.localOf(ctx, id)
	if err != nil {
		return 0, false, err
	}
	k, seen = d.doc.k(local), true
	for at := d; seen && handles[0] != ""; at = at.above {
		if seen, err = at.doc.seen(ctx, handles[0]); err != nil || at.above == nil {
			break
		}
		if handles, err = at.above.doc.Nodes(ctx, []int{at.owner.Local}, at.above.doc.group+"-nodes"); err != nil {
			break
		}
	}
	return k, seen, err
}

// seen asks the browser whether it shows an element.
func (d *doc) seen(ctx context.Context, handle string) (bool, error) {
	var r struct {
		Result struct {
			Value bool `json:"value"`
		} `json:"result"`
	}
	var perr *devtools.Error
	err := d.Session.Call(ctx, "Runtime.callFunctionOn", map[string]any{"objectId": handle, "functionDeclaration": seenJS, "returnByValue": true, "silent": true}, &r)
	if errors.As(err, &perr) {
		return false, nil // it left meanwhile
	}
	if err != nil {
		return false, fmt.Errorf("audit: %w", err)
	}
	return r.Result.Value, nil
}

// backendIDs are the backend ids of nodes by their local identity, 0 for one
// that is gone.
func (d *doc) backendIDs(ctx context.Context, locals []int) ([]int, error) {
	handles, err := d.Nodes(ctx, locals, d.group+"-nodes")
	if err != nil {
		return nil, err
	}
	sent := make([]*devtools.Pending, len(handles))
	for i, handle := range handles {
		if handle != "" {
			sent[i] = d.Session.Send("DOM.describeNode", map[string]any{"objectId": handle})
		}
	}
	out := make([]int, len(handles))
	for i, p := range sent {
		if p == nil {
			continue
		}
		var r struct {
			Node struct {
				ID int `json:"backendNodeId"`
			} `json:"node"`
		}
		var perr *devtools.Error
		if err := p.Decode(ctx, &r); err != nil && !errors.As(err, &perr) {
			return nil, fmt.Errorf("describe nodes: %w", err)
		}
		out[i] = r.Node.ID
	}
	return out, nil
}

// aimed is an offer of a click, with the node that it is made for.
type aimed struct {
	Offer
	n     Node
	id    int // backend id, 0 for one that is gone
	first int // of its points among all that are hit
	hits  int // how many of them are its own
}

// lies asks what is hit where each offer of a click would aim.
func (h *auditor) lies(ctx context.Context, offers []Offer) error {
	clicks, err := h.aim(ctx, offers)
	if err != nil {
		return err
	}
	var points [][2]float64
	for i := range clicks {
		at := around(clicks[i].Points)
		clicks[i].first, clicks[i].hits = len(points), len(at)
		points = append(points, at...)
	}
	all, err := h.hits(ctx, points)
	if err != nil {
		return err
	}
	for _, o := range clicks {
		t := h.trees[o.n.doc.Session]
		node := t.ByID[o.id]
		if node == nil {
			continue // it came or went since: a page that moves has no truth to be held to
		}
		hits := all[o.first:][:o.hits]
		own := func(at hit) bool {
			return at.root.doc.Session == o.n.doc.Session && takes(t.ByID[at.node], node)
		}
		if slices.ContainsFunc(hits, own) {
			continue
		}
		f := Finding{K: o.K, Tag: node.Tag, Says: "it has no point that takes the pointer"}
		if len(hits) > 0 {
			f.Point, f.Says = hits[0].at, "nothing is hit there"
			if over := h.trees[hits[0].root.doc.Session]; over != nil && over.ByID[hits[0].node] != nil {
				f.Says = over.ByID[hits[0].node].Tag + " is hit there"
			}
		}
		h.a.Lies = append(h.a.Lies, f)
	}
	return nil
}

// aim finds the nodes of the offers of a click, one call a document.
func (h *auditor) aim(ctx context.Context, offers []Offer) (clicks []aimed, err error) {
	of := map[*doc][]int{} // indices of clicks
	for _, o := range offers {
		if !o.Click {
			continue
		}
		n, ok := h.s.page.nodes[o.K]
		if !ok {
			return nil, refusal.New(refusal.Navigated, "the document of this snapshot has been replaced")
		}
		if h.trees[n.doc.Session] == nil {
			continue
		}
		h.a.Offers++
		of[n.doc] = append(of[n.doc], len(clicks))
		clicks = append(clicks, aimed{Offer: o, n: n})
	}
	for d, at := range of {
		locals := make([]int, len(at))
		for j, i := range at {
			locals[j] = clicks[i].n.local
		}
		ids, err := d.backendIDs(ctx, locals)
		if err != nil {
			return nil, err
		}
		for j, i := range at {
			clicks[i].id = ids[j]
		}
	}
	return clicks, nil
}

// around are the whole px next to each point: the protocol takes no others, and
// what shows through a gap may be narrower than one.
func around(points [][2]float64) [][2]float64 {
	var out [][2]float64
	for _, p := range points {
		for _, dx := range []float64{0, 1} {
			for _, dy := range []float64{0, 1} {
				out = append(out, [2]float64{p[0] + dx, p[1] + dy})
			}
		}
	}
	return out
}

// takes says whether a click on the hit node is one on n: the hit is n or
// inside it, its label, or the image of an area.
func takes(hit, n *domtree.Node) bool {
	for _, c := range chain(hit) {
		if c == n {
			return true
		}
		if c.Tag == "label" {
			if id := n.Attr("id"); id != "" && c.Attr("for") == id {
				return true
			}
			return slices.Contains(chain(n), c)
		}
		if c.Tag == "img" && c.Has("usemap") && n.Tag == "area" {
			return true
		}
	}
	return false
}
