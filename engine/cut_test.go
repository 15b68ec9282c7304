package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
)

// still are the tools that change things and deliver nothing to a page.
var still = []string{"start_session", "end_session", "browser_prepare"}

type vars = map[string]any

// cutRow is an action that is cut everywhere.
type cutRow struct {
	name   string
	args   vars
	script func(*cutting) // what the page and the browser answer, beyond newCutting
	reads  string         // the message by which the effect is read back, after the delivery; settle if ""
	hover  bool           // the pointer's coming is the action
	may    []refusal.Effect
}

// cutRows has the ways of every tool that acts.
var cutRows = map[string][]cutRow{
	"browser_click": {
		{name: "dom_event", args: vars{"route": "dom_event"}},
		{name: "trusted_key", args: vars{"route": "trusted_key"}},
		{name: "trusted", args: vars{"route": "trusted", "delivery_mode": "foreground"}},
		{name: "it opens a tab", args: vars{"route": "dom_event"}, script: func(c *cutting) {
			c.page.Answer("press", func(enginetest.Op) (any, *devtools.Error) {
				c.Emit("SESSION1", "Page.windowOpen", vars{"url": "http://localhost/two"})
				c.mu.Lock()
				defer c.mu.Unlock()
				c.tabs = append(c.tabs, tabIn{id: "T2", title: "Two", window: 1, at: place})
				return vars{"ok": true}, nil
			})
		}},
		{name: "with post-conditions", args: vars{"route": "dom_event", "expect": vars{"url_part": "localhost"}}},
	},
	"browser_type": {
		{name: "insert_text", args: vars{"text": "abc"}, reads: "content"},
		{name: "keystrokes", args: vars{"text": "abc", "mode": "keystrokes"}, reads: "content"},
		{name: "submit", args: vars{"text": "abc", "submit": true}}, // what the field held was read before
		{name: "cleared", args: vars{"replace": true}, reads: "content", script: func(c *cutting) {
			c.page.Say("field", vars{"kind": "input", "type": "text", "value": "abc", "max": -1})
			c.page.Say("content", vars{"value": "", "focused": true})
		}},
		{name: "a date", args: vars{"text": "2024-05-01"}, reads: "content", script: func(c *cutting) {
			c.page.Say("field", vars{"kind": "set", "type": "date", "value": "", "max": -1})
			c.page.Say("content", vars{"value": "2024-05-01"})
		}},
	},
	"browser_press": {{name: "Enter", args: vars{"key": "Enter"}}, {name: "a chord", args: vars{"key": "a", "modifiers": []string{"Control"}}}},
	"browser_select": {{name: "by label", args: vars{"labels": []string{"Two"}}, reads: "options", script: func(c *cutting) {
		c.page.Answer("options", func(enginetest.Op) (any, *devtools.Error) {
			two := len(c.page.Asked("choose")) > 0
			return vars{"options": []any{vars{"label": "One", "value": "1", "selected": !two}, vars{"label": "Two", "value": "2", "selected": two}}}, nil
		})
		c.page.Say("choose", vars{"selected": []int{1}})
	}}},
	"browser_pointer": {
		{name: "hover", args: vars{"gesture": "hover"}, hover: true},
		{name: "right click", args: vars{"gesture": "right_click", "route": "dom_event"}},
		{name: "double click", args: vars{"gesture": "double_click", "route": "trusted", "delivery_mode": "foreground"}},
		{name: "scroll", args: vars{"gesture": "scroll", "delta_y": 100}, reads: "extent", script: func(c *cutting) {
			c.page.Answer("extent", func(op enginetest.Op) (any, *devtools.Error) {
				return vars{"y": 100 * strings.Count(string(op.Arg), "settle"), "maxY": 500}, nil
			})
		}},
		{name: "drag", args: vars{"gesture": "drag", "route": "dom_event", "to_ref": "two"}, reads: "dragTold"},
		{name: "drag by the pointer", args: vars{"gesture": "drag", "route": "trusted", "delivery_mode": "foreground", "to_ref": "two"}, reads: "dragTold"},
	},
	"browser_set_input_files": {
		{name: "into the input", reads: "files"},
		{name: "by a click", args: vars{"route": "trusted_key"}, reads: "files", may: []refusal.Effect{refusal.EffectPartial}, script: func(c *cutting) {
			c.Handle("Input.dispatchKeyEvent", func(session string, params json.RawMessage) (any, *devtools.Error) {
				if strings.Contains(string(params), "keyUp") {
					c.Emit(session, "Page.fileChooserOpened", vars{"frameId": "MAIN", "backendNodeId": 9})
				}
				return nil, nil
			})
		}},
	},
	"browser_download": {{name: "by a click", args: vars{"route": "dom_event", "file_name": "got"}, may: []refusal.Effect{refusal.EffectConfirmed}, script: (*cutting).downloads}},
	"browser_navigate": {
		{name: "to a url", args: vars{"url": "http://localhost/new"}, reads: "Page.getFrameTree"},
		{name: "back", args: vars{"action": "back"}, reads: "Page.getFrameTree"},
		{name: "reload", args: vars{"action": "reload"}, reads: "Page.getFrameTree"},
	},
	"browser_dialog": {
		{name: "accept", args: vars{"answer": "accept"}, script: (*cutting).asks, reads: "Page.handleJavaScriptDialog"},
		{name: "dismiss, with post-conditions", args: vars{"answer": "dismiss", "expect": vars{"url_part": "localhost"}}, script: (*cutting).asks, reads: "Page.handleJavaScriptDialog"},
	},
	"browser_tabs": {
		{name: "open", args: vars{"change": "open"}, reads: "Target.getTargets", may: []refusal.Effect{refusal.EffectDispatched}},
		{name: "close", args: vars{"change": "close"}, reads: "Target.getTargets", may: []refusal.Effect{refusal.EffectDispatched}},
		{name: "activate", args: vars{"change": "activate"}, reads: "Target.getTargets", may: []refusal.Effect{refusal.EffectDispatched}},
	},
}

