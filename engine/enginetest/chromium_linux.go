package enginetest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"cuatui/engine/devtools"
)

// Chromium starts a headless Chromium on a pipe for tests of what a page shows;
// tests of windows use a real display. It is ended, with its group, when the
// test ends. A missing Chromium fails the test: the suite needs it.
func Chromium(t testing.TB, flags ...string) *devtools.Conn {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("no Chromium (run make install-deps): %v", err)
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{
		"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + t.TempDir(), "--no-first-run", "--window-size=1280,800",
		"--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", "--disable-extensions",
	}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, append(append(args, flags...), "about:blank")...)
	cmd.ExtraFiles = []*os.File{inR, outW}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	err = errors.Join(inR.Close(), outW.Close())
	conn := devtools.New(devtools.NewPipe(outR, inW), devtools.Options{})
	t.Cleanup(func() {
		_ = conn.Close() // the browser ends with its pipe; what it says then does not matter
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// Open opens url in the browser's page and waits until it has loaded.
func Open(t testing.TB, conn *devtools.Conn, url string) *devtools.Session {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := conn.Browser().Call(ctx, "Target.createTarget", map[string]any{"url": "about:blank"}, &made); err != nil {
		t.Fatal(err)
	}
	s, err := conn.Attach(ctx, made.TargetID)
	if err != nil {
		t.Fatal(err)
	}
	Go(t, s, url)
	return s
}

// Go navigates an open page and waits until it has loaded.
func Go(t testing.TB, s *devtools.Session, url string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	if err := s.Call(ctx, "Page.enable", nil, nil); err != nil {
		t.Fatal(err)
	}
	loaded := s.Subscribe("Page.loadEventFired")
	defer loaded.Close()
	if err := s.Call(ctx, "Page.navigate", map[string]any{"url": url}, nil); err != nil {
		t.Fatal(err)
	}
	select {
	case <-loaded.C():
	case <-ctx.Done():
		t.Fatalf("open %s: %v", url, ctx.Err())
	}
	if err := s.Call(ctx, "Page.disable", nil, nil); err != nil {
		t.Fatal(err)
	}
}

// Eval evaluates an expression in the page's main world and decodes its value.
func Eval(t testing.TB, s *devtools.Session, expression string, result any) {
	t.Helper()
	var r struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		ExceptionDetails any `json:"exceptionDetails"`
	}
	r.Result.Value = result
	args := map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}
	if err := s.Call(t.Context(), "Runtime.evaluate", args, &r); err != nil {
		t.Fatal(err)
	}
	if r.ExceptionDetails != nil {
		t.Fatalf("eval: %v", r.ExceptionDetails)
	}
}
