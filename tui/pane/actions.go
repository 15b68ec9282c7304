package pane

import (
	"maps"
	"slices"

	"cuatui/snapshotfmt"
	"cuatui/tui/draw"
	"cuatui/tui/theme"
)

// The routes of a click, strongest proof first.
var clickRoutes = []struct{ route, about string }{
	{"trusted_key", "focus and a key: a trusted click, the window stays where it is"},
	{"dom_event", "an event of the page itself: isTrusted is false"},
	{"trusted", "the mouse, in the foreground: raises the window if the engine lets it"},
}

// Deed is an action that an agent asks for and this page cannot fire: what it is,
// and the call that does it.
type Deed struct {
	kind, about string
	Tool        string
	// Asks are the arguments beside the ref.
	Asks map[string]any
}

// deeds are the kinds of action that are no click, with press, which every ref
// takes that declares anything.
var deeds = []Deed{
	{"type", "types a text and reads it back", "browser_type", map[string]any{"text": "…"}},
	{"select", "chooses options by label or value", "browser_select", map[string]any{"labels": []string{"…"}}},
	{"upload", "hands files over, without a chooser", "browser_set_input_files", map[string]any{"files": []string{"/…"}}},
	{"scroll", "turns the wheel over it", "browser_pointer", map[string]any{"gesture": "scroll", "delta_y": 400}},
	{"pointer", "hovers, right-clicks, double-clicks or drags", "browser_pointer", map[string]any{"gesture": "hover"}},
	{press, "gives it the focus and presses a key", "browser_press", map[string]any{"key": "Enter"}},
}

const press = "press"

// DeedOf returns the action of a row that is fired by an agent only, and whether
// the row is one.
func DeedOf(it Item) (Deed, bool) {
	i := slices.IndexFunc(deeds, func(d Deed) bool { return "by "+d.Tool+" "+d.kind == it.Key })
	if i < 0 {
		return Deed{}, false
	}
	return deeds[i], true
}

// NewActions returns the menu of a ref's actions: every kind that it declares
// with the call that does it, and every route of a click, each with the reason
// where it would not be accepted now; lost is the reason that nothing would be,
// "" for none. A click that is not accepted can be fired all the same, to see
// the refusal.
func NewActions(e *snapshotfmt.Entry, lost string) *Menu {
	declared, clicks := declaredItems(e, lost), clickItems(e, lost)
	items := slices.Concat(clicks, declared)
	if len(e.Actions) > 0 && !slices.Contains(e.Actions, "click") { // what it is for comes first
		items = slices.Concat(declared, clicks)
	}
	note := "declares no action; enter shows the refusal"
	if len(e.Actions) > 0 {
		note = "enter shows a refusal, too"
	}
	return NewMenu("Act · "+e.Ref+" "+e.Role+" "+e.Name, note, items)
}

func clickItems(e *snapshotfmt.Entry, lost string) []Item {
	var items []Item
	accepted := e.Routes["click"]
	for _, r := range clickRoutes {
		it := Item{Mark: draw.Of(theme.Good, "●"), Name: "click · " + r.route, About: r.about, Fires: true, Key: r.route}
		switch {
		case lost != "":
			it.Mark, it.Why = draw.Of(theme.Dim, "○"), lost
		case slices.Contains(accepted, r.route):
		case r.route == "trusted" && len(accepted) > 0:
			// The routes of an entry are those of the background; this one is
			// delivered in the foreground.
			it.Mark = draw.Of(theme.Warn, "◐")
		default:
			it.Mark = draw.Of(theme.Dim, "○")
			it.Why = notAccepted(e)
		}
		items = append(items, it)
	}
	return items
}

// declaredItems are the kinds that a ref declares beside click. One of which no
// tool is known is told as such: what is declared is never left out.
func declaredItems(e *snapshotfmt.Entry, lost string) []Item {
	if len(e.Actions) == 0 {
		return nil
	}
	var items []Item
	known := map[string]bool{"click": true}
	for _, d := range deeds {
		known[d.kind] = true
		about := d.Tool + " " + d.about + "; this page cannot fire it yet, enter shows the call"
		if d.kind == press {
			about += "; open to every ref that declares anything"
		} else if !slices.Contains(e.Actions, d.kind) {
			continue
		}
		items = append(items, Item{Mark: draw.Of(theme.Accent, "→"), Name: d.kind, About: about, Why: lost, Key: "by " + d.Tool + " " + d.kind})
	}
	var strange []Item
	for _, kind := range e.Actions {
		if !known[kind] {
			strange = append(strange, Item{Mark: draw.Of(theme.Warn, "?"), Name: kind, About: "declared; no tool is known here that does it", Why: lost})
		}
	}
	return append(strange, items...)
}

// notAccepted says why no route, or not this one, would be accepted now, as far
// as the snapshot knows; the engine's refusal knows better.
func notAccepted(e *snapshotfmt.Entry) string {
	m := tierMark(e.Visibility)
	switch {
	case e.Why != "":
		return e.Why
	case !slices.Contains(e.Actions, "click"):
		return "the ref does not declare click"
	case e.Visibility != snapshotfmt.InViewport:
		return "the node is " + m.word
	}
	return "this ref does not accept the route"
}

// NewCall is a page with the call of a deed, to be read or copied. at names
// session, target, tab and ref.
func (d Deed) NewCall(at map[string]any) *Doc {
	arguments := maps.Clone(at)
	maps.Copy(arguments, d.Asks)
	call := asJSON(map[string]any{"tool": d.Tool, "arguments": arguments})
	ps := []Para{
		{Text: "This page cannot fire it yet. An agent does: cuatui --headless serves it, and cuatui tools says what it takes."},
		{Text: "Ids and refs are of this session; an agent's own snapshot gives it its own."},
		{},
	}
	doc := NewLines("Call · "+d.Tool, d.about, call)
	doc.paras = append(ps, doc.paras...)
	return doc
}
