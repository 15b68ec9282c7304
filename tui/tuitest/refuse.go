package tuitest

import (
	"context"
	"strings"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// refusedRead is what a snapshot request of the fake is refused with, nil if it
// is not.
func (e *Engine) refusedRead(r contract.StateRequest) error {
	again := map[string]any{"target_id": "bt-1", "tab_id": "tab-1"}
	switch {
	case len(e.Dialogs) > 0:
		d := e.Dialogs[0]
		return refusal.New(refusal.DialogOpen, "a page dialog (%s) is open: %q", d.Type, d.Text).
			WithNext("browser_dialog", map[string]any{"session": r.Session, "target_id": r.TargetID, "tab_id": r.TabID, "answer": "inspect"})
	case strings.HasSuffix(r.Session, "-lab"):
		return refusal.New(refusal.UnknownTarget, "this session has no such target").WithNext("list_windows", map[string]any{"session": r.Session})
	case r.TabID == "":
		return refusal.New(refusal.TabMissing, "the call names no tab").WithNext("get_browser_state", map[string]any{"pid": e.Windows[0].PID, "window_id": e.Windows[0].WindowID})
	case r.TabID == "tab-0":
		return refusal.New(refusal.TabUnknown, "the target has no such tab")
	case r.ScopeRef == "button1":
		return refusal.New(refusal.Malformed, "a ref has the form p<n>:<k>").WithNext("get_browser_state", again)
	case strings.HasPrefix(r.ScopeRef, "p999"):
		return refusal.New(refusal.Foreign, "this tab has handed out no such snapshot").WithNext("get_browser_state", again)
	case r.ScopeRef != "" && !strings.HasPrefix(r.ScopeRef, e.snapshotID()+":"):
		return refusal.New(refusal.Superseded, "a newer snapshot has replaced the one of this ref").
			WithDetail(refusal.Detail{Successor: e.snapshotID() + ":" + strings.SplitN(r.ScopeRef, ":", 2)[1]}).WithNext("get_browser_state", again)
	case r.Continuation != "" && e.continued:
		return refusal.New(refusal.Spent, "this continuation has been used").WithNext("get_browser_state", again)
	}
	return nil
}

// Select refuses: nothing in the inbox is a select, and no select has what the
// lab asks for.
func (e *Engine) Select(_ context.Context, r contract.SelectRequest) (*contract.ActionResult, error) {
	e.note("browser_select %s %q %q expect=%s", r.Ref, r.Labels, r.Values, expects(r.Expect))
	if strings.HasSuffix(r.Ref, ":32") {
		return nil, refusal.New(refusal.OptionNotFound, "the select has no such option")
	}
	return nil, refusal.New(refusal.NotDeclared, "the ref does not declare select").WithDetail(refusal.Detail{Declared: []string{}})
}

// Dialog looks at the open dialog, or answers it.
func (e *Engine) Dialog(_ context.Context, r contract.DialogRequest) (*contract.DialogResult, error) {
	if r.PromptText != "" {
		e.note("browser_dialog %s %s %q", r.Answer, r.DialogID, r.PromptText)
	} else {
		e.note("browser_dialog %s %s", r.Answer, r.DialogID)
	}
	res := &contract.DialogResult{Status: contract.OK, SideEffects: []string{}}
	open := len(e.Dialogs) > 0
	switch {
	case r.Answer == "inspect":
		if res.Present = open; open {
			res.Dialog = &e.Dialogs[0]
		}
		return res, nil
	case !open || e.Dialogs[0].ID != r.DialogID:
		return nil, refusal.New(refusal.NoDialog, "no such dialog is open").
			WithNext("browser_dialog", map[string]any{"session": r.Session, "target_id": r.TargetID, "tab_id": r.TabID, "answer": "inspect"})
	}
	e.Dialogs = e.Dialogs[1:]
	res.Effect, res.Verdict = refusal.EffectConfirmed, "not_asked"
	return res, nil
}
