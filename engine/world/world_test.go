package world_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestGoneAndNeverRan(t *testing.T) {
	reply := func(message string) error {
		return fmt.Errorf("calling: %w", &devtools.Error{Code: -32000, Message: message})
	}
	tests := []struct {
		name        string
		err         error
		gone, never bool
	}{
		{"nothing", nil, false, false},
		{"it ran and its document went", reply("Execution context was destroyed."), true, false},
		{"it ran and its answer was lost", reply("Promise was collected"), true, false},
		{"it navigated underneath", reply("Inspected target navigated or closed"), true, false},
		{"there was no document", reply("Cannot find context with specified id"), true, true},
		{"there was no world", reply("Could not find object with given id"), true, true},
		{"there was no session", reply("Session with given id not found."), true, true},
		{"the session ended", fmt.Errorf("calling: %w", devtools.ErrDetached), true, false},
		{"another failure", reply("Internal error"), false, false},
		{"the connection was lost", fmt.Errorf("%w: %w", devtools.ErrClosed, io.EOF), false, false},
		{"a text that only looks like it", errors.New("the page says: Execution context was destroyed"), false, false},
	}
	for _, tt := range tests {
		if world.Gone(tt.err) != tt.gone || world.NeverRan(tt.err) != tt.never {
			t.Errorf("%s: gone %v, never ran %v; want %v, %v", tt.name, world.Gone(tt.err), world.NeverRan(tt.err), tt.gone, tt.never)
		}
	}
}

func enter(t *testing.T) (*enginetest.Page, *world.Document) {
	t.Helper()
	b := enginetest.New()
	conn := devtools.New(b, devtools.Options{})
	t.Cleanup(func() { _ = conn.Close() })
	s, err := conn.Attach(t.Context(), "TAB")
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.NewPage(b, s.ID())
	d, err := world.Enter(t.Context(), s, "MAIN", "L1", "http://localhost/", "name")
	if err != nil {
		t.Fatal(err)
	}
	return p, d
}

// The page must not see that somebody looks: no Runtime.enable, no script on
// new documents, and a world without access to others.
func TestEnteringLeavesNoTrace(t *testing.T) {
	p, _ := enter(t)
	var methods []string
	for _, r := range p.Log() {
		methods = append(methods, r.Method)
	}
	if want := []string{"Target.attachToTarget", "Page.createIsolatedWorld", "Runtime.evaluate"}; !slices.Equal(methods, want) {
		t.Errorf("entering asks %v", methods)
	}
	if args := string(p.Calls("Page.createIsolatedWorld")[0].Params); !strings.Contains(args, `"grantUniveralAccess":false`) {
		t.Errorf("the world is made with %s", args)
	}
}

func TestAnAnswerThatSaysNothingIsAnError(t *testing.T) {
	for name, answer := range map[string]any{
		"no value":        map[string]any{"result": map[string]any{"type": "undefined"}},
		"null":            map[string]any{"result": map[string]any{"value": nil}},
		"no result":       map[string]any{},
		"another type":    map[string]any{"result": 7},
		"a list":          []any{},
		"a value of text": map[string]any{"result": map[string]any{"value": "x"}},
		"a script error":  map[string]any{"result": map[string]any{"value": map[string]any{"n": 1}}, "exceptionDetails": map[string]any{"text": "Uncaught", "exception": map[string]any{"description": strings.Repeat("x", 10_000)}}},
	} {
		t.Run(name, func(t *testing.T) {
			p, d := enter(t)
			p.Result("Runtime.callFunctionOn", answer)
			var got struct{ N int }
			err := d.Call(t.Context(), "survey", nil, &got)
			if err == nil || got.N != 0 || len(err.Error()) > 1000 {
				t.Errorf("got %+v, %.200v", got, err)
			}
		})
	}
}

func TestEnteringFailsAsTheDocumentDoes(t *testing.T) {
	p, d := enter(t)
	p.Fail("Runtime.evaluate", -32000, "Cannot find context with specified id")
	if _, err := world.Enter(t.Context(), d.Session, "MAIN", "L2", "", "name"); !world.Gone(err) {
		t.Errorf("got %v", err)
	}
	p.Result("Runtime.evaluate", map[string]any{"exceptionDetails": map[string]any{"text": "SyntaxError"}})
	if _, err := world.Enter(t.Context(), d.Session, "MAIN", "L2", "", "name"); err == nil || world.Gone(err) {
		t.Errorf("got %v", err)
	}
}

func TestResolveLeavesOutWhatIsGone(t *testing.T) {
	p, d := enter(t)
	honest := p.Handler("DOM.resolveNode")
	p.Handle("DOM.resolveNode", func(session string, params json.RawMessage) (any, *devtools.Error) {
		if strings.Contains(string(params), `"backendNodeId":2,`) {
			return nil, &devtools.Error{Code: -32000, Message: "No node with given id found"}
		}
		return honest(session, params)
	})
	got, err := d.Resolve(t.Context(), "group", []int{1, 2, 3})
	if want := []string{"node-1", "", "node-3"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	p.Lose(io.EOF)
	if _, err := d.Resolve(t.Context(), "group", []int{1}); !errors.Is(err, devtools.ErrClosed) {
		t.Errorf("after the loss: %v", err)
	}
}

func TestNodesTakesNoIndexOfThePages(t *testing.T) {
	p, d := enter(t)
	p.Result("Runtime.callFunctionOn", map[string]any{"result": map[string]any{"objectId": "list"}})
	value := func(id string) map[string]any { return map[string]any{"objectId": id} }
	p.Result("Runtime.getProperties", map[string]any{"result": []any{
		map[string]any{"name": "1", "value": value("b")},
		map[string]any{"name": "-1", "value": value("x")},
		map[string]any{"name": "99", "value": value("x")},
		map[string]any{"name": "length", "value": value("x")},
		map[string]any{"name": "0"},
	}})
	got, err := d.Nodes(t.Context(), []int{5, 6, 7}, "group")
	if want := []string{"", "b", ""}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}
