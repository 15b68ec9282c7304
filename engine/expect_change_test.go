package engine

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
)

// shows answers what the page shows: its url, and whether it is the text asked for.
func (c *cutting) shows(url string, text func() bool) {
	c.page.Answer("told", func(enginetest.Op) (any, *devtools.Error) {
		return vars{"url": url, "shown": []bool{text(), false}, "hosts": []int{}, "frames": []any{}}, nil
	})
}

func never() bool  { return false }
func always() bool { return true }

// moved makes the answer of the dialog let a navigation go on.
func (c *cutting) moved(then func(session string)) {
	c.asks()
	c.Handle("Page.handleJavaScriptDialog", func(session string, _ json.RawMessage) (any, *devtools.Error) {
		c.Emit(session, "Page.javascriptDialogClosed", nil)
		then(session)
		return nil, nil
	})
}

// ordered says whether the browser was given the order.
func (c *cutting) ordered(method string) func() bool {
	return func() bool { return len(c.Calls(method)) > 0 }
}

// Post-conditions of what acts on no node. What a dialog hid before cannot be
// the answer's doing, unless the browser itself knew better.
func TestPostConditionsOfDialogsAndTabs(t *testing.T) {
	quiet := func(string) {}
	tests := []struct {
		name, tool string
		args       vars
		expect     vars
		script     func(*cutting)
		verdict    string
		unmet      string
		before     string // of the one condition, "" for several
		effect     refusal.Effect
	}{
		{"an address that comes", "browser_dialog", vars{"answer": "accept"}, vars{"url_part": "/new"}, func(c *cutting) {
			c.moved(quiet)
			c.shows("http://localhost/new", never)
		}, "met", "", "did not hold", refusal.EffectConfirmed},
		{"an address that was there", "browser_dialog", vars{"answer": "accept"}, vars{"url_part": "elsewhere"}, func(c *cutting) {
			c.moved(quiet)
			c.shows("http://elsewhere/", never)
		}, "already_true", "", "held", refusal.EffectConfirmed},
		{"an address that the browser does not tell", "browser_dialog", vars{"answer": "dismiss"}, vars{"url_part": "/new"}, func(c *cutting) {
			c.moved(quiet)
			c.Fail("Page.getNavigationHistory", -32000, "as scripted")
			c.shows("http://localhost/new", never)
		}, "already_true", "", "not known", refusal.EffectConfirmed},
		{"a text that may have been there", "browser_dialog", vars{"answer": "accept"}, vars{"text": "Saved"}, func(c *cutting) {
			c.moved(quiet)
			c.shows("http://localhost/", always)
		}, "already_true", "", "not known", refusal.EffectConfirmed},
		{"another dialog", "browser_dialog", vars{"answer": "accept"}, vars{"dialog": "alert"}, func(c *cutting) {
			c.moved(func(session string) {
				c.Emit(session, "Page.javascriptDialogOpening", vars{"type": "alert", "message": "Done"})
			})
		}, "met", "", "did not hold", refusal.EffectConfirmed},
		{"a download", "browser_dialog", vars{"answer": "accept"}, vars{"download": true}, func(c *cutting) {
			c.Emit("SESSION1", "Page.downloadWillBegin", vars{"url": "http://localhost/before"})
			c.moved(func(session string) {
				c.Emit(session, "Page.downloadWillBegin", vars{"url": "http://localhost/file"})
			})
		}, "met", "", "did not hold", refusal.EffectConfirmed},
		{"a text comes when a tab is shown", "browser_tabs", vars{"change": "activate"}, vars{"text": "Saved"}, func(c *cutting) {
			c.shows("http://localhost/", c.ordered("Target.activateTarget"))
		}, "met", "", "did not hold", refusal.EffectConfirmed},
		{"a text was there", "browser_tabs", vars{"change": "activate"}, vars{"text": "Saved"}, func(c *cutting) {
			c.shows("http://localhost/", always)
		}, "already_true", "", "held", refusal.EffectConfirmed},
		{"a new tab shows a text, somewhere", "browser_tabs", vars{"change": "open", "url": "http://localhost/two"}, vars{"text": "Saved", "url_part": "/two"}, func(c *cutting) {
			c.page.SetFrames(enginetest.Frame{ID: "MAIN", Loader: "L1", URL: "http://localhost/"}, enginetest.Frame{ID: "T2", Loader: "L1", URL: "http://localhost/two", Session: "SESSION2"})
			c.shows("http://localhost/two", always)
		}, "met", "", "", refusal.EffectConfirmed},
		{"a new tab that cannot be read", "browser_tabs", vars{"change": "open"}, vars{"text": "Saved"}, func(c *cutting) {
			c.Handle("Target.createTarget", func(string, json.RawMessage) (any, *devtools.Error) {
				return vars{"targetId": "T9"}, nil // in no window of ours
			})
		}, "unmet", "text: the new tab cannot be read", "did not hold", refusal.EffectDispatched},
		{"a tab asks before it closes", "browser_tabs", vars{"change": "close"}, vars{"dialog": "beforeunload"}, func(c *cutting) {
			c.Handle("Target.closeTarget", func(string, json.RawMessage) (any, *devtools.Error) {
				c.Emit("SESSION1", "Page.javascriptDialogOpening", vars{"type": "beforeunload", "message": ""})
				return vars{"success": true}, nil
			})
		}, "met", "", "did not hold", refusal.EffectDispatched},
		{"a tab closes without a question", "browser_tabs", vars{"change": "close"}, vars{"dialog": "beforeunload"}, func(*cutting) {}, "unmet", "dialog", "did not hold", refusal.EffectConfirmed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			row := cutRow{args: vars{"expect": tt.expect}, script: tt.script}
			for k, v := range tt.args {
				row.args[k] = v
			}
			c := newCutting(t, row)
			answer, out := c.call(tt.tool, row)
			var got struct {
				Verdict, Unmet string
				Evidence       []contract.Evidence
				Dialog         *contract.Dialog
				TabID          string `json:"tab_id"`
			}
			if answer.Result == nil || json.Unmarshal([]byte(out.raw), &got) != nil {
				t.Fatalf("%+v", answer)
			}
			if got.Verdict != tt.verdict || got.Unmet != tt.unmet || out.Effect != tt.effect || tt.verdict == "unmet" && out.Status != contract.Partial {
				t.Errorf("want %s (%s), %s: %s", tt.verdict, tt.unmet, tt.effect, out.raw)
			}
			if tt.before != "" && !slices.ContainsFunc(got.Evidence, func(e contract.Evidence) bool { return e.Before == tt.before }) {
				t.Errorf("before want %q: %+v", tt.before, got.Evidence)
			}
			if asks := tt.verdict == "met" && tt.expect["dialog"] == "beforeunload"; asks && (got.Dialog == nil || got.Dialog.ID == "") {
				t.Errorf("the dialog is not named: %s", out.raw)
			}
			if got.TabID == "T9" || got.TabID == "T2" {
				t.Errorf("the browser's own id of the tab: %s", out.raw)
			}
		})
	}
}

