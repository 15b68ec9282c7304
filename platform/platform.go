// Package platform holds what only the operating system can say: processes,
// native windows, sockets, focus. It states facts and takes no decisions; the
// engine decides. This package is the vocabulary; native.Open gives the adapter
// of the running system: Linux with X11 and Wayland, made of proc, x11, sway and wayland. On
// macOS and Windows it compiles and answers ErrUnsupported.
package platform

import (
	"context"
	"errors"
	"net/netip"
	"time"
)

// The errors of a System. They are wrapped with what was asked.
var (
	// ErrUnsupported: this system has no adapter for the question.
	ErrUnsupported = errors.New("not supported on this system")
	// ErrNoDisplay: no window system answers (no DISPLAY, or it is gone).
	ErrNoDisplay = errors.New("no display")
	// ErrNotFound: the process or window does not exist.
	ErrNotFound = errors.New("not found")
	// ErrUnknown: it exists, but the system does not let us see it (a zombie,
	// another user's process). Unknown is not absent.
	ErrUnknown = errors.New("not visible to this user")
)

// WindowID is a native window's id as the window system names it.
type WindowID uint64

// Rect is x, y, width, height. The unit is said where it is used.
type Rect struct{ X, Y, W, H float64 }

// Process is a process at one moment.
type Process struct {
	PID  int
	PPID int
	// Start is the kernel's start time in clock ticks since boot (stat field
	// 22 on Linux). PID and Start together name one process for good.
	Start uint64
	// Executable is the path of the image, "" if not visible.
	Executable string
	Args       []string
	UID        int
}

// Fingerprint names one run of one executable.
type Fingerprint struct {
	PID        int
	Start      uint64
	Executable string
}

// Fingerprint returns p's fingerprint.
func (p Process) Fingerprint() Fingerprint {
	return Fingerprint{PID: p.PID, Start: p.Start, Executable: p.Executable}
}

// OwnerProof says how a window's owning process is known.
type OwnerProof string

// The ways an owner is known, strongest first.
const (
	OwnerXRes       OwnerProof = "xres"       // the X server's own record of the client
	OwnerCompositor OwnerProof = "compositor" // the compositor's own record of the client's connection
	OwnerConnection OwnerProof = "connection" // the kernel's record of who is connected to the compositor
	OwnerClaimed    OwnerProof = "net_wm_pid" // the client's own claim, on this machine
	OwnerUnknown    OwnerProof = "unknown"
)

// WindowSystem is what shows a window. It is a fact of the window, not of the
// session: a Wayland session shows windows of X programs as well.
type WindowSystem string

// The window systems with an adapter.
const (
	X11 WindowSystem = "x11" // an X server, Xwayland included
	// Sway is a Wayland window under a Sway that gives no window the focus
	// because the window asks for it, as Sway does unless it is told otherwise.
	Sway WindowSystem = "sway"
	// SwayActivating is one under a Sway that does, or may do, so
	// (focus_on_window_activation).
	SwayActivating WindowSystem = "sway, focus on activation"
	// Wayland is a compositor that tells nobody about its windows. What is
	// listed as a window of it stands for all windows that one process shows
	// there, which may be none.
	Wayland WindowSystem = "wayland"
)

// WaylandWindow is the id of what stands for a process's windows on Wayland:
// beyond those of X11 and the ones that Sway counts.
func WaylandWindow(pid int) WindowID { return WindowID(pid) | 1<<40 }

// TellsPlace says whether a program is told where on the desktop its windows
// are. A Wayland client is not: what it reports as a window's place is made up,
// and proves nothing.
func (s WindowSystem) TellsPlace() bool { return s != Sway && s != SwayActivating && s != Wayland }

// TellsWindows says whether windows are listed one by one.
func (s WindowSystem) TellsWindows() bool { return s != Wayland }

// Window is a native top-level window at one moment.
type Window struct {
	ID WindowID
	// On is the window system that shows the window.
	On WindowSystem
	// PID is the owning process, 0 if unknown.
	PID   int
	Owner OwnerProof
	// Title is "" for an untitled window; it is listed all the same.
	Title string
	Class string
	// Client is the whole client window as the window system has it, with any
	// invisible shadow the client draws around itself; zero if not known. It is
	// what Chromium under X11 reports as its bounds.
	Client Rect
	// Box is the client area including what the client draws as its own
	// frame, without invisible shadows (_GTK_FRAME_EXTENTS); Frame is the
	// box with the window manager's frame. All three in DIP, origin at the top
	// left of the desktop.
	Box, Frame Rect
	// Scale is device pixels per DIP.
	Scale float64
	// Stack is the window's place from the bottom (0) up; -1 if not known.
	Stack  int
	Active bool
	Hidden bool // minimised or on another desktop
}

// System is what the engine asks of the operating system. All methods are safe
// for concurrent use and honour ctx.
type System interface {
	// Name is the system and window system, for example "linux/x11".
	Name() string
	// Process returns the process with the pid, ErrNotFound or ErrUnknown.
	Process(ctx context.Context, pid int) (Process, error)
	// Processes lists what is visible to this user.
	Processes(ctx context.Context) ([]Process, error)
	// Windows lists native top-level windows bottom to top, untitled ones
	// included. An error is an error, never an empty list.
	Windows(ctx context.Context) ([]Window, error)
	// Listeners returns the loopback TCP addresses on which the process listens.
	Listeners(ctx context.Context, pid int) ([]netip.AddrPort, error)
	// PeerPID returns the process at the other end of an established loopback
	// TCP connection, given our end's local and remote ports.
	PeerPID(ctx context.Context, localPort, remotePort int) (int, error)
	// Check says what works here, what is missing and what is unverified.
	Check(ctx context.Context) []Finding
}

// Partial is a System that may be unable to list some windows of the session.
type Partial interface {
	// Unlisted says which windows Windows leaves out and why, a line each;
	// none where it lists all.
	Unlisted(ctx context.Context) []string
}

// Mapping is a file that a process has mapped into its memory.
type Mapping struct {
	Path string
	Code bool // to run it
}

// Files is a System that knows the files of a process. The errors are those of
// Process.
type Files interface {
	// Mapped returns the files that the process has mapped, each once.
	Mapped(ctx context.Context, pid int) ([]Mapping, error)
	// Beside says which of the files are seen to exist below the folder of
	// the executable, as the process sees it.
	Beside(ctx context.Context, pid int, names ...string) ([]string, error)
}

// Places is a System that knows where a program can be started so that Windows
// lists its windows. The errors say what is missing.
type Places interface {
	// XDisplay returns an X display's name, ":1".
	XDisplay(ctx context.Context) (string, error)
	// WaylandDisplay returns a Wayland display's name, "wayland-1".
	WaylandDisplay(ctx context.Context) (string, error)
}

// FindingState is how a finding of Check stands.
type FindingState string

// The states of a finding.
const (
	Works      FindingState = "works"
	Missing    FindingState = "missing"
	Unverified FindingState = "unverified"
)

// Finding is one line of `cuatui doctor`.
type Finding struct {
	Name  string       `json:"name"`
	State FindingState `json:"state"`
	Note  string       `json:"note,omitempty"`
}

// StartTimeTick is the length of a clock tick of Process.Start on Linux
// (USER_HZ is 100 on every supported architecture).
const StartTimeTick = 10 * time.Millisecond
