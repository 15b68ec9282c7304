package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
	"cuatui/snapshotfmt"
)

// settled is what the page showed until it was quiet again.
type settled struct {
	Before    map[string]any `json:"before"`
	Base      map[string]any `json:"base"` // as the first event came
	Once      map[string]any `json:"once"` // right after the task in which the action arrived; nil where it did not
	After     map[string]any `json:"after"`
	Mutations int            `json:"mutations"`
	During    int            `json:"during"` // in the same task as the click: its own handlers' doing
	Events    []event        `json:"events"`
	Settled   string         `json:"settled"`
	Watched   float64        `json:"watched"` // ms since the delivery
	// RootChanged: the observation was lost with its document.
	RootChanged bool   `json:"rootChanged"`
	Guard       guard  `json:"guard"`
	Use         string `json:"use"`
}

// guard is what stood between the proof and the page: events of ours that
// would have reached something else were stopped.
type guard struct {
	Passed  int    `json:"passed"`
	Blocked int    `json:"blocked"`
	Why     string `json:"why"`
}

type event struct {
	Type    string `json:"type"`
	Trusted bool   `json:"trusted"`
	Mine    bool   `json:"mine"`
}

// quietTime is how long nothing may change before the page counts as quiet, and
// heldTime how long a value that was put into a field or a choice, or what was
// checked, must stand: a page that checks what it is given often waits for a
// moment without a key, up to a third of a second, before it takes it back.
const (
	quietTime = 80 * time.Millisecond
	heldTime  = 350 * time.Millisecond
)

// checked are the roles of what a click checks.
var checked = map[string]bool{"checkbox": true, "radio": true, "switch": true, "menuitemcheckbox": true, "menuitemradio": true, "option": true}

// result reads the effect back. It never turns doubt into success.
func (c *attempt) result(ctx context.Context, d delivery) (*contract.ActionResult, error) {
	mode := "background"
	if c.route == Trusted && !c.TrustedSafe {
		mode = "foreground"
	}
	r := &contract.ActionResult{
		Status: contract.OK, Verdict: "not_asked", Route: c.route, Delivery: contract.Delivery{Mode: mode},
		Evidence: []contract.Evidence{}, SideEffects: c.effects, Proof: c.proof.Steps(Steps...), RoundTrips: c.trips,
	}
	if r.SideEffects == nil {
		r.SideEffects = []string{}
	}
	if d.doubtful != nil {
		return unknown(r, "the delivery was not answered: "+d.doubtful.Error()), nil //nolint:nilerr // doubt is an answer: effect unknown
	}
	if dialog := c.Dialogs.Open(); dialog != nil {
		c.Document.Start("disarm", nil) // done once the dialog is closed
		return opened(r, dialog), nil
	}
	s, gone, err := c.settle(ctx)
	if dialog := c.Dialogs.Open(); dialog != nil {
		return opened(r, dialog), nil
	}
	if err != nil {
		return unknown(r, "the effect could not be read: "+err.Error()), nil //nolint:nilerr // doubt is an answer: effect unknown
	}
	c.seen = s
	if gone {
		r.Effect, r.Settled = refusal.EffectConfirmed, "the document was replaced"
		r.Evidence = append(r.Evidence, contract.Evidence{Fact: "document", Before: "the one of the ref", After: "another"})
		r.Invalidated = true
		return r, nil
	}
	if s.Guard.Blocked > 0 && s.Guard.Passed == 0 {
		return nil, c.stopped(ctx, s.Guard.Why)
	}
	if c.Used != nil && s.Use != c.Ref.Use {
		c.Used(s.Use)
	}
	s.judge(r, c.kind == "click")
	if s.Guard.Blocked > 0 {
		r.Status, r.Effect = contract.Partial, refusal.EffectPartial
		r.Evidence = append(r.Evidence, contract.Evidence{Fact: "stopped", Before: "0", After: strconv.Itoa(s.Guard.Blocked) + " events that would have gone elsewhere"})
	}
	return r, nil
}

// stopped says why the guard let nothing through.
func (c *attempt) stopped(ctx context.Context, why string) error {
	if why == "focus" {
		return c.fail("focus", "the node", "moved by the page", refusal.New(refusal.FocusRefused, "the page moved the focus away before anything was delivered"))
	}
	return c.overtaken(ctx)
}

// unknown: it may have been delivered and is never repeated.
func unknown(r *contract.ActionResult, why string) *contract.ActionResult {
	r.Status, r.Effect, r.Settled = contract.Partial, refusal.EffectUnknown, why
	return r
}

// opened: a dialog that opens while a click is delivered is its effect.
func opened(r *contract.ActionResult, dialog *contract.Dialog) *contract.ActionResult {
	r.Effect, r.Dialog, r.Settled = refusal.EffectConfirmed, dialog, "a dialog opened"
	r.Evidence = append(r.Evidence, contract.Evidence{Fact: "dialog", Before: "none", After: dialog.Type})
	return r
}

// settle waits for the page; gone says that the document was replaced.
func (c *attempt) settle(ctx context.Context) (s settled, gone bool, err error) {
	quiet := quietTime
	if c.puts {
		quiet = heldTime
	}
	sent := c.Document.Start("settle", map[string]any{"quietMS": quiet.Milliseconds(), "maxMS": limits.SettleTimeout.Milliseconds()})
	d := c.await(ctx, func(ctx context.Context) error {
		err := sent.Decode(ctx, &s)
		gone = world.Gone(err)
		return err
	})
	switch {
	case gone && errors.Is(d.doubtful, devtools.ErrDetached) && c.Document.Session == c.Tab:
		return s, false, d.doubtful // the whole tab is gone, whoever did it
	case gone || s.RootChanged:
		return s, true, nil
	case d.doubtful != nil:
		return s, false, d.doubtful
	case len(s.Before) == 0 || len(s.After) == 0 || len(s.After) > factsMax:
		return s, false, fmt.Errorf("settle: %d facts before, %d after", len(s.Before), len(s.After))
	}
	return s, false, nil
}

