package act_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"cuatui/engine/act"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
)

// trip is a tab of the scripted browser that is about to be moved.
type trip struct {
	*enginetest.Page
	conn    *devtools.Conn
	tab     *devtools.Session
	dialogs *dialogs
}

func newTrip(t *testing.T) *trip {
	t.Helper()
	b := enginetest.New()
	conn := devtools.New(b, devtools.Options{})
	t.Cleanup(func() { _ = conn.Close() })
	tab, err := conn.Attach(t.Context(), "TAB")
	if err != nil {
		t.Fatal(err)
	}
	tr := &trip{enginetest.NewPage(b, tab.ID()), conn, tab, newDialogs()}
	tr.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "OLD", URL: "http://localhost/old"})
	return tr
}

func (tr *trip) emit(event string, params map[string]any) {
	tr.Emit(tr.tab.ID(), "Page."+event, params)
}

func (tr *trip) commit(loader, url string) {
	tr.SetFrames(enginetest.Frame{ID: "MAIN", Loader: loader, URL: url})
	tr.emit("frameNavigated", map[string]any{"frame": map[string]any{"id": "MAIN", "loaderId": loader, "url": url}, "type": "Navigation"})
}

func (tr *trip) loads() {
	tr.emit("domContentEventFired", nil)
	tr.emit("loadEventFired", nil)
}

// on answers Page.navigate after what happens.
func (tr *trip) on(method string, answer map[string]any, happens func()) {
	tr.Handle(method, func(string, json.RawMessage) (any, *devtools.Error) { happens(); return answer, nil })
}

func (tr *trip) navigate(t *testing.T, r contract.NavigateRequest) (*contract.NavigateResult, error) {
	t.Helper()
	return act.Navigate(t.Context(), tr.tab, r, tr.dialogs, &refusal.Proof{})
}

