package observe

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is a page of the fake browser with the engine's Page on it.
type scripted struct {
	*enginetest.Page
	conn *devtools.Conn
	page *Page
}

func script(t testing.TB) *scripted {
	t.Helper()
	b := enginetest.New()
	conn := devtools.New(b, devtools.Options{})
	t.Cleanup(func() { _ = conn.Close() })
	s, err := conn.Attach(t.Context(), "TAB")
	if err != nil {
		t.Fatal(err)
	}
	return &scripted{enginetest.NewPage(b, s.ID()), conn, NewPage(conn, s, "world")}
}

var whole = Options{NodeBudget: 300, OutputBudget: 16_000}

// calls counts the requests so far.
func (s *scripted) calls() int { return len(s.Log()) }

// buttons is the honest survey of a document with n buttons in view and rest offscreen.
func buttons(n, rest int, frames ...map[string]any) map[string]any {
	cols, nodes := []any{}, []any{}
	for i := range n {
		cols = append(cols, map[string]any{"i": i, "t": "in", "f": flagAct, "ev": evNative, "hit": hitOwn, "p": []float64{5, float64(i)}, "b": []float64{0, float64(i), 10, 1}})
		nodes = append(nodes, map[string]any{"i": i, "k": 1000 + i, "r": "button", "n": fmt.Sprint("Button ", i), "t": "button", "up": 0})
	}
	if len(nodes) > 300 {
		nodes = nodes[:300]
	}
	if frames == nil {
		frames = []map[string]any{}
	}
	return map[string]any{
		"elements": n + rest + 2, "candidates": n + rest + 2, "counts": map[string]int{"css_hidden/display": 2}, "rest": rest, "cols": cols, "nodes": nodes,
		"frames": frames, "page": map[string]any{"url": "http://localhost/", "title": "T", "w": 1000, "h": 800}, "walkMS": 1.5,
	}
}

// batch answers describe and rest for the buttons.
func batch(op enginetest.Op) (any, *devtools.Error) {
	var a struct {
		Indices     []int
		From, Count int
	}
	if err := json.Unmarshal(op.Arg, &a); err != nil {
		return nil, &devtools.Error{Message: err.Error()}
	}
	cols := []any{}
	if op.Name == "rest" {
		for i := range a.Count {
			a.Indices = append(a.Indices, 50_000+a.From+i)
			cols = append(cols, map[string]any{"i": 50_000 + a.From + i, "t": "offscreen", "f": flagAct, "ev": evNative})
		}
	}
	nodes := []any{}
	for _, i := range a.Indices {
		nodes = append(nodes, map[string]any{"i": i, "k": 1000 + i, "r": "button", "n": fmt.Sprint("Button ", i), "t": "button"})
	}
	return map[string]any{"nodes": nodes, "cols": cols}, nil
}

// limitRest makes rest answer no more than there is.
func limitRest(total int) enginetest.Answer {
	return func(op enginetest.Op) (any, *devtools.Error) {
		var a struct{ From, Count int }
		if err := json.Unmarshal(op.Arg, &a); err != nil {
			return nil, &devtools.Error{Message: err.Error()}
		}
		op.Arg = fmt.Appendf(nil, `{"from":%d,"count":%d}`, a.From, min(a.Count, total-a.From))
		return batch(op)
	}
}

func (s *scripted) take(t *testing.T, o Options) *Snapshot {
	t.Helper()
	snap, err := s.page.Take(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func next(t *testing.T, snap *Snapshot) *Segment {
	t.Helper()
	seg, err := snap.Next(t.Context(), 1, "viewport")
	if err != nil {
		t.Fatal(err)
	}
	return seg
}

func wantReason(t *testing.T, err error, want refusal.Reason) {
	t.Helper()
	if r, ok := refusal.As(err); !ok || r.Reason != want {
		t.Errorf("got %v, want the refusal %s", err, want)
	}
}

// handles answers the engine's asking for the handles of n nodes, with more
// beside them than was asked for.
func (s *scripted) handles(n int) {
	list := []any{}
	for i := range n {
		list = append(list, map[string]any{"name": strconv.Itoa(i), "value": map[string]any{"objectId": fmt.Sprint("node-", i)}})
	}
	for _, other := range []string{"-1", strconv.Itoa(n + 5)} {
		list = append(list, map[string]any{"name": other, "value": map[string]any{"objectId": "x"}})
	}
	s.Result("Runtime.getProperties", map[string]any{"result": append(list, map[string]any{"name": "length"})})
	call := s.Handler("Runtime.callFunctionOn")
	s.Handle("Runtime.callFunctionOn", func(session string, params json.RawMessage) (any, *devtools.Error) {
		if strings.Contains(string(params), "this.node(k)") {
			return map[string]any{"result": map[string]any{"objectId": "list"}}, nil
		}
		return call(session, params)
	})
}
