package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
	"cuatui/snapshotfmt"
)

func TestAWindowIsBoundExactly(t *testing.T) {
	s := use(t)
	b, _ := s.tab(t, "inbox-attribute")
	list := ask[contract.ListWindowsResult](b.agent, "list_windows", args{})
	i := slices.IndexFunc(list.Windows, func(w contract.NativeWindow) bool { return w.WindowID == s.window })
	if i < 0 {
		t.Fatalf("the prepared window is not listed: %+v", list.Windows)
	}
	if w := list.Windows[i]; w.WouldBind.Verdict != "exact" || w.PID != s.pid || w.Active || w.Access != "driver_owned" || !strings.HasPrefix(w.Title, "Inbox") {
		t.Errorf("listed as %+v; want exact, ours, behind the sentinel, titled Inbox", w)
	}
	bound := ask[contract.StateResult](b.agent, "get_browser_state", args{"pid": s.pid, "window_id": s.window})
	if bound.Mode != "bind" || bound.BindingQuality != "exact" || bound.BindingRoute != "native_cdp_window" || bound.MutationAllowed == nil || !*bound.MutationAllowed {
		t.Errorf("bound as %+v", bound)
	}
	var steps []string
	for _, step := range bound.Proof {
		steps = append(steps, step.Step)
		if step.Verdict != refusal.Pass {
			t.Errorf("step %+v did not pass", step)
		}
	}
	want := "session process access window fingerprint endpoint connection browser_windows"
	if got := strings.Join(steps, " "); !strings.HasPrefix(got, want+" ") {
		t.Errorf("proof %q, want it to begin with %q and to end with the correlation", got, want)
	}
	if len(bound.Tabs) != 1 {
		t.Fatalf("tabs %+v, want one", bound.Tabs)
	}
	if tab := bound.Tabs[0]; tab.Title != "Inbox" || tab.Active == nil || !*tab.Active {
		t.Errorf("tab %+v, want the live title Inbox and active", tab)
	}
}

func TestTheInboxIsReadToItsEnd(t *testing.T) {
	for _, page := range []string{"inbox-attribute", "inbox-stylesheet"} {
		t.Run(page, func(t *testing.T) {
			b, run := use(t).tab(t, page)
			first := b.state(nil)
			head := []rune(first.Outline)
			head = head[:min(len(head), 2000)]
			for _, c := range []struct{ role, name string }{
				{"heading", "Lunch on Thursday"}, {"textbox", "Reply to Ada Moreno"}, {"button", "Reply"}, {"button", "Send"},
			} {
				e := find(t, first, c.role, c.name)
				if e.Visibility != snapshotfmt.InViewport || !strings.Contains(string(head), e.Ref) {
					t.Errorf("%s %q (%s, %s) is not in the first 2,000 characters:\n%s", c.role, c.name, e.Ref, e.Visibility, string(head))
				}
			}
			if !strings.Contains(string(head), "Shall we meet at noon by the north gate?") {
				t.Errorf("the message is not in the first 2,000 characters:\n%s", string(head))
			}
			readToTheEnd(t, b, page, first)
			b.untouched(run, "reading to the end")
		})
	}
}

// readToTheEnd continues a snapshot until nothing remains and holds every
// segment to its sums.
func readToTheEnd(t *testing.T, b tab, page string, first *contract.StateResult) {
	t.Helper()
	expect, _ := fixtures.ExpectFor(page)
	seen := map[string]bool{}
	returned := 0
	var spent string
	for seg, n := first, 1; ; n++ {
		info := seg.Snapshot
		if info.Segment != n || info.ID != first.Snapshot.ID {
			t.Fatalf("segment %d of %s, want %d of %s", info.Segment, info.ID, n, first.Snapshot.ID)
		}
		if info.Earlier != returned || info.Returned+info.Earlier+info.Omitted.Total() != info.Candidates {
			t.Errorf("segment %d: returned %d + earlier %d + omitted %d, candidates %d", n, info.Returned, info.Earlier, info.Omitted.Total(), info.Candidates)
		}
		for key, want := range expect.Hidden {
			if got := info.Omitted.Sub[key]; got != want {
				t.Errorf("segment %d: %d omitted as %s, want %d", n, got, key, want)
			}
		}
		for _, e := range entries(seg) {
			if seen[e.Ref] {
				t.Errorf("%s came twice", e.Ref)
			}
			seen[e.Ref] = true
		}
		returned += info.Returned
		if info.Continuation == "" {
			if !info.Complete {
				t.Errorf("the last segment is not complete: %+v", info)
			}
			break
		}
		if n > 20 {
			t.Fatal("no end after 20 segments")
		}
		if spent != "" {
			b.refused(refusal.Spent, "get_browser_state", b.with(args{"continuation": spent}))
		}
		spent = info.Continuation
		seg = b.state(args{"continuation": spent})
	}
	if spent == "" {
		t.Fatal("there was nothing to continue")
	}
	b.refused(refusal.Spent, "get_browser_state", b.with(args{"continuation": spent}))
	for _, name := range []string{"Older message 1", "Older message 300"} {
		if got := b.state(args{"query": name}); len(got.Refs) == 0 {
			t.Errorf("a query does not find %q: %+v", name, got.Snapshot)
		}
	}
}
