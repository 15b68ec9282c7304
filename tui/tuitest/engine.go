// Package tuitest is what tests of the terminal UI stand on: a fake engine with
// believable answers, a driver that runs commands to their end, and checks of
// frames.
package tuitest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// Engine is a fake of the engine. The zero value has no windows; New returns
// one with an inbox. Every field that is set replaces the answer of its tool.
type Engine struct {
	Windows []contract.NativeWindow
	// Page makes the n-th snapshot (from 1) of a tab, segment by segment.
	Page func(n int, r contract.StateRequest) (*snapshotfmt.Semantic, error)

	// Dialogs are what the page asks; the first is open and holds up everything.
	Dialogs []contract.Dialog

	OnStart   func(context.Context, contract.StartSessionRequest) (*contract.StartSessionResult, error)
	OnList    func(context.Context, contract.ListWindowsRequest) (*contract.ListWindowsResult, error)
	OnState   func(context.Context, contract.StateRequest) (*contract.StateResult, error)
	OnClick   func(context.Context, contract.ClickRequest) (*contract.ActionResult, error)
	OnExplain func(context.Context, contract.ExplainRequest) (*contract.ExplainResult, error)
	OnWait    func(context.Context, contract.WaitRequest) (*contract.WaitResult, error)
	OnLost    func(context.Context, contract.StateRequest) error
	OnPick    func(context.Context, contract.StateRequest) (*contract.ExplainResult, error)
	OnMark    func(context.Context, contract.ExplainRequest) error
	OnShot    func(context.Context, contract.ScreenshotRequest) (*contract.ScreenshotResult, error)
	OnGrant   func(context.Context, contract.GrantRequest) (*contract.GrantResult, error)

	mu        sync.Mutex
	snapshots int
	continued bool // a continuation of the snapshot was spent
	calls     []string
	consents  map[uint64]*consent // by window
	bound     uint64              // the window bound last
}

// consent is a person's word on a window.
type consent struct {
	generation       int
	expired, revoked bool
}

// New returns an engine with an inbox in an isolated browser and a few windows
// that cannot be bound.
func New() *Engine { return &Engine{Windows: Windows(), Page: Inbox} }

// Calls returns what was asked, in order, one line a call.
func (e *Engine) Calls() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string{}, e.calls...)
}

func (e *Engine) note(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls = append(e.calls, fmt.Sprintf(format, args...))
}

// StartSession opens the session.
func (e *Engine) StartSession(ctx context.Context, r contract.StartSessionRequest) (*contract.StartSessionResult, error) {
	e.note("start_session")
	if e.OnStart != nil {
		return e.OnStart(ctx, r)
	}
	return &contract.StartSessionResult{Status: contract.OK, Session: r.Session}, nil
}

// EndSession ends it.
func (e *Engine) EndSession(_ context.Context, r contract.EndSessionRequest) (*contract.EndSessionResult, error) {
	e.note("end_session")
	return &contract.EndSessionResult{Status: contract.OK, Session: r.Session, Released: []string{}}, nil
}

// ListWindows lists the windows.
func (e *Engine) ListWindows(ctx context.Context, r contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
	e.note("list_windows all=%v", r.All)
	if e.OnList != nil {
		return e.OnList(ctx, r)
	}
	res := &contract.ListWindowsResult{Status: contract.OK, System: "linux/x11", Windows: []contract.NativeWindow{}}
	for _, w := range e.Windows {
		if personal(w) {
			if no := e.consent(w); no != nil {
				w.WouldBind.Code, w.WouldBind.Reason = no.Code, no.Reason
			} else {
				w.Access, w.Endpoint, w.WouldBind = "existing_profile_approved", "port", contract.WouldBind{Verdict: "exact"}
			}
		}
		res.Windows = append(res.Windows, w)
	}
	return res, nil
}

// Prepare launches a browser: the first window.
func (e *Engine) Prepare(_ context.Context, r contract.PrepareRequest) (*contract.PrepareResult, error) {
	e.note("browser_prepare %s %s", r.Profile, r.URL)
	if len(e.Windows) == 0 {
		return nil, refusal.New(refusal.DisplayUnavailable, "there is no display to launch a browser on")
	}
	w := e.Windows[0]
	return &contract.PrepareResult{Status: contract.OK, Action: "launched", PreparedPID: w.PID, WindowIDs: []uint64{w.WindowID}}, nil
}

