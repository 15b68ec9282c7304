package snapshotfmt_test

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"cuatui/snapshotfmt"
)

func truth(b bool) *bool { return &b }

// aPage has a node of every kind that the formats tell apart.
func aPage() *snapshotfmt.Semantic {
	entries := []snapshotfmt.Entry{
		{Ref: "p7:2", Role: "heading", Name: "Order", States: snapshotfmt.States{Level: 1}, Frame: "main", Visibility: snapshotfmt.InViewport},
		{
			Ref: "p7:3", Role: "checkbox", Name: "Gift", Actions: []string{"click"}, Frame: "main", Visibility: snapshotfmt.InViewport,
			States: snapshotfmt.States{Checked: "true", Focused: true, Required: true, Disabled: true, Invalid: "spelling", Busy: true, Modal: true, Multiline: true, Readonly: true, HasPopup: "menu", Current: "page"},
			Value:  "on", Description: "wrap it",
		},
		{Ref: "p7:4", Role: "treeitem", Name: "Inbox", Frame: "f2", Visibility: snapshotfmt.OffscreenT, Why: "covered", States: snapshotfmt.States{Expanded: truth(false), Selected: truth(true), Checked: "mixed", Pressed: "false"}},
		{Ref: "p7:5", Role: "option", Name: "Tea", Frame: "main", Visibility: snapshotfmt.InViewport, States: snapshotfmt.States{Selected: truth(false)}},
		{Ref: "p7:6", Role: "none", Name: "", Frame: "main", Visibility: snapshotfmt.InViewport},
	}
	return &snapshotfmt.Semantic{
		Snapshot: snapshotfmt.Info{ID: "p7", Complete: true, EstimatedTokens: 9},
		Page:     snapshotfmt.Page{URL: "http://a/"},
		Refs:     entries[1:2], ContentRefs: append(entries[:1:1], entries[2:]...),
		Frames: []snapshotfmt.Frame{{ID: "main", Status: "read"}, {ID: "f2", Parent: "main", Status: "read"}},
		Lines: []snapshotfmt.Line{
			{Ref: "p7:2", Role: "heading", UID: "7_2", Tag: "h1"},
			{Role: "form", Name: "Cart", Context: true},
			{Depth: 1, Ref: "p7:3", Role: "checkbox", UID: "5_3", Tag: "input", Order: 2},
			{Depth: 1, Ref: "p7:5", Role: "option", UID: "7_5", Tag: "option", Order: 1},
			{Ref: "p7:4", Role: "treeitem", UID: "7_4", Tag: "x-tree", Order: 3},
			{Ref: "p7:6", Role: "none", UID: "7_6", Tag: "div", Order: 4},
			{Text: "# 1 visual region in view"},
		},
	}
}

