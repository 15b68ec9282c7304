package observe_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/snapshotfmt"
)

// Why the two collectors differ.
const (
	masked    = "the protocol collector judges no masks, and no filters but opacity(): hit testing does not know them"
	shaped    = "the protocol collector knows the shape inset alone: of others, hit testing says that nothing is hit there"
	behindIt  = "what generated content paints is not read by the protocol collector: it sees what takes the pointer, not that it hides"
	selects   = "Chromium tells a closed native select as a menu that can be expanded; computed, its role says so"
	implied   = "Chromium fills in the state that the role implies where the page writes none"
	nested    = "Chromium counts the nesting of lists as their level"
	oneLine   = "Chromium tells no editable host as multiline"
	grouped   = "Chromium makes a group of what is draggable, and of a g with listeners"
	media     = "Chromium names media that cannot be played by its own overlay"
	undrawn   = "what is not rendered has no accessibility and so no name there"
	unmodal   = "whether a dialog that is not displayed is modal is told by nothing in the protocol"
	apart     = "where a link in a text has no box, runs of text are set apart by boxes here and by display there"
	wholePx   = "the protocol hits whole px alone: a control of 4 px under a round corner is hit in one of them"
	summaries = "Chromium calls every summary of a details one that discloses it, not the first alone"
	content   = "what a page sets for ::details-content is in no snapshot: closed, its content counts as shown by what is hit"
	svgGroup  = "an undisplayed g of an SVG has no layout while what is in it has: it is taken for display: contents"
	firstArea = "which of two areas of a map is first at a point is judged by the survey alone"
	inColumn  = "that a table column is collapsed is not in the layout snapshot of its cells"
	faces     = "that an element of a page's own making is disabled is in neither tree"
	inFrame   = "the browser's focus is in the frame, the document's own on the frame element"
	atCut     = "a space at the cut is counted as left out here and as shown there"
	belowFold = "the protocol hits what is in the window alone: what lies over a control out of view, and which side it shows, no reply tells"
	instead   = "what an object shows that cannot be loaded is in no layout of the protocol collector"
	unpaints  = "what a button or link paints, its text and its ground, is put together by the survey alone"
	closedOwn = "text right in a closed details is not rendered; the survey names its element by it all the same"
)

