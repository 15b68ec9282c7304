package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// However a document or a node goes, a ref to it is refused for that, and what
// stands in its place is left alone.
func TestAStaleRefIsRefusedForWhatMadeItSo(t *testing.T) {
	tests := []struct {
		name, script string
		reason       refusal.Reason
		loads        bool // another document reports afterwards
	}{
		{"reloaded by the page", `location.reload()`, refusal.Navigated, true},
		{"another page of the site", `location.href = '/actions' + location.search`, refusal.Navigated, true},
		{"replaced in the history", `location.replace('/actions' + location.search + '&again')`, refusal.Navigated, true},
		{"opened and written", `document.open(); document.write('<button id="go" onclick="journal.note(1)">Go</button>'); document.close()`, refusal.Navigated, false},
		{"opened and written in part", `document.open(); document.write('<p>')`, refusal.Navigated, false},
		{"its root element replaced", `document.replaceChild(document.documentElement.cloneNode(true), document.documentElement)`, refusal.Navigated, false},
		{"its body replaced", `document.body.outerHTML = document.body.outerHTML`, refusal.NodeGone, false},
		{"drawn anew", `document.getElementById('go').replaceWith(document.getElementById('go').cloneNode(true))`, refusal.NodeGone, false},
		{"moved to another document", `document.body.append(document.createElement('iframe')); document.querySelector('iframe').contentDocument.body.append(document.getElementById('go'))`, refusal.NodeGone, false},
		{"put into a template", `const t = document.createElement('template'); document.body.append(t); t.content.append(document.getElementById('go'))`, refusal.NodeGone, false},
	}
	s := use(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, run := s.tab(t, "actions")
			b = b.on(t)
			ref := find(t, b.state(nil), "button", "Go").Ref
			s.witness.eval(t, run, "setTimeout(() => {"+tt.script+"})", nil)
			if tt.loads {
				_, err := s.pages.Wait(soon(t), run, func(seen []fixtures.Record) bool { return fixtures.Count(seen, "load", "") > 0 })
				must(t, err)
			} else {
				s.witness.eval(t, run, "new Promise((ok) => setTimeout(ok))", nil)
			}
			for tool, with := range map[string]args{
				"browser_click": {"route": "dom_event"}, "browser_press": {"key": "Enter"}, "browser_pointer": {"gesture": "right_click", "route": "dom_event"},
			} {
				with["ref"] = ref
				b.refused(tt.reason, tool, b.with(with))
			}
			if seen := s.pages.Journal(run); fixtures.Count(seen, "click", "")+fixtures.Count(seen, "keydown", "")+fixtures.Count(seen, "contextmenu", "")+fixtures.Count(seen, "1", "") > 0 {
				t.Errorf("the page observed %s", told(seen))
			}
		})
	}
}

