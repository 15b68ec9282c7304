package observe_test

import (
	"fmt"
	"slices"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/observe"
	"cuatui/snapshotfmt"
)

// axNode is a node of Chromium's accessibility tree.
type axNode struct {
	Ignored bool
	Role    struct{ Value string }
	Name    struct{ Value string }
	Props   map[string]any

	tag string
}

// accessible asks the browser's accessibility tree for nodes, pipelined.
func accessible(t *testing.T, nodes []observe.Described) []axNode {
	t.Helper()
	sent := make([]*devtools.Pending, len(nodes))
	for i, n := range nodes {
		sent[i] = n.Session.Send("Accessibility.getPartialAXTree", map[string]any{"backendNodeId": n.Backend, "fetchRelatives": false})
	}
	out := make([]axNode, len(nodes))
	for i, n := range nodes {
		var r struct {
			Nodes []struct {
				axNode
				Properties []struct {
					Name  string
					Value struct{ Value any }
				}
			}
		}
		if err := sent[i].Decode(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
		out[i].Ignored = true
		if len(r.Nodes) > 0 {
			out[i] = r.Nodes[0].axNode
		}
		out[i].tag, out[i].Props = n.Tag, map[string]any{}
		for _, node := range r.Nodes {
			for _, prop := range node.Properties {
				out[i].Props[prop.Name] = prop.Value.Value
			}
		}
	}
	return out
}

// ariaOf is what ARIA calls a role of Chromium's.
var ariaOf = map[string]string{
	"image": "img", "Iframe": "iframe", "paragraph": "paragraph", "LabelText": "generic", "StaticText": "text", "DisclosureTriangle": "button",
	"DisclosureTriangleGrouped": "button", "ColorWell": "button", "PopUpButton": "button", "ToggleButton": "button", "MenuListPopup": "listbox",
	"Canvas": "canvas", "Video": "video", "Audio": "audio", "SvgRoot": "img", "Details": "group", "Legend": "generic", "Figcaption": "generic",
	"EmbeddedObject": "embed", "PluginObject": "object", "Date": "textbox", "DateTime": "textbox", "InputTime": "textbox",
	"DescriptionListTerm": "term", "DescriptionListDetail": "definition", "ImageMap": "img",
}

// difference is one field in which an entry differs from the accessibility node.
type difference struct{ page, id, tag, role, field, ours, theirs string }

// unlike lists in what an entry differs from the accessibility node.
func unlike(e snapshotfmt.Entry, n axNode) []difference {
	var out []difference
	field := func(name, ours, theirs string) {
		if ours != theirs {
			out = append(out, difference{tag: n.tag, role: e.Role, field: name, ours: ours, theirs: theirs})
		}
	}
	if n.Ignored {
		field("listed", "true", "false")
		return out
	}
	role := n.Role.Value
	if aria, ok := ariaOf[role]; ok {
		role = aria
	}
	ours := e.Role
	if plain := map[string]bool{"text": true, "generic": true, "paragraph": true}; plain[ours] && plain[role] {
		ours = role // a text is listed for its words, whatever box it stands in
	}
	field("role", ours, role)
	name := snapshotfmt.Fold(n.Name.Value, 1000)
	if e.Role != "text" && e.Role != "generic" { // of a text the tree names its leaves
		field("name", snapshotfmt.Quote(e.Name), snapshotfmt.Quote(name))
	}
	prop := func(name string) string {
		if v, ok := n.Props[name]; ok {
			return fmt.Sprint(v)
		}
		return ""
	}
	flag := func(name string, ours bool, theirs string) {
		field(name, fmt.Sprint(ours), fmt.Sprint(theirs == "true"))
	}
	three := func(name string, ours *bool) {
		said := ""
		if ours != nil {
			said = fmt.Sprint(*ours)
		}
		field(name, said, prop(name))
	}
	s := e.States
	field("checked", s.Checked, prop("checked"))
	field("pressed", s.Pressed, prop("pressed"))
	three("expanded", s.Expanded)
	flag("disabled", s.Disabled, prop("disabled"))
	flag("focused", s.Focused, prop("focused"))
	flag("required", s.Required, prop("required"))
	flag("readonly", s.Readonly, prop("readonly"))
	flag("modal", s.Modal, prop("modal"))
	flag("multiline", s.Multiline, prop("multiline"))
	flag("busy", s.Busy, prop("busy"))
	level := ""
	if s.Level > 0 {
		level = fmt.Sprint(s.Level)
	}
	field("level", level, prop("level"))
	invalid := prop("invalid")
	if invalid == "false" {
		invalid = ""
	}
	field("invalid", s.Invalid, invalid)
	return out
}

// accessibility: the meaning that is computed is the browser's own.
func (b *book) accessibility(t *testing.T, sh *sheet) {
	_, nodes := described(t, sh.page, sh.first.entries)
	for n, ax := range accessible(t, nodes) {
		b.note(func() { b.described++ })
		for _, d := range unlike(sh.first.entries[n], ax) {
			d.page, d.id = sh.name, nodes[n].ID
			i := slices.IndexFunc(axRules, func(r axRule) bool { return r.holds(d) })
			if i < 0 {
				t.Errorf("without a reason: %s#%s (%s) %s %.100q, accessibility %.100q", d.tag, d.id, d.role, d.field, d.ours, d.theirs)
				continue
			}
			b.note(func() { delete(b.axRules, i) })
		}
	}
}

// axRule is a known difference: every given part must hold.
type axRule struct{ page, id, tag, role, field, theirs, why string }

func (r axRule) holds(d difference) bool {
	for _, p := range [][2]string{{r.page, d.page}, {r.id, d.id}, {r.tag, d.tag}, {r.role, d.role}, {r.field, d.field}, {r.theirs, d.theirs}} {
		if p[0] != "" && p[0] != p[1] {
			return false
		}
	}
	return true
}

const (
	standsIn   = "a label is listed for its control, which cannot be seen; the tree has the control"
	ownWords   = "what has no name is listed under its own words; the tree has them as leaves"
	leaves     = "a run of text is listed as one; the tree has its leaves"
	wordOf     = "a role that is Chromium's own word"
	editable   = "an editable host is a textbox to who types into it; the tree says editable and keeps the role"
	openSelect = "whether a select is open is no state of the page"
	playable   = "media that cannot be played here: the tree speaks of the browser's own controls"
	shape      = "of an image map the tree has the areas that ARIA knows, by the image"
)

// axRules are the differences between computed meaning and Chromium's tree.
var axRules = []axRule{
	{tag: "label", role: "checkbox", why: standsIn},
	{tag: "label", role: "radio", why: standsIn},
	{tag: "label", role: "button", why: standsIn},
	{tag: "label", role: "textbox", why: standsIn},
	{tag: "output", field: "name", theirs: `""`, why: ownWords},
	{role: "text", field: "listed", why: leaves},
	{tag: "area", field: "listed", why: shape},
	{tag: "area", field: "role", why: shape},
	{role: "generic", field: "role", theirs: "graphics-symbol", why: wordOf},
	{field: "role", theirs: "Ruby", why: wordOf},
	{field: "role", theirs: "LayoutTableRow", why: wordOf},
	{field: "role", theirs: "LayoutTableCell", why: wordOf},
	{field: "role", theirs: "sectionheader", why: wordOf},
	{tag: "select", field: "expanded", theirs: "false", why: openSelect},
	{role: "listitem", field: "level", why: "Chromium counts how deep lists nest"},
	{role: "listitem", field: "name", theirs: `""`, why: ownWords},
	{role: "paragraph", field: "name", theirs: `""`, why: ownWords},
	{tag: "summary", role: "text", field: "role", theirs: "button", why: "only the first summary of a details opens it"},
	{tag: "video", why: playable},
	{tag: "audio", why: playable},
	{tag: "iframe", field: "focused", why: "the focus is inside the frame, which is where the page's own focus stands"},
	{page: "roles", field: "role", theirs: "group", why: wordOf},
	{page: "keys", tag: "details", field: "name", theirs: `""`, why: ownWords},
	{page: "escape", id: "huge", field: "name", why: "a name of 200,000 characters is cut in another place"},
	{page: "details-svg-near", id: "vhbtn2", field: "listed", why: "hidden, with something visible in it that takes its clicks"},
	{page: "details-svg-near", id: "vha", field: "listed", why: "hidden, with something visible in it that takes its clicks"},
	{page: "hidden", id: "cvhself", field: "name", why: "what its own style keeps from being rendered still names it"},
	{page: "hidden", id: "hufself", field: "name", why: "what its own style keeps from being rendered still names it"},
	{page: "roles", tag: "div", role: "combobox", field: "name", theirs: `""`, why: ownWords},
	{page: "roles", tag: "div", role: "slider", field: "name", theirs: `""`, why: ownWords},
	{page: "roles", tag: "div", role: "spinbutton", field: "name", theirs: `""`, why: ownWords},
	{page: "roles", tag: "div", role: "treeitem", field: "name", theirs: `""`, why: ownWords},
	{page: "roles", tag: "div", role: "textbox", field: "role", theirs: "generic", why: editable},
	{page: "roles", tag: "div", role: "textbox", field: "name", theirs: `""`, why: ownWords},
	{page: "roles", tag: "div", role: "textbox", field: "multiline", theirs: "false", why: editable},
	{page: "embeds", id: "obf", field: "disabled", why: "Chromium calls an object disabled that cannot be loaded, and all it shows instead"},
	{page: "embeds", tag: "object", field: "disabled", why: "Chromium calls an object disabled that cannot be loaded, and all it shows instead"},
	{page: "roles", role: "treeitem", field: "role", why: "outside of a tree Chromium knows no treeitem; the author's word stands"},
}
