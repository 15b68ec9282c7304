package e2e_test

import (
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// draggables is a page of things to drag, which tells its journal what becomes
// of them.
const draggables = `document.body.innerHTML = ` + "`" + `
<p><button id="card" draggable="true">Card</button> <button id="stuck" draggable="true">Stuck</button>
<p><button id="bin" style="padding: 30px">Bin</button> <button id="shut" style="padding: 30px">Shut</button>
<p><button id="knob" style="position: relative">Knob</button> <button id="end" style="margin-left: 300px">End</button>` + "`" + `;
const at = (id) => document.getElementById(id), note = journal.note;
at('card').ondragstart = (ev) => { ev.dataTransfer.setData('text/plain', 'the card'); ev.dataTransfer.effectAllowed = 'move'; note('taken'); };
at('stuck').ondragstart = (ev) => { note('stuck'); ev.preventDefault(); };
at('bin').ondragover = (ev) => ev.preventDefault();
at('bin').ondrop = (ev) => { ev.preventDefault(); note('dropped', ev.dataTransfer.getData('text/plain')); at('card').remove(); };
at('shut').ondrop = () => note('dropped', 'shut');
at('card').ondragend = () => note('ended');
let held = null;
at('knob').onpointerdown = (ev) => { held = ev.clientX; };
addEventListener('pointermove', (ev) => { if (held !== null) at('knob').style.left = (ev.clientX - held) + 'px'; });
addEventListener('pointerup', () => { if (held !== null) note('released', at('knob').style.left); held = null; });`

func TestADragIsReadBack(t *testing.T) {
	tests := []struct {
		name, from, to string
		effect         refusal.Effect
		dropped, ended int    // as the page saw it
		drop           string // as the result says it
		moved          bool   // by the pointer alone
	}{
		{"dropped", "Card", "Bin", refusal.EffectConfirmed, 1, 1, "at the destination", false},
		{"not taken", "Card", "Shut", refusal.EffectSuspectedNoop, 0, 1, "not taken by the page", false},
		{"with the pointer alone", "Knob", "End", refusal.EffectConfirmed, 0, 0, "", true},
	}
	s := use(t)
	for _, tt := range tests {
		for _, route := range []string{"dom_event", "trusted"} {
			t.Run(tt.name+"/"+route, func(t *testing.T) {
				b, run := s.tab(t, "actions")
				b = b.on(t)
				s.witness.eval(t, run, "{"+draggables+"}", nil)
				b.settled(run)
				s.pages.Reset(run)
				snapshot := b.state(nil)
				with := args{"ref": find(t, snapshot, "button", tt.from).Ref, "to_ref": find(t, snapshot, "button", tt.to).Ref, "gesture": "drag", "route": route}
				if route == "trusted" { // it raises the window here
					b.refused(refusal.WouldActivate, "browser_pointer", b.with(with))
					b.untouched(run, "a drag that is refused")
					with["delivery_mode"] = "foreground"
				}
				got := ask[contract.ActionResult](b.agent, "browser_pointer", b.with(with))
				must(t, s.desktop.RaiseSentinel(soon(t)))
				if got.Effect != tt.effect || (got.Status == contract.Partial) != (tt.effect == refusal.EffectSuspectedNoop) {
					t.Errorf("%s, %s: %+v", got.Status, got.Effect, got.Evidence)
				}
				drop := ""
				for _, e := range got.Evidence {
					if e.Fact == "drop" {
						drop = e.After
					}
				}
				seen := b.settled(run)
				if drop != tt.drop || fixtures.Count(seen, "dropped", "") != tt.dropped || tt.dropped == 0 && fixtures.Count(seen, "ended", "") != tt.ended {
					t.Errorf("drop %q, the page observed %s", drop, told(seen))
				}
				if note, ok := fixtures.Last(seen, "dropped", ""); ok && string(note.Data) != `"the card"` {
					t.Errorf("dropped %s", note.Data)
				}
				if (fixtures.Count(seen, "released", "") == 1) != tt.moved {
					t.Errorf("the page observed %s", told(seen))
				}
				if r, ok := fixtures.Last(seen, "pointerdown", ""); !ok || r.Trusted != (route == "trusted") {
					t.Errorf("pressed %+v", r)
				}
			})
		}
	}
}

func TestADragThatIsRefused(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "frames")
	snapshot := b.state(nil)
	ref := func(name string) string { return find(t, snapshot, "button", name).Ref }
	drag := func(from, to string) args {
		return b.with(args{"ref": ref(from), "to_ref": ref(to), "gesture": "drag", "route": "dom_event"})
	}
	b.refused(refusal.FramesDiffer, "browser_pointer", drag("Button in bordered", "Button in padded"))
	s.on(t, run, "bordered", `e.contentDocument.getElementById('bordered-second').remove()`)
	b.settled(run)
	s.pages.Reset(run)
	b.refused(refusal.NodeGone, "browser_pointer", drag("Button in bordered", "Second in bordered"))
	b.untouched(run, "a drag to what is gone")
}
