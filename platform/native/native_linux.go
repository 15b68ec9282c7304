package native

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"cuatui/platform"
	"cuatui/platform/proc"
	"cuatui/platform/x11"
)

// System is Linux: processes from /proc, windows from X11.
type System struct {
	*proc.Table
	display *x11.Display
}

func open(o Options) *System {
	return &System{Table: proc.New(""), display: x11.New(o.Display)}
}

// Name is linux/x11, or linux where no display is named.
func (s *System) Name() string {
	if s.display.Name() == "" {
		return "linux"
	}
	return "linux/x11"
}

// Windows lists native top-level windows bottom to top.
func (s *System) Windows(ctx context.Context) ([]platform.Window, error) {
	return s.display.Windows(ctx)
}

// Close ends the connection to the display.
func (s *System) Close() error { return s.display.Close() }

// Check looks at everything the engine needs of this machine.
func (s *System) Check(ctx context.Context) []platform.Finding {
	processes := platform.Finding{Name: "processes", State: platform.Works, Note: "/proc"}
	if _, err := s.Process(ctx, os.Getpid()); err != nil {
		processes.State, processes.Note = platform.Missing, err.Error()
	}
	out := append([]platform.Finding{processes}, s.display.Check(ctx)...)
	out = append(out, wayland(os.Getenv("WAYLAND_DISPLAY"), os.Getenv("SWAYSOCK"))...)
	return append(out,
		program("browser", "install Chromium (make install-deps)", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"),
		program("private display", "without it an isolated browser needs a display (make install-deps installs Xvfb)", "Xvfb"))
}

// wayland says what is not seen of a Wayland session. The environment decides
// nothing else: a browser may run on Xwayland in such a session.
func wayland(display, swaySocket string) []platform.Finding {
	if display == "" {
		return nil
	}
	f := platform.Finding{
		Name: "wayland", State: platform.Missing,
		Note: "native Wayland windows are not listed; those on Xwayland are",
	}
	if swaySocket != "" {
		f.Note = "Sway is running; its native " + strings.TrimPrefix(f.Note, "native ")
	}
	return []platform.Finding{f}
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
