// Package prepare starts isolated browsers and takes away everything a start
// made: the process group, the private profile, a private display.
//
// It never touches a personal profile or a running browser. What it starts is
// owned by inheritance: the protocol runs over two descriptors only the child
// has, so there is no port to find and nobody else's endpoint to mistake.
package prepare

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"cuatui/engine/contract"
	"cuatui/platform"
)

// Mode says which private profile a browser gets.
type Mode string

// The modes. A new profile is removed when the browser ends; a named one is kept.
const (
	IsolatedNew   Mode = "isolated_new"
	IsolatedNamed Mode = "isolated_named"
)

// The errors of a launch that a caller can tell apart. They are wrapped.
var (
	// ErrProfileInUse: another browser runs on this named profile.
	ErrProfileInUse = errors.New("the profile is in use by another browser")
	// ErrUntrusted: the executable could have been changed by somebody else.
	ErrUntrusted = errors.New("the executable is not trusted")
	// ErrClosed: CloseAll was called; the launcher starts nothing any more.
	ErrClosed = errors.New("the launcher is closed")
)

// Options configure a Launcher. The zero value is what a person's desktop needs.
type Options struct {
	// System answers for Display. nil: the launcher opens its own.
	System platform.System
	// Executable is an absolute path; "" means the first trusted installed browser.
	Executable string
	// TrustOwn accepts an Executable that belongs to this user and is not
	// writable by anybody else: a browser the user unpacked, or a test's stand-in.
	TrustOwn bool
	// StateDir holds the profiles; "" means $XDG_STATE_HOME/cuatui or ~/.local/state/cuatui.
	StateDir string
	// Display is an X display; "" means $DISPLAY.
	Display string
	// Wayland starts browsers as Wayland programs of the session, or not at
	// all. Otherwise that is done only where no X display answers.
	Wayland bool
}

// Spec is one launch.
type Spec struct {
	Mode Mode
	// Name is the name of the profile: required for IsolatedNamed, forbidden otherwise.
	Name string
	// URL is the first page: http, https or about:blank. "" means about:blank.
	URL string
	// ExposePort makes the browser listen on a loopback port as well.
	ExposePort bool
	// NoSandbox starts the browser without its sandbox. Root always does: the
	// sandbox refuses to run there.
	NoSandbox bool
	// Size is the outer window, width and height in DIP; zero means 1280 by 800.
	Size [2]int
	// ExtraArgs are further flags, for tests. No request can reach them.
	ExtraArgs []string
}

const (
	nameLenMax  = 64
	urlBytesMax = 16 << 10
	sizeMin     = 100
	sizeMax     = 16_384
)

// normalise checks s before anything is looked at and fills in what it leaves out.
func (s Spec) normalise() (Spec, error) {
	switch s.Mode {
	case IsolatedNew:
		if s.Name != "" {
			return s, badArgument("name", "only isolated_named takes a name")
		}
	case IsolatedNamed:
		if !validName(s.Name) {
			return s, badArgument("name", "must be 1-64 of A-Z a-z 0-9 _ -")
		}
	default:
		return s, badArgument("profile", "must be isolated_new or isolated_named")
	}
	if s.URL == "" {
		s.URL = "about:blank"
	}
	if err := checkURL(s.URL); err != nil {
		return s, err
	}
	if s.Size == ([2]int{}) {
		s.Size = [2]int{1280, 800}
	}
	for _, edge := range s.Size {
		if edge < sizeMin || edge > sizeMax {
			return s, badArgument("size", fmt.Sprintf("each edge must be %d-%d DIP", sizeMin, sizeMax))
		}
	}
	return s, nil
}

func badArgument(field, message string) error {
	return &contract.ArgumentError{Field: field, Message: message}
}

func validName(name string) bool {
	if name == "" || len(name) > nameLenMax {
		return false
	}
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// checkURL lets only such a URL onto the command line as can neither be read as
// a flag nor name a page of the browser itself: about: pages other than
// about:blank are rewritten to privileged chrome: pages.
func checkURL(raw string) error {
	if len(raw) > urlBytesMax {
		return badArgument("url", fmt.Sprintf("longer than %d bytes", urlBytesMax))
	}
	u, err := url.Parse(raw)
	if err != nil {
		return badArgument("url", "not a URL")
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return badArgument("url", "has no host")
		}
		if u.User != nil {
			return badArgument("url", "must not carry a user or password: other users can read command lines")
		}
	case "about":
		if u.Opaque != "blank" {
			return badArgument("url", "of the about: pages only about:blank is allowed")
		}
	default:
		return badArgument("url", "must be http, https or about:blank")
	}
	return nil
}

// stateDir returns the directory that holds what outlives a run.
func (o Options) stateDir() (string, error) {
	if o.StateDir != "" {
		dir, err := filepath.Abs(o.StateDir)
		if err != nil {
			return "", fmt.Errorf("state directory: %w", err)
		}
		return dir, nil
	}
	// The base directory specification says a relative value is to be ignored.
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "cuatui"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	return filepath.Join(home, ".local", "state", "cuatui"), nil
}
