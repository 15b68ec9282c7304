package rows

import (
	"fmt"
	"slices"
	"testing"
)

// shows draws a list of names and returns the lines, the cursor's marked.
func shows(l *List[string], names []string, h int) []string {
	return l.Draw(nil, h, func(i int, cursor bool) string {
		if cursor {
			return ">" + names[i]
		}
		return names[i]
	})
}

func list(names []string) *List[string] {
	l := &List[string]{}
	l.Set(All(len(names)), func(i int) string { return names[i] })
	return l
}

func TestTheCursorStaysOnItsRow(t *testing.T) {
	old := []string{"a", "b", "c", "d"}
	tests := []struct {
		name string
		now  []string
		want string
	}{
		{"where rows came before it", []string{"x", "y", "a", "b", "c", "d"}, "c"},
		{"where rows before it went", []string{"c", "d"}, "c"},
		{"where the order changed", []string{"d", "c", "b", "a"}, "c"},
		{"at the same place where its row is gone", []string{"a", "b", "x", "d"}, "x"},
		{"at the end where the list got short", []string{"a"}, "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// The source is replaced in place, as panes do it.
			names := old
			l := &List[string]{}
			id := func(i int) string { return names[i] }
			l.Set(All(len(names)), id)
			l.Move(2)
			names = tt.now
			l.Set(All(len(names)), id)
			if i, ok := l.Current(); !ok || names[i] != tt.want {
				t.Errorf("cursor on row %d, want %q", i, tt.want)
			}
		})
	}
}

func TestARowThatComesBackIsSelectedAgain(t *testing.T) {
	names := []string{"a", "b", "c"}
	l := list(names)
	l.Move(1)
	l.Set(nil, func(int) string { return "" })
	if _, ok := l.Current(); ok {
		t.Error("an empty list has a current row")
	}
	l.Set(All(3), func(i int) string { return names[i] })
	if i, _ := l.Current(); names[i] != "b" {
		t.Errorf("cursor on %q", names[i])
	}
}

func TestMovingKeepsTheCursorInSight(t *testing.T) {
	var names []string
	for i := range 10 {
		names = append(names, fmt.Sprint(i))
	}
	l := list(names)
	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"start", func() {}, []string{">0", "1", "2"}},
		{"up at the top", func() { l.Move(-1) }, []string{">0", "1", "2"}},
		{"down past the end of sight", func() { l.Move(3) }, []string{"1", "2", ">3"}},
		{"up within sight", func() { l.Move(-1) }, []string{"1", ">2", "3"}},
		{"to the end", l.End, []string{"7", "8", ">9"}},
		{"down at the end", func() { l.Move(1) }, []string{"7", "8", ">9"}},
		{"click", func() { l.Click(0) }, []string{">7", "8", "9"}},
		{"click below the rows", func() { l.Click(7) }, []string{">7", "8", "9"}},
		{"home", l.Home, []string{">0", "1", "2"}},
		{"select", func() { l.Select("5") }, []string{"3", "4", ">5"}},
	}
	for _, s := range steps {
		s.do()
		if got := shows(l, names, 3); !slices.Equal(got, s.want) {
			t.Errorf("%s: %q, want %q", s.name, got, s.want)
		}
	}
	if got := shows(l, names, 20); len(got) != 10 || got[0] != "0" {
		t.Errorf("a tall window shows %q", got)
	}
	if got := shows(l, names, 0); len(got) != 0 {
		t.Errorf("no height shows %q", got)
	}
}

func TestSeekGoesAround(t *testing.T) {
	names := []string{"a1", "b", "a2", "c"}
	l := list(names)
	hit := func(i int) bool { return names[i][0] == 'a' }
	var got []string
	for _, d := range []int{1, 1, -1} {
		l.Seek(d, hit)
		i, _ := l.Current()
		got = append(got, names[i])
	}
	if want := []string{"a2", "a1", "a2"}; !slices.Equal(got, want) {
		t.Errorf("seek went to %q, want %q", got, want)
	}
	if l.Seek(1, func(int) bool { return false }) {
		t.Error("seek found what is not there")
	}
}

func TestDrawingFormatsOnlyWhatIsSeen(t *testing.T) {
	l := &List[int]{}
	l.Set(All(50_000), func(i int) int { return i })
	n := 0
	l.Draw(nil, 40, func(int, bool) string { n++; return "" })
	if n != 40 {
		t.Errorf("formatted %d rows for 40 lines", n)
	}
}
