// Package act delivers a typed action to one node that binding and the
// snapshot have named: it proves the node again, right before it delivers, by
// a route the caller chose, and reads the effect back. It never exchanges one
// route for another and never delivers twice.
package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
	"cuatui/snapshotfmt"
)

// The routes of a click.
const (
	TrustedKey = "trusted_key" // focus and one fixed key, for native controls whose contract was measured
	DOMEvent   = "dom_event"   // synthetic: the page sees an untrusted event
	Trusted    = "trusted"     // the pointer; raises the window where the platform says so
)

// Steps are the proof steps that belong to the node, in their fixed order.
var Steps = []string{"document", "node", "identity", "declared", "enabled", "visible", "hit", "route"}

// Subject is the node to act on and the ways to look at it.
type Subject struct {
	Tab      *devtools.Session
	Document *world.Document
	Local    int
	Ref      capability.Ref
	// Look looks at the node now, by the survey's own rules.
	Look func(context.Context) (*world.Sight, error)
	// OccluderRef names a covering node's ref, where the snapshot lists it.
	OccluderRef func(k int) string
	// TrustedSafe says that pointer input raises nothing on this platform.
	TrustedSafe bool
	// Foreground says that the caller accepts the window being raised, and
	// that this browser is ours to raise.
	Foreground bool
	// Dialog is closed-over state of the tab's dialogs.
	Dialogs Dialogs
}

// Dialogs is what the tab's owner knows of its dialogs.
type Dialogs interface {
	// Opened returns a channel that is closed when a dialog opens.
	Opened() <-chan struct{}
	// Open is the dialog that is open, nil if none.
	Open() *contract.Dialog
}

