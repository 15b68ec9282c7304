package tuitest

import (
	"context"
	"fmt"
	"strings"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// hiddenRows is how many nodes the fake's inbox leaves out as
// css_hidden/display.
const hiddenRows = 200

// Explain answers as the engine would of the fake's inbox: refs of it, a text,
// a point, and pages of what was left out.
func (e *Engine) Explain(ctx context.Context, r contract.ExplainRequest) (*contract.ExplainResult, error) {
	e.note("explain ref=%s point=%v text=%q reason=%s after=%s", r.Ref, r.Point, r.Text, r.Reason, r.After)
	if e.OnExplain != nil {
		return e.OnExplain(ctx, r)
	}
	id := e.snapshotID()[1:]
	out := &contract.ExplainResult{Status: contract.OK, Snapshot: "p" + id}
	switch {
	case r.Reason == "css_hidden/display" || r.Reason == "css_hidden":
		from := 0
		if r.After != "" {
			_, _ = fmt.Sscanf(r.After, "0.%d", &from)
		}
		for i := from; i < min(from+50, hiddenRows); i++ {
			out.Rows = append(out.Rows, contract.Explained{Ref: fmt.Sprintf("o%s:%d", id, 500+i), Role: "link", Name: fmt.Sprintf("Menu item %d", i+1), Tag: "a", Frame: "main", Verdict: "omitted", Reason: snapshotfmt.OmitCSSHidden, SubReason: "display"})
		}
		if from+50 < hiddenRows {
			out.Next = fmt.Sprintf("0.%d", from+50)
		}
	case r.Reason != "":
		out.Rows = []contract.Explained{}
	case strings.EqualFold(r.Text, "menu item 7"):
		out.Rows = []contract.Explained{{Ref: "o" + id + ":506", Role: "link", Name: "Menu item 7", Tag: "a", Frame: "main", Verdict: "omitted", Reason: snapshotfmt.OmitCSSHidden, SubReason: "display"}}
	case strings.EqualFold(r.Text, "re"):
		out.Rows = []contract.Explained{
			{Ref: "p" + id + ":22", Role: "button", Name: "Reply", Tag: "button", Frame: "main", Verdict: "listed"},
			{Ref: "o" + id + ":506", Role: "link", Name: "Reports", Tag: "a", Frame: "main", Verdict: "omitted", Reason: snapshotfmt.OmitCSSHidden, SubReason: "display"},
			{Ref: "o" + id + ":50", Role: "link", Name: "Older message 1 re", Tag: "a", Frame: "main", Verdict: "waiting", Reason: snapshotfmt.OmitNear},
		}
	case r.Text != "":
		out.Rows = []contract.Explained{}
	case len(r.Point) == 2:
		out.Node = &contract.Explained{Ref: "o" + id + ":77", Role: "generic", Tag: "div", Frame: "main", Verdict: "not_a_candidate"}
		out.Evidence = []contract.Check{
			{Check: "candidate", Verdict: "fail", Detail: "no action evidence, no text of its own, and no role that is listed"},
			{Check: "within", Verdict: "info", Detail: "it is inside form \"Answer\""},
		}
	default:
		return e.explainNode(r, id, out)
	}
	return out, nil
}

func (e *Engine) explainNode(r contract.ExplainRequest, id string, out *contract.ExplainResult) (*contract.ExplainResult, error) {
	snapshot, k, _ := strings.Cut(r.Ref[1:], ":")
	if snapshot != id {
		return nil, refusal.New(refusal.Superseded, "the snapshot of %s has been replaced", r.Ref).
			WithNext("get_browser_state", map[string]any{"target_id": r.TargetID, "tab_id": r.TabID})
	}
	candidate := contract.Check{Check: "candidate", Verdict: "pass", Detail: "native control, own text"}
	document := contract.Check{Check: "document", Verdict: "pass", Detail: "proven: main"}
	switch {
	case k == "24":
		out.Node = &contract.Explained{Ref: "p" + id + ":24", Role: "button", Name: "Forward", Tag: "button", Frame: "main", Verdict: "omitted", Reason: snapshotfmt.OmitPageOccluded, SubReason: "covered"}
		out.Evidence = []contract.Check{
			candidate, document,
			{Check: "visible", Verdict: "pass", Detail: "box 640,420 88x32"},
			{Check: "hit", Verdict: "fail", Detail: "covered by dialog (div) \"We value your privacy\""},
			{Check: "action", Verdict: "pass", Detail: "native control"},
		}
	case len(k) == 3:
		out.Node = &contract.Explained{Ref: r.Ref, Role: "link", Name: "Menu item 7", Tag: "a", Frame: "main", Verdict: "omitted", Reason: snapshotfmt.OmitCSSHidden, SubReason: "display"}
		out.Evidence = []contract.Check{candidate, document, {Check: "visible", Verdict: "fail", Detail: "css_hidden: display, from menu (ul) \"More\""}}
	case k >= "50" && k < "60":
		out.Node = &contract.Explained{Ref: r.Ref, Role: "link", Name: "Older message", Tag: "a", Frame: "main", Verdict: "waiting", Reason: snapshotfmt.OmitNear}
		if e.continued {
			out.Node.Ref, out.Node.Verdict, out.Node.Reason = "p"+r.Ref[1:], "listed", ""
		}
		out.Evidence = []contract.Check{candidate, document, {Check: "viewport", Verdict: "info", Detail: "outside, within 1000 px"}}
	default:
		out.Node = &contract.Explained{Ref: "p" + id + ":" + k, Role: "button", Name: "Reply", Tag: "button", Frame: "main", Verdict: "listed"}
		out.Evidence = []contract.Check{
			candidate, document,
			{Check: "visible", Verdict: "pass", Detail: "box 640,420 88x32"},
			{Check: "hit", Verdict: "pass", Detail: "takes the pointer at 684,436"},
			{Check: "action", Verdict: "pass", Detail: "native control"},
		}
	}
	return out, nil
}
