package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cuatui/engine/headless"
	"cuatui/fixtures/golden"
	"cuatui/tui"
	"cuatui/tui/pane"
)

// cuatui runs the program without a terminal and without a display.
func cuatui(t *testing.T, in string, args ...string) (exit headless.Exit, out, talk string) {
	t.Helper()
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	var stdout, stderr bytes.Buffer
	args = append([]string{"--state-dir", t.TempDir()}, args...)
	code := run(args, strings.NewReader(in), &stdout, &stderr, os.Environ())
	return headless.Exit(code), stdout.String(), stderr.String()
}

func TestBadUsage(t *testing.T) {
	tests := []struct {
		name string
		args []string
		says string
	}{
		{"unknown command", []string{"explode"}, `cuatui has no command "explode"`},
		{"unknown flag", []string{"--explode"}, `cuatui has no flag "--explode"`},
		{"no terminal", nil, "needs a terminal"},
		{"a config that is not there", []string{"--plain", "--config", "no-such-file.json"}, "no-such-file.json"},
		{"a url and the demo", []string{"--demo", "--url", "http://a/"}, "--demo and --url do not go together"},
		{"plain and headless", []string{"--plain", "--headless"}, "--plain and --headless do not"},
		{"unknown protocol", []string{"--headless", "--protocol", "xml"}, `--protocol: must be mcp or jsonl, not "xml"`},
		{"protocol without headless", []string{"--protocol", "jsonl"}, "--protocol: goes with --headless"},
		{"demo and headless", []string{"--demo", "--headless"}, "--demo and --headless do not"},
		{"snapshot of nothing", []string{"snapshot"}, "name a page: --url URL, or --pid N and --window ID"},
		{"snapshot of a pid alone", []string{"snapshot", "--pid", "1"}, "--pid and --window go together"},
		{"snapshot of two things", []string{"snapshot", "--pid", "1", "--window", "2", "--url", "http://a/"}, "--url and --pid do not go together"},
		{"snapshot of a file", []string{"snapshot", "--url", "file:///etc/passwd"}, "--url: must be an http"},
		{"snapshot in an unknown format", []string{"snapshot", "--url", "http://a/", "--format", "html"}, "--format: must be"},
		{"Wayland of a kind", []string{"--wayland=sway", "windows"}, `--wayland: must be true or false, or stand alone, not "sway"`},
		{"explain nothing", []string{"explain", "--url", "http://a/"}, "ask something: --ref R, --point X,Y"},
		{"explain two things", []string{"explain", "--url", "http://a/", "--ref", "p1:2", "--text", "a"}, "--ref and --text do not go together"},
		{"explain a point of one number", []string{"explain", "--url", "http://a/", "--point", "3"}, "--point: must be x and y"},
		{"explain an empty text", []string{"explain", "--url", "http://a/", "--text", ""}, "--text: must not be empty"},
		{"explain a ref from a place in a list", []string{"explain", "--url", "http://a/", "--ref", "p1:2", "--after", "0.1"}, "--after: goes with"},
		{"audit nothing", []string{"audit"}, "name a page"},
		{"replay nothing", []string{"replay"}, "name a case file"},
		{"replay two files", []string{"replay", "a", "b"}, `cuatui replay takes one file, and "b" is a second`},
		{"audit a file", []string{"audit", "--url", "file:///etc/passwd"}, "--url: must be an http"},
		{"windows with an argument", []string{"windows", "all"}, `cuatui windows takes no arguments, only flags, and "all" is none`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			exit, out, talk := cuatui(t, "", tt.args...)
			if exit != headless.ExitUsage || out != "" || !strings.Contains(talk, tt.says) {
				t.Errorf("exit %d, out %q, err %q; want exit 2 and %q on standard error", exit, out, talk, tt.says)
			}
		})
	}
}

func TestVersionNamesTheBuild(t *testing.T) {
	exit, out, talk := cuatui(t, "", "--version")
	if exit != headless.ExitOK || !strings.HasPrefix(out, "cuatui ") || !strings.Contains(out, " go1.") || talk != "" {
		t.Errorf("exit %d, out %q, err %q", exit, out, talk)
	}
}

// full is an output that takes nothing, as a full disk.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

