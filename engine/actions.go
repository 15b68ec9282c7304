package engine

import (
	"context"

	"cuatui/engine/act"
	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// Type types into a ref and reads it back.
func (e *Engine) Type(ctx context.Context, r contract.TypeRequest) (*contract.ActionResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	n := node{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID, Ref: r.Ref, Expect: r.Expect}
	return e.onNode(ctx, n, func(ctx context.Context, s act.Subject, p *refusal.Proof) (*contract.ActionResult, error) {
		return act.Type(ctx, s, r, p)
	})
}

// Select chooses options of a native select and reads them back.
func (e *Engine) Select(ctx context.Context, r contract.SelectRequest) (*contract.ActionResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	n := node{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID, Ref: r.Ref, Expect: r.Expect}
	return e.onNode(ctx, n, func(ctx context.Context, s act.Subject, p *refusal.Proof) (*contract.ActionResult, error) {
		return act.Select(ctx, s, r, p)
	})
}

// Press focuses a ref and presses one key or chord.
func (e *Engine) Press(ctx context.Context, r contract.PressRequest) (*contract.ActionResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	n := node{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID, Ref: r.Ref, Expect: r.Expect}
	return e.onNode(ctx, n, func(ctx context.Context, s act.Subject, p *refusal.Proof) (*contract.ActionResult, error) {
		return act.Press(ctx, s, r, p)
	})
}

// Pointer makes one gesture over a ref.
func (e *Engine) Pointer(ctx context.Context, r contract.PointerRequest) (*contract.ActionResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	n := node{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID, Ref: r.Ref, Delivery: r.Delivery, Expect: r.Expect}
	return e.onNode(ctx, n, func(ctx context.Context, s act.Subject, p *refusal.Proof) (*contract.ActionResult, error) {
		if r.Gesture != "drag" {
			return act.Pointer(ctx, s, r, p)
		}
		to, err := s.Other(ctx, r.ToRef)
		if err != nil {
			return nil, err
		}
		return act.Drag(ctx, s, to, r, p)
	})
}
