package engine

import (
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/enginetest"
)

// Two sessions have a connection each, and one lock of the tab they share.
func TestTwoSessionsShareTheLockOfATab(t *testing.T) {
	b := newBench(t, embedded, accessEmbedded)
	target, tab := b.bind()
	m, err := b.e.mutate(t.Context(), movingSession, target, tab)
	if err != nil {
		t.Fatal(err)
	}
	const other = "other"
	b.must(b.e.StartSession(t.Context(), contract.StartSessionRequest{Session: other}))
	second := enginetest.New()
	second.Result("Page.enable", nil)
	second.Handle("Target.getTargets", b.targets)
	second.Handle("Browser.getWindowForTarget", b.windowFor)
	b.e.browsers[other] = []*browser{b.connect(second, accessEmbedded)}
	b.e.browsers[movingSession] = b.e.browsers[movingSession][:1]
	bound, err := b.e.State(t.Context(), contract.StateRequest{Session: other, PID: movingPID, WindowID: 11})
	if err != nil {
		t.Fatal(err)
	}
	waits := make(chan error, 1)
	go func() {
		n, err := b.e.mutate(t.Context(), other, bound.TargetID, bound.Tabs[0].TabID)
		if err == nil {
			n.live.release()
		}
		waits <- err
	}()
	theirs := b.e.known(other, movingPID).tabs["T1"]
	if theirs == m.live || theirs.session == m.live.session || len(theirs.lock) != 1 {
		t.Error("the other session's tab is not locked")
	}
	m.live.release()
	if err := <-waits; err != nil {
		t.Error(err)
	}
	for _, session := range []string{movingSession, other} {
		b.must(b.e.EndSession(t.Context(), contract.EndSessionRequest{Session: session}))
	}
	if n := len(b.e.tabLocks.all); n != 0 {
		t.Errorf("%d locks are kept of tabs that nobody holds", n)
	}
}
