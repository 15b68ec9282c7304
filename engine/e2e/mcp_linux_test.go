package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cuatui/engine/contract"
	"cuatui/fixtures"
)

// mcpProgram is the running binary as an MCP client has it.
type mcpProgram struct {
	*mcp.ClientSession
	t      *testing.T
	stage  *stage
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	state  string
}

// startMCP connects the SDK's client to the binary.
func (s *stage) startMCP(t *testing.T) *mcpProgram {
	t.Helper()
	path, err := binary()
	must(t, err)
	p := &mcpProgram{t: t, stage: s, state: t.TempDir(), stderr: &bytes.Buffer{}}
	// Not with the test's context: a program that is killed leaves its browser.
	p.cmd = exec.Command(path, "--headless", "--state-dir", p.state)
	p.cmd.Env, p.cmd.Stderr = s.desktop.Env(), p.stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "v1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: p.cmd}, nil)
	must(t, err)
	t.Cleanup(func() { _ = session.Close() }) // closed already where all went well
	p.ClientSession = session
	return p
}

// call makes a call that must be answered and returns the text part, which is
// all that the test acts on. The structured part must be what the tool promises.
func (p *mcpProgram) call(tool string, arguments args) string {
	p.t.Helper()
	r, err := p.CallTool(soon(p.t), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	must(p.t, err)
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError || len(r.Content) != 1 {
		p.t.Fatalf("%s %v: %s", tool, arguments, text)
	}
	if err := contract.ValidateResult(tool, r.StructuredContent); err != nil {
		p.t.Error(err)
	}
	raw, err := json.Marshal(r)
	must(p.t, err)
	for _, leak := range p.stage.leaks(raw) {
		p.t.Errorf("%s %v answered with %s", tool, arguments, leak)
	}
	if strings.Contains(string(raw), p.state) {
		p.t.Errorf("%s answered with the state directory", tool)
	}
	return text
}

// cut finds what the groups of a pattern match in a text.
func cut(t *testing.T, text, pattern string) []string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no %s in\n%s", pattern, text)
	}
	return found[1:]
}

// prepare launches a browser and returns its process and window.
func (p *mcpProgram) prepare(session string) (pid, window int) {
	p.t.Helper()
	p.call("start_session", args{"session": session})
	text := p.call("browser_prepare", args{"session": session, "profile": "isolated_new", "allow_launch": true})
	found := cut(p.t, text, `with pid (\d+) and window_id (\d+)`)
	pid, err := strconv.Atoi(found[0])
	must(p.t, err)
	window, err = strconv.Atoi(found[1])
	must(p.t, err)
	return pid, window
}

// next makes the call that a refusal names. It must lead on.
func (p *mcpProgram) next(refused string) string {
	p.t.Helper()
	found := cut(p.t, refused, `^refused \w+ \(\w+\): .* Next: (\w+) (\{.*\})$`)
	var arguments args
	must(p.t, json.Unmarshal([]byte(found[1]), &arguments))
	text := p.call(found[0], arguments)
	if strings.HasPrefix(text, "refused ") {
		p.t.Errorf("the next call of\n%s\nwas refused, too: %s", refused, text)
	}
	return text
}

// exited fails if a process is still there.
func exited(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the browser %d is still there: %v", pid, err)
	}
}

