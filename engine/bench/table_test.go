package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// samples are the times that one thing took, in the order of the rounds.
type samples []time.Duration

func (s samples) median() time.Duration {
	if len(s) == 0 {
		return 0
	}
	return middle(slices.Sorted(slices.Values(s)))
}

// String is the median and the range, in ms.
func (s samples) String() string {
	if len(s) == 0 {
		return "-"
	}
	return spread(s, func(d time.Duration) string {
		ms := float64(d) / float64(time.Millisecond)
		if ms >= 100 {
			return fmt.Sprintf("%.0f", ms)
		}
		return fmt.Sprintf("%.1f", ms)
	})
}

// over is how many times as long as base each sample took, one by one: they are
// of the same turn.
func (s samples) over(base samples) string {
	var ratios []float64
	for i := range min(len(s), len(base)) {
		if base[i] > 0 {
			ratios = append(ratios, float64(s[i])/float64(base[i]))
		}
	}
	if len(ratios) == 0 {
		return "-"
	}
	return spread(ratios, func(r float64) string { return fmt.Sprintf("%.2f", r) })
}

// times is the ratio of the medians of samples that were not taken in pairs.
func (s samples) times(base samples) string {
	if len(s) == 0 || base.median() == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(s.median())/float64(base.median()))
}

type number interface{ ~int64 | ~float64 }

func middle[N number](sorted []N) N {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func spread[N number](values []N, show func(N) string) string {
	v := slices.Sorted(slices.Values(values))
	return fmt.Sprintf("%s (%s-%s)", show(middle(v)), show(v[0]), show(v[len(v)-1]))
}

// sheet is one table of the output.
type sheet struct {
	title string
	head  []string
	rows  [][]string
	notes []string
}

func (s *sheet) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	s.rows = append(s.rows, row)
}

func (s *sheet) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// print writes the table. It begins on a new line, because go test has begun one.
func (s *sheet) print(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "\n\n## %s\n", s.title)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{s.head}, s.rows...) {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, n := range s.notes {
		fmt.Fprintln(b, "- "+n)
	}
	fmt.Fprintf(b, "- load %s\n\n", load())
	return b.Flush()
}

// publish prints a table of a benchmark, whose own time says nothing.
func publish(b *testing.B, s *sheet) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	if err := s.print(os.Stdout); err != nil {
		b.Fatal(err)
	}
}

// load is how busy the machine was in the last minute, in running processes.
func load() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(raw), " ")
	return fmt.Sprintf("%s on %d processors", first, runtime.NumCPU())
}

// machine says what was measured on.
func machine(ctx context.Context) *sheet {
	s := &sheet{title: "Machine", head: []string{"what", "value"}}
	s.add("processor", firstField("/proc/cpuinfo", "model name"))
	s.add("processors", runtime.NumCPU())
	s.add("memory", firstField("/proc/meminfo", "MemTotal"))
	s.add("go", runtime.Version())
	version := "unknown"
	if out, err := exec.CommandContext(ctx, "chromium", "--version").Output(); err == nil {
		version = strings.TrimSpace(string(out))
	}
	s.add("browser", version)
	s.note("times are ms: median (least-most); ratios are the median (least-most) of the turns' own ratios")
	return s
}

// firstField is the value of the first "name : value" line of a file.
func firstField(file, name string) string {
	raw, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(raw)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
