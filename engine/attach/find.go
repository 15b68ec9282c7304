package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"cuatui/engine/refusal"
	"cuatui/platform"
)

const (
	probeTimeout  = 2 * time.Second // for all listeners together
	probeBytesMax = 256 << 10
	headBytesMax  = 64 << 10
	// listenersMax bounds how many listening sockets are asked; a browser has one.
	listenersMax = 16
)

// Find looks for the one endpoint of a process. home is the user's home
// folder, where a browser's default profile is. It refuses with
// process_changed, no_endpoint, several_endpoints, other_process, or
// connect_failed where the process listens and does not answer.
func Find(ctx context.Context, sys platform.System, p platform.Process, home string) (*Endpoint, error) {
	return find(ctx, sys, p, home, probeTimeout)
}

func find(ctx context.Context, sys platform.System, p platform.Process, home string, timeout time.Duration) (*Endpoint, error) {
	family, err := launch(ctx, sys, p)
	if err != nil {
		return nil, err
	}
	profile, err := activePort(p, home)
	if err != nil {
		return nil, err
	}
	asked, err := listening(ctx, sys, family)
	if err != nil {
		return nil, err
	}
	askAll(ctx, asked, profile, timeout)
	if err := ctx.Err(); err != nil { // what did not answer was not given its time
		return nil, fmt.Errorf("find endpoint: %w", err)
	}
	found, silent, err := sift(asked)
	if err != nil {
		return nil, err
	}
	switch len(found) {
	case 0:
		return nil, none(ctx, sys, family, asked, profile, silent)
	case 1:
		return found[0], nil
	}
	return nil, refusal.New(refusal.SeveralEndpoints, "the process offers %d endpoints, and nothing proves which is meant", len(found))
}

// sift sorts what the listeners answered. An endpoint that is offered on two
// addresses is one.
func sift(asked []*listener) (found []*Endpoint, silent bool, err error) {
	for _, l := range asked {
		silent = silent || l.silent
		switch {
		case l.err != nil:
			return nil, silent, l.err
		case l.endpoint != nil && !slices.ContainsFunc(found, l.endpoint.like):
			found = append(found, l.endpoint)
		}
	}
	return found, silent, nil
}

func (e *Endpoint) like(o *Endpoint) bool {
	return e.Owner == o.Owner && e.at.Port() == o.at.Port() && path(e.url) == path(o.url)
}

func path(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return u.Path
}

// none says why nothing was found.
func none(ctx context.Context, sys platform.System, family []platform.Process, asked []*listener, profile *profilePort, silent bool) error {
	if profile != nil && !slices.ContainsFunc(asked, func(l *listener) bool { return l.at.Port() == profile.port }) {
		other, err := ownedByOther(ctx, sys, profile.port, family)
		if err != nil {
			return err
		}
		if other {
			return refusal.New(refusal.OtherProcess, "another process listens on the port that the browser's profile names")
		}
	}
	if silent {
		return refusal.New(refusal.ConnectFailed, "the process listens, but does not answer")
	}
	return refusal.New(refusal.NoEndpoint, "the process offers no endpoint")
}

// ownedByOther says whether somebody outside the family listens on a port.
func ownedByOther(ctx context.Context, sys platform.System, port uint16, family []platform.Process) (bool, error) {
	all, err := sys.Processes(ctx)
	if err != nil {
		return false, fmt.Errorf("find endpoint: %w", err)
	}
	for _, p := range all {
		if slices.ContainsFunc(family, func(f platform.Process) bool { return f.PID == p.PID }) {
			continue
		}
		at, err := sys.Listeners(ctx, p.PID)
		if err == nil && slices.ContainsFunc(at, func(a netip.AddrPort) bool { return a.Port() == port }) {
			return true, nil
		}
	}
	return false, nil
}

// launch is the process and its descendants, each started no earlier than its
// parent: a reused pid cannot slip in between.
func launch(ctx context.Context, sys platform.System, p platform.Process) ([]platform.Process, error) {
	all, err := sys.Processes(ctx)
	if err != nil {
		return nil, fmt.Errorf("find endpoint: %w", err)
	}
	// The children are those of the pid as it stands in this list.
	if !slices.ContainsFunc(all, func(o platform.Process) bool { return o.Fingerprint() == p.Fingerprint() }) {
		return nil, refusal.New(refusal.ProcessChanged, "the process has ended, or its id belongs to another one")
	}
	family := []platform.Process{p}
	for i := 0; i < len(family); i++ {
		for _, c := range all {
			if c.PPID == family[i].PID && c.Start >= family[i].Start && c.UID == p.UID &&
				!slices.ContainsFunc(family, func(f platform.Process) bool { return f.PID == c.PID }) {
				family = append(family, c)
			}
		}
	}
	return family, nil
}

