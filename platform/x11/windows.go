package x11

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"

	"cuatui/platform"
)

// windowsPerBatch bounds the requests in flight: some fifteen a window, and
// xgb holds a thousand.
const windowsPerBatch = 50

// desktop is what holds for all windows of one listing.
type desktop struct {
	active  xproto.Window
	current uint32 // desktop shown
	// hasDesktops is false where the window manager does not say which
	// desktop is shown.
	hasDesktops bool
	scale       float64
}

// windows lists the top-level windows.
func (c *client) windows() ([]platform.Window, error) {
	ids, stacked, err := c.topLevel()
	if err != nil {
		return nil, err
	}
	desk, err := c.desktop()
	if err != nil {
		return nil, err
	}
	out := make([]platform.Window, 0, len(ids))
	for batch := range slices.Chunk(ids, windowsPerBatch) {
		requests := make([]asked, len(batch))
		for i, id := range batch {
			requests[i] = c.askWindow(id)
		}
		for _, a := range requests {
			w, err := c.readWindow(a, desk)
			if err != nil {
				var xerr xgb.Error
				if !errors.As(err, &xerr) {
					return nil, err
				}
				gone, goneErr := c.gone(a.id)
				switch {
				case goneErr != nil:
					return nil, goneErr
				case !gone:
					return nil, fmt.Errorf("window %#x: %w", uint32(a.id), err)
				}
				continue
			}
			if w.Stack = len(out); !stacked {
				w.Stack = -1
			}
			out = append(out, w)
		}
	}
	return out, nil
}

// topLevel returns the top-level windows, and whether they are in stacking
// order, bottom first.
func (c *client) topLevel() (ids []xproto.Window, stacked bool, err error) {
	wm, err := c.windowManager()
	if err != nil {
		return nil, false, err
	}
	if wm.window == 0 {
		if wm.redirects {
			return nil, false, errors.New("the window manager does not list its windows (no EWMH)")
		}
		ids, err = c.mappedChildren()
		return ids, true, err
	}
	for _, name := range []string{netClientListStacking, netClientList} {
		reply, err := c.ask(c.root, name, listUnitsMax).Reply()
		if err != nil {
			return nil, false, err
		}
		if reply.Type != xproto.AtomNone {
			ids, err = windowList(name, reply)
			return ids, name == netClientListStacking, err
		}
	}
	return nil, false, fmt.Errorf("the window manager %q publishes no list of windows", wm.name)
}

// manager is the running window manager.
type manager struct {
	window xproto.Window // its check window; 0: none that follows EWMH
	name   string
	// redirects: some client manages the root's children, EWMH or not.
	redirects bool
}

// windowManager finds the running window manager. Its properties on the root
// outlive it, so the check window must exist and name itself.
func (c *client) windowManager() (manager, error) {
	root, err := xproto.GetWindowAttributes(c.conn, c.root).Reply()
	if err != nil {
		return manager{}, err
	}
	m := manager{redirects: root.AllEventMasks&xproto.EventMaskSubstructureRedirect != 0}
	reply, err := c.ask(c.root, netSupportingWMCheck, 1).Reply()
	if err != nil {
		return manager{}, err
	}
	id, ok := cardinal(reply)
	if !ok {
		return m, nil
	}
	self, err := c.ask(xproto.Window(id), netSupportingWMCheck, 1).Reply()
	var bad xproto.WindowError
	if errors.As(err, &bad) {
		return m, nil
	}
	if err != nil {
		return manager{}, err
	}
	if named, ok := cardinal(self); !ok || named != id {
		return m, nil
	}
	name, err := c.ask(xproto.Window(id), netWMName, classUnitsMax).Reply()
	if err != nil {
		return manager{}, err
	}
	m.window, m.name = xproto.Window(id), text(name)
	return m, nil
}

