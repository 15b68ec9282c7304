package capability

import (
	"sync"
	"time"

	"cuatui/engine/limits"
	"cuatui/platform"
)

// How long a person's consent lasts: unused, and at most.
const (
	GrantIdle     = limits.GrantIdle
	GrantAbsolute = limits.GrantAbsolute
)

// Scope is exactly what a person agreed to: this session may use this window
// of this run of this process.
type Scope struct {
	Session     string
	Fingerprint platform.Fingerprint
	Window      platform.WindowID
}

// GrantState is how a grant stands.
type GrantState int

// The states of a grant.
const (
	NoGrant GrantState = iota
	Live
	Lapsed
	Revoked
)

// Grants holds the consents of persons, in memory only. It is safe for
// concurrent use.
type Grants struct {
	mu  sync.Mutex
	now func() time.Time
	m   map[Scope]*grant
}

type grant struct {
	given, used time.Time
	revoked     bool
	generation  int
}

// NewGrants returns an empty store; now is the clock.
func NewGrants(now func() time.Time) *Grants { return &Grants{now: now, m: map[Scope]*grant{}} }

// Give records a person's yes. Each new yes is a new generation, so that what
// was bound under an older one is stale.
func (g *Grants) Give(s Scope) (generation int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.now()
	old := g.m[s]
	if old != nil {
		generation = old.generation
	}
	g.m[s] = &grant{given: t, used: t, generation: generation + 1}
	return generation + 1
}

// Use says how the grant for a scope stands, and renews its idle time if it is
// live.
func (g *Grants) Use(s Scope) (state GrantState, generation int) { return g.look(s, true) }

// Peek is Use without the renewal.
func (g *Grants) Peek(s Scope) (state GrantState, generation int) { return g.look(s, false) }

func (g *Grants) look(s Scope, renew bool) (state GrantState, generation int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.m[s]
	if a == nil {
		return NoGrant, 0
	}
	t := g.now()
	switch {
	case a.revoked:
		return Revoked, a.generation
	case t.Sub(a.used) >= GrantIdle || t.Sub(a.given) >= GrantAbsolute || t.Before(a.given):
		return Lapsed, a.generation // a clock that ran backwards proves nothing
	}
	if renew {
		a.used = t
	}
	return Live, a.generation
}

// Revoke withdraws a grant; it reports whether there was one.
func (g *Grants) Revoke(s Scope) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.m[s]
	if a == nil {
		return false
	}
	a.revoked = true
	return true
}

// End forgets the grants of a session.
func (g *Grants) End(session string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for s := range g.m {
		if s.Session == session {
			delete(g.m, s)
		}
	}
}
