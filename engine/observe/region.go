package observe

import (
	"context"
	"fmt"
	"slices"

	"cuatui/engine/visual"
	"cuatui/snapshotfmt"
)

// regionRow is a region, or a frame element, as its document lays it out. Boxes
// are edges in CSS px of that document's viewport.
type regionRow struct {
	Local int        `json:"k"`
	Hid   string     `json:"hid"` // why nothing of it is in view, "" where it is
	Why   string     `json:"why"` // why its place is not exact, "" where it is
	Box   rect       `json:"b"`
	Crop  rect       `json:"c"`
	Clips []clipRow  `json:"cl"`
	Scale [2]float64 `json:"s"` // of a frame's document
	Kind  string     `json:"kind"`
	Label string     `json:"label"`
	Par   int        `json:"par"`
	Act   bool       `json:"act"`
	Open  []float64  `json:"p"` // points at which nothing in the document hides it; nil where not asked
}

type clipRow struct {
	Local int    `json:"k"`
	Axes  int    `json:"a"`
	Over  string `json:"o"`
	Box   rect   `json:"b"`
}

// regionReply is what a survey tells of the regions of a document.
type regionReply struct {
	Rows   []regionRow    `json:"rows"`
	Counts map[string]int `json:"counts"` // not in view, by why
	Cut    int            `json:"cut"`    // in view, and not told
	Of     int            `json:"of"`     // points that were asked of each
}

var regionKinds = []string{"canvas", "video", "image", "svg", "embed", "object", "background"}

// check says what is wrong with what is told of regions.
func (r *regionReply) check() error {
	if r == nil {
		return nil
	}
	known := map[int]bool{}
	for i := range r.Rows {
		g := &r.Rows[i]
		if err := g.check(); err != nil {
			return err
		}
		if known[g.Local] || !slices.Contains(regionKinds, g.Kind) || len(g.Label) > 4*regionLabelMax || g.Par < 0 || g.Hid != "" {
			return fmt.Errorf("a region is none: %q, numbered %d", short(g.Kind), g.Local)
		}
		if len(g.Open)%2 != 0 || len(g.Open) > 2*r.Of || r.Of > 100 {
			return fmt.Errorf("a region has %d points of %d", len(g.Open)/2, r.Of)
		}
		known[g.Local] = true
	}
	for why, n := range r.Counts {
		if !words(why) || !counts(n) {
			return fmt.Errorf("%d regions are counted as %q", n, short(why))
		}
	}
	if !counts(r.Cut) {
		return fmt.Errorf("%d regions are left out", r.Cut)
	}
	return nil
}

// regionLabelMax is how long a label may be, in code points.
const regionLabelMax = 160

func (g *regionRow) check() error {
	sound := g.Local > 0 && words(g.Hid, g.Why) && placed(g.Box) && placed(g.Crop)
	for _, c := range g.Clips {
		sound = sound && c.Local > 0 && c.Axes >= 1 && c.Axes <= 3 && words(c.Over) && placed(c.Box)
	}
	if !sound {
		return fmt.Errorf("a region cannot be where it is said to be: %v", g.Box)
	}
	return nil
}

func placed(r rect) bool { return rounded(r.edges4()) != nil }

func (r rect) edges4() [4]float64 { return [4]float64{r.L, r.T, r.R, r.B} }

func (r rect) visual() visual.Rect { return visual.Rect{L: r.L, T: r.T, R: r.R, B: r.B} }

func (g *regionRow) sighting() visual.Sighting {
	s := visual.Sighting{Box: g.Box.visual(), Crop: g.Crop.visual(), Clips: make([]visual.Clip, len(g.Clips))}
	for i, c := range g.Clips {
		s.Clips[i] = visual.Clip{Local: c.Local, Axes: c.Axes, Over: c.Over, Box: c.Box.visual()}
	}
	return s
}

// pane is how a document's viewport shows in the top one, for its pixels.
type pane struct {
	m      mapping
	window rect   // what is let through of it, px of the top viewport
	hid    string // why nothing of it is in view
	why    string // why that is not exact
	owner  *regionRow
}

// seenRegion is a region of a snapshot, with what a shot of it must find unchanged.
type seenRegion struct {
	d        *surveyed
	row      *regionRow
	occluded *float64
}

// regionsFound is what all documents of a snapshot have come to.
type regionsFound struct {
	list     []visual.Region
	of       []seenRegion // the same, with where it comes from
	panes    map[*surveyed]*pane
	chosen   visual.Selection
	byRow    map[*visual.Region]int // index in list
	plan     visual.Plan
	result   snapshotfmt.Regions
	byK      map[int]seenRegion // of the refs that were handed out
	viewport float64            // its area, CSS px²
}

