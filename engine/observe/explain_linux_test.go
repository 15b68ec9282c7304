package observe_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/snapshotfmt"
)

// explainable opens a fixture page and takes its first segment.
func explainable(t *testing.T, page string) *observe.Snapshot {
	t.Helper()
	snap, _ := explainableIn(t, page)
	return snap
}

// explainableIn is explainable with the session of the page.
func explainableIn(t *testing.T, page string) (*observe.Snapshot, *devtools.Session) {
	t.Helper()
	h := newHard(t, "--site-per-process")
	s := enginetest.Open(t, h.conn, h.srv.URL(page))
	snap, err := observe.NewPage(h.conn, s, "explain").Take(t.Context(), observe.Options{NodeBudget: 300, OutputBudget: 16_000})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := snap.Next(t.Context(), 1, "viewport"); err != nil {
		t.Fatal(err)
	}
	return snap, s
}

// one finds the row whose name is the text and explains it.
func one(t *testing.T, snap *observe.Snapshot, text string) *observe.Explanation {
	t.Helper()
	rows, _, more, err := snap.List(t.Context(), text, "", observe.Cursor{})
	if err != nil || more || len(rows) == 0 {
		t.Fatalf("List(%q) = %v, %v, %v; want rows", text, rows, more, err)
	}
	i := slices.IndexFunc(rows, func(r observe.Row) bool { return r.Name == text })
	if i < 0 {
		t.Fatalf("List(%q) = %v; want one of that name", text, rows)
	}
	x, err := snap.ExplainNode(t.Context(), rows[i].K)
	if err != nil {
		t.Fatal(err)
	}
	if x.Reason != rows[i].Reason || x.Sub != rows[i].Sub {
		t.Errorf("%q: the list says %s/%s, the explanation %s/%s", text, rows[i].Reason, rows[i].Sub, x.Reason, x.Sub)
	}
	return x
}

// said is the whole evidence as text.
func said(x *observe.Explanation) string {
	var b strings.Builder
	for _, c := range x.Checks {
		b.WriteString(c.Name + ": " + c.Detail + "\n")
	}
	return b.String()
}

func TestExplainNamesReasonCauseAndOccluder(t *testing.T) {
	tests := []struct {
		page, text  string
		reason, sub string
		says        string
	}{
		{"/hidden", "opacity", "css_hidden", "opacity", "opacity, from div"},
		{"/hidden", "hidden", "css_hidden", "hidden", "hidden, from div"},
		{"/covered", "Under a fixed overlay", "page_occluded", "covered", "covered by"},
		{"/covered", "Under glass", "", "", "takes the pointer; it can be read"},
		{"/covered", "Not covered", "", "", "takes the pointer at"},
	}
	pages := map[string]*observe.Snapshot{"/hidden": explainable(t, "/hidden"), "/covered": explainable(t, "/covered")}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			x := one(t, pages[tt.page], tt.text)
			if string(x.Reason) != tt.reason || x.Sub != tt.sub {
				t.Errorf("reason %s/%s, want %s/%s", x.Reason, x.Sub, tt.reason, tt.sub)
			}
			if !strings.Contains(said(x), tt.says) {
				t.Errorf("the evidence does not say %q:\n%s", tt.says, said(x))
			}
			if strings.Contains(said(x), "since the snapshot") {
				t.Errorf("the page stood still, and the evidence says that something changed:\n%s", said(x))
			}
		})
	}
}

func TestEveryOmissionCanBeOpenedToItsCount(t *testing.T) {
	snap := explainable(t, "/inbox-stylesheet")
	omitted := snap.Omitted()
	for _, reason := range snapshotfmt.OmitReasons {
		want := omitted.Get(reason)
		got := 0
		for at, more := (observe.Cursor{}), true; more; {
			rows, next, again, err := snap.List(t.Context(), "", string(reason), at)
			if err != nil {
				t.Fatal(err)
			}
			if len(rows) > observe.ListMax {
				t.Fatalf("a page of %d rows, want at most %d", len(rows), observe.ListMax)
			}
			got, at, more = got+len(rows), next, again
		}
		if got != want {
			t.Errorf("%s: opens to %d nodes, counted %d", reason, got, want)
		}
	}
}

