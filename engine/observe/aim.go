package observe

import (
	"context"
	"math"

	"cuatui/engine/refusal"
	"cuatui/engine/visual"
	"cuatui/engine/world"
)

// AimRegion aims at the region with a visual ref v<n>:<k> of the snapshot. It
// proves what the snapshot saw: every document on the way down, the element,
// its box, what is let through of it, and by which ancestors.
func (s *Snapshot) AimRegion(k int) Aim {
	return func(ctx context.Context) (visual.Rect, error) {
		s.page.mu.Lock()
		defer s.page.mu.Unlock()
		r, ok := s.visual.byK[k]
		if !ok {
			return visual.Rect{}, refusal.New(refusal.Foreign, "the snapshot has no such visual region")
		}
		if err := s.standsStill(ctx, r); err != nil {
			return visual.Rect{}, err
		}
		return s.cropOf(r), nil
	}
}

// PointOf is a point of the top viewport in px of the document of a region.
func (s *Snapshot) PointOf(k int, x, y float64) (at [2]float64, ok bool) {
	s.page.mu.Lock()
	defer s.page.mu.Unlock()
	r, ok := s.visual.byK[k]
	if !ok {
		return at, false
	}
	p := s.visual.panes[r.d].m.inverse(rect{x, y, x, y})
	return [2]float64{p.L, p.T}, true
}

// cropOf is what can be seen of a region, px of the top viewport, as the
// snapshot saw it.
func (s *Snapshot) cropOf(r seenRegion) visual.Rect {
	p := s.visual.panes[r.d]
	return p.m.rect(r.row.Crop).cut(p.window).visual()
}

// standsStill holds a region, and the frame elements above it, against what
// the snapshot saw. Nothing of the page is read twice: one question a document.
func (s *Snapshot) standsStill(ctx context.Context, r seenRegion) error {
	frames, err := s.page.allFrames(ctx)
	if err != nil {
		return err
	}
	loaders := map[string]string{}
	for _, f := range frames {
		loaders[f.ID] = f.LoaderID
	}
	looks := []lookAgain{{sent: r.d.doc.Start("region", map[string]any{"k": r.row.Local}), was: r.row, what: "the region"}}
	for d := r.d; d != nil; d = d.above {
		if loader, live := loaders[d.frame.ID]; !live && d.above != nil {
			return refusal.New(refusal.FrameGone, "a frame above this region is gone")
		} else if loader != d.doc.Loader {
			return refusal.New(refusal.Navigated, "the document of this region has been replaced")
		}
		if d.above != nil {
			args := map[string]any{"ks": []int{d.owner.Local}}
			looks = append(looks, lookAgain{sent: d.above.doc.Start("frameSights", args), was: s.visual.panes[d].owner, what: "a frame above the region", frame: true})
		}
	}
	for _, l := range looks {
		is, err := l.decode(ctx)
		if err != nil {
			return err
		}
		if err := l.was.same(is, l.what); err != nil {
			return err
		}
	}
	return nil
}

// scaleTolerance moves what is 2,000 px from a frame's corner by less than an
// edge may move.
const scaleTolerance = 1e-4

// lookAgain is a question about what was seen before.
type lookAgain struct {
	sent  *world.Pending
	was   *regionRow
	what  string
	frame bool // the answer is a list of one
}

// decode takes the answer. A document that went away is refused.
func (l *lookAgain) decode(ctx context.Context) (*regionRow, error) {
	var r struct {
		regionRow
		Rows        []regionRow `json:"rows"`
		RootChanged bool        `json:"rootChanged"`
		Gone        bool        `json:"gone"`
	}
	err := l.sent.Decode(ctx, &r)
	if world.Gone(err) || err == nil && r.RootChanged {
		return nil, refusal.New(refusal.Navigated, "the document of this region has been replaced")
	}
	if err != nil {
		return nil, err
	}
	row := &r.regionRow
	if l.frame && len(r.Rows) == 1 {
		row = &r.Rows[0]
	}
	switch {
	case l.frame && row.Hid == "gone":
		return nil, refusal.New(refusal.FrameGone, "a frame above this region is gone")
	case r.Gone:
		return nil, refusal.New(refusal.NodeGone, "the element of this region is no longer in the page, or is none any more")
	}
	return row, row.check()
}

// same refuses where a row is no longer what it was.
func (g *regionRow) same(is *regionRow, what string) error {
	var changed string
	switch {
	case is.Local != g.Local:
		changed = "is another element"
	case is.Hid != g.Hid:
		changed = "is in view no more (" + short(is.Hid) + ")"
	case is.Why != g.Why:
		changed = "can no longer be placed exactly (" + short(is.Why) + ")"
	case math.Abs(is.Scale[0]-g.Scale[0]) > scaleTolerance || math.Abs(is.Scale[1]-g.Scale[1]) > scaleTolerance:
		changed = "has another scale"
	default:
		changed = g.sighting().Moved(is.sighting())
	}
	if changed == "" {
		return nil
	}
	return refusal.New(refusal.GeometryChanged, "%s is not as the snapshot saw it: %s", what, changed)
}
