package observe

import (
	"context"

	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
)

type brief struct {
	K    int    `json:"k"`
	Tag  string `json:"tag"`
	Role string `json:"role"`
	Name string `json:"name"`
}

func (b *brief) occluder() *refusal.Occluder {
	if b == nil {
		return nil
	}
	o := &refusal.Occluder{Name: short(b.Name), Tag: short(b.Tag)}
	if words(b.Role) {
		o.Role = b.Role
	}
	return o
}

type proofReply struct {
	RootChanged bool        `json:"rootChanged"`
	Gone        bool        `json:"gone"`
	Role        string      `json:"role"`
	Name        string      `json:"name"`
	Steady      string      `json:"sn"`
	Key         string      `json:"key"`
	Use         string      `json:"use"`
	Flags       int         `json:"f"`
	Ev          int         `json:"ev"`
	Tier        string      `json:"t"`
	Sub         string      `json:"sub"`
	Dis         string      `json:"dis"`
	Contract    string      `json:"contract"`
	Chooser     bool        `json:"chooser"`
	State       string      `json:"state"`
	HasFocus    bool        `json:"hasFocus"`
	Tag         string      `json:"tag"`
	Box         *[4]float64 `json:"b"`
	Hit         int         `json:"hit"`
	Why         string      `json:"why"`
	Points      []float64   `json:"p"`
	By          *brief      `json:"by"`
	Pinched     *rect       `json:"pinched"`
}

// Look looks at a found node now. It refuses with navigated, frame_gone or
// node_gone; any other error is a lost browser or deadline.
func (p *Page) Look(ctx context.Context, f *Found) (sight *world.Sight, err error) {
	return p.lookAt(ctx, f, nil)
}

// LookAt looks at one point of a found node now, px of its own document: it
// says whether that is hit, and takes no other in its place.
func (p *Page) LookAt(ctx context.Context, f *Found, at [2]float64) (*world.Sight, error) {
	return p.lookAt(ctx, f, &at)
}

func (p *Page) lookAt(ctx context.Context, f *Found, at *[2]float64) (sight *world.Sight, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { err = p.blame(err) }()
	d, err := p.standing(ctx, f.doc)
	if err != nil {
		return nil, err
	}
	args := map[string]any{"k": f.Local, "margin": limits.NearMarginPx, "nameMax": limits.NameCharsMax}
	if d.above != nil {
		frameArgs(d, d.root().seen(d.top), args)
		args["points"] = true
	}
	if at != nil {
		args["at"] = at
	}
	s, r, err := p.look(ctx, d, args)
	if err == nil && at == nil && r.Hit == hitOwn && !s.Hit && d.above != nil {
		// Every point that was tried is covered from above: try as closely as the survey does.
		args["points"] = "dense"
		s, _, err = p.look(ctx, d, args)
	}
	return s, err
}

// look asks d about one node, and the documents above it for their covers.
func (p *Page) look(ctx context.Context, d *surveyed, args map[string]any) (*world.Sight, *proofReply, error) {
	var r proofReply
	err := d.doc.Call(ctx, "proof", args, &r)
	if err == nil && !r.RootChanged && !r.Gone {
		err = r.check()
	}
	switch {
	case world.Gone(err) || err == nil && r.RootChanged:
		return nil, nil, refusal.New(refusal.Navigated, "the document of this ref has been replaced")
	case err != nil:
		return nil, nil, err
	case r.Gone:
		return nil, nil, refusal.New(refusal.NodeGone, "the node of this ref is no longer in the page")
	}
	if d.above == nil {
		d.top = inWindow(0, 0, r.Pinched)
	}
	s, err := d.sight(ctx, r)
	if world.Gone(err) {
		return nil, nil, refusal.New(refusal.FrameGone, "a frame above this ref is gone")
	}
	return s, &r, err
}

// root is the main document above d.
func (d *surveyed) root() *surveyed {
	for d.above != nil {
		d = d.above
	}
	return d
}