// factsMax is more than the world ever reads.
const factsMax = 50

// factMax bounds a fact that is shown, in characters.
const factMax = 300

// pageFacts are facts that a page may change by itself at any moment: alone
// they confirm nothing; url and focus do where the click was seen to arrive.
var pageFacts = map[string]bool{"title": true, "scroll": true, "url": true, "focus": true, "layers": true, "connected": true, "disabled": true}

// judge says what the observation proves. A changed fact of the node, or a
// change made by the click's own handlers, confirms. A change that came later
// may be anybody's: it is told as evidence and confirms nothing. clicking says
// that the action should be seen as a click at the node.
func (s settled) judge(r *contract.ActionResult, clicking bool) {
	r.Settled = s.Settled
	watched(r, s.Watched)
	clicks, foreign := s.clicks()
	confirmed := s.changed(r, clicks > 0 || !clicking, clicking)
	shown := len(r.Evidence)
	for _, kind := range []string{"submit", "invalid"} {
		if s.saw(kind) {
			r.Evidence = append(r.Evidence, contract.Evidence{Fact: kind + "_event", Before: "none", After: submitting[kind]})
			shown++
		}
	}
	if clicks > 0 {
		r.Evidence = append(r.Evidence, contract.Evidence{Fact: "click_events", Before: "0", After: strconv.Itoa(clicks)})
	}
	if s.During > 0 {
		confirmed = true
		r.Evidence = append(r.Evidence, contract.Evidence{Fact: "changes_by_its_handlers", Before: "0", After: strconv.Itoa(s.During)})
	} else if s.Mutations > 0 {
		r.Evidence = append(r.Evidence, contract.Evidence{Fact: "changes_afterwards", Before: "0", After: strconv.Itoa(s.Mutations)})
	}
	switch {
	case clicking && foreign && clicks == 0:
		r.Status, r.Effect = contract.Partial, refusal.EffectUnknown
		r.Settled = "the page saw a click somewhere else"
	case confirmed:
		r.Effect = refusal.EffectConfirmed
	case clicking && s.saw("invalid"):
		r.Effect = refusal.EffectSuspectedNoop
	case s.Mutations > 0 || shown > 0:
		r.Effect = refusal.EffectDispatched
	default:
		r.Effect = refusal.EffectSuspectedNoop
	}
}

// changed tells the facts that changed and says whether one of them confirms.
// arrived says that the action is known to have reached the node.
func (s settled) changed(r *contract.ActionResult, arrived, clicking bool) (confirmed bool) {
	facts := make([]string, 0, len(s.After))
	for f := range s.After {
		facts = append(facts, f)
	}
	sort.Strings(facts)
	for _, f := range facts {
		before, after := fmt.Sprint(s.Before[f]), fmt.Sprint(s.After[f])
		if s.Before[f] == nil {
			before = "absent"
		}
		if before == after || f == "focus" && after == "self" { // the focus we moved ourselves
			continue
		}
		if !s.timed(f, clicking) && s.proves(f, after, r.Route, arrived, clicking) {
			confirmed = true
		}
		r.Evidence = append(r.Evidence, contract.Evidence{Fact: f, Before: snapshotfmt.Fold(before, factMax), After: snapshotfmt.Fold(after, factMax)})
	}
	return confirmed
}

// proves says whether a fact that changed does not change of itself.
func (s settled) proves(f, after, route string, arrived, clicking bool) bool {
	switch {
	case !pageFacts[f]:
		return true
	case !arrived:
		return false
	}
	return f == "url" || f == "layers" || f == "focus" && (!clicking && route != Trusted || s.handed(route, after))
}

// timed says that a fact which scripts of a page write may have been changed by
// a timer: it did not change while the action was handled.
func (s settled) timed(f string, clicking bool) bool {
	if !strings.HasPrefix(f, "aria-") && f != "url" && f != "layers" {
		return false
	}
	if s.Once == nil {
		return clicking
	}
	return fmt.Sprint(s.Base[f]) == fmt.Sprint(s.Once[f])
}

// watched notes for how long the effect was watched. What the page does later
// is not known: a value that stood then may be put back afterwards.
func watched(r *contract.ActionResult, ms float64) {
	if ms > 0 && ms < float64(limits.CallTimeout.Milliseconds()) {
		r.WatchedMS = int(ms)
	}
}

// handed says that the page itself gave the focus to something else: not the
// browser, which moves it where the pointer presses, takes it off what left,
// and puts it on the field for which it will not submit a form.
func (s settled) handed(route, after string) bool {
	return route != Trusted && after != "body" && after != "" && !s.saw("invalid")
}

// submitting is what the events of a form mean.
var submitting = map[string]string{"submit": "the form's submit began", "invalid": "the form's validation stopped the submit"}

// saw says whether an event of that type was seen.
func (s settled) saw(kind string) bool {
	return slices.ContainsFunc(s.Events, func(e event) bool { return e.Type == kind })
}

func (s settled) urlChanged() bool { return fmt.Sprint(s.Before["url"]) != fmt.Sprint(s.After["url"]) }

// clicks counts the click events that arrived at the node, and says whether
// one arrived elsewhere.
func (s settled) clicks() (mine int, foreign bool) {
	for _, e := range s.Events {
		if e.Type != "click" {
			continue
		}
		if e.Mine {
			mine++
		} else {
			foreign = true
		}
	}
	return mine, foreign
}
