package act

import (
	"context"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// ClickPoint clicks a point of a visual region with the pointer. s.Look looks
// at that point alone: it refuses where the region is not as it was, and says
// what else takes the pointer there. at is the point in px of the region's own
// document, which the page is told when it is armed.
//
// What a click draws cannot be read back: where nothing else shows, the effect
// is dispatched, and never a suspected no-op.
func ClickPoint(ctx context.Context, s Subject, at [2]float64, proof *refusal.Proof) (*contract.ActionResult, error) {
	c := &attempt{Subject: s, kind: "point", route: Trusted, proof: proof, also: map[string]any{"at": at}}
	sight, err := c.ready(ctx)
	if err != nil {
		return nil, err
	}
	delivered, err := c.pointer(ctx, sight)
	if err != nil {
		c.disarm(ctx)
		return nil, err
	}
	r, err := c.result(ctx, delivered)
	if err == nil && r.Effect == refusal.EffectSuspectedNoop {
		r.Effect = refusal.EffectDispatched
		r.Evidence = append(r.Evidence, contract.Evidence{Fact: "pixels", Before: "not read", After: "not read"})
	}
	return r, err
}
