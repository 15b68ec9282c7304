package observe

import "time"

// SetSlice sets how long a survey walks before the page gets its turn.
func (p *Page) SetSlice(d time.Duration) { p.slice = d }

// SetHitTime sets how long the hit tests of a survey may take. Where all of
// them are to be made, that is long: a busy machine takes its time.
func (p *Page) SetHitTime(d time.Duration) { p.hitTime = d }

// Slices is in how many slices the snapshot's main document was read.
func (s *Snapshot) Slices() int { return s.docs[0].reply.Slices }

// Anew says whether it changed meanwhile and was walked a second time.
func (s *Snapshot) Anew() bool { return s.docs[0].reply.Anew }
