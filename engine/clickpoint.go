package engine

import (
	"context"
	"fmt"

	"cuatui/engine/act"
	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
)

// pointed is a point of a visual region that is to be clicked.
type pointed struct {
	of   *captured
	x, y float64    // px of the top viewport
	at   [2]float64 // px of the region's own document
}

// takePoint uses up the image of a request and says which place its point is.
// That is before anything is asked of the browser: an image is clicked in once,
// whatever comes of it. A point outside of it is a bad argument and uses up
// nothing. Where the target or tab is not known, the proof will say so.
func (e *Engine) takePoint(r contract.ClickRequest) (*pointed, error) {
	target, refused := e.store.Target(r.Session, r.TargetID)
	if refused != nil {
		return nil, nil //nolint:nilnil,nilerr // the proof refuses it, and better
	}
	tab, refused := target.Tab(r.TabID)
	if refused != nil {
		return nil, nil //nolint:nilnil,nilerr // the same
	}
	c, refused := target.Capture(tab, r.CaptureID, e.o.Clock())
	if refused != nil {
		return nil, leadToState(refused, r)
	}
	of, ok := c.Payload.(*captured)
	if !ok {
		return nil, fmt.Errorf("click a point: an image holds no region")
	}
	if r.Point[0] >= float64(of.width) || r.Point[1] >= float64(of.height) {
		return nil, &contract.ArgumentError{Field: "point", Message: fmt.Sprintf("is outside of the image, which has %d by %d px", of.width, of.height)}
	}
	if _, refused := target.TakeCapture(tab, r.CaptureID, e.o.Clock()); refused != nil {
		return nil, leadToState(refused, r)
	}
	x, y := of.at(r.Point)
	return &pointed{of: of, x: x, y: y}, nil
}

func leadToState(refused *refusal.Refusal, r contract.ClickRequest) *refusal.Refusal {
	return refused.WithNext("get_browser_state", snapshotArgs(r.Session, r.TargetID, r.TabID))
}

// pointSubject proves the document of a region, and makes its element the
// subject of a click at one point.
func (m *mutation) pointSubject(ctx context.Context, n node) (act.Subject, error) {
	plan := append([]string{"ref"}, act.Steps...)
	of := n.point.of
	at, ok := of.snap.PointOf(of.k, n.point.x, n.point.y)
	if !ok || m.target.Current(m.tab) != of.n {
		return act.Subject{}, refuse(m.proof, plan, "ref", "current", "replaced", refusal.New(refusal.Superseded, "the snapshot of this image has been replaced"))
	}
	m.proof.Pass("ref", fmt.Sprintf("v%d:%d", of.n, of.k))
	m.trips++
	found, err := m.live.page.Find(ctx, of.k)
	if refused, ok := refusal.As(err); ok {
		m.target.Invalidate(m.tab)
		return act.Subject{}, refuse(m.proof, plan, "document", "the document of the snapshot", "replaced", refused)
	}
	if err != nil {
		return act.Subject{}, err
	}
	aim := of.snap.AimRegion(of.k)
	n.point.at = at
	look := func(ctx context.Context) (*world.Sight, error) {
		if _, err := aim(ctx); err != nil {
			return nil, err
		}
		return m.live.page.LookAt(ctx, found, at)
	}
	sight, err := look(ctx)
	if refused, ok := refusal.As(err); ok {
		return act.Subject{}, refuse(m.proof, plan, "visible", "as the snapshot saw it", "changed", refused)
	}
	if err != nil {
		return act.Subject{}, err
	}
	s := m.subjectOf(capability.Ref{K: of.k, Role: sight.Role, Name: sight.Name, Steady: sight.Steady, RowKey: sight.RowKey, Use: sight.Use}, found, n)
	s.Look = look
	return s, nil
}
