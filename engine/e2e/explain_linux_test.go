package e2e_test

import (
	"testing"

	"cuatui/engine/contract"
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
