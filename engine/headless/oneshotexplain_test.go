package headless_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/refusal"
)

func TestExplainCommand(t *testing.T) {
	window := headless.Subject{PID: 1, Window: 2}
	tests := []struct {
		name  string
		of    headless.ExplainOf
		rows  int    // that the engine finds
		next  string // that the engine says
		exit  headless.Exit
		asked []string
		out   string
		err   string
	}{
		{"a ref", headless.ExplainOf{Subject: window, Ref: "p1:2"}, 0, "", headless.ExitOK, []string{"ref p1:2"}, `fail hit: "covered by div"`, ""},
		{"a point", headless.ExplainOf{Subject: window, Point: []float64{3, 4.5}}, 0, "", headless.ExitOK, []string{"point [3 4.5]"}, "o1:7 button", ""},
		{"a text that several nodes show", headless.ExplainOf{Subject: window, Text: "Reply"}, 2, "", headless.ExitOK, []string{"text Reply"}, "o1:2 button", ""},
		{"a text that one node shows", headless.ExplainOf{Subject: window, Text: "Reply"}, 1, "", headless.ExitOK, []string{"text Reply", "ref o1:1"}, "covered by div", ""},
		{"a text that no node shows", headless.ExplainOf{Subject: window, Text: "Nothing"}, 0, "", headless.ExitOK, []string{"text Nothing"}, "# snapshot p1", ""},
		{"a reason", headless.ExplainOf{Subject: window, Reason: "css_hidden", After: "0.4"}, 1, "0.9", headless.ExitOK, []string{"reason css_hidden after 0.4"}, "# there is more: cuatui explain --pid 1 --window 2 --reason css_hidden --after 0.9\n", ""},
		{"the last of a longer list stays a list", headless.ExplainOf{Subject: window, Reason: "css_hidden", After: "0.4"}, 1, "", headless.ExitOK, []string{"reason css_hidden after 0.4"}, "o1:1 button", ""},
		{"a ref that is none", headless.ExplainOf{Subject: window, Ref: "x"}, 0, "", headless.ExitRefused, []string{"ref x"}, "refused browser_ref_stale (malformed)", ""},
		{"two questions start nothing", headless.ExplainOf{Subject: window, Ref: "p1:2", Text: "a"}, 0, "", headless.ExitUsage, nil, "", "exactly one of"},
		{"a bad url starts nothing", headless.ExplainOf{Subject: headless.Subject{URL: "file:///etc/passwd"}, Ref: "p1:2"}, 0, "", headless.ExitUsage, nil, "", "--url: must be"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eng, calls := browser([]contract.Tab{{TabID: "tab-1"}}, contract.OK)
			var asked []string
			eng.explain = func(r contract.ExplainRequest) (*contract.ExplainResult, error) {
				if r.TargetID != "bt-1" || r.TabID != "tab-1" {
					t.Errorf("asked of target %q, tab %q", r.TargetID, r.TabID)
				}
				out := &contract.ExplainResult{Status: contract.OK, Snapshot: "p1", Next: tt.next}
				what := "text " + r.Text
				switch {
				case r.Ref == "x":
					asked = append(asked, "ref x")
					return nil, refusal.New(refusal.Malformed, "a ref has the form p<n>:<k>")
				case r.Ref != "" || len(r.Point) > 0:
					what = "ref " + r.Ref
					if r.Ref == "" {
						what = fmt.Sprint("point ", r.Point)
					}
					out.Node = &contract.Explained{Ref: "o1:7", Role: "button", Name: "Reply", Verdict: "omitted", Reason: "page_occluded", SubReason: "covered"}
					out.Evidence = []contract.Check{{Check: "hit", Verdict: "fail", Detail: "covered by div"}}
				case r.Reason != "":
					what = "reason " + r.Reason + " after " + r.After
				}
				asked = append(asked, what)
				for i := range tt.rows {
					if out.Node == nil {
						out.Rows = append(out.Rows, contract.Explained{Ref: fmt.Sprintf("o1:%d", i+1), Role: "button", Verdict: "listed"})
					}
				}
				return out, nil
			}
			var out, talk bytes.Buffer
			exit := headless.OneShot{Out: &out, Err: &talk}.Explain(t.Context(), eng, tt.of)
			if exit != tt.exit || !slices.Equal(asked, tt.asked) {
				t.Errorf("exit %d, asked %q; want %d, %q", exit, asked, tt.exit, tt.asked)
			}
			if !strings.Contains(out.String(), tt.out) || tt.out == "" && out.Len() > 0 || !strings.Contains(talk.String(), tt.err) {
				t.Errorf("out %q, err %q; want %q, %q in them", out.String(), talk.String(), tt.out, tt.err)
			}
			if (tt.asked == nil) != (len(*calls) == 1) || (*calls)[len(*calls)-1] != "end" {
				t.Errorf("calls %q; want the session ended, and nothing else where nothing is asked", *calls)
			}
		})
	}
}