// mappedChildren returns the root's children that a window manager would have
// managed, bottom first.
func (c *client) mappedChildren() ([]xproto.Window, error) {
	tree, err := xproto.QueryTree(c.conn, c.root).Reply()
	if err != nil {
		return nil, err
	}
	var ids []xproto.Window
	for batch := range slices.Chunk(tree.Children, windowsPerBatch) {
		cookies := make([]xproto.GetWindowAttributesCookie, len(batch))
		for i, id := range batch {
			cookies[i] = xproto.GetWindowAttributes(c.conn, id)
		}
		for i, id := range batch {
			a, err := cookies[i].Reply()
			var bad xproto.WindowError
			switch {
			case errors.As(err, &bad): // destroyed since
			case err != nil:
				return nil, err
			case a.MapState == xproto.MapStateViewable && !a.OverrideRedirect && a.Class == xproto.WindowClassInputOutput:
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}

func (c *client) desktop() (desktop, error) {
	active := c.ask(c.root, netActiveWindow, 1)
	current := c.ask(c.root, netCurrentDesktop, 1)
	resources := c.ask(c.root, resourceManager, resourceUnitsMax)
	focus := xproto.GetInputFocus(c.conn)
	d := desktop{}
	reply, err := active.Reply()
	if err != nil {
		return d, err
	}
	if id, ok := cardinal(reply); ok {
		d.active = xproto.Window(id)
	} else {
		focused, err := focus.Reply()
		if err != nil {
			return d, err
		}
		d.active = focused.Focus
	}
	if reply, err = current.Reply(); err != nil {
		return d, err
	}
	d.current, d.hasDesktops = cardinal(reply)
	if reply, err = resources.Reply(); err != nil {
		return d, err
	}
	d.scale = scaleOf(text(reply))
	return d, nil
}

// asked are the requests about one window, sent and not yet answered.
type asked struct {
	id                                 xproto.Window
	geometry                           xproto.GetGeometryCookie
	origin                             xproto.TranslateCoordinatesCookie
	attributes                         xproto.GetWindowAttributesCookie
	owner                              res.QueryClientIdsCookie
	netName, name, class, pid, machine xproto.GetPropertyCookie
	desktop, states, frame, shadow     xproto.GetPropertyCookie
}

func (c *client) askWindow(w xproto.Window) asked {
	a := asked{
		id:         w,
		geometry:   xproto.GetGeometry(c.conn, xproto.Drawable(w)),
		origin:     xproto.TranslateCoordinates(c.conn, w, c.root, 0, 0),
		attributes: xproto.GetWindowAttributes(c.conn, w),
		netName:    c.ask(w, netWMName, titleUnitsMax),
		name:       c.ask(w, wmName, titleUnitsMax),
		class:      c.ask(w, wmClass, classUnitsMax),
		pid:        c.ask(w, netWMPID, 1),
		machine:    c.ask(w, wmClientMachine, classUnitsMax),
		desktop:    c.ask(w, netWMDesktop, 1),
		states:     c.ask(w, netWMState, statesUnitsMax),
		frame:      c.ask(w, netFrameExtents, 4),
		shadow:     c.ask(w, gtkFrameExtents, 4),
	}
	if c.attested {
		a.owner = c.askOwner(uint32(w))
	}
	return a
}

// readWindow collects the answers of askWindow.
func (c *client) readWindow(a asked, desk desktop) (platform.Window, error) {
	w := platform.Window{ID: platform.WindowID(a.id), On: platform.X11, Scale: desk.scale, Active: a.id == desk.active}
	geometry, err := a.geometry.Reply()
	if err != nil {
		return w, err
	}
	origin, err := a.origin.Reply()
	if err != nil {
		return w, err
	}
	attributes, err := a.attributes.Reply()
	if err != nil {
		return w, err
	}
	props, err := replies(a.netName, a.name, a.class, a.pid, a.machine, a.desktop, a.states, a.frame, a.shadow)
	if err != nil {
		return w, err
	}
	netName, name, classes, pid, machine := props[0], props[1], props[2], props[3], props[4]
	if w.Title = text(netName); w.Title == "" {
		w.Title = text(name)
	}
	w.Class = class(classes)
	client := platform.Rect{
		X: float64(origin.DstX), Y: float64(origin.DstY),
		W: float64(geometry.Width), H: float64(geometry.Height),
	}
	box := inset(client, cardinals(props[8]))
	w.Client = divide(client, desk.scale)
	w.Box = divide(box, desk.scale)
	w.Frame = divide(outset(box, cardinals(props[7])), desk.scale)
	w.Hidden = attributes.MapState != xproto.MapStateViewable ||
		slices.Contains(cardinals(props[6]), uint32(c.atoms[netWMStateHidden])) ||
		desk.elsewhere(props[5])

	w.PID, w.Owner, err = c.ownerOfWindow(a, pid, text(machine))
	return w, err
}

// replies collects property replies in order.
func replies(cookies ...xproto.GetPropertyCookie) ([]*xproto.GetPropertyReply, error) {
	out := make([]*xproto.GetPropertyReply, len(cookies))
	for i, cookie := range cookies {
		var err error
		if out[i], err = cookie.Reply(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ownerOfWindow prefers the server's record to the client's claim, which any
// client may forge and which means nothing for a client of another machine.
func (c *client) ownerOfWindow(a asked, claim *xproto.GetPropertyReply, machine string) (int, platform.OwnerProof, error) {
	if c.attested {
		reply, err := a.owner.Reply()
		if err != nil {
			return 0, platform.OwnerUnknown, err
		}
		if pid := ownerOf(reply); pid > 0 {
			return pid, platform.OwnerXRes, nil
		}
	}
	if pid, ok := cardinal(claim); ok && pid > 0 && pid <= math.MaxInt32 && machine == c.hostname {
		return int(pid), platform.OwnerClaimed, nil
	}
	return 0, platform.OwnerUnknown, nil
}

// allDesktops in _NET_WM_DESKTOP means that the window is on every one.
const allDesktops = 0xFFFFFFFF

func (d desktop) elsewhere(r *xproto.GetPropertyReply) bool {
	on, ok := cardinal(r)
	return ok && d.hasDesktops && on != d.current && on != allDesktops
}

// inset takes extents (left, right, top, bottom, device pixels) off r. Clients
// set them; those that leave no window are ignored.
func inset(r platform.Rect, extents []uint32) platform.Rect {
	if len(extents) != 4 {
		return r
	}
	left, right, top, bottom := float64(extents[0]), float64(extents[1]), float64(extents[2]), float64(extents[3])
	if left+right >= r.W || top+bottom >= r.H {
		return r
	}
	return platform.Rect{X: r.X + left, Y: r.Y + top, W: r.W - left - right, H: r.H - top - bottom}
}

// extentMax bounds a window manager's border: coordinates are 16-bit.
const extentMax = math.MaxInt16

// outset adds extents (left, right, top, bottom, device pixels) to r.
func outset(r platform.Rect, extents []uint32) platform.Rect {
	if len(extents) != 4 || slices.Max(extents) > extentMax {
		return r
	}
	left, right, top, bottom := float64(extents[0]), float64(extents[1]), float64(extents[2]), float64(extents[3])
	return platform.Rect{X: r.X - left, Y: r.Y - top, W: r.W + left + right, H: r.H + top + bottom}
}

// divide turns device pixels into DIP.
func divide(r platform.Rect, scale float64) platform.Rect {
	return platform.Rect{X: r.X / scale, Y: r.Y / scale, W: r.W / scale, H: r.H / scale}
}
