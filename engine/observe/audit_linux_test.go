package observe_test

import (
	"fmt"
	"slices"
	"testing"

	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/snapshotfmt"
)

// audited takes a page's snapshot and audits what it offers in view; keep
// leaves offers out, as a defect would.
func audited(t *testing.T, p *observe.Page, keep func(snapshotfmt.Entry) bool) *observe.Audit {
	t.Helper()
	snap, err := p.Take(t.Context(), observe.Options{NodeBudget: 2000, OutputBudget: 160_000})
	if err != nil {
		t.Fatal(err)
	}
	var refs []snapshotfmt.Entry
	var mints []observe.Minted
	for left := 1; left > 0; {
		seg, err := snap.Next(t.Context(), 1, "viewport")
		if err != nil {
			t.Fatal(err)
		}
		refs, mints = append(refs, seg.Semantic.Refs...), append(mints, seg.Minted...)
		left = seg.Semantic.Snapshot.Omitted.Budget
	}
	var offers []observe.Offer
	minted := map[string]int{}
	for _, m := range mints {
		minted[fmt.Sprintf("p1:%d", m.K)] = m.K
	}
	for _, e := range refs {
		acts := slices.ContainsFunc(e.Actions, func(kind string) bool { return kind != "scroll" })
		if !acts || e.Visibility != snapshotfmt.InViewport || !keep(e) {
			continue
		}
		found, err := p.Find(t.Context(), minted[e.Ref])
		if err != nil {
			t.Fatal(err)
		}
		sight, err := p.Look(t.Context(), found)
		if err != nil {
			t.Fatal(err)
		}
		offers = append(offers, observe.Offer{K: minted[e.Ref], Click: slices.Contains(e.Actions, "click"), Points: sight.Points})
	}
	a, err := snap.Audit(t.Context(), offers)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func every(snapshotfmt.Entry) bool { return true }

const (
	unpainted = "the pointer takes it, but a mask, a filter, the product of opacities or text without colour, or of that of its ground, leaves nothing to see, which the browser's own answer does not count"
	collapsed = "in a collapsed column, which the browser's own answer does not count"
)

// auditGaps are the findings that are known: "page#id", and why each is one.
// One that is found no more fails the test until its line is taken out.
var auditGaps = map[string]string{
	"svg-events#gmask": unpainted, "svg-events#mk1": unpainted, "svg-events#mk4": unpainted, "svg-events#mk5": unpainted, "svg-events#mk7": unpainted,
	"flow#white": unpainted, "uncommon#white": unpainted, "uncommon#inborder": unpainted, "uncommon#same": unpainted, "uncommon#whitebutton": unpainted, "uncommon#whiterole": unpainted,
	"embeds#e40": unpainted, "embeds#e41": unpainted, "paint#mlum": unpainted,
	"clip#mask0": unpainted, "clip#masksz": unpainted, "clip#fop0": unpainted, "clip#fop0a": unpainted,
	"details-svg-near#svgmask": unpainted, "details-svg-near#fop00": unpainted, "details-svg-near#fopmix": unpainted, "details-svg-near#op004": unpainted,
	"frames-styled#f14": unpainted, "frames-styled#f15": unpainted, "geometry#opchain": unpainted,
	"paint#mtwo": unpainted, "paint#murle": unpainted, "paint#murlb": unpainted, "paint#murlm": unpainted, "paint#mrad": unpainted,
	"paint#mpos": unpainted, "paint#fo2": unpainted, "paint#foe": unpainted, "paint#furl": unpainted,
	"sheets-adopted#m": unpainted, "sheets-adopted#f": unpainted,
	"sheets-import#m": unpainted, "sheets-import#f": unpainted,
	"sheets-insert#m": unpainted, "sheets-insert#f": unpainted,
	"sheets-link#m": unpainted, "sheets-link#f": unpainted,
	"sheets-media#m": unpainted, "sheets-media#f": unpainted,
	"sheets-rules#m": unpainted, "sheets-rules#f": unpainted,
	"sheets-shadow#m": unpainted, "sheets-shadow#f": unpainted,
	"sheets-typed#m": unpainted, "sheets-typed#f": unpainted,
	"sheets-animated#f": unpainted,
	"uncommon#fflood":   unpainted, "uncommon#fzeroa": unpainted, "uncommon#fdrop": unpainted, "uncommon#fanc": unpainted, "uncommon#mclear": unpainted, "uncommon#mclip": unpainted, "uncommon#mrgb0": unpainted, "uncommon#mconic": unpainted, "uncommon#mrep": unpainted, "geometry#colall": unpainted, "uncommon#tfill": unpainted, "uncommon#tcol": unpainted, "uncommon#tempty": unpainted,
	"tables#colc": collapsed,
}

// audit: nothing of a page is missed or lied about.
func (b *book) audit(t *testing.T, sh *sheet) {
	a := audited(t, sh.page, every)
	b.note(func() { b.controls += a.Controls })
	for what, list := range map[string][]observe.Finding{"miss": a.Misses, "lie": a.Lies} {
		for _, f := range list {
			key := sh.name + "#" + idOf(t, sh.page, f.K)
			if auditGaps[key] == "" {
				t.Errorf("%s: %s %+v", what, key, f)
			}
			b.note(func() { delete(b.auditGaps, key) })
		}
	}
}

// A snapshot that leaves a control out, and one that offers what cannot be
// clicked, are found out.
func TestAnAuditFindsADefect(t *testing.T) {
	h := newHard(t)
	s := enginetest.Open(t, h.conn, h.srv.URL("/covered"))
	page := observe.NewPage(h.conn, s, "audit-world")
	a := audited(t, page, func(e snapshotfmt.Entry) bool { return e.Name != "Not covered" })
	if len(a.Misses) != 1 || a.Misses[0].Tag != "button" || a.Misses[0].Says != "button" || len(a.Lies) != 0 {
		t.Errorf("with a button left out: misses %+v, lies %+v", a.Misses, a.Lies)
	}
	snap := explainable(t, "/covered")
	under, free := one(t, snap, "Under a fixed overlay"), one(t, snap, "Not covered")
	point := func(x *observe.Explanation) [2]float64 { return center(t, x) }
	a, err := snap.Audit(t.Context(), []observe.Offer{
		{K: under.K, Click: true, Points: [][2]float64{point(under)}}, {K: free.K, Click: true, Points: [][2]float64{point(free)}}, {K: free.K, Click: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Lies) != 2 || a.Lies[0].K != under.K || a.Lies[0].Says != "div is hit there" || a.Lies[1].Says != "it has no point that takes the pointer" {
		t.Errorf("with a covered button and one without a point: lies %+v", a.Lies)
	}
}

// center is the middle of the box that an explanation names.
func center(t *testing.T, x *observe.Explanation) [2]float64 {
	t.Helper()
	for _, c := range x.Checks {
		var l, top, w, h float64
		if n, _ := fmt.Sscanf(c.Detail, "box %f,%f %fx%f", &l, &top, &w, &h); n == 4 {
			return [2]float64{l + w/2, top + h/2}
		}
	}
	t.Fatalf("no box in %+v", x.Checks)
	return [2]float64{}
}
