package e2e_test

import (
	"slices"
	"testing"

	"cuatui/fixtures/desktop"
)

// sentinel is what the display showed before something that must change
// nothing on it.
type sentinel struct {
	t       *testing.T
	desktop *desktop.Desktop
	before  desktop.Facts
}

// watch takes down what the display shows, with the sentinel in front.
func (s *stage) watch(t *testing.T) sentinel {
	t.Helper()
	must(t, s.desktop.RaiseSentinel(soon(t)))
	s.desktop.ForgetKeys()
	f, err := s.desktop.Facts()
	must(t, err)
	if f.Active != s.desktop.Sentinel() || !f.SentinelOnTop {
		t.Fatalf("the sentinel is not in front: %+v", f)
	}
	return sentinel{t, s.desktop, f}
}

// undisturbed fails if the display shows anything else than before, or a key
// reached the window in front.
func (s sentinel) undisturbed(what string) {
	s.t.Helper()
	now, err := s.desktop.Facts()
	must(s.t, err)
	if now.Active != s.before.Active || now.Focus != s.before.Focus || !slices.Equal(now.Stacking, s.before.Stacking) {
		s.t.Errorf("%s: active %d %q, focus %d, stacking %v; before: %d %q, %d, %v", what,
			now.Active, now.ActiveTitle, now.Focus, now.Stacking, s.before.Active, s.before.ActiveTitle, s.before.Focus, s.before.Stacking)
	}
	if now.PointerX != s.before.PointerX || now.PointerY != s.before.PointerY {
		s.t.Errorf("%s: the pointer is at %d,%d; before: %d,%d", what, now.PointerX, now.PointerY, s.before.PointerX, s.before.PointerY)
	}
	keys, err := s.desktop.LeakedKeys(soon(s.t))
	if err != nil || keys != "" {
		s.t.Errorf("%s: keys %q reached the window in front, %v", what, keys, err)
	}
}
