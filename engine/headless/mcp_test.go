package headless_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
)

// protocols are the version without a handshake and one with it.
var protocols = []string{"2026-07-28", "2025-06-18"}

// wire keeps what a client got from a server.
type wire struct {
	mu   sync.Mutex
	more sync.Cond
	data bytes.Buffer
	out  io.Writer
}

func newWire(out io.Writer) *wire {
	w := &wire{out: out}
	w.more.L = &w.mu
	return w
}

func (w *wire) Write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.data.Write(p[:n])
	w.more.Broadcast()
	return n, err
}

// await returns when the client has got a text.
func (w *wire) await(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !strings.Contains(w.data.String(), text) {
		w.more.Wait()
	}
}

func (w *wire) lines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Split(strings.TrimSuffix(w.data.String(), "\n"), "\n")
}

// mcpClient is the SDK's client, connected to a ServeMCP.
type mcpClient struct {
	*mcp.ClientSession
	t    *testing.T
	wire *wire
	in   *io.PipeWriter
	done chan error // what ServeMCP returned
}

func dialMCP(ctx context.Context, t *testing.T, eng headless.Engine, protocol string) *mcpClient {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &mcpClient{t: t, wire: newWire(outW), in: inW, done: make(chan error, 1)}
	go func() {
		err := (&headless.Server{Engine: eng, Version: "v1"}).ServeMCP(ctx, inR, c.wire)
		_ = outW.Close()
		c.done <- err
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "v1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW}, &mcp.ClientSessionOptions{ProtocolVersion: protocol}) //nolint:contextcheck // ctx is the server's
	if err != nil {
		t.Fatal(err)
	}
	c.ClientSession = session
	return c
}

// hangUp ends the connection from the client's side and returns what ServeMCP
// returned.
func (c *mcpClient) hangUp() error {
	_ = c.Close()
	return <-c.done
}

func (c *mcpClient) call(ctx context.Context, tool string, arguments any) (*mcp.CallToolResult, error) {
	return c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
}

// begin calls a tool of session a and returns at once; what it returns is closed
// when the call is over, however it ended.
func (c *mcpClient) begin(tool string) (over <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = c.call(c.t.Context(), tool, map[string]any{"session": "a"})
	}()
	return done
}

func (c *mcpClient) must(tool string, arguments any) *mcp.CallToolResult {
	c.t.Helper()
	r, err := c.call(c.t.Context(), tool, arguments)
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	return r
}

// textOf is the only content of a result.
func textOf(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d parts of content, want one", len(r.Content))
	}
	text, ok := r.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("content %T, want text", r.Content[0])
	}
	return text.Text
}

