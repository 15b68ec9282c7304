package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cuatui/engine/act"
	"cuatui/engine/contract"
	"cuatui/engine/refusal"
)

// Texts of every writing arrive as they are, by either way and in every kind of
// field, and are counted in characters.
func TestTextsArriveWhole(t *testing.T) {
	texts := map[string]string{
		"emoji":       "👍🏽 👨‍👩‍👧 🏳️‍🌈 🇩🇪",
		"Chinese":     "删除草稿。ガギグ 보내기",
		"from right":  "שלח עכשיו, مرحبا بالعالم 123",
		"combining":   "Z̸̢a̷l̴g̵o̶ Café",
		"line breaks": "one\ntwo\n\nfour",
		"markup":      `<b>"it's" & \ ${x}</b>`,
		"spaces":      "a b",
	}
	s := use(t)
	b, run := s.tab(t, "actions")
	s.witness.eval(t, run, `document.body.innerHTML = '<input aria-label=input id=input><textarea aria-label=textarea id=textarea></textarea><div contenteditable role=textbox aria-label=rich id=rich></div>'`, nil)
	refs := map[string]string{}
	for _, e := range entries(b.state(nil)) {
		refs[e.Name] = e.Ref
	}
	for name, text := range texts {
		for _, field := range []string{"input", "textarea", "rich"} {
			for _, mode := range []string{act.InsertText, act.Keystrokes} {
				if field == "input" && strings.Contains(text, "\n") {
					continue // it holds no line break: TestTypingSaysWhatTheFieldHolds
				}
				t.Run(strings.Join([]string{name, field, mode}, "/"), func(t *testing.T) {
					b := b.on(t)
					got := ask[contract.ActionResult](b.agent, "browser_type", b.with(args{"ref": refs[field], "text": text, "mode": mode, "replace": true}))
					n := len([]rune(text))
					if got.Effect != refusal.EffectConfirmed || got.Status != contract.OK || *got.Delivery.RequestedChars != n || *got.Delivery.DeliveredChars != n {
						t.Errorf("%s, %s, %+v: %+v", got.Status, got.Effect, got.Delivery, got.Evidence)
					}
					held := b.held(run, field)
					if field == "rich" { // an empty line of it is shown as two breaks
						held = strings.ReplaceAll(held, "\n\n\n", "\n\n")
					}
					if held != text {
						t.Errorf("the field holds %q, want %q", held, text)
					}
				})
			}
		}
	}
}

// held is what a field of the page holds, as it is shown.
func (b tab) held(run, id string) (held string) {
	b.t.Helper()
	b.stage.witness.eval(b.t, run, fmt.Sprintf("(e => 'value' in e ? e.value : e.innerText.replace(/\\u00A0/g, ' '))(document.getElementById(%q))", id), &held)
	return held
}

// A text is not too long for anything: neither for a message nor for the time
// that its keys take.
func TestALongTextArrivesWhole(t *testing.T) {
	s := use(t)
	b, _ := s.tab(t, "actions")
	const run = "long-text" // of a page without a journal, which would hold the field's text for each of its keys
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><textarea aria-label="textarea" id="textarea"></textarea>`)
	}))
	defer server.Close()
	ask[contract.NavigateResult](b.agent, "browser_navigate", b.with(args{"url": server.URL + "/" + run}))
	ref := find(t, b.state(nil), "", "textarea").Ref
	for mode, n := range map[string]int{act.InsertText: 100_000, act.Keystrokes: 1_500} {
		var text strings.Builder
		for i := range n {
			r := []rune("aé漢👍")[i%4]
			if i%500 == 499 {
				r = '\n'
			}
			text.WriteRune(r)
		}
		got := ask[contract.ActionResult](b.agent, "browser_type", b.with(args{"ref": ref, "text": text.String(), "mode": mode, "replace": true}))
		if got.Effect != refusal.EffectConfirmed || got.Delivery.DeliveredChars == nil || *got.Delivery.DeliveredChars != n {
			t.Errorf("%s: %s (%s), %+v", mode, got.Effect, got.Settled, got.Delivery)
		}
		if held := b.held(run, "textarea"); held != text.String() {
			t.Errorf("%s: the field holds %d bytes, want %d", mode, len(held), text.Len())
		}
		if raw, err := json.Marshal(got); err != nil || len(raw) > 10_000 {
			t.Errorf("%s: the answer has %d bytes, %v", mode, len(raw), err)
		}
	}
}
