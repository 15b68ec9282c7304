package pane

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/theme"
)

func paint() *draw.Paint { return &draw.Paint{Theme: theme.New(true, true)} }

// text draws a pane and returns it without styles.
func text80(p Pane, h int) string {
	return ansi.Strip(strings.Join(p.Draw(paint(), 80, h, true), "\n"))
}

func TestAnActionSaysWhyItIsNotAccepted(t *testing.T) {
	entry := func(change func(*snapshotfmt.Entry)) *snapshotfmt.Entry {
		e := &snapshotfmt.Entry{
			Ref: "p1:1", Role: "button", Name: "Send", Actions: []string{"click"}, Visibility: snapshotfmt.InViewport,
			Routes: map[string][]string{"click": {"trusted_key", "dom_event"}},
		}
		change(e)
		return e
	}
	tests := []struct {
		name string
		e    *snapshotfmt.Entry
		want [3]string // of trusted_key, dom_event, trusted
	}{
		{"all routes", entry(func(*snapshotfmt.Entry) {}), [3]string{"", "", ""}},
		{"covered", entry(func(e *snapshotfmt.Entry) {
			e.Visibility, e.Routes = snapshotfmt.PageOccluded, nil
		}), [3]string{"the node is covered", "the node is covered", "the node is covered"}},
		{"no key contract", entry(func(e *snapshotfmt.Entry) { e.Routes = map[string][]string{"click": {"dom_event"}} }), [3]string{
			"this ref does not accept the route", "", "",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			items := NewActions(tt.e, "", ActOptions{}).items
			for i, route := range []string{"trusted_key", "dom_event", "trusted"} {
				at := slices.IndexFunc(items, func(it Item) bool { return it.Key == "click · "+route })
				if at < 0 || items[at].Why != tt.want[i] {
					t.Errorf("%s: at %d of %+v, want %q", route, at, items, tt.want[i])
				}
			}
			if !slices.IsSortedFunc(items, func(a, b Item) int { return min(len(a.Why), 1) - min(len(b.Why), 1) }) {
				t.Error("what would be accepted does not come first")
			}
			for _, it := range NewActions(tt.e, "the binding is lost", ActOptions{}).items {
				if it.Why != "the binding is lost" {
					t.Errorf("of a lost binding, %s: %q", it.Name, it.Why)
				}
			}
		})
	}
}

func TestALineKeepsItsRefHoweverNarrow(t *testing.T) {
	l := snapshotfmt.Line{K: 7, Ref: "p1:7", Role: "text", Text: `- text "` + strings.Repeat("long ", 40) + `" p1:7 click`}
	o := &Outline{}
	o.Set([]snapshotfmt.Line{l}, "")
	for w := 24; w < 240; w += 9 {
		if got := ansi.Strip(o.Draw(paint(), w, 1, true)[0]); !strings.Contains(got, "p1:7") {
			t.Errorf("%d cells: %q", w, got)
		}
	}
}

func TestADeepTreeKeepsRoomForText(t *testing.T) {
	var lines []snapshotfmt.Line
	for i := range 200 {
		lines = append(lines, snapshotfmt.Line{Depth: i, K: i + 1, Role: "group", Text: fmt.Sprintf("group %d", i)})
	}
	o := &Outline{}
	o.Set(lines, "")
	o.Do(cmdtable.End)
	if got := text80(o, 5); !strings.Contains(got, "199›") || !strings.Contains(got, "group 199") {
		t.Errorf("the deepest lines:\n%s", got)
	}
}

func TestFoldingHidesTheSubtreeOnly(t *testing.T) {
	o := &Outline{}
	o.Set([]snapshotfmt.Line{
		{Depth: 0, K: 1, Text: "a"},
		{Depth: 1, K: 2, Text: "a1"},
		{Depth: 2, K: 3, Text: "a11"},
		{Depth: 1, K: 4, Text: "a2"},
		{Depth: 0, K: 5, Text: "b"},
	}, "")
	o.Do(cmdtable.Down)
	o.Do(cmdtable.Left)
	if got := text80(o, 6); strings.Contains(got, "a11") || !strings.Contains(got, "a1  +1") || !strings.Contains(got, "a2") {
		t.Errorf("a1 folded:\n%s", got)
	}
	o.Do(cmdtable.Left) // to the parent
	o.Do(cmdtable.Left) // and fold it
	if got := strings.Fields(text80(o, 6)); !strings.Contains(strings.Join(got, " "), "a +3 · b") {
		t.Errorf("a folded: %q", got)
	}
}

