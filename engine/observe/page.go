// Package observe answers what an agent can see of a page: it surveys every
// document where it lives, classifies and ranks the candidates, cuts to a
// budget with every omission counted, and gives meaning to what is returned.
//
// It reads and never writes: no attribute, focus, scroll, selection or
// activation changes because it looked.
package observe

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
)

// Page is one tab: its documents, the engine's world in each, and the identity
// k of every node it ever returned. It is safe for concurrent use; its reads
// are serialised, because a renderer answers one call at a time anyway.
type Page struct {
	conn    Adopter
	session *devtools.Session
	name    string        // of the isolated worlds; random per engine session
	slice   time.Duration // of a walk
	hitTime time.Duration // of one survey

	// ForeignSheets says that there may be style sheets that no document lists,
	// as an extension's. It is set before anything is read.
	ForeignSheets bool

	drawing chan struct{} // one token: who holds it may draw over the page

	mu     sync.Mutex
	docs   map[string]*doc // by frame id
	labels map[string]string
	nodes  map[int]Node
	nextK  int

	processes []*process
	newest    *Snapshot                               // the one whose order the documents hold
	counting  map[*devtools.Session]bool              // counts its style and layout work
	counts    map[*devtools.Session]*devtools.Pending // asked for, before anything was asked ahead
}

// doc is one document as long as it lives.
type doc struct {
	*world.Document
	page   *Page
	label  string       // main, f1, f2 … by frame
	parent string       // frame id of the parent, "" for main
	known  map[int]bool // backend ids of listening nodes the world has seen
	ks     map[int]int  // local identity -> k
	owner  int          // local identity of the frame element in the parent, 0 for main
	above  *doc         // the parent document that owner is of
	main   string       // handle of the main-world document, main frame only
	group  string
	told   string         // what its last survey was asked, "" for nothing to ask again
	ahead  *world.Pending // the answer to it that is on its way
}

// Node is a node by its identity: the document and the local number in it.
type Node struct {
	doc   *doc
	local int
}

// NewPage returns the page of an attached tab. conn claims the sessions of its
// frames; name is the isolated worlds' name, private to the engine session. It
// does no I/O.
func NewPage(conn Adopter, s *devtools.Session, name string) *Page {
	return &Page{
		conn: conn, session: s, name: name, drawing: make(chan struct{}, 1), slice: limits.WalkSlice, hitTime: limits.HitTime,
		docs: map[string]*doc{}, labels: map[string]string{}, nodes: map[int]Node{}, counting: map[*devtools.Session]bool{},
	}
}

// Session is the tab's protocol session.
func (p *Page) Session() *devtools.Session { return p.session }

// frame is a frame as the browser lists it.
type frame struct {
	ID       string `json:"id"`
	ParentID string `json:"parentId"`
	LoaderID string `json:"loaderId"`
	URL      string `json:"url"`

	session *devtools.Session // of the process it lives in
}

type frameTree struct {
	Frame       frame       `json:"frame"`
	ChildFrames []frameTree `json:"childFrames"`
}

// flat appends the tree's frames to out, parents first.
func (t frameTree) flat(out []frame) []frame {
	out = append(out, t.Frame)
	for _, c := range t.ChildFrames {
		c.Frame.ParentID = t.Frame.ID
		out = c.flat(out)
	}
	return out
}

func decodeFrames(ctx context.Context, sent *devtools.Pending) ([]frame, error) {
	var r struct {
		FrameTree frameTree `json:"frameTree"`
	}
	if err := sent.Decode(ctx, &r); err != nil {
		return nil, fmt.Errorf("list frames: %w", err)
	}
	return r.FrameTree.flat(nil), nil
}

// enter makes sure that the engine's world stands in each frame's current
// document, in all that are new at once. A frame that goes away meanwhile is
// left out and reported in lost.
func (p *Page) enter(ctx context.Context, frames []frame) (lost map[string]string, err error) {
	lost = map[string]string{}
	var fresh []frame
	for _, f := range frames {
		if d := p.docs[f.ID]; d != nil && d.Loader == f.LoaderID && d.Session == f.session && d.parent == f.ParentID {
			continue
		}
		p.drop(f.ID)
		fresh = append(fresh, f)
	}
	worlds, errs := make([]*world.Document, len(fresh)), make([]error, len(fresh))
	var all sync.WaitGroup
	for i, f := range fresh {
		all.Go(func() { worlds[i], errs[i] = world.Enter(ctx, f.session, f.ID, f.LoaderID, f.URL, p.name) })
	}
	all.Wait()
	for i, f := range fresh {
		if world.Gone(errs[i]) {
			lost[f.ID] = "navigated while it was entered"
			continue
		}
		if errs[i] != nil {
			return nil, errs[i]
		}
		p.docs[f.ID] = &doc{Document: worlds[i], page: p, label: p.label(f), parent: f.ParentID, known: map[int]bool{}, ks: map[int]int{}, group: p.name}
	}
	return lost, nil
}

