package e2e_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// read is a snapshot as the engine has it, with the structure of its lines.
func (b tab) read(arguments args) *contract.StateResult {
	b.t.Helper()
	answer, raw := b.call("get_browser_state", b.with(arguments))
	r, ok := answer.Result.(*contract.StateResult)
	if !ok {
		b.t.Fatalf("%v: %.500s", arguments, raw)
	}
	return r
}

func uidOf(t *testing.T, r *contract.StateResult, ref string) string {
	t.Helper()
	i := slices.IndexFunc(r.Lines, func(l snapshotfmt.Line) bool { return l.Ref == ref })
	if i < 0 {
		t.Fatalf("%s has no line", ref)
	}
	return r.Lines[i].UID
}

// A uid is taken wherever a ref is, proven in the same way, and stays while its
// node does.
func TestAUIDIsActedOnLikeARef(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "form")
	uids := args{"snapshot_format": "ax_uid_v1"}
	first := b.read(uids)
	uid := func(r *contract.StateResult, role, name string) string {
		t.Helper()
		return uidOf(t, r, find(t, r, role, name).Ref)
	}
	text, fruit, agree := uid(first, "textbox", "Text"), uid(first, "combobox", "Fruit"), uid(first, "checkbox", "I agree")
	for _, call := range []struct {
		tool string
		with args
	}{
		{"browser_type", args{"ref": text, "text": "er", "expect": args{"ref": text, "value": "plainer"}}},
		{"browser_select", args{"ref": fruit, "labels": []string{"Fig"}}},
		{"browser_press", args{"ref": agree, "key": "Space", "expect": args{"ref": agree, "state": "unchecked"}}},
		{"browser_click", args{"ref": agree, "route": "dom_event"}},
	} {
		if r := ask[contract.ActionResult](b.agent, call.tool, b.with(call.with)); r.Effect != refusal.EffectConfirmed {
			t.Errorf("%s by uid: %+v", call.tool, r)
		}
	}
	ask[contract.ActionResult](b.agent, "browser_pointer", b.with(args{"ref": agree, "gesture": "hover"}))
	if r := ask[contract.WaitResult](b.agent, "browser_wait", b.with(args{"ref_gone": agree, "timeout_ms": 1})); r.Verdict != "unmet" {
		t.Errorf("waiting for a node by its uid: %+v", r)
	}
	if r := ask[contract.ScreenshotResult](b.agent, "browser_screenshot", b.with(args{"ref": fruit})); r.Of != "node" {
		t.Errorf("a screenshot by uid is of the %s", r.Of)
	}
	if r := ask[contract.ExplainResult](b.agent, "explain_browser_state", b.with(args{"ref": agree})); r.Node == nil || r.Node.Verdict != "listed" {
		t.Errorf("explained by uid: %+v", r)
	}

	for _, format := range []string{"ax_uid_v1", "semantic_v2", "dom_refs_v1"} { // whatever is read in between
		b.read(args{"snapshot_format": format})
	}
	if again := b.read(uids); uid(again, "textbox", "Text") != text || uid(again, "combobox", "Fruit") != fruit || !strings.Contains(again.Body(), "uid="+agree+" checkbox") {
		t.Errorf("the uids %s, %s and %s are others when the page is read again:\n%s", text, fruit, agree, again.Body())
	}
	b.click(agree, "dom_event")

	s.witness.eval(t, run, `document.getElementById('agree-label').lastChild.data = ' I refuse'; document.getElementById('fruit').remove()`, nil)
	r := b.clickRefused(refusal.IdentityChanged, agree, "dom_event")
	if r.Next == nil || r.Next.Tool != "get_browser_state" || r.Next.Arguments["snapshot_format"] != "ax_uid_v1" {
		t.Errorf("who reads uids is led to %+v", r.Next)
	}
	b.refused(refusal.NodeGone, "browser_select", b.with(args{"ref": fruit, "labels": []string{"Fig"}}))
	changed := b.read(uids)
	if now := uid(changed, "checkbox", "I refuse"); now == agree {
		t.Errorf("what is called otherwise is still %s", now)
	}
	if r := b.clickRefused(refusal.Superseded, agree, "dom_event"); r.Detail == nil || r.Detail.SameNode != "changed" {
		t.Errorf("of a node that became another: %+v", r.Detail)
	}
	if r := b.refused(refusal.Superseded, "browser_select", b.with(args{"ref": fruit, "labels": []string{"Fig"}})); r.Detail == nil || r.Detail.SameNode != "gone" {
		t.Errorf("of a node that went: %+v", r.Detail)
	}
	b.clickRefused(refusal.Foreign, "999999_1", "dom_event")
	b.clickRefused(refusal.Foreign, strings.Split(text, "_")[0]+"_999999", "dom_event")
	b.clickRefused(refusal.Malformed, text+"_1", "dom_event")
	ask[contract.ActionResult](b.agent, "browser_type", b.with(args{"ref": text, "text": "!"}))

	opened := ask[contract.TabsResult](b.agent, "browser_tabs", args{"target_id": b.target, "change": "open", "url": "about:blank"})
	unread := tab{b.agent, b.target, opened.TabID}
	unread.clickRefused(refusal.NoSnapshot, "1_1", "dom_event")
	ask[contract.TabsResult](b.agent, "browser_tabs", unread.with(args{"change": "close"}))
}

