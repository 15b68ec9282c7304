package headless_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/refusal"
	"cuatui/platform"
	"cuatui/snapshotfmt"
)

// snapshotResult is a small snapshot of a hostile page.
func snapshotResult(status contract.Status) *contract.StateResult {
	s := &snapshotfmt.Semantic{Outline: "heading \"Inbox\u202e\"\n  button \"Reply\" [p1:2] click\n", Refs: []snapshotfmt.Entry{}, ContentRefs: []snapshotfmt.Entry{}, Frames: []snapshotfmt.Frame{}}
	s.Page.Title, s.Page.URL = "Inbox\x1b]0;owned\a\n# forged", "http://a/"
	s.Snapshot = snapshotfmt.Info{ID: "p1", Format: "semantic_v2", Scope: "viewport", Segment: 1, Candidates: 330, Returned: 2, Meaning: "computed", Continuation: "bc-1"}
	s.Snapshot.Omitted.Add(snapshotfmt.OmitCSSHidden, "display", 320)
	s.Snapshot.Omitted.Add(snapshotfmt.OmitOffscreen, "", 8)
	return &contract.StateResult{Status: status, Mode: "snapshot", TargetID: "bt-1", TabID: "tab-1", Semantic: s}
}

func active(b bool) *bool { return &b }

// browser is a fake engine with one window, and the calls that reached it.
func browser(tabs []contract.Tab, status contract.Status) (*fakeEngine, *[]string) {
	var log []string
	return &fakeEngine{
		end: func(context.Context, contract.EndSessionRequest) error { log = append(log, "end"); return nil },
		prepare: func(r contract.PrepareRequest) (*contract.PrepareResult, error) {
			log = append(log, "prepare "+r.Profile)
			return &contract.PrepareResult{Status: contract.OK, PreparedPID: 10, WindowIDs: []uint64{20}}, nil
		},
		navigate: func(r contract.NavigateRequest) (*contract.NavigateResult, error) {
			log = append(log, "navigate "+r.TabID+" "+r.URL)
			if strings.Contains(r.URL, "closed") {
				return &contract.NavigateResult{Status: contract.OK, ErrorText: "net::ERR_CONNECTION_REFUSED"}, nil
			}
			return &contract.NavigateResult{Status: contract.OK, LoadState: "load", HTTPStatus: 200}, nil
		},
		state: func(_ context.Context, r contract.StateRequest) (*contract.StateResult, error) {
			if r.Binds() {
				log = append(log, fmt.Sprintf("bind %d %d", r.PID, r.WindowID))
				return &contract.StateResult{Status: contract.OK, Mode: "bind", TargetID: "bt-1", Tabs: tabs}, nil
			}
			log = append(log, strings.TrimSuffix(fmt.Sprintf("snapshot %q %s %q %s", r.TabID, r.Format, r.Query, r.Collector), " "))
			if r.TabID == "" {
				return nil, refusal.New(refusal.TabMissing, "name a tab").WithNext("get_browser_state", map[string]any{"target_id": "bt-1"}).
					WithProof([]refusal.Step{{Step: "tab", Verdict: refusal.Fail, Want: "a tab", Got: "none"}})
			}
			return snapshotResult(status), nil
		},
	}, &log
}

