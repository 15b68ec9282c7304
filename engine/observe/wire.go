package observe

import "cuatui/snapshotfmt"

// The flags and evidence bits of a candidate, as the survey sets them.
const (
	flagAct      = 1
	flagText     = 2
	flagSemantic = 4
	flagScroll   = 8
	flagDialog   = 32
	flagFocused  = 64
	flagFrame    = 128
	flagProxy    = 1024 // a label that stands in for a control that cannot be seen

	evNative   = 1
	evRole     = 2
	evListener = 4
	evHandler  = 8
	evTabindex = 16
	evEditable = 32
	evCursor   = 64
	evLabel    = 128
)

// The outcomes of hit testing a candidate in view.
const (
	hitUntested = 0
	hitOwn      = 1 // at least one point of it takes the pointer
	hitShown    = 2 // seen, but something else takes the pointer everywhere
	hitCovered  = 3
	hitUnknown  = 4
)

// column is what the survey says of one candidate in or near view. Boxes and
// points are CSS px of the candidate's own frame.
type column struct {
	I      int         `json:"i"`
	Tier   string      `json:"t"`
	Flags  int         `json:"f"`
	Ev     int         `json:"ev"`
	Hit    int         `json:"hit"`
	Why    string      `json:"why"`
	Sub    string      `json:"sub"`
	Dis    string      `json:"dis"`
	Points []float64   `json:"p"`
	Box    *[4]float64 `json:"b"`
	// Sifted: its points were taken by a document above.
	Sifted bool `json:"-"`
}

// meaning is what describe says of one candidate.
type meaning struct {
	Local    int                `json:"k"`
	I        int                `json:"i"`
	Role     string             `json:"r"`
	Name     string             `json:"n"`
	Value    string             `json:"v"`
	Desc     string             `json:"d"`
	States   snapshotfmt.States `json:"s"`
	Tag      string             `json:"t"`
	Type     string             `json:"it"`
	Steady   string             `json:"sn"` // the name without what only counts the time, "" where that is the name
	Key      string             `json:"key"`
	Use      string             `json:"use"`
	Contract string             `json:"kc"`
	More     []int              `json:"more"` // scrolled, left below, left to the right, CSS px
	Up       int                `json:"up"`
	// ownRole, ownName and ownDesc are the computed ones where the browser's
	// have taken their place: a ref is always held against the computed identity.
	ownRole, ownName, ownDesc string
	foreign                   bool
}

// identity is the role and name a ref is held against.
func (m *meaning) identity() (role, name string) {
	if m.foreign {
		return m.ownRole, m.ownName
	}
	return m.Role, m.Name
}

// ancestor is a node that the outline may show for context.
type ancestor struct {
	Local int    `json:"k"`
	Role  string `json:"r"`
	Name  string `json:"n"`
	Up    int    `json:"up"`
}

// frameRow is a frame element as its parent document lays it out.
type frameRow struct {
	Local  int         `json:"k"`
	I      int         `json:"i"`
	Tier   string      `json:"tier"`
	Sub    string      `json:"sub"`
	Inner  *[4]float64 `json:"inner"` // content box, CSS px of the parent
	Scale  [2]float64  `json:"scale"`
	Size   [2]float64  `json:"size"` // of its viewport, own CSS px
	Vis    *[4]float64 `json:"vis"`
	Hard   *[4]float64 `json:"hard"`   // edges of what the parent can ever let through of it, px of the parent
	Maybe  bool        `json:"maybe"`  // an object or embed: it may hold a document or none
	Stuck  bool        `json:"stuck"`  // it does not scroll
	Under  string      `json:"under"`  // why nothing in it can be used that is not in view, "" if it can
	Scoped bool        `json:"scoped"` // inside the scope asked for
	Turned bool        `json:"turned"` // a transform that is more than a move and a positive scale
}

type pageFacts struct {
	URL   string  `json:"url"`
	Title string  `json:"title"`
	W     float64 `json:"w"`
	H     float64 `json:"h"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	State string  `json:"state"`
	Focus int     `json:"focus"`
	// Pinched are the edges of what a pinch leaves in the window, CSS px of the
	// viewport; nil where it is all of it.
	Pinched *rect `json:"pinched"`
	// Status is the HTTP status of the document's response, 0 for none.
	Status int `json:"status"`

	ready bool // it has loaded
}

type described struct {
	Nodes       []meaning  `json:"nodes"`
	Ctx         []ancestor `json:"ctx"`
	Gone        []int      `json:"gone"`
	Cols        []column   `json:"cols"`
	RootChanged bool       `json:"rootChanged"`
}

type surveyReply struct {
	described
	ScopeGone  bool           `json:"scopeGone"`
	Stale      string         `json:"stale"` // why the kept survey could not be asked again
	Elements   int            `json:"elements"`
	NotWalked  int            `json:"notWalked"`
	Labels     int            `json:"labels"` // label elements of the document
	Candidates int            `json:"candidates"`
	Counts     map[string]int `json:"counts"`
	Rest       int            `json:"rest"`
	Frames     []frameRow     `json:"frames"`
	Page       pageFacts      `json:"page"`
	Hosts      []int          `json:"hosts"` // elements that may have a closed shadow tree
	How        string         `json:"how"`
	Slices     int            `json:"slices"` // in which it was read
	Anew       bool           `json:"anew"`   // it changed between two and was walked anew, in one go
	WalkMS     float64        `json:"walkMS"`
	Regions    *regionReply   `json:"regions"` // nil where the document has none
}
