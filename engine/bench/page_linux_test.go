package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/limits"
	"cuatui/engine/observe"
	"cuatui/fixtures"
	fixturebench "cuatui/fixtures/bench"
)

// collectorMax is how long the classic way may take before it is given up.
const collectorMax = 20 * time.Second

// browser is a headless Chromium with one tab, and the pages that it opens.
type browser struct {
	tb      testing.TB
	conn    *devtools.Conn
	session *devtools.Session
	page    *observe.Page
	pages   *fixtures.Server
	pids    []int // of the browser's processes when the page was opened
	docs    []document
}

func openBrowser(tb testing.TB) *browser {
	tb.Helper()
	b := &browser{tb: tb, pages: servePages(tb)}
	b.restart()
	return b
}

func servePages(tb testing.TB) *fixtures.Server {
	tb.Helper()
	pages := fixtures.NewServer()
	if err := pages.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = pages.Close() })
	return pages
}

// restart replaces the browser. One whose page still works at a call that was
// given up would take its time from everything that is measured after.
func (b *browser) restart() {
	b.tb.Helper()
	if b.conn != nil {
		_ = b.conn.Close() // the browser ends with its pipe
	}
	b.conn = enginetest.Chromium(b.tb)
	b.session = enginetest.Open(b.tb, b.conn, "about:blank")
	b.page = observe.NewPage(b.conn, b.session, "bench-world")
}

// open loads a fixture page anew and returns its run.
func (b *browser) open(path string) (run string) {
	b.tb.Helper()
	url, run := b.pages.Page(path)
	enginetest.Go(b.tb, b.session, url)
	var list struct {
		ProcessInfo []struct {
			ID int `json:"id"`
		} `json:"processInfo"`
	}
	if err := b.conn.Browser().Call(b.tb.Context(), "SystemInfo.getProcessInfo", nil, &list); err != nil {
		b.tb.Fatal(err)
	}
	b.pids = b.pids[:0]
	for _, p := range list.ProcessInfo {
		b.pids = append(b.pids, p.ID)
	}
	b.docs = b.documents()
	return run
}

// cpu is the processor time that the browser has taken up to now, in all its
// threads. A busy machine hardly moves it, where it stretches every clock.
func (b *browser) cpu() time.Duration {
	b.tb.Helper()
	var sum time.Duration
	for _, pid := range b.pids {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		if err != nil {
			b.tb.Fatal(err)
		}
		for _, file := range threads {
			raw, err := os.ReadFile(file)
			ran, _, _ := strings.Cut(string(raw), " ")
			ns, errN := strconv.ParseInt(ran, 10, 64)
			if err == nil && errN == nil { // else it ended meanwhile
				sum += time.Duration(ns)
			}
		}
	}
	return sum
}

// document is where a script runs in one document of the page.
type document struct {
	session *devtools.Session
	context int // 0 is the session's own document
}

// documents finds the documents of the open page, the top one first: the bare
// walk has to see what a snapshot sees.
func (b *browser) documents() []document {
	b.tb.Helper()
	type tree struct {
		Frame struct {
			ID string `json:"id"`
		} `json:"frame"`
		Children []tree `json:"childFrames"`
	}
	var out []document
	in := func(s *devtools.Session) {
		var top struct {
			Tree tree `json:"frameTree"`
		}
		must(b.tb, s.Call(b.tb.Context(), "Page.getFrameTree", nil, &top))
		out = append(out, document{session: s})
		var below func(t tree)
		below = func(t tree) {
			for _, c := range t.Children {
				var world struct {
					ID int `json:"executionContextId"`
				}
				must(b.tb, s.Call(b.tb.Context(), "Page.createIsolatedWorld", map[string]any{"frameId": c.Frame.ID, "worldName": "walk"}, &world))
				out = append(out, document{s, world.ID})
				below(c)
			}
		}
		below(top.Tree)
	}
	in(b.session)
	var list struct {
		TargetInfos []struct {
			ID   string `json:"targetId"`
			Type string `json:"type"`
		} `json:"targetInfos"`
	}
	must(b.tb, b.conn.Browser().Call(b.tb.Context(), "Target.getTargets", nil, &list))
	for _, t := range list.TargetInfos {
		if t.Type == "iframe" { // of another process
			s, err := b.conn.Attach(b.tb.Context(), t.ID)
			must(b.tb, err)
			in(s)
		}
	}
	return out
}

// walk is the bare walk of every document of the page, all asked at once, over
// the connection that snapshots use.
func (b *browser) walk() (fixturebench.Walked, time.Duration) {
	b.tb.Helper()
	var all fixturebench.Walked
	began := time.Now()
	sent := make([]*devtools.Pending, len(b.docs))
	for i, d := range b.docs {
		args := map[string]any{"expression": fixturebench.Expression(), "returnByValue": true, "awaitPromise": true}
		if d.context != 0 {
			args["contextId"] = d.context
		}
		sent[i] = d.session.Send("Runtime.evaluate", args)
	}
	for _, p := range sent {
		var r struct {
			Result struct {
				Value fixturebench.Walked `json:"value"`
			} `json:"result"`
			Exception any `json:"exceptionDetails"`
		}
		if err := p.Decode(b.tb.Context(), &r); err != nil || r.Exception != nil {
			b.tb.Fatalf("the bare walk: %v %v", err, r.Exception)
		}
		all.Elements += r.Result.Value.Elements
	}
	return all, time.Since(began)
}

// snapshot takes a snapshot and its first segment, as get_browser_state does.
func (b *browser) snapshot(query string) (*observe.Snapshot, *observe.Segment, time.Duration) {
	b.tb.Helper()
	began := time.Now()
	snapshot, err := b.page.Take(b.tb.Context(), observe.Options{Query: query, NodeBudget: limits.NodeBudget, OutputBudget: limits.OutputTokens})
	if err != nil {
		b.tb.Fatal(err)
	}
	segment := b.next(snapshot)
	return snapshot, segment, time.Since(began)
}

func (b *browser) next(s *observe.Snapshot) *observe.Segment {
	b.tb.Helper()
	segment, err := s.Next(b.tb.Context(), 1, "viewport")
	if err != nil {
		b.tb.Fatal(err)
	}
	return segment
}

// collect makes the calls of the classic way, one after another, and decodes
// nothing. It returns the bytes of the replies, and false where they took too
// long; then the browser has been replaced and has no page open.
func (b *browser) collect() (took time.Duration, bytes int, ok bool) {
	b.tb.Helper()
	ctx, cancel := context.WithTimeout(b.tb.Context(), collectorMax)
	defer cancel()
	styles := []string{"display", "visibility", "opacity", "pointer-events", "cursor", "position", "overflow-x", "overflow-y", "z-index"}
	began := time.Now()
	for _, call := range []struct {
		method string
		params any
	}{
		{"Accessibility.getFullAXTree", nil},
		{"DOM.getDocument", map[string]any{"depth": -1, "pierce": true}},
		{"DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": styles, "includePaintOrder": true, "includeDOMRects": true}},
	} {
		raw, err := b.session.Send(call.method, call.params).Raw(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			b.restart()
			return time.Since(began), bytes, false
		}
		if err != nil {
			b.tb.Fatalf("%s: %v", call.method, err)
		}
		bytes += len(raw)
	}
	return time.Since(began), bytes, true
}

// offset is where text stands in an outline, in characters; -1 if it does not.
func offset(outline, text string) int {
	before, _, found := strings.Cut(outline, text)
	if !found {
		return -1
	}
	return utf8.RuneCountInString(before)
}