func TestSnapshotCommand(t *testing.T) {
	one := []contract.Tab{{TabID: "tab-1"}}
	tests := []struct {
		name   string
		tabs   []contract.Tab
		status contract.Status
		of     headless.SnapshotOf
		exit   headless.Exit
		calls  []string
		out    string // part of standard output
		err    string // part of standard error
	}{
		{
			name: "of a window", tabs: one, of: headless.SnapshotOf{Subject: headless.Subject{PID: 1, Window: 2}, Format: "semantic_v2", Query: "reply"}, exit: headless.ExitOK,
			calls: []string{"bind 1 2", `snapshot "tab-1" semantic_v2 "reply"`, "end"}, out: `button "Reply" [p1:2] click`,
		},
		{
			name: "of a url in an isolated browser", tabs: one, of: headless.SnapshotOf{Subject: headless.Subject{URL: "http://a/"}}, exit: headless.ExitOK,
			calls: []string{"prepare isolated_new", "bind 10 20", "navigate tab-1 http://a/", `snapshot "tab-1"  ""`, "end"}, out: "omitted 328: css_hidden 320 offscreen 8",
		},
		{
			name: "from the protocol's trees", tabs: one, of: headless.SnapshotOf{Subject: headless.Subject{PID: 1, Window: 2}, Collector: "protocol"}, exit: headless.ExitOK,
			calls: []string{"bind 1 2", `snapshot "tab-1"  "" protocol`, "end"},
		},
		{
			name: "a bad collector starts nothing", of: headless.SnapshotOf{Subject: headless.Subject{URL: "http://a/"}, Collector: "guess"}, exit: headless.ExitUsage, calls: []string{"end"}, err: "--collector: must be",
		},
		{
			name: "a query of the protocol's trees starts nothing", of: headless.SnapshotOf{Subject: headless.Subject{URL: "http://a/"}, Collector: "protocol", Query: "x"}, exit: headless.ExitUsage, calls: []string{"end"}, err: "--collector: protocol reads the whole page",
		},
		{
			name: "partial", tabs: one, status: contract.Partial, of: headless.SnapshotOf{Subject: headless.Subject{PID: 1, Window: 2}}, exit: headless.ExitPartial,
			calls: []string{"bind 1 2", `snapshot "tab-1"  ""`, "end"}, out: "2 of 330 candidates",
		},
		{
			name: "the active one of several tabs", of: headless.SnapshotOf{Subject: headless.Subject{PID: 1, Window: 2}}, exit: headless.ExitOK,
			tabs:  []contract.Tab{{TabID: "tab-1", Active: active(false)}, {TabID: "tab-2", Active: active(true)}, {TabID: "tab-3"}},
			calls: []string{"bind 1 2", `snapshot "tab-2"  ""`, "end"},
		},
		{
			name: "two tabs that say they are active are not guessed between", of: headless.SnapshotOf{Subject: headless.Subject{PID: 1, Window: 2}}, exit: headless.ExitRefused,
			tabs:  []contract.Tab{{TabID: "tab-1", Active: active(true)}, {TabID: "tab-2", Active: active(true)}},
			calls: []string{"bind 1 2", `snapshot ""  ""`, "end"}, out: "refused browser_tab_required (missing): name a tab\nNext, in the terminal UI, where a person can choose, answer and agree: cuatui\n",
		},
		{
			name: "a refusal shows its proof", of: headless.SnapshotOf{Subject: headless.Subject{PID: 1, Window: 2}}, exit: headless.ExitRefused,
			calls: []string{"bind 1 2", `snapshot ""  ""`, "end"}, out: "fail     tab, want a tab, got none",
		},
		{
			name: "a page that does not load", tabs: one, of: headless.SnapshotOf{Subject: headless.Subject{URL: "http://closed/"}}, exit: headless.ExitError,
			calls: []string{"prepare isolated_new", "bind 10 20", "navigate tab-1 http://closed/", "end"}, err: "net::ERR_CONNECTION_REFUSED",
		},
		{name: "a bad url starts nothing", of: headless.SnapshotOf{Subject: headless.Subject{URL: "file:///etc/passwd"}}, exit: headless.ExitUsage, calls: []string{"end"}, err: "--url: must be"},
		{name: "a bad format starts nothing", of: headless.SnapshotOf{Subject: headless.Subject{URL: "http://a/"}, Format: "html"}, exit: headless.ExitUsage, calls: []string{"end"}, err: "--format: must be"},
		{name: "no pid", of: headless.SnapshotOf{Subject: headless.Subject{Window: 2}}, exit: headless.ExitUsage, calls: []string{"end"}, err: "--pid: is required"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eng, calls := browser(tt.tabs, tt.status)
			var out, talk bytes.Buffer
			exit := headless.OneShot{Out: &out, Err: &talk}.Snapshot(t.Context(), eng, tt.of)
			if exit != tt.exit || !slices.Equal(*calls, tt.calls) {
				t.Errorf("exit %d, calls %q; want %d, %q", exit, *calls, tt.exit, tt.calls)
			}
			if !strings.Contains(out.String(), tt.out) || !strings.Contains(talk.String(), tt.err) {
				t.Errorf("out %q, err %q; want %q, %q in them", out.String(), talk.String(), tt.out, tt.err)
			}
			if tt.err == "" && talk.Len() > 0 || tt.out == "" && tt.err != "" && out.Len() > 0 {
				t.Errorf("out %q, err %q: data and talk are mixed", out.String(), talk.String())
			}
		})
	}
}

