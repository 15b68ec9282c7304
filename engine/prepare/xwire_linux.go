package prepare

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// xserver speaks the few X requests that open a fresh private server to this
// user and to nobody else. X libraries read the authority from files named by
// this process's environment; a private server is to leave both alone.
type xserver struct {
	conn net.Conn
	root uint32
}

// The requests used, by their numbers in the X protocol.
const (
	xInternAtom  = 16
	xGetProperty = 20
	xChangeHosts = 109

	xFamilyServerInterpreted = 5
	xReplyBytesMax           = 64 << 10
)

var xOrder = binary.LittleEndian

// dialX connects to a local display with a cookie. The socket lies in a
// directory everybody may write to, so the server at its other end must be pid.
func dialX(ctx context.Context, display int, cookie []byte, pid int) (*xserver, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", fmt.Sprintf("/tmp/.X11-unix/X%d", display))
	if err != nil {
		return nil, fmt.Errorf("private display: %w", err)
	}
	x := &xserver{conn: conn}
	if err := x.open(ctx, cookie, pid); err != nil {
		conn.Close()
		return nil, fmt.Errorf("private display: %w", err)
	}
	return x, nil
}

func (x *xserver) open(ctx context.Context, cookie []byte, pid int) error {
	if deadline, ok := ctx.Deadline(); ok {
		if err := x.conn.SetDeadline(deadline); err != nil {
			return err
		}
	}
	peer, err := peerOf(x.conn)
	if err != nil {
		return err
	}
	if peer != pid {
		return fmt.Errorf("its socket belongs to process %d, not to the server just started", peer)
	}
	return x.setup(cookie)
}

func peerOf(conn net.Conn) (int, error) {
	sock, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, errors.New("not a local socket")
	}
	raw, err := sock.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if credErr != nil {
		return 0, credErr
	}
	return int(cred.Pid), nil
}

func padded(s string) []byte { return append([]byte(s), make([]byte, -len(s)&3)...) }

func (x *xserver) setup(cookie []byte) error {
	const name = "MIT-MAGIC-COOKIE-1"
	b := []byte{'l', 0}
	b = xOrder.AppendUint16(b, 11) // protocol 11.0
	b = xOrder.AppendUint16(b, 0)
	b = xOrder.AppendUint16(b, uint16(len(name)))
	b = xOrder.AppendUint16(b, uint16(len(cookie)))
	b = append(b, 0, 0)
	b = append(b, padded(name)...)
	b = append(b, padded(string(cookie))...)
	if _, err := x.conn.Write(b); err != nil {
		return err
	}
	var head [8]byte
	if _, err := io.ReadFull(x.conn, head[:]); err != nil {
		return err
	}
	body := make([]byte, int(xOrder.Uint16(head[6:]))*4)
	if _, err := io.ReadFull(x.conn, body); err != nil {
		return err
	}
	if head[0] != 1 {
		return errors.New("the server refused the connection")
	}
	// Fixed part, vendor, pixmap formats of 8 bytes each, then the first screen.
	const fixed = 32
	if len(body) < fixed {
		return errors.New("short answer to the connection")
	}
	vendor, formats := int(xOrder.Uint16(body[16:])), int(body[21])
	screen := fixed + vendor + -vendor&3 + 8*formats
	if len(body) < screen+4 {
		return errors.New("short answer to the connection")
	}
	x.root = xOrder.Uint32(body[screen:])
	return nil
}

// send writes one request; data is its second byte, body whole words.
func (x *xserver) send(opcode, data byte, body []byte) error {
	b := []byte{opcode, data}
	b = xOrder.AppendUint16(b, uint16(1+len(body)/4))
	_, err := x.conn.Write(append(b, body...))
	return err
}

// reply reads up to the next reply; events are passed over, an error is one.
func (x *xserver) reply() ([32]byte, error) {
	const isError, isReply = 0, 1
	for {
		var head [32]byte
		if _, err := io.ReadFull(x.conn, head[:]); err != nil {
			return head, err
		}
		switch head[0] {
		case isError:
			return head, fmt.Errorf("error %d of the server for request %d", head[1], head[10])
		case isReply:
			rest := int64(xOrder.Uint32(head[4:])) * 4
			if rest > xReplyBytesMax {
				return head, errors.New("answer too long")
			}
			_, err := io.CopyN(io.Discard, x.conn, rest)
			return head, err
		}
	}
}

// admitUser lets every process of this user connect without a cookie.
func (x *xserver) admitUser() error {
	const insert = 0
	who := fmt.Sprintf("localuser\x00#%d", os.Geteuid())
	body := []byte{xFamilyServerInterpreted, 0}
	body = xOrder.AppendUint16(body, uint16(len(who)))
	if err := x.send(xChangeHosts, insert, append(body, padded(who)...)); err != nil {
		return err
	}
	// The request has no reply of its own: the next one's shows it was accepted.
	_, err := x.atom("_NET_SUPPORTING_WM_CHECK")
	return err
}

func (x *xserver) atom(name string) (uint32, error) {
	body := xOrder.AppendUint16(nil, uint16(len(name)))
	body = append(body, 0, 0)
	if err := x.send(xInternAtom, 0, append(body, padded(name)...)); err != nil {
		return 0, err
	}
	reply, err := x.reply()
	return xOrder.Uint32(reply[8:]), err
}

// managed reports whether a window manager has announced itself on the root window.
func (x *xserver) managed() (bool, error) {
	property, err := x.atom("_NET_SUPPORTING_WM_CHECK")
	if err != nil {
		return false, err
	}
	var body []byte
	for _, word := range []uint32{x.root, property, 0, 0, 1} { // any type, the first word
		body = xOrder.AppendUint32(body, word)
	}
	if err := x.send(xGetProperty, 0, body); err != nil {
		return false, err
	}
	reply, err := x.reply()
	return xOrder.Uint32(reply[8:]) != 0, err // type 0: there is no such property
}

func (x *xserver) close() error {
	_ = x.conn.SetDeadline(time.Time{})
	return x.conn.Close()
}

// authority returns the contents of an authority file that makes cookie the
// only key of a server: family "wild", any address, any display.
func authority(cookie []byte) []byte {
	const wild = 0xffff
	field := func(b, data []byte) []byte {
		return append(binary.BigEndian.AppendUint16(b, uint16(len(data))), data...)
	}
	b := binary.BigEndian.AppendUint16(nil, wild)
	b = field(b, nil)
	b = field(b, nil)
	b = field(b, []byte("MIT-MAGIC-COOKIE-1"))
	return field(b, cookie)
}
