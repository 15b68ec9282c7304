package tui

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
	"cuatui/tui/tuitest"
)

var discard = slog.New(slog.DiscardHandler)

func hostilePage(int, contract.StateRequest) (*snapshotfmt.Semantic, error) {
	return tuitest.Hostile(), nil
}

// Every screen, at the three widths that are laid out differently.
func TestScreensAreAsDrawn(t *testing.T) {
	screens := []struct {
		name    string
		keys    []string
		changes bool
		asks    bool // the page has a dialog open
		shows   bool // pixels
	}{
		{name: "windows"},
		{name: "windows-refused", keys: []string{"down", "enter"}},
		{name: "inspector", keys: []string{"enter"}},
		{name: "inspector-refs", keys: []string{"enter", "2", "down", "down", "down", "c"}},
		{name: "inspector-omissions", keys: []string{"enter", "4", "down"}},
		{name: "inspector-journal", keys: []string{"enter", "]", "5"}},
		{name: "inspector-regions", keys: []string{"enter", "6"}, shows: true},
		{name: "inspector-regions-approx", keys: []string{"enter", "6", "down", "down"}, shows: true},
		{name: "inspector-regions-none", keys: []string{"enter", "6"}},
		{name: "picture", keys: []string{"enter", "6", "enter"}, shows: true},
		{name: "picture-refused", keys: []string{"enter", "6", "down", "enter"}, shows: true},
		{name: "inspector-filter", keys: []string{"enter", "/", "type:reply", "enter"}},
		{name: "inspector-query", keys: []string{"enter", "Q", "type:send"}},
		{name: "why", keys: []string{"enter", "2", "/", "type:reply", "enter", "w"}},
		{name: "why-left-out", keys: []string{"enter", "W", "type:p42:24", "enter"}},
		{name: "why-waiting", keys: []string{"enter", "W", "type:o42:52", "enter"}},
		{name: "why-point", keys: []string{"enter", "W", "type:640,400", "enter"}},
		{name: "why-text", keys: []string{"enter", "W", "type:re", "enter"}},
		{name: "why-nowhere", keys: []string{"enter", "W", "type:flying carpet", "enter"}},
		{name: "nodes", keys: []string{"enter", "4", "down", "enter"}},
		{name: "lab", keys: []string{"enter", "x"}},
		{name: "lab-windows", keys: []string{"x"}},
		{name: "lab-refused", keys: append(slices.Clone(ready), "x", "3")},
		{name: "formats", keys: []string{"enter", "v"}},
		{name: "formats-json", keys: []string{"enter", "v", "tab", "tab"}},
		{name: "follow", keys: []string{"enter", "r", "f", "r"}, changes: true},
		{name: "diff", keys: []string{"enter", "r", "r", "D"}, changes: true},
		{name: "diff-older", keys: []string{"enter", "r", "r", "D", "[", "c"}, changes: true},
		{name: "action", keys: []string{"enter", "2", "/", "type:forward", "enter", "a"}},
		{name: "action-field", keys: []string{"enter", "2", "/", "type:message", "enter", "a", "down", "down", "down"}},
		{name: "action-select", keys: []string{"enter", "2", "/", "type:priority", "enter", "a"}},
		{name: "action-typing", keys: append(slices.Clone(typing), "r", "s", "e", "type:text=\"is sent\"", "enter", "enter", "type:Thursday it is")},
		{name: "action-bad", keys: append(slices.Clone(typing), "e", "type:colour=red", "enter")},
		{name: "result-typed", keys: append(slices.Clone(typing), "e", "type:is sent", "enter", "enter", "type:Thursday it is", "enter"), changes: true},
		{name: "lab-by-hand", keys: []string{"enter", "x", "G", "up", "up"}},
		{name: "result", keys: []string{"enter", "2", "/", "type:forward", "enter", "a", "enter"}},
		{name: "refusal", keys: []string{"enter", "2", "/", "type:forward", "enter", "a", "down", "enter"}},
		{name: "page-dialog", keys: []string{"enter"}, asks: true},
		{name: "page-dialog-text", keys: []string{"enter", "o", "a", "type:Ada"}, asks: true},
		{name: "proof", keys: []string{"enter", "p"}},
		{name: "help", keys: []string{"enter", "?"}},
		{name: "palette", keys: []string{"enter", ":", "type:pane"}},
		{name: "tabs", keys: []string{"enter", "t"}},
		{name: "consent", keys: personal},
		{name: "consent-ready", keys: append(slices.Clone(personal), "wait", "type:ye")},
		{name: "consented", keys: yes},
		{name: "revoke", keys: append(slices.Clone(yes), "R")},
		{name: "revoked", keys: append(slices.Clone(yes), "R", "y", "down", "a", "enter")},
	}
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 40}, {160, 50}} {
		for _, s := range screens {
			name := fmt.Sprintf("%s_%dx%d", s.name, size.w, size.h)
			t.Run(name, func(t *testing.T) {
				e := tuitest.New()
				if s.changes {
					e = changing()
				}
				if s.shows {
					e.Page = tuitest.Pictures
				}
				if s.asks {
					e.Dialogs = []contract.Dialog{{ID: "dlg-1", Type: "prompt", Text: "By what name shall we write to you?"}}
				}
				m := newTest(t, e, size.w, size.h)
				press(t, m, s.keys...)
				golden(t, name, tuitest.Frame(t, m, size.w, size.h))
			})
		}
	}
}
