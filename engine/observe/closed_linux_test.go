package observe_test

import (
	"slices"
	"testing"

	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/snapshotfmt"
)

// What is in a closed shadow tree is read wherever its host stands, however
// little room that takes, and whatever the host holds besides that no slot of
// the tree takes in.
func TestClosedTreesAreRead(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	s := h.open(t)
	for name, host := range map[string]string{
		"no height":           `<div id=h style="height:0"></div>`,
		"no box":              `<div id=h style="display:contents"></div>`,
		"no size, and placed": `<section id=h style="position:absolute;width:0;height:0"></section>`,
		"far below":           `<div style="height:3000px"></div><div id=h></div>`,
		"a child left out":    `<div id=h><button>Light</button></div>`,
		"one of two slotted":  `<div id=h><b slot=s>Light</b><p><i>Lost</i></p></div>`,
		"a text left out":     `<p id=h>Light</p>`,
	} {
		enginetest.Go(t, s, h.srv.URL("hard/smoke.html"))
		var ok bool
		enginetest.Eval(t, s, "(document.body.innerHTML = '"+host+"', h.attachShadow({mode: 'closed'}).innerHTML = '<slot name=s></slot><button>Inside</button>', true)", &ok)
		got := read(t, unhurried(h.conn, s, "closed-world"), observe.Options{})
		offers := func(name string) bool {
			return slices.ContainsFunc(got.entries, func(e snapshotfmt.Entry) bool { return e.Name == name && slices.Contains(e.Actions, "click") })
		}
		if !offers("Inside") || offers("Light") {
			t.Errorf("a host of %s: of %d entries none is its button, or one is a button beside it", name, len(got.entries))
		}
	}
}
