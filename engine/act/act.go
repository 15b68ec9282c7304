// Package act delivers a typed action to one node that binding and the
// snapshot have named: it proves the node again, right before it delivers, by
// a route the caller chose, and reads the effect back. It never exchanges one
// route for another and never delivers twice.
package act

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
	"cuatui/snapshotfmt"
)

// Steps are the proof steps that belong to the node, in their fixed order.
var Steps = []string{"document", "node", "identity", "declared", "enabled", "visible", "hit", "route"}

// Subject is the node to act on and the ways to look at it.
type Subject struct {
	Tab      *devtools.Session
	TabKey   string // the tab's target, and the id of its main frame
	Document *world.Document
	Local    int
	Ref      capability.Ref
	// Look looks at the node now, by the survey's own rules.
	Look func(context.Context) (*world.Sight, error)
	// OccluderRef names a covering node's ref, where the snapshot lists it.
	OccluderRef func(k int) string
	// TrustedSafe says that pointer input raises nothing on this platform.
	TrustedSafe bool
	// Keyless says that the browser takes no keys over the protocol.
	Keyless bool
	// Foreground says that the caller accepts the window being raised, and
	// that this browser is ours to raise.
	Foreground bool
	// Dialog is closed-over state of the tab's dialogs.
	Dialogs Dialogs
	// Other is the subject of another ref of the tab, for what has two.
	Other func(ctx context.Context, ref string) (Subject, error)
	// Used is told what an action on the node has made of its use; nil for nobody.
	Used func(use string)
	// Before is called once the node is proven, as the last before it is
	// acted on; nil for nothing.
	Before func(context.Context) error
}

// Dialogs is what the tab's owner knows of its dialogs.
type Dialogs interface {
	// Opened returns a channel that is closed when a dialog opens.
	Opened() <-chan struct{}
	// Open is the dialog that is open, nil if none.
	Open() *contract.Dialog
}

// ready proves the node and arms the observation of the effect.
func (c *attempt) ready(ctx context.Context) (sight *world.Sight, err error) {
	err = c.beforeDialog(ctx, func(ctx context.Context) error {
		c.upTo = *c.proof
		for range tries {
			*c.proof = c.upTo
			if sight, err = c.prove(ctx); err != nil {
				return err
			}
			if c.Before != nil {
				c.trips++
				if err := c.Before(ctx); err != nil {
					return err
				}
			}
			var armed struct {
				Changed string `json:"changed"`
			}
			c.expected = c.expect(sight)
			if err := c.opArgs(ctx, "arm", c.expected, &armed); err != nil {
				return err
			}
			if armed.Changed == "" {
				return nil
			}
		}
		return c.restless()
	})
	return sight, err
}

// tries is how often a node is proven that changes between its proof and its
// delivery.
const tries = 3

// restless: every proof was overtaken by the page before anything was delivered.
func (c *attempt) restless() error {
	return c.fail("delivery", "the node as it was proven", "changed each time", refusal.New(refusal.GeometryChanged, "the node changed each time between its proof and the delivery"))
}

// expect is what the page must still show when the delivery arrives. Pointer
// and key events that would then reach something else are stopped there.
func (c *attempt) expect(s *world.Sight) map[string]any {
	guard := ""
	switch c.route {
	case Trusted:
		guard = "pointer"
	case TrustedKey:
		guard = "key"
	case pointerMove:
		guard = "hover"
	}
	out := map[string]any{
		"role": s.Role, "name": s.Name, "sn": s.Steady, "key": s.RowKey, "use": s.Use, "margin": limits.NearMarginPx, "nameMax": limits.NameCharsMax,
		"guard": guard, "guardMS": (limits.CallTimeout + c.longer).Milliseconds(),
	}
	maps.Copy(out, c.also)
	return out
}

