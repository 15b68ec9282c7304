// Package domtree reads whole documents over the protocol, without a script in
// the page: the pierced DOM, the layout snapshot and the full accessibility
// tree, joined by backend node id. It is what the protocol collector judges.
//
// A document too deep or too large to be sent whole is read as far as bounded
// calls reach, and says what is missing. Only known failures of depth and size
// are answered so: any other error, and a lost connection, stays an error.
package domtree

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cuatui/engine/devtools"
	"cuatui/engine/limits"
)

// Node is one node of a document, as the protocol tells it.
type Node struct {
	Backend int
	Type    int    // as Node.nodeType: 1 element, 3 text, 9 document, 11 fragment
	Tag     string // local name
	HTML    bool
	Attrs   map[string]string
	Text    string // of a text node

	Parent  *Node   // in the tree, the host of a shadow root included
	Kids    []*Node // light children
	Shadow  *Node   // open or closed; user-agent trees are left out
	Slot    *Node   // the slot it is assigned to
	Slotted []*Node // of a slot: what is assigned to it
	Content *Node   // the document of a same-process frame element
	FrameID string  // of a frame element or a document

	Checked bool         // a checkbox or radio button
	Pseudo  [][4]float64 // boxes of generated content, as Box.Rect

	Box    *Box // its layout, nil where it has none
	AX     *AX  // its accessibility, nil where it has none
	slot   int
	filled []int
	more   bool // it has children that were not sent
}

// Tree are the documents of one process under its topmost.
type Tree struct {
	Root    *Node
	ByID    map[int]*Node
	Frames  map[string]*Node // documents of same-process frames by frame id
	Missing int              // nodes whose children were not sent
	Why     string           // why something is missing, "" if nothing is
}

// wire is a node as it comes.
type wire struct {
	BackendNodeID    int      `json:"backendNodeId"`
	NodeType         int      `json:"nodeType"`
	NodeName         string   `json:"nodeName"`
	LocalName        string   `json:"localName"`
	NodeValue        string   `json:"nodeValue"`
	Attributes       []string `json:"attributes"`
	ChildNodeCount   int      `json:"childNodeCount"`
	Children         []wire   `json:"children"`
	ShadowRoots      []wire   `json:"shadowRoots"`
	ShadowRootType   string   `json:"shadowRootType"`
	PseudoElements   []wire   `json:"pseudoElements"`
	ContentDocument  *wire    `json:"contentDocument"`
	FrameID          string   `json:"frameId"`
	AssignedSlot     *wire    `json:"assignedSlot"`
	DistributedNodes []wire   `json:"distributedNodes"`
	IsSVG            bool     `json:"isSVG"`
}

// depths are tried in turn where the whole is too deep or too large to be sent.
// The browser encodes a reply by recursion, and gives up at about 150 levels.
var depths = []int{-1, 256, 128, 64, 32, 16, 8, 4, 2, 1}

// hydrateDepth is how deep a missing branch is asked for at once: what is below
// is asked for in its turn.
const hydrateDepth = 64

// tooMuch are the parts of the browser's messages that say that a reply was too
// deep or too large to be sent.
var tooMuch = []string{"maximum depth", "object reference chain is too long", "message is too large", "serialization", "stack limit exceeded"}

