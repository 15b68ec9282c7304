package engine

import (
	"cuatui/engine/act"
	"cuatui/engine/contract"
	"cuatui/platform"
)

// trustedSafe says whether the pointer leaves the desktop alone where a window
// is shown.
func trustedSafe(on platform.WindowSystem) bool {
	return platform.Safe(on, platform.MouseMoved) && platform.Safe(on, platform.MousePressed)
}

// marks adds what a press in the background does to the window all the same.
func (m *mutation) marks(res *contract.ActionResult) {
	if res.Route == act.Trusted && !m.shown.Active && trustedSafe(m.shown.On) && platform.Urgent(m.shown.On, platform.MousePressed) {
		res.SideEffects = append(res.SideEffects, "the window is marked as wanting attention")
	}
}