// differences between the collectors: "page#id", or "page role name" of a node
// without an id, and why. One that no longer occurs fails the test.
var differences = map[string]string{
	"clip#mask0": masked, "clip#masksz": masked, "paint#mtwo": masked, "paint#murle": masked, "paint#murlb": masked, "paint#murlm": masked, "paint#mrad": masked,
	"paint#mpos": masked, "paint#fo2": masked, "paint#foe": masked, "paint#furl": masked, "details-svg-near#svgmask": masked, "details-svg-near#nearmask": masked,
	"frames-styled#f15": masked, "sheets-adopted#m": masked, "sheets-import#m": masked, "sheets-insert#m": masked, "sheets-link#m": masked, "sheets-media#m": masked,
	"sheets-rules#m": masked, "sheets-shadow#m": masked, "sheets-typed#m": masked,
	"frames-styled iframe \"\"": "frames under masks and clip shapes: as for controls, each of which is listed by its id",

	"clip#cc0": shaped, "clip#ccoff": shaped, "clip#ce0": shaped, "clip#cp1": shaped, "clip#cpath0": shaped, "clip#cpfix": shaped, "clip#cpabs": shaped,
	"paint#cpanc": shaped, "paint#cpathanc": shaped, "details-svg-near#polydeg": shaped, "details-svg-near#nearpath": shaped,
	"frames-styled#f12": shaped, "frames-styled#f13": shaped, "zoomed#zp2": shaped, "zoomed#sp2": shaped, "zoomed#zq2": shaped,

	"overlays#after": behindIt, "overlays#before": behindIt, "covered#under-pseudo": behindIt,

	"details-svg-near#selc": selects, "tables#s1": selects, "tables#s4": selects, "tables#s5": selects, "form#fruit": selects, "drawn#sel": selects, "widgets#se6": selects, "actions#choice": selects,
	"roles#r4": implied, "roles#r6": implied, "roles#r7": implied, "roles#btntab": implied, "hidden#inlist": implied,
	"links#li1": nested, "links#li2": nested, "tables#lii": nested,
	"roles#ce": oneLine, "roles#cep": oneLine, "roles#cet": oneLine, "roles#cebtn": oneLine,
	"roles#svgg": grouped, "roles#drag": grouped,
	"hidden#vid": media, "hidden#aud": media, "overlays video \"\"": media,
	"hidden#hufself": undrawn, "hidden#cvhself": undrawn,
	"modal-undisplayed-fold#a": unmodal, "modal-undisplayed-fold#b": unmodal, "modal-undisplayed#bg": unmodal,
	"links text \"textempty stretched link\"": apart, "links text \"zero font visible text\"": apart,
	"frames#f31": wholePx, "hidden#sum5b": summaries, "hidden#dcvis": content, "details-svg-near#dc1": content,
	"details-svg-near#svgdn": svgGroup, "links#area12": firstArea, "tables#colc": inColumn, "paint#face": faces,
	"fold#later": belowFold, "fold#faded": belowFold, "fold#above": belowFold, "fold#clear": belowFold, "fold#tint": belowFold, "fold#deep": belowFold, "fold#inner": belowFold, "fold#pulled": belowFold, "fold#fade": belowFold,
	"fold#stacked": belowFold, "fold#raised": belowFold, "fold#ordered": belowFold, "fold#framed": belowFold, "fold#frameback": belowFold,
	"fold#after": belowFold, "fold#before": belowFold, "fold#beside": belowFold, "fold#static": belowFold, "fold#afterlink": belowFold, "fold#pill": belowFold, "fold#oval": belowFold, "fold#undertext": belowFold, "fold#underimage": belowFold,
	"fold#underframe": belowFold, "fold#undervideo": belowFold, "fold#underbutton": belowFold, "fold#sunk": belowFold, "fold#sunken": belowFold, "fold#understicky": belowFold, "fold#under-card": belowFold, "fold#scrolled": belowFold, "fold#back": belowFold, "fold#back2": belowFold, "fold#back3": belowFold,
	"details-svg-near#nearcov": belowFold, "details-svg-near#nearf": belowFold, "details-svg-near#nearback": belowFold,
	"lists#h2": belowFold, "lists#last": belowFold, "ends#under": belowFold, "scrolled#z": belowFold, "covered-page#z": belowFold,

	"embeds#obf":     instead,
	"svg-events#mk1": masked, "svg-events#mk4": masked, "svg-events#mk5": masked, "svg-events#mk7": masked, "svg-events#gmask": masked, "embeds#e41": masked, "paint#mlum": masked,
	"uncommon#fflood": masked, "uncommon#fzeroa": masked, "uncommon#mclear": masked, "uncommon#mclip": masked, "uncommon#mconic": masked, "uncommon#mrep": masked, "uncommon#mrgb0": masked,
	"fold#cutrect": shaped, "fold#cutcircle": shaped, "fold#cutfar": shaped, "fold#cutsvg": shaped, "fold#cutnone": shaped,
	"svg-events#gclip": shaped, "details-svg-near#svgclip": shaped, "svg-events#cu2": shaped, "svg-events#cu5": shaped, "svg-events#cu6": shaped,
	"fold#svgrect": belowFold, "fold#svgclear": belowFold, "fold#svgcircle": belowFold, "fold#svgunpainted": unpaints,
	"clip#cpurl0": shaped, "clip#ccalc": shaped, "uncommon#cprect": shaped, "uncommon#cpnone": shaped, "uncommon#cpfar": shaped,
	"uncommon#cpout": shaped, "uncommon#cpanc": shaped, "uncommon#cpm": shaped, "geometry#colall": unpaints, "uncommon#tfill": unpaints, "uncommon#tcol": unpaints, "uncommon#tempty": unpaints,
	"flow#white": unpaints, "uncommon#white": unpaints, "uncommon#inborder": unpaints, "uncommon#same": unpaints, "uncommon#whitebutton": unpaints, "uncommon#whiterole": unpaints, "uncommon text \"nobody can read this\"": unpaints,
	"uncommon#clearfar": unpaints, "uncommon#tfar": unpaints, "uncommon#whitefar": unpaints,
	"uncommon#opts": selects, "uncommon#vid": media,
	"embeds iframe \"\"": "as in frames-styled", "embeds video \"\"": media,
	"rerender listitem \"Alpha\"": implied, "rerender listitem \"Beta\"": implied, "rerender listitem \"Gamma\"": implied,
	"frames iframe \"\"": inFrame, "keys group \"Details\"": closedOwn, "escape#huge": atCut,
}

// protocol holds the survey, which walks in the page, against the protocol's
// own trees.
func (b *book) protocol(t *testing.T, sh *sheet) {
	survey := byIdentity(t, sh.first)
	protocol := byIdentity(t, read(t, sh.page, observe.Options{Collector: observe.CollectProtocol}))
	for k := range union(survey, protocol) {
		one, other := survey[k], protocol[k]
		what := apartFrom(one, other)
		if what == "" || one.outOfTime() || other.outOfTime() {
			continue
		}
		key := nameOf(sh.name, one, other)
		if differences[key] == "" {
			t.Errorf("%s: %s", key, what)
		}
		b.note(func() { delete(b.differences, key) })
	}
}

