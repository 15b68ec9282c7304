package native

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"cuatui/fixtures/desktop"
	"cuatui/platform"
)

func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSway runs as an ordinary user, as Sway does.
func TestSway(t *testing.T) {
	if ran, err := desktop.AsUser(soon(t), "TestSway", t.Output()); ran {
		must(t, err)
		return
	}
	s, err := desktop.StartSway(soon(t))
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	for _, test := range []struct {
		name string
		run  func(*testing.T, *desktop.Sway)
	}{
		{"Wayland windows alone", waylandAlone},
		{"listing starts no Xwayland", listingStartsNothing},
		{"a window behind a tab is hidden", behindATab},
		{"each window is listed once", eachOnce},
		{"an X display that is gone hides nothing", goneDisplay},
		{"another X display adds its windows", otherDisplay},
		{"one named X display is all", oneDisplay},
		{"a compositor that tells nothing", genericWayland},
		{"a display of another compositor is no place to start", otherCompositor},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, kv := range append(s.Vars(), "DISPLAY=") {
				name, value, _ := strings.Cut(kv, "=")
				t.Setenv(name, value)
			}
			test.run(t, s)
		})
	}
}

func opened(t *testing.T) *System {
	t.Helper()
	s := Open(Options{})
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func listed(t *testing.T, s *System) []platform.Window {
	t.Helper()
	all, err := s.Windows(soon(t))
	must(t, err)
	if left := s.Unlisted(soon(t)); len(left) > 0 {
		t.Errorf("windows are left out: %q", left)
	}
	return all
}

func titled(t *testing.T, all []platform.Window, title string) platform.Window {
	t.Helper()
	found := slices.DeleteFunc(slices.Clone(all), func(w platform.Window) bool { return w.Title != title })
	if len(found) != 1 {
		t.Fatalf("%d windows are titled %q in %+v", len(found), title, all)
	}
	return found[0]
}

const sentinelTitle = "cuatui sentinel"

func waylandAlone(t *testing.T, d *desktop.Sway) {
	s := opened(t)
	if s.Name() != "linux/sway" {
		t.Errorf("name %q", s.Name())
	}
	all := listed(t, s)
	w := titled(t, all, sentinelTitle)
	if uint64(w.ID) != d.Sentinel() || len(all) != 1 || !w.Active || w.Hidden || w.On != platform.Sway || w.Owner != platform.OwnerCompositor || w.Class != "sentinel" || w.Scale != 1 {
		t.Errorf("window %+v", w)
	}
	if p, err := s.Process(soon(t), w.PID); err != nil || !strings.HasSuffix(p.Executable, "/foot") {
		t.Errorf("process %+v, %v", p, err)
	}
	if f := finding(t, s.Check(soon(t)), "sway"); f.State != platform.Works || !strings.HasPrefix(f.Note, "Sway 1") {
		t.Errorf("check says %+v", f)
	}
	if name, err := s.WaylandDisplay(soon(t)); err != nil || !strings.HasPrefix(name, "wayland-") {
		t.Errorf("programs are started on %q, %v", name, err)
	}
	if name, err := s.XDisplay(soon(t)); !errors.Is(err, platform.ErrNoDisplay) {
		t.Errorf("X programs are started on %q, %v", name, err)
	}
}

// running says whether the display's Xwayland runs.
func running(t *testing.T, s *System, display string) bool {
	t.Helper()
	all, err := s.Processes(soon(t))
	must(t, err)
	return slices.ContainsFunc(all, func(p platform.Process) bool {
		return strings.HasSuffix(p.Executable, "/Xwayland") && len(p.Args) > 1 && p.Args[1] == display
	})
}

func listingStartsNothing(t *testing.T, d *desktop.Sway) {
	t.Setenv("DISPLAY", d.XDisplay())
	s := opened(t)
	listed(t, s)
	if f := finding(t, s.Check(soon(t)), "display"); f.State != platform.Unverified {
		t.Errorf("check says %+v", f)
	}
	if running(t, s, d.XDisplay()) {
		t.Error("looking at the windows started Xwayland")
	}
	if name, err := s.XDisplay(soon(t)); err != nil || name != d.XDisplay() {
		t.Errorf("X programs are started on %q, %v", name, err)
	}
}

func behindATab(t *testing.T, d *desktop.Sway) {
	must(t, d.StartX("xterm", "-title", "behind", "-e", "/bin/cat"))
	_, err := d.WaitWindow(soon(t), func(w desktop.SwayWindow) bool { return w.Title == "behind" })
	must(t, err)
	must(t, errors.Join(d.Do(soon(t), "layout tabbed"), d.FocusSentinel(soon(t))))
	all := listed(t, opened(t))
	if w := titled(t, all, "behind"); !w.Hidden || w.Active {
		t.Errorf("window %+v", w)
	}
	if w := titled(t, all, sentinelTitle); w.Hidden || !w.Active {
		t.Errorf("window %+v", w)
	}
	must(t, d.Do(soon(t), "layout splith"))
}

func eachOnce(t *testing.T, d *desktop.Sway) {
	t.Setenv("DISPLAY", d.XDisplay())
	s := opened(t)
	if s.Name() != "linux/sway+x11" {
		t.Errorf("name %q", s.Name())
	}
	all := listed(t, s)
	x, w := titled(t, all, "behind"), titled(t, all, sentinelTitle)
	facts, err := d.Facts(soon(t))
	must(t, err)
	i := slices.IndexFunc(facts.Windows, func(f desktop.SwayWindow) bool { return f.Title == "behind" })
	if len(all) != 2 || w.On != platform.Sway || x.On != platform.X11 || x.Owner != platform.OwnerXRes || uint32(x.ID) != facts.Windows[i].XID || x.PID != facts.Windows[i].PID {
		t.Errorf("listed %+v; Sway says %+v", all, facts.Windows)
	}
	if !running(t, s, d.XDisplay()) {
		t.Error("no Xwayland is seen where one runs")
	}
	if f := finding(t, s.Check(soon(t)), "display"); f.State != platform.Works {
		t.Errorf("check says %+v", f)
	}
	if name, err := s.XDisplay(soon(t)); err != nil || name != d.XDisplay() {
		t.Errorf("X programs are started on %q, %v", name, err)
	}
}

func goneDisplay(t *testing.T, _ *desktop.Sway) {
	t.Setenv("DISPLAY", ":59000")
	s := opened(t)
	all := listed(t, s)
	x := titled(t, all, "behind")
	if len(all) != 2 || x.On != platform.X11 || x.Owner != platform.OwnerClaimed || x.PID == 0 {
		t.Errorf("listed %+v", all)
	}
	if name, err := s.XDisplay(soon(t)); !errors.Is(err, platform.ErrNoDisplay) {
		t.Errorf("X programs are started on %q, %v", name, err)
	}
}

func otherDisplay(t *testing.T, _ *desktop.Sway) {
	other, err := desktop.Start(soon(t))
	must(t, err)
	t.Cleanup(func() { must(t, other.Close()) })
	t.Setenv("DISPLAY", other.Display())
	all := listed(t, opened(t))
	got := map[platform.WindowSystem]int{}
	for _, w := range all {
		if w.Title == sentinelTitle {
			got[w.On]++
		}
	}
	if got[platform.X11] != 1 || got[platform.Sway] != 1 || len(all) != 3 {
		t.Errorf("listed %+v, want the windows of both", all)
	}
}

func oneDisplay(t *testing.T, d *desktop.Sway) {
	s := Open(Options{Display: d.XDisplay()})
	t.Cleanup(func() { must(t, s.Close()) })
	if all := listed(t, s); len(all) != 1 || all[0].Title != "behind" || s.Name() != "linux/x11" {
		t.Errorf("%s lists %+v", s.Name(), all)
	}
	if name, err := s.WaylandDisplay(soon(t)); err == nil {
		t.Errorf("programs are started on %q", name)
	}
}

// hide leaves the session's display and takes away how Sway is found.
func hide(t *testing.T, d *desktop.Sway) {
	t.Helper()
	runtime := strings.TrimPrefix(d.Vars()[0], "XDG_RUNTIME_DIR=")
	display := strings.TrimPrefix(d.Vars()[1], "WAYLAND_DISPLAY=")
	t.Setenv("WAYLAND_DISPLAY", runtime+"/"+display)
	t.Setenv("SWAYSOCK", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
}

func genericWayland(t *testing.T, d *desktop.Sway) {
	hide(t, d)
	s := opened(t)
	f, err := d.Facts(soon(t))
	must(t, err)
	i := slices.IndexFunc(f.Windows, func(w desktop.SwayWindow) bool { return w.ID == d.Sentinel() })
	sentinel := f.Windows[i].PID
	all, err := s.Windows(soon(t))
	must(t, err)
	programs := map[int]platform.Window{}
	for _, w := range all {
		programs[w.PID] = w
		if w.On != platform.Wayland || w.ID != platform.WaylandWindow(w.PID) || w.Owner != platform.OwnerConnection || w.Title != "" || w.Box != (platform.Rect{}) || w.Stack != -1 {
			t.Errorf("listed %+v, which claims more than is known", w)
		}
	}
	if _, ok := programs[sentinel]; !ok || programs[os.Getpid()].PID != 0 || len(programs) != len(all) {
		t.Errorf("the programs are %+v, want the sentinel's among them, and not this one", all)
	}
	if left := s.Unlisted(soon(t)); len(left) != 1 || !strings.Contains(left[0], "no interface for them") || !strings.Contains(left[0], "not acted on") {
		t.Errorf("it does not say what is missing: %q", left)
	}
	if f := finding(t, s.Check(soon(t)), "wayland"); f.State != platform.Missing || !strings.Contains(f.Note, "not listed one by one") {
		t.Errorf("check says %+v", f)
	}
	if name, err := s.WaylandDisplay(soon(t)); !errors.Is(err, platform.ErrUnsupported) {
		t.Errorf("programs are started on %q, %v", name, err)
	}
	if s.Name() != "linux/wayland" {
		t.Errorf("name %q", s.Name())
	}

	t.Setenv("DISPLAY", d.XDisplay())
	both := opened(t)
	all, err = both.Windows(soon(t))
	must(t, err)
	if w := titled(t, all, "behind"); w.On != platform.X11 || slices.ContainsFunc(all, func(o platform.Window) bool { return o.PID == w.PID && o.ID != w.ID }) {
		t.Errorf("with X: got %+v, want its program as one of X11 alone", all)
	}
	if !slices.ContainsFunc(all, func(w platform.Window) bool { return w.PID == sentinel && w.On == platform.Wayland }) {
		t.Errorf("with X: got %+v, want the sentinel's program as well", all)
	}
	if left := both.Unlisted(soon(t)); len(left) != 1 {
		t.Errorf("with X: it does not say that Wayland windows are left out: %q", left)
	}

	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "/nonexistent/wayland-0")
	dead := opened(t)
	if all, err := dead.Windows(soon(t)); all != nil || !errors.Is(err, platform.ErrNoDisplay) {
		t.Errorf("nobody serves the display: got %+v, %v", all, err)
	}
	if f := finding(t, dead.Check(soon(t)), "wayland"); f.State != platform.Missing || !strings.Contains(f.Note, "nothing answers") {
		t.Errorf("check says %+v", f)
	}
}

func otherCompositor(t *testing.T, d *desktop.Sway) {
	second, err := desktop.StartSway(soon(t))
	must(t, err)
	t.Cleanup(func() { must(t, second.Close()) })
	t.Setenv("SWAYSOCK", strings.TrimPrefix(second.Vars()[2], "SWAYSOCK="))
	if name, err := opened(t).WaylandDisplay(soon(t)); !errors.Is(err, platform.ErrUnsupported) {
		t.Errorf("programs are started on %q, %v, where their windows would not be found", name, err)
	}
	t.Setenv("SWAYSOCK", "")
	if all := listed(t, opened(t)); len(all) != 2 {
		t.Errorf("listed %+v, want the windows of the session whose runtime directory this is", all)
	}
	_ = d
}
