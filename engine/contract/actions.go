package contract

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cuatui/engine/limits"
	"cuatui/engine/refusal"
)

// TypeRequest types a text into a ref.
type TypeRequest struct {
	Session  string  `json:"session" jsonschema:"name of the session"`
	TargetID string  `json:"target_id" jsonschema:"bt- id from binding"`
	TabID    string  `json:"tab_id,omitempty" jsonschema:"tab- id from binding"`
	Ref      string  `json:"ref" jsonschema:"p<n>:<k> that declares type"`
	Text     string  `json:"text,omitempty" jsonschema:"what to type; a date or time in its ISO form; empty only with replace, to clear the field"`
	Mode     string  `json:"mode,omitempty" jsonschema:"insert_text (default) or keystrokes"`
	Replace  bool    `json:"replace,omitempty" jsonschema:"replace what the field holds; otherwise the text is appended"`
	Submit   bool    `json:"submit,omitempty" jsonschema:"press Enter once the text reads back right"`
	Expect   *Expect `json:"expect,omitempty" jsonschema:"post-conditions: what must hold afterwards, and is read before too"`
}

// SelectRequest chooses options of a native select.
type SelectRequest struct {
	Session  string   `json:"session" jsonschema:"name of the session"`
	TargetID string   `json:"target_id" jsonschema:"bt- id from binding"`
	TabID    string   `json:"tab_id,omitempty" jsonschema:"tab- id from binding"`
	Ref      string   `json:"ref" jsonschema:"p<n>:<k> that declares select"`
	Labels   []string `json:"labels,omitempty" jsonschema:"the options by their label; exactly these are selected afterwards"`
	Values   []string `json:"values,omitempty" jsonschema:"or by their value"`
	Expect   *Expect  `json:"expect,omitempty" jsonschema:"post-conditions: what must hold afterwards, and is read before too"`
}

// PressRequest presses one key or chord.
type PressRequest struct {
	Session   string   `json:"session" jsonschema:"name of the session"`
	TargetID  string   `json:"target_id" jsonschema:"bt- id from binding"`
	TabID     string   `json:"tab_id,omitempty" jsonschema:"tab- id from binding"`
	Ref       string   `json:"ref" jsonschema:"p<n>:<k>: the node that gets the focus first"`
	Key       string   `json:"key" jsonschema:"Enter, Escape, Tab, Space, Backspace, Delete, Home, End, PageUp, PageDown, ArrowUp, ArrowDown, ArrowLeft, ArrowRight, F1 to F12, or one character"`
	Modifiers []string `json:"modifiers,omitempty" jsonschema:"of Alt, Control, Meta, Shift; always released again"`
	Expect    *Expect  `json:"expect,omitempty" jsonschema:"post-conditions: what must hold afterwards, and is read before too"`
}

// PointerRequest moves the pointer over a ref, or scrolls it.
type PointerRequest struct {
	Session  string  `json:"session" jsonschema:"name of the session"`
	TargetID string  `json:"target_id" jsonschema:"bt- id from binding"`
	TabID    string  `json:"tab_id,omitempty" jsonschema:"tab- id from binding"`
	Ref      string  `json:"ref" jsonschema:"p<n>:<k>; scroll takes one that declares scroll"`
	Gesture  string  `json:"gesture" jsonschema:"hover, right_click, double_click, scroll or drag"`
	DeltaX   float64 `json:"delta_x,omitempty" jsonschema:"scroll: CSS px to the right"`
	DeltaY   float64 `json:"delta_y,omitempty" jsonschema:"scroll: CSS px down"`
	Route    string  `json:"route,omitempty" jsonschema:"right_click, double_click and drag: dom_event or trusted"`
	ToRef    string  `json:"to_ref,omitempty" jsonschema:"drag: where to, in the same frame"`
	Delivery string  `json:"delivery_mode,omitempty" jsonschema:"background (default) or foreground"`
	Expect   *Expect `json:"expect,omitempty" jsonschema:"post-conditions: what must hold afterwards, and is read before too"`
}

// FilesRequest puts files into a file input.
type FilesRequest struct {
	Session  string   `json:"session" jsonschema:"name of the session"`
	TargetID string   `json:"target_id" jsonschema:"bt- id from binding"`
	TabID    string   `json:"tab_id,omitempty" jsonschema:"tab- id from binding"`
	Ref      string   `json:"ref" jsonschema:"p<n>:<k> of a file input or its label, or, with route, of what asks for files when it is clicked"`
	Route    string   `json:"route,omitempty" jsonschema:"of that click: trusted_key or trusted"`
	Delivery string   `json:"delivery_mode,omitempty" jsonschema:"of that click"`
	Files    []string `json:"files" jsonschema:"absolute paths of 1 to 32 regular files; they replace what the input holds"`
	Root     string   `json:"root,omitempty" jsonschema:"absolute path of a folder that they must lie in"`
	Expect   *Expect  `json:"expect,omitempty" jsonschema:"post-conditions: what must hold afterwards, and is read before too"`
}