func TestAProofNeedsNoColour(t *testing.T) {
	d := NewProof("x", []refusal.Step{
		{Step: "tab", Verdict: refusal.Pass, Want: "1", Got: "1"},
		{Step: "ref", Verdict: refusal.Fail, Want: "p43", Got: "p42"},
		{Step: "hit", Verdict: refusal.NotRun},
	})
	got := text80(d, 3)
	for _, want := range []string{"✓ pass     tab  got 1, as wanted", "✗ fail     ref  want p43  got p42", "· not run  hit  –"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	if _, note := d.Head(); note != "1 of 3 steps hold, stopped at ref" {
		t.Errorf("note = %q", note)
	}
}

func TestEveryEffectAndTierHasAWord(t *testing.T) {
	for _, e := range []refusal.Effect{
		refusal.EffectConfirmed, refusal.EffectDispatched, refusal.EffectPartial,
		refusal.EffectNone, refusal.EffectSuspectedNoop, refusal.EffectUnknown,
	} {
		if effects[e].word == "" || effects[e].why == "" {
			t.Errorf("effect %s has no words", e)
		}
	}
	for _, tier := range []snapshotfmt.Tier{
		snapshotfmt.InViewport, snapshotfmt.NearViewport, snapshotfmt.OffscreenT, snapshotfmt.CSSHidden,
		snapshotfmt.NoLayoutT, snapshotfmt.PageOccluded, snapshotfmt.UnknownTier,
	} {
		if tiers[tier].word == "" {
			t.Errorf("tier %s has no word", tier)
		}
	}
	for _, r := range snapshotfmt.OmitReasons {
		if omissions[r] == "" {
			t.Errorf("omission %s has no words", r)
		}
	}
}

func TestTheJournalKeepsTheNewestCalls(t *testing.T) {
	j := &Journal{}
	for i := range maxCalls + 10 {
		j.Add(Call{Tool: "t", About: fmt.Sprint(i), Outcome: Ok})
	}
	if len(j.calls) != maxCalls || j.calls[0].About != "10" {
		t.Errorf("%d calls, the oldest %s", len(j.calls), j.calls[0].About)
	}
	if c, _ := j.Selected(); c.About != fmt.Sprint(maxCalls+9) {
		t.Errorf("the cursor is on %s", c.About)
	}
	j.Do(cmdtable.Down)
	c, _ := j.Selected()
	j.Add(Call{Tool: "t", About: "new", Outcome: Ok})
	if now, _ := j.Selected(); now.About != c.About {
		t.Errorf("a new call moved the cursor from %s to %s", c.About, now.About)
	}
}

func TestAFailureIsNoRefusal(t *testing.T) {
	d := NewFailure("browser_click", contract.NewCallError(errors.New("read pipe: closed")))
	got := text80(d, 8)
	if !strings.Contains(got, "This is no refusal") || strings.Contains(got, "pipe") {
		t.Errorf("failure:\n%s", got)
	}
}

// Every kind of action that a ref declares is there, with the call that does it;
// what cannot be fired says so.
// Every kind is on the page of actions: what is declared first, in every way of
// it, then what is not, with the reason. All of it can be fired.
func TestEveryKindOfActionIsThere(t *testing.T) {
	ways := map[string][]string{
		"click": {"trusted_key", "dom_event", "trusted"}, "type": {"insert_text", "keystrokes"}, "select": {"label", "value"},
		"upload": {""}, "scroll": {""}, "pointer": {"", "dom_event", "trusted", "dom_event", "trusted", "dom_event", "trusted"}, "press": {""},
	}
	for _, kinds := range [][]string{{"select"}, {"upload"}, {"scroll"}, {"click", "type", "pointer"}, {"click", "pointer", "scroll"}, {"fly"}, {}} {
		t.Run(strings.Join(kinds, ","), func(t *testing.T) {
			e := &snapshotfmt.Entry{Ref: "p1:2", Role: "x", Actions: kinds, Visibility: snapshotfmt.InViewport, Routes: map[string][]string{"click": {"trusted_key", "dom_event"}}}
			got, refused := map[string][]string{}, 0
			for i, it := range NewActions(e, "", ActOptions{}).items {
				d, ok := DeedOf(it)
				if it.Name == "fly" {
					if ok || i != 0 || !strings.Contains(it.About, "no tool is known") {
						t.Errorf("fly: %+v", it)
					}
					continue
				}
				got[d.Kind] = append(got[d.Kind], d.How)
				declared := slices.Contains(kinds, d.Kind) || d.Kind == "press" && len(kinds) > 0
				switch {
				case !ok:
					t.Errorf("%s cannot be fired", it.Name)
				case declared != (it.Why == "") || !declared && !strings.Contains(it.Why, "declare"):
					t.Errorf("%s: %q", it.Name, it.Why)
				case declared && refused > 0:
					t.Errorf("%s stands behind what is not declared", it.Name)
				}
				if !declared {
					refused++
				}
			}
			for kind, want := range ways {
				if !slices.Contains(kinds, kind) && kind != "press" {
					want = want[:1]
				}
				if !slices.Equal(got[kind], want) {
					t.Errorf("%s: %q, want %q", kind, got[kind], want)
				}
			}
		})
	}
	off := &snapshotfmt.Entry{Ref: "p1:2", Role: "button", Why: "disabled", Visibility: snapshotfmt.InViewport}
	for _, it := range NewActions(off, "", ActOptions{}).items {
		if it.Why != "disabled" {
			t.Errorf("of what is disabled, %s: %q", it.Name, it.Why)
		}
	}
}

// Nothing said of a choice is lost to a narrow terminal: below the list stands
// the whole of the one under the cursor, and no choice is hidden by it.
func TestAMenuShowsTheWholeOfTheChoice(t *testing.T) {
	var items []Item
	for i := range 30 {
		items = append(items, Item{Mark: draw.Of(theme.Text, "·"), Name: fmt.Sprintf("name-%d", i), About: fmt.Sprintf("about %d: %s end-%d", i, strings.Repeat("many words ", 12), i)})
		if i%3 == 0 {
			items[i].Why = fmt.Sprintf("reason-%d", i)
		}
	}
	for _, h := range []int{10, 19, 60} {
		m := NewMenu("Choices", "", items)
		for i := range items {
			got := text80(m, h)
			flat := strings.Join(strings.Fields(got), " ")
			for _, want := range []string{fmt.Sprintf("about %d: many", i), fmt.Sprintf("end-%d", i), items[i].Why} {
				if !strings.Contains(flat, want) {
					t.Fatalf("%d lines, choice %d lacks %q:\n%s", h, i, want, got)
				}
			}
			if n := strings.Count(got, "\n") + 1; n != h || !strings.Contains(got, "▌") {
				t.Fatalf("%d lines, want %d:\n%s", n, h, got)
			}
			m.Do(cmdtable.Down)
		}
	}
	m := NewMenu("Choices", "", items)
	_ = text80(m, 19)
	m.Click(18) // the last line of what is said of the choice
	if it, _ := m.Selected(); it.Name != "name-0" {
		t.Errorf("a click below the list chose %s", it.Name)
	}
	short := NewMenu("Choices", "", []Item{{Name: "a", About: "fits"}})
	if got := strings.TrimSpace(text80(short, 5)); strings.Contains(got, "\n") || short.Want(paint(), 80) != 1 {
		t.Errorf("what fits is said twice:\n%s", got)
	}
}

// Notes of the list are facts in full sentences: they wrap.
func TestNotesOfTheListWrap(t *testing.T) {
	l := &Windows{}
	note := strings.Repeat("windows of other programs are not listed ", 5) + "end"
	l.Set(&contract.ListWindowsResult{System: "linux/x11", Notes: []string{note, "another end2"}})
	if got := text80(l, 19); !strings.Contains(got, "end") || !strings.Contains(got, "end2") {
		t.Errorf("a note is cut:\n%s", got)
	}
	l.Set(&contract.ListWindowsResult{System: "linux/x11", Notes: []string{note, "another end2"}, Windows: []contract.NativeWindow{{PID: 1, WindowID: 2}}})
	if got := text80(l, 19); !strings.Contains(got, " end ") || !strings.Contains(got, "end2") {
		t.Errorf("a note is cut:\n%s", got)
	}
	if got := text80(l, 9); !strings.Contains(got, "more: a higher terminal has room") || strings.Count(got, "\n") != 8 {
		t.Errorf("what there is no room for is not counted:\n%s", got)
	}
}

// A verdict of a list that stands still is not shown as one that holds.
func TestAVerdictOfBeforeIsMuted(t *testing.T) {
	l := &Windows{}
	l.Set(&contract.ListWindowsResult{Windows: []contract.NativeWindow{{PID: 1, WindowID: 2, WouldBind: contract.WouldBind{Verdict: "exact"}}}})
	good := theme.New(true, true).Ink(theme.Good)
	for pace, want := range map[string]bool{Live: true, "paused": false, "not live since 12:00:00": false, "as it was": false} {
		l.Pace(pace)
		all := strings.Join(l.Draw(paint(), 80, 12, true), "")
		if got := strings.Contains(all, good.Open(true)+"● exact") || strings.Contains(all, good.Open(false)+"● exact"); got != want {
			t.Errorf("%s: shown as good: %v", pace, got)
		}
	}
}

// What a control takes no action for is said with what it means and what to do.
func TestTheDetailSaysWhatAControlWithoutAnActionNeeds(t *testing.T) {
	d := NewDetail()
	for _, i := range snapshotfmt.Inerts {
		d.ShowEntry(&snapshotfmt.Entry{Ref: "p1:1", Role: "button", Name: "Send", Why: i.Why, Visibility: snapshotfmt.InViewport})
		got := strings.Join(strings.Fields(text80(d, 40)), " ")
		if !strings.Contains(got, "no action: "+i.Why) || !strings.Contains(got, i.Meaning) || !strings.Contains(got, i.Do) {
			t.Errorf("of %s it says %s", i.Why, got)
		}
	}
}

// The table is ordered by one column after the other, back to the snapshot's own
// order; equal rows stay as they were, and the cursor on its row.
func TestRefsAreSorted(t *testing.T) {
	r := &Refs{}
	r.Set([]snapshotfmt.Entry{
		{Ref: "p1:1", Role: "link", Name: "b", Frame: "main", Visibility: snapshotfmt.OffscreenT, Actions: []string{"click"}},
		{Ref: "p1:2", Role: "button", Name: "A", Frame: "main", Visibility: snapshotfmt.InViewport, Actions: []string{"type"}},
		{Ref: "p1:3", Role: "link", Name: "a", Frame: "f1", Visibility: snapshotfmt.InViewport, Actions: []string{"click"}},
	}, nil, "")
	r.Select("p1:2")
	for _, want := range []string{"role 2 1 3", "name 2 3 1", "actions 1 3 2", "tier 2 3 1", "frame 3 1 2", " 1 2 3"} {
		got := r.Sort()
		for _, e := range r.entries {
			got += " " + nodeID(e.Ref)
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if e := r.Selected(); e == nil || e.Ref != "p1:2" {
			t.Errorf("%s: the cursor is on %+v", want, e)
		}
		by, _, _ := strings.Cut(want, " ")
		if _, note := r.Head(); by != "" && !strings.HasSuffix(note, " by "+by) {
			t.Errorf("%s: the note is %q", want, note)
		}
	}
}
