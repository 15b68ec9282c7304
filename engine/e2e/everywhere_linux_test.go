package e2e_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"testing"

	"cuatui/engine/contract"
	"cuatui/fixtures/desktop"
)

// deeds has a page of one control for each way to act, each of which tells the
// journal what was done to it.
const deeds = `document.body.innerHTML = ` + "`" + `
<p><button id="go">Go</button> <button id="menu">Menu</button> <button id="twice">Twice</button> <button id="hover">Hover</button> <button id="ask">Ask</button>
<a id="new" href="about:blank" target="_blank">New tab</a> <a id="save" href="/attachment?name=a.txt&bytes=1000">Save</a>
<p><button id="card" draggable="true">Card</button> <button id="bin" style="padding: 20px">Bin</button> <button id="knob" style="position: relative">Knob</button> <button id="end" style="margin-left: 200px">End</button>
<form id="form"><input id="text" aria-label="Text"></form>
<p><input id="old" aria-label="Old" value="old"> <input id="day" type="date" aria-label="Day"> <select id="choice" aria-label="Choice"><option>One<option>Two</select> <input id="file" type="file" aria-label="File">
<div id="list" tabindex="0" role="region" aria-label="List" style="height: 60px; width: 200px; overflow: auto"><p style="height: 500px">Long</div>` + "`" + `;
const at = (id) => document.getElementById(id), did = (what) => journal.note('did', what), by = (e) => (e.isTrusted ? ' trusted' : ' synthetic');
at('go').onclick = (e) => { did('click' + by(e)); e.target.title += 'x'; };
at('menu').oncontextmenu = (e) => { e.preventDefault(); did('menu' + by(e)); e.target.title += 'x'; };
at('twice').ondblclick = (e) => { did('twice' + by(e)); e.target.title += 'x'; };
at('hover').onmousemove = (e) => { if (!e.target.title) did('hover' + by(e)); e.target.title = 'x'; };
at('ask').onclick = () => did('asked ' + confirm('Sure?'));
at('card').ondragstart = (e) => { e.dataTransfer.setData('text/plain', 'card'); };
at('bin').ondragover = (e) => e.preventDefault();
at('bin').ondrop = (e) => { e.preventDefault(); did('dropped ' + e.dataTransfer.getData('text/plain')); at('card').title += 'x'; };
let held = null;
at('knob').onpointerdown = (e) => { held = e.clientX; };
addEventListener('pointermove', (e) => { if (held !== null) at('knob').style.left = (e.clientX - held) + 'px'; });
addEventListener('pointerup', () => { if (held !== null) did('pulled'); held = null; });
at('form').onsubmit = (e) => { e.preventDefault(); did('sent ' + at('text').value); };
at('text').oninput = (e) => did('text ' + e.target.value);
at('old').oninput = (e) => did('old ' + e.target.value);
at('old').onkeydown = (e) => { if (e.key === 'F2') did('key' + by(e)); };
at('day').onchange = (e) => did('day ' + e.target.value);
at('choice').onchange = (e) => did('chose ' + e.target.value);
at('file').onchange = (e) => did('file ' + e.target.files[0].name);
at('list').onscroll = () => { if (at('list').scrollTop === 40) did('scrolled'); };`

// place is a desktop on which one tab of a browser shows the page of deeds, with
// another window in front.
type place struct {
	tab
	run string
	// watch puts the other window in front and returns what fails if the desktop
	// is not as it was.
	watch func(t *testing.T) func()
}

// deed is an action, and what becomes of it on each desktop: its effect or
// verdict, or the reason why it is refused.
type deed struct {
	name, on, tool         string
	with                   args
	x11, wayland, embedded string
	did                    string // what the page notes where it is not refused, once
	loud                   bool   // it was agreed that the desktop may change
}

const (
	confirmed, dispatched, noop = "confirmed", "dispatched", "suspected_noop"
	raises, keyless             = "would_activate", "no_keys"
)

