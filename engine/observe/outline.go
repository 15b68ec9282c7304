package observe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuatui/snapshotfmt"
)

// item is a node of the outline: a candidate, or an ancestor for context.
type item struct {
	c        *candidate
	ctx      *ancestor
	in       *surveyed
	children []*item
}

// up is the local identity of what is shown above, 0 at the top of a document.
func (it *item) up() int {
	if it.c != nil {
		return it.c.m.Up
	}
	return it.ctx.Up
}

type nodeKey struct {
	in    *surveyed
	local int
}

// tree hangs the picked candidates under their shown ancestors. picked is in
// the order in which lines shall appear.
func (s *Snapshot) tree(picked []*candidate) []*item {
	g := grove{items: map[nodeKey]*item{}, above: map[*item]*item{}}
	for _, c := range picked {
		g.items[nodeKey{c.in, c.m.Local}] = &item{c: c, in: c.in}
	}
	for _, c := range picked {
		g.place(g.items[nodeKey{c.in, c.m.Local}])
	}
	return splice(g.roots)
}

// grove is an outline's tree while it grows.
type grove struct {
	roots []*item
	items map[nodeKey]*item
	above map[*item]*item // the parent of what is placed; nil for a root
}

// maxDepth bounds the outline's nesting; what is deeper hangs at the top level.
const maxDepth = 200

// place hangs an item, and what is above it, up to the first that hangs already.
func (g *grove) place(it *item) {
	for depth := 0; ; depth++ {
		if _, placed := g.above[it]; placed {
			return
		}
		parent := g.parent(it)
		if parent == nil || !g.holds(parent, it, maxDepth-depth) {
			g.above[it] = nil
			g.roots = append(g.roots, it)
			return
		}
		g.above[it] = parent
		parent.children = append(parent.children, it)
		it = parent
	}
}

// holds says whether parent has fewer than room items above it, and it is not
// among them: the page's word for what is above what may run in a circle.
func (g *grove) holds(parent, it *item, room int) bool {
	for ; parent != nil; parent = g.above[parent] {
		if room--; room <= 0 || parent == it {
			return false
		}
	}
	return true
}

// parent is the item above another one, nil at the top of the page. Above the
// top of a frame stands the frame element.
func (g *grove) parent(it *item) *item {
	in := it.in
	up := it.up()
	frame := up == 0 && in.above != nil
	if frame {
		in, up = in.above, in.owner.Local
	}
	if up == 0 {
		return nil
	}
	key := nodeKey{in, up}
	if g.items[key] == nil {
		a, known := in.ancestors[up]
		if !known && frame {
			a = ancestor{Local: up, Role: "iframe"}
		}
		g.items[key] = &item{ctx: &a, in: in}
	}
	return g.items[key]
}

// splice leaves out ancestors that say nothing: without a name, and with one
// child or of a role that only groups. Their children move up.
func splice(in []*item) []*item {
	var out []*item
	for _, it := range in {
		it.children = splice(it.children)
		if it.ctx != nil && !tells(it) {
			out = append(out, it.children...)
			continue
		}
		out = append(out, it)
	}
	return out
}

func tells(it *item) bool {
	switch it.ctx.Role {
	case "dialog", "alertdialog", "main", "navigation", "banner", "contentinfo", "complementary", "search", "region", "form", "iframe", "heading":
		return true
	case "row", "listitem", "table", "list", "grid", "tablist", "menu", "radiogroup", "tree", "toolbar", "article":
		return len(it.children) > 1
	}
	return it.ctx.Name != "" && len(it.children) > 1
}

// outline renders the tree, one line a node.
func (s *Snapshot) outline(n int, picked []*candidate) ([]snapshotfmt.Line, string) {
	var lines []snapshotfmt.Line
	order := inDocumentOrder(picked)
	var visit func(its []*item, depth int)
	visit = func(its []*item, depth int) {
		for _, it := range its {
			l := s.line(n, it, depth)
			if it.c != nil {
				l.Order = order[it.c]
			}
			lines = append(lines, l)
			visit(it.children, depth+1)
		}
	}
	visit(s.tree(picked), 0)
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.Repeat("  ", l.Depth))
		b.WriteString(l.Text)
	}
	return lines, b.String()
}

