package contract_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/limits"
)

type validator interface{ Validate() error }

func TestValidate(t *testing.T) {
	bind := func(change func(*contract.StateRequest)) validator {
		r := &contract.StateRequest{Session: "s", PID: 1, WindowID: 2}
		change(r)
		return r
	}
	snapshot := func(change func(*contract.StateRequest)) validator {
		r := &contract.StateRequest{Session: "s", TargetID: "bt-1", TabID: "tab-1"}
		change(r)
		return r
	}
	prepare := func(change func(*contract.PrepareRequest)) validator {
		r := &contract.PrepareRequest{Session: "s", Profile: "isolated_new", AllowLaunch: true}
		change(r)
		return r
	}
	navigate := func(change func(*contract.NavigateRequest)) validator {
		r := &contract.NavigateRequest{Session: "s", TargetID: "bt-1", TabID: "tab-1", URL: "https://example.org/"}
		change(r)
		return r
	}
	click := func(change func(*contract.ClickRequest)) validator {
		r := &contract.ClickRequest{Session: "s", TargetID: "bt-1", TabID: "tab-1", Ref: "p1:2", Route: "dom_event"}
		change(r)
		return r
	}
	dialog := func(change func(*contract.DialogRequest), e contract.Expect) validator {
		r := &contract.DialogRequest{Session: "s", TargetID: "bt-1", Answer: "accept", DialogID: "dialog-1", Expect: &e}
		change(r)
		return r
	}
	tabs := func(change string, e contract.Expect) validator {
		r := &contract.TabsRequest{Session: "s", TargetID: "bt-1", Change: change, Expect: &e}
		if change == "close" || change == "activate" {
			r.TabID = "tab-1"
		}
		return r
	}
	tests := []struct {
		name    string
		request validator
		field   string // "" means valid
	}{
		{"a session", &contract.StartSessionRequest{Session: "agent_1-B"}, ""},
		{"session of 64", &contract.StartSessionRequest{Session: strings.Repeat("s", 64)}, ""},
		{"session of 65", &contract.StartSessionRequest{Session: strings.Repeat("s", 65)}, "session"},
		{"no session", &contract.StartSessionRequest{}, "session"},
		{"session with a newline", &contract.StartSessionRequest{Session: "s\n"}, "session"},
		{"session with a slash", &contract.EndSessionRequest{Session: "../s"}, "session"},
		{"the session default", &contract.ListWindowsRequest{Session: "default"}, "session"},

		{"a point", &contract.ExplainRequest{Session: "s", TargetID: "bt-1", Point: []float64{-1, 0.5}}, ""},
		{"a point of one number", &contract.ExplainRequest{Session: "s", TargetID: "bt-1", Point: []float64{1}}, "point"},
		{"a point of three numbers", &contract.ExplainRequest{Session: "s", TargetID: "bt-1", Point: []float64{1, 2, 3}}, "point"},
		{"a point that is no place", &contract.ExplainRequest{Session: "s", TargetID: "bt-1", Point: []float64{math.NaN(), 2}}, "point"},
		{"a point without end", &contract.ExplainRequest{Session: "s", TargetID: "bt-1", Point: []float64{1, math.Inf(-1)}}, "point"},
		{"a text that is no text", &contract.ExplainRequest{Session: "s", TargetID: "bt-1", Text: "\xff"}, "text"},

		{"bind", bind(func(*contract.StateRequest) {}), ""},
		{"bind without window", bind(func(r *contract.StateRequest) { r.WindowID = 0 }), "window_id"},
		{"bind without pid", bind(func(r *contract.StateRequest) { r.PID = 0 }), "pid"},
		{"bind with negative pid", bind(func(r *contract.StateRequest) { r.PID = -1 }), "pid"},
		{"bind and snapshot at once", bind(func(r *contract.StateRequest) { r.TargetID = "bt-1" }), "target_id"},
		{"bind with a query", bind(func(r *contract.StateRequest) { r.Query = "q" }), "query"},
		{"bind with a budget", bind(func(r *contract.StateRequest) { r.NodeBudget = 5 }), "node_budget"},
		{"neither bind nor snapshot", &contract.StateRequest{Session: "s"}, "pid"},

		{"snapshot", snapshot(func(*contract.StateRequest) {}), ""},
		{"snapshot without tab is for the engine to refuse", snapshot(func(r *contract.StateRequest) { r.TabID = "" }), ""},
		{"snapshot without target", snapshot(func(r *contract.StateRequest) { r.TargetID = "" }), "target_id"},
		{"the known format", snapshot(func(r *contract.StateRequest) { r.Format = "semantic_v2" }), ""},
		{"the flat format", snapshot(func(r *contract.StateRequest) { r.Format = "dom_refs_v1" }), ""},
		{"the format of uids", snapshot(func(r *contract.StateRequest) { r.Format = "ax_uid_v1" }), ""},
		{"another format", snapshot(func(r *contract.StateRequest) { r.Format = "dom_refs_v2" }), "snapshot_format"},
		{"a diff in the format that has one", snapshot(func(r *contract.StateRequest) { r.Format, r.DiffFrom = "semantic_v2", "p1" }), ""},
		{"a diff in a format that has none", snapshot(func(r *contract.StateRequest) { r.Format, r.DiffFrom = "ax_uid_v1", "p1" }), "diff_from"},
		{"continuation with a format", snapshot(func(r *contract.StateRequest) { r.Continuation, r.Format = "bc-1", "ax_uid_v1" }), ""},
		{"query and scope", snapshot(func(r *contract.StateRequest) { r.Query, r.ScopeRef = "q", "p1:2" }), ""},
		{"continuation with budgets", snapshot(func(r *contract.StateRequest) { r.Continuation, r.NodeBudget = "bc-1", 1 }), ""},
		{"continuation with a query", snapshot(func(r *contract.StateRequest) { r.Continuation, r.Query = "bc-1", "q" }), "query"},
		{"continuation with a scope", snapshot(func(r *contract.StateRequest) { r.Continuation, r.ScopeRef = "bc-1", "p1:2" }), "scope_ref"},
		{"snapshot with a diff", snapshot(func(r *contract.StateRequest) { r.DiffFrom, r.Query = "p1", "q" }), ""},
		{"continuation with a diff", snapshot(func(r *contract.StateRequest) { r.Continuation, r.DiffFrom = "bc-1", "p1" }), "diff_from"},
		{"bind with a diff", bind(func(r *contract.StateRequest) { r.DiffFrom = "p1" }), "diff_from"},
		{"largest node budget", snapshot(func(r *contract.StateRequest) { r.NodeBudget = limits.NodeBudgetMax }), ""},
		{"node budget too large", snapshot(func(r *contract.StateRequest) { r.NodeBudget = limits.NodeBudgetMax + 1 }), "node_budget"},
		{"negative node budget", snapshot(func(r *contract.StateRequest) { r.NodeBudget = -1 }), "node_budget"},
		{"smallest output budget", snapshot(func(r *contract.StateRequest) { r.OutputBudget = 200 }), ""},
		{"output budget too small", snapshot(func(r *contract.StateRequest) { r.OutputBudget = 199 }), "output_budget"},
		{"unknown meaning", snapshot(func(r *contract.StateRequest) { r.Meaning = "guessed" }), "meaning"},
		{"unknown collector", snapshot(func(r *contract.StateRequest) { r.Collector = "guess" }), "collector"},
		{"protocol collector", snapshot(func(r *contract.StateRequest) { r.Collector = "protocol" }), ""},
		{"survey with a query", snapshot(func(r *contract.StateRequest) { r.Collector, r.Query = "survey", "q" }), ""},
		{"protocol collector with a query", snapshot(func(r *contract.StateRequest) { r.Collector, r.Query = "protocol", "q" }), "collector"},
		{"protocol collector with a scope", snapshot(func(r *contract.StateRequest) { r.Collector, r.ScopeRef = "protocol", "p1:2" }), "collector"},
		{"protocol collector with computed meaning", snapshot(func(r *contract.StateRequest) { r.Collector, r.Meaning = "protocol", "computed" }), "collector"},
		{"continuation with a collector", snapshot(func(r *contract.StateRequest) { r.Continuation, r.Collector = "bc-1", "protocol" }), "collector"},
		{"query too long", snapshot(func(r *contract.StateRequest) { r.Query = strings.Repeat("漢", 1001) }), "query"},
		{"query of 1000 characters", snapshot(func(r *contract.StateRequest) { r.Query = strings.Repeat("漢", 1000) }), ""},
		{"id too long", snapshot(func(r *contract.StateRequest) { r.TargetID = strings.Repeat("b", 129) }), "target_id"},

		{"prepare", prepare(func(*contract.PrepareRequest) {}), ""},
		{"prepare without consent to launch", prepare(func(r *contract.PrepareRequest) { r.AllowLaunch = false }), "allow_launch"},
		{"prepare with an unknown profile", prepare(func(r *contract.PrepareRequest) { r.Profile = "mine" }), "profile"},
		{"prepare without a profile", prepare(func(r *contract.PrepareRequest) { r.Profile = "" }), "profile"},
		{"named profile", prepare(func(r *contract.PrepareRequest) { r.Profile, r.Name = "isolated_named", "work" }), ""},
		{"named profile without name", prepare(func(r *contract.PrepareRequest) { r.Profile = "isolated_named" }), "name"},
		{"named profile that leaves its folder", prepare(func(r *contract.PrepareRequest) { r.Profile, r.Name = "isolated_named", ".." }), "name"},
		{"new profile with a name", prepare(func(r *contract.PrepareRequest) { r.Name = "work" }), "name"},
		{"prepare at a file", prepare(func(r *contract.PrepareRequest) { r.URL = "file:///etc/passwd" }), "url"},

		{"navigate", navigate(func(*contract.NavigateRequest) {}), ""},
		{"navigate nowhere", navigate(func(r *contract.NavigateRequest) { r.URL = "" }), "url"},
		{"back", navigate(func(r *contract.NavigateRequest) { r.Action, r.URL = "back", "" }), ""},
		{"back with a url", navigate(func(r *contract.NavigateRequest) { r.Action = "back" }), "url"},
		{"unknown action", navigate(func(r *contract.NavigateRequest) { r.Action = "home" }), "action"},
		{"unknown load state", navigate(func(r *contract.NavigateRequest) { r.WaitUntil = "networkidle" }), "wait_until"},
		{"navigate without target", navigate(func(r *contract.NavigateRequest) { r.TargetID = "" }), "target_id"},

		{"click", click(func(*contract.ClickRequest) {}), ""},
		{"click without tab is for the engine to refuse", click(func(r *contract.ClickRequest) { r.TabID = "" }), ""},
		{"click with a malformed ref is for the engine to refuse", click(func(r *contract.ClickRequest) { r.Ref = "button" }), ""},
		{"click nothing", click(func(r *contract.ClickRequest) { r.Ref = "" }), "ref"},
		{"click without route", click(func(r *contract.ClickRequest) { r.Route = "" }), "route"},
		{"click by any route", click(func(r *contract.ClickRequest) { r.Route = "auto" }), "route"},
		{"expect something", click(func(r *contract.ClickRequest) { r.Expect = &contract.Expect{Text: "Saved"} }), ""},
		{"expect a download", click(func(r *contract.ClickRequest) { r.Expect = &contract.Expect{Download: true} }), ""},
		{"expect it for a minute and more", click(func(r *contract.ClickRequest) { r.Expect = &contract.Expect{Text: "Saved", TimeoutMS: 60_001} }), "expect.timeout_ms"},
		{"expect nothing", click(func(r *contract.ClickRequest) { r.Expect = &contract.Expect{} }), "expect"},
		{"expect a ref of no state", click(func(r *contract.ClickRequest) { r.Expect = &contract.Expect{Ref: "p1:3", Text: "x"} }), "expect.ref"},
		{"expect white space", click(func(r *contract.ClickRequest) { r.Expect = &contract.Expect{Text: " \t\u200b\ufeff"} }), "expect.text"},
		{"expect a control to go", click(func(r *contract.ClickRequest) { r.Expect = &contract.Expect{TextGone: "\x1b"} }), "expect.text_gone"},
		{"expect an icon", click(func(r *contract.ClickRequest) { r.Expect = &contract.Expect{Text: "\ue000"} }), "expect.text"},
		{"expect an unknown state", click(func(r *contract.ClickRequest) { r.Expect = &contract.Expect{State: "happy"} }), "expect.state"},
		{"expect a state of what a navigation acts on", navigate(func(r *contract.NavigateRequest) { r.Expect = &contract.Expect{State: "gone"} }), "expect.ref"},
		{"expect a state of another node", navigate(func(r *contract.NavigateRequest) { r.Expect = &contract.Expect{State: "gone", Ref: "p1:2"} }), ""},
		{"inspect, and expect", dialog(func(r *contract.DialogRequest) { r.Answer = "inspect" }, contract.Expect{Text: "x"}), "expect"},
		{"answer, and expect", dialog(func(*contract.DialogRequest) {}, contract.Expect{Text: "x", Dialog: "alert"}), ""},
		{"answer, and expect nothing", dialog(func(*contract.DialogRequest) {}, contract.Expect{}), "expect"},
		{"answer, and expect a state of no node", dialog(func(*contract.DialogRequest) {}, contract.Expect{State: "gone"}), "expect.ref"},
		{"answer, and expect a state of a node", dialog(func(*contract.DialogRequest) {}, contract.Expect{State: "gone", Ref: "p1:2"}), ""},
		{"list tabs, and expect", tabs("list", contract.Expect{Text: "x"}), "expect"},
		{"open a tab, and expect", tabs("open", contract.Expect{Text: "x", URLPart: "y", Dialog: "alert", Download: true}), ""},
		{"open a tab, and expect a text to go", tabs("open", contract.Expect{TextGone: "x"}), "expect"},
		{"open a tab, and expect a state", tabs("open", contract.Expect{State: "gone", Ref: "p1:2"}), "expect"},
		{"close a tab, and expect a text", tabs("close", contract.Expect{Text: "x"}), "expect"},
		{"close a tab, and expect a download", tabs("close", contract.Expect{Download: true, Dialog: "alert"}), "expect"},
		{"close a tab, and expect it to ask", tabs("close", contract.Expect{Dialog: "beforeunload"}), ""},
		{"show a tab, and expect a state of no node", tabs("activate", contract.Expect{State: "gone"}), "expect.ref"},
		{"show a tab, and expect", tabs("activate", contract.Expect{State: "gone", Ref: "p1:2", TextGone: "x"}), ""},
		{"show a tab, and expect white space", tabs("activate", contract.Expect{Text: " "}), "expect.text"},

		{"wait for white space", &contract.WaitRequest{Session: "s", TargetID: "bt-1", Text: "\u3000"}, "text"},
		{"wait for white space to go", &contract.WaitRequest{Session: "s", TargetID: "bt-1", TextGone: " "}, "text_gone"},

		{"unknown delivery", click(func(r *contract.ClickRequest) { r.Delivery = "front" }), "delivery_mode"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.request.Validate()
			if tt.field == "" {
				if err != nil {
					t.Errorf("Validate = %v, want valid", err)
				}
				return
			}
			var bad *contract.ArgumentError
			if !errors.As(err, &bad) || bad.Field != tt.field {
				t.Errorf("Validate = %#v, want field %q", err, tt.field)
			}
		})
	}
}

func TestURLs(t *testing.T) {
	tests := []struct {
		url string
		ok  bool
	}{
		{"http://localhost:8080/a?b#c", true},
		{"HTTPS://example.org", true},
		{"http://[::1]:80/", true},
		{"about:blank", true},
		{"about:blank#top", true},
		{"about:settings", false},
		{"about:crash", false},
		{"file:///etc/passwd", false},
		{"javascript:alert(1)", false},
		{" javascript:alert(1)", false},
		{"java\nscript:alert(1)", false},
		{"data:text/html,x", false},
		{"chrome://settings", false},
		{"view-source:http://example.org", false},
		{"http:", false},
		{"http:///path", false},
		{"example.org", false},
		{"http://a b/", false},
		{"http://a/" + strings.Repeat("x", 33<<10), false},
	}
	for _, tt := range tests {
		t.Run(tt.url[:min(len(tt.url), 30)], func(t *testing.T) {
			err := (&contract.NavigateRequest{Session: "s", TargetID: "bt-1", URL: tt.url}).Validate()
			if (err == nil) != tt.ok {
				t.Errorf("Validate = %v, want accepted %v", err, tt.ok)
			}
		})
	}
}
