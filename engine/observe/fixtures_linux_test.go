package observe_test

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"cuatui/engine/observe"
	"cuatui/fixtures"
	"cuatui/snapshotfmt"
)

// taken is a page read to its end.
type taken struct {
	page     *observe.Page
	snap     *observe.Snapshot
	segments []*observe.Segment
	minted   []observe.Minted
	entries  []snapshotfmt.Entry
}

// last is the head of the last segment.
func (s *taken) last() snapshotfmt.Info { return s.segments[len(s.segments)-1].Semantic.Snapshot }

func read(t *testing.T, p *observe.Page, o observe.Options) *taken {
	t.Helper()
	if o.NodeBudget == 0 {
		o.NodeBudget = 300
	}
	if o.OutputBudget == 0 {
		o.OutputBudget = 16_000
	}
	snap, err := p.Take(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	out := &taken{page: p, snap: snap}
	for len(out.segments) < 50 {
		seg, err := snap.Next(t.Context(), 1, "viewport")
		if err != nil {
			t.Fatal(err)
		}
		out.segments = append(out.segments, seg)
		out.minted = append(out.minted, seg.Minted...)
		out.entries = append(append(out.entries, seg.Semantic.Refs...), seg.Semantic.ContentRefs...)
		assertIdentity(t, seg.Semantic.Snapshot)
		if !seg.More {
			return out
		}
	}
	t.Fatal("no end after 50 segments")
	return nil
}

// assertIdentity: what is returned, was returned and is omitted is everything.
func assertIdentity(t *testing.T, i snapshotfmt.Info) {
	t.Helper()
	if got := i.Returned + i.Earlier + i.Omitted.Total(); got != i.Candidates {
		t.Errorf("segment %d: returned %d + earlier %d + omitted %d = %d, want candidates %d", i.Segment, i.Returned, i.Earlier, i.Omitted.Total(), got, i.Candidates)
	}
	sums := map[string]int{}
	for key, n := range i.Omitted.Sub {
		reason, _, _ := strings.Cut(key, "/")
		sums[reason] += n
	}
	for reason, n := range sums {
		if got := i.Omitted.Get(snapshotfmt.OmitReason(reason)); got != n {
			t.Errorf("omitted %s = %d, its parts add up to %d", reason, got, n)
		}
	}
}

// kOf is the identity in a ref.
func kOf(t *testing.T, ref string) (k int) {
	t.Helper()
	var n int
	if _, err := fmt.Sscanf(ref, "p%d:%d", &n, &k); err != nil {
		t.Fatal(err)
	}
	return k
}

// described asks the protocol for the nodes of entries: their identities, and
// what it says of each.
func described(t *testing.T, p *observe.Page, entries []snapshotfmt.Entry) ([]int, []observe.Described) {
	t.Helper()
	ks := make([]int, len(entries))
	for i, e := range entries {
		ks[i] = kOf(t, e.Ref)
	}
	nodes, err := p.Describe(t.Context(), ks)
	if err != nil {
		t.Fatal(err)
	}
	return ks, nodes
}

// idOf is the id attribute of the node k, "" if it has none.
func idOf(t *testing.T, p *observe.Page, k int) string {
	t.Helper()
	nodes, err := p.Describe(t.Context(), []int{k})
	if err != nil {
		t.Fatal(err)
	}
	return nodes[0].ID
}

// offered maps element ids to entries.
func offered(t *testing.T, got *taken) map[string][]snapshotfmt.Entry {
	t.Helper()
	_, nodes := described(t, got.page, got.entries)
	out := map[string][]snapshotfmt.Entry{}
	for i, e := range got.entries {
		if id := nodes[i].ID; id != "" {
			out[id] = append(out[id], e)
		}
	}
	return out
}

// declared: a page is read as it says of itself.
func (b *book) declared(t *testing.T, sh *sheet) {
	for _, want := range fixtures.Expectations {
		if want.Page == sh.file {
			check(t, want, sh.first)
		}
	}
	if t.Failed() {
		t.Logf("outline:\n%s", sh.first.segments[0].Semantic.Outline)
	}
}

func check(t *testing.T, want fixtures.Expect, got *taken) {
	t.Helper()
	byID := offered(t, got)
	for _, c := range want.Visible {
		es := byID[c.ID]
		if len(es) == 0 {
			t.Errorf("miss: %s %q (#%s) is not listed", c.Role, c.Name, c.ID)
			continue
		}
		if err := fits(c, es[0]); err != nil {
			t.Errorf("#%s: %v", c.ID, err)
		}
	}
	for _, id := range want.MustNotOffer {
		for _, e := range byID[id] {
			if len(e.Actions) > 0 {
				t.Errorf("lie: #%s is offered: %s %q %v (%s)", id, e.Role, e.Name, e.Actions, e.Visibility)
			}
		}
	}
	for _, id := range want.NotInView {
		for _, e := range byID[id] {
			if e.Visibility == snapshotfmt.InViewport {
				t.Errorf("lie: #%s is said to be in view", id)
			}
		}
	}
	for key, n := range want.Hidden {
		g := got.last().Omitted.Sub[key]
		if !strings.Contains(key, "/") {
			g = got.last().Omitted.Get(snapshotfmt.OmitReason(key))
		}
		if g != n {
			t.Errorf("omitted %s = %d, want %d", key, g, n)
		}
	}
	if t.Failed() {
		var keys []string
		for k, n := range got.last().Omitted.Sub {
			keys = append(keys, fmt.Sprintf("%s=%d", k, n))
		}
		sort.Strings(keys)
		t.Logf("omitted: %v", keys)
	}
	for _, secret := range want.Secrets {
		for _, seg := range got.segments {
			if strings.Contains(seg.Semantic.Outline, secret) {
				t.Errorf("secret %q is in the outline", secret)
			}
		}
	}
}

func fits(c fixtures.Control, e snapshotfmt.Entry) error {
	var errs []error
	if c.Role != "" && e.Role != c.Role {
		errs = append(errs, fmt.Errorf("role %q, want %q", e.Role, c.Role))
	}
	if c.Name != "" && e.Name != c.Name {
		errs = append(errs, fmt.Errorf("name %q, want %q", e.Name, c.Name))
	}
	for _, a := range c.Actions {
		if !slices.Contains(e.Actions, a) {
			errs = append(errs, fmt.Errorf("actions %v (%s), want %s", e.Actions, e.Why, a))
		}
	}
	for _, a := range c.Forbidden() {
		if slices.Contains(e.Actions, a) {
			errs = append(errs, fmt.Errorf("actions %v, must not have %s", e.Actions, a))
		}
	}
	return errors.Join(errs...)
}
