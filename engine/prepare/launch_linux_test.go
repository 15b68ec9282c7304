package prepare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// ownTempDir gives the browser a directory of its own for what it puts outside
// its profile, and fails the test if anything is left there.
func ownTempDir(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "prep") //nolint:usetesting // a test's own is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 0 {
			t.Errorf("left in the temporary directory: %v, %v", entries, err)
		}
		os.RemoveAll(dir)
	})
}

func TestLaunchShowsAWindowAndCloseLeavesNothing(t *testing.T) {
	l := newLauncher(t, nil)
	ownTempDir(t)
	t.Setenv("HOME", t.TempDir())
	b := launch(t, l, Spec{Mode: IsolatedNew, Size: [2]int{900, 700}})

	var version struct{ Product string }
	if err := b.Conn().Browser().Call(t.Context(), "Browser.getVersion", nil, &version); err != nil || version.Product == "" {
		t.Errorf("the connection answers %q, %v", version.Product, err)
	}
	now, err := b.System().Process(t.Context(), b.Process().PID)
	if err != nil || now.Fingerprint() != b.Process().Fingerprint() {
		t.Errorf("fingerprint %+v, the process has %+v, %v", b.Process().Fingerprint(), now.Fingerprint(), err)
	}
	windows, err := b.System().Windows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(b.WindowIDs()) != 1 {
		t.Errorf("window ids %v, want one", b.WindowIDs())
	}
	for _, w := range windows {
		if slices.Contains(b.WindowIDs(), w.ID) != (w.PID == b.Process().PID) {
			t.Errorf("window %+v against ids %v of process %d", w, b.WindowIDs(), b.Process().PID)
		}
	}
	if ports, err := b.System().Listeners(t.Context(), b.Process().PID); err != nil || len(ports) > 0 {
		t.Errorf("it listens on %v, %v", ports, err)
	}
	got := b.SideEffects()
	if !got.ProcessStarted || !got.ProfileCreated || got.ProfileKept || got.PrivateDisplay || got.PortExposed != 0 ||
		got.NoSandbox != (os.Geteuid() == 0) || got.WindowSystem != "x11" || !strings.Contains(got.Product, " ") {
		t.Errorf("side effects %+v", got)
	}
	for _, dir := range []string{b.profile.path(), b.profile.root.path} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info.Mode(), err)
		}
	}
	m, err := b.profile.readMarker()
	if err != nil || m.Owner.PID != os.Getpid() || m.Browser == nil || *m.Browser != b.child.self || !m.ownerAlive() {
		t.Errorf("marker %+v, %v", m, err)
	}

	closeBrowser(t, b)
	closeBrowser(t, b)
	wantGone(t, b)
	if left := profilesIn(t, l); len(left) > 0 {
		t.Errorf("profiles left: %v", left)
	}
	if entries, err := os.ReadDir(os.Getenv("HOME")); err != nil || len(entries) > 0 {
		t.Errorf("the launch wrote into the home directory: %v, %v", entries, err)
	}
}

func TestBrowserInheritsOnlyItsPipes(t *testing.T) {
	l := newLauncher(t, nil)
	secret, err := os.Create(filepath.Join(t.TempDir(), "secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	b := launch(t, l, Spec{Mode: IsolatedNew})
	fds := fmt.Sprintf("/proc/%d/fd", b.Process().PID)
	for fd, want := range map[string]string{"0": "/dev/null", "1": "/dev/null", "2": "pipe:", "3": "pipe:", "4": "pipe:"} {
		if got, err := os.Readlink(filepath.Join(fds, fd)); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("descriptor %s is %q, %v; want %s", fd, got, err, want)
		}
	}
	entries, err := os.ReadDir(fds)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got, _ := os.Readlink(filepath.Join(fds, e.Name())) // some have gone by now
		if got == secret.Name() || strings.HasSuffix(got, lockFile) {
			t.Errorf("descriptor %s is %s", e.Name(), got)
		}
	}
}

