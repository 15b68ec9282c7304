package pane

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuatui/snapshotfmt"
	"cuatui/tui/theme"
)

// Detail is everything about the selection.
type Detail struct{ Doc }

// NewDetail returns an empty detail pane.
func NewDetail() *Detail {
	return &Detail{Doc{title: "Detail"}}
}

// ShowNothing says that nothing is selected.
func (d *Detail) ShowNothing() {
	d.show("", []Para{{Text: "nothing is selected", Token: theme.Dim}}, "", "")
}

func (d *Detail) show(note string, paras []Para, what, s string) {
	d.note, d.copyWhat, d.copyText = note, what, s
	d.Set(paras)
}

// ShowEntry shows a ref: all its fields, its actions and routes, and why.
func (d *Detail) ShowEntry(e *snapshotfmt.Entry) {
	m := tierMark(e.Visibility)
	ps := []Para{
		{Label: "ref", Text: e.Ref, LabelToken: theme.Dim, Token: theme.Ref},
		{Label: "role", Text: e.Role, LabelToken: theme.Dim, Token: theme.Role},
		field("name", cmp.Or(e.Name, "(none)")),
	}
	ps = appendField(ps, "value", e.Value)
	ps = appendField(ps, "description", e.Description)
	ps = appendField(ps, "states", strings.Join(stateWords(e.States), " "))
	ps = append(ps, Para{Label: "tier", Text: m.glyph + " " + m.word, LabelToken: theme.Dim, Token: m.token})
	ps = appendField(ps, "frame", e.Frame)
	if e.Box != nil {
		ps = append(ps, field("box", fmt.Sprintf("%s  (x y w h, CSS px of the viewport)", box(*e.Box))))
	}
	if e.Hit != nil {
		ps = append(ps, field("hit", hitWords(*e.Hit)))
	}
	ps = append(ps, heading("Actions")...)
	if len(e.Actions) == 0 {
		ps = append(ps, Para{Text: "none: a content ref can be read and scoped to, not acted on", Token: theme.Dim})
	}
	for _, a := range e.Actions {
		ps = append(ps, Para{Label: a, Text: routeWords(a, e.Routes[a]), LabelToken: theme.Strong})
	}
	ps = append(ps, heading("Why")...)
	if e.Why != "" {
		ps = append(ps, Para{Text: "no action: " + e.Why, Token: theme.Warn})
		if i, ok := snapshotfmt.InertOf(e.Why); ok {
			ps = append(ps, Para{Text: i.Meaning + " " + i.Do})
		}
	}
	if m.why != "" {
		ps = append(ps, field(m.word, m.why))
	}
	d.show(e.Ref, ps, "ref "+e.Ref, e.Ref)
}

// ShowLine shows an outline line that is not listed as a ref.
func (d *Detail) ShowLine(l snapshotfmt.Line) {
	ps := []Para{{Text: l.Text}, {}}
	if l.Ref != "" {
		ps = append(ps, Para{Label: "ref", Text: l.Ref, LabelToken: theme.Dim, Token: theme.Ref})
	}
	ps = appendField(ps, "role", l.Role)
	ps = appendField(ps, "name", l.Name)
	if l.Tier != "" {
		m := tierMark(l.Tier)
		ps = append(ps, Para{Label: "tier", Text: m.glyph + " " + m.word + ": " + m.why, LabelToken: theme.Dim, Token: m.token})
	}
	switch {
	case l.Context:
		ps = append(ps, field("why", "shown for its place only, as an ancestor of what is listed; it has no ref in this segment"))
	case l.K == 0:
		ps = append(ps, field("why", "a line of the outline that is no node: a fold, a frame heading or a note"))
	case l.Ref == "":
		ps = append(ps, field("why", "it has no ref in this segment"))
	}
	d.show("", ps, "line", l.Text)
}

// ShowOmission explains an omission reason, or one of its causes.
func (d *Detail) ShowOmission(o snapshotfmt.Omitted, r snapshotfmt.OmitReason, sub string) {
	n, parts := o.Get(r), subReasons(o, r)
	if sub != "" {
		n, parts = o.Sub[reasonKey(r, sub)], nil
	}
	doc, _ := snapshotfmt.OmissionOf(r, sub)
	ps := []Para{
		{Label: reasonKey(r, sub), Text: Count(n, "candidate"), LabelToken: theme.Strong},
		{Text: doc.Meaning},
		{},
		{Text: doc.Do},
		{},
		{Text: "enter opens the nodes, each with its explanation", Token: theme.Accent},
	}
	if len(parts) > 0 {
		ps = append(ps, heading("By cause")...)
	}
	for _, sub := range parts {
		ps = append(ps, field(sub, fmt.Sprint(o.Sub[string(r)+"/"+sub])))
	}
	d.show(reasonKey(r, sub), ps, "reason", reasonKey(r, sub))
}

// subReasons returns the parts of a reason, the largest first.
func subReasons(o snapshotfmt.Omitted, r snapshotfmt.OmitReason) []string {
	var out []string
	prefix := string(r) + "/"
	for _, key := range slices.Sorted(maps.Keys(o.Sub)) {
		if sub, ok := strings.CutPrefix(key, prefix); ok {
			out = append(out, sub)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return o.Sub[prefix+b] - o.Sub[prefix+a] })
	return out
}

func appendField(ps []Para, label, value string) []Para {
	if value == "" {
		return ps
	}
	return append(ps, field(label, value))
}

func hitWords(hit bool) string {
	if hit {
		return "yes: a point of it takes pointer events"
	}
	return "no: no point of it takes pointer events"
}

// routeWords says by what a declared kind would be accepted. Only clicks are
// told by routes; of the others the call itself decides.
func routeWords(kind string, routes []string) string {
	switch {
	case len(routes) > 0:
	case kind == "click":
		return "no route would be accepted now"
	default:
		return "declared; proven when it is called"
	}
	return "accepted now by " + strings.Join(routes, ", ")
}

func box(b [4]float64) string {
	return fmt.Sprintf("%g %g %g %g", b[0], b[1], b[2], b[3])
}
