package observe

import (
	"context"
	"fmt"

	"cuatui/engine/devtools"
)

// Described is a node as the protocol describes it, for tests.
type Described struct {
	Session *devtools.Session // of its document's process
	Backend int
	Tag     string // its local name
	ID      string // its id attribute
}

// Describe asks the protocol for nodes by k, pipelined. A node that is gone is
// an error.
func (p *Page) Describe(ctx context.Context, ks []int) ([]Described, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	per := map[*doc][]int{}
	for i, k := range ks {
		per[p.nodes[k].doc] = append(per[p.nodes[k].doc], i)
	}
	out := make([]Described, len(ks))
	for d, at := range per {
		if d == nil {
			return nil, fmt.Errorf("describe: %d nodes are of no document", len(at))
		}
		locals := make([]int, len(at))
		for j, i := range at {
			locals[j] = p.nodes[ks[i]].local
		}
		handles, err := d.Nodes(ctx, locals, d.group+"-nodes")
		if err != nil {
			return nil, err
		}
		sent := make([]*devtools.Pending, len(at))
		for j, h := range handles {
			sent[j] = d.Session.Send("DOM.describeNode", map[string]any{"objectId": h})
		}
		for j, i := range at {
			var r struct {
				Node struct {
					BackendNodeID int      `json:"backendNodeId"`
					LocalName     string   `json:"localName"`
					Attributes    []string `json:"attributes"`
				} `json:"node"`
			}
			if err := sent[j].Decode(ctx, &r); err != nil {
				return nil, fmt.Errorf("describe: %w", err)
			}
			out[i] = Described{Session: d.Session, Backend: r.Node.BackendNodeID, Tag: r.Node.LocalName}
			for a := 0; a+1 < len(r.Node.Attributes); a += 2 {
				if r.Node.Attributes[a] == "id" {
					out[i].ID = r.Node.Attributes[a+1]
				}
			}
		}
	}
	return out, nil
}
