package observe

import (
	"context"
	"errors"
	"fmt"

	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/engine/world"
)

// owners gives, per frame id, the local identity of its frame element in the
// parent document. A frame keeps its element as long as it lives, so each is
// asked for once in a parent document.
func (p *Page) owners(ctx context.Context, frames []frame) (map[string]int, error) {
	type ask struct {
		frame frame
		in    *doc // the parent document
		sent  *devtools.Pending
	}
	var asks []ask
	out := map[string]int{}
	for _, f := range frames {
		in, own := p.docs[f.ParentID], p.docs[f.ID]
		switch {
		case in == nil:
		case own != nil && own.above == in && own.owner != 0:
			out[f.ID] = own.owner
		default:
			asks = append(asks, ask{f, in, in.Session.Send("DOM.getFrameOwner", map[string]any{"frameId": f.ID})})
		}
	}
	for _, a := range asks {
		var r struct {
			BackendNodeID int `json:"backendNodeId"`
		}
		var perr *devtools.Error
		err := a.sent.Decode(ctx, &r)
		if errors.As(err, &perr) || errors.Is(err, devtools.ErrDetached) {
			continue // the frame is gone: it has no place, and is counted
		}
		if err != nil {
			return nil, fmt.Errorf("frame owner: %w", err)
		}
		k, err := a.in.localOf(ctx, r.BackendNodeID)
		if err != nil {
			return nil, err
		}
		if k != 0 {
			out[a.frame.ID] = k
		}
		if d := p.docs[a.frame.ID]; d != nil {
			d.owner, d.above = k, a.in
		}
	}
	return out, nil
}

// localOf gives a node's local identity by its backend id, 0 if it is not of
// this document.
func (d *doc) localOf(ctx context.Context, backendID int) (int, error) {
	handles, err := d.Resolve(ctx, d.group+"-nodes", []int{backendID})
	if err != nil || handles[0] == "" {
		return 0, err
	}
	var r struct {
		K int `json:"k"`
	}
	if err := d.Call(ctx, "local", nil, &r, handles...); err != nil {
		if world.Gone(err) {
			return 0, nil
		}
		return 0, err
	}
	return r.K, nil
}

// children lays out the frames inside a surveyed level. Frames that the tab's
// own session does not list, and frame elements without a document of ours,
// are unproven and counted.
func (s *Snapshot) children(level []*surveyed, frames []frame, owners map[string]int, lost map[string]string) []*surveyed {
	var out []*surveyed
	for _, d := range level {
		if d.unproven != "" {
			continue
		}
		rows := map[int]frameRow{}
		for _, r := range d.reply.Frames {
			rows[r.Local] = r
		}
		for _, f := range frames {
			if f.ParentID != d.frame.ID {
				continue
			}
			row, ok := rows[owners[f.ID]]
			delete(rows, owners[f.ID])
			c := &surveyed{doc: s.page.docs[f.ID], frame: f, path: append(append([]int{}, d.path...), row.I)}
			switch {
			case lost[f.ID] != "":
				c.unproven = lost[f.ID]
			case len(c.path) > frameDepthMax:
				c.unproven = "frames are nested too deep"
			case c.doc == nil || !ok:
				c.unproven = "its place in the page is not known"
			default:
				c.layOut(d, row)
			}
			out = append(out, c)
		}
		for _, row := range d.reply.Frames {
			if _, left := rows[row.Local]; left && !row.Maybe {
				out = append(out, &surveyed{
					frame: frame{ParentID: d.frame.ID}, path: append(append([]int{}, d.path...), row.I),
					unproven: "another process's frame is not attached",
				})
			}
		}
	}
	return out
}

// frameDepthMax bounds how deep frames are followed: each asks every document
// above it what covers it.
const frameDepthMax = 30

// layOut places a child document by its owner's row.
func (d *surveyed) layOut(parent *surveyed, row frameRow) {
	if row.Inner != nil {
		d.place = parent.place.within(*row.Inner, row.Scale)
	}
	d.exact = parent.exact && !row.Turned && d.place.sane()
	d.owner = &row
	d.above = parent
	d.top = parent.top
}

