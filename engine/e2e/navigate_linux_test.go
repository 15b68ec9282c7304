package e2e_test

import (
	"net"
	"reflect"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

func TestAClickThatLeavesMakesRefsStale(t *testing.T) {
	const stays = false
	tests := []struct {
		role, name, route string
		leaves            bool
		to                string // what the address holds afterwards
		sees              string // what the page observes
	}{
		{"link", "Page 2", "trusted_key", true, "/page/2?", "start"},
		{"link", "Page 2", "dom_event", true, "/page/2?", "start"},
		{"link", "Redirect", "dom_event", true, "/page/2?", "start"},
		{"link", "Missing page", "trusted_key", true, "/no-such-page?", "start"},
		{"link", "Slow page", "dom_event", true, "/slow?", "start"},
		{"button", "Reload", "dom_event", true, "/navigate?", "start"},
		{"link", "Go below", "trusted_key", stays, "#below", "hashchange"},
		{"button", "Push a state", "dom_event", stays, "/navigate/pushed?", "pushed"},
		{"button", "Change the title", "dom_event", stays, "/navigate?", "click"},
	}
	s := use(t)
	for _, tt := range tests {
		t.Run(tt.name+"/"+tt.route, func(t *testing.T) {
			b, run := s.tab(t, "navigate")
			old := b.state(nil)
			display := s.watch(t)
			got := b.click(find(t, old, tt.role, tt.name).Ref, tt.route)
			s.pages.Release(run)
			_, err := s.pages.Wait(soon(t), run, func(seen []fixtures.Record) bool { return fixtures.Count(seen, tt.sees, "") > 0 })
			must(t, err)
			seen := b.settled(run)
			display.undisturbed("a navigation by click")
			if n := fixtures.Count(seen, "start", ""); n > 1 {
				t.Errorf("%d documents were loaded: %s", n, told(seen))
			}
			if got.Invalidated != tt.leaves || got.Effect != refusal.EffectConfirmed || got.Status != contract.OK {
				t.Errorf("answered %+v", got)
			}
			if (got.Navigation != "") != tt.leaves {
				t.Errorf("navigation %q", got.Navigation)
			}
			other := find(t, old, "button", "Alert").Ref
			if tt.leaves {
				b.clickRefused(refusal.Navigated, other, "dom_event")
			} else if now := b.state(args{"scope_ref": other}); len(now.Refs) != 1 {
				t.Errorf("after a move within the document its refs are gone: %+v", now.Refs)
			}
			if now := b.state(nil); !strings.Contains(now.Page.URL, tt.to) {
				t.Errorf("the tab is at %s, want %s", now.Page.URL, tt.to)
			}
		})
	}
}

func TestNavigateSaysWhereItArrived(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "navigate")
	url := func(path string) string { return s.pages.URL(path + "?run=" + run) }
	tests := []struct {
		name      string
		arguments args
		to        string
		fresh     bool // another document
		http      int
	}{
		{"a page", args{"url": url("page/1")}, url("page/1"), true, 200},
		{"a redirect", args{"url": url("redirect")}, url("page/2"), true, 200},
		{"a page that is missing", args{"url": url("no-such-page")}, url("no-such-page"), true, 404},
		{"back", args{"action": "back"}, url("page/2"), true, 200},
		{"forward", args{"action": "forward"}, url("no-such-page"), true, 404},
		{"the first page", args{"url": url("navigate")}, url("navigate"), true, 200},
		{"a place in the page", args{"url": url("navigate") + "#below"}, url("navigate") + "#below", false, 0},
		{"back within the page", args{"action": "back"}, url("navigate"), false, 0},
		{"forward within the page", args{"action": "forward"}, url("navigate") + "#below", false, 0},
		{"reload", args{"action": "reload"}, url("navigate") + "#below", true, 200},
		{"nothing", args{"url": "about:blank"}, "about:blank", true, 0},
		{"back to the page", args{"action": "back"}, url("navigate") + "#below", true, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := b.on(t)
			old := b.state(nil)
			display := s.watch(t)
			got := ask[contract.NavigateResult](b.agent, "browser_navigate", b.with(tt.arguments))
			display.undisturbed("a navigation")
			if got.Status != contract.OK || got.Effect != refusal.EffectConfirmed || got.LoadState != "load" || got.ErrorText != "" {
				t.Errorf("answered %+v", got)
			}
			if got.URL != tt.to || got.NewDocument != tt.fresh || got.Invalidated != tt.fresh || got.HTTPStatus != tt.http {
				t.Errorf("arrived at %s (new %v, void %v, http %d), want %s (%v, %d)", got.URL, got.NewDocument, got.Invalidated, got.HTTPStatus, tt.to, tt.fresh, tt.http)
			}
			switch {
			case len(old.Refs) == 0: // about:blank has none
			case tt.fresh:
				b.clickRefused(refusal.Navigated, old.Refs[0].Ref, "dom_event")
			default:
				b.state(args{"scope_ref": old.Refs[0].Ref})
			}
		})
	}
}

