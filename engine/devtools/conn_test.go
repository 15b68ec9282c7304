package devtools_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
)

func TestLossEndsEverythingPending(t *testing.T) {
	ends := map[string]func(*enginetest.Browser, *devtools.Conn){
		"lost":   func(b *enginetest.Browser, _ *devtools.Conn) { b.Lose(io.ErrUnexpectedEOF) },
		"closed": func(_ *enginetest.Browser, c *devtools.Conn) { _ = c.Close() },
		"lost while a write is blocked": func(b *enginetest.Browser, c *devtools.Conn) {
			b.BlockWrites()
			c.Browser().Send("Test.stuck", nil)
			b.Lose(io.ErrUnexpectedEOF)
		},
		"closed while a write is blocked": func(b *enginetest.Browser, c *devtools.Conn) {
			b.BlockWrites()
			c.Browser().Send("Test.stuck", nil)
			_ = c.Close()
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			b, c := connect(t)
			taken := b.Take("Test.never")
			s := attach(t, c, "T")
			called := make(chan error)
			for _, s := range []*devtools.Session{s, c.Browser()} {
				go func() { called <- s.Call(t.Context(), "Test.never", nil, nil) }()
				<-taken
			}
			sent := s.Send("Test.never", nil)
			events := s.Subscribe("Test.event")
			if c.Err() != nil {
				t.Errorf("while it lives: %v", c.Err())
			}
			end(b, c)
			<-c.Done()
			for range 2 {
				if err := <-called; !errors.Is(err, devtools.ErrClosed) {
					t.Errorf("a pending Call ended with %v", err)
				}
			}
			_, sentErr := sent.Raw(t.Context())
			_, attachErr := c.Attach(t.Context(), "T")
			for range events.C() {
			}
			adopted := c.Adopt("LATE")
			errs := map[string]error{
				"Err": c.Err(), "a pending Send": sentErr, "a subscription": events.Err(), "a later Attach": attachErr,
				"a later Call":                s.Call(t.Context(), "Test.x", nil, nil),
				"a later subscription":        s.Subscribe().Err(),
				"a Call of a session to come": adopted.Call(t.Context(), "Test.x", nil, nil),
			}
			for what, err := range errs {
				if !errors.Is(err, devtools.ErrClosed) {
					t.Errorf("%s: %v", what, err)
				}
				if lost := strings.HasPrefix(name, "lost"); lost != errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%s does not say why: %v", what, err)
				}
			}
		})
	}
}

func TestMessageThatIsNoObjectEndsTheConnection(t *testing.T) {
	for _, message := range []string{"", "hello", "[]", "null", `{"id":1`, `{"id":1}}`, "\x00", "\xff\xfe"} {
		b, c := connect(t)
		sent := c.Browser().Send("Target.never", nil)
		b.Take("Test.never")
		p := c.Browser().Send("Test.never", nil)
		b.EmitRaw([]byte(message))
		_, err := p.Raw(t.Context())
		if !errors.Is(err, devtools.ErrClosed) || !strings.Contains(err.Error(), "not a JSON object") {
			t.Errorf("%q: %v", message, err)
		}
		if _, err := sent.Raw(t.Context()); err == nil {
			t.Error("an unknown method has a result")
		}
	}
}

