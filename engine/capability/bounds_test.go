package capability

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"cuatui/engine/refusal"
)

func oneTab(t *testing.T) (*Store, *Target, *Tab) {
	t.Helper()
	s := New()
	s.Open("s")
	target, err := s.Bind("s", "exact", 1, []string{"key"})
	if err != nil {
		t.Fatal(err)
	}
	return s, target, target.Tabs()[0]
}

func TestWhatATabRemembersIsBounded(t *testing.T) {
	_, target, tab := oneTab(t)
	const rounds = 3 * rememberMax
	tokens := make([]string, 0, rounds)
	for n := 1; n <= rounds; n++ {
		if got := target.Begin(tab, nil); got != n {
			t.Fatalf("snapshot %d is numbered %d", n, got)
		}
		token, ok := target.Put(tab, n, []Ref{{K: 1}, {K: 2}}, true)
		if !ok {
			t.Fatal("the current snapshot takes no refs")
		}
		tokens = append(tokens, token)
		if n%2 == 0 { // half are used, half retired unused
			if _, _, r := target.Continue(tab, token); r != nil {
				t.Fatal(r)
			}
		}
		kept := 0
		for _, r := range tab.retired {
			if r.refs != nil {
				kept++
			}
		}
		if len(tab.retired) > rememberMax || len(tab.order) > refsMax || kept > refsMax || len(tab.spent) > rememberMax || len(tab.spending) > rememberMax {
			t.Fatalf("after %d snapshots: %d retired, %d in order, %d with refs, %d spent, %d spending",
				n, len(tab.retired), len(tab.order), kept, len(tab.spent), len(tab.spending))
		}
	}
	for i, n := range tab.order {
		if want := rounds - refsMax + i; n != want {
			t.Errorf("refs are kept of p%d at %d, want p%d: the newest, oldest first", n, i, want)
		}
	}
	for ago, want := range map[int]refusal.Reason{1: refusal.Superseded, rememberMax: refusal.Superseded, rememberMax + 1: refusal.Foreign, rounds - 1: refusal.Foreign} {
		if _, old, _, r := target.Resolve(tab, fmt.Sprintf("p%d:1", rounds-ago)); r == nil || r.Reason != want || (old != nil) != (ago <= refsMax) {
			t.Errorf("a ref of %d snapshots ago: %v, old %v; want %s", ago, r, old, want)
		}
	}
	for i, want := range map[int]refusal.Reason{rounds - 2: refusal.Spent, rounds - rememberMax + 1: refusal.Spent, 0: refusal.Foreign} {
		if _, _, r := target.Continue(tab, tokens[i]); r == nil || r.Reason != want {
			t.Errorf("continuation %d of %d: %v, want %s", i, rounds, r, want)
		}
	}
}

func TestPuttingASegmentSpendsTheContinuationBefore(t *testing.T) {
	_, target, tab := oneTab(t)
	n := target.Begin(tab, nil)
	first, _ := target.Put(tab, n, nil, true)
	if second, ok := target.Put(tab, n, nil, false); !ok || second != "" {
		t.Errorf("Put = %q, %v", second, ok)
	}
	if _, _, r := target.Continue(tab, first); r == nil || r.Reason != refusal.Spent {
		t.Errorf("the first continuation: %v", r)
	}
}

func TestASessionOfTheSameNameRevivesNothing(t *testing.T) {
	s, target, tab := oneTab(t)
	n := target.Begin(tab, nil)
	token, _ := target.Put(tab, n, []Ref{{K: 7}}, true)
	s.Close("s")
	if !s.Open("s") {
		t.Fatal("the name is free again")
	}
	if _, _, _, r := target.Resolve(tab, "p1:7"); r == nil || r.Reason != refusal.UnknownTarget {
		t.Errorf("a ref of the ended session: %v", r)
	}
	if _, _, r := target.Continue(tab, token); r == nil || r.Reason != refusal.UnknownTarget {
		t.Errorf("a continuation of the ended session: %v", r)
	}
	if got := target.Begin(tab, nil); got != 0 {
		t.Errorf("the ended session began p%d", got)
	}
	if _, ok := target.Put(tab, n, nil, true); ok {
		t.Error("the ended session takes refs")
	}
	if got, err := s.Bind("s", "exact", 1, []string{"key"}); err != nil || got.Begin(got.Tabs()[0], nil) != 1 {
		t.Errorf("the new session does not count from 1: %v", err)
	}
}

