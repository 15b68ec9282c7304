package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
)

// prepared is a browser of a session's own, with its window behind the sentinel.
type prepared struct {
	pid    int
	window uint64
	run    string // of the page it shows
}

// prepare opens a session of its own with a browser that shows a fixture page.
// What is left of the session when the test ends is ended then.
func (a agent) prepare(page string) prepared {
	a.t.Helper()
	url, run := a.stage.pages.Page(page)
	ask[contract.StartSessionResult](a, "start_session", nil)
	a.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), waitMax)
		defer cancel()
		// A bad argument where the test has ended it.
		_ = headless.Call(ctx, a.engine, "end_session", fmt.Appendf(nil, `{"session":%q}`, a.session))
	})
	made := ask[contract.PrepareResult](a, "browser_prepare", args{"profile": "isolated_new", "allow_launch": true, "url": url})
	must(a.t, a.stage.pages.Flush(soon(a.t), run))
	must(a.t, a.stage.desktop.RaiseSentinel(soon(a.t)))
	return prepared{made.PreparedPID, made.WindowIDs[0], run}
}

// bind binds a window and returns its first tab.
func (a agent) bind(pid int, window uint64) tab {
	a.t.Helper()
	bound := ask[contract.StateResult](a, "get_browser_state", args{"pid": pid, "window_id": window})
	if bound.BindingQuality != "exact" || len(bound.Tabs) == 0 {
		a.t.Fatalf("bound as %+v", bound)
	}
	return tab{a, bound.TargetID, bound.Tabs[0].TabID}
}

// within fails the test if f has not ended by the deadline, which is a promise
// of the product and no measure of speed.
func within(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-ended:
		case <-timer.C:
			t.Errorf("%s has not ended after %v", what, limit)
		}
	}()
	defer func() {
		close(ended)
		<-watched
	}()
	f()
}

// profiles lists the profiles that a state directory holds.
func profiles(t *testing.T, state string) []string {
	t.Helper()
	entries, err := filepath.Glob(filepath.Join(state, "*", "*"))
	must(t, err)
	return slices.DeleteFunc(entries, func(path string) bool { return filepath.Base(path) == ".lock" })
}

// processes lists the processes whose command line names text.
func processes(t *testing.T, text string) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	must(t, err)
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err == nil && strings.Contains(string(line), text) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// ended waits until no process names the text: the browser's crash handlers
// leave its process group, and end when it has, which no event tells.
func ended(t *testing.T, text string) {
	t.Helper()
	eventually(t, "every process that names "+text+" ends", func() bool { return len(processes(t, text)) == 0 })
}

// eventually waits for what no event tells.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	ctx := soon(t)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !happened() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("did not happen: %s", what)
		}
	}
}