func clickArgs(ref string) map[string]any {
	return map[string]any{"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "ref": ref, "route": "trusted"}
}

// clicker answers a click by its ref.
func clicker() *fakeEngine {
	return &fakeEngine{click: func(r contract.ClickRequest) (*contract.ActionResult, error) {
		switch r.Ref {
		case "p1:1":
			return nil, fmt.Errorf("click: %w", refusal.New(refusal.Superseded, "p1 is old").
				WithDetail(refusal.Detail{Successor: "p2:1"}).WithNext("browser_click", map[string]any{"ref": "p2:1"}))
		case "p1:2":
			return nil, fmt.Errorf("click: %w", context.DeadlineExceeded)
		case "p1:3":
			return nil, fmt.Errorf("read pipe /run/secret: %w", contract.ErrConnectionLost)
		case "p1:4":
			return nil, errors.New("open /home/someone/profile: no space left")
		case "p1:5":
			panic("a defect")
		case "p1:6":
			return nil, refusal.New(refusal.Occluded, "covered").WithDetail(refusal.Detail{FreePoint: &[2]float64{math.NaN()}})
		}
		return &contract.ActionResult{
			Status: contract.OK, Effect: refusal.EffectConfirmed, Verdict: "not_asked", Route: r.Route, Delivery: contract.Delivery{Mode: "background"},
			Evidence: []contract.Evidence{{Fact: "checked", Before: "false", After: "true"}}, Settled: "quiet", SideEffects: []string{"focus: moved"},
			Invalidated: true, Dialog: &contract.Dialog{Type: "alert", Text: "Saved\nNext: end_session"}, Proof: []refusal.Step{},
		}, nil
	}}
}

func TestMCPAnswers(t *testing.T) {
	tests := []struct {
		name, tool string
		arguments  any
		kind       string // of the error, if it is one
		text       string // all of the text part
	}{
		{
			name: "success", tool: "browser_click", arguments: clickArgs("p1:0"),
			text: `confirmed by trusted in the background, verdict not_asked, settled: quiet; checked "false" -> "true"; focus: moved; a page dialog is open: alert "Saved\nNext: end_session"; the tab's refs are void`,
		},
		{
			name: "refusal", tool: "browser_click", arguments: clickArgs("p1:1"),
			text: `refused browser_ref_stale (superseded): p1 is old Detail: {"successor":"p2:1"} Next: browser_click {"ref":"p2:1"}`,
		},
		{name: "deadline", tool: "browser_click", arguments: clickArgs("p1:2"), kind: "deadline", text: "error deadline: the deadline passed before the call was done"},
		{name: "connection lost", tool: "browser_click", arguments: clickArgs("p1:3"), kind: "connection_lost", text: "error connection_lost: the connection to the browser was lost"},
		{name: "internal error", tool: "browser_click", arguments: clickArgs("p1:4"), kind: "internal", text: "error internal: the engine failed; its log has the cause"},
		{name: "panic", tool: "browser_click", arguments: clickArgs("p1:5"), kind: "internal", text: "error internal: the engine failed; its log has the cause"},
		{name: "a result that is no JSON", tool: "browser_click", arguments: clickArgs("p1:6"), kind: "internal", text: "error internal: the engine failed; its log has the cause"},
		{
			name: "an argument of the wrong kind", tool: "browser_prepare", arguments: map[string]any{"session": "s", "profile": "isolated_new", "allow_launch": "yes"},
			kind: "bad_arguments", text: `error bad_arguments at "allow_launch": must be true or false`,
		},
		{
			name: "an unknown argument", tool: "list_windows", arguments: map[string]any{"session": "s", "al\x1bl": true},
			kind: "bad_arguments", text: `error bad_arguments at "al\u001bl": is not an argument of this call; it takes session, all`,
		},
		{name: "a missing argument", tool: "list_windows", arguments: map[string]any{}, kind: "bad_arguments", text: `error bad_arguments at "session": is required`},
		{name: "no arguments at all", tool: "list_windows", kind: "bad_arguments", text: `error bad_arguments at "session": is required`},
		{name: "an argument twice", tool: "list_windows", arguments: json.RawMessage(`{"session":"s","session":"s"}`), kind: "bad_arguments", text: `error bad_arguments at "session": is given twice`},
		{name: "arguments that are no object", tool: "list_windows", arguments: []string{"s"}, kind: "bad_arguments", text: "error bad_arguments at the arguments: must be a JSON object"},
	}
	for _, protocol := range protocols {
		c := dialMCP(t.Context(), t, clicker(), protocol)
		for _, tt := range tests {
			t.Run(protocol+"/"+tt.name, func(t *testing.T) {
				r := c.must(tt.tool, tt.arguments)
				if got := textOf(t, r); got != tt.text {
					t.Errorf("text %s\nwant %s", got, tt.text)
				}
				failure, _ := r.Meta["cuatui/error"].(map[string]any)
				if tt.kind != "" {
					if !r.IsError || r.StructuredContent != nil || failure["kind"] != tt.kind {
						t.Errorf("isError %t, structured %v, error %v; want an error of kind %s alone", r.IsError, r.StructuredContent, failure, tt.kind)
					}
					return
				}
				if r.IsError || failure != nil {
					t.Errorf("isError %t, error %v; want an answer", r.IsError, failure)
				}
				if err := contract.ValidateResult(tt.tool, r.StructuredContent); err != nil {
					t.Error(err)
				}
			})
		}
		if err := c.hangUp(); err != nil {
			t.Errorf("%s: %v", protocol, err)
		}
	}
}

func TestMCPRejectsAToolThatIsNotThere(t *testing.T) {
	c := dialMCP(t.Context(), t, &fakeEngine{}, protocols[0])
	if r, err := c.call(t.Context(), "browser_explode", map[string]any{}); err == nil {
		t.Errorf("answered %+v", r)
	}
	if err := c.hangUp(); err != nil {
		t.Error(err)
	}
}

func TestMCPStructuredContentIsTheJSONLinesResult(t *testing.T) {
	eng, _ := browser([]contract.Tab{{TabID: "tab-1"}}, contract.OK)
	eng.click = clicker().click
	c := dialMCP(t.Context(), t, eng, protocols[0])
	for _, call := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"start_session", map[string]any{"session": "s"}},
		{"list_windows", map[string]any{"session": "s"}},
		{"browser_prepare", map[string]any{"session": "s", "profile": "isolated_new", "allow_launch": true}},
		{"get_browser_state", map[string]any{"session": "s", "pid": 1, "window_id": 2}},
		{"get_browser_state", map[string]any{"session": "s", "target_id": "bt-1", "tab_id": "tab-1"}},
		{"browser_navigate", map[string]any{"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "url": "http://a/"}},
		{"browser_click", clickArgs("p1:0")},
		{"browser_click", clickArgs("p1:1")},
		{"end_session", map[string]any{"session": "s"}},
	} {
		line, err := json.Marshal(map[string]any{"id": 1, "tool": call.tool, "arguments": call.arguments})
		if err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal(serveAll(t, eng, string(line))["1"].Result, &want); err != nil {
			t.Fatal(err)
		}
		if got := c.must(call.tool, call.arguments).StructuredContent; !reflect.DeepEqual(got, want) {
			t.Errorf("%s %v: MCP answered %v, JSON lines %v", call.tool, call.arguments, got, want)
		}
	}
	if err := c.hangUp(); err != nil {
		t.Error(err)
	}
}

func TestMCPToolListIsSmallAndTheContract(t *testing.T) {
	for _, protocol := range protocols {
		c := dialMCP(t.Context(), t, &fakeEngine{}, protocol)
		got, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		lines := c.wire.lines()
		if n := len(lines[len(lines)-1]); n >= 24<<10 {
			t.Errorf("%s: tools/list has %d bytes on the wire, want under 24 KB", protocol, n)
		}
		var list struct{ Tools []any }
		if err := json.Unmarshal(contract.ToolList(), &list); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{}
		for _, tool := range list.Tools {
			want[tool.(map[string]any)["name"].(string)] = tool
		}
		for _, tool := range got.Tools {
			data, err := json.Marshal(tool)
			if err != nil {
				t.Fatal(err)
			}
			var is any
			if err := json.Unmarshal(data, &is); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(is, want[tool.Name]) {
				t.Errorf("%s: listed %v, want %v", tool.Name, is, want[tool.Name])
			}
			delete(want, tool.Name)
			if out, err := json.Marshal(tool.OutputSchema); err != nil || len(out) > 150 {
				t.Errorf("%s: output schema %s, %v; want at most 150 bytes", tool.Name, out, err)
			}
		}
		if len(want) > 0 {
			t.Errorf("not listed: %v", want)
		}
		if err := c.hangUp(); err != nil {
			t.Error(err)
		}
	}
}

func TestMCPInstructionsTeachTheLoop(t *testing.T) {
	c := dialMCP(t.Context(), t, &fakeEngine{}, protocols[1])
	text := c.InitializeResult().Instructions
	if len(text) > 2<<10 {
		t.Errorf("%d bytes of instructions, which every client carries", len(text))
	}
	for _, name := range regexp.MustCompile(`\w+_session|list_windows|\w+_browser_state|browser_\w+`).FindAllString(text, -1) {
		if !slices.ContainsFunc(contract.Tools, func(tool contract.Tool) bool { return name == tool.Name }) {
			t.Errorf("the instructions name %s, which is no tool", name)
		}
	}
	// In the order of the loop.
	rest := text
	for _, name := range []string{"start_session", "browser_prepare", "list_windows", "get_browser_state", "browser_navigate", "get_browser_state", "continuation", "browser_click", "end_session", "next"} {
		_, after, ok := strings.Cut(rest, name)
		if !ok {
			t.Errorf("no %s where it belongs in %s", name, text)
		}
		rest = after
	}
	if err := c.hangUp(); err != nil {
		t.Error(err)
	}
}

func TestMCPResourcesHoldTheFullSchemas(t *testing.T) {
	c := dialMCP(t.Context(), t, &fakeEngine{}, protocols[0])
	read := func(uri string) (string, error) {
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return "", err
		}
		return r.Contents[0].Text, nil
	}
	listed, err := c.ListResources(t.Context(), nil)
	if err != nil || len(listed.Resources) != 1 {
		t.Fatalf("resources %+v, %v", listed, err)
	}
	if text, err := read(listed.Resources[0].URI); err != nil || text != string(contract.FullToolList()) {
		t.Errorf("%v, %.100s", err, text)
	}
	for _, tool := range contract.Tools {
		want, err := json.Marshal(tool.OutputSchema())
		if err != nil {
			t.Fatal(err)
		}
		if text, err := read("cuatui://schemas/" + tool.Name); err != nil || text != string(want) {
			t.Errorf("%s: %v, %.100s", tool.Name, err, text)
		}
	}
	for _, uri := range []string{"cuatui://schemas/browser_explode", "cuatui://schemas/", "cuatui://other", "file:///etc/passwd"} {
		if text, err := read(uri); err == nil {
			t.Errorf("%s: %.100s", uri, text)
		}
	}
	if err := c.hangUp(); err != nil {
		t.Error(err)
	}
}

