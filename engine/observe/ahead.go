package observe

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"cuatui/engine/devtools"
	"cuatui/engine/world"
)

// A survey waits for its document's next frame, and is told what the answers of
// the documents above make of its place: a frame of time for each level of
// frames. Most reads find the page laid out as the last one did. So each
// document is asked at once what it was asked last, while the rest is found
// out. Where the question comes out the same, its answer is there; else the
// document is asked anew, and the answer dropped.

// aheadWalkMax is the time of a walk, ms, over which nothing is asked ahead: a
// walk in vain would cost the page more than a wait for a frame.
const aheadWalkMax = 20

// askAhead asks every document of the last reads again. The counts of their
// processes are asked for before that, see stillness.
func (s *Snapshot) askAhead() {
	p := s.page
	p.counts = nil
	for _, d := range p.docs {
		d.ahead = nil // of a read that failed
	}
	if _, walks := s.from.(inPage); !walks || s.asked || !s.o.whole() {
		return
	}
	p.counts = map[*devtools.Session]*devtools.Pending{}
	for _, d := range p.docs {
		if d.told != "" && p.counts[d.Session] == nil {
			p.counts[d.Session] = p.count(d.Session)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.docs)) {
		if d := p.docs[id]; d.told != "" {
			d.ahead = d.Start("survey", json.RawMessage(d.told))
		}
	}
}

// question is what a survey is asked, as one text; "" where it takes handles.
func question(args map[string]any, handles []string) (string, error) {
	if len(handles) > 0 {
		return "", nil
	}
	b, err := json.Marshal(args)
	return string(b), err //nolint:wrapcheck // of our own values
}

// survey asks a document, or gives the answer that is already on its way. A
// document makes one walk at a time, so that one in vain is waited for.
func (d *doc) survey(ctx context.Context, args map[string]any, handles []string) (*world.Pending, error) {
	sent := d.ahead
	d.ahead = nil
	asked, err := question(args, handles)
	if err != nil || sent != nil && asked == d.told && asked != "" {
		return sent, err
	}
	d.told = ""
	if sent != nil {
		if _, err := sent.Value(ctx); err != nil && ctx.Err() != nil {
			return nil, err //nolint:wrapcheck // the caller's own end
		}
	}
	return d.Start("survey", args, handles...), nil
}

// remember keeps what a document was asked for the next time; by then it knows
// the nodes that it was handed now.
func (d *doc) remember(args map[string]any, reply *surveyReply) error {
	d.told = ""
	if reply.WalkMS > aheadWalkMax {
		return nil
	}
	next := maps.Clone(args)
	next["fresh"] = []int{}
	told, err := question(next, nil)
	d.told = told
	return err
}
