package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/bind"
	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
	"cuatui/fixtures/desktop"
	"cuatui/platform/proc"
	"cuatui/snapshotfmt"
)

// embed starts an application that embeds QtWebEngine and shows a fixture page,
// with a debugging port of its own, and opens the witness's door to it.
func (a agent) embed(page string) (o *outside, run string) {
	a.t.Helper()
	url, run := a.stage.pages.Page(page)
	// The engine takes no port 0.
	o = a.qt([]string{fmt.Sprintf("QTWEBENGINE_REMOTE_DEBUGGING=127.0.0.1:%d", freePort(a.t))}, "testdata/embedded.py", url)
	must(a.t, a.stage.pages.Flush(soon(a.t), run))
	must(a.t, a.stage.desktop.RaiseSentinel(soon(a.t)))
	at, err := proc.New("").Listeners(a.t.Context(), o.pid)
	must(a.t, err)
	if len(at) != 1 {
		a.t.Fatalf("the application listens on %v, want its debugging port alone", at)
	}
	w, err := dialWitness(soon(a.t), int(at[0].Port()))
	must(a.t, err)
	a.t.Cleanup(func() { must(a.t, w.conn.Close()) })
	a.stage.witness = w
	return o, run
}

// qt runs a program that embeds QtWebEngine.
func (a agent) qt(env []string, program string, arguments ...string) *outside {
	a.t.Helper()
	const python = "/usr/bin/python3" // the system's, to which the binding belongs
	if _, err := os.Stat(python); err != nil {
		a.t.Fatalf("no Python of the system (run make install-deps): %v", err)
	}
	env = append(env, "QTWEBENGINE_DISABLE_SANDBOX=1",
		"QTWEBENGINE_CHROMIUM_FLAGS=--no-sandbox --disable-gpu", "QT_QPA_PLATFORM=xcb", "QT_XCB_GL_INTEGRATION=none")
	return a.stage.run(a.t, a.t.TempDir(), env, python, append([]string{program}, arguments...)...)
}

// freePort is a port on which nobody listens.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	must(t, l.Close())
	return l.Addr().(*net.TCPAddr).Port
}

// say gives the application a command.
func (o *outside) say(t *testing.T, command string) {
	t.Helper()
	_, err := fmt.Fprintln(o.input, command)
	must(t, err)
}

// oldEngine says what the engine of the package, Chromium 87, cannot show as a
// page declares it, by page.
var oldEngine = map[string]func(e *fixtures.Expect){
	// Without popovers, theirs are ordinary elements.
	"layers": func(e *fixtures.Expect) {
		delete(e.Hidden, "css_hidden/popover")
		e.MustNotOffer = without(e.MustNotOffer, "closed-item")
	},
	// The same, and what is in closed details has no box at all.
	"hidden": func(e *fixtures.Expect) {
		delete(e.Hidden, "css_hidden/popover")
		delete(e.Hidden, "css_hidden/closed_details")
		e.MustNotOffer = without(e.MustNotOffer, "by-popover")
	},
	// Without :modal, what is behind a modal dialog is only seen to be covered.
	"modal-native": func(e *fixtures.Expect) {
		e.Hidden = map[string]int{"page_occluded": e.Hidden["css_hidden/behind_modal"]}
	},
	// Without shadow trees in the markup, those are templates that show nothing.
	"shadow": func(e *fixtures.Expect) { *e = fixtures.Expect{Page: e.Page} },
}

func without(ids []string, id string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(other string) bool { return other == id })
}

func TestAnEmbeddedPageIsReadAsItDeclares(t *testing.T) {
	t.Parallel()
	s := use(t)
	a, _ := s.foreign(t, "embedded-read")
	o, _ := a.embed("keys")
	b := a.bind(o.pid, o.window)
	for _, want := range fixtures.Expectations {
		if strings.HasPrefix(want.Page, "list?rows=1000") {
			continue // a thousand of the rows of which another page has two hundred
		}
		t.Run(want.Page, func(t *testing.T) {
			b := b.on(t)
			run := b.open(want.Page)
			want.Hidden = maps.Clone(want.Hidden)
			if adapt, old := oldEngine[want.Page]; old {
				adapt(&want)
			}
			b.declares(run, want)
		})
	}
}

