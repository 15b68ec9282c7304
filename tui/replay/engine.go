package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
	"cuatui/tui/pane"
)

// Engine answers calls as a case says they were answered: each as it was asked
// then, in whatever session, and the same call again with the answer after that,
// the last one for good. What was not asked then is a bad argument: nothing is
// looked at or done. It is safe for concurrent use.
type Engine struct {
	entries []pane.Call

	mu      sync.Mutex
	session string // of the one who asks now
	answers map[string][]given
}

// New reads the calls of a case. The error says which is not what it should be.
func New(c *snapshotfmt.Case) (*Engine, error) {
	e := &Engine{answers: map[string][]given{}}
	session := sessionOf(c)
	for i := range c.Calls {
		entry, g, callable, err := read(&c.Calls[i])
		if err != nil {
			return nil, fmt.Errorf("call %d, %s: %w", i+1, snapshotfmt.Quote(short(c.Calls[i].Tool)), err)
		}
		e.entries = append(e.entries, entry)
		if !callable {
			continue
		}
		key, err := keyOf(entry.Tool, entry.Request, session)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i+1, err)
		}
		e.answers[key] = append(e.answers[key], g)
	}
	return e, nil
}

// sessionOf is the session that a case is of: the shortest name in it, since one
// beside it has a longer one.
func sessionOf(c *snapshotfmt.Case) (name string) {
	for i := range c.Calls {
		var q struct {
			Session string `json:"session"`
		}
		if json.Unmarshal(c.Calls[i].Request, &q) == nil && q.Session != "" && (name == "" || len(q.Session) < len(name)) {
			name = q.Session
		}
	}
	return name
}

// Entries are the calls of the case, for a journal.
func (e *Engine) Entries() []pane.Call { return e.entries }

// Bound is the window that was bound last, and whether there is one.
func (e *Engine) Bound() (pid int, window uint64, ok bool) {
	for _, c := range e.entries {
		r, binds := c.Request.(contract.StateRequest)
		if res, answered := c.Answer.(*contract.StateResult); binds && answered && r.PID != 0 && res.TargetID != "" {
			pid, window, ok = r.PID, r.WindowID, true
		}
	}
	return pid, window, ok
}

// keyOf names a call without the session that makes it, but for whether it is one
// beside it, as the lab's.
func keyOf(tool string, request any, session string) (string, error) {
	raw, err := json.Marshal(request)
	if err != nil {
		return "", err
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		return "", err
	}
	if name, ok := fields["session"].(string); ok {
		fields["session"] = strings.TrimPrefix(name, session)
	}
	raw, err = json.Marshal(fields) // in the order of their names
	return tool + " " + string(raw), err
}

// answer gives the next answer to a call.
func answer[R any](e *Engine, tool string, request any) (*R, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key, err := keyOf(tool, request, e.session)
	if err != nil {
		return nil, err
	}
	all := e.answers[key]
	if len(all) == 0 {
		return nil, absent("it holds no answer to this call of " + tool)
	}
	if len(all) > 1 {
		e.answers[key] = all[1:]
	}
	if all[0].err != nil {
		return nil, all[0].err
	}
	r, ok := all[0].result.(*R)
	if !ok {
		return nil, absent("its answer to " + tool + " is of another kind")
	}
	return r, nil
}

func absent(why string) error {
	return &contract.ArgumentError{Message: "this is a case file, and there is no browser: " + why}
}

// StartSession takes the name of the session that asks from here on.
func (e *Engine) StartSession(_ context.Context, r contract.StartSessionRequest) (*contract.StartSessionResult, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.session == "" {
		e.session = r.Session
	}
	return &contract.StartSessionResult{Status: contract.OK, Session: r.Session}, nil
}

// EndSession has nothing to release.
func (e *Engine) EndSession(_ context.Context, r contract.EndSessionRequest) (*contract.EndSessionResult, error) {
	return &contract.EndSessionResult{Status: contract.OK, Session: r.Session, Released: []string{}}, nil
}

