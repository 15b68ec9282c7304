package act

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
)

// The routes of a click.
const (
	TrustedKey = "trusted_key" // focus and one fixed key, for native controls whose contract was measured
	DOMEvent   = "dom_event"   // synthetic: the page sees an untrusted event
	Trusted    = "trusted"     // the pointer; raises the window where the platform says so
)

// Click proves the subject and clicks it by route. proof holds the steps up to
// the document; what fails here is a refusal with the whole trace.
func Click(ctx context.Context, s Subject, route string, proof *refusal.Proof) (*contract.ActionResult, error) {
	c := &attempt{Subject: s, kind: "click", route: route, proof: proof, puts: checked[s.Ref.Role]}
	sight, err := c.ready(ctx)
	if err != nil {
		return nil, err
	}
	delivered, err := c.deliver(ctx, sight)
	if err != nil {
		c.disarm(ctx)
		return nil, err
	}
	return c.result(ctx, delivered)
}

// overtaken says why nothing was delivered to a node that was proven: what the
// page has made of it meanwhile.
func (c *attempt) overtaken(ctx context.Context) error {
	*c.proof = c.upTo
	c.proof.Pass("document", "the document of the snapshot")
	s, err := c.look(ctx)
	if err == nil {
		err = c.judge(s)
	}
	if err == nil {
		err = c.visible(s)
	}
	if err == nil {
		err = c.restless()
	}
	return err
}

// alternatives are the routes that would be accepted for this node now.
func (c *attempt) alternatives(s *world.Sight) []string {
	out := []string{}
	if c.kind == "point" { // that only a pointer can click
		return out
	}
	if s.Contract != "" && !c.Keyless {
		out = append(out, TrustedKey)
	}
	out = append(out, DOMEvent)
	if c.TrustedSafe && s.TabVisible {
		out = append(out, Trusted)
	}
	return slices.DeleteFunc(out, func(r string) bool { return r == c.route })
}

// routed decides whether the chosen route may be used; it is never exchanged.
func (c *attempt) routed(s *world.Sight) error {
	d := refusal.Detail{AlternativeRoutes: c.alternatives(s)}
	switch {
	case c.kind == "type": // whether it takes keys, the field says
	case c.route == TrustedKey && c.Keyless && c.kind != "click":
		return c.keyless()
	case c.route == TrustedKey && c.Keyless:
		r := refusal.New(refusal.NoKeys, "this application's engine takes no keys over the protocol")
		return c.fail("route", "a browser that takes keys", "none", r.WithDetail(d))
	case c.kind == "click" && c.route == TrustedKey && s.Contract == "":
		r := refusal.New(refusal.NoKeyContract, "no key is known to click this kind of node exactly once")
		return c.fail("route", "a key contract", s.Tag, r.WithDetail(d))
	case c.route == Trusted && !s.TabVisible:
		r := refusal.New(refusal.WouldActivate, "the tab is not shown: the pointer reaches only the tab in front")
		return c.fail("route", "a tab that is shown", "hidden", r.WithDetail(d))
	case c.route == Trusted && !c.TrustedSafe && !c.Foreground:
		r := refusal.New(refusal.WouldActivate, "pointer input raises the window on this platform")
		return c.fail("route", "background-safe", "raises the window", r.WithDetail(d))
	}
	c.proof.Pass("route", c.route)
	return nil
}

// keyless refuses what needs keys, and has no other way.
func (c *attempt) keyless() error {
	return c.fail("route", "a browser that takes keys", "none", refusal.New(refusal.NoKeys, "this application's engine takes no keys over the protocol"))
}

var errNotDelivered = errors.New("not delivered")

// deliver hands the click over once. An error before anything was sent is
// returned; after that the outcome is in the delivery.
func (c *attempt) deliver(ctx context.Context, s *world.Sight) (delivery, error) {
	switch c.route {
	case DOMEvent:
		return c.synthetic(ctx)
	case TrustedKey:
		return c.key(ctx, s)
	case Trusted:
		return c.pointer(ctx, s)
	}
	return delivery{}, fmt.Errorf("%w: no route %q", errNotDelivered, c.route)
}

func (c *attempt) synthetic(ctx context.Context) (delivery, error) {
	return c.atOnce(ctx, "press", nil)
}

// atOnce runs an operation that acts on the node in the very task in which it
// finds it as it was proven; otherwise nothing has been done.
func (c *attempt) atOnce(ctx context.Context, op string, more map[string]any) (delivery, error) {
	var r struct {
		Gone    bool   `json:"gone"`
		Changed string `json:"changed"`
	}
	args := map[string]any{"k": c.Local}
	maps.Copy(args, c.expected)
	maps.Copy(args, more)
	sent := c.Document.Start(op, args)
	d := c.await(ctx, func(ctx context.Context) error { return sent.Decode(ctx, &r) })
	switch {
	case d.never:
		return d, c.replaced()
	case r.Changed != "":
		return d, c.overtaken(ctx)
	case r.Gone:
		return d, c.fail("delivery", "connected", "gone", refusal.New(refusal.NodeGone, "the node of this ref left the page before anything was delivered"))
	}
	return d, nil
}

// pointer presses and releases at a point where the node was hit.
func (c *attempt) pointer(ctx context.Context, s *world.Sight) (delivery, error) {
	return c.pressed(ctx, s, func(at [2]float64) []*devtools.Pending {
		return []*devtools.Pending{c.mouse("mousePressed", at, "left", 1), c.mouse("mouseReleased", at, "left", 1)}
	})
}

// pressed moves the pointer over the node, looks at what that made of it, and
// presses where the pointer then stands on the node: a page may open something
// or move the node away under the pointer, or the node may be on its way.
func (c *attempt) pressed(ctx context.Context, s *world.Sight, press func(at [2]float64) []*devtools.Pending) (delivery, error) {
	for range tries + 1 {
		at := s.Points[0]
		c.trips++
		d, err := c.input(ctx, []*devtools.Pending{c.mouse("mouseMoved", at, "none", 0)})
		if err == nil {
			err = d.doubtful // it came near, perhaps, and has pressed nothing
		}
		if err != nil {
			return d, err
		}
		err = c.beforeDialog(ctx, func(ctx context.Context) (err error) {
			*c.proof = c.upTo
			c.proof.Pass("document", "the document of the snapshot")
			if s, err = c.look(ctx); err != nil {
				return err
			}
			if err := c.judge(s); err != nil {
				return err
			}
			return c.visible(s)
		})
		if err != nil {
			return d, err
		}
		if now := s.Points[0]; math.Abs(now[0]-at[0]) < 1 && math.Abs(now[1]-at[1]) < 1 {
			c.proof.Pass("route", c.route)
			return c.input(ctx, press(at))
		}
		if err := c.beforeDialog(ctx, func(ctx context.Context) error { return c.op(ctx, "stable", nil) }); err != nil {
			return d, err
		}
	}
	return delivery{}, c.restless()
}

// key focuses the node and sends the one key of its contract.
func (c *attempt) key(ctx context.Context, s *world.Sight) (delivery, error) {
	if err := c.takeFocus(ctx, s); err != nil {
		return delivery{}, err
	}
	if s.Chooser {
		c.effects = append(c.effects, "unless the page prevents it, the browser opens its chooser in front of every window")
	}
	d, err := c.input(ctx, c.stroke(keyTable[s.Contract], 0))
	c.undo()
	return d, err
}