func TestPageTextCannotSteerTheTerminal(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		eng, _ := browser([]contract.Tab{{TabID: "tab-1"}}, contract.OK)
		var out bytes.Buffer
		headless.OneShot{Out: &out, Err: &out, JSON: asJSON}.Snapshot(t.Context(), eng, headless.SnapshotOf{Subject: headless.Subject{PID: 1, Window: 2}})
		if clean := snapshotfmt.Printable(out.String()); clean != out.String() || !strings.Contains(clean, "owned") {
			t.Errorf("JSON %t: output %q", asJSON, out.String())
		}
		if strings.Contains(out.String(), "\n# forged") {
			t.Errorf("JSON %t: the title made a line of its own: %q", asJSON, out.String())
		}
	}
}

func TestSnapshotJSONIsTheResult(t *testing.T) {
	eng, _ := browser([]contract.Tab{{TabID: "tab-1"}}, contract.OK)
	var out bytes.Buffer
	if exit := (headless.OneShot{Out: &out, Err: &out, JSON: true}).Snapshot(t.Context(), eng, headless.SnapshotOf{Subject: headless.Subject{PID: 1, Window: 2}}); exit != headless.ExitOK {
		t.Fatalf("exit %d: %s", exit, out.String())
	}
	var got contract.StateResult
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Semantic == nil || got.Snapshot.ID != "p1" {
		t.Fatalf("%v in %s", err, out.String())
	}
	if err := contract.ValidateResult("get_browser_state", got); err != nil {
		t.Error(err)
	}
}

func TestAContinuationIsShownOnlyWhereItCanBeUsed(t *testing.T) {
	eng, _ := browser([]contract.Tab{{TabID: "tab-1"}}, contract.OK)
	var out bytes.Buffer
	headless.OneShot{Out: &out, Err: &out}.Snapshot(t.Context(), eng, headless.SnapshotOf{Subject: headless.Subject{PID: 1, Window: 2}})
	if strings.Contains(out.String(), "bc-1") {
		t.Errorf("the session has ended, and its continuation is offered: %s", out.String())
	}
	if text := headless.Text(snapshotResult(contract.OK)); !strings.Contains(text, "continue with bc-1") {
		t.Errorf("no continuation in %s", text)
	}
}

