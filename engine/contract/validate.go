package contract

import (
	"fmt"
	"math"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"cuatui/engine/limits"
	"cuatui/snapshotfmt"
)

// A rule bounds the argument of one name, in every request that has it. The
// input schemas and Validate are both made from it.
type rule struct {
	values           []string // the closed set, if there is one
	pattern          *regexp.Regexp
	patternSays      string
	minimum, maximum int // for numbers; 0 means no bound
	maxChars         int // for strings
	check            func(string) string
}

const (
	idCharsMax    = 128
	queryCharsMax = 1000
	urlCharsMax   = 32 << 10
	// outputBudgetMin is what the head of a snapshot and one entry need, in
	// estimated tokens; less could only be answered with nothing.
	outputBudgetMin = 200
	outputBudgetMax = 200_000
)

var namePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

var rules = map[string]rule{
	"session":         {pattern: namePattern, patternSays: "must be 1 to 64 of A-Z a-z 0-9 _ -", check: notDefault},
	"name":            {pattern: namePattern, patternSays: "must be 1 to 64 of A-Z a-z 0-9 _ -"},
	"pid":             {minimum: 1},
	"window_id":       {minimum: 1},
	"target_id":       {maxChars: idCharsMax},
	"tab_id":          {maxChars: idCharsMax},
	"capture_id":      {maxChars: idCharsMax},
	"ref":             {maxChars: idCharsMax},
	"scope_ref":       {maxChars: idCharsMax},
	"continuation":    {maxChars: idCharsMax},
	"diff_from":       {maxChars: idCharsMax},
	"query":           {maxChars: queryCharsMax},
	"snapshot_format": {values: formatNames()},
	"node_budget":     {minimum: 1, maximum: limits.NodeBudgetMax},
	"output_budget":   {minimum: outputBudgetMin, maximum: outputBudgetMax},
	"meaning":         {values: []string{"computed", "accessibility"}},
	"collector":       {values: []string{"survey", "protocol"}},
	"profile":         {values: []string{"isolated_new", "isolated_named"}},
	"url":             {maxChars: urlCharsMax, check: checkURL},
	"action":          {values: []string{"url", "back", "forward", "reload"}},
	"wait_until":      {values: []string{"commit", "domcontentloaded", "load"}},
	"route":           {values: []string{"trusted_key", "dom_event", "trusted"}},
	"text":            {maxChars: 200_000},
	"text_gone":       {maxChars: queryCharsMax},
	"url_part":        {maxChars: queryCharsMax},
	"ref_gone":        {maxChars: idCharsMax},
	"quiet_ms":        {minimum: 1, maximum: 60_000},
	"timeout_ms":      {minimum: 1, maximum: 60_000},
	"mode":            {values: []string{"insert_text", "keystrokes"}},
	"gesture":         {values: []string{"hover", "right_click", "double_click", "scroll", "drag"}},
	"answer":          {values: []string{"inspect", "accept", "dismiss"}},
	"change":          {values: []string{"list", "open", "close", "activate"}},
	"dialog_id":       {maxChars: idCharsMax},
	"prompt_text":     {maxChars: queryCharsMax},
	"reason":          {maxChars: idCharsMax, check: checkReason},
	"after":           {maxChars: idCharsMax},
	"to_ref":          {maxChars: idCharsMax},
	"root":            {check: checkPath},
	"file_name":       {check: checkFileName},
	"max_bytes":       {minimum: 1},
	"state":           {values: []string{"gone", "checked", "unchecked", "pressed", "unpressed", "expanded", "collapsed", "selected", "unselected", "disabled", "enabled", "focused", "empty"}},
	"value":           {maxChars: 200_000},
	"dialog":          {values: []string{"alert", "confirm", "prompt", "beforeunload"}},
	"delivery_mode":   {values: []string{"background", "foreground"}},
}

// Formats are those of a snapshot, the default first, and what each is for.
var Formats = []struct{ Name, For string }{
	{snapshotfmt.SemanticV2, "for acting: what is in view first, each node with ref, role, name and actions, and counts of what is left out"},
	{snapshotfmt.DomRefsV1, "for clients that know no other, deprecated: the same nodes as a flat list in document order"},
	{snapshotfmt.AxUIDV1, "for clients that act by uid: the accessibility tree as text, with uids that stay while their nodes do"},
}

func formatNames() []string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}
	return names
}

// checkReason admits an omission reason, alone or with a cause of it.
func checkReason(s string) string {
	if reason, _, _ := strings.Cut(s, "/"); !slices.Contains(snapshotfmt.OmitReasons, snapshotfmt.OmitReason(reason)) {
		reasons := make([]string, len(snapshotfmt.OmitReasons))
		for i, r := range snapshotfmt.OmitReasons {
			reasons[i] = string(r)
		}
		return "must be one of " + strings.Join(reasons, ", ") + ", alone or as reason/cause"
	}
	return ""
}

