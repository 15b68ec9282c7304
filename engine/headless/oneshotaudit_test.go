package headless_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/refusal"
)

type auditor struct {
	*fakeEngine
	audit func(contract.AuditRequest) (*contract.AuditResult, error)
}

func (a auditor) Audit(_ context.Context, r contract.AuditRequest) (*contract.AuditResult, error) {
	return a.audit(r)
}

func TestAuditCommand(t *testing.T) {
	found := []contract.Audited{{
		Explained: contract.Explained{Ref: "o1:9", Role: "button", Name: "Send\x1b[2J", Tag: "button", Frame: "main", Verdict: "omitted", Reason: "page_occluded", SubReason: "covered"},
		Point:     [2]float64{24, 8}, Says: "listener",
	}}
	tests := []struct {
		name   string
		status contract.Status
		misses []contract.Audited
		lies   []contract.Audited
		exit   headless.Exit
		out    string
	}{
		{"nothing found", contract.OK, nil, nil, headless.ExitOK, ": 0 misses, 0 lies"},
		{"a miss", contract.OK, found, nil, headless.ExitError, `miss o1:9 button "Send\u001b[2J", in frame main: omitted page_occluded/covered, at 24,8: "listener"`},
		{"a lie", contract.OK, nil, found, headless.ExitError, "lie o1:9 button"},
		{"partly judged", contract.Partial, nil, nil, headless.ExitPartial, "# not judged: a frame: gone"},
		{"partly judged, with a miss", contract.Partial, found, nil, headless.ExitError, "1 misses, 0 lies"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eng, calls := browser([]contract.Tab{{TabID: "tab-1"}}, contract.OK)
			audit := func(r contract.AuditRequest) (*contract.AuditResult, error) {
				if r.TargetID != "bt-1" || r.TabID != "tab-1" {
					t.Errorf("asked of %+v", r)
				}
				a := &contract.AuditResult{Status: tt.status, Snapshot: "p1", URL: "http://a/", Points: 100, Misses: tt.misses, Lies: tt.lies, Candidates: 7, Tiers: map[string]int{"in_viewport": 3}}
				a.Omissions = []contract.Omission{{Reason: "css_hidden/display", Count: 4, Examples: []contract.Explained{{Ref: "o1:5", Role: "link", Name: "Hidden", Verdict: "omitted", Reason: "css_hidden", SubReason: "display"}}}}
				if tt.status == contract.Partial {
					a.Unjudged = []string{"a frame: gone"}
				}
				return a, nil
			}
			var out, talk bytes.Buffer
			exit := headless.OneShot{Out: &out, Err: &talk}.Audit(t.Context(), auditor{eng, audit}, headless.Subject{PID: 1, Window: 2})
			text := out.String()
			if exit != tt.exit || !strings.Contains(text, tt.out) || strings.Contains(text, "\x1b") || talk.Len() > 0 || len(*calls) != 2 {
				t.Errorf("exit %d, out %q, err %q, calls %q; want %d and %q", exit, text, talk.String(), *calls, tt.exit, tt.out)
			}
			for _, want := range []string{"# 7 candidates, 3 listed in_viewport", "# 4 omitted css_hidden/display\n  o1:5 link \"Hidden\": omitted css_hidden/display"} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in %q", want, text)
				}
			}
			out.Reset()
			if exit := (headless.OneShot{Out: &out, Err: &talk, JSON: true}).Audit(t.Context(), auditor{eng, audit}, headless.Subject{PID: 1, Window: 2}); exit != tt.exit || !json.Valid(out.Bytes()) {
				t.Errorf("as JSON: exit %d, %q", exit, out.String())
			}
		})
	}
}

func TestAnAuditThatIsRefused(t *testing.T) {
	eng, calls := browser(nil, contract.OK)
	audit := func(contract.AuditRequest) (*contract.AuditResult, error) {
		return nil, refusal.New(refusal.TabMissing, "name a tab")
	}
	var out bytes.Buffer
	exit := headless.OneShot{Out: &out, Err: &out}.Audit(t.Context(), auditor{eng, audit}, headless.Subject{PID: 1, Window: 2})
	if exit != headless.ExitRefused || !strings.Contains(out.String(), "browser_tab_required") {
		t.Errorf("exit %d, %q", exit, out.String())
	}
	out.Reset()
	*calls = nil
	exit = headless.OneShot{Out: &out, Err: &out}.Audit(t.Context(), auditor{eng, audit}, headless.Subject{URL: "file:///etc/passwd"})
	if exit != headless.ExitUsage || len(*calls) != 1 {
		t.Errorf("of a file: exit %d, calls %q; want 2, and nothing started", exit, *calls)
	}
}
