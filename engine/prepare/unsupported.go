//go:build !linux

package prepare

import (
	"context"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// Launcher starts isolated browsers. On this system it refuses to.
type Launcher struct{}

// NewLauncher returns a Launcher.
func NewLauncher(Options) *Launcher { return &Launcher{} }

// Launch checks the spec and refuses.
func (l *Launcher) Launch(_ context.Context, s Spec) (*Browser, error) {
	if _, err := s.normalise(); err != nil {
		return nil, err
	}
	return nil, refusal.New(refusal.DisplayUnavailable, "Isolated browsers are not supported on this system.").
		WithDetail(refusal.Detail{Missing: []string{"an adapter for this system"}})
}

// Check has nothing to look at.
func (l *Launcher) Check() []platform.Finding { return nil }

// Sweep has nothing to remove.
func (l *Launcher) Sweep() (removed int, err error) { return 0, nil }

// CloseAll has nothing to close.
func (l *Launcher) CloseAll(context.Context) error { return nil }

// Browser cannot exist on this system.
type Browser struct{}

// Conn returns nil.
func (b *Browser) Conn() *devtools.Conn { return nil }

// Process returns the zero process.
func (b *Browser) Process() platform.Process { return platform.Process{} }

// WindowIDs returns nil.
func (b *Browser) WindowIDs() []platform.WindowID { return nil }

// System returns nil.
func (b *Browser) System() platform.System { return nil }

// SideEffects returns none.
func (b *Browser) SideEffects() contract.SideEffects { return contract.SideEffects{} }

// Done returns nil.
func (b *Browser) Done() <-chan struct{} { return nil }

// Close does nothing.
func (b *Browser) Close(context.Context) error { return nil }
