package headless_test

import (
	"context"

	"cuatui/engine/contract"
)

// The later tools answer with an empty success: these tests are about the
// table and the wire, and the first tools show both.

func acted() (*contract.ActionResult, error) {
	return &contract.ActionResult{Status: contract.OK, Effect: "confirmed", Verdict: "not_asked"}, nil
}

func (f *fakeEngine) Type(context.Context, contract.TypeRequest) (*contract.ActionResult, error) {
	return acted()
}

func (f *fakeEngine) Select(context.Context, contract.SelectRequest) (*contract.ActionResult, error) {
	return acted()
}

func (f *fakeEngine) Press(context.Context, contract.PressRequest) (*contract.ActionResult, error) {
	return acted()
}

func (f *fakeEngine) Pointer(context.Context, contract.PointerRequest) (*contract.ActionResult, error) {
	return acted()
}

func (f *fakeEngine) SetInputFiles(context.Context, contract.FilesRequest) (*contract.ActionResult, error) {
	return acted()
}

func (f *fakeEngine) Download(context.Context, contract.DownloadRequest) (*contract.DownloadResult, error) {
	r, err := acted()
	return &contract.DownloadResult{ActionResult: *r}, err
}

func (f *fakeEngine) Dialog(context.Context, contract.DialogRequest) (*contract.DialogResult, error) {
	return &contract.DialogResult{Status: contract.OK, SideEffects: []string{}}, nil
}

func (f *fakeEngine) Screenshot(_ context.Context, r contract.ScreenshotRequest) (*contract.ScreenshotResult, error) {
	return &contract.ScreenshotResult{
		Status: contract.OK, TargetID: r.TargetID, TabID: r.TabID, Of: "region", Ref: "v1:7", Width: 240, Height: 80, Box: [4]float64{10, 20, 120, 40}, Scale: [2]float64{2, 2},
		MIME: "image/png", Data: "cGl4ZWxz", PNG: []byte("pixels"), SideEffects: []string{"the tab is not shown"},
	}, nil
}

func (f *fakeEngine) Wait(context.Context, contract.WaitRequest) (*contract.WaitResult, error) {
	return &contract.WaitResult{Status: contract.OK, Verdict: "met"}, nil
}

func (f *fakeEngine) Tabs(context.Context, contract.TabsRequest) (*contract.TabsResult, error) {
	return &contract.TabsResult{Status: contract.OK, Tabs: []contract.Tab{}, SideEffects: []string{}}, nil
}

func (f *fakeEngine) Explain(_ context.Context, r contract.ExplainRequest) (*contract.ExplainResult, error) {
	if f.explain != nil {
		return f.explain(r)
	}
	return &contract.ExplainResult{Status: contract.OK, Snapshot: "p1"}, nil
}
