package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cuatui/engine/devtools"
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

// readListeners asks every process at once for all listeners under its topmost
// document, shadow roots and same-process frames included.
func (p *Page) readListeners(ctx context.Context, frames []frame) (map[*devtools.Session]listening, error) {
	type ask struct {
		of   *doc
		sent *devtools.Pending
	}
	var asks []ask
	asked := map[*devtools.Session]bool{}
	gone := func(d *doc, err error) bool {
		return d.Session != p.session && (world.Gone(err) || errors.Is(err, devtools.ErrDetached))
	}
	for _, f := range frames {
		d := p.docs[f.ID]
		if d == nil || asked[f.session] {
			continue
		}
		sent, err := d.askListeners(ctx)
		if gone(d, err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		asked[f.session], asks = true, append(asks, ask{d, sent})
	}
	out := map[*devtools.Session]listening{}
	for _, a := range asks {
		l, err := decodeListeners(ctx, a.sent)
		if gone(a.of, err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out[a.of.Session] = l
	}
	return out, nil
}

// askListeners needs a main-world handle: an isolated one lists none.
func (d *doc) askListeners(ctx context.Context) (*devtools.Pending, error) {
	if d.main == "" {
		var r struct {
			Result struct {
				ObjectID string `json:"objectId"`
			} `json:"result"`
		}
		args := map[string]any{"expression": "document", "objectGroup": d.group, "silent": true}
		if err := d.Session.Call(ctx, "Runtime.evaluate", args, &r); err != nil {
			return nil, fmt.Errorf("read listeners: %w", err)
		}
		d.main = r.Result.ObjectID
	}
	return d.Session.Send("DOMDebugger.getEventListeners", map[string]any{"objectId": d.main, "depth": -1, "pierce": true}), nil
}

func decodeListeners(ctx context.Context, sent *devtools.Pending) (listening, error) {
	var r struct {
		Listeners []struct {
			Type          string `json:"type"`
			BackendNodeID int    `json:"backendNodeId"`
		} `json:"listeners"`
	}
	if err := sent.Decode(ctx, &r); err != nil {
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
	slices.SortFunc(pairs, func(a, b [2]int) int { return a[0] - b[0] })
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
func releaseNodes(s *devtools.Session, group string) *devtools.Pending {
	return s.Send("Runtime.releaseObjectGroup", map[string]any{"objectGroup": group + "-nodes"})
}
