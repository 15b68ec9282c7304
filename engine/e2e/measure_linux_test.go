package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"cuatui/engine"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/fixtures/desktop"
	"cuatui/platform"
)

// desk is a desktop on which the sentinel is in front of the browser's window,
// as it is seen from outside of the browser.
type desk interface {
	// front puts the sentinel in front.
	front(t *testing.T)
	// look is everything that something safe leaves as it is, and whether the
	// window is marked as wanting attention.
	look(t *testing.T) (seen string, urgent bool)
	// wanted waits until the window has been activated or marked.
	wanted(t *testing.T)
	// shows says whether the browser's window is shown, beside or under it.
	shows() bool
	// handled waits until the window has a title: then the desktop has handled
	// whatever the browser asked of it before.
	handled(t *testing.T, title string)
}

// xDesk is a desktop of X11.
type xDesk struct {
	*desktop.Desktop
	window uint32
}

func (d xDesk) front(t *testing.T) { t.Helper(); must(t, d.RaiseSentinel(soon(t))) }

func (d xDesk) look(t *testing.T) (seen string, urgent bool) {
	t.Helper()
	f, err := d.Facts()
	must(t, err)
	return fmt.Sprintf("active %d, focus %d, stacking %v, pointer %d,%d", f.Active, f.Focus, f.Stacking, f.PointerX, f.PointerY), false
}

func (d xDesk) wanted(t *testing.T) { t.Helper(); must(t, d.WaitActive(soon(t), d.window)) }

func (d xDesk) shows() bool { return true }

func (d xDesk) handled(t *testing.T, title string) {
	t.Helper()
	must(t, d.Handled(soon(t), d.window, title))
}

// measured is a browser that the inputs are given to, past the engine.
type measured struct {
	t       *testing.T
	desk    desk
	conn    *devtools.Conn
	target  string
	page    *devtools.Session
	titles  int
	dialogs *devtools.Events
}

// measure launches a browser and prepares its page.
func measure(t *testing.T, e *engine.Engine, on func(pid int, window uint64) desk) *measured {
	t.Helper()
	const session = "measured"
	_, err := e.StartSession(soon(t), contract.StartSessionRequest{Session: session})
	must(t, err)
	t.Cleanup(func() {
		_, err := e.EndSession(context.Background(), contract.EndSessionRequest{Session: session})
		must(t, err)
	})
	made, err := e.Prepare(soon(t), contract.PrepareRequest{Session: session, Profile: "isolated_new", AllowLaunch: true, ExposePort: true})
	must(t, err)
	w, err := dialWitness(soon(t), made.SideEffects.PortExposed)
	must(t, err)
	t.Cleanup(func() { must(t, w.conn.Close()) })
	m := &measured{t: t, desk: on(made.PreparedPID, made.WindowIDs[0]), conn: w.conn}
	m.target = w.targets(t)[slices.IndexFunc(w.targets(t), func(x target) bool { return x.Type == "page" })].ID
	m.page, err = w.conn.Attach(soon(t), m.target)
	must(t, err)
	m.call(m.page, "Page.enable", nil, nil)
	m.dialogs = m.page.Subscribe("Page.javascriptDialogOpening")
	m.eval(m.page, `window.seen = []; for (const type of ['mousemove', 'wheel', 'mousedown', 'touchstart', 'input', 'keydown', 'click'])
		addEventListener(type, e => seen.push(type + ' ' + (e.isTrusted ? 'trusted' : 'synthetic')), {capture: true})`)
	m.eval(m.page, `document.body.innerHTML = '<button id="b" style="position:fixed;left:0;top:0;width:200px;height:100px">B</button>' +
		'<input id="i" style="position:fixed;left:0;top:120px"><a id="a" href="about:blank" target="_blank" style="position:fixed;left:0;top:160px">A</a><p style="height:5000px">'`)
	return m
}

func (m *measured) call(s *devtools.Session, method string, params, result any) {
	m.t.Helper()
	if err := s.Call(soon(m.t), method, params, result); err != nil {
		m.t.Fatalf("%s: %v", method, err)
	}
}

func (m *measured) eval(s *devtools.Session, script string) {
	m.t.Helper()
	var r struct {
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	m.call(s, "Runtime.evaluate", map[string]any{"expression": script}, &r)
	if r.Exception != nil {
		m.t.Fatalf("%s: %s", script, r.Exception)
	}
}

// settle waits, by way of the tab that the window shows, until everything that
// was asked of the desktop is handled. What needs an answer of the desktop's
// first is asked in two steps; so once is not enough.
func (m *measured) settle(shown *devtools.Session, times int) {
	m.t.Helper()
	for range times {
		m.titles++
		title := fmt.Sprintf("measured %d.", m.titles)
		m.eval(shown, fmt.Sprintf("document.title = %q", title))
		m.desk.handled(m.t, title)
	}
}

// mouse sends one pointer event.
func (m *measured) mouse(kind string, more map[string]any) {
	m.t.Helper()
	params := map[string]any{"type": kind, "x": 50, "y": 50}
	for k, v := range more {
		params[k] = v
	}
	m.call(m.page, "Input.dispatchMouseEvent", params, nil)
}

func (m *measured) key(key, code string, vk int) {
	m.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		params := map[string]any{"type": kind, "key": key, "code": code, "windowsVirtualKeyCode": vk}
		if kind == "keyDown" {
			params["text"] = key
		}
		m.call(m.page, "Input.dispatchKeyEvent", params, nil)
	}
}