// ListWindows gives the windows as they were listed, none where they were not.
func (e *Engine) ListWindows(_ context.Context, r contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
	res, err := answer[contract.ListWindowsResult](e, "list_windows", r)
	var none *contract.ArgumentError
	if errors.As(err, &none) {
		return &contract.ListWindowsResult{Status: contract.Partial, System: "a case file", Windows: []contract.NativeWindow{}, Notes: []string{"the windows were not listed when the case was saved"}}, nil
	}
	return res, err
}

// State gives a binding or a snapshot as it was.
func (e *Engine) State(_ context.Context, r contract.StateRequest) (*contract.StateResult, error) {
	return answer[contract.StateResult](e, "get_browser_state", r)
}

// Prepare gives a launch as it was: nothing is launched.
func (e *Engine) Prepare(_ context.Context, r contract.PrepareRequest) (*contract.PrepareResult, error) {
	return answer[contract.PrepareResult](e, "browser_prepare", r)
}

// Navigate gives what became of a navigation.
func (e *Engine) Navigate(_ context.Context, r contract.NavigateRequest) (*contract.NavigateResult, error) {
	return answer[contract.NavigateResult](e, "browser_navigate", r)
}

// Click gives what became of a click, and so do the others of an action.
func (e *Engine) Click(_ context.Context, r contract.ClickRequest) (*contract.ActionResult, error) {
	return answer[contract.ActionResult](e, "browser_click", r)
}

// Type gives what became of typing.
func (e *Engine) Type(_ context.Context, r contract.TypeRequest) (*contract.ActionResult, error) {
	return answer[contract.ActionResult](e, "browser_type", r)
}

// Select gives what became of choosing options.
func (e *Engine) Select(_ context.Context, r contract.SelectRequest) (*contract.ActionResult, error) {
	return answer[contract.ActionResult](e, "browser_select", r)
}

// Press gives what became of a key.
func (e *Engine) Press(_ context.Context, r contract.PressRequest) (*contract.ActionResult, error) {
	return answer[contract.ActionResult](e, "browser_press", r)
}

// Pointer gives what became of a gesture.
func (e *Engine) Pointer(_ context.Context, r contract.PointerRequest) (*contract.ActionResult, error) {
	return answer[contract.ActionResult](e, "browser_pointer", r)
}

// SetInputFiles gives what became of files.
func (e *Engine) SetInputFiles(_ context.Context, r contract.FilesRequest) (*contract.ActionResult, error) {
	return answer[contract.ActionResult](e, "browser_set_input_files", r)
}

// Dialog gives what a dialog was.
func (e *Engine) Dialog(_ context.Context, r contract.DialogRequest) (*contract.DialogResult, error) {
	return answer[contract.DialogResult](e, "browser_dialog", r)
}

// Wait gives what a wait came to.
func (e *Engine) Wait(_ context.Context, r contract.WaitRequest) (*contract.WaitResult, error) {
	return answer[contract.WaitResult](e, "browser_wait", r)
}

// Explain gives an explanation as it was.
func (e *Engine) Explain(_ context.Context, r contract.ExplainRequest) (*contract.ExplainResult, error) {
	return answer[contract.ExplainResult](e, "explain_browser_state", r)
}

// Screenshot has no image: a case keeps none.
func (e *Engine) Screenshot(context.Context, contract.ScreenshotRequest) (*contract.ScreenshotResult, error) {
	return nil, absent("it keeps no image")
}

// Lost waits until ctx ends: what is only shown is not lost.
func (e *Engine) Lost(ctx context.Context, _ contract.StateRequest) error {
	<-ctx.Done()
	return ctx.Err()
}

// Pick and what follows need a browser.
func (e *Engine) Pick(context.Context, contract.StateRequest) (*contract.ExplainResult, error) {
	return nil, absent("nothing can be pointed at")
}

// Highlight has nothing to mark.
func (e *Engine) Highlight(context.Context, contract.ExplainRequest) error {
	return absent("nothing can be marked")
}

// Grant has nothing to consent to.
func (e *Engine) Grant(context.Context, contract.GrantRequest) (*contract.GrantResult, error) {
	return nil, absent("nothing can be consented to")
}

// Revoke has nothing to withdraw.
func (e *Engine) Revoke(context.Context, contract.GrantRequest) (*contract.GrantResult, error) {
	return nil, absent("nothing can be withdrawn")
}
