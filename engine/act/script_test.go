package act_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"cuatui/engine/act"
	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
	"cuatui/snapshotfmt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dialogs is the state of a tab's dialogs, in the test's hands.
type dialogs struct {
	mu     sync.Mutex
	open   *contract.Dialog
	opened chan struct{}
}

func newDialogs() *dialogs { return &dialogs{opened: make(chan struct{})} }

func (d *dialogs) Opened() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.opened
}

func (d *dialogs) Open() *contract.Dialog {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

func (d *dialogs) raise() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = &contract.Dialog{Type: "alert", Text: "hello"}
	close(d.opened)
}

// stage is a button on a scripted page, ready to be clicked by the synthetic route.
type stage struct {
	*enginetest.Page
	dialogs *dialogs
	subject act.Subject
	sight   world.Sight
	looked  int
}

func newStage(t *testing.T) *stage {
	t.Helper()
	b := enginetest.New()
	conn := devtools.New(b, devtools.Options{})
	t.Cleanup(func() { _ = conn.Close() })
	tab, err := conn.Attach(t.Context(), "TAB")
	if err != nil {
		t.Fatal(err)
	}
	page := enginetest.NewPage(b, tab.ID())
	doc, err := world.Enter(t.Context(), tab, "MAIN", "L1", "http://localhost/", "world")
	if err != nil {
		t.Fatal(err)
	}
	st := &stage{Page: page, dialogs: newDialogs(), sight: world.Sight{
		Role: "button", Name: "Pay", RowKey: "row 1", Tag: "button", Tier: snapshotfmt.InViewport, Contract: "Space", Actionable: true,
		Hit: true, Points: [][2]float64{{10, 20}}, TabVisible: true,
	}}
	st.subject = act.Subject{
		Tab: tab, Document: doc, Local: 7, Dialogs: st.dialogs,
		Ref:         capability.Ref{K: 3, Role: "button", Name: "Pay", RowKey: "row 1", Actions: []string{"click", "pointer"}, Contract: "Space"},
		Look:        func(context.Context) (*world.Sight, error) { st.looked++; s := st.sight; return &s, nil },
		OccluderRef: func(k int) string { return fmt.Sprintf("p1:%d", k) },
	}
	page.Say("reveal", map[string]any{"moved": true})
	page.Say("focus", map[string]any{"focused": true})
	page.Say("press", map[string]any{"ok": true})
	page.Say("settle", quiet())
	return st
}

// quiet is what the page shows when a click changed nothing.
func quiet() map[string]any {
	return map[string]any{"before": map[string]any{"url": "u"}, "after": map[string]any{"url": "u"}, "events": []any{}, "settled": "nothing_changed"}
}

func (s *stage) click(t *testing.T, route string) (*contract.ActionResult, error) {
	t.Helper()
	return act.Click(t.Context(), s.subject, route, &refusal.Proof{})
}

// delivered lists what could have reached the page, in order.
func (s *stage) delivered() []string {
	var out []string
	for _, r := range s.Log() {
		var p struct {
			Type      string
			Arguments []struct{ Value any }
		}
		_ = json.Unmarshal(r.Params, &p)
		switch {
		case strings.HasPrefix(r.Method, "Input."):
			out = append(out, p.Type)
		case r.Method == "Runtime.callFunctionOn" && len(p.Arguments) > 0 && p.Arguments[0].Value == "press":
			out = append(out, "press")
		}
	}
	return out
}

// steps is a proof as text.
func steps(all []refusal.Step) string {
	var out []string
	for _, s := range all {
		out = append(out, s.Step+" "+string(s.Verdict))
	}
	return strings.Join(out, ", ")
}

func wantRefusal(t *testing.T, err error, reason refusal.Reason, step string) *refusal.Refusal {
	t.Helper()
	r, ok := refusal.As(err)
	if !ok || r.Reason != reason || r.Effect != refusal.EffectNone {
		t.Fatalf("got %v, want the refusal %s", err, reason)
	}
	failed := slices.IndexFunc(r.Proof, func(s refusal.Step) bool { return s.Verdict == refusal.Fail })
	if failed < 0 || r.Proof[failed].Step != step {
		t.Errorf("the proof is %s; want it to fail at %s", steps(r.Proof), step)
	}
	for _, s := range r.Proof[failed+1:] {
		if s.Verdict != refusal.NotRun {
			t.Errorf("%s is %s after the failure", s.Step, s.Verdict)
		}
	}
	return r
}