// turn places a child whose owner is turned or skewed by the browser's own
// quad, which is in px of the topmost document of the parent's process.
// Perspective has no mapping: such a frame's nodes stay unknown.
func (d *surveyed) turn(ctx context.Context) error {
	if d.unproven != "" || d.owner == nil || !d.owner.Turned || !d.above.exact {
		return nil
	}
	parent := d.above.doc
	handles, err := parent.Nodes(ctx, []int{d.owner.Local}, parent.group+"-nodes")
	if err != nil || handles[0] == "" {
		return goneIsNil(err)
	}
	var r struct {
		Quads [][8]float64 `json:"quads"`
	}
	var perr *devtools.Error
	err = parent.Session.Call(ctx, "DOM.getContentQuads", map[string]any{"objectId": handles[0]}, &r)
	if errors.As(err, &perr) || err == nil && len(r.Quads) != 1 {
		return nil // it has no box any more: its nodes stay unknown
	}
	if err != nil {
		return fmt.Errorf("frame quad: %w", err)
	}
	root := d.above
	for root.above != nil && root.above.doc.Session == root.doc.Session {
		root = root.above
	}
	m, ok := ofQuad(r.Quads[0], d.owner.Size[0], d.owner.Size[1])
	if root.above == nil { // these quads are of what a pinch leaves in the window
		m.E, m.F = m.E+d.top.L, m.F+d.top.T
	}
	if d.place = root.place.after(m); ok && d.place.sane() {
		d.exact = true
	}
	return nil
}

func goneIsNil(err error) error {
	if world.Gone(err) {
		return nil
	}
	return err
}

// frameArgs tells a child document which part of its viewport is let through
// by the documents above it, and what still counts as near. top is the top
// viewport.
func frameArgs(d *surveyed, top rect, args map[string]any) {
	row := d.owner
	switch {
	case row.Inner == nil || !d.place.sane():
		args["inherit"] = "frame_" + orWhy(row.Sub, "hidden")
		return
	case row.Tier == "css_hidden" || row.Tier == "no_layout":
		args["inherit"] = "frame_" + orWhy(row.Sub, row.Tier)
		return
	}
	if row.Hard != nil {
		h := rect{row.Hard[0], row.Hard[1], row.Hard[2], row.Hard[3]}
		args["hard"] = d.place.inverse(d.above.place.rect(h)).edges()
	}
	args["stuck"] = row.Stuck
	d.under = orWhy(row.Under, d.above.under)
	args["under"] = d.under
	near := rect{top.L - limits.NearMarginPx, top.T - limits.NearMarginPx, top.R + limits.NearMarginPx, top.B + limits.NearMarginPx}
	args["near"] = d.place.inverse(near).edges()
	view := rect{}
	if row.Tier != "near_viewport" && row.Tier != "offscreen" && row.Vis != nil {
		v := fromBox(*row.Vis).cut(fromBox(*row.Inner)) // in the parent's px
		v = d.above.place.rect(v).cut(d.above.seen(top))
		view = d.place.inverse(v)
		if view.empty() {
			view = rect{}
		}
	}
	d.view = view
	args["view"] = view.edges()
}

// seen is what the documents above let through of this one, in top px.
func (d *surveyed) seen(top rect) rect {
	if d.above == nil {
		return top
	}
	return d.place.rect(d.view)
}

// viewport is what the window shows of the top viewport, as the main
// document's survey saw it.
func (s *Snapshot) viewport() rect {
	if len(s.docs) == 0 {
		return rect{}
	}
	pg := s.docs[0].reply.Page
	return inWindow(pg.W, pg.H, pg.Pinched)
}

// inWindow is what the window shows of a w by h viewport: all of it, but for
// what a pinch leaves out.
func inWindow(w, h float64, pinched *rect) rect {
	if pinched != nil {
		return *pinched
	}
	return rect{0, 0, w, h}
}

// coverChildren asks the documents above whether the points at which a frame's
// nodes take the pointer are theirs to give: something in the parent may cover
// the frame. Where none is left of the few that were asked for, many are tried.
func (s *Snapshot) coverChildren(ctx context.Context, level []*surveyed) error {
	var all []*sifting
	for _, d := range level {
		switch {
		case d.above == nil || d.unproven != "":
		case d.exact:
			all = append(all, &sifting{d: d, cols: d.reply.Cols})
		default:
			for i := range d.reply.Cols {
				if c := &d.reply.Cols[i]; c.Tier == "in" {
					c.Tier, c.Sub, c.Hit = "unknown", "frame_transformed", hitUnknown
				}
			}
		}
	}
	if err := siftAll(ctx, all); err != nil {
		return err
	}
	closely, err := dense(ctx, all)
	if err != nil {
		return err
	}
	if err := siftAll(ctx, closely); err != nil {
		return err
	}
	for _, f := range closely {
		for j, i := range f.lost {
			if f.d.unproven == "" {
				f.d.reply.Cols[i] = f.cols[j]
			}
		}
	}
	return nil
}

