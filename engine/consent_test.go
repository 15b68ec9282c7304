package engine

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

var asked = contract.GrantRequest{Session: movingSession, PID: movingPID, WindowID: 11}

// personalBench is a session with a person's consent to the browser's window.
func personalBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, personal, accessApproved)
	b.yes(11)
	return b
}

// yes is the person's yes to a window, without looking at it again.
func (b *bench) yes(window uint64) {
	b.t.Helper()
	r := contract.GrantRequest{Session: movingSession, PID: movingPID, WindowID: window, Run: b.e.run(b.processes[0].Fingerprint())}
	b.must(b.e.Grant(b.t.Context(), r))
}

// shown is what a person who looks at a window now would agree to.
func (b *bench) shown(window uint64) contract.GrantRequest {
	b.t.Helper()
	list, err := b.e.ListWindows(b.t.Context(), contract.ListWindowsRequest{Session: movingSession})
	b.must(list, err)
	i := slices.IndexFunc(list.Windows, func(w contract.NativeWindow) bool { return w.WindowID == window })
	if i < 0 {
		b.t.Fatalf("window %d is not listed: %+v", window, list.Windows)
	}
	return contract.GrantRequest{Session: movingSession, PID: list.Windows[i].PID, WindowID: window, Run: list.Windows[i].Run}
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clock = b.clock.Add(d)
}

// read resolves the tab for reading.
func (b *bench) read(target, tab string) error {
	_, err := b.e.resolve(b.t.Context(), movingSession, target, tab)
	return err
}

func TestConsentEndsReadingAndActingAlike(t *testing.T) {
	for _, tt := range []struct {
		name   string
		end    func(*bench)
		reason refusal.Reason
		keeps  bool // the connection
	}{
		{"it is withdrawn", func(b *bench) { b.must(b.e.Revoke(b.t.Context(), asked)) }, refusal.ByPerson, false},
		{"it has been idle", func(b *bench) { b.pass(capability.GrantIdle) }, refusal.Expired, false},
		{"its time is over", func(b *bench) {
			for range 16 {
				b.pass(capability.GrantIdle - time.Second)
				b.e.grants.Use(capability.Scope{Session: movingSession, Fingerprint: b.processes[0].Fingerprint(), Window: 11})
			}
			b.pass(time.Minute)
		}, refusal.Expired, false},
		{"the clock ran backwards", func(b *bench) { b.pass(-time.Hour) }, refusal.Expired, false},
		{"it is given anew", func(b *bench) { b.yes(11) }, refusal.GrantChanged, true},
		{"it is withdrawn and given anew", func(b *bench) {
			b.must(b.e.Revoke(b.t.Context(), asked))
			b.yes(11)
		}, refusal.GrantChanged, false},
		{"the browser was started anew under its pid", func(b *bench) { b.processes[0].Start++ }, refusal.ProcessChanged, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := personalBench(t)
			target, tab := b.bind()
			if err := errors.Join(b.read(target, tab), b.mutate(target, tab)); err != nil {
				t.Fatalf("with consent: %v", err)
			}
			before := len(b.asked())
			tt.end(b)
			if r, ok := refusal.As(b.read(target, tab)); !ok || r.Reason != tt.reason || r.Next == nil {
				t.Errorf("read: %v", r)
			}
			b.refusedFor(b.mutate(target, tab), tt.reason)
			if more := b.asked()[before:]; len(more) > 0 {
				t.Errorf("the browser was asked %v", more)
			}
			if known := b.e.known(movingSession, movingPID); (known != nil) != tt.keeps {
				t.Errorf("the connection is kept: %v", known != nil)
			}
		})
	}
}

