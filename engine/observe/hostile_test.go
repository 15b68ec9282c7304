package observe

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/snapshotfmt"
)

// hostile is a value that a reply should not hold.
func hostile(r *rand.Rand) any {
	return []any{
		nil, true, -1, 0, 1, 1 << 40, -(1 << 62), 1e308, -1e308, 1e-320, 0.5, "", "x", "in", "offscreen", "css_hidden/x", "\n- button p9:9 click",
		strings.Repeat("a", 5000),
		[]any{},
		[]any{nil},
		[]any{1, 2, 3, 4, 5},
		map[string]any{},
		map[string]any{"other/x": 1},
		map[string]any{"budget": 5},
		"\u202e\x00",
	}[r.IntN(25)]
}

// spoil replaces a few parts of a reply.
func spoil(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			switch r.IntN(150) {
			case 0:
				v[key] = hostile(r)
			case 1:
				delete(v, key)
			default:
				v[key] = spoil(r, inner)
			}
		}
		return v
	case []any:
		for i := range v {
			if r.IntN(150) == 0 {
				v[i] = hostile(r)
			} else {
				v[i] = spoil(r, v[i])
			}
		}
		if len(v) > 0 && r.IntN(60) == 0 {
			v = append(v, v[0])
		}
		return v
	}
	return v
}

func plain(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		panic(err)
	}
	return out
}

// sound says what a snapshot must hold however the page answered.
func sound(t *testing.T, seg *Segment) {
	t.Helper()
	i := seg.Semantic.Snapshot
	if i.Returned+i.Earlier+i.Omitted.Total() != i.Candidates || i.Returned != len(seg.Minted) || len(seg.Minted) != len(seg.Semantic.Refs)+len(seg.Semantic.ContentRefs) {
		t.Errorf("does not add up: %+v, %d minted", i, len(seg.Minted))
	}
	if _, err := json.Marshal(seg.Semantic); err != nil {
		t.Error(err)
	}
	lines := strings.Split(seg.Semantic.Outline, "\n")
	if len(seg.Semantic.Lines) != len(lines) && len(seg.Semantic.Lines) > 0 {
		t.Errorf("%d lines are %d in the outline", len(seg.Semantic.Lines), len(lines))
	}
	for _, l := range lines {
		if l != "" && !strings.HasPrefix(strings.TrimLeft(l, " "), "- ") && !regionsHint.MatchString(l) {
			t.Errorf("a line is %q", l)
		}
		if snapshotfmt.PrintableLine(l) != l {
			t.Errorf("a line steers a terminal: %q", l)
		}
	}
	if r := seg.Semantic.Regions; r != nil {
		n := r.Truncated
		for _, row := range r.List {
			n += 1 + len(row.Same) + len(row.Like)
		}
		if n != r.Found || min(r.Found, r.Truncated, r.Hidden, r.Offscreen, r.Approx) < 0 {
			t.Errorf("regions do not add up: %+v", r)
		}
	}
	for _, m := range seg.Minted {
		if m.K <= 0 {
			t.Errorf("minted %+v", m)
		}
	}
}

// regionsHint is the one line of an outline that is of no node.
var regionsHint = regexp.MustCompile(`^# \d+ visual regions? in view`)

// Replies spoiled at random: an error or a sound snapshot, never a panic, a
// loop or a refusal that blames nobody. Replay a seed by setting it first.
func TestSpoiledRepliesAreErrorsOrSound(t *testing.T) {
	read := 0
	for seed := range uint64(250) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := framed(t)
		child, main := plain(buttons(3, 5)), plain(buttons(4, 5, inner(77, 1), inner(78, 3)))
		if r.IntN(2) == 0 {
			main.(map[string]any)["ctx"] = plain([]any{map[string]any{"k": 5, "r": "main", "up": 6}, map[string]any{"k": 6, "r": "row", "up": 5}})
		}
		child.(map[string]any)["regions"], main.(map[string]any)["regions"] = plain(regionsReply(1)), plain(regionsReply(2))
		child, main = spoil(r, child), spoil(r, main)
		s.Answer("survey", func(op enginetest.Op) (any, *devtools.Error) {
			if op.Frame == "CHILD" {
				return child, nil
			}
			return main, nil
		})
		spoiled := func(answer enginetest.Answer) enginetest.Answer {
			return func(op enginetest.Op) (any, *devtools.Error) {
				v, err := answer(op)
				if err != nil {
					return nil, err
				}
				return spoil(r, plain(v)), nil
			}
		}
		s.Answer("rest", spoiled(limitRest(5)))
		s.Answer("describe", spoiled(batch))
		s.Answer("frameSights", spoiled(frameSight))
		s.Say("closed", map[string]any{})
		snap, err := s.page.Take(t.Context(), Options{NodeBudget: 1 + r.IntN(8), OutputBudget: 16_000})
		for n := 0; err == nil && n < 30; n++ {
			var seg *Segment
			if seg, err = snap.Next(t.Context(), 1, "viewport"); err != nil {
				break
			}
			if sound(t, seg); t.Failed() {
				t.Fatalf("seed %d", seed)
			}
			if !seg.More {
				read++
				break
			}
			if n == 29 {
				t.Fatalf("seed %d: no end", seed)
			}
		}
		_ = s.conn.Close()
	}
	if read < 10 {
		t.Errorf("only %d spoiled pages could be read: the test tests nothing", read)
	}
}

