package e2e_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image/png"
	"slices"
	"testing"
	"time"

	"cuatui/engine"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// hand is a mouse over the page of a run, and what the page has seen of it.
type hand struct {
	b   tab
	run string
	s   *devtools.Session
}

func (b tab) hand(run string) *hand {
	b.t.Helper()
	w := b.stage.witness
	s, err := w.conn.Attach(soon(b.t), w.showing(b.t, run).ID)
	must(b.t, err)
	b.t.Cleanup(func() { _ = s.Detach(context.WithoutCancel(b.t.Context())) })
	h := &hand{b, run, s}
	w.eval(b.t, run, `window.changes = 0, window.seen = []; new MutationObserver((m) => { changes += m.length; }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
		for (const type of ['mousemove', 'mousedown', 'mouseup', 'click', 'focusin', 'scroll', 'visibilitychange']) addEventListener(type, () => seen.push(type), true); 0`, nil)
	return h
}

func (h *hand) mouse(kind string, at [2]float64) {
	h.b.t.Helper()
	args := map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "none"}
	if kind != "mouseMoved" {
		args["button"], args["clickCount"] = "left", 1
	}
	must(h.b.t, h.s.Call(soon(h.b.t), "Input.dispatchMouseEvent", args, nil))
}

// saw is what the top document has seen since the last time, and how often it
// has changed.
func (h *hand) saw() (events []string, changes int) {
	h.b.t.Helper()
	var r struct {
		Seen    []string `json:"seen"`
		Changes int      `json:"changes"`
	}
	h.b.stage.witness.eval(h.b.t, h.run, `(() => { const r = { seen, changes }; seen = []; return r; })()`, &r)
	return r.Seen, r.Changes
}

// until moves the mouse until the page sees it, or no more: then the browser has
// its mode of choosing on or off. It waits for what comes, not for a time.
func (h *hand) until(seen bool) {
	h.b.t.Helper()
	away := false
	for end := time.Now().Add(waitMax); ; away = !away {
		h.saw()
		at := [2]float64{300, 20}
		if away {
			at[0] = 320
		}
		h.mouse("mouseMoved", at)
		events, _ := h.saw()
		if (len(events) > 0) == seen {
			return
		}
		if time.Now().After(end) {
			h.b.t.Fatalf("the page sees the mouse: %v", !seen)
		}
	}
}

func center(e snapshotfmt.Entry) [2]float64 {
	return [2]float64{e.Box[0] + e.Box[2]/2, e.Box[1] + e.Box[3]/2}
}

// pickable is the engine as a face for people has it.
func (b tab) pickable() *engine.Engine {
	e, ok := b.engine.(*engine.Engine)
	if !ok {
		b.t.Fatal("the agent's engine is another")
	}
	return e
}

type choice struct {
	res *contract.ExplainResult
	err error
}

// pick begins to pick and returns once the browser lets the person choose; end
// calls it off.
func (h *hand) pick() (done chan choice, end func()) {
	h.b.t.Helper()
	ctx, end := context.WithCancel(h.b.t.Context())
	h.b.t.Cleanup(end)
	done = make(chan choice, 1)
	e, r := h.b.pickable(), contract.StateRequest{Session: h.b.session, TargetID: h.b.target, TabID: h.b.id}
	go func() {
		res, err := e.Pick(ctx, r)
		done <- choice{res, err}
	}()
	h.until(false)
	return done, end
}

// The node that a person points at is explained, in whatever frame it is; the
// page sees nothing of the choosing, and the browser is as it was afterwards.
func TestAPersonPicksANode(t *testing.T) {
	b, run := use(t).tab(t, "frames")
	h := b.hand(run)
	snapshot := b.state(nil)
	for _, name := range []string{"Button in bordered", "Button in scaled", "Button in inner", "Button in srcdoc", "Button in other-site"} {
		var want *snapshotfmt.Entry
		for _, e := range entries(snapshot) {
			if e.Name == name && e.Role == "button" && e.Box != nil {
				want = &e
			}
		}
		if want == nil {
			t.Errorf("the page lists no %s", name)
			continue
		}
		done, _ := h.pick()
		at := center(*want)
		h.mouse("mouseMoved", at)
		h.mouse("mousePressed", at)
		h.mouse("mouseReleased", at)
		got := <-done
		if got.err != nil || got.res.Node == nil || got.res.Node.Ref != want.Ref || got.res.Node.Verdict != "listed" {
			t.Errorf("%s at %v: %+v, %v", name, at, got.res, got.err)
		}
		events, changes := h.saw()
		if changes > 0 || slices.ContainsFunc(events, func(e string) bool { return e == "mousedown" || e == "click" || e == "focusin" }) {
			t.Errorf("%s: the page saw %q and changed %d times", name, events, changes)
		}
		h.until(true)
	}
	for _, r := range b.settled(run) {
		switch r.Type {
		case "mousedown", "pointerdown", "click", "focusin", "input", "change":
			t.Errorf("the page observed %s on %q", r.Type, r.Target)
		}
	}
}

