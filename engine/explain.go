package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/observe"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// Explain says why a node is as it is, for the tab's current snapshot.
func (e *Engine) Explain(ctx context.Context, r contract.ExplainRequest) (*contract.ExplainResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	t, err := e.pointable(ctx, r.Session, r.TargetID, r.TabID)
	if err != nil {
		return nil, err
	}
	out, err := t.explain(ctx, r)
	if err != nil {
		return nil, t.again(lost(err), contract.StateRequest{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID})
	}
	return out, nil
}

func (t *resolved) explain(ctx context.Context, r contract.ExplainRequest) (*contract.ExplainResult, error) {
	n, snap, err := t.explains()
	if err != nil {
		return nil, err
	}
	if r.Text != "" || r.Reason != "" {
		out := t.explanation(n, nil)
		return out, t.explainList(ctx, snap, n, r, out)
	}
	var x *observe.Explanation
	if len(r.Point) == 2 {
		x, err = snap.ExplainPoint(ctx, r.Point[0], r.Point[1])
	} else {
		var k int
		if k, err = t.explainable(ctx, r.Ref, n); err == nil {
			x, err = snap.ExplainNode(ctx, k)
		}
	}
	if err != nil {
		return nil, err
	}
	return t.explanation(n, x), nil
}

// explains is the tab's current snapshot, and its number.
func (t *resolved) explains() (int, *observe.Snapshot, error) {
	n, payload := t.target.Payload(t.tab)
	snap, ok := payload.(*observe.Snapshot)
	if !ok {
		return 0, nil, refusal.New(refusal.Superseded, "the tab has no current snapshot to explain")
	}
	return n, snap, nil
}

// explanation is the answer that holds x, or no node.
func (t *resolved) explanation(n int, x *observe.Explanation) *contract.ExplainResult {
	out := &contract.ExplainResult{Status: contract.OK, Snapshot: "p" + strconv.Itoa(n)}
	if x == nil {
		return out
	}
	node := t.explained(n, x.K, x.Reason, x.Sub, x.Candidate)
	node.Role, node.Name, node.Tag, node.Frame = x.Role, x.Name, x.Tag, x.Frame
	out.Node = &node
	for _, c := range x.Checks {
		out.Evidence = append(out.Evidence, contract.Check{Check: c.Name, Verdict: checkVerdict(c), Detail: c.Detail})
	}
	return out
}

func checkVerdict(c observe.Check) string {
	switch {
	case c.Info:
		return "info"
	case c.Pass:
		return "pass"
	}
	return "fail"
}

// explainable resolves a p ref, or an o ref of the current snapshot.
func (t *resolved) explainable(ctx context.Context, ref string, n int) (int, error) {
	kind, of, k, ok := capability.Parse(ref)
	if !ok || kind != capability.KindExplain {
		got, err := t.resolveRef(ctx, ref)
		return got.K, err
	}
	if of != n {
		return 0, refusal.New(refusal.Superseded, "the snapshot of this ref has been replaced")
	}
	return k, nil
}

// explained gives the verdict on a node: listed by what was minted, else by
// its reason.
func (t *resolved) explained(n, k int, reason snapshotfmt.OmitReason, sub string, candidate bool) contract.Explained {
	x := contract.Explained{Ref: fmt.Sprintf("o%d:%d", n, k)}
	ref := t.target.RefOf(t.tab, k)
	switch {
	case ref != "":
		x.Ref, x.Verdict = ref, "listed"
	case !candidate:
		x.Verdict = "not_a_candidate"
	case reason == "" || reason == snapshotfmt.OmitNear || reason == snapshotfmt.OmitOffscreen:
		x.Verdict, x.Reason = "waiting", reason
		if reason == "" {
			x.Reason = snapshotfmt.OmitBudget
		}
	default:
		x.Verdict, x.Reason, x.SubReason = "omitted", reason, sub
	}
	return x
}

func (t *resolved) explainList(ctx context.Context, snap *observe.Snapshot, n int, r contract.ExplainRequest, out *contract.ExplainResult) error {
	from, err := cursor(r.After)
	if err != nil {
		return err
	}
	rows, next, more, err := snap.List(ctx, r.Text, r.Reason, from)
	if err != nil {
		return err
	}
	out.Rows = []contract.Explained{}
	for _, row := range rows {
		x := t.explained(n, row.K, row.Reason, row.Sub, !row.Unasked)
		if r.Reason != "" && x.Verdict == "listed" {
			continue // by a segment: nothing is left out any more
		}
		x.Role, x.Name, x.Tag, x.Frame = row.Role, row.Name, row.Tag, row.Frame
		out.Rows = append(out.Rows, x)
	}
	if more {
		out.Next = fmt.Sprintf("%d.%d", next.Doc, next.Index)
	}
	return nil
}

// cursor reads after, which is a document and an index in it.
func cursor(after string) (observe.Cursor, error) {
	if after == "" {
		return observe.Cursor{}, nil
	}
	doc, index, ok := strings.Cut(after, ".")
	d, err1 := strconv.Atoi(doc)
	i, err2 := strconv.Atoi(index)
	if !ok || err1 != nil || err2 != nil || d < 0 || i < 0 {
		return observe.Cursor{}, &contract.ArgumentError{Field: "after", Message: "must be next from the page before"}
	}
	return observe.Cursor{Doc: d, Index: i}, nil
}