// State binds or reads.
func (e *Engine) State(ctx context.Context, r contract.StateRequest) (*contract.StateResult, error) {
	switch {
	case r.PID != 0:
		e.note("bind %d %#x", r.PID, r.WindowID)
	case r.Continuation != "":
		e.note("continue %s", r.Continuation)
	default:
		e.note("snapshot query=%q scope=%q", r.Query, r.ScopeRef)
	}
	switch {
	case e.OnState != nil:
		return e.OnState(ctx, r)
	case r.PID != 0:
		return e.bind(r)
	}
	if err := e.refusedRead(r); err != nil {
		return nil, err
	}
	if r.Continuation == "" {
		e.mu.Lock()
		e.snapshots++
		e.mu.Unlock()
	}
	e.continued = r.Continuation != ""
	s, err := e.Page(e.snapshots, r)
	if err != nil {
		return nil, err
	}
	return &contract.StateResult{Status: contract.OK, Mode: "snapshot", TargetID: r.TargetID, TabID: r.TabID, Semantic: s}, nil
}

func (e *Engine) bind(r contract.StateRequest) (*contract.StateResult, error) {
	for _, w := range e.Windows {
		if w.PID != r.PID || w.WindowID != r.WindowID {
			continue
		}
		generation := 1
		switch {
		case personal(w):
			if no := e.consent(w); no != nil {
				return nil, no
			}
			generation = e.generation(w.WindowID)
			w.Access, w.Endpoint, w.WouldBind.Verdict = "existing_profile_approved", "dev_tools_active_port", "exact"
		case w.WouldBind.Verdict == "refused":
			return nil, Refused(w)
		}
		e.mu.Lock()
		e.bound = w.WindowID
		e.mu.Unlock()
		res := Bound(w)
		res.Generation = generation
		return res, nil
	}
	if r.PID == os.Getpid() {
		return nil, refusal.New(refusal.NotABrowser, "the process is no browser").WithNext("list_windows", map[string]any{"session": r.Session})
	}
	return nil, refusal.New(refusal.WindowGone, "window %#x of process %d is gone", r.WindowID, r.PID)
}

// Bound is the answer that w is bound.
func Bound(w contract.NativeWindow) *contract.StateResult {
	yes := true
	return &contract.StateResult{
		Status: contract.OK, Mode: "bind", TargetID: "bt-1", BindingQuality: w.WouldBind.Verdict, BindingRoute: "native_cdp_window",
		Transport: w.Endpoint, Access: w.Access, Generation: 1, MutationAllowed: &yes, NativeTitle: w.Title,
		Tabs: []contract.Tab{
			{TabID: "tab-1", Title: "Inbox (3)", URL: "https://mail.example/inbox", Active: &yes},
			{TabID: "tab-2", Title: "Settings", URL: "https://mail.example/settings"},
		},
		Proof: Proof(w),
	}
}

// snapshotID is the id of the latest snapshot.
func (e *Engine) snapshotID() string { return fmt.Sprintf("p%d", 41+e.snapshots) }

// Wait says that nothing changed.
func (e *Engine) Wait(ctx context.Context, r contract.WaitRequest) (*contract.WaitResult, error) {
	e.note("browser_wait quiet=%d timeout=%d", r.QuietMS, r.TimeoutMS)
	if e.OnWait != nil {
		return e.OnWait(ctx, r)
	}
	return &contract.WaitResult{Status: contract.OK, Verdict: "met", WaitedMS: r.QuietMS}, nil
}

// Lost says at once that nothing is watched: commands of tests run to their end.
func (e *Engine) Lost(ctx context.Context, r contract.StateRequest) error {
	if e.OnLost != nil {
		return e.OnLost(ctx, r)
	}
	return nil
}

// Pick chooses the button Reply at once.
func (e *Engine) Pick(ctx context.Context, r contract.StateRequest) (*contract.ExplainResult, error) {
	e.note("pick")
	if e.OnPick != nil {
		return e.OnPick(ctx, r)
	}
	return e.Explain(ctx, contract.ExplainRequest{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID, Ref: e.snapshotID() + ":22"})
}

// Highlight says at once that it stands: commands of tests run to their end.
func (e *Engine) Highlight(ctx context.Context, r contract.ExplainRequest) error {
	e.note("highlight %s", r.Ref)
	if e.OnMark != nil {
		return e.OnMark(ctx, r)
	}
	return nil
}

