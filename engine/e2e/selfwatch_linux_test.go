package e2e_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"cuatui/fixtures"
)

// traces is what the page selfwatch says that it has noticed since it loaded.
type traces struct {
	Mutations   []string       `json:"mutations"`
	Events      map[string]int `json:"events"`
	Globals     []string       `json:"globals"`
	Patched     []string       `json:"patched"`
	Transitions int            `json:"transitions"`
	Frames      int            `json:"frames"`
	Active      string         `json:"active"`
}

func (s *stage) traces(t *testing.T, run string) traces {
	t.Helper()
	must(t, s.pages.Flush(soon(t), run))
	r, ok := fixtures.Last(s.pages.Journal(run), "selfwatch", "")
	if !ok {
		t.Fatal("the page reported nothing of itself")
	}
	var seen traces
	must(t, json.Unmarshal(r.Data, &seen))
	return seen
}

const (
	// aloneTime is how long the page is left alone, so that what it notices by
	// itself is known.
	aloneTime = 2 * time.Second
	// flush is how many transitions of the page run where something computes
	// style between two frames: each of 30 traps there and back.
	flush = 60
)

// TestReadingLeavesNoTrace compares what a page notices while it is read with
// what it noticed before anybody had attached to it.
func TestReadingLeavesNoTrace(t *testing.T) {
	s := use(t)
	a := agent{t, s, s.engine, "selfwatch"}
	made := a.prepare("selfwatch")
	loaded := s.traces(t, made.run)
	rest(t, aloneTime)
	alone := s.traces(t, made.run)
	if alone.Frames-loaded.Frames < 10 || alone.Transitions != loaded.Transitions {
		t.Fatalf("the page does not watch itself: %+v, then %+v", loaded, alone)
	}

	b := a.bind(made.pid, made.window)
	bound := s.traces(t, made.run)
	// Chromium itself computes style once when a protocol session is attached
	// to a page, whatever the session does then.
	if n := bound.Transitions - alone.Transitions; n > flush {
		t.Errorf("%d transitions ran while the window was bound, at most %d are the browser's own", n, flush)
	}
	b.readMuch(t)
	read := s.traces(t, made.run)
	if read.Transitions != bound.Transitions {
		t.Errorf("%d transitions ran while the page was read", read.Transitions-bound.Transitions)
	}
	if len(read.Mutations)+len(read.Globals)+len(read.Patched) > 0 || !reflect.DeepEqual(read.Events, alone.Events) || read.Active != alone.Active {
		t.Errorf("noticed %+v, left alone %+v", read, alone)
	}

	// The browser's accessibility tree is made from computed style, once.
	b.state(args{"meaning": "accessibility"})
	if n := s.traces(t, made.run).Transitions - read.Transitions; n > flush {
		t.Errorf("%d transitions ran for the accessibility tree, at most %d are the browser's own", n, flush)
	}

	// The watch works: the same page notices a click.
	b.click(find(t, b.state(nil), "button", "Button").Ref, "dom_event")
	if n := s.traces(t, made.run).Events["click"]; n != 1 {
		t.Errorf("the page noticed %d clicks, want one", n)
	}
}

// readMuch reads in every way that leaves the browser's accessibility tree alone.
func (b tab) readMuch(t *testing.T) {
	t.Helper()
	for range 10 {
		seg := b.state(args{"node_budget": 3})
		if seg.Snapshot.Continuation == "" {
			t.Fatal("there is nothing to continue")
		}
		for seg.Snapshot.Continuation != "" {
			seg = b.state(args{"continuation": seg.Snapshot.Continuation})
		}
	}
	b.state(args{"query": "scroller"})
	b.state(args{"scope_ref": find(t, b.state(args{"meaning": "computed"}), "button", "Button").Ref})
}

// rest lets time pass, because what is observed is that nothing happens in it.
func rest(t *testing.T, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	<-ctx.Done()
}
