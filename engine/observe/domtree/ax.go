package domtree

import (
	"context"
	"fmt"

	"cuatui/engine/devtools"
)

// AX is what the browser's accessibility tree says of a node.
type AX struct {
	Ignored     bool
	Role        string
	Name        string
	Description string
	Value       string
	Props       map[string]any // booleans, strings and numbers by property name
}

type axValue struct {
	Value any `json:"value"`
}

type axReply struct {
	Nodes []struct {
		Ignored     bool    `json:"ignored"`
		Role        axValue `json:"role"`
		Name        axValue `json:"name"`
		Description axValue `json:"description"`
		Value       axValue `json:"value"`
		Properties  []struct {
			Name  string  `json:"name"`
			Value axValue `json:"value"`
		} `json:"properties"`
		BackendDOMNodeID int `json:"backendDOMNodeId"`
	} `json:"nodes"`
}

// Mean gives the nodes of one frame's document their accessibility.
func (t *Tree) Mean(ctx context.Context, s *devtools.Session, frameID string) error {
	var r axReply
	if err := s.Call(ctx, "Accessibility.getFullAXTree", map[string]any{"frameId": frameID}, &r); err != nil {
		return fmt.Errorf("read accessibility: %w", err)
	}
	for _, a := range r.Nodes {
		n := t.ByID[a.BackendDOMNodeID]
		if n == nil || n.AX != nil || n.Backend != a.BackendDOMNodeID {
			continue
		}
		ax := &AX{Ignored: a.Ignored, Role: text(a.Role), Name: text(a.Name), Description: text(a.Description), Value: text(a.Value), Props: map[string]any{}}
		for _, p := range a.Properties {
			ax.Props[p.Name] = p.Value.Value
		}
		n.AX = ax
	}
	return nil
}

func text(v axValue) string {
	switch x := v.Value.(type) {
	case string:
		return x
	case float64:
		return fmt.Sprint(x)
	}
	return ""
}
