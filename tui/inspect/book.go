// Package inspect holds what the inspector knows of one bound window: the
// binding, the tab looked at, and the segments of its snapshot read so far. It
// is plain state with no terminal and no engine in it.
package inspect

import (
	"strconv"
	"strings"
	"time"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
)

// Segment is one segment of a snapshot, as answered.
type Segment struct {
	*snapshotfmt.Semantic
	// Partial says that the engine called the result partial.
	Partial bool
	// Took is the time from call to answer.
	Took time.Duration
	// asked is what it answers; the book fills it in.
	asked asked
}

// asked is what kind of request a snapshot answers: the page, what matches a
// text, or what is below a node. Only answers to the same are compared: what a
// query does not list has not left the page.
type asked struct {
	query string
	scope int // k of the node, 0 for the page
}

// Book is a bound window and the segments read of one of its tabs. The zero
// value is bound to nothing.
type Book struct {
	PID      int
	WindowID uint64
	Bind     *contract.StateResult
	Tab      contract.Tab
	// Lost is why the binding is no longer proven, nil while it is.
	Lost *Loss
	// Revoked says that the person has withdrawn consent since it was bound.
	Revoked bool

	Query, ScopeRef string
	// Silent is since when the browser gives no answer, zero while it does: until
	// it does, nothing is proven to be as it was.
	Silent time.Time

	segments []Segment
	at       int
	// past are the snapshots of the tab before this one, the latest last.
	past []Snapshot
	diff *Diff
	// renewed is what the current snapshot took the place of.
	renewed Snapshot
}

// Loss is the code and reason of a binding's end, and when it was seen.
type Loss struct {
	Code, Reason string
	At           time.Time
}

// Words are code and reason.
func (l *Loss) Words() string {
	if l.Reason == "" {
		return l.Code
	}
	return l.Code + " · " + l.Reason
}

// Snapshot is a snapshot of before: the segments that were read of it.
type Snapshot []Segment

// maxPast bounds how many snapshots are kept.
const maxPast = 20

// Bound says whether there is a target with a tab to read.
func (b *Book) Bound() bool { return b.Bind != nil && b.Tab.TabID != "" }

// Current returns the segment looked at, and whether there is one.
func (b *Book) Current() (Segment, bool) {
	if len(b.segments) == 0 {
		return Segment{}, false
	}
	return b.segments[b.at], true
}

// asks is what kind of snapshot is looked at, or just asked for.
func (b *Book) asks() asked { return asked{query: b.Query, scope: K(b.ScopeRef)} }

// Start begins a new snapshot, of what Query and ScopeRef say, with its first
// segment.
func (b *Book) Start(s Segment) {
	if len(b.segments) > 0 {
		b.past = append(b.past, b.segments)
		b.past = b.past[max(len(b.past)-maxPast, 0):]
	}
	s.asked = b.asks()
	b.segments, b.at, b.diff = []Segment{s}, 0, nil
	if h := b.History(); len(h) > 1 {
		b.diff = Compare(h[len(h)-2].Semantic, s.Semantic)
	}
}

// Renew puts a snapshot in the place of the current one, and says whether it
// may: only where it answers the same request and shows the same, so that only
// its refs are new.
func (b *Book) Renew(s Segment) bool {
	s.asked = b.asks()
	if len(b.segments) == 0 || b.at != 0 || b.segments[0].asked != s.asked || !Compare(b.segments[0].Semantic, s.Semantic).Empty() {
		return false
	}
	b.renewed, b.segments = b.segments, []Segment{s}
	return true
}

// Diff is what the current snapshot shows otherwise than the last one of the
// same request, nil if there is none.
func (b *Book) Diff() *Diff { return b.diff }

// History is the first segment of the last snapshots of the tab that answer the
// same request as the current one, which is the last.
func (b *Book) History() []Segment {
	if len(b.segments) == 0 {
		return nil
	}
	now := b.segments[0]
	var out []Segment
	for _, s := range b.past {
		if s[0].asked == now.asked {
			out = append(out, s[0])
		}
	}
	return append(out, now)
}

