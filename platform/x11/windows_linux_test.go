package x11

import (
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jezek/xgb/xproto"

	"cuatui/platform"
)

func ids(windows []platform.Window) []xproto.Window {
	out := make([]xproto.Window, len(windows))
	for i, w := range windows {
		out[i] = xproto.Window(w.ID)
	}
	return out
}

func TestWithoutWindowManagerTheMappedChildrenAreListed(t *testing.T) {
	s := startServer(t)
	d := s.desk()
	first := d.show(d.window(10, 20, 300, 200))
	second := d.show(d.window(50, 60, 100, 90))
	d.window(0, 0, 10, 10) // not mapped
	d.show(d.create(xproto.WindowClassInputOutput, true, 0, 0, 10, 10))
	d.show(d.create(xproto.WindowClassInputOnly, false, 0, 0, 10, 10))
	d.bytes(second, wmName, "STRING", "second")
	d.must(xproto.SetInputFocusChecked(d.conn, xproto.InputFocusNone, first, xproto.TimeCurrentTime).Check())

	got := listed(t, s.open(), 2)
	if got[0].ID != platform.WindowID(first) || got[1].ID != platform.WindowID(second) {
		t.Errorf("listed %x, want %x below %x", ids(got), first, second)
	}
	want := platform.Rect{X: 10, Y: 20, W: 300, H: 200}
	for _, r := range []platform.Rect{got[0].Client, got[0].Box, got[0].Frame} {
		if r != want {
			t.Errorf("box %+v, want %+v", r, want)
		}
	}
	if got[0].Title != "" || got[1].Title != "second" {
		t.Errorf("titles %q and %q", got[0].Title, got[1].Title)
	}
	if !got[0].Active || got[1].Active || got[0].Stack != 0 || got[1].Stack != 1 || got[0].Hidden || got[0].Scale != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestStackingFollowsTheServer(t *testing.T) {
	s := startServer(t)
	d, display := s.desk(), s.open()
	first, second := d.show(d.window(0, 0, 9, 9)), d.show(d.window(0, 0, 9, 9))
	if got := ids(listed(t, display, 2)); got[1] != second {
		t.Errorf("top is %x, want %x", got[1], second)
	}
	d.must(xproto.ConfigureWindowChecked(d.conn, first, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove}).Check())
	if got := ids(listed(t, display, 2)); got[1] != first {
		t.Errorf("top is %x, want %x", got[1], first)
	}
}

func TestWindowManagersListIsTaken(t *testing.T) {
	s := startServer(t)
	d := s.desk()
	d.manage()
	a, b, c := d.show(d.window(0, 0, 9, 9)), d.show(d.window(0, 0, 9, 9)), d.window(0, 0, 9, 9)
	d.show(d.window(0, 0, 9, 9)) // a frame, a panel: not in the list
	d.list(netClientList, a, b, c)
	d.list(netClientListStacking, b, c, a)
	d.numbers(d.root, netActiveWindow, "WINDOW", uint32(b))
	d.numbers(d.root, netCurrentDesktop, "CARDINAL", 1)
	d.numbers(a, netWMDesktop, "CARDINAL", 0)
	d.numbers(b, netWMDesktop, "CARDINAL", allDesktops)
	d.numbers(c, netWMDesktop, "CARDINAL", 1)

	got := listed(t, s.open(), 3)
	if got[0].ID != platform.WindowID(b) || got[1].ID != platform.WindowID(c) || got[2].ID != platform.WindowID(a) || got[2].Stack != 2 {
		t.Errorf("listed %x, want %x", ids(got), []xproto.Window{b, c, a})
	}
	if !got[0].Active || got[1].Active || got[2].Active {
		t.Errorf("active: %+v", got)
	}
	if got[0].Hidden || !got[1].Hidden || !got[2].Hidden {
		t.Errorf("want shown everywhere, unmapped, on another desktop; got %+v", got)
	}
}

