package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/headless"
	"cuatui/engine/refusal"
)

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
		c.Emit("", "Browser.downloadWillBegin", vars{"frameId": "MAIN", "guid": "guid", "url": "u", "suggestedFilename": "a"})
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