// declares holds what is read of a page against what it declares.
func (b tab) declares(run string, want fixtures.Expect) {
	b.t.Helper()
	seg := b.state(nil)
	all, outline := entries(seg), seg.Outline
	for seg.Snapshot.Continuation != "" {
		seg = b.state(args{"continuation": seg.Snapshot.Continuation})
		all, outline = append(all, entries(seg)...), outline+seg.Outline
	}
	for _, c := range want.Visible {
		if c.Name == "" {
			continue // a name is all by which it could be told from here
		}
		i := slices.IndexFunc(all, func(e snapshotfmt.Entry) bool { return e.Name == c.Name && (c.Role == "" || e.Role == c.Role) })
		if i < 0 {
			b.t.Errorf("%s %q (#%s) is not listed", c.Role, c.Name, c.ID)
			continue
		}
		for _, action := range c.Actions {
			if !slices.Contains(all[i].Actions, action) {
				b.t.Errorf("#%s has the actions %v (%s), want %s", c.ID, all[i].Actions, all[i].Why, action)
			}
		}
	}
	b.offersNone(run, want, all)
	for key, n := range want.Hidden {
		got := seg.Snapshot.Omitted.Sub[key]
		if !strings.Contains(key, "/") {
			got = seg.Snapshot.Omitted.Get(snapshotfmt.OmitReason(key))
		}
		if got != n {
			b.t.Errorf("%d omitted as %s, want %d; all: %v", got, key, n, seg.Snapshot.Omitted.Sub)
		}
	}
	for _, secret := range want.Secrets {
		if strings.Contains(outline, secret) {
			b.t.Errorf("secret %q is in the outline", secret)
		}
	}
	if b.t.Failed() {
		b.t.Logf("outline:\n%.6000s", outline)
	}
}

// offersNone fails if an entry has actions and the name of an element that must
// not be offered.
func (b tab) offersNone(run string, want fixtures.Expect, all []snapshotfmt.Entry) {
	b.t.Helper()
	if len(want.MustNotOffer) == 0 || want.Page == "hostile" { // which has replaced what would be asked here
		return
	}
	ids, err := json.Marshal(want.MustNotOffer)
	must(b.t, err)
	names := make([]string, len(want.MustNotOffer))
	b.stage.witness.eval(b.t, run, fmt.Sprintf(`%s.map((id) => document.getElementById(id)).
		map((e) => (e ? e.getAttribute('aria-label') || e.textContent || '' : '').trim())`, ids), &names)
	for i, id := range want.MustNotOffer {
		for _, e := range all {
			if names[i] != "" && e.Name == names[i] && len(e.Actions) > 0 && !slices.ContainsFunc(want.Visible, func(c fixtures.Control) bool { return c.Name == names[i] }) {
				b.t.Errorf("#%s is offered: %s %q %v", id, e.Role, e.Name, e.Actions)
			}
		}
	}
}

