package prepare

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// helperVar makes the test binary a program that launches a browser and waits
// to be killed; its value is the state directory.
const helperVar = "CUATUI_PREPARE_CRASH"

type crashed struct {
	Profile string
	Marker  marker
}

// crashHelper runs in the process that is to crash.
func crashHelper(state string) {
	l := NewLauncher(Options{StateDir: state})
	b, err := l.Launch(context.Background(), Spec{Mode: IsolatedNew})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(crashed{b.profile.path(), b.profile.marker}); err != nil {
		os.Exit(1)
	}
	select {}
}

func TestSweepAfterACrash(t *testing.T) {
	useDesktop(t) // for its message, if something is not installed
	ownTempDir(t)
	l := newLauncher(t, nil)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperVar+"="+l.o.StateDir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, readErr := bufio.NewReader(out).ReadBytes('\n')
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	var left crashed
	if err := json.Unmarshal(line, &left); err != nil {
		t.Fatalf("helper said %q: %v, %v", line, err, readErr)
	}

	if removed, err := l.Sweep(); err != nil || removed != 0 {
		t.Fatalf("sweep beside a living owner removed %d, %v", removed, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it says only that it was killed
	// The browser ends with its pipe, the private display with its parent.
	for _, p := range left.Marker.started() {
		eventually(t, p.Executable+" ends by itself", func() bool { return !alive(p.PID, p.Start) })
	}
	if _, err := os.Stat(left.Profile); err != nil {
		t.Fatalf("the crash left no profile to sweep: %v", err)
	}
	b := launch(t, l, Spec{Mode: IsolatedNew})
	if b.SideEffects().Swept != 1 {
		t.Errorf("swept %d profiles, want 1", b.SideEffects().Swept)
	}
	if got := profilesIn(t, l); !slices.Equal(got, []string{b.profile.leaf}) {
		t.Errorf("profiles %v, want %s", got, filepath.Base(b.profile.path()))
	}
	closeBrowser(t, b)
}