// A ref that is no longer current is refused before a dialog is answered, and
// nothing is looked at behind it: the browser itself is asked for the tab's window.
func TestAnOldRefIsRefusedBehindADialog(t *testing.T) {
	c := newCutting(t, cutRow{})
	old := c.refs["one"]
	c.must(c.e.State(t.Context(), contract.StateRequest{Session: movingSession, TargetID: c.target, TabID: c.tab, Meaning: "computed"}))
	c.asks()
	c.first = len(c.Log())
	answer, _ := c.call("browser_dialog", cutRow{args: vars{"answer": "accept", "expect": vars{"ref": old, "state": "gone"}}})
	if answer.Refusal == nil || answer.Refusal.Refusal.Reason != refusal.Superseded || !slices.Equal(c.messages(), []string{"Browser.getWindowForTarget"}) {
		t.Errorf("%+v, asked %v", answer, c.messages())
	}
}

// What began before the dialog was answered is none of the answer's doing.
func TestDownloadsAreCountedFromTheAnswerOn(t *testing.T) {
	c := newCutting(t, cutRow{script: (*cutting).asks})
	live := c.live()
	began, noted := live.downloads()
	c.Emit("SESSION1", "Page.downloadWillBegin", vars{"url": "http://localhost/before"})
	<-noted
	x := expects(&resolved{live: live}, &contract.Expect{Download: true})
	c.must(nil, x.behind(t.Context()))
	if x.began != began+1 {
		t.Errorf("counted from %d, want %d", x.began, began+1)
	}
}

// The browser has taken the answer, and is lost before the dialog was seen to
// close: it was delivered, and no more is known.
func TestAnAnswerWhoseDialogIsNotSeenToClose(t *testing.T) {
	c := newCutting(t, cutRow{script: (*cutting).asks})
	taken := c.Take("Page.handleJavaScriptDialog")
	go func() {
		(<-taken).Reply(nil)
		c.Lose(io.ErrUnexpectedEOF)
	}()
	_, out := c.call("browser_dialog", cutRow{args: vars{"answer": "accept", "expect": vars{"dialog": "confirm"}}})
	if out.Effect != refusal.EffectDispatched || out.Status != contract.Partial || !strings.Contains(out.raw, `"verdict":"unmet"`) {
		t.Errorf("%s", out.raw)
	}
}
