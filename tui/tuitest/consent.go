package tuitest

import (
	"context"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// personal says whether a window of the fake needs a person's consent.
func personal(w contract.NativeWindow) bool { return w.WouldBind.Code == refusal.ConsentRequired }

// consent returns why a personal browser's window may not be used, nil if it
// may.
func (e *Engine) consent(w contract.NativeWindow) *refusal.Refusal {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, got := e.consents[w.WindowID], "none"
	no := refusal.New(refusal.PersonalBrowser, "%s was not launched by this session: it needs the person's consent", w.Product)
	switch {
	case c == nil:
	case c.revoked:
		no, got = refusal.New(refusal.ByPerson, "the person has withdrawn consent"), "withdrawn"
	case c.expired:
		no, got = refusal.New(refusal.Expired, "the person's consent has run out"), "expired"
	default:
		return nil
	}
	_ = no.WithProof([]refusal.Step{
		{Step: "session", Verdict: refusal.Pass, Got: "tui-1"},
		{Step: "process", Verdict: refusal.Pass, Got: w.Product},
		{Step: "access", Verdict: refusal.Fail, Want: "a person's consent", Got: got},
		{Step: "window", Verdict: refusal.NotRun},
	})
	return no.WithNext("browser_prepare", map[string]any{"profile": "isolated_new", "allow_launch": true})
}

// Grant records a yes.
func (e *Engine) Grant(ctx context.Context, r contract.GrantRequest) (*contract.GrantResult, error) {
	e.note("grant %d %#x", r.PID, r.WindowID)
	if e.OnGrant != nil {
		return e.OnGrant(ctx, r)
	}
	if r.Run != RunOf(r.PID) {
		return nil, refusal.New(refusal.ProcessChanged, "the process id has been given to another process since the person was asked")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.consents == nil {
		e.consents = map[uint64]*consent{}
	}
	c := &consent{generation: 1}
	if was := e.consents[r.WindowID]; was != nil {
		c.generation = was.generation + 1
	}
	e.consents[r.WindowID] = c
	return &contract.GrantResult{Status: contract.OK, Generation: c.generation, IdleMinutes: 30, Hours: 8}, nil
}

// Revoke withdraws it.
func (e *Engine) Revoke(_ context.Context, r contract.GrantRequest) (*contract.GrantResult, error) {
	e.note("revoke %d %#x", r.PID, r.WindowID)
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.consents[r.WindowID]
	if c == nil {
		return nil, &contract.ArgumentError{Field: "window_id", Message: "no consent was given for this window"}
	}
	c.revoked = true
	return &contract.GrantResult{Status: contract.OK}, nil
}

// Expire lets every consent run out.
func (e *Engine) Expire() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.consents {
		c.expired = true
	}
}

func (e *Engine) generation(window uint64) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.consents[window].generation
}

// withdrawn says whether consent to the window bound last was withdrawn.
func (e *Engine) withdrawn() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.consents[e.bound]
	return c != nil && c.revoked
}
