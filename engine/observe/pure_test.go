package observe

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"cuatui/snapshotfmt"
)

func TestActionsAreDeclaredOnEvidenceOnly(t *testing.T) {
	in := func(c column) column { c.Tier, c.Hit = "in", hitOwn; c.Flags |= flagAct; return c }
	tests := []struct {
		name string
		c    column
		m    meaning
		want string
		why  string
	}{
		{"a button is clicked and pointed at", in(column{Ev: evNative}), meaning{Tag: "button"}, "click pointer", ""},
		{"no evidence, no action", in(column{}), meaning{Tag: "div"}, "", ""},
		{"text never acts", column{Flags: flagText, Ev: evListener, Tier: "in", Hit: hitOwn}, meaning{Tag: "p"}, "", ""},
		{"a select is chosen from", in(column{Ev: evNative}), meaning{Tag: "select"}, "select", ""},
		{"a file input takes files only", in(column{Ev: evNative}), meaning{Tag: "input", Type: "file"}, "upload", ""},
		{"a text field is typed into", in(column{Ev: evNative}), meaning{Tag: "input", Type: "text"}, "click type pointer", ""},
		{"a date is typed", in(column{Ev: evNative}), meaning{Tag: "input", Type: "date"}, "click type pointer", ""},
		{"a checkbox does not type", in(column{Ev: evNative}), meaning{Tag: "input", Type: "checkbox"}, "click pointer", ""},
		{"a range does not type", in(column{Ev: evNative}), meaning{Tag: "input", Type: "range"}, "click pointer", ""},
		{"an unknown input type does not type", in(column{Ev: evNative}), meaning{Tag: "input", Type: "hologram"}, "click pointer", ""},
		{"a readonly field does not type", in(column{Ev: evNative}), meaning{Tag: "textarea", States: snapshotfmt.States{Readonly: true}}, "click pointer", ""},
		{"an editing host is typed into", in(column{Ev: evEditable}), meaning{Tag: "div", Role: "textbox"}, "click type pointer", ""},
		{"a textbox role alone has nothing to type into", in(column{Ev: evRole}), meaning{Tag: "div", Role: "textbox"}, "click pointer", ""},
		{"disabled declares nothing and says why", in(column{Ev: evNative, Dis: "aria-disabled"}), meaning{Tag: "button"}, "", "disabled"},
		{"a disabled scroller still scrolls", in(column{Ev: evNative, Dis: "disabled", Flags: flagScroll}), meaning{Tag: "div"}, "scroll", "disabled"},
		{"a list that scrolls and is clicked", in(column{Ev: evRole, Flags: flagScroll}), meaning{Tag: "div", Role: "listbox"}, "click pointer scroll", ""},
		{"what is shown but not hit declares nothing", column{Flags: flagAct, Ev: evNative, Tier: "in", Hit: hitShown, Why: "covered"}, meaning{Tag: "button"}, "", "covered"},
		{"untested in view declares nothing", column{Flags: flagAct, Ev: evNative, Tier: "in"}, meaning{Tag: "button"}, "", "covered"},
		{"unknown declares nothing", column{Flags: flagAct, Ev: evNative, Tier: "unknown", Sub: "budget", Hit: hitUnknown}, meaning{Tag: "button"}, "", "budget"},
		{"a scroller of unknown cover does not scroll", column{Flags: flagScroll, Tier: "in", Hit: hitUnknown}, meaning{Tag: "div"}, "", ""},
		{"near acts untested, for it is scrolled to", column{Flags: flagAct, Ev: evNative, Tier: "near_viewport"}, meaning{Tag: "button"}, "click pointer", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			kinds, why := actions(tt.c, &tt.m)
			if strings.Join(kinds, " ") != tt.want || why != tt.why {
				t.Errorf("declares %v, why %q; want %s, %q", kinds, why, tt.want, tt.why)
			}
			if kinds == nil {
				t.Error("no actions is an empty list, not null")
			}
		})
	}
}