// message names a request: by its operation, or by its method and the type of
// its event.
func message(r enginetest.Request) string {
	var p struct {
		Type      string
		Arguments []struct{ Value any }
	}
	_ = json.Unmarshal(r.Params, &p)
	if r.Method == "Runtime.callFunctionOn" && len(p.Arguments) > 0 {
		if op, ok := p.Arguments[0].Value.(string); ok {
			return op
		}
	}
	if p.Type != "" && strings.HasPrefix(r.Method, "Input.") {
		return r.Method + " " + p.Type
	}
	return r.Method
}

// deliveries are the messages that act on a page or a tab.
var deliveries = []string{
	"press", "put", "choose", "gesture", "drag", "DOM.setFileInputFiles", "Input.insertText", "Page.navigate", "Page.reload", "Page.navigateToHistoryEntry",
	"Page.handleJavaScriptDialog", "Target.createTarget", "Target.closeTarget", "Target.activateTarget",
}

func delivers(name string, hover bool) bool {
	if strings.HasSuffix(name, " mouseMoved") {
		return hover
	}
	return slices.Contains(deliveries, name) || strings.HasPrefix(name, "Input.dispatch")
}

// messages are the names of what was sent for the action.
func (c *cutting) messages() []string {
	var out []string
	for _, r := range c.Log()[c.first:] {
		out = append(out, message(r))
	}
	return out
}

// given are those of the messages that act.
func given(names []string, hover bool) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !delivers(n, hover) })
}

// TestEveryActionCutAnywhereTellsTheTruth loses the connection at every message
// of every way of every tool that acts: once with the message on its way, and
// once with its answer. Before the delivery that is an error, and nothing was
// delivered. From it on until the effect has been read back, the effect is not
// known. Nothing is delivered twice, and nothing stays locked or lies about.
func TestEveryActionCutAnywhereTellsTheTruth(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, tool := range contract.Tools {
		if tool.Annotations.ReadOnly || slices.Contains(still, tool.Name) {
			continue
		}
		if len(cutRows[tool.Name]) == 0 {
			t.Errorf("%s acts, and no row cuts it", tool.Name)
		}
		for _, row := range cutRows[tool.Name] {
			t.Run(tool.Name+" "+row.name, func(t *testing.T) { cutEverywhere(t, tool.Name, row) })
		}
	}
}

func cutEverywhere(t *testing.T, tool string, row cutRow) {
	whole := newCutting(t, row)
	answer, res := whole.call(tool, row)
	if res.Effect != refusal.EffectConfirmed {
		t.Fatalf("uncut: %+v, %s", answer, res.raw)
	}
	names := whole.messages()
	read := 0
	for i, n := range names {
		if delivers(n, row.hover) {
			read = i
		}
	}
	for reads := cmp.Or(row.reads, "settle"); read < len(names) && names[read] != reads; {
		read++
	}
	if read == len(names) {
		t.Fatalf("it is never read back: %v", names)
	}
	whole.ends()
	for cut := range names {
		for _, handled := range []bool{false, true} {
			c := newCutting(t, row)
			if handled {
				c.LoseAfter(c.first+cut+1, io.ErrUnexpectedEOF)
			} else {
				c.LoseAt(c.first+cut+1, io.ErrUnexpectedEOF)
			}
			answer, res := c.call(tool, row)
			at := fmt.Sprintf("cut at %d of %d, %s, handled %t", cut, len(names), names[cut], handled)
			got, all := given(c.messages(), row.hover), given(names, row.hover)
			if len(got) > len(all) || !slices.Equal(got, all[:len(got)]) {
				t.Errorf("%s: delivered %v of %v", at, got, all)
			}
			switch {
			case len(got) == 0:
				if answer.Result != nil || answer.Refusal != nil || answer.Err == nil || answer.Err.Kind != contract.ConnectionLost {
					t.Errorf("%s: nothing was delivered, and the answer is %+v %s", at, answer, res.raw)
				}
			case answer.Result == nil:
				t.Errorf("%s: it was delivered, and the answer is %+v", at, answer)
			case cut <= read && (res.Status != contract.Partial || res.Effect != refusal.EffectUnknown && !slices.Contains(row.may, res.Effect)):
				t.Errorf("%s: %s", at, res.raw)
			case res.Effect == refusal.EffectNone:
				t.Errorf("%s: it was delivered, and the effect is none", at)
			}
			c.ends()
		}
	}
}

// ends checks that nothing is locked, ends the session, and looks for what it
// has left behind.
func (c *cutting) ends() {
	c.t.Helper()
	if live := c.live(); len(live.lock) > 0 {
		c.t.Error("the tab is still locked")
	}
	if len(c.e.downloads.all[movingPID]) > 0 {
		c.t.Error("the downloads are still locked")
	}
	if _, err := c.e.EndSession(c.t.Context(), contract.EndSessionRequest{Session: movingSession}); err != nil && !errors.Is(err, devtools.ErrClosed) {
		c.t.Error(err)
	}
	for _, folder := range []string{c.root, os.Getenv("TMPDIR")} {
		left, err := os.ReadDir(folder)
		for _, f := range left {
			if f.Name() != "got" && !strings.HasPrefix(f.Name(), "Test") {
				c.t.Errorf("left behind: %s, %v", f.Name(), err)
			}
		}
	}
}
