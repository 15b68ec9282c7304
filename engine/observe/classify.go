package observe

import (
	"slices"

	"cuatui/snapshotfmt"
)

const tierOccluded = snapshotfmt.PageOccluded

// Action kinds.
const (
	actClick   = "click"
	actType    = "type"
	actSelect  = "select"
	actUpload  = "upload"
	actPointer = "pointer"
	actScroll  = "scroll"
)

// inputs that hold text or a value one types; every other input type is
// clicked.
var typed = map[string]bool{
	"text": true, "search": true, "url": true, "tel": true, "email": true, "password": true, "number": true,
	"date": true, "time": true, "datetime-local": true, "month": true, "week": true,
}

// actions says what a candidate declares, on kept evidence only, and why a
// control declares nothing. It is pure.
func actions(c column, m *meaning) (kinds []string, why string) {
	kinds = []string{}
	if c.Flags&flagScroll != 0 && (c.Tier != "in" || c.Hit != hitUnknown) {
		defer func() { kinds = append(kinds, actScroll) }()
	}
	if c.Flags&flagAct == 0 || c.Ev == 0 {
		return kinds, ""
	}
	switch {
	case c.Dis != "":
		return kinds, "disabled"
	case c.Tier == "unknown":
		return kinds, orWhy(c.Sub, "unknown")
	case c.Tier == "in" && c.Hit != hitOwn:
		return kinds, orWhy(c.Why, "covered")
	case c.Tier != "in" && c.Why != "":
		return kinds, c.Why
	}
	switch {
	case m.Tag == "select":
		return append(kinds, actSelect), ""
	case m.Tag == "input" && m.Type == "file":
		return append(kinds, actUpload), ""
	case m.Tag == "textarea", m.Tag == "input" && typed[m.Type], c.Ev&evEditable != 0, editableRole(m, c):
		if m.States.Readonly {
			return append(kinds, actClick, actPointer), ""
		}
		return append(kinds, actClick, actType, actPointer), ""
	}
	return append(kinds, actClick, actPointer), ""
}

// editableRole: an ARIA textbox that is no native field and no editable host
// has nothing to type into; only its own editability counts.
func editableRole(m *meaning, c column) bool {
	return (m.Role == "textbox" || m.Role == "searchbox") && c.Ev&evEditable != 0
}

func orWhy(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

// routes says, for a declared click, which routes would be accepted now.
// trusted is left out where it would raise the window; platforms where it is
// safe add it.
func routes(kinds []string, m *meaning, trustedSafe bool) map[string][]string {
	if !slices.Contains(kinds, actClick) && !slices.Contains(kinds, actUpload) {
		return nil
	}
	if !slices.Contains(kinds, actClick) {
		return nil
	}
	r := []string{}
	if m.Contract != "" {
		r = append(r, "trusted_key")
	}
	r = append(r, "dom_event")
	if trustedSafe {
		r = append(r, "trusted")
	}
	return map[string][]string{actClick: r}
}

// routes says which routes a click has on a browser as the options describe it.
func (s *Snapshot) routes(kinds []string, m *meaning) map[string][]string {
	if s.o.Keyless {
		without := *m
		without.Contract = ""
		m = &without
	}
	return routes(kinds, m, s.o.TrustedSafe)
}

// tierOf is the public tier of a column.
func tierOf(c column) snapshotfmt.Tier {
	if c.Tier == "in" {
		return snapshotfmt.InViewport
	}
	return snapshotfmt.Tier(c.Tier)
}

// rank orders candidates: 0 active dialog and focus, 1 and 2 in view with and
// without action, 3 and 4 near, 5 unknown, 6 the rest. Lower is better.
func rank(c column) int {
	in, near := c.Tier == "in", c.Tier == "near_viewport"
	acts := c.Flags&flagAct != 0 && c.Dis == "" && (in && c.Hit == hitOwn || !in && c.Why == "")
	switch {
	case c.Flags&(flagFocused|flagDialog) != 0 && (in || near):
		return 0
	case c.Tier == "unknown":
		return 5
	case in && acts:
		return 1
	case in:
		return 2
	case near && acts:
		return 3
	case near:
		return 4
	}
	return 6
}
