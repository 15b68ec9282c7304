package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
)

// dragTold is what the page has made of a drag.
type dragTold struct {
	Started   bool `json:"started"`   // a drag of the browser's own kind began
	Prevented bool `json:"prevented"` // and the page took it over
	Dropped   bool `json:"dropped"`   // at the destination
	Ended     bool `json:"ended"`
}

// Drag proves the subject and the destination, which is of the same document,
// and drags the one onto the other. A drag of the browser's own kind never
// becomes one of the desktop's: it is kept within the page.
func Drag(ctx context.Context, s, to Subject, r contract.PointerRequest, proof *refusal.Proof) (*contract.ActionResult, error) {
	c := &dragging{
		attempt: &attempt{Subject: s, kind: "drag", route: r.Route, proof: proof},
		to:      &attempt{Subject: to, kind: "drop", route: DOMEvent, proof: &refusal.Proof{}},
	}
	c.also = map[string]any{"to": to.Local}
	res, err := c.drag(ctx)
	if err != nil {
		c.disarm(ctx)
		c.Document.Start("dragTold", map[string]any{"done": true}) // takes its notes off
	}
	return res, err
}

type dragging struct {
	*attempt
	to *attempt
}

func (c *dragging) drag(ctx context.Context) (*contract.ActionResult, error) {
	if c.Document != c.to.Document {
		return nil, c.fail("destination", "in the same document", "in another frame", refusal.New(refusal.FramesDiffer, "a drag starts and ends in one document"))
	}
	if c.route == Trusted && c.Document.Session != c.Tab {
		return nil, c.fail("route", "a frame of the page's own process", "of another", refusal.New(refusal.PageRefused, "a trusted drag cannot be kept within a frame of another process"))
	}
	if err := c.beforeDialog(ctx, func(ctx context.Context) error { _, err := c.to.prove(ctx); return atDestination(err) }); err != nil {
		return nil, err
	}
	sight, err := c.ready(ctx)
	if err != nil {
		return nil, err
	}
	var at *world.Sight
	err = c.beforeDialog(ctx, func(ctx context.Context) (err error) { // bringing the one into view may have moved the other
		*c.to.proof = refusal.Proof{}
		c.to.proof.Pass("document", "the document of the snapshot")
		if at, err = c.to.look(ctx); err == nil {
			err = c.to.visible(at)
		}
		if err = atDestination(err); err == nil {
			err = c.opArgs(ctx, "dragNotes", map[string]any{"to": c.to.Local}, nil)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var d delivery
	if c.route == DOMEvent {
		d, err = c.atOnce(ctx, "drag", map[string]any{"to": c.to.Local})
	} else {
		d, err = c.pull(ctx, sight, at.Points[0])
	}
	if err != nil {
		return nil, err
	}
	res, err := c.result(ctx, d)
	if err != nil || d.uncertain() || res.Invalidated || res.Dialog != nil {
		return res, err
	}
	var told dragTold
	if err := c.opArgs(ctx, "dragTold", map[string]any{"done": true}, &told); err != nil {
		return unknown(res, "the drag could not be read back"), nil //nolint:nilerr // it was delivered
	}
	return judgeDrag(res, told), nil
}

// atDestination says of a refusal which of the two nodes it is about.
func atDestination(err error) error {
	if r, ok := refusal.As(err); ok {
		r.Message = "the destination: " + r.Message
	}
	return err
}

// judgeDrag says what became of a drag of the browser's own kind: one that no
// page took at the destination has done nothing there.
func judgeDrag(res *contract.ActionResult, told dragTold) *contract.ActionResult {
	if !told.Started || told.Prevented {
		return res
	}
	after := "at the destination"
	if !told.Dropped {
		after = "not taken by the page"
		res.Status, res.Effect = contract.Partial, refusal.EffectSuspectedNoop
	}
	res.Evidence = append(res.Evidence, contract.Evidence{Fact: "drop", Before: "none", After: after})
	return res
}

// dragSteps is over how many moves a drag goes.
const dragSteps = 8

// interceptTime bounds the wait for a drag that the page has let begin to be
// handed to us.
const interceptTime = time.Second

// pull drags with the real pointer. The button and the browser's own handling
// of drags are given back however it ends.
func (c *dragging) pull(ctx context.Context, s *world.Sight, at [2]float64) (d delivery, err error) {
	events := c.Tab.Subscribe("Input.dragIntercepted")
	defer events.Close()
	keep := map[string]any{"enabled": true}
	err = c.Tab.Call(ctx, "Input.setInterceptDrags", keep, nil)
	var declined *devtools.Error
	switch {
	case errors.As(err, &declined):
		return d, c.fail("drag", "kept within the page", "not possible", refusal.New(refusal.PageRefused, "this browser cannot keep a drag within the page"))
	case err != nil:
		return d, fmt.Errorf("drag: %w", err)
	}
	defer func() { c.letGo(ctx, c.Tab.Send("Input.setInterceptDrags", map[string]any{"enabled": false})) }()
	var from [2]float64
	d, err = c.pressed(ctx, s, func(p [2]float64) []*devtools.Pending {
		from = p
		sent := []*devtools.Pending{c.mouse("mousePressed", p, "left", 1)}
		for i := 1; i <= 3; i++ { // beyond what still counts as a click
			sent = append(sent, c.moved([2]float64{p[0] + 3*float64(i), p[1] + 3*float64(i)}))
		}
		return sent
	})
	if err != nil {
		return d, err
	}
	defer func() { c.letGo(ctx, c.mouse("mouseReleased", at, "left", 1)) }()
	if d.uncertain() || c.Dialogs.Open() != nil {
		return d, nil
	}
	data := c.intercepted(ctx, events)
	if data == nil {
		sent := []*devtools.Pending{}
		for i := 1; i <= dragSteps; i++ {
			part := float64(i) / dragSteps
			sent = append(sent, c.moved([2]float64{from[0] + (at[0]-from[0])*part, from[1] + (at[1]-from[1])*part}))
		}
		return c.input(ctx, sent)
	}
	var sent []*devtools.Pending
	for _, kind := range []string{"dragEnter", "dragOver", "dragOver", "drop"} {
		sent = append(sent, c.Tab.Send("Input.dispatchDragEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "data": data}))
	}
	return c.input(ctx, sent)
}

// moved moves the pointer with the button held.
func (c *dragging) moved(p [2]float64) *devtools.Pending {
	return c.Tab.Send("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": p[0], "y": p[1], "button": "left", "buttons": 1})
}

// intercepted is what the page drags, where it has let a drag of the browser's
// own kind begin; nil otherwise.
func (c *dragging) intercepted(ctx context.Context, events *devtools.Events) json.RawMessage {
	var told dragTold
	if err := c.op(ctx, "dragTold", &told); err != nil || !told.Started || told.Prevented {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, interceptTime)
	defer cancel()
	select {
	case ev, ok := <-events.C():
		var p struct {
			Data json.RawMessage `json:"data"`
		}
		if !ok || json.Unmarshal(ev.Params, &p) != nil {
			return nil
		}
		return p.Data
	case <-ctx.Done():
		return nil
	}
}

// letGo waits until something is given back, also where the caller has given
// up. An open dialog holds the answer back until it is closed.
func (c *dragging) letGo(ctx context.Context, sent *devtools.Pending) {
	c.await(context.WithoutCancel(ctx), func(ctx context.Context) error { return sent.Decode(ctx, nil) })
}