// Click proves the subject and clicks it by route. proof holds the steps up to
// the document; what fails here is a refusal with the whole trace.
func Click(ctx context.Context, s Subject, route string, proof *refusal.Proof) (*contract.ActionResult, error) {
	c := &click{Subject: s, route: route, proof: proof}
	sight, err := c.prove(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.armed(ctx); err != nil {
		return nil, err
	}
	delivered, err := c.deliver(ctx, sight)
	if err != nil {
		return nil, err
	}
	return c.result(ctx, delivered)
}

type click struct {
	Subject
	route    string
	proof    *refusal.Proof
	trips    int
	scrolled bool
	effects  []string
}

// fail ends the proof at a step with a refusal.
func (c *click) fail(step, want, got string, r *refusal.Refusal) error {
	c.proof.Fail(step, want, got)
	return r.WithProof(c.proof.Steps(Steps...))
}

// prove looks at the node until it stands in view, at rest and uncovered.
func (c *click) prove(ctx context.Context) (*world.Sight, error) {
	c.proof.Pass("document", "the document of the snapshot")
	sight, err := c.look(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.judge(sight); err != nil {
		return nil, err
	}
	if sight.Tier == snapshotfmt.NearViewport || sight.Tier == snapshotfmt.OffscreenT {
		if err := c.op(ctx, "reveal", nil); err != nil {
			return nil, err
		}
		c.scrolled = true
		c.effects = append(c.effects, "scrolled the node into view")
		if sight, err = c.look(ctx); err != nil {
			return nil, err
		}
		if err := c.same(sight); err != nil {
			return nil, err
		}
	}
	var still struct {
		Stable bool `json:"stable"`
	}
	if err := c.op(ctx, "stable", &still); err != nil {
		return nil, err
	}
	if c.scrolled || !still.Stable { // what stood still was looked at already
		if sight, err = c.look(ctx); err != nil {
			return nil, err
		}
	}
	if err := c.visible(sight); err != nil {
		return nil, err
	}
	return sight, c.routed(sight)
}

func (c *click) look(ctx context.Context) (*world.Sight, error) {
	c.trips++
	sight, err := c.Look(ctx)
	r, ok := refusal.As(err)
	switch {
	case ok && r.Reason == refusal.NodeGone:
		return nil, c.fail("node", "connected", "gone", r)
	case ok:
		return nil, c.fail("document", "the document of the snapshot", "replaced", r)
	}
	return sight, err
}

// op runs an operation of the node's document that takes only the node.
func (c *click) op(ctx context.Context, name string, result any) error {
	c.trips++
	var gone struct {
		Gone bool `json:"gone"`
	}
	pending := c.Document.Start(name, map[string]any{"k": c.Local})
	raw, err := pending.Value(ctx)
	if err == nil {
		err = world.Decode(raw, &gone)
	}
	switch {
	case world.Gone(err):
		return c.fail("document", "the document of the snapshot", "replaced", refusal.New(refusal.Navigated, "the document of this ref has been replaced"))
	case err != nil:
		return err
	case gone.Gone:
		return c.fail("node", "connected", "gone", refusal.New(refusal.NodeGone, "the node of this ref is no longer in the page"))
	case result == nil:
		return nil
	}
	return world.Decode(raw, result)
}

// judge is the part of the proof that does not need the node to be in view.
func (c *click) judge(s *world.Sight) error {
	c.proof.Pass("node", "connected")
	if err := c.same(s); err != nil {
		return err
	}
	c.proof.Pass("identity", "role, name and row unchanged")
	if !slices.Contains(c.Ref.Actions, "click") {
		r := refusal.New(refusal.NotDeclared, "this ref declares no click")
		d := refusal.Detail{Declared: c.Ref.Actions, SubReason: c.Ref.Why}
		switch {
		case s.Disabled != "":
			r = refusal.New(refusal.Disabled, "the control is disabled")
		case c.Ref.Role == "combobox" && slices.Contains(c.Ref.Actions, "select"):
			r = refusal.New(refusal.NotDeclared, "a native select is chosen from, not clicked")
		case s.Tier == snapshotfmt.PageOccluded || !s.Hit && s.By != nil:
			return c.occluded(s)
		}
		return c.fail("declared", "click", strings.Join(c.Ref.Actions, ","), r.WithDetail(d))
	}
	c.proof.Pass("declared", "click")
	if s.Disabled != "" {
		return c.fail("enabled", "enabled", s.Disabled, refusal.New(refusal.Disabled, "the control is disabled now").WithDetail(refusal.Detail{SubReason: s.Disabled}))
	}
	c.proof.Pass("enabled", "enabled")
	return c.shown(s)
}

// same holds what the node is against what the ref said.
func (c *click) same(s *world.Sight) error {
	was := identityOf(c.Ref.Role, c.Ref.Name, c.Ref.RowKey)
	is := identityOf(s.Role, s.Name, s.RowKey)
	if was == is {
		return nil
	}
	r := refusal.New(refusal.IdentityChanged, "the node is no longer what the ref was made for")
	return c.fail("identity", was, is, r.WithDetail(refusal.Detail{Was: was, Is: is, SameNode: "changed"}))
}

func identityOf(role, name, row string) string {
	id := role + " " + snapshotfmt.Quote(name)
	if row != "" {
		id += " in " + snapshotfmt.Quote(row)
	}
	return id
}

// shown refuses what no scrolling brings into view.
func (c *click) shown(s *world.Sight) error {
	got := string(s.Tier)
	if s.Sub != "" {
		got += "/" + s.Sub
	}
	d := refusal.Detail{SubReason: s.Sub}
	switch {
	case s.Tier == snapshotfmt.CSSHidden && (s.Sub == "inert" || s.Sub == "behind_modal"):
		return c.fail("visible", "visible", got, refusal.New(refusal.Inert, "the page has made the node inert").WithDetail(d))
	case s.Tier == snapshotfmt.CSSHidden:
		return c.fail("visible", "visible", got, refusal.New(refusal.Hidden, "the node is hidden").WithDetail(d))
	case s.Tier == snapshotfmt.NoLayoutT && (s.Sub == "off_canvas" || s.Sub == "clipped"):
		return c.fail("visible", "visible", got, refusal.New(refusal.Offscreen, "no scrolling brings the node into view").WithDetail(d))
	case s.Tier == snapshotfmt.NoLayoutT:
		return c.fail("visible", "visible", got, refusal.New(refusal.NoLayout, "the node has no box").WithDetail(d))
	}
	return nil
}

// visible is the last of the proof: in view and uncovered.
func (c *click) visible(s *world.Sight) error {
	if err := c.same(s); err != nil {
		return err
	}
	if err := c.shown(s); err != nil {
		return err
	}
	if s.Tier == snapshotfmt.NearViewport || s.Tier == snapshotfmt.OffscreenT {
		return c.fail("visible", "in_viewport", string(s.Tier), refusal.New(refusal.Offscreen, "the node could not be scrolled into view"))
	}
	c.proof.Pass("visible", string(snapshotfmt.InViewport))
	if !s.Hit {
		return c.occluded(s)
	}
	p := s.Points[0]
	c.proof.Passf("hit", "the node itself", "the node itself at %.0f,%.0f", p[0], p[1])
	return nil
}

func (c *click) occluded(s *world.Sight) error {
	d := refusal.Detail{SubReason: s.Why, Occluder: s.By}
	got := s.Why
	if s.By != nil {
		got = s.By.Tag + " " + snapshotfmt.Quote(s.By.Name)
		if s.ByK != 0 {
			s.By.Ref = c.OccluderRef(s.ByK)
		}
	}
	r := refusal.New(refusal.Occluded, "something else takes the pointer at every point of the node")
	if s.Why == "pointer_events_none" {
		r = refusal.New(refusal.Occluded, "the node lets the pointer through")
	}
	return c.fail("hit", "the node itself", got, r.WithDetail(d))
}

// alternatives are the routes that would be accepted for this node now.
func (c *click) alternatives(s *world.Sight) []string {
	out := []string{}
	if s.Contract != "" {
		out = append(out, TrustedKey)
	}
	out = append(out, DOMEvent)
	if c.TrustedSafe {
		out = append(out, Trusted)
	}
	return slices.DeleteFunc(out, func(r string) bool { return r == c.route })
}

// routed decides whether the chosen route may be used; it is never exchanged.
func (c *click) routed(s *world.Sight) error {
	d := refusal.Detail{AlternativeRoutes: c.alternatives(s)}
	switch {
	case c.route == TrustedKey && s.Contract == "":
		r := refusal.New(refusal.NoKeyContract, "no key is known to click this kind of node exactly once")
		return c.fail("route", "a key contract", s.Tag, r.WithDetail(d))
	case c.route == Trusted && !c.TrustedSafe && !c.Foreground:
		r := refusal.New(refusal.WouldActivate, "pointer input raises the window on this platform")
		return c.fail("route", "background-safe", "raises the window", r.WithDetail(d))
	}
	c.proof.Pass("route", c.route)
	return nil
}

// armed starts the observation of the effect.
func (c *click) armed(ctx context.Context) error { return c.op(ctx, "arm", nil) }

var errNotDelivered = errors.New("not delivered")

// delivery says how far a delivery got.
type delivery struct {
	doubtful error // delivered perhaps: the call ended without an answer
}

// deliver hands the click over once. An error before anything was sent is
// returned; after that the outcome is in the delivery.
func (c *click) deliver(ctx context.Context, s *world.Sight) (delivery, error) {
	switch c.route {
	case DOMEvent:
		return c.synthetic(ctx)
	case TrustedKey:
		return c.key(ctx, s)
	case Trusted:
		return c.pointer(ctx, s.Points[0])
	}
	return delivery{}, fmt.Errorf("%w: no route %q", errNotDelivered, c.route)
}

// await waits for a sent message, a dialog or the end of ctx, whichever is
// first. A dialog holds the answer back until it is closed.
func (c *click) await(ctx context.Context, wait func(context.Context) error) delivery {
	ctx, cancel := context.WithTimeout(ctx, limits.CallTimeout)
	done := make(chan error, 1)
	go func() { defer cancel(); done <- wait(ctx) }()
	select {
	case err := <-done:
		if world.Gone(err) { // the click replaced the document: it was delivered
			return delivery{}
		}
		return delivery{doubtful: err}
	case <-c.Dialogs.Opened():
		cancel()
		<-done
		return delivery{}
	}
}

func (c *click) synthetic(ctx context.Context) (delivery, error) {
	sent := c.Document.Start("press", map[string]any{"k": c.Local})
	return c.await(ctx, func(ctx context.Context) error {
		var r struct {
			Gone bool `json:"gone"`
		}
		return sent.Decode(ctx, &r)
	}), nil
}

// pointer presses and releases at a point where the node was hit.
func (c *click) pointer(ctx context.Context, at [2]float64) (delivery, error) {
	if !c.TrustedSafe {
		c.effects = append(c.effects, "the window is raised and activated")
	}
	sent := make([]*devtools.Pending, 0, 3)
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		ev := map[string]any{"type": kind, "x": at[0], "y": at[1]}
		if kind != "mouseMoved" {
			ev["button"], ev["clickCount"], ev["buttons"] = "left", 1, 1
		}
		sent = append(sent, c.Tab.Send("Input.dispatchMouseEvent", ev))
	}
	return c.await(ctx, func(ctx context.Context) error { return all(ctx, sent) }), nil
}

func all(ctx context.Context, sent []*devtools.Pending) error {
	for _, p := range sent {
		if err := p.Decode(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// key focuses the node and sends the one key of its contract.
func (c *click) key(ctx context.Context, s *world.Sight) (delivery, error) {
	if !s.TabVisible {
		c.effects = append(c.effects, "focus emulation in a hidden tab: the page sees visible, then hidden again")
		if err := c.emulate(ctx, true); err != nil {
			return delivery{}, err
		}
		defer func() { _ = c.emulate(context.WithoutCancel(ctx), false) }()
	}
	var f struct {
		Focused bool `json:"focused"`
	}
	if err := c.op(ctx, "focus", &f); err != nil {
		return delivery{}, err
	}
	if !f.Focused {
		r := refusal.New(refusal.FocusRefused, "the page did not let the node have the focus")
		return delivery{}, c.fail("focus", "the node", "something else", r.WithDetail(refusal.Detail{AlternativeRoutes: c.alternatives(s)}))
	}
	c.effects = append(c.effects, "focus: moved")
	key := keys[s.Contract]
	down := map[string]any{"type": "keyDown", "key": key.key, "code": key.code, "windowsVirtualKeyCode": key.vk, "text": key.text, "unmodifiedText": key.text}
	up := map[string]any{"type": "keyUp", "key": key.key, "code": key.code, "windowsVirtualKeyCode": key.vk}
	sent := []*devtools.Pending{c.Tab.Send("Input.dispatchKeyEvent", down), c.Tab.Send("Input.dispatchKeyEvent", up)}
	return c.await(ctx, func(ctx context.Context) error { return all(ctx, sent) }), nil
}

func (c *click) emulate(ctx context.Context, on bool) error {
	return c.Tab.Call(ctx, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": on}, nil)
}

// keys are the two keys of the trusted_key contract.
var keys = map[string]struct {
	key, code, text string
	vk              int
}{
	"Space": {" ", "Space", " ", 32},
	"Enter": {"Enter", "Enter", "\r", 13},
}