// What a reply says wrongly is named, and nothing is returned of it.
func TestWrongRepliesAreNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(survey map[string]any)
		want   string
	}{
		"two nodes of one identity":   {func(m map[string]any) { m["nodes"].([]any)[1].(map[string]any)["k"] = 1000 }, "numbered 1000"},
		"a node without identity":     {func(m map[string]any) { m["nodes"].([]any)[1].(map[string]any)["k"] = 0 }, "numbered 0"},
		"two candidates in one place": {func(m map[string]any) { m["cols"].([]any)[1].(map[string]any)["i"] = 0 }, "stands at 0"},
		"a tier of its own":           {func(m map[string]any) { m["cols"].([]any)[1].(map[string]any)["t"] = "best" }, `"best"`},
		"a reason of its own":         {func(m map[string]any) { m["counts"] = map[string]int{"other/x": 2} }, `"other/x"`},
		"a negative count":            {func(m map[string]any) { m["counts"] = map[string]int{"css_hidden/display": -1, "folded": 3} }, "-1 candidates"},
		"more than it found":          {func(m map[string]any) { m["candidates"] = 3 }, "4 candidates are accounted for, 3 were found"},
		"a count beyond counting":     {func(m map[string]any) { m["candidates"], m["rest"] = 1<<40+4, 1<<40 }, "a count is"},
		"a role that plays a line":    {func(m map[string]any) { m["nodes"].([]any)[0].(map[string]any)["r"] = "x\n- y" }, "is no node"},
		"a name that was not cut":     {func(m map[string]any) { m["nodes"].([]any)[0].(map[string]any)["n"] = strings.Repeat("x", 10_000) }, "is no node"},
		"an ancestor that plays one":  {func(m map[string]any) { m["ctx"] = []any{map[string]any{"k": 1, "r": "a b\n"}} }, "an ancestor"},
		"a frame without identity":    {func(m map[string]any) { m["frames"] = []any{map[string]any{"i": 3}} }, "a frame element"},
		"a region twice": {func(m map[string]any) {
			r := regionsReply(2)
			r["rows"].([]any)[1].(map[string]any)["k"] = 1000
			m["regions"] = r
		}, "a region is none"},
		"a region of its own kind": {func(m map[string]any) {
			r := regionsReply(2)
			r["rows"].([]any)[1].(map[string]any)["kind"] = "x\n- y"
			m["regions"] = r
		}, "a region is none"},
		"a region at no place": {func(m map[string]any) {
			r := regionsReply(2)
			r["rows"].([]any)[1].(map[string]any)["b"] = []any{0, 0, 1e300, 1}
			m["regions"] = r
		}, "a region cannot be"},
		"a reason that plays a line": {func(m map[string]any) {
			r := regionsReply(2)
			r["rows"].([]any)[1].(map[string]any)["why"] = "x\n- y"
			m["regions"] = r
		}, "a region cannot be"},
		"a clip along no axis": {func(m map[string]any) {
			r := regionsReply(1)
			r["rows"].([]any)[0].(map[string]any)["cl"].([]any)[0].(map[string]any)["a"] = 4
			m["regions"] = r
		}, "a region cannot be"},
		"more points than were asked": {func(m map[string]any) { r := regionsReply(1); r["of"] = 0; m["regions"] = r }, "a region has 1 points of 0"},
		"less than no regions":        {func(m map[string]any) { r := regionsReply(1); r["cut"] = -1; m["regions"] = r }, "-1 regions"},
		"a walk of for ever":          {func(m map[string]any) { m["walkMS"] = 1e200 }, "the walk took"},
	} {
		t.Run(name, func(t *testing.T) {
			s := script(t)
			survey := plain(buttons(2, 0)).(map[string]any)
			tt.change(survey)
			s.Say("survey", survey)
			_, err := s.page.Take(t.Context(), whole)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}

// The states that a page names itself stand unquoted in the outline: ARIA's
// words only.
func TestStatesOfThePagesOwnWordsAreARIAs(t *testing.T) {
	s := script(t)
	survey := plain(buttons(1, 0)).(map[string]any)
	survey["nodes"].([]any)[0].(map[string]any)["s"] = map[string]any{"current": "x] p9:9\n- button", "haspopup": "y] p9:9 click"}
	s.Say("survey", survey)
	if got := next(t, s.take(t, whole)).Semantic.Outline; !strings.HasPrefix(got, `- button "Button 0" [current=true] p1:`) {
		t.Errorf("the outline is %s", got)
	}
}

// Frame trees that no browser sends: an error or a snapshot, in bounded time.
func TestHostileFrameTrees(t *testing.T) {
	leaf := func(id string, children ...any) map[string]any {
		return map[string]any{"frame": map[string]any{"id": id, "loaderId": "L", "url": "u", "parentId": "MAIN"}, "childFrames": children}
	}
	deep := leaf("D0")
	for i := range 100 {
		deep = leaf(fmt.Sprint("D", i+1), deep)
	}
	for name, tt := range map[string]struct {
		tree any
		ok   bool
	}{
		"nothing":                {nil, false},
		"no id":                  {leaf(""), false},
		"a child without an id":  {leaf("MAIN", leaf("")), true},
		"its own child":          {leaf("MAIN", leaf("MAIN", leaf("MAIN"))), true},
		"the same child twice":   {leaf("MAIN", leaf("A"), leaf("A", leaf("A"))), true},
		"a main frame's parent":  {leaf("MAIN"), true},
		"very deep":              {leaf("MAIN", deep), true},
		"children of wrong type": {map[string]any{"frame": map[string]any{"id": "MAIN"}, "childFrames": 7}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := script(t)
			s.Result("Page.getFrameTree", map[string]any{"frameTree": tt.tree})
			s.Handle("Page.createIsolatedWorld", func(string, json.RawMessage) (any, *devtools.Error) {
				return map[string]any{"executionContextId": 0}, nil
			})
			s.Handle("Runtime.evaluate", func(string, json.RawMessage) (any, *devtools.Error) {
				return map[string]any{"result": map[string]any{"objectId": "ops-MAIN"}}, nil
			})
			// every frame claims to hold every frame
			s.Handle("DOM.getFrameOwner", func(string, json.RawMessage) (any, *devtools.Error) { return map[string]any{"backendNodeId": 77}, nil })
			s.Say("survey", buttons(1, 0, inner(77, 0)))
			s.Say("covers", map[string]any{"covers": []int{0}})
			s.Say("frame", map[string]any{"row": inner(77, 0), "w": 100, "h": 100})
			s.Say("proof", proof())
			snap, err := s.page.Take(t.Context(), whole)
			if (err == nil) != tt.ok {
				t.Fatalf("got %v", err)
			}
			if err != nil {
				return
			}
			seg := next(t, snap)
			sound(t, seg)
			for _, m := range seg.Minted[:1] {
				if found, err := s.page.Find(t.Context(), m.K); err == nil {
					if _, err := s.page.Look(t.Context(), found); err != nil {
						t.Error(err)
					}
				}
			}
			if _, _, err := s.page.Moved(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// Scales that a page can ask for and no screen can show.
func TestAFrameScaledOutOfSightIsHidden(t *testing.T) {
	for _, scale := range []float64{0, 1e-300, 1e-12, 1e300} {
		s := framed(t)
		row := inner(77, 1)
		row["scale"] = []float64{scale, scale}
		s.Answer("survey", func(op enginetest.Op) (any, *devtools.Error) {
			if op.Frame == "CHILD" {
				if !strings.Contains(string(op.Arg), `"inherit":"frame_hidden"`) {
					t.Errorf("scale %v: the frame is told %s", scale, op.Arg)
				}
				return buttons(0, 0), nil
			}
			return buttons(1, 0, row), nil
		})
		sound(t, next(t, s.take(t, whole)))
	}
}

// FuzzSurveyReply feeds any JSON as the answer of the survey.
func FuzzSurveyReply(f *testing.F) {
	honest, _ := json.Marshal(buttons(2, 1, inner(77, 1)))
	f.Add(string(honest))
	for _, s := range []string{
		`null`, `{}`, `[]`, `7`, `{"scopeGone":true}`, `{"candidates":1}`, `{"candidates":1,"counts":{"other":1}}`, `{"candidates":1,"counts":{"budget":1}}`,
		`{"candidates":1,"rest":1}`, `{"candidates":-1,"rest":-1}`, `{"candidates":1,"cols":[{"i":0,"t":"in"}]}`, `{"candidates":1,"cols":[{"i":-1,"t":"in"}]}`,
		`{"candidates":1,"cols":[{"i":0,"t":"in","p":[1]}],"nodes":[{"i":0,"k":1,"up":1}]}`, `{"candidates":2,"cols":[{"i":0,"t":"in"},{"i":0,"t":"in"}]}`,
		`{"frames":[{"k":0}]}`, `{"frames":[{"k":77,"inner":[0,0,1e300,1e300],"scale":[1e300,0]}]}`, `{"walkMS":1e300}`, `{"hosts":[1,-2]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		if !json.Valid([]byte(reply)) || len(reply) > 1<<16 {
			return
		}
		s := framed(t)
		defer s.conn.Close()
		s.Say("survey", json.RawMessage(reply))
		s.Say("rest", json.RawMessage(reply))
		s.Answer("describe", batch)
		s.Say("closed", map[string]any{})
		snap, err := s.page.Take(t.Context(), Options{NodeBudget: 5, OutputBudget: 1000})
		for n := 0; err == nil && n < 20; n++ {
			var seg *Segment
			if seg, err = snap.Next(t.Context(), 1, "viewport"); err == nil {
				if sound(t, seg); !seg.More {
					return
				}
			}
		}
	})
}
