package observe

import (
	"regexp"
	"strconv"
	"strings"

	"cuatui/engine/limits"
	"cuatui/engine/observe/domtree"
	"cuatui/snapshotfmt"
)

var tagRoles = map[string]string{
	"nav": "navigation", "main": "main", "aside": "complementary", "dialog": "dialog", "img": "img", "iframe": "iframe", "frame": "iframe", "button": "button",
	"textarea": "textbox", "option": "option", "ul": "list", "ol": "list", "menu": "list", "li": "listitem", "table": "table", "tr": "row",
	"td": "cell", "th": "columnheader", "thead": "rowgroup", "tbody": "rowgroup", "tfoot": "rowgroup", "fieldset": "group", "details": "group", "optgroup": "group",
	"article": "article", "figure": "figure", "p": "paragraph", "hr": "separator", "progress": "progressbar", "meter": "meter", "output": "status",
	"search": "search", "canvas": "canvas", "video": "video", "audio": "audio", "embed": "embed", "object": "object", "area": "link",
	"blockquote": "blockquote", "code": "code", "dt": "term", "dd": "definition", "address": "group", "hgroup": "group", "time": "time", "caption": "caption",
}

// roleOf is a node's role: the browser's, where that is a role of ARIA.
func (w *protoWalk) roleOf(n *domtree.Node) string {
	if n.Is("label") && w.standsIn(n) {
		return w.roleOf(w.labelControl(n))
	}
	if n.AX != nil && !n.AX.Ignored {
		if r := ariaRole(n.AX.Role); r != "" && words(r) {
			return r
		}
	}
	return writtenRole(n)
}

// writtenRole is the role that a node has by its attributes and its tag.
func writtenRole(n *domtree.Node) string {
	r := explicitRole(n)
	switch {
	case r != "" && r != "none" && r != "presentation":
		return r
	case r != "" && !nativeControl(n) && !n.Has("tabindex"):
		return "generic"
	case n.Tag == "svg":
		return "img"
	case n.Tag == "a" && nativeControl(n):
		return "link"
	case !n.HTML:
		return "generic"
	case headings[n.Tag]:
		return "heading"
	}
	return tagRole(n)
}

var inputRoles = map[string]string{
	"button": "button", "submit": "button", "reset": "button", "image": "button", "color": "button", "file": "button",
	"checkbox": "checkbox", "radio": "radio", "range": "slider", "number": "spinbutton", "search": "searchbox",
}

// tagRole is the role of an HTML element by its tag.
func tagRole(n *domtree.Node) string {
	switch {
	case n.Is("input"):
		return orWhy(inputRoles[inputType(n)], "textbox")
	case n.Is("select"):
		return "combobox"
	case n.Is("header") && landmarkScope(n):
		return "banner"
	case n.Is("footer") && landmarkScope(n):
		return "contentinfo"
	case n.Is("summary") && nativeControl(n):
		return "button"
	case n.Is("img") && n.Has("alt") && n.Attr("alt") == "" && !n.Has("title"):
		return "generic"
	case editableHost(n):
		return "textbox"
	}
	return orWhy(tagRoles[n.Tag], "generic")
}

// run is the rendered text below a node, in composed order; stop ends it.
func run(n *domtree.Node, stop func(*domtree.Node) bool, depth int) string {
	var b strings.Builder
	for _, k := range n.Flat() {
		switch {
		case k.Type == 3:
			if k.Box != nil {
				b.WriteString(k.Text)
			}
		case k.Type != 1, depth > 200, k.Is("br"):
			b.WriteByte(' ')
		case skipTags[k.Tag], stop != nil && stop(k), strings.EqualFold(k.Attr("aria-hidden"), "true"):
		case k.Box == nil && !hasLayout(k, 0), k.Box != nil && k.Style("visibility") == "hidden":
		case k.Attr("aria-label") != "":
			b.WriteString(" " + k.Attr("aria-label") + " ")
		case k.Is("img", "area"):
			b.WriteString(orWhy(k.Attr("alt"), k.Attr("title")))
		case k.Tag == "svg":
			b.WriteString(svgTitle(k))
		default:
			text := run(k, stop, depth+1)
			if d := k.Style("display"); d != "inline" && k.Box != nil {
				text = " " + text + " "
			}
			b.WriteString(text)
		}
	}
	return b.String()
}

// blockText is the text a block is listed with: its own, with that of inline
// descendants and links; controls in it stand for themselves.
func (w *protoWalk) blockText(n *domtree.Node) string {
	return cleanText(run(n, func(k *domtree.Node) bool {
		if d := k.Style("display"); k.Box != nil && d != "inline" {
			return true
		}
		return k.Tag != "a" && w.acts(k)
	}, 0))
}

var secretFields = regexp.MustCompile(`(^|\s)(one-time-code|cc-number|cc-csc|cc-exp|cc-exp-month|cc-exp-year|current-password|new-password)(\s|$)`)

