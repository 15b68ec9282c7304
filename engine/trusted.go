package engine

import "cuatui/platform"

// trustedSafe says whether the pointer leaves the desktop alone where a window
// is shown.
func trustedSafe(on platform.WindowSystem) bool {
	return platform.Safe(on, platform.MouseMoved) && platform.Safe(on, platform.MousePressed)
}
