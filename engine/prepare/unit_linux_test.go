package prepare

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/refusal"
	"cuatui/platform"
)

func TestArgumentsOfTheBrowser(t *testing.T) {
	spec, err := Spec{Mode: IsolatedNew, URL: "http://a/", ExtraArgs: []string{"--lang=de"}}.normalise()
	if err != nil {
		t.Fatal(err)
	}
	plain := spec.arguments("/p", false, &display{name: ":7"})
	if plain[len(plain)-1] != "http://a/" {
		t.Errorf("the page is not the last argument: %q", plain)
	}
	for _, flag := range []string{"--remote-debugging-pipe", "--user-data-dir=/p", "--window-size=1280,800", "--lang=de", "--ozone-platform=x11"} {
		if !slices.Contains(plain, flag) {
			t.Errorf("%s is missing from %q", flag, plain)
		}
	}
	for _, flag := range []string{"--remote-debugging-port=0", "--no-sandbox", "--disable-gpu"} {
		if slices.Contains(plain, flag) {
			t.Errorf("%s is given unasked", flag)
		}
	}
	spec.ExposePort = true
	full := spec.arguments("/p", true, &display{private: true})
	for _, flag := range []string{"--remote-debugging-pipe", "--remote-debugging-port=0", "--no-sandbox", "--disable-gpu"} {
		if !slices.Contains(full, flag) {
			t.Errorf("%s is missing from %q", flag, full)
		}
	}
	if wayland := spec.arguments("/p", false, &display{wayland: "w"}); !slices.Contains(wayland, "--ozone-platform=wayland") || slices.Contains(wayland, "--ozone-platform=x11") {
		t.Errorf("%q is not for a Wayland display", wayland)
	}
}

func TestEnvironmentOfTheBrowser(t *testing.T) {
	environ := []string{"DISPLAY=:0", "WAYLAND_DISPLAY=w", "XAUTHORITY=/a", "XDG_CACHE_HOME=/c", "TMPDIR=/x", "LANG=C"}
	shared := browserEnv(environ, &display{name: ":7"}, "/p", "/t")
	want := []string{
		"XAUTHORITY=/a", "LANG=C", "XDG_CACHE_HOME=/p/.cuatui-cache", "DISPLAY=:7", "TMPDIR=/t",
		"BREAKPAD_DUMP_LOCATION=/p/.cuatui-crashes",
	}
	if !slices.Equal(shared, want) {
		t.Errorf("%q\nwant %q", shared, want)
	}
	onWayland := append(slices.Clone(want[:3]), "WAYLAND_DISPLAY=w2", want[4], want[5])
	if got := browserEnv(environ, &display{wayland: "w2"}, "/p", "/t"); !slices.Equal(got, onWayland) {
		t.Errorf("%q\nwant %q", got, onWayland)
	}
	if private := browserEnv(environ, &display{name: ":7", private: true}, "/p", "/t"); !slices.Equal(private, want[1:]) {
		t.Errorf("%q\nwant %q", private, want[1:])
	}
}

