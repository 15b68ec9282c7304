package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cuatui/engine/contract"
	"cuatui/fixtures/desktop"
	"cuatui/snapshotfmt"
)

// peersIn is where npm has installed the programs that are compared with ours.
var peersIn = flag.String("peers", "", "the npm prefix that holds chrome-devtools-mcp, @playwright/mcp and agent-browser")

// replyMax is how long a program may take to answer. One that takes longer is
// ended, and not asked about the page again.
const replyMax = 40 * time.Second

// rival is a program that shows an agent a page.
type rival interface {
	open(ctx context.Context, url string) error
	// see asks for the page as the agent gets it: one call, and its text.
	see(ctx context.Context) (string, error)
	close()
}

// entrant starts a rival anew. dir is a home of its own.
type entrant struct {
	name  string
	start func(tb testing.TB, dir string) (rival, error)
}

func BenchmarkPeers(b *testing.B) {
	if *peersIn == "" {
		b.Skip("npm installs the peers: make bench-peers")
	}
	publish(b, machine(b.Context()))
	for _, s := range comparePeers(b, entrants(openDesktop(b)), chosen(b), 7) {
		publish(b, s)
	}
}

// entrants are our program and its peers. Each has a Chromium of its own: ours
// launches it on a display; the peers', headless, is started for them, as
// they would start it, and reached by its port.
func entrants(display *desktop.Desktop) []entrant {
	return []entrant{
		{"cuatui", func(tb testing.TB, dir string) (rival, error) { return startOurs(tb, display, dir) }},
		{"chrome-devtools-mcp " + version("chrome-devtools-mcp"), func(tb testing.TB, dir string) (rival, error) {
			return startMCP(tb, dir, tools{"navigate_page", map[string]any{"type": "url"}, "take_snapshot"}, "chrome-devtools-mcp", "--no-usage-statistics", "--no-performance-crux", "--no-page-id-routing", "--browserUrl")
		}},
		{"@playwright/mcp " + version("@playwright/mcp"), func(tb testing.TB, dir string) (rival, error) {
			return startMCP(tb, dir, tools{"browser_navigate", nil, "browser_snapshot"}, "playwright-mcp", "--snapshot-mode", "none", "--cdp-endpoint")
		}},
		{"agent-browser -i " + version("agent-browser"), startCLI},
	}
}

// version is that of an installed package.
func version(name string) string {
	raw, err := os.ReadFile(filepath.Join(*peersIn, "node_modules", name, "package.json"))
	if err != nil {
		return "(not installed)"
	}
	found := regexp.MustCompile(`"version":\s*"([^"]+)"`).FindSubmatch(raw)
	if found == nil {
		return "(of no version)"
	}
	return string(found[1])
}

// comparePeers has every program see every page, in turns, and tells it in tables.
func comparePeers(tb testing.TB, all []entrant, subjects []subject, rounds int) []*sheet {
	tb.Helper()
	pages := servePages(tb)
	times := &sheet{title: "A page as an agent gets it: time", head: []string{"page", "program", "took", "to ours"}}
	output := &sheet{title: "A page as an agent gets it: text", head: []string{"page", "program", "characters", "tokens", "to ours", "primary at"}}
	at := map[string]*running{}
	for _, e := range all {
		at[e.name] = &running{tb: tb, entrant: e}
	}
	defer func() {
		for _, r := range at {
			r.stop()
		}
	}()
	for _, s := range subjects {
		for _, e := range all {
			url, _ := pages.Page(s.path)
			at[e.name].load(url)
		}
		for n := range rounds {
			for i := range all { // each is first in its turn
				at[all[(i+n)%len(all)].name].look(n > 0)
			}
		}
		ours := at[all[0].name]
		for _, e := range all {
			r := at[e.name]
			if r.err != nil {
				times.add(s.name, e.name, r.err, "-")
				output.add(s.name, e.name, "-", "-", "-", "-")
				continue
			}
			times.add(s.name, e.name, r.took, r.took.over(ours.took))
			characters := utf8.RuneCountInString(r.text)
			output.add(s.name, e.name, characters, snapshotfmt.EstimateTokens(r.text), fmt.Sprintf("%.2f", float64(characters)/float64(max(1, utf8.RuneCountInString(ours.text)))), offset(r.text, s.primary))
		}
	}
	times.note("one call that shows the page, from the request to the whole text, of a page that has been seen before")
	times.note("each program has a Chromium of its own with nothing else in it; they answer in turns. MCP over stdio; agent-browser is a command, started for each call")
	times.note("what takes over %v is given up, the program ended and not asked about that page again", replyMax)
	output.note("primary at: where the page's primary control stands in the text, in characters; -1 where it does not")
	output.note("every peer gives the whole page; ours its first segment, with a count of what it leaves out and how to go on")
	return []*sheet{times, output}
}