// What cannot be written is a failure, whoever writes it, with the system's word.
func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, args := range []string{
		"--version", "--help", "help", "help snapshot", "explain --help", "completion", "completion bash", "completion zsh --no-descriptions", "__complete sn",
		"tools", "tools --json", "man", "doctor", "doctor --json", "windows", "windows --json", "--headless --protocol jsonl", "--headless", "--plain",
	} {
		t.Run(args, func(t *testing.T) {
			t.Setenv("DISPLAY", "")
			t.Setenv("WAYLAND_DISPLAY", "")
			var talk bytes.Buffer
			exit := run(append(strings.Fields(args), "--state-dir", t.TempDir()), strings.NewReader("no request\n"), full{}, &talk, os.Environ())
			said := talk.String()
			if args == "__complete sn" {
				_, said, _ = strings.Cut(said, "\n") // the directive for the shell
			}
			if exit != int(headless.ExitError) || strings.Count(said, "write /dev/stdout: no space left on device\n") != 1 || strings.Count(said, "\n") != 1 {
				t.Errorf("exit %d, err %q; want exit 1 and one line with the system's word", exit, said)
			}
		})
	}
}

// A log that cannot be written is said by every command that takes the flag.
func TestALogThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "log")
	for _, args := range []string{"tools", "doctor", "windows", "snapshot --url http://a/", "--headless", "--plain", "completion bash", "completion", "help tools"} {
		t.Run(args, func(t *testing.T) {
			exit, out, talk := cuatui(t, "", append(strings.Fields(args), "--log", path)...)
			if want := "cuatui: opening the log: open " + path + ": no such file or directory\n"; exit != headless.ExitError || out != "" || talk != want {
				t.Errorf("exit %d, out %q, err %q; want exit 1 and %q", exit, out, talk, want)
			}
		})
	}
}

// The manual page names every command and flag that a person may give, and no line
// of its text is taken for a request.
func TestTheManualPageIsOfTheCommands(t *testing.T) {
	exit, out, talk := cuatui(t, "", "man")
	if exit != headless.ExitOK || talk != "" {
		t.Fatalf("exit %d, err %q", exit, talk)
	}
	root := (&app{answers: headless.NewOutlet(t.Context(), io.Discard)}).commands()
	everyCommand(root, func(c *cobra.Command) {
		if c.Runnable() && c.Name() != "help" && !c.Hidden && !c.HasSubCommands() && !strings.Contains(out, "\n.SS "+roff(c.CommandPath())) {
			t.Errorf("%s is not there", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if there := strings.Contains(out, "\\-\\-"+roff(f.Name)); there == f.Hidden && f.Name != "help" && f.Name != "version" {
				t.Errorf("%s --%s: there %v, hidden %v", c.Name(), f.Name, there, f.Hidden)
			}
		})
	})
	requests := map[string]bool{".TH": true, ".SH": true, ".SS": true, ".TP": true, ".B": true, ".I": true, ".PP": true, ".br": true}
	for line := range strings.SplitSeq(out, "\n") {
		if word, _, _ := strings.Cut(line, " "); (strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'")) && !requests[word] {
			t.Errorf("%q is taken for a request", line)
		}
	}
	golden.File(t, "docs/cuatui.1", out)
}

func TestToolsJSONHasFullSchemas(t *testing.T) {
	_, out, _ := cuatui(t, "", "tools", "--json")
	var list struct {
		Tools []struct{ OutputSchema struct{ AnyOf []any } }
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Tools) == 0 || len(list.Tools[0].OutputSchema.AnyOf) < 2 {
		t.Errorf("%v in %.200s", err, out)
	}
}

func TestARefusalIsTheAnswer(t *testing.T) {
	exit, out, talk := cuatui(t, "", "windows", "--json")
	var answer struct {
		Status  string
		Refusal struct{ Reason string }
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatalf("out %q, err %q: %v", out, talk, err)
	}
	if exit != headless.ExitRefused || answer.Status != "refused" || answer.Refusal.Reason != "display_unavailable" || talk != "" {
		t.Errorf("exit %d, answer %+v, err %q; want 3 and display_unavailable", exit, answer, talk)
	}
}

