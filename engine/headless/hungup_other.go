//go:build !unix

package headless

// hungUp: there is no such question here; what was read of the input stands.
func hungUp(any) bool { return false }
