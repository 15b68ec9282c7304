// Package replay keeps the calls of a session in a case file, and answers from one
// as the engine did, without a browser.
package replay

import (
	"encoding/json"
	"fmt"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
	"cuatui/tui/pane"
)

// Case is the case of the calls of a journal, the oldest first.
func Case(calls []pane.Call, version string, now time.Time) (*snapshotfmt.Case, error) {
	c := &snapshotfmt.Case{Format: snapshotfmt.CaseFormat, Version: version, Saved: now.UTC(), Calls: make([]snapshotfmt.CaseCall, 0, len(calls))}
	for i := range calls {
		x := &calls[i]
		kept := snapshotfmt.CaseCall{At: x.At.UTC(), Tool: x.Tool, About: x.About, Outcome: string(x.Outcome), TookUS: x.Took.Microseconds()}
		var err error
		if kept.Request, err = json.Marshal(x.Request); err != nil {
			return nil, fmt.Errorf("keep %s: %w", x.Tool, err)
		}
		if kept.Answer, err = json.Marshal(x.Answer); err != nil {
			return nil, fmt.Errorf("keep %s: %w", x.Tool, err)
		}
		if r, ok := x.Answer.(*contract.StateResult); ok && r != nil && r.Semantic != nil {
			kept.Lines = r.Lines
		}
		c.Calls = append(c.Calls, kept)
	}
	return c, nil
}

// form is how a tool's requests and results are read.
type form struct {
	request func(json.RawMessage) (any, error)
	result  func(json.RawMessage) (any, error)
}

func formOf[Q, R any]() form {
	return form{
		request: func(raw json.RawMessage) (any, error) { var q Q; return q, json.Unmarshal(raw, &q) },
		result: func(raw json.RawMessage) (any, error) {
			r := new(R)
			return r, json.Unmarshal(raw, r)
		},
	}
}

// forms are the tools whose answers can be given again.
var forms = map[string]form{
	"start_session":           formOf[contract.StartSessionRequest, contract.StartSessionResult](),
	"list_windows":            formOf[contract.ListWindowsRequest, contract.ListWindowsResult](),
	"get_browser_state":       formOf[contract.StateRequest, contract.StateResult](),
	"browser_prepare":         formOf[contract.PrepareRequest, contract.PrepareResult](),
	"browser_navigate":        formOf[contract.NavigateRequest, contract.NavigateResult](),
	"browser_click":           formOf[contract.ClickRequest, contract.ActionResult](),
	"browser_type":            formOf[contract.TypeRequest, contract.ActionResult](),
	"browser_select":          formOf[contract.SelectRequest, contract.ActionResult](),
	"browser_press":           formOf[contract.PressRequest, contract.ActionResult](),
	"browser_pointer":         formOf[contract.PointerRequest, contract.ActionResult](),
	"browser_set_input_files": formOf[contract.FilesRequest, contract.ActionResult](),
	"browser_dialog":          formOf[contract.DialogRequest, contract.DialogResult](),
	"browser_wait":            formOf[contract.WaitRequest, contract.WaitResult](),
	"explain_browser_state":   formOf[contract.ExplainRequest, contract.ExplainResult](),
}

// outcomes are how a call can have ended.
var outcomes = map[pane.Outcome]bool{
	pane.Ok: true, pane.Partly: true, pane.Refused: true, pane.Bad: true, pane.Lost: true, pane.Cancelled: true, pane.Declined: true,
}

// given is a call whose answer can be given again, as it was.
type given struct {
	result any
	err    error
}

// read reads a kept call: the journal's entry, and the answer where the tool is
// one that can be called here. An answer that is none of the tool is an error.
func read(k *snapshotfmt.CaseCall) (entry pane.Call, g given, callable bool, err error) {
	entry = pane.Call{At: k.At.Local(), Tool: k.Tool, About: k.About, Outcome: pane.Outcome(k.Outcome), Took: time.Duration(k.TookUS) * time.Microsecond, Request: k.Request, Answer: k.Answer}
	if !outcomes[entry.Outcome] {
		return entry, g, false, fmt.Errorf("no call ends as %s", snapshotfmt.Quote(short(k.Outcome)))
	}
	f, callable := forms[k.Tool]
	if !callable { // it was no call of a tool, and is shown only
		return entry, g, false, nil
	}
	if entry.Request, err = f.request(k.Request); err != nil {
		return entry, g, false, fmt.Errorf("the request: %w", err)
	}
	switch entry.Outcome {
	case pane.Ok, pane.Partly, pane.Refused:
		if err := contract.ValidateResult(k.Tool, k.Answer); err != nil {
			return entry, g, false, fmt.Errorf("the answer is none of the tool: %s", snapshotfmt.PrintableLine(short(err.Error())))
		}
		var said struct {
			Status contract.Status `json:"status"`
		}
		if err := json.Unmarshal(k.Answer, &said); err != nil || (said.Status == contract.Refused) != (entry.Outcome == pane.Refused) {
			return entry, g, false, fmt.Errorf("the answer is none that ends as %s", entry.Outcome)
		}
	default:
	}
	switch entry.Outcome {
	case pane.Ok, pane.Partly:
		if g.result, err = f.result(k.Answer); err != nil {
			return entry, g, false, fmt.Errorf("the answer: %w", err)
		}
		if s, ok := g.result.(*contract.StateResult); ok && s.Semantic != nil {
			s.Lines = k.Lines
		}
		entry.Answer = g.result
	case pane.Refused:
		var r contract.RefusedResult
		if err := json.Unmarshal(k.Answer, &r); err != nil || r.Refusal == nil {
			return entry, g, false, fmt.Errorf("the refusal cannot be read")
		}
		if code, ok := refusal.CodeOf(r.Refusal.Reason); !ok || code != r.Refusal.Code {
			return entry, g, false, fmt.Errorf("there is no such refusal as %s", snapshotfmt.Quote(short(string(r.Refusal.Reason))))
		}
		g.err, entry.Answer = r.Refusal, r
	default:
		var e contract.CallError
		if err := json.Unmarshal(k.Answer, &e); err != nil || e.Kind == "" {
			return entry, g, false, fmt.Errorf("the error cannot be read")
		}
		g.err, entry.Answer = &e, &e
	}
	return entry, g, true, nil
}

// short bounds what is repeated of a file.
func short(s string) string {
	const most = 200
	for i := range s {
		if i >= most {
			return s[:i] + "…"
		}
	}
	return s
}
