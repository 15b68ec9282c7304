package engine

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"cuatui/engine/contract"
	"cuatui/engine/limits"
	"cuatui/engine/observe"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// examplesMax is how many nodes an audit names of each omission reason.
const examplesMax = 3

// auditSegmentsMax bounds the segments that an audit reads of what is in view.
const auditSegmentsMax = 10

// Audit takes a snapshot of a tab and judges it by the browser's own hit
// testing. It is no tool: the command line calls it.
func (e *Engine) Audit(ctx context.Context, r contract.AuditRequest) (*contract.AuditResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*limits.SnapshotTimeout)
	defer cancel()
	t, err := e.resolve(ctx, r.Session, r.TargetID, r.TabID)
	if err != nil {
		return nil, err
	}
	if d := t.live.Open(); d != nil {
		return nil, t.dialogOpen(d)
	}
	out, err := t.audit(ctx)
	if err != nil {
		return nil, t.again(lost(err), contract.StateRequest{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID})
	}
	return out, nil
}

func (t *resolved) audit(ctx context.Context) (*contract.AuditResult, error) {
	snap, n, entries, info, err := t.readView(ctx)
	if err != nil {
		return nil, err
	}
	out := &contract.AuditResult{
		Status: contract.OK, Snapshot: info.Snapshot.ID, URL: info.Page.URL, Candidates: info.Snapshot.Candidates,
		Tiers: map[string]int{}, Misses: []contract.Audited{}, Lies: []contract.Audited{}, Omissions: []contract.Omission{},
	}
	for _, x := range entries {
		out.Tiers[string(x.Visibility)]++
	}
	offers, err := t.offers(ctx, entries)
	if err != nil {
		return nil, err
	}
	a, err := snap.Audit(ctx, offers)
	if err != nil {
		return nil, err
	}
	out.Points, out.Controls, out.Offers, out.Unjudged = a.Points, a.Controls, a.Offers, a.Unread
	if left := info.Snapshot.Omitted.Budget; left > 0 {
		out.Unjudged = append(out.Unjudged, fmt.Sprintf("%d nodes in view are over the budgets", left))
	}
	if info.Snapshot.NotWalkedAtLeast > 0 {
		out.Unjudged = append(out.Unjudged, fmt.Sprintf("at least %d elements were not walked", info.Snapshot.NotWalkedAtLeast))
	}
	if len(out.Unjudged) > 0 {
		out.Status = contract.Partial
	}
	if out.Misses, err = t.audited(ctx, snap, n, a.Misses); err != nil {
		return nil, err
	}
	if out.Lies, err = t.audited(ctx, snap, n, a.Lies); err != nil {
		return nil, err
	}
	out.Omissions, err = t.omissions(ctx, snap, n, info.Snapshot.Omitted)
	return out, err
}

// readView takes segments until everything that is in view is listed.
func (t *resolved) readView(ctx context.Context) (*observe.Snapshot, int, []snapshotfmt.Entry, *snapshotfmt.Semantic, error) {
	snap, err := t.live.page.Take(ctx, t.options(limits.NodeBudgetMax, 10*limits.OutputTokens))
	if err != nil {
		return nil, 0, nil, nil, err
	}
	n := t.target.Begin(t.tab, snap)
	var entries []snapshotfmt.Entry
	for range auditSegmentsMax {
		seg, err := t.segment(ctx, snap, n, "viewport")
		if err != nil {
			return nil, 0, nil, nil, err
		}
		entries = append(append(entries, seg.Semantic.Refs...), seg.Semantic.ContentRefs...)
		if !seg.More || seg.Semantic.Snapshot.Omitted.Budget == 0 {
			return snap, n, entries, seg.Semantic, nil
		}
	}
	return nil, 0, nil, nil, fmt.Errorf("audit: what is in view does not end after %d segments", auditSegmentsMax)
}

// offers are the refs in view that declare an action, each with the points
// that an action would aim at now.
func (t *resolved) offers(ctx context.Context, entries []snapshotfmt.Entry) ([]observe.Offer, error) {
	var out []observe.Offer
	for _, e := range entries {
		acts := slices.ContainsFunc(e.Actions, func(kind string) bool { return kind != "scroll" })
		if !acts || e.Visibility != snapshotfmt.InViewport {
			continue
		}
		ref, _, _, r := t.target.Resolve(t.tab, e.Ref)
		if r != nil {
			return nil, r
		}
		found, err := t.live.page.Find(ctx, ref.K)
		if err != nil {
			return nil, err
		}
		o := observe.Offer{K: ref.K, Click: slices.Contains(e.Actions, "click")}
		sight, err := t.live.page.Look(ctx, found)
		if gone, ok := refusal.As(err); ok && gone.Reason == refusal.NodeGone {
			continue // it left meanwhile: neither offered nor there
		}
		if err != nil {
			return nil, err
		}
		o.Points = sight.Points
		out = append(out, o)
	}
	return out, nil
}

// audited explains each finding: an audit says that the snapshot is wrong, the
// explanation what it went by.
func (t *resolved) audited(ctx context.Context, snap *observe.Snapshot, n int, found []observe.Finding) ([]contract.Audited, error) {
	out := []contract.Audited{}
	for _, f := range found {
		a := contract.Audited{Point: f.Point, Says: f.Says}
		a.Tag, a.Verdict = snapshotfmt.Fold(f.Tag, 80), "not_a_candidate"
		if f.K != 0 {
			x, err := snap.ExplainNode(ctx, f.K)
			if gone, ok := refusal.As(err); ok && gone.Reason == refusal.NodeGone {
				continue
			}
			if err != nil {
				return nil, err
			}
			a.Explained = t.explained(n, x.K, x.Reason, x.Sub, x.Candidate)
			a.Role, a.Name, a.Tag, a.Frame = x.Role, x.Name, x.Tag, x.Frame
		}
		out = append(out, a)
	}
	return out, nil
}

// omissions gives every reason with its count and a few of its nodes.
func (t *resolved) omissions(ctx context.Context, snap *observe.Snapshot, n int, o snapshotfmt.Omitted) ([]contract.Omission, error) {
	out := []contract.Omission{}
	for _, reason := range snapshotfmt.OmitReasons {
		parts := map[string]int{}
		whole := o.Get(reason)
		for key, count := range o.Sub {
			if len(key) > len(reason) && key[:len(reason)+1] == string(reason)+"/" {
				parts[key] = count
				whole -= count
			}
		}
		if whole > 0 {
			parts[string(reason)] = whole
		}
		keys := make([]string, 0, len(parts))
		for key := range parts {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		for _, key := range keys {
			one := contract.Omission{Reason: key, Count: parts[key], Examples: []contract.Explained{}}
			rows, _, _, err := snap.List(ctx, "", key, observe.Cursor{})
			if err != nil {
				return nil, err
			}
			for _, row := range rows[:min(examplesMax, len(rows))] {
				x := t.explained(n, row.K, row.Reason, row.Sub, true)
				x.Role, x.Name, x.Tag, x.Frame = row.Role, row.Name, row.Tag, row.Frame
				one.Examples = append(one.Examples, x)
			}
			out = append(out, one)
		}
	}
	return out, nil
}