var everyDeed = []deed{
	{name: "a new tab that no person asked for", on: "New tab", tool: "browser_click", with: args{"route": "dom_event"}, x11: dispatched, wayland: dispatched, embedded: dispatched},
	{name: "click by event", on: "Go", tool: "browser_click", with: args{"route": "dom_event"}, x11: confirmed, wayland: confirmed, embedded: confirmed, did: "click synthetic"},
	{name: "click by key", on: "Go", tool: "browser_click", with: args{"route": "trusted_key"}, x11: confirmed, wayland: confirmed, embedded: keyless, did: "click trusted"},
	{name: "click by pointer", on: "Go", tool: "browser_click", with: args{"route": "trusted"}, x11: raises, wayland: confirmed, embedded: raises, did: "click trusted"},
	{name: "click in front", on: "Go", tool: "browser_click", with: args{"route": "trusted", "delivery_mode": "foreground"}, x11: confirmed, wayland: confirmed, embedded: confirmed, did: "click trusted", loud: true},
	{name: "hover", on: "Hover", tool: "browser_pointer", with: args{"gesture": "hover"}, x11: confirmed, wayland: confirmed, embedded: confirmed, did: "hover trusted"},
	{name: "right click by event", on: "Menu", tool: "browser_pointer", with: args{"gesture": "right_click", "route": "dom_event"}, x11: confirmed, wayland: confirmed, embedded: confirmed, did: "menu synthetic"},
	{name: "right click by pointer", on: "Menu", tool: "browser_pointer", with: args{"gesture": "right_click", "route": "trusted"}, x11: raises, wayland: confirmed, embedded: raises, did: "menu trusted"},
	{name: "double click by event", on: "Twice", tool: "browser_pointer", with: args{"gesture": "double_click", "route": "dom_event"}, x11: confirmed, wayland: confirmed, embedded: confirmed, did: "twice synthetic"},
	{name: "double click by pointer", on: "Twice", tool: "browser_pointer", with: args{"gesture": "double_click", "route": "trusted"}, x11: raises, wayland: confirmed, embedded: raises, did: "twice trusted"},
	{name: "scroll", on: "List", tool: "browser_pointer", with: args{"gesture": "scroll", "delta_y": 40}, x11: confirmed, wayland: confirmed, embedded: confirmed, did: "scrolled"},
	{name: "drag by event", on: "Card", tool: "browser_pointer", with: args{"gesture": "drag", "route": "dom_event", "to_ref": "Bin"}, x11: confirmed, wayland: confirmed, embedded: confirmed, did: "dropped card"},
	{name: "drag by pointer", on: "Card", tool: "browser_pointer", with: args{"gesture": "drag", "route": "trusted", "to_ref": "Bin"}, x11: raises, wayland: confirmed, embedded: raises, did: "dropped card"},
	{name: "pull by event", on: "Knob", tool: "browser_pointer", with: args{"gesture": "drag", "route": "dom_event", "to_ref": "End"}, x11: confirmed, wayland: confirmed, embedded: confirmed, did: "pulled"},
	{name: "insert a text", on: "Text", tool: "browser_type", with: args{"text": "abc"}, x11: confirmed, wayland: confirmed, embedded: keyless, did: "text abc"},
	{name: "type a text and send it", on: "Text", tool: "browser_type", with: args{"text": "d", "mode": "keystrokes", "submit": true}, x11: confirmed, wayland: confirmed, embedded: keyless, did: "sent abcd"},
	{name: "replace a text", on: "Old", tool: "browser_type", with: args{"text": "new", "replace": true}, x11: confirmed, wayland: confirmed, embedded: keyless, did: "old new"},
	{name: "set a day", on: "Day", tool: "browser_type", with: args{"text": "2026-03-04"}, x11: confirmed, wayland: confirmed, embedded: confirmed, did: "day 2026-03-04"},
	{name: "press a key", on: "Old", tool: "browser_press", with: args{"key": "F2"}, x11: noop, wayland: noop, embedded: keyless, did: "key trusted"},
	{name: "choose", on: "Choice", tool: "browser_select", with: args{"labels": []string{"Two"}}, x11: confirmed, wayland: confirmed, embedded: confirmed, did: "chose Two"},
	{name: "give a file", on: "File", tool: "browser_set_input_files", x11: confirmed, wayland: confirmed, embedded: "page_refused", did: "file a.txt"},
	{name: "download", on: "Save", tool: "browser_download", with: args{"route": "dom_event"}, x11: confirmed, wayland: confirmed, embedded: "download_failed"},
	{name: "wait", tool: "browser_wait", with: args{"text": "Hover"}, x11: "already_true", wayland: "already_true", embedded: "already_true"},
	{name: "answer none", tool: "browser_dialog", with: args{"answer": "dismiss", "dialog_id": "dialog-0"}, x11: "no_dialog", wayland: "no_dialog", embedded: "no_dialog"},
	{name: "go to a page", tool: "browser_navigate", with: args{"url": ""}, x11: confirmed, wayland: confirmed, embedded: confirmed},
	{name: "back", tool: "browser_navigate", with: args{"action": "back"}, x11: confirmed, wayland: confirmed, embedded: confirmed},
	{name: "forward", tool: "browser_navigate", with: args{"action": "forward"}, x11: confirmed, wayland: confirmed, embedded: confirmed},
	{name: "reload", tool: "browser_navigate", with: args{"action": "reload"}, x11: confirmed, wayland: confirmed, embedded: confirmed},
	{name: "back to it", tool: "browser_navigate", with: args{"action": "back"}, x11: confirmed, wayland: confirmed, embedded: confirmed},
	{name: "open a tab", tool: "browser_tabs", with: args{"change": "open"}, x11: confirmed, wayland: confirmed, embedded: "page_refused"},
	{name: "show it", tool: "browser_tabs", with: args{"change": "activate"}, x11: confirmed, wayland: confirmed, embedded: "page_refused", loud: true},
	{name: "close it", tool: "browser_tabs", with: args{"change": "close"}, x11: confirmed, wayland: confirmed, embedded: "page_refused", loud: true},
	{name: "list the tabs", tool: "browser_tabs", with: args{"change": "list"}, x11: "", wayland: "", embedded: ""},
}