// findRegions places what the documents have found. Pages without regions pay
// no call for it.
func (s *Snapshot) findRegions(ctx context.Context) error {
	f := &regionsFound{panes: map[*surveyed]*pane{}, byRow: map[*visual.Region]int{}, byK: map[int]seenRegion{}}
	s.visual = f
	if s.o.Collector == CollectProtocol {
		f.result.Unavailable = []snapshotfmt.Unlooked{{Why: "the protocol collector looks for none"}}
		return nil
	}
	for _, d := range s.docs {
		switch {
		case d.unproven != "":
			f.result.Unavailable = append(f.result.Unavailable, snapshotfmt.Unlooked{Frame: d.label(), Why: d.unproven})
		case d.reply.NotWalked > 0:
			f.result.Unavailable = append(f.result.Unavailable, snapshotfmt.Unlooked{Frame: d.label(), Why: "not all of it was walked"})
		}
	}
	if err := s.panes(ctx, f); err != nil {
		return err
	}
	top := s.viewport()
	f.viewport = top.visual().Area()
	for at, d := range s.docs {
		if d.unproven != "" || d.reply.Regions == nil {
			continue
		}
		p := f.panes[d]
		for why, n := range d.reply.Regions.Counts {
			f.absent(why, n)
		}
		if p == nil {
			f.result.Unavailable = append(f.result.Unavailable, snapshotfmt.Unlooked{Frame: d.label(), Why: "its place in the page is not known"})
			continue
		}
		f.result.Truncated += d.reply.Regions.Cut
		if err := s.placeRegions(ctx, f, at, d, p); err != nil {
			return err
		}
	}
	f.choose()
	return nil
}

// choose makes rows of what is in view. The slice is not appended to any more.
func (f *regionsFound) choose() {
	f.result.Found = len(f.list) + f.result.Truncated
	f.chosen = visual.Select(f.list, visual.RowsMax)
	for i := range f.list {
		f.byRow[&f.list[i]] = i
		if f.list[i].Why != "" {
			f.result.Approx++
		}
	}
	f.result.Degraded = f.chosen.Degraded
}

// absent counts n regions that are not in view.
func (f *regionsFound) absent(why string, n int) {
	if why == "offscreen" {
		f.result.Offscreen += n
	} else {
		f.result.Hidden += n
	}
}

func (d *surveyed) label() string {
	if d.doc == nil {
		return ""
	}
	return d.doc.label
}

// placeRegions adds the regions of one document that are in view.
func (s *Snapshot) placeRegions(ctx context.Context, f *regionsFound, at int, d *surveyed, p *pane) error {
	framed := map[int]bool{} // an object or embed whose document is read
	for _, c := range s.docs {
		if c.above == d && c.unproven == "" {
			framed[c.owner.Local] = true
		}
	}
	from := len(f.list)
	for i := range d.reply.Regions.Rows {
		g := &d.reply.Regions.Rows[i]
		crop, why := p.m.rect(g.Crop).cut(p.window), g.Why
		if p.why != "" {
			why = p.why
		}
		switch {
		case framed[g.Local]:
		case p.hid != "" && p.hid != "offscreen":
			f.absent(p.hid, 1)
		case p.hid != "" || crop.empty() || !placed(crop):
			f.absent("offscreen", 1)
		default:
			f.list = append(f.list, visual.Region{
				Doc: at, Local: g.Local, Parent: g.Par, Kind: g.Kind, Label: g.Label, Active: g.Act || p.active(), Crop: crop.visual(), Why: why,
			})
			f.of = append(f.of, seenRegion{d: d, row: g})
		}
	}
	return s.occlude(ctx, f.of[from:], p)
}

func (p *pane) active() bool { return p.owner != nil && p.owner.Act }

// occlude works out how much of each region something hides: what its own
// document said, and what of that the documents above cover.
func (s *Snapshot) occlude(ctx context.Context, regions []seenRegion, p *pane) error {
	var asked []int
	var points []column
	for i, r := range regions {
		if r.row.Open != nil && r.row.Why == "" && p.why == "" {
			asked = append(asked, i)
			points = append(points, column{Points: slices.Clone(r.row.Open), Hit: hitShown})
		}
	}
	if len(asked) == 0 {
		return nil
	}
	d := regions[0].d
	for child, up := d, d.above; up != nil; child, up = up, up.above {
		if err := uncovered(ctx, points, p, child, up, s.visual.panes[up]); err != nil {
			return goneIsNil(err) // then it is not told
		}
	}
	for j, i := range asked {
		share := 1 - float64(len(points[j].Points)/2)/float64(max(1, d.reply.Regions.Of))
		regions[i].occluded = &share
	}
	return nil
}