func TestNothingIsAskedWithoutConsent(t *testing.T) {
	b := newBench(t, personal, accessApproved)
	_, err := b.e.State(t.Context(), contract.StateRequest{Session: movingSession, PID: movingPID, WindowID: 11})
	if r, ok := refusal.As(err); !ok || r.Code != refusal.ConsentRequired || r.Reason != refusal.PersonalBrowser || r.Next == nil {
		t.Errorf("bound: %v", err)
	}
	list, err := b.e.ListWindows(t.Context(), contract.ListWindowsRequest{Session: movingSession})
	if err != nil || len(list.Windows) != 1 || list.Windows[0].WouldBind.Reason != refusal.PersonalBrowser || list.Windows[0].Endpoint != "not_asked" {
		t.Errorf("listed %+v, %v", list, err)
	}
	if asked := b.asked(); len(asked) > 0 {
		t.Errorf("the browser was asked %v", asked)
	}
}

// TestLookingDoesNotKeepConsentAlive: a list that is drawn every second must
// not turn half an hour into eight.
func TestLookingDoesNotKeepConsentAlive(t *testing.T) {
	b := personalBench(t)
	target, tab := b.bind()
	for range 3 {
		b.pass(capability.GrantIdle / 3)
		b.must(b.e.ListWindows(t.Context(), contract.ListWindowsRequest{Session: movingSession}))
	}
	b.refusedFor(b.mutate(target, tab), refusal.Expired)
}

