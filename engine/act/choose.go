package act

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// option is one option of a native select.
type option struct {
	Label    string `json:"label"`
	Value    string `json:"value"`
	Disabled bool   `json:"disabled"`
	Selected bool   `json:"selected"`
	Unlisted bool   `json:"unlisted"` // not displayed: the list has no row for it
}

// Select proves the subject, a native select, and selects exactly the options
// asked for. Its route is always dom_event: keys on a select change its value
// one by one, and its list is drawn by the system.
func Select(ctx context.Context, s Subject, r contract.SelectRequest, proof *refusal.Proof) (*contract.ActionResult, error) {
	c := &attempt{Subject: s, kind: "select", route: DOMEvent, proof: proof, puts: true}
	if _, err := c.ready(ctx); err != nil {
		c.disarm(ctx)
		return nil, err
	}
	indices, labels, err := c.chosen(ctx, r)
	if err != nil {
		c.disarm(ctx)
		return nil, err
	}
	d, err := c.atOnce(ctx, "choose", map[string]any{"indices": indices, "values": c.values})
	if err != nil {
		c.disarm(ctx)
		return nil, err
	}
	res, err := c.result(ctx, d)
	if err != nil || d.uncertain() || res.Invalidated {
		return res, err
	}
	if res.Dialog != nil { // what is selected cannot be read behind it
		res.Status, res.Effect = contract.Partial, refusal.EffectDispatched
		return res, nil
	}
	now, after, ms, err := c.selected(ctx) // the page has had its turn, and may have put it back
	if err != nil {
		return unknown(res, "the select has left the page and could not be read"), nil //nolint:nilerr // it was delivered
	}
	watched(res, ms)
	res.Evidence = append(res.Evidence, contract.Evidence{Fact: "selected", Before: labels, After: after})
	res.Effect = refusal.EffectConfirmed // read back: exactly these are selected
	switch {
	case slices.Equal(now, indices):
	case after == labels:
		res.Effect, res.Status = refusal.EffectSuspectedNoop, contract.Partial
	default:
		res.Effect, res.Status = refusal.EffectPartial, contract.Partial
	}
	return res, nil
}

// selected reads which options are selected now, and their labels; ms is for
// how long the select has been watched.
func (c *attempt) selected(ctx context.Context) (indices []int, labels string, ms float64, err error) {
	var have struct {
		Watched float64  `json:"watched"`
		Options []option `json:"options"`
	}
	if err := c.opArgs(ctx, "options", nil, &have); err != nil {
		return nil, "", 0, err
	}
	var names []string
	for i, o := range have.Options {
		if o.Selected {
			indices, names = append(indices, i), append(names, o.Label)
		}
	}
	return indices, strings.Join(names, ", "), have.Watched, nil
}

// chosen finds the options asked for; a missing or disabled one is a refusal
// that names what there is.
func (c *attempt) chosen(ctx context.Context, r contract.SelectRequest) (indices []int, before string, err error) {
	var have struct {
		Multiple bool     `json:"multiple"`
		Options  []option `json:"options"`
	}
	if err := c.opArgs(ctx, "options", nil, &have); err != nil {
		return nil, "", err
	}
	var selected, labels []string
	for _, o := range have.Options {
		if len(labels) < optionsShown && !o.Unlisted {
			labels = append(labels, o.Label)
		}
		if o.Selected {
			selected = append(selected, o.Label)
		}
	}
	want, byValue := r.Labels, false
	if len(want) == 0 {
		want, byValue = r.Values, true
	}
	if len(want) != 1 && !have.Multiple {
		return nil, "", c.fail("option", "one option", fmt.Sprint(len(want)), refusal.New(refusal.OptionNotFound, "this select takes exactly one option").WithDetail(refusal.Detail{Options: labels}))
	}
	for _, w := range want {
		i, several := find(have.Options, w, byValue)
		switch {
		case several:
			return nil, "", c.fail("option", "one option", w, refusal.New(refusal.OptionNotFound, "several options are called that, and differ; choose by value").WithDetail(refusal.Detail{Options: labels}))
		case i < 0:
			return nil, "", c.fail("option", w, "none", refusal.New(refusal.OptionNotFound, "the select has no such option").WithDetail(refusal.Detail{Options: labels}))
		case have.Options[i].Disabled:
			return nil, "", c.fail("option", w, "disabled", refusal.New(refusal.OptionDisabled, "the option is disabled").WithDetail(refusal.Detail{Options: labels}))
		case have.Options[i].Unlisted:
			return nil, "", c.fail("option", w, "not displayed", refusal.New(refusal.OptionNotFound, "the list of the select does not show this option").WithDetail(refusal.Detail{Options: labels}))
		case !slices.Contains(indices, i):
			indices = append(indices, i)
		}
	}
	slices.Sort(indices)
	for _, i := range indices {
		c.values = append(c.values, have.Options[i].Value)
	}
	c.proof.Pass("option", fmt.Sprintf("%d of %d", len(indices), len(have.Options)))
	return indices, strings.Join(selected, ", "), nil
}

// open says whether it can be chosen.
func (o option) open() bool { return !o.Disabled && !o.Unlisted }

// find is the index of the option of that label or value, -1 for none. Of
// several the one that can be chosen is meant; several means that more can, and
// are not the same.
func find(all []option, want string, byValue bool) (at int, several bool) {
	at = -1
	for i, o := range all {
		if byValue && o.Value != want || !byValue && o.Label != strings.Join(strings.Fields(want), " ") {
			continue
		}
		switch {
		case at < 0 || !all[at].open():
			at = i
		case o.open() && (o.Value != all[at].Value || o.Label != all[at].Label):
			return at, true
		}
	}
	return at, false
}

// optionsShown bounds how many options a refusal lists.
const optionsShown = 50

// Press proves the subject, gives it the focus and presses one key or chord.
func Press(ctx context.Context, s Subject, r contract.PressRequest, proof *refusal.Proof) (*contract.ActionResult, error) {
	c := &attempt{Subject: s, kind: "press", route: TrustedKey, proof: proof, also: map[string]any{"arrives": "keydown"}}
	sight, err := c.ready(ctx)
	if err != nil {
		c.disarm(ctx)
		return nil, err
	}
	k, ok := keyTable[r.Key]
	if !ok {
		k = keyOf([]rune(r.Key)[0])
	}
	modifiers := 0
	for _, m := range r.Modifiers {
		modifiers |= modifierBits[m]
	}
	if err := c.takeFocus(ctx, sight); err != nil {
		c.disarm(ctx)
		return nil, err
	}
	d, err := c.input(ctx, c.stroke(k, modifiers))
	if err != nil {
		return nil, err
	}
	res, err := c.result(ctx, d)
	c.undo()
	return res, err
}
