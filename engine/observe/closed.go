package observe

import (
	"context"
	"errors"
	"fmt"

	"cuatui/engine/devtools"
	"cuatui/engine/world"
)

// openClosed asks the protocol for the closed shadow roots of hosts and hands
// them to the world, where no script could get at them. It says whether there
// was one. Each host is asked once in its life.
func (d *doc) openClosed(ctx context.Context, hosts []int) (found bool, err error) {
	group := d.group + "-nodes"
	handles, err := d.Nodes(ctx, hosts, group)
	if err != nil {
		return false, err
	}
	sent := make([]*devtools.Pending, len(handles))
	for i, h := range handles {
		if h != "" {
			sent[i] = d.Session.Send("DOM.describeNode", map[string]any{"objectId": h, "depth": 1, "pierce": true})
		}
	}
	roots := make([]int, len(hosts))
	for i, p := range sent {
		if p == nil {
			continue
		}
		if roots[i], err = closedRoot(ctx, p); err != nil {
			return false, err
		}
		found = found || roots[i] != 0
	}
	in := make([]string, len(hosts))
	if found {
		var ids []int
		var at []int
		for i, id := range roots {
			if id != 0 {
				ids, at = append(ids, id), append(at, i)
			}
		}
		got, err := d.Resolve(ctx, group, ids)
		if err != nil {
			return false, err
		}
		for i, h := range got {
			in[at[i]] = h
		}
	}
	err = d.Call(ctx, "closed", map[string]any{"hosts": hosts}, nil, in...)
	if world.Gone(err) {
		return false, nil // what replaced the document is found out by confirm
	}
	return found, err
}

// closedRoot is the backend id of a described host's closed shadow root, 0 if
// it has none. User-agent trees are never listed.
func closedRoot(ctx context.Context, p *devtools.Pending) (int, error) {
	var r struct {
		Node struct {
			ShadowRoots []struct {
				BackendNodeID  int    `json:"backendNodeId"`
				ShadowRootType string `json:"shadowRootType"`
			} `json:"shadowRoots"`
		} `json:"node"`
	}
	var perr *devtools.Error
	err := p.Decode(ctx, &r)
	if errors.As(err, &perr) {
		return 0, nil // the host died meanwhile
	}
	if err != nil {
		return 0, fmt.Errorf("ask for a closed shadow tree: %w", err)
	}
	for _, root := range r.Node.ShadowRoots {
		if root.ShadowRootType == "closed" {
			return root.BackendNodeID, nil
		}
	}
	return 0, nil
}