func TestHiddenState(t *testing.T) {
	s := startServer(t)
	d := s.desk()
	d.manage()
	w := d.show(d.window(0, 0, 9, 9))
	d.list(netClientListStacking, w)
	display := s.open()
	if listed(t, display, 1)[0].Hidden {
		t.Error("a shown window is hidden")
	}
	d.numbers(w, netWMState, "ATOM", uint32(d.atom("_NET_WM_STATE_ABOVE")), uint32(d.atom(netWMStateHidden)))
	if !listed(t, display, 1)[0].Hidden {
		t.Error("a minimised window is shown")
	}
}

func TestListWithoutStackingSaysSo(t *testing.T) {
	s := startServer(t)
	d := s.desk()
	d.manage()
	d.list(netClientList, d.show(d.window(0, 0, 9, 9)))
	if got := listed(t, s.open(), 1); got[0].Stack != -1 {
		t.Errorf("stack %d, want -1", got[0].Stack)
	}
}

func TestEmptyListIsNoError(t *testing.T) {
	s := startServer(t)
	d := s.desk()
	d.manage()
	d.list(netClientListStacking)
	listed(t, s.open(), 0)
}

func TestNoHonestListIsAnError(t *testing.T) {
	for name, prepare := range map[string]func(d *desk){
		"a window manager without EWMH": func(d *desk) {
			d.must(xproto.ChangeWindowAttributesChecked(d.conn, d.root, xproto.CwEventMask,
				[]uint32{xproto.EventMaskSubstructureRedirect}).Check())
		},
		"a window manager without a list": func(d *desk) { d.manage() },
		"a list that is text": func(d *desk) {
			d.manage()
			d.bytes(d.root, netClientListStacking, "WINDOW", "windows")
		},
		"a list over the bound": func(d *desk) {
			d.manage()
			d.numbers(d.root, netClientListStacking, "WINDOW", make([]uint32, listUnitsMax+1)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t)
			prepare(s.desk())
			wantError(t, s.open(), nil)
		})
	}
}

func TestPropertiesThatOutliveTheirWindowManagerAreNotBelieved(t *testing.T) {
	for name, end := range map[string]func(d *desk, check xproto.Window){
		"its window is gone": func(d *desk, check xproto.Window) {
			d.must(xproto.DestroyWindowChecked(d.conn, check).Check())
		},
		"its window is another's now": func(d *desk, check xproto.Window) {
			d.must(xproto.DeletePropertyChecked(d.conn, check, d.atom(netSupportingWMCheck)).Check())
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t)
			d := s.desk()
			check := d.manage()
			w := d.show(d.window(0, 0, 9, 9))
			d.list(netClientListStacking)
			end(d, check)
			d.must(xproto.ChangeWindowAttributesChecked(d.conn, d.root, xproto.CwEventMask, []uint32{0}).Check())
			if got := listed(t, s.open(), 1); got[0].ID != platform.WindowID(w) {
				t.Errorf("listed %x, want %x", ids(got), w)
			}
		})
	}
}

func TestWindowThatDiedIsLeftOut(t *testing.T) {
	s := startServer(t)
	d := s.desk()
	d.manage()
	windows := make([]xproto.Window, windowsPerBatch+10)
	for i := range windows {
		windows[i] = d.show(d.window(0, 0, 9, 9))
	}
	d.list(netClientListStacking, windows...)
	dead := map[int]bool{0: true, 30: true, len(windows) - 1: true}
	var want []xproto.Window
	for i, w := range windows {
		if dead[i] {
			d.must(xproto.DestroyWindowChecked(d.conn, w).Check())
		} else {
			want = append(want, w)
		}
	}
	got := listed(t, s.open(), len(want))
	for i, w := range got {
		if w.ID != platform.WindowID(want[i]) || w.Stack != i {
			t.Fatalf("place %d holds %x at %d, want %x", i, w.ID, w.Stack, want[i])
		}
	}
}

