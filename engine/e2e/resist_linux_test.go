package e2e_test

import (
	"cmp"
	"fmt"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// resisting is a control as pages make them, an action on it, and what then must
// hold of the page and of the answer.
type resisting struct {
	name   string
	html   string // the body of the page
	script string // run in it; $ finds by id
	late   string // run after the snapshot
	on     string // the name of the control
	tool   string // browser_click where it is ""
	with   args
	status contract.Status // ok where it is ""
	effect refusal.Effect
	reason refusal.Reason // a refusal
	// truth is what the page must hold afterwards, once more than any of its
	// timers took has passed, as JavaScript, and held its value.
	truth, held string
	after       int // ms to wait for the truth in the page
}

var resistances = []resisting{
	{
		name: "a controlled field takes digits alone", html: `<input aria-label="X" id="x">`,
		script: `$('x').oninput = (e) => queueMicrotask(() => { e.target.value = e.target.value.replace(/\D/g, '') })`,
		on:     "X", tool: "browser_type", with: args{"text": "12ab"}, status: contract.Partial, effect: refusal.EffectPartial, truth: `$('x').value`, held: "12",
	},
	{
		name: "a controlled field that is never given its state", html: `<input aria-label="X" id="x" value="old">`,
		script: `$('x').oninput = (e) => { e.target.value = 'old' }`,
		on:     "X", tool: "browser_type", with: args{"text": "new", "replace": true}, status: contract.Partial, effect: refusal.EffectSuspectedNoop, truth: `$('x').value`, held: "old",
	},
	{
		name: "a box that is unchecked again after a moment", html: `<input type="checkbox" aria-label="X" id="x">`, script: `$('x').onchange = () => setTimeout(() => { $('x').checked = false }, 150)`,
		on: "X", with: args{"route": "trusted_key", "expect": args{"state": "checked", "timeout_ms": 500}}, status: contract.Partial, effect: refusal.EffectSuspectedNoop, truth: `String($('x').checked)`, held: "false", after: 300,
	},
	{
		name: "a switch that is put back after a moment", html: `<button role="switch" aria-checked="false" aria-label="X" id="x">X</button>`,
		script: `$('x').onclick = () => { $('x').ariaChecked = 'true'; setTimeout(() => { $('x').ariaChecked = 'false' }, 200) }`,
		on:     "X", with: args{"route": "dom_event"}, effect: refusal.EffectDispatched, truth: `$('x').ariaChecked`, held: "false", after: 300,
	},
	{
		name: "a field whose keys are swallowed", html: `<input aria-label="X" id="x">`, script: `$('x').onkeydown = (e) => e.preventDefault()`,
		on: "X", tool: "browser_type", with: args{"text": "new", "mode": "keystrokes"}, status: contract.Partial, effect: refusal.EffectSuspectedNoop, truth: `$('x').value`, held: "",
	},
	{
		name: "a mask", html: `<input aria-label="X" id="x">`, script: `$('x').oninput = (e) => { const d = e.target.value.replace(/\D/g, ''); e.target.value = '(' + d.slice(0, 3) + ') ' + d.slice(3) }`,
		on: "X", tool: "browser_type", with: args{"text": "5551234"}, status: contract.Partial, effect: refusal.EffectPartial, truth: `$('x').value`, held: "(555) 1234",
	},
	{
		name: "a field that is drawn anew when it is typed into", html: `<div id="x"><input aria-label="X"></div>`,
		script: `$('x').oninput = () => { $('x').innerHTML = '<input aria-label="X">' }`,
		on:     "X", tool: "browser_type", with: args{"text": "new"}, status: contract.Partial, effect: refusal.EffectUnknown, truth: `$('x').firstChild.value`, held: "",
	},
	{
		name: "an editor with a model of its own", html: `<div id="x" contenteditable role="textbox" aria-label="X"><p>old</p></div>`,
		script: `$('x').addEventListener('beforeinput', (e) => { e.preventDefault(); $('x').firstChild.textContent += e.data || '' })`,
		on:     "X", tool: "browser_type", with: args{"text": " new"}, effect: refusal.EffectConfirmed, truth: `$('x').textContent`, held: "old new",
	},
	{
		name: "an editor that drops what it is given", html: `<div id="x" contenteditable role="textbox" aria-label="X">old</div>`,
		script: `$('x').addEventListener('beforeinput', (e) => e.preventDefault())`,
		on:     "X", tool: "browser_type", with: args{"text": " new"}, status: contract.Partial, effect: refusal.EffectSuspectedNoop, truth: `$('x').textContent`, held: "old",
	},
	{
		name: "a search that answers later", html: `<input aria-label="X" id="x"><ul id="l"></ul>`,
		script: `let t; $('x').oninput = () => { clearTimeout(t); t = setTimeout(() => { $('l').innerHTML = '<li>' + $('x').value }, 300) }`,
		on:     "X", tool: "browser_type", with: args{"text": "new", "mode": "keystrokes"}, effect: refusal.EffectConfirmed, truth: `$('l').textContent`, held: "new", after: 400,
	},
	{
		name: "a field that is checked when it is left", html: `<input aria-label="X" id="x"><p id="p"><button id="b">Go</button>`,
		script: `$('x').focus(); $('x').value = 'bad'; $('x').onblur = () => { $('x').value = ''; $('p').style.marginTop = '200px' }; $('b').onclick = () => { $('p').title = 'done' }`,
		on:     "Go", with: args{"route": "trusted_key"}, effect: refusal.EffectConfirmed, truth: `$('p').title`, held: "done",
	},
	{
		name: "the button goes from under the press", html: `<p id="p"><button id="b">Go</button> <button id="c">Other</button>`,
		script: `window.n = ''; $('b').onmousedown = () => { $('p').style.paddingLeft = '200px' }; for (const i of ['b', 'c']) $(i).onclick = () => { n += i }`,
		on:     "Go", with: args{"route": "trusted", "delivery_mode": "foreground"}, status: contract.Partial, effect: refusal.EffectUnknown, truth: `n`, held: "",
	},
	{
		name: "another button comes under the press", html: `<p><button id="b">Go</button> <button id="c">No</button>`,
		script: `window.n = ''; $('b').onmousedown = () => { $('b').before($('c')); $('b').style.marginLeft = '300px' }; for (const i of ['b', 'c']) $(i).onclick = () => { n += i }`,
		on:     "Go", with: args{"route": "trusted", "delivery_mode": "foreground"}, status: contract.Partial, effect: refusal.EffectPartial, truth: `n`, held: "",
	},
	{
		name: "another button takes its place under the press", html: `<p id="p"><button id="b">Go</button>`,
		script: `window.n = ''; $('b').onpointerdown = () => { $('p').innerHTML = '<button onpointerup="n += 1" onmouseup="n += 2" onclick="n += 3">Drop all</button>' }; $('b').onclick = () => { n += 'b' }`,
		on:     "Go", with: args{"route": "trusted", "delivery_mode": "foreground"}, status: contract.Partial, effect: refusal.EffectPartial, truth: `n`, held: "",
	},
	{
		name: "the first of two clicks brings up another button", html: `<p id="p"><button id="b">Go</button>`,
		script: `window.n = ''; $('b').onclick = () => { n += 'b'; $('p').innerHTML = '<button onpointerdown="n += 1" onclick="n += 2" ondblclick="n += 3">Drop all</button>' }`,
		on:     "Go", tool: "browser_pointer", with: args{"gesture": "double_click", "route": "trusted", "delivery_mode": "foreground"}, status: contract.Partial, effect: refusal.EffectPartial, truth: `n`, held: "b",
	},
	{
		name: "another button captures the press", html: `<button id="b">Go</button> <button id="c">Drop all</button>`,
		script: `window.n = ''; $('b').onpointerdown = (e) => $('c').setPointerCapture(e.pointerId); for (const t of ['pointerup', 'mouseup', 'click']) $('c').addEventListener(t, () => { n += t })`,
		on:     "Go", with: args{"route": "trusted", "delivery_mode": "foreground"}, status: contract.Partial, effect: refusal.EffectPartial, truth: `n`, held: "",
	},
	{
		name: "what it is in takes the click of a button that left", html: `<div id="p" onclick="n += 'p' + (event.target === this ? 1 : 2)">Card <button id="b">Go</button></div>`,
		script: `window.n = ''; $('b').onpointerdown = () => { $('p').innerHTML = '<button>Drop all</button>' }`,
		on:     "Go", with: args{"route": "trusted", "delivery_mode": "foreground"}, status: contract.Partial, effect: refusal.EffectPartial, truth: `n`, held: "",
	},
	{
		name: "a card that captures its own press", html: `<div id="p">Card <button id="b">Go</button></div>`,
		script: `window.n = ''; $('p').onpointerdown = (e) => $('p').setPointerCapture(e.pointerId); $('p').onclick = () => { n += 'p'; $('p').title = n }`,
		on:     "Go", with: args{"route": "trusted", "delivery_mode": "foreground"}, status: contract.Partial, effect: refusal.EffectUnknown, truth: `n`, held: "p",
	},
	{
		name: "a menu opens where the press was", html: `<button id="b">Go</button>`,
		script: `window.n = ''; $('b').onmousedown = (e) => { document.body.insertAdjacentHTML('beforeend', '<div role=menu style="position: fixed; left: ' + (e.clientX - 9) + 'px; top: ' + (e.clientY - 9) + 'px"><div role=menuitem tabindex=-1 onmouseup="n += 1">Drop all</div></div>') }`,
		on:     "Go", with: args{"route": "trusted", "delivery_mode": "foreground"}, status: contract.Partial, effect: refusal.EffectPartial, truth: `n + document.querySelectorAll('[role=menu]').length`, held: "1",
	},
	{
		name: "a dead toggle that a timer turns", html: `<button id="b" aria-pressed="false">Go</button>`, script: `setInterval(() => { $('b').ariaPressed = $('b').ariaPressed === 'false' }, 150)`,
		on: "Go", with: args{"route": "dom_event"}, effect: refusal.EffectDispatched, truth: `1`, held: "1",
	},
	{
		name: "a dead button on a page whose address ticks", html: `<button id="b">Go</button>`, script: `let n = 0; setInterval(() => history.replaceState(0, '', '#' + n++), 150)`,
		on: "Go", with: args{"route": "trusted_key"}, effect: refusal.EffectDispatched, truth: `1`, held: "1",
	},
	{
		name: "a toggle by the press", html: `<button id="b" aria-expanded="false">Go</button>`, script: `$('b').onpointerdown = () => { $('b').ariaExpanded = 'true' }`,
		on: "Go", with: args{"route": "trusted", "delivery_mode": "foreground"}, effect: refusal.EffectConfirmed, truth: `$('b').ariaExpanded`, held: "true",
	},
	{
		name: "a toggle a moment later", html: `<button id="b" aria-pressed="false">Go</button>`, script: `$('b').onclick = () => queueMicrotask(() => { $('b').ariaPressed = 'true' })`,
		on: "Go", with: args{"route": "trusted_key"}, effect: refusal.EffectConfirmed, truth: `$('b').ariaPressed`, held: "true",
	},
	{
		name: "a click is swallowed on its way", html: `<button>Go</button>`, script: `window.n = 0; addEventListener('click', (e) => { e.stopImmediatePropagation(); e.preventDefault() }, true); document.querySelector('button').onclick = () => n++`,
		on: "Go", with: args{"route": "trusted_key"}, effect: refusal.EffectSuspectedNoop, truth: `n`, held: "0",
	},
	{
		name: "a button that is off once it was pressed", html: `<button id="b">Pay</button>`, script: `window.n = 0; $('b').onclick = () => { n++; $('b').disabled = true }`,
		on: "Pay", with: args{"route": "dom_event"}, effect: refusal.EffectConfirmed, truth: `n`, held: "1",
	},
	{
		name: "a button that trusts people alone", html: `<button id="b">Go</button>`, script: `window.n = 0; $('b').onclick = (e) => { if (e.isTrusted) { n++; $('b').title = n } }`,
		on: "Go", with: args{"route": "dom_event"}, effect: refusal.EffectSuspectedNoop, truth: `n`, held: "0",
	},
	{
		name: "the same by key", html: `<button id="b">Go</button>`, script: `window.n = 0; $('b').onclick = (e) => { if (e.isTrusted) { n++; $('b').title = n } }`,
		on: "Go", with: args{"route": "trusted_key"}, effect: refusal.EffectConfirmed, truth: `n`, held: "1",
	},
	{
		name: "a box drawn by its label", html: `<label id="l"><input id="x" type="checkbox" style="position: absolute; opacity: 0">Agree</label>`, script: ``,
		on: "Agree", with: args{"route": "dom_event"}, effect: refusal.EffectConfirmed, truth: `$('x').checked`, held: "true",
	},
	{
		name: "a label whose input is not shown", html: `<label id="l"><input id="x" type="checkbox" hidden>Agree</label>`, script: ``,
		on: "Agree", with: args{"route": "dom_event"}, effect: refusal.EffectConfirmed, truth: `$('x').checked`, held: "true",
	},
	{
		name: "a label that hears the click of its box, too", html: `<label id="l"><input id="x" type="checkbox" hidden>Agree</label>`, script: `$('l').onclick = () => { $('l').classList.toggle('on') }`,
		on: "Agree", with: args{"route": "dom_event"}, effect: refusal.EffectConfirmed, truth: `$('x').checked + $('l').className`, held: "true",
	},
	{
		name: "a switch made of a div", html: `<div id="s" role="switch" aria-checked="false" tabindex="0">Night</div>`, script: `$('s').onclick = () => $('s').setAttribute('aria-checked', 'true')`,
		on: "Night", with: args{"route": "dom_event"}, effect: refusal.EffectConfirmed, truth: `$('s').getAttribute('aria-checked')`, held: "true",
	},
	{
		name: "a switch that the server takes back", html: `<div id="s" role="switch" aria-checked="false" tabindex="0">Night</div>`,
		script: `$('s').onclick = () => { $('s').setAttribute('aria-checked', 'true'); setTimeout(() => $('s').setAttribute('aria-checked', 'false'), 60) }`,
		on:     "Night", with: args{"route": "dom_event"}, effect: refusal.EffectDispatched, truth: `$('s').getAttribute('aria-checked')`, held: "false", after: 100,
	},
	{
		name: "a choice that is taken back", html: `<select aria-label="X" id="x"><option>One<option>Two</select>`, script: `$('x').onchange = () => setTimeout(() => { $('x').value = 'One' }, 60)`,
		on: "X", tool: "browser_select", with: args{"labels": []string{"Two"}}, status: contract.Partial, effect: refusal.EffectSuspectedNoop, truth: `$('x').value`, held: "One",
	},
	{
		name: "a menu of one's own", html: `<div id="m" role="combobox" aria-expanded="false" aria-label="X" tabindex="0">One</div><ul id="l" hidden><li>One<li>Two</ul>`,
		script: `$('m').onclick = () => { $('m').setAttribute('aria-expanded', 'true'); $('l').hidden = false }`,
		on:     "X", tool: "browser_select", with: args{"labels": []string{"Two"}}, reason: refusal.NotDeclared, truth: `$('l').hidden`, held: "true",
	},
	{
		name: "the rows are sorted when one has the focus", html: `<ul id="l"><li>Ann <button>Open</button><li>Bob <button>Drop</button></ul>`,
		script: `window.n = ''; for (const b of document.querySelectorAll('button')) { b.onclick = () => { n += b.parentNode.firstChild.data.trim() }; b.onfocus = () => { const [x, y] = document.querySelectorAll('li'); [x.firstChild.data, y.firstChild.data] = [y.firstChild.data, x.firstChild.data] } }`,
		on:     "Open", with: args{"route": "trusted_key"}, reason: refusal.IdentityChanged, truth: `n`, held: "",
	},
	{
		name: "a button is another once it has the focus", html: `<button id="b">Save</button>`, script: `window.n = 0; $('b').onfocus = () => { $('b').textContent = 'Delete' }; $('b').onclick = () => n++`,
		on: "Save", with: args{"route": "trusted_key"}, reason: refusal.IdentityChanged, truth: `n`, held: "0",
	},
	{
		name: "a button is another when the pointer comes", html: `<button id="b">Save</button>`, script: `window.n = 0; $('b').onmouseenter = () => { $('b').textContent = 'Delete' }; $('b').onclick = () => n++`,
		on: "Save", with: args{"route": "trusted", "delivery_mode": "foreground"}, reason: refusal.IdentityChanged, truth: `n`, held: "0",
	},
	{
		name: "a layer comes when the pointer does", html: `<button id="b">Save</button>`, script: `window.n = ''; $('b').onclick = () => { n += 'b' }; $('b').onmouseenter = () => { const d = document.body.appendChild(document.createElement('div')); d.style.cssText = 'position: fixed; inset: 0'; d.onclick = () => { n += 'd' } }`,
		on: "Save", with: args{"route": "trusted", "delivery_mode": "foreground"}, reason: refusal.Occluded, truth: `n`, held: "",
	},
	{
		name: "a button that flies", html: `<button id="b" style="position: absolute">Go</button>`, script: `window.n = 0; (function f(t) { $('b').style.left = 100 + 80 * Math.sin(performance.now() / 50) + 'px'; requestAnimationFrame(f) })(); $('b').onclick = () => n++`,
		on: "Go", with: args{"route": "trusted", "delivery_mode": "foreground"}, reason: refusal.GeometryChanged, truth: `n`, held: "0",
	},
	{
		name: "a control in an open shadow tree", html: `<div id="h"></div>`, script: `window.n = 0; const r = $('h').attachShadow({mode: 'open'}); r.innerHTML = '<button>Go</button>'; r.firstChild.onclick = () => { n++; r.firstChild.title = n }`,
		on: "Go", with: args{"route": "trusted_key"}, effect: refusal.EffectConfirmed, truth: `n`, held: "1",
	},
	{
		name: "a control in a closed shadow tree", html: `<div id="h"></div>`, script: `window.n = 0; const r = $('h').attachShadow({mode: 'closed'}); r.innerHTML = '<button>Go</button>'; r.firstChild.onclick = () => { n++; r.firstChild.title = n }`,
		on: "Go", with: args{"route": "trusted_key"}, effect: refusal.EffectConfirmed, truth: `n`, held: "1",
	},
	{
		name: "a field in a frame that is written by script", html: `<iframe id="f" srcdoc="<input aria-label=Card id=x>"></iframe>`, script: `new Promise((ok) => { $('f').onload = ok })`,
		on: "Card", tool: "browser_type", with: args{"text": "42"}, effect: refusal.EffectConfirmed, truth: `$('f').contentDocument.getElementById('x').value`, held: "42",
	},
	{
		name: "a way that the browser does not go", html: `<button id="b">Go</button>`, script: `$('b').onclick = () => { location.href = 'data:text/html,x' }`,
		on: "Go", with: args{"route": "dom_event"}, effect: refusal.EffectSuspectedNoop, truth: `location.pathname`, held: "/actions",
	},
	{
		name: "a form that is off once it was sent", html: `<form id="f"><button>Send</button></form>`, script: `window.n = 0; $('f').onsubmit = (e) => { e.preventDefault(); n++; if (n > 1) return; $('f').firstChild.disabled = true }`,
		on: "Send", with: args{"route": "trusted_key"}, effect: refusal.EffectConfirmed, truth: `n`, held: "1",
	},
	{
		name: "a click takes its button away", html: `<button id="b">Go</button>`, script: `window.n = 0; $('b').onclick = () => { n++; $('b').remove() }`,
		on: "Go", with: args{"route": "trusted_key"}, effect: refusal.EffectConfirmed, truth: `n`, held: "1",
	},
	{
		name: "two clicks in one", html: `<button id="b">Go</button>`, script: `window.n = 0; $('b').ondblclick = () => { n++; $('b').title = n }`,
		on: "Go", tool: "browser_pointer", with: args{"gesture": "double_click", "route": "dom_event"}, effect: refusal.EffectConfirmed, truth: `n`, held: "1",
	},
	{
		name: "a value is brought back by its slider", html: `<input type="range" aria-label="X" id="x" min="0" max="10" value="3">`, script: `$('x').oninput = () => setTimeout(() => { $('x').value = 3 }, 20)`,
		on: "X", tool: "browser_type", with: args{"text": "7"}, status: contract.Partial, effect: refusal.EffectSuspectedNoop, truth: `$('x').value`, held: "3",
	},
	{
		name: "a slider", html: `<input type="range" aria-label="X" id="x" min="0" max="10" value="3">`, script: `window.n = 0; $('x').onchange = () => n++`,
		on: "X", tool: "browser_type", with: args{"text": "7"}, effect: refusal.EffectConfirmed, truth: `$('x').value + ' ' + n`, held: "7 1",
	},
	{
		name: "a slider that does not go so far", html: `<input type="range" aria-label="X" id="x" min="0" max="10" value="3">`,
		on: "X", tool: "browser_type", with: args{"text": "70"}, status: contract.Partial, effect: refusal.EffectPartial, truth: `$('x').value`, held: "10",
	},
	{
		name: "a colour", html: `<input type="color" aria-label="X" id="x">`, on: "X", tool: "browser_type", with: args{"text": "#ff8800"}, effect: refusal.EffectConfirmed, truth: `$('x').value`, held: "#ff8800",
	},
	{
		name: "a word that is no colour", html: `<input type="color" aria-label="X" id="x" value="#ff8800">`, on: "X", tool: "browser_type", with: args{"text": "reddish"}, status: contract.Partial, effect: refusal.EffectPartial, truth: `$('x').value`, held: "#000000",
	},
	{
		name: "a field that is read only", html: `<input aria-label="X" id="x" readonly value="old">`, on: "X", tool: "browser_type", with: args{"text": "new"}, reason: refusal.Readonly, truth: `$('x').value`, held: "old",
	},
	{
		name: "a text for a box", html: `<input type="checkbox" aria-label="X" id="x">`, on: "X", tool: "browser_type", with: args{"text": "on"}, reason: refusal.NotDeclared, truth: `$('x').checked`, held: "false",
	},
	{
		name: "a day that is none", html: `<input type="date" aria-label="X" id="x" value="2026-03-04">`, on: "X", tool: "browser_type", with: args{"text": "2026-02-30"}, status: contract.Partial, effect: refusal.EffectPartial, truth: `$('x').value`, held: "",
	},
	{
		name: "a field that is taken back after a moment", html: `<input aria-label="X" id="x">`, script: `let t; $('x').oninput = () => { clearTimeout(t); t = setTimeout(() => { $('x').value = '' }, 300) }`,
		on: "X", tool: "browser_type", with: args{"text": "new", "mode": "keystrokes"}, status: contract.Partial, effect: refusal.EffectSuspectedNoop, truth: `$('x').value`, held: "",
	},
	{
		name: "a choice that is taken back after a moment", html: `<select aria-label="X" id="x"><option>One<option>Two</select>`, script: `$('x').onchange = () => setTimeout(() => { $('x').value = 'One' }, 300)`,
		on: "X", tool: "browser_select", with: args{"labels": []string{"Two"}}, status: contract.Partial, effect: refusal.EffectSuspectedNoop, truth: `$('x').value`, held: "One",
	},
	{
		name: "a key for what has no focus", html: `<div id="d">Go</div>`, script: `window.n = 0; $('d').onclick = $('d').onkeydown = document.body.onkeydown = () => n++`,
		on: "Go", tool: "browser_press", with: args{"key": "Enter"}, reason: refusal.NotFocusable, truth: `n`, held: "0",
	},
	{
		name: "a choice that is not open", html: `<select aria-label="X" id="x"><option>One<optgroup label="Out" disabled><option>Two</optgroup></select>`,
		on: "X", tool: "browser_select", with: args{"labels": []string{"Two"}}, reason: refusal.OptionDisabled, truth: `$('x').value`, held: "One",
	},
	{
		name: "a link over all that is not seen", html: `<button id="b">Go</button>`, script: `window.n = 0; $('b').onclick = () => n++`, late: `document.body.insertAdjacentHTML('beforeend', '<a href="/page/2" style="position: fixed; inset: 0; opacity: 0">Win</a>')`,
		on: "Go", with: args{"route": "trusted_key"}, reason: refusal.Occluded, truth: `n + location.pathname`, held: "0/actions",
	},
	{
		name: "a notice over the half of it", html: `<button id="b" style="width: 200px; height: 40px">Go</button><div style="position: fixed; left: 0; right: 0; top: 20px; bottom: 0; background: white">Cookies</div>`, script: `window.n = 0; $('b').onclick = () => { n++; $('b').title = n }`,
		on: "Go", with: args{"route": "trusted", "delivery_mode": "foreground"}, effect: refusal.EffectConfirmed, truth: `n`, held: "1",
	},
	{
		name: "a layer that lets everything through", html: `<button id="b">Go</button><div style="position: fixed; inset: 0; pointer-events: none; background: #fff8"><p>Hi</div>`, script: `window.n = 0; $('b').onclick = () => { n++; $('b').title = n }`,
		on: "Go", with: args{"route": "trusted", "delivery_mode": "foreground"}, effect: refusal.EffectConfirmed, truth: `n`, held: "1",
	},
	{
		name: "a link that wraps around a button", html: `<p style="width: 160px">Before <a id="a" href="#x">a link of which a half is below</a> <button id="b">No</button>`, script: `window.n = ''; $('a').onclick = (e) => { e.preventDefault(); n += 'a'; $('a').title = n }; $('b').onclick = () => { n += 'b' }`,
		on: "a link of which a half is below", with: args{"route": "trusted", "delivery_mode": "foreground"}, effect: refusal.EffectConfirmed, truth: `n`, held: "a",
	},
	{
		name: "a key that the page has taken for itself", html: `<input aria-label="X" id="x">`, script: `window.n = ''; addEventListener('keydown', (e) => { e.preventDefault(); n += e.key })`,
		on: "X", tool: "browser_press", with: args{"key": "Enter"}, effect: refusal.EffectSuspectedNoop, truth: `n`, held: "Enter",
	},
}

// What pages do against an action, or beside it, never makes a wrong act nor a
// success that did not happen.
func TestPagesThatResist(t *testing.T) {
	s := use(t)
	for _, tt := range resistances {
		t.Run(tt.name, func(t *testing.T) {
			b, run := s.tab(t, "actions")
			b = b.on(t)
			s.witness.eval(t, run, fmt.Sprintf("document.body.innerHTML = %q; window.$ = (id) => document.getElementById(id); %s", tt.html, tt.script), nil)
			must(t, s.desktop.RaiseSentinel(soon(t)))
			with := b.with(tt.with)
			with["ref"] = find(t, b.state(nil), "", tt.on).Ref
			if tt.late != "" {
				s.witness.eval(t, run, tt.late, nil)
			}
			tool := tt.tool
			if tool == "" {
				tool = "browser_click"
			}
			if tt.reason != "" {
				b.refused(tt.reason, tool, with)
			} else {
				got := ask[contract.ActionResult](b.agent, tool, with)
				if got.Effect != tt.effect || got.Status != cmp.Or(tt.status, contract.OK) {
					t.Errorf("answered %s, %s (%s): %+v", got.Status, got.Effect, got.Settled, got.Evidence)
				}
			}
			var held string
			s.witness.eval(t, run, fmt.Sprintf("new Promise((ok) => setTimeout(() => ok(String(%s)), %d))", tt.truth, tt.after), &held)
			if held != tt.held {
				t.Errorf("the page holds %q, want %q", held, tt.held)
			}
		})
	}
}