func TestAnEmbeddedPageIsActedOn(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "embedded-act")
	o, run := a.embed("keys")
	if w := a.listed(o.window); w.WouldBind.Verdict != "exact" || w.Product != "QtWebEngine" || w.Access != "embedded_application" {
		t.Errorf("listed as %+v", w)
	}
	// The library that is mapped says so by itself; a browser's files do not.
	table := proc.New("")
	for pid, want := range map[int]string{o.pid: "QtWebEngine", s.pid: ""} {
		p, err := table.Process(t.Context(), pid)
		must(t, err)
		mapped, err := table.Mapped(t.Context(), pid)
		must(t, err)
		beside, err := table.Beside(t.Context(), pid, bind.Beside()...)
		must(t, err)
		if got := bind.Embeds(p, mapped, beside); got != want {
			t.Errorf("%s embeds %q, want %q", p.Executable, got, want)
		}
	}
	where := args{"pid": o.pid, "window_id": o.window}
	bound := ask[contract.StateResult](a, "get_browser_state", where)
	if bound.BindingQuality != "exact" || bound.BindingRoute != "embedded_single_page" || bound.Access != "embedded_application" || bound.Transport != "embedded_descendant" {
		t.Errorf("bound as %+v", bound)
	}
	b := tab{a, bound.TargetID, bound.Tabs[0].TabID}
	a.stage.witness.learn(t)
	snapshot := b.state(nil)
	b.settled(run)
	display := s.watch(t)
	for _, id := range []string{"button", "input-button", "summary", "link", "checkbox"} {
		c := declared(t, "keys", id)
		e := find(t, snapshot, c.Role, c.Name)
		if !slices.Equal(e.Routes["click"], []string{"dom_event"}) {
			t.Errorf("#%s has the routes %v", id, e.Routes["click"])
		}
		s.pages.Reset(run)
		b.click(e.Ref, "dom_event")
		oneClick(t, b.settled(run), id, false)
		// The engine would never answer a key, nor anything after it.
		s.pages.Reset(run)
		r := b.clickRefused(refusal.NoKeys, e.Ref, "trusted_key")
		b.untouched(run, "a key")
		b.leads(r)
		oneClick(t, b.settled(run), id, false)
	}
	display.undisturbed("clicks in an embedded page")
	pressed := ask[contract.ActionResult](a, "browser_click", b.with(args{"ref": find(t, snapshot, "button", "Input button").Ref, "route": "trusted", "delivery_mode": "foreground"}))
	if says := slices.Contains(pressed.SideEffects, "the window is raised and activated"); says != a.listed(o.window).Active {
		t.Errorf("told %q, and the window's being active is %v", pressed.SideEffects, !says)
	}
	must(t, s.desktop.RaiseSentinel(soon(t)))
	if seen := b.settled(run); fixtures.Count(seen, "click", "input-button") != 1 {
		t.Errorf("the pointer: the page observed %s", told(seen))
	}

	// With a second window or page nothing says any more which is meant.
	ref := find(t, snapshot, "button", "Button").Ref
	unproven := func(what string) {
		t.Helper()
		for tool, arguments := range map[string]args{
			"browser_click": {"ref": ref, "route": "dom_event"}, "browser_navigate": {"action": "reload"},
		} {
			b.leads(b.refused(refusal.WindowChanged, tool, b.with(arguments)))
		}
		b.clickRefused(refusal.WindowChanged, ref, "trusted")
		b.untouched(run, what)
	}
	s.pages.Reset(run)
	o.say(t, "window")
	more, err := s.desktop.WaitWindow(soon(t), func(w desktop.Window) bool { return w.PID == o.pid && uint64(w.ID) != o.window })
	must(t, err)
	must(t, s.desktop.RaiseSentinel(soon(t)))
	b.settled(run)
	s.pages.Reset(run)
	unproven("a second window")
	b.leads(a.refused(refusal.NoMatch, "get_browser_state", args{"pid": o.pid, "window_id": uint64(more.ID)}))
	o.say(t, "close")
	must(t, s.waitGone(soon(t), uint64(more.ID)))
	b.click(ref, "dom_event")
	oneClick(t, b.settled(run), "button", false)

	url, second := s.pages.Page("form")
	o.say(t, "page "+url)
	must(t, s.pages.Flush(soon(t), second))
	s.pages.Reset(run)
	s.pages.Reset(second)
	unproven("a second page")
	b.untouched(second, "a second page")
	if w := a.listed(o.window); w.WouldBind.Verdict == "exact" {
		t.Errorf("with two pages listed as %+v", w)
	}

	o.kill()
	for tool, arguments := range map[string]args{"get_browser_state": nil, "browser_click": {"ref": ref, "route": "dom_event"}} {
		b.leads(b.refused(refusal.ProcessChanged, tool, b.with(arguments)))
	}
}
