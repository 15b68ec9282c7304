package prepare

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	profileFlag = "--user-data-dir="
	// sharedMemoryMin is the free space of /dev/shm below which pages crash
	// for want of shared memory; containers often have 64 MB.
	sharedMemoryMin = 1 << 30
)

// arguments returns the browser's command line without its name.
func (s Spec) arguments(profilePath string, noSandbox bool, on *display) []string {
	args := []string{
		"--remote-debugging-pipe",
		profileFlag + profilePath,
		// Said rather than guessed: with a Wayland session in the environment
		// the browser could leave the display that was chosen for it.
		"--ozone-platform=" + on.kind(),
		fmt.Sprintf("--window-size=%d,%d", s.Size[0], s.Size[1]),
		"--no-first-run",
		"--no-default-browser-check",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-default-apps",
		"--disable-sync",
		"--disable-quic",
		"--disable-extensions",
		"--password-store=basic",
		// A named profile whose last browser was killed must not open a bubble.
		"--hide-crash-restore-bubble",
	}
	if s.ExposePort {
		args = append(args, "--remote-debugging-port=0")
	}
	if noSandbox {
		args = append(args, "--no-sandbox")
	}
	if on.private {
		// Xvfb has no hardware behind it: every probe for one fails, and with
		// a graphics card in the machine the GPU process is restarted for it.
		// Elsewhere the browser decides, as it does for a person.
		args = append(args, "--disable-gpu")
	}
	if freeSpace("/dev/shm") < sharedMemoryMin {
		args = append(args, "--disable-dev-shm-usage")
	}
	args = append(args, s.ExtraArgs...)
	return append(args, s.URL)
}

func freeSpace(path string) uint64 {
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) != nil {
		return 0
	}
	return fs.Bavail * uint64(fs.Bsize)
}

// browserEnv is the environment of a browser. The crash database would
// otherwise lie in the directory of the personal profile.
func browserEnv(environ []string, display *display, profilePath, temp string) []string {
	var out []string
	switch {
	case display.private:
		out = privateEnv(environ, display.name, profilePath)
	case display.wayland != "":
		out = append(redirected(environ, profilePath, "WAYLAND_DISPLAY"), "WAYLAND_DISPLAY="+display.wayland)
	default:
		out = append(redirected(environ, profilePath, "WAYLAND_DISPLAY"), "DISPLAY="+display.name)
	}
	return append(out, "TMPDIR="+temp, "BREAKPAD_DUMP_LOCATION="+filepath.Join(profilePath, ".cuatui-crashes"))
}

// privateEnv is the environment of a process on a private display: nothing of
// the session's own display, whose authority does not hold there.
func privateEnv(environ []string, display, profilePath string) []string {
	return append(redirected(environ, profilePath, "WAYLAND_DISPLAY", "XAUTHORITY"), "DISPLAY="+display)
}

// redirected returns environ without the named variables and with the user's
// cache directory in the profile, so that nothing is written outside it.
func redirected(environ []string, profilePath string, without ...string) []string {
	without = append(without, "DISPLAY", "XDG_CACHE_HOME", "TMPDIR", "BREAKPAD_DUMP_LOCATION")
	var out []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(without, name) {
			out = append(out, kv)
		}
	}
	return append(out, "XDG_CACHE_HOME="+filepath.Join(profilePath, ".cuatui-cache"))
}

// needsNoSandbox reports whether the sandbox refuses to run: it does for root.
func needsNoSandbox() bool { return os.Geteuid() == 0 }
