package contract

import (
	"bytes"
	"encoding/json"
	"fmt"

	"cuatui/snapshotfmt"
)

// snapshotOf is what a snapshot says besides the page, in every format.
type snapshotOf struct {
	Status         Status `json:"status"`
	Mode           string `json:"mode"`
	TargetID       string `json:"target_id"`
	BindingQuality string `json:"binding_quality,omitempty"`
	TabID          string `json:"tab_id"`
}

// The results of the formats that are not semantic_v2.
type (
	domRefsResult struct {
		snapshotOf
		snapshotfmt.DomRefs
	}
	axUIDResult struct {
		snapshotOf
		snapshotfmt.AxUID
	}
)

// MarshalJSON writes a snapshot in its own format.
func (r *StateResult) MarshalJSON() ([]byte, error) {
	type plain StateResult
	var out any = (*plain)(r)
	if r.Semantic != nil {
		of := snapshotOf{r.Status, r.Mode, r.TargetID, r.BindingQuality, r.TabID}
		switch r.Snapshot.Format {
		case snapshotfmt.DomRefsV1:
			out = domRefsResult{of, *r.DomRefs()}
		case snapshotfmt.AxUIDV1:
			out = axUIDResult{of, *r.AxUID()}
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // who encodes the whole has the say
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("encoding a snapshot: %w", err)
	}
	return b.Bytes(), nil
}
