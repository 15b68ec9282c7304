package observe

import (
	"context"

	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/snapshotfmt"
)

// CollectProtocol names the collector that asks the protocol for whole trees.
const CollectProtocol = "protocol"

// collector is where the facts of documents come from; everything after it,
// from rank to outline, is the same for all.
type collector interface {
	// collect fills the replies of a level's documents and settles which of
	// their points the documents above take. A document that cannot be proven
	// says why in its unproven field.
	collect(ctx context.Context, level []*surveyed, heard map[*devtools.Session]listening) error
	// describe gives the meaning of candidates by their index.
	describe(ctx context.Context, d *surveyed, indices []int) (described, error)
	// rest gives the next offscreen candidates.
	rest(ctx context.Context, d *surveyed, from, count int) (described, error)
	// sign says in the head of a segment what is not as the walk in the page
	// has it.
	sign(i *snapshotfmt.Info)
}

// inPage collects by a walk in the page itself.
type inPage struct{ *Snapshot }

func (inPage) sign(*snapshotfmt.Info) {}

func (c inPage) collect(ctx context.Context, level []*surveyed, heard map[*devtools.Session]listening) error {
	return c.surveyLevel(ctx, level, heard)
}

func (inPage) describe(ctx context.Context, d *surveyed, indices []int) (r described, err error) {
	err = d.doc.Call(ctx, "describe", map[string]any{"indices": indices, "nameMax": limits.NameCharsMax}, &r)
	return r, err
}

func (inPage) rest(ctx context.Context, d *surveyed, from, count int) (r described, err error) {
	err = d.doc.Call(ctx, "rest", map[string]any{"from": from, "count": count, "nameMax": limits.NameCharsMax}, &r)
	return r, err
}
