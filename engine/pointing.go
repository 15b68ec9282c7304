package engine

import (
	"context"

	"cuatui/engine/contract"
	"cuatui/engine/observe"
	"cuatui/engine/refusal"
)

// Pick lets the person at the browser choose a node with the mouse, and explains
// it as Explain does; without a node where the person ended it there. It waits
// until ctx ends. The browser draws over the page and takes the press: no
// document changes and no page sees it. It is no tool: only a person's key calls
// it. r names session, target and tab.
func (e *Engine) Pick(ctx context.Context, r contract.StateRequest) (*contract.ExplainResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	t, err := e.pointable(ctx, r.Session, r.TargetID, r.TabID)
	if err != nil {
		return nil, err
	}
	n, snap, err := t.explains()
	var x *observe.Explanation
	if err == nil {
		x, err = snap.Pick(ctx)
	}
	if err == nil && x != nil {
		// A choice may take any time: what was proven before it must hold still.
		_, err = e.pointable(ctx, r.Session, r.TargetID, r.TabID)
	}
	if err != nil {
		return nil, t.again(lost(err), r)
	}
	if now, _, err := t.explains(); err != nil || now != n {
		return nil, t.again(refusal.New(refusal.Superseded, "a newer snapshot has replaced the one that was pointed at"), r)
	}
	return t.explanation(n, x), nil
}

// Highlight marks the node of a ref in the browser, beside the document, until
// ctx ends; then it returns ctx's error, and the mark is gone. It is no tool. r
// names session, target, tab and ref.
func (e *Engine) Highlight(ctx context.Context, r contract.ExplainRequest) error {
	if err := r.Validate(); err != nil {
		return err
	}
	t, err := e.pointable(ctx, r.Session, r.TargetID, r.TabID)
	if err != nil {
		return err
	}
	n, _, err := t.explains()
	var k int
	if err == nil {
		k, err = t.explainable(ctx, r.Ref, n)
	}
	if err == nil {
		err = t.live.page.Highlight(ctx, k)
	}
	return t.again(lost(err), contract.StateRequest{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID})
}

// pointable is a tab that can be read now.
func (e *Engine) pointable(ctx context.Context, session, target, tab string) (*resolved, error) {
	t, err := e.resolve(ctx, session, target, tab)
	if err != nil {
		return nil, err
	}
	if d := t.live.Open(); d != nil {
		return nil, t.dialogOpen(d)
	}
	return t, nil
}