func TestRoutesBelongToClicks(t *testing.T) {
	tests := []struct {
		kinds    []string
		contract string
		safe     bool
		want     []string
	}{
		{[]string{"click", "pointer"}, "Space", true, []string{"trusted_key", "dom_event", "trusted"}},
		{[]string{"click", "pointer"}, "Enter", false, []string{"trusted_key", "dom_event"}},
		{[]string{"click"}, "", false, []string{"dom_event"}},
		{[]string{"upload"}, "Space", true, nil},
		{[]string{"select"}, "", true, nil},
		{nil, "Space", true, nil},
	}
	for _, tt := range tests {
		if got := routes(tt.kinds, &meaning{Contract: tt.contract}, tt.safe)["click"]; !slices.Equal(got, tt.want) {
			t.Errorf("routes of %v with contract %q, safe %v: %v, want %v", tt.kinds, tt.contract, tt.safe, got, tt.want)
		}
	}
}

func TestRank(t *testing.T) {
	tests := []struct {
		name string
		c    column
		want int
	}{
		{"focus in view", column{Tier: "in", Flags: flagFocused}, 0},
		{"focus near", column{Tier: "near_viewport", Flags: flagFocused}, 0},
		{"focus of unknown cover is unknown", column{Tier: "unknown", Flags: flagFocused}, 5},
		{"offscreen focus stays offscreen", column{Tier: "offscreen", Flags: flagFocused}, 6},
		{"in a dialog", column{Tier: "in", Flags: flagDialog | flagAct, Hit: hitCovered}, 0},
		{"actionable in view", column{Tier: "in", Flags: flagAct, Hit: hitOwn}, 1},
		{"covered in view", column{Tier: "in", Flags: flagAct, Hit: hitShown}, 2},
		{"disabled in view", column{Tier: "in", Flags: flagAct, Hit: hitOwn, Dis: "disabled"}, 2},
		{"readable in view", column{Tier: "in", Flags: flagText}, 2},
		{"actionable near", column{Tier: "near_viewport", Flags: flagAct}, 3},
		{"readable near", column{Tier: "near_viewport"}, 4},
		{"the rest", column{Tier: "offscreen", Flags: flagAct}, 6},
	}
	for _, tt := range tests {
		if got := rank(tt.c); got != tt.want {
			t.Errorf("%s ranks %d, want %d", tt.name, got, tt.want)
		}
	}
}

// A random forest of frames, flattened: before must order any candidates as a
// walk of the whole page meets them.
func TestBeforeIsTheOrderOfAWalk(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		var walked []*candidate
		var walk func(path []int, depth int)
		walk = func(path []int, depth int) {
			in := &surveyed{path: path}
			i := 0
			for range r.IntN(5) {
				i += 1 + r.IntN(3)
				walked = append(walked, &candidate{in: in, col: column{I: i}})
				if depth < 3 && r.IntN(3) == 0 {
					walk(append(slices.Clone(path), i), depth+1)
				}
			}
		}
		walk(nil, 0)
		for i, a := range walked {
			for j, b := range walked {
				if got := before(a, b); got != (i < j) {
					t.Fatalf("before(%v %d, %v %d) = %v", a.in.path, a.col.I, b.in.path, b.col.I, got)
				}
			}
		}
	}
}

func TestSiftKeepsWhatIsNotCovered(t *testing.T) {
	points := func(n int) []float64 {
		var p []float64
		for i := range n {
			p = append(p, float64(i), float64(10*i))
		}
		return p
	}
	tests := []struct {
		name   string
		c      column
		covers []int
		kept   []float64
		hit    int
		tier   string
	}{
		{"nothing covers", column{Tier: "in", Hit: hitOwn, Points: points(2)}, []int{0, 0}, points(2), hitOwn, "in"},
		{"one point is left", column{Tier: "in", Hit: hitOwn, Points: points(3)}, []int{2, 0, 1}, []float64{1, 10}, hitOwn, "in"},
		{"seen through", column{Tier: "in", Hit: hitOwn, Points: points(2)}, []int{2, 1}, nil, hitShown, "in"},
		{"covered", column{Tier: "in", Hit: hitOwn, Points: points(2)}, []int{2, 2}, nil, hitCovered, "page_occluded"},
		{"an unknown word covers", column{Tier: "in", Hit: hitOwn, Points: points(1)}, []int{-9}, nil, hitCovered, "page_occluded"},
		{"what was not hit stays so", column{Tier: "in", Hit: hitShown, Points: points(1)}, []int{2}, nil, hitShown, "in"},
		{"half a point is none", column{Tier: "in", Hit: hitOwn, Points: []float64{1}}, nil, []float64{1}, hitOwn, "in"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.c
			covers := append([]int{0, 0}, tt.covers...)
			if next := c.sift(covers, 2); next != len(covers) {
				t.Errorf("the next covers are at %d of %d", next, len(covers))
			}
			if !slices.Equal(c.Points, tt.kept) || c.Hit != tt.hit || c.Tier != tt.tier {
				t.Errorf("points %v, hit %d, tier %s; want %v, %d, %s", c.Points, c.Hit, c.Tier, tt.kept, tt.hit, tt.tier)
			}
		})
	}
}

func TestMappingsAreUndoneByTheirInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6*(1+math.Abs(a)) }
	for range 500 {
		m := identity
		for range r.IntN(4) {
			m = m.within([4]float64{r.Float64() * 1000, r.Float64() * 1000, 300, 200}, [2]float64{0.25 + r.Float64()*3, 0.25 + r.Float64()*3})
		}
		x, y := r.Float64()*500, r.Float64()*500
		px, py := m.point(x, y)
		if back := m.inverse(rect{px, py, px, py}); !near(back.L, x) || !near(back.T, y) {
			t.Fatalf("%v: (%v, %v) comes back as (%v, %v)", m, x, y, back.L, back.T)
		}
		in := rect{x, y, x + 10, y + 20}
		out := m.rect(in)
		if !near(out.L, px) || !near(out.T, py) || !near(out.R-out.L, 10*m.A) || !near(out.B-out.T, 20*m.D) {
			t.Fatalf("%v: %v becomes %v", m, in, out)
		}
	}
}

// moved is a mapping that moves and scales.
func moved(x, y, sx, sy float64) mapping { return mapping{A: sx, D: sy, E: x, F: y} }

func TestAQuadGivesTheMappingOntoIt(t *testing.T) {
	// A 200 by 100 document turned a quarter clockwise about its top left, at 50,60.
	m, ok := ofQuad([8]float64{50, 60, 50, 260, -50, 260, -50, 60}, 200, 100)
	if !ok {
		t.Fatal("a turned rectangle is refused")
	}
	if x, y := m.point(200, 100); math.Abs(x+50) > 1e-9 || math.Abs(y-260) > 1e-9 {
		t.Errorf("its far corner comes to %v,%v; want -50,260", x, y)
	}
	if _, ok := ofQuad([8]float64{0, 0, 200, 0, 180, 100, 20, 100}, 200, 100); ok {
		t.Error("a trapezium, which needs perspective, is accepted")
	}
}

func TestAMappingBeyondAllLayoutIsNotSane(t *testing.T) {
	sane := []mapping{identity, moved(-5000, 30000, 0.001, 4), moved(0, 0, -1, 1), {A: 0, B: 1, C: -1, D: 0}}
	mad := []mapping{
		{},
		moved(0, 0, 1, 0), moved(0, 0, 1e-9, 1), moved(0, 0, 1, 1e9), moved(1e12, 0, 1, 1), moved(math.NaN(), 0, 1, 1), moved(0, 0, math.NaN(), 1),
		moved(0, math.Inf(-1), 1, 1), moved(0, 0, math.Inf(1), 1),
		{A: 1, B: 1, C: 1, D: 1},
	}
	for _, m := range sane {
		if !m.sane() {
			t.Errorf("%v is refused", m)
		}
	}
	for _, m := range mad {
		if m.sane() {
			t.Errorf("%v is accepted", m)
		}
	}
}

func TestRounded(t *testing.T) {
	tests := []struct {
		in   [4]float64
		want *[4]float64
	}{
		{[4]float64{0.004, 0.005, 99.999, -0.004}, &[4]float64{0, 0.01, 100, 0}},
		{[4]float64{-0.126, -5, 1.0 / 3, 2}, &[4]float64{-0.13, -5, 0.33, 2}},
		{[4]float64{math.NaN(), 0, 0, 0}, nil},
		{[4]float64{0, math.Inf(1), 0, 0}, nil},
		{[4]float64{0, 0, 1e300, 0}, nil},
	}
	for _, tt := range tests {
		got := rounded(tt.in)
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("rounded(%v) = %v, want %v", tt.in, got, tt.want)
		}
		for i := range 4 {
			if got != nil && got[i] == 0 && math.Signbit(got[i]) {
				t.Errorf("rounded(%v) holds a negative zero", tt.in)
			}
		}
	}
}

