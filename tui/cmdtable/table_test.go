package cmdtable

import (
	"strings"
	"testing"

	"cuatui/fixtures/golden"
)

func TestDocsAreCurrent(t *testing.T) { golden.File(t, "../../docs/keys.md", Markdown()) }

func TestEveryCommandIsInTheDocsOnce(t *testing.T) {
	doc := Markdown()
	want := map[string]int{}
	for i := range Table {
		c := &Table[i]
		want["| "+keyCells(c)+" | "+usageCell(c)+" | "+where(c)+c.Help+" |\n"]++
	}
	for row, n := range want {
		if got := strings.Count(doc, row); got != n {
			t.Errorf("%d times in the docs, want %d: %s", got, n, row)
		}
	}
}

func TestAKeyMeansOneThingInAScope(t *testing.T) {
	for scope := Windows; scope <= Input; scope <<= 1 {
		seen := map[string]ID{}
		for _, c := range Table {
			if c.Scope&scope == 0 {
				continue
			}
			for _, k := range c.Keys {
				if was, ok := seen[k]; ok && was != c.ID {
					t.Errorf("scope %b: %q means %s and %s", scope, k, was, c.ID)
				}
				seen[k] = c.ID
			}
		}
	}
}

func TestEveryCommandIsDescribed(t *testing.T) {
	for _, c := range Table {
		if c.ID == "" || c.Short == "" || c.Help == "" || c.Scope == 0 || len(c.Keys) == 0 || c.Key() == "" {
			t.Errorf("incomplete: %+v", c)
		}
	}
}

func TestEveryScreenAndSheetCanBeLeft(t *testing.T) {
	for scope := Windows; scope <= Confirm; scope <<= 1 {
		for _, key := range []string{"esc", "ctrl+c"} {
			if _, ok := Find(scope, key); !ok {
				t.Errorf("scope %b: %s does nothing", scope, key)
			}
		}
	}
}

func TestTheFooterShowsOnlyWhatWorksNow(t *testing.T) {
	f := Facts{Scope: Inspector, Bound: true, Snapshot: true}
	for _, c := range Footer(f) {
		if why := c.Why(f); why != "" {
			t.Errorf("%s is in the footer, but %s", c.ID, why)
		}
		if c.ID == NextSegment || c.ID == Act {
			t.Errorf("%s is in the footer", c.ID)
		}
	}
	f.More, f.Ref = true, "p42:8"
	if got := Footer(f)[0].ID; got != Act {
		t.Errorf("the footer begins with %s", got)
	}
}

func TestWhyNot(t *testing.T) {
	tests := []struct {
		id   ID
		f    Facts
		want string
	}{
		{Snapshot, Facts{}, "no window is bound"},
		{Snapshot, Facts{Bound: true, Mutating: true}, "an action is under way; esc cancels it"},
		{Snapshot, Facts{Bound: true}, ""},
		{NextSegment, Facts{}, "there is no snapshot"},
		{NextSegment, Facts{Snapshot: true}, "this is the last segment"},
		{Act, Facts{Snapshot: true}, "the selection has no ref"},
		{Demo, Facts{}, "there is no demo page here"},
	}
	for _, tt := range tests {
		if got := ByID(tt.id).Why(tt.f); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.id, got, tt.want)
		}
	}
	if ByID("nonsense") != nil {
		t.Error("ByID invents commands")
	}
}