// DownloadRequest clicks a ref and keeps the file that its frame downloads.
type DownloadRequest struct {
	Session   string  `json:"session" jsonschema:"name of the session"`
	TargetID  string  `json:"target_id" jsonschema:"bt- id from binding"`
	TabID     string  `json:"tab_id,omitempty" jsonschema:"tab- id from binding"`
	Ref       string  `json:"ref" jsonschema:"p<n>:<k> that declares click"`
	Route     string  `json:"route" jsonschema:"of the click"`
	Root      string  `json:"root" jsonschema:"absolute path of the folder that takes the file"`
	Name      string  `json:"file_name,omitempty" jsonschema:"the file's name; numbered where it is taken"`
	Suggested bool    `json:"suggested_name,omitempty" jsonschema:"or the page's name, made safe"`
	MaxBytes  int     `json:"max_bytes,omitempty" jsonschema:"default 1 GB"`
	TimeoutMS int     `json:"timeout_ms,omitempty" jsonschema:"default 30000"`
	Delivery  string  `json:"delivery_mode,omitempty" jsonschema:"of the click"`
	Expect    *Expect `json:"expect,omitempty" jsonschema:"post-conditions: what must hold afterwards, and is read before too"`
}

// DownloadResult answers DownloadRequest with what became of the click, and of
// the download.
type DownloadResult struct {
	ActionResult
	File    string `json:"file,omitempty" jsonschema:"the file's name in the root"`
	Bytes   int64  `json:"bytes"`
	Failure string `json:"failure,omitempty" jsonschema:"why there is no file; what was written of it has been removed"`
}

// DialogRequest looks at or answers a page dialog.
type DialogRequest struct {
	Session    string  `json:"session" jsonschema:"name of the session"`
	TargetID   string  `json:"target_id" jsonschema:"bt- id from binding"`
	TabID      string  `json:"tab_id,omitempty" jsonschema:"tab- id from binding"`
	Answer     string  `json:"answer" jsonschema:"inspect, accept or dismiss"`
	DialogID   string  `json:"dialog_id,omitempty" jsonschema:"accept and dismiss: the id from inspect or from the action that opened it"`
	PromptText string  `json:"prompt_text,omitempty" jsonschema:"accept of a prompt: the text to give"`
	Expect     *Expect `json:"expect,omitempty" jsonschema:"accept and dismiss: post-conditions; what the page shows cannot be read behind the dialog, so that only its url, another dialog and a download are known not to have held"`
}

// DialogResult answers DialogRequest.
type DialogResult struct {
	Status      Status         `json:"status"`
	Present     bool           `json:"present"`
	Dialog      *Dialog        `json:"dialog,omitempty"`
	Effect      refusal.Effect `json:"effect,omitempty"`
	SideEffects []string       `json:"side_effects"`
	Verdict     string         `json:"verdict,omitempty" jsonschema:"of post-conditions: met, unmet, already_true (they held before, or may have) or not_asked"`
	Unmet       string         `json:"unmet,omitempty" jsonschema:"the first post-condition that does not hold, and why where that is not known"`
	Evidence    []Evidence     `json:"evidence,omitempty" jsonschema:"each post-condition before and after, and what could not be read"`
}

// WaitRequest waits until all given conditions hold.
type WaitRequest struct {
	Session   string `json:"session" jsonschema:"name of the session"`
	TargetID  string `json:"target_id" jsonschema:"bt- id from binding"`
	TabID     string `json:"tab_id,omitempty" jsonschema:"tab- id from binding"`
	Text      string `json:"text,omitempty" jsonschema:"the page shows this text"`
	TextGone  string `json:"text_gone,omitempty" jsonschema:"the page does not show this text"`
	URLPart   string `json:"url_part,omitempty" jsonschema:"the url contains this"`
	RefGone   string `json:"ref_gone,omitempty" jsonschema:"the node of this ref is gone or without a box"`
	QuietMS   int    `json:"quiet_ms,omitempty" jsonschema:"nothing has changed for so long, ms"`
	TimeoutMS int    `json:"timeout_ms,omitempty" jsonschema:"give up after so long, ms; default 5000"`
}

