package headless

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"cuatui/engine/contract"
	"cuatui/engine/limits"
)

// openSessions are the sessions that one connection opened and has not ended.
// The zero value is ready.
type openSessions struct {
	mu    sync.Mutex
	names map[string]bool
}

// note follows what an answer says about sessions.
func (s *openSessions) note(a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch result := a.Result.(type) {
	case *contract.StartSessionResult:
		if s.names == nil {
			s.names = map[string]bool{}
		}
		s.names[result.Session] = true
	case *contract.EndSessionResult:
		delete(s.names, result.Session)
	}
}

// endAll ends what is still open, each within its own budget, even when ctx has
// ended. No call may be in flight any more.
func (s *openSessions) endAll(ctx context.Context, engine Engine) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var wg sync.WaitGroup
	errs := make(chan error, len(s.names))
	for name := range s.names {
		wg.Go(func() { errs <- endSession(ctx, engine, name) })
	}
	wg.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}

func endSession(ctx context.Context, engine Engine, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.EndSessionTimeout)
	defer cancel()
	if _, err := engine.EndSession(ctx, contract.EndSessionRequest{Session: name}); err != nil {
		return fmt.Errorf("ending session %s: %w", name, err)
	}
	return nil
}
