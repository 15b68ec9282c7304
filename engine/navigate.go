package engine

import (
	"context"

	"cuatui/engine/act"
	"cuatui/engine/contract"
)

// Navigate moves a tab; its refs are void where the document was replaced.
func (e *Engine) Navigate(ctx context.Context, r contract.NavigateRequest) (*contract.NavigateResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	m, err := e.mutate(ctx, r.Session, r.TargetID, r.TabID)
	if err != nil {
		return nil, err
	}
	defer m.live.release()
	var out *contract.NavigateResult
	m.live.takeLeft()
	x, err := m.expect(ctx, r.Expect, 0)
	if err == nil {
		err = x.before(ctx)
	}
	if err == nil {
		out, err = act.Navigate(ctx, m.live.session, r, m.live, m.proof)
	}
	if err != nil {
		return nil, m.again(lost(err), contract.StateRequest{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID})
	}
	if out.NewDocument {
		m.target.Invalidate(m.tab)
		if status, err := m.live.page.HTTPStatus(ctx); err == nil {
			out.HTTPStatus = status
		}
	}
	j := x.judge(ctx)
	out.Verdict, out.Unmet, out.Evidence = j.verdict, j.unmet, j.evidence
	if j.verdict == verdictUnmet {
		out.Status = contract.Partial
	}
	e.log.Info("navigated", "session", r.Session, "new_document", out.NewDocument, "load_state", out.LoadState)
	return out, nil
}
