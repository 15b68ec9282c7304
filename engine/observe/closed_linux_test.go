package observe_test

import (
	"slices"
	"testing"

	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/snapshotfmt"
)

// What is in a closed shadow tree is read wherever its host stands and however
// little room that takes.
func TestClosedTreesOfHostsWithoutRoomAreRead(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	s := h.open(t)
	for name, host := range map[string]string{
		"no height":           `<div id=h style="height:0"></div>`,
		"no box":              `<div id=h style="display:contents"></div>`,
		"no size, and placed": `<section id=h style="position:absolute;width:0;height:0"></section>`,
		"far below":           `<div style="height:3000px"></div><div id=h></div>`,
	} {
		enginetest.Go(t, s, h.srv.URL("hard/smoke.html"))
		var ok bool
		enginetest.Eval(t, s, "(document.body.innerHTML = '"+host+"', h.attachShadow({mode: 'closed'}).innerHTML = '<button>Inside</button>', true)", &ok)
		got := read(t, unhurried(h.conn, s, "closed-world"), observe.Options{})
		if !slices.ContainsFunc(got.entries, func(e snapshotfmt.Entry) bool { return e.Name == "Inside" && slices.Contains(e.Actions, "click") }) {
			t.Errorf("a host of %s: its button is not among %d entries", name, len(got.entries))
		}
	}
}
