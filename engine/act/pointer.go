package act

import (
	"context"
	"fmt"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
)

// Pointer proves the subject and makes one gesture over it: hover and scroll,
// which raise no window, or a right or double click by the route asked for.
func Pointer(ctx context.Context, s Subject, r contract.PointerRequest, proof *refusal.Proof) (*contract.ActionResult, error) {
	c := &attempt{Subject: s, kind: "pointer", route: r.Route, proof: proof}
	switch r.Gesture {
	case "scroll":
		c.kind, c.route = "scroll", "pointer_wheel"
	case "hover":
		c.route = pointerMove
	case "right_click":
		c.also = map[string]any{"arrives": "contextmenu"}
	}
	sight, err := c.ready(ctx)
	if err != nil {
		c.disarm(ctx)
		return nil, err
	}
	if r.Gesture == "scroll" {
		return c.scroll(ctx, sight, r)
	}
	d, err := c.gesture(ctx, sight, r.Gesture)
	if err != nil {
		c.disarm(ctx)
		return nil, err
	}
	return c.result(ctx, d)
}

func (c *attempt) gesture(ctx context.Context, s *world.Sight, gesture string) (delivery, error) {
	at := s.Points[0]
	if gesture == "hover" {
		return c.input(ctx, []*devtools.Pending{c.mouse("mouseMoved", at, "none", 0)})
	}
	if c.route == DOMEvent {
		return c.atOnce(ctx, "gesture", map[string]any{"gesture": gesture})
	}
	return c.pressed(ctx, s, func(at [2]float64) (sent []*devtools.Pending) {
		if gesture == "right_click" {
			return append(sent, c.mouse("mousePressed", at, "right", 1), c.mouse("mouseReleased", at, "right", 1))
		}
		for n := 1; n <= 2; n++ {
			sent = append(sent, c.mouse("mousePressed", at, "left", n), c.mouse("mouseReleased", at, "left", n))
		}
		return sent
	})
}

func (c *attempt) mouse(kind string, at [2]float64, button string, count int) *devtools.Pending {
	ev := map[string]any{"type": kind, "x": at[0], "y": at[1], "button": button, "clickCount": count}
	if kind == "mousePressed" {
		ev["buttons"] = map[string]int{"left": 1, "right": 2}[button]
	}
	return c.Tab.Send("Input.dispatchMouseEvent", ev)
}

// pointerMove is the route of a hover, which presses nothing.
const pointerMove = "pointer_move"

// extent is where a scroller stands, CSS px.
type extent struct {
	Gone bool    `json:"gone"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	MaxX float64 `json:"maxX"`
	MaxY float64 `json:"maxY"`
}

// scroll turns the wheel over the node and says how far it went and what is left.
func (c *attempt) scroll(ctx context.Context, s *world.Sight, r contract.PointerRequest) (*contract.ActionResult, error) {
	var before, after extent
	if err := c.opArgs(ctx, "extent", nil, &before); err != nil {
		return nil, err
	}
	at := s.Points[0]
	sent := c.Tab.Send("Input.dispatchMouseEvent", map[string]any{
		"type": "mouseWheel", "x": at[0], "y": at[1], "deltaX": r.DeltaX, "deltaY": r.DeltaY,
	})
	d, err := c.input(ctx, []*devtools.Pending{sent})
	if err != nil {
		return nil, err
	}
	res, err := c.result(ctx, d)
	if err != nil || d.uncertain() || res.Dialog != nil {
		return res, err
	}
	if err := c.opArgs(ctx, "extent", map[string]any{"settle": true}, &after); err != nil {
		return unknown(res, "how far it scrolled could not be read"), nil //nolint:nilerr // it was delivered
	}
	res.Evidence = append(res.Evidence,
		contract.Evidence{Fact: "scrolled", Before: fmt.Sprintf("%.0f,%.0f", before.X, before.Y), After: fmt.Sprintf("%.0f,%.0f", after.X, after.Y)},
		contract.Evidence{Fact: "remaining", Before: fmt.Sprintf("%.0f,%.0f", before.MaxX-before.X, before.MaxY-before.Y), After: fmt.Sprintf("%.0f,%.0f", after.MaxX-after.X, after.MaxY-after.Y)})
	res.Effect = refusal.EffectSuspectedNoop
	if after.X != before.X || after.Y != before.Y {
		res.Effect = refusal.EffectConfirmed
	}
	return res, nil
}