func notDefault(s string) string {
	if s == "default" {
		return `must not be "default"`
	}
	return ""
}

// checkURL admits what a page can be loaded from without reaching into the
// browser or the disk. Of about: only about:blank, because the browser rewrites
// the others to pages of its own.
func checkURL(s string) string {
	const says = "must be an http or https URL with a host, or about:blank"
	u, err := url.Parse(s)
	if err != nil {
		return says
	}
	switch u.Scheme {
	case "http", "https":
		if u.Hostname() != "" {
			return ""
		}
	case "about":
		if u.Opaque == "blank" {
			return ""
		}
	}
	return says
}

// broken returns what is wrong with the value, "" for nothing.
func (r rule) broken(v reflect.Value) string {
	switch {
	case v.CanInt():
		return r.outside(float64(v.Int()))
	case v.CanUint():
		return r.outside(float64(v.Uint()))
	case v.Kind() == reflect.String:
		return r.brokenString(v.String())
	}
	return ""
}

func (r rule) outside(n float64) string {
	switch {
	case r.minimum != 0 && n < float64(r.minimum):
		return fmt.Sprintf("must be at least %d", r.minimum)
	case r.maximum != 0 && n > float64(r.maximum):
		return fmt.Sprintf("must be at most %d", r.maximum)
	}
	return ""
}

func (r rule) brokenString(s string) string {
	switch {
	case !utf8.ValidString(s): // it would not arrive as it is
		return "must be valid UTF-8"
	case len(r.values) == 1 && s != r.values[0]:
		return "must be " + r.values[0]
	case r.values != nil && !slices.Contains(r.values, s):
		return "must be one of " + strings.Join(r.values, ", ")
	case r.pattern != nil && !r.pattern.MatchString(s):
		return r.patternSays
	case r.maxChars != 0 && utf8.RuneCountInString(s) > r.maxChars:
		return fmt.Sprintf("must be at most %d characters", r.maxChars)
	case r.check != nil:
		return r.check(s)
	}
	return ""
}

// validateFields checks every field of a request against its rule. A required
// string must not be empty; an optional field that is zero is left out.
func validateFields(request any) error {
	v := reflect.ValueOf(request).Elem()
	for _, f := range jsonFields(v.Type()) {
		value := v.FieldByIndex(f.index)
		if value.IsZero() {
			if f.required && value.Kind() == reflect.String {
				return &ArgumentError{Field: f.name, Message: "is required"}
			}
			continue
		}
		if inner, ok := value.Interface().(interface{ Validate() error }); ok {
			if err := inner.Validate(); err != nil {
				return err
			}
			continue
		}
		if message := rules[f.name].broken(value); message != "" {
			return &ArgumentError{Field: f.name, Message: message}
		}
	}
	return nil
}

// Validate checks the request by itself. The error is an *ArgumentError.
func (r *StartSessionRequest) Validate() error { return validateFields(r) }

// Validate checks the request by itself. The error is an *ArgumentError.
func (r *EndSessionRequest) Validate() error { return validateFields(r) }

// Validate checks the request by itself. The error is an *ArgumentError.
func (r *ListWindowsRequest) Validate() error { return validateFields(r) }

// Validate checks the request by itself. The error is an *ArgumentError.
func (r *GrantRequest) Validate() error {
	if r.PID <= 0 {
		return &ArgumentError{Field: "pid", Message: "must be a process id"}
	}
	if r.WindowID == 0 {
		return &ArgumentError{Field: "window_id", Message: "must be a window id"}
	}
	return (&EndSessionRequest{Session: r.Session}).Validate()
}

// Validate checks that exactly one question is asked. The error is an
// *ArgumentError.
func (r *ExplainRequest) Validate() error {
	asked := 0
	for _, given := range []bool{r.Ref != "", len(r.Point) > 0, r.Text != "", r.Reason != ""} {
		if given {
			asked++
		}
	}
	if asked != 1 {
		return &ArgumentError{Field: "ref", Message: "give exactly one of ref, point, text and reason"}
	}
	const far = 1e6 // CSS px; no viewport is larger
	if len(r.Point) != 0 && (len(r.Point) != 2 || !(math.Abs(r.Point[0]) < far && math.Abs(r.Point[1]) < far)) {
		return &ArgumentError{Field: "point", Message: "must be x and y, in CSS px of the viewport"}
	}
	if r.After != "" && (r.Ref != "" || len(r.Point) > 0) {
		return &ArgumentError{Field: "after", Message: "goes with text or reason only"}
	}
	return validateFields(r)
}

// Binds says whether the request binds a window; otherwise it takes a snapshot.
func (r *StateRequest) Binds() bool { return r.PID != 0 || r.WindowID != 0 }