// running is a program at a page.
type running struct {
	entrant
	tb   testing.TB
	now  rival
	text string
	took samples
	err  error // why it could not show the page
}

// load starts the program, if it does not run, and opens a page in it.
func (r *running) load(url string) {
	r.text, r.took, r.err = "", nil, nil
	if r.now == nil {
		r.now, r.err = r.start(r.tb, r.tb.TempDir())
	}
	if r.err == nil {
		ctx, cancel := context.WithTimeout(r.tb.Context(), replyMax)
		defer cancel()
		r.err = r.now.open(ctx, url)
	}
	r.ended("open")
}

// look has the program show its page.
func (r *running) look(keep bool) {
	if r.err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.tb.Context(), replyMax)
	defer cancel()
	began := time.Now()
	r.text, r.err = r.now.see(ctx)
	if keep {
		r.took = append(r.took, time.Since(began))
	}
	r.ended("show")
}

// ended stops a program that has failed, and tells why in one line.
func (r *running) ended(what string) {
	if r.err == nil {
		return
	}
	line, _, _ := strings.Cut(r.err.Error(), "\n")
	if errors.Is(r.err, context.DeadlineExceeded) {
		line = "no answer in " + replyMax.String()
	}
	r.err = fmt.Errorf("does not %s it: %.120s", what, snapshotfmt.Fold(line, 200))
	r.stop()
}

func (r *running) stop() {
	if r.now != nil {
		r.now.close()
		r.now = nil
	}
}

// chromium starts a headless browser with a port, and returns its address.
func chromium(tb testing.TB, dir string) (address string, end func(), err error) {
	tb.Helper()
	args := []string{
		"--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + filepath.Join(dir, "profile"), "--no-first-run", "--window-size=1280,800", "--disable-gpu",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions", "--site-per-process", "about:blank",
	}
	if os.Getuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...)
	}
	cmd := exec.CommandContext(context.WithoutCancel(tb.Context()), "chromium", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said, err := cmd.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	end = func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	}
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, said) }() // until the browser ends
			return "http://127.0.0.1:" + found[1], end, nil
		}
	}
	end()
	return "", nil, errors.New("its Chromium opens no port")
}

// listening is the line by which a browser tells its port.
var listening = regexp.MustCompile(`^DevTools listening on ws://[^/]*:(\d+)/`)

// home is the environment of a peer: what it keeps is kept in dir.
func home(dir string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "XDG_") })
	return append(env, "HOME="+dir, "TMPDIR="+dir, "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS=1", "AGENT_BROWSER_NAMESPACE=bench")
}

func peerPath(name string) string { return filepath.Join(*peersIn, "node_modules", ".bin", name) }

// tools are the two that a peer needs: one that opens a page, with what it
// takes beside the url, and one that shows it.
type tools struct {
	navigate string
	more     map[string]any
	show     string
}

// overMCP is a program that serves MCP on its standard input.
type overMCP struct {
	session *mcp.ClientSession
	tools   tools
	with    map[string]any // of every call
	end     func()
}

func startMCP(tb testing.TB, dir string, t tools, program string, args ...string) (rival, error) {
	tb.Helper()
	address, end, err := chromium(tb, dir)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(tb.Context()), peerPath(program), append(args, address)...)
	cmd.Env, cmd.Dir = home(dir), dir
	r, err := connect(tb, cmd, t)
	if err != nil {
		end()
		return nil, err
	}
	r.end = end
	return r, nil
}

