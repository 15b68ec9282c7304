package observe

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"cuatui/engine/observe/domtree"
)

// auditTree is the tree of one process as an audit sees it: nothing in it comes
// from the survey's script.
type auditTree struct {
	*domtree.Tree
	hears map[int]int // distinct listened-to events of nodes that hear the pointer, by backend id
}

// readTree describes everything below a process's topmost document.
func (d *doc) readTree(ctx context.Context) (*auditTree, error) {
	sent, err := d.askListeners(ctx)
	if err != nil {
		return nil, err
	}
	heard, err := decodeListeners(ctx, sent)
	if err != nil {
		return nil, err
	}
	t, err := domtree.Read(ctx, d.Session)
	if err != nil {
		return nil, err
	}
	return &auditTree{t, heard.types}, nil
}

// chain is a hit node and what is above it up to the topmost document, as an
// event travels, and on through the frame elements. A host whose own text is
// shown in a slot begins there: its text is what was hit.
func chain(hit *domtree.Node) []*domtree.Node {
	if hit == nil {
		return nil
	}
	for _, k := range hit.Kids {
		if k.Type == 3 && k.Slot != nil {
			hit = k.Slot
			break
		}
	}
	var out []*domtree.Node
	for at := hit; at != nil && len(out) < 10_000; at = above(at) {
		out = append(out, at)
	}
	return out
}

// above is the slot, host, frame element or parent of a node.
func above(n *domtree.Node) *domtree.Node {
	if n.Slot != nil {
		return n.Slot
	}
	return n.Parent
}

// widgetRoles are the ARIA roles that promise an action.
var widgetRoles = strings.Fields("button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch tab textbox treeitem")

// strong is the evidence that a node itself is a control, "" for none.
func strong(n *domtree.Node) string {
	switch n.Tag {
	case "a", "area":
		if n.Has("href") || n.Has("xlink:href") {
			return "link"
		}
	case "button", "select", "textarea":
		return n.Tag
	case "input":
		if !strings.EqualFold(n.Attr("type"), "hidden") {
			return "input"
		}
	case "summary":
		if up := n.Parent; up != nil && up.Tag == "details" && firstSummary(up) == n {
			return "summary"
		}
	}
	if role := strings.ToLower(strings.TrimSpace(n.Attr("role"))); slices.Contains(widgetRoles, role) {
		return "role " + role
	}
	if v, ok := n.Attrs["contenteditable"]; ok && slices.Contains([]string{"", "true", "plaintext-only"}, strings.ToLower(strings.TrimSpace(v))) {
		return "contenteditable"
	}
	if v, ok := n.Attrs["tabindex"]; ok {
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
func (t *auditTree) weak(n *domtree.Node, holds map[*domtree.Node]bool) string {
	if n.Tag == "body" || n.Tag == "html" || holds[n] {
		return ""
	}
	if types, ok := t.hears[n.Backend]; ok && types <= delegatesAbove {
		return "listener"
	}
	for _, name := range []string{"onclick", "onmousedown", "onpointerdown"} {
		if n.Has(name) {
			return name
		}
	}
	return ""
}

// holders are the nodes with a control somewhere below them.
func (t *auditTree) holders() map[*domtree.Node]bool {
	out := map[*domtree.Node]bool{}
	for _, n := range t.ByID {
		if strong(n) == "" {
			continue
		}
		for at := above(n); at != nil && !out[at]; at = above(at) {
			out[at] = true
		}
	}
	return out
}

// off says whether a control is not to be used: disabled, or inside what is
// inert or hidden from the accessibility tree.
func off(chain []*domtree.Node) bool {
	for i, n := range chain {
		if n.Has("inert") || strings.EqualFold(n.Attr("aria-disabled"), "true") || strings.EqualFold(n.Attr("aria-hidden"), "true") {
			return true
		}
		form := n.Tag == "button" || n.Tag == "input" || n.Tag == "select" || n.Tag == "textarea"
		custom := strings.Contains(n.Tag, "-") // form-associated, or it would not say so
		if n.Has("disabled") && (i == 0 && (form || custom) || i > 0 && n.Tag == "fieldset") {
			return true
		}
	}
	return false
}