// isolated evaluates in a world of its own, as the engine does.
func (m *measured) isolated(script string) {
	m.t.Helper()
	var tree struct {
		FrameTree frameTree `json:"frameTree"`
	}
	m.call(m.page, "Page.getFrameTree", nil, &tree)
	var world struct {
		ID int `json:"executionContextId"`
	}
	m.call(m.page, "Page.createIsolatedWorld", map[string]any{"frameId": tree.FrameTree.Frame.ID}, &world)
	m.call(m.page, "Runtime.evaluate", map[string]any{"expression": script, "contextId": world.ID}, nil)
}

// create opens a tab and returns it and how to close it.
func (m *measured) create(background bool) (*devtools.Session, func()) {
	m.t.Helper()
	var made struct {
		ID string `json:"targetId"`
	}
	m.call(m.conn.Browser(), "Target.createTarget", map[string]any{"url": "about:blank", "background": background}, &made)
	s, err := m.conn.Attach(soon(m.t), made.ID)
	must(m.t, err)
	return s, func() {
		m.call(m.conn.Browser(), "Target.closeTarget", map[string]any{"targetId": made.ID}, nil)
	}
}

// pages are the ids of the browser's pages.
func (m *measured) pages() (ids []string) {
	m.t.Helper()
	var list struct {
		TargetInfos []target `json:"targetInfos"`
	}
	m.call(m.conn.Browser(), "Target.getTargets", nil, &list)
	for _, x := range list.TargetInfos {
		if x.Type == "page" {
			ids = append(ids, x.ID)
		}
	}
	return ids
}

// opened waits for a page that is not known and returns it and how to close it.
func (m *measured) opened(known []string) (*devtools.Session, func()) {
	m.t.Helper()
	tick, ctx := time.NewTicker(10*time.Millisecond), soon(m.t)
	defer tick.Stop()
	for {
		for _, id := range m.pages() {
			if slices.Contains(known, id) {
				continue
			}
			s, err := m.conn.Attach(ctx, id)
			must(m.t, err)
			return s, func() { m.call(m.conn.Browser(), "Target.closeTarget", map[string]any{"targetId": id}, nil) }
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			m.t.Fatal("the page has opened no tab")
		}
	}
}

// dialog lets the page open a dialog.
func (m *measured) dialog() {
	m.t.Helper()
	m.eval(m.page, "setTimeout(() => alert('measured'))")
	select {
	case <-m.dialogs.C():
	case <-soon(m.t).Done():
		m.t.Fatal("no dialog opened")
	}
}

