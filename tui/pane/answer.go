package pane

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/tui/inspect"
	"cuatui/tui/theme"
)

// Change is what the page shows otherwise after an action, or why that is not
// known.
type Change struct {
	From, To string // ids of the snapshots that are compared
	Diff     *inspect.Diff
	Why      string
}

// maxChanges bounds the changes on the page of a result; the diff has all.
const maxChanges = 12

// NewResult returns a page that says what an action did; ShowChange adds what
// that made of the page.
func NewResult(about string, r *contract.ActionResult) *Doc {
	m := effectMark(r.Effect)
	d := NewDoc("Result · "+about, m.glyph+" "+m.word, nil, "result as JSON", asJSON(r))
	ShowChange(d, r, Change{Why: "reading it again …"})
	return d
}

// ShowChange shows on the page of a result what the page shows otherwise.
func ShowChange(d *Doc, r *contract.ActionResult, c Change) {
	m := effectMark(r.Effect)
	ps := []Para{
		{Label: "effect", Text: fmt.Sprintf("%s %s: %s", m.glyph, m.word, m.why), LabelToken: theme.Dim, Token: m.token},
		verdictPara(r.Verdict, r.Unmet),
		field("route", r.Route+", "+r.Delivery.Mode),
	}
	if n := r.Delivery; n.RequestedChars != nil && n.DeliveredChars != nil {
		ps = append(ps, field("delivered", fmt.Sprintf("%d of %s", *n.DeliveredChars, Count(*n.RequestedChars, "character"))))
	}
	ps = appendField(ps, "settled", r.Settled)
	if r.Invalidated {
		ps = append(ps, Para{Label: "refs", Text: "void: the document changed", LabelToken: theme.Dim, Token: theme.Warn})
	}
	ps = appendField(ps, "navigation", r.Navigation)
	if r.Dialog != nil {
		ps = append(ps, Para{Label: "dialog", Text: fmt.Sprintf("%s: %q", r.Dialog.Type, r.Dialog.Text), LabelToken: theme.Dim, Token: theme.Warn})
	}
	ps = appendField(ps, "side effects", strings.Join(r.SideEffects, ", "))
	ps = append(ps, field("round trips", fmt.Sprint(r.RoundTrips)))
	ps = append(ps, heading("Evidence")...)
	if len(r.Evidence) == 0 {
		ps = append(ps, Para{Text: "no fact was read before and after", Token: theme.Dim})
	}
	for _, e := range r.Evidence {
		ps = append(ps, field(e.Fact, cmp.Or(e.Before, "(none)")+" → "+cmp.Or(e.After, "(none)")))
	}
	ps = append(ps, changeParas(c)...)
	ps = append(ps, heading("Proof")...)
	d.Set(append(ps, proofParas(r.Proof)...))
}

// changeParas say what the page shows otherwise, the first of it.
func changeParas(c Change) []Para {
	if c.Diff == nil {
		return append(heading("The page"), Para{Text: c.Why, Token: theme.Dim})
	}
	ps := heading("The page, " + c.From + " → " + c.To + "  " + c.Diff.Counts())
	if c.Diff.Note != "" {
		ps = append(ps, Para{Text: c.Diff.Note, Token: theme.Warn})
	}
	shown, left := 0, 0
	for i := range c.Diff.Rows {
		row := &c.Diff.Rows[i]
		switch {
		case row.Kind == inspect.Same:
		case shown == maxChanges:
			left++
		default:
			shown++
			ps = append(ps, Para{Text: fmt.Sprintf("%c %s%s", row.Kind, strings.TrimPrefix(row.Line.Text, "- "), whatWords(row.What)), Token: kindMarks[row.Kind].token})
		}
	}
	switch {
	case left > 0:
		ps = append(ps, Para{Text: fmt.Sprintf("and %d more; D has all", left), Token: theme.Dim})
	case shown == 0:
		ps = append(ps, Para{Text: "nothing that the outline shows is otherwise", Token: theme.Dim})
	}
	return ps
}

// verdictPara says what became of the post-conditions.
func verdictPara(verdict, unmet string) Para {
	p := field("verdict", cmp.Or(verdict, "not_asked"))
	switch verdict {
	case "", "not_asked":
		p.Text = "not_asked: no post-condition was given"
	case "met":
		p.Text, p.Token = "✓ met: it holds, and did not before", theme.Good
	case "already_true":
		p.Text, p.Token = "already_true: it held before, or may have", theme.Warn
	case "unmet":
		p.Text, p.Token = "✗ unmet: "+cmp.Or(unmet, "a post-condition does not hold"), theme.Bad
	}
	return p
}

