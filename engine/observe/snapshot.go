package observe

import (
	"context"
	"fmt"
	"sort"
	"time"

	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
	"cuatui/snapshotfmt"
)

// Options say what a snapshot is asked for.
type Options struct {
	Query string
	// Scope is the k of the node whose subtree is asked for, 0 for the page.
	Scope        int
	NodeBudget   int
	OutputBudget int    // estimated tokens of the outline
	Meaning      string // computed, accessibility, or "" for the default
	Collector    string // CollectProtocol, or "" for the walk in the page
	Format       string // of package snapshotfmt; "" for semantic_v2
	// Shared says that OutputBudget is the caller's own, of which the visual
	// regions take their part; else they have a share besides it.
	Shared bool
	// TrustedSafe says that pointer input raises nothing on this platform.
	TrustedSafe bool
	// Keyless says that the browser takes no keys over the protocol.
	Keyless bool
}

func (o Options) whole() bool { return o.Query == "" && o.Scope == 0 }

// Snapshot is a surveyed page whose order is fixed: segments are taken from it
// until nothing remains.
type Snapshot struct {
	page  *Page
	o     Options
	from  collector
	docs  []*surveyed
	queue []*candidate // in view and near, in rank order, not yet returned
	first surveyReply  // of the main document: page facts
	foot  footing
	still stillness // what must be unchanged for the survey to be asked again
	asked bool      // it is the kept survey that is asked, not the page
	start time.Time
	walk  time.Duration

	visual *regionsFound

	covered  int // candidates of frames that a document above covers
	returned int
	gone     int
	segment  int
}

// surveyed is one document of a snapshot.
type surveyed struct {
	doc       *doc
	frame     frame
	reply     surveyReply
	place     mapping
	exact     bool // false: a turned frame, whose boxes cannot be placed
	path      []int
	owner     *frameRow // nil for the main document
	above     *surveyed // the parent document
	top       rect      // what the window shows of the top viewport
	view      rect      // what is let through of it, own px
	under     string    // why nothing in it can be used that is not in view
	unproven  string    // why the document was not read, "" if it was
	ancestors map[int]ancestor
	restFrom  int
	tiers     map[int]snapshotfmt.Tier // of the candidates in and near view, as all documents together make them
	ownerID   int                      // backend id of its frame element, once an audit has asked
}

// candidate is one listed or waiting node.
type candidate struct {
	in   *surveyed
	col  column
	m    *meaning
	rank int
}

// footing is what a snapshot counts while it works.
type footing struct {
	calls, bytes int64
	unread       int // listening nodes over the bound
}

// Take surveys the page and returns the snapshot, of which nothing has been
// returned yet. It refuses where the scope's node is gone or the page keeps
// navigating away from under it; any other error is a lost browser or deadline.
func (p *Page) Take(ctx context.Context, o Options) (snap *Snapshot, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() {
		if err != nil {
			p.newest = nil // the documents may hold another order by now
		}
		err = p.blame(err)
	}()
	s := &Snapshot{page: p, o: o, start: time.Now()}
	s.from = inPage{s}
	if o.Collector == CollectProtocol {
		s.from = &byProtocol{s: s}
	}
	before := p.session.Counters()
	for try := 0; ; try++ {
		err := s.read(ctx)
		if err == nil {
			err = s.findRegions(ctx)
		}
		if err == nil {
			err = s.confirm(ctx)
		}
		if err == nil {
			break
		}
		if world.Gone(err) || isNavigated(err) {
			if try == 0 { // one retry: a page that was on its way has arrived
				p.drop(s.mainID())
				continue
			}
			return nil, refusal.New(refusal.Navigated, "the document was replaced while it was being read, twice")
		}
		return nil, err
	}
	after := p.session.Counters()
	s.foot.calls, s.foot.bytes = after.Calls-before.Calls, after.BytesIn-before.BytesIn
	s.sort()
	p.newest = s
	return s, nil
}