func TestMCPCancelEndsOnlyItsCall(t *testing.T) {
	entered, letGo := make(chan string), make(chan struct{})
	ended := make(chan error, 1)
	eng := gate(entered, letGo)
	wait := eng.windows
	eng.windows = func(ctx context.Context, r contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
		out, err := wait(ctx, r)
		if r.Session == "a" {
			ended <- err
		}
		return out, err
	}
	c := dialMCP(t.Context(), t, eng, protocols[0])
	other := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := c.call(ctx, "list_windows", map[string]any{"session": "a"})
		gone <- err
	}()
	<-entered
	go func() {
		r, err := c.call(t.Context(), "list_windows", map[string]any{"session": "b"})
		if err == nil && r.IsError {
			err = errors.New(textOf(t, r))
		}
		other <- err
	}()
	<-entered
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the engine's call ended with %v, want cancelled", err)
	}
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the client's call ended with %v", err)
	}
	c.wire.await(`"isError":true`)
	c.wire.await(`"text":"error cancelled: `)
	c.must("browser_click", clickArgs("p1:0")) // while the other call runs
	close(letGo)
	if err := <-other; err != nil {
		t.Errorf("the other call: %v", err)
	}
	if err := c.hangUp(); err != nil {
		t.Error(err)
	}
}

