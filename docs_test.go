package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
)

// page is a page of the docs that a person wrote.
type page struct{ path, text string }

func pages(t *testing.T) []page {
	t.Helper()
	var out []page
	for _, path := range []string{"README.md", "docs/agents.md", "docs/security.md"} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, page{path, string(data)})
	}
	return out
}

var (
	fence    = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	callLine = regexp.MustCompile(`(?m)^(\w+_\w+) (\{.*\})$`)
	jsonLine = regexp.MustCompile(`(?m)^(\{"id":.*\})$`)
	linked   = regexp.MustCompile(`\]\(([^)#:]+)\)`)
	flagWord = regexp.MustCompile("--[a-z][a-z-]*[a-z]")
)

// What is there to be copied works: it is JSON, its flags are of the program, and
// its calls are taken by the tools.
func TestWhatIsCopiedFromTheDocsWorks(t *testing.T) {
	calls, configurations := 0, 0
	for _, p := range pages(t) {
		for _, block := range fence.FindAllStringSubmatch(p.text, -1) {
			if block[1] == "json" {
				configurations++
				configuration(t, p, block[2])
			}
			for _, call := range callLine.FindAllStringSubmatch(block[2], -1) {
				calls++
				valid(t, p, call[1], []byte(call[2]))
			}
			for _, line := range jsonLine.FindAllString(block[2], -1) {
				var call struct {
					Tool      string
					Arguments json.RawMessage
				}
				if err := json.Unmarshal([]byte(line), &call); err != nil {
					t.Errorf("%s: %s: %v", p.path, line, err)
				}
				calls++
				valid(t, p, call.Tool, call.Arguments)
			}
		}
	}
	if calls < 6 || configurations < 3 {
		t.Errorf("%d calls and %d configurations were found: the pages are not read as they are", calls, configurations)
	}
}

// configuration is that of an MCP client.
func configuration(t *testing.T, p page, text string) {
	t.Helper()
	var c struct {
		Servers map[string]struct {
			Type, Command, URL string
			Args               []string
			Headers            map[string]string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil || len(c.Servers) != 1 {
		t.Fatalf("%s: %v in %s", p.path, err, text)
	}
	s := c.Servers["cuatui"]
	if s.Type == "http" {
		if !strings.HasSuffix(s.URL, headless.MCPPath) || !strings.HasPrefix(s.Headers["Authorization"], "Bearer ") || !strings.Contains(p.text, "--http "+strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), headless.MCPPath)+" ") {
			t.Errorf("%s: no server answers %+v", p.path, s)
		}
		return
	}
	root := (&app{answers: headless.NewOutlet(t.Context(), io.Discard)}).commands()
	if err := root.ParseFlags(s.Args); err != nil || s.Command != "cuatui" || !slices.Contains(s.Args, "--headless") {
		t.Errorf("%s: %v does not start the server: %v", p.path, s.Args, err)
	}
}

// valid holds a call of the docs against the tool's own schema.
func valid(t *testing.T, p page, name string, arguments []byte) {
	t.Helper()
	i := slices.IndexFunc(contract.Tools, func(tool contract.Tool) bool { return tool.Name == name })
	if i < 0 {
		t.Errorf("%s: there is no tool %s", p.path, name)
		return
	}
	schema, err := contract.Tools[i].InputSchema().Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var given any
	if err := json.Unmarshal(arguments, &given); err != nil {
		t.Errorf("%s: %s %s: %v", p.path, name, arguments, err)
		return
	}
	if err := schema.Validate(given); err != nil {
		t.Errorf("%s: %s %s: %v", p.path, name, arguments, err)
	}
}

// What the docs name is there: files, flags, formats and reasons.
func TestWhatTheDocsNameIsThere(t *testing.T) {
	known := map[string]bool{}
	root := (&app{answers: headless.NewOutlet(t.Context(), io.Discard)}).commands()
	everyCommand(root, func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { known["--"+f.Name] = true })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { known["--"+f.Name] = true })
	})
	for _, p := range pages(t) {
		for _, link := range linked.FindAllStringSubmatch(p.text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(p.path), link[1])); err != nil {
				t.Errorf("%s leads to %s: %v", p.path, link[1], err)
			}
		}
		for _, flag := range flagWord.FindAllString(p.text, -1) {
			if !known[flag] {
				t.Errorf("%s names %s, which is no flag", p.path, flag)
			}
		}
	}
	agents, security := pages(t)[1], pages(t)[2]
	for _, f := range contract.Formats {
		if !strings.Contains(agents.text, "| `"+f.Name+"` |") {
			t.Errorf("%s does not tell of the format %s", agents.path, f.Name)
		}
	}
	for _, r := range []refusal.Reason{refusal.NoSnapshot, refusal.Foreign, refusal.Superseded, refusal.NodeGone} {
		if !strings.Contains(agents.text, "`"+string(r)+"`") {
			t.Errorf("%s does not name %s", agents.path, r)
		}
	}
	if !strings.Contains(security.text, "`"+string(refusal.PersonalBrowser)+"`") {
		t.Errorf("%s does not name %s", security.path, refusal.PersonalBrowser)
	}
}

// The limits that the docs name are those of the program.
func TestTheLimitsOfTheDocsAreTheProgramsOwn(t *testing.T) {
	agents, security := pages(t)[1], pages(t)[2]
	if limits.ConnectionLost.Minutes() != 1 {
		t.Error("the docs say a minute where limits say otherwise")
	}
	idle := fmt.Sprintf("%.0f minutes", limits.ConnectionIdle.Minutes())
	for _, says := range []struct {
		page page
		what string
	}{
		{agents, fmt.Sprintf("more than %d clients", limits.ConnectionsMax)},
		{agents, "within a minute"},
		{agents, "nothing for " + idle},
		{security, fmt.Sprintf("At most %d clients", limits.ConnectionsMax)},
		{security, "asks nothing " + idle},
		{security, fmt.Sprintf("after %.0f minutes without use, after %.0f hours at most", limits.GrantIdle.Minutes(), limits.GrantAbsolute.Hours())},
		{security, fmt.Sprintf("at most %d of them and %d MB", limits.UploadFilesMax, limits.UploadBytesMax>>20)},
		{security, tokenEnv},
		{agents, tokenEnv},
	} {
		if !strings.Contains(strings.Join(strings.Fields(says.page.text), " "), says.what) {
			t.Errorf("%s does not say %q", says.page.path, says.what)
		}
	}
}
