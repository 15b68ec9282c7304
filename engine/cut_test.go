package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/headless"
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

// cutting is a bound tab with two controls that take every action.
type cutting struct {
	*bench
	page        *enginetest.Page
	target, tab string
	refs        map[string]string
	root, files string // where a download goes, and what is uploaded
	first       int    // requests before the action
}

func newCutting(t *testing.T, row cutRow) *cutting {
	t.Helper()
	b := newBench(t, embedded, accessEmbedded)
	c := &cutting{bench: b, page: enginetest.NewPage(b.Browser, "SESSION1"), refs: map[string]string{}}
	c.answers()
	var err error
	if c.root, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	c.files = filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(c.files, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.target, c.tab = b.bind()
	snap, err := b.e.State(t.Context(), contract.StateRequest{Session: movingSession, TargetID: c.target, TabID: c.tab, Meaning: "computed"})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"one", "two"} {
		c.refs[name] = snap.Refs[i].Ref
	}
	c.declareAll()
	if row.script != nil {
		row.script(c)
	}
	c.first = len(c.Log())
	return c
}

// declareAll lets the refs take every action, whatever a control of one kind declares.
func (c *cutting) declareAll() {
	target, _ := c.e.store.Target(movingSession, c.target)
	tab, _ := target.Tab(c.tab)
	for _, name := range c.refs {
		ref, _, _, r := target.Resolve(tab, name)
		if r != nil {
			c.t.Fatal(r)
		}
		ref.Actions = []string{"click", "pointer", "type", "select", "scroll", "upload"}
		n, _ := target.Payload(tab)
		target.Put(tab, n, []capability.Ref{ref}, false)
	}
}

// answers scripts the page and the browser for what most actions need.
func (c *cutting) answers() {
	var cols, nodes []any
	for i := range 2 {
		cols = append(cols, vars{"i": i, "t": "in", "f": 1, "ev": 1, "hit": 1, "p": []int{5, 5 + i}, "b": []int{0, i, 10, 1}})
		nodes = append(nodes, vars{"i": i, "k": 1000 + i, "r": "button", "n": fmt.Sprint("Button ", 1000+i), "t": "button", "up": 0, "kc": "Space"})
	}
	for op, value := range map[string]any{
		"survey": vars{
			"elements": 4, "candidates": 2, "counts": vars{}, "rest": 0, "cols": cols, "nodes": nodes, "frames": []any{},
			"page": vars{"url": "http://localhost/", "title": "One", "w": 800, "h": 600}, "walkMS": 1,
		},
		"same":      vars{"same": true, "ready": true, "page": vars{"url": "http://localhost/", "title": "One", "state": "visible"}},
		"told":      vars{"url": "http://localhost/", "shown": []bool{false, false}, "hosts": []int{}, "frames": []any{}},
		"focus":     vars{"focused": true},
		"press":     vars{"ok": true},
		"gesture":   vars{"ok": true},
		"put":       vars{"value": "2024-05-01"},
		"field":     vars{"kind": "input", "type": "text", "value": "", "max": -1},
		"caret":     vars{"held": true, "value": ""},
		"content":   vars{"value": "abc", "focused": true},
		"dragNotes": vars{"ok": true},
		"drag":      vars{"ok": true},
		"dragTold":  vars{},
		"fileInput": vars{"is": true, "k": 1000, "multiple": true, "files": []any{}},
		"files":     vars{"files": []any{vars{"name": "a.txt", "size": 3}}},
		"settle":    vars{"before": vars{"value": "a"}, "after": vars{"value": "b"}, "events": []any{vars{"type": "click", "mine": true}, vars{"type": "submit"}}, "settled": "quiet", "watched": 90},
		"changed":   vars{},
	} {
		c.page.Say(op, value)
	}
	c.page.Answer("proof", func(op enginetest.Op) (any, *devtools.Error) {
		var a struct{ K int }
		if err := json.Unmarshal(op.Arg, &a); err != nil {
			return nil, &devtools.Error{Message: err.Error()}
		}
		return vars{
			"role": "button", "name": fmt.Sprint("Button ", a.K), "f": 1, "ev": 1, "t": "in", "contract": "Space", "state": "visible",
			"tag": "button", "hit": 1, "p": []int{5, 5 + a.K - 1000}, "b": []int{0, 0, 10, 10},
		}, nil
	})
	ops := c.Handler("Runtime.callFunctionOn")
	c.Handle("Runtime.callFunctionOn", func(session string, params json.RawMessage) (any, *devtools.Error) {
		if strings.Contains(string(params), "this.node") {
			return vars{"result": vars{"objectId": "node-9"}}, nil
		}
		return ops(session, params)
	})
	for _, quiet := range []string{"Input.insertText", "Input.setInterceptDrags", "Input.dispatchDragEvent", "DOM.setFileInputFiles", "Page.setInterceptFileChooserDialog", "Browser.setDownloadBehavior", "Browser.cancelDownload", "Target.activateTarget"} {
		c.Result(quiet, nil)
	}
	c.navigates()
	c.Handle("Target.createTarget", func(string, json.RawMessage) (any, *devtools.Error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.tabs = append(c.tabs, tabIn{id: "T2", title: "Two", window: 1, at: place})
		return vars{"targetId": "T2"}, nil
	})
	c.Handle("Target.closeTarget", func(string, json.RawMessage) (any, *devtools.Error) {
		c.mu.Lock()
		c.tabs = nil
		c.mu.Unlock()
		c.Gone("", "SESSION1")
		return vars{"success": true}, nil
	})
}

