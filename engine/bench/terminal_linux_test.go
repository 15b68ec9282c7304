package bench

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuatui/tui/tuitest"
)

// What the terminal UI may take: a key, a frame of a display; the first frame,
// less than a person notices.
const (
	keyMax        = 16 * time.Millisecond
	firstFrameMax = 100 * time.Millisecond
)

func BenchmarkTerminal(b *testing.B) { publish(b, measureTerminal(b, 7)) }

func measureTerminal(tb testing.TB, rounds int) *sheet {
	tb.Helper()
	s := &sheet{title: "Terminal UI", head: []string{"what", "took", "allocations", "bar"}}
	keys, allocations := keyTimes(tb, rounds)
	s.add("key on 50,000 rows, update and view", keys, allocations, held(keys.median(), keyMax))
	first, listed := startTimes(tb, rounds)
	s.add("start of the program to its first frame", first, "", held(first.median(), firstFrameMax))
	s.add("start of the program to the windows listed", listed, "", "")
	s.note("the allocations are of one key; a test holds that they do not grow with the rows")
	s.note("the first frame is timed from the exec of the built program to its text in a terminal of 120 by 40")
	return s
}

var keyLine = regexp.MustCompile(`(?m)^BenchmarkKeyOn50000Rows\S*\s+\d+\s+([\d.]+) ns/op\s+\d+ B/op\s+(\d+) allocs/op`)

// keyTimes runs the terminal UI's own benchmark.
func keyTimes(tb testing.TB, rounds int) (took samples, allocations string) {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), "go", "test", "-run", "^$", "-bench", "KeyOn50000Rows", "-benchmem", "-benchtime", "300x", "-count", strconv.Itoa(rounds), "cuatui/tui")
	out, err := cmd.CombinedOutput()
	lines := keyLine.FindAllSubmatch(out, -1)
	if err != nil || len(lines) != rounds {
		tb.Fatalf("the benchmark of the terminal UI: %v\n%s", err, out)
	}
	for _, l := range lines {
		ns, err := strconv.ParseFloat(string(l[1]), 64)
		must(tb, err)
		took = append(took, time.Duration(ns))
		allocations = string(l[2])
	}
	return took, allocations
}

// startTimes starts the program in a terminal on an empty desktop.
func startTimes(tb testing.TB, rounds int) (first, listed samples) {
	tb.Helper()
	program, display, state := build(tb), openDesktop(tb), tb.TempDir()
	for range rounds {
		cmd := exec.CommandContext(tb.Context(), program, "--state-dir", state)
		cmd.Env = append(display.Env(), "TERM=xterm-256color", "COLORTERM=truecolor")
		began := time.Now()
		x := tuitest.Start(tb, cmd, 120, 40)
		x.Wait("what an agent can see")
		first = append(first, time.Since(began))
		x.Wait("linux/x11")
		listed = append(listed, time.Since(began))
		x.Type("q")
		if code := x.End(); code != 0 {
			tb.Fatalf("the program ended with %d:\n%s", code, strings.TrimSpace(x.Screen()))
		}
	}
	return first, listed
}