func TestSplitReason(t *testing.T) {
	for in, want := range map[string][2]string{
		"css_hidden/display": {"css_hidden", "display"}, "unknown": {"unknown", ""}, "a/b/c": {"a", "b/c"}, "": {"", ""}, "/x": {"", "x"},
	} {
		if reason, sub := splitReason(in); string(reason) != want[0] || sub != want[1] {
			t.Errorf("splitReason(%q) = %q, %q", in, reason, sub)
		}
	}
}

func TestAriaRoleNamesNoInternals(t *testing.T) {
	for in, want := range map[string]string{
		"button": "button", "DisclosureTriangle": "button", "StaticText": "", "RootWebArea": "", "generic": "", "image": "img", "popUpButton": "button", "MenuListPopup": "listbox",
	} {
		if got := ariaRole(in); got != want {
			t.Errorf("ariaRole(%s) = %q, want %q", in, got, want)
		}
	}
}

func TestLinesCannotBeImitated(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		name  string
		m     meaning
		kinds []string
		why   string
		want  string
	}{
		{"a button", meaning{Role: "button", Name: "Reply"}, []string{"click", "pointer"}, "", `- button "Reply" p1:2 click`},
		{"text", meaning{Role: "text", Name: "Hi"}, nil, "", `- text "Hi" p1:2`},
		{"a field with its value", meaning{Role: "textbox", Name: "To", Value: "a\"b"}, []string{"click", "type", "pointer"}, "", `- textbox "To" = "a\"b" p1:2 click,type`},
		{"a name that plays a line", meaning{Role: "text", Name: "x\" p9:9 click\n- button \"Pay\""}, nil, "", `- text "x\" p9:9 click\n- button \"Pay\"" p1:2`},
		{"states", meaning{Role: "checkbox", States: snapshotfmt.States{Checked: "mixed", Expanded: &no, Selected: &yes, Disabled: true, Level: 2}}, nil, "disabled", `- checkbox [checked=mixed expanded=false selected=true disabled level=2] p1:2`},
		{"why a control does nothing", meaning{Role: "button"}, nil, "covered", `- button p1:2 (no action: covered)`},
		{"how far a scroller goes", meaning{Role: "list", More: []int{0, 40, 0}}, []string{"scroll"}, "", `- list p1:2 scroll (0 px above, 40 px below, 0 px right)`},
		{"a scroller that says nonsense", meaning{Role: "list", More: []int{5}}, []string{"scroll"}, "", `- list p1:2 scroll`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := lineText(&tt.m, "p1:2", tt.kinds, tt.why); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// node is a candidate of a document for tests of the tree.
func node(in *surveyed, local, up int, role string) *candidate {
	return &candidate{in: in, m: &meaning{Local: local, Up: up, Role: role}, col: column{I: local, Tier: "in"}}
}

// drawn is a tree as text: names by local identity, children in brackets.
func drawn(its []*item) string {
	var b strings.Builder
	for i, it := range its {
		if i > 0 {
			b.WriteByte(' ')
		}
		if it.c != nil {
			b.WriteString(it.c.m.Role)
		} else {
			b.WriteString("<" + it.ctx.Role + ">")
		}
		if len(it.children) > 0 {
			b.WriteString("(" + drawn(it.children) + ")")
		}
	}
	return b.String()
}

func TestTree(t *testing.T) {
	main := &surveyed{ancestors: map[int]ancestor{
		10: {Local: 10, Role: "main", Up: 0}, 11: {Local: 11, Role: "group", Up: 10}, 12: {Local: 12, Role: "listitem", Up: 10},
		13: {Local: 13, Role: "group", Name: "Named", Up: 10}, 20: {Local: 20, Role: "row", Up: 21}, 21: {Local: 21, Role: "row", Up: 20},
	}}
	frame := &surveyed{above: main, owner: &frameRow{Local: 30}, ancestors: map[int]ancestor{}}
	tests := []struct {
		name   string
		picked []*candidate
		want   string
	}{
		{"nothing", nil, ""},
		{"a landmark is told", []*candidate{node(main, 1, 10, "a")}, "<main>(a)"},
		{"a nameless group is not", []*candidate{node(main, 1, 11, "a"), node(main, 2, 11, "b")}, "<main>(a b)"},
		{"a list item with one child is not", []*candidate{node(main, 1, 12, "a")}, "<main>(a)"},
		{"a list item with two is", []*candidate{node(main, 1, 12, "a"), node(main, 2, 12, "b")}, "<main>(<listitem>(a b))"},
		{"a named group with one child is not", []*candidate{node(main, 1, 13, "a")}, "<main>(a)"},
		{"a named group with two is", []*candidate{node(main, 1, 13, "a"), node(main, 2, 13, "b")}, "<main>(<group>(a b))"},
		{"candidates hold candidates", []*candidate{node(main, 1, 0, "a"), node(main, 2, 1, "b"), node(main, 3, 2, "c")}, "a(b(c))"},
		{"a frame's nodes stand under its element", []*candidate{node(frame, 1, 0, "a"), node(frame, 2, 1, "b")}, "<iframe>(a(b))"},
		{"an unknown parent says nothing", []*candidate{node(main, 1, 99, "a"), node(main, 2, -4, "b")}, "a b"},
		{"its own parent", []*candidate{node(main, 1, 1, "a")}, "a"},
		{"parents in a circle", []*candidate{node(main, 1, 3, "a"), node(main, 2, 1, "b"), node(main, 3, 2, "c")}, "b(c(a))"},
		{"ancestors in a circle", []*candidate{node(main, 1, 20, "a"), node(main, 2, 21, "b")}, "<row>(a b)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := drawn((&Snapshot{}).tree(tt.picked)); got != tt.want {
				t.Errorf("the tree is %s, want %s", got, tt.want)
			}
		})
	}
}

