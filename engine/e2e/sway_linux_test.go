package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cuatui/engine"
	"cuatui/fixtures"
	"cuatui/fixtures/desktop"
	"cuatui/platform"
)

// swayMax bounds all tests on Sway, for where they run in a process of their
// own.
const swayMax = 5 * time.Minute

// asUser is the run of TestSway as an ordinary user. It has a desktop of its own,
// so that it goes on beside all other tests from the start.
type asUser struct {
	said bytes.Buffer
	err  error
	done chan struct{}
}

// swayIsAsked says whether this run of the tests is sure to come to TestSway.
func swayIsAsked() bool {
	said := func(name string) string { return flag.Lookup("test." + name).Value.String() }
	run, _, _ := strings.Cut(said("run"), "/")
	asked, err := regexp.MatchString(run, "TestSway")
	return asked && err == nil && said("skip") == "" && said("list") == ""
}

func beginSway() *asUser {
	a := &asUser{done: make(chan struct{})}
	go func() {
		defer close(a.done)
		ctx, cancel := context.WithTimeout(context.Background(), swayMax)
		defer cancel()
		_, a.err = desktop.AsUser(ctx, "TestSway", &a.said)
	}()
	return a
}

// TestSway is everything that is tested on Sway. It runs as an ordinary user,
// as Sway does; see desktop.AsUser.
func TestSway(t *testing.T) {
	if os.Getuid() == 0 {
		t.Parallel() // it only waits
		if onSway == nil {
			onSway = beginSway()
		}
		<-onSway.done
		_, err := t.Output().Write(onSway.said.Bytes())
		must(t, errors.Join(onSway.err, err))
		return
	}
	s := startSway(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *swayStage)
	}{
		{"one window is exact", swayOneWindow},
		{"the pointer leaves the focus alone", swayPointer},
		{"two windows can be read, not acted on", swayTwoWindows},
		{"the outline is that of X11", swaySameOutline},
		{"a browser on Xwayland is one of X11", swayXwayland},
		{"a window that opens behind another is found", swayBehind},
		{"where a press would activate it is refused", swayActivating},
		{"a compositor that tells nothing", swayUnknownCompositor},
		{"a browser under it can be read, not acted on", untoldBrowser},
		{"one on Xwayland under it is one of X11", untoldXwayland},
		{"every action", swayEveryAction},
		{"background safety", swayBackgroundSafety},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, s) })
	}
}

// swayStage is a session of Sway with the pages and an engine that finds it in
// the environment, as a person's would.
type swayStage struct {
	stage
	sway *desktop.Sway
}

func startSway(t *testing.T) *swayStage {
	t.Helper()
	sway, err := desktop.StartSway(soon(t))
	must(t, err)
	t.Cleanup(func() { must(t, sway.Close()) })
	for _, kv := range sway.Vars() {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	s := &swayStage{stage: stage{pages: fixtures.NewServer()}, sway: sway}
	s.state = t.TempDir()
	must(t, s.pages.Start(context.Background()))
	t.Cleanup(func() { must(t, s.pages.Close()) })
	s.engine, err = engine.New(engine.Options{StateDir: s.state, BrowserArgs: []string{"--disable-gpu", "--site-per-process"}})
	must(t, err)
	t.Cleanup(func() { must(t, s.engine.Close(context.Background())) })
	return s
}

// swayDesk is Sway as a desk. layout puts the browser beside the sentinel or
// behind it.
type swayDesk struct {
	*desktop.Sway
	window uint64
	layout string
}

func (d swayDesk) front(t *testing.T) {
	t.Helper()
	must(t, d.Do(soon(t), "layout "+d.layout))
	must(t, d.FocusSentinel(soon(t)))
	// A new layout takes the programs a moment; then both windows are below
	// their title bars, and as wide as the layout makes them.
	_, err := d.Wait(soon(t), func(f desktop.SwayFacts) bool {
		return len(f.Windows) == 2 && !slices.ContainsFunc(f.Windows, func(w desktop.SwayWindow) bool {
			tabbed := w.Width > desktop.Width/2
			return tabbed == d.shows() || w.Y == 0 || w.Visible != (w.ID == d.Sentinel() || d.shows()) || w.Urgent
		})
	})
	must(t, err)
}

func (d swayDesk) wanted(t *testing.T) {
	t.Helper()
	_, err := d.Wait(soon(t), func(f desktop.SwayFacts) bool {
		return slices.ContainsFunc(f.Windows, func(w desktop.SwayWindow) bool { return w.ID == d.window && (w.Urgent || f.Focused == d.window) })
	})
	must(t, err)
}

func (d swayDesk) shows() bool { return d.layout != "tabbed" }

func (d swayDesk) look(t *testing.T) (seen string, urgent bool) {
	t.Helper()
	f, err := d.Facts(soon(t))
	must(t, err)
	for i := range f.Windows {
		w := &f.Windows[i]
		urgent = urgent || w.ID == d.window && w.Urgent
		w.Title, w.Urgent = "", false
	}
	return fmt.Sprintf("%+v", f), urgent
}

func (d swayDesk) handled(t *testing.T, title string) {
	t.Helper()
	_, err := d.WaitWindow(soon(t), func(w desktop.SwayWindow) bool { return w.ID == d.window && strings.HasPrefix(w.Title, title) })
	must(t, err)
}

func swayBackgroundSafety(t *testing.T, s *swayStage) {
	for _, setting := range []struct {
		activation string
		system     platform.WindowSystem
	}{{"urgent", platform.Sway}, {"focus", platform.SwayActivating}} {
		must(t, s.sway.Do(soon(t), "focus_on_window_activation "+setting.activation))
		for _, layout := range []string{"splith", "tabbed"} {
			t.Run(setting.activation+", "+layout, func(t *testing.T) {
				m := measure(t, s.engine, func(_ int, window uint64) desk { return swayDesk{s.sway, window, layout} })
				m.safety(setting.system)
			})
		}
	}
	must(t, s.sway.Do(soon(t), "focus_on_window_activation urgent"))
}
