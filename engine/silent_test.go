package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"cuatui/engine/attach"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// hang makes the browser read and answer nothing more.
func (w *scene) hang() {
	w.Take("Target.getTargets")
	w.Take("Browser.getWindowForTarget")
	w.Take("Target.attachToTarget")
}

// TestABrowserThatHangsIsRefusedInTime: before it is bound and after, whatever
// is asked of it.
func TestABrowserThatHangsIsRefusedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, embedded, accessEmbedded)
		target, tab := b.bind()
		b.hang()
		calls := b.reads(target, tab)
		calls["bind"] = func() error {
			_, err := b.e.State(t.Context(), contract.StateRequest{Session: movingSession, PID: movingPID, WindowID: 11})
			return err
		}
		calls["mutation"] = func() error { return b.mutate(target, tab) }
		calls["tabs"] = func() error {
			_, err := b.e.Tabs(t.Context(), contract.TabsRequest{Session: movingSession, TargetID: target, Change: "list"})
			return err
		}
		for name, call := range calls {
			start := time.Now()
			err := call()
			r, ok := refusal.As(err)
			if !ok || r.Reason != refusal.ConnectFailed || r.Next == nil || len(r.Proof) == 0 {
				t.Errorf("%s: %v", name, err)
			}
			if took := time.Since(start); took != limits.AnswerTimeout {
				t.Errorf("%s took %s", name, took)
			}
		}
	})
}

// TestABrowserThatHangsDoesNotHoldUpTheList: it has its time once, and the
// others have their verdicts.
func TestABrowserThatHangsDoesNotHoldUpTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, embedded, accessEmbedded)
		for i := range 3 { // three of another browser, which hangs
			w := windowAt(platform.WindowID(21+i), "Two", place)
			w.PID = movingPID + 1
			b.windows = append(b.windows, w)
		}
		other := b.processes[0]
		other.PID++
		b.processes = append(b.processes, other)
		hung := enginetest.New()
		hung.Take("Target.getTargets")
		b.connect(hung, accessEmbedded)
		all := b.e.browsers[movingSession]
		all[1].process, all[1].endpoint = other, &attach.Endpoint{Owner: other.Fingerprint(), Source: attach.JSONVersion}
		b.windows = append(b.windows, windowAt(12, "Elsewhere", platform.Rect{X: 900, Y: 100, W: 300, H: 300}))
		start := time.Now()
		list, err := b.e.ListWindows(t.Context(), contract.ListWindowsRequest{Session: movingSession})
		b.must(list, err)
		if took := time.Since(start); took != limits.VerdictTimeout {
			t.Errorf("it took %s", took)
		}
		want := []contract.WouldBind{
			{Verdict: "exact"},
			{Verdict: "refused", Code: refusal.RouteUnavailable, Reason: refusal.ConnectFailed},
			{Verdict: "refused", Code: refusal.RouteUnavailable, Reason: refusal.ConnectFailed},
			{Verdict: "refused", Code: refusal.RouteUnavailable, Reason: refusal.ConnectFailed},
			{Verdict: "refused", Code: refusal.WrongTargetRefused, Reason: refusal.NoMatch},
		}
		for i, n := range list.Windows {
			if i >= len(want) || n.WouldBind != want[i] {
				t.Errorf("window %d: %+v", n.WindowID, n.WouldBind)
			}
		}
		if len(list.Windows) != len(want) || len(hung.Calls("Target.getTargets")) != 1 {
			t.Errorf("%d windows, asked %d times", len(list.Windows), len(hung.Calls("Target.getTargets")))
		}
	})
}

// TestWhatAnEndpointSendsIsNoFailureOfTheEngine: the endpoint is whatever
// listens there.
func TestWhatAnEndpointSendsIsNoFailureOfTheEngine(t *testing.T) {
	for _, tt := range []struct {
		name string
		say  func(*scene)
	}{
		{"an error", func(w *scene) { w.Fail("Target.getTargets", -32603, "no") }},
		{"no such method", func(w *scene) { w.Fail("Target.getTargets", -32601, "no") }},
		{"another shape", func(w *scene) { w.Result("Target.getTargets", map[string]any{"targetInfos": "many"}) }},
		{"a window of another shape", func(w *scene) {
			w.Result("Browser.getWindowForTarget", map[string]any{"windowId": []int{1}})
		}},
		{"an error about a window", func(w *scene) { w.tabs[0].code = -32000 }},
		{"no JSON", func(w *scene) { w.says([]byte("\x00\xff{{{")) }},
		{"a message without an end", func(w *scene) { w.says(bytes.Repeat([]byte("["), 1<<20)) }},
		{"the end", func(w *scene) {
			w.Handle("Target.getTargets", func(string, json.RawMessage) (any, *devtools.Error) { w.Lose(errors.New("cut")); return nil, nil })
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, embedded, accessEmbedded)
			tt.say(b.scene)
			_, err := b.e.State(t.Context(), contract.StateRequest{Session: movingSession, PID: movingPID, WindowID: 11})
			r, ok := refusal.As(err)
			if !ok || r.Reason != refusal.ConnectFailed || r.Next == nil || len(r.Proof) < len(bindSteps) {
				t.Errorf("%v: %+v", err, r)
			}
		})
	}
}

// says is what the browser sends instead of the list of its pages.
func (w *scene) says(message []byte) {
	w.Handle("Target.getTargets", func(string, json.RawMessage) (any, *devtools.Error) {
		w.EmitRaw(message)
		return nil, enginetest.ErrSilent
	})
}
