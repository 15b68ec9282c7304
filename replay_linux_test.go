package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cuatui/engine/headless"
)

// A file that is no case is said to be none, and nothing is shown.
func TestReplayOfWhatIsNoCase(t *testing.T) {
	dir := t.TempDir()
	hello := filepath.Join(dir, "hello\x1b[2J")
	if err := os.WriteFile(hello, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{hello: "it is no case file", dir: "is no regular file", pipe: "is no regular file", filepath.Join(dir, "none"): "no such file"} {
		for _, args := range [][]string{{"replay", "--plain", path}, {"replay", path}} { // whatever else is missing
			exit, out, talk := cuatui(t, "", args...)
			if exit != headless.ExitError || out != "" || !strings.Contains(talk, says) || strings.ContainsRune(talk, 0x1b) {
				t.Errorf("%q: exit %d, out %q, err %q; want %q", args, exit, out, talk, says)
			}
		}
	}
}
