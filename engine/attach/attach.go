// Package attach finds the endpoint of a running browser and connects to it,
// or refuses. It believes a port only if the browser process, or a child whose
// start proves it the same launch, listens on it; a URL only if it names that
// very port; and a connection only if its other end is that process.
//
// It starts nothing, and asks no process that the caller has no right to.
package attach

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// The ways an endpoint is found.
const (
	JSONVersion = "json_version" // its listener serves /json/version
	ActivePort  = "active_port"  // the profile names it, and the process listens there
)

// Endpoint is a browser's protocol endpoint with its proven owner.
type Endpoint struct {
	// Owner is the process that listens: the browser itself or a child of it.
	Owner platform.Fingerprint
	// Source says how it was found: JSONVersion or ActivePort.
	Source string

	at netip.AddrPort // the address on which the owner listens
	// url is at and a secret path; it never leaves the engine.
	url string
}

// Connect connects and proves that the other end of our own socket is the
// endpoint's owner, the same run of it, before anything is sent over it. It
// refuses with connect_failed, peer_mismatch, endpoint_changed or
// listener_changed.
func (e *Endpoint) Connect(ctx context.Context, sys platform.System) (*devtools.Conn, error) {
	dialling, cancel := context.WithTimeout(ctx, limits.AnswerTimeout)
	defer cancel()
	t, err := devtools.DialWebSocket(dialling, e.url)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("connect: %w", errors.Join(ctx.Err(), closed(t)))
	}
	if err != nil {
		return nil, refusal.New(refusal.ConnectFailed, "the browser's endpoint did not take the connection")
	}
	if err := e.provePeer(ctx, sys, t); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	if err := e.Prove(ctx, sys); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return devtools.New(t, devtools.Options{}), nil
}

func closed(t devtools.Transport) error {
	if t == nil {
		return nil
	}
	return t.Close()
}

func (e *Endpoint) provePeer(ctx context.Context, sys platform.System, t devtools.Transport) error {
	local, ok := t.(interface{ LocalPort() int })
	if !ok {
		return errors.New("connect: the transport has no port of its own")
	}
	pid, err := sys.PeerPID(ctx, local.LocalPort(), int(e.at.Port()))
	switch {
	case errors.Is(err, platform.ErrUnknown):
		return refusal.New(refusal.PeerMismatch, "nothing proves that the other end of the connection is the browser")
	case errors.Is(err, platform.ErrNotFound):
		return refusal.New(refusal.ConnectFailed, "the browser's endpoint closed the connection")
	case err != nil:
		return fmt.Errorf("connect: %w", err)
	case pid != e.Owner.PID:
		return refusal.New(refusal.PeerMismatch, "the other end of the connection is not the browser")
	}
	return nil
}

// Prove checks again that the owner, the same run of it, still listens there.
// It refuses with endpoint_changed or listener_changed.
func (e *Endpoint) Prove(ctx context.Context, sys platform.System) error {
	p, err := sys.Process(ctx, e.Owner.PID)
	switch {
	case absent(err):
		return refusal.New(refusal.EndpointChanged, "the process that offered the endpoint has ended")
	case err != nil:
		return fmt.Errorf("prove endpoint: %w", err)
	case p.Fingerprint() != e.Owner:
		return refusal.New(refusal.ListenerChanged, "the endpoint's process id belongs to another process now")
	}
	at, err := sys.Listeners(ctx, e.Owner.PID)
	switch {
	case absent(err):
		return refusal.New(refusal.EndpointChanged, "the process that offered the endpoint has ended")
	case err != nil:
		return fmt.Errorf("prove endpoint: %w", err)
	case !slices.Contains(at, e.at):
		return refusal.New(refusal.EndpointChanged, "the browser no longer listens on its endpoint")
	}
	return nil
}

// absent says whether a process is gone, or has ended and not been waited for.
func absent(err error) bool {
	return errors.Is(err, platform.ErrNotFound) || errors.Is(err, platform.ErrUnknown)
}
