package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// names are the names in a list of a diff, with what is said of each.
func names(nodes []snapshotfmt.DiffNode) []string {
	out := []string{}
	for _, n := range nodes {
		line := n.Name
		for _, f := range n.Fields {
			line += " " + f.Field + ":" + f.Was + ">" + f.Is
		}
		if n.Was != "" || n.Is != "" {
			line += " " + n.Was + ">" + n.Is
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

func TestADiffSaysWhatChanged(t *testing.T) {
	tests := []struct {
		name, page, script             string
		added, removed, changed, moved []string
	}{
		{name: "nothing", page: "rerender", script: `1`},
		{
			name: "a row in front and one out", page: "rerender", script: `document.getElementById('prepend').click(), document.getElementById('remove').click()`,
			added: []string{"Omega", "Open Omega"}, removed: []string{"Beta >gone", "Open Beta >gone"},
		},
		{
			name: "nodes that are other rows now", page: "rerender", script: `document.getElementById('recycle').click()`,
			changed: []string{
				"Alpha name:Beta>Alpha", "Beta name:Gamma>Beta", "Gamma name:Alpha>Gamma",
				"Open Alpha name:Open Beta>Open Alpha", "Open Beta name:Open Gamma>Open Beta", "Open Gamma name:Open Alpha>Open Gamma",
			},
		},
		{name: "another order is no change", page: "rerender", script: `document.getElementById('resort').click()`},
		{
			name: "a node hidden, one disabled, one emptied", page: "rerender",
			script: `document.getElementById('replace').style.display = 'none', document.getElementById('resort').disabled = true,
				document.getElementById('count').textContent = ''`,
			changed: []string{"Reverse the order disabled:>true actions:click pointer> why:>disabled"},
			moved:   []string{"0 in_viewport>no_layout", "Replace the nodes in_viewport>css_hidden"},
		},
		{
			name: "a node far away, covered or near", page: "rerender",
			script: `document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;inset:0 0 auto 0;height:60px;background:#fff;z-index:9"></div>'),
				document.getElementById('rows').style.cssText = 'position:absolute;top:5000px', document.getElementById('count').style.cssText = 'position:absolute;top:1500px'`,
			moved: []string{
				" in_viewport>offscreen", "0 in_viewport>near_viewport", "Alpha in_viewport>offscreen", "Beta in_viewport>offscreen", "Gamma in_viewport>offscreen",
				"Open Alpha in_viewport>offscreen", "Open Beta in_viewport>offscreen", "Open Gamma in_viewport>offscreen", "Re-render in_viewport>page_occluded",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, run := use(t).tab(t, tt.page)
			first := b.state(nil)
			b.stage.witness.eval(t, run, tt.script, nil)
			second := b.state(args{"diff_from": first.Snapshot.ID})
			d := second.Diff
			if d == nil || d.From != first.Snapshot.ID {
				t.Fatalf("diff %+v", d)
			}
			for _, list := range []struct {
				what      string
				got, want []string
				count     int
			}{
				{"added", names(d.Added), tt.added, d.Counts.Added},
				{"removed", names(d.Removed), tt.removed, d.Counts.Removed},
				{"changed", names(d.Changed), tt.changed, d.Counts.Changed},
				{"moved", names(d.Moved), tt.moved, d.Counts.Moved},
			} {
				if !slices.Equal(list.got, list.want) || list.count != len(list.want) {
					t.Errorf("%s: %q (%d), want %q", list.what, list.got, list.count, list.want)
				}
			}
			both := len(tt.changed) + len(tt.moved) + len(tt.removed) // of these pages no node both changes and moves
			if got := d.Counts.Unchanged + both; got != first.Snapshot.Returned || d.Counts.NotCompared != 0 {
				t.Errorf("%+v of %d that were listed", d.Counts, first.Snapshot.Returned)
			}
			if text := headless.Text(second); !strings.Contains(text, "# against "+first.Snapshot.ID+": ") {
				t.Errorf("the text does not tell: %s", text)
			}
			back := b.state(args{"diff_from": first.Snapshot.ID}) // an older one than the last
			if back.Diff == nil || back.Diff.Counts != d.Counts {
				t.Errorf("asked again: %+v, want %+v", back.Diff, d.Counts)
			}
		})
	}
}

func TestADiffOfPartOfAPage(t *testing.T) {
	b, _ := use(t).tab(t, "rerender")
	first := b.state(nil)
	found := b.state(args{"query": "Beta", "diff_from": first.Snapshot.ID})
	c := found.Diff.Counts
	if c.Unchanged != found.Snapshot.Returned || c.NotCompared != first.Snapshot.Returned-c.Unchanged || c.Unchanged == 0 || c.Added+c.Removed+c.Changed+c.Moved != 0 {
		t.Errorf("a query of an unchanged page: %+v", c)
	}
	whole := b.state(args{"diff_from": found.Snapshot.ID})
	if c := whole.Diff.Counts; c.Unchanged != found.Snapshot.Returned || c.Added != whole.Snapshot.Returned-c.Unchanged || c.Removed+c.Changed+c.Moved+c.NotCompared != 0 {
		t.Errorf("the whole page after a query: %+v", c)
	}
}

func TestADiffFromWhatCannotBeCompared(t *testing.T) {
	b, _ := use(t).tab(t, "rerender")
	first := b.state(nil)
	from := func(id string) args { return b.with(args{"diff_from": id}) }
	b.refused(refusal.Malformed, "get_browser_state", from("first"))
	b.refused(refusal.Malformed, "get_browser_state", from("p01"))
	b.refused(refusal.Foreign, "get_browser_state", from("p999999"))
	second := b.state(nil)
	b.click(find(t, second, "button", "Remove Beta").Ref, "dom_event") // refused diffs end nothing
	for range 21 {
		b.state(nil)
	}
	b.refused(refusal.Superseded, "get_browser_state", from(first.Snapshot.ID))
	last := b.state(nil)
	b.open("rerender")
	b.refused(refusal.Navigated, "get_browser_state", from(last.Snapshot.ID))
	_, run := b.stage.tab(t, "rerender")
	before := b.state(nil)
	b.stage.witness.eval(t, run, `document.getElementById('heading').textContent = 'Old', location.reload()`, nil)
	ask[contract.WaitResult](b.agent, "browser_wait", b.with(args{"text": "Re-render"}))
	b.refused(refusal.Navigated, "get_browser_state", from(before.Snapshot.ID)) // by the page itself
	if now := b.state(nil); now.Diff != nil {
		t.Errorf("nobody asked for a diff: %+v", now.Diff)
	}
}
