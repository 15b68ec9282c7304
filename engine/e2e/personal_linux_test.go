package e2e_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cuatui/engine"
	"cuatui/engine/contract"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
	"cuatui/fixtures/desktop"
)

// personalChromium is the executable of the package, by which a person's
// browser is known.
const personalChromium = "/usr/lib/chromium/chromium"

// outside is a program of the person's: the engine has not started it.
type outside struct {
	pid    int
	window uint64
	input  io.WriteCloser

	cmd  *exec.Cmd
	done chan struct{}
}

// run starts a program on the desktop, with a home of its own, and waits for
// its window. What is left of it when the test ends is ended then.
func (s *stage) run(t *testing.T, home string, env []string, name string, arguments ...string) *outside {
	t.Helper()
	o, said := begin(t, append(append(s.desktop.Env(), "XDG_RUNTIME_DIR="+home), env...), home, name, arguments...)
	w, err := s.desktop.WaitWindow(soon(t), func(w desktop.Window) bool { return w.PID == o.pid })
	if err != nil {
		o.kill()
		t.Fatalf("%s shows no window: %v; it said %s", name, err, said.String())
	}
	o.window = uint64(w.ID)
	return o
}

// begin starts a program with a home of its own. What it says may be read when
// it has been killed.
func begin(t *testing.T, env []string, home, name string, arguments ...string) (*outside, *strings.Builder) {
	t.Helper()
	cmd := exec.Command(name, arguments...)
	cmd.Env = append(env, "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_DATA_HOME="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := cmd.StdinPipe()
	must(t, err)
	var said strings.Builder
	cmd.Stderr = &said
	must(t, cmd.Start())
	o := &outside{pid: cmd.Process.Pid, input: input, cmd: cmd, done: make(chan struct{})}
	go func() {
		defer close(o.done)
		_ = cmd.Wait() // how it ended is of no interest
	}()
	t.Cleanup(o.kill)
	return o, &said
}

// kill ends the program and its group, and waits for its end.
func (o *outside) kill() {
	_ = o.input.Close()
	_ = syscall.Kill(-o.pid, syscall.SIGKILL) // its id is its own until it is waited for
	<-o.done
}

// browse starts a person's Chromium with a profile of its own.
func (s *stage) browse(t *testing.T, profile, url string, flags ...string) *outside {
	t.Helper()
	return s.run(t, profile, nil, personalChromium, browsing(profile, "x11", url, flags...)...)
}

// browseKeys starts one on the page of keys, and waits until it reports.
func (s *stage) browseKeys(t *testing.T, profile string, flags ...string) (o *outside, run string) {
	t.Helper()
	url, run := s.pages.Page("keys")
	o = s.browse(t, profile, url, flags...)
	must(t, s.pages.Flush(soon(t), run))
	return o, run
}

// browsing are the arguments of a person's Chromium on a window system.
func browsing(profile, ozone, url string, flags ...string) []string {
	arguments := []string{
		"--user-data-dir=" + profile, "--no-first-run", "--no-default-browser-check", "--password-store=basic", "--disable-gpu", "--ozone-platform=" + ozone,
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", "--window-size=1200,800", "--hide-crash-restore-bubble",
	}
	if os.Getuid() == 0 {
		arguments = append(arguments, "--no-sandbox")
	}
	return append(append(arguments, flags...), url)
}

// portOf is the debugging port that a browser wrote into its profile.
func portOf(t *testing.T, profile string) int {
	t.Helper()
	ctx := soon(t)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		text, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		first, _, whole := strings.Cut(string(text), "\n")
		if port, err := strconv.Atoi(first); whole && err == nil {
			return port
		}
		select {
		case <-tick.C: // no event tells that a file was written
		case <-ctx.Done():
			t.Fatal("the browser has named no port")
		}
	}
}

// connections counts the connections to a port of this machine, those that
// have ended a moment ago included; established only those that stand.
func connections(t *testing.T, port int) (all, established int) {
	t.Helper()
	want := fmt.Sprintf(":%04X", port)
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		must(t, err)
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			fields := strings.Fields(lines.Text())
			if len(fields) < 4 || !strings.HasSuffix(fields[1], want) && !strings.HasSuffix(fields[2], want) || fields[3] == "0A" {
				continue
			}
			all++
			if fields[3] == "01" {
				established++
			}
		}
		must(t, errors.Join(lines.Err(), f.Close()))
	}
	return all, established
}

