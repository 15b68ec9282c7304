package x11

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"

	"cuatui/platform"
)

// client is one live connection and what is fixed for its life.
type client struct {
	raw      net.Conn
	conn     *xgb.Conn
	root     xproto.Window
	atoms    map[string]xproto.Atom
	hostname string
	// attested: the server tells the process of a window's client, and means
	// our process ids by it.
	attested bool
	drained  chan struct{}
}

// The atoms in use.
const (
	netClientList         = "_NET_CLIENT_LIST"
	netClientListStacking = "_NET_CLIENT_LIST_STACKING"
	netActiveWindow       = "_NET_ACTIVE_WINDOW"
	netCurrentDesktop     = "_NET_CURRENT_DESKTOP"
	netSupportingWMCheck  = "_NET_SUPPORTING_WM_CHECK"
	netWMName             = "_NET_WM_NAME"
	netWMPID              = "_NET_WM_PID"
	netWMDesktop          = "_NET_WM_DESKTOP"
	netWMState            = "_NET_WM_STATE"
	netWMStateHidden      = "_NET_WM_STATE_HIDDEN"
	netFrameExtents       = "_NET_FRAME_EXTENTS"
	gtkFrameExtents       = "_GTK_FRAME_EXTENTS"
	wmName                = "WM_NAME"
	wmClass               = "WM_CLASS"
	wmClientMachine       = "WM_CLIENT_MACHINE"
	resourceManager       = "RESOURCE_MANAGER"
	utf8String            = "UTF8_STRING"
)

var atomNames = []string{
	netClientList, netClientListStacking, netActiveWindow, netCurrentDesktop, netSupportingWMCheck,
	netWMName, netWMPID, netWMDesktop, netWMState, netWMStateHidden, netFrameExtents, gtkFrameExtents,
	wmName, wmClass, wmClientMachine, resourceManager, utf8String,
}

// connect opens a connection and asks what is fixed for its life.
func connect(ctx context.Context, a address) (_ *client, err error) {
	hostname, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("asking for the host name: %w", err)
	}
	raw, err := a.dial(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := handshake(ctx, raw, findCookie(a, hostname))
	if err != nil {
		return nil, err
	}
	c := &client{raw: raw, conn: conn, hostname: hostname, drained: make(chan struct{})}
	go c.drain()
	stop := context.AfterFunc(ctx, c.abort)
	defer func() {
		if stopped := stop(); err == nil && !stopped {
			err = ctx.Err()
		}
		if err != nil {
			c.close()
		}
	}()
	return c, guarded(func() error { return c.prepare(a.screen) })
}

func (c *client) prepare(screen int) error {
	setup := xproto.Setup(c.conn)
	if screen >= len(setup.Roots) {
		return fmt.Errorf("the display has no screen %d", screen)
	}
	c.root = setup.Roots[screen].Root
	if err := c.intern(); err != nil {
		return fmt.Errorf("asking for atoms: %w", err)
	}
	var err error
	c.attested, err = c.attests(setup.ResourceIdBase)
	return err
}

func (c *client) intern() error {
	cookies := make([]xproto.InternAtomCookie, len(atomNames))
	for i, name := range atomNames {
		cookies[i] = xproto.InternAtom(c.conn, false, uint16(len(name)), name)
	}
	c.atoms = make(map[string]xproto.Atom, len(atomNames))
	for i, name := range atomNames {
		reply, err := cookies[i].Reply()
		if err != nil {
			return err
		}
		c.atoms[name] = reply.Atom
	}
	return nil
}

const xresName = "X-Resource"

// attests says whether the server's word on window owners can be used. It must
// offer XRes 1.2, and it must name our own process for our own connection: a
// server on another machine, or in another process id namespace, knows its
// clients by ids that mean something else here.
//
// res.Init does the same and also writes tables shared by all connections of
// the program without a lock; the extension has no events to put there.
func (c *client) attests(own uint32) (bool, error) {
	reply, err := xproto.QueryExtension(c.conn, uint16(len(xresName)), xresName).Reply()
	if err != nil {
		return false, fmt.Errorf("asking for XRes: %w", err)
	}
	if !reply.Present {
		return false, nil
	}
	c.conn.ExtLock.Lock()
	c.conn.Extensions[xresName] = reply.MajorOpcode
	c.conn.ExtLock.Unlock()
	version, err := res.QueryVersion(c.conn, 1, 2).Reply()
	if err != nil {
		return false, fmt.Errorf("asking for the version of XRes: %w", err)
	}
	if version.ServerMajor != 1 || version.ServerMinor < 2 {
		return false, nil
	}
	ids, err := c.askOwner(own).Reply()
	if err != nil {
		return false, fmt.Errorf("asking for our own process: %w", err)
	}
	return ownerOf(ids) == os.Getpid(), nil
}

// askOwner asks for the process of the client that made the resource.
func (c *client) askOwner(resource uint32) res.QueryClientIdsCookie {
	return res.QueryClientIds(c.conn, 1, []res.ClientIdSpec{{Client: resource, Mask: res.ClientIdMaskLocalClientPID}})
}

// ownerOf returns the process of an answer to askOwner, 0 if it names none.
func ownerOf(reply *res.QueryClientIdsReply) int {
	for _, id := range reply.Ids {
		if id.Spec.Mask == res.ClientIdMaskLocalClientPID && len(id.Value) == 1 {
			return int(id.Value[0])
		}
	}
	return 0
}

// drain empties the event queue. We ask for no events, but the server sends
// some to every client, and xgb stops reading replies when its queue is full.
func (c *client) drain() {
	defer close(c.drained)
	for {
		if event, err := c.conn.WaitForEvent(); event == nil && err == nil {
			return
		}
	}
}

// abort makes every pending and later request fail.
func (c *client) abort() { _ = c.raw.Close() }

// close ends the connection and waits for its reader.
func (c *client) close() {
	c.abort()
	<-c.drained
}

// gone says whether the window no longer exists.
func (c *client) gone(w xproto.Window) (bool, error) {
	_, err := xproto.GetWindowAttributes(c.conn, w).Reply()
	var bad xproto.WindowError
	if errors.As(err, &bad) {
		return true, nil
	}
	return false, err
}

// check reports on the window manager and on window owners.
func (c *client) check() ([]platform.Finding, error) {
	manager := platform.Finding{Name: "window manager", State: platform.Works}
	switch wm, err := c.windowManager(); {
	case err != nil:
		return nil, err
	case wm.window != 0:
		manager.Note = wm.name
	case wm.redirects:
		manager.State, manager.Note = platform.Missing, "the running window manager does not list its windows (no EWMH)"
	default:
		manager.State, manager.Note = platform.Missing, "none runs: top-level windows are listed, stacking is the server's, focus is the input focus"
	}
	owners := platform.Finding{Name: "window owners", State: platform.Works, Note: "attested by the X server (XRes)"}
	if !c.attested {
		owners.State, owners.Note = platform.Unverified, "the X server does not name our processes: owners are the windows' own claims (_NET_WM_PID)"
	}
	return []platform.Finding{manager, owners}, nil
}
