package e2e_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// openTab opens a second tab of the shared browser behind the engine's back,
// in the background, and closes it when the test ends.
func (s *stage) openTab(t *testing.T, page string) (run string) {
	t.Helper()
	url, run := s.pages.Page(page)
	var made struct {
		ID string `json:"targetId"`
	}
	must(t, s.witness.conn.Browser().Call(soon(t), "Target.createTarget", map[string]any{"url": url, "background": true}, &made))
	t.Cleanup(func() {
		// The test's own context has ended by now.
		ctx, cancel := context.WithTimeout(context.Background(), waitMax)
		defer cancel()
		browser := s.witness.conn.Browser()
		destroyed := browser.Subscribe("Target.targetDestroyed")
		defer destroyed.Close()
		must(t, browser.Call(ctx, "Target.setDiscoverTargets", map[string]any{"discover": true}, nil))
		must(t, browser.Call(ctx, "Target.closeTarget", map[string]any{"targetId": made.ID}, nil))
		for {
			select {
			case ev := <-destroyed.C():
				if strings.Contains(string(ev.Params), made.ID) {
					return
				}
			case <-ctx.Done():
				t.Fatal("the second tab has not closed")
			}
		}
	})
	must(t, s.pages.Flush(soon(t), run))
	return run
}

// TestClicksOnOneTabTakeTurns clicks one tab from two goroutines, each through
// a binding of its own, while a second tab is read and clicked. Every click
// arrives, none twice.
func TestClicksOnOneTabTakeTurns(t *testing.T) {
	const each = 30 // more are in TestTwoAgentsInterleave
	s := use(t)
	b, run := s.tab(t, "keys")
	otherRun := s.openTab(t, "inbox-attribute")
	bound := ask[contract.StateResult](b.agent, "get_browser_state", args{"pid": s.pid, "window_id": s.window})
	if len(bound.Tabs) != 2 || *bound.Tabs[0].Active == *bound.Tabs[1].Active {
		t.Fatalf("tabs %+v, want two, one of them active", bound.Tabs)
	}
	second, other := tab{b.agent, bound.TargetID, bound.Tabs[0].TabID}, tab{b.agent, bound.TargetID, bound.Tabs[1].TabID}
	if second.state(nil).Page.Title != "Keys" {
		second, other = other, second
	}
	display := s.watch(t)
	var wg sync.WaitGroup
	var done atomic.Int64
	count := map[string]*atomic.Int64{"dom_event": {}, "trusted_key": {}}
	for i, tab := range []tab{b, second} {
		ref := find(t, tab.state(nil), "button", []string{"Button", "Input button"}[i]).Ref
		wg.Go(func() {
			for n := range each {
				route := []string{"dom_event", "trusted_key"}[n%2]
				answer, raw := tab.call("browser_click", tab.with(args{"ref": ref, "route": route}))
				got, ok := answer.Result.(*contract.ActionResult)
				if !ok || got.Effect != refusal.EffectConfirmed {
					t.Errorf("click %d answered %.1000s", n, raw)
					continue
				}
				count[route].Add(1)
			}
			done.Add(1)
		})
	}
	otherClicks := 0
	for done.Load() < 2 {
		// The second tab goes on meanwhile; it is hidden, and stays so.
		other.click(find(t, other.state(nil), "button", "Send").Ref, "dom_event")
		otherClicks++
	}
	wg.Wait()
	seen := b.settled(run)
	for _, id := range []string{"button", "input-button"} {
		if n := fixtures.Count(seen, "click", id); n != each {
			t.Errorf("%s was clicked %d times, want %d", id, n, each)
		}
	}
	trusted := 0
	for _, r := range seen {
		if r.Type == "click" && r.Trusted {
			trusted++
		}
	}
	if int64(trusted) != count["trusted_key"].Load() || count["dom_event"].Load() != each {
		t.Errorf("%d trusted clicks arrived, %d were answered for; %d synthetic ones were", trusted, count["trusted_key"].Load(), count["dom_event"].Load())
	}
	if n := fixtures.Count(other.settled(otherRun), "sent", ""); n != otherClicks {
		t.Errorf("the second tab was clicked %d times, want %d", n, otherClicks)
	}
	if n := fixtures.Count(s.pages.Journal(otherRun), "visibilitychange", ""); n > 0 {
		t.Errorf("the second tab changed its visibility %d times", n)
	}
	display.undisturbed("two hundred clicks")
}
