package devtools

import (
	"context"
	"errors"
	"testing"
	"time"

	"cuatui/engine/limits"
)

func TestOutboxIsBoundedByWhatIsStillToWrite(t *testing.T) {
	o := newOutbox(100)
	message := func(n int) *outgoing { return &outgoing{data: make([]byte, n)} }
	first, second, third := message(60), message(40), message(1)
	for _, m := range []*outgoing{first, second} {
		if err := o.add(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.add(third); !errors.Is(err, errWriteBacklog) {
		t.Errorf("101 of 100 bytes: %v", err)
	}
	o.withdraw(third) // it was never in
	o.withdraw(first)
	o.withdraw(first)
	if err := o.add(message(60)); err != nil {
		t.Errorf("what was taken back still counts: %v", err)
	}
	if err := o.add(message(1)); err == nil {
		t.Error("taking a message back twice counted twice")
	}
	if m, data := o.next(nil); m != second || len(data) != 40 {
		t.Error("the message taken back was written")
	}
	o.withdraw(second) // its writing has begun
	if err := o.add(message(40)); err != nil {
		t.Errorf("what is being written still counts: %v", err)
	}
	if err := o.add(message(1)); err == nil {
		t.Error("taking back what is being written counted")
	}
	if err := newOutbox(100).add(message(1000)); err != nil {
		t.Errorf("one message over the bound, with nothing before it: %v", err)
	}
}

func TestOutboxEndsWithTheConnection(t *testing.T) {
	done := make(chan struct{})
	close(done)
	if m, _ := newOutbox(1).next(done); m != nil {
		t.Error("got a message from an empty queue")
	}
}

func TestEveryCallHasADeadline(t *testing.T) {
	ctx, cancel := withDeadline(context.Background())
	defer cancel()
	if at, ok := ctx.Deadline(); !ok || time.Until(at) > limits.CallTimeout {
		t.Errorf("deadline %v, %t", at, ok)
	}
	own, cancelOwn := context.WithDeadline(context.Background(), time.Now().Add(time.Hour))
	defer cancelOwn()
	kept, cancelKept := withDeadline(own)
	defer cancelKept()
	if kept != own {
		t.Error("the caller's own deadline was replaced")
	}
}
