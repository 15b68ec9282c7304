package pane

import (
	"slices"

	"cuatui/snapshotfmt"
	"cuatui/tui/draw"
	"cuatui/tui/theme"
)

// Deed is one way of acting on a ref: a kind of action in one of the ways that
// its tool knows.
type Deed struct {
	// Kind is what the ref has to declare for it.
	Kind string
	// Verb is what is done, How by what: a route, a mode, or what an option is
	// named by; "" where there is one way only.
	Verb, How string
	Tool      string
	about     string
	// Asks is what has to be typed first, "" for nothing, and Hint its form.
	Asks, Hint string
}

// The kinds that this page tells apart.
const (
	clicks   = "click"
	TypeKind = "type"
	pointer  = "pointer"
	press    = "press"
)

// The way of a click, a gesture or a drag that is the mouse's own, and the ones
// beside it.
const (
	trusted    = "trusted"
	trustedKey = "trusted_key"
	domEvent   = "dom_event"
)

// deeds are all of them; of a click the strongest proof first.
var deeds = []Deed{
	{Kind: clicks, Verb: clicks, How: trustedKey, Tool: "browser_click", about: "focus and a key: a trusted click, raises no window"},
	{Kind: clicks, Verb: clicks, How: domEvent, Tool: "browser_click", about: "an event of the page itself: isTrusted is false"},
	{Kind: clicks, Verb: clicks, How: trusted, Tool: "browser_click", about: "the mouse, in the foreground: raises the window"},
	{Kind: TypeKind, Verb: TypeKind, How: "insert_text", Tool: "browser_type", about: "inserts a text", Asks: "type", Hint: "the text; a date or time in its ISO form"},
	{Kind: TypeKind, Verb: TypeKind, How: "keystrokes", Tool: "browser_type", about: "types key by key", Asks: "type", Hint: "the text; a date or time in its ISO form"},
	{Kind: "select", Verb: "select", How: "label", Tool: "browser_select", about: "chooses exactly the options of these labels", Asks: "select", Hint: `a label; several each in quotes: "One" "Two"`},
	{Kind: "select", Verb: "select", How: "value", Tool: "browser_select", about: "chooses exactly the options of these values", Asks: "select", Hint: `a value; several each in quotes: "1" "2"`},
	{Kind: "upload", Verb: "upload", Tool: "browser_set_input_files", about: "hands files over, without a chooser", Asks: "upload", Hint: "an absolute path; several each in quotes"},
	{Kind: "scroll", Verb: "scroll", Tool: "browser_pointer", about: "turns the wheel over it, and says how far", Asks: "scroll", Hint: "CSS px down, or right,down: 400, -400, 0,-400"},
	{Kind: pointer, Verb: "hover", Tool: "browser_pointer", about: "moves the pointer over it, presses nothing"},
	{Kind: pointer, Verb: "right_click", How: domEvent, Tool: "browser_pointer", about: "an event of the page itself: untrusted"},
	{Kind: pointer, Verb: "right_click", How: trusted, Tool: "browser_pointer", about: "the mouse, in the foreground"},
	{Kind: pointer, Verb: "double_click", How: domEvent, Tool: "browser_pointer", about: "events of the page itself: untrusted"},
	{Kind: pointer, Verb: "double_click", How: trusted, Tool: "browser_pointer", about: "the mouse, in the foreground"},
	{Kind: pointer, Verb: "drag", How: domEvent, Tool: "browser_pointer", about: "onto another ref, by events: untrusted", Asks: "drag to", Hint: "a ref of the same frame"},
	{Kind: pointer, Verb: "drag", How: trusted, Tool: "browser_pointer", about: "onto another ref, the mouse in the foreground", Asks: "drag to", Hint: "a ref of the same frame"},
	{Kind: press, Verb: press, Tool: "browser_press", about: "gives it the focus and presses a key or chord", Asks: press, Hint: "Enter, Escape, ArrowDown, F5, a character, or Control+a"},
}

// Name is the deed in a word or two.
func (d Deed) Name() string {
	if d.How == "" {
		return d.Verb
	}
	return d.Verb + " · " + d.How
}

// Foreground says whether it has to be delivered in the foreground.
func (d Deed) Foreground() bool { return d.How == trusted }

// ActOptions are what the person adds to an action beside its argument.
type ActOptions struct {
	// Replace and Submit go with typing: what the field holds gives way, and
	// Enter follows once the text reads back right.
	Replace, Submit bool
	// Expect are the post-conditions, as they were typed.
	Expect string
}

