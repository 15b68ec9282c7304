package engine

import (
	"context"

	"cuatui/engine/act"
	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// SetInputFiles puts files into a file input. The browser gets private copies,
// which are kept as long as it may still read them: until the session ends.
func (e *Engine) SetInputFiles(ctx context.Context, r contract.FilesRequest) (*contract.ActionResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	t, err := e.lookup(r.Session, r.TargetID)
	if err != nil {
		return nil, err
	}
	copies, err := copyFiles(ctx, r.Files, r.Root)
	if err != nil {
		return nil, err
	}
	n := node{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID, Ref: r.Ref, Delivery: r.Delivery, Expect: r.Expect}
	res, err := e.onNode(ctx, n, func(ctx context.Context, s act.Subject, p *refusal.Proof) (*contract.ActionResult, error) {
		if r.Route != "" {
			return act.UploadBy(ctx, s, r.Route, copies.files, p)
		}
		return act.Upload(ctx, s, copies.files, p)
	})
	if err != nil || !t.browser.keep(copies) {
		copies.remove()
	}
	return res, err
}