// beforeDialog does what comes before the delivery. A dialog stops the page's
// script, so that every look at the node would hang: it ends the proof, and
// nothing is delivered behind it.
func (c *attempt) beforeDialog(ctx context.Context, do func(context.Context) error) error {
	free, cancel := context.WithCancel(ctx)
	defer cancel()
	stop, watched := make(chan struct{}), make(chan bool, 1)
	dialogs := c.Dialogs.Opened()
	go func() {
		select {
		case <-dialogs:
			cancel()
			watched <- true
		case <-stop:
			select {
			case <-dialogs:
				watched <- true
			default:
				watched <- false
			}
		}
	}()
	err := do(free)
	close(stop)
	if opened := <-watched; !opened || ctx.Err() != nil || err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	what := "a page dialog opened before anything was delivered"
	if d := c.Dialogs.Open(); d != nil {
		what = fmt.Sprintf("a page dialog (%s) is open: %q", d.Type, d.Text)
	}
	return c.fail("no_dialog", "none", "a dialog", refusal.New(refusal.DialogOpen, "%s", what))
}

// disarm takes the observation off again. What cannot be reached any more
// observes nothing.
func (c *attempt) disarm(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.SettleTimeout)
	defer cancel()
	_ = c.Document.Call(ctx, "disarm", nil, nil)
}

// attempt is one action on one node, from its proof to its effect.
type attempt struct {
	Subject
	kind     string // the action kind that the ref must declare
	route    string
	proof    *refusal.Proof
	trips    int
	scrolled bool
	longer   time.Duration  // than a call may take, for what is delivered in many parts
	puts     bool           // a value, of which the answer says that the node holds it
	after    func()         // what must be undone once the effect is read, nil for nothing
	also     map[string]any // what the page is told besides when it is armed
	expected map[string]any // of the page, when the delivery arrives
	values   []string       // of the options to choose
	upTo     refusal.Proof  // the proof up to the node
	seen     settled        // what the page showed after the delivery
	effects  []string
}

// fail ends the proof at a step with a refusal.
func (c *attempt) fail(step, want, got string, r *refusal.Refusal) error {
	c.proof.Fail(step, want, got)
	return r.WithProof(c.proof.Steps(Steps...))
}

