// Package visual holds what is decided about visual regions without a browser:
// which come first, which share a row, what a budget leaves room for, how large
// an image may be, and whether a region is still where it was. All of it is
// pure and takes no more than O(C log K) steps for C regions and K rows.
package visual

import (
	"cmp"
	"math"
	"slices"
)

// Rect is left, top, right, bottom in CSS px.
type Rect struct{ L, T, R, B float64 }

// Cut is what both rects have.
func (r Rect) Cut(o Rect) Rect {
	return Rect{max(r.L, o.L), max(r.T, o.T), min(r.R, o.R), min(r.B, o.B)}
}

// Area is in CSS px², 0 for a rect that is none.
func (r Rect) Area() float64 { return max(0, r.R-r.L) * max(0, r.B-r.T) }

// Region is one element whose pixels no text tells.
type Region struct {
	Doc    int    // the order of its document in the page
	Local  int    // its identity in the document
	Parent int    // its parent's
	Kind   string // canvas, video, image, svg, embed, object, background
	Label  string
	Active bool // in the active layer: a dialog, or what lies over the page
	Crop   Rect // what can be seen of it, of the top viewport
	// Why is why its place is not exact, "" where it is.
	Why string
}

// before is the total order: the active layer, the larger, the document, from
// the top, from the left, the older.
func before(a, b *Region) int {
	if a.Active != b.Active {
		if a.Active {
			return -1
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(b.Crop.Area(), a.Crop.Area()), cmp.Compare(a.Doc, b.Doc),
		cmp.Compare(a.Crop.T, b.Crop.T), cmp.Compare(a.Crop.L, b.Crop.L), cmp.Compare(a.Local, b.Local),
	)
}

// Row is what one line tells of: one region, exact duplicates of it, or a group
// of small equal siblings.
type Row struct {
	// Region is the first of the row's.
	Region *Region
	// Same are the others at exactly its place, in order.
	Same []*Region
	// Like are the others of its group, in order.
	Like []*Region
}

// Regions is how many regions the row tells of.
func (r *Row) Regions() int { return 1 + len(r.Same) + len(r.Like) }

// area is what the row's regions take of the window.
func (r *Row) area() float64 { return r.Region.Crop.Area() * float64(1+len(r.Like)) }

func rowBefore(a, b *Row) int {
	if a.Region.Active == b.Region.Active {
		if c := cmp.Compare(b.area(), a.area()); c != 0 {
			return c
		}
	}
	return before(a.Region, b.Region)
}

// The bounds of a selection.
const (
	// RowsMax is the most rows of one snapshot.
	RowsMax = 512
	// KeysMax is how many places are told apart; what is beyond has a row of its own.
	KeysMax = 50_000
	// GroupMin is how many siblings make a group, SmallArea (CSS px²) how large
	// each may be.
	GroupMin  = 4
	SmallArea = 10_000
)

// Selection is the rows of a page in their order.
type Selection struct {
	Rows []*Row
	// Cut is how many regions have no row, because there are more than fit.
	Cut int
	// Degraded says that there were too many places to tell all duplicates.
	Degraded bool
	// Work counts what was done, for tests.
	Work Work
}

// Work counts the steps of a selection.
type Work struct{ Looked, Compared, HeapMost int }

// place is where duplicates are: the same document, parent and four edges.
type place struct {
	doc, parent int
	crop        Rect
}

// family is what the members of a group have in common. It has no label: what
// is called by a name is told apart by it.
type family struct {
	doc, parent   int
	kind          string
	width, height float64
	active        bool
}

// Select makes rows of regions and keeps the first most of them. The regions
// are not changed; their order among themselves makes no difference, as long as
// there are no more places than can be told apart.
func Select(regions []Region, most int) Selection {
	var s Selection
	rows := s.group(s.dedup(regions))
	keep := heap{most: min(most, RowsMax), work: &s.Work}
	for _, r := range rows {
		if out := keep.push(r); out != nil {
			s.Cut += out.Regions()
		}
	}
	s.Rows = keep.rows
	slices.SortFunc(s.Rows, rowBefore)
	return s
}

// dedup gives each place one row.
func (s *Selection) dedup(regions []Region) []*Row {
	rows := make([]*Row, 0, len(regions))
	at := map[place]*Row{}
	for i := range regions {
		r := &regions[i]
		s.Work.Looked++
		if r.Why != "" { // where it is is not known exactly
			rows = append(rows, &Row{Region: r})
			continue
		}
		key := place{r.Doc, r.Parent, r.Crop}
		if row := at[key]; row != nil {
			row.Same = append(row.Same, r)
			continue
		}
		row := &Row{Region: r}
		if len(at) < KeysMax {
			at[key] = row
		} else {
			s.Degraded = true
		}
		rows = append(rows, row)
	}
	for _, row := range rows {
		row.settle(&row.Same)
	}
	return rows
}

// settle puts the first of the row in front of the others.
func (r *Row) settle(others *[]*Region) {
	if len(*others) == 0 {
		return
	}
	all := append(*others, r.Region)
	slices.SortFunc(all, before)
	r.Region, *others = all[0], all[1:]
}

// group puts small equal siblings into one row.
func (s *Selection) group(rows []*Row) []*Row {
	members := map[family][]*Row{}
	for _, r := range rows {
		if f, ok := familyOf(r); ok && (len(members) < KeysMax || members[f] != nil) {
			members[f] = append(members[f], r)
		}
	}
	out := rows[:0]
	for _, r := range rows {
		s.Work.Looked++
		f, ok := familyOf(r)
		all := members[f]
		if !ok || len(all) < GroupMin {
			out = append(out, r)
			continue
		}
		if all[0] != r { // told by the row of the first of them
			continue
		}
		g := &Row{Region: r.Region}
		for _, m := range all[1:] {
			g.Like = append(g.Like, m.Region)
		}
		g.settle(&g.Like)
		out = append(out, g)
	}
	return out
}

func familyOf(r *Row) (family, bool) {
	g := r.Region
	if g.Why != "" || g.Label != "" || len(r.Same) > 0 || g.Crop.Area() > SmallArea {
		return family{}, false
	}
	round := func(v float64) float64 { return math.Round(v*100) / 100 }
	return family{g.Doc, g.Parent, g.Kind, round(g.Crop.R - g.Crop.L), round(g.Crop.B - g.Crop.T), g.Active}, true
}

// heap keeps the first most rows; the last of them is on top.
type heap struct {
	most int
	rows []*Row
	work *Work
}

// push adds a row and returns the one that has no room, nil where all have.
func (h *heap) push(r *Row) *Row {
	if h.most <= 0 {
		return r
	}
	if len(h.rows) < h.most {
		h.rows = append(h.rows, r)
		h.work.HeapMost = max(h.work.HeapMost, len(h.rows))
		for i := len(h.rows) - 1; i > 0 && h.after(i, (i-1)/2); i = (i - 1) / 2 {
			h.rows[i], h.rows[(i-1)/2] = h.rows[(i-1)/2], h.rows[i]
		}
		return nil
	}
	h.work.Compared++
	if rowBefore(r, h.rows[0]) >= 0 {
		return r
	}
	out := h.rows[0]
	h.rows[0] = r
	for i := 0; ; {
		last := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < len(h.rows) && h.after(c, last) {
				last = c
			}
		}
		if last == i {
			return out
		}
		h.rows[i], h.rows[last] = h.rows[last], h.rows[i]
		i = last
	}
}

func (h *heap) after(i, j int) bool {
	h.work.Compared++
	return rowBefore(h.rows[i], h.rows[j]) > 0
}
