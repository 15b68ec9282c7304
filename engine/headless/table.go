package headless

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// Engine is what a face needs of the engine: one method a tool. An error is a
// *refusal.Refusal where the engine looked and declined, and anything else
// where the call itself failed.
type Engine interface {
	StartSession(context.Context, contract.StartSessionRequest) (*contract.StartSessionResult, error)
	EndSession(context.Context, contract.EndSessionRequest) (*contract.EndSessionResult, error)
	ListWindows(context.Context, contract.ListWindowsRequest) (*contract.ListWindowsResult, error)
	State(context.Context, contract.StateRequest) (*contract.StateResult, error)
	Prepare(context.Context, contract.PrepareRequest) (*contract.PrepareResult, error)
	Navigate(context.Context, contract.NavigateRequest) (*contract.NavigateResult, error)
	Click(context.Context, contract.ClickRequest) (*contract.ActionResult, error)
	Type(context.Context, contract.TypeRequest) (*contract.ActionResult, error)
	Select(context.Context, contract.SelectRequest) (*contract.ActionResult, error)
	Press(context.Context, contract.PressRequest) (*contract.ActionResult, error)
	Pointer(context.Context, contract.PointerRequest) (*contract.ActionResult, error)
	SetInputFiles(context.Context, contract.FilesRequest) (*contract.ActionResult, error)
	Download(context.Context, contract.DownloadRequest) (*contract.DownloadResult, error)
	Dialog(context.Context, contract.DialogRequest) (*contract.DialogResult, error)
	Screenshot(context.Context, contract.ScreenshotRequest) (*contract.ScreenshotResult, error)
	Wait(context.Context, contract.WaitRequest) (*contract.WaitResult, error)
	Tabs(context.Context, contract.TabsRequest) (*contract.TabsResult, error)
	Explain(context.Context, contract.ExplainRequest) (*contract.ExplainResult, error)
}

// calls maps each tool of contract.Tools to its method. It is the only place
// where names meet methods.
var calls = map[string]caller{
	"start_session":           typed(Engine.StartSession),
	"end_session":             typed(Engine.EndSession),
	"list_windows":            typed(Engine.ListWindows),
	"get_browser_state":       typed(Engine.State),
	"explain_browser_state":   typed(Engine.Explain),
	"browser_prepare":         typed(Engine.Prepare),
	"browser_navigate":        typed(Engine.Navigate),
	"browser_click":           typed(Engine.Click),
	"browser_type":            typed(Engine.Type),
	"browser_select":          typed(Engine.Select),
	"browser_press":           typed(Engine.Press),
	"browser_pointer":         typed(Engine.Pointer),
	"browser_set_input_files": typed(Engine.SetInputFiles),
	"browser_download":        typed(Engine.Download),
	"browser_dialog":          typed(Engine.Dialog),
	"browser_screenshot":      typed(Engine.Screenshot),
	"browser_wait":            typed(Engine.Wait),
	"browser_tabs":            typed(Engine.Tabs),
}

type caller func(ctx context.Context, eng Engine, arguments []byte) (any, error)

// typed makes a caller of a method: decode, validate, call.
func typed[Request, Result any, P interface {
	*Request
	Validate() error
}](method func(Engine, context.Context, Request) (*Result, error)) caller {
	return func(ctx context.Context, eng Engine, arguments []byte) (any, error) {
		request, err := contract.Decode[Request](arguments)
		if err != nil {
			return nil, err
		}
		if err := P(request).Validate(); err != nil {
			return nil, err
		}
		result, err := method(eng, ctx, *request)
		if err != nil {
			return nil, err
		}
		if result == nil {
			return nil, fmt.Errorf("%T was answered with neither a result nor an error", *request)
		}
		return result, nil
	}
}

// Answer is how a call ended; exactly one field is set.
type Answer struct {
	Result  any // a pointer to a result of package contract
	Refusal *contract.RefusedResult
	Err     *contract.CallError
}

// Value is what the caller gets as a result: success or refusal, nil if the
// call failed.
func (a Answer) Value() any {
	if a.Refusal != nil {
		return a.Refusal
	}
	return a.Result
}

// Call decodes the arguments of a tool, validates them, calls the engine and
// sorts what came back. A panic of the engine is an internal error of this
// call.
func Call(ctx context.Context, eng Engine, tool string, arguments json.RawMessage) (a Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answerOf(nil, fmt.Errorf("%s panicked: %v\n%s", tool, p, debug.Stack()))
		}
	}()
	call, ok := calls[tool]
	if !ok {
		return answerOf(nil, &contract.ArgumentError{Field: "tool", Message: "there is no such tool; cuatui tools lists them"})
	}
	return answerOf(call(ctx, eng, arguments))
}

func answerOf(result any, err error) Answer {
	if err == nil {
		return Answer{Result: result}
	}
	if r, ok := refusal.As(err); ok {
		return Answer{Refusal: &contract.RefusedResult{Status: contract.Refused, Refusal: r}}
	}
	return Answer{Err: contract.NewCallError(err)}
}