// listed is an entry with the id attribute of its element.
type listed struct {
	*snapshotfmt.Entry
	id string
}

// outOfTime says that nothing was found out of a node: its hit tests had spent
// their budget.
func (l listed) outOfTime() bool {
	return l.Entry != nil && l.Visibility == snapshotfmt.UnknownTier && l.Why == "budget"
}

// byIdentity are the entries of a page by k, which both collectors share.
func byIdentity(t *testing.T, got *taken) map[int]listed {
	t.Helper()
	ks, nodes := described(t, got.page, got.entries)
	out := map[int]listed{}
	for i := range got.entries {
		out[ks[i]] = listed{&got.entries[i], nodes[i].ID}
	}
	return out
}

func union(a, b map[int]listed) map[int]bool {
	out := map[int]bool{}
	for k := range a {
		out[k] = true
	}
	for k := range b {
		out[k] = true
	}
	return out
}

// nameOf is the key of a node in the table of differences.
func nameOf(page string, a, b listed) string {
	if a.Entry == nil {
		a = b
	}
	if a.id != "" {
		return page + "#" + a.id
	}
	return fmt.Sprintf("%s %s %q", page, a.Role, a.Name)
}

// apartFrom says in what two entries of one node differ, "" for nothing.
func apartFrom(a, b listed) string {
	switch {
	case a.Entry == nil:
		return fmt.Sprintf("only the protocol lists it: %s %q %s %v %s", b.Role, b.Name, b.Visibility, b.Actions, b.Why)
	case b.Entry == nil:
		return fmt.Sprintf("only the survey lists it: %s %q %s %v %s", a.Role, a.Name, a.Visibility, a.Actions, a.Why)
	}
	var out []string
	add := func(what string, x, y any) {
		if x, y := fmt.Sprint(x), fmt.Sprint(y); x != y {
			out = append(out, fmt.Sprintf("%s %q is %q by the protocol", what, x, y))
		}
	}
	add("role", a.Role, b.Role)
	add("name", a.Name, b.Name)
	add("states", statesText(a.States), statesText(b.States))
	add("tier", a.Visibility, b.Visibility)
	if !slices.Equal(a.Actions, b.Actions) {
		add("actions", append(slices.Clone(a.Actions), a.Why), append(slices.Clone(b.Actions), b.Why))
	}
	return strings.Join(out, "; ")
}

func statesText(s snapshotfmt.States) string {
	tri := func(b *bool) string {
		if b == nil {
			return ""
		}
		return fmt.Sprint(*b)
	}
	text := "expanded " + tri(s.Expanded) + " selected " + tri(s.Selected)
	s.Expanded, s.Selected = nil, nil
	return fmt.Sprintf("%s %+v", text, s)
}

// TestADeepDocumentIsReadInParts: what the browser cannot send in one reply is
// read in several, and what is beyond their budget is said to be missing.
func TestADeepDocumentIsReadInParts(t *testing.T) {
	conn := enginetest.Chromium(t)
	s := enginetest.Open(t, conn, "about:blank")
	page := observe.NewPage(conn, s, "deep-world")
	const deepJS = `((n) => {
  document.body.innerHTML = '<button id=first>First</button>';
  let e = document.body;
  for (let i = 0; i < n; i++) { const d = document.createElement('div'); e.append(d); e = d; }
  e.innerHTML = '<button id=last>Last</button>';
  return document.getElementsByTagName('*').length;
})(%d)`
	for _, tt := range []struct {
		levels int
		whole  bool
	}{{100, true}, {600, true}} {
		t.Run(fmt.Sprint(tt.levels), func(t *testing.T) {
			var elements int
			enginetest.Eval(t, s, fmt.Sprintf(deepJS, tt.levels), &elements)
			got := read(t, page, observe.Options{Collector: observe.CollectProtocol})
			byID := offered(t, got)
			info := got.last()
			if len(byID["first"]) != 1 || info.Collector != observe.CollectProtocol || info.Meaning != "accessibility" {
				t.Errorf("%d entries of the first button; %+v", len(byID["first"]), info)
			}
			if whole := len(byID["last"]) == 1; whole != tt.whole || info.Complete != tt.whole || (info.PartialWhy == "") != tt.whole {
				t.Errorf("the last is listed: %v; %+v", whole, info)
			}
		})
	}
}