func TestBoxes(t *testing.T) {
	client := platform.Rect{X: 30, Y: 40, W: 600, H: 400}
	for name, c := range map[string]struct {
		frame, shadow []uint32
		resources     string
		client        platform.Rect
		box, outer    platform.Rect
		scale         float64
	}{
		"plain": {client: client, box: client, outer: client, scale: 1},
		"a window manager's frame": {
			frame: []uint32{1, 2, 20, 5}, scale: 1, client: client, box: client,
			outer: platform.Rect{X: 29, Y: 20, W: 603, H: 425},
		},
		"a shadow of its own": {
			frame: []uint32{0, 0, 0, 0}, shadow: []uint32{4, 6, 2, 8}, scale: 1, client: client,
			box: platform.Rect{X: 34, Y: 42, W: 590, H: 390}, outer: platform.Rect{X: 34, Y: 42, W: 590, H: 390},
		},
		"scaled": {
			frame: []uint32{2, 2, 20, 2}, resources: "Xft.antialias:\t1\nXft.dpi:\t192\n", scale: 2,
			client: platform.Rect{X: 15, Y: 20, W: 300, H: 200}, box: platform.Rect{X: 15, Y: 20, W: 300, H: 200},
			outer: platform.Rect{X: 14, Y: 10, W: 302, H: 211},
		},
		"a shadow larger than the window": {shadow: []uint32{math.MaxUint32, 1, 0, 0}, scale: 1, client: client, box: client, outer: client},
		"a frame larger than any screen":  {frame: []uint32{math.MaxUint32, 0, 0, 0}, scale: 1, client: client, box: client, outer: client},
		"extents of the wrong number":     {frame: []uint32{1, 1, 1}, shadow: []uint32{1}, scale: 1, client: client, box: client, outer: client},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t)
			d := s.desk()
			w := d.show(d.window(30, 40, 600, 400))
			if c.frame != nil {
				d.numbers(w, netFrameExtents, "CARDINAL", c.frame...)
			}
			if c.shadow != nil {
				d.numbers(w, gtkFrameExtents, "CARDINAL", c.shadow...)
			}
			if c.resources != "" {
				d.bytes(d.root, resourceManager, "STRING", c.resources)
			}
			got := listed(t, s.open(), 1)[0]
			if got.Client != c.client || got.Box != c.box || got.Frame != c.outer || got.Scale != c.scale {
				t.Errorf("got client %v box %v frame %v scale %v,\nwant %v %v %v %v",
					got.Client, got.Box, got.Frame, got.Scale, c.client, c.box, c.outer, c.scale)
			}
		})
	}
}

