package observe

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cuatui/engine/limits"
	"cuatui/snapshotfmt"
)

// The survey runs in the page's own process, which may be taken over, and its
// answers cross a wire: they are checked here, once, before anything is
// computed from them. What does not hold is an error, never a wrong snapshot.

// countMax bounds every count and index of a reply, so that sums cannot overflow.
const countMax = 1 << 30

// columnTiers are the tiers that a listed candidate can have.
var columnTiers = []string{"in", string(snapshotfmt.NearViewport), string(snapshotfmt.OffscreenT), string(snapshotfmt.UnknownTier)}

// check says what is wrong with a survey.
func (r *surveyReply) check() error {
	if r.ScopeGone || r.Stale != "" {
		return nil // it says nothing else
	}
	if err := r.described.check(); err != nil {
		return fmt.Errorf("survey: %w", err)
	}
	sum := len(r.Cols)
	for key, n := range r.Counts {
		reason, sub := splitReason(key)
		if !words(sub) || !slices.Contains(snapshotfmt.OmitReasons, reason) || !counts(n) {
			return fmt.Errorf("survey: %d candidates are counted as %q", n, short(key))
		}
		sum += n
	}
	for _, n := range []int{r.Elements, r.NotWalked, r.Labels, r.Candidates, r.Rest} {
		if !counts(n) {
			return fmt.Errorf("survey: a count is %d", n)
		}
	}
	if sum += r.Rest; sum != r.Candidates {
		return fmt.Errorf("survey: %d candidates are accounted for, %d were found", sum, r.Candidates)
	}
	for _, f := range r.Frames {
		if f.Local <= 0 || !counts(f.I) {
			return fmt.Errorf("survey: a frame element is numbered %d and stands at %d", f.Local, f.I)
		}
	}
	if err := r.Regions.check(); err != nil {
		return fmt.Errorf("survey: %w", err)
	}
	if !(r.WalkMS >= 0 && r.WalkMS < countMax) {
		return fmt.Errorf("survey: the walk took %v ms", r.WalkMS)
	}
	return nil
}

// check says what is wrong with a batch of candidates.
func (b *described) check() error {
	at := make(map[int]bool, len(b.Cols))
	for _, c := range b.Cols {
		if !counts(c.I) || at[c.I] || !slices.Contains(columnTiers, c.Tier) || !words(c.Why, c.Sub, c.Dis) {
			return fmt.Errorf("a candidate stands at %d, in tier %q", c.I, short(c.Tier))
		}
		at[c.I] = true
	}
	known := make(map[int]bool, len(b.Nodes))
	for i := range b.Nodes {
		n := &b.Nodes[i]
		if n.Local <= 0 || known[n.Local] || !counts(n.I) {
			return fmt.Errorf("a node is numbered %d and stands at %d", n.Local, n.I)
		}
		known[n.Local] = true
		if !words(n.Role, n.Contract, n.States.Checked, n.States.Pressed, n.States.Invalid) || !bounded(n.Name, n.Steady, n.Value, n.Desc, n.Key) {
			return fmt.Errorf("the node at %d is no node: %q %q", n.I, short(n.Role), short(n.Name))
		}
		n.States.Current = oneOf(n.States.Current, "true", "page", "step", "location", "date", "time", "true")
		n.States.HasPopup = oneOf(n.States.HasPopup, "", "menu", "listbox", "tree", "grid", "dialog")
	}
	for _, a := range b.Ctx {
		if !words(a.Role) || !bounded(a.Name) {
			return fmt.Errorf("an ancestor is no node: %q %q", short(a.Role), short(a.Name))
		}
	}
	return nil
}

// oneOf is the page's word where ARIA knows it, and what ARIA makes of another.
func oneOf(word, otherwise string, known ...string) string {
	if word == "" || slices.Contains(known, word) {
		return word
	}
	return otherwise
}

// words says whether every string is a word of ours, which may stand unquoted
// in the outline: a role, a tier, a reason.
func words(all ...string) bool {
	for _, s := range all {
		if len(s) > 80 || strings.ContainsFunc(s, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_- ", r)
		}) {
			return false
		}
	}
	return true
}

// bounded says whether the world has cut every text, as it is told to.
func bounded(all ...string) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return len(s) > 4*(limits.NameCharsMax+100) })
}

// check says what is wrong with a look at one node.
func (r *proofReply) check() error {
	sound := (r.Tier == string(snapshotfmt.CSSHidden) || r.Tier == string(snapshotfmt.NoLayoutT) || slices.Contains(columnTiers, r.Tier)) &&
		words(r.Role, r.Sub, r.Why, r.Dis, r.Contract) && bounded(r.Name, r.Steady, r.Key)
	r.Tag = short(r.Tag) // a custom element's is the page's own word
	if !sound {
		return fmt.Errorf("look: the node is none: %q %q in tier %q", short(r.Role), short(r.Name), short(r.Tier))
	}
	return nil
}

// checkRest says what is wrong with a batch of at most most offscreen candidates.
func (b *described) checkRest(most int) error {
	if n := len(b.Cols); n == 0 || n > most {
		return fmt.Errorf("%d candidates came, of at most %d", n, most)
	}
	return b.check()
}

func counts(n int) bool { return n >= 0 && n < countMax }

// short cuts what a reply says for an error message.
func short(s string) string { return snapshotfmt.Fold(s, 120) }

// once are the frames that a listing may hold: one of each id, the main
// frame first and without a parent. A frame that two processes list belongs to
// the first: the second is on its way in or out.
func once(frames []frame) ([]frame, error) {
	if len(frames) == 0 || frames[0].ID == "" {
		return nil, fmt.Errorf("list frames: the browser names no main frame")
	}
	frames[0].ParentID = ""
	seen := make(map[string]bool, len(frames))
	return slices.DeleteFunc(frames, func(f frame) bool {
		twice := seen[f.ID] || f.ID == ""
		seen[f.ID] = true
		return twice
	}), nil
}

// pixelsMax is beyond every layout: Chromium's own limit is 2^25 px.
const pixelsMax = 1e9

// rounded cuts a box to a hundredth of a CSS pixel, so that equal layouts give
// equal bytes. What is no box of a layout gives nil.
func rounded(b [4]float64) *[4]float64 {
	for i, v := range b {
		if !(math.Abs(v) < pixelsMax) { // NaN, too
			return nil
		}
		b[i] = math.Round(v*100)/100 + 0 // no negative zero
	}
	return &b
}
