package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuatui/engine"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/fixtures"
	"cuatui/fixtures/desktop"
	"cuatui/snapshotfmt"
)

// desk is a private display with a browser that the engine has launched and
// bound, and a second connection to that browser for what is compared with it.
type desk struct {
	tb      testing.TB
	desktop *desktop.Desktop
	pages   *fixtures.Server
	engine  *engine.Engine
	side    *devtools.Conn
	target  string
	tab     string
}

const sessionName = "bench"

// openDesktop starts the display that a benchmark runs on.
func openDesktop(tb testing.TB) *desktop.Desktop {
	tb.Helper()
	d, err := desktop.Start(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = d.Close() })
	return d
}

func openDesk(tb testing.TB) *desk {
	tb.Helper()
	ctx := tb.Context()
	d := &desk{tb: tb, desktop: openDesktop(tb), pages: servePages(tb)}
	var err error
	d.engine, err = engine.New(engine.Options{
		StateDir: tb.TempDir(), Display: d.desktop.Display(), BrowserArgs: []string{"--disable-gpu", "--site-per-process"},
	})
	must(tb, err)
	tb.Cleanup(func() { _ = d.engine.Close(context.WithoutCancel(ctx)) })
	_, err = d.engine.StartSession(ctx, contract.StartSessionRequest{Session: sessionName})
	must(tb, err)
	made, err := d.engine.Prepare(ctx, contract.PrepareRequest{Session: sessionName, Profile: "isolated_new", AllowLaunch: true, ExposePort: true})
	must(tb, err)
	bound, err := d.engine.State(ctx, contract.StateRequest{Session: sessionName, PID: made.PreparedPID, WindowID: made.WindowIDs[0]})
	must(tb, err)
	d.target, d.tab = bound.TargetID, bound.Tabs[0].TabID
	d.side = dial(tb, made.SideEffects.PortExposed)
	return d
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// dial connects to a browser's loopback port.
func dial(tb testing.TB, port int) *devtools.Conn {
	tb.Helper()
	ctx := tb.Context()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/json/version", port), http.NoBody)
	must(tb, err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	must(tb, err)
	defer answer.Body.Close()
	var version struct {
		Address string `json:"webSocketDebuggerUrl"`
	}
	must(tb, json.NewDecoder(answer.Body).Decode(&version))
	transport, err := devtools.DialWebSocket(ctx, version.Address)
	must(tb, err)
	conn := devtools.New(transport, devtools.Options{})
	tb.Cleanup(func() { _ = conn.Close() })
	return conn
}

// open loads a fixture page in the bound tab.
func (d *desk) open(path string) (run string) {
	d.tb.Helper()
	url, run := d.pages.Page(path)
	_, err := d.engine.Navigate(d.tb.Context(), contract.NavigateRequest{Session: sessionName, TargetID: d.target, TabID: d.tab, URL: url})
	must(d.tb, err)
	return run
}

// beside attaches the second connection to the page of a run.
func (d *desk) beside(run string) *devtools.Session {
	d.tb.Helper()
	var list struct {
		TargetInfos []struct {
			ID  string `json:"targetId"`
			URL string `json:"url"`
		} `json:"targetInfos"`
	}
	must(d.tb, d.side.Browser().Call(d.tb.Context(), "Target.getTargets", nil, &list))
	for _, t := range list.TargetInfos {
		if strings.Contains(t.URL, run) {
			s, err := d.side.Attach(d.tb.Context(), t.ID)
			must(d.tb, err)
			return s
		}
	}
	d.tb.Fatalf("no page shows %s", run)
	return nil
}

func (d *desk) state() (*contract.StateResult, time.Duration) {
	d.tb.Helper()
	began := time.Now()
	got, err := d.engine.State(d.tb.Context(), contract.StateRequest{Session: sessionName, TargetID: d.target, TabID: d.tab})
	must(d.tb, err)
	return got, time.Since(began)
}

func (d *desk) click(ref, route string) (*contract.ActionResult, time.Duration) {
	d.tb.Helper()
	began := time.Now()
	got, err := d.engine.Click(d.tb.Context(), contract.ClickRequest{Session: sessionName, TargetID: d.target, TabID: d.tab, Ref: ref, Route: route})
	must(d.tb, err)
	return got, time.Since(began)
}

// tripsMax is the most sequential round trips that a click may take.
const tripsMax = 8

func BenchmarkClick(b *testing.B) { publish(b, compareClicks(b, 15)) }

// compareClicks clicks the same button by both routes and by a bare pair of
// mouse events. The page counts: each must have arrived.
func compareClicks(tb testing.TB, rounds int) *sheet {
	tb.Helper()
	d := openDesk(tb)
	run := d.open("inbox-attribute")
	side := d.beside(run)
	got, _ := d.state()
	send := entry(tb, got, "Send")
	routes := []string{"dom_event", "trusted_key"}
	took, trips := map[string]samples{}, map[string]int{}
	var pair, state samples
	turn := func(keep bool) {
		for _, route := range routes {
			must(tb, d.desktop.RaiseSentinel(tb.Context()))
			r, t := d.click(send.Ref, route)
			if keep {
				took[route], trips[route] = append(took[route], t), max(trips[route], r.RoundTrips)
			}
		}
		p := barePair(tb, side, send)
		if keep {
			pair = append(pair, p)
		}
	}
	turn(false)
	for range rounds {
		turn(true)
	}
	for range rounds {
		_, t := d.state()
		state = append(state, t)
	}
	must(tb, d.pages.Flush(tb.Context(), run))
	if clicks := fixtures.Count(d.pages.Journal(run), "click", "send"); clicks != 3*(rounds+1) {
		tb.Fatalf("the page observed %d clicks of %d", clicks, 3*(rounds+1))
	}
	s := &sheet{title: "Click by ref, through the engine on X11", head: []string{"what", "took", "to a bare pair", "round trips", "bar"}}
	s.add("bare mouse pair", pair, "1", 2, "")
	for _, route := range routes {
		verdict := fmt.Sprintf("held (%d)", tripsMax)
		if trips[route] > tripsMax {
			verdict = fmt.Sprintf("MISSED (%d)", tripsMax)
		}
		s.add(route, took[route], took[route].over(pair), trips[route], verdict)
	}
	s.add("get_browser_state of the same page", state, state.over(pair), "", "")
	s.note("a click includes the whole proof (process, window, tab, document, node), delivery, and the wait for its effect, which it reads back")
	s.note("the bare pair is mousePressed and mouseReleased, one after the other, over a second connection to the same browser; it proves nothing")
	s.note("round trips: as the engine counts those up to delivery; bar: at most %d", tripsMax)
	return s
}

// barePair clicks the middle of an entry over the protocol and no more.
func barePair(tb testing.TB, s *devtools.Session, e snapshotfmt.Entry) time.Duration {
	tb.Helper()
	x, y := e.Box[0]+e.Box[2]/2, e.Box[1]+e.Box[3]/2
	began := time.Now()
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		args := map[string]any{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
		must(tb, s.Call(tb.Context(), "Input.dispatchMouseEvent", args, nil))
	}
	return time.Since(began)
}

// entry is the listed entry of a name.
func entry(tb testing.TB, r *contract.StateResult, name string) snapshotfmt.Entry {
	tb.Helper()
	for _, e := range r.Refs {
		if e.Name == name && e.Box != nil {
			return e
		}
	}
	tb.Fatalf("no entry is %q in\n%s", name, r.Outline)
	return snapshotfmt.Entry{}
}

// memoryMax is the most that our process may hold at once.
const memoryMax = 150 << 20

func BenchmarkMemory(b *testing.B) { publish(b, measureMemory(b, labelled.path)) }

// measureMemory runs the program as an agent does and reads, from the system,
// the most memory it ever held.
func measureMemory(tb testing.TB, path string) *sheet {
	tb.Helper()
	pages, display := servePages(tb), openDesktop(tb)
	p := startProgram(tb, display)
	s := &sheet{title: "Peak memory of our process, " + path, head: []string{"after", "peak, MB", "bar"}}
	add := func(after string) {
		peak := p.peak()
		verdict := "held (150)"
		if peak > memoryMax {
			verdict = "MISSED (150)"
		}
		s.add(after, fmt.Sprintf("%.0f", float64(peak)/(1<<20)), verdict)
	}
	p.ask("start_session", nil, nil)
	var made contract.PrepareResult
	p.ask("browser_prepare", map[string]any{"profile": "isolated_new", "allow_launch": true}, &made)
	var bound struct {
		TargetID string         `json:"target_id"`
		Tabs     []contract.Tab `json:"tabs"`
	}
	p.ask("get_browser_state", map[string]any{"pid": made.PreparedPID, "window_id": made.WindowIDs[0]}, &bound)
	tab := func(more map[string]any) map[string]any {
		args := map[string]any{"target_id": bound.TargetID, "tab_id": bound.Tabs[0].TabID}
		for k, v := range more {
			args[k] = v
		}
		return args
	}
	add("binding")
	url, _ := pages.Page(path)
	p.ask("browser_navigate", tab(map[string]any{"url": url}), nil)
	var got struct {
		Snapshot snapshotfmt.Info `json:"snapshot"`
	}
	p.ask("get_browser_state", tab(nil), &got)
	add("a snapshot")
	for range 10 {
		p.ask("get_browser_state", tab(map[string]any{"continuation": got.Snapshot.Continuation}), &got)
	}
	add("ten more segments")
	s.note("VmHWM of the program, driven by JSON lines; the browser is not in it")
	return s
}

// program is the built program, serving JSON lines.
type program struct {
	tb  testing.TB
	cmd *exec.Cmd
	in  *json.Encoder
	out *bufio.Reader
	id  int
}

// build builds the program as make build does, somewhere else.
func build(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "cuatui")
	if out, err := exec.CommandContext(tb.Context(), "go", "build", "-trimpath", "-o", path, "cuatui").CombinedOutput(); err != nil {
		tb.Fatalf("building: %v\n%s", err, out)
	}
	return path
}

func startProgram(tb testing.TB, display *desktop.Desktop) *program {
	tb.Helper()
	p := &program{tb: tb, cmd: exec.CommandContext(context.WithoutCancel(tb.Context()), build(tb), "--headless", "--protocol", "jsonl", "--state-dir", tb.TempDir())}
	p.cmd.Env, p.cmd.Stderr = display.Env(), os.Stderr
	in, err := p.cmd.StdinPipe()
	must(tb, err)
	out, err := p.cmd.StdoutPipe()
	must(tb, err)
	must(tb, p.cmd.Start())
	tb.Cleanup(func() { // its end of input ends its session and its browser
		_ = in.Close()
		_ = p.cmd.Wait()
	})
	p.in, p.out = json.NewEncoder(in), bufio.NewReader(out)
	return p
}

// ask makes one call, which must succeed.
func (p *program) ask(tool string, args map[string]any, result any) {
	p.tb.Helper()
	p.id++
	with := map[string]any{"session": sessionName}
	for k, v := range args {
		with[k] = v
	}
	must(p.tb, p.in.Encode(map[string]any{"id": p.id, "tool": tool, "arguments": with}))
	line, err := p.out.ReadBytes('\n')
	must(p.tb, err)
	var reply struct {
		Result json.RawMessage `json:"result"`
	}
	var status struct {
		Status contract.Status `json:"status"`
	}
	must(p.tb, json.Unmarshal(line, &reply))
	if err := json.Unmarshal(reply.Result, &status); err != nil || status.Status != contract.OK {
		p.tb.Fatalf("%s answered %.2000s", tool, line)
	}
	if result != nil {
		must(p.tb, json.Unmarshal(reply.Result, result))
	}
}

// peak is the most memory that the process has held, in bytes.
func (p *program) peak() int {
	p.tb.Helper()
	text := firstField(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid), "VmHWM")
	kb, err := strconv.Atoi(strings.TrimSuffix(text, " kB"))
	if err != nil {
		p.tb.Fatalf("peak memory %q: %v", text, err)
	}
	return kb << 10
}