func TestJSONLinesFromEndToEnd(t *testing.T) {
	logFile := filepath.Join(t.TempDir(), "log")
	exit, out, talk := cuatui(t, `{"id":1,"tool":"start_session","arguments":{"session":"a"}}
{"id":2,"tool":"get_browser_state","arguments":{"session":"a","target_id":"bt-0","tab_id":"tab-0","query":"secret"}}
`, "--headless", "--protocol", "jsonl", "--log", logFile)
	if exit != headless.ExitOK || talk != "" {
		t.Errorf("exit %d, err %q", exit, talk)
	}
	for _, want := range []string{`{"id":1,"result":{"status":"ok","session":"a"}}`, `{"id":2,"result":{"status":"refused"`, `"reason":"unknown_target"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	log, err := os.ReadFile(logFile)
	if err != nil || !bytes.Contains(log, []byte(`"tool":"get_browser_state"`)) || bytes.Contains(log, []byte("secret")) {
		t.Errorf("log %s, %v", log, err)
	}
}

func TestMCPFromEndToEnd(t *testing.T) {
	requests := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"start_session","arguments":{"session":"a"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_windows","arguments":{"session":"b","secret":1}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"cuatui://schemas"}}`,
	}
	answers := []string{
		`"serverInfo":{"name":"cuatui"`, `"structuredContent":{"status":"ok","session":"a"}`, `error bad_arguments at \"secret\"`, `cuatui://schemas`,
	}
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	for _, protocol := range [][]string{nil, {"--protocol", "mcp"}} {
		logFile := filepath.Join(t.TempDir(), "log")
		args := append([]string{"--headless", "--state-dir", t.TempDir(), "--log", logFile}, protocol...)
		inR, in := io.Pipe()
		outR, outW := io.Pipe()
		var talk bytes.Buffer
		exit := make(chan int, 1)
		go func() {
			exit <- run(args, inR, outW, &talk, os.Environ())
			_ = outW.Close()
		}()
		out := bufio.NewReader(outR)
		for i, request := range requests {
			if _, err := io.WriteString(in, request+"\n"); err != nil {
				t.Fatal(err)
			}
			answer, err := out.ReadString('\n')
			if err != nil || !json.Valid([]byte(answer)) || !strings.Contains(answer, answers[i]) {
				t.Errorf("%v: %s was answered %q, %v; want %s in it", protocol, request, answer, err, answers[i])
			}
		}
		_ = in.Close()
		rest, err := io.ReadAll(out)
		if code := <-exit; code != 0 || err != nil || len(rest) > 0 || talk.Len() > 0 {
			t.Errorf("%v: exit %d, %v, then out %q, err %q", protocol, code, err, rest, talk.String())
		}
		log, err := os.ReadFile(logFile)
		if err != nil || !bytes.Contains(log, []byte(`"tool":"list_windows"`)) {
			t.Errorf("%v: log %s, %v", protocol, log, err)
		}
	}
}

func TestTheConfigIsReadAndChecked(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	path := filepath.Join(dir, "cuatui", "config.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"keys": {"explode": ["x"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	exit, out, talk := cuatui(t, "quit\n", "--plain")
	if exit != headless.ExitUsage || out != "" || !strings.Contains(talk, path) || !strings.Contains(talk, `no command is called "explode"`) {
		t.Errorf("exit %d, out %q, err %q", exit, out, talk)
	}
}

// Lines out of a pipe end with the first that failed, by its kind.
func TestThePlainModeExitsByTheFirstLineThatFailed(t *testing.T) {
	tests := []struct {
		lines, says string
		exit        headless.Exit
	}{
		{"quit\n", "", headless.ExitOK},
		{"help\nprint\n", "", headless.ExitOK},
		{"nonsense\nrefresh\n", "line 1, nonsense: bad arguments", headless.ExitUsage},
		{"back\nrefresh\nnonsense\nquit\n", "line 2, refresh: refused", headless.ExitRefused},
	}
	for _, tt := range tests {
		exit, out, talk := cuatui(t, tt.lines, "--plain")
		if exit != tt.exit || !strings.Contains(talk, tt.says) || tt.says == "" && talk != "" || out == "" {
			t.Errorf("%q: exit %d, err %q; want %d, %q", tt.lines, exit, talk, tt.exit, tt.says)
		}
	}
	for outcome, want := range map[pane.Outcome]headless.Exit{
		pane.Bad: headless.ExitUsage, pane.Refused: headless.ExitRefused, pane.Partly: headless.ExitPartial, pane.Lost: headless.ExitError, pane.Cancelled: headless.ExitError,
	} {
		if got := exitOf(fmt.Errorf("wrapped: %w", &tui.LineError{Outcome: outcome})); got != want {
			t.Errorf("%s exits with %d, want %d", outcome, got, want)
		}
	}
}
