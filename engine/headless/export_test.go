package headless

import "time"

// NewOutletOf is the Outlet of a server.
var NewOutletOf = newOutlet

// Patiently waits longer than a write does after the end of input, times over.
func Patiently(times int) { time.Sleep(time.Duration(times) * unreadMax) }

// LosesAfter makes a server wait so long for a client whose stream has broken.
func (s *HTTPServer) LosesAfter(d time.Duration) { s.lost = d }