func TestTrustOfAnExecutable(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	self := uint32(os.Geteuid())
	asRoot := trust{owner: func(uid uint32) bool { return uid == self }, base: base}
	dir := filepath.Join(base, "lib", "browser")
	file := filepath.Join(dir, "browser")
	tests := []struct {
		name   string
		change func() (string, error)
		trust  trust
		want   error
	}{
		{"safe", func() (string, error) { return file, nil }, asRoot, nil},
		{"group may write the file", func() (string, error) { return file, os.Chmod(file, 0o775) }, asRoot, ErrUntrusted},
		{"others may write the file", func() (string, error) { return file, os.Chmod(file, 0o757) }, asRoot, ErrUntrusted},
		{"others may write above it", func() (string, error) { return file, os.Chmod(filepath.Dir(dir), 0o757) }, asRoot, ErrUntrusted},
		{"sticky above it", func() (string, error) { return file, os.Chmod(filepath.Dir(dir), 0o777|fs.ModeSticky) }, asRoot, ErrUntrusted},
		{
			"sticky above one's own", func() (string, error) { return file, os.Chmod(filepath.Dir(dir), 0o777|fs.ModeSticky) },
			trust{owner: asRoot.owner, base: base, sticky: true},
			nil,
		},
		{
			"another owner", func() (string, error) { return file, nil },
			trust{owner: func(uid uint32) bool { return uid != self }, base: base},
			ErrUntrusted,
		},
		{"not executable", func() (string, error) { return file, os.Chmod(file, 0o644) }, asRoot, ErrUntrusted},
		{"linked file", func() (string, error) { return file + "-link", os.Symlink(file, file+"-link") }, asRoot, ErrUntrusted},
		{"linked directory", func() (string, error) {
			return filepath.Join(base, "link", "browser"), os.Symlink(dir, filepath.Join(base, "link"))
		}, asRoot, ErrUntrusted},
		{"roundabout path", func() (string, error) { return dir + "/../browser/browser", nil }, asRoot, ErrUntrusted},
		{"directory", func() (string, error) { return dir, nil }, asRoot, ErrUntrusted},
		{"relative", func() (string, error) { return "browser", nil }, asRoot, ErrUntrusted},
		{"missing", func() (string, error) { return file + "2", nil }, asRoot, fs.ErrNotExist},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Cleanup(func() { os.RemoveAll(filepath.Join(base, "lib")); os.Remove(filepath.Join(base, "link")) })
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			path, err := tt.change()
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.trust.check(path); !errors.Is(err, tt.want) {
				t.Errorf("check: %v, want %v", err, tt.want)
			}
		})
	}
}

