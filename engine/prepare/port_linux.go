package prepare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cuatui/engine/limits"
	"cuatui/engine/refusal"
)

const (
	portFile     = "DevToolsActivePort"
	portBytesMax = 256
)

// provePort waits until the browser has written down the port it listens on
// and proves that the listener is the browser we started. Our own connection
// stays on the pipe; the port is for other tools.
func (b *Browser) provePort(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, limits.ConnectTimeout)
	defer cancel()
	var port int
	err := poll(ctx, func() (bool, error) {
		if b.child.ended() {
			return false, errEnded
		}
		var err error
		port, err = readPort(b.profile.dir)
		return port != 0, err
	})
	if err != nil {
		return fmt.Errorf("reading its port: %w", err)
	}
	at, err := b.display.system.Listeners(ctx, b.child.self.PID)
	if err != nil {
		return fmt.Errorf("proving its port: %w", err)
	}
	var proof refusal.Proof
	if !slices.ContainsFunc(at, func(a netip.AddrPort) bool { return int(a.Port()) == port }) {
		proof.Fail("endpoint_owner", "the browser listens on the port it names", "it does not")
		return refusal.New(refusal.OtherProcess, "The port the browser names is not its own.").WithProof(proof.Steps())
	}
	b.effects.PortExposed = port
	return nil
}

// readPort reads the port file of a fresh profile; 0 means not there yet.
func readPort(dir *os.Root) (int, error) {
	f, err := openRegular(dir, portFile, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, portBytesMax+1))
	if err != nil {
		return 0, err
	}
	return parsePort(string(data))
}

var browserPath = regexp.MustCompile(`^/devtools/browser/[0-9a-fA-F-]{1,64}$`)

// parsePort reads the two lines of a port file: the port and the path of the
// browser's endpoint. A file without both is still being written.
func parsePort(text string) (int, error) {
	if len(text) > portBytesMax {
		return 0, errors.New("the port file is too long")
	}
	first, second, both := strings.Cut(text, "\n")
	if !both || second == "" {
		return 0, nil
	}
	port, err := strconv.ParseUint(first, 10, 16)
	if err != nil || port == 0 {
		return 0, errors.New("the port file names no port")
	}
	if !browserPath.MatchString(strings.TrimSuffix(second, "\n")) {
		return 0, errors.New("the port file names no browser endpoint")
	}
	return int(port), nil
}
