package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cuatui/fixtures/golden"
	"cuatui/tui/tuitest"
)

// wideMasks replace what differs from run to run where panes stand side by side:
// by as many cells, so that what is beside them stays.
var wideMasks = []*regexp.Regexp{
	regexp.MustCompile(`http://127\.0\.0\.1:\d+\S*`),
	regexp.MustCompile(` *\d+(\.\d)? m?s\b`),
	regexp.MustCompile(`\d\d:\d\d:\d\d`),
	regexp.MustCompile(`\b(bt|tab|bc)-[0-9a-f]+`),
	regexp.MustCompile(`box +[-\d., x]*\d`),
	regexp.MustCompile(`\b\d+x\d+\+\d+\+\d+`),
	regexp.MustCompile(`at \d+,\d+`),
	regexp.MustCompile(`\d+ tokens +\d+ bytes`),
	regexp.MustCompile(`window 0x[0-9a-f]+|\b0x[0-9a-f]+\b`),
}

// ofAnyWidth is replaced by one cell: it ends its line or stands in a sentence.
var ofAnyWidth = regexp.MustCompile(`\b(pid|owner|Chromium) [\d.…]+|tui-\d+`)

// steady is a screen without what differs from run to run.
func steady(screen string) string {
	var out []string
	for i, l := range strings.Split(screen, "\n") {
		l = strings.TrimRight(l, " \r")
		for _, m := range wideMasks {
			l = m.ReplaceAllStringFunc(l, func(s string) string { return strings.Repeat("·", len([]rune(s))) })
		}
		l = ofAnyWidth.ReplaceAllString(l, "·")
		if i == 1 { // of the page: as wide as the time that reading it took
			l = strings.Join(strings.FieldsFunc(l, func(r rune) bool { return r == ' ' || r == '·' }), " ")
		}
		out = append(out, strings.TrimRight(l, " "))
	}
	return strings.Join(out, "\n")
}

var colours = regexp.MustCompile(`\x1b\[(\d+;)*(3[0-8]|4[0-8]|9[0-7]|10[0-7])(;\d+)*m`)

// The same stops at the sizes at which the panes stand side by side, with colours
// and without: what the real program shows of a real browser.
func TestTheTourAtOtherSizes(t *testing.T) {
	for _, size := range []struct {
		w, h  int
		plain bool
	}{{120, 40, true}, {160, 50, false}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "--demo", "--state-dir", t.TempDir())
			cmd.Env = []string{programEnv + "=1", "TERM=xterm-256color", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
			if size.plain {
				cmd.Env = append(cmd.Env, "NO_COLOR=1")
			}
			path := filepath.Join("testdata", fmt.Sprintf("tour_%dx%d.golden", size.w, size.h))
			kept, err := os.ReadFile(path)
			if err != nil && !*golden.Update {
				t.Fatal(err)
			}
			x := tuitest.Start(t, cmd, size.w, size.h)
			var b strings.Builder
			for _, s := range tour[:len(tour)-1] { // the list's columns are as wide as the process ids
				x.Type(s.keys)
				for _, text := range s.wait {
					x.Wait(text)
				}
				head := fmt.Sprintf("\n## %s\n\n```\n", s.title)
				b.WriteString(head + seenAs(x, wanted(string(kept), head), steady) + "\n```\n")
			}
			x.Type("\x03")
			if code := x.End(); code != 0 {
				t.Errorf("exit code = %d", code)
			}
			if c := colours.FindString(x.Raw()); (c == "") != size.plain {
				t.Errorf("colour %q, NO_COLOR %v", c, size.plain)
			}
			golden.File(t, path, b.String())
		})
	}
}
