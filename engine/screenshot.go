package engine

import (
	"context"
	"encoding/base64"
	"math"
	"time"

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
	out, err := untilDialog(ctx, t, func(ctx context.Context) (*contract.ScreenshotResult, error) { return t.shoot(ctx, r, e.o.Clock) })
	if err != nil {
		return nil, t.again(lost(err), contract.StateRequest{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID})
	}
	return out, nil
}

// shoot resolves what to shoot, and shoots it.
func (t *resolved) shoot(ctx context.Context, r contract.ScreenshotRequest, now func() time.Time) (*contract.ScreenshotResult, error) {
	ref := r.Ref
	out := &contract.ScreenshotResult{Status: contract.OK, TargetID: t.target.ID, TabID: t.tab.ID, Of: "viewport", Ref: ref, MIME: "image/png"}
	var aim observe.Aim
	var seen *regionSeen
	var err error
	switch kind, _, _, _ := capability.Parse(ref); {
	case ref == "":
	case kind == capability.KindVisual:
		out.Of = "region"
		seen, err = t.region(ref)
		if err == nil {
			aim = seen.snap.AimRegion(seen.k)
		}
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
	if r.Annotate {
		if err := t.annotate(ctx, shot, out); err != nil {
			return nil, err
		}
	}
	b := shot.Box
	w, h := b.R-b.L, b.B-b.T
	out.Width, out.Height, out.Moved = shot.Width, shot.Height, shot.Moved
	out.PNG, out.Data = shot.PNG, base64.StdEncoding.EncodeToString(shot.PNG)
	out.Box, out.Scale = [4]float64{b.L, b.T, w, h}, [2]float64{float64(shot.Width) / w, float64(shot.Height) / h}
	if seen != nil && shot.Moved == "" {
		of := &captured{regionSeen: *seen, box: b, width: shot.Width, height: shot.Height}
		out.CaptureID = t.target.MintCapture(t.tab, seen.n, of, now())
	}
	if shot.Undrawn {
		out.SideEffects = append(out.SideEffects, "the tab is not shown: its page ran frames for the image")
	}
	return out, nil
}

// regionSeen is a visual region of the tab's current snapshot.
type regionSeen struct {
	snap *observe.Snapshot
	n, k int
}

// region resolves a visual ref.
func (t *resolved) region(ref string) (*regionSeen, error) {
	k, payload, r := t.target.ResolveVisual(t.tab, ref)
	if r != nil {
		return nil, r
	}
	snap, ok := payload.(*observe.Snapshot)
	if !ok {
		return nil, refusal.New(refusal.Superseded, "the snapshot of this ref is no longer kept")
	}
	_, n, _, _ := capability.Parse(ref)
	return &regionSeen{snap, n, k}, nil
}

// captured is an image of a visual region in which a point may be clicked.
type captured struct {
	regionSeen
	box           visual.Rect // what it shows, px of the top viewport
	width, height int
}

// at is a place in a px of the image, px of the top viewport: a whole one if there
// is one in it, else the middle.
func (c *captured) at(point []float64) (x, y float64) {
	in := func(px float64, all int, from, to float64) float64 {
		start, each := from+math.Floor(px)*(to-from)/float64(all), (to-from)/float64(all)
		// A mouse gives whole px, and a page counts them from 0.
		if whole := math.Floor(start + each/2); whole >= start {
			return whole
		}
		return start + each/2
	}
	return in(point[0], c.width, c.box.L, c.box.R), in(point[1], c.height, c.box.T, c.box.B)
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
