package observe

import (
	"regexp"
	"strconv"
	"strings"

	"cuatui/engine/observe/domtree"
)

// What a node of a protocol tree is, by the rules that the survey's kind.js
// states. The two are written apart on purpose: one is the test of the other.

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	skipTags = set("script style template noscript head meta link title base source track param datalist col colgroup wbr br defs desc metadata clipPath mask pattern marker linearGradient radialGradient symbol filter rp")
	controls = set("a button input select textarea option summary area")
	headings = set("h1 h2 h3 h4 h5 h6")
	natives  = set("nav main aside form dialog img iframe frame canvas video audio embed object svg progress meter output search")
	landmark = set("banner complementary contentinfo form main navigation region search dialog alertdialog")
	widgets  = set("button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem combobox gridcell textbox searchbox slider spinbutton listbox scrollbar")
	byText   = set("button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem heading tooltip cell gridcell columnheader rowheader summary")
	structs  = set("list listitem table grid treegrid row rowgroup cell columnheader rowheader group radiogroup tablist tabpanel menu menubar toolbar tree listbox article figure definition term feed status alert log")
	others   = set("img image separator progressbar meter timer marquee math note presentation none generic paragraph blockquote code document application deletion insertion emphasis strong subscript superscript time directory caption heading tooltip")
	framing  = set("iframe frame object embed")
	uncursed = set("html body iframe frame object embed")
)

func explicitRole(n *domtree.Node) string {
	for _, t := range strings.Fields(strings.ToLower(n.Attr("role"))) {
		if widgets[t] || landmark[t] || byText[t] || structs[t] || others[t] {
			if t == "image" {
				return "img"
			}
			return t
		}
	}
	return ""
}

func inputType(n *domtree.Node) string {
	t := strings.ToLower(n.Attr("type"))
	switch t {
	case "button", "checkbox", "color", "date", "datetime-local", "email", "file", "hidden", "image", "month", "number", "password", "radio", "range", "reset", "search", "submit", "tel", "time", "url", "week":
		return t
	}
	return "text"
}

func nativeControl(n *domtree.Node) bool {
	switch n.Tag {
	case "a", "area":
		return n.Has("href") || n.Has("xlink:href")
	case "input":
		return inputType(n) != "hidden"
	case "summary":
		return n.Parent != nil && n.Parent.Is("details") && firstSummary(n.Parent) == n
	case "button", "select", "textarea":
		return true
	}
	return false
}

func firstSummary(details *domtree.Node) *domtree.Node {
	for _, k := range details.Kids {
		if k.Is("summary") {
			return k
		}
	}
	return nil
}

func editableHost(n *domtree.Node) bool {
	v, ok := n.Attrs["contenteditable"]
	v = strings.ToLower(strings.TrimSpace(v))
	return ok && (v == "" || v == "true" || v == "plaintext-only")
}

// landmarkScope: header and footer are landmarks outside sectioning content only.
func landmarkScope(n *domtree.Node) bool {
	for p := n.Up(); p != nil; p = p.Up() {
		if p.Is("article", "aside", "main", "nav", "section") {
			return false
		}
	}
	return true
}

func delegates(n *domtree.Node, types int) bool { return n.Is("body", "html") || types > 12 }

func svgTitle(n *domtree.Node) string {
	for _, k := range n.Kids {
		if k.Type == 1 && k.Tag == "title" {
			return cleanText(textOf(k))
		}
	}
	return ""
}

// textOf is the text content: of all light descendants, displayed or not.
func textOf(n *domtree.Node) string {
	if n.Type == 3 {
		return n.Text
	}
	var b strings.Builder
	for _, k := range n.Kids {
		b.WriteString(textOf(k))
	}
	return b.String()
}