// A page may use a node again for something else, under the same role and name.
// A ref to it is refused; what changes nothing of what it is for refuses none.
func TestANodeThatHasComeToMeanSomethingElse(t *testing.T) {
	const other = "identity_changed"
	tests := []struct {
		name, html, late string
		reason           refusal.Reason
	}{
		{"a link leads elsewhere", `<a id="x" href="#keep">%s</a>`, `x.href = '#drop'`, other},
		{"far into its address", `<a id="x" href="#` + strings.Repeat("k", 300) + `1">%s</a>`, `x.href = x.href.slice(0, -1) + '2'`, other},
		{"a form is sent elsewhere", `<form action="/keep" onsubmit="return false"><button id="x">%s</button></form>`, `x.form.action = '/drop'`, other},
		{"a button sends it elsewhere", `<form action="/keep" onsubmit="return false"><button id="x">%s</button></form>`, `x.formAction = '/drop'`, other},
		{"a button says something else", `<button id="x" name="id" value="1">%s</button>`, `x.value = '2'`, other},
		{"a description", `<button id="x" aria-describedby="d">%s</button><i id="d">the draft</i>`, `d.textContent = 'the archive'`, ""},
		{"a dialog with a title", `<div role="dialog" aria-labelledby="d"><h2 id="d">Save the draft?</h2><button id="x">%s</button></div>`, `d.textContent = 'Drop the archive?'`, other},
		{"a dialog with a number in its title", `<div role="dialog" aria-label="Drop 1 file?"><button id="x">%s</button></div>`, `x.parentNode.ariaLabel = 'Drop 100 files?'`, other},
		{"a dialog with a heading", `<dialog open style="position: static"><h2 id="d">Save the draft?</h2><button id="x">%s</button></dialog>`, `d.textContent = 'Drop the archive?'`, other},
		{"a button opens something else", `<button id="x" popovertarget="keep">%s</button>`, `x.setAttribute('popovertarget', 'drop')`, other},
		{"a button that sends under another name", `<form action="/keep" onsubmit="return false"><input type="submit" id="x" name="keep" value="%s"></form>`, `x.name = 'drop'`, other},
		{"another form is sent", `<form id="a%[1]s"></form><form id="b%[1]s"></form><button id="x" form="a%[1]s">%[1]s</button>`, `x.setAttribute('form', x.getAttribute('form').replace('a', 'b'))`, other},
		{"a dialog that only asks", `<dialog open style="position: static"><p id="d">Save the draft?</p><button id="x">%s</button></dialog>`, `d.textContent = 'Drop the archive?'`, other},
		{"a part with a heading", `<section><h2 id="d">Draft</h2><button id="x">%s</button></section>`, `d.textContent = 'Archive'`, ""},
		{"a group of fields", `<fieldset><legend id="d">Draft</legend><button id="x">%s</button></fieldset>`, `d.textContent = 'Archive'`, ""},
		{"a part that counts", `<section><h2 id="d">Drafts (1)</h2><button id="x">%s</button></section>`, `d.textContent = 'Drafts (2)'`, ""},
		{"a dialog with a field that tells what is wrong", `<div role="dialog"><p id="d">Your name</p><input><button id="x">%s</button></div>`, `d.textContent = 'No such name'`, ""},
		{"a dialog that counts down", `<div role="alertdialog" aria-label="Go on?" aria-describedby="d"><p id="d">It ends in 29 s</p><button id="x">%s</button></div>`, `d.textContent = 'It ends in 28 s'`, ""},
		{"a tip that comes up", `<button id="x">%s</button><i role="tooltip" id="d">Some more</i>`, `x.setAttribute('aria-describedby', d.id)`, ""},
		{"a word beside it", `<p><i id="d">Draft</i> <button id="x">%s</button></p>`, `d.textContent = 'Saved'`, ""},
	}
	s := use(t)
	b, run := s.tab(t, "actions")
	b = b.on(t)
	var html, late strings.Builder
	for i, tt := range tests {
		ids := strings.NewReplacer(`"x"`, fmt.Sprintf(`"x%d"`, i), `"d"`, fmt.Sprintf(`"d%d"`, i))
		fmt.Fprintf(&html, "<div>%s</div>", ids.Replace(fmt.Sprintf(tt.html, fmt.Sprintf("Control %d", i))))
		fmt.Fprintf(&late, "{ const x = document.getElementById('x%d'), d = document.getElementById('d%d'); %s }\n", i, i, tt.late)
	}
	s.witness.eval(t, run, fmt.Sprintf("document.body.innerHTML = %q; window.n = []; document.body.onclick = (e) => { n.push(e.target.id); e.preventDefault() }", html.String()), nil)
	refs := make([]string, len(tests))
	for i, snapshot := 0, b.state(nil); i < len(tests); i++ {
		refs[i] = find(t, snapshot, "", fmt.Sprintf("Control %d", i)).Ref
	}
	s.witness.eval(t, run, late.String(), nil)
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := b.on(t)
			want := fmt.Sprintf(`["x%d"]`, i)
			if tt.reason != "" {
				b.clickRefused(tt.reason, refs[i], "dom_event")
				want = "[]"
			} else {
				ask[contract.ActionResult](b.agent, "browser_click", b.with(args{"ref": refs[i], "route": "dom_event"}))
			}
			var got string
			s.witness.eval(t, run, "JSON.stringify(n.splice(0))", &got)
			if got != want {
				t.Errorf("the page was clicked at %s, want %s", got, want)
			}
		})
	}
}

// What an action makes of the use of its own node is what was meant: the ref goes
// on. What another does to it is not.
func TestAWayToTheNextPageGoesOn(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "actions")
	b = b.on(t)
	s.witness.eval(t, run, `document.body.innerHTML = '<a id="x" href="?page=2">Next</a> <button id="y">Skip</button>'; window.n = [];
		document.body.onclick = (e) => { e.preventDefault(); n.push(e.target.id + document.getElementById('x').getAttribute('href').at(-1)); document.getElementById('x').href = '?page=' + (n.length + 2) }`, nil)
	snapshot := b.state(nil)
	next, skip := find(t, snapshot, "link", "Next").Ref, find(t, snapshot, "button", "Skip").Ref
	for _, ref := range []string{next, next, skip} {
		ask[contract.ActionResult](b.agent, "browser_click", b.with(args{"ref": ref, "route": "dom_event"}))
	}
	b.clickRefused(refusal.IdentityChanged, next, "dom_event")
	var got string
	s.witness.eval(t, run, "n.join()", &got)
	if got != "x2,x3,y4" {
		t.Errorf("the page was clicked as %s, want x2,x3,y4", got)
	}
}

