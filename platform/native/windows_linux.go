package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"cuatui/platform"
	"cuatui/platform/sway"
	"cuatui/platform/wayland"
)

// Windows lists native top-level windows: those of Wayland programs as Sway
// has them, those of X programs as their X server has them, each once. Which
// of the two a window is says the window itself, never the environment.
func (s *System) Windows(ctx context.Context) ([]platform.Window, error) {
	if s.sway == nil {
		return s.display.Windows(ctx)
	}
	tree, compositor, err := s.sway.Windows(ctx)
	switch {
	case errors.Is(err, sway.ErrNotRunning):
		return s.withoutSway(ctx)
	case err != nil:
		return nil, err
	case s.display.Name() == "":
		return alone(tree), nil
	case s.servedBy(compositor):
		return s.withXwayland(ctx, tree)
	}
	// An X server that is not Sway's: it has windows that Sway does not know.
	others, err := s.display.Windows(ctx)
	switch {
	case notThere(err):
		return alone(tree), nil
	case err != nil:
		return nil, err
	}
	return unique(append(others, alone(tree)...))
}

// withoutSway lists the X display's windows and, where the session is of
// another Wayland compositor, the programs that are connected to it. Which of
// the two a program is says its connection, never the environment; one that is
// both is in the list as both.
func (s *System) withoutSway(ctx context.Context) ([]platform.Window, error) {
	if s.wayland == "" {
		return s.display.Windows(ctx)
	}
	compositor, err := s.sway.Compositor(ctx)
	if err != nil { // no Wayland session answers, so it shows nothing
		if s.display.Name() != "" {
			return s.display.Windows(ctx)
		}
		return nil, fmt.Errorf("listing windows: %w", err)
	}
	connected, err := s.connected(ctx, compositor)
	if s.display.Name() == "" {
		return connected, err
	}
	windows, failed := s.display.Windows(ctx)
	switch {
	case err == nil && notThere(failed):
		return connected, nil
	case failed != nil:
		return nil, failed
	}
	return unique(append(windows, connected...)) // without the programs if they are not known: Unlisted says so
}

// connected lists one entry for each process that is connected to the Wayland
// display, except the compositor's own.
func (s *System) connected(ctx context.Context, compositor int) ([]platform.Window, error) {
	held, err := s.Sockets(ctx, compositor)
	if err != nil {
		return nil, fmt.Errorf("listing windows: %w: %s: %w", platform.ErrUnsupported, untold, err)
	}
	ends, err := wayland.Clients(ctx, s.sway.Display(), held)
	if err != nil {
		return nil, fmt.Errorf("listing windows: %w: %s: %w", platform.ErrUnsupported, untold, err)
	}
	pids, err := s.Holders(ctx, ends)
	if err != nil {
		return nil, fmt.Errorf("listing windows: %w", err)
	}
	out := make([]platform.Window, 0, len(pids))
	for _, pid := range pids {
		if pid != compositor {
			out = append(out, platform.Window{
				ID: platform.WaylandWindow(pid), On: platform.Wayland, PID: pid, Owner: platform.OwnerConnection, Scale: 1, Stack: -1,
			})
		}
	}
	return out, nil
}

const (
	untold = "the Wayland compositor has no interface for its windows that is known here (Sway's is), and the programs that are connected to it cannot be told"
	// merged is what is missing where the programs can be told.
	merged = "windows of Wayland programs are not listed one by one: the compositor has no interface for them that is known here (Sway's is). " +
		"An entry stands for all windows of a connected program: how many, their titles and places are not known, and a browser among them can be read at most, not acted on"
)

// Unlisted says which windows Windows leaves out.
func (s *System) Unlisted(ctx context.Context) []string {
	if s.sway == nil || s.wayland == "" {
		return nil
	}
	if _, _, err := s.sway.Windows(ctx); !errors.Is(err, sway.ErrNotRunning) {
		return nil
	}
	compositor, err := s.sway.Compositor(ctx)
	if err != nil {
		return nil // no Wayland session answers, so it shows nothing
	}
	if _, err := s.connected(ctx, compositor); err != nil {
		return []string{"windows of Wayland programs are not listed: " + untold}
	}
	return []string{merged}
}

// alone is the tree without an X server's help. The X ids mean nothing here,
// so that Sway's own name every window.
func alone(tree []sway.Window) []platform.Window {
	out := make([]platform.Window, len(tree))
	for i, w := range tree {
		out[i] = w.Window
	}
	return out
}