func TestAFailedNavigationIsSaid(t *testing.T) {
	s := use(t)
	b, _ := s.tab(t, "navigate")
	closed, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	nobody := "http://" + closed.Addr().String() + "/"
	must(t, closed.Close())
	old := b.state(nil)
	got := ask[contract.NavigateResult](b.agent, "browser_navigate", b.with(args{"url": nobody}))
	if got.ErrorText != "net::ERR_CONNECTION_REFUSED" || got.Status != contract.Partial || got.URL != nobody || !got.Invalidated {
		t.Errorf("answered %+v", got)
	}
	b.clickRefused(refusal.Navigated, old.Refs[0].Ref, "dom_event")
	for _, bad := range []string{"javascript:alert(1)", "file:///etc/passwd", "chrome://version", "about:gpu", "data:text/html,x", "//host/x", " "} {
		if a, raw := b.call("browser_navigate", b.with(args{"url": bad})); a.Err == nil || a.Err.Kind != contract.BadArguments || a.Err.Field != "url" {
			t.Errorf("%q: %s, want a bad argument", bad, raw)
		}
	}
}

func TestNavigateReturnsAtTheStateAskedFor(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "navigate")
	// The rest of the page is still held back, so that load cannot come.
	within(t, limits.NavigateTimeout/2, "a navigation until commit", func() {
		got := ask[contract.NavigateResult](b.agent, "browser_navigate", b.with(args{"url": s.pages.URL("slow?run=" + run), "wait_until": "commit"}))
		if got.LoadState != "commit" || got.Status != contract.OK || !got.NewDocument {
			t.Errorf("answered %+v", got)
		}
	})
	s.pages.Release(run)
	_, err := s.pages.Wait(soon(t), run, func(seen []fixtures.Record) bool { return fixtures.Count(seen, "load", "") > 0 })
	must(t, err)
}

func TestAnotherSessionsIdsAreUnknown(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "inbox-attribute")
	snapshot := b.state(nil)
	send := find(t, snapshot, "button", "Send").Ref
	other := agent{t, s, s.engine, "other"}
	ask[contract.StartSessionResult](other, "start_session", nil)
	t.Cleanup(func() { ask[contract.EndSessionResult](other, "end_session", nil) })

	const nobodys = "00000000000000000000000000000000"
	for _, call := range []struct {
		tool string
		more args
	}{
		{"get_browser_state", args{}},
		{"get_browser_state", args{"continuation": snapshot.Snapshot.Continuation}},
		{"browser_click", args{"ref": send, "route": "dom_event"}},
		{"browser_navigate", args{"url": "about:blank"}},
	} {
		foreign := other.refused(refusal.UnknownTarget, call.tool, b.with(call.more))
		call.more["target_id"], call.more["tab_id"] = "bt-"+nobodys, "tab-"+nobodys
		if unknown := other.refused(refusal.UnknownTarget, call.tool, call.more); !reflect.DeepEqual(foreign, unknown) {
			t.Errorf("%s: a foreign id is answered with %+v, an unknown one with %+v", call.tool, foreign, unknown)
		}
	}
	b.refused(refusal.TabUnknown, "browser_click", args{"target_id": b.target, "tab_id": "tab-" + nobodys, "ref": send, "route": "dom_event"})
	b.refused(refusal.TabMissing, "browser_click", args{"target_id": b.target, "ref": send, "route": "dom_event"})
	for _, ref := range []string{"p1", "p0:1", "p1:01", "p-1:1", "1:1", "p1:1 ", "p99999999999:1"} {
		b.clickRefused(refusal.Malformed, ref, "dom_event")
	}
	b.clickRefused(refusal.Foreign, "p999999:1", "dom_event")
	b.clickRefused(refusal.Foreign, strings.Split(send, ":")[0]+":999999", "dom_event")
	b.refused(refusal.Foreign, "get_browser_state", b.with(args{"continuation": "bc-" + nobodys}))
	b.refused(refusal.Malformed, "get_browser_state", b.with(args{"continuation": nobodys}))
	r := other.refused(refusal.PersonalBrowser, "get_browser_state", args{"pid": s.pid, "window_id": s.window})
	if r.Next == nil || r.Next.Tool != "browser_prepare" {
		t.Errorf("next %+v, want browser_prepare", r.Next)
	}
	b.untouched(run, "refused calls")
}
