package observe

import (
	"context"
	"time"

	"cuatui/engine/world"
)

// Conditions are what a wait waits for; all that are set must hold.
type Conditions struct {
	Text, TextGone, URL string
	Gone                int // k of a node
	Quiet               time.Duration
}

// Waited is how a wait ended.
type Waited struct {
	Met     bool
	Before  bool // it held before anything was waited for
	Missing string
	URL     string
}

// Wait waits in the main document until the conditions hold or limit is over.
// A navigation meanwhile is followed: the wait goes on in the new document.
func (p *Page) Wait(ctx context.Context, c Conditions, limit time.Duration) (Waited, error) {
	end := time.Now().Add(limit)
	first := true
	for {
		d, url, gone, err := p.waiting(ctx, c.Gone)
		if err != nil {
			return Waited{}, err
		}
		rest := max(0, time.Until(end))
		var r struct {
			Met     bool   `json:"met"`
			Before  bool   `json:"before"`
			Missing string `json:"missing"`
		}
		args := map[string]any{
			"text": c.Text, "textGone": c.TextGone, "url": c.URL, "goneK": gone, "quietMS": c.Quiet.Milliseconds(), "maxMS": rest.Milliseconds(),
		}
		err = d.Call(ctx, "wait", args, &r)
		if world.Gone(err) && rest > 0 {
			first = false
			continue
		}
		if err != nil {
			return Waited{}, err
		}
		return Waited{Met: r.Met, Before: r.Met && r.Before && first, Missing: r.Missing, URL: url}, nil
	}
}

// waiting enters the current main document. gone is the local identity of node
// k in it, 0 where that node's document has gone, and with it the node.
func (p *Page) waiting(ctx context.Context, k int) (d *world.Document, url string, gone int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		frames, err := p.allFrames(ctx)
		if err != nil {
			return nil, "", 0, err
		}
		if _, err := p.enter(ctx, frames[:1]); err != nil {
			return nil, "", 0, err
		}
		main := p.docs[frames[0].ID]
		if main == nil { // it moved on while it was entered
			continue
		}
		if n, ok := p.nodes[k]; ok && n.doc == main {
			gone = n.local
		}
		return main.Document, frames[0].URL, gone, nil
	}
}
