package engine

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"cuatui/engine/capability"
	"cuatui/engine/observe"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// earlier is what a snapshot of the tab has listed, to be compared with.
type earlier struct {
	id       string
	listed   map[int]capability.Ref
	document string
}

// earlier finds the snapshot that a diff starts from; nil where none is asked for.
func (t *resolved) earlier(id string) (*earlier, error) {
	if id == "" {
		return nil, nil //nolint:nilnil // no diff is asked for
	}
	listed, document, r := t.target.Listing(t.tab, id)
	if r != nil {
		return nil, r.WithProof([]refusal.Step{{Step: "ref", Verdict: refusal.Fail, Want: "p" + strconv.Itoa(t.target.Current(t.tab)), Got: id}})
	}
	return &earlier{id, listed, document}, nil
}

// of checks that a new snapshot is of the same document: the nodes of another
// one have nothing to be compared by.
func (e *earlier) of(snap *observe.Snapshot) error {
	if e == nil || e.document == snap.Document() {
		return nil
	}
	return refusal.New(refusal.Navigated, "the document of snapshot %s has been replaced: nothing of it can be compared", e.id)
}

// diff compares a segment with what was listed then.
func (e *earlier) diff(ctx context.Context, snap *observe.Snapshot, seg *observe.Segment) (*snapshotfmt.Diff, error) {
	d := &snapshotfmt.Diff{From: e.id, Added: []snapshotfmt.DiffNode{}, Removed: []snapshotfmt.DiffNode{}, Changed: []snapshotfmt.DiffNode{}, Moved: []snapshotfmt.DiffNode{}}
	left := maps.Clone(e.listed)
	for _, m := range seg.Minted {
		now := snapshotfmt.DiffNode{Ref: m.Shown.Ref, Role: m.Shown.Role, Name: m.Shown.Name}
		was, ok := left[m.K]
		if !ok {
			d.Add(&d.Added, &d.Counts.Added, now)
			continue
		}
		delete(left, m.K)
		fields := snapshotfmt.Compare(was.Shown, m.Shown)
		moved := was.Shown.Visibility != m.Shown.Visibility
		if len(fields) > 0 {
			changed := now
			changed.Fields = fields
			d.Add(&d.Changed, &d.Counts.Changed, changed)
		}
		if moved {
			now.Was, now.Is = string(was.Shown.Visibility), string(m.Shown.Visibility)
			d.Add(&d.Moved, &d.Counts.Moved, now)
		}
		if len(fields) == 0 && !moved {
			d.Counts.Unchanged++
		}
	}
	return d, e.unlisted(ctx, snap, d, left)
}

// unlisted says what has become of the nodes that the segment does not list.
func (e *earlier) unlisted(ctx context.Context, snap *observe.Snapshot, d *snapshotfmt.Diff, left map[int]capability.Ref) error {
	ks := slices.Sorted(maps.Keys(left))
	if len(ks) == 0 {
		return nil
	}
	places, err := snap.Places(ctx, ks)
	if err != nil {
		return err
	}
	for _, k := range ks {
		was, p := left[k].Shown, places[k]
		n := snapshotfmt.DiffNode{Ref: was.Ref, Role: was.Role, Name: was.Name}
		switch {
		case p.Gone:
			n.Is = "gone"
			d.Add(&d.Removed, &d.Counts.Removed, n)
		case p.NoCandidate:
			n.Is = "not_a_candidate"
			d.Add(&d.Removed, &d.Counts.Removed, n)
		case p.Tier == "" || p.Tier == string(was.Visibility):
			d.Counts.NotCompared++
		default:
			n.Was, n.Is = string(was.Visibility), p.Tier
			d.Add(&d.Moved, &d.Counts.Moved, n)
		}
	}
	return nil
}
