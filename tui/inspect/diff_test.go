package inspect

import (
	"fmt"
	"strings"
	"testing"

	"cuatui/snapshotfmt"
)

// snap builds a snapshot out of "depth k role name" lines; k 0 is a note.
func snap(n int, lines ...string) *snapshotfmt.Semantic {
	s := &snapshotfmt.Semantic{Snapshot: snapshotfmt.Info{ID: fmt.Sprintf("p%d", n), Scope: "viewport"}, Page: snapshotfmt.Page{URL: "https://a.example/"}}
	for _, l := range lines {
		var line snapshotfmt.Line
		if _, err := fmt.Sscanf(l, "%d %d %s %s", &line.Depth, &line.K, &line.Role, &line.Name); err != nil {
			panic(err)
		}
		line.Text = fmt.Sprintf("- %s %q", line.Role, line.Name)
		if line.K != 0 {
			line.Ref = fmt.Sprintf("p%d:%d", n, line.K)
			line.Text += " " + line.Ref
			s.Refs = append(s.Refs, snapshotfmt.Entry{Ref: line.Ref, Role: line.Role, Name: line.Name})
		}
		s.Lines = append(s.Lines, line)
	}
	return s
}

// told prints a diff as one line a row.
func told(d *Diff) string {
	var b strings.Builder
	for _, r := range d.Rows {
		fmt.Fprintf(&b, "%c %s", r.Kind, r.Line.Name)
		if r.What != "" {
			b.WriteString(": " + r.What)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	base := []string{"0 1 main Page", "1 2 button Reply", "1 3 button Send", "0 0 note folded"}
	tests := []struct {
		name          string
		before, after []string
		want, counts  string
	}{
		{"nothing changed, only the refs", base, base, "  Page\n  Reply\n  Send\n  folded\n", "+0 ~0 -0"},
		{"a line came", base, []string{"0 1 main Page", "1 2 button Reply", "1 9 button New", "1 3 button Send", "0 0 note folded"}, "  Page\n  Reply\n+ New\n  Send\n  folded\n", "+1 ~0 -0"},
		{"a line went", base, []string{"0 1 main Page", "1 3 button Send", "0 0 note folded"}, "  Page\n- Reply\n  Send\n  folded\n", "+0 ~0 -1"},
		{"the first lines went", base, []string{"1 3 button Send", "0 0 note folded"}, "- Page\n- Reply\n  Send\n  folded\n", "+0 ~0 -2"},
		{"all went", base, nil, "- Page\n- Reply\n- Send\n- folded\n", "+0 ~0 -4"},
		{"all came", nil, base, "+ Page\n+ Reply\n+ Send\n+ folded\n", "+4 ~0 -0"},
		{"a name changed", base, []string{"0 1 main Page", "1 2 button Answer", "1 3 button Send", "0 0 note folded"}, "  Page\n~ Answer: name \"Reply\" → \"Answer\"\n  Send\n  folded\n", "+0 ~1 -0"},
		{"a node moved", base, []string{"0 1 main Page", "1 3 button Send", "1 2 button Reply", "0 0 note folded"}, "  Page\n  Send\n  Reply\n  folded\n", "+0 ~0 -0"},
		{"a count changed", base, []string{"0 1 main Page", "1 2 button Reply", "1 3 button Send", "0 0 note more"}, "  Page\n  Reply\n  Send\n- folded\n+ more\n", "+1 ~0 -1"},
		{"a line that says nothing", []string{"0 2 button A", "0 0 note x"}, []string{"0 0 note x"}, "- A\n  x\n", "+0 ~0 -1"},
		{"the same k twice", []string{"0 5 text A", "0 5 text A"}, []string{"0 5 text A"}, "  A\n- A\n", "+0 ~0 -1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Compare(snap(1, tt.before...), snap(2, tt.after...))
			if got := told(d); got != tt.want || d.Counts() != tt.counts {
				t.Errorf("got %s\n%s\nwant %s\n%s", d.Counts(), got, tt.counts, tt.want)
			}
			if d.Empty() != (tt.counts == "+0 ~0 -0") {
				t.Errorf("Empty = %v", d.Empty())
			}
		})
	}
}

func TestCompareSaysWhatOfAnEntryChanged(t *testing.T) {
	yes := true
	tests := []struct {
		change func(*snapshotfmt.Semantic)
		want   string
	}{
		{func(s *snapshotfmt.Semantic) { s.Refs[0].Value = "x" }, "value none → x"},
		{func(s *snapshotfmt.Semantic) { s.Refs[0].States.Disabled, s.Refs[0].States.Expanded = true, &yes }, "disabled none → true; expanded none → true"},
		{func(s *snapshotfmt.Semantic) { s.Refs[0].Actions = []string{"click"} }, "actions none → click"},
		{func(s *snapshotfmt.Semantic) {
			s.Refs[0].Routes = map[string][]string{"type": {"a"}, "click": {"b", "c"}}
		}, "accepted none → click by b, c; type by a"},
		{func(s *snapshotfmt.Semantic) { s.Refs[0].Why = "disabled" }, "why none → disabled"},
		{func(s *snapshotfmt.Semantic) { s.Lines[0].Tier = snapshotfmt.OffscreenT }, "tier none → offscreen"},
		{func(s *snapshotfmt.Semantic) { s.Lines[0].Text += " [dim]" }, `line - button "A" → - button "A" [dim]`},
	}
	for _, tt := range tests {
		after := snap(2, "0 1 button A")
		tt.change(after)
		d := Compare(snap(1, "0 1 button A"), after)
		if d.Changed != 1 || d.Rows[0].What != tt.want || d.Marks()[1] != Changed {
			t.Errorf("got %q, want %q", d.Rows[0].What, tt.want)
		}
	}
}

func TestCompareSaysWhatMakesItHard(t *testing.T) {
	after := snap(2, "0 1 button A")
	after.Page.URL = "https://b.example/"
	if got := Compare(snap(1), after).Note; got != "another page: https://a.example/ → https://b.example/" {
		t.Errorf("note = %q", got)
	}
	after = snap(2)
	after.Snapshot.Scope = "query"
	if got := Compare(snap(1), after).Note; got != "asked differently: viewport → query" {
		t.Errorf("note = %q", got)
	}
}

func TestALineWithoutAnythingIsNoAnchor(t *testing.T) {
	after := &snapshotfmt.Semantic{Lines: []snapshotfmt.Line{{}}}
	if d := Compare(snap(1, "0 1 button A"), after); d.Counts() != "+1 ~0 -1" || len(d.Rows) != 2 {
		t.Errorf("%s, %d rows", d.Counts(), len(d.Rows))
	}
}

func TestTheLastSnapshotsAreKept(t *testing.T) {
	var b Book
	for n := 1; n <= maxPast+5; n++ {
		b.Start(Segment{Semantic: snap(n, fmt.Sprintf("0 %d button A", n))})
	}
	steps := b.History()
	if len(steps) != maxPast+1 || steps[0].Snapshot.ID != "p5" || steps[maxPast].Snapshot.ID != fmt.Sprintf("p%d", maxPast+5) {
		t.Errorf("%d snapshots, %s to %s", len(steps), steps[0].Snapshot.ID, steps[len(steps)-1].Snapshot.ID)
	}
	if b.Diff() == nil || b.Diff().Counts() != "+1 ~0 -1" {
		t.Errorf("diff = %+v", b.Diff())
	}
	// A snapshot that shows the same takes the place of the one before.
	n := maxPast + 5
	if b.Renew(Segment{Semantic: snap(n+1, "0 999 button B")}) || !b.Renew(Segment{Semantic: snap(n+1, fmt.Sprintf("0 %d button A", n))}) {
		t.Error("renewed by what shows something else, or not by what shows the same")
	}
	if got := b.History(); len(got) != maxPast+1 || got[maxPast].Snapshot.ID != fmt.Sprintf("p%d", n+1) || b.Diff().Counts() != "+1 ~0 -1" {
		t.Errorf("renewed: %d snapshots, diff %s", len(got), b.Diff().Counts())
	}
	b.Clear()
	if b.Diff() != nil || len(b.History()) != 0 {
		t.Error("clearing leaves history")
	}
}

// What a query or a scope leaves out has not left the page: only answers to the
// same request are compared, over whatever was asked in between.
func TestOnlyAnswersToTheSameRequestAreCompared(t *testing.T) {
	page := func(n int) Segment { return Segment{Semantic: snap(n, "0 1 button A", "0 2 button B", "0 3 button C")} }
	part := func(n int) Segment { return Segment{Semantic: snap(n, "0 2 button B")} }
	steps := []struct {
		query, scope string
		answer       Segment
		counts       string // "" for no diff
		history      int
	}{
		{"", "", page(1), "", 1},
		{"b", "", part(2), "", 1},
		{"b", "", Segment{Semantic: snap(3, "0 2 button B", "0 4 button D")}, "+1 ~0 -0", 2},
		{"", "p3:2", part(4), "", 1},
		{"", "p4:2", part(5), "+0 ~0 -0", 2},
		{"", "p5:4", part(6), "", 1},
		{"", "", Segment{Semantic: snap(7, "0 1 button A", "0 3 button C")}, "+0 ~0 -1", 2},
	}
	var b Book
	for i, s := range steps {
		b.Query, b.ScopeRef = s.query, s.scope
		if i > 0 && (b.Renew(page(99)) || b.Renew(part(99))) && s.counts == "" {
			t.Errorf("step %d: another request's answer was renewed", i)
		}
		b.Start(s.answer)
		counts := ""
		if d := b.Diff(); d != nil {
			counts = d.Counts()
		}
		if counts != s.counts || len(b.History()) != s.history {
			t.Errorf("step %d: diff %q of %d, want %q of %d", i, counts, len(b.History()), s.counts, s.history)
		}
	}
}