// prune forgets the documents of frames that are gone.
func (p *Page) prune(frames []frame) {
	for id := range p.docs {
		if !slices.ContainsFunc(frames, func(f frame) bool { return f.ID == id }) {
			p.drop(id)
		}
	}
}

// drop forgets a document and the identities in it.
func (p *Page) drop(frameID string) {
	d := p.docs[frameID]
	if d == nil {
		return
	}
	for _, k := range d.ks {
		delete(p.nodes, k)
	}
	delete(p.docs, frameID)
}

func (p *Page) label(f frame) string {
	if f.ParentID == "" {
		return "main"
	}
	l, ok := p.labels[f.ID]
	if !ok {
		l = fmt.Sprintf("f%d", len(p.labels)+1)
		p.labels[f.ID] = l
	}
	return l
}

// k gives a node its identity in the tab, from one counter, never reused.
func (d *doc) k(local int) int {
	if local == 0 {
		return 0
	}
	k, ok := d.ks[local]
	if !ok {
		d.page.nextK++
		k = d.page.nextK
		d.ks[local] = k
		d.page.nodes[k] = Node{doc: d, local: local}
	}
	return k
}

// Found is a node whose document is proven to be the current one.
type Found struct {
	Document *world.Document
	Local    int
	Frame    string // main, f1 …
	doc      *doc
}

// Find proves the document of node k again and returns it. It refuses with
// navigated or frame_gone where the document is not the one k was seen in.
func (p *Page) Find(ctx context.Context, k int) (*Found, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, ok := p.nodes[k]
	frames, err := p.allFrames(ctx)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, refusal.New(refusal.Navigated, "the document of this ref has been replaced")
	}
	for _, f := range frames {
		if f.ID != n.doc.FrameID {
			continue
		}
		if f.LoaderID != n.doc.Loader {
			return nil, refusal.New(refusal.Navigated, "the document of this ref has been replaced")
		}
		return &Found{Document: n.doc.Document, Local: n.local, Frame: n.doc.label, doc: n.doc}, nil
	}
	return nil, refusal.New(refusal.FrameGone, "the frame of this ref is gone")
}

// Visibility is the main document's own visibilityState.
func (p *Page) Visibility(ctx context.Context) (string, error) {
	facts, err := p.facts(ctx)
	return facts.State, err
}

// HTTPStatus is the status of the response that the main document came from, 0
// where there was none.
func (p *Page) HTTPStatus(ctx context.Context) (int, error) {
	facts, err := p.facts(ctx)
	return facts.Status, err
}

// Arrived says whether the tab's first page has loaded: it is no longer the
// blank one it was opened with, and nothing of it is still to come.
func (p *Page) Arrived(ctx context.Context) (bool, error) {
	facts, err := p.facts(ctx)
	return err == nil && facts.ready && facts.URL != "about:blank" && facts.URL != "", err
}

// facts asks the main document about itself.
func (p *Page) facts(ctx context.Context) (pageFacts, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	frames, err := p.allFrames(ctx)
	if err != nil {
		return pageFacts{}, err
	}
	if _, err := p.enter(ctx, frames[:1]); err != nil {
		return pageFacts{}, err
	}
	d := p.docs[frames[0].ID]
	if d == nil {
		return pageFacts{}, refusal.New(refusal.Navigated, "the document was replaced")
	}
	var r struct {
		Ready bool      `json:"ready"`
		Page  pageFacts `json:"page"`
	}
	err = d.Call(ctx, "same", nil, &r)
	r.Page.ready = r.Ready
	return r.Page, err
}

// Moved says whether the main document has been replaced since the page was
// last read, and where the tab is now. A move within the document is none.
func (p *Page) Moved(ctx context.Context) (replaced bool, url string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	frames, err := p.allFrames(ctx)
	if err != nil {
		return false, "", err
	}
	d := p.docs[frames[0].ID]
	return d == nil || d.Loader != frames[0].LoaderID, frames[0].URL, nil
}