// navigates makes every order to navigate bring another document.
func (c *cutting) navigates() {
	moves := func(session string, _ json.RawMessage) (any, *devtools.Error) {
		c.page.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "L2", URL: "http://localhost/new"})
		c.Emit(session, "Page.frameNavigated", vars{"frame": vars{"id": "MAIN", "loaderId": "L2", "url": "http://localhost/new"}})
		c.Emit(session, "Page.loadEventFired", nil)
		return vars{"frameId": "MAIN", "loaderId": "L2"}, nil
	}
	for _, order := range []string{"Page.navigate", "Page.reload", "Page.navigateToHistoryEntry"} {
		c.Handle(order, moves)
	}
	c.Result("Page.getNavigationHistory", vars{"currentIndex": 1, "entries": []any{vars{"id": 1}, vars{"id": 2, "url": "http://elsewhere/"}}})
}

// downloads makes the click begin a download that completes.
func (c *cutting) downloads() {
	folder := ""
	c.Handle("Browser.setDownloadBehavior", func(_ string, params json.RawMessage) (any, *devtools.Error) {
		var p struct{ DownloadPath string }
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, &devtools.Error{Message: err.Error()}
		}
		if p.DownloadPath != "" {
			folder = p.DownloadPath
		}
		return nil, nil
	})
	c.page.Answer("press", func(enginetest.Op) (any, *devtools.Error) {
		if err := os.WriteFile(filepath.Join(folder, "guid"), []byte("abc"), 0o600); err != nil {
			return nil, &devtools.Error{Message: err.Error()}
		}
		c.Emit("", "Browser.downloadWillBegin", vars{"frameId": "MAIN", "guid": "guid", "suggestedFilename": "a"})
		c.Emit("", "Browser.downloadProgress", vars{"guid": "guid", "state": "completed", "receivedBytes": 3, "totalBytes": 3})
		return vars{"ok": true}, nil
	})
}

// asks opens a dialog and makes its answer close it.
func (c *cutting) asks() {
	live := c.live()
	opened := live.Opened()
	c.Emit("SESSION1", "Page.javascriptDialogOpening", vars{"type": "confirm", "message": "Sure?"})
	<-opened
	c.Handle("Page.handleJavaScriptDialog", func(session string, _ json.RawMessage) (any, *devtools.Error) {
		c.Emit(session, "Page.javascriptDialogClosed", nil)
		return nil, nil
	})
}

func (c *cutting) live() *tab {
	b := c.e.known(movingSession, movingPID)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tabs["T1"]
}

// call makes the action as an agent does.
func (c *cutting) call(tool string, row cutRow) (headless.Answer, outcome) {
	c.t.Helper()
	with := vars{"session": movingSession, "target_id": c.target}
	if tool != "browser_tabs" || row.args["change"] != "open" {
		with["tab_id"] = c.tab
	}
	switch tool {
	case "browser_navigate", "browser_tabs":
	case "browser_dialog":
		with["dialog_id"] = c.live().Open().ID
	default:
		with["ref"] = c.refs["one"]
	}
	switch tool {
	case "browser_download":
		with["root"] = c.root
	case "browser_set_input_files":
		with["files"] = []string{c.files}
	}
	for k, v := range row.args {
		if k == "to_ref" {
			v = c.refs["two"]
		}
		with[k] = v
	}
	raw, err := json.Marshal(with)
	if err != nil {
		c.t.Fatal(err)
	}
	answer := headless.Call(c.t.Context(), c.e, tool, raw)
	var out outcome
	if answer.Result != nil {
		if err := contract.ValidateResult(tool, answer.Result); err != nil {
			c.t.Error(err)
		}
		if raw, err = json.Marshal(answer.Result); err == nil {
			err = json.Unmarshal(raw, &out)
		}
		if err != nil {
			c.t.Fatal(err)
		}
		out.raw, _, _ = strings.Cut(string(raw), `,"proof":`)
	}
	return answer, out
}

// outcome is what every action's result has.
type outcome struct {
	Status contract.Status
	Effect refusal.Effect
	raw    string
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