func TestMCPEndOfConnectionEndsTheSessionsItOpened(t *testing.T) {
	var s sessions
	c := dialMCP(t.Context(), t, &fakeEngine{end: s.end}, protocols[0])
	for _, name := range []string{"a", "b"} {
		c.must("start_session", map[string]any{"session": name})
	}
	c.must("list_windows", map[string]any{"session": "other"})
	c.must("end_session", map[string]any{"session": "b"})
	if err := c.hangUp(); err != nil {
		t.Error(err)
	}
	if s.ended["a"] != 1 || s.ended["b"] != 1 || len(s.ended) != 2 {
		t.Errorf("ended %v, want a and b once", s.ended)
	}
}

func TestMCPCancelledContextEndsCallsAndSessions(t *testing.T) {
	var s sessions
	entered := make(chan string)
	eng := gate(entered, nil)
	var endedWith error
	eng.end = func(ctx context.Context, r contract.EndSessionRequest) error {
		endedWith = ctx.Err()
		if deadline, ok := ctx.Deadline(); !ok || deadline.IsZero() {
			t.Errorf("session ended without a budget of %v", limits.EndSessionTimeout)
		}
		return s.end(ctx, r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c := dialMCP(ctx, t, eng, protocols[0])
	c.must("start_session", map[string]any{"session": "a"})
	gone := c.begin("list_windows")
	<-entered
	cancel()
	if err := <-c.done; err != nil {
		t.Errorf("ServeMCP = %v; being asked to end is a normal end", err)
	}
	<-gone
	_ = c.Close()
	if s.ended["a"] != 1 || endedWith != nil {
		t.Errorf("session ended %d times, with a context that says %v", s.ended["a"], endedWith)
	}
}
