package contract

// AuditRequest asks how true a snapshot of a bound tab is. It is no tool's
// request: people run it on pages, and tests on fixtures.
type AuditRequest struct {
	Session  string `json:"session"`
	TargetID string `json:"target_id"`
	TabID    string `json:"tab_id,omitempty"`
}

// Audited is a node that the snapshot is wrong about.
type Audited struct {
	Explained

	Point [2]float64 `json:"point" jsonschema:"x, y in CSS px of the top viewport"`
	Says  string     `json:"says" jsonschema:"of a miss what makes it a control, of a lie what is hit in its place"`
}

// Omission is one reason why candidates were left out, with a few of them.
type Omission struct {
	Reason   string      `json:"reason" jsonschema:"reason or reason/sub_reason"`
	Count    int         `json:"count"`
	Examples []Explained `json:"examples"`
}

// AuditResult answers AuditRequest. A miss is a control that can be hit in the
// viewport and is not among the refs in view; a lie is a ref in view that
// declares click and is not what is hit at its point. Status is partial where
// a part of the page could not be judged.
type AuditResult struct {
	Status     Status         `json:"status"`
	Snapshot   string         `json:"snapshot"`
	URL        string         `json:"url"`
	Points     int            `json:"points" jsonschema:"points of the viewport that the browser hit tested"`
	Controls   int            `json:"controls" jsonschema:"distinct controls that were hit"`
	Offers     int            `json:"offers" jsonschema:"refs in view that declare click"`
	Misses     []Audited      `json:"misses"`
	Lies       []Audited      `json:"lies"`
	Unjudged   []string       `json:"unjudged,omitempty" jsonschema:"what could not be judged, and why"`
	Candidates int            `json:"candidates"`
	Tiers      map[string]int `json:"tiers" jsonschema:"listed nodes by visibility"`
	Omissions  []Omission     `json:"omissions"`
}

// Validate checks the request by itself. The error is an *ArgumentError.
func (r *AuditRequest) Validate() error { return validateFields(r) }
