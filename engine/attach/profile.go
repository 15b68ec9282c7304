package attach

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"cuatui/engine/refusal"
	"cuatui/platform"
)

// profilePort is what a profile's DevToolsActivePort says.
type profilePort struct {
	port uint16
	path string
}

const (
	portFile = "DevToolsActivePort"
	// portBytesMax is more than a browser writes: a port and a path.
	portBytesMax = 256
)

// defaultProfiles are the profile folders under the user's configuration, by
// the executable. A product's second channel has a folder of its own.
var defaultProfiles = map[string]string{
	"/usr/lib/chromium/chromium":                 "chromium",
	"/usr/lib64/chromium/chromium":               "chromium",
	"/usr/lib/chromium-browser/chromium-browser": "chromium",
	"/opt/google/chrome/chrome":                  "google-chrome",
	"/opt/google/chrome-beta/chrome":             "google-chrome-beta",
	"/opt/google/chrome-unstable/chrome":         "google-chrome-unstable",
	"/opt/microsoft/msedge/msedge":               "microsoft-edge",
	"/opt/microsoft/msedge-beta/msedge":          "microsoft-edge-beta",
	"/opt/microsoft/msedge-dev/msedge":           "microsoft-edge-dev",
	"/opt/brave.com/brave/brave":                 "BraveSoftware/Brave-Browser",
	"/opt/vivaldi/vivaldi-bin":                   "vivaldi",
}

// activePort reads the port that a browser wrote into its profile; nil where
// there is none. It refuses where the arguments name two profiles.
func activePort(p platform.Process, home string) (*profilePort, error) {
	dir, err := namedProfile(p.Args)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		name, ok := defaultProfiles[p.Executable]
		if !ok || home == "" {
			return nil, nil
		}
		dir = filepath.Join(home, ".config", name)
	}
	if !filepath.IsAbs(dir) {
		return nil, nil // relative to a folder we do not know
	}
	return parsePort(readPort(filepath.Join(dir, portFile))), nil
}

// namedProfile is the profile that a browser's arguments name, "" if none.
func namedProfile(args []string) (string, error) {
	dir := ""
	for i := 1; i < len(args) && args[i] != "--"; i++ {
		flag, isFlag := strings.CutPrefix(args[i], "-") // one dash is as good as two
		flag = strings.TrimPrefix(flag, "-")
		value, ok := strings.CutPrefix(flag, "user-data-dir=")
		if flag == "user-data-dir" && i+1 < len(args) {
			value, ok = args[i+1], true
		}
		if !isFlag || !ok || value == "" {
			continue
		}
		value = filepath.Clean(value)
		if dir != "" && dir != value {
			return "", refusal.New(refusal.SeveralEndpoints, "the browser's arguments name two profiles")
		}
		dir = value
	}
	return dir, nil
}

// readPort reads a port file; "" where there is none that a browser can have
// written. It neither follows a link nor waits for a pipe's other end.
func readPort(name string) string {
	there, err := os.Lstat(name)
	if err != nil || !there.Mode().IsRegular() {
		return ""
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // it was only read
	if opened, err := f.Stat(); err != nil || !os.SameFile(there, opened) {
		return ""
	}
	raw, err := io.ReadAll(io.LimitReader(f, portBytesMax))
	if err != nil {
		return ""
	}
	return string(raw)
}

// parsePort reads the two lines of a port file, nil if they are not that.
func parsePort(text string) *profilePort {
	first, second, ok := strings.Cut(strings.TrimSuffix(text, "\n"), "\n")
	if !ok || !browserPath.MatchString(second) {
		return nil
	}
	port, err := strconv.ParseUint(first, 10, 16)
	if err != nil || port == 0 {
		return nil
	}
	return &profilePort{port: uint16(port), path: second}
}
