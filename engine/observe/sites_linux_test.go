package observe_test

import (
	"fmt"
	"testing"

	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/snapshotfmt"
)

// sitePages are hard pages of all that geometry, clips and covers can do, and
// in how many frames of other processes each is shown.
var sitePages = map[string]int{"frames": 1, "frames-styled": 2, "geometry": 2, "clip": 2, "scroll": 1, "overlays": 2, "shadow": 2, "hidden": 1, "modal": 2, "labels": 2}

// TestAPageInFramesOfOtherProcesses: a page that fills a frame of another
// process, which may be in one of yet another, is read as by itself: the same
// nodes in the same places, by either collector.
func TestAPageInFramesOfOtherProcesses(t *testing.T) {
	t.Parallel()
	h := newHard(t, "--site-per-process")
	for name, deep := range sitePages {
		t.Run(name, func(t *testing.T) {
			s := h.open(t)
			page := unhurried(h.conn, s, "sites-world")
			collectors := []string{"", observe.CollectProtocol}
			var alone []map[string]snapshotfmt.Entry
			enginetest.Go(t, s, h.srv.URL("hard/"+name+".html"))
			drawn(t, s)
			for _, c := range collectors {
				alone = append(alone, firstOf(t, read(t, page, observe.Options{Collector: c})))
			}
			enginetest.Go(t, s, h.srv.URL(fmt.Sprintf("hard/part-within.html?deep=%d&page=%s.html", deep, name)))
			drawn(t, s)
			for i, c := range collectors {
				got := read(t, page, observe.Options{Collector: c})
				for n, f := range got.segments[0].Semantic.Frames {
					if n > 0 && n <= deep && (f.Status != "read" || f.Parent == "") {
						t.Errorf("collector %q: frame %d of %d: %+v", c, n, deep, f)
					}
				}
				if len(alone[i]) < 3 {
					t.Fatalf("collector %q lists %d nodes", c, len(alone[i]))
				}
				sameNodes(t, c, alone[i], firstOf(t, got))
			}
		})
	}
}

// firstOf maps the ids of elements to their entries, of equal ids to the first.
// Which document of a page has the focus is left to the browser.
func firstOf(t *testing.T, got *taken) map[string]snapshotfmt.Entry {
	t.Helper()
	out := map[string]snapshotfmt.Entry{}
	for id, list := range offered(t, got) {
		e := list[0]
		e.States.Focused = false
		out[id] = e
	}
	return out
}

func sameNodes(t *testing.T, collector string, alone, within map[string]snapshotfmt.Entry) {
	t.Helper()
	for id, e := range alone {
		o, ok := within[id]
		switch {
		case !ok:
			t.Errorf("collector %q: #%s %s %q %v (%s) is not listed in the frame", collector, id, e.Role, e.Name, e.Actions, e.Visibility)
		case apartFrom(listed{&e, id}, listed{&o, id}) != "" || !sameBox(e.Box, o.Box):
			t.Errorf("collector %q: #%s is %v at %v, and in the frame %s, %v", collector, id, e.Visibility, e.Box, apartFrom(listed{&e, id}, listed{&o, id}), o.Box)
		}
	}
	for id, o := range within {
		if _, ok := alone[id]; !ok {
			t.Errorf("collector %q: #%s %s %q %v (%s) is listed in the frame only", collector, id, o.Role, o.Name, o.Actions, o.Visibility)
		}
	}
}
