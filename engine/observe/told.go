package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cuatui/engine/world"
)

// toldReply is what one document says of the conditions.
type toldReply struct {
	Changes int        `json:"changes"`
	URL     string     `json:"url"`
	Loading bool       `json:"loading"`
	W       float64    `json:"w"`
	H       float64    `json:"h"`
	Shown   []bool     `json:"shown"`
	Hosts   []int      `json:"hosts"` // elements that may have a closed shadow tree
	Frames  []frameRow `json:"frames"`
	Node    *nodeReply `json:"node"`
}

// nodeReply is what a node has come to.
type nodeReply struct {
	Gone     bool   `json:"gone"`
	Boxless  bool   `json:"boxless"`
	Checked  string `json:"checked"`
	Pressed  string `json:"pressed"`
	Expanded string `json:"expanded"`
	Selected string `json:"selected"`
	Disabled bool   `json:"disabled"`
	Focused  bool   `json:"focused"`
	Holds    bool   `json:"holds"` // it is something that holds a value
	Empty    bool   `json:"empty"`
	Equal    bool   `json:"equal"` // its value is the one asked for
}

// truth says whether the node is in a state; "value" is that it holds the
// value asked for. nil is a node whose document was not read.
func (n *nodeReply) truth(state string) (Truth, string) {
	switch {
	case n == nil:
		return Unproven, "the document of the ref could not be read"
	case state == "gone":
		return truthOf(n.Gone || n.Boxless), ""
	case n.Gone:
		return False, "the node is gone"
	}
	is := map[string]bool{
		"checked": n.Checked == "true", "unchecked": n.Checked == "false", "pressed": n.Pressed == "true", "unpressed": n.Pressed == "false",
		"expanded": n.Expanded == "true", "collapsed": n.Expanded == "false", "selected": n.Selected == "true", "unselected": n.Selected == "false",
		"disabled": n.Disabled, "enabled": !n.Disabled, "focused": n.Focused, "empty": n.Holds && n.Empty, "value": n.Holds && n.Equal,
	}
	return truthOf(is[state]), ""
}

// check says what is wrong with a reply to texts texts.
func (r *toldReply) check(texts int) error {
	if len(r.Shown) != texts || len(r.Hosts) > hostsMax {
		return fmt.Errorf("wait: %d of %d texts are told of, %d hosts", len(r.Shown), texts, len(r.Hosts))
	}
	for _, f := range r.Frames {
		if f.Local <= 0 || !counts(f.I) {
			return fmt.Errorf("wait: a frame element is numbered %d", f.Local)
		}
	}
	return nil
}

// hostsMax is how many hosts one reply names at most.
const hostsMax = 1000

// errMoving: the main document is being replaced.
var errMoving = errors.New("the document is being replaced")

