package e2e_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
	"cuatui/snapshotfmt"
)

// args are the arguments of a call, as an agent writes them.
type args map[string]any

// agent is one session as an agent has it: it sends JSON and reads JSON. Every
// answer is held against its schema and searched for internals.
type agent struct {
	t       *testing.T
	stage   *stage
	engine  headless.Engine
	session string
}

// agent is the session that owns the shared browser.
func (s *stage) agent(t *testing.T) agent { return agent{t, s, s.engine, sharedSession} }

// call makes one call and returns the answer and its bytes. It may be called
// from several goroutines.
func (a agent) call(tool string, arguments args) (headless.Answer, []byte) {
	a.t.Helper()
	with := args{"session": a.session}
	for k, v := range arguments {
		with[k] = v
	}
	raw, err := json.Marshal(with)
	if err != nil {
		a.t.Fatal(err)
	}
	answer := headless.Call(a.t.Context(), a.engine, tool, raw)
	out, err := json.Marshal(map[string]any{"result": answer.Value(), "error": answer.Err})
	if err != nil {
		a.t.Fatal(err)
	}
	if v := answer.Value(); v != nil {
		if err := contract.ValidateResult(tool, v); err != nil {
			a.t.Errorf("%s %v: %v", tool, arguments, err)
		}
	}
	for _, leak := range a.stage.leaks(out) {
		a.t.Errorf("%s %v answered with %s", tool, arguments, leak)
	}
	return answer, out
}

// ask makes a call that must succeed and reads the answer from its JSON.
func ask[Result any](a agent, tool string, arguments args) *Result {
	a.t.Helper()
	answer, raw := a.call(tool, arguments)
	if answer.Result == nil {
		cause := error(nil)
		if answer.Err != nil {
			cause = answer.Err.Unwrap()
		}
		a.t.Fatalf("%s %v: %.2000s (%v)", tool, arguments, raw, cause)
	}
	var out struct{ Result Result }
	must(a.t, json.Unmarshal(raw, &out))
	return &out.Result
}

// refused makes a call that must be refused for the reason.
func (a agent) refused(reason refusal.Reason, tool string, arguments args) *refusal.Refusal {
	a.t.Helper()
	answer, raw := a.call(tool, arguments)
	if answer.Refusal == nil {
		a.t.Fatalf("%s %v was not refused (%s): %.2000s", tool, arguments, reason, raw)
	}
	r := answer.Refusal.Refusal
	if r.Reason != reason {
		a.t.Fatalf("%s %v was refused with %s, want %s: %.2000s", tool, arguments, r.Reason, reason, raw)
	}
	if code, ok := refusal.CodeOf(reason); !ok || r.Code != code || r.Effect != refusal.EffectNone {
		a.t.Errorf("%s: code %s, effect %s; want %s and none", reason, r.Code, r.Effect, code)
	}
	return r
}

// failed returns the steps of a proof that did not hold.
func failed(steps []refusal.Step) []refusal.Step {
	return slices.DeleteFunc(slices.Clone(steps), func(s refusal.Step) bool { return s.Verdict != refusal.Fail })
}

// tab is a bound tab.
type tab struct {
	agent
	target, id string
}

// tab is the shared browser's first tab, with page in it and everything that
// happened while it loaded forgotten.
func (s *stage) tab(t *testing.T, page string) (tab, string) {
	t.Helper()
	b := tab{s.agent(t), s.targetID, s.tabID}
	return b, b.open(page)
}

// with adds the tab to arguments.
func (b tab) with(arguments args) args {
	out := args{"target_id": b.target, "tab_id": b.id}
	for k, v := range arguments {
		out[k] = v
	}
	return out
}

// open loads a fixture page and returns its run.
func (b tab) open(page string) (run string) {
	b.t.Helper()
	url, run := b.stage.pages.Page(page)
	if got := ask[contract.NavigateResult](b.agent, "browser_navigate", b.with(args{"url": url})); got.Status != contract.OK {
		b.t.Fatalf("opening %s: %+v", page, got)
	}
	b.stage.witness.learn(b.t)
	b.settled(run)
	b.stage.pages.Reset(run)
	return run
}

// settled returns what a run has observed once it has observed everything.
func (b tab) settled(run string) []fixtures.Record {
	b.t.Helper()
	must(b.t, b.stage.pages.Flush(soon(b.t), run))
	return slices.DeleteFunc(b.stage.pages.Journal(run), func(r fixtures.Record) bool { return r.Type == "flush" })
}

// untouched fails if the page observed anything at all.
func (b tab) untouched(run, what string) {
	b.t.Helper()
	if seen := b.settled(run); len(seen) > 0 {
		b.t.Errorf("%s: the page observed %s", what, told(seen))
	}
}

// told is what was observed, for a message.
func told(records []fixtures.Record) string {
	var out []string
	for _, r := range records {
		out = append(out, fmt.Sprintf("%s on %q (trusted %v)", r.Type, r.Target, r.Trusted))
	}
	return strings.Join(out, ", ")
}

// state takes a snapshot or a further segment.
func (b tab) state(arguments args) *contract.StateResult {
	b.t.Helper()
	return ask[contract.StateResult](b.agent, "get_browser_state", b.with(arguments))
}

// click clicks and must not be refused.
func (b tab) click(ref, route string) *contract.ActionResult {
	b.t.Helper()
	return ask[contract.ActionResult](b.agent, "browser_click", b.with(args{"ref": ref, "route": route}))
}

// clickRefused clicks and must be refused for the reason.
func (b tab) clickRefused(reason refusal.Reason, ref, route string) *refusal.Refusal {
	b.t.Helper()
	return b.refused(reason, "browser_click", b.with(args{"ref": ref, "route": route}))
}

// entries are all that a segment lists.
func entries(r *contract.StateResult) []snapshotfmt.Entry {
	return append(slices.Clone(r.Refs), r.ContentRefs...)
}

// find is the one listed entry of a role ("" for any) and name.
func find(t *testing.T, r *contract.StateResult, role, name string) snapshotfmt.Entry {
	t.Helper()
	var found []snapshotfmt.Entry
	for _, e := range entries(r) {
		if e.Name == name && (role == "" || e.Role == role) {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d entries are %s %q, want one, in\n%s", len(found), role, name, r.Outline)
	}
	return found[0]
}

// declared is the control of a fixture page by its id.
func declared(t *testing.T, page, id string) fixtures.Control {
	t.Helper()
	e, ok := fixtures.ExpectFor(page)
	i := slices.IndexFunc(e.Visible, func(c fixtures.Control) bool { return c.ID == id })
	if !ok || i < 0 {
		t.Fatalf("page %s declares no control %s", page, id)
	}
	return e.Visible[i]
}