func TestNavigateFollowsTheLoad(t *testing.T) {
	to := contract.NavigateRequest{URL: "http://localhost/new"}
	answer := map[string]any{"frameId": "MAIN", "loaderId": "NEW"}
	tests := []struct {
		name    string
		request contract.NavigateRequest
		script  func(*trip)
		want    contract.NavigateResult
	}{
		{"a new document", to, func(tr *trip) {
			tr.on("Page.navigate", answer, func() { tr.commit("NEW", "http://localhost/new"); tr.loads() })
		}, contract.NavigateResult{Status: contract.OK, Effect: refusal.EffectConfirmed, URL: "http://localhost/new", NewDocument: true, Invalidated: true, LoadState: "load"}},
		{"the events come after the answer", to, func(tr *trip) {
			taken := tr.Take("Page.navigate")
			go func() { r := <-taken; r.Reply(answer); tr.commit("NEW", "http://localhost/new"); tr.loads() }()
		}, contract.NavigateResult{Status: contract.OK, Effect: refusal.EffectConfirmed, URL: "http://localhost/new", NewDocument: true, Invalidated: true, LoadState: "load"}},
		{"commit is enough", contract.NavigateRequest{URL: "http://localhost/new", WaitUntil: "commit"}, func(tr *trip) {
			tr.on("Page.navigate", answer, func() { tr.commit("NEW", "http://localhost/new") })
		}, contract.NavigateResult{Status: contract.OK, Effect: refusal.EffectConfirmed, URL: "http://localhost/new", NewDocument: true, Invalidated: true, LoadState: "commit"}},
		{"dom content is enough", contract.NavigateRequest{URL: "http://localhost/new", WaitUntil: "domcontentloaded"}, func(tr *trip) {
			tr.on("Page.navigate", answer, func() { tr.commit("NEW", "http://localhost/new"); tr.emit("domContentEventFired", nil) })
		}, contract.NavigateResult{Status: contract.OK, Effect: refusal.EffectConfirmed, URL: "http://localhost/new", NewDocument: true, Invalidated: true, LoadState: "domcontentloaded"}},
		{"within the document", contract.NavigateRequest{URL: "http://localhost/old#x"}, func(tr *trip) {
			tr.on("Page.navigate", map[string]any{"frameId": "MAIN"}, func() {
				tr.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "OLD", URL: "http://localhost/old#x"})
				tr.emit("navigatedWithinDocument", map[string]any{"frameId": "OTHER"})
				tr.emit("navigatedWithinDocument", map[string]any{"frameId": "MAIN"})
			})
		}, contract.NavigateResult{Status: contract.OK, Effect: refusal.EffectConfirmed, URL: "http://localhost/old#x", LoadState: "load"}},
		{"a load of a frame is not the page's", to, func(tr *trip) {
			tr.on("Page.navigate", answer, func() {
				tr.emit("frameNavigated", map[string]any{"frame": map[string]any{"id": "CHILD", "parentId": "MAIN", "loaderId": "C"}})
				tr.loads() // of the old document: not ours
				tr.commit("NEW", "http://localhost/new")
				tr.loads()
			})
		}, contract.NavigateResult{Status: contract.OK, Effect: refusal.EffectConfirmed, URL: "http://localhost/new", NewDocument: true, Invalidated: true, LoadState: "load"}},
		{"a redirect by the page starts the load again", to, func(tr *trip) {
			tr.on("Page.navigate", answer, func() {
				tr.commit("NEW", "http://localhost/new")
				tr.emit("domContentEventFired", nil)
				tr.commit("THIRD", "http://localhost/third")
				tr.loads()
			})
		}, contract.NavigateResult{Status: contract.OK, Effect: refusal.EffectConfirmed, URL: "http://localhost/third", NewDocument: true, Invalidated: true, LoadState: "load"}},
		{"what went on before is not our doing", contract.NavigateRequest{URL: "http://localhost/new", WaitUntil: "commit"}, func(tr *trip) {
			tree := tr.Handler("Page.getFrameTree")
			tr.Handle("Page.getFrameTree", func(session string, params json.RawMessage) (any, *devtools.Error) {
				tr.emit("frameNavigated", map[string]any{"frame": map[string]any{"id": "MAIN", "loaderId": "OLD"}}) // on its way already
				return tree(session, params)
			})
			tr.on("Page.navigate", map[string]any{"errorText": "net::ERR_ABORTED"}, func() {
				tr.emit("frameNavigated", map[string]any{"frame": map[string]any{"id": "MAIN", "loaderId": "NEW"}})
			})
		}, contract.NavigateResult{Status: contract.Partial, Effect: refusal.EffectNone, URL: "http://localhost/old", ErrorText: "net::ERR_ABORTED", LoadState: "commit"}},
		{"nothing answers there", to, func(tr *trip) {
			tr.on("Page.navigate", map[string]any{"frameId": "MAIN", "loaderId": "ERR", "errorText": "net::ERR_CONNECTION_REFUSED"}, func() {
				tr.commit("ERR", "chrome-error://chromewebdata/")
			})
		}, contract.NavigateResult{Status: contract.Partial, Effect: refusal.EffectConfirmed, URL: "chrome-error://chromewebdata/", ErrorText: "net::ERR_CONNECTION_REFUSED", NewDocument: true, Invalidated: true, LoadState: "commit"}},
		{"reload", contract.NavigateRequest{Action: "reload"}, func(tr *trip) {
			tr.on("Page.reload", nil, func() { tr.commit("NEW", "http://localhost/old"); tr.loads() })
		}, contract.NavigateResult{Status: contract.OK, Effect: refusal.EffectConfirmed, URL: "http://localhost/old", NewDocument: true, Invalidated: true, LoadState: "load"}},
		{"back into the cache", contract.NavigateRequest{Action: "back"}, func(tr *trip) {
			tr.Result("Page.getNavigationHistory", map[string]any{"currentIndex": 1, "entries": []any{map[string]any{"id": 5}, map[string]any{"id": 6}}})
			tr.on("Page.navigateToHistoryEntry", nil, func() {
				tr.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "BACK", URL: "http://localhost/back"})
				tr.emit("frameNavigated", map[string]any{"frame": map[string]any{"id": "MAIN", "loaderId": "BACK"}, "type": "BackForwardCacheRestore"})
			})
		}, contract.NavigateResult{Status: contract.OK, Effect: refusal.EffectConfirmed, URL: "http://localhost/back", NewDocument: true, Invalidated: true, LoadState: "load"}},
		{"a page asks before it is left", to, func(tr *trip) {
			tr.Handle("Page.navigate", func(string, json.RawMessage) (any, *devtools.Error) {
				tr.dialogs.raise()
				return nil, enginetest.ErrSilent
			})
		}, contract.NavigateResult{Status: contract.Partial, Effect: refusal.EffectDispatched, LoadState: "none", Dialog: &contract.Dialog{Type: "alert", Text: "hello"}}},
		{"a page alerts while it loads", to, func(tr *trip) {
			tr.on("Page.navigate", answer, func() { tr.commit("NEW", "http://localhost/new"); tr.dialogs.raise() })
		}, contract.NavigateResult{Status: contract.Partial, Effect: refusal.EffectDispatched, Dialog: &contract.Dialog{Type: "alert", Text: "hello"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrip(t)
			tt.script(tr)
			got, err := tr.navigate(t, tt.request)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if (got.Dialog == nil) != (want.Dialog == nil) || want.Dialog != nil && *got.Dialog != *want.Dialog {
				t.Errorf("dialog %+v, want %+v", got.Dialog, want.Dialog)
			}
			if want.LoadState == "" {
				want.LoadState = got.LoadState
			}
			want.Dialog, want.SideEffects, want.Proof, want.Verdict, want.Evidence = got.Dialog, got.SideEffects, got.Proof, "not_asked", []contract.Evidence{}
			g, w := line(t, *got), line(t, want)
			if g != w {
				t.Errorf("got  %s\nwant %s", g, w)
			}
		})
	}
}