func TestWindowsCommand(t *testing.T) {
	eng := &fakeEngine{windows: func(context.Context, contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
		return &contract.ListWindowsResult{Status: contract.OK, System: "linux/x11", Notes: []string{"wm\x1b"}, Windows: []contract.NativeWindow{
			{PID: 7, WindowID: 9, Title: "Mail\n\x1b", Product: "chromium", Endpoint: "pipe", WouldBind: contract.WouldBind{Verdict: "exact"}},
			{PID: 8, WindowID: 10, Endpoint: "none", WouldBind: contract.WouldBind{Verdict: "refused", Code: refusal.RequiresSetup, Reason: refusal.NoEndpoint}},
		}}, nil
	}}
	var out, talk bytes.Buffer
	if exit := (headless.OneShot{Out: &out, Err: &talk}).Windows(t.Context(), eng); exit != headless.ExitOK {
		t.Fatalf("exit %d: %s", exit, talk.String())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"Mail\n\u001b"  exact`) || !strings.Contains(lines[1], "refused browser_requires_setup (no_endpoint)") || lines[2] != "note: wm␛" {
		t.Errorf("lines %q", lines)
	}
}

func TestFailuresKeepTheirCauseToTheLog(t *testing.T) {
	eng := &fakeEngine{windows: func(context.Context, contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
		return nil, errors.New("dial ws://127.0.0.1:9222/devtools/browser/1")
	}}
	var out, talk bytes.Buffer
	if exit := (headless.OneShot{Out: &out, Err: &talk}).Windows(t.Context(), eng); exit != headless.ExitError {
		t.Errorf("exit %d", exit)
	}
	if out.Len() > 0 || strings.Contains(talk.String(), "9222") || !strings.Contains(talk.String(), "--log") {
		t.Errorf("out %q, err %q", out.String(), talk.String())
	}
}

func TestASessionThatCannotBeReleasedIsAnError(t *testing.T) {
	eng := &fakeEngine{end: func(context.Context, contract.EndSessionRequest) error { return errors.New("stuck") }}
	var out, talk bytes.Buffer
	if exit := (headless.OneShot{Out: &out, Err: &talk}).Windows(t.Context(), eng); exit != headless.ExitError || talk.Len() == 0 {
		t.Errorf("exit %d, err %q", exit, talk.String())
	}
}

type doctor []platform.Finding

func (d doctor) Doctor(context.Context) []platform.Finding { return d }

func TestDoctorCommand(t *testing.T) {
	findings := doctor{{Name: "X server", State: platform.Works}, {Name: "Xvfb", State: platform.Missing, Note: "apt install xvfb"}}
	var text, data bytes.Buffer
	headless.OneShot{Out: &text, Err: &text}.Doctor(t.Context(), findings)
	headless.OneShot{Out: &data, Err: &data, JSON: true}.Doctor(t.Context(), findings)
	if !strings.Contains(text.String(), "missing    Xvfb                     apt install xvfb\n") {
		t.Errorf("text %q", text.String())
	}
	var got struct{ Findings []platform.Finding }
	if err := json.Unmarshal(data.Bytes(), &got); err != nil || !slices.Equal(got.Findings, findings) {
		t.Errorf("JSON %s, %v", data.String(), err)
	}
}

func TestToolsCommand(t *testing.T) {
	var text, data bytes.Buffer
	headless.OneShot{Out: &text, Err: &text}.Tools()
	headless.OneShot{Out: &data, Err: &data, JSON: true}.Tools()
	for _, tool := range contract.Tools {
		if !strings.Contains(text.String(), tool.Name+"\n  ") || !strings.Contains(data.String(), `"name":"`+tool.Name+`"`) {
			t.Errorf("%s is not listed", tool.Name)
		}
	}
	if !json.Valid(data.Bytes()) {
		t.Error("tools --json is not JSON")
	}
}

func TestTextIsOneLineForActionsAndRefusals(t *testing.T) {
	hostile := "a\n\x1b[2J\u202eb"
	for _, v := range []any{
		&contract.RefusedResult{Status: contract.Refused, Refusal: refusal.New(refusal.Occluded, "covered by %s", hostile)},
		&contract.ActionResult{Status: contract.OK, Route: "trusted", Settled: "quiet", Navigation: hostile},
		&contract.NavigateResult{Status: contract.OK, URL: hostile},
		&contract.PrepareResult{Status: contract.OK, Action: "launched"},
		&contract.StartSessionResult{Status: contract.OK, Session: "s"},
		&contract.EndSessionResult{Status: contract.OK, Session: "s", Released: []string{hostile}},
	} {
		if text := headless.Text(v); text == "" || snapshotfmt.PrintableLine(text) != text {
			t.Errorf("%T: %q", v, text)
		}
	}
}