func (m *measured) accept() {
	m.t.Helper()
	m.call(m.page, "Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil)
}

// seen is what the page has observed; it is forgotten.
func (m *measured) seen() []string {
	m.t.Helper()
	var r struct {
		Result struct {
			Value []string `json:"value"`
		} `json:"result"`
	}
	m.call(m.page, "Runtime.evaluate", map[string]any{"expression": "seen.splice(0)", "returnByValue": true}, &r)
	return r.Result.Value
}

// inputs gives each input of the table. give returns the tab that the window
// shows afterwards, nil for the first; ready is what must have happened before;
// arrives is the event by which the page knows of the input.
var inputs = map[platform.Input]struct {
	arrives string
	drops   bool // a window that is not shown may never answer it: measured in one that is
	holds   bool // the page is held up until undo
	ready   func(*measured)
	give    func(*measured) (shown *devtools.Session, undo func())
}{
	platform.MouseMoved: {arrives: "mousemove trusted", give: func(m *measured) (*devtools.Session, func()) {
		m.mouse("mouseMoved", nil)
		return nil, nil
	}},
	platform.MouseWheel: {arrives: "wheel trusted", drops: true, give: func(m *measured) (*devtools.Session, func()) {
		m.mouse("mouseWheel", map[string]any{"deltaX": 0, "deltaY": 50})
		return nil, nil
	}},
	platform.MousePressed: {arrives: "mousedown trusted", give: func(m *measured) (*devtools.Session, func()) {
		m.mouse("mousePressed", map[string]any{"button": "left", "clickCount": 1})
		m.mouse("mouseReleased", map[string]any{"button": "left", "clickCount": 1})
		return nil, nil
	}},
	platform.TouchStart: {arrives: "touchstart trusted", drops: true, give: func(m *measured) (*devtools.Session, func()) {
		m.call(m.page, "Input.dispatchTouchEvent", map[string]any{"type": "touchStart", "touchPoints": []any{map[string]any{"x": 50, "y": 50}}}, nil)
		m.call(m.page, "Input.dispatchTouchEvent", map[string]any{"type": "touchEnd", "touchPoints": []any{}}, nil)
		return nil, nil
	}},
	platform.InsertText: {
		arrives: "input trusted",
		ready:   func(m *measured) { m.eval(m.page, "document.getElementById('i').focus()") },
		give: func(m *measured) (*devtools.Session, func()) {
			m.call(m.page, "Input.insertText", map[string]any{"text": "abc"}, nil)
			return nil, nil
		},
	},
	platform.KeyEvent: {
		arrives: "keydown trusted",
		ready:   func(m *measured) { m.eval(m.page, "document.getElementById('i').focus()") },
		give: func(m *measured) (*devtools.Session, func()) {
			m.key("a", "KeyA", 65)
			return nil, nil
		},
	},
	platform.KeyClick: {arrives: "click trusted", give: func(m *measured) (*devtools.Session, func()) {
		m.isolated("document.getElementById('b').focus()")
		m.key(" ", "Space", 32)
		return nil, nil
	}},
	platform.ElementClick: {arrives: "click synthetic", give: func(m *measured) (*devtools.Session, func()) {
		m.isolated("document.getElementById('b').click()")
		return nil, nil
	}},
	platform.CreateTarget:     {give: func(m *measured) (*devtools.Session, func()) { return m.create(false) }},
	platform.CreateBackground: {give: func(m *measured) (*devtools.Session, func()) { _, undo := m.create(true); return nil, undo }},
	platform.ActivateTarget: {give: func(m *measured) (*devtools.Session, func()) {
		m.call(m.conn.Browser(), "Target.activateTarget", map[string]any{"targetId": m.target}, nil)
		return nil, nil
	}},
	platform.BringToFront: {give: func(m *measured) (*devtools.Session, func()) {
		m.call(m.page, "Page.bringToFront", nil, nil)
		return nil, nil
	}},
	platform.TabOpens: {arrives: "click trusted", give: func(m *measured) (*devtools.Session, func()) {
		known := m.pages()
		m.isolated("document.getElementById('a').focus()")
		m.key("\r", "Enter", 13)
		return m.opened(known)
	}},
	platform.DialogOpens: {holds: true, give: func(m *measured) (*devtools.Session, func()) {
		m.dialog()
		m.desk.wanted(m.t)
		return nil, m.accept
	}},
	platform.DialogAccept: {ready: func(m *measured) { m.dialog(); m.desk.wanted(m.t) }, give: func(m *measured) (*devtools.Session, func()) {
		m.accept()
		return nil, nil
	}},
}

// safety gives every input to the browser behind the sentinel and holds what
// the desktop shows against the table.
func (m *measured) safety(system platform.WindowSystem) {
	var rows []platform.Input
	for _, row := range platform.Safety {
		if row.System == system {
			rows = append(rows, row.Input)
		}
	}
	for input := range inputs {
		if !slices.Contains(rows, input) {
			m.t.Errorf("the table has no row of %s for %s", system, input)
		}
	}
	for _, row := range platform.Safety {
		if row.System != system || inputs[row.Input].drops && !m.desk.shows() {
			continue
		}
		m.t.Run(string(row.Input), func(t *testing.T) {
			on := *m
			on.t = t
			safe, urgent := on.give(row.Input)
			m.titles = on.titles
			if safe != row.Safe || urgent != row.Urgent {
				t.Errorf("measured: safe %v, urgent %v; the table says %v, %v", safe, urgent, row.Safe, row.Urgent)
			}
		})
	}
}

// give gives one input and says whether the desktop is as before, and whether
// the window is marked now.
func (m *measured) give(input platform.Input) (safe, urgent bool) {
	m.t.Helper()
	how, ok := inputs[input]
	if !ok {
		m.t.Fatalf("no test gives %s", input)
	}
	m.settle(m.page, 1)
	m.seen()
	m.desk.front(m.t)
	if how.ready != nil {
		how.ready(m)
		m.desk.front(m.t)
	}
	before, _ := m.desk.look(m.t)
	shown, undo := how.give(m)
	if shown == nil {
		shown = m.page
	}
	if !how.holds {
		m.settle(shown, 2)
	}
	after, urgent := m.desk.look(m.t)
	if undo != nil {
		undo()
	}
	if seen := m.seen(); how.arrives != "" && !slices.Contains(seen, how.arrives) {
		m.t.Errorf("the page observed %q, not %s: nothing was measured", seen, how.arrives)
	}
	if before != after {
		m.t.Logf("before: %s", before)
		m.t.Logf("after:  %s", after)
	}
	return before == after, urgent
}

func TestX11BackgroundSafety(t *testing.T) {
	s := use(t)
	m := measure(t, s.engine, func(_ int, window uint64) desk { return xDesk{s.desktop, uint32(window)} })
	m.safety(platform.X11)
}
