package cmdtable

// The commands.
const (
	Up       ID = "up"
	Down     ID = "down"
	Left     ID = "fold"
	Right    ID = "unfold"
	Home     ID = "first"
	End      ID = "last"
	HalfUp   ID = "half-page-up"
	HalfDown ID = "half-page-down"
	PageUp   ID = "page-up"
	PageDown ID = "page-down"
	Open     ID = "open"
	Back     ID = "back"
	Quit     ID = "quit"
	Kill     ID = "quit-now"
	Suspend  ID = "suspend"
	HelpPage ID = "help"
	Commands ID = "palette"
	Filter   ID = "filter"
	NextHit  ID = "next-match"
	PrevHit  ID = "previous-match"
	Copy     ID = "copy"

	Launch     ID = "launch"
	Demo       ID = "demo"
	Refresh    ID = "refresh"
	AllWindows ID = "all-windows"
	Prove      ID = "prove"
	Pause      ID = "pause"
	Revoke     ID = "revoke"
	AskConsent ID = "ask-consent"
	Withdraw   ID = "withdraw"
	Agree      ID = "answer"
	Decline    ID = "decline"

	NextPane    ID = "next-pane"
	PrevPane    ID = "previous-pane"
	PaneOutline ID = "pane-outline"
	PaneRefs    ID = "pane-refs"
	PaneDetail  ID = "pane-detail"
	PaneOmit    ID = "pane-omissions"
	PaneJournal ID = "pane-journal"
	PaneRegions ID = "pane-regions"
	Zoom        ID = "zoom"
	NextSegment ID = "next-segment"
	PrevSegment ID = "previous-segment"
	Snapshot    ID = "snapshot"
	Query       ID = "query"
	ScopeTo     ID = "scope"
	Content     ID = "content-refs"
	Sort        ID = "sort"
	Act         ID = "act"
	Replace     ID = "replace"
	Submit      ID = "submit"
	Expect      ID = "expect"
	Navigate    ID = "url"
	PickTab     ID = "tabs"
	ShowProof   ID = "proof"
	RunNext     ID = "run-next"
	RawJSON     ID = "json"
	WhyThis     ID = "why"
	WhyText     ID = "why-of"
	Pick        ID = "pick"
	View        ID = "view"
	Highlight   ID = "highlight"
	MoreRows    ID = "more"
	ShowFormats ID = "formats"
	Save        ID = "save"
	SaveCase    ID = "save-case"
	Follow      ID = "follow"
	ShowDiff    ID = "diff"
	Older       ID = "older"
	Newer       ID = "newer"
	AllLines    ID = "all-lines"
	RefusalLab  ID = "refusal-lab"
	Provoke     ID = "provoke"
	LookDialog  ID = "dialog"
	Accept      ID = "accept"
	Dismiss     ID = "dismiss"
)

