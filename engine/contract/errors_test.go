package contract_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"cuatui/engine/contract"
)

// What the system said is passed on, and nothing else of a cause.
func TestACauseOfTheSystemIsSaid(t *testing.T) {
	tests := []struct {
		name string
		err  error
		kind contract.ErrorKind
		says string
	}{
		{"a path", &fs.PathError{Op: "mkdir", Path: "/x", Err: syscall.ENOSPC}, contract.System, "mkdir /x: no space left on device"},
		{"two paths", &os.LinkError{Op: "rename", Old: "/x", New: "/y", Err: syscall.EACCES}, contract.System, "rename /x /y: permission denied"},
		{"in the engine's words", &contract.SystemError{Err: errors.New("state directory /x: it belongs to another user")}, contract.System, "state directory /x: it belongs to another user"},
		{"a path in the engine's words", &contract.SystemError{Err: fmt.Errorf("state directory /x: %w", &fs.PathError{Op: "openat", Path: "a", Err: syscall.EROFS})}, contract.System, "state directory /x: openat a: read-only file system"},
		{"anything else", errors.New("secret"), contract.Internal, "the engine failed; its log has the cause"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := contract.NewCallError(fmt.Errorf("secret: %w", tt.err))
			if err.Kind != tt.kind || err.Message != tt.says || strings.Contains(err.Message, "secret") {
				t.Errorf("%s, want %s: %s", err, tt.kind, tt.says)
			}
		})
	}
}