// clock is a clock in the test's hands.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// foreign is a session of an engine of its own, for programs that it has not
// started.
func (s *stage) foreign(t *testing.T, session string) (agent, *clock) {
	t.Helper()
	c := &clock{t: time.Now()}
	e, err := engine.New(engine.Options{
		StateDir: t.TempDir(), Display: s.desktop.Display(), Clock: c.now, BrowserArgs: []string{"--disable-gpu"},
	})
	must(t, err)
	t.Cleanup(func() {
		if err := e.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	own := &stage{desktop: s.desktop, pages: s.pages, state: s.state, engine: e}
	a := agent{t, own, e, session}
	ask[contract.StartSessionResult](a, "start_session", nil)
	return a, c
}

// leads makes the next call of a refusal, just as it is given.
func (a agent) leads(r *refusal.Refusal) {
	a.t.Helper()
	if r.Next == nil {
		a.t.Errorf("%s names no next call", r.Reason)
		return
	}
	if answer, raw := a.call(r.Next.Tool, args(r.Next.Arguments)); answer.Result == nil {
		a.t.Errorf("%s leads to %s %v, which answered %.1000s", r.Reason, r.Next.Tool, r.Next.Arguments, raw)
	}
}

// listed is a window as list_windows has it.
func (a agent) listed(window uint64) contract.NativeWindow {
	a.t.Helper()
	list := ask[contract.ListWindowsResult](a, "list_windows", args{"all": true})
	i := slices.IndexFunc(list.Windows, func(w contract.NativeWindow) bool { return w.WindowID == window })
	if i < 0 {
		a.t.Fatalf("window %d is not listed: %+v", window, list.Windows)
	}
	return list.Windows[i]
}

// grant is the person's yes to a program's window.
func (a agent) grant(o *outside) {
	a.t.Helper()
	r := contract.GrantRequest{Session: a.session, PID: o.pid, WindowID: o.window, Run: a.listed(o.window).Run}
	_, err := a.stage.engine.Grant(soon(a.t), r)
	must(a.t, err)
}

func (a agent) revoke(o *outside) {
	a.t.Helper()
	_, err := a.stage.engine.Revoke(soon(a.t), contract.GrantRequest{Session: a.session, PID: o.pid, WindowID: o.window})
	must(a.t, err)
}

// unused fails if the page observed anything but that the test raised the
// sentinel in front of it.
func (a agent) unused(run, what string) {
	a.t.Helper()
	seen := slices.DeleteFunc(tab{agent: a}.settled(run), func(r fixtures.Record) bool { return r.Type == "blur" && r.Target == "" })
	if len(seen) > 0 {
		a.t.Errorf("%s: the page observed %s", what, told(seen))
	}
}

// pagesOf are the pages that a browser with a debugging port shows, by address.
func pagesOf(t *testing.T, port int) []string {
	t.Helper()
	w, err := dialWitness(soon(t), port)
	must(t, err)
	var out []string
	for _, target := range w.targets(t) {
		if target.Type == "page" {
			out = append(out, target.ID+" "+target.URL)
		}
	}
	must(t, w.conn.Close())
	slices.Sort(out)
	return out
}

func TestAPersonalBrowserIsAskedNothingWithoutConsent(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "without-consent")
	profile := t.TempDir()
	o, run := s.browseKeys(t, profile, "--remote-debugging-port=0")
	s.pages.Reset(run)
	port := portOf(t, profile)
	display := s.watch(t)

	if w := a.listed(o.window); w.Access != "external_consumer_browser" || w.Endpoint != "not_asked" || w.WouldBind.Reason != refusal.PersonalBrowser || w.PID != o.pid {
		t.Errorf("listed as %+v", w)
	}
	r := a.refused(refusal.PersonalBrowser, "get_browser_state", args{"pid": o.pid, "window_id": o.window})
	if at := failed(r.Proof); len(at) != 1 || at[0].Step != "access" {
		t.Errorf("failed at %+v", at)
	}
	if all, _ := connections(t, port); all > 0 {
		t.Errorf("%d connections reached the browser's port", all)
	}
	display.undisturbed("a refusal for want of consent")
	a.unused(run, "a refusal for want of consent")
	a.leads(r)
	must(t, s.desktop.RaiseSentinel(soon(t)))

	a.grant(o)
	if w := a.listed(o.window); w.WouldBind.Verdict != "exact" || w.Access != "existing_profile_approved" {
		t.Errorf("with consent listed as %+v", w)
	}
	if _, now := connections(t, port); now == 0 {
		t.Error("no connection is seen although the window was proven exact")
	}
}

func TestAPersonalBrowserUnderConsent(t *testing.T) {
	s := use(t)
	a, clock := s.foreign(t, "under-consent")
	profile := t.TempDir()
	url, run := s.pages.Page("keys")
	o := s.browse(t, profile, url, "--remote-debugging-port=0")
	must(t, s.pages.Flush(soon(t), run))
	port := portOf(t, profile)
	before := pagesOf(t, port)
	where := args{"pid": o.pid, "window_id": o.window}

	a.grant(o)
	b := a.bind(o.pid, o.window)
	bound := ask[contract.StateResult](a, "get_browser_state", where)
	if bound.BindingRoute != "native_cdp_window" || bound.Access != "existing_profile_approved" || bound.Transport != "legacy_json_version" || bound.Tabs[0].URL != url {
		t.Errorf("bound as %+v", bound)
	}
	snapshot := b.state(nil)
	ref := find(t, snapshot, "button", "Button").Ref
	b.settled(run)
	s.pages.Reset(run)
	display := s.watch(t)
	b.click(ref, "dom_event")
	oneClick(t, b.settled(run), "button", false)
	s.pages.Reset(run)
	b.click(ref, "trusted_key")
	oneClick(t, b.settled(run), "button", true)
	s.pages.Reset(run)
	// A person's own window is not ours to raise, whatever the call accepts.
	a.refused(refusal.WouldActivate, "browser_click", b.with(args{"ref": ref, "route": "trusted", "delivery_mode": "foreground"}))

	// ended: nothing more can be done with what was bound, nor anything bound.
	ended := func(reason refusal.Reason) {
		t.Helper()
		calls := map[string]args{
			"get_browser_state": b.with(nil), "browser_click": b.with(args{"ref": ref, "route": "dom_event"}), "browser_navigate": b.with(args{"action": "reload"}),
		}
		for tool, arguments := range calls {
			if r := a.refused(reason, tool, arguments); r.Next == nil {
				t.Errorf("%s: %s names no next call", tool, r.Reason)
			}
		}
		if _, now := connections(t, port); now > 0 {
			t.Errorf("%s: %d connections are left", reason, now)
		}
		a.unused(run, string(reason))
	}
	a.revoke(o)
	ended(refusal.ByPerson)
	a.leads(a.refused(refusal.ByPerson, "get_browser_state", where))
	if w := a.listed(o.window); w.WouldBind.Code != refusal.ConsentRevoked {
		t.Errorf("after the withdrawal listed as %+v", w)
	}

	a.grant(o)
	ended(refusal.GrantChanged)
	a.leads(a.refused(refusal.GrantChanged, "get_browser_state", b.with(nil)))
	b = a.bind(o.pid, o.window)
	ref = find(t, b.state(nil), "button", "Button").Ref
	clock.pass(limits.GrantIdle - time.Second)
	b.state(nil) // a use renews it
	clock.pass(limits.GrantIdle - time.Second)
	ref = find(t, b.state(nil), "button", "Button").Ref
	clock.pass(limits.GrantIdle)
	b.settled(run)
	s.pages.Reset(run)
	ended(refusal.Expired)
	a.refused(refusal.Expired, "get_browser_state", where)

	a.grant(o)
	b = a.bind(o.pid, o.window)
	display.undisturbed("a browser under consent")
	ask[contract.EndSessionResult](a, "end_session", nil)
	if _, now := connections(t, port); now > 0 {
		t.Errorf("after the session %d connections are left", now)
	}
	if after := pagesOf(t, port); !slices.Equal(after, before) {
		t.Errorf("the browser shows %q, before %q", after, before)
	}
	must(t, syscall.Kill(o.pid, 0))
}

func TestAPersonalBrowserStartedAnewIsAnother(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "started-anew")
	profile := t.TempDir()
	o, _ := s.browseKeys(t, profile, "--remote-debugging-port=0")
	must(t, s.desktop.RaiseSentinel(soon(t)))
	a.grant(o)
	b := a.bind(o.pid, o.window)
	ref := find(t, b.state(nil), "button", "Button").Ref

	o.kill()
	must(t, os.Remove(filepath.Join(profile, "DevToolsActivePort")))
	again, run := s.browseKeys(t, profile, "--remote-debugging-port=0")
	s.pages.Reset(run)
	must(t, s.desktop.RaiseSentinel(soon(t)))
	port := portOf(t, profile)
	for tool, arguments := range map[string]args{
		"get_browser_state": b.with(nil), "browser_click": b.with(args{"ref": ref, "route": "dom_event"}), "browser_navigate": b.with(args{"action": "reload"}),
	} {
		a.leads(a.refused(refusal.ProcessChanged, tool, arguments))
	}
	// Consent was to that run of the browser.
	a.refused(refusal.PersonalBrowser, "get_browser_state", args{"pid": again.pid, "window_id": again.window})
	if all, _ := connections(t, port); all > 0 {
		t.Errorf("%d connections reached the new browser's port", all)
	}
	a.unused(run, "calls on the browser before")
}

