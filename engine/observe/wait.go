package observe

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"cuatui/engine/world"
)

// Conditions are what a wait waits for; all that are set must hold.
type Conditions struct {
	Text, TextGone, URL string
	Quiet               time.Duration
	// Node is the k of a node that shall come to State, hold Value, or both.
	Node  int
	State string // gone, checked, … as nodeReply.truth knows them
	Value string // "" for any
}

// Truth says whether a condition holds. What cannot be read is neither true
// nor false.
type Truth string

// The truths.
const (
	True     Truth = "held"
	False    Truth = "did not hold"
	Unproven Truth = "not known"
)

// Answer is one condition and whether it holds.
type Answer struct {
	Fact  string // text, text_gone, url, state, value or quiet
	Truth Truth
	Why   string // why it is not known, "" otherwise
}

// Waited is how a wait ended.
type Waited struct {
	Met     bool
	Before  bool // it held before anything was waited for
	Answers []Answer
	URL     string
}

// Missing is the first condition that does not hold, and why that is not known.
func (w Waited) Missing() (fact, why string) {
	for _, c := range w.Answers {
		if c.Truth != True {
			return c.Fact, c.Why
		}
	}
	return "", ""
}

const (
	// lookEvery bounds how long a change that no document tells of, as one of a
	// style sheet, stays unseen.
	lookEvery = 250 * time.Millisecond
	// calm is how long a page that changes is left alone between two looks.
	calm = 20 * time.Millisecond
	// answerTimeout bounds the answer of one document. One that takes longer is
	// not read, and so proves nothing.
	answerTimeout = 2 * time.Second
)

// Wait looks into every document of the page until the conditions hold or
// limit is over. A navigation meanwhile is followed: the wait goes on in the
// new document.
func (p *Page) Wait(ctx context.Context, c Conditions, limit time.Duration) (Waited, error) {
	end := time.Now().Add(limit)
	still := calmness{since: time.Now(), counts: map[*doc]int{}}
	for first := true; ; first = false {
		t, err := p.lookAll(ctx, c)
		if err != nil {
			return Waited{}, err
		}
		still.take(t)
		w := Waited{Met: true, Answers: t.answers(c), URL: t.url}
		if c.Quiet > 0 {
			w.Answers = append(w.Answers, still.answer(t, c.Quiet))
		}
		for _, k := range w.Answers {
			w.Met = w.Met && k.Truth == True
		}
		rest := time.Until(end)
		if w.Met || rest <= 0 {
			w.Before = w.Met && first && c.Quiet == 0 // how long it has been quiet is known only by waiting
			return w, nil
		}
		if c.Quiet > 0 {
			rest = min(rest, max(time.Millisecond, c.Quiet-time.Since(still.since)))
		}
		if err := t.pause(ctx, min(rest, lookEvery)); err != nil {
			return Waited{}, err
		}
	}
}

// Holds looks once.
func (p *Page) Holds(ctx context.Context, c Conditions) ([]Answer, error) {
	t, err := p.lookAll(ctx, c)
	if err != nil {
		return nil, err
	}
	return t.answers(c), nil
}

// Unknown are the conditions where nothing could be read.
func (c Conditions) Unknown(why string) []Answer {
	out := (&told{}).answers(c)
	for i := range out {
		out[i].Truth, out[i].Why = Unproven, why
	}
	return out
}

// calmness is since when no document has changed.
type calmness struct {
	since  time.Time
	counts map[*doc]int
}

func (s *calmness) take(t *told) {
	for d, r := range t.docs {
		if n, ok := s.counts[d]; !ok && len(s.counts) > 0 || ok && n != r.Changes {
			s.since = time.Now()
		}
	}
	if len(t.docs) < len(s.counts) {
		s.since = time.Now() // a document has gone
	}
	s.counts = make(map[*doc]int, len(t.docs))
	for d, r := range t.docs {
		s.counts[d] = r.Changes
	}
}

func (s *calmness) answer(t *told, quiet time.Duration) Answer {
	k := Answer{Fact: "quiet", Truth: False}
	if time.Since(s.since) >= quiet {
		k.Truth, k.Why = t.unless(True)
	}
	return k
}

// told is what every document of the page says of the conditions.
type told struct {
	docs    map[*doc]*toldReply
	url     string
	hidden  map[*doc]bool // in a frame that shows nothing
	node    *nodeReply    // of Node; nil where its document was not read
	unread  string        // why a document could not be read, "" if all were
	loading bool
}

// unless is truth where every document was read; otherwise it is not known.
func (t *told) unless(truth Truth) (Truth, string) {
	if t.unread != "" {
		return Unproven, t.unread
	}
	return truth, ""
}

func (t *told) answers(c Conditions) []Answer {
	var out []Answer
	add := func(set bool, fact string, truth Truth, why string) {
		if set {
			out = append(out, Answer{fact, truth, why})
		}
	}
	text, why := t.unless(False)
	if t.shows(0) {
		text, why = True, ""
	}
	add(c.Text != "", "text", text, why)
	add(c.TextGone != "", "text_gone", False, "")
	if c.TextGone != "" && !t.shows(1) {
		k := &out[len(out)-1]
		if k.Truth, k.Why = t.unless(True); k.Truth == True && t.loading {
			k.Truth, k.Why = Unproven, "a document is still being loaded"
		}
	}
	add(c.URL != "", "url", truthOf(strings.Contains(t.url, c.URL)), "")
	if c.State != "" {
		truth, why := t.node.truth(c.State)
		add(true, "state", truth, why)
	}
	if c.Value != "" {
		truth, why := t.node.truth("value")
		add(true, "value", truth, why)
	}
	return out
}

// shows says whether a document shows the text asked for at i.
func (t *told) shows(i int) bool {
	for _, r := range t.docs {
		if i < len(r.Shown) && r.Shown[i] {
			return true
		}
	}
	return false
}

func truthOf(b bool) Truth {
	if b {
		return True
	}
	return False
}

// pause waits until a document changes, at most limit.
func (t *told) pause(ctx context.Context, limit time.Duration) error {
	if limit > calm {
		woken, cancel := context.WithTimeout(ctx, limit-calm)
		var all sync.WaitGroup
		for d, r := range t.docs {
			sent := d.Start("changed", map[string]any{"changes": r.Changes, "maxMS": limit.Milliseconds()})
			all.Go(func() {
				if err := sent.Decode(woken, nil); err == nil || world.Gone(err) {
					cancel()
				}
			})
		}
		<-woken.Done()
		cancel()
		all.Wait()
	}
	rest := time.NewTimer(min(limit, calm))
	defer rest.Stop()
	select {
	case <-rest.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait: %w", ctx.Err())
	}
}