// listener is a listening socket of the family, and what it answered.
type listener struct {
	at    netip.AddrPort
	owner platform.Fingerprint

	endpoint *Endpoint // nil: it is none
	silent   bool      // it did not answer in time
	err      error     // a refusal: what it answered must not be believed
}

// listening lists the family's listening sockets.
func listening(ctx context.Context, sys platform.System, family []platform.Process) ([]*listener, error) {
	var all []*listener
	for i, member := range family {
		at, err := sys.Listeners(ctx, member.PID)
		if errors.Is(err, platform.ErrNotFound) || errors.Is(err, platform.ErrUnknown) && i > 0 {
			continue // it ended meanwhile, or is not ours to see: then it is not believed either
		}
		if err != nil {
			return nil, fmt.Errorf("find endpoint: %w", err)
		}
		for _, a := range at {
			all = append(all, &listener{at: a, owner: member.Fingerprint()})
		}
	}
	if len(all) > listenersMax {
		return nil, refusal.New(refusal.SeveralEndpoints, "the process listens on %d addresses, too many to ask them all", len(all))
	}
	return all, nil
}

// askAll asks the listeners at the same time, so that silent ones together
// cost one wait.
func askAll(ctx context.Context, all []*listener, profile *profilePort, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var asking sync.WaitGroup
	for _, l := range all {
		asking.Go(func() { l.ask(ctx, profile) })
	}
	asking.Wait()
}

// ask asks a listener whether it is an endpoint: by /json/version, or, where
// that is not served, by the profile's own word about this very port.
func (l *listener) ask(ctx context.Context, profile *profilePort) {
	ws, served, err := version(ctx, l.at)
	switch {
	case err != nil: // no HTTP there, or none in time
		l.silent = ctx.Err() != nil
	case ws != "":
		l.endpoint, l.err = l.offered(ws)
	case !served && profile != nil && profile.port == l.at.Port():
		l.endpoint = &Endpoint{Owner: l.owner, Source: ActivePort, at: l.at, url: "ws://" + l.at.String() + profile.path}
	}
}

// browserPath is the path of a browser's own endpoint.
var browserPath = regexp.MustCompile(`^/devtools/browser/[0-9A-Za-z-]{1,64}$`)

// offered is the endpoint of a URL that a listener hands out. Of the URL only
// the path is used: the connection goes to the listener itself.
func (l *listener) offered(ws string) (*Endpoint, error) {
	u, err := url.Parse(ws)
	if err != nil || u.Scheme != "ws" || u.User != nil || u.Port() != strconv.Itoa(int(l.at.Port())) || !loopback(u.Hostname()) {
		return nil, refusal.New(refusal.OtherProcess, "the listener hands out an endpoint that is not its own")
	}
	if !browserPath.MatchString(u.EscapedPath()) || u.RawQuery != "" {
		return nil, nil // something else than a browser
	}
	return &Endpoint{Owner: l.owner, Source: JSONVersion, at: l.at, url: "ws://" + l.at.String() + u.Path}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// version reads /json/version. served says that the path exists there.
func version(ctx context.Context, at netip.AddrPort) (ws string, served bool, err error) {
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, Proxy: nil, MaxResponseHeaderBytes: headBytesMax},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at.String()+"/json/version", http.NoBody)
	if err != nil {
		return "", false, fmt.Errorf("ask listener: %w", err)
	}
	res, err := client.Do(req)
	if err != nil {
		return "", false, fmt.Errorf("ask listener: %w", err)
	}
	defer func() { _ = res.Body.Close() }() // nothing more is read from it
	if res.StatusCode != http.StatusOK {
		return "", false, nil
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, probeBytesMax))
	if err != nil {
		return "", true, fmt.Errorf("ask listener: %w", err)
	}
	var v struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if json.Unmarshal(body, &v) != nil {
		return "", true, nil
	}
	return v.URL, true, nil
}
