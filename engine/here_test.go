package engine

import (
	"slices"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// reads are the calls that read a bound tab.
func (b *bench) reads(target, tab string) map[string]func() error {
	at := contract.StateRequest{Session: movingSession, TargetID: target, TabID: tab}
	more := at
	more.Continuation = "cont-1"
	query := at
	query.Query = "a"
	return map[string]func() error{
		"snapshot":     func() error { _, err := b.e.State(b.t.Context(), at); return err },
		"continuation": func() error { _, err := b.e.State(b.t.Context(), more); return err },
		"query":        func() error { _, err := b.e.State(b.t.Context(), query); return err },
		"explain": func() error {
			_, err := b.e.Explain(b.t.Context(), contract.ExplainRequest{Session: movingSession, TargetID: target, TabID: tab, Text: "a"})
			return err
		},
		"audit": func() error {
			_, err := b.e.Audit(b.t.Context(), contract.AuditRequest{Session: movingSession, TargetID: target, TabID: tab})
			return err
		},
		"wait": func() error {
			_, err := b.e.Wait(b.t.Context(), contract.WaitRequest{Session: movingSession, TargetID: target, TabID: tab, Text: "a"})
			return err
		},
		"dialog": func() error {
			_, err := b.e.Dialog(b.t.Context(), contract.DialogRequest{Session: movingSession, TargetID: target, TabID: tab, Answer: "inspect"})
			return err
		},
	}
}

// TestNothingIsReadOfATabThatIsNotInItsWindow: consent is for a window, and so
// is a binding.
func TestNothingIsReadOfATabThatIsNotInItsWindow(t *testing.T) {
	for _, tt := range []struct {
		name   string
		single bool // the browser tells no windows
		move   func(*scene)
		reason refusal.Reason
	}{
		{"the tab is in another window", false, func(w *scene) { w.tabs[0].window = 2 }, refusal.TabMoved},
		{"the tab is in no window", false, func(w *scene) { w.tabs[0].window = 0 }, refusal.TabMoved},
		{"the tab was closed", false, func(w *scene) { w.tabs = nil }, refusal.TabClosed},
		{"the tab was closed with its window", false, func(w *scene) { w.tabs, w.windows = nil, nil }, refusal.WindowGone},
		{"the browser answers nonsense", false, func(w *scene) { w.tabs[0].code = -32603 }, refusal.ConnectFailed},
		{"another page instead", true, func(w *scene) { w.tabs[0].id = "T2" }, refusal.TabMoved},
		{"a second page", true, func(w *scene) { w.tabs = append(w.tabs, tabIn{id: "T2", title: "Two"}) }, refusal.WindowChanged},
		{"no page", true, func(w *scene) { w.tabs = nil }, refusal.WindowChanged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, embedded, accessEmbedded)
			if tt.single {
				b.single()
			}
			target, tab := b.bind()
			b.mu.Lock()
			tt.move(b.scene)
			b.mu.Unlock()
			for name, read := range b.reads(target, tab) {
				before := len(b.asked())
				err := read()
				r, ok := refusal.As(err)
				if !ok || r.Reason != tt.reason || r.Next == nil || len(r.Proof) == 0 {
					t.Errorf("%s: %v, want %s with its proof and next call", name, err, tt.reason)
				}
				question := "Browser.getWindowForTarget"
				if tt.single {
					question = "Target.getTargets"
				}
				if asked := b.asked()[before:]; !slices.Equal(asked, []string{question}) {
					t.Errorf("%s: the browser was asked %v", name, asked)
				}
			}
		})
	}
}

// TestAReadAsksForTheTabsPlaceOnce, however many tabs are open, and reads on
// where the tab is where it was.
func TestAReadAsksForTheTabsPlaceOnce(t *testing.T) {
	for _, single := range []bool{false, true} {
		b := newBench(t, embedded, accessEmbedded)
		question := "Browser.getWindowForTarget"
		if single {
			b.single()
			question = "Target.getTargets"
		}
		target, tab := b.bind()
		b.windows[0] = windowAt(11, "One - Chromium", platform.Rect{X: 300, Y: 50, W: 500, H: 400}) // where it is is no matter
		if !single {
			b.tabs = append(b.tabs, tabIn{id: "T2", title: "Two", window: 1, at: place})
		}
		before := len(b.asked())
		if err := b.reads(target, tab)["dialog"](); err != nil {
			t.Fatal(err)
		}
		if asked := b.asked()[before:]; !slices.Equal(asked, []string{question}) {
			t.Errorf("the browser was asked %v", asked)
		}
	}
}