func (s *Snapshot) line(n int, it *item, depth int) snapshotfmt.Line {
	if it.c == nil {
		text := "- " + it.ctx.Role
		if it.ctx.Name != "" {
			text += " " + quote(it.ctx.Name)
		}
		return snapshotfmt.Line{Depth: depth, Role: it.ctx.Role, Name: it.ctx.Name, Context: true, Text: text, K: it.in.doc.ks[it.ctx.Local]}
	}
	c := it.c
	k := c.in.doc.k(c.m.Local)
	kinds, why := actions(c.col, c.m)
	return snapshotfmt.Line{
		Depth: depth, K: k, Ref: ref(n, k), Role: c.m.Role, Name: c.m.Name, Tier: tierOf(c.col), UID: uid(n, k), Tag: c.m.Tag,
		Text: lineText(c.m, ref(n, k), kinds, why) + place(c),
	}
}

// place marks what is not in view.
func place(c *candidate) string {
	switch tierOf(c.col) {
	case snapshotfmt.NearViewport:
		return " (near)"
	case snapshotfmt.OffscreenT:
		return " (offscreen)"
	case snapshotfmt.UnknownTier:
		return " (unknown: " + c.col.Sub + ")"
	default:
		return "" // in view, which is not said, or never listed
	}
}

// lineText is one node without its indent:
// - role "name" = "value" [states] ref action,action
func lineText(m *meaning, ref string, kinds []string, why string) string {
	var b strings.Builder
	b.WriteString("- ")
	b.WriteString(m.Role)
	if m.Name != "" {
		b.WriteByte(' ')
		b.WriteString(quote(m.Name))
	}
	if m.Value != "" {
		b.WriteString(" = ")
		b.WriteString(quote(m.Value))
	}
	if st := states(m.States); st != "" {
		b.WriteString(" [" + st + "]")
	}
	b.WriteByte(' ')
	b.WriteString(ref)
	if shown := slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k == actPointer }); len(shown) > 0 {
		b.WriteByte(' ')
		b.WriteString(strings.Join(shown, ","))
	}
	if why != "" && why != "disabled" {
		b.WriteString(" (no action: " + why + ")")
	}
	if len(m.More) == 3 && (m.More[0] > 0 || m.More[1] > 0 || m.More[2] > 0) {
		fmt.Fprintf(&b, " (%d px above, %d px below, %d px right)", m.More[0], m.More[1], m.More[2])
	}
	return b.String()
}

// quote writes a name as a JSON string, so that page text can imitate neither
// a state nor a line.
func quote(s string) string {
	return snapshotfmt.Quote(s)
}

// states writes the states compactly, in a fixed order.
func states(s snapshotfmt.States) string {
	var w []string
	add := func(on bool, word string) {
		if on {
			w = append(w, word)
		}
	}
	add(s.Checked != "", "checked="+s.Checked)
	add(s.Pressed != "", "pressed="+s.Pressed)
	if s.Expanded != nil {
		w = append(w, "expanded="+strconv.FormatBool(*s.Expanded))
	}
	if s.Selected != nil {
		w = append(w, "selected="+strconv.FormatBool(*s.Selected))
	}
	add(s.Disabled, "disabled")
	add(s.Focused, "focused")
	add(s.Required, "required")
	add(s.Readonly, "readonly")
	add(s.Invalid != "", "invalid="+s.Invalid)
	add(s.Modal, "modal")
	add(s.Multiline, "multiline")
	add(s.Busy, "busy")
	add(s.Level > 0, "level="+strconv.Itoa(s.Level))
	add(s.HasPopup != "", "haspopup="+s.HasPopup)
	add(s.Current != "", "current="+s.Current)
	return strings.Join(w, " ")
}