// sifting is a document's columns on their way through the documents above.
type sifting struct {
	d    *surveyed
	cols []column
	lost []int // what the columns are of the document's own
}

// dense asks the documents that lost columns to the first sifting for many
// points of each.
func dense(ctx context.Context, all []*sifting) ([]*sifting, error) {
	var out []*sifting
	var sent []*world.Pending
	for _, f := range all {
		if f.d.unproven != "" {
			continue
		}
		var lost, indices []int
		for i, c := range f.cols {
			if c.Why == "covered" && c.Sifted {
				lost, indices = append(lost, i), append(indices, c.I)
			}
		}
		if len(lost) > 0 {
			out = append(out, &sifting{d: f.d, lost: lost})
			sent = append(sent, f.d.doc.Start("dense", map[string]any{"indices": indices}))
		}
	}
	for n, f := range out {
		var r struct {
			RootChanged bool        `json:"rootChanged"`
			Points      [][]float64 `json:"points"`
		}
		err := sent[n].Decode(ctx, &r)
		if world.Gone(err) || err == nil && (r.RootChanged || len(r.Points) != len(f.lost)) {
			f.d.unproven = "changed while it was read"
			continue
		}
		if err != nil {
			return nil, err
		}
		for j, i := range f.lost {
			c := f.d.reply.Cols[i]
			c.Points, c.Hit, c.Tier, c.Sub, c.Why = r.Points[j], hitOwn, "in", "", ""
			f.cols = append(f.cols, c)
		}
	}
	return out, nil
}

// siftAll drops the points of columns that a document above covers: all ask the
// document above them at once, then the one above that.
func siftAll(ctx context.Context, all []*sifting) error {
	child := make([]*surveyed, len(all))
	for i, f := range all {
		child[i] = f.d
	}
	for {
		sent := make([]*world.Pending, len(all))
		points, asked := make([]int, len(all)), false
		for i, f := range all {
			if child[i].above == nil || f.d.unproven != "" {
				continue
			}
			if flat := f.points(child[i].above); len(flat) > 0 {
				sent[i], points[i], asked = child[i].above.doc.Start("covers", map[string]any{"k": child[i].owner.Local, "points": flat}), len(flat)/2, true
			}
			child[i] = child[i].above
		}
		if !asked {
			return nil
		}
		for i, f := range all {
			if sent[i] == nil {
				continue
			}
			var r struct {
				Covers []int `json:"covers"`
			}
			if err := sent[i].Decode(ctx, &r); err != nil {
				return err
			}
			if len(r.Covers) != points[i] {
				f.d.unproven = "its owner is gone"
				continue
			}
			next := 0
			for j := range f.cols {
				next = f.cols[j].sift(r.Covers, next)
			}
		}
	}
}

// points are the columns' points in px of a document above.
func (f *sifting) points(up *surveyed) (flat []float64) {
	for _, c := range f.cols {
		for i := 0; i+1 < len(c.Points); i += 2 {
			x, y := f.d.place.point(c.Points[i], c.Points[i+1])
			q := up.place.inverse(rect{x, y, x, y})
			flat = append(flat, q.L, q.T)
		}
	}
	return flat
}

// sift drops the covered points of a column and settles what that makes of
// it; it returns the index after its own covers.
func (c *column) sift(covers []int, next int) int {
	if len(c.Points) < 2 {
		return next
	}
	kept, shown := c.Points[:0], false
	n := len(c.Points) / 2
	for i := range n {
		switch covers[next+i] {
		case 0:
			kept = append(kept, c.Points[2*i], c.Points[2*i+1])
		case 1:
			shown = true
		}
	}
	c.Points = kept
	switch {
	case len(kept) > 0 || c.Hit != hitOwn:
	case shown:
		c.Hit, c.Why, c.Sifted = hitShown, "covered", true
	default:
		c.Hit, c.Tier, c.Sub, c.Why, c.Sifted = hitCovered, string(tierOccluded), "covered_frame", "covered", true
	}
	return next + n
}