func TestWriteErrorEndsTheConnection(t *testing.T) {
	b := enginetest.New()
	c := devtools.New(brokenWrites{b}, devtools.Options{})
	defer c.Close()
	if err := c.Browser().Call(t.Context(), "Test.x", nil, nil); !errors.Is(err, io.ErrShortWrite) || !errors.Is(err, devtools.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Browser().Send("Test.x", nil).Raw(t.Context()); !errors.Is(err, devtools.ErrClosed) {
		t.Errorf("later: %v", err)
	}
}

type brokenWrites struct{ *enginetest.Browser }

func (brokenWrites) WriteMessage([]byte) error { return io.ErrShortWrite }

func TestCloseFromManyGoroutinesWhileInUse(t *testing.T) {
	b, c := connect(t)
	echo(b)
	s := attach(t, c, "T")
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range 20 {
		wg.Go(func() {
			<-start
			switch i % 4 {
			case 0:
				_ = c.Close()
			case 1:
				for s.Call(t.Context(), "Test.echo", 1, nil) == nil {
					runtime.Gosched()
				}
			case 2:
				for range s.Subscribe("Test.event").C() {
				}
			case 3:
				b.Emit("NEW", "Test.event", i)
				_ = c.Adopt("NEW").Subscribe().Drain()
			}
		})
	}
	close(start)
	wg.Wait()
}

func TestTapSeesEveryMessageInOrder(t *testing.T) {
	b := enginetest.New()
	echo(b)
	var mu sync.Mutex
	var tape []string
	c := devtools.New(b, devtools.Options{Tap: func(m devtools.Message) {
		mu.Lock()
		defer mu.Unlock()
		if m.Seq != uint64(len(tape)+1) {
			t.Errorf("message %d has number %d", len(tape)+1, m.Seq)
		}
		tape = append(tape, fmt.Sprintf("%t %s", m.Sent, m.Data))
	}})
	events := c.Browser().Subscribe("Test.event")
	b.Emit("", "Test.event", 1)
	e := <-events.C()
	if err := c.Browser().Call(t.Context(), "Test.echo", 5, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`false {"method":"Test.event","params":1}`,
		`true {"id":1,"method":"Test.echo","params":5}`,
		`false {"id":1,"result":5}`,
	}
	if strings.Join(tape, "\n") != strings.Join(want, "\n") || e.Seq != 1 {
		t.Errorf("event %d, tape:\n%s", e.Seq, strings.Join(tape, "\n"))
	}
}

// TestCutAtEveryByte loses the connection after every byte of what the browser
// sends in a small exchange. Each step then either has its whole answer or fails
// with ErrClosed, and nothing is left running.
func TestCutAtEveryByte(t *testing.T) {
	exchange := func(cut int) (steps int, errs []error) {
		b := enginetest.New()
		echo(b)
		c := devtools.New(devtools.NewPipe(b.Pipe(cut)), devtools.Options{})
		defer func() {
			if err := c.Close(); err != nil {
				t.Errorf("cut after %d bytes: closing: %v", cut, err)
			}
		}()
		root := c.Browser().Subscribe()
		s, err := c.Attach(t.Context(), "T")
		if err != nil {
			return 0, append(errs, err)
		}
		if got := methods(root.Drain()); len(got) != 1 || got[0] != "Target.attachedToTarget" {
			t.Errorf("cut after %d bytes: attached with the events %v", cut, got)
		}
		var called string
		if err := s.Call(t.Context(), "Test.echo", "abc", &called); err != nil {
			return 1, append(errs, err)
		}
		raw, err := s.Send("Test.echo", []string{"def"}).Raw(t.Context())
		if err != nil {
			return 2, append(errs, err)
		}
		if called != "abc" || string(raw) != `["def"]` {
			t.Errorf("cut after %d bytes: got %q and %s", cut, called, raw)
		}
		return 3, nil
	}
	reached, previous := map[int]bool{}, 0
	for cut := 0; !reached[3]; cut++ {
		if cut > 10_000 {
			t.Fatal("the exchange never ends")
		}
		steps, errs := exchange(cut)
		for _, err := range errs {
			if !errors.Is(err, devtools.ErrClosed) {
				t.Errorf("cut after %d bytes: %v", cut, err)
			}
		}
		if steps < previous {
			t.Errorf("cut after %d bytes: %d steps, one byte less gave %d", cut, steps, previous)
		}
		reached[steps], previous = true, steps
	}
	if len(reached) != 4 {
		t.Errorf("the cuts ended the exchange after %v steps", reached)
	}
}

// TestHugeReplyGoesByInBytes sends a reply of 100 MB and a small one behind it.
func TestHugeReplyGoesByInBytes(t *testing.T) {
	const size = 100 << 20
	fromBrowser, browserWrites := io.Pipe()
	browserReads, toBrowser := io.Pipe()
	c := devtools.New(devtools.NewPipe(fromBrowser, toBrowser), devtools.Options{})
	s := c.Adopt("S")
	served := make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, browserReads)
	}()
	huge := s.Send("Test.huge", nil)
	small := s.Send("Test.small", nil)
	go func() {
		served <- func() error {
			if _, err := io.WriteString(browserWrites, `{"id":1,"result":{"sessionId":"X","pad":"`); err != nil {
				return err
			}
			pad := []byte(strings.Repeat("x", 1<<20))
			for range size >> 20 {
				if _, err := browserWrites.Write(pad); err != nil {
					return err
				}
			}
			_, err := io.WriteString(browserWrites, "\"},\"sessionId\":\"S\"}\x00"+`{"id":2,"result":{"v":2},"sessionId":"S"}`+"\x00")
			return err
		}()
	}()
	var reply struct{ V int }
	if err := small.Decode(context.Background(), &reply); err != nil || reply.V != 2 {
		t.Errorf("the small call behind it: %+v, %v", reply, err)
	}
	raw, err := huge.Raw(t.Context())
	if want := size + len(`{"sessionId":"X","pad":""}`); err != nil || len(raw) != want ||
		!strings.HasPrefix(string(raw[:30]), `{"sessionId":"X","pad":"xx`) || string(raw[len(raw)-3:]) != `x"}` {
		t.Errorf("%d bytes, want %d, %v", len(raw), want, err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
