package e2e_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
	"cuatui/platform/proc"
	"cuatui/snapshotfmt"
)

// embed starts an application that embeds QtWebEngine and shows url, with a
// debugging port of its own.
func (s *stage) embed(t *testing.T, url string) *outside {
	t.Helper()
	const python, binding = "/usr/bin/python3", "/usr/lib/python3/dist-packages/PyQt5/QtWebEngineWidgets.pyi"
	if _, err := os.Stat(python); err != nil {
		t.Fatalf("no Python of the system (run make install-deps): %v", err)
	}
	return s.run(t, t.TempDir(), []string{
		fmt.Sprintf("QTWEBENGINE_REMOTE_DEBUGGING=127.0.0.1:%d", freePort(t)), "QTWEBENGINE_DISABLE_SANDBOX=1", "QTWEBENGINE_CHROMIUM_FLAGS=--no-sandbox --disable-gpu",
		"QT_QPA_PLATFORM=xcb", "QT_XCB_GL_INTEGRATION=none",
	}, python, "testdata/embedded.py", url)
}

// freePort is a port on which nobody listens; the engine takes no port 0.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	must(t, l.Close())
	return l.Addr().(*net.TCPAddr).Port
}

func TestExploreEmbedded(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "embedded")
	url, run := s.pages.Page("keys")
	o := s.embed(t, url)
	must(t, s.pages.Flush(soon(t), run))
	must(t, s.desktop.RaiseSentinel(soon(t)))
	at, err := proc.New("").Listeners(t.Context(), o.pid)
	fmt.Println("listens", at, err)
	fmt.Printf("%+v\n", a.listed(o.window))
	answer, raw := a.call("get_browser_state", args{"pid": o.pid, "window_id": o.window})
	fmt.Println(string(raw), answer.Err)
	b := a.bind(o.pid, o.window)
	fmt.Println(b.state(nil).Outline)
	w, err := dialWitness(soon(t), int(at[0].Port()))
	must(t, err)
	var src strings.Builder
	src.WriteString("(() => { \"use strict\";\n")
	for _, p := range []string{"dom", "tree", "clip", "survey", "hit", "meaning", "describe", "ops", "act", "explain", "type"} {
		raw, err := os.ReadFile("/tmp/jsprobe/" + p + ".js")
		must(t, err)
		src.Write(raw)
	}
	src.WriteString(os.Getenv("PROBE") + "})()")
	for _, js := range []string{"document.elementFromPoint(100,100)+''", "innerWidth+' '+innerHeight+' '+document.hidden+' '+document.hasFocus()", "JSON.stringify(document.querySelector('button').getBoundingClientRect())",
		"(()=>{const r=document.querySelector('button').getBoundingClientRect(); return document.elementFromPoint(r.left+5,r.top+5)+' '+document.elementsFromPoint(r.left+5,r.top+5).length})()"} {
		var v any
		w.eval(t, run, js, &v)
		fmt.Println(js[max(0, len(js)-500):], "=>", v)
	}
	sess, err := w.conn.Attach(soon(t), w.showing(t, run).ID)
	must(t, err)
	var tree struct{ FrameTree frameTree }
	must(t, sess.Call(soon(t), "Page.getFrameTree", nil, &tree))
	var made struct{ ExecutionContextID int }
	must(t, sess.Call(soon(t), "Page.createIsolatedWorld", map[string]any{"frameId": tree.FrameTree.Frame.ID, "worldName": "x"}, &made))
	for _, js := range []string{"document.elementFromPoint(100,75)+''", "Document.prototype.elementFromPoint.call(document,100,75)+''", src.String()} {
		var r any
		must(t, sess.Call(soon(t), "Runtime.evaluate", map[string]any{"expression": js, "returnByValue": true, "contextId": made.ExecutionContextID}, &r))
		raw, _ := json.Marshal(r); fmt.Println("ISOLATED", string(raw))
	}
	must(t, w.conn.Close())
}

var (
	_ = slices.Clone[[]int]
	_ = strings.Cut
	_ contract.Tab
	_ refusal.Reason
	_ fixtures.Record
	_ snapshotfmt.Entry
)
