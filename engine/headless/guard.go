package headless

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// ErrNotLoopback is a listen address that others could reach, or none.
var ErrNotLoopback = errors.New("must be a loopback address and a port, as 127.0.0.1:0; port 0 is any that is free")

// ListenLoopback listens on host:port, where host is a loopback address or
// localhost, which is 127.0.0.1. The error is ErrNotLoopback for any other, and
// the system's where it declines.
func ListenLoopback(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip, bad := netip.ParseAddr(host)
	if _, worse := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || worse != nil || !ip.IsLoopback() || ip.Zone() != "" {
		return nil, ErrNotLoopback
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(ip.String(), port))
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	return l, nil
}

// guard lets a request through that knows the token, and that no web page sent. A
// page of another origin says so in Origin; one that has made its own name point
// at this machine has that name in Host.
type guard struct {
	port  string
	token [sha256.Size]byte
	next  http.Handler
}

func newGuard(listening net.Addr, token string, next http.Handler) *guard {
	_, port, _ := net.SplitHostPort(listening.String()) // a listener's address has one
	return &guard{port, sha256.Sum256([]byte(token)), next}
}

// ServeHTTP implements [http.Handler].
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case !g.ours(r.Host):
		http.Error(w, "the Host is not this server's", http.StatusForbidden)
	case g.foreign(r.Header["Origin"]):
		http.Error(w, "the Origin is another's", http.StatusForbidden)
	case !g.knows(r.Header["Authorization"]):
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "the bearer token is missing or wrong", http.StatusUnauthorized)
	case r.URL.Path != MCPPath:
		http.Error(w, "there is only "+MCPPath, http.StatusNotFound)
	default:
		g.next.ServeHTTP(w, r)
	}
}

// ours says whether host:port can only mean this listener.
func (g *guard) ours(hostport string) bool {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil || port != g.port {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// foreign says whether the request comes from a page that is not of this server;
// what is no browser sends no Origin.
func (g *guard) foreign(origins []string) bool {
	for _, o := range origins {
		if host, ok := strings.CutPrefix(o, "http://"); !ok || !g.ours(host) {
			return true
		}
	}
	return false
}

// knows compares in a time that does not depend on how much is right.
func (g *guard) knows(said []string) bool {
	if len(said) != 1 {
		return false
	}
	scheme, token, ok := strings.Cut(said[0], " ")
	sum := sha256.Sum256([]byte(token))
	return ok && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}
