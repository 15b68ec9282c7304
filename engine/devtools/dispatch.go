package devtools

import (
	"encoding/json"
	"errors"
	"fmt"

	"cuatui/engine/limits"
)

const (
	// sessionsMax bounds the sessions at one time, claimed or not. Every frame and
	// worker of a page may be one.
	sessionsMax = 1 << 16
	// eventOverhead is what a queued event costs beside its message, in bytes.
	eventOverhead = 128
)

// dispatch gives one message to whom it belongs. Messages that make no sense
// belong to nobody. An error ends the connection.
func (c *Conn) dispatch(seq uint64, e *envelope, size int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case e.odd:
		return nil
	case e.method != "":
		return c.event(seq, e, size)
	case e.hasID:
		c.reply(e, size)
	}
	return nil
}

// reply finishes the request it answers. Ids are unique in the connection, so a
// reply that names another session than the request is not its reply; only the
// refusal of a session the browser does not know comes without a session id.
func (c *Conn) reply(e *envelope, size int) {
	r := c.pending[e.id]
	if r == nil {
		return
	}
	s := r.session
	if e.session != s.id && (e.session != "" || e.failure == nil) {
		return
	}
	delete(c.pending, e.id)
	s.tally.in.Add(int64(size))
	switch {
	case e.failure != nil:
		err := parseError(e.failure)
		var refused *Error
		if s != c.root && errors.As(err, &refused) && refused.Code == codeSessionNotFound {
			err = fmt.Errorf("%w: %w", ErrDetached, err)
			defer c.end(s, ErrDetached)
		}
		r.finish(nil, err)
	case e.result != nil:
		r.finish(e.result, nil)
	default:
		r.finish(nil, errNotAnswer)
	}
}

func (c *Conn) event(seq uint64, e *envelope, size int) error {
	c.tally.events.Add(1)
	s := c.session(e.session)
	s.tally.events.Add(1)
	s.tally.in.Add(int64(size))
	s.take(Event{Seq: seq, Method: e.method, Params: e.params}, size+eventOverhead)
	switch e.method {
	case "Target.attachedToTarget":
		if child := childSession(e.params); child != "" && child != s.id {
			c.session(child).parent = s
		}
	case "Target.detachedFromTarget":
		if child := childSession(e.params); child != "" {
			if gone := c.sessions[child]; gone != nil {
				c.end(gone, ErrDetached)
			}
		}
	}
	if len(c.sessions) > sessionsMax {
		return fmt.Errorf("the browser has more than %d sessions", sessionsMax)
	}
	return nil
}

// session finds a session by its id, or starts to know it. c.mu is held.
func (c *Conn) session(id string) *Session {
	s := c.sessions[id]
	if s == nil {
		s = newSession(c, id)
		c.sessions[id] = s
	}
	return s
}

// childSession reads the session id that the two events about children carry.
func childSession(params []byte) string {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return ""
	}
	return p.SessionID
}

// begin marks a session's first request: from here on its events are only those
// that are subscribed.
func (c *Conn) begin(s *Session) {
	s.begun = true
	c.forgetEarly(s)
}

func (c *Conn) forgetEarly(s *Session) {
	for _, kept := range s.early {
		c.unclaimed -= kept.size
	}
	s.early = nil
}

// keepEarly keeps an event of a session that has not begun, for the first
// subscription to it. When there is no room, the session's kept events are
// dropped, and subscriptions that would have had them end with ErrOverflow.
func (c *Conn) keepEarly(s *Session, ev Event, size int) {
	if s.earlyLost {
		return
	}
	if c.unclaimed+size > limits.UnclaimedBytesMax {
		c.forgetEarly(s)
		s.earlyLost = true
		return
	}
	c.unclaimed += size
	s.early = append(s.early, queued{ev, size})
}

// end ends a session and the sessions below it, once. c.mu is held.
func (c *Conn) end(s *Session, why error) {
	if s.err != nil {
		return
	}
	s.err = why
	for id, r := range c.pending {
		if r.session == s {
			delete(c.pending, id)
			r.viaRPC = false // rpcc learns it from the codec
			r.finish(nil, why)
		}
	}
	for _, e := range s.subs {
		e.stopLocked(why)
	}
	s.subs = nil
	c.forgetEarly(s)
	delete(c.sessions, s.id)
	if s.claimed && s != c.root {
		c.attached--
	}
	close(s.ended)
	// Chromium does not announce the end of sessions below one that is detached.
	for _, child := range c.sessions {
		if child.parent == s {
			c.end(child, why)
		}
	}
}
