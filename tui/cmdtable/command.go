// Package cmdtable lists every command of the terminal UI once: its name, its
// keys, what it does, where it works and why it does not work now. Footer,
// help page, palette and docs are made from it; the root model only adds what
// a command does.
package cmdtable

import "slices"

// ID names a command. It is also the name the palette shows.
type ID string

// Scope is where a command works: a set of screens and sheets.
type Scope uint32

// The scopes. A sheet takes the keys while it is open.
const (
	Windows Scope = 1 << iota
	Inspector
	Help
	Palette
	Tabs
	Proof
	Action
	Result
	Refusal
	Document
	Explanation // of one node
	Nodes       // a list of explained nodes
	Lab         // the refusal lab
	Formats     // a segment in every form
	Picture     // of a region or a node
	Diff        // the last snapshots against each other
	PageDialog  // an alert, confirm, prompt or beforeunload of the page
	Confirm     // withdrawing consent
	Consent     // being asked for it; letters are typed there
	Input

	Screens  = Windows | Inspector
	Sheets   = Help | Palette | Tabs | Proof | Action | Result | Refusal | Document | Explanation | Nodes | Lab | Formats | Picture | Diff | PageDialog | Confirm
	Anywhere = Screens | Sheets
	Lists    = Anywhere &^ Palette
)

// Argument is what a command takes on its line in the plain mode. One that takes
// none refuses any: a word that is passed over would be taken for heeded.
type Argument string

// The arguments. Ref is of a node that is listed, and selects it first; Text is
// what the command would ask for.
const (
	None Argument = ""
	Ref  Argument = "ref"
	Text Argument = "text"
	// Answer is one of two commands, by its name, and what that takes.
	Answer Argument = "accept|dismiss [text]"
)

// Facts are what commands ask to know whether they work now.
type Facts struct {
	Scope    Scope
	Windows  bool   // a window is under the cursor
	Bound    bool   // the inspector has a target
	Lost     bool   // which is no longer proven
	Snapshot bool   // there is a snapshot
	Earlier  bool   // an earlier segment is in memory
	More     bool   // there is a next segment
	Ref      string // of the selection, "" without
	Filtered bool   // the focused pane is filtered
	Foldable bool   // the focused pane folds
	Journal  bool   // the journal has the focus
	Proof    bool   // there is a proof to show
	Next     bool   // the refusal names a next call that can be run here
	Demo     bool   // there is a demo page
	Mutating bool   // an action is under way
	ManyTabs bool   // the window has several tabs
	Copyable bool   // there is something to copy
	OnePane  bool   // one pane is shown, with tabs
	Agreed   bool   // the window is under a person's consent
	Asks     bool   // consent is what is lacking
	About    string // the ref that the page on top is about, "" without
	Listed   bool   // the explained node is listed
	Waiting  bool   // the explained node waits for a later segment
	Past     bool   // there is a snapshot before this one
	Older    bool   // the diff on top has an older one
	Newer    bool   // and a newer one
	MoreRows bool   // the list on top has a next page
	Dialog   bool   // a page dialog is on top
	Prompts  bool   // it, or the action under the cursor, asks for a text
	Marked   bool   // a node is marked in the browser
	Shot     string // the ref that a picture would be of, "" without
	Regions  bool   // the regions have the focus
	Types    bool   // the action under the cursor types
}

// Command is one command.
type Command struct {
	ID   ID
	Keys []string
	// Label is the key as the footer and help print it; "" is the first key.
	Label string
	// Short is the word in the footer, Help the sentence on the help page.
	Short, Help string
	Scope       Scope
	Takes       Argument
	// TakesNot says why it takes nothing now, "" if it does. Nil always does.
	TakesNot func(Facts) string
	// Foot ranks the command in the footer, 1 first; 0 is not shown there.
	Foot int
	// Enabled says why the command does not work now, "" if it does. Nil
	// always works.
	Enabled func(Facts) string
}

// Why returns why c does not work under f, "" if it does.
func (c *Command) Why(f Facts) string {
	if c.Enabled == nil {
		return ""
	}
	return c.Enabled(f)
}

// Usage is the name with what the command takes in the plain mode.
func (c *Command) Usage() string {
	if c.Takes == None {
		return string(c.ID)
	}
	return string(c.ID) + " [" + string(c.Takes) + "]"
}

// Key is the key as people read it.
func (c *Command) Key() string {
	if c.Label != "" || len(c.Keys) == 0 {
		return c.Label
	}
	return c.Keys[0]
}

// Find returns the command that key means in scope.
func Find(scope Scope, key string) (*Command, bool) {
	for i := range Table {
		if c := &Table[i]; c.Scope&scope != 0 && slices.Contains(c.Keys, key) {
			return c, true
		}
	}
	return nil, false
}

// ByID returns the command with an id, nil if there is none.
func ByID(id ID) *Command {
	for i := range Table {
		if Table[i].ID == id {
			return &Table[i]
		}
	}
	return nil
}

// Footer returns the commands that matter now, most useful first.
func Footer(f Facts) []*Command {
	var out []*Command
	for i := range Table {
		if c := &Table[i]; c.Foot > 0 && c.Scope&f.Scope != 0 && c.Why(f) == "" {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b *Command) int { return a.Foot - b.Foot })
	return out
}
