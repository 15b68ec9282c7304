package observe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	"cuatui/engine/refusal"
	"cuatui/engine/world"
	"cuatui/snapshotfmt"
)

// Minted is a ref that a segment shows: what acting must find unchanged.
type Minted struct {
	K        int
	Role     string
	Name     string
	Steady   string // Name without what only counts the time, "" where that is Name
	RowKey   string
	Use      string
	Actions  []string
	Why      string
	Contract string
	// Shown is the entry with its computed meaning, whatever meaning it is
	// shown with, so that two snapshots can be compared.
	Shown snapshotfmt.Entry
}

// Segment is one page of a snapshot.
type Segment struct {
	Semantic *snapshotfmt.Semantic
	Minted   []Minted
	// Visual are the k of the visual refs that it shows, v<n>:<k>.
	Visual []int
	// More says that another segment would bring something.
	More bool
}

// headTokens is what the frame of an answer costs before its first node.
const headTokens = 60

// Next takes the next segment: n is the snapshot's number, scope what kind of
// segment the caller asked for. It refuses with navigated where a document of
// the snapshot has been replaced since, and with superseded where the page has
// been surveyed anew, because the documents hold one order at a time.
func (s *Snapshot) Next(ctx context.Context, n int, scope string) (seg *Segment, err error) {
	s.page.mu.Lock()
	defer s.page.mu.Unlock()
	defer func() { err = s.page.blame(err) }()
	start := time.Now()
	if s.page.newest != s {
		return nil, refusal.New(refusal.Superseded, "a newer snapshot of this tab was taken meanwhile")
	}
	if s.segment > 0 {
		s.start = start
		if err := s.unchanged(ctx); err != nil {
			return nil, err
		}
	}
	if s.segment == 0 {
		if err := s.planRegions(); err != nil {
			return nil, err
		}
	}
	picked, err := s.pick(ctx)
	if err != nil {
		return nil, err
	}
	s.segment++
	meaningWhy, err := s.meaning(ctx, picked)
	if err != nil {
		return nil, err
	}
	seg = s.compose(n, scope, picked, meaningWhy)
	seg.Semantic.Generated.EnrichMS = ms(time.Since(start))
	seg.Semantic.Generated.TotalMS = ms(time.Since(s.start))
	s.returned += seg.Semantic.Snapshot.Returned
	return seg, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// unchanged proves that every document that was read is still there.
func (s *Snapshot) unchanged(ctx context.Context) error {
	err := s.confirm(ctx)
	if world.Gone(err) {
		return refusal.New(refusal.Navigated, "the document of this snapshot has been replaced")
	}
	return err
}

// pick takes candidates in rank order until a budget is spent; after those in
// and near view it goes on to what is offscreen, where the scope reaches it.
func (s *Snapshot) pick(ctx context.Context) ([]*candidate, error) {
	var picked []*candidate
	left := room{nodes: s.o.NodeBudget, tokens: s.o.OutputBudget - headTokens - s.regionCost(), cost: s.lineTokens, first: true}
	take := min(len(s.queue), s.o.NodeBudget)
	if err := s.describe(ctx, s.queue[:take]); err != nil {
		return nil, err
	}
	for len(s.queue) > 0 {
		c := s.queue[0]
		if c.m == nil && len(picked) < take { // died since the order was fixed
			s.gone++
			s.queue, take = s.queue[1:], take-1
			continue
		}
		if c.m == nil || !left.take(c) {
			return picked, nil
		}
		picked, s.queue = append(picked, c), s.queue[1:]
	}
	if s.segment == 0 && s.o.whole() {
		return picked, nil
	}
	return s.pickRest(ctx, picked, &left)
}

// room is what is left of a segment's budgets.
type room struct {
	nodes, tokens int
	cost          func(*candidate) int
	first         bool // the first is taken whatever it costs: a segment goes on
}

// take takes a candidate if it fits, with what its line and indent will cost.
func (r *room) take(c *candidate) bool {
	cost := r.cost(c) + 2
	if r.nodes <= 0 || cost > r.tokens && !r.first {
		return false
	}
	r.nodes, r.tokens, r.first = r.nodes-1, r.tokens-cost, false
	return true
}

// lineTokens estimates what the line of a candidate costs in the snapshot's
// format, without its indent. The refs it reckons with are long ones.
func (s *Snapshot) lineTokens(c *candidate) int {
	if s.Format() == snapshotfmt.SemanticV2 {
		kinds, why := actions(c.col, c.m)
		return snapshotfmt.EstimateTokens(lineText(c.m, "p000:00000", kinds, why) + place(c))
	}
	e, _ := s.entry(1, c)
	e.Ref = "p000:00000"
	return snapshotfmt.LineTokens(s.Format(), &snapshotfmt.Line{UID: "000_00000", Tag: c.m.Tag}, &e)
}

// Format is the format that the snapshot's segments are budgeted for.
func (s *Snapshot) Format() string { return cmp.Or(s.o.Format, snapshotfmt.SemanticV2) }

// pickRest goes through the offscreen candidates, document by document.
func (s *Snapshot) pickRest(ctx context.Context, picked []*candidate, left *room) ([]*candidate, error) {
	for _, d := range s.docs {
		for d.unproven == "" && d.restFrom < d.reply.Rest && left.nodes > 0 {
			count := left.nodes
			r, err := s.from.rest(ctx, d, d.restFrom, count)
			if err != nil && world.Gone(err) || err == nil && r.RootChanged {
				return nil, refusal.New(refusal.Navigated, "the document of this snapshot has been replaced")
			}
			if err != nil {
				return nil, fmt.Errorf("next segment: %w", err)
			}
			if err := r.checkRest(min(count, d.reply.Rest-d.restFrom)); err != nil {
				return nil, fmt.Errorf("next segment: %w", err)
			}
			d.learn(r)
			byIndex := map[int]*meaning{}
			for i := range r.Nodes {
				byIndex[r.Nodes[i].I] = &r.Nodes[i]
			}
			for _, col := range r.Cols {
				c := &candidate{in: d, col: col, m: byIndex[col.I], rank: rank(col)}
				if c.m == nil {
					s.gone++
					d.restFrom++
					continue
				}
				if !left.take(c) {
					return picked, nil
				}
				picked = append(picked, c)
				d.restFrom++
			}
		}
	}
	return picked, nil
}

// compose turns the picked candidates into the segment's answer.
func (s *Snapshot) compose(n int, scope string, picked []*candidate, meaningWhy string) *Segment {
	sort.SliceStable(picked, func(i, j int) bool {
		a, b := picked[i], picked[j]
		if da, db := dialogFirst(a), dialogFirst(b); da != db {
			return da
		}
		return before(a, b)
	})
	pg := s.first.Page
	sem := &snapshotfmt.Semantic{
		Refs: []snapshotfmt.Entry{}, ContentRefs: []snapshotfmt.Entry{},
		Page: snapshotfmt.Page{URL: pg.URL, Title: pg.Title, Viewport: [2]float64{pg.W, pg.H}, Scroll: [2]float64{pg.X, pg.Y}},
	}
	seg := &Segment{Semantic: sem}
	for _, c := range ranked(picked) {
		e, m := s.entry(n, c)
		seg.Minted = append(seg.Minted, m)
		if len(e.Actions) > 0 {
			sem.Refs = append(sem.Refs, e)
		} else {
			sem.ContentRefs = append(sem.ContentRefs, e)
		}
		if c.col.Flags&flagFocused != 0 {
			sem.Page.FocusedRef = e.Ref
		}
	}
	sem.Frames = s.frameList()
	sem.Lines, sem.Outline = s.outline(n, picked)
	s.composeRegions(n, seg)
	sem.Snapshot = s.info(n, scope, len(picked), meaningWhy)
	sem.Snapshot.EstimatedTokens = sem.BodyTokens()
	seg.More = !sem.Snapshot.Complete && s.remains()
	sem.Generated = snapshotfmt.Generated{
		SurveyMS: ms(s.walk), WalkMS: ms(s.walk), Elements: s.elements(), ProtocolCalls: int(s.foot.calls), ReplyBytes: s.foot.bytes, KeptSurvey: s.asked,
	}
	return seg
}

func dialogFirst(c *candidate) bool { return c.col.Flags&flagDialog != 0 && c.rank == 0 }

// inDocumentOrder is the place of each picked candidate in the page, from 0.
func inDocumentOrder(picked []*candidate) map[*candidate]int {
	sorted := slices.Clone(picked)
	sort.SliceStable(sorted, func(i, j int) bool { return before(sorted[i], sorted[j]) })
	order := make(map[*candidate]int, len(sorted))
	for i, c := range sorted {
		order[c] = i
	}
	return order
}

// ranked is the picked candidates in rank order, the order of refs.
func ranked(picked []*candidate) []*candidate {
	out := slices.Clone(picked)
	sort.SliceStable(out, func(i, j int) bool { return out[i].rank < out[j].rank })
	return out
}

// remains says whether another segment would bring something.
func (s *Snapshot) remains() bool {
	if len(s.queue) > 0 {
		return true
	}
	return slices.ContainsFunc(s.docs, func(d *surveyed) bool { return d.unproven == "" && d.restFrom < d.reply.Rest })
}

func (s *Snapshot) elements() int {
	n := 0
	for _, d := range s.docs {
		n += d.reply.Elements
	}
	return n
}

func (s *Snapshot) info(n int, scope string, returned int, meaningWhy string) snapshotfmt.Info {
	i := snapshotfmt.Info{
		ID: fmt.Sprintf("p%d", n), Format: s.Format(), Scope: scope, Segment: s.segment,
		Candidates: s.Total(), Returned: returned, Earlier: s.returned, Gone: s.gone,
		NodeBudget: s.o.NodeBudget, OutputBudget: s.o.OutputBudget, Omitted: s.Omitted(), Meaning: "computed", MeaningWhy: meaningWhy,
	}
	if meaningWhy == "" && s.o.Meaning == "accessibility" {
		i.Meaning = "accessibility"
	}
	s.from.sign(&i)
	whole := true
	for _, d := range s.docs {
		i.NotWalkedAtLeast += d.reply.NotWalked
		whole = whole && d.unproven == "" && d.reply.NotWalked == 0
	}
	i.Complete = whole && !s.remains() && s.foot.unread == 0 && !s.regionsLeft()
	switch {
	case s.o.Query == "" || returned > 0:
	case i.Candidates == 0:
		i.QueryNote = "no node of the page matches the query"
	default:
		i.QueryNote = fmt.Sprintf("nothing that the query matches (%d) can be shown; omitted says why", i.Candidates)
	}
	return i
}

func (s *Snapshot) frameList() []snapshotfmt.Frame {
	out := []snapshotfmt.Frame{}
	label := map[string]string{}
	for _, d := range s.docs {
		f := snapshotfmt.Frame{URL: d.frame.URL, Status: "read"}
		switch {
		case d.doc != nil:
			f.ID = d.doc.label
		case d.frame.ID != "":
			f.ID = s.page.label(d.frame)
		default:
			f.ID = "unattached"
		}
		label[d.frame.ID] = f.ID
		if d.frame.ParentID != "" {
			f.Parent = label[d.frame.ParentID]
		}
		if d.unproven != "" {
			f.Status, f.Why = "unprovable", d.unproven
		} else if d.owner != nil && d.owner.Inner != nil {
			b := d.above.place.rect(fromBox(*d.owner.Inner)).box()
			f.Box = rounded(b)
		}
		out = append(out, f)
	}
	return out
}

// entry is the listed form of a candidate, and the ref that goes with it.
func (s *Snapshot) entry(n int, c *candidate) (snapshotfmt.Entry, Minted) {
	k := c.in.doc.k(c.m.Local)
	kinds, why := actions(c.col, c.m)
	e := snapshotfmt.Entry{
		Ref: ref(n, k), Role: c.m.Role, Name: c.m.Name, Value: c.m.Value, Description: c.m.Desc, States: c.m.States,
		Actions: kinds, Routes: s.routes(kinds, c.m), Frame: c.in.doc.label, Visibility: tierOf(c.col), Why: why,
	}
	if c.col.Box != nil && c.in.exact {
		e.Box = rounded(c.in.place.rect(fromBox(*c.col.Box)).box())
	}
	if c.col.Hit == hitOwn || c.col.Hit == hitShown || c.col.Hit == hitCovered {
		hit := c.col.Hit == hitOwn
		e.Hit = &hit
	}
	role, name := c.m.identity()
	shown := e
	if c.m.foreign {
		shown.Role, shown.Name, shown.Description = role, name, c.m.ownDesc
	}
	return e, Minted{K: k, Role: role, Name: name, Steady: c.m.Steady, RowKey: c.m.Key, Use: c.m.Use, Actions: kinds, Why: why, Contract: c.m.Contract, Shown: shown}
}

func ref(n, k int) string { return fmt.Sprintf("p%d:%d", n, k) }

// uid names a node that snapshot n is the first to list.
func uid(n, k int) string { return fmt.Sprintf("%d_%d", n, k) }
