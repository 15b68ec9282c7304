// Package snapshotfmt holds the snapshot formats as plain data, their
// renderers and the token estimate. It imports nothing of ours, so that every
// face prints the same text.
package snapshotfmt

// Tier is where a node is in relation to the viewport, or why it cannot be
// seen. It says nothing about the desktop.
type Tier string

// The tiers.
const (
	InViewport   Tier = "in_viewport"
	NearViewport Tier = "near_viewport"
	OffscreenT   Tier = "offscreen"
	CSSHidden    Tier = "css_hidden"
	NoLayoutT    Tier = "no_layout"
	PageOccluded Tier = "page_occluded"
	UnknownTier  Tier = "unknown"
)

// OmitReason is the one primary reason why a candidate was not returned.
type OmitReason string

// The omission reasons, in the fixed order in which the first that applies
// becomes the primary one.
const (
	OmitUnprovableFrame OmitReason = "unprovable_frame"
	OmitCSSHidden       OmitReason = "css_hidden"
	OmitNoLayout        OmitReason = "no_layout"
	OmitPageOccluded    OmitReason = "page_occluded"
	OmitUnknown         OmitReason = "unknown"
	OmitFolded          OmitReason = "folded"
	OmitIgnored         OmitReason = "ignored"
	OmitNear            OmitReason = "near_viewport"
	OmitOffscreen       OmitReason = "offscreen"
	OmitBudget          OmitReason = "budget"
)

// OmitReasons lists the reasons in their order of precedence.
var OmitReasons = []OmitReason{
	OmitUnprovableFrame, OmitCSSHidden, OmitNoLayout, OmitPageOccluded, OmitUnknown,
	OmitFolded, OmitIgnored, OmitNear, OmitOffscreen, OmitBudget,
}

// Omitted counts candidates not returned, each under exactly one reason.
type Omitted struct {
	UnprovableFrame int `json:"unprovable_frame"`
	CSSHidden       int `json:"css_hidden"`
	NoLayout        int `json:"no_layout"`
	PageOccluded    int `json:"page_occluded"`
	Unknown         int `json:"unknown"`
	Folded          int `json:"folded"`
	Ignored         int `json:"ignored"`
	NearViewport    int `json:"near_viewport"`
	Offscreen       int `json:"offscreen"`
	Budget          int `json:"budget"`
	// Sub splits a reason: "css_hidden/display", "no_layout/clipped". The
	// parts of a reason that has any add up to the reason.
	Sub map[string]int `json:"sub,omitempty" jsonschema:"finer counts, keyed reason/sub_reason"`
}

// Total is the number of omitted candidates.
func (o Omitted) Total() int {
	n := 0
	for _, r := range OmitReasons {
		n += o.Get(r)
	}
	return n
}

// Get returns the count of one reason.
func (o Omitted) Get(r OmitReason) int { return *o.slot(r) }

// Add adds n to a reason and, where sub is not empty, to its part.
func (o *Omitted) Add(r OmitReason, sub string, n int) {
	if n == 0 {
		return
	}
	*o.slot(r) += n
	if sub != "" {
		if o.Sub == nil {
			o.Sub = map[string]int{}
		}
		o.Sub[string(r)+"/"+sub] += n
	}
}

func (o *Omitted) slot(r OmitReason) *int {
	switch r {
	case OmitUnprovableFrame:
		return &o.UnprovableFrame
	case OmitCSSHidden:
		return &o.CSSHidden
	case OmitNoLayout:
		return &o.NoLayout
	case OmitPageOccluded:
		return &o.PageOccluded
	case OmitUnknown:
		return &o.Unknown
	case OmitFolded:
		return &o.Folded
	case OmitIgnored:
		return &o.Ignored
	case OmitNear:
		return &o.NearViewport
	case OmitOffscreen:
		return &o.Offscreen
	case OmitBudget:
		return &o.Budget
	}
	panic("snapshotfmt: no counter for omission reason " + string(r))
}

// States are the states of a node that are worth a word. Booleans are
// booleans; a pointer field is nil where the state does not apply.
type States struct {
	Checked   string `json:"checked,omitempty" jsonschema:"true, false or mixed"`
	Pressed   string `json:"pressed,omitempty" jsonschema:"true, false or mixed"`
	Expanded  *bool  `json:"expanded,omitempty"`
	Selected  *bool  `json:"selected,omitempty"`
	Disabled  bool   `json:"disabled,omitempty"`
	Focused   bool   `json:"focused,omitempty"`
	Required  bool   `json:"required,omitempty"`
	Readonly  bool   `json:"readonly,omitempty"`
	Invalid   string `json:"invalid,omitempty" jsonschema:"true, grammar or spelling"`
	Modal     bool   `json:"modal,omitempty"`
	Multiline bool   `json:"multiline,omitempty"`
	Busy      bool   `json:"busy,omitempty"`
	Level     int    `json:"level,omitempty" jsonschema:"heading or tree level, from 1"`
	HasPopup  string `json:"haspopup,omitempty"`
	Current   string `json:"current,omitempty"`
}

