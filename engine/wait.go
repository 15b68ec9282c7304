package engine

import (
	"context"
	"errors"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/observe"
	"cuatui/engine/refusal"
)

// waitDefault is how long a wait lasts that names no limit.
const waitDefault = 5 * time.Second

// Wait waits until all conditions hold. It looks before it waits, so that a
// condition that was true already is told apart. It acts on nothing.
func (e *Engine) Wait(ctx context.Context, r contract.WaitRequest) (*contract.WaitResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	t, err := e.resolve(ctx, r.Session, r.TargetID, r.TabID)
	if err != nil {
		return nil, lost(err)
	}
	c := observe.Conditions{Text: r.Text, TextGone: r.TextGone, URL: r.URLPart, Quiet: time.Duration(r.QuietMS) * time.Millisecond}
	if r.RefGone != "" {
		ref, err := t.resolveRef(ctx, r.RefGone)
		if err != nil {
			return nil, t.again(err, contract.StateRequest{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID})
		}
		c.Node, c.State = ref.K, "gone"
	}
	limit := waitDefault
	if r.TimeoutMS > 0 {
		limit = time.Duration(r.TimeoutMS) * time.Millisecond
	}
	if d := t.live.Open(); d != nil {
		return nil, t.dialogOpen(d)
	}
	start := time.Now()
	w, err := t.wait(ctx, c, limit)
	if err == nil { // it may have been moved in all that time
		var p refusal.Proof
		t.passTarget(&p)
		err = leadOn(t.proveHere(ctx, &p), t.scope)
	}
	if err != nil {
		return nil, lost(err)
	}
	out := &contract.WaitResult{Status: contract.OK, Verdict: "unmet", WaitedMS: int(time.Since(start).Milliseconds()), URL: w.URL}
	if out.Missing, out.Why = w.Missing(); out.Missing == "state" {
		out.Missing = "ref_gone"
	}
	switch {
	case w.Met && w.Before:
		out.Verdict = "already_true"
	case w.Met:
		out.Verdict = "met"
	}
	return out, nil
}

// wait gives up at once when a dialog opens: nothing changes behind one.
func (t *resolved) wait(ctx context.Context, c observe.Conditions, limit time.Duration) (observe.Waited, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-t.live.Opened():
			cancel()
		case <-stop:
		}
	}()
	w, err := t.live.page.Wait(ctx, c, limit)
	if d := t.live.Open(); d != nil && (errors.Is(err, context.Canceled) || err == nil && !w.Met) {
		return w, t.dialogOpen(d)
	}
	if r, ok := refusal.As(err); ok {
		return w, r
	}
	return w, err
}
