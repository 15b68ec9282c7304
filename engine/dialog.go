package engine

import (
	"context"
	"fmt"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
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
	args := map[string]any{"accept": r.Answer == "accept"}
	if open.Type == "prompt" && r.Answer == "accept" {
		args["promptText"] = r.PromptText
	}
	closed := t.live.Closed()
	if err := t.live.session.Call(ctx, "Page.handleJavaScriptDialog", args, nil); err != nil {
		if _, ok := protocolError(err); ok {
			return nil, refusal.New(refusal.NoDialog, "the dialog has closed meanwhile")
		}
		return nil, lost(fmt.Errorf("answer dialog: %w", err))
	}
	out.Effect = refusal.EffectDispatched
	select {
	case <-closed:
		out.Effect, out.Present, out.Dialog = refusal.EffectConfirmed, false, nil
	case <-ctx.Done():
	}
	e.log.Info("dialog answered", "session", r.Session, "type", open.Type, "answer", r.Answer)
	return out, nil
}