// DeedOf returns the deed that a row stands for, and whether it stands for one.
func DeedOf(it Item) (Deed, bool) {
	i := slices.IndexFunc(deeds, func(d Deed) bool { return d.Name() == it.Key })
	if i < 0 {
		return Deed{}, false
	}
	return deeds[i], true
}

// ClickBy returns the click by a route, and whether there is one.
func ClickBy(route string) (Deed, bool) {
	i := slices.IndexFunc(deeds, func(d Deed) bool { return d.Kind == clicks && d.How == route })
	if i < 0 {
		return Deed{}, false
	}
	return deeds[i], true
}

// NewActions returns the menu of a ref's actions: every way of each kind that it
// declares, and each kind that it does not, what would be accepted first, the
// rest with the reason; lost is
// the reason that nothing would be accepted, "" for none. What is not accepted
// can be fired all the same, to see the refusal.
func NewActions(e *snapshotfmt.Entry, lost string, o ActOptions) *Menu {
	m := NewMenu("Act · "+e.Ref+" "+e.Role+" "+e.Name, "", nil)
	m.ShowActions(e, lost, o)
	m.list.Home()
	return m
}

// ShowActions words the menu anew; the cursor stays.
func (m *Menu) ShowActions(e *snapshotfmt.Entry, lost string, o ActOptions) {
	m.note = "enter shows a refusal, too"
	switch {
	case o.Expect != "":
		m.note = "expect " + o.Expect
	case len(e.Actions) == 0:
		m.note = "declares no action; enter shows the refusal"
	}
	items := slices.Concat(deedItems(e, lost, o, true), deedItems(e, lost, o, false))
	slices.SortStableFunc(items, func(a, b Item) int { // what would be accepted comes first
		return min(len(a.Why), 1) - min(len(b.Why), 1)
	})
	m.reword(append(strangeItems(e, lost), items...))
}

// declares says whether a ref declares a kind. Pressing keys is open to every
// ref that declares anything.
func declares(e *snapshotfmt.Entry, kind string) bool {
	return kind == press && len(e.Actions) > 0 || slices.Contains(e.Actions, kind)
}

// deedItems are the rows of the kinds that the ref declares, or of those that it
// does not: of these one each, since they are refused alike.
func deedItems(e *snapshotfmt.Entry, lost string, o ActOptions, declared bool) []Item {
	var items []Item
	seen := map[string]bool{}
	for _, d := range deeds {
		if declares(e, d.Kind) != declared || !declared && seen[d.Kind] {
			continue
		}
		seen[d.Kind] = true
		it := Item{Mark: draw.Of(theme.Good, "●"), Name: d.Name(), About: d.words(o), Why: lost, Key: d.Name()}
		if !declared {
			it.Name, it.About = d.Kind, ""
		}
		if lost == "" {
			it.Why = notAccepted(e, d)
		}
		switch {
		case it.Why != "":
			it.Mark = draw.Of(theme.Dim, "○")
		case d.Foreground():
			it.Mark = draw.Of(theme.Warn, "◐")
		}
		items = append(items, it)
	}
	return items
}

// words is what a deed does, with what the person added.
func (d Deed) words(o ActOptions) string {
	if d.Kind != TypeKind {
		return d.about
	}
	said := d.about + " after what is there"
	if o.Replace {
		said = d.about + " in place of what is there"
	}
	if o.Submit {
		said += ", then Enter"
	}
	return said
}

// strangeItems are kinds of which no tool is known: what is declared is never
// left out.
func strangeItems(e *snapshotfmt.Entry, lost string) []Item {
	var items []Item
	for _, kind := range e.Actions {
		if !slices.ContainsFunc(deeds, func(d Deed) bool { return d.Kind == kind }) {
			items = append(items, Item{Mark: draw.Of(theme.Warn, "?"), Name: kind, About: "declared; no tool is known here that does it", Why: lost})
		}
	}
	return items
}

// notAccepted says why a deed would not be accepted now, as far as the snapshot
// knows, "" where nothing speaks against it; the engine's refusal knows better.
func notAccepted(e *snapshotfmt.Entry, d Deed) string {
	switch {
	case !declares(e, d.Kind) && e.Why != "":
		return e.Why
	case !declares(e, d.Kind) && d.Kind == press:
		return "the ref declares no action"
	case !declares(e, d.Kind):
		return "the ref does not declare " + d.Kind
	case e.Why != "":
		return e.Why
	case d.Kind != clicks || slices.Contains(e.Routes[clicks], d.How):
		return ""
	case d.How == trusted && len(e.Routes[clicks]) > 0:
		return "" // the routes of an entry are those of the background
	case e.Visibility != snapshotfmt.InViewport:
		return "the node is " + tierMark(e.Visibility).word
	}
	return "this ref does not accept the route"
}