// Entry is one listed node: a ref with at least one action, or a content ref
// with none.
type Entry struct {
	Ref         string              `json:"ref"`
	Role        string              `json:"role" jsonschema:"ARIA role in lower case"`
	Name        string              `json:"name"`
	Value       string              `json:"value,omitempty"`
	Description string              `json:"description,omitempty"`
	States      States              `json:"states,omitzero"`
	Actions     []string            `json:"actions" jsonschema:"click, type, select, pointer, scroll (browser_pointer with gesture scroll), upload (browser_set_input_files)"`
	Routes      map[string][]string `json:"routes,omitempty" jsonschema:"by action kind, the routes that would be accepted now; give one as route"`
	Frame       string              `json:"frame,omitempty" jsonschema:"main, or f<n> as in frames"`
	Visibility  Tier                `json:"visibility"`
	Box         *[4]float64         `json:"box,omitempty" jsonschema:"x, y, width, height of the visible part, CSS px of the top viewport"`
	Hit         *bool               `json:"hit,omitempty" jsonschema:"whether a point of it takes pointer events; absent where not asked"`
	Why         string              `json:"why,omitempty" jsonschema:"why a control declares no action, as docs/why.md explains it"`
}

// Line is one line of the outline with its structure, for a face that draws
// the tree itself. Text is what the outline prints for it, without the indent.
type Line struct {
	Depth int
	// K is the node's identity in the tab, 0 for a line that is no node (a
	// fold count, a frame header without a candidate).
	K    int
	Ref  string
	Role string
	Name string
	Tier Tier
	// Context marks an ancestor shown for its place only; it has no ref.
	Context bool
	Text    string
	// What the other formats tell of a node with a ref: its uid, the name of its
	// element, and its place among the lines in document order.
	UID   string `json:",omitempty"`
	Tag   string `json:",omitempty"`
	Order int    `json:",omitempty"`
}

// Info is the head of a snapshot.
type Info struct {
	ID      string `json:"id" jsonschema:"p<n>; give it as diff_from with a later snapshot"`
	Format  string `json:"format"`
	Scope   string `json:"scope" jsonschema:"viewport, query, subtree or continuation"`
	Segment int    `json:"segment" jsonschema:"number of this segment, from 1"`
	// Complete is true only if collection was complete and nothing remains.
	Complete bool `json:"complete"`
	// Candidates = Returned + Earlier + Omitted.Total(), exactly, whenever the
	// walk completed.
	Candidates int `json:"candidates" jsonschema:"nodes that could have been listed"`
	Returned   int `json:"returned" jsonschema:"candidates in this segment"`
	Earlier    int `json:"earlier,omitempty" jsonschema:"candidates returned in earlier segments"`
	Gone       int `json:"gone,omitempty" jsonschema:"candidates that died since the first segment; counted in omitted as ignored/gone"`

	NodeBudget      int     `json:"node_budget"`
	OutputBudget    int     `json:"output_budget" jsonschema:"estimated tokens"`
	EstimatedTokens int     `json:"estimated_tokens"`
	Omitted         Omitted `json:"omitted"`
	Continuation    string  `json:"continuation,omitempty" jsonschema:"single-use id of the next segment"`
	Meaning         string  `json:"meaning" jsonschema:"computed or accessibility: where names and roles come from"`
	MeaningWhy      string  `json:"meaning_why,omitempty"`
	Collector       string  `json:"collector,omitempty" jsonschema:"protocol where the nodes come from its trees and not from the survey"`
	PartialWhy      string  `json:"partial_why,omitempty" jsonschema:"what kept the protocol from sending a whole tree"`
	// Torn says the page changed while it was being read.
	Torn             bool   `json:"torn,omitempty"`
	NotWalkedAtLeast int    `json:"not_walked_at_least,omitempty" jsonschema:"elements a budget kept the walk from"`
	QueryNote        string `json:"query_note,omitempty" jsonschema:"said where a query matches only omitted nodes"`
}

// Page is the page's live identity.
type Page struct {
	URL        string     `json:"url"`
	Title      string     `json:"title"`
	FocusedRef string     `json:"focused_ref,omitempty" jsonschema:"of the node that has the focus; give it as ref"`
	Viewport   [2]float64 `json:"viewport" jsonschema:"width, height in CSS px"`
	Scroll     [2]float64 `json:"scroll" jsonschema:"x, y in CSS px"`
}

// Frame is one document of the page.
type Frame struct {
	ID     string      `json:"id" jsonschema:"main, or f<n>"`
	Parent string      `json:"parent,omitempty"`
	URL    string      `json:"url"`
	Box    *[4]float64 `json:"box,omitempty" jsonschema:"CSS px of the top viewport"`
	Status string      `json:"status" jsonschema:"read or unprovable"`
	Why    string      `json:"why,omitempty"`
}

// Generated holds timings and counts, no page text.
type Generated struct {
	TotalMS       float64 `json:"total_ms"`
	SurveyMS      float64 `json:"survey_ms"`
	WalkMS        float64 `json:"walk_ms" jsonschema:"time spent on the page's own thread by the walk"`
	EnrichMS      float64 `json:"enrich_ms"`
	Elements      int     `json:"elements" jsonschema:"elements walked"`
	ProtocolCalls int     `json:"protocol_calls"`
	ReplyBytes    int64   `json:"reply_bytes"`
	// KeptSurvey says that a query or scope was answered by the survey before
	// it, of which nothing can have changed.
	KeptSurvey bool `json:"kept_survey,omitempty"`
}

// Semantic is a snapshot. Its fields are those of semantic_v2; the other formats
// are made from it.
type Semantic struct {
	Snapshot    Info      `json:"snapshot"`
	Page        Page      `json:"page"`
	Outline     string    `json:"outline"`
	Refs        []Entry   `json:"refs"`
	ContentRefs []Entry   `json:"content_refs"`
	Frames      []Frame   `json:"frames"`
	Generated   Generated `json:"generated"`
	Diff        *Diff     `json:"diff,omitempty"`
	Regions     *Regions  `json:"regions,omitempty"`
	// Lines is the outline with its structure. It never leaves the process.
	Lines []Line `json:"-"`
}