func TestAFakeListenerOnTheProfilesPort(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "fake-listener")
	profile := t.TempDir()
	o, _ := s.browseKeys(t, profile)
	must(t, s.desktop.RaiseSentinel(soon(t)))
	a.grant(o)
	where := args{"pid": o.pid, "window_id": o.window}
	a.leads(a.refused(refusal.NoEndpoint, "get_browser_state", where))

	fake, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = fake.Close() })
	port := fake.Addr().(*net.TCPAddr).Port
	text := fmt.Sprintf("%d\n/devtools/browser/0f9d4c1e-0000-4000-8000-000000000000", port)
	must(t, os.WriteFile(filepath.Join(profile, "DevToolsActivePort"), []byte(text), 0o600))
	r := a.refused(refusal.OtherProcess, "get_browser_state", where)
	if r.Next == nil {
		t.Error("it names no next call")
	}
	if all, _ := connections(t, port); all > 0 {
		t.Errorf("%d connections reached the fake", all)
	}
}

func TestOnlyABrowserIsTakenForOne(t *testing.T) {
	s := use(t)
	a := s.agent(t)
	if w := a.listed(uint64(s.desktop.Sentinel())); w.WouldBind.Reason != refusal.NotABrowser || w.Product != "" {
		t.Errorf("the terminal is listed as %+v", w)
	}
	list := ask[contract.ListWindowsResult](a, "list_windows", args{})
	if slices.ContainsFunc(list.Windows, func(w contract.NativeWindow) bool { return w.WindowID == uint64(s.desktop.Sentinel()) }) {
		t.Error("the terminal is listed among browsers")
	}
	for _, pid := range renderers(t, s.pid) {
		r := a.refused(refusal.HelperProcess, "get_browser_state", args{"pid": pid, "window_id": s.window})
		a.leads(r)
	}
	a.leads(a.refused(refusal.WindowNotOwned, "get_browser_state", args{"pid": s.pid, "window_id": uint64(s.desktop.Sentinel())}))
	a.leads(a.refused(refusal.WindowGone, "get_browser_state", args{"pid": s.pid, "window_id": uint64(1)}))

	terminal, err := exec.LookPath("xterm")
	must(t, err)
	program, err := os.ReadFile(terminal)
	must(t, err)
	home := t.TempDir()
	for _, path := range []string{"opt/google/chrome/chrome", "usr/lib/electron/electron", "usr/lib/chromium/chromium"} {
		name := filepath.Join(home, path)
		must(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, program, 0o700)))
		o := s.run(t, home, nil, name, "-e", "/bin/cat")
		must(t, s.desktop.RaiseSentinel(soon(t)))
		if w := a.listed(o.window); w.WouldBind.Reason != refusal.NotABrowser || w.Product != "" || w.PID != o.pid {
			t.Errorf("%s is listed as %+v", path, w)
		}
		a.refused(refusal.NotABrowser, "get_browser_state", args{"pid": o.pid, "window_id": o.window})
		o.kill()
	}
}