// meaningOf is what a candidate means, but for what its ref is held against.
func (w *protoWalk) meaningOf(p *protoNode) meaning {
	n := p.n
	role := w.roleOf(n)
	m := meaning{I: p.i, Role: role, Tag: n.Tag, States: w.statesOf(n)}
	ax := n.AX
	if n.Is("label") && p.flags&flagProxy != 0 {
		ax = w.labelControl(n).AX
	}
	if ax != nil && !ax.Ignored {
		m.Name, m.Desc, m.Value = cleanText(ax.Name), cleanText(ax.Description), ax.Value
	}
	if m.Name == "" {
		m.Name = w.textName(p, role)
	}
	if (role == "generic" || role == "paragraph") && p.flags&(flagAct|flagScroll) == 0 {
		m.Role = "text"
	}
	m.Value = shownValue(n, m.Value)
	if m.Value == m.Name {
		m.Value = ""
	}
	if m.Desc == m.Name {
		m.Desc = ""
	}
	m.Name, m.Value, m.Desc = snapshotfmt.Fold(m.Name, limits.NameCharsMax), snapshotfmt.Fold(m.Value, limits.NameCharsMax), snapshotfmt.Fold(m.Desc, 300)
	switch {
	case n.Is("input"):
		m.Type = inputType(n)
	case n.Is("button"):
		m.Type = orWhy(n.Attr("type"), "submit")
	}
	if p.flags&flagScroll != 0 && n.Box != nil {
		s, c := n.Box.Scroll, n.Box.Client
		m.More = []int{int(s[1]), int(max(0, s[3]-c[3]-s[1])), int(max(0, s[2]-c[2]-s[0]))}
	}
	return m
}

// textName is the name of a node that the browser gives none.
func (w *protoWalk) textName(p *protoNode, role string) (name string) {
	n := p.n
	switch {
	case n.Is("area"):
		name = cleanText(n.Attr("alt"))
	case n.Is("label"):
		name = cleanText(run(n, func(k *domtree.Node) bool { return k == w.labelControl(n) }, 0))
	case p.flags&flagAct != 0 && (role == "generic" || byText[role] || n.Is("summary")) && len(textOf(n)) <= cardMax:
		name = cleanText(run(n, nil, 0))
	}
	if name == "" && p.flags&flagText != 0 && (p.flags&flagScroll == 0 || p.flags&flagAct != 0) {
		name = w.blockText(n)
	}
	return name
}

// shownValue is a value as it may be shown: no secret, and of files no names.
func shownValue(n *domtree.Node, value string) string {
	switch {
	case !n.Is("input") || value == "":
		return value
	case inputType(n) == "password" || secretFields.MatchString(strings.ToLower(n.Attr("autocomplete"))):
		return "[redacted]"
	case inputType(n) == "file":
		return ""
	}
	return value
}

func (w *protoWalk) statesOf(n *domtree.Node) (s snapshotfmt.States) {
	target := n
	if n.Is("label") && w.standsIn(n) {
		target = w.labelControl(n)
	}
	s.Disabled = disabledWhy(target) != ""
	if c := strings.ToLower(n.Attr("aria-current")); c != "" && c != "false" {
		s.Current = oneOf(c, "true", "page", "step", "location", "date", "time", "true")
	}
	if target.AX == nil || target.AX.Ignored {
		if target.Is("input") && (inputType(target) == "checkbox" || inputType(target) == "radio") {
			s.Checked = strconv.FormatBool(target.Checked)
		}
		return s
	}
	p := target.AX.Props
	word := func(name string) string { v, _ := p[name].(string); return v }
	flag := func(name string) *bool {
		if v, ok := p[name].(bool); ok {
			return &v
		}
		return nil
	}
	s.Checked, s.Pressed, s.HasPopup = word("checked"), word("pressed"), word("hasPopup")
	s.Expanded, s.Selected = flag("expanded"), flag("selected")
	s.Focused = p["focused"] == true
	s.Required, s.Readonly, s.Modal, s.Multiline, s.Busy = p["required"] == true, p["readonly"] == true, p["modal"] == true, p["multiline"] == true, p["busy"] == true
	if v := word("invalid"); v != "false" {
		s.Invalid = v
	}
	if l, ok := p["level"].(float64); ok {
		s.Level = int(l)
	}
	return s
}

// shownRole is the role a node has in the outline, "" for none.
func (w *protoWalk) shownRole(n *domtree.Node) string {
	if r := w.roleOf(n); r != "generic" && r != "paragraph" {
		return r
	}
	return ""
}

// above is the nearest ancestor that the outline can show.
func (w *protoWalk) above(n *domtree.Node, kept map[*domtree.Node]bool) *domtree.Node {
	for p := n.Up(); p != nil; p = p.Up() {
		if r := w.shownRole(p); kept[p] || r != "" && (structs[r] || landmark[r] || r == "heading" || byText[r]) {
			return p
		}
	}
	return nil
}

// contextName is the name of an ancestor in the outline.
func (w *protoWalk) contextName(n *domtree.Node) string {
	r := w.roleOf(n)
	if byText[r] || structs[r] && r != "group" && r != "radiogroup" || n.AX == nil || n.AX.Ignored {
		return cleanText(n.Attr("aria-label"))
	}
	return cleanText(n.AX.Name)
}
