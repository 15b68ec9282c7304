package enginetest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"cuatui/engine/devtools"
)

// Frame is one frame of a scripted page.
type Frame struct {
	ID, Parent, Loader, URL string
	// Session is the session of the process it lives in; "" is the tab's own.
	Session string
}

// Op is one operation that the engine asked of its world in a document.
type Op struct {
	Name, Frame string
	Arg         json.RawMessage
	Nodes       []string // handles
}

// Answer answers an operation: with a value, or an error reply of the browser.
type Answer func(Op) (value any, err *devtools.Error)

// Page scripts a page on the browser: its frames, and what the engine's world
// in them answers. Node n has the backend id n and the handle node-<n>; the
// frame element of a frame is the node that Owner says.
type Page struct {
	*Browser
	tab string

	mu      sync.Mutex
	frames  []Frame
	owners  map[string]int
	worlds  []string // frame ids, by execution context from 1
	answers map[string]Answer
	asked   []Op
}

// NewPage scripts a page of one main frame; tab is the session it will be
// attached by. It answers arm, same, stable, disarm and local; every other
// operation is the test's to answer.
func NewPage(b *Browser, tab string) *Page {
	p := &Page{Browser: b, tab: tab, owners: map[string]int{}, answers: map[string]Answer{}}
	p.SetFrames(Frame{ID: "MAIN", Loader: "L1", URL: "http://localhost/"})
	b.Handle("Page.getFrameTree", p.tree)
	b.Handle("Page.createIsolatedWorld", p.world)
	b.Handle("Runtime.evaluate", p.evaluate)
	b.Handle("Runtime.callFunctionOn", p.call)
	b.Handle("DOM.getFrameOwner", p.owner)
	b.Handle("DOM.resolveNode", resolveNode)
	b.Result("DOMDebugger.getEventListeners", map[string]any{"listeners": []any{}})
	for _, quiet := range []string{"Target.setAutoAttach", "Runtime.releaseObjectGroup", "Page.enable", "Input.dispatchMouseEvent", "Input.dispatchKeyEvent", "Emulation.setFocusEmulationEnabled"} {
		b.Result(quiet, nil)
	}
	p.Say("same", map[string]any{"same": true})
	p.Say("stable", map[string]any{"stable": true})
	p.Say("leads", map[string]any{"url": "u"})
	p.Say("arm", map[string]any{"ok": true})
	p.Say("disarm", map[string]any{})
	p.Answer("local", local)
	return p
}

// SetFrames replaces the page's frames, parents first.
func (p *Page) SetFrames(frames ...Frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frames = frames
}

// Owner makes node k, by its local identity and its backend id, the frame
// element of a frame.
func (p *Page) Owner(frame string, k int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owners[frame] = k
}

// Say answers every later call of an operation, in any document, with value.
func (p *Page) Say(op string, value any) {
	p.Answer(op, func(Op) (any, *devtools.Error) { return value, nil })
}

// Answer answers every later call of an operation by a.
func (p *Page) Answer(op string, a Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers[op] = a
}

// Asked lists the operations asked so far, in order; of one name where name is
// not empty.
func (p *Page) Asked(name string) []Op {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Op
	for _, op := range p.asked {
		if name == "" || op.Name == name {
			out = append(out, op)
		}
	}
	return out
}

func (p *Page) tree(session string, _ json.RawMessage) (any, *devtools.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	in := func(f Frame) bool { return f.Session == session || f.Session == "" && session == p.tab }
	var under func(f Frame) map[string]any
	under = func(f Frame) map[string]any {
		children := []any{}
		for _, c := range p.frames {
			if c.Parent == f.ID && in(c) {
				children = append(children, under(c))
			}
		}
		return map[string]any{"frame": map[string]any{"id": f.ID, "loaderId": f.Loader, "url": f.URL, "parentId": f.Parent}, "childFrames": children}
	}
	for _, f := range p.frames {
		if in(f) {
			return map[string]any{"frameTree": under(f)}, nil
		}
	}
	return nil, &devtools.Error{Code: -32000, Message: "No frame"}
}

func (p *Page) world(_ string, params json.RawMessage) (any, *devtools.Error) {
	var a struct {
		FrameID string `json:"frameId"`
	}
	if err := json.Unmarshal(params, &a); err != nil {
		return nil, &devtools.Error{Code: -32602, Message: err.Error()}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.frames {
		if f.ID == a.FrameID {
			p.worlds = append(p.worlds, f.ID)
			return map[string]any{"executionContextId": len(p.worlds)}, nil
		}
	}
	return nil, &devtools.Error{Code: -32000, Message: "No frame for given id found"}
}

func (p *Page) evaluate(_ string, params json.RawMessage) (any, *devtools.Error) {
	var a struct {
		ContextID int `json:"contextId"`
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if json.Unmarshal(params, &a) != nil || a.ContextID > len(p.worlds) {
		return nil, &devtools.Error{Code: -32000, Message: "Cannot find context with specified id"}
	}
	handle := "document"
	if a.ContextID > 0 {
		handle = "ops-" + p.worlds[a.ContextID-1]
	}
	return map[string]any{"result": map[string]any{"objectId": handle}}, nil
}

// call runs an operation of the world.
func (p *Page) call(_ string, params json.RawMessage) (any, *devtools.Error) {
	var a struct {
		ObjectID  string `json:"objectId"`
		Arguments []struct {
			Value    json.RawMessage `json:"value"`
			ObjectID string          `json:"objectId"`
		} `json:"arguments"`
	}
	op := Op{}
	if json.Unmarshal(params, &a) != nil || len(a.Arguments) < 2 || json.Unmarshal(a.Arguments[0].Value, &op.Name) != nil {
		return nil, &devtools.Error{Code: -32602, Message: "Invalid parameters"}
	}
	op.Frame, op.Arg = strings.TrimPrefix(a.ObjectID, "ops-"), a.Arguments[1].Value
	for _, n := range a.Arguments[2:] {
		op.Nodes = append(op.Nodes, n.ObjectID)
	}
	p.mu.Lock()
	p.asked = append(p.asked, op)
	answer := p.answers[op.Name]
	p.mu.Unlock()
	if answer == nil {
		return nil, &devtools.Error{Code: -32000, Message: "enginetest: nobody answers " + op.Name}
	}
	value, err := answer(op)
	if err != nil {
		return nil, err
	}
	return map[string]any{"result": map[string]any{"value": value}}, nil
}

func (p *Page) owner(_ string, params json.RawMessage) (any, *devtools.Error) {
	var a struct {
		FrameID string `json:"frameId"`
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if json.Unmarshal(params, &a) != nil || p.owners[a.FrameID] == 0 {
		return nil, &devtools.Error{Code: -32000, Message: "Frame with the given id was not found."}
	}
	return map[string]any{"backendNodeId": p.owners[a.FrameID]}, nil
}

func local(op Op) (any, *devtools.Error) {
	k := 0
	if len(op.Nodes) > 0 {
		k, _ = strconv.Atoi(strings.TrimPrefix(op.Nodes[0], "node-")) // another handle is none of the page's nodes
	}
	return map[string]any{"k": k}, nil
}

func resolveNode(_ string, params json.RawMessage) (any, *devtools.Error) {
	var a struct {
		BackendNodeID int `json:"backendNodeId"`
	}
	if err := json.Unmarshal(params, &a); err != nil {
		return nil, &devtools.Error{Code: -32602, Message: err.Error()}
	}
	return map[string]any{"object": map[string]any{"objectId": fmt.Sprintf("node-%d", a.BackendNodeID)}}, nil
}