// Many goroutines race for one continuation each round: exactly one gets it.
func TestAContinuationIsTakenOnceHoweverManyTry(t *testing.T) {
	s, target, tab := oneTab(t)
	for range 200 {
		n := target.Begin(tab, nil)
		token, _ := target.Put(tab, n, []Ref{{K: 1}}, true)
		var taken atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if _, _, r := target.Continue(tab, token); r == nil {
					taken.Add(1)
				}
				if _, _, _, r := target.Resolve(tab, fmt.Sprintf("p%d:1", n)); r != nil {
					t.Errorf("the current ref: %v", r)
				}
				target.RefOf(tab, 1)
				target.Current(tab)
				s.Names()
			})
		}
		if wg.Wait(); taken.Load() != 1 {
			t.Fatalf("one continuation was taken %d times", taken.Load())
		}
	}
}

// Sessions open, bind, snapshot and close beside each other.
func TestParallelSessionsDoNotMix(t *testing.T) {
	s := New()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name := fmt.Sprintf("s%d", i)
			for range 100 {
				s.Open(name)
				target, err := s.Bind(name, "exact", 1, []string{"a", "b"})
				if err != nil {
					t.Error(err)
					return
				}
				for n := 1; n <= 4; n++ {
					tab := target.Tabs()[n%2]
					if got := target.Begin(tab, nil); got != n {
						t.Errorf("%s counts p%d, want p%d", name, got, n)
					}
					target.Put(tab, n, []Ref{{K: n}}, false)
				}
				if _, r := s.Target(fmt.Sprintf("s%d", (i+1)%8), target.ID); r == nil {
					t.Error("a foreign target resolves")
				}
				s.Close(name)
			}
		})
	}
	wg.Wait()
}

// A ref resolves only when it is written exactly as it was handed out.
func FuzzOnlyTheExactRefResolves(f *testing.F) {
	for _, seed := range []string{
		"p1:1", "p2:1", "p2:7", "p02:7", "p2:07", "p+2:7", "p-2:7", "p2:-7", "p2:7 ", " p2:7", "P2:7", "pp2:7", "p2:7:7", "p2", "p2:", "p:7", ":", "",
		"p٢:٧", "p2:7", "p2:7\x00", "p2\x00:7", "p4294967298:7", "p18446744073709551618:7", "p2:18446744073709551623", "p0:7", "p2:0", "p2:0x7", "p2:7e0",
		"p2_0:7", "v2:7", "o2:7", "p2:\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		_, target, tab := oneTab(t)
		target.Begin(tab, nil)
		n := target.Begin(tab, nil)
		target.Put(tab, n, []Ref{{K: 7}, {K: 123456789}}, false)
		got, _, _, r := target.Resolve(tab, ref)
		if want := ref == "p2:7" || ref == "p2:123456789"; want != (r == nil) {
			t.Errorf("%q resolves to %+v, %v", ref, got, r)
		}
		if r != nil && got.K != 0 {
			t.Errorf("%q is refused and gives %+v", ref, got)
		}
		if _, _, r := target.Continue(tab, ref); r == nil {
			t.Errorf("%q is a continuation", ref)
		}
	})
}

// page is a payload that knows its document.
type page struct{ document string }

func (p page) Document() string { return p.document }

func TestListingsAreKeptForAWhile(t *testing.T) {
	s := New()
	s.Open("s")
	target, err := s.Bind("s", "exact", 1, []string{"key"})
	if err != nil {
		t.Fatal(err)
	}
	tab := target.Tabs()[0]
	const last = refsMax + 3
	for n := 1; n <= last; n++ {
		target.Begin(tab, page{fmt.Sprint("d", n)})
		target.Put(tab, n, []Ref{{K: n}}, false)
	}
	for id, want := range map[string]refusal.Reason{
		"": refusal.Malformed, "1": refusal.Malformed, "p": refusal.Malformed, "p0": refusal.Malformed, "p-1": refusal.Malformed, "p1:2": refusal.Malformed,
		"p999": refusal.Foreign, "p1": refusal.Superseded, fmt.Sprint("p", last-refsMax): "", fmt.Sprint("p", last-1): "", fmt.Sprint("p", last): "",
	} {
		refs, document, r := target.Listing(tab, id)
		if got := reasonOf(r); got != want {
			t.Errorf("Listing(%q): %q, want %q", id, got, want)
			continue
		}
		if want != "" {
			continue
		}
		var n int
		if _, err := fmt.Sscanf(id, "p%d", &n); err != nil || len(refs) != 1 || refs[n].K != n || document != fmt.Sprint("d", n) {
			t.Errorf("Listing(%q) = %v of %q", id, refs, document)
		}
	}
	target.Invalidate(tab)
	if _, _, r := target.Listing(tab, fmt.Sprint("p", last)); reasonOf(r) != refusal.Navigated {
		t.Errorf("of a replaced document: %v", r)
	}
	s.Close("s")
	if _, _, r := target.Listing(tab, fmt.Sprint("p", last)); reasonOf(r) != refusal.UnknownTarget {
		t.Errorf("of an ended session: %v", r)
	}
}

func reasonOf(r *refusal.Refusal) refusal.Reason {
	if r == nil {
		return ""
	}
	return r.Reason
}
