package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// leadOn names the next call of a refusal of a target's window that names none:
// one that can be made just as it is given.
func leadOn(err error, at capability.Scope) error {
	r, ok := refusal.As(err)
	if !ok || r.Next != nil {
		return err
	}
	switch r.Reason {
	case refusal.GenerationChanged, refusal.GrantChanged, refusal.TabMissing, refusal.TabUnknown, refusal.TabClosed, refusal.DialogOpenBefore:
		r.WithNext("get_browser_state", map[string]any{"session": at.Session, "pid": at.Fingerprint.PID, "window_id": uint64(at.Window)})
		return err
	case refusal.ByPerson: // ask for nothing more
		r.WithNext("list_windows", map[string]any{"session": at.Session})
		return err
	default:
	}
	switch r.Code {
	case refusal.BindingStale, refusal.BindingAmbiguous, refusal.WrongTargetRefused:
		r.WithNext("list_windows", map[string]any{"session": at.Session})
	case refusal.RouteUnavailable, refusal.RequiresSetup, refusal.EndpointOwnerMismatch, refusal.ConsentRequired:
		r.WithNext("browser_prepare", prepareArgs(at.Session))
	default: // those of a tab, which again names
	}
	return err
}

// unseen ends a proof at a step for which the system would have to say what it
// cannot say: an incomplete list is never taken for a complete one. What was
// called off stays an error.
func unseen(ctx context.Context, p *refusal.Proof, plan []string, step string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	r := refusal.New(refusal.EnumerationFailed, "the system could not list what the proof needs")
	if errors.Is(err, platform.ErrNoDisplay) || errors.Is(err, platform.ErrUnsupported) {
		r = refusal.New(refusal.DisplayUnavailable, "the window system does not answer")
	}
	return fmt.Errorf("%w: %w", refuse(p, plan, step, "what the system lists", "no answer", r), err)
}

// again adds the next call to a refusal on a tab: where nothing else leads on,
// a new snapshot, in the format of the one before.
func (t *resolved) again(err error, r contract.StateRequest) error {
	ref, ok := refusal.As(leadOn(err, t.scope))
	if ok && ref.Next == nil {
		args := snapshotArgs(r.Session, r.TargetID, r.TabID)
		if t.tab != nil {
			if format := cmp.Or(r.Format, t.target.Asked(t.tab)); format != "" {
				args["snapshot_format"] = format
			}
		}
		ref.WithNext("get_browser_state", args)
	}
	return err
}

// unanswered ends a proof at a step at which the browser gave no answer in its
// time, or none that can be used. The end of the connection stays an error, and
// so does what was called off.
func unanswered(ctx context.Context, p *refusal.Proof, plan []string, step string, err error) error {
	if ctx.Err() != nil || errors.Is(err, devtools.ErrClosed) || errors.Is(err, devtools.ErrDetached) {
		return fmt.Errorf("%s: %w", step, err)
	}
	got, message := "no answer that can be used", "the browser gives no answer that can be used"
	if errors.Is(err, context.DeadlineExceeded) {
		got, message = "no answer in time", "the browser does not answer"
	}
	return fmt.Errorf("%w: %w", refuse(p, plan, step, "an answer of the browser", got, refusal.New(refusal.ConnectFailed, "%s", message)), err)
}
