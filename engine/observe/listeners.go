package observe

import (
	"context"
	"fmt"

	"cuatui/engine/world"
)

// pointerEvents are the events whose listener is evidence of a click.
var pointerEvents = map[string]bool{
	"click": true, "mousedown": true, "mouseup": true, "pointerdown": true, "pointerup": true,
	"touchstart": true, "touchend": true, "auxclick": true, "dblclick": true,
}

// listenersMax bounds how many new listening nodes one snapshot resolves. The
// page's own listeners are read in one call; resolving 5,000 nodes, pipelined,
// is what costs. What is over it is said in the snapshot.
const listenersMax = 5000

// listening is what the browser says of the nodes with listeners: per backend
// id the number of distinct event types, kept where one of them is a pointer event.
type listening struct {
	types  map[int]int
	unread int // nodes over listenersMax
}

// readListeners asks for all listeners under the main document, shadow roots
// and same-process frames included. It needs a main-world handle: an isolated
// one lists none.
func (p *Page) readListeners(ctx context.Context, main *doc) (listening, error) {
	if main.main == "" {
		var r struct {
			Result struct {
				ObjectID string `json:"objectId"`
			} `json:"result"`
		}
		args := map[string]any{"expression": "document", "objectGroup": p.name, "silent": true}
		if err := p.session.Call(ctx, "Runtime.evaluate", args, &r); err != nil {
			return listening{}, fmt.Errorf("read listeners: %w", err)
		}
		main.main = r.Result.ObjectID
	}
	var r struct {
		Listeners []struct {
			Type          string `json:"type"`
			BackendNodeID int    `json:"backendNodeId"`
		} `json:"listeners"`
	}
	args := map[string]any{"objectId": main.main, "depth": -1, "pierce": true}
	if err := p.session.Send("DOMDebugger.getEventListeners", args).Decode(ctx, &r); err != nil {
		return listening{}, fmt.Errorf("read listeners: %w", err)
	}
	types, pointer := map[int]map[string]bool{}, map[int]bool{}
	for _, l := range r.Listeners {
		if l.BackendNodeID == 0 {
			continue
		}
		if types[l.BackendNodeID] == nil {
			types[l.BackendNodeID] = map[string]bool{}
		}
		types[l.BackendNodeID][l.Type] = true
		pointer[l.BackendNodeID] = pointer[l.BackendNodeID] || pointerEvents[l.Type]
	}
	out := listening{types: map[int]int{}}
	for id := range pointer {
		if !pointer[id] {
			continue
		}
		if len(out.types) >= listenersMax {
			out.unread++
			continue
		}
		out.types[id] = len(types[id])
	}
	return out, nil
}

// listenerArgs is what a document's survey is told of listeners: all pairs,
// and the handles of those it does not know yet.
func (d *doc) listenerArgs(ctx context.Context, l listening) (args map[string]any, elements []string, err error) {
	pairs := make([][2]int, 0, len(l.types))
	fresh := []int{}
	for id, n := range l.types {
		pairs = append(pairs, [2]int{id, n})
		if !d.known[id] {
			fresh = append(fresh, id)
		}
	}
	args = map[string]any{"listeners": pairs, "fresh": fresh}
	if len(fresh) == 0 {
		return args, nil, nil
	}
	elements, err = d.Resolve(ctx, d.group+"-nodes", fresh)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range fresh {
		d.known[id] = true // of another document: resolves to nothing here, and need not be asked again
	}
	return args, elements, nil
}

// releaseNodes gives back the handles of listenerArgs; the world holds the
// nodes weakly.
func releaseNodes(ctx context.Context, d *world.Document, group string) error {
	return d.Session.Call(ctx, "Runtime.releaseObjectGroup", map[string]any{"objectGroup": group + "-nodes"}, nil)
}
