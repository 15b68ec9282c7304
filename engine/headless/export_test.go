package headless

import "time"

// NewOutletOf is the Outlet of a server.
var NewOutletOf = newOutlet

// Patiently waits longer than a write does after the end of input, times over.
func Patiently(times int) { time.Sleep(time.Duration(times) * unreadMax) }
