package observe

import (
	"fmt"
	"math"
	"strings"

	"cuatui/engine/visual"
	"cuatui/snapshotfmt"
)

// How many refs of duplicates, and of a group, one row shows. The others are
// counted as truncated.
const (
	sameMax = 8
	likeMax = 31
)

// planRegions settles which rows the first segment has room for.
func (s *Snapshot) planRegions() error {
	f := s.visual
	costs := make([]int, len(f.chosen.Rows))
	for i, r := range f.chosen.Rows {
		row := s.regionRow(r, func(seenRegion) string { return "v000:00000" })
		costs[i] = snapshotfmt.EstimateTokens(row.Text()) + 1
	}
	if f.result.Found == 0 {
		return nil
	}
	hint := snapshotfmt.EstimateTokens(snapshotfmt.RegionsHint(f.result.Found, f.result.Found-1)) + 1
	b := visual.Budget{Own: visual.OwnTokens, Total: s.o.OutputBudget, Head: headTokens}
	if s.o.Shared {
		b.Own = 0
	}
	var err error
	if f.plan, err = b.Plan(hint, costs); err != nil {
		return fmt.Errorf("output budget %d: %w", s.o.OutputBudget, err)
	}
	return nil
}

// regionCost is what the regions take of the budget of the segment to come.
func (s *Snapshot) regionCost() int {
	if s.segment > 0 || !s.o.Shared {
		return 0
	}
	return s.visual.plan.Cost
}

// regionsLeft says whether there is more to see of the page than is told.
func (s *Snapshot) regionsLeft() bool {
	return s.visual.result.Truncated > 0
}

// composeRegions adds the rows that have room to the first segment. A region
// without a row has no ref.
func (s *Snapshot) composeRegions(n int, seg *Segment) {
	f := s.visual
	if s.segment > 1 {
		return
	}
	out := &f.result
	out.List = []snapshotfmt.Region{}
	lines := []snapshotfmt.Line{}
	minted := func(r seenRegion) string {
		k := r.d.doc.k(r.row.Local)
		f.byK[k] = r
		seg.Visual = append(seg.Visual, k)
		return fmt.Sprintf("v%d:%d", n, k)
	}
	for i, r := range f.chosen.Rows {
		if i >= f.plan.Rows {
			out.Truncated += r.Regions()
			continue
		}
		row := s.regionRow(r, minted)
		out.Truncated += row.More
		out.List = append(out.List, row)
		lines = append(lines, snapshotfmt.Line{Text: row.Text()})
	}
	out.Truncated += f.chosen.Cut
	if out.Found+out.Offscreen+out.Hidden+len(out.Unavailable) == 0 {
		return
	}
	seg.Semantic.Regions = out
	if !f.plan.Hint {
		return
	}
	hint := snapshotfmt.Line{Text: snapshotfmt.RegionsHint(out.Found, out.Found-out.Truncated)}
	var b strings.Builder
	for i, l := range append([]snapshotfmt.Line{hint}, lines...) {
		if i > 0 || seg.Semantic.Outline != "" {
			b.WriteByte('\n')
		}
		b.WriteString(l.Text)
		seg.Semantic.Lines = append(seg.Semantic.Lines, l)
	}
	seg.Semantic.Outline += b.String()
	out.Tokens = snapshotfmt.EstimateTokens(b.String())
}

// regionRow is a row as it is told; ref gives the ref of a region.
func (s *Snapshot) regionRow(r *visual.Row, ref func(seenRegion) string) snapshotfmt.Region {
	f := s.visual
	of := func(g *visual.Region) seenRegion { return f.of[f.byRow[g]] }
	first := of(r.Region)
	c := r.Region.Crop
	out := snapshotfmt.Region{
		Kind: r.Region.Kind, Label: r.Region.Label, Frame: first.d.label(), Accuracy: "exact",
		Box: *rounded([4]float64{c.L, c.T, c.R - c.L, c.B - c.T}), Share: math.Round(1e4*c.Area()/max(1, f.viewport)) / 1e4,
	}
	if first.occluded != nil {
		share := math.Round(1e4**first.occluded) / 1e4
		out.Occluded = &share
	}
	if r.Region.Why != "" {
		out.Accuracy, out.Why = "approx", r.Region.Why
		return out
	}
	out.Ref = ref(first)
	list := func(regions []*visual.Region, most int) (refs []string) {
		for i, g := range regions {
			if i == most {
				out.More += len(regions) - most
				break
			}
			refs = append(refs, ref(of(g)))
		}
		return refs
	}
	out.Same, out.Like = list(r.Same, sameMax), list(r.Like, likeMax)
	return out
}