func TestCrashOfTheBrowserClosesDoneAndCloseCleansUp(t *testing.T) {
	l := newLauncher(t, nil)
	ownTempDir(t)
	b := launch(t, l, Spec{Mode: IsolatedNew})
	if err := unix.Kill(b.Process().PID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-b.Done()
	<-b.Conn().Done()
	closeBrowser(t, b)
	wantGone(t, b)
	if left := profilesIn(t, l); len(left) > 0 {
		t.Errorf("profiles left: %v", left)
	}
}

func TestParallelLaunchesAreSeparate(t *testing.T) {
	l := newLauncher(t, nil)
	var browsers [2]*Browser
	var launching sync.WaitGroup
	for i := range browsers {
		launching.Go(func() {
			b, err := l.Launch(t.Context(), Spec{Mode: IsolatedNew})
			if err != nil {
				t.Errorf("launch: %v", err)
			}
			browsers[i] = b
		})
	}
	launching.Wait()
	if t.Failed() {
		return
	}
	a, b := browsers[0], browsers[1]
	if a.Process().PID == b.Process().PID || a.profile.path() == b.profile.path() ||
		slices.Equal(a.WindowIDs(), b.WindowIDs()) {
		t.Fatalf("not separate: %v %v, %v %v", a.Process().PID, a.WindowIDs(), b.Process().PID, b.WindowIDs())
	}
	closeBrowser(t, a)
	wantGone(t, a)
	if err := b.Conn().Browser().Call(t.Context(), "Browser.getVersion", nil, nil); err != nil {
		t.Errorf("closing one took the other: %v", err)
	}
	if got := profilesIn(t, l); !slices.Equal(got, []string{b.profile.leaf}) {
		t.Errorf("profiles %v, want %s", got, b.profile.leaf)
	}
}

func TestNamedProfileIsExclusiveAndKept(t *testing.T) {
	l := newLauncher(t, nil)
	ownTempDir(t)
	spec := Spec{Mode: IsolatedNamed, Name: "work_1"}
	b := launch(t, l, spec)
	if got := b.SideEffects(); !got.ProfileCreated || !got.ProfileKept {
		t.Errorf("side effects of the first launch %+v", got)
	}
	_, err := l.Launch(t.Context(), spec)
	if r, ok := refusal.As(err); !ok || r.Reason != refusal.ProfileInUse || !strings.Contains(r.Message, spec.Name) || !errors.Is(err, ErrProfileInUse) {
		t.Errorf("second launch on the same profile: %v", err)
	}
	if err := b.Conn().Browser().Call(t.Context(), "Browser.getVersion", nil, nil); err != nil {
		t.Errorf("the refused launch harmed the first: %v", err)
	}
	closeBrowser(t, b)
	wantGone(t, b)
	if _, err := os.Stat(filepath.Join(b.profile.path(), "Local State")); err != nil {
		t.Errorf("the browser's state is not kept: %v", err)
	}

	again := launch(t, l, spec)
	if got := again.SideEffects(); got.ProfileCreated || !got.ProfileKept {
		t.Errorf("side effects of the second launch %+v", got)
	}
	// A browser that is killed leaves its own lock; the next start must not ask.
	if err := unix.Kill(again.Process().PID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-again.Done()
	closeBrowser(t, again)
	if _, err := os.Lstat(filepath.Join(b.profile.path(), "SingletonLock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the browser's lock is left: %v", err)
	}
	closeBrowser(t, launch(t, l, spec))
}

func TestExposedPortIsTheBrowsersOwn(t *testing.T) {
	l := newLauncher(t, nil)
	b := launch(t, l, Spec{Mode: IsolatedNew, ExposePort: true})
	port := b.SideEffects().PortExposed
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	reply, err := client.Get(fmt.Sprintf("http://127.0.0.1:%d/json/version", port))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var version struct {
		Browser string `json:"Browser"`
	}
	if err := json.NewDecoder(reply.Body).Decode(&version); err != nil || !strings.Contains(version.Browser, "/") {
		t.Errorf("the port answers %q, %v", version.Browser, err)
	}
	if err := b.Conn().Browser().Call(t.Context(), "Browser.getVersion", nil, nil); err != nil {
		t.Errorf("the pipe beside the port: %v", err)
	}
}

// blindSystem is a system that sees something else than there is.
type blindSystem struct {
	platform.System
	listeners []netip.AddrPort
	windows   func() error // nil: all are seen
	foreign   []platform.Window
}

func (s blindSystem) Listeners(context.Context, int) ([]netip.AddrPort, error) {
	return s.listeners, nil
}

func (s blindSystem) Windows(ctx context.Context) ([]platform.Window, error) {
	if s.windows != nil {
		return nil, s.windows()
	}
	windows, err := s.System.Windows(ctx)
	return append(windows, s.foreign...), err
}

func TestWindowsOfOthersAreNotTheBrowsers(t *testing.T) {
	l := newLauncher(t, func(o *Options) {
		o.System = blindSystem{System: o.System, foreign: []platform.Window{{ID: 1, PID: os.Getpid()}, {ID: 2}}}
	})
	b := launch(t, l, Spec{Mode: IsolatedNew})
	if ids := b.WindowIDs(); len(ids) != 1 || ids[0] <= 2 {
		t.Errorf("window ids %v", ids)
	}
}

func TestPortOfAnotherProcessIsRefused(t *testing.T) {
	l := newLauncher(t, func(o *Options) {
		o.System = blindSystem{System: o.System, listeners: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:1"), netip.MustParseAddrPort("[::1]:65535")}}
	})
	_, err := l.Launch(t.Context(), Spec{Mode: IsolatedNew, ExposePort: true})
	r, ok := refusal.As(err)
	if !ok || r.Reason != refusal.OtherProcess || len(r.Proof) != 1 || r.Proof[0].Verdict != refusal.Fail {
		t.Errorf("launch: %v", err)
	}
	if left := profilesIn(t, l); len(left) > 0 {
		t.Errorf("profiles left: %v", left)
	}
}

func TestBrowserWithoutAWindowFailsWithTheLastError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lost := errors.New("window lost")
	calls := 0
	l := newLauncher(t, func(o *Options) {
		o.System = blindSystem{System: o.System, windows: func() error {
			switch calls++; calls {
			case 1: // the question whether the display answers
				return nil
			case 4:
				cancel()
			}
			return lost
		}}
	})
	_, err := l.Launch(ctx, Spec{Mode: IsolatedNew})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, lost) {
		t.Errorf("launch: %v", err)
	}
	if left := profilesIn(t, l); len(left) > 0 {
		t.Errorf("profiles left: %v", left)
	}
}

func TestFirstPageIsTheOneAskedFor(t *testing.T) {
	l := newLauncher(t, nil)
	const page = "http://127.0.0.1:9/?a=1&b=%27--x%27" // nothing listens there
	b := launch(t, l, Spec{Mode: IsolatedNew, URL: page})
	eventually(t, "the page is a target", func() bool {
		var targets struct {
			TargetInfos []struct{ Type, URL string }
		}
		if err := b.Conn().Browser().Call(t.Context(), "Target.getTargets", nil, &targets); err != nil {
			t.Fatal(err)
		}
		for _, target := range targets.TargetInfos {
			if target.Type == "page" && target.URL == page {
				return true
			}
		}
		return false
	})
}

// fakeBrowser is a script in the browser's place.
func fakeBrowser(t *testing.T, script string) func(*Options) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return func(o *Options) { o.Executable, o.TrustOwn = path, true }
}

