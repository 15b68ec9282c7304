package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cuatui/engine/headless"
)

// The program serves HTTP with the token of a file or of its environment, which
// nobody finds in its arguments or in what it says, until a signal ends it.
func TestHeadlessOverHTTP(t *testing.T) {
	const given = "a-token-that-the-environment-holds"
	for _, from := range []string{"file", "environment"} {
		t.Run(from, func(t *testing.T) {
			path, err := os.Executable()
			must(t, err)
			file := filepath.Join(t.TempDir(), "token")
			log := filepath.Join(t.TempDir(), "log")
			arguments := []string{"--headless", "--http", "127.0.0.1:0", "--state-dir", t.TempDir(), "--log", log}
			env := append(os.Environ(), programEnv+"=1", "DISPLAY=", "WAYLAND_DISPLAY=")
			if from == "file" {
				arguments = append(arguments, "--http-token", file)
			} else {
				env = append(env, tokenEnv+"="+given)
			}
			cmd := exec.CommandContext(soon(t), path, arguments...)
			cmd.Env = env
			var talk bytes.Buffer
			cmd.Stderr = &talk
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			answers := bufio.NewReader(out)
			url, err := answers.ReadString('\n')
			url = strings.TrimSuffix(url, "\n")
			if err != nil || !strings.HasPrefix(url, "http://127.0.0.1:") || strings.Contains(url, ":0/") || !strings.HasSuffix(url, "/mcp") {
				t.Fatalf("it prints %q, %v", url, err)
			}
			token := given
			if from == "file" {
				held, err := os.ReadFile(file)
				must(t, err)
				token = strings.TrimSpace(string(held))
			}
			session := ""
			post := func(token, body string) (int, string) {
				r, err := http.NewRequestWithContext(soon(t), http.MethodPost, url, strings.NewReader(body))
				must(t, err)
				for name, value := range map[string]string{
					"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": session,
				} {
					if value != "" {
						r.Header.Set(name, value)
					}
				}
				answer, err := http.DefaultClient.Do(r)
				must(t, err)
				defer func() { _ = answer.Body.Close() }()
				text, err := io.ReadAll(answer.Body)
				must(t, err)
				session = answer.Header.Get("Mcp-Session-Id")
				return answer.StatusCode, string(text)
			}
			hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
			if status, text := post("x"+token[1:], hello); status != http.StatusUnauthorized {
				t.Errorf("a wrong token is answered %d %s", status, text)
			}
			if status, text := post(token, hello); status != http.StatusOK || !strings.Contains(text, "The loop:") {
				t.Errorf("the token is answered %d %s", status, text)
			}
			if status, text := post(token, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"start_session","arguments":{"session":"a"}}}`); status != http.StatusOK {
				t.Errorf("a call is answered %d %s", status, text)
			}
			line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", cmd.Process.Pid))
			must(t, err)
			must(t, cmd.Process.Signal(syscall.SIGTERM))
			rest, err := io.ReadAll(answers)
			if err != nil || len(rest) > 0 {
				t.Errorf("then it prints %q, %v", rest, err)
			}
			if err := cmd.Wait(); err != nil || talk.Len() > 0 {
				t.Errorf("ended with %v and said %q; want exit 0 and no word", err, talk.String())
			}
			logged, err := os.ReadFile(log)
			must(t, err)
			if !bytes.Contains(logged, []byte("start_session")) || bytes.Contains(logged, []byte(token)) || bytes.Contains(line, []byte(token)) {
				t.Errorf("the token is in the arguments %q or the log %s", line, logged)
			}
		})
	}
}

func TestBadUsageOfHTTP(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	no := filepath.Join(t.TempDir(), "no-token")
	must(t, os.WriteFile(no, []byte("hunter2\n"), 0o600))
	for _, tt := range []struct {
		name, env string
		args      []string
		says      string
	}{
		{"without headless", "", []string{"--http", "127.0.0.1:0", "--http-token", file}, "--http: goes with --headless"},
		{"a token for nothing", "", []string{"--headless", "--http-token", file}, "--http-token: goes with --http"},
		{"another protocol", "", []string{"--headless", "--http", "127.0.0.1:0", "--http-token", file, "--protocol", "jsonl"}, "--http and --protocol do not go together"},
		{"an address that others reach", "", []string{"--headless", "--http", "0.0.0.0:0", "--http-token", file}, `--http: must be a loopback address and a port, as 127.0.0.1:0; port 0 is any that is free, not "0.0.0.0:0"`},
		{"no port", "", []string{"--headless", "--http", "localhost", "--http-token", file}, "--http: must be a loopback address"},
		{"no token", "", []string{"--headless", "--http", "127.0.0.1:0"}, "--http: needs a token: name a file for it with --http-token FILE, or set CUATUI_HTTP_TOKEN"},
		{"two tokens", strings.Repeat("x", 32), []string{"--headless", "--http", "127.0.0.1:0", "--http-token", file}, "--http-token and CUATUI_HTTP_TOKEN do not go together"},
		{"a short token", "hunter2", []string{"--headless", "--http", "127.0.0.1:0"}, "CUATUI_HTTP_TOKEN: a token has 32 to 512 characters"},
		{"a file of something else", "", []string{"--headless", "--http", "127.0.0.1:0", "--http-token", no}, "--http-token: the token file holds no token: a token has 32"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(tokenEnv, tt.env)
			exit, out, talk := cuatui(t, "", tt.args...)
			if exit != headless.ExitUsage || out != "" || !strings.HasPrefix(talk, "cuatui: "+tt.says) || strings.Contains(talk, "hunter2") {
				t.Errorf("exit %d, out %q, err %q; want exit 2 and %q", exit, out, talk, tt.says)
			}
			if _, err := os.Stat(file); err == nil {
				t.Error("a token file was made for nothing")
			}
		})
	}
}
