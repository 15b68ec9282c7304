package prepare

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"cuatui/platform/native"
)

// desktop is the X server with a window manager that the tests with a real
// browser share.
type desktop struct {
	name            string
	system          *native.System
	server, manager *child
}

var sharedDesktop = sync.OnceValues(startDesktop)

var startedDesktop *desktop

func TestMain(m *testing.M) {
	if spec := os.Getenv(helperVar); spec != "" {
		crashHelper(spec)
		return
	}
	// A developer's own display must not decide what is tested.
	os.Unsetenv("DISPLAY")
	os.Unsetenv("WAYLAND_DISPLAY")
	code := m.Run()
	startedDesktop.stop()
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func startDesktop() (*desktop, error) {
	for _, path := range []string{xvfbPath, managerPath} {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("%w: run make install-deps", err)
		}
	}
	if _, err := findProduct(products, systemTrust()); err != nil {
		return nil, fmt.Errorf("%w: run make install-deps", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd := exec.Command(xvfbPath, "-displayfd", "3", "-screen", "0", privateSize, "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{w}
	d := &desktop{}
	d.server, err = startChild(cmd, unix.SIGTERM)
	w.Close()
	if err != nil {
		return nil, err
	}
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		return nil, err
	}
	d.name = ":" + strings.TrimSpace(number)
	manager := exec.Command(managerPath, "--sm-disable")
	manager.Env = append(os.Environ(), "DISPLAY="+d.name, "XDG_CACHE_HOME="+os.TempDir())
	if d.manager, err = startChild(manager, unix.SIGTERM); err != nil {
		return nil, err
	}
	d.system = native.Open(native.Options{Display: d.name})
	startedDesktop = d
	// The window manager says that it is there before it has listed its windows.
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var last error
	err = poll(ctx, func() (bool, error) {
		_, last = d.system.Windows(ctx)
		return last == nil, nil
	})
	if err != nil {
		return nil, errors.Join(err, last)
	}
	return d, nil
}

func (d *desktop) stop() {
	if d == nil {
		return
	}
	d.system.Close()
	for _, c := range []*child{d.manager, d.server} {
		c.signal(unix.SIGTERM)
		<-c.done
	}
}

func useDesktop(t *testing.T) *desktop {
	t.Helper()
	d, err := sharedDesktop()
	if err != nil {
		t.Fatalf("no desktop to test on: %v", err)
	}
	return d
}

// noLeaks fails the test if it leaves a goroutine behind.
func noLeaks(t *testing.T) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
}

// newLauncher returns a launcher on the shared desktop with a state directory
// of its own, which is closed when the test ends.
func newLauncher(t *testing.T, change func(*Options)) *Launcher {
	t.Helper()
	o := Options{StateDir: filepath.Join(t.TempDir(), "state")}
	d := useDesktop(t)
	o.System, o.Display = d.system, d.name
	if change != nil {
		change(&o)
	}
	noLeaks(t)
	l := NewLauncher(o)
	t.Cleanup(func() {
		if err := l.CloseAll(context.Background()); err != nil {
			t.Errorf("closing the launcher: %v", err)
		}
	})
	return l
}

func launch(t *testing.T, l *Launcher, s Spec) *Browser {
	t.Helper()
	b, err := l.Launch(t.Context(), s)
	if err != nil {
		t.Fatalf("launch: %v", err)
	}
	return b
}

func closeBrowser(t *testing.T, b *Browser) {
	t.Helper()
	if err := b.Close(t.Context()); err != nil {
		t.Fatalf("close: %v", err)
	}
}

// eventually waits for something that no event announces.
func eventually(t *testing.T, what string, ready func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if poll(ctx, func() (bool, error) { return ready(), nil }) != nil {
		t.Fatalf("did not happen: %s", what)
	}
}

// profilesIn lists what the profile directory of a launcher holds.
func profilesIn(t *testing.T, l *Launcher) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(l.o.StateDir, profilesDir))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != rootLockFile {
			names = append(names, e.Name())
		}
	}
	return names
}

// processesOf lists the running processes whose command line names text.
func processesOf(t *testing.T, text string) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		args, err := argsOf(pid)
		if err == nil && strings.Contains(strings.Join(args, " "), text) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func wantGone(t *testing.T, b *Browser) {
	t.Helper()
	if alive(b.child.self.PID, b.child.self.Start) {
		t.Error("the browser process still runs")
	}
	if members, err := groupMembers(b.child.self.PID); err != nil || len(members) > 0 {
		t.Errorf("the process group still has members: %v, %v", members, err)
	}
	select {
	case <-b.Done():
	default:
		t.Error("Done is not closed")
	}
	select {
	case <-b.Conn().Done():
	default:
		t.Error("the connection is not closed")
	}
	// The crash handlers leave the group and end when the browser has.
	eventually(t, "every process on the profile ends", func() bool {
		return len(processesOf(t, b.profile.path())) == 0
	})
}
