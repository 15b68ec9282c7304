package engine

import (
	"errors"
	"io"
	"slices"
	"testing"

	"cuatui/engine/contract"
)

// A connection that ends while its browser lives on is an error, as every call
// on it is; nothing was asked of the browser meanwhile.
func TestALostConnectionIsTold(t *testing.T) {
	b := personalBench(t)
	target, tab := b.bind()
	asked := len(b.asked())
	told := make(chan error, 1)
	go func() {
		told <- b.e.Lost(t.Context(), contract.StateRequest{Session: movingSession, TargetID: target, TabID: tab})
	}()
	b.Lose(io.EOF)
	if err := <-told; !errors.Is(err, contract.ErrConnectionLost) {
		t.Errorf("told %v", err)
	}
	if more := b.asked()[asked:]; slices.ContainsFunc(more, func(m string) bool { return m != "Target.attachToTarget" && m != "Page.enable" }) {
		t.Errorf("it asked %q", more)
	}
}
