package engine

import (
	"context"
	"errors"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// Dialog looks at the tab's open page dialog or answers it. The tab is
// followed from bind on, so that nothing has to be primed.
func (e *Engine) Dialog(ctx context.Context, r contract.DialogRequest) (*contract.DialogResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	t, err := e.resolve(ctx, r.Session, r.TargetID, r.TabID)
	if err != nil {
		return nil, lost(err)
	}
	open := t.live.Open()
	out := &contract.DialogResult{Status: contract.OK, Present: open != nil, Dialog: open, SideEffects: []string{}}
	if r.Answer == "inspect" {
		return out, nil
	}
	if t.target.Quality != "exact" {
		return nil, refusal.New(refusal.HeuristicBinding, "a heuristic binding can be read, not acted on")
	}
	if open == nil || r.DialogID != open.ID {
		return nil, refusal.New(refusal.NoDialog, "no such dialog is open").
			WithNext("browser_dialog", map[string]any{"session": r.Session, "target_id": r.TargetID, "tab_id": r.TabID, "answer": "inspect"})
	}
	if r.PromptText != "" && open.Type != "prompt" {
		return nil, &contract.ArgumentError{Field: "prompt_text", Message: "the dialog is no prompt"}
	}
	x, err := t.expect(ctx, r.Expect, 0)
	if err != nil {
		return nil, err
	}
	if err := x.behind(ctx); err != nil {
		return nil, err
	}
	before := t.desk(ctx)
	if err := t.answer(ctx, r, open, out); err != nil {
		return nil, err
	}
	effects, _ := before.told(ctx, platform.DialogAccept)
	out.SideEffects = append(out.SideEffects, effects...)
	j := x.unknown("the dialog is still open, as far as is known")
	if out.Effect == refusal.EffectConfirmed {
		j = x.judge(ctx)
	}
	out.Verdict, out.Unmet, out.Evidence = j.verdict, j.unmet, append(out.Evidence, j.evidence...)
	if j.verdict == verdictUnmet {
		out.Status = contract.Partial
	}
	e.log.Info("dialog answered", "session", r.Session, "type", open.Type, "answer", r.Answer, "effect", out.Effect)
	return out, nil
}

// answer gives the dialog its answer, once, and sees it close. What became of
// an answer that was sent is never an error.
func (t *resolved) answer(ctx context.Context, r contract.DialogRequest, open *contract.Dialog, out *contract.DialogResult) error {
	args := map[string]any{"accept": r.Answer == "accept"}
	if open.Type == "prompt" && r.Answer == "accept" {
		args["promptText"] = r.PromptText
	}
	closed := t.live.Closed()
	err := t.live.session.Call(ctx, "Page.handleJavaScriptDialog", args, nil)
	if _, declined := protocolError(err); declined {
		return refusal.New(refusal.NoDialog, "the dialog has closed meanwhile")
	}
	if err == nil {
		out.Effect = refusal.EffectDispatched
		select {
		case <-closed:
			out.Effect, out.Present, out.Dialog = refusal.EffectConfirmed, false, nil
			return nil
		case <-t.live.done:
			err = errTabGone
		case <-ctx.Done():
			err = ctx.Err()
		}
	} else {
		out.Effect = refusal.EffectUnknown
	}
	out.Status = contract.Partial
	out.Evidence = append(out.Evidence, unread("dialog", open.Type, err))
	return nil
}

// unread is the evidence of a fact that could not be read afterwards.
func unread(fact, before string, err error) contract.Evidence {
	return contract.Evidence{Fact: fact, Before: before, After: "not known: " + err.Error()}
}

var errTabGone = errors.New("the tab is gone")
