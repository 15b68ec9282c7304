package engine

import (
	"context"
	"fmt"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// settleLoss is how many times, each settleMove after the last, a lost tab is
// looked at until it is said what became of it: a connection ends before its
// process is gone.
const settleLoss = 10

// Lost waits until a bound tab can no longer be used as it was bound, and
// returns what a call on it comes to then: the refusal, with its proof, or the
// error where there is none. Where ctx ends first, it returns that. It asks
// nothing while it waits. It is no tool: a face that shows a binding calls it,
// so as not to show it any longer than it holds. r names session, target and tab.
func (e *Engine) Lost(ctx context.Context, r contract.StateRequest) error {
	if err := r.Validate(); err != nil {
		return err
	}
	for lookAgain := 0; ; {
		t, err := e.reach(ctx, r.Session, r.TargetID, r.TabID, func(*resolved, context.Context, *refusal.Proof) error { return nil })
		_, refused := refusal.As(err)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("watch: %w", ctx.Err())
		case refused, err != nil && lookAgain >= settleLoss:
			return err
		case err == nil:
			lookAgain = 0
			select {
			case <-t.live.done:
			case <-t.browser.conn.Done():
			case <-ctx.Done():
				continue
			}
		}
		lookAgain++
		if err := pause(ctx, settleMove); err != nil {
			return err
		}
	}
}
