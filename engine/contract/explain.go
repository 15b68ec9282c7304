package contract

import "cuatui/snapshotfmt"

// ExplainRequest asks why a node is as it is: by ref, by a point of the top
// viewport, by a text, or by going through what was omitted for a reason.
// Exactly one of ref, point, text and reason is given.
type ExplainRequest struct {
	Session  string    `json:"session" jsonschema:"name of the session"`
	TargetID string    `json:"target_id" jsonschema:"bt- id from binding"`
	TabID    string    `json:"tab_id,omitempty" jsonschema:"tab- id from binding"`
	Ref      string    `json:"ref,omitempty" jsonschema:"p<n>:<k>, or o<n>:<k> from an earlier explanation"`
	Point    []float64 `json:"point,omitempty" jsonschema:"x, y in CSS px of the top viewport"`
	Text     string    `json:"text,omitempty" jsonschema:"a text that some node shows or should show"`
	Reason   string    `json:"reason,omitempty" jsonschema:"an omission reason, or reason/sub_reason"`
	After    string    `json:"after,omitempty" jsonschema:"next from the page before"`
}

// Check is one step of an explanation.
type Check struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict" jsonschema:"pass, fail or info"`
	Detail  string `json:"detail,omitempty"`
}

// Explained is one node with its verdict. Ref is a p ref where the node is
// listed, else an o ref, which explains and nothing else.
type Explained struct {
	Ref       string                 `json:"ref"`
	Role      string                 `json:"role"`
	Name      string                 `json:"name"`
	Tag       string                 `json:"tag,omitempty"`
	Frame     string                 `json:"frame,omitempty"`
	Verdict   string                 `json:"verdict" jsonschema:"listed, waiting (a later segment), omitted or not_a_candidate"`
	Reason    snapshotfmt.OmitReason `json:"reason,omitempty" jsonschema:"the one primary omission reason"`
	SubReason string                 `json:"sub_reason,omitempty"`
}

// ExplainResult answers ExplainRequest: one node with its evidence, or a page
// of nodes.
type ExplainResult struct {
	Status   Status      `json:"status"`
	Snapshot string      `json:"snapshot" jsonschema:"p<n>: the snapshot that is explained"`
	Node     *Explained  `json:"node,omitempty"`
	Evidence []Check     `json:"evidence,omitempty" jsonschema:"the ordered evidence for node"`
	Rows     []Explained `json:"rows,omitempty"`
	Next     string      `json:"next,omitempty" jsonschema:"give it as after for the next page of rows"`
}
