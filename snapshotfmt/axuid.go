package snapshotfmt

import (
	"strconv"
	"strings"
)

// AxUID is the ax_uid_v1 snapshot: the accessibility tree as text, each node
// with a uid. A uid, <snapshot>_<k>, is that of the snapshot that first listed
// the node: it stays while every snapshot lists the node and the node stays what
// it is, so that what is read again needs no new names.
type AxUID struct {
	Snapshot  Info      `json:"snapshot"`
	Page      Page      `json:"page"`
	Text      string    `json:"text" jsonschema:"a node a line: uid role name attributes"`
	Nodes     []AxNode  `json:"nodes" jsonschema:"the lines of text, as objects"`
	Frames    []Frame   `json:"frames"`
	Regions   *Regions  `json:"regions,omitempty"`
	Generated Generated `json:"generated"`
}

// AxNode is one node of an AxUID.
type AxNode struct {
	ID    string `json:"id,omitempty" jsonschema:"the uid; give it as ref; absent for an ancestor that is shown for its place"`
	Depth int    `json:"depth"`
	Role  string `json:"role"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
	// Visibility is absent for what is in view.
	Visibility  Tier   `json:"visibility,omitempty" jsonschema:"absent for what is in view"`
	Why         string `json:"why,omitempty" jsonschema:"why a control declares no action"`
	Description string `json:"description,omitempty"`
	States
}

// AxUID is the snapshot as ax_uid_v1 has it.
func (s *Semantic) AxUID() *AxUID {
	a := &AxUID{
		Snapshot: s.Snapshot, Page: s.Page, Text: s.AxUIDText(), Nodes: []AxNode{}, Frames: s.Frames, Regions: s.Regions, Generated: s.Generated,
	}
	entries := s.byRef()
	for i := range s.Lines {
		if l := &s.Lines[i]; !l.note() {
			a.Nodes = append(a.Nodes, axNode(l, entries[l.Ref]))
		}
	}
	return a
}

// AxUIDText is the tree, two spaces a level.
func (s *Semantic) AxUIDText() string {
	var b strings.Builder
	entries := s.byRef()
	for i := range s.Lines {
		l := &s.Lines[i]
		b.WriteString(strings.Repeat("  ", l.Depth))
		if l.note() {
			b.WriteString(l.Text)
		} else {
			axLine(&b, axNode(l, entries[l.Ref]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// axNode is the node of a line; e is nil for an ancestor.
func axNode(l *Line, e *Entry) AxNode {
	if e == nil {
		return AxNode{Depth: l.Depth, Role: l.Role, Name: l.Name}
	}
	n := AxNode{ID: l.UID, Depth: l.Depth, Role: e.Role, Name: e.Name, Value: e.Value, Description: e.Description, Why: e.Why, States: e.States}
	if n.Role == "option" && n.Value == "" {
		n.Value = n.Name // an option is chosen by it
	}
	if e.Visibility != InViewport {
		n.Visibility = e.Visibility
	}
	return n
}

// axLine writes uid=<uid> role "name", then the attributes by their names. What
// is true stands bare, behind the word that says that it can be; what is false
// is only that word.
func axLine(b *strings.Builder, n AxNode) {
	if n.ID != "" {
		b.WriteString("uid=" + n.ID + " ")
	}
	if n.Role == "none" {
		b.WriteString("ignored")
	} else {
		b.WriteString(bare(n.Role))
	}
	if n.Name != "" {
		b.WriteString(" " + Quote(n.Name))
	}
	text := func(key, value string) {
		if value != "" {
			b.WriteString(" " + key + "=" + Quote(value))
		}
	}
	word := func(on bool, w string) {
		if on {
			b.WriteString(" " + w)
		}
	}
	either := func(can bool, able string, on bool, w string) {
		word(can, able)
		word(on, w)
	}
	mixed := func(key, value string) {
		switch value {
		case "true":
			word(true, key)
		case "false":
		default:
			text(key, value)
		}
	}
	st := n.States
	word(st.Busy, "busy")
	mixed("checked", st.Checked)
	text("current", st.Current)
	text("description", n.Description)
	either(st.Disabled, "disableable", st.Disabled, "disabled")
	either(st.Expanded != nil, "expandable", st.Expanded != nil && *st.Expanded, "expanded")
	either(st.Focused, "focusable", st.Focused, "focused")
	text("haspopup", st.HasPopup)
	text("invalid", st.Invalid)
	if st.Level > 0 {
		text("level", strconv.Itoa(st.Level))
	}
	word(st.Modal, "modal")
	word(st.Multiline, "multiline")
	mixed("pressed", st.Pressed)
	word(st.Readonly, "readonly")
	word(st.Required, "required")
	either(st.Selected != nil, "selectable", st.Selected != nil && *st.Selected, "selected")
	text("value", n.Value)
	text("visibility", string(n.Visibility))
	text("why", n.Why)
}
