package observe_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/snapshotfmt"
)

// Every example of the table of omissions, in a browser: the node that says
// Target is left out for exactly that reason, and the explanation of it agrees.
func TestEveryExampleOfAnOmissionIsOne(t *testing.T) {
	conn := enginetest.Chromium(t)
	for _, o := range snapshotfmt.Omissions {
		if o.Example == "" {
			continue
		}
		t.Run(string(o.Reason)+"/"+o.Sub, func(t *testing.T) {
			s := enginetest.Open(t, conn, "data:text/html,"+url.PathEscape("<!doctype html><title>t</title>"+o.Example))
			snap, err := observe.NewPage(conn, s, "omission").Take(t.Context(), observe.Options{NodeBudget: 300, OutputBudget: 16_000})
			if err != nil {
				t.Fatal(err)
			}
			reason := string(o.Reason)
			if o.Sub != "" {
				reason += "/" + o.Sub
			}
			rows, _, _, err := snap.List(t.Context(), "", reason, observe.Cursor{})
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(rows, func(r observe.Row) bool { return strings.Contains(r.Name, "Target") })
			if i < 0 {
				t.Fatalf("nothing that says Target is left out for %s, only %+v; omitted are %+v", reason, rows, snap.Omitted())
			}
			x, err := snap.ExplainNode(t.Context(), rows[i].K)
			if err != nil {
				t.Fatal(err)
			}
			if x.Reason != o.Reason || x.Sub != o.Sub {
				t.Errorf("explained as %s/%s: %s", x.Reason, x.Sub, said(x))
			}
		})
	}
}

// What the fixture pages leave out is all documented, cause by cause.
func TestEveryCauseOnTheFixturePagesIsDocumented(t *testing.T) {
	h := newHard(t, "--site-per-process")
	met := 0
	for _, page := range []string{"/hidden", "/covered", "/frames", "/form", "/text", "/shadow", "/inbox-stylesheet", "/covered-all", "/wrap", "/layers"} {
		s := enginetest.Open(t, h.conn, h.srv.URL(page))
		snap, err := observe.NewPage(h.conn, s, "omission").Take(t.Context(), observe.Options{NodeBudget: 300, OutputBudget: 16_000})
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		for key := range snap.Omitted().Sub {
			met++
			reason, sub, _ := strings.Cut(key, "/")
			if _, exact := snapshotfmt.OmissionOf(snapshotfmt.OmitReason(reason), sub); !exact {
				t.Errorf("%s leaves something out as %s, which is not documented", page, key)
			}
		}
	}
	if met < 15 {
		t.Errorf("only %d causes were met", met)
	}
}
