package native

import (
	"errors"
	"os"
	"testing"

	"cuatui/platform"
)

// finding returns the finding of that name, or fails the test.
func finding(t *testing.T, all []platform.Finding, name string) platform.Finding {
	t.Helper()
	for _, f := range all {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no finding %q in %+v", name, all)
	return platform.Finding{}
}

func TestWithoutADisplayProcessesStillWork(t *testing.T) {
	for _, name := range []string{"DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, "")
	}
	s := Open(Options{})
	defer s.Close()
	if s.Name() != "linux" {
		t.Errorf("name %q", s.Name())
	}
	if _, err := s.Windows(t.Context()); !errors.Is(err, platform.ErrNoDisplay) {
		t.Errorf("windows: %v", err)
	}
	if p, err := s.Process(t.Context(), os.Getpid()); err != nil || p.PID != os.Getpid() {
		t.Errorf("process: %+v, %v", p, err)
	}
	found := s.Check(t.Context())
	if finding(t, found, "processes").State != platform.Works || finding(t, found, "display").State != platform.Missing {
		t.Errorf("check says %+v", found)
	}
}
