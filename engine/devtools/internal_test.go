package devtools

import (
	"errors"
	"io"
	"strconv"
	"testing"
)

// silent is a browser that says nothing and takes everything.
type silent chan struct{}

func (s silent) ReadMessage() ([]byte, error) { <-s; return nil, io.EOF }
func (s silent) WriteMessage([]byte) error    { return nil }
func (s silent) Close() error                 { close(s); return nil }

// While the lock is held the pump cannot move the backlog, so the channel can be
// emptied under it: what comes then must queue up behind the backlog all the same.
func TestNewEventsDoNotOvertakeTheBacklog(t *testing.T) {
	c := New(make(silent), Options{})
	defer c.Close()
	e := c.Browser().Subscribe("Test.event")
	total, received := 0, 0
	put := func(n int) {
		for range n {
			e.put(queued{Event{Method: "Test.event", Params: strconv.AppendInt(nil, int64(total), 10)}, 1})
			total++
		}
	}
	receive := func(n int) {
		for range n {
			if ev := <-e.C(); string(ev.Params) != strconv.Itoa(received) {
				t.Fatalf("event %s came as number %d", ev.Params, received)
			}
			received++
		}
	}
	c.mu.Lock()
	put(channelEvents + 5)
	receive(10)
	put(3)
	c.mu.Unlock()
	receive(total - received)
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.settle(); c.root.unread > 1 { // the pump may not have counted the last one yet
		t.Errorf("%d bytes still count as unread", c.root.unread)
	}
}

func TestGivenUpRequestsAreForgotten(t *testing.T) {
	c := New(make(silent), Options{})
	defer c.Close()
	if _, err := c.Browser().Send("Test.never", nil).Raw(gone()); err == nil {
		t.Fatal("got an answer")
	}
	r, err := c.Browser().newRequest("Test.late", nil)
	if err != nil {
		t.Fatal(err)
	}
	c.giveUp(r, errors.New("given up")) // before rpcc came to write it
	if err := c.post(r, 1); err == nil || err.Error() != "given up" {
		t.Errorf("posting it: %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) != 0 || len(c.out.queue) != 0 || c.out.bytes != 0 {
		t.Errorf("%d requests are still remembered, %d to write", len(c.pending), len(c.out.queue))
	}
}

type badEnd struct{ silent }

func (b badEnd) Close() error {
	_ = b.silent.Close()
	return io.ErrNoProgress
}

func TestCloseWaitsForEverythingAndSaysHowTheTransportEnded(t *testing.T) {
	c := New(badEnd{make(silent)}, Options{})
	var subscriptions []*Events
	for range 50 {
		subscriptions = append(subscriptions, c.Browser().Subscribe())
	}
	if err := c.Close(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("closing: %v", err)
	}
	for _, e := range subscriptions {
		select {
		case <-e.exited:
		default:
			t.Fatal("a goroutine runs after Close")
		}
	}
}