// dialogDeeds are about a dialog. An application that embeds a browser shows one
// of its own, and answers nothing more until a person has closed it.
var dialogDeeds = []deed{
	{name: "open a dialog", on: "Ask", tool: "browser_click", with: args{"route": "dom_event"}, x11: confirmed, wayland: confirmed, embedded: confirmed, loud: true},
	{name: "behind the dialog", on: "", tool: "browser_navigate", with: args{"action": "reload"}, x11: "dialog_open", wayland: "dialog_open", embedded: "dialog_open", loud: true},
	{name: "answer it", on: "", tool: "browser_dialog", with: args{"answer": "accept"}, x11: confirmed, wayland: confirmed, embedded: "connect_failed", did: "asked true", loud: true},
}

// outcome is what an answer says of its action.
func outcome(t *testing.T, raw []byte) (what string, dialog *contract.Dialog, opened string) {
	t.Helper()
	var a struct {
		Result struct {
			Effect, Verdict, Failure string
			Dialog                   *contract.Dialog
			TabID                    string `json:"tab_id"`
			Refusal                  struct{ Reason string }
		}
	}
	must(t, json.Unmarshal(raw, &a))
	r := a.Result
	return cmp.Or(r.Refusal.Reason, r.Failure, r.Effect, r.Verdict), r.Dialog, r.TabID
}

// does every deed in the place, and holds what the page noted and what the
// desktop shows against what each answer says.
func (p place) does(t *testing.T, want func(deed) string) {
	t.Helper()
	p.each(t, everyDeed, want)
	p.each(t, dialogDeeds, want)
}

