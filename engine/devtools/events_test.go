package devtools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/limits"
)

func TestEventsBeforeAReplyAreThereWhenTheCallReturns(t *testing.T) {
	for _, n := range []int{0, 1, 200, 256, 257, 3000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			b, c := connect(t)
			s := attach(t, c, "T")
			b.Handle("Test.load", func(session string, _ json.RawMessage) (any, *devtools.Error) {
				for i := range n {
					b.Emit(session, "Test.event", i)
				}
				return nil, nil
			})
			events := s.Subscribe("Test.event")
			for range 2 {
				if err := s.Call(t.Context(), "Test.load", nil, nil); err != nil {
					t.Fatal(err)
				}
				got := events.Drain()
				if len(got) != n {
					t.Fatalf("%d of %d events when the call returned", len(got), n)
				}
				for i, e := range got {
					if string(e.Params) != fmt.Sprint(i) || i > 0 && e.Seq != got[i-1].Seq+1 {
						t.Fatalf("event %d is %+v", i, e)
					}
				}
			}
			if n == 0 || n > 256 {
				return
			}
			if _, err := s.Send("Test.load", nil).Raw(t.Context()); err != nil {
				t.Fatal(err)
			}
			for range n {
				select {
				case <-events.C():
				default:
					t.Fatal("an event is not in the channel when the call returned")
				}
			}
		})
	}
}

