package observe

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"cuatui/engine/devtools"
)

// A query or a scope is about the candidates that the last survey has kept in
// the page. Where nothing can have changed since, they are asked instead of
// walked: the browser's own counts of style and layout work are those of before
// that survey, nobody listens who did not, and the world has seen no mutation,
// scroll or move of the focus. Whatever cannot be proven is walked anew.

// stillness is what must be unchanged between two reads of a page.
type stillness struct {
	work  map[*devtools.Session]work
	heard map[*devtools.Session]listening
	docs  map[string]*doc
}

// work counts what a process has done for style and layout since it was first
// asked. ok is false for a browser that does not count.
type work struct {
	layouts, styles float64
	ok              bool
}

// staleError says why the kept survey cannot be asked again.
type staleError struct{ why string }

func (e *staleError) Error() string { return "the kept survey is stale: " + short(e.why) }

// read surveys the page: by the kept survey where it stands, else anew.
func (s *Snapshot) read(ctx context.Context) error {
	s.docs, s.walk, s.foot.unread = nil, 0, 0
	s.asked = s.page.newest != nil && !s.o.whole()
	err := s.survey(ctx)
	if s.asked && err == nil {
		err = s.stillStands(ctx)
	}
	var stale *staleError
	if !errors.As(err, &stale) {
		return err
	}
	s.docs, s.walk, s.foot.unread, s.asked = nil, 0, 0, false
	return s.survey(ctx)
}

// stillness reads what must be unchanged. The counts are read before the
// survey: what the page does while it runs then shows as a difference.
func (p *Page) stillness(ctx context.Context, heard map[*devtools.Session]listening) (stillness, error) {
	out := stillness{work: map[*devtools.Session]work{}, heard: heard, docs: maps.Clone(p.docs)}
	sent := map[*devtools.Session]*devtools.Pending{}
	for session := range heard {
		if sent[session] = p.counts[session]; sent[session] == nil {
			sent[session] = p.count(session)
		}
	}
	p.counts = nil
	for session, of := range sent {
		w, err := p.work(ctx, session, of)
		if err != nil {
			return stillness{}, err
		}
		out.work[session] = w
	}
	return out, nil
}

// count asks a process for its counts.
func (p *Page) count(session *devtools.Session) *devtools.Pending {
	if !p.counting[session] {
		p.counting[session] = true
		session.Send("Performance.enable", nil) // an error shows in the next call
	}
	return session.Send("Performance.getMetrics", nil)
}

// work is what a process's metrics say.
func (p *Page) work(ctx context.Context, session *devtools.Session, sent *devtools.Pending) (work, error) {
	var r struct {
		Metrics []struct {
			Name  string  `json:"name"`
			Value float64 `json:"value"`
		} `json:"metrics"`
	}
	var perr *devtools.Error
	err := sent.Decode(ctx, &r)
	if errors.As(err, &perr) || errors.Is(err, devtools.ErrDetached) && session != p.session {
		return work{}, nil
	}
	if err != nil {
		return work{}, fmt.Errorf("count the page's work: %w", err)
	}
	var w work
	seen := 0
	for _, m := range r.Metrics {
		switch m.Name {
		case "LayoutCount":
			w.layouts = m.Value
			seen++
		case "RecalcStyleCount":
			w.styles = m.Value
			seen++
		}
	}
	w.ok = seen == 2
	return w, nil
}

// stands checks that before is a whole survey of what the page is now.
func (s *Snapshot) stands(before *Snapshot) error {
	switch {
	case !maps.Equal(before.still.docs, s.still.docs):
		return &staleError{"documents"}
	case len(before.still.heard) != len(s.still.heard):
		return &staleError{"listeners"}
	}
	for session, now := range s.still.heard {
		was, ok := before.still.heard[session]
		if !ok || was.unread != now.unread || !maps.Equal(was.types, now.types) {
			return &staleError{"listeners"}
		}
	}
	for _, d := range before.docs {
		if d.unproven != "" {
			return &staleError{"unread"}
		}
	}
	return s.still.sameWork(before.still)
}

// sameWork checks that no process has done anything for style or layout.
func (a stillness) sameWork(b stillness) error {
	for session, now := range a.work {
		if was := b.work[session]; !now.ok || now != was {
			return &staleError{"layout"}
		}
	}
	return nil
}

// stillStands checks after asking that the page stood still meanwhile.
func (s *Snapshot) stillStands(ctx context.Context) error {
	now, err := s.page.stillness(ctx, s.still.heard)
	if err != nil {
		return err
	}
	return now.sameWork(s.still)
}