func TestPickingEndsWithItsContext(t *testing.T) {
	b, run := use(t).tab(t, "inbox-attribute")
	h := b.hand(run)
	b.state(nil)
	done, end := h.pick()
	end()
	if got := <-done; !errors.Is(got.err, context.Canceled) {
		t.Errorf("ended with %+v, %v", got.res, got.err)
	}
	h.until(true)
	if _, changes := h.saw(); changes > 0 {
		t.Errorf("the page changed %d times", changes)
	}
}

func TestANodeOfAnotherDocumentIsNotExplained(t *testing.T) {
	b, run := use(t).tab(t, "inbox-attribute")
	h := b.hand(run)
	b.state(nil)
	done, _ := h.pick()
	b.state(nil) // another snapshot meanwhile: what is chosen is not of the one that was looked at
	at := [2]float64{300, 60}
	h.mouse("mouseMoved", at)
	h.mouse("mousePressed", at)
	h.mouse("mouseReleased", at)
	got := <-done
	if r, ok := refusal.As(got.err); !ok || r.Reason != refusal.Superseded {
		t.Errorf("answered %+v, %v", got.res, got.err)
	}
}

// The mark stands as long as it is asked for, and no longer; the document is not
// touched.
func TestHighlightingLeavesThePageAlone(t *testing.T) {
	b, run := use(t).tab(t, "inbox-attribute")
	h := b.hand(run)
	button := find(t, b.state(nil), "button", "Send")
	plain := h.colour(center(button))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	e := b.pickable()
	go func() {
		done <- e.Highlight(ctx, contract.ExplainRequest{Session: b.session, TargetID: b.target, TabID: b.id, Ref: button.Ref})
	}()
	h.becomes(center(button), plain, false)
	b.state(nil) // what reads the page does not take the mark away
	h.becomes(center(button), plain, false)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	h.becomes(center(button), plain, true)
	if events, changes := h.saw(); len(events) > 0 || changes > 0 {
		t.Errorf("the page saw %q and changed %d times", events, changes)
	}
	err := e.Highlight(t.Context(), contract.ExplainRequest{Session: b.session, TargetID: b.target, TabID: b.id, Ref: "p999999:1"})
	if r, ok := refusal.As(err); !ok || r.Reason != refusal.Foreign {
		t.Errorf("a ref that nobody gave out: %v", err)
	}
}

// colour is what is seen at a point, a few pixels beside the text of a control.
func (h *hand) colour(at [2]float64) [3]uint32 {
	h.b.t.Helper()
	var shot struct {
		Data string `json:"data"`
	}
	must(h.b.t, h.s.Call(soon(h.b.t), "Page.captureScreenshot", map[string]any{"format": "png"}, &shot))
	raw, err := base64.StdEncoding.DecodeString(shot.Data)
	must(h.b.t, err)
	picture, err := png.Decode(bytes.NewReader(raw))
	must(h.b.t, err)
	r, g, b, _ := picture.At(int(at[0]), int(at[1])-8).RGBA()
	return [3]uint32{r, g, b}
}

// becomes waits until a point is of a colour, or of another.
func (h *hand) becomes(at [2]float64, colour [3]uint32, same bool) {
	h.b.t.Helper()
	for end := time.Now().Add(waitMax); (h.colour(at) == colour) != same; {
		if time.Now().After(end) {
			h.b.t.Fatalf("the colour at %v is %v; same as before: want %v", at, h.colour(at), same)
		}
	}
}