// Navigate goes to a url.
func (e *Engine) Navigate(_ context.Context, r contract.NavigateRequest) (*contract.NavigateResult, error) {
	e.note("browser_navigate %s", r.URL)
	return &contract.NavigateResult{Status: contract.OK, Effect: refusal.EffectConfirmed, URL: r.URL, HTTPStatus: 200, NewDocument: true, LoadState: "load", Invalidated: true, Proof: []refusal.Step{}}, nil
}

// Click clicks; dom_event is accepted, trusted is refused.
func (e *Engine) Click(ctx context.Context, r contract.ClickRequest) (*contract.ActionResult, error) {
	e.note("browser_click %s %s %s", r.Ref, r.Route, r.Delivery)
	switch {
	case e.OnClick != nil:
		return e.OnClick(ctx, r)
	case e.withdrawn():
		return nil, refusal.New(refusal.ByPerson, "the person has withdrawn consent")
	case r.Route == "trusted":
		return nil, Occluded(r)
	}
	return done(r.Route, r.Expect), nil
}

// Type types; the field takes ten characters at most.
func (e *Engine) Type(_ context.Context, r contract.TypeRequest) (*contract.ActionResult, error) {
	e.note("browser_type %s %s %q replace=%v submit=%v expect=%s", r.Ref, r.Mode, r.Text, r.Replace, r.Submit, expects(r.Expect))
	if strings.HasSuffix(r.Ref, ":22") {
		return nil, refusal.New(refusal.NotDeclared, "this ref declares no type").WithDetail(refusal.Detail{Declared: []string{"click"}})
	}
	res := done(r.Mode, r.Expect)
	asked := utf8.RuneCountInString(r.Text)
	took := min(asked, 10)
	res.Delivery.RequestedChars, res.Delivery.DeliveredChars = &asked, &took
	if took < asked {
		res.Status, res.Effect = contract.Partial, refusal.EffectPartial
	}
	return res, nil
}

// Press presses a key.
func (e *Engine) Press(_ context.Context, r contract.PressRequest) (*contract.ActionResult, error) {
	e.note("browser_press %s %s %q expect=%s", r.Ref, r.Key, r.Modifiers, expects(r.Expect))
	return done("key", r.Expect), nil
}

// Pointer makes a gesture.
func (e *Engine) Pointer(_ context.Context, r contract.PointerRequest) (*contract.ActionResult, error) {
	e.note("browser_pointer %s %s %s %s %g,%g to=%s expect=%s", r.Ref, r.Gesture, r.Route, r.Delivery, r.DeltaX, r.DeltaY, r.ToRef, expects(r.Expect))
	return done(cmp.Or(r.Route, "pointer_move"), r.Expect), nil
}

// SetInputFiles hands files over.
func (e *Engine) SetInputFiles(_ context.Context, r contract.FilesRequest) (*contract.ActionResult, error) {
	e.note("browser_set_input_files %s %q expect=%s", r.Ref, r.Files, expects(r.Expect))
	return done("files", r.Expect), nil
}

func expects(x *contract.Expect) string {
	if x == nil {
		return "none"
	}
	raw, _ := json.Marshal(x)
	return string(raw)
}

// done is an action that did what it should; a post-condition is not met.
func done(route string, expect *contract.Expect) *contract.ActionResult {
	verdict, unmet := "not_asked", ""
	if expect != nil {
		verdict, unmet = "unmet", "text: the page does not show it"
	}
	return &contract.ActionResult{
		Status: contract.OK, Effect: refusal.EffectConfirmed, Verdict: verdict, Unmet: unmet, Route: route,
		Delivery: contract.Delivery{Mode: "background"}, Settled: "a fact changed",
		Evidence:    []contract.Evidence{{Fact: "expanded", Before: "false", After: "true"}, {Fact: "mutations", Before: "12", After: "31"}},
		SideEffects: []string{}, RoundTrips: 5,
		Proof: []refusal.Step{
			{Step: "tab", Verdict: refusal.Pass, Got: "tab-1"},
			{Step: "document", Verdict: refusal.Pass, Want: "p42", Got: "p42"},
			{Step: "visible", Verdict: refusal.Pass},
			{Step: "hit", Verdict: refusal.Pass, Got: "the button itself"},
		},
	}
}
