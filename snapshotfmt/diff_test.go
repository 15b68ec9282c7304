package snapshotfmt_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"cuatui/snapshotfmt"
)

func TestCompare(t *testing.T) {
	yes, no := true, false
	base := snapshotfmt.Entry{Ref: "p1:2", Role: "textbox", Name: "City", Value: "Oslo", Actions: []string{"click", "type"}, Visibility: snapshotfmt.InViewport}
	tests := []struct {
		name   string
		change func(*snapshotfmt.Entry)
		want   []snapshotfmt.DiffField
	}{
		{"nothing", func(*snapshotfmt.Entry) {}, nil},
		{"what is not compared", func(e *snapshotfmt.Entry) {
			e.Ref, e.Box, e.Visibility, e.Hit, e.Frame = "p2:2", &[4]float64{1, 2, 3, 4}, snapshotfmt.NearViewport, &yes, "f1"
		}, nil},
		{"value", func(e *snapshotfmt.Entry) { e.Value = "" }, []snapshotfmt.DiffField{{Field: "value", Was: "Oslo", Is: ""}}},
		{"role and name", func(e *snapshotfmt.Entry) { e.Role, e.Name = "searchbox", "Town" }, []snapshotfmt.DiffField{{Field: "role", Was: "textbox", Is: "searchbox"}, {Field: "name", Was: "City", Is: "Town"}}},
		{"a state that is false is not one that does not apply", func(e *snapshotfmt.Entry) { e.States.Expanded = &no }, []snapshotfmt.DiffField{{Field: "expanded", Was: "", Is: "false"}}},
		{"states in a fixed order", func(e *snapshotfmt.Entry) { e.States.Required, e.States.Level, e.States.Checked = true, 3, "mixed" }, []snapshotfmt.DiffField{
			{Field: "checked", Was: "", Is: "mixed"}, {Field: "level", Was: "", Is: "3"}, {Field: "required", Was: "", Is: "true"},
		}},
		{"actions and why", func(e *snapshotfmt.Entry) { e.Actions, e.Why = nil, "disabled" }, []snapshotfmt.DiffField{{Field: "actions", Was: "click type", Is: ""}, {Field: "why", Was: "", Is: "disabled"}}},
		{"description", func(e *snapshotfmt.Entry) { e.Description = "d" }, []snapshotfmt.DiffField{{Field: "description", Was: "", Is: "d"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			is := base
			tt.change(&is)
			if got := snapshotfmt.Compare(base, is); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Compare = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestADiffIsBoundedAndItsCountsAreNot(t *testing.T) {
	d := &snapshotfmt.Diff{From: "p1"}
	for i := range snapshotfmt.DiffListMax + 5 {
		d.Add(&d.Removed, &d.Counts.Removed, snapshotfmt.DiffNode{Ref: fmt.Sprintf("p1:%d", i+1), Role: "link", Name: "a\n# against p9", Is: "gone"})
	}
	d.Add(&d.Changed, &d.Counts.Changed, snapshotfmt.DiffNode{Ref: "p2:1", Role: "button", Name: "B", Fields: []snapshotfmt.DiffField{{Field: "name", Was: "A\x1b[2J", Is: "B"}}})
	d.Add(&d.Moved, &d.Counts.Moved, snapshotfmt.DiffNode{Ref: "p2:3", Role: "button", Name: "C", Was: "in_viewport", Is: "offscreen"})
	d.Counts.Unchanged, d.Counts.NotCompared = 7, 8
	if len(d.Removed) != snapshotfmt.DiffListMax || d.Counts.Removed != snapshotfmt.DiffListMax+5 {
		t.Errorf("%d removed are listed, %d counted", len(d.Removed), d.Counts.Removed)
	}
	lines := strings.Split(strings.TrimSuffix(d.Text(), "\n"), "\n")
	if len(lines) != 1+snapshotfmt.DiffListMax+1+1+1 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, want := range map[int]string{
		0:                               "# against p1: 0 added, 105 removed, 1 changed, 1 moved, 7 unchanged, 8 not compared",
		1:                               `- link "a\n# against p9" p1:1 gone`,
		snapshotfmt.DiffListMax + 1:     "- 5 more",
		snapshotfmt.DiffListMax + 2:     `~ button "B" p2:1 name "A\u001b[2J" -> "B"`,
		snapshotfmt.DiffListMax + 1 + 2: `> button "C" p2:3 in_viewport -> offscreen`,
	} {
		if lines[i] != want {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
}