// A format is kept to the end of its segments, within the budget, and each of
// them lists what the others do not.
func TestSegmentsKeepTheirFormat(t *testing.T) {
	s := use(t)
	b, _ := s.tab(t, "form")
	for _, format := range []string{"dom_refs_v1", "ax_uid_v1"} {
		seen := map[string]bool{}
		var continuation string
		for segments := 1; ; segments++ {
			with := args{"output_budget": 300}
			if continuation == "" {
				with["snapshot_format"] = format
			} else {
				with["continuation"] = continuation
				other, _ := b.call("get_browser_state", b.with(args{"continuation": continuation, "snapshot_format": "semantic_v2"}))
				if other.Err == nil || other.Err.Field != "snapshot_format" {
					t.Errorf("a continuation in another format: %+v", other)
				}
			}
			r := b.read(with)
			i := r.Snapshot
			if i.Format != format || i.EstimatedTokens > 300 || i.EstimatedTokens != snapshotfmt.EstimateTokens(strings.TrimSuffix(r.Body(), "\n")) {
				t.Errorf("segment %d is in %s and has %d tokens:\n%s", i.Segment, i.Format, i.EstimatedTokens, r.Body())
			}
			for _, e := range entries(r) {
				name := e.Ref + " "
				if format == "ax_uid_v1" {
					name = "uid=" + uidOf(t, r, e.Ref) + " "
				}
				if seen[name] || !strings.Contains(r.Body(), name) {
					t.Errorf("%sis listed before, or not in\n%s", name, r.Body())
				}
				seen[name] = true
			}
			if continuation = i.Continuation; continuation == "" {
				if segments < 3 || len(seen) != i.Candidates-i.Omitted.Total() {
					t.Errorf("%s: %d nodes in %d segments, of %d candidates; omitted %d", format, len(seen), segments, i.Candidates, i.Omitted.Total())
				}
				break
			}
		}
	}
	raw, err := json.Marshal(b.read(args{"snapshot_format": "dom_refs_v1"}))
	must(t, err)
	for _, part := range []string{`"snapshot_id":"p`, `"deprecated":{"since":"`, `"node":"input","label":"name=\"Text\" value=\"plain\" role=textbox","frame":"main"`, `"oopif":{"status":"attached","frames":0}`} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("no %s in %.500s", part, raw)
		}
	}
	if strings.Contains(string(raw), `"outline"`) {
		t.Errorf("the flat list has an outline: %.500s", raw)
	}
}
