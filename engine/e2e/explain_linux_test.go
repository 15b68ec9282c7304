package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// After each segment every reason opens to exactly as many nodes as are counted
// under it: none that a segment has listed since, none missing.
func TestEveryCountOpensToItsNodes(t *testing.T) {
	for _, page := range []string{"inbox-attribute", "inbox-stylesheet"} {
		t.Run(page, func(t *testing.T) {
			b, _ := use(t).tab(t, page)
			seg := b.state(args{"node_budget": 5})
			for n := 1; n <= 3; n++ {
				counted := 0
				for _, reason := range snapshotfmt.OmitReasons {
					want := seg.Snapshot.Omitted.Get(reason)
					counted += want
					if got := opened(b, reason); got != want {
						t.Errorf("segment %d: %s opens to %d nodes, counted %d", n, reason, got, want)
					}
				}
				if counted == 0 {
					t.Errorf("segment %d leaves nothing out", n)
				}
				if n == 1 && seg.Snapshot.Omitted.Budget == 0 {
					t.Error("nothing is over the budget of the first segment")
				}
				if seg.Snapshot.Continuation == "" {
					break
				}
				seg = b.state(args{"continuation": seg.Snapshot.Continuation})
			}
		})
	}
}

// opened counts the nodes that explain lists for a reason.
func opened(b tab, reason snapshotfmt.OmitReason) int {
	b.t.Helper()
	n, after := 0, ""
	for {
		arguments := args{"reason": string(reason)}
		if after != "" {
			arguments["after"] = after
		}
		page := ask[contract.ExplainResult](b.agent, "explain_browser_state", b.with(arguments))
		for _, x := range page.Rows {
			if x.Verdict == "listed" {
				b.t.Errorf("%s: %s is listed", reason, x.Ref)
			}
		}
		n += len(page.Rows)
		if page.Next == "" {
			return n
		}
		after = page.Next
	}
}

// A ref that explains says so wherever it is given to act on, and leads to the
// explanation; one of an older snapshot leads to a new one.
func TestARefThatExplainsIsNotActedOn(t *testing.T) {
	b, run := use(t).tab(t, "inbox-attribute")
	button := find(t, b.state(nil), "button", "Send").Ref
	hidden := ask[contract.ExplainResult](b.agent, "explain_browser_state", b.with(args{"reason": string(snapshotfmt.OmitCSSHidden)})).Rows[0].Ref
	if !strings.HasPrefix(hidden, "o") {
		t.Fatalf("%s of a node that is left out", hidden)
	}
	calls := map[string]args{
		"browser_click":     {"ref": hidden, "route": "dom_event"},
		"browser_type":      {"ref": hidden, "text": "a"},
		"browser_pointer":   {"ref": button, "gesture": "drag", "to_ref": hidden, "route": "dom_event"},
		"browser_wait":      {"ref_gone": hidden},
		"browser_navigate":  {"action": "reload", "expect": args{"ref": hidden, "state": "gone"}},
		"get_browser_state": {"scope_ref": hidden},
	}
	for tool, more := range calls {
		r := b.refused(refusal.RefKindUnsupported, tool, b.with(more))
		if r.Next == nil || r.Next.Tool != "explain_browser_state" || r.Next.Arguments["ref"] != hidden {
			t.Errorf("%s leads to %+v, want the explanation of %s", tool, r.Next, hidden)
		}
		b.leads(r)
	}
	if r := b.refused(refusal.RefKindUnsupported, "explain_browser_state", b.with(args{"ref": "v1:1"})); r.Next == nil || r.Next.Tool != "get_browser_state" {
		t.Errorf("a visual ref leads to %+v", r.Next)
	}
	snapshot, _, _ := strings.Cut(hidden, ":")
	b.refused(refusal.Foreign, "explain_browser_state", b.with(args{"ref": snapshot + ":999999"}))
	b.state(nil)
	r := b.clickRefused(refusal.RefKindUnsupported, hidden, "dom_event")
	if r.Next == nil || r.Next.Tool != "get_browser_state" {
		t.Errorf("of an older snapshot it leads to %+v", r.Next)
	}
	b.leads(r)
	b.untouched(run, "refused calls")
}

// A point outside of the viewport is a bad argument, whose answer says how
// large the viewport is.
func TestAPointOutsideOfTheViewport(t *testing.T) {
	b, _ := use(t).tab(t, "inbox-attribute")
	view := b.state(nil).Page.Viewport
	for _, at := range [][2]float64{{-1, 5}, {5, -1}, {view[0], 5}, {5, view[1]}, {99_999, 99_999}} {
		answer, raw := b.call("explain_browser_state", b.with(args{"point": at}))
		says := fmt.Sprintf("is outside of the viewport, which is %g by %g CSS px", view[0], view[1])
		if e := answer.Err; e == nil || e.Kind != contract.BadArguments || e.Field != "point" || e.Message != says {
			t.Errorf("at %v answered %s, want that it %s", at, raw, says)
		}
	}
	bar := [2]float64{view[0] - 1, view[1] - 1}
	answer, raw := b.call("explain_browser_state", b.with(args{"point": bar}))
	if e := answer.Err; e == nil || e.Field != "point" || !strings.Contains(e.Message, "nothing of the page") {
		t.Errorf("on the scroll bar answered %s", raw)
	}
	inside := ask[contract.ExplainResult](b.agent, "explain_browser_state", b.with(args{"point": [2]float64{0, view[1] - 1}}))
	if inside.Node == nil {
		t.Errorf("just inside there is %+v", inside)
	}
}