// What is in the way on the machine is named: where, and what the system says.
func TestTheMachineInTheWayIsNamed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	open := filepath.Join(dir, "open")
	taken := filepath.Join(dir, "taken")
	full := filepath.Join(dir, "full")
	plant := errors.Join(
		os.WriteFile(file, nil, 0o600),
		os.Mkdir(open, 0o700), os.Chmod(open, 0o777),
		os.MkdirAll(filepath.Join(taken, profilesDir), 0o700), os.WriteFile(filepath.Join(taken, profilesDir, "work"), nil, 0o600),
		os.MkdirAll(filepath.Join(full, profilesDir, "work", markerFile+".new", "x"), 0o700),
	)
	if plant != nil {
		t.Fatal(plant)
	}
	tests := []struct{ name, state, says string }{
		{"a file in its place", file, "not a directory"},
		{"a file above it", filepath.Join(file, "state"), "not a directory"},
		{"a file system that takes none", "/proc/cuatui", "no such file or directory"},
		{"everybody may write to it", open, "writable by everybody"},
		{"a file in the place of the profile", taken, "no directory"},
		{"a marker that cannot be written", full, "directory not empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLauncher(t, func(o *Options) {
				fakeBrowser(t, "")(o)
				o.StateDir = tt.state
			})
			_, err := l.Launch(t.Context(), Spec{Mode: IsolatedNamed, Name: "work"})
			said := contract.NewCallError(err)
			if said.Kind != contract.System || !strings.Contains(said.Message, "state directory "+tt.state) || !strings.Contains(said.Message, tt.says) {
				t.Errorf("%s, cause %v; want kind system, %s and %q", said, err, tt.state, tt.says)
			}
		})
	}
}