// WaitResult answers WaitRequest. That a condition is not met is an answer.
type WaitResult struct {
	Status   Status `json:"status"`
	Verdict  string `json:"verdict" jsonschema:"met, unmet or already_true"`
	Missing  string `json:"missing,omitempty" jsonschema:"the first condition that does not hold"`
	Why      string `json:"why,omitempty" jsonschema:"why it is not known whether that holds, as where a frame cannot be read"`
	WaitedMS int    `json:"waited_ms"`
	URL      string `json:"url"`
}

// TabsRequest lists or changes the tabs of a bound window.
type TabsRequest struct {
	Session  string  `json:"session" jsonschema:"name of the session"`
	TargetID string  `json:"target_id" jsonschema:"bt- id from binding"`
	Change   string  `json:"change" jsonschema:"list, open (in the background), close or activate"`
	TabID    string  `json:"tab_id,omitempty" jsonschema:"close and activate: the tab"`
	URL      string  `json:"url,omitempty" jsonschema:"open: http, https or about:blank"`
	Expect   *Expect `json:"expect,omitempty" jsonschema:"post-conditions of the tab opened or activated; of close only dialog: a closed tab shows nothing"`
}

// TabsResult answers TabsRequest with the tabs as they are afterwards.
type TabsResult struct {
	Status      Status         `json:"status"`
	Effect      refusal.Effect `json:"effect,omitempty"`
	TabID       string         `json:"tab_id,omitempty" jsonschema:"open: the new tab"`
	Tabs        []Tab          `json:"tabs"`
	Dialog      *Dialog        `json:"dialog,omitempty" jsonschema:"a page dialog that holds the change up"`
	SideEffects []string       `json:"side_effects"`
	Verdict     string         `json:"verdict,omitempty" jsonschema:"of post-conditions: met, unmet, already_true (they held before, or may have) or not_asked"`
	Unmet       string         `json:"unmet,omitempty" jsonschema:"the first post-condition that does not hold, and why where that is not known"`
	Evidence    []Evidence     `json:"evidence,omitempty" jsonschema:"each post-condition before and after, and what could not be read"`
}

// Validate checks the request by itself. The error is an *ArgumentError.
func (r *TypeRequest) Validate() error {
	if r.Text == "" && !r.Replace {
		return &ArgumentError{Field: "text", Message: "is required, except with replace"}
	}
	return validateFields(r)
}

// Validate checks that options are named one way. The error is an *ArgumentError.
func (r *SelectRequest) Validate() error {
	if (len(r.Labels) == 0) == (len(r.Values) == 0) {
		return &ArgumentError{Field: "labels", Message: "give labels or values, and not both"}
	}
	if len(r.Labels)+len(r.Values) > optionsMax {
		return &ArgumentError{Field: "labels", Message: fmt.Sprintf("at most %d options", optionsMax)}
	}
	return validateFields(r)
}

// optionsMax bounds how many options one call selects.
const optionsMax = 1000

// Validate checks key and modifiers. The error is an *ArgumentError.
func (r *PressRequest) Validate() error {
	if !slices.Contains(KeyNames, r.Key) && utf8.RuneCountInString(r.Key) != 1 {
		return &ArgumentError{Field: "key", Message: "must be a key's name or one character"}
	}
	for _, m := range r.Modifiers {
		if !slices.Contains([]string{"Alt", "Control", "Meta", "Shift"}, m) {
			return &ArgumentError{Field: "modifiers", Message: "must be of Alt, Control, Meta, Shift"}
		}
	}
	return validateFields(r)
}

// KeyNames are the keys that have a name.
var KeyNames = []string{
	"Enter", "Space", "Tab", "Escape", "Backspace", "Delete", "Home", "End", "PageUp", "PageDown", "ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown",
	"F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12",
}

// Validate checks that the gesture has what it needs. The error is an *ArgumentError.
func (r *PointerRequest) Validate() error {
	turns := r.DeltaX != 0 || r.DeltaY != 0
	const far = 1e6 // CSS px; no page is larger
	switch {
	case turns != (r.Gesture == "scroll"):
		return &ArgumentError{Field: "delta_y", Message: "scroll needs a delta, the other gestures take none"}
	case !(r.DeltaX > -far && r.DeltaX < far && r.DeltaY > -far && r.DeltaY < far):
		return &ArgumentError{Field: "delta_y", Message: "is out of range"}
	case (r.Gesture == "drag") != (r.ToRef != ""):
		return &ArgumentError{Field: "to_ref", Message: "drag needs it, the other gestures take none"}
	case (r.Gesture == "hover" || r.Gesture == "scroll") == (r.Route != ""):
		return &ArgumentError{Field: "route", Message: "right_click, double_click and drag need a route, the others take none"}
	case r.Route == "trusted_key":
		return &ArgumentError{Field: "route", Message: "must be dom_event or trusted"}
	}
	return validateFields(r)
}

