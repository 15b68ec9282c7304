package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
	"cuatui/fixtures/desktop"
)

func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWaylandOrARefusal(t *testing.T) {
	exit, out, talk := cuatui(t, "", "--wayland", "snapshot", "--url", "http://127.0.0.1:9/", "--json")
	var got struct {
		Refusal     refusal.Refusal
		NextCommand string `json:"next_command"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || exit != headless.ExitRefused || got.Refusal.Reason != refusal.DisplayUnavailable {
		t.Errorf("exit %d, %v, out %q, err %q; want a refusal", exit, err, out, talk)
	}
	if got.NextCommand != "cuatui --wayland doctor" {
		t.Errorf("leads to %q, want that it asks for Wayland as well", got.NextCommand)
	}
}

// TestSway runs the program in a session of Sway that has Xwayland as well, as
// a person's has.
func TestSway(t *testing.T) {
	if ran, err := desktop.AsUser(soon(t), "TestSway", t.Output()); ran {
		must(t, err)
		return
	}
	s, err := desktop.StartSway(soon(t))
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	for _, kv := range s.Env() {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	t.Setenv("DISPLAY", s.XDisplay())
	t.Run("both window systems are looked at", bothAreListed)
	for name, tt := range map[string]struct {
		args    []string
		wayland bool
	}{
		"a snapshot":            {[]string{"snapshot"}, false},
		"a snapshot on Wayland": {[]string{"--wayland", "snapshot"}, true},
		"the demo on Wayland":   {[]string{"--wayland", "--demo"}, true},
	} {
		t.Run(name, func(t *testing.T) { shownOn(t, s, tt.args, tt.wayland) })
	}
	t.Run("an agent is told", toldToAgents)
}

// inSession runs the program in the session.
func inSession(t *testing.T, args ...string) string {
	t.Helper()
	var out, talk bytes.Buffer
	args = append([]string{"--state-dir", t.TempDir()}, args...)
	if code := run(args, strings.NewReader(""), &out, &talk, os.Environ()); code != 0 {
		t.Fatalf("exit %d: %s %s", code, out.String(), talk.String())
	}
	return out.String()
}

func bothAreListed(t *testing.T) {
	var got contract.ListWindowsResult
	must(t, json.Unmarshal([]byte(inSession(t, "windows", "--json")), &got))
	if got.System != "linux/sway+x11" || len(got.Notes) > 0 {
		t.Errorf("listed %+v", got)
	}
}

// shownOn takes a snapshot of a page in a launched browser, and asks Sway which
// kind of window was shown meanwhile.
func shownOn(t *testing.T, s *desktop.Sway, args []string, wayland bool) {
	pages := fixtures.NewServer()
	must(t, pages.Start(soon(t)))
	t.Cleanup(func() { must(t, pages.Close()) })
	if args[len(args)-1] == "snapshot" {
		url, _ := pages.Page("inbox-attribute")
		args = append(args, "--url", url)
	}
	type answer struct {
		w   desktop.SwayWindow
		err error
	}
	ctx, seen := soon(t), make(chan answer, 1)
	go func() {
		w, err := s.WaitWindow(ctx, func(w desktop.SwayWindow) bool { return w.ID != s.Sentinel() })
		seen <- answer{w, err}
	}()
	out := inSession(t, args...)
	got := <-seen
	must(t, got.err)
	if (got.w.XID == 0) != wayland {
		t.Errorf("shown as %+v, want on Wayland: %v", got.w, wayland)
	}
	if !strings.Contains(out, "Send") {
		t.Errorf("read %.500s", out)
	}
	_, err := s.Wait(ctx, func(f desktop.SwayFacts) bool { return len(f.Windows) == 1 })
	must(t, err)
}

func toldToAgents(t *testing.T) {
	inR, in := io.Pipe()
	outR, out := io.Pipe()
	var talk bytes.Buffer
	exit := make(chan int, 1)
	args := []string{"--state-dir", t.TempDir(), "--wayland", "--headless", "--protocol", "jsonl"}
	go func() {
		exit <- run(args, inR, out, &talk, os.Environ())
		_ = out.Close()
	}()
	answers := bufio.NewReader(outR)
	for _, step := range []struct{ request, answer string }{
		{`{"id":1,"tool":"start_session","arguments":{"session":"a"}}`, `"status":"ok"`},
		{`{"id":2,"tool":"browser_prepare","arguments":{"session":"a","profile":"isolated_new","allow_launch":true}}`, `"window_system":"wayland"`},
	} {
		_, err := io.WriteString(in, step.request+"\n")
		must(t, err)
		if answer, err := answers.ReadString('\n'); err != nil || !strings.Contains(answer, step.answer) {
			t.Errorf("%s: answered %s, %v", step.request, answer, err)
		}
	}
	_ = in.Close()
	if code := <-exit; code != 0 || talk.Len() > 0 {
		t.Errorf("exit %d, err %q", code, talk.String())
	}
}
