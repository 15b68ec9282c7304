package prepare

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cuatui/engine/refusal"
)

func TestPrivateDisplayWhereThereIsNone(t *testing.T) {
	for name, manager := range map[string]string{"with a window manager": managerPath, "without one": "/nonexistent"} {
		t.Run(name, func(t *testing.T) {
			l := newLauncher(t, func(o *Options) { o.System, o.Display = nil, "" })
			l.manager = manager
			b := launch(t, l, Spec{Mode: IsolatedNew})
			if !b.SideEffects().PrivateDisplay {
				t.Error("the private display is not said")
			}
			if windows, err := b.System().Windows(t.Context()); err != nil || len(windows) == 0 || windows[0].ID != b.WindowIDs()[0] {
				t.Errorf("windows %+v, %v; want %v", windows, err, b.WindowIDs())
			}
			m, err := b.profile.readMarker()
			if err != nil || !slices.Equal(m.Helpers, b.display.helpers()) {
				t.Errorf("marker %+v, %v", m, err)
			}
			if names, err := filepath.Glob(filepath.Join(b.profile.path(), ".cuatui-display*")); err != nil || len(names) > 0 {
				t.Errorf("the key of the display is left: %v, %v", names, err)
			}
			otherUserIsLockedOut(t, b.display.name)
			helpers := b.display.helpers()
			closeBrowser(t, b)
			wantGone(t, b)
			for _, h := range helpers {
				if alive(h.PID, h.Start) {
					t.Errorf("%s still runs", h.Executable)
				}
			}
			if _, err := os.Stat("/tmp/.X11-unix/X" + b.display.name[1:]); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the display's socket is left: %v", err)
			}
		})
	}
}

// otherUserIsLockedOut tries the display as nobody, where this user may become
// nobody, and checks that this user needs no key.
func otherUserIsLockedOut(t *testing.T, display string) {
	t.Helper()
	const client = "/usr/bin/xprop"
	if _, err := os.Stat(client); err != nil {
		t.Fatalf("%v: run make install-deps", err)
	}
	try := func(uid uint32) error {
		cmd := exec.Command(client, "-display", display, "-root", "_NET_SUPPORTED")
		cmd.Env = []string{"HOME=/nonexistent"}
		if uid != uint32(os.Geteuid()) {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		}
		return cmd.Run()
	}
	if err := try(uint32(os.Geteuid())); err != nil {
		t.Errorf("this user is locked out of the private display: %v", err)
	}
	const nobody = 65534
	if os.Geteuid() != 0 {
		t.Log("not root: cannot try the display as another user")
	} else if try(nobody) == nil {
		t.Error("another user can open the private display")
	}
}

func TestDeadDisplayIsReplacedByAPrivateOne(t *testing.T) {
	l := newLauncher(t, func(o *Options) { o.System, o.Display = nil, ":59999" })
	b := launch(t, l, Spec{Mode: IsolatedNew})
	if !b.SideEffects().PrivateDisplay {
		t.Error("it claims to show a window on a display that is not there")
	}
}

func TestNoDisplayIsRefusedWithWhatIsMissing(t *testing.T) {
	noLeaks(t)
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	for display, want := range map[string]string{"": "DISPLAY is not set", ":59999": "does not answer"} {
		l := NewLauncher(Options{StateDir: filepath.Join(t.TempDir(), "state"), Display: display})
		l.xvfb = "/nonexistent/Xvfb"
		_, err := l.Launch(t.Context(), Spec{Mode: IsolatedNew})
		r, ok := refusal.As(err)
		if !ok || r.Reason != refusal.DisplayUnavailable {
			t.Fatalf("display %q: %v", display, err)
		}
		missing := strings.Join(r.Detail.Missing, "; ")
		for _, part := range []string{want, "Xvfb", "a Wayland display under Sway"} {
			if !strings.Contains(missing, part) {
				t.Errorf("display %q: %q does not say %q", display, missing, part)
			}
		}
		if _, err := os.Stat(l.o.StateDir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a refused launch made a directory: %v", err)
		}
		if err := l.CloseAll(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
