package tui

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/tui/tuitest"
)

// A talk is a person at the plain mode, whose clock and timers are the test's.
type talk struct {
	t     *testing.T
	e     *tuitest.Engine
	write *io.PipeWriter
	out   *io.PipeReader
	said  string
	fire  chan struct{}
	ended chan error
	drops int // how often the terminal's input was dropped

	mu  sync.Mutex
	now time.Time
}

func newTalk(t *testing.T, drop error) *talk {
	t.Helper()
	k := &talk{t: t, e: tuitest.New(), fire: make(chan struct{}), ended: make(chan error, 1), now: instant}
	in, write := io.Pipe()
	out, says := io.Pipe()
	k.write, k.out = write, out
	o := Options{Engine: k.e, In: in, Out: says, Plain: true, Person: true, Log: discard}
	m := newModel(t.Context(), o)
	m.now = func() time.Time {
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.now
	}
	m.after = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		return func() tea.Msg { <-k.fire; return msg }
	}
	p := newPlain(m, o)
	p.drop = func() error { k.drops++; return drop }
	go func() {
		k.ended <- p.run(t.Context(), o)
		_ = says.Close()
	}()
	late := time.AfterFunc(time.Minute, func() { _ = out.CloseWithError(errors.New("it never said it")) })
	t.Cleanup(func() { late.Stop(); close(k.fire) })
	return k
}

// types hands the text over as one read.
func (k *talk) types(s string) {
	k.t.Helper()
	if _, err := io.WriteString(k.write, s); err != nil {
		k.t.Fatal(err)
	}
}

// until reads on until s was said, and forgets all that was said up to it.
func (k *talk) until(s string) {
	k.t.Helper()
	buf := make([]byte, 1<<16)
	for !strings.Contains(k.said, s) {
		n, err := k.out.Read(buf)
		if k.said += string(buf[:n]); err != nil {
			k.t.Fatalf("waiting for %q: %v after:\n%s", s, err, k.said)
		}
	}
	_, k.said, _ = strings.Cut(k.said, s)
}

// silence lets the grace period pass, and the timer of it come.
func (k *talk) silence() {
	k.mu.Lock()
	k.now = k.now.Add(grace)
	k.mu.Unlock()
	k.fire <- struct{}{}
}

// end ends the input and returns what the engine was asked.
func (k *talk) end() string {
	k.t.Helper()
	_ = k.write.Close()
	_, _ = io.Copy(io.Discard, k.out)
	if err := <-k.ended; err != nil {
		k.t.Error(err)
	}
	return strings.Join(k.e.Calls(), "\n")
}

func TestLinesTypedAheadDoNotConsent(t *testing.T) {
	k := newTalk(t, nil)
	k.types("6\nopen\nyes\nyes\n")
	k.until("May this window be used?")
	k.until("no line counts yet")
	k.until("is no answer")
	k.until("is no answer")
	k.silence()
	k.until("type yes to agree:")
	if called(k.e, "grant") {
		t.Fatal("a line that was typed before the question was shown agreed")
	}
	k.types("yes\n")
	k.until("agreed: for")
	if calls := k.end(); !strings.Contains(calls, "grant "+bank) || k.drops == 0 {
		t.Errorf("dropped %d times, calls:\n%s", k.drops, calls)
	}
}

func TestALineOfTheGracePeriodStartsItAnew(t *testing.T) {
	k := newTalk(t, nil)
	k.types("6\nopen\n")
	k.until("no line counts yet")
	k.types("yes\n")
	k.until("is no answer")
	k.silence()
	k.until("type yes to agree:")
	k.types("no\n")
	k.until("you said no")
	if calls := k.end(); strings.Contains(calls, "grant") {
		t.Errorf("calls:\n%s", calls)
	}
}

// The beginning of a line that the terminal has handed over cannot be dropped
// any more.
func TestALineThatWasBegunBeforeItWasAskedForIsNoAnswer(t *testing.T) {
	k := newTalk(t, nil)
	k.types("6\nopen\nye")
	k.until("no line counts yet")
	k.silence()
	k.until("type yes to agree:")
	k.types("s\n")
	k.until("is no answer")
	k.silence()
	k.until("type yes to agree:")
	k.types("\n")
	k.until("type yes to agree:")
	k.types("yes\n")
	k.until("agreed: for")
	k.end()
}

func TestAnInputThatCannotBeDroppedGivesNoConsent(t *testing.T) {
	k := newTalk(t, errors.New("it is no terminal"))
	k.types("6\nopen\n")
	k.until("no line counts yet")
	k.silence()
	k.until("the answer is no: it is no terminal")
	k.types("yes\n")
	k.until("no command is called yes")
	if calls := k.end(); strings.Contains(calls, "grant") {
		t.Errorf("calls:\n%s", calls)
	}
}

func TestLinesAreAsOldAsTheirFirstByte(t *testing.T) {
	n := 0
	now := func() time.Time { n++; return instant.Add(time.Duration(n) * time.Second) }
	var got []string
	err := eachLine(io.MultiReader(strings.NewReader("a\nb\r\nc"), strings.NewReader("d\n"), strings.NewReader("\ne")), now, func(l line) bool {
		got = append(got, l.text+" "+l.began.Sub(instant).String())
		return true
	})
	if s := strings.Join(got, ", "); err != nil || s != "a 1s, b 1s, cd 1s,  3s, e 3s" {
		t.Errorf("%s, %v", s, err)
	}
	broken := errors.New("planted")
	if err := eachLine(iotest.ErrReader(broken), now, func(line) bool { return true }); !errors.Is(err, broken) {
		t.Errorf("err = %v", err)
	}
}
