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
	case !a.live(t):
		return Lapsed, a.generation
	}
	if renew {
		a.used = t
	}
	return Live, a.generation
}

// live says whether the grant has not run out. A clock that ran backwards
// proves nothing.
func (a *grant) live(t time.Time) bool {
	return !a.revoked && within(a.used, t, GrantIdle) && within(a.given, t, GrantAbsolute)
}

// within says whether less than d has passed, by the wall clock too: the other
// one stands still while the machine sleeps.
func within(from, to time.Time, d time.Duration) bool {
	return lessThan(to.Round(0).Sub(from.Round(0)), to.Sub(from), d)
}

func lessThan(wall, counted, d time.Duration) bool { return wall >= 0 && max(wall, counted) < d }

// Any says whether a session has a live grant for any window of a process.
func (g *Grants) Any(session string, f platform.Fingerprint) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.now()
	for s, a := range g.m {
		if s.Session == session && s.Fingerprint == f && a.live(t) {
			return true
		}
	}
	return false
}

// Revoke withdraws the grants of a session for a window, of whichever run of
// the process, and returns their scopes. The window need not be there any more.
func (g *Grants) Revoke(session string, pid int, window platform.WindowID) []Scope {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []Scope
	for s, a := range g.m {
		if s.Session == session && s.Fingerprint.PID == pid && s.Window == window {
			a.revoked = true
			out = append(out, s)
		}
	}
	return out
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
