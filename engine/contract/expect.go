package contract

import (
	"strings"
	"unicode"
)

// Expect are the post-conditions of an action. All that are set must hold
// afterwards, and each is read before the action too: what held already, or
// cannot be shown not to have held, is never taken for the action's doing.
type Expect struct {
	Text     string `json:"text,omitempty" jsonschema:"a frame of the page shows this text"`
	TextGone string `json:"text_gone,omitempty" jsonschema:"no frame of the page shows this text"`
	URLPart  string `json:"url_part,omitempty" jsonschema:"the url contains this"`
	Ref      string `json:"ref,omitempty" jsonschema:"the node of state and value; default the one acted on"`
	State    string `json:"state,omitempty" jsonschema:"what the node has come to; gone also without a box"`
	Value    string `json:"value,omitempty" jsonschema:"exactly what the field holds; of a select its label"`
	Dialog   string `json:"dialog,omitempty" jsonschema:"a page dialog of this type is open"`
	Download bool   `json:"download,omitempty" jsonschema:"a download has begun"`
	// TimeoutMS is how long all of it may take to come true, in ms; 0 stands for 5000.
	TimeoutMS int `json:"timeout_ms,omitempty" jsonschema:"default 5000"`
}

// Reads says whether a condition is read from the page itself.
func (e *Expect) Reads() bool {
	return e.Text != "" || e.TextGone != "" || e.URLPart != "" || e.ofNode()
}

func (e *Expect) ofNode() bool { return e.State != "" || e.Value != "" }

// namesNode requires the ref of state and value where the action itself acts on
// no node. The error is an *ArgumentError.
func (e *Expect) namesNode(why string) error {
	if e != nil && e.ofNode() && e.Ref == "" {
		return &ArgumentError{Field: "expect.ref", Message: "is required with state and value, for " + why}
	}
	return nil
}

// Validate checks that there is something to expect: no conditions would be
// met by anything. The error is an *ArgumentError.
func (e *Expect) Validate() error {
	switch {
	case !e.Reads() && e.Dialog == "" && !e.Download:
		return &ArgumentError{Field: "expect", Message: "give at least one condition"}
	case e.Ref != "" && !e.ofNode():
		return &ArgumentError{Field: "expect.ref", Message: "goes with state or value"}
	}
	if err := legible("expect.text", e.Text); err != nil {
		return err
	}
	if err := legible("expect.text_gone", e.TextGone); err != nil {
		return err
	}
	return within("expect", validateFields(e))
}

// legible refuses a text of nothing but white space and controls, which every
// page shows, or none.
func legible(field, text string) error {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }) {
		return nil
	}
	return &ArgumentError{Field: field, Message: "must hold something that can be seen"}
}