func TestEarlyEndSaysHowAndWhatTheBrowserSaid(t *testing.T) {
	l := newLauncher(t, fakeBrowser(t, `printf 'no \033[31mlibrary\n' >&2
echo "DevTools listening on ws://127.0.0.1:1/devtools/browser/x" >&2
echo "dir $PWD" >&2
exit 3`))
	_, err := l.Launch(t.Context(), Spec{Mode: IsolatedNew})
	r, ok := refusal.As(err)
	if !ok || r.Reason != refusal.ConnectFailed || !strings.Contains(r.Message, "exit status 3") {
		t.Fatalf("launch: %v", err)
	}
	for _, part := range []string{"exit status 3", "no [31mlibrary", "dir <profile>"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	for _, part := range []string{"\x1b", "ws://", l.o.StateDir} {
		if strings.Contains(err.Error(), part) {
			t.Errorf("%q says %q", err, part)
		}
	}
	if left := profilesIn(t, l); len(left) > 0 {
		t.Errorf("profiles left: %v", left)
	}
}

// A browser that neither answers nor ends, with a child that would outlive it.
const hangs = `sleep 1000 & trap '' TERM; while :; do sleep 1000; done`

func TestFailedStartEndsTheWholeGroup(t *testing.T) {
	l := newLauncher(t, fakeBrowser(t, hangs))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := l.Launch(ctx, Spec{Mode: IsolatedNamed, Name: "fresh"})
		failed <- err
	}()
	var leader int
	eventually(t, "the browser and its child start", func() bool {
		for _, pid := range processesOf(t, l.o.StateDir) {
			if members, err := groupMembers(pid); err == nil && len(members) >= 3 {
				leader = pid
			}
		}
		return leader != 0
	})
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("launch: %v", err)
	}
	if members, err := groupMembers(leader); err != nil || len(members) > 0 {
		t.Errorf("left running: %v, %v", members, err)
	}
	if left := profilesIn(t, l); len(left) > 0 {
		t.Errorf("the failed launch left a profile it had made: %v", left)
	}
}

func TestCloseAllEndsWhatRunsAndWhatStarts(t *testing.T) {
	l := newLauncher(t, nil)
	b := launch(t, l, Spec{Mode: IsolatedNew})
	fakeBrowser(t, hangs)(&l.o)
	l.trust = ownTrust()
	failed := make(chan error, 1)
	go func() {
		_, err := l.Launch(context.Background(), Spec{Mode: IsolatedNew})
		failed <- err
	}()
	eventually(t, "the second browser starts", func() bool { return len(profilesIn(t, l)) == 2 })
	if err := l.CloseAll(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the launch under way: %v", err)
	}
	wantGone(t, b)
	if _, err := l.Launch(t.Context(), Spec{Mode: IsolatedNew}); !errors.Is(err, ErrClosed) {
		t.Errorf("launch after CloseAll: %v", err)
	}
	if left := profilesIn(t, l); len(left) > 0 {
		t.Errorf("profiles left: %v", left)
	}
}

func TestTailKeepsTheEndWithinBounds(t *testing.T) {
	said := strings.Repeat("noise\n", 10_000) + "[1:2:ERROR:dbus/bus.cc:405] no bus\n" + "\xff\x00the reason\a\n"
	tail := readTail(bytes.NewBufferString(said))
	<-tail.done
	got := tail.text(nil)
	if !strings.HasSuffix(got, "noise; the reason") || len(got) > tailBytesMax+len("…") || len(tail.buf) > stderrBytesMax {
		t.Errorf("%d bytes kept, %d shown, ending %q", len(tail.buf), len(got), got[len(got)-40:])
	}
}