// NewRefusal returns a page that says what was refused, why, and what leads on;
// runs is what is said of running the next call from here, "" where there is
// none.
func NewRefusal(about string, r *refusal.Refusal, runs string) *Doc {
	ps := []Para{
		{Label: "code", Text: string(r.Code), LabelToken: theme.Dim, Token: theme.Bad},
		{Label: "reason", Text: string(r.Reason), LabelToken: theme.Dim, Token: theme.Strong},
		field("message", r.Message),
		field("effect", string(r.Effect)+": nothing was delivered"),
	}
	if r.Detail != nil {
		ps = append(ps, detailParas(r.Detail)...)
	}
	ps = append(ps, heading("Next")...)
	if r.Next == nil {
		ps = append(ps, Para{Text: "no call leads on from here", Token: theme.Dim})
	} else {
		ps = append(ps, Para{Label: r.Next.Tool, Text: compactJSON(r.Next.Arguments), LabelToken: theme.Role})
	}
	if runs != "" {
		ps = append(ps, Para{Text: runs, Token: theme.Accent})
	}
	ps = append(ps, heading("Proof")...)
	ps = append(ps, proofParas(r.Proof)...)
	return NewDoc("Refused · "+about, "✗ "+string(r.Code), ps, "refusal as JSON", asJSON(contract.RefusedResult{Status: contract.Refused, Refusal: r}))
}

// NewReason returns a page that says what a reason of refusing means.
func NewReason(reason refusal.Reason) *Doc {
	ps := []Para{{Label: "reason", Text: string(reason), LabelToken: theme.Dim, Token: theme.Strong}}
	for _, e := range refusal.Table {
		if e.Reason == reason {
			ps = append(ps, Para{Label: "code", Text: string(e.Code), LabelToken: theme.Dim, Token: theme.Bad},
				field("meaning", e.Meaning), field("raised by", e.Raised), field("what to do", e.Do), field("see it", e.See))
		}
	}
	return NewDoc("Refusal · "+string(reason), "not provoked from here", ps, "reason", string(reason))
}

func detailParas(d *refusal.Detail) []Para {
	ps := heading("Detail")
	ps = appendField(ps, "successor", d.Successor)
	ps = appendField(ps, "same node", d.SameNode)
	ps = appendField(ps, "was", d.Was)
	ps = appendField(ps, "is", d.Is)
	ps = appendField(ps, "sub-reason", d.SubReason)
	if o := d.Occluder; o != nil {
		ps = append(ps, field("covered by", strings.Join(strings.Fields(fmt.Sprintf("%s %q %s %s", o.Role, o.Name, o.Tag, o.Ref)), " ")))
	}
	if d.FreePoint != nil {
		ps = append(ps, field("free point", fmt.Sprintf("%g, %g CSS px of the viewport", d.FreePoint[0], d.FreePoint[1])))
	}
	ps = appendField(ps, "routes now", strings.Join(d.AlternativeRoutes, ", "))
	ps = appendField(ps, "declared", strings.Join(d.Declared, ", "))
	ps = appendField(ps, "missing", strings.Join(d.Missing, ", "))
	for _, c := range d.Candidates {
		ps = append(ps, field("candidate", fmt.Sprintf("%q  box %s  off by %s: %s", c.Title, box(c.Box), box(c.Delta), c.Why)))
	}
	if len(ps) == 2 {
		return nil
	}
	return ps
}

// NewFailure returns a page for a call that got no answer or was asked wrongly:
// neither is a refusal.
func NewFailure(about string, e *contract.CallError) *Doc {
	title, what := "No answer", "The engine could not look, or could not say. This is no refusal: nothing is known of what happened."
	if e.Kind == contract.BadArguments {
		title, what = "Bad arguments", "The call was not made: nothing was looked at or done."
	}
	ps := []Para{{Text: what, Token: theme.Warn}, {}, field("kind", string(e.Kind))}
	ps = appendField(ps, "field", e.Field)
	ps = append(ps, field("message", e.Message))
	return NewDoc(title+" · "+about, "! "+string(e.Kind), ps, "error as JSON", asJSON(e))
}

func asJSON(v any) string { return encode(v, "  ") }

func compactJSON(v any) string { return encode(v, "") }

// encode writes v as JSON for people: < and & stay what they are.
func encode(v any, indent string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return "cannot be shown as JSON: " + err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}