func connect(tb testing.TB, cmd *exec.Cmd, t tools) (*overMCP, error) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), replyMax)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "v1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return nil, err
	}
	return &overMCP{session: session, tools: t, end: func() {}}, nil
}

// call makes a call and returns its text, and the structured part into result
// where that is not nil.
func (r *overMCP) call(ctx context.Context, tool string, args map[string]any, result any) (string, error) {
	all := map[string]any{}
	for _, m := range []map[string]any{r.with, args} {
		for k, v := range m {
			all[k] = v
		}
	}
	got, err := r.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: all})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, c := range got.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if got.IsError {
		return "", errors.New(text.String())
	}
	if result == nil {
		return text.String(), nil
	}
	raw, err := json.Marshal(got.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, result)
	}
	return text.String(), err
}

func (r *overMCP) open(ctx context.Context, url string) error {
	args := map[string]any{"url": url}
	for k, v := range r.tools.more {
		args[k] = v
	}
	_, err := r.call(ctx, r.tools.navigate, args, nil)
	return err
}

func (r *overMCP) see(ctx context.Context) (string, error) {
	return r.call(ctx, r.tools.show, nil, nil)
}

func (r *overMCP) close() {
	_ = r.session.Close() // a peer that was given up may not end by itself
	r.end()
}

// startOurs starts our program as an agent does, has it launch a browser and
// binds the tab.
func startOurs(tb testing.TB, display *desktop.Desktop, dir string) (rival, error) {
	tb.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(tb.Context()), build(tb), "--headless", "--state-dir", dir)
	cmd.Env = display.Env()
	r, err := connect(tb, cmd, tools{"browser_navigate", nil, "get_browser_state"})
	if err != nil {
		return nil, err
	}
	r.with = map[string]any{"session": sessionName}
	ctx, cancel := context.WithTimeout(tb.Context(), replyMax)
	defer cancel()
	var made contract.PrepareResult
	var bound struct {
		TargetID string         `json:"target_id"`
		Tabs     []contract.Tab `json:"tabs"`
	}
	for _, ask := range []struct {
		tool   string
		args   func() map[string]any
		result any
	}{
		{"start_session", func() map[string]any { return nil }, nil},
		{"browser_prepare", func() map[string]any { return map[string]any{"profile": "isolated_new", "allow_launch": true} }, &made},
		{"get_browser_state", func() map[string]any {
			return map[string]any{"pid": made.PreparedPID, "window_id": made.WindowIDs[0]}
		}, &bound},
	} {
		if _, err := r.call(ctx, ask.tool, ask.args(), ask.result); err != nil {
			r.close()
			return nil, fmt.Errorf("%s: %w", ask.tool, err)
		}
	}
	r.with = map[string]any{"session": sessionName, "target_id": bound.TargetID, "tab_id": bound.Tabs[0].TabID}
	return r, nil
}

// overCLI is agent-browser, each call of which is a command.
type overCLI struct {
	dir, address string
	end          func()
}

func startCLI(tb testing.TB, dir string) (rival, error) {
	tb.Helper()
	if _, err := os.Stat(peerPath("agent-browser")); err != nil {
		return nil, err
	}
	address, end, err := chromium(tb, dir)
	if err != nil {
		return nil, err
	}
	return &overCLI{dir: dir, address: address, end: end}, nil
}

func (r *overCLI) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, peerPath("agent-browser"), append([]string{"--cdp", r.address}, args...)...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = home(r.dir), r.dir, time.Second
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}

func (r *overCLI) open(ctx context.Context, url string) error {
	_, err := r.run(ctx, "open", url)
	return err
}

func (r *overCLI) see(ctx context.Context) (string, error) { return r.run(ctx, "snapshot", "-i") }

func (r *overCLI) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, _ = r.run(ctx, "close", "--all") // what it says then does not matter
	r.end()
	// Its daemon outlives it, and closing, where a page has wedged it.
	files, _ := filepath.Glob(filepath.Join(r.dir, ".agent-browser", "namespaces", "*", "run", "*.pid"))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if pid, errN := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil && errN == nil && pid > 1 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