// TooMuch says whether an error is the browser's word that a reply is too deep
// or too large.
func TooMuch(err error) bool {
	var p *devtools.Error
	if !errors.As(err, &p) {
		return false
	}
	text := strings.ToLower(p.Message)
	for _, part := range tooMuch {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// Read reads the documents of a session's process, and leaves the session as
// it was: asking for a document turns the events of its tree on.
func Read(ctx context.Context, s *devtools.Session) (*Tree, error) {
	t, err := read(ctx, s)
	if off := s.Send("DOM.disable", nil).Decode(ctx, nil); err == nil && off != nil {
		return nil, fmt.Errorf("read document tree: %w", off)
	}
	return t, err
}

func read(ctx context.Context, s *devtools.Session) (*Tree, error) {
	deadline := time.Now().Add(limits.HydrateTime)
	for _, depth := range depths {
		var r struct {
			Root wire `json:"root"`
		}
		err := s.Call(ctx, "DOM.getDocument", map[string]any{"depth": depth, "pierce": true}, &r)
		if TooMuch(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read document tree: %w", err)
		}
		t := &Tree{ByID: map[int]*Node{}, Frames: map[string]*Node{}}
		t.Root = t.add(r.Root, nil, 0)
		if err := t.hydrate(ctx, s, deadline); err != nil {
			return nil, err
		}
		t.link()
		return t, nil
	}
	return nil, errors.New("read document tree: no depth is small enough to be sent")
}

// add takes in a node and what came with it; nil for one that is there already.
func (t *Tree) add(w wire, parent *Node, level int) *Node {
	n := &Node{Backend: w.BackendNodeID, Type: w.NodeType, Tag: w.LocalName, HTML: !w.IsSVG, Text: w.NodeValue, Parent: parent, FrameID: w.FrameID}
	if t.ByID[n.Backend] != nil {
		return nil // what comes twice is taken once: a hostile reply makes no circle
	}
	t.ByID[n.Backend] = n
	if len(w.Attributes) > 1 {
		n.Attrs = make(map[string]string, len(w.Attributes)/2)
		for i := 0; i+1 < len(w.Attributes); i += 2 {
			n.Attrs[w.Attributes[i]] = w.Attributes[i+1]
		}
	}
	if w.AssignedSlot != nil {
		n.slot = w.AssignedSlot.BackendNodeID
	}
	for _, d := range w.DistributedNodes {
		n.filled = append(n.filled, d.BackendNodeID)
	}
	if level < limits.DOMDepthMax {
		t.fill(n, w, level)
	} else {
		n.more = true
	}
	return n
}

// fill takes in what is below a node.
func (t *Tree) fill(n *Node, w wire, level int) {
	n.more = w.ChildNodeCount > len(w.Children)
	n.Kids = nil
	for _, c := range w.Children {
		if k := t.add(c, n, level+1); k != nil {
			n.Kids = append(n.Kids, k)
		}
	}
	for _, r := range w.ShadowRoots {
		if r.ShadowRootType != "user-agent" {
			n.Shadow = t.add(r, n, level+1)
		}
	}
	for _, p := range w.PseudoElements {
		t.ByID[p.BackendNodeID] = n // a hit on it is a hit on its element
	}
	if w.ContentDocument != nil {
		n.Content = t.add(*w.ContentDocument, n, level+1)
		if n.Content != nil {
			t.Frames[n.FrameID] = n.Content
		}
	}
}

// hydrate asks for the branches that did not come, first found first, within
// its budgets of time, calls and nodes.
func (t *Tree) hydrate(ctx context.Context, s *devtools.Session, deadline time.Time) error {
	queue := t.cut(t.Root, nil)
	for calls := 0; len(queue) > 0; calls++ {
		why := ""
		switch {
		case calls >= limits.HydrateCalls:
			why = "call budget"
		case time.Now().After(deadline):
			why = "time budget"
		case len(t.ByID) >= limits.DOMNodesMax:
			why = "node budget"
		}
		if why != "" {
			t.Missing, t.Why = t.Missing+len(queue), why
			return nil
		}
		n := queue[0]
		queue = queue[1:]
		var r struct {
			Node wire `json:"node"`
		}
		err := s.Call(ctx, "DOM.describeNode", map[string]any{"backendNodeId": n.Backend, "depth": hydrateDepth, "pierce": true}, &r)
		if TooMuch(err) {
			t.Missing, t.Why = t.Missing+1, "a branch is too large to be sent"
			continue
		}
		if err != nil {
			return fmt.Errorf("read document branch: %w", err)
		}
		had := len(n.Kids)
		t.forget(n.Kids) // they come again
		t.fill(n, r.Node, 0)
		if len(n.Kids) == 0 && had == 0 { // nothing came: it is not asked for again
			t.Missing, t.Why = t.Missing+1, "a branch is gone"
			n.more = false
			continue
		}
		queue = t.cut(n, queue)
	}
	return nil
}

// forget takes nodes and what is below them out of the index.
func (t *Tree) forget(nodes []*Node) {
	for len(nodes) > 0 {
		n := nodes[len(nodes)-1]
		nodes = append(nodes[:len(nodes)-1:len(nodes)-1], n.Kids...)
		delete(t.ByID, n.Backend)
	}
}

// cut appends the nodes below n whose children did not come.
func (t *Tree) cut(n *Node, queue []*Node) []*Node {
	stack := []*Node{n}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.more {
			queue = append(queue, n)
			continue
		}
		if n.Content != nil {
			stack = append(stack, n.Content)
		}
		for i := len(n.Kids) - 1; i >= 0; i-- {
			stack = append(stack, n.Kids[i])
		}
		if n.Shadow != nil {
			stack = append(stack, n.Shadow)
		}
	}
	return queue
}

// link ties slots to what is assigned to them.
func (t *Tree) link() {
	for _, n := range t.ByID {
		if s := t.ByID[n.slot]; fits(n, s) {
			n.Slot = s
		}
		for _, id := range n.filled {
			if k := t.ByID[id]; fits(k, n) {
				k.Slot = n
				n.Slotted = append(n.Slotted, k)
			}
		}
	}
}

// fits says whether a node can be assigned to a slot, which stands in the shadow
// tree of its parent: a hostile reply makes no circle of slots.
func fits(n, slot *Node) bool {
	if n == nil || slot == nil || n.Parent == nil || n.Parent.Shadow == nil {
		return false
	}
	for slot != nil && slot != n.Parent.Shadow {
		slot = slot.Parent
	}
	return slot != nil
}

// Attr returns an attribute, "" where there is none.
func (n *Node) Attr(name string) string { return n.Attrs[name] }

// Has says whether an attribute is there.
func (n *Node) Has(name string) bool { _, ok := n.Attrs[name]; return ok }

// Is says whether it is the HTML element of a tag.
func (n *Node) Is(tags ...string) bool {
	for _, t := range tags {
		if n.Type == 1 && n.HTML && n.Tag == t {
			return true
		}
	}
	return false
}

// Up is the parent in the composed tree: slot, host or parent; nil at the document.
func (n *Node) Up() *Node {
	p := n.Parent
	if n.Slot != nil {
		p = n.Slot
	}
	for p != nil && p.Type == 11 {
		p = p.Parent
	}
	if p == nil || p.Type == 9 {
		return nil
	}
	return p
}

// Inside says whether n is e or below it in the composed tree.
func (n *Node) Inside(e *Node) bool {
	for ; n != nil; n = n.Up() {
		if n == e {
			return true
		}
	}
	return false
}

// Flat are the children in the composed tree.
func (n *Node) Flat() []*Node {
	switch {
	case n.Shadow != nil:
		return n.Shadow.Kids
	case len(n.Slotted) > 0:
		return n.Slotted
	}
	return n.Kids
}
