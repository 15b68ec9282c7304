package devtools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"

	"github.com/gorilla/websocket"

	"cuatui/engine/limits"
)

// socketBuffer is the size of the frames a request is cut into and of the reads.
const socketBuffer = 256 << 10

// DialWebSocket connects to a browser's endpoint on this machine. It takes ws
// URLs whose host is a loopback literal or localhost and whose port is given;
// it uses no proxy and no name service. The transport also has LocalAddr and
// RemoteAddr, as net.Conn has, so that the owner of the other end can be proven.
func DialWebSocket(ctx context.Context, rawURL string) (Transport, error) {
	addresses, err := loopbackAddresses(rawURL)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limits.ConnectTimeout)
	defer cancel()
	stop := func() bool { return true } // false: ctx has ended the handshake
	dialer := websocket.Dialer{
		ReadBufferSize:  socketBuffer,
		WriteBufferSize: socketBuffer,
		NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := dialFirst(ctx, addresses)
			if err == nil { // the dialer itself heeds only the deadline from here on
				stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
			}
			return conn, err
		},
	}
	conn, response, err := dialer.DialContext(ctx, rawURL, nil) //nolint:bodyclose // the dialer reads what it hands out and closes the rest itself
	if !stop() {
		if err == nil {
			_ = conn.Close() // what is under it is closed by now
		}
		return nil, fmt.Errorf("connecting to the browser: %w", ctx.Err())
	}
	if err != nil {
		if response != nil {
			return nil, fmt.Errorf("connecting to the browser: it answered %s: %w", response.Status, err)
		}
		return nil, fmt.Errorf("connecting to the browser: %w", withoutAddress(err))
	}
	conn.SetReadLimit(limits.MessageBytesMax)
	return &socket{conn: conn, in: make([]byte, pipeChunk)}, nil
}

// loopbackAddresses gives the addresses to try for a URL, or says why it is not
// one of a browser on this machine.
func loopbackAddresses(rawURL string) ([]string, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, errors.New("the browser endpoint is not a URL")
	}
	port := u.Port()
	if u.Scheme != "ws" || u.User != nil || port == "" {
		return nil, errors.New("the browser endpoint is not a plain ws URL with a port")
	}
	host := u.Hostname()
	if host == "localhost" {
		return []string{net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("::1", port)}, nil
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.Unmap().IsLoopback() {
		return nil, errors.New("the browser endpoint is not on this machine")
	}
	return []string{net.JoinHostPort(host, port)}, nil
}

func dialFirst(ctx context.Context, addresses []string) (net.Conn, error) {
	var errs []error
	for _, address := range addresses {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err == nil {
			return conn, nil
		}
		errs = append(errs, withoutAddress(err))
	}
	return nil, errors.Join(errs...)
}

// withoutAddress takes the endpoint's address out of a network error: error
// texts reach the agent, addresses must not.
func withoutAddress(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

type socket struct {
	conn *websocket.Conn
	in   []byte // short messages are read into it and copied out
	last int    // bytes of the last long message
}

// ReadMessage reads one message, whatever its frames.
func (s *socket) ReadMessage() ([]byte, error) {
	_, r, err := s.conn.NextReader()
	if err != nil {
		return nil, socketReadError(err)
	}
	n, err := io.ReadFull(r, s.in)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return append([]byte{}, s.in[:n]...), nil
	}
	if err != nil {
		return nil, socketReadError(err)
	}
	c := newCollector(s.in, s.last, limits.MessageBytesMax)
	for {
		room, err := c.room(partBytes)
		if err != nil {
			return nil, err
		}
		n, err := r.Read(room)
		c.took(n)
		if errors.Is(err, io.EOF) {
			s.last = c.size
			return c.message()
		}
		if err != nil {
			return nil, socketReadError(err)
		}
	}
}

func socketReadError(err error) error {
	return fmt.Errorf("reading the browser's socket: %w", withoutAddress(err))
}

func (s *socket) WriteMessage(data []byte) error {
	if err := s.conn.WriteMessage(websocket.TextMessage, data); err != nil {
		return fmt.Errorf("writing the browser's socket: %w", withoutAddress(err))
	}
	return nil
}

func (s *socket) Close() error         { return s.conn.Close() }
func (s *socket) LocalAddr() net.Addr  { return s.conn.LocalAddr() }
func (s *socket) RemoteAddr() net.Addr { return s.conn.RemoteAddr() }

// LocalPort is the TCP port of our own end, by which the system can say who is
// at the other one.
func (s *socket) LocalPort() int {
	if a, ok := s.conn.LocalAddr().(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}