// After a way to another page and back, which the page has made by itself, a ref
// holds no more, also where nobody has looked in between.
func TestARefAfterTheWayBack(t *testing.T) {
	s := use(t)
	for name, looks := range map[string]bool{"looked at in between": true, "not looked at": false} {
		t.Run(name, func(t *testing.T) {
			b, run := s.tab(t, "actions")
			b = b.on(t)
			old := find(t, b.state(nil), "button", "Go").Ref
			url, next := s.pages.Page("keys")
			s.witness.eval(t, run, "setTimeout(() => { location.href = '"+url+"' })", nil)
			must(t, s.pages.Flush(soon(t), next))
			key := old
			if looks {
				b.clickRefused(refusal.Navigated, old, "dom_event")
				key = find(t, b.state(nil), "button", "Button").Ref
			}
			s.pages.Reset(run)
			s.witness.eval(t, next, "setTimeout(() => history.back())", nil)
			_, err := s.pages.Wait(soon(t), run, func(seen []fixtures.Record) bool { return fixtures.Count(seen, "pageshow", "") > 0 })
			must(t, err)
			for _, ref := range []string{key, old} {
				for _, route := range []string{"dom_event", "trusted_key"} {
					b.clickRefused(refusal.Navigated, ref, route)
				}
			}
			if seen := b.settled(run); fixtures.Count(seen, "click", "")+fixtures.Count(seen, "keydown", "") > 0 {
				t.Errorf("the page observed %s", told(seen))
			}
		})
	}
}

// What a session knew goes with it.
func TestARefOfASessionThatHasEnded(t *testing.T) {
	s := use(t)
	a := agent{t, s, s.engine, "ends"}
	made := a.prepare("actions")
	b := a.bind(made.pid, made.window)
	ref := find(t, b.state(nil), "button", "Go").Ref
	ask[contract.EndSessionResult](a, "end_session", nil)
	ask[contract.StartSessionResult](a, "start_session", nil)
	b.clickRefused(refusal.UnknownTarget, ref, "dom_event")
}

// A frame of another process that has moved is hit where it is now, and what
// stands where it was is left alone.
func TestAFrameThatHasMovedIsHitWhereItIs(t *testing.T) {
	s := use(t)
	for _, route := range []string{"dom_event", "trusted_key", "trusted"} {
		t.Run(route, func(t *testing.T) {
			b, run := s.tab(t, "frames")
			b = b.on(t)
			ref := find(t, b.state(nil), "button", "Button in other-site").Ref
			s.witness.eval(t, run, `{
				const f = document.getElementById('other-site'), r = f.getBoundingClientRect();
				f.style.position = 'relative';
				f.style.left = '120px';
				const d = document.body.appendChild(document.createElement('button'));
				d.id = 'decoy';
				d.style.cssText = 'position: fixed; width: 110px; left: ' + r.left + 'px; top: ' + r.top + 'px; height: ' + r.height + 'px';
				d.onclick = d.onpointerdown = () => journal.note('decoy');
			}`, nil)
			b.settled(run)
			s.pages.Reset(run)
			with := args{"ref": ref, "route": route}
			if route == "trusted" {
				with["delivery_mode"] = "foreground"
			}
			got := ask[contract.ActionResult](b.agent, "browser_click", b.with(with))
			must(t, s.desktop.RaiseSentinel(soon(t)))
			seen := b.settled(run)
			if fixtures.Count(seen, "decoy", "") > 0 || fixtures.Count(seen, "click", "") != 1 {
				t.Errorf("answered %s; the page observed %s", got.Effect, told(seen))
			}
			if r, _ := fixtures.Last(seen, "click", ""); r.Frame != "other-site" || r.Trusted != (route != "dom_event") {
				t.Errorf("the click arrived at %+v", r)
			}
		})
	}
}

// A drag never leaves its document, whatever process the other is of.
func TestADragIntoAnotherProcessIsRefused(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "frames")
	snapshot := b.state(nil)
	ref := func(name string) string { return find(t, snapshot, "button", name).Ref }
	s.pages.Reset(run)
	for _, route := range []string{"dom_event", "trusted"} {
		for _, pair := range [][2]string{{"Button in bordered", "Button in other-site"}, {"Button in other-site", "Button in bordered"}} {
			b.refused(refusal.FramesDiffer, "browser_pointer", b.with(args{"ref": ref(pair[0]), "to_ref": ref(pair[1]), "gesture": "drag", "route": route, "delivery_mode": "foreground"}))
		}
	}
	r := b.refused(refusal.PageRefused, "browser_pointer", b.with(args{
		"ref": ref("Button in other-site"), "to_ref": ref("Second in other-site"), "gesture": "drag", "route": "trusted", "delivery_mode": "foreground",
	}))
	if at := failed(r.Proof); len(at) != 1 || at[0].Step != "route" {
		t.Errorf("failed at %+v", at)
	}
	b.untouched(run, "a drag that is refused")
}
