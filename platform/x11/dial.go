package x11

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/jezek/xgb"
)

// address is a parsed display name.
type address struct {
	host   string // "" is this machine, through a Unix socket
	number int
	screen int
}

// parseDisplay reads [host]:number[.screen], the form of $DISPLAY.
func parseDisplay(name string) (address, error) {
	host, rest, found := strings.Cut(name, ":")
	if !found || strings.ContainsAny(name, "/\x00") {
		return address{}, fmt.Errorf("display name %q is not of the form [host]:number[.screen]", name)
	}
	if host == "unix" {
		host = ""
	}
	number, screen, hasScreen := strings.Cut(rest, ".")
	a := address{host: host}
	var err error
	if a.number, err = strconv.Atoi(number); err != nil || a.number < 0 || a.number > 59_535 {
		return address{}, fmt.Errorf("display name %q: %q is no display number", name, number)
	}
	if hasScreen {
		if a.screen, err = strconv.Atoi(screen); err != nil || a.screen < 0 {
			return address{}, fmt.Errorf("display name %q: %q is no screen number", name, screen)
		}
	}
	return a, nil
}

// dial opens the byte stream to the display's server.
func (a address) dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	if a.host != "" {
		return d.DialContext(ctx, "tcp", net.JoinHostPort(a.host, strconv.Itoa(6000+a.number)))
	}
	path := "/tmp/.X11-unix/X" + strconv.Itoa(a.number)
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil && ctx.Err() == nil {
		// The abstract socket is there even where /tmp is private.
		if abstract, abstractErr := d.DialContext(ctx, "unix", "@"+path); abstractErr == nil {
			return abstract, nil
		}
	}
	return conn, err
}

// handshake starts the X protocol on raw. xgb's own dialing cannot be ended by
// a context, and given a connection it does not know for which display to look
// up the cookie; so the first thing it writes, the set-up request, is replaced
// by ours.
func handshake(ctx context.Context, raw net.Conn, c cookie) (*xgb.Conn, error) {
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	var conn *xgb.Conn
	err := guarded(func() (err error) {
		conn, err = xgb.NewConnNet(&authorised{Conn: raw, setup: setupRequest(c)})
		return err
	})
	if stopped := stop(); err == nil && !stopped {
		err = ctx.Err()
	}
	if err != nil {
		_ = raw.Close()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("the server does not answer: %w", ctx.Err())
		}
		return nil, err
	}
	return conn, nil
}

// authorised replaces the first write by setup.
type authorised struct {
	net.Conn
	setup []byte
}

func (a *authorised) Write(p []byte) (int, error) {
	if a.setup == nil {
		return a.Conn.Write(p)
	}
	setup := a.setup
	a.setup = nil
	if _, err := a.Conn.Write(setup); err != nil {
		return 0, err
	}
	return len(p), nil
}

// cookie is one authorisation of an Xauthority file.
type cookie struct{ name, data string }

// setupRequest is the X11 connection set-up request, little-endian, protocol
// 11.0, with name and data each padded to four bytes.
func setupRequest(c cookie) []byte {
	b := make([]byte, 12, 12+len(c.name)+len(c.data)+6)
	b[0] = 'l'
	xgb.Put16(b[2:], 11)
	xgb.Put16(b[6:], uint16(len(c.name)))
	xgb.Put16(b[8:], uint16(len(c.data)))
	for _, field := range []string{c.name, c.data} {
		b = append(b, field...)
		b = append(b, make([]byte, (4-len(field)%4)%4)...)
	}
	return b
}

// Xauthority files: each entry is a big-endian family and four counted strings
// (address, display number, name, data).
const (
	familyLocal        = 256
	familyWild         = 65535
	magicCookie        = "MIT-MAGIC-COOKIE-1"
	authorityBytesMax  = 1 << 20
	familyInternet     = 0
	familyInternetSix  = 6
	authorityCookieLen = 16
)

// findCookie returns the first usable entry for the display in the user's
// Xauthority file. Without one the server may still let this user in, so its
// absence is no error.
func findCookie(a address, hostname string) cookie {
	path := os.Getenv("XAUTHORITY")
	if path == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return cookie{}
		}
		path = home + "/.Xauthority"
	}
	f, err := os.Open(path)
	if err != nil {
		return cookie{}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, authorityBytesMax))
	if err != nil {
		return cookie{}
	}
	return pickCookie(data, a, hostname)
}

func pickCookie(file []byte, a address, hostname string) cookie {
	for len(file) > 2 {
		family := int(file[0])<<8 | int(file[1])
		file = file[2:]
		var fields [4]string
		for i := range fields {
			var err error
			if fields[i], file, err = counted(file); err != nil {
				return cookie{}
			}
		}
		if fields[2] != magicCookie || len(fields[3]) != authorityCookieLen {
			continue
		}
		if fields[1] != "" && fields[1] != strconv.Itoa(a.number) {
			continue
		}
		if a.matches(family, fields[0], hostname) {
			return cookie{name: fields[2], data: fields[3]}
		}
	}
	return cookie{}
}

// matches says whether an entry's address is the display's. A display that ssh
// forwards is called localhost and filed under the local host name.
func (a address) matches(family int, addr, hostname string) bool {
	switch family {
	case familyWild:
		return true
	case familyLocal:
		return addr == hostname && (a.host == "" || a.host == "localhost")
	case familyInternet, familyInternetSix:
		ip := net.ParseIP(a.host)
		return ip != nil && ip.Equal(net.IP(addr))
	}
	return false
}

// counted splits off a string with a big-endian 16-bit length.
func counted(b []byte) (string, []byte, error) {
	if len(b) < 2 {
		return "", nil, errors.New("truncated")
	}
	n := int(b[0])<<8 | int(b[1])
	if len(b) < 2+n {
		return "", nil, errors.New("truncated")
	}
	return string(b[2 : 2+n]), b[2+n:], nil
}
