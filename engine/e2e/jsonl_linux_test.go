package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// binary is the program, built once.
var binary = sync.OnceValues(func() (string, error) {
	s, err := sharedStage()
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.state, "cuatui")
	out, err := exec.Command("go", "build", "-o", path, "cuatui").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// program is the running binary with JSON lines on its pipes.
type program struct {
	t     *testing.T
	stage *stage
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	talk  bytes.Buffer // what it said to the person; to be read when it has ended
	state string
	id    int
}

func (s *stage) start(t *testing.T) *program {
	t.Helper()
	path, err := binary()
	must(t, err)
	p := &program{t: t, stage: s, state: t.TempDir()}
	p.cmd = exec.CommandContext(t.Context(), path, "--headless", "--protocol", "jsonl", "--state-dir", p.state)
	p.cmd.Env = s.desktop.Env()
	p.cmd.Stderr = &p.talk
	p.in, err = p.cmd.StdinPipe()
	must(t, err)
	out, err := p.cmd.StdoutPipe()
	must(t, err)
	p.out = bufio.NewReaderSize(out, 1<<20)
	must(t, p.cmd.Start())
	return p
}

// say sends one request and reads its answer.
func say[Result any](p *program, tool string, arguments args) *Result {
	p.t.Helper()
	p.id++
	line, err := json.Marshal(map[string]any{"id": p.id, "tool": tool, "arguments": arguments})
	must(p.t, err)
	_, err = fmt.Fprintf(p.in, "%s\n", line)
	must(p.t, err)
	raw, err := p.out.ReadBytes('\n')
	must(p.t, err)
	for _, leak := range p.stage.leaks(raw) {
		p.t.Errorf("%s answered with %s", tool, leak)
	}
	if strings.Contains(string(raw), p.state) {
		p.t.Errorf("%s answered with the state directory", tool)
	}
	var reply struct {
		ID     int
		Result *Result
		Error  *contract.CallError
	}
	must(p.t, json.Unmarshal(raw, &reply))
	if reply.ID != p.id || reply.Result == nil {
		p.t.Fatalf("%s: %s", tool, raw)
	}
	return reply.Result
}

func TestJSONLinesDriveABrowser(t *testing.T) {
	tests := []struct {
		ending string
		end    func(*program) error
	}{
		{"end of input", func(p *program) error { return p.in.Close() }},
		{"end of the session and of input", func(p *program) error {
			say[contract.EndSessionResult](p, "end_session", args{"session": "a"})
			return p.in.Close()
		}},
		{"a request to end", func(p *program) error { return p.cmd.Process.Signal(syscall.SIGTERM) }},
		{"an interrupt", func(p *program) error { return p.cmd.Process.Signal(syscall.SIGINT) }},
	}
	for _, tt := range tests {
		t.Run(tt.ending, func(t *testing.T) {
			s := use(t)
			p := s.start(t)
			url, run := s.pages.Page("inbox-attribute")
			say[contract.StartSessionResult](p, "start_session", args{"session": "a"})
			made := say[contract.PrepareResult](p, "browser_prepare", args{"session": "a", "profile": "isolated_new", "allow_launch": true, "url": url})
			must(t, s.pages.Flush(soon(t), run))
			bound := say[contract.StateResult](p, "get_browser_state", args{"session": "a", "pid": made.PreparedPID, "window_id": made.WindowIDs[0]})
			at := args{"session": "a", "target_id": bound.TargetID, "tab_id": bound.Tabs[0].TabID}
			ref := find(t, say[contract.StateResult](p, "get_browser_state", at), "button", "Send").Ref
			at["ref"], at["route"] = ref, "dom_event"
			if got := say[contract.ActionResult](p, "browser_click", at); got.Effect != refusal.EffectConfirmed {
				t.Errorf("answered %+v", got)
			}
			must(t, s.pages.Flush(soon(t), run))
			if n := fixtures.Count(s.pages.Journal(run), "sent", ""); n != 1 {
				t.Errorf("the page sent %d times, want once", n)
			}
			if len(processes(t, p.state)) < 2 {
				t.Error("no browser runs on the state directory")
			}
			must(t, tt.end(p))
			rest, err := io.ReadAll(p.out)
			if err != nil || len(rest) > 0 {
				t.Errorf("afterwards it wrote %q, %v", rest, err)
			}
			if err := p.cmd.Wait(); err != nil || p.talk.Len() > 0 {
				t.Errorf("it ended with %v and said %q", err, p.talk.String())
			}
			ended(t, p.state)
			if left := profiles(t, p.state); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}
