package capability

import (
	"slices"
	"strings"
	"time"

	"cuatui/engine/limits"
	"cuatui/engine/refusal"
)

// Capture is an image of a visual region, of which one point may be clicked.
type Capture struct {
	ID      string
	Payload any // what the caller needs to find the point again
	until   time.Time
}

// MintCapture keeps an image of a region of the tab's snapshot n, and returns
// its single-use id: "" if n is no longer current. Of more than CapturesMax the
// oldest is given up.
func (t *Target) MintCapture(tab *Tab, n int, payload any, now time.Time) string {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	s := tab.snapshot
	if s == nil || s.N != n || t.owner.ended {
		return ""
	}
	if len(s.captures) >= limits.CapturesMax {
		tab.spend(s.captures[0].ID)
		s.captures = s.captures[1:]
	}
	c := Capture{ID: NewID("shot-"), Payload: payload, until: now.Add(limits.CaptureTTL)}
	s.captures = append(s.captures, c)
	return c.ID
}

// Capture looks a capture up without using it. It refuses with spent one that
// was used, given up, is too old or of an older snapshot, and with malformed
// or foreign what is none of this tab's.
func (t *Target) Capture(tab *Tab, id string, now time.Time) (Capture, *refusal.Refusal) {
	return t.capture(tab, id, now, false)
}

// TakeCapture uses a capture up. It refuses as Capture does.
func (t *Target) TakeCapture(tab *Tab, id string, now time.Time) (Capture, *refusal.Refusal) {
	return t.capture(tab, id, now, true)
}

func (t *Target) capture(tab *Tab, id string, now time.Time, use bool) (Capture, *refusal.Refusal) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if t.owner.ended {
		return Capture{}, ended()
	}
	if s := tab.snapshot; s != nil {
		i := slices.IndexFunc(s.captures, func(c Capture) bool { return c.ID == id })
		if i >= 0 {
			c := s.captures[i]
			late := !now.Before(c.until)
			if use || late {
				tab.spend(id)
				s.captures = slices.Delete(s.captures, i, i+1)
			}
			if !late {
				return c, nil
			}
		}
	}
	switch {
	case tab.spent[id]:
		return Capture{}, refusal.New(refusal.Spent, "this image has been clicked in, is older than %v, or its snapshot has been replaced", limits.CaptureTTL)
	case !strings.HasPrefix(id, "shot-"):
		return Capture{}, refusal.New(refusal.Malformed, "a capture id starts with shot-")
	}
	return Capture{}, refusal.New(refusal.Foreign, "this tab has handed out no such image")
}