func TestPositionIsTheClientsOnTheRoot(t *testing.T) {
	s := startServer(t)
	d := s.desk()
	d.manage()
	frame, inner := d.show(d.window(100, 50, 320, 240)), d.window(0, 0, 300, 200)
	d.must(xproto.ReparentWindowChecked(d.conn, inner, frame, 7, 21).Check())
	d.list(netClientListStacking, d.show(inner))
	want := platform.Rect{X: 107, Y: 71, W: 300, H: 200}
	if got := listed(t, s.open(), 1)[0].Client; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTitlesAndClass(t *testing.T) {
	long := strings.Repeat("é", 4*titleUnitsMax)
	for name, c := range map[string]struct {
		set   func(d *desk, w xproto.Window)
		title string
	}{
		"none":    {func(*desk, xproto.Window) {}, ""},
		"UTF-8":   {func(d *desk, w xproto.Window) { d.bytes(w, netWMName, utf8String, "日本 – x") }, "日本 – x"},
		"Latin-1": {func(d *desk, w xproto.Window) { d.bytes(w, wmName, "STRING", "caf\xe9") }, "café"},
		"old name in UTF-8": {func(d *desk, w xproto.Window) {
			d.bytes(w, wmName, utf8String, "café")
		}, "café"},
		"the new name first": {func(d *desk, w xproto.Window) {
			d.bytes(w, wmName, "STRING", "old")
			d.bytes(w, netWMName, utf8String, "new")
		}, "new"},
		"broken UTF-8": {func(d *desk, w xproto.Window) { d.bytes(w, netWMName, utf8String, "a\xff\xfeb") }, "a\ufffdb"},
		"up to a NUL":  {func(d *desk, w xproto.Window) { d.bytes(w, netWMName, utf8String, "a\x00b") }, "a"},
		"numbers":      {func(d *desk, w xproto.Window) { d.numbers(w, netWMName, "CARDINAL", 65) }, ""},
		"over the bound": {
			func(d *desk, w xproto.Window) { d.bytes(w, netWMName, utf8String, "x"+long) },
			"x" + long[:4*titleUnitsMax-2],
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t)
			d := s.desk()
			w := d.show(d.window(0, 0, 9, 9))
			d.bytes(w, wmClass, "STRING", "instance\x00Class\x00")
			c.set(d, w)
			got := listed(t, s.open(), 1)[0]
			if got.Title != c.title || !utf8.ValidString(got.Title) || got.Class != "Class" {
				t.Errorf("title of %d bytes %.40q, class %q; want %d bytes %.40q", len(got.Title), got.Title, got.Class, len(c.title), c.title)
			}
		})
	}
}

func TestOwner(t *testing.T) {
	hostname, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	withoutXRes := []string{"-extension", "X-Resource"}
	for name, c := range map[string]struct {
		server  []string
		pid     uint32
		machine string
		want    int
		proof   platform.OwnerProof
	}{
		"the server's word against a forged claim": {pid: 1, machine: hostname, want: os.Getpid(), proof: platform.OwnerXRes},
		"the server's word without a claim":        {want: os.Getpid(), proof: platform.OwnerXRes},
		"a claim on this machine":                  {server: withoutXRes, pid: 4321, machine: hostname, want: 4321, proof: platform.OwnerClaimed},
		"a claim on another machine":               {server: withoutXRes, pid: 4321, machine: hostname + ".other", proof: platform.OwnerUnknown},
		"a claim on no machine":                    {server: withoutXRes, pid: 4321, proof: platform.OwnerUnknown},
		"a claim of nobody":                        {server: withoutXRes, machine: hostname, proof: platform.OwnerUnknown},
		"a claim that is no process id":            {server: withoutXRes, pid: math.MaxUint32, machine: hostname, proof: platform.OwnerUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, c.server...)
			d := s.desk()
			w := d.show(d.window(0, 0, 9, 9))
			if c.pid != 0 {
				d.numbers(w, netWMPID, "CARDINAL", c.pid)
			}
			if c.machine != "" {
				d.bytes(w, wmClientMachine, "STRING", c.machine)
			}
			got := listed(t, s.open(), 1)[0]
			if got.PID != c.want || got.Owner != c.proof {
				t.Errorf("owner %d by %q, want %d by %q", got.PID, got.Owner, c.want, c.proof)
			}
		})
	}
}

// A server that does not know us by our process id does not know anybody by an
// id that means something here. One reached over TCP is such a server.
func TestServerThatDoesNotKnowUsIsNoWitness(t *testing.T) {
	s := startServer(t, "-listen", "tcp", "-ac")
	d := s.desk()
	d.show(d.window(0, 0, 9, 9))
	if got := listed(t, s.open(), 1)[0]; got.Owner != platform.OwnerXRes {
		t.Errorf("over the local socket the owner is %q", got.Owner)
	}
	remote := New("127.0.0.1" + s.display)
	defer remote.Close()
	if got := listed(t, remote, 1)[0]; got.Owner != platform.OwnerUnknown || got.PID != 0 {
		t.Errorf("over TCP the owner is %d by %q", got.PID, got.Owner)
	}
}