// lookAll reads every document once. What cannot be read is noted, and makes
// unproven what would need it.
func (p *Page) lookAll(ctx context.Context, c Conditions) (t *told, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { err = p.blame(err) }()
	t = &told{docs: map[*doc]*toldReply{}, hidden: map[*doc]bool{}}
	frames, err := p.allFrames(ctx)
	if err != nil {
		return nil, err
	}
	p.prune(frames)
	lost, err := p.enter(ctx, frames)
	if err != nil {
		return nil, err
	}
	owners, err := p.owners(ctx, frames[1:])
	if err != nil {
		return nil, err
	}
	t.url = frames[0].URL
	l := &looking{told: t, page: p, want: c, frames: frames, lost: lost, owners: owners}
	if main := p.docs[frames[0].ID]; main == nil {
		t.cannot(errMoving.Error())
	} else if err := l.all(ctx, &surveyed{doc: main, frame: frames[0], place: identity, exact: true}); err != nil {
		return nil, err
	}
	after, err := p.allFrames(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.EqualFunc(frames, after, func(a, b frame) bool { return a.ID == b.ID && a.LoaderID == b.LoaderID }) {
		t.cannot("a document was replaced while the page was read")
	}
	t.node = l.node(c.Node)
	return t, nil
}

// cannot notes why a document was not read.
func (t *told) cannot(why string) {
	if t.unread == "" {
		t.unread = why
	}
}

// looking is one look at all documents.
type looking struct {
	*told
	page   *Page
	want   Conditions
	frames []frame
	lost   map[string]string
	owners map[string]int
	top    rect
}

// all reads the documents a level of frames at a time: whether a frame shows
// anything is known to its parent.
func (l *looking) all(ctx context.Context, main *surveyed) error {
	for level := []*surveyed{main}; len(level) > 0; {
		if err := l.level(ctx, level); err != nil {
			return err
		}
		var next []*surveyed
		for _, d := range level {
			if d.unproven != "" {
				l.cannot(fmt.Sprintf("frame %s: %s", d.doc.label, d.unproven))
				continue
			}
			inner, err := l.within(ctx, d)
			if err != nil {
				return err
			}
			next = append(next, inner...)
		}
		level = next
	}
	return nil
}

// level asks documents and takes their answers. Where a document has hosts
// that may hide a closed shadow tree, they are asked and it is read again.
func (l *looking) level(ctx context.Context, level []*surveyed) error {
	for try := range closedDepthMax + 1 {
		sent := make([]*world.Pending, len(level))
		for i, d := range level {
			sent[i] = d.doc.Start("told", l.args(d))
		}
		var again []*surveyed
		for i, d := range level {
			more, err := l.take(ctx, d, sent[i])
			if err != nil {
				return err
			}
			if more {
				again = append(again, d)
			}
		}
		if try == closedDepthMax && len(again) > 0 {
			l.cannot("closed shadow trees are nested too deep")
		}
		if level = again; len(level) == 0 {
			return nil
		}
	}
	return nil
}

// take takes one document's answer; more says that it must be read again.
func (l *looking) take(ctx context.Context, d *surveyed, sent *world.Pending) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	var r toldReply
	err = sent.Decode(ctx, &r)
	switch {
	case world.Gone(err):
		d.unproven = "it was replaced while it was read"
		return false, nil
	case errors.Is(err, context.DeadlineExceeded):
		d.unproven = "it does not answer"
		return false, nil
	case err != nil:
		return false, err
	}
	if err := r.check(len(l.texts())); err != nil {
		return false, err
	}
	l.docs[d.doc], d.reply.Frames = &r, r.Frames
	l.loading = l.loading || r.Loading
	if d.owner == nil {
		l.top, l.url = rect{0, 0, r.W, r.H}, r.URL
	}
	if len(r.Hosts) == 0 {
		return false, nil
	}
	_, err = d.doc.openClosed(ctx, r.Hosts)
	if world.Gone(err) {
		d.unproven = "it was replaced while it was read"
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := releaseNodes(d.doc.Session, l.page.name).Decode(ctx, nil); err != nil && !world.Gone(err) {
		return false, err
	}
	return true, nil
}

func (l *looking) texts() []string { return []string{l.want.Text, l.want.TextGone} }

func (l *looking) args(d *surveyed) map[string]any {
	at := map[string]any{}
	if d.owner != nil && d.exact && !inert(*d.owner) {
		frameArgs(d, l.top, at)
	}
	args := map[string]any{"texts": l.texts(), "at": at, "value": l.want.Value}
	if n, ok := l.page.nodes[l.want.Node]; ok && n.doc == d.doc {
		args["node"] = n.local
	}
	return args
}

// within lays out the frames of a document that was read. A frame that shows
// nothing needs no reading.
func (l *looking) within(ctx context.Context, d *surveyed) ([]*surveyed, error) {
	rows := map[int]frameRow{}
	for _, r := range d.reply.Frames {
		rows[r.Local] = r
	}
	var out []*surveyed
	for _, f := range l.frames {
		if f.ParentID != d.frame.ID {
			continue
		}
		k := l.owners[f.ID]
		row, ok := rows[k]
		delete(rows, k)
		c := &surveyed{doc: l.page.docs[f.ID], frame: f, path: append(slices.Clone(d.path), row.I)}
		switch {
		case ok && showsNothing(row):
			if c.doc != nil {
				l.hidden[c.doc] = true
			}
		case l.lost[f.ID] != "":
			l.cannot("a frame: " + l.lost[f.ID])
		case c.doc == nil || !ok:
			l.cannot("a frame: its place in the page is not known")
		case len(c.path) > frameDepthMax:
			l.cannot("frames are nested too deep")
		default:
			c.layOut(d, row)
			if err := c.turn(ctx); err != nil {
				return nil, err
			}
			out = append(out, c)
		}
	}
	for _, row := range rows {
		if !row.Maybe && !showsNothing(row) {
			l.cannot("another process's frame is not attached")
		}
	}
	return out, nil
}

func showsNothing(row frameRow) bool {
	return !inert(row) && (row.Tier == "css_hidden" || row.Tier == "no_layout")
}

// inert: it takes no input, and is seen all the same.
func inert(row frameRow) bool {
	return row.Tier == "css_hidden" && (row.Sub == "inert" || row.Sub == "behind_modal")
}

// node is what was told of node k; nil where its document was not read.
func (l *looking) node(k int) *nodeReply {
	n, ok := l.page.nodes[k]
	if !ok {
		return &nodeReply{Gone: true}
	}
	for d := n.doc; d != nil; d = l.page.docs[d.parent] {
		if l.hidden[d] {
			return &nodeReply{Boxless: true}
		}
	}
	if r := l.docs[n.doc]; r != nil {
		return r.Node
	}
	return nil
}
