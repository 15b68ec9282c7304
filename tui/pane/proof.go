package pane

import (
	"fmt"
	"strings"

	"cuatui/engine/refusal"
	"cuatui/tui/theme"
)

// NewProof returns a page with the steps of a proof in order: each with its
// outcome as glyph and word, what it required and what it found.
func NewProof(of string, steps []refusal.Step) *Doc {
	pass, stopped := 0, ""
	for _, s := range steps {
		switch s.Verdict {
		case refusal.Pass:
			pass++
		case refusal.Fail:
			stopped = s.Step
		case refusal.NotRun:
		}
	}
	note := fmt.Sprintf("%d of %d steps hold", pass, len(steps))
	if stopped != "" {
		note += ", stopped at " + stopped
	}
	return NewDoc("Proof · "+of, note, proofParas(steps), "proof", proofText(steps))
}

func proofParas(steps []refusal.Step) []Para {
	if len(steps) == 0 {
		return []Para{{Text: "no steps: it was refused before anything was looked at", Token: theme.Dim}}
	}
	width := 0
	for _, s := range steps {
		width = max(width, len(s.Step))
	}
	out := make([]Para, 0, len(steps))
	for _, s := range steps {
		m := stepMark(s.Verdict)
		token := theme.Text
		if s.Verdict == refusal.NotRun {
			token = theme.Dim
		}
		out = append(out, Para{
			Label: fmt.Sprintf("%s %-7s  %s", m.glyph, m.word, s.Step), LabelToken: m.token,
			Text: stepText(s), Token: token,
		})
	}
	return out
}

// stepText says what was compared, in as few words as it takes.
func stepText(s refusal.Step) string {
	switch {
	case s.Want == "" && s.Got == "":
		return "–"
	case s.Want == "":
		return "got " + s.Got
	case s.Got == "":
		return "want " + s.Want
	case s.Want == s.Got:
		return "got " + s.Got + ", as wanted"
	}
	return "want " + s.Want + "  got " + s.Got
}

func proofText(steps []refusal.Step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "%-7s  %s  %s\n", s.Verdict, s.Step, stepText(s))
	}
	return b.String()
}