func TestSubscriptionsGetWhatTheyNameInWireOrder(t *testing.T) {
	b, c := connect(t)
	s, other := attach(t, c, "T"), attach(t, c, "U")
	ab, all := s.Subscribe("Test.a", "Test.b"), s.Subscribe()
	rest := other.Subscribe("Test.a")
	wire := []string{"Test.a", "Test.c", "Test.b", "Test.b", "Test.a"}
	for _, m := range wire {
		b.Emit(s.ID(), m, nil)
	}
	alive(t, b, s)
	if got, want := methods(ab.Drain()), []string{"Test.a", "Test.b", "Test.b", "Test.a"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := methods(all.Drain()); !slices.Equal(got, wire) {
		t.Errorf("without names: %v, want %v", got, wire)
	}
	if got := rest.Drain(); len(got) != 0 {
		t.Errorf("another session got %v", methods(got))
	}
	later := s.Subscribe("Test.a")
	alive(t, b, s)
	if got := later.Drain(); len(got) != 0 {
		t.Errorf("a subscription got %v from before it", methods(got))
	}
}

func TestEveryEventComesThroughTheChannelOnceAndInOrder(t *testing.T) {
	b, c := connect(t)
	s := attach(t, c, "T")
	events := s.Subscribe("Test.event")
	const n = 5000
	go func() {
		for i := range n {
			b.Emit(s.ID(), "Test.event", i)
		}
	}()
	for i := 0; i < n; {
		batch := []devtools.Event{<-events.C()}
		if i%7 == 0 { // taking both ways must not change the order
			batch = append(batch, events.Drain()...)
		}
		for _, e := range batch {
			if string(e.Params) != fmt.Sprint(i) {
				t.Fatalf("event %d is %s", i, e.Params)
			}
			i++
		}
	}
}

func TestPageTextCannotPretendToBeAMessage(t *testing.T) {
	b, c := connect(t)
	victim, s := attach(t, c, "T"), attach(t, c, "U")
	stolen := victim.Subscribe()
	for _, pad := range []int{0, 100 << 10} {
		text := fmt.Sprintf(`%s","sessionId":"%s"}`, strings.Repeat("x", pad), victim.ID())
		b.Result("Test.text", map[string]any{"z": map[string]any{"sessionId": victim.ID()}, "zz": text})
		var reply struct{ ZZ string }
		if err := s.Call(t.Context(), "Test.text", nil, &reply); err != nil || reply.ZZ != text {
			t.Errorf("text of %d bytes came as %d, %v", len(text), len(reply.ZZ), err)
		}
		own := s.Subscribe("Test.event")
		b.Emit(s.ID(), "Test.event", map[string]any{"a": text, "sessionId": victim.ID()})
		alive(t, b, s)
		if got := own.Drain(); len(got) != 1 {
			t.Errorf("the session's own event came %d times", len(got))
		}
	}
	if got := stolen.Drain(); len(got) != 0 {
		t.Errorf("another session got %v", methods(got))
	}
}

func TestASessionThatDoesNotReadLosesItsSubscriptionsOnly(t *testing.T) {
	b, c := connect(t)
	const size = 1 << 17
	slow, other := attach(t, c, "T"), attach(t, c, "U")
	flooded, alsoSlow := slow.Subscribe("Test.flood"), slow.Subscribe("Test.event")
	fine := other.Subscribe("Test.event")
	message := fmt.Appendf(nil, `{"method":"Test.flood","params":{"pad":"%s"},"sessionId":"%s"}`,
		strings.Repeat("x", size), slow.ID())

	// Three times the bound, but read: nothing is lost.
	const fits = limits.SessionQueueBytesMax/size - 2
	for range 3 {
		for range fits {
			b.EmitRaw(message)
		}
		alive(t, b, slow)
		if got := len(flooded.Drain()); got != fits {
			t.Fatalf("%d of %d events, %v", got, fits, flooded.Err())
		}
	}
	for range fits {
		b.EmitRaw(message)
		<-flooded.C()
	}

	b.Emit(other.ID(), "Test.event", nil)
	for range fits + 4 {
		b.EmitRaw(message)
	}
	b.Emit(other.ID(), "Test.event", nil)
	alive(t, b, other)
	for _, e := range []*devtools.Events{flooded, alsoSlow} {
		for range e.C() { // what the channel held
		}
		if !errors.Is(e.Err(), devtools.ErrOverflow) {
			t.Errorf("the slow session's subscription ended with %v", e.Err())
		}
	}
	if got := fine.Drain(); len(got) != 2 || fine.Err() != nil {
		t.Errorf("the other session got %d of 2 events, %v", len(got), fine.Err())
	}
	alive(t, b, slow)
	again := slow.Subscribe("Test.event")
	b.Emit(slow.ID(), "Test.event", nil)
	alive(t, b, slow)
	if got := again.Drain(); len(got) != 1 {
		t.Errorf("a new subscription got %d of 1 events, %v", len(got), again.Err())
	}
}

func TestUnreadEventsCountOverAllSubscriptionsOfASession(t *testing.T) {
	b, c := connect(t)
	s := attach(t, c, "T")
	var subs []*devtools.Events
	for range 4 {
		subs = append(subs, s.Subscribe("Test.event"))
	}
	pad := strings.Repeat("x", 1<<20)
	for range limits.SessionQueueBytesMax>>20/4 + 1 {
		b.Emit(s.ID(), "Test.event", pad)
	}
	alive(t, b, s)
	for _, e := range subs {
		if !errors.Is(e.Err(), devtools.ErrOverflow) {
			t.Errorf("got %v", e.Err())
		}
	}
}

func TestWhatOneSubscriptionHasReadMakesRoomForAnother(t *testing.T) {
	b, c := connect(t)
	s := attach(t, c, "T")
	first, second := s.Subscribe("Test.a"), s.Subscribe("Test.b")
	pad := strings.Repeat("x", limits.SessionQueueBytesMax/4)
	for range 3 {
		b.Emit(s.ID(), "Test.a", pad)
		<-first.C()
	}
	for range 3 {
		b.Emit(s.ID(), "Test.b", pad)
	}
	alive(t, b, s)
	if got := len(second.Drain()); got != 3 || second.Err() != nil {
		t.Errorf("%d of 3 events, %v", got, second.Err())
	}
}

func TestClosedSubscriptionEndsQuietly(t *testing.T) {
	b, c := connect(t)
	s := attach(t, c, "T")
	closed, open := s.Subscribe("Test.event"), s.Subscribe("Test.event")
	b.Emit(s.ID(), "Test.event", 1)
	alive(t, b, s)
	closed.Close()
	closed.Close()
	b.Emit(s.ID(), "Test.event", 2)
	alive(t, b, s)
	if got := closed.Drain(); len(got) != 1 || closed.Err() != nil {
		t.Errorf("got %d events, %v; want the one from before", len(got), closed.Err())
	}
	if _, more := <-closed.C(); more {
		t.Error("the channel of a closed subscription is open")
	}
	if got := open.Drain(); len(got) != 2 {
		t.Errorf("the other subscription got %d of 2 events", len(got))
	}
}

func TestEventsOfAnAnnouncedSessionWaitForItsSubscriptions(t *testing.T) {
	b, c := connect(t)
	announced := c.Browser().Subscribe("Target.attachedToTarget")
	b.Announce("", "CHILD", "T")
	b.Emit("CHILD", "Test.a", 1)
	b.Emit("CHILD", "Test.b", 2)
	b.Emit("CHILD", "Test.c", 2)
	<-announced.C()
	alive(t, b, c.Browser())
	child := c.Adopt("CHILD")
	if again := c.Adopt("CHILD"); again != child {
		t.Error("adopting twice made two sessions")
	}
	b.Emit("CHILD", "Test.a", 3)
	alive(t, b, c.Browser())

	a := child.Subscribe("Test.a")
	if got := a.Drain(); len(got) != 2 || string(got[0].Params) != "1" || string(got[1].Params) != "3" {
		t.Errorf("got %v", got)
	}
	if got := child.Subscribe("Test.a").Drain(); len(got) != 0 {
		t.Errorf("a second subscription got the same events again: %v", got)
	}
	if got := child.Subscribe("Test.b").Drain(); len(got) != 1 {
		t.Errorf("another subscription got %v", got)
	}
	alive(t, b, child)
	if got := child.Subscribe("Test.c").Drain(); len(got) != 0 {
		t.Errorf("after the first call a subscription still got %v", got)
	}
}

func TestEventsNobodyHasClaimedAreBounded(t *testing.T) {
	b, c := connect(t)
	const spare = 1 << 20
	b.Announce("", "LOUD", "T")
	b.Announce("", "QUIET", "U")
	b.Emit("QUIET", "Test.event", nil)
	b.Emit("LOUD", "Test.event", strings.Repeat("x", limits.UnclaimedBytesMax-spare))
	b.Emit("LOUD", "Test.event", strings.Repeat("x", 2*spare))
	b.Emit("QUIET", "Test.event", strings.Repeat("x", 2*spare))
	alive(t, b, c.Browser())

	lost := c.Adopt("LOUD").Subscribe("Test.event")
	if _, more := <-lost.C(); more || !errors.Is(lost.Err(), devtools.ErrOverflow) {
		t.Errorf("a subscription that would miss events: %v", lost.Err())
	}
	if got := lost.Drain(); len(got) != 0 {
		t.Errorf("it delivers %d", len(got))
	}
	alive(t, b, c.Adopt("LOUD"))
	if now := c.Adopt("LOUD").Subscribe("Test.event"); now.Err() != nil {
		t.Errorf("after its first call the session cannot be subscribed: %v", now.Err())
	}
	if got := c.Adopt("QUIET").Subscribe("Test.event").Drain(); len(got) != 2 {
		t.Errorf("the session that was in its bounds kept %d of 2 events", len(got))
	}
}

func TestUnclaimedMemoryIsGivenBack(t *testing.T) {
	b, c := connect(t)
	pad := strings.Repeat("x", limits.UnclaimedBytesMax-1000)
	for i := range 4 {
		id := fmt.Sprintf("CHILD%d", i)
		b.Announce("", id, "T")
		b.Emit(id, "Test.event", pad)
		alive(t, b, c.Browser())
		child := c.Adopt(id)
		switch i {
		case 0: // detached unclaimed elsewhere
			b.Gone("", id)
			alive(t, b, c.Browser())
			continue
		case 1: // the first call ends the waiting
			alive(t, b, child)
			continue
		case 2: // a subscription takes it over
			if got := len(child.Subscribe("Test.event").Drain()); got != 1 {
				t.Errorf("child %d kept %d of 1 events", i, got)
			}
			continue
		}
		if got := len(child.Subscribe("Test.event").Drain()); got != 1 {
			t.Errorf("the room of earlier sessions is not free again: %d of 1 events", got)
		}
	}
}