// withXwayland is the tree with what Sway's own X server knows better of the
// windows of X programs: the owner and the place. Sway's tree decides which
// they are, as the server also lists menus. Without one it is not asked, which
// would start it.
func (s *System) withXwayland(ctx context.Context, tree []sway.Window) ([]platform.Window, error) {
	var known []platform.Window
	if slices.ContainsFunc(tree, isX11) {
		var err error
		known, err = s.display.Windows(ctx)
		// A server that does not answer hides nothing: Sway lists its windows.
		if err != nil && !errors.Is(err, platform.ErrNoDisplay) {
			return nil, err
		}
	}
	out := make([]platform.Window, 0, len(tree))
	for _, w := range tree {
		if w.XID == 0 {
			out = append(out, w.Window)
			continue
		}
		w.ID = platform.WindowID(w.XID)
		if i := slices.IndexFunc(known, func(k platform.Window) bool { return k.ID == w.ID }); i >= 0 {
			k := known[i]
			k.Hidden, k.Active, k.Stack = w.Hidden, w.Active, w.Stack
			w.Window = k
		}
		out = append(out, w.Window)
	}
	return unique(out)
}

// unique refuses a list in which one id names two windows: X servers and Sway
// count in different ranges, so that this is an attempt to be mistaken.
func unique(all []platform.Window) ([]platform.Window, error) {
	seen := map[platform.WindowID]bool{}
	for _, w := range all {
		if seen[w.ID] {
			return nil, fmt.Errorf("listing windows: two windows have the id %d", w.ID)
		}
		seen[w.ID] = true
	}
	return all, nil
}

// notThere says whether asking failed because no X server listens.
func notThere(err error) bool {
	return errors.Is(err, platform.ErrNoDisplay) && (errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED))
}

// servedBy says whether the X display is that of the process: a compositor
// that runs Xwayland holds the display's lock file itself. Anybody could have
// made the file before, but then the display would not be the compositor's.
func (s *System) servedBy(pid int) bool {
	number, local := s.display.Number()
	if !local {
		return false
	}
	// Anything could lie there: neither wait for it nor follow it.
	f, err := os.OpenFile("/tmp/.X"+strconv.Itoa(number)+"-lock", os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) != os.Geteuid() || !info.Mode().IsRegular() {
		return false
	}
	var b [10]byte // the number's ten places; what follows differs between servers
	n, _ := f.Read(b[:])
	holder, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	return err == nil && holder == pid
}

// WaylandDisplay returns the name of the Wayland display on which a program
// can be started so that Windows lists its windows: that of the Sway that
// answers. Its error says what is missing.
func (s *System) WaylandDisplay(ctx context.Context) (string, error) {
	if s.sway == nil {
		return "", fmt.Errorf("%w: an X display was asked for", platform.ErrNoDisplay)
	}
	serving, err := s.sway.Compositor(ctx)
	if err != nil {
		return "", err
	}
	_, compositor, err := s.sway.Windows(ctx)
	switch {
	case errors.Is(err, sway.ErrNotRunning):
		return "", fmt.Errorf("%w: the compositor is not Sway, so that the window could not be found", platform.ErrUnsupported)
	case err != nil:
		return "", err
	case compositor != serving:
		return "", fmt.Errorf("%w: WAYLAND_DISPLAY is not a display of the Sway that answers", platform.ErrUnsupported)
	}
	return s.wayland, nil
}

// XDisplay returns the name of the X display on which a program can be started
// so that Windows lists its windows. Its error says what is missing.
func (s *System) XDisplay(ctx context.Context) (string, error) {
	ask := func() error { _, err := s.display.Windows(ctx); return err }
	if s.sway != nil {
		if _, compositor, err := s.sway.Windows(ctx); err == nil && s.servedBy(compositor) {
			// Without a window its server has no list of them either; but
			// then Sway has.
			ask = func() error { return s.display.Answers(ctx) }
		}
	}
	if err := ask(); err != nil {
		return "", err
	}
	return s.display.Name(), nil
}

// checkDisplay looks at the X display, but starts no Xwayland for it.
func (s *System) checkDisplay(ctx context.Context) []platform.Finding {
	if s.sway != nil && s.display.Name() != "" {
		tree, compositor, err := s.sway.Windows(ctx)
		if err == nil && s.servedBy(compositor) && !slices.ContainsFunc(tree, isX11) {
			return []platform.Finding{{Name: "display", State: platform.Unverified, Note: "Xwayland on " + s.display.Name() + " has no window; Sway starts it for the first program that needs it"}}
		}
	}
	return s.display.Check(ctx)
}

func isX11(w sway.Window) bool { return w.XID != 0 }

// checkWayland says what of a Wayland session is seen.
func (s *System) checkWayland(ctx context.Context) []platform.Finding {
	if s.sway == nil {
		return nil
	}
	if found := s.sway.Check(ctx); len(found) > 0 || s.wayland == "" {
		return found
	}
	f := platform.Finding{Name: "wayland", State: platform.Missing}
	if _, err := s.sway.Compositor(ctx); err != nil {
		f.Note = err.Error()
	} else {
		f.Note = s.Unlisted(ctx)[0] + "; windows on Xwayland are listed"
	}
	return []platform.Finding{f}
}