func isNavigated(err error) bool {
	r, ok := refusal.As(err)
	return ok && r.Reason == refusal.Navigated
}

func (s *Snapshot) mainID() string {
	for id, d := range s.page.docs {
		if d.parent == "" {
			return id
		}
	}
	return ""
}

// survey reads every document, a level of frames at a time: a child's tiers
// need its parent's geometry.
func (s *Snapshot) survey(ctx context.Context) error {
	p := s.page
	s.askAhead()
	frames, err := p.allFrames(ctx)
	if err != nil {
		return err
	}
	p.prune(frames)
	lost, err := p.enter(ctx, frames)
	if err != nil {
		return err
	}
	main := p.docs[frames[0].ID]
	if main == nil {
		return refusal.New(refusal.Navigated, "the main document was replaced while it was entered")
	}
	heard, err := p.readListeners(ctx, frames)
	if err != nil {
		return err
	}
	for _, h := range heard {
		s.foot.unread += h.unread
	}
	if s.still, err = p.stillness(ctx, heard); err != nil {
		return err
	}
	if s.asked {
		if err := s.stands(p.newest); err != nil {
			return err
		}
	}
	owners, err := p.owners(ctx, frames[1:])
	if err != nil {
		return err
	}
	level := []*surveyed{{doc: main, frame: frames[0], place: identity, exact: true}}
	for len(level) > 0 {
		if err := s.from.collect(ctx, level, heard); err != nil {
			return err
		}
		s.docs = append(s.docs, level...)
		s.docs[0].top = s.viewport()
		level = s.children(level, frames, owners, lost)
		for _, c := range level {
			if err := c.turn(ctx); err != nil {
				return err
			}
		}
	}
	for session := range heard {
		releaseNodes(session, p.name) // nothing waits for it: an error shows in the next call
	}
	if s.o.Scope == 0 {
		return nil
	}
	for _, d := range s.docs {
		if d.reply.ScopeGone {
			return refusal.New(refusal.NodeGone, "the node of scope_ref is gone")
		}
	}
	return nil
}

// surveyArgs are the arguments of one document's survey.
func (s *Snapshot) surveyArgs(d *surveyed, args map[string]any) map[string]any {
	args["walkMS"] = limits.WalkBudget.Milliseconds()
	args["sliceMS"] = s.page.slice.Milliseconds()
	args["margin"] = limits.NearMarginPx
	args["hitMax"] = limits.HitTestsMax
	args["hitMS"] = s.page.hitTime.Milliseconds()
	args["describe"] = s.o.NodeBudget
	args["nameMax"] = limits.NameCharsMax
	args["query"] = s.o.Query
	args["foreign"] = s.page.ForeignSheets
	if s.o.Scope != 0 {
		if n := s.page.nodes[s.o.Scope]; n.doc == d.doc {
			args["scope"] = n.local
		} else {
			args["nothing"] = d.owner == nil || !d.owner.Scoped
		}
	}
	if len(d.path) > 0 {
		args["points"] = true
	}
	return args
}

// surveyLevel reads the documents of a level concurrently. Where a document
// has hosts that may hide a closed shadow tree, they are asked and it is read
// again, as deep as such trees nest.
func (s *Snapshot) surveyLevel(ctx context.Context, level []*surveyed, heard map[*devtools.Session]listening) error {
	todo := level
	for range closedDepthMax {
		if err := s.surveyOnce(ctx, todo, heard); err != nil {
			return err
		}
		var again []*surveyed
		for _, d := range todo {
			if d.unproven != "" || len(d.reply.Hosts) == 0 {
				continue
			}
			found, err := d.doc.openClosed(ctx, d.reply.Hosts)
			if err != nil {
				return err
			}
			if found {
				d.reply = surveyReply{}
				again = append(again, d)
			}
		}
		if len(again) == 0 {
			break
		}
		todo = again
	}
	for _, d := range level {
		if d.unproven != "" {
			continue
		}
		d.ancestors = map[int]ancestor{}
		d.learn(d.reply.described)
	}
	return s.coverChildren(ctx, level)
}

