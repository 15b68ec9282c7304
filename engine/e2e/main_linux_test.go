package e2e_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cuatui/engine"
	"cuatui/engine/contract"
	"cuatui/fixtures"
	"cuatui/fixtures/desktop"
)

// waitMax is how long a test waits for what must happen before it says that it
// did not; it is no claim about speed.
const waitMax = 20 * time.Second

// onSway is the run of the tests on Sway, nil where it is this one or none.
var onSway *asUser

func TestMain(m *testing.M) {
	// A developer's own display must not decide what is tested.
	os.Unsetenv("DISPLAY")
	os.Unsetenv("WAYLAND_DISPLAY")
	os.Unsetenv("XAUTHORITY")
	flag.Parse()
	if os.Getuid() == 0 && swayIsAsked() {
		onSway = beginSway()
	}
	code := m.Run()
	if onSway != nil {
		<-onSway.done // a test that failed at once may not have waited
	}
	if err := errors.Join(closeStage(), goleak.Find()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// stage is what the tests share, because starting it is what costs: a desktop,
// the pages, and an engine whose session "shared" owns one browser with its
// first tab bound.
type stage struct {
	desktop  *desktop.Desktop
	pages    *fixtures.Server
	state    string // where the engine keeps profiles
	engine   *engine.Engine
	witness  *witness
	pid      int
	window   uint64
	targetID string
	tabID    string
}

const sharedSession = "shared"

var (
	sharedStage = sync.OnceValues(startStage)
	started     *stage // for closeStage; nil if no test needed one
)

// newEngine returns an engine on the desktop. Its browsers keep their own
// network to themselves: nothing here asks a name service.
func (s *stage) newEngine(log *slog.Logger) (*engine.Engine, error) {
	return engine.New(engine.Options{
		StateDir: s.state, Display: s.desktop.Display(), Log: log,
		BrowserArgs: []string{"--disable-gpu", "--site-per-process"},
	})
}

func startStage() (*stage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := &stage{pages: fixtures.NewServer()}
	started = s
	var err error
	if s.state, err = os.MkdirTemp("", "e2e-"); err != nil {
		return nil, err
	}
	// The server lives as long as the tests, not as this start.
	if err := s.pages.Start(context.Background()); err != nil {
		return nil, err
	}
	if s.desktop, err = desktop.Start(ctx); err != nil {
		return nil, err
	}
	if s.engine, err = s.newEngine(nil); err != nil {
		return nil, err
	}
	return s, s.bindFirst(ctx)
}

// bindFirst launches the shared browser and binds its window. The port is the
// witness's door; the engine itself stays on the pipe.
func (s *stage) bindFirst(ctx context.Context) error {
	if _, err := s.engine.StartSession(ctx, contract.StartSessionRequest{Session: sharedSession}); err != nil {
		return err
	}
	made, err := s.engine.Prepare(ctx, contract.PrepareRequest{Session: sharedSession, Profile: "isolated_new", AllowLaunch: true, ExposePort: true})
	if err != nil {
		return err
	}
	s.pid, s.window = made.PreparedPID, made.WindowIDs[0]
	if s.witness, err = dialWitness(ctx, made.SideEffects.PortExposed); err != nil {
		return err
	}
	bound, err := s.engine.State(ctx, contract.StateRequest{Session: sharedSession, PID: s.pid, WindowID: s.window})
	if err != nil {
		return err
	}
	s.targetID, s.tabID = bound.TargetID, bound.Tabs[0].TabID
	return s.desktop.RaiseSentinel(ctx)
}

// closeStage takes everything away, in the order that a crash in between would
// leave the least behind.
func closeStage() error {
	s := started
	if s == nil {
		return nil
	}
	var errs []error
	if s.witness != nil {
		errs = append(errs, s.witness.conn.Close())
	}
	if s.engine != nil {
		errs = append(errs, s.engine.Close(context.Background()))
	}
	if s.desktop != nil {
		errs = append(errs, s.desktop.Close())
	}
	errs = append(errs, s.pages.Close(), os.RemoveAll(s.state))
	return errors.Join(errs...)
}

// use returns the shared stage with the sentinel in front. At the end of the
// test everything the engine answered in it is searched for what must not leave.
func use(t *testing.T) *stage {
	t.Helper()
	s, err := sharedStage()
	if err != nil {
		t.Fatalf("the stage: %v", err)
	}
	if err := s.desktop.RaiseSentinel(soon(t)); err != nil {
		t.Fatal(err)
	}
	s.desktop.ForgetKeys()
	return s
}

// soon is a context for what must happen during this test.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitMax)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
