package pane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
	"cuatui/tui/theme"
)

// The verdicts of an explanation.
const (
	Listed  = "listed"
	Waiting = "waiting"
	omitted = "omitted"
	noNode  = "not_a_candidate"
)

var verdicts = map[string]mark{
	Listed:  {"●", "listed", theme.Good, "it is in this snapshot, with the ref below"},
	Waiting: {"◐", "waiting", theme.Warn, "nothing speaks against it; a later segment lists it"},
	omitted: {"✗", "left out", theme.Bad, "it is a candidate that no segment of this snapshot lists"},
	noNode:  {"·", "no candidate", theme.Dim, "nothing says that it can be acted on, it has no text of its own, and its role is not one that is listed"},
}

func verdictMark(v string) mark {
	if m, ok := verdicts[v]; ok {
		return m
	}
	return mark{glyph: "?", word: v, token: theme.Warn}
}

var checkMarks = map[string]mark{
	"pass": {glyph: "✓", word: "pass", token: theme.Good},
	"fail": {glyph: "✗", word: "fail", token: theme.Bad},
	"info": {glyph: "·", word: "info", token: theme.Dim},
}

func checkMark(v string) mark {
	if m, ok := checkMarks[v]; ok {
		return m
	}
	return mark{glyph: "?", word: v, token: theme.Warn}
}

// NewExplanation returns a page that says why a node is as it is: the verdict
// in words, what decided it, every check in its order, and what to do. more
// says that a later segment can be asked for. The answer must hold a node.
func NewExplanation(r *contract.ExplainResult, more bool) *Doc {
	n := r.Node
	m := verdictMark(n.Verdict)
	said := m.why
	doc, exact := snapshotfmt.OmissionOf(n.Reason, n.SubReason)
	if n.Verdict == omitted && doc.Meaning != "" {
		said = doc.Meaning
	}
	if unasked(r) {
		said = "this snapshot is of what a query or a scope asks for, which it is not"
	}
	ps := []Para{{Label: m.glyph + " " + m.word, Text: said, LabelToken: m.token, Token: theme.Strong}}
	if n.Reason != "" {
		reason := reasonKey(n.Reason, n.SubReason)
		if !exact {
			reason += "  (a cause this program has no words for)"
		}
		ps = append(ps, field("reason", reason))
	}
	if c, ok := decisive(r.Evidence); ok && n.Verdict != Listed {
		ps = append(ps, Para{Label: "decided by", Text: c.Check + ": " + c.Detail, LabelToken: theme.Dim, Token: m.token})
	}
	ps = append(ps, Para{},
		field("node", cmp.Or(n.Role, "(no role)")+" "+snapshotfmt.Quote(n.Name)),
		Para{Label: "ref", Text: n.Ref + refWords(n.Ref), LabelToken: theme.Dim, Token: theme.Ref})
	ps = appendField(ps, "tag", n.Tag)
	ps = appendField(ps, "frame", n.Frame)
	ps = append(ps, heading("Checks, in order")...)
	if len(r.Evidence) == 0 {
		ps = append(ps, Para{Text: "the engine gave none", Token: theme.Dim})
	}
	for _, c := range r.Evidence {
		cm := checkMark(c.Verdict)
		ps = append(ps, Para{Label: fmt.Sprintf("%s %s  %s", cm.glyph, cm.word, c.Check), Text: cmp.Or(c.Detail, "–"), LabelToken: cm.token})
	}
	ps = append(ps, heading("What to do")...)
	todo := advice(n, doc.Do, more)
	if n.Verdict == Listed && slices.ContainsFunc(r.Evidence, func(c contract.Check) bool { return c.Check == "action" && c.Verdict == "pass" }) {
		todo[0] += " a there acts on it."
	}
	if unasked(r) {
		todo = []string{"Q with nothing in it reads the whole page; then ask again."}
	}
	for _, s := range todo {
		ps = append(ps, Para{Text: s})
	}
	title := "Why · " + n.Role + " " + snapshotfmt.Quote(n.Name)
	return NewDoc(title, m.glyph+" "+m.word, ps, "explanation", explanationText(r, said))
}

// unasked says whether it is the snapshot's query or scope that the node is not of.
func unasked(r *contract.ExplainResult) bool {
	c, ok := decisive(r.Evidence)
	return ok && c.Check == "asked for"
}

// decisive is the check that the verdict rests on: the first that failed.
func decisive(checks []contract.Check) (contract.Check, bool) {
	for _, c := range checks {
		if c.Verdict == "fail" {
			return c, true
		}
	}
	return contract.Check{}, false
}

func refWords(ref string) string {
	if strings.HasPrefix(ref, "o") {
		return "  (explains, and nothing else: it cannot be acted on)"
	}
	return ""
}

func reasonKey(r snapshotfmt.OmitReason, sub string) string {
	if sub == "" {
		return string(r)
	}
	return string(r) + "/" + sub
}

// advice is what leads on from an explanation, the likeliest first.
func advice(n *contract.Explained, do string, more bool) []string {
	switch {
	case n.Verdict == Listed:
		return []string{"enter goes to it in the outline."}
	case n.Verdict == Waiting && more:
		return []string{"enter reads the next segment and asks again.", "Q with its name asks for it at once."}
	case n.Verdict == Waiting:
		return []string{"r takes a new snapshot; Q with its name asks for it at once."}
	case n.Verdict == noNode:
		return []string{
			"Ask about what it is inside of, or about a control in it: W and a text or a point.",
			"If it is a control to a person, the page tells nobody: no role, no listener of its own, no tabindex, no pointer cursor.",
		}
	case do != "":
		return []string{do, "r takes a new snapshot after that; W asks what stands at a point."}
	}
	return []string{"r takes a new snapshot; W asks what stands at a point."}
}

func explanationText(r *contract.ExplainResult, said string) string {
	n := r.Node
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %s in %s: %s", n.Role, n.Name, n.Ref, r.Snapshot, n.Verdict)
	if n.Reason != "" {
		b.WriteString(" " + reasonKey(n.Reason, n.SubReason))
	}
	b.WriteString("\n" + said + "\n")
	for _, c := range r.Evidence {
		fmt.Fprintf(&b, "%-4s  %s: %s\n", c.Verdict, c.Check, c.Detail)
	}
	return b.String()
}
