package domtree

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/limits"
)

// deep serves a document of one chain of levels elements and a button at its
// end, of which a reply holds at most most levels.
type deep struct {
	*enginetest.Browser
	levels, most int
	asked        []string // method and depth of each call
	off          int      // how often the events were turned off
	fail         *devtools.Error
	failAt       int // the call from which on fail is the answer
}

func (d *deep) node(level, depth int) map[string]any {
	n := map[string]any{"backendNodeId": level + 1, "nodeType": 1, "localName": "div", "childNodeCount": 1}
	switch {
	case level == 0:
		n["nodeType"], n["localName"], n["frameId"] = 9, "", "MAIN"
	case level > d.levels:
		n["localName"], n["childNodeCount"] = "button", 0
	}
	if level <= d.levels && depth != 0 {
		n["children"] = []any{d.node(level+1, depth-1)}
	}
	return n
}

func (d *deep) answer(name string, params json.RawMessage) (any, *devtools.Error) {
	var a struct{ BackendNodeID, Depth int }
	if err := json.Unmarshal(params, &a); err != nil {
		return nil, &devtools.Error{Code: -32602, Message: err.Error()}
	}
	d.asked = append(d.asked, fmt.Sprint(name, " ", a.Depth))
	if d.fail != nil && len(d.asked) >= d.failAt {
		return nil, d.fail
	}
	from := max(a.BackendNodeID-1, 0)
	if left := d.levels - from; left > d.most && (a.Depth < 0 || a.Depth > d.most) {
		return nil, &devtools.Error{Code: -32000, Message: "Failed to convert response to JSON: CBOR: stack limit exceeded at position 18750"}
	}
	key := map[string]string{"document": "root", "branch": "node"}[name]
	return map[string]any{key: d.node(from, a.Depth)}, nil
}

func serve(t *testing.T, d *deep) *devtools.Session {
	t.Helper()
	d.Browser = enginetest.New()
	d.Handle("DOM.getDocument", func(_ string, p json.RawMessage) (any, *devtools.Error) { return d.answer("document", p) })
	d.Handle("DOM.describeNode", func(_ string, p json.RawMessage) (any, *devtools.Error) { return d.answer("branch", p) })
	d.Handle("DOM.disable", func(string, json.RawMessage) (any, *devtools.Error) { d.off++; return map[string]any{}, nil })
	conn := devtools.New(d.Browser, devtools.Options{})
	t.Cleanup(func() { _ = conn.Close() })
	s, err := conn.Attach(t.Context(), "TAB")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestADocumentIsReadAsDeepAsItIsSent(t *testing.T) {
	for _, tt := range []struct {
		name         string
		levels, most int
		why          string
		first, calls int // asks for the document, and in all
	}{
		{"whole", 100, 1000, "", 1, 1},
		{"cut and filled up", 300, 150, "", 3, 6},
		{"deeper than the calls reach", 10_000, 150, "call budget", 3, 3 + limits.HydrateCalls},
		{"branches that are too large", 400, 40, "a branch is too large to be sent", 5, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &deep{levels: tt.levels, most: tt.most}
			got, err := Read(t.Context(), serve(t, d))
			if err != nil {
				t.Fatal(err)
			}
			if got.Why != tt.why || (got.Missing != 0) != (tt.why != "") {
				t.Errorf("missing %d because of %q, want %q", got.Missing, got.Why, tt.why)
			}
			n, depth := got.Root, 0
			for len(n.Kids) > 0 {
				if n.Kids[0].Parent != n {
					t.Fatalf("the parent of level %d is another", depth+1)
				}
				n, depth = n.Kids[0], depth+1
			}
			if whole := depth == tt.levels+1 && n.Tag == "button"; whole != (tt.why == "") {
				t.Errorf("the chain ends at %d, a %s; missing %q", depth, n.Tag, got.Why)
			}
			documents := 0
			for _, a := range d.asked {
				if strings.HasPrefix(a, "document") {
					documents++
				}
			}
			if d.off != 1 {
				t.Errorf("the events were turned off %d times", d.off)
			}
			if documents != tt.first || len(d.asked) != tt.calls {
				t.Errorf("%d asks for the document of %d in all, want %d of %d: %v", documents, len(d.asked), tt.first, tt.calls, d.asked)
			}
		})
	}
}

// Only what is too deep or too large is read in parts.
func TestAnyOtherFailureStaysAnError(t *testing.T) {
	for _, at := range []int{1, 2, 4, 5} { // at the whole, on the ladder, and at a branch
		t.Run(fmt.Sprint("call ", at), func(t *testing.T) {
			d := &deep{levels: 300, most: 150, fail: &devtools.Error{Code: -32000, Message: "Internal error"}, failAt: at}
			_, err := Read(t.Context(), serve(t, d))
			var perr *devtools.Error
			if !errors.As(err, &perr) || len(d.asked) != at || d.off != 1 {
				t.Errorf("after %d calls, turned off %d times: %v", len(d.asked), d.off, err)
			}
		})
		t.Run(fmt.Sprint("lost at call ", at), func(t *testing.T) {
			d := &deep{levels: 300, most: 150}
			s := serve(t, d)
			d.Handle("DOM.getDocument", func(_ string, p json.RawMessage) (any, *devtools.Error) {
				if len(d.asked)+1 == at {
					d.Lose(errors.New("gone"))
				}
				return d.answer("document", p)
			})
			d.Handle("DOM.describeNode", func(_ string, p json.RawMessage) (any, *devtools.Error) {
				if len(d.asked)+1 == at {
					d.Lose(errors.New("gone"))
				}
				return d.answer("branch", p)
			})
			if got, err := Read(t.Context(), s); err == nil {
				t.Errorf("a lost browser gives a tree of %d nodes", len(got.ByID))
			}
		})
	}
}

// What a hostile reply says twice makes no circle.
func TestAReplyThatRepeatsItselfEnds(t *testing.T) {
	d := &deep{levels: 10, most: 100}
	s := serve(t, d)
	d.Result("DOM.getDocument", map[string]any{"root": map[string]any{"backendNodeId": 1, "nodeType": 9, "childNodeCount": 1, "children": []any{
		map[string]any{"backendNodeId": 2, "nodeType": 1, "localName": "a", "childNodeCount": 1, "children": []any{map[string]any{"backendNodeId": 1, "nodeType": 1}}},
	}}})
	if got, err := Read(t.Context(), s); err != nil || len(got.Root.Kids) != 1 || len(got.Root.Kids[0].Kids) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	d.Result("DOM.getDocument", map[string]any{"root": map[string]any{"backendNodeId": 1, "nodeType": 9, "childNodeCount": 9, "children": []any{
		map[string]any{"backendNodeId": 2, "nodeType": 1, "localName": "a", "childNodeCount": 1, "children": []any{map[string]any{"backendNodeId": 1, "nodeType": 1}}},
	}}})
	d.Result("DOM.describeNode", map[string]any{"node": map[string]any{"backendNodeId": 1, "nodeType": 9, "childNodeCount": 9, "children": []any{
		map[string]any{"backendNodeId": 2, "nodeType": 1, "childNodeCount": 5},
	}}})
	got, err := Read(t.Context(), s)
	if err != nil || got.Missing == 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
