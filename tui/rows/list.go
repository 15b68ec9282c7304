// Package rows is the virtual list under every data pane. It holds no text and
// no styles: only which source rows are shown, in which order, where the
// cursor is, and what part is in sight. A key costs what is in sight, however
// many rows there are.
package rows

// List shows rows of a source that is addressed by index and remembers the
// cursor by the row's identity, so that it survives new data, filters and
// folds. The zero value is an empty list. A List belongs to the update loop.
type List[ID comparable] struct {
	id      func(i int) ID
	visible []int32
	cursor  int // position in visible
	top     int
	height  int // of the last drawing
	rev     uint64
	// at names the row under the cursor. It is kept here because the source
	// has changed by the time Set is told.
	at    ID
	named bool
}

// Set replaces what is shown: the indices of the source rows in their order,
// and how to name a row. The cursor stays on the row of the same identity;
// where that is gone it stays at the
// same position. An empty list forgets nothing: the row may come back.
func (l *List[ID]) Set(visible []int32, id func(i int) ID) {
	l.visible, l.id = visible, id
	l.rev++
	if !l.named || !l.Select(l.at) {
		l.move(l.cursor)
	}
}

// Forget puts the cursor on the first row of whatever is shown next.
func (l *List[ID]) Forget() { l.cursor, l.top, l.named = 0, 0, false }

// All returns the indices 0 to n-1, for a list that shows everything.
func All(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// Len is the number of rows shown.
func (l *List[ID]) Len() int { return len(l.visible) }

// Rev changes whenever the drawing would.
func (l *List[ID]) Rev() uint64 { return l.rev }

// Touch says that the drawing changes for a reason the list cannot see.
func (l *List[ID]) Touch() { l.rev++ }

// Current returns the source index of the row under the cursor, and whether
// there is one.
func (l *List[ID]) Current() (int, bool) {
	if len(l.visible) == 0 {
		return 0, false
	}
	return int(l.visible[l.cursor]), true
}

// Position is the cursor's place among the rows shown, from 0.
func (l *List[ID]) Position() int { return l.cursor }

// Move moves the cursor by d rows, stopping at the ends.
func (l *List[ID]) Move(d int) { l.move(l.cursor + d) }

// Page moves the cursor by n halves of what is in sight.
func (l *List[ID]) Page(n int) { l.move(l.cursor + n*max(l.height/2, 1)) }

// Home and End move to the first and last row.
func (l *List[ID]) Home() { l.move(0) }

// End moves to the last row.
func (l *List[ID]) End() { l.move(len(l.visible) - 1) }

// Click moves the cursor to line y of the last drawing.
func (l *List[ID]) Click(y int) {
	if y >= 0 && l.top+y < len(l.visible) {
		l.move(l.top + y)
	}
}

// Select moves the cursor to the row named id, and says whether it is shown.
func (l *List[ID]) Select(id ID) bool {
	if l.cursor < len(l.visible) && l.id(int(l.visible[l.cursor])) == id {
		return true
	}
	for pos, i := range l.visible {
		if l.id(int(i)) == id {
			l.move(pos)
			return true
		}
	}
	return false
}

// Seek moves to the next row, in direction d (1 or -1) and around the end, for
// which match holds; the row under the cursor comes last.
func (l *List[ID]) Seek(d int, match func(i int) bool) bool {
	n := len(l.visible)
	for step := 1; step <= n; step++ {
		pos := ((l.cursor+d*step)%n + n) % n
		if match(int(l.visible[pos])) {
			l.move(pos)
			return true
		}
	}
	return false
}

func (l *List[ID]) move(pos int) {
	pos = max(min(pos, len(l.visible)-1), 0)
	if pos != l.cursor {
		l.cursor = pos
		l.rev++
	}
	if pos < len(l.visible) {
		l.at, l.named = l.id(int(l.visible[pos])), true
	}
}

// Draw appends to dst one line for each row in sight, at most h.
func (l *List[ID]) Draw(dst []string, h int, row func(i int, cursor bool) string) []string {
	l.height = max(h, 0)
	l.scroll()
	for pos := l.top; pos < min(l.top+l.height, len(l.visible)); pos++ {
		dst = append(dst, row(int(l.visible[pos]), pos == l.cursor))
	}
	return dst
}

func (l *List[ID]) scroll() {
	if l.cursor < l.top {
		l.top = l.cursor
	}
	if l.height > 0 && l.cursor >= l.top+l.height {
		l.top = l.cursor - l.height + 1
	}
	// After a resize or a filter, do not leave blank lines below the end.
	l.top = max(min(l.top, len(l.visible)-l.height), 0)
}