func (p place) each(t *testing.T, all []deed, want func(deed) string) {
	t.Helper()
	p.stage.witness.eval(t, p.run, "{"+deeds+"}", nil)
	refs, opened, ends := map[string]string{}, "", func() {}
	for _, e := range entries(p.on(t).state(nil)) {
		refs[e.Name] = e.Ref
	}
	var dialog *contract.Dialog // that is open: the page tells nothing then
	for _, d := range all {
		t.Run(d.name, func(t *testing.T) {
			b := p.on(t)
			tells := dialog == nil && d.tool != "browser_navigate" && d.tool != "browser_tabs"
			if tells {
				b.settled(p.run)
				p.stage.pages.Reset(p.run)
			}
			if !d.loud {
				ends = p.watch(t)
			}
			answer, raw := b.call(d.tool, p.given(t, d, refs, opened, dialog))
			got, asks, made := outcome(t, raw)
			if got != want(d) {
				t.Errorf("%s, want %s: %.1500s", got, want(d), raw)
			}
			switch {
			case asks != nil:
				dialog = asks
			case d.tool == "browser_dialog" && answer.Refusal == nil:
				dialog = nil
			}
			opened = cmp.Or(made, opened)
			if !d.loud {
				ends()
			}
			if !tells && d.did == "" || dialog != nil {
				return
			}
			var notes []string
			for _, r := range b.settled(p.run) {
				var what string
				if r.Type == "did" && json.Unmarshal(r.Data, &what) == nil {
					notes = append(notes, what)
				}
			}
			did := d.did
			if answer.Refusal != nil {
				did = ""
			}
			if did == "" && len(notes) > 0 || did != "" && (len(notes) == 0 || notes[len(notes)-1] != did || slices.Index(notes, did) != len(notes)-1) {
				t.Errorf("the page noted %q, want %q", notes, did)
			}
		})
	}
}

// given are the arguments of a deed.
func (p place) given(t *testing.T, d deed, refs map[string]string, opened string, dialog *contract.Dialog) args {
	t.Helper()
	with := p.with(d.with)
	if d.on != "" {
		with["ref"] = refs[d.on]
	}
	switch {
	case with["to_ref"] != nil:
		with["to_ref"] = refs[with["to_ref"].(string)]
	case d.tool == "browser_set_input_files":
		with["files"] = writes(t, "a.txt")
	case d.tool == "browser_download":
		with["root"] = t.TempDir()
	case d.tool == "browser_dialog" && dialog != nil:
		with["dialog_id"] = dialog.ID
	case with["change"] == "open":
		delete(with, "tab_id")
	case with["change"] != nil:
		with["tab_id"] = cmp.Or(opened, p.id)
	case with["url"] == "":
		with["url"], _ = p.stage.pages.Page("keys")
	}
	return with
}

func TestEveryActionOnX11(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "actions")
	p := place{b, run, func(t *testing.T) func() {
		display := s.watch(t)
		return func() { display.undisturbed("the action") }
	}}
	p.does(t, func(d deed) string { return d.x11 })
}

func TestEveryActionInAnEmbeddedPage(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "embedded-everything")
	o, run := a.embed("actions")
	p := place{a.bind(o.pid, o.window), run, func(t *testing.T) func() {
		display := s.watch(t)
		return func() { display.undisturbed("the action") }
	}}
	p.stage.witness.learn(t)
	p.does(t, func(d deed) string { return d.embedded })
}

func swayEveryAction(t *testing.T, s *swayStage) {
	b, made := s.launch(t, s.engine, "everything", "actions", args{"expose_port": true})
	w, err := dialWitness(soon(t), made.SideEffects.PortExposed)
	must(t, err)
	t.Cleanup(func() { must(t, w.conn.Close()) })
	own := *b.stage
	own.witness = w
	b.stage = &own
	in := b.bind(b.pid, b.window)
	w.learn(t)
	calm := func(t *testing.T) desktop.SwayFacts {
		f := s.facts(t)
		for i := range f.Windows {
			f.Windows[i].Urgent = false // the pointer's mark, which the answer tells
		}
		return f
	}
	p := place{in, b.run, func(t *testing.T) func() {
		must(t, s.sway.FocusSentinel(soon(t)))
		before := calm(t)
		return func() {
			if now := calm(t); !now.Is(before) {
				t.Errorf("Sway shows %+v, before %+v", now, before)
			}
		}
	}}
	p.does(t, func(d deed) string { return d.wayland })
}
