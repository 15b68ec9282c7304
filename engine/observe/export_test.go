package observe

import (
	"maps"
	"slices"
	"testing"
	"time"

	"cuatui/snapshotfmt"
)

// SetSlice sets how long a survey walks before the page gets its turn.
func (p *Page) SetSlice(d time.Duration) { p.slice = d }

// SetHitTime sets how long the hit tests of a survey may take. Where all of
// them are to be made, that is long: a busy machine takes its time.
func (p *Page) SetHitTime(d time.Duration) { p.hitTime = d }

// Slices is in how many slices the snapshot's main document was read.
func (s *Snapshot) Slices() int { return s.docs[0].reply.Slices }

// Anew says whether it changed meanwhile and was walked a second time.
func (s *Snapshot) Anew() bool { return s.docs[0].reply.Anew }

// InEveryFormat holds that each format names the nodes of the others, and no more.
func InEveryFormat(t *testing.T, s *snapshotfmt.Semantic) {
	t.Helper()
	want, uids := map[string]bool{}, map[string]string{}
	for _, e := range append(slices.Clone(s.Refs), s.ContentRefs...) {
		want[e.Ref] = true
	}
	list, tree, outline := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range s.DomRefs().Refs {
		list[r.Ref] = true
	}
	for _, l := range s.Lines {
		if l.Ref != "" {
			outline[l.Ref], uids[l.UID] = true, l.Ref
		}
	}
	for _, n := range s.AxUID().Nodes {
		if n.ID != "" {
			tree[uids[n.ID]] = true
		}
	}
	if !maps.Equal(list, want) || !maps.Equal(tree, want) || !maps.Equal(outline, want) || len(uids) != len(want) {
		t.Errorf("the entries are %v; the list has %v, the tree %v, the outline %v", want, list, tree, outline)
	}
}
