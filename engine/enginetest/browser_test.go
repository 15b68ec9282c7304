package enginetest_test

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, w devtools.Transport, message string) {
	t.Helper()
	if err := w.WriteMessage([]byte(message)); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, r devtools.Transport, want ...string) {
	t.Helper()
	for _, w := range want {
		got, err := r.ReadMessage()
		if err != nil || string(got) != w {
			t.Errorf("read %s, %v\nwant %s", got, err, w)
		}
	}
}

func TestTheWireIsChromiums(t *testing.T) {
	b := enginetest.New()
	b.Handle("Page.enable", func(session string, params json.RawMessage) (any, *devtools.Error) {
		b.Emit(session, "Page.loaded", map[string]any{"n": 1})
		b.Emit("", "Target.changed", nil)
		return params, nil
	})
	b.Fail("Page.crash", -32000, "Crashed")
	b.Result("Page.none", nil)
	write(t, b, `{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T","flatten":true}}`)
	expect(t, b,
		`{"method":"Target.attachedToTarget","params":{"sessionId":"SESSION1","targetInfo":{"attached":true,"targetId":"T","title":"","type":"page","url":""},"waitingForDebugger":false}}`,
		`{"id":1,"result":{"sessionId":"SESSION1"}}`)
	write(t, b, `{"id":2,"method":"Page.enable","params":{"a":1},"sessionId":"SESSION1"}`)
	expect(t, b,
		`{"method":"Page.loaded","params":{"n":1},"sessionId":"SESSION1"}`,
		`{"method":"Target.changed","params":{}}`,
		`{"id":2,"result":{"a":1},"sessionId":"SESSION1"}`)
	write(t, b, `{"id":3,"method":"Page.crash","sessionId":"SESSION1"}`)
	write(t, b, `{"id":4,"method":"Page.other","sessionId":"SESSION1"}`)
	write(t, b, `{"id":5,"method":"Page.none","sessionId":"NONE"}`)
	write(t, b, `{"id":6,"method":"Page.none"}`)
	expect(t, b,
		`{"id":3,"error":{"code":-32000,"message":"Crashed"},"sessionId":"SESSION1"}`,
		`{"id":4,"error":{"code":-32601,"message":"'Page.other' wasn't found"},"sessionId":"SESSION1"}`,
		`{"id":5,"error":{"code":-32001,"message":"Session with given id not found."}}`,
		`{"id":6,"result":{}}`)
	write(t, b, `{"id":7,"method":"Target.detachFromTarget","params":{"sessionId":"SESSION1"}}`)
	write(t, b, `{"id":8,"method":"Target.detachFromTarget","params":{"sessionId":"SESSION1"}}`)
	expect(t, b,
		`{"method":"Target.detachedFromTarget","params":{"sessionId":"SESSION1","targetId":"T"}}`,
		`{"id":7,"result":{}}`,
		`{"id":8,"error":{"code":-32602,"message":"No session with given id"}}`)
	var names []string
	for _, r := range b.Log() {
		names = append(names, r.Method)
	}
	if want := []string{"Target.attachToTarget", "Page.enable", "Page.crash", "Page.other", "Page.none", "Page.none", "Target.detachFromTarget", "Target.detachFromTarget"}; !slices.Equal(names, want) {
		t.Errorf("the log is %v", names)
	}
	if got := b.Calls("Page.none"); len(got) != 2 || got[0].Session != "NONE" || got[1].ID != 6 {
		t.Errorf("the calls of one method are %+v", got)
	}
}

func TestTakenRequestsAreAnsweredByTheTest(t *testing.T) {
	b := enginetest.New()
	taken := b.Take("Page.slow")
	b.Result("Page.quick", 1)
	write(t, b, `{"id":1,"method":"Page.slow"}`)
	write(t, b, `{"id":2,"method":"Page.slow"}`)
	write(t, b, `{"id":3,"method":"Page.quick"}`)
	first, second := <-taken, <-taken
	second.Fail(-1, "no")
	first.Reply("late")
	expect(t, b, `{"id":3,"result":1}`, `{"id":2,"error":{"code":-1,"message":"no"}}`, `{"id":1,"result":"late"}`)
}

func TestLossComesAfterWhatWasSent(t *testing.T) {
	b := enginetest.New()
	b.Emit("", "Page.last", nil)
	b.Lose(io.ErrUnexpectedEOF)
	expect(t, b, `{"method":"Page.last","params":{}}`)
	if _, err := b.ReadMessage(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("reading: %v", err)
	}
	if err := b.WriteMessage([]byte(`{"id":1,"method":"Page.x"}`)); !errors.Is(err, io.ErrUnexpectedEOF) || len(b.Log()) != 0 {
		t.Errorf("writing: %v", err)
	}
}

func TestPipeIsCutAtTheByte(t *testing.T) {
	const whole = `{"method":"Page.a","params":{}}` + "\x00" + `{"method":"Page.b","params":{}}` + "\x00"
	for cut := range len(whole) {
		b := enginetest.New()
		b.Emit("", "Page.a", nil)
		b.Emit("", "Page.b", nil)
		r, w := b.Pipe(cut)
		got, err := io.ReadAll(r)
		if err != nil || string(got) != whole[:cut] {
			t.Errorf("cut at %d: %q, %v", cut, got, err)
		}
		if _, err := w.Write([]byte("{\"id\":1}\x00")); err == nil {
			t.Errorf("cut at %d: still takes requests", cut)
		}
	}
}

func TestPipeTakesRequestsInAnyPieces(t *testing.T) {
	b := enginetest.New()
	_, w := b.Pipe(-1)
	for _, piece := range []string{`{"id":1,"met`, `hod":"Page.a"}` + "\x00" + `{"id":2,"method":"Page.b"}` + "\x00{", `"id":3,"method":"Page.c"}`, "\x00"} {
		if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Errorf("wrote %d of %d bytes, %v", n, len(piece), err)
		}
	}
	if got := b.Log(); len(got) != 3 || got[2].Method != "Page.c" {
		t.Errorf("received %+v", got)
	}
	if _, err := w.Write([]byte("nonsense\x00")); err == nil {
		t.Error("takes what is no request")
	}
}

func TestBlockedWritesWaitForTheirRelease(t *testing.T) {
	b := enginetest.New()
	release := b.BlockWrites()
	ended := make(chan error)
	go func() { ended <- b.WriteMessage([]byte(`{"id":1,"method":"Page.a"}`)) }()
	b.Emit("", "Page.event", nil)
	expect(t, b, `{"method":"Page.event","params":{}}`)
	if len(b.Log()) != 0 {
		t.Error("the request was read")
	}
	release()
	if err := <-ended; err != nil || len(b.Log()) != 1 {
		t.Errorf("after release: %v, %d requests", err, len(b.Log()))
	}
	b.BlockWrites()
	go func() { ended <- b.WriteMessage([]byte(`{"id":2,"method":"Page.a"}`)) }()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("a blocked write outlives the connection")
	}
}
