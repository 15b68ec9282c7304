package observe

import (
	"context"
	"fmt"
	"slices"

	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/engine/visual"
	"cuatui/engine/world"
)

// Boxes are what can be seen now of nodes by their k, px of the top viewport.
// What is not in view, gone, or of a document that is not the one it was seen
// in has none.
func (p *Page) Boxes(ctx context.Context, ks []int) (map[int]visual.Rect, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.allFrames(ctx); err != nil {
		return nil, err
	}
	by := map[*doc][]int{}
	for _, k := range ks {
		if n, ok := p.nodes[k]; ok {
			by[n.doc] = append(by[n.doc], k)
		}
	}
	out := map[int]visual.Rect{}
	for d, in := range by {
		slices.Sort(in)
		err := p.boxesOf(ctx, d, in, out)
		if _, refused := refusal.As(err); err != nil && !refused && !world.Gone(err) {
			return nil, err
		}
	}
	return out, nil
}

// boxesOf adds the boxes of nodes of one document.
func (p *Page) boxesOf(ctx context.Context, of *doc, ks []int, out map[int]visual.Rect) error {
	d, err := p.standing(ctx, of)
	if err != nil || !d.exact {
		return err
	}
	locals := make([]int, len(ks))
	for i, k := range ks {
		locals[i] = p.nodes[k].local
	}
	args := map[string]any{"ks": locals, "margin": limits.NearMarginPx}
	if d.above != nil {
		frameArgs(d, d.root().seen(d.top), args)
	}
	var r struct {
		Boxes []*rect `json:"boxes"`
	}
	if err := of.Call(ctx, "boxes", args, &r); err != nil {
		return err
	}
	if len(r.Boxes) != len(ks) {
		return fmt.Errorf("boxes: %d came of %d nodes", len(r.Boxes), len(ks))
	}
	for i, b := range r.Boxes {
		if b == nil {
			continue
		}
		if top := d.place.rect(*b); placed(top) && !top.empty() {
			out[ks[i]] = top.visual()
		}
	}
	return nil
}