// Events of an earlier load, of a child frame and of another document do not
// end the wait: only the ordered document's own do.
func TestOnlyItsOwnLoadEndsTheWait(t *testing.T) {
	foreign := map[string]func(*trip){
		"another frame's document": func(tr *trip) {
			tr.emit("frameNavigated", map[string]any{"frame": map[string]any{"id": "CHILD", "parentId": "MAIN"}})
			tr.loads()
		},
		"the old document's load":    func(tr *trip) { tr.loads() },
		"another frame's own moving": func(tr *trip) { tr.emit("navigatedWithinDocument", map[string]any{"frameId": "CHILD"}) },
		"what cannot be read": func(tr *trip) {
			tr.emit("frameNavigated", map[string]any{"frame": 7})
			tr.emit("navigatedWithinDocument", map[string]any{"frameId": 7})
		},
		"nothing": func(*trip) {},
	}
	for name, script := range foreign {
		t.Run(name, func(t *testing.T) {
			tr := newTrip(t)
			tree := tr.Handler("Page.getFrameTree")
			tr.Handle("Page.getFrameTree", func(session string, params json.RawMessage) (any, *devtools.Error) {
				if len(tr.Calls("Page.navigate")) == 0 { // a load that was on its way before the order
					tr.emit("frameNavigated", map[string]any{"frame": map[string]any{"id": "MAIN", "loaderId": "OLD"}})
					tr.loads()
				}
				return tree(session, params)
			})
			taken := tr.Take("Page.navigate")
			go func() {
				order := <-taken
				script(tr)
				order.Reply(map[string]any{"frameId": "MAIN", "loaderId": "NEW"})
				for range 20 { // what was sent has been read by the end of these
					if err := tr.tab.Call(t.Context(), "Page.enable", nil, nil); err != nil {
						t.Error(err)
					}
				}
				if n := len(tr.Calls("Page.getFrameTree")); n != 1 {
					t.Error("the wait ended before the document came")
				}
				tr.commit("NEW", "http://localhost/new")
				tr.loads()
			}()
			got, err := tr.navigate(t, contract.NavigateRequest{URL: "http://localhost/new"})
			if err != nil || !got.NewDocument || got.LoadState != "load" || got.Status != contract.OK {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func line(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestNavigateRefuses(t *testing.T) {
	history := func(current, n int) func(*trip) {
		entries := []any{}
		for i := range n {
			entries = append(entries, map[string]any{"id": i})
		}
		return func(tr *trip) {
			tr.Result("Page.getNavigationHistory", map[string]any{"currentIndex": current, "entries": entries})
		}
	}
	tests := []struct {
		name   string
		action string
		script func(*trip)
		reason refusal.Reason
	}{
		{"nothing behind", "back", history(0, 3), refusal.NotDeclared},
		{"nothing ahead", "forward", history(2, 3), refusal.NotDeclared},
		{"an index out of the history", "forward", history(1<<40, 3), refusal.NotDeclared},
		{"an index before the history", "back", history(-5, 3), refusal.NotDeclared},
		{"the browser declines", "url", func(tr *trip) { tr.Fail("Page.navigate", -32000, "Cannot navigate to invalid URL") }, refusal.PageRefused},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrip(t)
			tt.script(tr)
			_, err := tr.navigate(t, contract.NavigateRequest{Action: tt.action, URL: "http://x/"})
			if r, ok := refusal.As(err); !ok || r.Reason != tt.reason || r.Effect != refusal.EffectNone {
				t.Errorf("got %v, want %s", err, tt.reason)
			}
			if len(tr.Calls("Page.navigateToHistoryEntry")) > 0 {
				t.Error("it went")
			}
		})
	}
}

func TestATabWithoutAMainFrameIsAnError(t *testing.T) {
	for _, answer := range []any{nil, map[string]any{}, map[string]any{"frameTree": map[string]any{"frame": map[string]any{"id": 7}}}} {
		tr := newTrip(t)
		tr.Result("Page.getFrameTree", answer)
		if _, err := tr.navigate(t, contract.NavigateRequest{URL: "http://x/"}); err == nil || len(tr.Calls("Page.navigate")) > 0 {
			t.Errorf("%v: got %v", answer, err)
		}
	}
}

// The connection is cut at every message: before the order that is an error,
// after it the effect is not known, and the order is given once.
func TestANavigationCutAnywhereTellsTheTruth(t *testing.T) {
	script := func(t *testing.T) *trip {
		tr := newTrip(t)
		tr.on("Page.navigate", map[string]any{"frameId": "MAIN", "loaderId": "NEW"}, func() { tr.commit("NEW", "http://localhost/new"); tr.loads() })
		return tr
	}
	whole := script(t)
	first := len(whole.Log())
	if _, err := whole.navigate(t, contract.NavigateRequest{URL: "http://localhost/new"}); err != nil {
		t.Fatal(err)
	}
	for cut := first + 1; cut <= len(whole.Log()); cut++ {
		tr := script(t)
		tr.LoseAt(cut, io.ErrUnexpectedEOF)
		got, err := tr.navigate(t, contract.NavigateRequest{URL: "http://localhost/new"})
		switch n := len(tr.Calls("Page.navigate")); {
		case n == 0 && !errors.Is(err, devtools.ErrClosed):
			t.Errorf("cut at %d before the order: %+v, %v", cut, got, err)
		case n == 1 && (err != nil || got.Effect != refusal.EffectUnknown || got.Status != contract.Partial):
			t.Errorf("cut at %d after the order: %+v, %v", cut, got, err)
		case n == 1 && !strings.Contains(steps(got.Proof), "order pass"):
			t.Errorf("cut at %d: the proof is %s", cut, steps(got.Proof))
		case n > 1:
			t.Errorf("cut at %d: the order was given %d times", cut, n)
		}
	}
}

func TestANavigationEndsWithItsContext(t *testing.T) {
	tr := newTrip(t)
	ctx, cancel := context.WithCancel(t.Context())
	tr.on("Page.navigate", map[string]any{"frameId": "MAIN", "loaderId": "NEW"}, func() { tr.commit("NEW", "http://localhost/new"); cancel() })
	got, err := act.Navigate(ctx, tr.tab, contract.NavigateRequest{URL: "http://localhost/new"}, tr.dialogs, &refusal.Proof{})
	if err != nil || got.Status != contract.Partial || got.Effect == refusal.EffectNone {
		t.Errorf("%+v, %v", got, err)
	}
}
