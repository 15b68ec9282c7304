package world

import (
	"cmp"

	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// Sight is one node looked at now, by the survey's own rules. Boxes are CSS px
// of the top viewport. Points are, too, but count from its first px that is in
// the window, as input events do: that is another only while it is pinched.
type Sight struct {
	Role, Name, RowKey string
	// Use is where it leads or sends to, and with what; "" for neither.
	Use string
	// Steady is Name without what only counts the time, "" where that is Name.
	Steady     string
	Tag        string
	Tier       snapshotfmt.Tier
	Sub        string
	Disabled   string // why it takes no action, "" if it does
	Contract   string // the key of the trusted_key route, "" if none
	Chooser    bool   // a trusted click opens a chooser of the browser's own
	Actionable bool   // it has evidence of action
	Hit        bool
	Why        string       // why it is not hit
	Points     [][2]float64 // where it takes the pointer
	Box        *[4]float64
	By         *refusal.Occluder
	ByK        int
	TabVisible bool
	HasFocus   bool // the document has the system's focus
}

// Is says whether it is still the node that a ref was made for.
func (s *Sight) Is(role, name, steady, row, use string) bool {
	return s.Role == role && cmp.Or(s.Steady, s.Name) == cmp.Or(steady, name) && s.RowKey == row && s.Use == use
}
