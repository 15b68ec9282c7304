// Package attach finds the endpoint of a running browser and connects to it,
// or refuses. It believes a port only if the browser process, or a child whose
// start proves it the same launch, listens on it; a URL only if it names that
// very port; and a connection only if its other end is that process.
//
// It starts nothing, and asks no process that the caller has no right to.
package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"cuatui/engine/devtools"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// Endpoint is a browser's protocol endpoint with its proven owner.
type Endpoint struct {
	// Owner is the process that listens: the browser itself or a child of it.
	Owner platform.Fingerprint
	Port  int
	// Source says how it was found: json_version or active_port.
	Source string
	// url holds a secret path; it never leaves the engine.
	url string
}

const (
	probeTimeout  = 2 * time.Second
	probeBytesMax = 256 << 10
	// listenersMax bounds how many listening sockets are asked; a browser has one.
	listenersMax = 16
)

// Find looks for the one endpoint of a process. home is the user's home
// folder, where a browser's default profile is. It refuses with no_endpoint,
// several_endpoints or other_process.
func Find(ctx context.Context, sys platform.System, p platform.Process, home string) (*Endpoint, error) {
	family, err := launch(ctx, sys, p)
	if err != nil {
		return nil, err
	}
	profile, err := activePort(p, home)
	if err != nil {
		return nil, err
	}
	var found []*Endpoint
	asked := 0
	named := profile == nil
	for _, member := range family {
		ports, err := sys.Listeners(ctx, member.PID)
		if errors.Is(err, platform.ErrNotFound) || errors.Is(err, platform.ErrUnknown) && member.PID != p.PID {
			continue // it ended meanwhile, or is not ours to see: then it is not believed either
		}
		if err != nil {
			return nil, fmt.Errorf("find endpoint: %w", err)
		}
		for _, port := range ports {
			if asked++; asked > listenersMax {
				return nil, refusal.New(refusal.SeveralEndpoints, "the process listens on too many ports to ask them all")
			}
			named = named || profile.port == port
			e, err := ask(ctx, port, profile)
			if err != nil {
				return nil, err
			}
			if e != nil {
				e.Owner = member.Fingerprint()
				found = append(found, e)
			}
		}
	}
	if !named {
		if owner, err := ownedByOther(ctx, sys, profile.port, family); err != nil || owner {
			return nil, errors.Join(err, refusedOther())
		}
	}
	switch len(found) {
	case 0:
		return nil, refusal.New(refusal.NoEndpoint, "the process offers no endpoint")
	case 1:
		return found[0], nil
	}
	return nil, refusal.New(refusal.SeveralEndpoints, "the process offers %d endpoints, and nothing proves which is meant", len(found))
}

func refusedOther() *refusal.Refusal {
	return refusal.New(refusal.OtherProcess, "another process listens on the port that the browser's profile names")
}

