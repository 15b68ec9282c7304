package pane

import (
	"errors"
	"fmt"
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
		{"disabled", entry(func(e *snapshotfmt.Entry) { e.Actions, e.Routes, e.Why = nil, nil, "disabled" }), [3]string{"disabled", "disabled", "disabled"}},
		{"content", entry(func(e *snapshotfmt.Entry) { e.Actions, e.Routes = nil, nil }), [3]string{
			"the ref does not declare click", "the ref does not declare click", "the ref does not declare click",
		}},
		{"no key contract", entry(func(e *snapshotfmt.Entry) { e.Routes = map[string][]string{"click": {"dom_event"}} }), [3]string{
			"this ref does not accept the route", "", "",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i, it := range NewActions(tt.e).items {
				if it.Why != tt.want[i] {
					t.Errorf("%s: %q, want %q", it.Name, it.Why, tt.want[i])
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
