package observe

import "time"

// SetSlice sets how long a survey walks before the page gets its turn.
func (p *Page) SetSlice(d time.Duration) { p.slice = d }

// Slices is in how many slices the snapshot's main document was read.
func (s *Snapshot) Slices() int { return s.docs[0].reply.Slices }

// Anew says whether it changed meanwhile and was walked a second time.
func (s *Snapshot) Anew() bool { return s.docs[0].reply.Anew }