// ownedByOther says whether somebody outside the family listens on a port.
func ownedByOther(ctx context.Context, sys platform.System, port int, family []platform.Process) (bool, error) {
	all, err := sys.Processes(ctx)
	if err != nil {
		return false, fmt.Errorf("find endpoint: %w", err)
	}
	for _, p := range all {
		if slices.ContainsFunc(family, func(f platform.Process) bool { return f.PID == p.PID }) {
			continue
		}
		ports, err := sys.Listeners(ctx, p.PID)
		if err == nil && slices.Contains(ports, port) {
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
	family := []platform.Process{p}
	for i := 0; i < len(family); i++ {
		for _, c := range all {
			if c.PPID == family[i].PID && c.Start >= family[i].Start && c.PID != family[i].PID && c.UID == p.UID &&
				!slices.ContainsFunc(family, func(f platform.Process) bool { return f.PID == c.PID }) {
				family = append(family, c)
			}
		}
	}
	return family, nil
}

// ask asks a listener whether it is an endpoint: by /json/version, or, where
// that is not served, by the profile's own word about this very port. nil
// means it is none.
func ask(ctx context.Context, port int, profile *profilePort) (*Endpoint, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	ws, served, err := version(ctx, port)
	switch {
	case err != nil:
		return nil, nil // no HTTP there: not an endpoint
	case ws != "":
		if !sameLoopbackPort(ws, port) {
			return nil, refusal.New(refusal.OtherProcess, "the listener hands out an endpoint on another port")
		}
		return &Endpoint{Port: port, Source: "json_version", url: ws}, nil
	case !served && profile != nil && profile.port == port:
		return &Endpoint{Port: port, Source: "active_port", url: "ws://127.0.0.1:" + strconv.Itoa(port) + profile.path}, nil
	}
	return nil, nil
}

// version reads /json/version. served says that the path exists there.
func version(ctx context.Context, port int) (ws string, served bool, err error) {
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, Proxy: nil},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort("127.0.0.1", strconv.Itoa(port))+"/json/version", nil)
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

func sameLoopbackPort(ws string, port int) bool {
	u, err := url.Parse(ws)
	if err != nil || u.Scheme != "ws" || u.User != nil || u.Port() != strconv.Itoa(port) {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// Connect connects and proves that the other end of our own socket is the
// endpoint's owner, before anything is sent over it.
func (e *Endpoint) Connect(ctx context.Context, sys platform.System) (*devtools.Conn, error) {
	t, err := devtools.DialWebSocket(ctx, e.url)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	if err := e.provePeer(ctx, sys, t); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return devtools.New(t, devtools.Options{}), nil
}

func (e *Endpoint) provePeer(ctx context.Context, sys platform.System, t devtools.Transport) error {
	local, ok := t.(interface{ LocalPort() int })
	if !ok {
		return errors.New("connect: the transport has no port of its own")
	}
	pid, err := sys.PeerPID(ctx, local.LocalPort(), e.Port)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if pid != e.Owner.PID {
		return refusal.New(refusal.PeerMismatch, "the other end of the connection is not the browser")
	}
	return nil
}

// Prove checks again that the owner, the same run of it, still listens there.
func (e *Endpoint) Prove(ctx context.Context, sys platform.System) error {
	p, err := sys.Process(ctx, e.Owner.PID)
	switch {
	case errors.Is(err, platform.ErrNotFound), errors.Is(err, platform.ErrUnknown):
		return refusal.New(refusal.EndpointChanged, "the process that offered the endpoint has ended")
	case err != nil:
		return fmt.Errorf("prove endpoint: %w", err)
	case p.Fingerprint() != e.Owner:
		return refusal.New(refusal.ListenerChanged, "the endpoint's process id belongs to another process now")
	}
	ports, err := sys.Listeners(ctx, e.Owner.PID)
	if err != nil {
		return fmt.Errorf("prove endpoint: %w", err)
	}
	if !slices.Contains(ports, e.Port) {
		return refusal.New(refusal.EndpointChanged, "the browser no longer listens on its endpoint")
	}
	return nil
}

// profilePort is what a profile's DevToolsActivePort says.
type profilePort struct {
	port int
	path string
}

// defaultProfiles are the profile folders under the user's configuration, by
// the executable's name.
var defaultProfiles = map[string]string{
	"chromium": "chromium", "chrome": "google-chrome", "google-chrome": "google-chrome", "msedge": "microsoft-edge",
}

// activePort reads the port that a browser wrote into its profile; nil where
// there is none. It refuses where the arguments name two profiles.
func activePort(p platform.Process, home string) (*profilePort, error) {
	dir := ""
	for i, arg := range p.Args {
		value, ok := strings.CutPrefix(arg, "--user-data-dir=")
		if arg == "--user-data-dir" && i+1 < len(p.Args) {
			value, ok = p.Args[i+1], true
		}
		if !ok {
			continue
		}
		if dir != "" && dir != value {
			return nil, refusal.New(refusal.SeveralEndpoints, "the browser's arguments name two profiles")
		}
		dir = value
	}
	if dir == "" {
		name, ok := defaultProfiles[filepath.Base(p.Executable)]
		if !ok || home == "" {
			return nil, nil
		}
		dir = filepath.Join(home, ".config", name)
	}
	if !filepath.IsAbs(dir) {
		return nil, nil // relative to a folder we do not know
	}
	f, err := os.Open(filepath.Join(dir, "DevToolsActivePort"))
	if err != nil {
		return nil, nil // none, or not ours to read
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return nil, nil
	}
	lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[1], "/devtools/browser/") || strings.ContainsAny(lines[1], " \t\r?#") {
		return nil, nil
	}
	port, err := strconv.Atoi(lines[0])
	if err != nil || port < 1 || port > 65535 {
		return nil, nil
	}
	return &profilePort{port: port, path: lines[1]}, nil
}