// kind gives a node's flags, evidence and explicit role.
func (w *protoWalk) kind(n *domtree.Node, c walkContext, shown bool) (flags, ev int, role string) {
	role = explicitRole(n)
	ev = w.evidence(n, c, shown, role)
	if ev&evLabel != 0 {
		flags |= flagProxy
	}
	if semantic(n, role, ev) {
		flags |= flagSemantic
	}
	if framing[n.Tag] {
		flags |= flagFrame
	}
	if ev != 0 {
		flags |= flagAct
	}
	return flags, ev, role
}

func handlesPress(n *domtree.Node) bool {
	return n.Has("onclick") || n.Has("onmousedown") || n.Has("onpointerdown")
}

// evidence is why a node is believed to take an action.
func (w *protoWalk) evidence(n *domtree.Node, c walkContext, shown bool, role string) (ev int) {
	if controls[n.Tag] && (n.HTML || n.Tag == "a") && nativeControl(n) {
		ev |= evNative
	}
	if widgets[role] {
		ev |= evRole
	}
	if handlesPress(n) {
		ev |= evHandler
	}
	if i, err := strconv.Atoi(strings.TrimSpace(n.Attr("tabindex"))); err == nil && i >= 0 {
		ev |= evTabindex
	}
	if editableHost(n) {
		ev |= evEditable
	}
	if types, ok := w.heard[n.Backend]; ok && !delegates(n, types) {
		ev |= evListener
	}
	if shown && !c.pointer && ev&evNative == 0 && !uncursed[n.Tag] && n.Style("cursor") == "pointer" {
		ev |= evCursor
	}
	if n.Is("label") && w.standsIn(n) {
		ev |= evLabel
	}
	return ev
}

// semantic says whether a node is listed for what it is, action or none.
func semantic(n *domtree.Node, role string, ev int) (yes bool) {
	labelled := n.Has("aria-label") || n.Has("aria-labelledby")
	switch {
	case n.HTML && headings[n.Tag], natives[n.Tag], role == "heading", landmark[role], role == "img":
		yes = true
	case n.Is("header", "footer") && landmarkScope(n), n.Is("section") && labelled:
		yes = true
	}
	switch {
	case n.Is("form") && role == "" && !labelled, (role == "presentation" || role == "none") && ev == 0,
		n.Tag == "svg" && ev == 0 && !labelled && svgTitle(n) == "" && role != "img":
		return false
	}
	return yes
}

// acts says whether a node takes a press for itself.
func (w *protoWalk) acts(n *domtree.Node) bool {
	if controls[n.Tag] && nativeControl(n) || widgets[explicitRole(n)] {
		return true
	}
	if types, ok := w.heard[n.Backend]; ok && !delegates(n, types) {
		return true
	}
	return handlesPress(n) || editableHost(n) || n.Is("iframe")
}

// disabledWhy says why a control takes no action, or "".
func disabledWhy(n *domtree.Node) string {
	if n.Is("button", "input", "select", "textarea", "option", "optgroup", "fieldset") && disabledNative(n) {
		return "disabled"
	}
	for p := n; p != nil; p = p.Up() {
		if strings.EqualFold(p.Attr("aria-disabled"), "true") {
			if p == n {
				return "aria-disabled"
			}
			return "aria-disabled ancestor"
		}
	}
	return ""
}

func disabledNative(n *domtree.Node) bool {
	if n.Has("disabled") {
		return true
	}
	if n.Is("option") {
		return n.Parent != nil && n.Parent.Is("optgroup") && n.Parent.Has("disabled")
	}
	for child, p := n, n.Parent; p != nil; child, p = p, p.Parent {
		if !p.Is("fieldset") || !p.Has("disabled") {
			continue
		}
		for _, k := range p.Kids { // of its first legend nothing is disabled
			if k.Is("legend") {
				if k == child {
					break
				}
				return true
			}
		}
		if !child.Is("legend") {
			return true
		}
	}
	return false
}

// labelControl is the control of a label.
func (w *protoWalk) labelControl(label *domtree.Node) *domtree.Node {
	if c, ok := w.labelled[label]; ok {
		return c
	}
	c := findControl(label)
	w.labelled[label] = c
	return c
}

