package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"cuatui/engine/devtools"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
)

// overlayOffTime bounds how long it is waited for the browser to take away what
// it draws over a page.
const overlayOffTime = 3 * time.Second

// releaseTime is how long the browser goes on taking the mouse after the press
// that chose a node: the release belongs to it, and some pages act on one.
const releaseTime = 400 * time.Millisecond

// inks are what the browser draws a node with: content, padding, border, margin.
var inks = map[string]any{
	"showInfo": true, "showAccessibilityInfo": false,
	"contentColor": rgba(111, 168, 220, 0.55), "paddingColor": rgba(147, 196, 125, 0.45), "borderColor": rgba(255, 229, 153, 0.55), "marginColor": rgba(246, 178, 107, 0.45),
}

func rgba(r, g, b int, a float64) map[string]any {
	return map[string]any{"r": r, "g": g, "b": b, "a": a}
}

// draw lets one at a time draw over the page, in these of its sessions, until f
// returns: the browser paints beside the documents, and none of them is touched.
// However f ends, what was drawn is taken away before draw returns.
func (p *Page) draw(ctx context.Context, in []*devtools.Session, f func() error) error {
	select {
	case p.drawing <- struct{}{}:
		defer func() { <-p.drawing }()
	case <-ctx.Done():
		return fmt.Errorf("wait to draw over the page: %w", ctx.Err())
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), overlayOffTime)
		defer cancel()
		var last []*devtools.Pending
		for _, s := range in {
			s.Send("Overlay.setInspectMode", map[string]any{"mode": "none"})
			s.Send("Overlay.hideHighlight", nil)
			s.Send("Overlay.disable", nil)
			last = append(last, s.Send("DOM.disable", nil))
		}
		for _, sent := range last {
			_ = sent.Decode(ctx, nil) // a session that has ended draws nothing
		}
	}()
	for _, s := range in {
		s.Send("DOM.enable", nil) // the overlay asks for it
	}
	for _, s := range in {
		if err := s.Call(ctx, "Overlay.enable", nil, nil); err != nil {
			return fmt.Errorf("draw over the page: %w", err)
		}
	}
	return f()
}

// Highlight marks the node k in the browser until ctx ends or the tab does. It
// returns ctx's error in the first case.
func (p *Page) Highlight(ctx context.Context, k int) error {
	found, err := p.Find(ctx, k)
	if err != nil {
		return err
	}
	handle, err := found.Document.Node(ctx, found.Local)
	switch {
	case err != nil:
		return err
	case handle == "":
		return refusal.New(refusal.NodeGone, "the node is no longer in the page")
	}
	in := found.Document.Session
	defer in.Send("Runtime.releaseObject", map[string]any{"objectId": handle})
	ends := in.Subscribe("Inspector.detached")
	defer ends.Close()
	return p.draw(ctx, []*devtools.Session{in}, func() error {
		if err := in.Call(ctx, "Overlay.highlightNode", map[string]any{"highlightConfig": inks, "objectId": handle}, nil); err != nil {
			return fmt.Errorf("highlight: %w", err)
		}
		for {
			select {
			case _, open := <-ends.C():
				if !open {
					return devtools.ErrDetached
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
}

// picked is a node that a person chose: a session's, by its backend id, 0 where
// the person ended it in the browser.
type picked struct {
	in      *devtools.Session
	backend int
	err     error
}

// Pick waits until the person at the browser has chosen a node of the snapshot's
// documents with the mouse, and explains it. The press does not reach the page.
// It is nil where the person pressed Escape there.
func (s *Snapshot) Pick(ctx context.Context) (*Explanation, error) {
	var got picked
	in := s.sessions()
	err := s.page.draw(ctx, in, func() error {
		got = pickAny(ctx, in)
		if got.backend == 0 {
			return got.err
		}
		release := time.NewTimer(releaseTime)
		defer release.Stop()
		select {
		case <-release.C:
		case <-ctx.Done():
		}
		return nil
	})
	if err != nil || got.backend == 0 {
		return nil, err
	}
	s.page.mu.Lock()
	defer s.page.mu.Unlock()
	for _, d := range s.docs {
		if d.unproven != "" || d.doc.Session != got.in {
			continue
		}
		local, err := d.doc.localOf(ctx, got.backend)
		switch {
		case world.Gone(err), err == nil && local == 0:
			continue
		case err != nil:
			return nil, err
		}
		return s.explain(ctx, d, map[string]any{"k": local})
	}
	return nil, refusal.New(refusal.Navigated, "the node that was chosen is of a document that the snapshot has not read")
}

// sessions are those of the documents that were read.
func (s *Snapshot) sessions() []*devtools.Session {
	s.page.mu.Lock()
	defer s.page.mu.Unlock()
	var out []*devtools.Session
	for _, d := range s.docs {
		if d.unproven == "" && !slices.Contains(out, d.doc.Session) {
			out = append(out, d.doc.Session)
		}
	}
	return out
}

// pickAny waits for a choice in any of the sessions.
func pickAny(ctx context.Context, in []*devtools.Session) picked {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all := make(chan picked, len(in))
	var asked sync.WaitGroup
	for _, s := range in {
		asked.Go(func() { all <- pickIn(ctx, s) })
	}
	first := <-all
	cancel()
	asked.Wait()
	return first
}

func pickIn(ctx context.Context, s *devtools.Session) picked {
	events := s.Subscribe("Overlay.inspectNodeRequested", "Overlay.inspectModeCanceled")
	defer events.Close()
	if err := s.Call(ctx, "Overlay.setInspectMode", map[string]any{"mode": "searchForNode", "highlightConfig": inks}, nil); err != nil {
		return picked{err: fmt.Errorf("pick: %w", err)}
	}
	for {
		select {
		case ev, open := <-events.C():
			if !open {
				return picked{err: devtools.ErrDetached}
			}
			if ev.Method == "Overlay.inspectModeCanceled" {
				return picked{in: s}
			}
			var node struct {
				BackendNodeID int `json:"backendNodeId"`
			}
			if json.Unmarshal(ev.Params, &node) == nil && node.BackendNodeID != 0 {
				return picked{in: s, backend: node.BackendNodeID}
			}
		case <-ctx.Done():
			return picked{err: ctx.Err()}
		}
	}
}
