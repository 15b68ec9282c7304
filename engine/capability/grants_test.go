package capability

import (
	"sync"
	"testing"
	"time"

	"cuatui/platform"
)

// yes is what a person agreed to in these tests.
var yes = Scope{Session: "s", Fingerprint: platform.Fingerprint{PID: 7, Start: 100, Executable: "/usr/lib/chromium/chromium"}, Window: 12}

// clock is a clock in the test's hands.
type clock struct{ t time.Time }

func (c *clock) now() time.Time       { return c.t }
func (c *clock) pass(d time.Duration) { c.t = c.t.Add(d) }
func newGrants() (*Grants, *clock) {
	c := &clock{time.Date(2024, 3, 1, 9, 0, 0, 0, time.UTC)}
	return NewGrants(c.now), c
}
func (g *Grants) is(s Scope) GrantState  { state, _ := g.Peek(s); return state }
func (g *Grants) use(s Scope) GrantState { state, _ := g.Use(s); return state }

func TestAGrantIsForExactlyWhatWasAgreed(t *testing.T) {
	g, _ := newGrants()
	g.Give(yes)
	if g.use(yes) != Live {
		t.Fatal("what was agreed is not granted")
	}
	for name, change := range map[string]func(*Scope){
		"another session":    func(s *Scope) { s.Session = "t" },
		"another window":     func(s *Scope) { s.Window++ },
		"another process":    func(s *Scope) { s.Fingerprint.PID++ },
		"another run":        func(s *Scope) { s.Fingerprint.Start++ },
		"another executable": func(s *Scope) { s.Fingerprint.Executable += "2" },
	} {
		s := yes
		if change(&s); g.use(s) != NoGrant {
			t.Errorf("%s is granted too", name)
		}
	}
}

func TestAGrantRunsOutUnused(t *testing.T) {
	g, c := newGrants()
	g.Give(yes)
	c.pass(GrantIdle - 1)
	if g.use(yes) != Live {
		t.Error("it ran out early")
	}
	c.pass(GrantIdle - 1)
	if g.is(yes) != Live {
		t.Error("a use does not renew it")
	}
	c.pass(1)
	if g.is(yes) != Lapsed || g.use(yes) != Lapsed {
		t.Error("looking at it renewed it")
	}
	c.pass(-1)
	if g.is(yes) != Live {
		t.Error("a use after the end counted")
	}
}

func TestAGrantRunsOutHoweverMuchItIsUsed(t *testing.T) {
	g, c := newGrants()
	g.Give(yes)
	for range int(GrantAbsolute/GrantIdle)*2 - 1 {
		c.pass(GrantIdle / 2)
		if g.use(yes) != Live {
			t.Fatal("it ran out early")
		}
	}
	c.pass(GrantIdle/2 - 1)
	if g.use(yes) != Live {
		t.Error("it ran out early")
	}
	c.pass(1)
	if g.use(yes) != Lapsed {
		t.Error("it outlived its end")
	}
}

func TestAClockThatRanBackwardsProvesNothing(t *testing.T) {
	g, c := newGrants()
	g.Give(yes)
	c.pass(-1)
	if g.use(yes) != Lapsed {
		t.Error("before it was given")
	}
	c.pass(1 + time.Minute)
	g.use(yes)
	c.pass(-time.Second)
	if g.use(yes) != Lapsed {
		t.Error("before it was last used")
	}
}

// TestSleepCounts: a clock's own count stands still while the machine sleeps,
// the wall clock goes on.
func TestSleepCounts(t *testing.T) {
	const d = time.Minute
	for _, tt := range []struct {
		name          string
		wall, counted time.Duration
		want          bool
	}{
		{"a second", time.Second, time.Second, true},
		{"asleep for long", time.Hour, time.Second, false},
		{"the wall clock was set back a little", 0, time.Hour, false},
		{"the wall clock was set back by much", -time.Second, time.Second, false},
		{"to the end", d, d, false},
		{"to before the end", d - 1, d - 1, true},
	} {
		if got := lessThan(tt.wall, tt.counted, d); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if from := time.Now(); within(from, from.Round(0).Add(d), d) || !within(from, from.Add(d-1), d) {
		t.Error("the two are not compared by both clocks")
	}
}

func TestAWithdrawnGrantStaysWithdrawn(t *testing.T) {
	g, c := newGrants()
	if got := g.Revoke(yes.Session, yes.Fingerprint.PID, yes.Window); len(got) > 0 {
		t.Errorf("withdrew %v, which nobody gave", got)
	}
	other := yes
	other.Window++
	g.Give(yes)
	g.Give(other)
	if got := g.Revoke(yes.Session, yes.Fingerprint.PID, yes.Window); len(got) != 1 || got[0] != yes {
		t.Errorf("withdrew %v", got)
	}
	if g.use(yes) != Revoked || g.use(other) != Live {
		t.Error("not that one alone is withdrawn")
	}
	c.pass(2 * GrantAbsolute)
	if g.use(yes) != Revoked {
		t.Error("time has turned a no into something else")
	}
	if n := g.Give(yes); n != 2 || g.use(yes) != Live {
		t.Errorf("a new yes is of generation %d", n)
	}
}

func TestEveryYesIsANewGeneration(t *testing.T) {
	g, c := newGrants()
	for want := 1; want < 5; want++ {
		if n := g.Give(yes); n != want {
			t.Errorf("generation %d, want %d", n, want)
		}
		if _, n := g.Use(yes); n != want {
			t.Errorf("used under generation %d, want %d", n, want)
		}
		c.pass(time.Duration(want) * GrantIdle)
	}
	if _, n := g.Peek(yes); n != 4 || g.is(yes) != Lapsed {
		t.Errorf("generation %d after it ran out", n)
	}
}

func TestAnyGrantOfAProcess(t *testing.T) {
	g, c := newGrants()
	other := yes
	other.Window++
	f := yes.Fingerprint
	later := f
	later.Start++
	g.Give(yes)
	g.Give(other)
	if !g.Any("s", f) || g.Any("t", f) || g.Any("s", later) {
		t.Error("it is not of this session and this run alone")
	}
	g.Revoke(yes.Session, f.PID, yes.Window)
	if !g.Any("s", f) {
		t.Error("one of two was withdrawn")
	}
	c.pass(GrantIdle)
	if g.Any("s", f) {
		t.Error("the other one has run out")
	}
}

func TestTheEndOfASessionEndsItsGrants(t *testing.T) {
	g, _ := newGrants()
	other := yes
	other.Session = "t"
	g.Give(yes)
	g.Give(other)
	g.End("s")
	if g.use(yes) != NoGrant || g.use(other) != Live {
		t.Error("not that session's alone are forgotten")
	}
	if n := g.Give(yes); n != 1 {
		t.Errorf("a later session of the name is at generation %d", n)
	}
}

// TestGrantsTogether is for the race detector: what is used while it is
// withdrawn is either live or withdrawn.
func TestGrantsTogether(t *testing.T) {
	g := NewGrants(time.Now)
	g.Give(yes)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				if state, n := g.Use(yes); state != Live && state != Revoked || n < 1 {
					t.Errorf("used in state %d, generation %d", state, n)
				}
				g.Any("s", yes.Fingerprint)
				g.Peek(yes)
			}
		})
	}
	all.Go(func() {
		for range 100 {
			g.Revoke(yes.Session, yes.Fingerprint.PID, yes.Window)
			g.Give(yes)
			g.End("another")
		}
	})
	all.Wait()
	if _, n := g.Peek(yes); n != 101 {
		t.Errorf("generation %d after 101 times yes", n)
	}
}