// prove looks at the node until it stands in view, at rest and uncovered.
func (c *attempt) prove(ctx context.Context) (*world.Sight, error) {
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

func (c *attempt) look(ctx context.Context) (*world.Sight, error) {
	c.trips++
	sight, err := c.Look(ctx)
	r, ok := refusal.As(err)
	switch {
	case ok && r.Reason == refusal.NodeGone:
		return nil, c.fail("node", "connected", "gone", r)
	case ok && r.Reason == refusal.GeometryChanged: // of what has been seen in a picture
		return nil, c.fail("visible", "as the snapshot saw it", "changed", r)
	case ok:
		return nil, c.fail("document", "the document of the snapshot", "replaced", r)
	}
	return sight, err
}

// op runs an operation of the node's document that takes only the node.
func (c *attempt) op(ctx context.Context, name string, result any) error {
	return c.opArgs(ctx, name, nil, result)
}

// opArgs runs an operation of the node's document with further arguments.
func (c *attempt) opArgs(ctx context.Context, name string, args map[string]any, result any) error {
	c.trips++
	var gone struct {
		Gone bool `json:"gone"`
	}
	all := map[string]any{"k": c.Local}
	maps.Copy(all, args)
	pending := c.Document.Start(name, all)
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
func (c *attempt) judge(s *world.Sight) error {
	c.proof.Pass("node", "connected")
	if err := c.same(s); err != nil {
		return err
	}
	c.proof.Pass("identity", "role, name and row unchanged")
	if !c.declares(s) {
		return c.undeclared(s)
	}
	c.proof.Pass("declared", c.kind)
	if s.Disabled != "" {
		return c.fail("enabled", "enabled", s.Disabled, refusal.New(refusal.Disabled, "the control is disabled now").WithDetail(refusal.Detail{SubReason: s.Disabled}))
	}
	c.proof.Pass("enabled", "enabled")
	return c.shown(s)
}

// declares says whether the ref allows the action: pressing keys is open to
// every control that can hold the focus.
func (c *attempt) declares(s *world.Sight) bool {
	switch c.kind {
	case "point", "drag", "drop": // a page may take anything along, and anywhere
		return true
	case "press":
		return len(c.Ref.Actions) > 0
	case "type": // a slider and a colour declare a click, and are given their value all the same; of others the field says why not
		return slices.Contains(c.Ref.Actions, "type") || (s.Tag == "input" || s.Tag == "textarea") && slices.Contains(c.Ref.Actions, "click")
	case "upload": // the label of an input that is hidden declares a click
		return slices.Contains(c.Ref.Actions, "upload") || slices.Contains(c.Ref.Actions, "click")
	}
	return slices.Contains(c.Ref.Actions, c.kind)
}

// undeclared says why the ref does not declare the action, as far as that can
// be seen now.
func (c *attempt) undeclared(s *world.Sight) error {
	r := refusal.New(refusal.NotDeclared, "this ref declares no %s", c.kind)
	switch {
	case s.Disabled != "":
		r = refusal.New(refusal.Disabled, "the control is disabled")
	case c.kind == "click" && slices.Contains(c.Ref.Actions, "select"):
		r = refusal.New(refusal.NotDeclared, "a native select is chosen from with browser_select, not clicked")
	case c.kind == "select" && slices.Contains(c.Ref.Actions, "click"):
		r = refusal.New(refusal.NotDeclared, "only a native select is chosen from; this one is opened and clicked")
	case s.Tier == snapshotfmt.PageOccluded || !s.Hit && s.By != nil:
		return c.occluded(s)
	}
	return c.fail("declared", c.kind, strings.Join(c.Ref.Actions, ","), r.WithDetail(refusal.Detail{Declared: c.Ref.Actions, SubReason: c.Ref.Why}))
}

// takeFocus gives the node the focus and proves that it holds it. A visible
// tab needs no emulation; a hidden one does, and that is said and undone; and it
// gets no key before it has drawn, for the browser would drop it.
func (c *attempt) takeFocus(ctx context.Context, s *world.Sight) error {
	if !s.TabVisible {
		c.effects = append(c.effects, "focus emulation in a hidden tab: the page sees visible, then hidden again")
		if err := c.emulate(ctx, true); err != nil {
			return err
		}
		c.after = func() { c.unemulate(ctx) }
	}
	woken := map[string]any{"woken": c.after != nil, "drawMS": limits.DrawTimeout.Milliseconds()}
	var f struct {
		Focused     bool `json:"focused"`
		Unfocusable bool `json:"unfocusable"`
		Undrawn     bool `json:"undrawn"`
	}
	err := c.beforeDialog(ctx, func(ctx context.Context) error { return c.opArgs(ctx, "focus", woken, &f) })
	if err == nil && f.Undrawn {
		r := refusal.New(refusal.NotDrawn, "the tab is not shown, and its page has drawn nothing: the browser drops its keys until then")
		err = c.fail("focus", "a page that draws", "nothing drawn", r.WithDetail(refusal.Detail{AlternativeRoutes: c.alternatives(s)}))
	}
	if err == nil && f.Unfocusable {
		r := refusal.New(refusal.NotFocusable, "the node cannot have the focus, which the key would go to")
		err = c.fail("focus", "the node", "not focusable", r.WithDetail(refusal.Detail{AlternativeRoutes: c.alternatives(s)}))
	}
	if err == nil && !f.Focused {
		r := refusal.New(refusal.FocusRefused, "the page did not let the node have the focus")
		err = c.fail("focus", "the node", "something else", r.WithDetail(refusal.Detail{AlternativeRoutes: c.alternatives(s)}))
	}
	if err != nil {
		c.undo()
		return err
	}
	c.effects = append(c.effects, "focus: moved")
	return nil
}

// undo takes off what an action put on for its own time.
func (c *attempt) undo() {
	if c.after != nil {
		c.after()
		c.after = nil
	}
}

// same holds what the node is against what the ref said. A name whose time has
// moved on, and nothing else, is the same.
func (c *attempt) same(s *world.Sight) error {
	if s.Is(c.Ref.Role, c.Ref.Name, c.Ref.Steady, c.Ref.RowKey, c.Ref.Use) {
		return nil
	}
	was := identityOf(c.Ref.Role, c.Ref.Name, c.Ref.RowKey, c.Ref.Use)
	is := identityOf(s.Role, s.Name, s.RowKey, s.Use)
	r := refusal.New(refusal.IdentityChanged, "the node is no longer what the ref was made for")
	return c.fail("identity", was, is, r.WithDetail(refusal.Detail{Was: was, Is: is, SameNode: "changed"}))
}

func identityOf(role, name, row, use string) string {
	id := role + " " + snapshotfmt.Quote(name)
	if row != "" {
		id += " in " + snapshotfmt.Quote(row)
	}
	if use != "" {
		id += " for " + snapshotfmt.Quote(use)
	}
	return id
}

// shown refuses what no scrolling brings into view.
func (c *attempt) shown(s *world.Sight) error {
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
func (c *attempt) visible(s *world.Sight) error {
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
	if !s.Hit || len(s.Points) == 0 {
		return c.occluded(s)
	}
	p := s.Points[0]
	c.proof.Passf("hit", "the node itself", "the node itself at %.0f,%.0f", p[0], p[1])
	return nil
}

func (c *attempt) occluded(s *world.Sight) error {
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

// delivery says how far a delivery got.
type delivery struct {
	doubtful error // delivered perhaps: the call ended without an answer
	never    bool  // the browser says that nothing was delivered
}

func (d delivery) uncertain() bool { return d.doubtful != nil }

// await waits for a sent message, a dialog or the end of ctx, whichever is
// first. A dialog holds the answer back until it is closed.
func (c *attempt) await(ctx context.Context, wait func(context.Context) error) delivery {
	ctx, cancel := context.WithTimeout(ctx, limits.CallTimeout+c.longer)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- wait(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-c.Dialogs.Opened():
		cancel()
		if err = <-done; errors.Is(err, context.Canceled) {
			err = nil // held back by the dialog, which says enough
		}
	}
	switch {
	case errors.Is(err, errHalfway):
		return delivery{doubtful: err}
	case world.NeverRan(err):
		return delivery{never: true}
	case world.Gone(err) && !errors.Is(err, devtools.ErrDetached): // the click replaced the document: it was delivered
		return delivery{}
	}
	return delivery{doubtful: err}
}

// replaced: the document went away before anything was delivered.
func (c *attempt) replaced() error {
	return c.fail("delivery", "the document of the snapshot", "replaced", refusal.New(refusal.Navigated, "the document of this ref has been replaced"))
}

// input waits for a series of sent input events.
func (c *attempt) input(ctx context.Context, sent []*devtools.Pending) (delivery, error) {
	d := c.await(ctx, func(ctx context.Context) error { return all(ctx, sent) })
	if d.never {
		return d, c.replaced()
	}
	return d, nil
}

// all waits for every answer; the first that failed is the error. Once one has
// been answered, something was delivered, whatever the browser says of the rest.
func all(ctx context.Context, sent []*devtools.Pending) error {
	for i, p := range sent {
		err := p.Decode(ctx, nil)
		if err != nil && i > 0 {
			return fmt.Errorf("%w: event %d of %d: %w", errHalfway, i+1, len(sent), err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errHalfway = errors.New("delivered in part")

// unemulate takes the focus emulation off. A lost tab needs none taken off, and
// an open dialog holds the answer back until a person has closed it.
func (c *attempt) unemulate(ctx context.Context) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	sent := c.Tab.Send("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": false})
	c.await(ctx, func(ctx context.Context) error { return sent.Decode(ctx, nil) })
}

func (c *attempt) emulate(ctx context.Context, on bool) error {
	return c.Tab.Call(ctx, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": on}, nil)
}
