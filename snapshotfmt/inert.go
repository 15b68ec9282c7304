package snapshotfmt

// Inert documents why a control that is listed declares no action: the value
// of an entry's why.
type Inert struct {
	Why     string
	Meaning string // a sentence about the control
	Do      string // what makes it usable
}

// Inerts is every such reason, in the order in which they are looked for.
var Inerts = []Inert{
	{"disabled", "The page disables it: by its own attribute, its fieldset's, or aria-disabled.", "Do first what the page waits for, mostly to fill in something else."},
	{"budget", "The time or the number of hit tests of one snapshot was used up before its turn.", "Take a snapshot by scope or query; it asks only about that part."},
	{"no_point", "No point of it takes the pointer, and none says what does.", "Explain it; it may have no area of its own."},
	{"covered", "Something takes the pointer at every point of it, though it can be read; or, out of view, lies over it wherever the page is scrolled to.", "Close what lies over it. The explanation names it."},
	{"covered_frame", "It is out of view, in a frame that something lies over, wherever either is scrolled to.", "Close what lies over the frame."},
	{"turned_away", "It, or the frame it is in, shows its back, which its style hides.", "Turn it round as a person would: hover or press what turns it."},
	{"unseen", "It is out of view, and nothing of it can be seen: its text has no colour, or that of its ground, and nothing is drawn in its place.", "Make the page show it; some controls get their colour when the pointer is over them."},
	{"inner_control", "Another control inside it takes every point of it.", "Use the inner control."},
	{"pointer_events_none", "It, or the frame it is in, lets the pointer through.", "Wait until the page has it take the pointer again, or use what is under it."},
}

// InertOf returns what is documented of a why.
func InertOf(why string) (Inert, bool) {
	for _, i := range Inerts {
		if i.Why == why {
			return i, true
		}
	}
	return Inert{}, false
}