func labelable(n *domtree.Node) bool {
	return n.Is("button", "meter", "output", "progress", "select", "textarea") || n.Is("input") && inputType(n) != "hidden"
}

func findControl(label *domtree.Node) *domtree.Node {
	top, id := label, ""
	if label.Has("for") {
		for top.Parent != nil && top.Type == 1 {
			top = top.Parent
		}
		if id = label.Attr("for"); id == "" {
			return nil
		}
	}
	var found *domtree.Node
	var visit func(n *domtree.Node) bool
	visit = func(n *domtree.Node) bool {
		for _, k := range n.Kids {
			if k.Type != 1 {
				continue
			}
			if id != "" && k.Attr("id") == id {
				if labelable(k) {
					found = k
				}
				return true
			}
			if id == "" && labelable(k) {
				found = k
				return true
			}
			if visit(k) {
				return true
			}
		}
		return false
	}
	visit(top)
	return found
}

// standsIn says whether a label stands in for a control that cannot be seen.
func (w *protoWalk) standsIn(label *domtree.Node) bool {
	c := w.labelControl(label)
	if c == nil || w.seen(c, label) {
		return false
	}
	if c.Is("select") {
		return false
	}
	t := c.Tag
	if c.Is("input") {
		t = inputType(c)
	}
	switch t {
	case "checkbox", "radio", "file", "color", "button", "submit", "reset", "image":
		return true
	}
	return c.Box != nil && c.Style("visibility") == "visible"
}

func (w *protoWalk) seen(n, label *domtree.Node) bool { return w.seenScrolled(n, label, false) }

// seenScrolled is seen, where scrolling may first bring it about.
func (w *protoWalk) seenScrolled(n, label *domtree.Node, scrolled bool) bool {
	if n.Box == nil || n.Style("visibility") != "visible" {
		return false
	}
	r := fromBox(n.Box.Rect)
	if r.R-r.L <= 1 || r.B-r.T <= 1 || r.R <= 0 && r.R+w.scrolled[0] <= 0 || r.B <= 0 && r.B+w.scrolled[1] <= 0 {
		return false
	}
	for p, i := n, 0; p != nil && p != label && i < 6; p, i = p.Up(), i+1 {
		if p.Box != nil && !letsThrough(p, r, scrolled || p == n) {
			return false
		}
	}
	for p := n.Up(); p != nil; p = p.Up() {
		if p.Box != nil && number(p.Style("opacity"), 1) == 0 {
			return false
		}
	}
	return true
}

// letsThrough says whether a node leaves something of a box in or on it to be seen.
func letsThrough(n *domtree.Node, r rect, scrolled bool) bool {
	box, clip := fromBox(n.Box.Rect), rect{}
	if number(n.Style("opacity"), 1) < 0.01 || clipOf(n, box, &clip) && clip.cut(r).empty() {
		return false
	}
	if scrolled || n.Style("overflow-x") == "visible" && n.Style("overflow-y") == "visible" {
		return true
	}
	v := box.cut(r)
	return v.R-v.L > 1 && v.B-v.T > 1
}

func number(s string, otherwise float64) float64 {
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "px"), 64)
	if err != nil {
		return otherwise
	}
	return v
}

var (
	privateUse = regexp.MustCompile(`[\x{E000}-\x{F8FF}\x{F0000}-\x{10FFFF}]`)
	unshown    = regexp.MustCompile(`[\x00-\x08\x0E-\x1F\x7F-\x{9F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{200E}\x{200F}\x{061C}]`)
	spacing    = regexp.MustCompile(`[\s\x{0B}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}\x{200B}\x{2060}]+`)
)

// cleanText folds white space and drops what is not to be shown.
func cleanText(s string) string {
	s = unshown.ReplaceAllString(privateUse.ReplaceAllString(s, " "), "")
	return strings.TrimSpace(spacing.ReplaceAllString(s, " "))
}
