package draw

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"cuatui/tui/text"
	"cuatui/tui/theme"
)

func paint() *Paint { return &Paint{Theme: theme.New(true, true)} }

func TestRowFillsItsCellsExactly(t *testing.T) {
	p := paint()
	spans := []Span{Of(theme.Ref, "p42:8"), Of(theme.Text, " 日本語のページ "), Of(theme.Dim, "tail")}
	for _, m := range []text.Measure{{}, text.Graphemes} {
		p.Text = m
		for w := range 40 {
			for _, selected := range []bool{false, true} {
				got := ansi.Strip(p.Row(w, selected, spans...))
				if n := m.Width(got); n != w {
					t.Errorf("Row(%d) has %d cells: %q", w, n, got)
				}
			}
		}
	}
}

func TestColumnsGoInTheirOrder(t *testing.T) {
	cols := []Column{{Title: "ref", Want: 5}, {Title: "name", Grow: true, Min: 10}, {Title: "actions", Want: 7, Drop: 1}, {Title: "tier", Want: 4, Drop: 2}}
	tests := []struct {
		w    int
		want string
	}{
		{40, "ref    name                actions  tier"},
		{32, "ref    name        actions  tier"},
		{31, "ref    name             actions"},
		{25, "ref    name              "},
	}
	for _, tt := range tests {
		g := NewGrid(tt.w, cols)
		var b strings.Builder
		for _, s := range g.Row(text.Measure{}, nil, g.Titles()...) {
			b.WriteString(s.Text)
		}
		if got := strings.TrimRight(b.String(), " "); got != strings.TrimRight(tt.want, " ") {
			t.Errorf("%d cells: %q, want %q", tt.w, got, tt.want)
		}
	}
}

func TestChipsGoBeforeTheTitleDoes(t *testing.T) {
	p := paint()
	left := []Span{Of(theme.Text, "a title of some length")}
	chips := []Chip{{Span: Of(theme.Dim, "keep")}, {Span: Of(theme.Dim, "first to go"), Drop: 2}, {Span: Of(theme.Dim, "second"), Drop: 1}}
	for w, want := range map[int]string{
		60: "a title of some length        keep · first to go · second ",
		45: "a title of some length         keep · second ",
		30: "a title of some length   keep ",
	} {
		got := ansi.Strip(p.Chips(w, 20, left, chips))
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") || len([]rune(got)) != w {
			t.Errorf("%d cells: %q", w, got)
		}
	}
}

func TestTheRuleShowsFocusWithoutColour(t *testing.T) {
	p := &Paint{Theme: theme.New(true, false)}
	on, off := ansi.Strip(p.Rule(30, true, "Refs", "3")), ansi.Strip(p.Rule(30, false, "Refs", "3"))
	if on == off || !strings.HasPrefix(on, "━ Refs ━") || !strings.HasSuffix(off, "─ 3 ─") {
		t.Errorf("rules %q and %q", on, off)
	}
}
