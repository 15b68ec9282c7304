package term

import (
	"errors"
	"fmt"
	"io"
)

// DropInput drops what has been typed at a terminal and not been read: of a
// line, too, that is not ended. It fails where in is no terminal.
func DropInput(in io.Reader) error {
	f, ok := in.(interface{ Fd() uintptr })
	if !ok {
		return errors.New("drop what was typed: the input is no terminal")
	}
	if err := drop(f.Fd()); err != nil {
		return fmt.Errorf("drop what was typed: %w", err)
	}
	return nil
}