// uncovered drops the points that up hides; they are in px of the document of p.
func uncovered(ctx context.Context, cols []column, p *pane, child, up *surveyed, above *pane) error {
	var flat []float64
	for _, c := range cols {
		for i := 0; i+1 < len(c.Points); i += 2 {
			x, y := p.m.point(c.Points[i], c.Points[i+1])
			q := above.m.inverse(rect{x, y, x, y})
			flat = append(flat, q.L, q.T)
		}
	}
	if len(flat) == 0 {
		return nil
	}
	var r struct {
		Covers []int `json:"covers"`
	}
	if err := up.doc.Call(ctx, "covers", map[string]any{"k": child.owner.Local, "points": flat}, &r); err != nil {
		return err
	}
	if 2*len(r.Covers) != len(flat) {
		return nil // its owner is gone
	}
	next := 0
	for i := range cols {
		kept := cols[i].Points[:0]
		for j := 0; j+1 < len(cols[i].Points); j += 2 {
			if r.Covers[next] != 2 {
				kept = append(kept, cols[i].Points[j], cols[i].Points[j+1])
			}
			next++
		}
		cols[i].Points = kept
	}
	return nil
}

// panes lays out the documents that have regions, and those above them. A
// document whose place cannot be told has none.
func (s *Snapshot) panes(ctx context.Context, f *regionsFound) error {
	want := map[*surveyed]map[int]bool{} // frame elements, by their document
	for _, d := range s.docs {
		if d.unproven != "" || d.reply.Regions == nil {
			continue
		}
		for c := d; c.above != nil; c = c.above {
			if want[c.above] == nil {
				want[c.above] = map[int]bool{}
			}
			want[c.above][c.owner.Local] = true
		}
	}
	rows := map[*surveyed]map[int]*regionRow{}
	for d, ks := range want {
		got, err := d.doc.frameSights(ctx, ks)
		if err != nil {
			return err
		}
		rows[d] = got
	}
	for _, d := range s.docs { // parents first
		if d.above == nil {
			f.panes[d] = topPane(d.reply.Page)
			continue
		}
		if above, row := f.panes[d.above], rows[d.above][ownerOf(d)]; above != nil && row != nil {
			f.panes[d] = above.within(d, row)
		}
	}
	return nil
}

func ownerOf(d *surveyed) int {
	if d.owner == nil {
		return 0
	}
	return d.owner.Local
}

func topPane(pg pageFacts) *pane {
	p := &pane{m: identity, window: inWindow(pg.W, pg.H, pg.Pinched)}
	if pg.Pinched != nil {
		p.why = "pinch_zoom"
	}
	return p
}

// within is the pane of a child document in p. A frame that cannot be placed
// exactly has at least the place that the browser's own quad gives it.
func (p *pane) within(d *surveyed, row *regionRow) *pane {
	c := &pane{owner: row, hid: p.hid, why: p.why, window: p.m.rect(row.Crop).cut(p.window)}
	if c.hid == "" {
		c.hid = row.Hid
	}
	if c.why == "" {
		c.why = row.Why
	}
	if c.why == "" {
		c.m = p.m.within(row.Box.box(), row.Scale)
		if c.m.sane() {
			return c
		}
		c.why = "transform"
	}
	c.m, c.window = d.place, p.window
	if !d.exact || !c.m.sane() {
		if c.m = p.m.within(row.Box.box(), [2]float64{1, 1}); !c.m.sane() {
			return nil
		}
	}
	return c
}

// frameSights asks a document where frame elements of it are, now.
func (d *doc) frameSights(ctx context.Context, ks map[int]bool) (map[int]*regionRow, error) {
	list := make([]int, 0, len(ks))
	for k := range ks {
		list = append(list, k)
	}
	slices.Sort(list)
	var r struct {
		Rows []regionRow `json:"rows"`
	}
	err := d.Call(ctx, "frameSights", map[string]any{"ks": list}, &r)
	if err != nil {
		return nil, goneIsNil(err)
	}
	out := map[int]*regionRow{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if err := row.check(); err != nil {
			return nil, fmt.Errorf("frame sights: %w", err)
		}
		if ks[row.Local] && row.Hid != "gone" {
			out[row.Local] = row
		}
	}
	return out, nil
}