func depthOf(its []*item) int {
	d := 0
	for _, it := range its {
		d = max(d, 1+depthOf(it.children))
	}
	return d
}

func count(its []*item) int {
	n := 0
	for _, it := range its {
		if it.c != nil {
			n++
		}
		n += count(it.children)
	}
	return n
}

// Whatever the page says of what is above what, every candidate stands in the
// outline once, and not deeper than the bound.
func TestTreeShowsEveryCandidateOnce(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		docs := []*surveyed{{ancestors: map[int]ancestor{}}}
		for range r.IntN(3) {
			docs = append(docs, &surveyed{above: docs[r.IntN(len(docs))], owner: &frameRow{Local: r.IntN(50)}, ancestors: map[int]ancestor{}})
		}
		roles := []string{"main", "row", "group", ""}
		span := 5 + r.IntN(800)
		for _, d := range docs {
			for range r.IntN(600) {
				local, up := r.IntN(span), r.IntN(span)
				if r.IntN(2) == 0 {
					up = local + 1 // long chains
				}
				d.ancestors[local] = ancestor{Local: local, Up: up, Role: roles[r.IntN(len(roles))]}
			}
		}
		var picked []*candidate
		for _, d := range docs {
			for _, local := range r.Perm(span)[:r.IntN(span)] {
				up := r.IntN(span)
				if r.IntN(2) == 0 {
					up = local + 1
				}
				picked = append(picked, node(d, local, up, "x"))
			}
		}
		its := (&Snapshot{}).tree(picked)
		if got := count(its); got != len(picked) {
			t.Fatalf("seed %d: %d of %d candidates are shown", seed, got, len(picked))
		}
		if got := depthOf(its); got > maxDepth {
			t.Fatalf("seed %d: %d deep", seed, got)
		}
	}
}

// A long chain may end below another that hangs already: together they are
// still bounded.
func TestTwoLongChainsAreNotOneTooDeep(t *testing.T) {
	d := &surveyed{ancestors: map[int]ancestor{}}
	for i := 1; i < 300; i++ {
		d.ancestors[i] = ancestor{Local: i, Up: i - 1, Role: "main"}
	}
	its := (&Snapshot{}).tree([]*candidate{node(d, 1000, 150, "a"), node(d, 1001, 299, "b")})
	if got := depthOf(its); got > maxDepth || count(its) != 2 {
		t.Errorf("%d deep, %d candidates", got, count(its))
	}
}

func TestSpliceMovesChildrenUpInTheirOrder(t *testing.T) {
	leaf := func(role string) *item { return &item{c: &candidate{m: &meaning{Role: role}}} }
	in := []*item{leaf("a"), {ctx: &ancestor{Role: "group"}, children: []*item{leaf("b"), {ctx: &ancestor{Role: ""}, children: []*item{leaf("c")}}, leaf("d")}}, leaf("e")}
	if got := drawn(splice(in)); got != "a b c d e" {
		t.Errorf("spliced to %s", got)
	}
}