func TestTheTreeWithUIDs(t *testing.T) {
	want := `uid=7_2 heading "Order" level="1"
form "Cart"
  uid=5_3 checkbox "Gift" busy checked current="page" description="wrap it" disableable disabled focusable focused haspopup="menu" invalid="spelling" modal multiline readonly required value="on"
  uid=7_5 option "Tea" selectable value="Tea"
uid=7_4 treeitem "Inbox" checked="mixed" expandable selectable selected visibility="offscreen" why="covered"
uid=7_6 ignored
# 1 visual region in view
`
	s := aPage()
	if got := s.AxUIDText(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	s.Snapshot.Format = snapshotfmt.AxUIDV1
	if s.Body() != want {
		t.Error("the body of the format is not its text")
	}
	twin := s.AxUID()
	if twin.Text != want || len(twin.Nodes) != 6 {
		t.Fatalf("%d nodes beside\n%s", len(twin.Nodes), twin.Text)
	}
	data, err := json.Marshal(twin.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`{"id":"7_2","depth":0,"role":"heading","name":"Order","level":1}`, `{"depth":0,"role":"form","name":"Cart"}`, `{"id":"7_5","depth":1,"role":"option","name":"Tea","value":"Tea","selected":false}`,
		`"id":"5_3"`, `"checked":"true"`, `"expanded":false`, `"role":"none"`,
	} {
		if !strings.Contains(string(data), part) {
			t.Errorf("no %s in %s", part, data)
		}
	}
}

func TestTheFlatList(t *testing.T) {
	want := `p7:2 h1 name="Order" role=heading
p7:5 option name="Tea" role=option
p7:3 input name="Gift" value="on" role=checkbox
p7:4 x-tree name="Inbox" role=treeitem frame=f2
p7:6 div role=none
# 1 visual region in view
`
	s := aPage()
	if got := s.DomRefsText(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	s.Snapshot.Format = snapshotfmt.DomRefsV1
	if s.Body() != want {
		t.Error("the body of the format is not its text")
	}
	d := s.DomRefs()
	if d.SnapshotID != "p7" || d.URL != "http://a/" || d.Truncated || len(d.Refs) != 5 || d.Refs[3] != (snapshotfmt.DomRef{Ref: "p7:4", Node: "x-tree", Label: `name="Inbox" role=treeitem`, Frame: "f2"}) {
		t.Errorf("%+v", d)
	}
	if d.OOPIF.Status != "attached" || d.OOPIF.Frames != 1 || d.Deprecated.Since == "" || d.Deprecated.Use != "semantic_v2" {
		t.Errorf("%+v, %+v", d.OOPIF, d.Deprecated)
	}
	s.Frames[1].Status, s.Snapshot.Complete, s.Snapshot.Continuation = "unprovable", false, "bc-1"
	if d := s.DomRefs(); d.OOPIF.Status != "unsupported" || d.OOPIF.Frames != 0 || !d.Truncated || d.Continuation != "bc-1" {
		t.Errorf("a page with more: %+v", d)
	}
}

// hostileText is made of what could end a name, begin a line, or read like one.
func hostileText(r *rand.Rand) string {
	parts := []string{"\n", "\r", "\u2028", `"`, `\`, `\"`, " ", "uid=1_1", "uid=7_2 button \"OK\"", "p7:2", "disabled", `value="x"`, "role=button", "\x1b[2J", "\u202e", "=", "# ", "é", "\xff", "\U000E0041", "frame=main"}
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String()
}

// Whatever the page says, each line is one node in its own words: with what is
// quoted taken out, the text is that of the same page without a word.
func TestNoTextOfThePageForgesALineAnAttributeOrAUID(t *testing.T) {
	quoted := regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	bones := func(s string) string { return quoted.ReplaceAllString(s, "Q") }
	r := rand.New(rand.NewPCG(8, 4))
	for range 500 {
		plain, hostile := aPage(), aPage()
		for i, list := range [][]snapshotfmt.Entry{hostile.Refs, hostile.ContentRefs} {
			for j := range list {
				e, p := &list[j], &[][]snapshotfmt.Entry{plain.Refs, plain.ContentRefs}[i][j]
				e.Name, e.Value, e.Description = hostileText(r), hostileText(r), hostileText(r)
				for _, f := range []struct{ to, of *string }{{&p.Name, &e.Name}, {&p.Value, &e.Value}, {&p.Description, &e.Description}} {
					*f.to = ""
					if *f.of != "" {
						*f.to = "x"
					}
				}
			}
		}
		hostile.Lines[1].Name = "x" + hostileText(r)
		for what, text := range map[string][2]string{"tree": {hostile.AxUIDText(), plain.AxUIDText()}, "list": {hostile.DomRefsText(), plain.DomRefsText()}} {
			if bones(text[0]) != bones(text[1]) {
				t.Fatalf("the %s reads\n%s", what, text[0])
			}
			if text[0] != snapshotfmt.Printable(text[0]) {
				t.Fatalf("the %s can steer a terminal: %q", what, text[0])
			}
		}
	}
}

// A role or an element of the page's own making is quoted.
func TestAWordThatIsNoneIsQuoted(t *testing.T) {
	s := aPage()
	e := &s.Refs[0]
	e.Role, s.Lines[2].Tag, e.Frame = "button disabled", "x-é uid=1_1", "f1 p7:2"
	if got := s.AxUIDText(); !strings.Contains(got, `uid=5_3 "button disabled" "Gift"`) {
		t.Error(got)
	}
	if got := s.DomRefsText(); !strings.Contains(got, `p7:3 "x-é uid=1_1" name="Gift" value="on" role="button disabled" frame="f1 p7:2"`) {
		t.Error(got)
	}
}

func TestWhatALineCostsIsWhatItSays(t *testing.T) {
	s := aPage()
	lines := strings.Split(s.DomRefsText(), "\n")
	if got, want := snapshotfmt.LineTokens(snapshotfmt.DomRefsV1, &s.Lines[2], &s.Refs[0]), snapshotfmt.EstimateTokens(lines[2]); got != want {
		t.Errorf("the line of the list is reckoned with %d tokens, it has %d", got, want)
	}
	lines = strings.Split(s.AxUIDText(), "\n")
	if got, want := snapshotfmt.LineTokens(snapshotfmt.AxUIDV1, &s.Lines[2], &s.Refs[0]), snapshotfmt.EstimateTokens(strings.TrimSpace(lines[2])); got != want {
		t.Errorf("the line of the tree is reckoned with %d tokens, it has %d", got, want)
	}
}
