package x11

import (
	"os"
	"os/exec"
	"testing"

	"github.com/jezek/xgb/xproto"

	"cuatui/platform"
)

// What the other tests say a window manager does, checked against a real one.
func TestUnderOpenbox(t *testing.T) {
	path, err := exec.LookPath("openbox")
	if err != nil {
		t.Fatal("openbox is not installed: run `make install-deps`")
	}
	s := startServer(t)
	d, display := s.desk(), s.open()
	d.must(xproto.ChangeWindowAttributesChecked(d.conn, d.root, xproto.CwEventMask,
		[]uint32{xproto.EventMaskPropertyChange}).Check())
	// Mapped before it starts, because it loses requests while it starts.
	first, second := d.window(100, 90, 300, 200), d.window(150, 120, 300, 200)
	for _, w := range []xproto.Window{first, second} {
		d.must(xproto.ChangeWindowAttributesChecked(d.conn, w, xproto.CwEventMask,
			[]uint32{xproto.EventMaskPropertyChange | xproto.EventMaskStructureNotify}).Check())
		d.show(w)
	}
	cmd := exec.CommandContext(t.Context(), path, "--sm-disable")
	cmd.Env = append(os.Environ(), "DISPLAY="+s.display, "HOME="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	// Each change of a property or of what is shown is an occasion to look again.
	until := func(what string, reached func([]platform.Window) bool) []platform.Window {
		t.Helper()
		for {
			if got, err := display.Windows(t.Context()); err == nil && reached(got) {
				return got
			}
			if event, err := d.conn.WaitForEvent(); event == nil && err == nil {
				t.Fatalf("the server ended before %s", what)
			}
		}
	}
	until("openbox managed", func([]platform.Window) bool {
		found := display.Check(t.Context())
		return len(found) == 3 && found[1].Note == "Openbox"
	})
	got := until("the windows had frames and were shown", func(got []platform.Window) bool {
		return len(got) == 2 && got[0].Frame != got[0].Box && got[1].Frame != got[1].Box && !got[0].Hidden && !got[1].Hidden
	})
	if top := got[1]; top.ID != platform.WindowID(second) || top.Box.W != 300 || top.Box.H != 200 || top.Frame.Y >= top.Box.Y || top.Frame.H <= top.Box.H ||
		top.Owner != platform.OwnerXRes || top.PID != os.Getpid() {
		t.Errorf("got %+v", top)
	}
	d.ask(second, "WM_CHANGE_STATE", 3 /* iconic */)
	until("the second window was minimised", func(got []platform.Window) bool {
		for _, w := range got {
			if w.ID == platform.WindowID(second) {
				return w.Hidden
			}
		}
		return false
	})
	d.ask(first, netActiveWindow, 2 /* a pager asks */)
	until("the first window was active", func(got []platform.Window) bool {
		for _, w := range got {
			if w.Active {
				return w.ID == platform.WindowID(first)
			}
		}
		return false
	})
}

// ask sends the window manager a request about w, as a pager would.
func (d *desk) ask(w xproto.Window, name string, value uint32) {
	d.t.Helper()
	event := xproto.ClientMessageEvent{
		Format: 32, Window: w, Type: d.atom(name),
		Data: xproto.ClientMessageDataUnionData32New([]uint32{value, 0, 0, 0, 0}),
	}
	d.must(xproto.SendEventChecked(d.conn, false, d.root,
		xproto.EventMaskSubstructureNotify|xproto.EventMaskSubstructureRedirect, string(event.Bytes())).Check())
}