// closedDepthMax bounds how deep closed shadow trees inside closed ones are followed.
const closedDepthMax = 5

// ask sends one document the question of its survey and returns it; none is
// sent to a frame that has gone to another document.
func (s *Snapshot) ask(ctx context.Context, d *surveyed, heard map[*devtools.Session]listening) (asked map[string]any, sent *world.Pending, err error) {
	args, handles := map[string]any{}, []string(nil)
	if !s.asked {
		args, handles, err = d.doc.listenerArgs(ctx, heard[d.doc.Session])
	}
	if world.Gone(err) && len(d.path) > 0 {
		d.unproven = "navigated while it was read"
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	args = s.surveyArgs(d, args)
	if len(d.path) > 0 {
		frameArgs(d, s.viewport(), args)
	}
	if s.asked {
		return args, d.doc.Start("again", args), nil
	}
	sent, err = d.doc.survey(ctx, args, handles)
	return args, sent, err
}

func (s *Snapshot) surveyOnce(ctx context.Context, level []*surveyed, heard map[*devtools.Session]listening) (err error) {
	sent, asked := make([]*world.Pending, len(level)), make([]map[string]any, len(level))
	for i, d := range level {
		if d.unproven != "" {
			continue
		}
		if asked[i], sent[i], err = s.ask(ctx, d, heard); err != nil {
			return err
		}
	}
	for i, d := range level {
		if sent[i] == nil {
			continue
		}
		err := sent[i].Decode(ctx, &d.reply)
		if err != nil && world.Gone(err) && len(d.path) > 0 {
			d.unproven = "navigated while it was read"
			continue
		}
		if err == nil {
			err = d.reply.check()
		}
		if err == nil && d.reply.Stale != "" {
			err = &staleError{d.reply.Stale}
		}
		if err == nil && !s.asked {
			err = d.doc.remember(asked[i], &d.reply)
		}
		if err != nil {
			return err
		}
		s.walk += time.Duration(d.reply.WalkMS * float64(time.Millisecond))
	}
	return nil
}

// learn takes in the ancestors of a described batch.
func (d *surveyed) learn(b described) {
	for _, a := range b.Ctx {
		d.ancestors[a.Local] = a
	}
}

// confirm checks after the reading that every document is still the one that
// was read. A frame that changed is left out; a main document that changed is
// an error to be tried again.
func (s *Snapshot) confirm(ctx context.Context) error {
	type same struct {
		Same bool `json:"same"`
	}
	sent := make([]*world.Pending, len(s.docs))
	for i, d := range s.docs {
		if d.unproven == "" {
			sent[i] = d.doc.Start("same", nil)
		}
	}
	frames, err := s.page.allFrames(ctx)
	if err != nil {
		return err
	}
	loaders := map[string]string{}
	for _, f := range frames {
		loaders[f.ID] = f.LoaderID
	}
	for i, d := range s.docs {
		if sent[i] == nil {
			continue
		}
		var r same
		err := sent[i].Decode(ctx, &r)
		if err != nil && !world.Gone(err) {
			return err
		}
		if err == nil && r.Same && loaders[d.frame.ID] == d.doc.Loader {
			continue
		}
		if i == 0 {
			return refusal.New(refusal.Navigated, "the document was replaced while it was being read")
		}
		d.unproven = "changed while it was read"
	}
	return nil
}

// sort fixes the order: rank, then document order.
func (s *Snapshot) sort() {
	for _, d := range s.docs {
		if d.unproven != "" {
			continue
		}
		byIndex := map[int]*meaning{}
		for i := range d.reply.Nodes {
			byIndex[d.reply.Nodes[i].I] = &d.reply.Nodes[i]
		}
		d.tiers = make(map[int]snapshotfmt.Tier, len(d.reply.Cols))
		for _, c := range d.reply.Cols {
			d.tiers[c.I] = tierOf(c)
			if tierOf(c) == tierOccluded { // by a document above
				s.covered++
				continue
			}
			s.queue = append(s.queue, &candidate{in: d, col: c, m: byIndex[c.I], rank: rank(c)})
		}
		d.reply.Nodes, d.reply.Cols = nil, nil
	}
	sort.SliceStable(s.queue, func(i, j int) bool {
		a, b := s.queue[i], s.queue[j]
		if a.rank != b.rank {
			return a.rank < b.rank
		}
		return before(a, b)
	})
	s.first = s.docs[0].reply
}

// before is document order across frames: a frame's nodes come after its owner.
func before(a, b *candidate) bool {
	pa, pb := a.in.path, b.in.path
	at := func(path []int, i, own int) int {
		if i < len(path) {
			return path[i]
		}
		if i == len(path) {
			return own
		}
		return -1
	}
	for i := 0; i <= len(pa) || i <= len(pb); i++ {
		x, y := at(pa, i, a.col.I), at(pb, i, b.col.I)
		if x != y {
			return x < y
		}
	}
	return false
}

// Total is the number of candidates of the page, unproven documents counting
// one each.
func (s *Snapshot) Total() int {
	n := 0
	for _, d := range s.docs {
		if d.unproven != "" {
			n++
			continue
		}
		n += d.reply.Candidates
	}
	return n
}

// Omitted counts what has not been returned up to now, each under one reason.
func (s *Snapshot) Omitted() snapshotfmt.Omitted {
	var o snapshotfmt.Omitted
	for _, d := range s.docs {
		if d.unproven != "" {
			o.Add(snapshotfmt.OmitUnprovableFrame, d.unproven, 1)
			continue
		}
		for key, n := range d.reply.Counts {
			reason, sub := splitReason(key)
			o.Add(reason, sub, n)
		}
		o.Add(snapshotfmt.OmitOffscreen, "", d.reply.Rest-d.restFrom)
	}
	for _, c := range s.queue {
		switch tierOf(c.col) {
		case snapshotfmt.UnknownTier:
			o.Add(snapshotfmt.OmitUnknown, c.col.Sub, 1)
		case snapshotfmt.NearViewport:
			o.Add(snapshotfmt.OmitNear, "", 1)
		default:
			o.Add(snapshotfmt.OmitBudget, "", 1)
		}
	}
	o.Add(snapshotfmt.OmitPageOccluded, "covered_frame", s.covered)
	o.Add(snapshotfmt.OmitIgnored, "gone", s.gone)
	return o
}

func splitReason(key string) (snapshotfmt.OmitReason, string) {
	for i := range len(key) {
		if key[i] == '/' {
			return snapshotfmt.OmitReason(key[:i]), key[i+1:]
		}
	}
	return snapshotfmt.OmitReason(key), ""
}

// describe asks for the meaning of candidates that have none yet.
func (s *Snapshot) describe(ctx context.Context, cs []*candidate) error {
	per := map[*surveyed][]*candidate{}
	for _, c := range cs {
		if c.m == nil {
			per[c.in] = append(per[c.in], c)
		}
	}
	for d, list := range per {
		indices := make([]int, len(list))
		byIndex := map[int]*candidate{}
		for i, c := range list {
			indices[i], byIndex[c.col.I] = c.col.I, c
		}
		r, err := s.from.describe(ctx, d, indices)
		if err != nil && world.Gone(err) || err == nil && r.RootChanged {
			return refusal.New(refusal.Navigated, "the document of this snapshot has been replaced")
		}
		if err == nil {
			err = r.check()
		}
		if err != nil {
			return fmt.Errorf("describe: %w", err)
		}
		d.learn(r)
		for i := range r.Nodes {
			if c := byIndex[r.Nodes[i].I]; c != nil {
				c.m = &r.Nodes[i]
			}
		}
	}
	return nil
}
