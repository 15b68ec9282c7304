package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuatui/engine/devtools"
)

// domNode is a node as the protocol describes it.
type domNode struct {
	ID       int       `json:"backendNodeId"`
	Type     int       `json:"nodeType"`
	Tag      string    `json:"localName"`
	Attrs    []string  `json:"attributes"`
	Children []domNode `json:"children"`
	Document *domNode  `json:"contentDocument"`
	Shadow   []domNode `json:"shadowRoots"`
	Pseudo   []domNode `json:"pseudoElements"`
	Slotted  []struct {
		ID   int `json:"backendNodeId"`
		Type int `json:"nodeType"`
	} `json:"distributedNodes"`
	ShadowType string `json:"shadowRootType"`
	FrameID    string `json:"frameId"` // of a frame element: of the document in it
}

func (n *domNode) attr(name string) (string, bool) {
	for i := 0; i+1 < len(n.Attrs); i += 2 {
		if n.Attrs[i] == name {
			return n.Attrs[i+1], true
		}
	}
	return "", false
}

func (n *domNode) has(name string) bool { _, ok := n.attr(name); return ok }

// firstSummary is the backend id of a details element's own summary.
func (n *domNode) firstSummary() int {
	for i := range n.Children {
		if n.Children[i].Tag == "summary" {
			return n.Children[i].ID
		}
	}
	return 0
}

// domTree is the composed tree of one process, by backend id: the audit's own
// view of a page, in which nothing comes from the survey's script.
type domTree struct {
	nodes    map[int]*domNode
	frame    map[int]string // the frame whose document a node is in, "" for the topmost
	up       map[int]int    // parent in the composed tree: slot, host or parent
	textSlot map[int]int    // the slot that a host's own text is shown in
	hears    map[int]int    // distinct listened-to events of nodes that hear the pointer
}

// readTree describes everything below a process's topmost document. deep is
// true where the browser cannot say: its own reply nests too deep for it.
func (d *doc) readTree(ctx context.Context) (t *domTree, deep bool, err error) {
	heard, err := d.readListeners(ctx) // makes sure of the handle
	if err != nil {
		return nil, false, err
	}
	var r struct {
		Node domNode `json:"node"`
	}
	var perr *devtools.Error
	err = d.Session.Send("DOM.describeNode", map[string]any{"objectId": d.main, "depth": -1, "pierce": true}).Decode(ctx, &r)
	switch {
	case errors.As(err, &perr):
		return nil, true, nil
	case err != nil:
		return nil, false, fmt.Errorf("audit: describe the document: %w", err)
	}
	return newTree(&r.Node, heard.types), false, nil
}

func newTree(root *domNode, hears map[int]int) *domTree {
	t := &domTree{nodes: map[int]*domNode{}, frame: map[int]string{}, up: map[int]int{}, textSlot: map[int]int{}, hears: hears}
	t.add(root, 0, "")
	for id, n := range t.nodes {
		for _, s := range n.Slotted {
			if s.Type == 3 {
				t.textSlot[t.up[s.ID]] = id
				continue
			}
			t.up[s.ID] = id
		}
	}
	return t
}

func (t *domTree) add(n *domNode, up int, frame string) {
	t.nodes[n.ID], t.up[n.ID], t.frame[n.ID] = n, up, frame
	for _, list := range [][]domNode{n.Children, n.Shadow, n.Pseudo} {
		for i := range list {
			if list[i].ShadowType != "user-agent" {
				t.add(&list[i], n.ID, frame)
			}
		}
	}
	if n.Document != nil {
		t.add(n.Document, n.ID, n.FrameID)
	}
}

// chain is a hit node and what is above it, as an event travels. A host whose
// own text is shown in a slot begins there: its text is what was hit.
func (t *domTree) chain(hit int) []*domNode {
	var out []*domNode
	at := hit
	if slot, ok := t.textSlot[hit]; ok {
		at = slot
	}
	for range 10_000 {
		n := t.nodes[at]
		if n == nil {
			break
		}
		out = append(out, n)
		at = t.up[at]
	}
	return out
}

// widgetRoles are the ARIA roles that promise an action.
var widgetRoles = strings.Fields("button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch tab textbox treeitem")

// strong is the evidence that a node itself is a control, "" for none.
func (t *domTree) strong(n *domNode) string {
	switch n.Tag {
	case "a", "area":
		if n.has("href") || n.has("xlink:href") {
			return "link"
		}
	case "button", "select", "textarea":
		return n.Tag
	case "input":
		if kind, _ := n.attr("type"); !strings.EqualFold(kind, "hidden") {
			return "input"
		}
	case "summary":
		if up := t.nodes[t.up[n.ID]]; up != nil && up.Tag == "details" && up.firstSummary() == n.ID {
			return "summary"
		}
	}
	if role, _ := n.attr("role"); slices.Contains(widgetRoles, strings.ToLower(strings.TrimSpace(role))) {
		return "role " + strings.ToLower(strings.TrimSpace(role))
	}
	if v, ok := n.attr("contenteditable"); ok && slices.Contains([]string{"", "true", "plaintext-only"}, strings.ToLower(strings.TrimSpace(v))) {
		return "contenteditable"
	}
	if v, ok := n.attr("tabindex"); ok {
		if i, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && i >= 0 {
			return "tabindex"
		}
	}
	return ""
}

// delegatesAbove is how many distinct events a node may listen to before it is
// taken for a root that serves what is inside it.
const delegatesAbove = 12

// weak is the evidence that something listens on a node, "" for none. On what
// holds controls it serves those, and on the page's own frame everything.
func (t *domTree) weak(n *domNode, holds map[int]bool) string {
	if n.Tag == "body" || n.Tag == "html" || holds[n.ID] {
		return ""
	}
	if types, ok := t.hears[n.ID]; ok && types <= delegatesAbove {
		return "listener"
	}
	for _, name := range []string{"onclick", "onmousedown", "onpointerdown"} {
		if n.has(name) {
			return name
		}
	}
	return ""
}

// holders are the nodes with a control somewhere below them.
func (t *domTree) holders() map[int]bool {
	out := map[int]bool{}
	for id, n := range t.nodes {
		if t.strong(n) == "" {
			continue
		}
		for at := t.up[id]; at != 0 && !out[at]; at = t.up[at] {
			out[at] = true
		}
	}
	return out
}

// off says whether a control is not to be used: disabled, or inside what is
// inert or hidden from the accessibility tree.
func off(chain []*domNode) bool {
	for i, n := range chain {
		disabled, _ := n.attr("aria-disabled")
		hidden, _ := n.attr("aria-hidden")
		if n.has("inert") || strings.EqualFold(disabled, "true") || strings.EqualFold(hidden, "true") {
			return true
		}
		form := n.Tag == "button" || n.Tag == "input" || n.Tag == "select" || n.Tag == "textarea"
		custom := strings.Contains(n.Tag, "-") // form-associated, or it would not say so
		if n.has("disabled") && (i == 0 && (form || custom) || i > 0 && n.Tag == "fieldset") {
			return true
		}
	}
	return false
}