func TestReadingKeepsConsentAlive(t *testing.T) {
	b := personalBench(t)
	target, tab := b.bind()
	for range 6 {
		b.pass(capability.GrantIdle / 2)
		if err := b.read(target, tab); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.mutate(target, tab); err != nil {
		t.Error(err)
	}
}

// TestTwoWindowsHaveAConsentEach: the two share a connection, and nothing else.
func TestTwoWindowsHaveAConsentEach(t *testing.T) {
	b := personalBench(t)
	elsewhere := platform.Rect{X: 950, Y: 100, W: 500, H: 600}
	b.windows = append(b.windows, windowAt(12, "Two - Chromium", elsewhere))
	b.tabs = append(b.tabs, tabIn{id: "T2", title: "Two", window: 2, at: elsewhere})
	target, tab := b.bind()
	second := contract.GrantRequest{Session: movingSession, PID: movingPID, WindowID: 12}
	request := contract.StateRequest{Session: movingSession, PID: movingPID, WindowID: 12}
	if _, err := b.e.State(t.Context(), request); err == nil {
		t.Fatal("the second window is bound without a consent of its own")
	}
	for range 3 { // a later generation than the first window's
		b.yes(12)
	}
	other, err := b.e.State(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(b.mutate(target, tab), b.mutate(other.TargetID, other.Tabs[0].TabID)); err != nil {
		t.Fatalf("both: %v", err)
	}
	b.must(b.e.Revoke(t.Context(), asked))
	b.refusedFor(b.mutate(target, tab), refusal.ByPerson)
	if err := b.mutate(other.TargetID, other.Tabs[0].TabID); err != nil {
		t.Errorf("the other window: %v", err)
	}
	b.must(b.e.Revoke(t.Context(), second))
	if b.e.known(movingSession, movingPID) != nil {
		t.Error("the connection is kept without any consent")
	}
}

func TestConsentIsAboutAWindowOfTheProcess(t *testing.T) {
	b := newBench(t, personal, accessApproved)
	shown := b.shown(11)
	for name, tt := range map[string]struct {
		change func(*contract.GrantRequest)
		reason refusal.Reason
	}{
		"another window":  {func(r *contract.GrantRequest) { r.WindowID = 99 }, refusal.WindowNotOwned},
		"another process": {func(r *contract.GrantRequest) { r.PID = 999 }, refusal.ProcessChanged},
		"another run":     {func(r *contract.GrantRequest) { r.Run = "run-1" }, refusal.ProcessChanged},
	} {
		r := shown
		tt.change(&r)
		_, err := b.e.Grant(t.Context(), r)
		if got, ok := refusal.As(err); !ok || got.Reason != tt.reason {
			t.Errorf("%s: %v, want %s", name, err, tt.reason)
		}
	}
	var bad *contract.ArgumentError
	if _, err := b.e.Revoke(t.Context(), asked); !errors.As(err, &bad) {
		t.Errorf("withdrew what nobody gave: %v", err)
	}
	if _, err := b.e.Grant(t.Context(), asked); !errors.As(err, &bad) || bad.Field != "run" {
		t.Errorf("agreed without saying to which run: %v", err)
	}
}

// TestAYesIsToTheRunThatWasShown: between the question and the answer the
// browser ends, and its pid is given to another, with a window of the same id.
func TestAYesIsToTheRunThatWasShown(t *testing.T) {
	for name, change := range map[string]func(*platform.Process){
		"started later":      func(p *platform.Process) { p.Start++ },
		"another executable": func(p *platform.Process) { p.Executable = "/usr/lib64/chromium/chromium" },
	} {
		b := newBench(t, personal, accessApproved)
		shown := b.shown(11)
		if again := b.shown(11); again != shown {
			t.Errorf("the same run is shown as %+v and %+v", shown, again)
		}
		change(&b.processes[0])
		_, err := b.e.Grant(t.Context(), shown)
		if r, ok := refusal.As(err); !ok || r.Reason != refusal.ProcessChanged {
			t.Errorf("%s: %v", name, err)
		}
		_, err = b.e.State(t.Context(), contract.StateRequest{Session: movingSession, PID: movingPID, WindowID: 11})
		if r, ok := refusal.As(err); !ok || r.Reason != refusal.PersonalBrowser {
			t.Errorf("%s: bound: %v", name, err)
		}
		b.yes(11)
	}
}

// TestConsentCanBeWithdrawnAfterTheWindow: the window's end does not end the
// person's right to say no.
func TestConsentCanBeWithdrawnAfterTheWindow(t *testing.T) {
	b := personalBench(t)
	b.bind()
	b.windows = nil
	b.must(b.e.Revoke(t.Context(), asked))
	if b.e.known(movingSession, movingPID) != nil {
		t.Error("the connection is kept")
	}
}

func TestASessionsConsentEndsWithIt(t *testing.T) {
	b := personalBench(t)
	b.must(b.e.EndSession(t.Context(), contract.EndSessionRequest{Session: movingSession}))
	b.must(b.e.StartSession(t.Context(), contract.StartSessionRequest{Session: movingSession}))
	_, err := b.e.State(t.Context(), contract.StateRequest{Session: movingSession, PID: movingPID, WindowID: 11})
	if r, ok := refusal.As(err); !ok || r.Reason != refusal.PersonalBrowser {
		t.Errorf("a later session of the same name: %v", err)
	}
}

func TestAConnectionMadeAnewIsALaterGeneration(t *testing.T) {
	b := newBench(t, embedded, accessEmbedded)
	target, tab := b.bind()
	b.Lose(io.EOF)
	lost := b.e.known(movingSession, movingPID)
	<-lost.tabs["T1"].done
	err := b.read(target, tab)
	if _, isRefusal := refusal.As(err); isRefusal || !errors.Is(err, contract.ErrConnectionLost) {
		t.Errorf("while it is lost: %v", err)
	}
	if err := b.e.forget(context.WithoutCancel(t.Context()), movingSession, lost); err != nil {
		t.Fatal(err)
	}
	next := enginetest.New()
	next.Result("Page.enable", nil)
	next.Handle("Target.getTargets", b.targets)
	next.Handle("Browser.getWindowForTarget", b.windowFor)
	b.connect(next, accessEmbedded)
	again, tabAgain := b.bind()
	b.refusedFor(b.mutate(target, tab), refusal.GenerationChanged)
	if err := b.mutate(again, tabAgain); err != nil {
		t.Errorf("bound again: %v", err)
	}
}

// filesOf are the files of the processes of TestWhatAProcessIs that have any.
var filesOf = map[string]struct {
	mapped []platform.Mapping
	beside []string
}{
	"a program that has mapped an engine": {mapped: []platform.Mapping{{Path: "/usr/lib/libQt5WebEngineCore.so.5", Code: true}}},
	"a person's browser that has":         {mapped: []platform.Mapping{{Path: "/usr/lib/libQt5WebEngineCore.so.5", Code: true}}},
	"an Electron elsewhere": {
		mapped: []platform.Mapping{{Path: "/home/u/chat/icudtl.dat"}, {Path: "/home/u/chat/v8_context_snapshot.bin"}},
		beside: []string{"resources/app.asar"},
	},
	"a browser elsewhere": {mapped: []platform.Mapping{{Path: "/home/u/electron/icudtl.dat"}, {Path: "/home/u/electron/v8_context_snapshot.bin"}}},
}

func TestWhatAProcessIs(t *testing.T) {
	helper := "/usr/lib/x86_64-linux-gnu/qt5/libexec/QtWebEngineProcess"
	python := platform.Process{PID: movingPID, Start: 5000, Executable: "/usr/bin/python3.11", Args: []string{"python3", "app.py"}}
	renderer := platform.Process{PID: movingPID, Start: 5000, Executable: personal, Args: []string{personal, "--type=renderer"}}
	qutebrowser := python
	qutebrowser.Args = []string{"python3", "/usr/bin/qutebrowser"}
	for _, tt := range []struct {
		name    string
		process platform.Process
		child   platform.Process
		reason  refusal.Reason // of binding; "" is that it goes on
	}{
		{"a program that embeds the engine", python, platform.Process{PID: 101, PPID: movingPID, Start: 5001, Executable: helper}, ""},
		{"a person's browser that does", qutebrowser, platform.Process{PID: 101, PPID: movingPID, Start: 5001, Executable: helper}, refusal.PersonalBrowser},
		{"an engine that is older than its parent", python, platform.Process{PID: 101, PPID: movingPID, Start: 4999, Executable: helper}, refusal.NotABrowser},
		{"somebody else's engine", python, platform.Process{PID: 101, PPID: 1, Start: 5001, Executable: helper}, refusal.NotABrowser},
		{"a program called like the engine", python, platform.Process{PID: 101, PPID: movingPID, Start: 5001, Executable: "/tmp/QtWebEngineProcess"}, refusal.NotABrowser},
		{"a terminal that runs a browser", python, platform.Process{PID: 101, PPID: movingPID, Start: 5001, Executable: personal}, refusal.NotABrowser},
		{"a terminal that runs a browser's helper", python, platform.Process{PID: 101, PPID: movingPID, Start: 5001, Executable: "/usr/lib/chromium/chrome_crashpad_handler"}, refusal.NotABrowser},
		{"a program that has mapped an engine", python, platform.Process{}, ""},
		{"a person's browser that has", qutebrowser, platform.Process{}, refusal.PersonalBrowser},
		{"an Electron elsewhere", platform.Process{PID: movingPID, Start: 5000, Executable: "/home/u/chat/chat"}, platform.Process{}, ""},
		{"a browser elsewhere", platform.Process{PID: movingPID, Start: 5000, Executable: "/home/u/electron/chrome"}, platform.Process{}, refusal.NotABrowser},
		{"a helper", renderer, platform.Process{}, refusal.HelperProcess},
		{"another engine", platform.Process{PID: movingPID, Start: 5000, Executable: "/usr/lib/firefox-esr/firefox-esr"}, platform.Process{}, refusal.UnsupportedEngine},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, embedded, accessEmbedded)
			b.processes = []platform.Process{tt.process, tt.child}
			b.mapped, b.beside = filesOf[tt.name].mapped, filesOf[tt.name].beside
			b.e.browsers[movingSession][0].process = tt.process
			b.e.browsers[movingSession][0].endpoint.Owner = tt.process.Fingerprint()
			_, err := b.e.State(t.Context(), contract.StateRequest{Session: movingSession, PID: movingPID, WindowID: 11})
			if tt.reason == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			r, ok := refusal.As(err)
			if !ok || r.Reason != tt.reason || r.Next == nil {
				t.Fatalf("got %v, want %s with a next call", err, tt.reason)
			}
			list, err := b.e.ListWindows(t.Context(), contract.ListWindowsRequest{Session: movingSession, All: true})
			if err != nil || len(list.Windows) != 1 || list.Windows[0].WouldBind.Reason != tt.reason {
				t.Errorf("listed %+v, %v", list, err)
			}
			if asked := b.asked(); len(asked) > 0 {
				t.Errorf("it was asked %v", asked)
			}
		})
	}
}
