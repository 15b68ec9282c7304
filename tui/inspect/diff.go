package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cuatui/snapshotfmt"
)

// Kind says what became of a line between two snapshots.
type Kind byte

// The kinds.
const (
	Same    Kind = ' '
	Added   Kind = '+'
	Removed Kind = '-'
	Changed Kind = '~'
)

// Row is a line of two outlines laid over each other. Line is of the later
// snapshot, for a removed one of the earlier. What says, for a changed one,
// what differs.
type Row struct {
	Kind Kind
	Line snapshotfmt.Line
	What string
}

// Diff is what changed between two snapshots: every line of both, once, in the
// order of the later one.
type Diff struct {
	Rows                    []Row
	Added, Removed, Changed int
	// Note says what makes the two hard to compare, "" for nothing.
	Note string
}

// Empty says whether nothing changed.
func (d *Diff) Empty() bool { return d.Added+d.Removed+d.Changed == 0 }

// Counts prints how much changed, in a few cells.
func (d *Diff) Counts() string { return fmt.Sprintf("+%d ~%d -%d", d.Added, d.Changed, d.Removed) }

// Marks are the added and changed nodes by their identity.
func (d *Diff) Marks() map[int]Kind {
	out := map[int]Kind{}
	for _, r := range d.Rows {
		if r.Line.K != 0 && (r.Kind == Added || r.Kind == Changed) {
			out[r.Line.K] = r.Kind
		}
	}
	return out
}

// lineKey names a line in both snapshots: a node by its k, what is no node by
// what it says; n counts lines of the same name.
type lineKey struct {
	k    int
	text string
	n    int
}

// keys names the lines of a snapshot.
func keys(lines []snapshotfmt.Line) []lineKey {
	seen := map[lineKey]int{}
	out := make([]lineKey, len(lines))
	for i, l := range lines {
		key := lineKey{k: l.K}
		if l.K == 0 {
			key.text = l.Text
		}
		key.n = seen[key]
		seen[lineKey{k: key.k, text: key.text}]++
		out[i] = key
	}
	return out
}

// Compare lays two snapshots over each other, line by line and k by k. A node
// that only moved is the same; refs do not count, they differ always.
func Compare(before, after *snapshotfmt.Semantic) *Diff {
	d := &Diff{Note: note(before, after)}
	was, is := keys(before.Lines), keys(after.Lines)
	at := make(map[lineKey]int, len(was))
	for i, key := range was {
		at[key] = i
	}
	stays := make(map[lineKey]bool, len(is))
	for _, key := range is {
		stays[key] = true
	}
	// A removed line goes behind the last one above it that stays.
	gone := map[lineKey][]int{}
	head := lineKey{n: -1} // what no line is named
	anchor := head
	for i, key := range was {
		if stays[key] {
			anchor = key
			continue
		}
		gone[anchor] = append(gone[anchor], i)
	}
	removed := func(anchor lineKey) {
		for _, i := range gone[anchor] {
			d.Rows = append(d.Rows, Row{Kind: Removed, Line: before.Lines[i]})
			d.Removed++
		}
	}
	wasEntries, isEntries := entries(before), entries(after)
	removed(head)
	for i, key := range is {
		r := Row{Kind: Same, Line: after.Lines[i]}
		if j, ok := at[key]; !ok {
			r.Kind = Added
			d.Added++
		} else if r.What = differs(&before.Lines[j], &after.Lines[i], wasEntries[key.k], isEntries[key.k]); r.What != "" {
			r.Kind = Changed
			d.Changed++
		}
		d.Rows = append(d.Rows, r)
		removed(key)
	}
	return d
}

func note(before, after *snapshotfmt.Semantic) string {
	switch {
	case before.Page.URL != after.Page.URL:
		return "another page: " + before.Page.URL + " → " + after.Page.URL
	case before.Snapshot.Scope != after.Snapshot.Scope:
		return "asked differently: " + before.Snapshot.Scope + " → " + after.Snapshot.Scope
	}
	return ""
}

func entries(s *snapshotfmt.Semantic) map[int]*snapshotfmt.Entry {
	out := make(map[int]*snapshotfmt.Entry, len(s.Refs))
	for _, list := range [][]snapshotfmt.Entry{s.Refs, s.ContentRefs} {
		for i := range list {
			if k := K(list[i].Ref); k != 0 {
				out[k] = &list[i]
			}
		}
	}
	return out
}

// differs says in words what differs between two states of a line, "" for
// nothing.
func differs(was, is *snapshotfmt.Line, wasEntry, isEntry *snapshotfmt.Entry) string {
	var out []string
	say := func(what, a, b string) {
		if a != b {
			out = append(out, fmt.Sprintf("%s %s → %s", what, cmp.Or(a, "none"), cmp.Or(b, "none")))
		}
	}
	say("role", was.Role, is.Role)
	if was.Name != is.Name {
		say("name", snapshotfmt.Quote(was.Name), snapshotfmt.Quote(is.Name))
	}
	say("tier", string(was.Tier), string(is.Tier))
	if wasEntry != nil && isEntry != nil {
		for _, f := range snapshotfmt.Compare(*wasEntry, *isEntry) {
			if f.Field != "role" && f.Field != "name" { // a line has them, too
				say(f.Field, f.Was, f.Is)
			}
		}
		say("accepted", routes(wasEntry), routes(isEntry))
	}
	if len(out) == 0 {
		say("line", bare(was), bare(is)) // what has no field of its own
	}
	return strings.Join(out, "; ")
}

// routes prints the accepted routes of an entry in a fixed order.
func routes(e *snapshotfmt.Entry) string {
	var out []string
	for kind, list := range e.Routes {
		out = append(out, kind+" by "+strings.Join(list, ", "))
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// bare is the text of a line without its ref.
func bare(l *snapshotfmt.Line) string {
	if l.Ref == "" {
		return l.Text
	}
	return strings.Join(strings.Fields(strings.Replace(l.Text, l.Ref, "", 1)), " ")
}
