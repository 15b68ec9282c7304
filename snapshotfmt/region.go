package snapshotfmt

import (
	"fmt"
	"math"
	"strings"
)

// Regions says what the page shows as pixels that no text tells. It is absent
// where every document was looked through and none has any: that nothing is
// there (absent), that it could not be looked for (Unavailable), that it cannot
// be placed exactly (Approx) and that it is not listed (Truncated) are four
// different things.
type Regions struct {
	// Found is what is in view, listed or not: the regions of all rows of List
	// and Truncated.
	Found     int      `json:"found" jsonschema:"regions in view"`
	List      []Region `json:"list"`
	Approx    int      `json:"approx,omitempty" jsonschema:"of those in view, how many have no exact place and so no ref"`
	Truncated int      `json:"truncated,omitempty" jsonschema:"regions in view that no row tells of"`
	// Offscreen and Hidden are not in view, by scrolling or for good.
	Offscreen   int        `json:"offscreen,omitempty" jsonschema:"regions that scrolling may bring into view"`
	Hidden      int        `json:"hidden,omitempty" jsonschema:"regions that style or clipping hides"`
	Unavailable []Unlooked `json:"unavailable,omitempty" jsonschema:"documents that could not be looked through"`
	Degraded    bool       `json:"dedup_degraded,omitempty" jsonschema:"there were too many to tell all duplicates"`
	Tokens      int        `json:"estimated_tokens,omitempty"`
}

// Unlooked is a document whose regions are not known.
type Unlooked struct {
	Frame string `json:"frame,omitempty"`
	Why   string `json:"why"`
}

// Region is a row of regions: one, with its exact duplicates, or a group of
// small equal siblings.
type Region struct {
	Ref      string     `json:"ref,omitempty" jsonschema:"v<n>:<k>, for browser_screenshot only; absent where accuracy is approx"`
	Kind     string     `json:"kind" jsonschema:"canvas, video, image, svg, embed, object or background"`
	Label    string     `json:"label,omitempty"`
	Frame    string     `json:"frame" jsonschema:"main, or f<n> as in frames"`
	Box      [4]float64 `json:"box" jsonschema:"x, y, width, height of what can be seen of it, CSS px of the top viewport"`
	Share    float64    `json:"share" jsonschema:"of the viewport, 0 to 1"`
	Occluded *float64   `json:"occluded,omitempty" jsonschema:"how much of it something else hides, 0 to 1; absent where that cannot be told"`
	Accuracy string     `json:"accuracy" jsonschema:"exact or approx"`
	Why      string     `json:"why,omitempty" jsonschema:"why the box is approximate"`
	// Same and Like are the other regions of the row.
	Same []string `json:"same,omitempty" jsonschema:"refs of others at exactly this place"`
	Like []string `json:"like,omitempty" jsonschema:"refs of others of a group of small equal siblings"`
	More int      `json:"more,omitempty" jsonschema:"others of the row that have no ref here; counted in truncated"`
}

// Text is the row without its indent:
// - kind "label" ref WxH@x,y share (what else)
func (r *Region) Text() string {
	var b strings.Builder
	b.WriteString("- " + r.Kind)
	if r.Label != "" {
		b.WriteString(" " + Quote(r.Label))
	}
	if r.Ref != "" {
		b.WriteString(" " + r.Ref)
	}
	n := math.Round
	fmt.Fprintf(&b, " %.0fx%.0f@%.0f,%.0f %s of the view", n(r.Box[2]), n(r.Box[3]), n(r.Box[0])+0, n(r.Box[1])+0, percent(r.Share))
	if r.Occluded != nil && *r.Occluded > 0 {
		fmt.Fprintf(&b, ", %s hidden", percent(*r.Occluded))
	}
	if r.Accuracy != "exact" {
		fmt.Fprintf(&b, " (approx: %s)", r.Why)
	}
	if len(r.Same) > 0 {
		b.WriteString(" (in the same place: " + strings.Join(r.Same, " ") + ")")
	}
	if len(r.Like) > 0 {
		fmt.Fprintf(&b, " (and %d like it: %s)", len(r.Like)+r.More, strings.Join(r.Like, " "))
	}
	if r.More > 0 {
		fmt.Fprintf(&b, " (%d more)", r.More)
	}
	return b.String()
}

func percent(share float64) string {
	p := 100 * share
	switch {
	case p <= 0:
		return "0%"
	case p < 1:
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", p)
}

// RegionsHint is the line that tells that a page has regions; listed of them
// are told in the lines below it.
func RegionsHint(found, listed int) string {
	s := fmt.Sprintf("# %d visual regions in view", found)
	if found == 1 {
		s = "# 1 visual region in view"
	}
	if listed < found {
		s += fmt.Sprintf(", %d listed", listed)
	}
	return s + ": pixels that no line above tells; browser_screenshot shows one by its v ref"
}
