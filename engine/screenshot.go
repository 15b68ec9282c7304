package engine

import (
	"context"
	"encoding/base64"

	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/limits"
	"cuatui/engine/observe"
	"cuatui/engine/refusal"
	"cuatui/engine/visual"
	"cuatui/snapshotfmt"
)

// Screenshot takes an image of a tab's window, a node or a visual region. It
// works for a tab that is not shown, which it leaves as it is.
func (e *Engine) Screenshot(ctx context.Context, r contract.ScreenshotRequest) (*contract.ScreenshotResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := e.session(r.Session); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limits.SnapshotTimeout)
	defer cancel()
	t, err := e.resolve(ctx, r.Session, r.TargetID, r.TabID)
	if err != nil {
		return nil, err
	}
	if d := t.live.Open(); d != nil {
		return nil, t.dialogOpen(d)
	}
	out, err := untilDialog(ctx, t, func(ctx context.Context) (*contract.ScreenshotResult, error) { return t.shoot(ctx, r.Ref) })
	if err != nil {
		return nil, t.again(lost(err), contract.StateRequest{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID})
	}
	return out, nil
}

// shoot resolves what to shoot, and shoots it.
func (t *resolved) shoot(ctx context.Context, ref string) (*contract.ScreenshotResult, error) {
	out := &contract.ScreenshotResult{Status: contract.OK, TargetID: t.target.ID, TabID: t.tab.ID, Of: "viewport", Ref: ref, MIME: "image/png"}
	var aim observe.Aim
	var err error
	switch kind, _, _, _ := capability.Parse(ref); {
	case ref == "":
	case kind == capability.KindVisual:
		out.Of = "region"
		aim, err = t.aimRegion(ref)
	default:
		out.Of = "node"
		aim, err = t.aimNode(ctx, ref)
	}
	if err != nil {
		return nil, err
	}
	shot, err := t.live.page.Shoot(ctx, aim)
	if err != nil {
		return nil, err
	}
	b := shot.Box
	w, h := b.R-b.L, b.B-b.T
	out.Width, out.Height, out.Moved = shot.Width, shot.Height, shot.Moved
	out.PNG, out.Data = shot.PNG, base64.StdEncoding.EncodeToString(shot.PNG)
	out.Box, out.Scale = [4]float64{b.L, b.T, w, h}, [2]float64{float64(shot.Width) / w, float64(shot.Height) / h}
	if shot.Undrawn {
		out.SideEffects = append(out.SideEffects, "the tab is not shown: its page ran frames for the image")
	}
	return out, nil
}

// aimRegion aims at a visual ref of the tab's current snapshot.
func (t *resolved) aimRegion(ref string) (observe.Aim, error) {
	k, payload, r := t.target.ResolveVisual(t.tab, ref)
	if r != nil {
		return nil, r
	}
	snap, ok := payload.(*observe.Snapshot)
	if !ok {
		return nil, refusal.New(refusal.Superseded, "the snapshot of this ref is no longer kept")
	}
	return snap.AimRegion(k), nil
}

// aimNode aims at what can be seen of a node. It is not scrolled into view.
func (t *resolved) aimNode(ctx context.Context, ref string) (observe.Aim, error) {
	got, err := t.resolveRef(ctx, ref)
	if err != nil {
		return nil, err
	}
	found, err := t.live.page.Find(ctx, got.K)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (visual.Rect, error) {
		s, err := t.live.page.Look(ctx, found)
		if err != nil {
			return visual.Rect{}, err
		}
		reason := map[snapshotfmt.Tier]refusal.Reason{
			snapshotfmt.NearViewport: refusal.Offscreen, snapshotfmt.OffscreenT: refusal.Offscreen, snapshotfmt.CSSHidden: refusal.Hidden, snapshotfmt.NoLayoutT: refusal.NoLayout,
		}[s.Tier]
		switch {
		case reason != "":
			return visual.Rect{}, refusal.New(reason, "the node is not in view, and a screenshot scrolls nothing")
		case s.Box == nil:
			return visual.Rect{}, refusal.New(refusal.NoLayout, "the place of the node in the window is not known")
		}
		b := *s.Box
		return visual.Rect{L: b[0], T: b[1], R: b[0] + b[2], B: b[1] + b[3]}, nil
	}, nil
}