// Table is every command, in the order of the help page.
var Table = []Command{
	{ID: Open, Keys: []string{"enter"}, Label: "enter", Short: "bind", Help: "bind the window and open the inspector", Scope: Windows, Foot: 1, Enabled: aWindow},
	{ID: Launch, Keys: []string{"L"}, Short: "launch", Help: "launch an isolated browser at a url", Scope: Windows, Takes: Text, Foot: 2, Enabled: idle},
	{ID: Demo, Keys: []string{"d"}, Short: "demo", Help: "launch an isolated browser at the demo page", Scope: Windows, Foot: 3, Enabled: hasDemo},
	{ID: Refresh, Keys: []string{"r"}, Short: "refresh", Help: "list the windows again", Scope: Windows, Foot: 4, Enabled: idle},
	{ID: Prove, Keys: []string{"p"}, Short: "proof", Help: "prove the binding of the window, step by step, without opening it", Scope: Windows, Foot: 5, Enabled: aWindow},
	{ID: WhyThis, Keys: []string{"w"}, Short: "why", Help: "why the window binds, or does not: the same proof", Scope: Windows, Enabled: aWindow},
	{ID: AllWindows, Keys: []string{"A"}, Short: "all", Help: "list windows of programs that are no browser, or hide them", Scope: Windows, Foot: 6},
	{ID: Pause, Keys: []string{"P"}, Short: "pause", Help: "stop the list from following the desktop, or go on", Scope: Windows, Foot: 9},

	{ID: Launch, Keys: []string{"L"}, Short: "launch", Help: "launch an isolated browser at a url, and inspect it", Scope: Inspector, Takes: Text, Enabled: idle},
	{ID: Demo, Keys: []string{"d"}, Short: "demo", Help: "launch an isolated browser at the demo page, and inspect it", Scope: Inspector, Enabled: hasDemo},
	{ID: Snapshot, Keys: []string{"r"}, Short: "snapshot", Help: "take a new snapshot; scope and query end", Scope: Inspector, Foot: 4, Enabled: reads},
	{ID: NextSegment, Keys: []string{"]"}, Short: "next", Help: "next segment of the snapshot", Scope: Inspector, Foot: 3, Enabled: hasMore},
	{ID: PrevSegment, Keys: []string{"["}, Short: "back", Help: "back a segment", Scope: Inspector, Foot: 3, Enabled: hasEarlier},
	{ID: Act, Keys: []string{"a"}, Short: "act", Help: "actions of the selected ref, with the reason why one is not accepted", Scope: Inspector, Takes: Ref, Foot: 1, Enabled: hasRef},
	{ID: WhyThis, Keys: []string{"w"}, Short: "why", Help: "why the selection is listed, waits, or was left out: a ref, a line, a row of the omissions, a filter that matches nothing", Scope: Inspector, Takes: Ref, Foot: 1, Enabled: explains},
	{ID: WhyText, Keys: []string{"W"}, Short: "why of", Help: "why of a text, a point of the viewport (640,400) or a ref that is typed", Scope: Inspector, Takes: Text, Foot: 9, Enabled: explains},
	{ID: Pick, Keys: []string{"i"}, Short: "pick", Help: "choose a node in the browser with the mouse, and be told why it is as it is; the page sees nothing of it, esc ends it", Scope: Inspector | Explanation | Nodes, Foot: 9, Enabled: points},
	{ID: Highlight, Keys: []string{"H"}, Short: "mark", Help: "mark the selected node in the browser, and then whatever is selected, beside the page; or take the mark away", Scope: Inspector | Explanation | Nodes | Action, Foot: 25, Enabled: marks},
	{ID: View, Keys: []string{"V"}, Short: "view", Help: "a picture of the selected region or node, as the page shows it now; nothing is scrolled or brought to the front for it", Scope: Inspector, Takes: Ref, Foot: 9, Enabled: views},
	{ID: Query, Keys: []string{"Q"}, Short: "query", Help: "snapshot of what matches a text", Scope: Inspector, Takes: Text, Foot: 5, Enabled: reads},
	{ID: ScopeTo, Keys: []string{"s"}, Short: "scope", Help: "snapshot of the subtree of the selected ref", Scope: Inspector, Takes: Ref, Foot: 6, Enabled: scopes},
	{ID: ShowProof, Keys: []string{"p"}, Short: "proof", Help: "how the window, or an answer, was proved", Scope: Inspector | Refusal | Result, Foot: 2, Enabled: hasProof},
	{ID: Navigate, Keys: []string{"u"}, Short: "url", Help: "go to a url in this tab", Scope: Inspector, Takes: Text, Foot: 9, Enabled: mutates},
	{ID: PickTab, Keys: []string{"t"}, Short: "tabs", Help: "choose another tab of the window", Scope: Inspector, Foot: 10, Enabled: manyTabs},
	{ID: Revoke, Keys: []string{"R"}, Short: "revoke", Help: "withdraw your consent to a personal browser's window, after one more key", Scope: Screens, Foot: 9, Enabled: agreed},
	{ID: Content, Keys: []string{"c"}, Short: "content", Help: "show content refs in the table, or hide them", Scope: Inspector, Foot: 11, Enabled: hasSnapshot},
	{ID: Sort, Keys: []string{"O"}, Short: "order", Help: "order the table of refs by role, name, actions, tier, frame, or as the snapshot does", Scope: Inspector, Foot: 17, Enabled: hasSnapshot},

	{ID: NextPane, Keys: []string{"tab"}, Label: "tab", Short: "pane", Help: "next pane", Scope: Inspector, Foot: 7},
	{ID: PrevPane, Keys: []string{"shift+tab"}, Short: "pane", Help: "previous pane", Scope: Inspector},
	{ID: PaneOutline, Keys: []string{"1"}, Short: "outline", Help: "outline: the semantic tree", Scope: Inspector},
	{ID: PaneRefs, Keys: []string{"2"}, Short: "refs", Help: "refs: what can be acted on", Scope: Inspector},
	{ID: PaneDetail, Keys: []string{"3"}, Short: "detail", Help: "detail: everything about the selection", Scope: Inspector},
	{ID: PaneOmit, Keys: []string{"4"}, Short: "omissions", Help: "omissions: what was left out, by reason", Scope: Inspector},
	{ID: PaneJournal, Keys: []string{"5"}, Short: "journal", Help: "journal: every call and its answer", Scope: Inspector},
	{ID: PaneRegions, Keys: []string{"6"}, Short: "regions", Help: "regions: what the page shows as pixels that no text tells", Scope: Inspector},
	{ID: Zoom, Keys: []string{"z"}, Short: "zoom", Help: "one pane alone, or all", Scope: Inspector, Foot: 12, Enabled: notOnePane},
	{ID: Open, Keys: []string{"enter"}, Label: "enter", Short: "open", Help: "fold or unfold; open a journal entry, the nodes of an omission, or the picture of a region", Scope: Inspector, Enabled: hasSnapshotOrJournal},

	{ID: Open, Keys: []string{"enter"}, Label: "enter", Short: "do it", Help: "do it, once what it needs has been typed; one that is not accepted shows its refusal", Scope: Action, Takes: Text, TakesNot: asksNothing, Foot: 1, Enabled: idle},
	{ID: Expect, Keys: []string{"e"}, Short: "expect", Help: "post-conditions: a text that has to show afterwards, or state=checked, url_part=/done, text_gone=\"…\"; all are read before, too", Scope: Action, Takes: Text, Foot: 2, Enabled: idle},
	{ID: Replace, Keys: []string{"r"}, Short: "replace", Help: "of typing: what the field holds gives way, or stays in front", Scope: Action, Foot: 3, Enabled: typing},
	{ID: Submit, Keys: []string{"s"}, Short: "submit", Help: "of typing: Enter follows once the text reads back right, or does not", Scope: Action, Foot: 3, Enabled: typing},
	{ID: Open, Keys: []string{"enter"}, Label: "enter", Short: "choose", Help: "choose the tab", Scope: Tabs, Foot: 1},
	{ID: RunNext, Keys: []string{"E"}, Short: "run next call", Help: "run the call that the refusal names", Scope: Refusal, Foot: 1, Enabled: hasNext},
	{ID: Launch, Keys: []string{"L"}, Short: "launch", Help: "launch an isolated browser at a url", Scope: Refusal, Takes: Text, Foot: 30, Enabled: idle},
	{ID: AskConsent, Keys: []string{"C"}, Short: "consent", Help: "be asked for your consent to the window, also where you withdrew it", Scope: Screens | Refusal, Foot: 2, Enabled: asks},
	{ID: RawJSON, Keys: []string{"J"}, Short: "JSON", Help: "the answer as JSON", Scope: Refusal | Result | Explanation | Nodes | Picture, Foot: 3},
	{ID: WhyThis, Keys: []string{"w"}, Short: "why", Help: "why the ref that it is about is as it is", Scope: Action | Refusal | Result, Foot: 4, Enabled: aboutARef},
	{ID: Open, Keys: []string{"enter"}, Label: "enter", Short: "go on", Help: "go to the node where it is listed; where it waits, read the next segment and ask again", Scope: Explanation, Foot: 1, Enabled: goesOn},
	{ID: Open, Keys: []string{"enter"}, Label: "enter", Short: "why", Help: "why the node is listed, waits, or was left out", Scope: Nodes, Foot: 1, Enabled: aboutARef},
	{ID: WhyThis, Keys: []string{"w"}, Short: "why", Help: "the same as enter", Scope: Nodes, Enabled: aboutARef},
	{ID: MoreRows, Keys: []string{"]"}, Short: "more", Help: "read the next page of the list", Scope: Nodes, Foot: 2, Enabled: moreRows},
	{ID: WhyText, Keys: []string{"/", "W"}, Short: "why of", Help: "why of another text, point or ref", Scope: Explanation | Nodes, Takes: Text, Foot: 4, Enabled: explains},

	{ID: ShowFormats, Keys: []string{"v"}, Short: "formats", Help: "the segment as outline, JSON and refs, with what each costs in tokens", Scope: Inspector, Foot: 11, Enabled: hasSnapshot},
	{ID: NextPane, Keys: []string{"tab"}, Label: "tab", Short: "form", Help: "next form", Scope: Formats, Foot: 1},
	{ID: PrevPane, Keys: []string{"shift+tab"}, Short: "form", Help: "previous form", Scope: Formats},
	{ID: Save, Keys: []string{"S"}, Short: "save", Help: "write what copying would copy to a new file", Scope: Formats | Document | Refusal | Result | Proof | Explanation | Diff, Takes: Text, Foot: 14, Enabled: copyable},
	{ID: SaveCase, Keys: []string{"S"}, Short: "case file", Help: "write every call of this session and its answer to a new file, which cuatui replay shows without a browser", Scope: Screens, Takes: Text, Foot: 16},
	{ID: Follow, Keys: []string{"f"}, Short: "follow", Help: "follow the page: a new snapshot where it changes, the selection stays on its node, what changed is marked; or stand still", Scope: Inspector, Foot: 6, Enabled: followable},
	{ID: ShowDiff, Keys: []string{"D"}, Short: "diff", Help: "what changed since the snapshot before, and step back through the last ones", Scope: Inspector | Result, Foot: 10, Enabled: hasPast},
	{ID: Older, Keys: []string{"["}, Short: "older", Help: "the change before this one", Scope: Diff, Foot: 1, Enabled: hasOlder},
	{ID: Newer, Keys: []string{"]"}, Short: "newer", Help: "the change after this one", Scope: Diff, Foot: 1, Enabled: hasNewer},
	{ID: AllLines, Keys: []string{"c"}, Short: "all lines", Help: "the lines that stayed the same, too, or changes only", Scope: Diff, Foot: 2},
	{ID: NextHit, Keys: []string{"n"}, Short: "next change", Help: "next change", Scope: Diff, Foot: 3},
	{ID: PrevHit, Keys: []string{"N"}, Short: "change", Help: "previous change", Scope: Diff},
	{ID: RefusalLab, Keys: []string{"x"}, Short: "lab", Help: "refusal lab: every refusal that can be provoked here, one key each", Scope: Screens, Foot: 12, Enabled: idle},
	{ID: Provoke, Keys: []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f"}, Label: "1…9 a…f", Short: "provoke", Help: "provoke the refusal of that key; nothing is ever delivered", Scope: Lab, Foot: 2, Enabled: idle},
	{ID: Open, Keys: []string{"enter"}, Label: "enter", Short: "provoke", Help: "provoke the refusal under the cursor, or say what it is and how to see it", Scope: Lab, Foot: 1, Enabled: idle},

	{ID: LookDialog, Keys: []string{"o"}, Short: "dialog", Help: "look at the dialog that the page has open, and answer it", Scope: Inspector | Refusal | Result | PageDialog, Takes: Answer, Enabled: mutates},
	{ID: Accept, Keys: []string{"a"}, Short: "accept", Help: "accept the dialog: OK, or leave the page; a prompt asks for its text first", Scope: PageDialog, Takes: Text, TakesNot: takesNoText, Foot: 1, Enabled: answerable},
	{ID: Dismiss, Keys: []string{"d"}, Short: "dismiss", Help: "dismiss the dialog: cancel, or stay on the page", Scope: PageDialog, Foot: 2, Enabled: answerable},

	{ID: Filter, Keys: []string{"/"}, Short: "filter", Help: "show only rows that match; enter keeps, esc clears", Scope: Screens | Formats | Document, Takes: Text, Foot: 8},
	{ID: NextHit, Keys: []string{"n"}, Label: "n", Short: "match", Help: "next match of the filter", Scope: Screens | Formats | Document, Foot: 8, Enabled: filtered},
	{ID: PrevHit, Keys: []string{"N"}, Short: "match", Help: "previous match of the filter", Scope: Screens | Formats | Document, Enabled: filtered},
	{ID: Copy, Keys: []string{"y"}, Short: "copy", Help: "copy the ref, the line, or the whole page over the screen", Scope: Screens | Refusal | Result | Document | Proof | Explanation | Nodes | Formats | Picture | Diff, Foot: 13, Enabled: copyable},

	{ID: Up, Keys: []string{"up", "k"}, Label: "↑ k", Short: "up", Help: "one row up", Scope: Lists},
	{ID: Down, Keys: []string{"down", "j"}, Label: "↓ j", Short: "down", Help: "one row down", Scope: Lists},
	{ID: Left, Keys: []string{"left", "h"}, Label: "← h", Short: "fold", Help: "fold, or go to the parent", Scope: Inspector, Enabled: folds},
	{ID: Right, Keys: []string{"right", "l"}, Label: "→ l", Short: "unfold", Help: "unfold, or go to the first child", Scope: Inspector, Enabled: folds},
	{ID: Home, Keys: []string{"home", "g"}, Label: "g", Short: "first", Help: "first row", Scope: Lists},
	{ID: End, Keys: []string{"end", "G"}, Label: "G", Short: "last", Help: "last row", Scope: Lists},
	{ID: HalfUp, Keys: []string{"ctrl+u"}, Short: "½ up", Help: "half a page up", Scope: Lists},
	{ID: HalfDown, Keys: []string{"ctrl+d"}, Short: "½ down", Help: "half a page down", Scope: Lists},
	{ID: PageUp, Keys: []string{"pgup"}, Short: "page up", Help: "a page up", Scope: Lists},
	{ID: PageDown, Keys: []string{"pgdown"}, Short: "page down", Help: "a page down", Scope: Lists},

	{ID: Back, Keys: []string{"esc"}, Short: "back", Help: "cancel the call, clear the filter, close, or go back", Scope: Anywhere, Foot: 20},
	{ID: Back, Keys: []string{"q"}, Short: "close", Help: "close", Scope: Sheets &^ Palette},

	{ID: Withdraw, Keys: []string{"y"}, Short: "withdraw", Help: "withdraw the consent", Scope: Confirm, Foot: 1, Enabled: idle},

	{ID: Agree, Keys: []string{"enter"}, Label: "enter", Short: "answer", Help: "answer: the typed word yes agrees, nothing typed is no answer, anything else is no", Scope: Consent, Foot: 1},
	{ID: Decline, Keys: []string{"esc", "q"}, Label: "esc q", Short: "no", Help: "no: nothing is connected", Scope: Consent, Foot: 2},
	{ID: Up, Keys: []string{"up"}, Label: "↑", Short: "up", Help: "a line up", Scope: Consent},
	{ID: Down, Keys: []string{"down"}, Label: "↓", Short: "down", Help: "a line down", Scope: Consent},
	{ID: PageUp, Keys: []string{"pgup"}, Short: "page up", Help: "a page up", Scope: Consent},
	{ID: PageDown, Keys: []string{"pgdown"}, Short: "page down", Help: "a page down", Scope: Consent},

	{ID: Commands, Keys: []string{":"}, Short: "commands", Help: "every command by name", Scope: Screens, Foot: 21},
	{ID: HelpPage, Keys: []string{"?"}, Short: "help", Help: "every key, and why one does not work now", Scope: Anywhere &^ (Palette | Help), Foot: 22},
	{ID: Quit, Keys: []string{"q"}, Short: "quit", Help: "leave the inspector, then the program", Scope: Screens, Foot: 23},
	{ID: Suspend, Keys: []string{"ctrl+z"}, Short: "suspend", Help: "suspend; on return the binding is proved again", Scope: Anywhere | Consent},
	{ID: Kill, Keys: []string{"ctrl+c"}, Short: "quit", Help: "leave the program at once", Scope: Anywhere | Consent | Input},
}

func when(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

func idle(f Facts) string { return when(!f.Mutating, "an action is under way; esc cancels it") }

func first(whys ...string) string {
	for _, w := range whys {
		if w != "" {
			return w
		}
	}
	return ""
}

func aWindow(f Facts) string  { return first(when(f.Windows, "no window is selected"), idle(f)) }
func hasDemo(f Facts) string  { return first(when(f.Demo, "there is no demo page here"), idle(f)) }
func mutates(f Facts) string  { return first(when(f.Bound, "no window is bound"), idle(f)) }
func reads(f Facts) string    { return mutates(f) }
func hasProof(f Facts) string { return when(f.Proof, "nothing has been proved yet") }
func explains(f Facts) string { return first(hasSnapshot(f), idle(f)) }

func aboutARef(f Facts) string {
	return first(when(f.About != "", "there is no node to explain here"), explains(f))
}

func points(f Facts) string { return first(explains(f), when(!f.Lost, "the binding is lost")) }

func marks(f Facts) string {
	return first(points(f), when(f.Ref != "" || f.About != "" || f.Marked, "the selection has no ref"))
}

func views(f Facts) string {
	no := "the selection has no ref"
	if f.Regions {
		no = "the selection is no region with an exact place"
	}
	return first(points(f), when(f.Shot != "", no))
}

func goesOn(f Facts) string {
	return first(when(f.Listed || f.Waiting && f.More, "there is nowhere to go on to: the page has to change first"), idle(f))
}

func followable(f Facts) string {
	return first(when(f.Bound, "no window is bound"), when(!f.Lost, "the binding is lost"))
}

func hasPast(f Facts) string {
	return when(f.Past, "there is no snapshot before this one that answers the same request")
}
func hasOlder(f Facts) string { return when(f.Older, "no older snapshot is kept") }
func hasNewer(f Facts) string { return when(f.Newer, "this is the latest") }

func moreRows(f Facts) string { return first(when(f.MoreRows, "these are all"), idle(f)) }

func agreed(f Facts) string {
	return first(when(f.Agreed, "no consent of yours covers this window"), idle(f))
}

func asks(f Facts) string {
	return first(when(f.Asks, "consent is not what is lacking here"), idle(f))
}

func hasNext(f Facts) string {
	return first(when(f.Next, "this refusal names no call that can be run from here"), idle(f))
}

func manyTabs(f Facts) string { return first(when(f.ManyTabs, "the window has one tab"), idle(f)) }
func filtered(f Facts) string { return when(f.Filtered, "no filter is set; / sets one") }
func answerable(f Facts) string {
	return first(when(f.Dialog, "no page dialog is shown"), mutates(f))
}

func takesNoText(f Facts) string { return when(f.Prompts, "the dialog is no prompt and takes no text") }

func asksNothing(f Facts) string { return when(f.Prompts, "this action takes nothing that is typed") }

func typing(f Facts) string {
	return first(when(f.Types, "the action under the cursor types nothing"), idle(f))
}

func copyable(f Facts) string   { return when(f.Copyable, "there is nothing to copy here") }
func notOnePane(f Facts) string { return when(!f.OnePane, "there is room for one pane only") }
func folds(f Facts) string      { return when(f.Foldable, "nothing to fold in this pane") }

func hasSnapshot(f Facts) string { return when(f.Snapshot, "there is no snapshot") }

func hasSnapshotOrJournal(f Facts) string {
	return when(f.Snapshot || f.Journal, "there is nothing to open")
}

func hasEarlier(f Facts) string {
	return first(hasSnapshot(f), when(f.Earlier, "this is the first segment"))
}

func hasMore(f Facts) string {
	return first(hasSnapshot(f), when(f.More, "this is the last segment"), idle(f))
}

func hasRef(f Facts) string {
	return first(hasSnapshot(f), when(f.Ref != "", "the selection has no ref"), idle(f))
}

func scopes(f Facts) string {
	return first(reads(f), hasSnapshot(f), when(f.Ref != "", "the selection has no ref"))
}
