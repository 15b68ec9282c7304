package native

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"cuatui/platform"
	"cuatui/platform/proc"
	"cuatui/platform/sway"
	"cuatui/platform/x11"
)

// System is Linux: processes from /proc, windows from Sway and from X11.
type System struct {
	*proc.Table
	display *x11.Display
	// Of the session; zero where one X display was named.
	sway    *sway.Session // nil: there is nothing to ask
	wayland string        // $WAYLAND_DISPLAY
}

func open(o Options) *System {
	s := &System{Table: proc.New(""), display: x11.New(o.Display)}
	if o.Display == "" {
		s.sway, s.wayland = sway.New(""), os.Getenv("WAYLAND_DISPLAY")
	}
	return s
}

// Name is linux with the window systems of the environment, for example
// linux/sway+x11; linux alone where it names none.
func (s *System) Name() string {
	var on []string
	switch {
	case s.sway != nil && s.sway.Named():
		on = append(on, "sway")
	case s.wayland != "":
		on = append(on, "wayland")
	}
	if s.display.Name() != "" {
		on = append(on, "x11")
	}
	if len(on) == 0 {
		return "linux"
	}
	return "linux/" + strings.Join(on, "+")
}

// Close ends the connection to the display.
func (s *System) Close() error { return s.display.Close() }

// Check looks at everything the engine needs of this machine.
func (s *System) Check(ctx context.Context) []platform.Finding {
	processes := platform.Finding{Name: "processes", State: platform.Works, Note: "/proc"}
	if _, err := s.Process(ctx, os.Getpid()); err != nil {
		processes.State, processes.Note = platform.Missing, err.Error()
	}
	out := append([]platform.Finding{processes}, s.checkDisplay(ctx)...)
	out = append(out, s.checkWayland(ctx)...)
	return append(out,
		program("browser", "install Chromium (make install-deps)", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"),
		program("private display", "without it an isolated browser needs a display (make install-deps installs Xvfb)", "Xvfb"))
}

// program looks for the first of several names on the path.
func program(name, otherwise string, names ...string) platform.Finding {
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return platform.Finding{Name: name, State: platform.Works, Note: path}
		}
	}
	return platform.Finding{Name: name, State: platform.Missing, Note: strings.Join(names, ", ") + " not found; " + otherwise}
}
