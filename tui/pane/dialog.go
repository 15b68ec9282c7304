package pane

import (
	"cmp"

	"cuatui/engine/contract"
	"cuatui/tui/theme"
)

// dialogAnswers are what the two answers do, by the type of the dialog.
var dialogAnswers = map[string]struct{ accept, dismiss string }{
	"alert":        {"closes it; the page goes on", "closes it; the page goes on"},
	"confirm":      {"says OK to the page", "says Cancel to the page"},
	"prompt":       {"asks for a text and gives it to the page", "says Cancel to the page"},
	"beforeunload": {"leaves the page; what it has not saved is lost", "stays on the page"},
}

// NewPageDialog returns a page with a dialog that the page has open; accept and
// dismiss are the keys that answer it.
func NewPageDialog(d *contract.Dialog, accept, dismiss string) *Doc {
	does, ok := dialogAnswers[d.Type]
	if !ok {
		does.accept, does.dismiss = "accepts it", "dismisses it"
	}
	says := field("says", cmp.Or(d.Text, "(nothing)"))
	says.Token = theme.Strong
	ps := []Para{
		{Label: "type", Text: d.Type, LabelToken: theme.Dim, Token: theme.Warn},
		says,
		{},
		{Text: "The page wrote it. Until it is answered, nothing else in the tab can be read or acted on.", Token: theme.Dim},
		{},
		{Label: accept + " accept", Text: does.accept, LabelToken: theme.Accent},
		{Label: dismiss + " dismiss", Text: does.dismiss, LabelToken: theme.Accent},
	}
	return NewDoc("Page dialog · "+d.Type, "! open", ps, "dialog text", d.Text)
}
