package cmdtable

import (
	"fmt"
	"strings"
)

// parts are the parts of docs/keys.md: where the keys work, and what is said of
// it first.
var parts = []struct {
	title, lead string
	holds       func(Scope) bool
}{
	{"Everywhere", "On every screen and page; while a line is typed, only ctrl+c.", func(s Scope) bool { return s&Screens == Screens && s&Sheets != 0 }},
	{"Both screens", "", func(s Scope) bool { return s&Screens == Screens && s&Sheets == 0 }},
	{"Windows", "The list of native windows. It follows the desktop by itself.", func(s Scope) bool { return s&Screens == Windows }},
	{"Inspector", "One bound window.", func(s Scope) bool { return s&Screens == Inspector }},
	{"Pages over a screen", "Help, proofs, refusals, results, menus.", func(s Scope) bool { return s&Screens == 0 && s&Sheets != 0 }},
	{"The consent dialog", "It takes keys only after the keyboard has been silent for a moment: what was typed for something else is no answer. Letters are typed into the answer; keys that come less than 30 ms after one another are no hand's, and the question is asked anew. So it is where the terminal is resized or comes back from a suspension: all of it has been in sight, from its first line to its last, before yes counts.", func(s Scope) bool { return s&(Screens|Sheets) == 0 && s&Consent != 0 }},
}

// names are the pages as the docs call them, in their order.
var names = []struct {
	scope Scope
	name  string
}{
	{Action, "actions"},
	{Tabs, "tabs"},
	{Refusal, "refusal"},
	{Result, "result"},
	{Proof, "proof"},
	{Document, "JSON"},
	{Explanation, "why"},
	{Nodes, "list of nodes"},
	{Lab, "refusal lab"},
	{Formats, "formats"},
	{Picture, "picture"},
	{Diff, "diff"},
	{PageDialog, "page dialog"},
	{Confirm, "withdrawing consent"},
}

// Markdown renders the table as docs/keys.md. The file is compared with it in
// a test: go test ./tui/cmdtable -update rewrites it.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Keys

<!-- Generated from tui/cmdtable by: go test ./tui/cmdtable -update -->

Every command of the terminal UI, by where it works. In the program, ` + "`?`" + ` shows
those that work now, with the reason where one does not, and ` + "`:`" + ` runs any of them
by its name. The mouse selects and scrolls; nothing needs it.

In ` + "`cuatui --plain`" + ` a line is a command's name or key. What stands in brackets may
follow: a ref that is listed is selected first, a text is what the command would ask
for. A command that takes nothing refuses what follows it. A number selects
the row of that number, so that a pane is called by its name: ` + "`pane-omissions`" + `.
`)
	for _, part := range parts {
		fmt.Fprintf(&b, "\n## %s\n\n", part.title)
		if part.lead != "" {
			b.WriteString(part.lead + "\n\n")
		}
		b.WriteString("| key | name | what it does |\n|---|---|---|\n")
		for i := range Table {
			if c := &Table[i]; part.holds(c.Scope) {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", keyCells(c), usageCell(c), where(c)+c.Help)
			}
		}
	}
	return b.String()
}

// usageCell is what a command takes, where a bar would end the cell.
func usageCell(c *Command) string { return strings.ReplaceAll(c.Usage(), "|", "\\|") }

func keyCells(c *Command) string {
	out := make([]string, len(c.Keys))
	for i, k := range c.Keys {
		out[i] = "`" + k + "`"
	}
	return strings.Join(out, " ")
}

// where names the pages on which a command works, if it is only some.
func where(c *Command) string {
	if c.Scope&Sheets == 0 || c.Scope&Screens != 0 && c.Scope&Screens != Screens {
		return ""
	}
	var on []string
	if c.Scope&Screens != 0 {
		on = append(on, "both screens")
	}
	for _, n := range names {
		if c.Scope&n.scope != 0 {
			on = append(on, n.name)
		}
	}
	if len(on) == len(names) && c.Scope&Screens == 0 || len(on) == len(names)+1 {
		return ""
	}
	return strings.Join(on, ", ") + ": "
}
