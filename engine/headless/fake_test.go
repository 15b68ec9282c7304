package headless_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"cuatui/engine/contract"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeEngine answers with its functions, and with an empty success where there
// is none.
type fakeEngine struct {
	start    func(contract.StartSessionRequest) error
	end      func(context.Context, contract.EndSessionRequest) error
	windows  func(context.Context, contract.ListWindowsRequest) (*contract.ListWindowsResult, error)
	state    func(context.Context, contract.StateRequest) (*contract.StateResult, error)
	prepare  func(contract.PrepareRequest) (*contract.PrepareResult, error)
	navigate func(contract.NavigateRequest) (*contract.NavigateResult, error)
	click    func(contract.ClickRequest) (*contract.ActionResult, error)
	explain  func(contract.ExplainRequest) (*contract.ExplainResult, error)
}

func (f *fakeEngine) StartSession(_ context.Context, r contract.StartSessionRequest) (*contract.StartSessionResult, error) {
	if f.start != nil {
		if err := f.start(r); err != nil {
			return nil, err
		}
	}
	return &contract.StartSessionResult{Status: contract.OK, Session: r.Session}, nil
}

func (f *fakeEngine) EndSession(ctx context.Context, r contract.EndSessionRequest) (*contract.EndSessionResult, error) {
	if f.end != nil {
		if err := f.end(ctx, r); err != nil {
			return nil, err
		}
	}
	return &contract.EndSessionResult{Status: contract.OK, Session: r.Session, Released: []string{}}, nil
}

func (f *fakeEngine) ListWindows(ctx context.Context, r contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
	if f.windows != nil {
		return f.windows(ctx, r)
	}
	return &contract.ListWindowsResult{Status: contract.OK, System: "test", Windows: []contract.NativeWindow{}}, nil
}

func (f *fakeEngine) State(ctx context.Context, r contract.StateRequest) (*contract.StateResult, error) {
	if f.state != nil {
		return f.state(ctx, r)
	}
	return nil, nil
}

func (f *fakeEngine) Prepare(_ context.Context, r contract.PrepareRequest) (*contract.PrepareResult, error) {
	if f.prepare != nil {
		return f.prepare(r)
	}
	return &contract.PrepareResult{Status: contract.OK, Action: "launched", PreparedPID: 10, WindowIDs: []uint64{20}}, nil
}

func (f *fakeEngine) Navigate(_ context.Context, r contract.NavigateRequest) (*contract.NavigateResult, error) {
	if f.navigate != nil {
		return f.navigate(r)
	}
	return &contract.NavigateResult{Status: contract.OK, LoadState: "load", NewDocument: true}, nil
}

func (f *fakeEngine) Click(_ context.Context, r contract.ClickRequest) (*contract.ActionResult, error) {
	if f.click != nil {
		return f.click(r)
	}
	return &contract.ActionResult{Status: contract.OK}, nil
}
