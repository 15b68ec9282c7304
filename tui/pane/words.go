package pane

import (
	"fmt"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
	"cuatui/tui/draw"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// mark is a glyph, a word and what they mean; none of them depends on colour.
type mark struct {
	glyph, word string
	token       theme.Token
	why         string
}

func (m mark) span() draw.Span { return draw.Of(m.token, m.glyph) }

var tiers = map[snapshotfmt.Tier]mark{
	snapshotfmt.InViewport:   {"●", "in viewport", theme.Good, "part of it is inside the viewport, and a point of it is reached where that was asked"},
	snapshotfmt.NearViewport: {"◐", "near", theme.Dim, "within a viewport of what is in view"},
	snapshotfmt.OffscreenT:   {"○", "offscreen", theme.Dim, "further away than a viewport; scrolling brings it into view"},
	snapshotfmt.CSSHidden:    {"◌", "css hidden", theme.Faint, "a style hides it: display, visibility, opacity or content-visibility"},
	snapshotfmt.NoLayoutT:    {"∅", "no layout", theme.Faint, "it has no box, or an ancestor clips it away"},
	snapshotfmt.PageOccluded: {"◍", "covered", theme.Warn, "another element of the page takes every point of it"},
	snapshotfmt.UnknownTier:  {"?", "unknown", theme.Warn, "its place could not be proved"},
}

func tierMark(t snapshotfmt.Tier) mark {
	if m, ok := tiers[t]; ok {
		return m
	}
	return mark{glyph: "·", word: string(t), token: theme.Dim}
}

var omissions = map[snapshotfmt.OmitReason]string{
	snapshotfmt.OmitUnprovableFrame: "in a frame whose place or document could not be proved",
	snapshotfmt.OmitCSSHidden:       "hidden by a style",
	snapshotfmt.OmitNoLayout:        "without a box, or clipped away",
	snapshotfmt.OmitPageOccluded:    "covered by another element of the page",
	snapshotfmt.OmitUnknown:         "their place could not be proved",
	snapshotfmt.OmitFolded:          "said by another line, or by its select",
	snapshotfmt.OmitIgnored:         "say nothing: no name, no action, no text of their own",
	snapshotfmt.OmitNear:            "near the viewport, left for a later segment",
	snapshotfmt.OmitOffscreen:       "outside the viewport, left for a later segment",
	snapshotfmt.OmitBudget:          "in view, but over this segment's budget; the next segment has them",
}

var stepMarks = map[refusal.Verdict]mark{
	refusal.Pass:   {glyph: "✓", word: "pass", token: theme.Good},
	refusal.Fail:   {glyph: "✗", word: "fail", token: theme.Bad},
	refusal.NotRun: {glyph: "·", word: "not run", token: theme.Dim},
}

func stepMark(v refusal.Verdict) mark {
	if m, ok := stepMarks[v]; ok {
		return m
	}
	return mark{glyph: "?", word: string(v), token: theme.Warn}
}

var effects = map[refusal.Effect]mark{
	refusal.EffectConfirmed:     {"✓", "confirmed", theme.Good, "read back from the page"},
	refusal.EffectDispatched:    {"→", "dispatched", theme.Accent, "delivered; nothing could be read back"},
	refusal.EffectPartial:       {"◐", "partial", theme.Warn, "delivered in part"},
	refusal.EffectNone:          {"·", "none", theme.Dim, "nothing was delivered"},
	refusal.EffectSuspectedNoop: {"◌", "suspected_noop", theme.Warn, "delivered, and nothing changed in the time given"},
	refusal.EffectUnknown:       {"?", "unknown", theme.Bad, "may have been delivered; never do it again without looking"},
}

func effectMark(e refusal.Effect) mark {
	if m, ok := effects[e]; ok {
		return m
	}
	return mark{glyph: "?", word: string(e), token: theme.Warn}
}

// The verdicts of the list of windows that say more than refused.
var (
	needsConsent = mark{"◇", "needs consent", theme.Warn, "a person's browser: enter asks you, and nothing is asked of it before that"}
	withdrawn    = mark{"✗", "consent withdrawn", theme.Bad, "you withdrew your consent: C asks you again"}
	gone         = mark{"∅", "gone", theme.Bad, "the window is gone; its row stays until the cursor leaves it"}
)

// windowMark is the verdict on a window of the list; whole says that the word
// needs no code beside it.
func windowMark(b contract.WouldBind) (m mark, whole bool) {
	switch b.Reason {
	case refusal.PersonalBrowser, refusal.Expired:
		return needsConsent, true
	case refusal.ByPerson:
		return withdrawn, true
	case refusal.WindowGone:
		return gone, true
	default:
		return bindMark(b.Verdict), b.Code == ""
	}
}

// bindMark is the verdict of binding a window.
func bindMark(verdict string) mark {
	switch verdict {
	case "exact":
		return mark{"●", "exact", theme.Good, "proved: it can be read and acted on"}
	case "heuristic":
		return mark{"◐", "heuristic", theme.Warn, "not proved: it can be read, never acted on"}
	case "refused":
		return mark{"✗", "refused", theme.Bad, "binding would refuse"}
	case "lost":
		return mark{"✗", "lost", theme.Bad, "no longer proved: what is shown was read before, and nothing can be done to it"}
	case NoAnswer:
		return mark{"?", "no answer", theme.Warn, "the browser did not answer a call in time: what is shown was proved and read before that, and may not hold any more"}
	}
	return mark{"?", verdict, theme.Warn, ""}
}

// NoAnswer is the verdict on a binding whose browser does not answer.
const NoAnswer = "no_answer"

// Badge is a binding verdict as glyph and word.
func Badge(verdict string) []draw.Span {
	m := bindMark(verdict)
	return []draw.Span{draw.Of(m.token, m.glyph+" "+text.Safe(m.word))}
}

// Millis prints a duration in milliseconds, or seconds where that reads better.
func Millis(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	case d < 10*time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// Count prints n with a unit, in the plural where it is one.
func Count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
