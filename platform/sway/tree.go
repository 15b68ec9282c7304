package sway

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"cuatui/platform"
)

// Window is a window as Sway has it.
type Window struct {
	platform.Window
	// XID is the id that the X server knows the window by; 0 for a Wayland one.
	XID uint32
}

// What is kept of texts that any program chooses, bytes.
const (
	titleBytesMax = 16 << 10
	classBytesMax = 1 << 10
)

// node is a node of the tree: an output, a workspace, a container or a window.
// Only windows have a pid, a shell and visible.
type node struct {
	ID       uint64  `json:"id"`
	Type     string  `json:"type"`
	Name     string  `json:"name"`
	Rect     rect    `json:"rect"`        // with borders, without the title bar; of the desktop
	Content  rect    `json:"window_rect"` // of what the program draws; relative to Rect
	Title    rect    `json:"deco_rect"`   // of the title bar; relative to the parent
	Scale    float64 `json:"scale"`       // of an output
	Focused  bool    `json:"focused"`
	PID      *int64  `json:"pid"`
	Shell    string  `json:"shell"`
	AppID    string  `json:"app_id"`
	XID      *uint32 `json:"window"`
	Visible  *bool   `json:"visible"`
	Floating []node  `json:"floating_nodes"`
	Nodes    []node  `json:"nodes"`
	X11      struct {
		Class string `json:"class"`
	} `json:"window_properties"`
}

type rect struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"width"`
	H float64 `json:"height"`
}

// The names and kinds of nodes that matter.
const (
	scratchOutput = "__i3" // holds the scratchpad
	kindOutput    = "output"
	shellX11      = "xwayland"
)

// windows reads a tree. What the tree cannot say correctly of a window makes
// the whole answer an error: a list that left one out would be a lie. on is
// what shows the windows of Wayland programs.
func windows(tree []byte, on platform.WindowSystem) ([]Window, error) {
	var root node
	if err := json.Unmarshal(tree, &root); err != nil {
		return nil, fmt.Errorf("%w: %w", errProtocol, err)
	}
	if root.Type != "root" {
		return nil, fmt.Errorf("%w: the tree has no root", errProtocol)
	}
	w := walk{on: on, scale: 1, seen: map[platform.WindowID]bool{}}
	if err := w.node(root); err != nil {
		return nil, fmt.Errorf("%w: %w", errProtocol, err)
	}
	return w.found, nil
}

// walk goes through a tree. Its depth is bounded by the JSON decoder's.
type walk struct {
	on    platform.WindowSystem
	found []Window
	seen  map[platform.WindowID]bool
	// Of the output the walk is in.
	scale   float64
	scratch bool
}

func (w *walk) node(n node) error {
	switch {
	case n.Type == kindOutput:
		w.scratch = n.Name == scratchOutput
		w.scale = 1
		if n.Scale > 0 && n.Scale <= scaleMax {
			w.scale = n.Scale
		}
	case n.PID != nil || n.Shell != "":
		window, err := w.window(n)
		if err != nil {
			return err
		}
		w.found = append(w.found, window)
	}
	for _, children := range [][]node{n.Nodes, n.Floating} {
		for _, c := range children {
			if err := w.node(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// scaleMax bounds a plausible output scale.
const scaleMax = 32

func (w *walk) window(n node) (Window, error) {
	id := platform.WindowID(n.ID)
	if id == 0 || w.seen[id] {
		return Window{}, fmt.Errorf("window id %d is not one window's", n.ID)
	}
	w.seen[id] = true
	box := platform.Rect{X: n.Rect.X + n.Content.X, Y: n.Rect.Y + n.Content.Y, W: n.Content.W, H: n.Content.H}
	frame := platform.Rect{X: n.Rect.X, Y: n.Rect.Y - n.Title.H, W: n.Rect.W, H: n.Rect.H + n.Title.H}
	out := Window{Window: platform.Window{
		ID: id, On: w.on, Owner: platform.OwnerUnknown,
		Title: bounded(n.Name, titleBytesMax), Class: bounded(n.AppID, classBytesMax),
		Client: box, Box: box, Frame: frame, Scale: w.scale, Stack: -1,
		Active: n.Focused, Hidden: w.scratch || n.Visible == nil || !*n.Visible,
	}}
	if n.PID != nil && *n.PID > 0 && *n.PID <= math.MaxInt32 {
		out.PID, out.Owner = int(*n.PID), platform.OwnerCompositor
	}
	if n.XID == nil && n.Shell != shellX11 {
		return out, nil
	}
	if n.XID == nil || *n.XID == 0 {
		return Window{}, fmt.Errorf("window %d is an X window without an X id", n.ID)
	}
	out.XID, out.On = *n.XID, platform.X11
	out.Class = bounded(n.X11.Class, classBytesMax)
	if out.PID != 0 {
		// Sway 1.7 has it from the program's own property, unlike that of a
		// Wayland client, which the kernel attests.
		out.Owner = platform.OwnerClaimed
	}
	return out, nil
}

// bounded cuts s to at most limit bytes, up to its first NUL, as valid UTF-8.
func bounded(s string, limit int) string {
	s, _, _ = strings.Cut(s, "\x00")
	if len(s) > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		s = s[:limit]
	}
	return strings.ToValidUTF8(s, string(utf8.RuneError))
}
