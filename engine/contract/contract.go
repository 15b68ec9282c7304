// Package contract holds every request and result of the engine's tools, in
// one place. The JSON schemas, the tool list and the docs are generated from
// it; both faces and every engine package speak these types.
package contract

import (
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// Status is how a call ended.
type Status string

// The statuses of a result. A refusal is not an error; bad arguments are.
const (
	OK      Status = "ok"
	Partial Status = "partial"
	Refused Status = "refused"
)

// RefusedResult is what a refused call answers.
type RefusedResult struct {
	Status  Status           `json:"status"`
	Refusal *refusal.Refusal `json:"refusal"`
}

// StartSessionRequest opens a named capability namespace.
type StartSessionRequest struct {
	Session string `json:"session" jsonschema:"name of the session, 1-64 of A-Z a-z 0-9 _ -; not \"default\""`
}

// StartSessionResult answers StartSessionRequest.
type StartSessionResult struct {
	Status  Status `json:"status"`
	Session string `json:"session"`
}

// EndSessionRequest ends a session and releases everything it owns.
type EndSessionRequest struct {
	Session string `json:"session" jsonschema:"name of the session"`
}

// EndSessionResult says what was released.
type EndSessionResult struct {
	Status   Status   `json:"status"`
	Session  string   `json:"session"`
	Released []string `json:"released" jsonschema:"what the session owned and released: browsers, profiles, targets"`
}

// ListWindowsRequest asks for the native windows.
type ListWindowsRequest struct {
	Session string `json:"session" jsonschema:"name of the session"`
	// All lists windows of programs that are no browser, too.
	All bool `json:"all,omitempty" jsonschema:"include windows that belong to no browser"`
}

// WouldBind is what binding would say of a window, without binding it.
type WouldBind struct {
	Verdict string         `json:"verdict" jsonschema:"exact, heuristic or refused"`
	Code    refusal.Code   `json:"code,omitempty"`
	Reason  refusal.Reason `json:"reason,omitempty"`
}

// NativeWindow is one native top-level window.
type NativeWindow struct {
	PID      int        `json:"pid"`
	WindowID uint64     `json:"window_id"`
	Title    string     `json:"title"`
	Product  string     `json:"product,omitempty" jsonschema:"browser product, where the owner is a browser"`
	Box      [4]float64 `json:"box" jsonschema:"x, y, width, height in DIP"`
	Active   bool       `json:"active,omitempty"`
	Endpoint string     `json:"endpoint" jsonschema:"how the engine could reach it: pipe, port or none; not_asked where that needs the person's consent"`
	Access   string     `json:"access,omitempty" jsonschema:"driver_owned, embedded_application, external_consumer_browser, or existing_profile_approved under the person's consent"`
	// Run names this run of the process to Grant. It says nothing by itself.
	Run       string    `json:"run,omitempty" jsonschema:"of a person's browser: names this run of the process, which consent is given to"`
	WouldBind WouldBind `json:"would_bind"`
}

// ListWindowsResult answers ListWindowsRequest.
type ListWindowsResult struct {
	Status  Status         `json:"status"`
	System  string         `json:"system" jsonschema:"operating and window system"`
	Windows []NativeWindow `json:"windows"`
	Notes   []string       `json:"notes,omitempty" jsonschema:"what could not be seen, and why"`
}

// StateRequest binds a native window (pid and window_id) or takes a snapshot of
// a bound tab (target_id and tab_id).
type StateRequest struct {
	Session      string `json:"session" jsonschema:"name of the session"`
	PID          int    `json:"pid,omitempty" jsonschema:"bind: process id of the native window"`
	WindowID     uint64 `json:"window_id,omitempty" jsonschema:"bind: id of the native window"`
	TargetID     string `json:"target_id,omitempty" jsonschema:"snapshot: bt- id from binding"`
	TabID        string `json:"tab_id,omitempty" jsonschema:"snapshot: tab- id from binding"`
	Format       string `json:"snapshot_format,omitempty" jsonschema:"default semantic_v2"`
	Query        string `json:"query,omitempty" jsonschema:"only nodes whose role, name, value or text contains this"`
	ScopeRef     string `json:"scope_ref,omitempty" jsonschema:"only the subtree of this ref"`
	Continuation string `json:"continuation,omitempty" jsonschema:"bc- id of the next segment; single use"`
	DiffFrom     string `json:"diff_from,omitempty" jsonschema:"p<n> of an earlier snapshot of this tab: also say what differs from what it listed"`
	NodeBudget   int    `json:"node_budget,omitempty" jsonschema:"entries in the segment, default 300"`
	OutputBudget int    `json:"output_budget,omitempty" jsonschema:"estimated tokens of the segment, default 16000"`
	Meaning      string `json:"meaning,omitempty" jsonschema:"computed or accessibility; default: the engine decides"`
	Collector    string `json:"collector,omitempty" jsonschema:"survey (default) or protocol: from whole trees, slow, to hold the survey against"`
}

// Tab is one tab of a bound browser window.
type Tab struct {
	TabID  string `json:"tab_id"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Active *bool  `json:"active" jsonschema:"null where the page cannot say"`
}

// StateResult answers StateRequest: the bind fields or the snapshot fields are
// set, as mode says. Its JSON has the snapshot in the format asked for.
type StateResult struct {
	Status Status `json:"status"`
	Mode   string `json:"mode" jsonschema:"bind or snapshot"`

	TargetID        string         `json:"target_id"`
	BindingQuality  string         `json:"binding_quality,omitempty" jsonschema:"exact or heuristic"`
	BindingRoute    string         `json:"binding_route,omitempty" jsonschema:"native_cdp_window, cardinality or embedded_single_page"`
	Transport       string         `json:"endpoint_transport,omitempty"`
	Access          string         `json:"endpoint_access_class,omitempty"`
	Generation      int            `json:"generation,omitempty" jsonschema:"connection generation, from 1"`
	MutationAllowed *bool          `json:"mutation_allowed,omitempty"`
	NativeTitle     string         `json:"native_title,omitempty"`
	Tabs            []Tab          `json:"tabs,omitempty"`
	Proof           []refusal.Step `json:"proof,omitempty"`

	TabID string `json:"tab_id,omitempty"`
	*snapshotfmt.Semantic
}

// PrepareRequest sets a browser up. It is the only tool that starts one.
type PrepareRequest struct {
	Session     string `json:"session" jsonschema:"name of the session"`
	Profile     string `json:"profile" jsonschema:"isolated_new or isolated_named"`
	Name        string `json:"name,omitempty" jsonschema:"isolated_named: 1-64 of A-Z a-z 0-9 _ -"`
	AllowLaunch bool   `json:"allow_launch" jsonschema:"must be true: the caller agrees that a browser is started"`
	ExposePort  bool   `json:"expose_port,omitempty" jsonschema:"also listen on a loopback port, for other tools"`
	URL         string `json:"url,omitempty" jsonschema:"http, https or about: the first page"`
}

// PrepareResult answers PrepareRequest.
type PrepareResult struct {
	Status      Status      `json:"status"`
	Action      string      `json:"action" jsonschema:"launched or already_prepared"`
	PreparedPID int         `json:"prepared_pid" jsonschema:"give it to get_browser_state as pid"`
	WindowIDs   []uint64    `json:"window_ids" jsonschema:"give one of them to get_browser_state as window_id"`
	SideEffects SideEffects `json:"side_effects"`
}

// SideEffects lists what a launch did to the machine, so that nothing is
// hidden from the person whose machine it is.
type SideEffects struct {
	ProcessStarted bool   `json:"process_started"`
	Product        string `json:"product,omitempty"`
	ProfileCreated bool   `json:"profile_created"`
	ProfileKept    bool   `json:"profile_kept" jsonschema:"true for isolated_named: it outlives the session"`
	NoSandbox      bool   `json:"no_sandbox,omitempty" jsonschema:"the browser runs without its sandbox"`
	WindowSystem   string `json:"window_system,omitempty" jsonschema:"what shows its windows: x11 or wayland"`
	PrivateDisplay bool   `json:"private_display,omitempty" jsonschema:"a private Xvfb was started, because there is no display"`
	PortExposed    int    `json:"port_exposed,omitempty"`
	Swept          int    `json:"swept,omitempty" jsonschema:"profiles of crashed runs that were removed"`
}

// NavigateRequest moves a tab.
type NavigateRequest struct {
	Session   string  `json:"session" jsonschema:"name of the session"`
	TargetID  string  `json:"target_id" jsonschema:"bt- id from binding"`
	TabID     string  `json:"tab_id,omitempty" jsonschema:"tab- id from binding; without it the call is refused"`
	Action    string  `json:"action,omitempty" jsonschema:"url, back, forward or reload; default url"`
	URL       string  `json:"url,omitempty" jsonschema:"http, https or about"`
	WaitUntil string  `json:"wait_until,omitempty" jsonschema:"commit, domcontentloaded or load; default load"`
	Expect    *Expect `json:"expect,omitempty" jsonschema:"post-conditions: what must hold afterwards, and is read before too"`
}

// NavigateResult answers NavigateRequest.
type NavigateResult struct {
	Status      Status         `json:"status"`
	Effect      refusal.Effect `json:"effect"`
	URL         string         `json:"url" jsonschema:"where the tab is now"`
	HTTPStatus  int            `json:"http_status,omitempty"`
	ErrorText   string         `json:"error_text,omitempty" jsonschema:"the browser's own word for a failed load"`
	NewDocument bool           `json:"new_document" jsonschema:"false for a move within the document"`
	LoadState   string         `json:"load_state" jsonschema:"how far the load came in time"`
	Invalidated bool           `json:"invalidated" jsonschema:"whether the tab's refs are void"`
	Dialog      *Dialog        `json:"dialog,omitempty" jsonschema:"a page dialog that holds the navigation up"`
	SideEffects []string       `json:"side_effects"`
	Verdict     string         `json:"verdict" jsonschema:"of post-conditions: met, unmet, already_true (they held before, or may have) or not_asked"`
	Unmet       string         `json:"unmet,omitempty" jsonschema:"the first post-condition that does not hold, and why where that is not known"`
	Evidence    []Evidence     `json:"evidence" jsonschema:"each post-condition before and after"`
	Proof       []refusal.Step `json:"proof"`
}

// ClickRequest clicks a ref.
type ClickRequest struct {
	Session  string `json:"session" jsonschema:"name of the session"`
	TargetID string `json:"target_id" jsonschema:"bt- id from binding"`
	TabID    string `json:"tab_id,omitempty" jsonschema:"tab- id from binding; without it the call is refused"`
	Ref      string `json:"ref,omitempty" jsonschema:"p<n>:<k> or uid from the current snapshot"`
	// CaptureID and Point stand for Ref: a place in a visual region that only a
	// picture tells.
	CaptureID string    `json:"capture_id,omitempty" jsonschema:"instead of ref: of a browser_screenshot of a v ref; works once"`
	Point     []float64 `json:"point,omitempty" jsonschema:"with capture_id: x, y in px of that image; route trusted"`
	Route     string    `json:"route" jsonschema:"trusted_key, dom_event or trusted; never exchanged silently"`
	Delivery  string    `json:"delivery_mode,omitempty" jsonschema:"background (default) or foreground; trusted needs foreground where it would raise the window"`
	Expect    *Expect   `json:"expect,omitempty" jsonschema:"post-conditions: what must hold afterwards, and is read before too"`
}

// Evidence is one fact read before and after a mutation.
type Evidence struct {
	Fact   string `json:"fact"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// ActionResult answers every action.
type ActionResult struct {
	Status      Status         `json:"status"`
	Effect      refusal.Effect `json:"effect"`
	Verdict     string         `json:"verdict" jsonschema:"of post-conditions: met, unmet, already_true (they held before the action, or may have) or not_asked"`
	Unmet       string         `json:"unmet,omitempty" jsonschema:"the first post-condition that does not hold, and why where that is not known"`
	Route       string         `json:"route"`
	Delivery    Delivery       `json:"delivery"`
	Evidence    []Evidence     `json:"evidence"`
	Settled     string         `json:"settled" jsonschema:"why the wait for an effect ended"`
	WatchedMS   int            `json:"watched_ms,omitempty" jsonschema:"for how long after the delivery the effect was watched, ms; what the page does later is not known"`
	SideEffects []string       `json:"side_effects"`
	Invalidated bool           `json:"invalidated" jsonschema:"whether the tab's refs are void"`
	Navigation  string         `json:"navigation,omitempty" jsonschema:"url of a navigation that the action started"`
	Dialog      *Dialog        `json:"dialog,omitempty" jsonschema:"a page dialog that the action opened"`
	Proof       []refusal.Step `json:"proof"`
	RoundTrips  int            `json:"round_trips" jsonschema:"sequential protocol round trips up to delivery"`
}

// Delivery says how an action was delivered.
type Delivery struct {
	Mode           string `json:"mode" jsonschema:"background or foreground"`
	RequestedChars *int   `json:"requested_chars,omitempty" jsonschema:"characters that were to be typed"`
	DeliveredChars *int   `json:"delivered_chars,omitempty" jsonschema:"characters that the field took, as read back"`
}

// Dialog is a page-owned dialog.
type Dialog struct {
	ID   string `json:"dialog_id" jsonschema:"names this dialog when it is answered"`
	Type string `json:"type" jsonschema:"alert, confirm, prompt or beforeunload"`
	Text string `json:"text"`
}

// GrantRequest says which window a person's consent is about. It is no tool's
// request: only a face that has asked a person makes it.
type GrantRequest struct {
	Session  string `json:"session"`
	PID      int    `json:"pid"`
	WindowID uint64 `json:"window_id"`
	// Run is NativeWindow.Run as the person was shown the window; consent may
	// not pass to another process that has the same pid by now. Withdrawing
	// needs none: it is withdrawn from every run.
	Run string `json:"run,omitempty"`
}

// GrantResult says how long the consent lasts.
type GrantResult struct {
	Status      Status `json:"status"`
	Generation  int    `json:"generation,omitempty"`
	IdleMinutes int    `json:"idle_minutes,omitempty"`
	Hours       int    `json:"hours,omitempty"`
}
