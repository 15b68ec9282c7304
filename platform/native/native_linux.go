package native

import (
	"context"
	"os"
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

// Check looks at what the engine asks of a running system.
func (s *System) Check(ctx context.Context) []platform.Finding {
	processes := platform.Finding{Name: "processes", State: platform.Works, Note: "/proc"}
	if _, err := s.Process(ctx, os.Getpid()); err != nil {
		processes.State, processes.Note = platform.Missing, err.Error()
	}
	out := append([]platform.Finding{processes}, s.checkDisplay(ctx)...)
	return append(out, s.checkWayland(ctx)...)
}
