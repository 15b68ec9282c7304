package engine

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"cuatui/platform"
)

// TestWhatIsSeenOfTheDesktopIsTold, and nothing else.
func TestWhatIsSeenOfTheDesktopIsTold(t *testing.T) {
	front := func(w *scene) {
		w.windows[0].Active, w.windows[0].Stack, w.windows[1].Active, w.windows[1].Stack = true, 1, false, 0
	}
	for _, tt := range []struct {
		name  string
		does  func(*scene)
		after time.Duration // it does so
		due   []platform.Input
		want  []string
		took  time.Duration
	}{
		{name: "nothing"},
		{name: "nothing that is waited for", due: []platform.Input{platform.ElementClick, platform.KeyClick}},
		{
			name: "nothing, where a press raises", due: []platform.Input{platform.MousePressed}, took: raiseWait,
			want: []string{"the window may be raised and activated: it was not seen to be within 1s"},
		},
		{name: "it came to the front", does: front, want: []string{"the window is raised and activated"}},
		{
			name: "it came to the front late", does: front, after: raiseWait/2 - settleMove/2, due: []platform.Input{platform.KeyClick, platform.TabOpens}, took: raiseWait / 2,
			want: []string{"the window is raised and activated"},
		},
		{name: "it is active, below the other", does: func(w *scene) { w.windows[0].Active, w.windows[1].Active = true, false }, want: []string{"the window is activated"}},
		{name: "it is above the other, and not active", does: func(w *scene) { w.windows[0].Stack, w.windows[1].Stack = 1, 0 }, want: []string{"the window is raised"}},
		{name: "the other closed", does: func(w *scene) { w.windows = w.windows[:1] }},
		{name: "a popup opened", due: []platform.Input{platform.TabOpens}, want: []string{"a new window of the browser is in front and active"}, does: func(w *scene) {
			popup := windowAt(13, "Popup", place)
			popup.Active, popup.Stack, w.windows[1].Active = true, 2, false
			w.windows = append(w.windows, popup)
		}},
		{name: "a window of another program opened", does: func(w *scene) {
			other := windowAt(13, "Other", place)
			other.PID, other.Active, w.windows[1].Active = 300, true, false
			w.windows = append(w.windows, other)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, embedded, accessEmbedded)
				other := windowAt(12, "Other", place)
				other.PID, other.Active, other.Stack = 300, true, 1
				b.windows[0].Active = false
				b.windows = append(b.windows, other)
				target, tab := b.bind()
				m, err := b.e.mutate(t.Context(), movingSession, target, tab)
				b.must(m, err)
				m.live.release()
				if tt.does != nil && tt.after == 0 {
					tt.does(b.scene)
				} else if tt.does != nil {
					time.AfterFunc(tt.after, func() {
						b.mu.Lock()
						defer b.mu.Unlock()
						tt.does(b.scene)
					})
				}
				start := time.Now()
				got, raised := m.desk().told(t.Context(), tt.due...)
				if !slices.Equal(got, tt.want) || raised != (len(tt.want) > 0 && tt.does != nil) {
					t.Errorf("told %q, %v", got, raised)
				}
				if took := time.Since(start); took != tt.took {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

// A window that is in front is brought there by nothing.
func TestAWindowInFrontIsNotRaised(t *testing.T) {
	b := newBench(t, embedded, accessEmbedded)
	target, tab := b.bind()
	m, err := b.e.mutate(t.Context(), movingSession, target, tab)
	b.must(m, err)
	m.live.release()
	b.windows = nil // so that a look would tell
	if got, raised := m.desk().told(t.Context(), platform.MousePressed); len(got) > 0 || raised {
		t.Errorf("told %q", got)
	}
}