// standing lays out the frames from the main document down to target, now.
func (p *Page) standing(ctx context.Context, target *doc) (*surveyed, error) {
	var chain []*doc
	for d := target; d != nil; d = p.docs[d.parent] {
		chain = append([]*doc{d}, chain...)
		if d.parent == "" || len(chain) > len(p.docs) {
			break
		}
	}
	if chain[0].parent != "" {
		return nil, refusal.New(refusal.FrameGone, "a frame above this ref is gone")
	}
	at := &surveyed{doc: chain[0], place: identity, exact: true}
	for _, d := range chain[1:] {
		args := map[string]any{"k": d.owner, "margin": limits.NearMarginPx}
		if at.above != nil {
			frameArgs(at, at.top, args)
		}
		var r struct {
			Gone bool     `json:"gone"`
			Row  frameRow `json:"row"`
			W    float64  `json:"w"`
			H    float64  `json:"h"`

			Pinched *rect `json:"pinched"`
		}
		err := at.doc.Call(ctx, "frame", args, &r)
		if world.Gone(err) || err == nil && r.Gone {
			return nil, refusal.New(refusal.FrameGone, "a frame above this ref is gone")
		}
		if err != nil {
			return nil, err
		}
		next := &surveyed{doc: d}
		if at.above == nil {
			at.top = inWindow(r.W, r.H, r.Pinched)
		}
		next.layOut(at, r.Row)
		if err := next.turn(ctx); err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// sight puts a reply into top px and asks the documents above for their covers.
func (d *surveyed) sight(ctx context.Context, r proofReply) (*world.Sight, error) {
	s := &world.Sight{
		Role: r.Role, Name: r.Name, Steady: r.Steady, RowKey: r.Key, Use: r.Use, Tag: r.Tag, Disabled: r.Dis, Contract: r.Contract, Chooser: r.Chooser,
		Actionable: r.Flags&flagAct != 0 && r.Ev != 0, By: r.By.occluder(), TabVisible: r.State == "visible", HasFocus: r.HasFocus,
	}
	if r.By != nil {
		s.ByK = d.doc.ks[r.By.K]
	}
	c := column{Tier: r.Tier, Sub: r.Sub, Hit: r.Hit, Why: r.Why, Points: r.Points}
	if !d.exact && c.Tier == "in" {
		c.Tier, c.Sub, c.Hit = "unknown", "frame_transformed", hitUnknown
	}
	if d.exact && c.Hit == hitOwn {
		by, err := d.coveredFromAbove(ctx, &c)
		if err != nil {
			return nil, err
		}
		if c.Hit != hitOwn {
			s.By = by.occluder()
		}
	}
	switch c.Hit {
	case hitCovered:
		c.Tier = string(tierOccluded)
	case hitUnknown:
		if c.Tier == "in" {
			c.Tier = "unknown"
		}
	}
	s.Tier, s.Sub, s.Hit, s.Why = tierOf(c), c.Sub, c.Hit == hitOwn && len(c.Points) >= 2, c.Why
	if s.Hit {
		s.By = nil
	}
	for i := 0; i+1 < len(c.Points); i += 2 {
		x, y := d.place.point(c.Points[i], c.Points[i+1])
		s.Points = append(s.Points, [2]float64{x - d.top.L, y - d.top.T})
	}
	if r.Box != nil && d.exact {
		s.Box = rounded(d.place.rect(fromBox(*r.Box)).box())
	}
	return s, nil
}

// coveredFromAbove sifts one column's points through every document above and
// returns what covers the first that is covered.
func (d *surveyed) coveredFromAbove(ctx context.Context, c *column) (*brief, error) {
	var first *brief
	for child, up := d, d.above; up != nil; child, up = up, up.above {
		var flat []float64
		for i := 0; i+1 < len(c.Points); i += 2 {
			x, y := d.place.point(c.Points[i], c.Points[i+1])
			q := up.place.inverse(rect{x, y, x, y})
			flat = append(flat, q.L, q.T)
		}
		if len(flat) == 0 {
			return first, nil
		}
		var r struct {
			Covers []int  `json:"covers"`
			By     *brief `json:"by"`
		}
		if err := up.doc.Call(ctx, "covers", map[string]any{"k": child.owner.Local, "points": flat, "name": true}, &r); err != nil {
			return nil, err
		}
		if 2*len(r.Covers) != len(flat) {
			return nil, refusal.New(refusal.FrameGone, "a frame above this ref is gone")
		}
		c.sift(r.Covers, 0)
		if first == nil {
			first = r.By
		}
	}
	return first, nil
}
