//go:build !linux

package native

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"

	"cuatui/platform"
)

// System has no adapter here: every question is platform.ErrUnsupported.
type System struct{}

func open(Options) *System { return &System{} }

// Name is the system's name.
func (*System) Name() string { return runtime.GOOS }

func unsupported(what string) error {
	return fmt.Errorf("%s on %s: %w", what, runtime.GOOS, platform.ErrUnsupported)
}

// Process is not supported.
func (*System) Process(context.Context, int) (platform.Process, error) {
	return platform.Process{}, unsupported("reading a process")
}

// Processes is not supported.
func (*System) Processes(context.Context) ([]platform.Process, error) {
	return nil, unsupported("listing processes")
}

// Windows is not supported.
func (*System) Windows(context.Context) ([]platform.Window, error) {
	return nil, unsupported("listing windows")
}

// Unlisted says nothing: Windows is not supported at all.
func (*System) Unlisted(context.Context) []string { return nil }

// XDisplay is not supported.
func (*System) XDisplay(context.Context) (string, error) {
	return "", unsupported("finding an X display")
}

// WaylandDisplay is not supported.
func (*System) WaylandDisplay(context.Context) (string, error) {
	return "", unsupported("finding a Wayland display")
}

// Listeners is not supported.
func (*System) Listeners(context.Context, int) ([]netip.AddrPort, error) {
	return nil, unsupported("finding listening sockets")
}

// PeerPID is not supported.
func (*System) PeerPID(context.Context, int, int) (int, error) {
	return 0, unsupported("finding a connection's peer")
}

// Check says that nothing is supported yet.
func (*System) Check(context.Context) []platform.Finding {
	return []platform.Finding{{
		Name: runtime.GOOS, State: platform.Missing,
		Note: "no adapter for this system: windows and processes cannot be seen, nothing can be bound",
	}}
}

// Close does nothing.
func (*System) Close() error { return nil }