func TestFirstTrustedProductIsChosen(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	self := uint32(os.Geteuid())
	trusted := trust{owner: func(uid uint32) bool { return uid == self }, base: base}
	open, good := filepath.Join(base, "open"), filepath.Join(base, "good")
	for path, mode := range map[string]fs.FileMode{open: 0o777, good: 0o755} {
		if err := errors.Join(os.WriteFile(path, nil, mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
	}
	candidates := []product{{"Absent", filepath.Join(base, "absent")}, {"Open", open}, {"Good", good}}
	if p, err := findProduct(candidates, trusted); err != nil || p.name != "Good" {
		t.Errorf("chose %+v, %v", p, err)
	}
	_, err = findProduct(candidates[:2], trusted)
	r, ok := refusal.As(err)
	if !ok || r.Code != refusal.RequiresSetup || len(r.Detail.Missing) != 2 {
		t.Fatalf("refusal %v", err)
	}
	said := strings.Join(r.Detail.Missing, " ")
	if !strings.Contains(said, "Open is installed, but") || strings.Contains(said, base) {
		t.Errorf("it says %q", said)
	}
}

// The doctor and a launch choose by one function, which PATH has no part in.
func TestCheckNamesWhatALaunchWouldStart(t *testing.T) {
	noLeaks(t)
	base := t.TempDir()
	program := filepath.Join(base, "chromium")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", base)
	l := NewLauncher(Options{StateDir: t.TempDir()})
	l.xvfb = filepath.Join(base, "Xvfb")
	l.products = []product{{"Absent", filepath.Join(base, "absent")}}
	for _, f := range l.Check() {
		if f.State != platform.Missing || f.Note == "" {
			t.Errorf("a launch would find nothing, yet %+v", f)
		}
	}
	l.products = append(l.products, product{"Own", program})
	l.trust, l.helpers = ownTrust(), ownTrust()
	if err := os.WriteFile(l.xvfb, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	want, err := l.product()
	if err != nil {
		t.Fatal(err)
	}
	for i, note := range []string{want.path, l.xvfb} {
		if f := l.Check()[i]; f.State != platform.Works || f.Note != note {
			t.Errorf("%+v, want %s to work", f, note)
		}
	}
}

func TestUntrustedExecutableIsNotStarted(t *testing.T) {
	noLeaks(t)
	l := NewLauncher(Options{Executable: "/bin/../bin/sh", StateDir: t.TempDir()})
	if _, err := l.Launch(t.Context(), Spec{Mode: IsolatedNew}); !errors.Is(err, ErrUntrusted) {
		t.Errorf("launch: %v", err)
	}
}

func TestHostileMarkersAreRejected(t *testing.T) {
	const head = `{"schema":"cuatui-browser-profile-v1","boot":"b",`
	tests := map[string]string{
		"empty":               ``,
		"not json":            `profile`,
		"wrong type":          `[1]`,
		"null":                `null`,
		"other schema":        `{"schema":"other","boot":"b","mode":"isolated_new"}`,
		"no boot":             `{"schema":"cuatui-browser-profile-v1","mode":"isolated_new"}`,
		"unknown field":       head + `"mode":"isolated_new","x":1}`,
		"unknown mode":        head + `"mode":"personal"}`,
		"new with a name":     head + `"mode":"isolated_new","name":"a"}`,
		"named without":       head + `"mode":"isolated_named"}`,
		"name that climbs":    head + `"mode":"isolated_named","name":"../a"}`,
		"owner 0":             head + `"mode":"isolated_new","owner":{"pid":0,"start":1}}`,
		"browser is process1": head + `"mode":"isolated_new","browser":{"pid":1,"start":1}}`,
		"browser is everyone": head + `"mode":"isolated_new","browser":{"pid":-1,"start":1}}`,
		"helper is our group": head + `"mode":"isolated_new","helpers":[{"pid":0,"start":1}]}`,
		"huge pid":            head + `"mode":"isolated_new","browser":{"pid":1e40,"start":1}}`,
		"negative start":      head + `"mode":"isolated_new","browser":{"pid":2,"start":-1}}`,
		"crowd of helpers":    head + `"mode":"isolated_new","helpers":[` + strings.Repeat(`{"pid":2,"start":1},`, helpersMax) + `{"pid":2,"start":1}]}`,
		"temp elsewhere":      head + `"mode":"isolated_new","temp":"/home"}`,
		"temp that climbs":    head + `"mode":"isolated_new","temp":"/tmp/../cuatui-0123456789abcdef"}`,
		"relative temp":       head + `"mode":"isolated_new","temp":"cuatui-0123456789abcdef"}`,
		"two values":          head + `"mode":"isolated_new"}{}`,
		"too large":           head + `"mode":"isolated_new"}` + strings.Repeat(" ", markerBytesMax),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			if m, err := decodeMarker([]byte(text)); err == nil {
				t.Errorf("accepted as %+v", m)
			}
		})
	}
	if _, err := decodeMarker([]byte(head + `"mode":"isolated_new","owner":{"pid":1,"start":0}}`)); err != nil {
		t.Errorf("a marker of process 1 of a container: %v", err)
	}
}

func TestStatIsReadPastAnyCommandName(t *testing.T) {
	const rest = " S 1 77 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 9 9"
	for _, command := range []string{"(sh)", "(a) Z 1 2 3)", "(\n) R 9 9)"} {
		got, err := parseStat("42 " + command + rest)
		if want := (procStat{state: 'S', group: 77, start: 12345}); err != nil || got != want {
			t.Errorf("command %q: %+v, %v", command, got, err)
		}
	}
	for _, bad := range []string{"", "42", "42 (sh)", "42 (sh) S 1", "42 (sh) S 1 x" + strings.Repeat(" 0", 30), "42 (sh) S 1 1" + strings.Repeat(" x", 30)} {
		if got, err := parseStat(bad); err == nil {
			t.Errorf("%q accepted as %+v", bad, got)
		}
	}
}

func TestPortFile(t *testing.T) {
	const path = "/devtools/browser/0a1b-2c"
	for text, want := range map[string]int{
		"":                                   0,
		"40000":                              0,
		"40000\n":                            0,
		"40000\n" + path:                     40000,
		"65535\n" + path:                     65535,
		"0\n" + path:                         -1,
		"65536\n" + path:                     -1,
		"-1\n" + path:                        -1,
		"40000\n/other":                      -1,
		"40000\n" + path + "\n/third":        -1,
		"40000\n" + path + "/../x":           -1,
		"40000\n" + strings.Repeat("a", 300): -1,
	} {
		got, err := parsePort(text)
		if (err != nil) != (want < 0) || (want >= 0 && got != want) {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}
