package domtree

import (
	"context"
	"fmt"

	"cuatui/engine/devtools"
)

// Box is the layout of a node. Rect is left, top, width, height in CSS px of
// its document's viewport; the others are px of the element's own lengths.
type Box struct {
	Rect   [4]float64
	Offset [2]float64 // width and height
	Client [4]float64 // left and top border, width, height
	Scroll [4]float64 // scrolled, and extent
	Text   []([4]float64)
	styles []int
	names  []string
}

// styleNames are the computed styles asked for.
var styleNames = []string{
	"display", "visibility", "opacity", "position", "overflow-x", "overflow-y", "cursor", "pointer-events", "clip-path", "clip", "transform",
	"content-visibility", "filter", "perspective", "rotate", "translate", "scale", "contain", "padding-left", "padding-top", "padding-right",
	"padding-bottom", "background-color", "background-image", "appearance", "direction", "writing-mode", "flex-direction", "zoom", "interactivity", "will-change", "backdrop-filter", "overflow-clip-margin", "border-top-width", "border-top-color",
}

var styleIndex = func() map[string]int {
	m := map[string]int{}
	for i, n := range styleNames {
		m[n] = i
	}
	return m
}()

// Style is a computed style of the node, "" where it has no layout.
func (n *Node) Style(name string) string {
	if n.Box == nil {
		return ""
	}
	i, ok := styleIndex[name]
	if !ok || i >= len(n.Box.styles) {
		return ""
	}
	if at := n.Box.styles[i]; at >= 0 && at < len(n.Box.names) {
		return n.Box.names[at]
	}
	return ""
}

type snapshotReply struct {
	Strings   []string        `json:"strings"`
	Documents []documentReply `json:"documents"`
}

type documentReply struct {
	ScrollOffsetX float64 `json:"scrollOffsetX"`
	ScrollOffsetY float64 `json:"scrollOffsetY"`
	Nodes         struct {
		BackendNodeID []int `json:"backendNodeId"`
		InputChecked  struct {
			Index []int `json:"index"`
		} `json:"inputChecked"`
	} `json:"nodes"`
	Layout struct {
		NodeIndex   []int        `json:"nodeIndex"`
		Styles      [][]int      `json:"styles"`
		Bounds      [][4]float64 `json:"bounds"`
		OffsetRects [][]float64  `json:"offsetRects"`
		ClientRects [][]float64  `json:"clientRects"`
		ScrollRects [][]float64  `json:"scrollRects"`
	} `json:"layout"`
	TextBoxes struct {
		LayoutIndex []int        `json:"layoutIndex"`
		Bounds      [][4]float64 `json:"bounds"`
	} `json:"textBoxes"`
}

// Lay gives the nodes of a tree their layout.
func (t *Tree) Lay(ctx context.Context, s *devtools.Session) error {
	var m struct {
		Visual    viewport `json:"visualViewport"`
		CSSVisual viewport `json:"cssVisualViewport"`
	}
	metrics := s.Send("Page.getLayoutMetrics", nil)
	snapshot := s.Send("DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": styleNames, "includeDOMRects": true, "includePaintOrder": false})
	if err := metrics.Decode(ctx, &m); err != nil {
		return fmt.Errorf("read layout: %w", err)
	}
	var r snapshotReply
	if err := snapshot.Decode(ctx, &r); err != nil {
		return fmt.Errorf("read layout: %w", err)
	}
	// Bounds are px of the layout, which the browser's own zoom and a real pixel
	// ratio make other than CSS px; the ratio of these two floats is exact.
	scale := 1.0
	if m.CSSVisual.W > 0 && m.Visual.W > 0 {
		scale = m.Visual.W / m.CSSVisual.W
	}
	for i := range r.Documents {
		t.lay(&r.Documents[i], r.Strings, scale)
	}
	return nil
}

// lay gives the nodes of one document their layout. scale is layout px to a CSS px.
func (t *Tree) lay(d *documentReply, names []string, scale float64) {
	l := d.Layout
	at := func(b [4]float64) [4]float64 {
		return [4]float64{(b[0] - d.ScrollOffsetX) / scale, (b[1] - d.ScrollOffsetY) / scale, b[2] / scale, b[3] / scale}
	}
	node := func(i int) (n *Node, own bool) {
		if i < 0 || i >= len(d.Nodes.BackendNodeID) {
			return nil, false
		}
		n = t.ByID[d.Nodes.BackendNodeID[i]]
		return n, n != nil && n.Backend == d.Nodes.BackendNodeID[i]
	}
	for _, i := range d.Nodes.InputChecked.Index {
		if n, own := node(i); own {
			n.Checked = true
		}
	}
	boxes := make([]*Box, len(l.NodeIndex))
	for i, of := range l.NodeIndex {
		n, own := node(of)
		switch {
		case n == nil || i >= len(l.Bounds):
		case !own:
			n.Pseudo = append(n.Pseudo, at(l.Bounds[i]))
		case n.Box == nil: // of several boxes, the first
			b := &Box{Rect: at(l.Bounds[i]), names: names}
			if i < len(l.Styles) {
				b.styles = l.Styles[i]
			}
			var offset [4]float64
			four(&offset, l.OffsetRects, i)
			b.Offset = [2]float64{offset[2], offset[3]}
			four(&b.Client, l.ClientRects, i)
			four(&b.Scroll, l.ScrollRects, i)
			n.Box, boxes[i] = b, b
		}
	}
	for j, i := range d.TextBoxes.LayoutIndex {
		if i >= 0 && i < len(boxes) && boxes[i] != nil && j < len(d.TextBoxes.Bounds) {
			boxes[i].Text = append(boxes[i].Text, at(d.TextBoxes.Bounds[j]))
		}
	}
}

// Rescale divides the boxes of a document by the zoom that its frame element
// hands down: its layout has it, its CSS px have not.
func (n *Node) Rescale(zoom float64) {
	if n.Box != nil {
		for i := range n.Box.Rect {
			n.Box.Rect[i] /= zoom
		}
		for j := range n.Box.Text {
			for i := range n.Box.Text[j] {
				n.Box.Text[j][i] /= zoom
			}
		}
	}
	for _, k := range n.Kids {
		k.Rescale(zoom)
	}
	if n.Shadow != nil {
		n.Shadow.Rescale(zoom)
	}
}

type viewport struct {
	W float64 `json:"clientWidth"`
}

func four(into *[4]float64, from [][]float64, i int) {
	if i < len(from) && len(from[i]) == 4 {
		copy(into[:], from[i])
	}
}