func TestExplainNamesWhatLiesOverAControlBelowTheFold(t *testing.T) {
	snap := explainable(t, "/hard/fold.html")
	x := one(t, snap, "covered by a tint")
	if string(x.Reason) != "offscreen" && string(x.Reason) != "near_viewport" || !strings.Contains(said(x), "action: covered, div") {
		t.Errorf("reason %s, and it says\n%s", x.Reason, said(x))
	}
}

// The border of a frame is the frame's, and nothing is at a point outside of
// the viewport, frames or not.
func TestExplainAPointAtAnEdge(t *testing.T) {
	snap, s := explainableIn(t, "/frames")
	var at struct{ Left, Top, Border, W, H float64 }
	enginetest.Eval(t, s, `(() => {
		const f = document.querySelector("iframe"), r = f.getBoundingClientRect();
		return { left: r.left, top: r.top, border: f.clientLeft, w: innerWidth, h: innerHeight };
	})()`, &at)
	if at.Border < 1 || at.Left < 0 || at.Top < 0 || at.Top > at.H {
		t.Fatalf("no border of a frame in view: %+v", at)
	}
	for _, d := range []float64{0.5, at.Border + 3} {
		x, err := snap.ExplainPoint(t.Context(), at.Left+d, at.Top+d)
		if err != nil || (x.Tag == "iframe") != (d < at.Border) {
			t.Errorf("%g px into the frame, whose border is %g: %+v, %v", d, at.Border, x, err)
		}
	}
	for _, p := range [][2]float64{{-0.5, 1}, {1, at.H}, {at.W + 1, at.H + 1}} {
		_, err := snap.ExplainPoint(t.Context(), p[0], p[1])
		var bad *contract.ArgumentError
		if says := fmt.Sprintf("is outside of the viewport, which is %g by %g CSS px", at.W, at.H); !errors.As(err, &bad) || bad.Field != "point" || bad.Message != says {
			t.Errorf("at %v: %v; want a bad argument that %s", p, err, says)
		}
	}
}

// What a query does not ask for waits for no segment of it, and is in no list of
// what its snapshot leaves out.
func TestWhatAQueryLeavesOutIsNotAskedFor(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	s := enginetest.Open(t, h.conn, h.srv.URL("form"))
	snap, err := observe.NewPage(h.conn, s, "explain").Take(t.Context(), observe.Options{Query: "Send form", NodeBudget: 300, OutputBudget: 16_000})
	if err != nil {
		t.Fatal(err)
	}
	asked, other := 0, 0
	for _, text := range []string{"Send form", "e"} {
		rows, _, _, err := snap.List(t.Context(), text, "", observe.Cursor{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			x, err := snap.ExplainNode(t.Context(), r.K)
			if err != nil {
				t.Fatal(err)
			}
			unasked := slices.ContainsFunc(x.Checks, func(c observe.Check) bool { return c.Name == "asked for" && !c.Pass })
			if unasked != r.Unasked || unasked == x.Candidate {
				t.Errorf("%q: %+v, a candidate: %v, in the list: %v", r.Name, x.Checks, x.Candidate, r.Unasked)
			}
			if r.Unasked {
				other++
			} else {
				asked++
			}
		}
	}
	if asked == 0 || other == 0 {
		t.Errorf("%d rows are asked for, %d are not", asked, other)
	}
	if rows, _, _, err := snap.List(t.Context(), "", "budget", observe.Cursor{}); err != nil || slices.ContainsFunc(rows, func(r observe.Row) bool { return r.Unasked }) {
		t.Errorf("waiting: %v, %v", rows, err)
	}
}