// Validate checks that the request either binds or takes a snapshot, and that
// a continuation stands alone. A snapshot without a tab is not a bad request:
// the engine refuses it with the tabs to choose from.
// The error is an *ArgumentError.
func (r *StateRequest) Validate() error {
	if err := validateFields(r); err != nil {
		return err
	}
	if r.Binds() {
		return r.validateBind()
	}
	switch {
	case r.TargetID == "" && r.TabID == "":
		return &ArgumentError{Field: "pid", Message: "give pid and window_id to bind, or target_id and tab_id for a snapshot"}
	case r.TargetID == "":
		return &ArgumentError{Field: "target_id", Message: "is required with tab_id"}
	case r.Continuation != "":
		return r.validateContinuation()
	case r.DiffFrom != "" && r.Format != "" && r.Format != snapshotfmt.SemanticV2:
		return &ArgumentError{Field: "diff_from", Message: "goes with " + snapshotfmt.SemanticV2 + " only"}
	case r.Collector == "protocol" && (r.Query != "" || r.ScopeRef != ""):
		return &ArgumentError{Field: "collector", Message: "protocol reads the whole page: it goes with no query and no scope_ref"}
	case r.Collector == "protocol" && r.Meaning == "computed":
		return &ArgumentError{Field: "collector", Message: "protocol takes its meaning from accessibility: it does not go with computed"}
	}
	return nil
}

// validateContinuation refuses what a continuation keeps as it began.
func (r *StateRequest) validateContinuation() error {
	switch {
	case r.Query != "":
		return &ArgumentError{Field: "query", Message: "does not go with a continuation, which keeps the query it began with"}
	case r.DiffFrom != "":
		return &ArgumentError{Field: "diff_from", Message: "does not go with a continuation, which is of one snapshot"}
	case r.Collector != "":
		return &ArgumentError{Field: "collector", Message: "does not go with a continuation, which keeps the collector it began with"}
	case r.ScopeRef != "":
		return &ArgumentError{Field: "scope_ref", Message: "does not go with a continuation, which keeps the scope it began with"}
	}
	return nil
}

func (r *StateRequest) validateBind() error {
	if r.PID == 0 {
		return &ArgumentError{Field: "pid", Message: "is required with window_id"}
	}
	if r.WindowID == 0 {
		return &ArgumentError{Field: "window_id", Message: "is required with pid"}
	}
	only := *r
	only.Session, only.PID, only.WindowID = "", 0, 0
	v := reflect.ValueOf(only)
	for _, f := range jsonFields(v.Type()) {
		if !v.FieldByIndex(f.index).IsZero() {
			return &ArgumentError{Field: f.name, Message: "belongs to a snapshot and does not go with pid and window_id"}
		}
	}
	return nil
}

// Validate checks the request by itself. The error is an *ArgumentError.
func (r *PrepareRequest) Validate() error {
	if err := validateFields(r); err != nil {
		return err
	}
	switch {
	case !r.AllowLaunch:
		return &ArgumentError{Field: "allow_launch", Message: "must be true, because this call starts a browser"}
	case r.Profile == "isolated_named" && r.Name == "":
		return &ArgumentError{Field: "name", Message: "is required with profile isolated_named"}
	case r.Profile != "isolated_named" && r.Name != "":
		return &ArgumentError{Field: "name", Message: "goes only with profile isolated_named"}
	}
	return nil
}

// Validate checks the request by itself. The error is an *ArgumentError.
func (r *NavigateRequest) Validate() error {
	if err := validateFields(r); err != nil {
		return err
	}
	if err := r.Expect.namesNode("a navigation acts on no node"); err != nil {
		return err
	}
	byURL := r.Action == "" || r.Action == "url"
	switch {
	case byURL && r.URL == "":
		return &ArgumentError{Field: "url", Message: "is required unless action is back, forward or reload"}
	case !byURL && r.URL != "":
		return &ArgumentError{Field: "url", Message: "does not go with action " + r.Action}
	}
	return nil
}

// Validate checks that the request names a node, or a point of an image, which
// only a pointer clicks. The error is an *ArgumentError.
func (r *ClickRequest) Validate() error {
	switch {
	case r.Ref == "" && r.CaptureID == "":
		return &ArgumentError{Field: "ref", Message: "is required, or capture_id with point"}
	case r.Ref != "" && (r.CaptureID != "" || len(r.Point) > 0):
		return &ArgumentError{Field: "ref", Message: "does not go with capture_id and point"}
	case r.CaptureID != "" && !(len(r.Point) == 2 && r.Point[0] >= 0 && r.Point[1] >= 0 && r.Point[0] < math.MaxInt32 && r.Point[1] < math.MaxInt32):
		return &ArgumentError{Field: "point", Message: "must be x and y in px of the image that capture_id is of"}
	case r.CaptureID != "" && r.Route != "trusted":
		return &ArgumentError{Field: "route", Message: "must be trusted: a point of an image is clicked by the pointer only"}
	}
	return validateFields(r)
}