func TestAnMCPClientThatSeesOnlyTextDoesATask(t *testing.T) {
	s := use(t)
	p := s.startMCP(t)
	pid, window := p.prepare("a")
	windows := p.call("list_windows", args{"session": "a"})
	cut(t, windows, `pid `+strconv.Itoa(pid)+` +window `+strconv.Itoa(window)+` .* exact(?:\n|$)`)

	bound := cut(t, p.call("get_browser_state", args{"session": "a", "pid": pid, "window_id": window}), `(?s)^bound (bt-\w+) as exact by native_cdp_window\n(tab-\w+) `)
	tab := func(more args) args {
		with := args{"session": "a", "target_id": bound[0], "tab_id": bound[1]}
		for k, v := range more {
			with[k] = v
		}
		return with
	}
	url, run := s.pages.Page("inbox-attribute")
	p.call("browser_navigate", tab(args{"url": url}))

	// Read on until the outline has the button.
	send := regexp.MustCompile(`button "Send" (p\d+:\d+) `)
	text := p.call("get_browser_state", tab(args{"node_budget": 3}))
	cut(t, text, `omitted \d+:.* css_hidden \d+.* budget \d+`)
	for !send.MatchString(text) {
		text = p.call("get_browser_state", tab(args{"continuation": cut(t, text, `continue with (bc-\w+)`)[0]}))
	}
	ref := send.FindStringSubmatch(text)[1]

	clicks := func(want int) {
		t.Helper()
		must(t, s.pages.Flush(soon(t), run))
		if n := fixtures.Count(s.pages.Journal(run), "click", "send"); n != want {
			t.Errorf("the page saw %d clicks, want %d", n, want)
		}
	}
	cut(t, p.call("browser_click", tab(args{"ref": ref, "route": "dom_event"})), `^confirmed by dom_event in the background, verdict not_asked`)
	clicks(1)

	must(t, s.desktop.RaiseSentinel(soon(t)))
	refused := p.call("browser_click", tab(args{"ref": ref, "route": "trusted"}))
	cut(t, refused, `^refused browser_input_trust_unavailable \(would_activate\)`)
	clicks(1)
	cut(t, p.next(refused), `^confirmed by trusted_key`)
	clicks(2)

	p.call("get_browser_state", tab(nil))
	refused = p.call("browser_click", tab(args{"ref": ref, "route": "dom_event"}))
	cut(t, refused, `^refused browser_ref_stale \(superseded\)`)
	clicks(2)
	cut(t, p.next(refused), `^confirmed by dom_event`) // the same click on the node's current ref
	clicks(3)

	cut(t, p.call("end_session", args{"session": "a"}), `^session a has ended; released `)
	exited(t, pid)
	r, err := p.CallTool(soon(t), &mcp.CallToolParams{Name: "list_windows", Arguments: args{"session": "a"}})
	must(t, err)
	if text := r.Content[0].(*mcp.TextContent).Text; !r.IsError || !strings.HasPrefix(text, `error bad_arguments at "session": `) {
		t.Errorf("a call in an ended session: isError %t, %s", r.IsError, text)
	}

	pid, _ = p.prepare("b")
	must(t, p.Close()) // and no end_session
	if code := p.cmd.ProcessState.ExitCode(); code != 0 || p.stderr.Len() > 0 {
		t.Errorf("exit code %d, standard error %q", code, p.stderr)
	}
	exited(t, pid)
}

func TestAnAgentThatDiesLeavesNoBrowser(t *testing.T) {
	s := use(t)
	path, err := binary()
	must(t, err)
	cmd := exec.Command(path, "--headless", "--state-dir", t.TempDir())
	cmd.Env = s.desktop.Env()
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() }) // done already where all went well
	answers := bufio.NewReader(out)
	send := func(id int, method, params string) {
		t.Helper()
		_, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
		must(t, err)
	}
	ask := func(id int, method, params string) string {
		t.Helper()
		send(id, method, params)
		line, err := answers.ReadString('\n')
		must(t, err)
		return line
	}
	ask(1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}`)
	ask(2, "tools/call", `{"name":"start_session","arguments":{"session":"a"}}`)
	made := ask(3, "tools/call", `{"name":"browser_prepare","arguments":{"session":"a","profile":"isolated_new","allow_launch":true}}`)
	pid, err := strconv.Atoi(cut(t, made, `with pid (\d+) `)[0])
	must(t, err)

	must(t, out.Close()) // nobody reads any more
	send(4, "ping", "{}")
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("it ended with %v, want exit code 1", cmd.ProcessState)
	}
	exited(t, pid)
}