// Validate checks the files' names; what they are is looked at when they are
// opened. The error is an *ArgumentError.
func (r *FilesRequest) Validate() error {
	if n := len(r.Files); n == 0 || n > limits.UploadFilesMax {
		return &ArgumentError{Field: "files", Message: fmt.Sprintf("give 1 to %d files", limits.UploadFilesMax)}
	}
	for _, f := range r.Files {
		if message := checkPath(f); message != "" {
			return &ArgumentError{Field: "files", Message: message}
		}
	}
	if r.Route == "dom_event" {
		return &ArgumentError{Field: "route", Message: "must be trusted_key or trusted: a page may ask for files only after a real press"}
	}
	return validateFields(r)
}

// checkPath admits absolute paths.
func checkPath(s string) string {
	if !filepath.IsAbs(s) || strings.ContainsRune(s, 0) || len(s) > pathBytesMax {
		return "must be an absolute path"
	}
	return ""
}

// pathBytesMax is longer than every path a system takes.
const pathBytesMax = 4096

// Validate checks root and names. The error is an *ArgumentError.
func (r *DownloadRequest) Validate() error {
	if r.Name != "" && r.Suggested {
		return &ArgumentError{Field: "file_name", Message: "does not go with suggested_name"}
	}
	return validateFields(r)
}

// checkFileName admits one plain part of a path that hides nothing.
func checkFileName(s string) string {
	bad := strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(`/\<>:"|?*`, r) })
	if bad || !utf8.ValidString(s) || strings.Trim(s, ". ") != s || len(s) > 200 {
		return "must be a plain file name of at most 200 bytes"
	}
	return ""
}

// Validate checks that an answer names its dialog. The error is an *ArgumentError.
func (r *DialogRequest) Validate() error {
	if r.Answer != "inspect" && r.DialogID == "" {
		return &ArgumentError{Field: "dialog_id", Message: "is required to answer a dialog"}
	}
	if r.PromptText != "" && r.Answer != "accept" {
		return &ArgumentError{Field: "prompt_text", Message: "goes with accept only"}
	}
	if r.Expect != nil && r.Answer == "inspect" {
		return &ArgumentError{Field: "expect", Message: "goes with accept and dismiss: inspecting changes nothing"}
	}
	if err := r.Expect.namesNode("a dialog is no node"); err != nil {
		return err
	}
	return validateFields(r)
}

// Validate checks that there is something to wait for: an empty wait would be
// met by anything. The error is an *ArgumentError.
func (r *WaitRequest) Validate() error {
	if r.Text == "" && r.TextGone == "" && r.URLPart == "" && r.RefGone == "" && r.QuietMS == 0 {
		return &ArgumentError{Field: "text", Message: "give at least one condition"}
	}
	if err := legible("text", r.Text); err != nil {
		return err
	}
	if err := legible("text_gone", r.TextGone); err != nil {
		return err
	}
	return validateFields(r)
}

// Validate checks that the change has what it needs. The error is an *ArgumentError.
func (r *TabsRequest) Validate() error {
	switch {
	case r.URL != "" && r.Change != "open":
		return &ArgumentError{Field: "url", Message: "goes with open only"}
	case (r.TabID != "") != (r.Change == "close" || r.Change == "activate"):
		return &ArgumentError{Field: "tab_id", Message: "goes with close and activate, which need it"}
	}
	if err := r.validateExpect(); err != nil {
		return err
	}
	return validateFields(r)
}

// validateExpect admits what the change leaves to be read.
func (r *TabsRequest) validateExpect() error {
	e := r.Expect
	if e == nil {
		return nil
	}
	switch {
	case r.Change == "list":
		return &ArgumentError{Field: "expect", Message: "goes with open, close and activate: listing changes nothing"}
	case r.Change == "close" && (e.Reads() || e.Download):
		return &ArgumentError{Field: "expect", Message: "of close is dialog only: a closed tab shows nothing"}
	case r.Change == "open" && (e.ofNode() || e.TextGone != ""):
		return &ArgumentError{Field: "expect", Message: "of open is no ref, state, value or text_gone: a new tab has held nothing yet"}
	}
	return e.namesNode("a tab is no node")
}
