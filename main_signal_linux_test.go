package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Being asked to end is a normal end of a service, whoever asks: everything is
// released, and the exit code is 0.
func TestASignalEndsAnIdleServer(t *testing.T) {
	faces := []struct{ protocol, hello string }{
		{"mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`},
		{"jsonl", `{"id":1,"tool":"start_session","arguments":{"session":"a"}}`},
	}
	for _, face := range faces {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(face.protocol+" "+sig.String(), func(t *testing.T) {
				path, err := os.Executable()
				must(t, err)
				cmd := exec.CommandContext(soon(t), path, "--headless", "--protocol", face.protocol, "--state-dir", t.TempDir())
				cmd.Env = append(os.Environ(), programEnv+"=1", "DISPLAY=", "WAYLAND_DISPLAY=")
				var talk bytes.Buffer
				cmd.Stderr = &talk
				in, err := cmd.StdinPipe()
				must(t, err)
				out, err := cmd.StdoutPipe()
				must(t, err)
				must(t, cmd.Start())
				_, err = io.WriteString(in, face.hello+"\n")
				must(t, err)
				answers := bufio.NewReader(out)
				if answer, err := answers.ReadString('\n'); err != nil || !strings.Contains(answer, `"result"`) {
					t.Errorf("answered %q, %v", answer, err)
				}
				must(t, cmd.Process.Signal(sig))
				rest, err := io.ReadAll(answers)
				if err != nil || len(rest) > 0 {
					t.Errorf("then wrote %q, %v", rest, err)
				}
				if err := cmd.Wait(); err != nil || talk.Len() > 0 {
					t.Errorf("ended with %v and said %q; want exit 0 and no word", err, talk.String())
				}
			})
		}
	}
}

// fullPipe returns a pipe that takes nothing more.
func fullPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	raw, err := w.SyscallConn()
	must(t, err)
	must(t, raw.Control(func(fd uintptr) {
		for err = nil; err == nil; {
			_, err = syscall.Write(int(fd), make([]byte, 4096))
		}
	}))
	if !errors.Is(err, syscall.EAGAIN) {
		t.Fatal(err)
	}
	return r, w
}

// It ends also while nobody reads its answers and its input is full of lines
// that it will not come to.
func TestAnUnreadServerEnds(t *testing.T) {
	for _, protocol := range []string{"mcp", "jsonl"} {
		for _, end := range []string{"SIGTERM", "end of input"} {
			t.Run(protocol+" "+end, func(t *testing.T) {
				path, err := os.Executable()
				must(t, err)
				cmd := exec.CommandContext(soon(t), path, "--headless", "--protocol", protocol, "--state-dir", t.TempDir())
				cmd.Env = append(os.Environ(), programEnv+"=1", "DISPLAY=", "WAYLAND_DISPLAY=")
				var talk bytes.Buffer
				cmd.Stderr = &talk
				inR, inW, err := os.Pipe()
				must(t, err)
				defer inW.Close()
				cmd.Stdin = inR
				_, cmd.Stdout = fullPipe(t)
				must(t, cmd.Start())
				_ = inR.Close()
				// More than the program reads ahead and the pipe holds together: the
				// last of it goes in when some of it was read.
				_, err = inW.WriteString(strings.Repeat("no request\n", 80<<10/11))
				must(t, err)
				want := 0
				if end == "SIGTERM" {
					must(t, cmd.Process.Signal(syscall.SIGTERM))
				} else {
					must(t, inW.Close())
					want = 1
				}
				_ = cmd.Wait()
				if code := cmd.ProcessState.ExitCode(); code != want {
					t.Errorf("exit code %d, want %d; said %q", code, want, talk.String())
				}
			})
		}
	}
}