// Entry returns the entry of a ref of this snapshot or one that is kept, nil if
// there is none.
func (b *Book) Entry(ref string) *snapshotfmt.Entry {
	for _, snapshot := range append([]Snapshot{b.segments, b.renewed}, b.past...) {
		for _, s := range snapshot {
			for _, list := range [][]snapshotfmt.Entry{s.Refs, s.ContentRefs} {
				for i := range list {
					if list[i].Ref == ref {
						return &list[i]
					}
				}
			}
		}
	}
	return nil
}

// Lists says whether a segment in memory lists the node of a ref of this very
// snapshot.
func (b *Book) Lists(ref string) bool {
	for _, s := range b.segments {
		for i := range s.Lines {
			if l := &s.Lines[i]; l.Ref == ref && ref != "" && !l.Context {
				return true
			}
		}
	}
	return false
}

// Latest is the first segment of the current snapshot, and whether there is one.
func (b *Book) Latest() (Segment, bool) {
	if len(b.segments) == 0 {
		return Segment{}, false
	}
	return b.segments[0], true
}

// Since is what the current snapshot shows otherwise than one before, nil where
// that answers another request.
func (b *Book) Since(before Segment) *Diff {
	now, ok := b.Latest()
	if !ok || before.Semantic == nil || before.asked != now.asked {
		return nil
	}
	return Compare(before.Semantic, now.Semantic)
}

// First says whether the first segment is looked at.
func (b *Book) First() bool { return b.at == 0 }

// EarlierRef is a ref of the snapshot before this one, "" if there is none.
func (b *Book) EarlierRef() string {
	if len(b.past) == 0 {
		return ""
	}
	s := b.past[len(b.past)-1][0]
	for _, list := range [][]snapshotfmt.Entry{s.Refs, s.ContentRefs} {
		if len(list) > 0 {
			return list[0].Ref
		}
	}
	return ""
}

// Spent is a continuation of this snapshot that has been used, "" if none has.
func (b *Book) Spent() string {
	if len(b.segments) < 2 {
		return ""
	}
	return b.segments[0].Snapshot.Continuation
}

// Append adds the next segment and turns to it.
func (b *Book) Append(s Segment) {
	b.segments = append(b.segments, s)
	b.at = len(b.segments) - 1
}

// Clear forgets the snapshot and the ones before it.
func (b *Book) Clear() { b.segments, b.at, b.past, b.diff, b.renewed = nil, 0, nil, nil, nil }

// Back turns to the segment before, if there is one.
func (b *Book) Back() bool {
	if b.at == 0 {
		return false
	}
	b.at--
	return true
}

// Forward turns to the next segment in memory, if there is one.
func (b *Book) Forward() bool {
	if b.at+1 >= len(b.segments) {
		return false
	}
	b.at++
	return true
}

// Turn turns to the first segment in memory that has the node k, and says
// whether there is one.
func (b *Book) Turn(k int) bool {
	if k == 0 {
		return false
	}
	for i, s := range b.segments {
		for j := range s.Lines {
			if l := &s.Lines[j]; l.K == k && !l.Context {
				b.at = i
				return true
			}
		}
	}
	return false
}

// Earlier says whether Back would turn.
func (b *Book) Earlier() bool { return b.at > 0 }

// More says whether there is a segment after this one, in memory or still to
// be asked for.
func (b *Book) More() bool {
	return b.at+1 < len(b.segments) || b.Continuation() != ""
}

// Continuation returns the id that asks for the segment after the last one
// read. It can be spent once.
func (b *Book) Continuation() string {
	if len(b.segments) == 0 {
		return ""
	}
	return b.segments[len(b.segments)-1].Snapshot.Continuation
}

// Read is how many segments are in memory.
func (b *Book) Read() int { return len(b.segments) }

// K returns the node's identity in a ref p<n>:<k>, 0 for anything else.
func K(ref string) int {
	_, k, ok := strings.Cut(ref, ":")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(k)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
