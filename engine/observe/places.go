package observe

import (
	"context"
	"fmt"

	"cuatui/engine/refusal"
	"cuatui/engine/world"
	"cuatui/snapshotfmt"
)

// Place is where a node is as the snapshot was taken: Tier is the public tier
// or the omission reason, "" where the snapshot did not decide it (a query does
// not look at what it does not match). Gone is a node that is no longer in the
// page, NoCandidate one that nothing is left of to list.
type Place struct {
	Tier        string
	Gone        bool
	NoCandidate bool
}

// Places says where nodes are, by their identity in the tab. It refuses where
// the page has been surveyed anew, or a document has been replaced since.
func (s *Snapshot) Places(ctx context.Context, ks []int) (places map[int]Place, err error) {
	s.page.mu.Lock()
	defer s.page.mu.Unlock()
	defer func() { err = s.page.blame(err) }()
	if s.page.newest != s {
		return nil, refusal.New(refusal.Superseded, "a newer snapshot of this tab was taken meanwhile")
	}
	out := make(map[int]Place, len(ks))
	per := map[*surveyed][]int{}
	for _, k := range ks {
		n, ok := s.page.nodes[k]
		if !ok { // with its document
			out[k] = Place{Gone: true}
			continue
		}
		d := s.surveyedOf(n.doc)
		if d == nil {
			out[k] = Place{Tier: string(snapshotfmt.OmitUnprovableFrame)}
			continue
		}
		per[d] = append(per[d], k)
	}
	for d, list := range per {
		if err := d.places(ctx, list, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (d *surveyed) places(ctx context.Context, ks []int, out map[int]Place) error {
	locals := make([]int, len(ks))
	for i, k := range ks {
		locals[i] = d.doc.page.nodes[k].local
	}
	var r struct {
		RootChanged bool `json:"rootChanged"`
		Places      []struct {
			I      int    `json:"i"`
			Reason string `json:"r"`
		} `json:"places"`
	}
	err := d.doc.Call(ctx, "places", map[string]any{"ks": locals}, &r)
	switch {
	case world.Gone(err) || err == nil && r.RootChanged:
		return refusal.New(refusal.Navigated, "the document of this snapshot has been replaced")
	case err != nil:
		return err
	case len(r.Places) != len(ks):
		return fmt.Errorf("places: %d nodes were asked about, %d answered", len(ks), len(r.Places))
	}
	for i, p := range r.Places {
		reason, _ := splitReason(p.Reason)
		if !words(string(reason)) {
			return fmt.Errorf("places: a node is %q", short(p.Reason))
		}
		tier, looked := d.tiers[p.I]
		switch {
		case p.I == -2:
			out[ks[i]] = Place{Gone: true}
		case p.I < 0:
			out[ks[i]] = Place{NoCandidate: true}
		case looked:
			out[ks[i]] = Place{Tier: string(tier)}
		case reason == snapshotfmt.OmitNear:
			out[ks[i]] = Place{} // not matched: nobody has looked what is above it
		default:
			out[ks[i]] = Place{Tier: string(reason)}
		}
	}
	return nil
}

// Document names the main document of the snapshot. It never leaves the engine.
func (s *Snapshot) Document() string { return s.docs[0].doc.Loader }
