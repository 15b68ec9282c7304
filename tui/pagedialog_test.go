package tui

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/tui/cmdtable"
	"cuatui/tui/tuitest"
)

// asked is an inspector on a page that has a dialog of a type open: the read that
// was asked for was refused for it.
func asked(t *testing.T, kind string, more ...string) (*tuitest.Engine, *Model) {
	t.Helper()
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "enter")
	e.Dialogs = []contract.Dialog{{ID: "dlg-1", Type: kind, Text: "Really?"}}
	for _, text := range more {
		e.Dialogs = append(e.Dialogs, contract.Dialog{ID: "dlg-" + text, Type: "alert", Text: text})
	}
	press(t, m, "r")
	return e, m
}

func TestACallThatADialogHoldsUpShowsTheDialog(t *testing.T) {
	for _, kind := range []string{"alert", "confirm", "prompt", "beforeunload"} {
		_, m := asked(t, kind)
		wantFrame(t, m, "Page dialog · "+kind, "Really?", "a accept", "d dismiss")
	}
}

func TestAPageDialogIsAnsweredByKeys(t *testing.T) {
	tests := []struct {
		name, kind string
		keys       []string
		want       string
	}{
		{"an alert", "alert", []string{"a"}, "browser_dialog accept dlg-1"},
		{"a confirm", "confirm", []string{"a"}, "browser_dialog accept dlg-1"},
		{"a confirm, cancelled", "confirm", []string{"d"}, "browser_dialog dismiss dlg-1"},
		{"a prompt", "prompt", []string{"a", "type:Ada", "enter"}, `browser_dialog accept dlg-1 "Ada"`},
		{"a prompt, with nothing", "prompt", []string{"a", "enter"}, "browser_dialog accept dlg-1"},
		{"a prompt, cancelled", "prompt", []string{"d"}, "browser_dialog dismiss dlg-1"},
		{"leaving the page", "beforeunload", []string{"a"}, "browser_dialog accept dlg-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, m := asked(t, tt.kind)
			later(m, grace)
			press(t, m, tt.keys...)
			if !slices.Contains(e.Calls(), tt.want) || lastCall(e) != `snapshot query="" scope=""` {
				t.Errorf("calls = %q, want %q and a new snapshot", e.Calls()[4:], tt.want)
			}
			if len(m.sheets) != 0 {
				t.Errorf("a page of scope %b stays open", m.top().scope)
			}
			wantFrame(t, m, "confirmed: ")
		})
	}
}

// The text of a prompt is asked for, and can be given up.
func TestAPromptCanBeLeftOpen(t *testing.T) {
	e, m := asked(t, "prompt")
	later(m, grace)
	press(t, m, "a", "type:Ada", "esc")
	if called(e, "browser_dialog accept") || called(e, "browser_dialog dismiss") {
		t.Errorf("calls = %q", e.Calls())
	}
	wantFrame(t, m, "Page dialog · prompt")
}

// A key that was on its way when the dialog came is no answer to it.
func TestNoKeyThatWasMeantForSomethingElseAnswersADialog(t *testing.T) {
	for _, key := range []string{"a", "d"} {
		e, m := asked(t, "confirm")
		press(t, m, key)
		if len(e.Dialogs) != 1 {
			t.Fatalf("%s answered it: %q", key, lastCall(e))
		}
		wantFrame(t, m, "the dialog has just opened")
		later(m, grace)
		press(t, m, key)
		if len(e.Dialogs) != 0 {
			t.Errorf("%s does not answer it", key)
		}
	}
}

// An answer may open the next dialog, which is shown, too.
func TestTheNextDialogIsShown(t *testing.T) {
	e, m := asked(t, "confirm", "Then this.")
	later(m, grace)
	press(t, m, "a")
	wantFrame(t, m, "Page dialog · alert", "Then this.")
	later(m, grace)
	press(t, m, "d")
	if len(e.Dialogs) != 0 || len(m.sheets) != 0 || lastCall(e) != `snapshot query="" scope=""` {
		t.Errorf("%d dialogs, %d pages, last call %q", len(e.Dialogs), len(m.sheets), lastCall(e))
	}
}

// A page that was left can be had back: from the refusal, and from the inspector.
func TestADialogIsLookedAtAgain(t *testing.T) {
	for _, keys := range [][]string{{"esc", "E"}, {"esc", "o"}, {"esc", "esc", "o"}} {
		e, m := asked(t, "confirm")
		press(t, m, keys...)
		wantFrame(t, m, "Page dialog · confirm")
		press(t, m, "d") // it was asked for, so no key came too early
		if !called(e, "browser_dialog dismiss dlg-1") {
			t.Errorf("after %q it cannot be answered", keys)
		}
	}
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "enter", "o")
	wantFrame(t, m, "no page dialog is open")
}

// A dialog that has gone meanwhile is told, and no page of it stays.
func TestADialogThatIsGoneIsTold(t *testing.T) {
	e, m := asked(t, "confirm")
	later(m, grace)
	e.Dialogs = nil
	press(t, m, "a")
	wantFrame(t, m, "no_dialog")
	if slices.ContainsFunc(m.sheets, func(s sheet) bool { return s.dialog != nil }) {
		t.Error("its page stays")
	}
}

// What opened a dialog shows it, and reads nothing behind it.
func TestAResultThatCarriesADialogShowsIt(t *testing.T) {
	d := &contract.Dialog{ID: "dlg-1", Type: "confirm", Text: "Send it?"}
	t.Run("a click", func(t *testing.T) {
		e := tuitest.New()
		e.OnClick = func(_ context.Context, r contract.ClickRequest) (*contract.ActionResult, error) {
			e.Dialogs = []contract.Dialog{*d}
			return &contract.ActionResult{Status: contract.OK, Effect: refusal.EffectConfirmed, Route: r.Route, SideEffects: []string{}, Dialog: d}, nil
		}
		m := newTest(t, e, 80, 24)
		press(t, m, "enter", "down", "a", "enter")
		wantFrame(t, m, "Page dialog · confirm", "Send it?")
		if !strings.HasPrefix(lastCall(e), "browser_click") {
			t.Errorf("last call = %q", lastCall(e))
		}
		later(m, grace)
		press(t, m, "a")
		if len(e.Dialogs) != 0 || m.top().scope != cmdtable.Result {
			t.Error("it is not answered, or the result is gone")
		}
	})
	t.Run("a url", func(t *testing.T) {
		e := &navigating{tuitest.New(), d}
		m := newTest(t, e, 80, 24)
		press(t, m, "enter", "u", "type:about:blank", "enter")
		wantFrame(t, m, "Page dialog · confirm", "Send it?")
	})
}

// navigating answers that a dialog holds the navigation up.
type navigating struct {
	*tuitest.Engine
	dialog *contract.Dialog
}

func (n *navigating) Navigate(_ context.Context, r contract.NavigateRequest) (*contract.NavigateResult, error) {
	return &contract.NavigateResult{Status: contract.Partial, Effect: refusal.EffectDispatched, URL: r.URL, Dialog: n.dialog}, nil
}

func TestADialogWritesNothingThatSteers(t *testing.T) {
	e, m := asked(t, "prompt")
	press(t, m, "esc")
	e.Dialogs[0].Text, e.Dialogs[0].Type = tuitest.Evil, tuitest.Evil
	press(t, m, "o")
	wantFrame(t, m, "Page dialog · ")
	if bad := steering(m.View().Content); bad != "" {
		t.Errorf("%s reached the content", bad)
	}
}

func TestThePlainModeAnswersADialog(t *testing.T) {
	tests := []struct {
		kind  string
		lines []string
		want  string // a call, "" for no answer
		says  string
	}{
		{"confirm", []string{"snapshot", "dialog accept"}, "browser_dialog accept dlg-1", "confirmed: accept the confirm"},
		{"confirm", []string{"snapshot", "dialog dismiss"}, "browser_dialog dismiss dlg-1", "confirmed: dismiss the confirm"},
		{"confirm", []string{"dialog", "dialog accept"}, "browser_dialog accept dlg-1", "says  Really?"},
		{"prompt", []string{"dialog", "dialog accept Ada L."}, `browser_dialog accept dlg-1 "Ada L."`, "confirmed"},
		{"prompt", []string{"dialog", "accept Ada"}, `browser_dialog accept dlg-1 "Ada"`, "confirmed"},
		{"prompt", []string{"dialog", "dialog accept", "Ada"}, `browser_dialog accept dlg-1 "Ada"`, "text for the page? ()"},
		{"confirm", []string{"dialog", "dialog accept Ada"}, "", "the dialog is no prompt and takes no text; nothing was done"},
		{"confirm", []string{"dialog", "dialog dismiss Ada"}, "", "dismiss takes no text; nothing was done"},
		{"confirm", []string{"dialog", "dialog yes"}, "", "a dialog takes accept or dismiss, not yes; nothing was done"},
		{"confirm", []string{"dialog accept"}, "", "no page dialog is shown here"}, // it was not seen
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.lines, ", ")+" of a "+tt.kind, func(t *testing.T) {
			p, e, out := plainAt(t, cmdtable.Inspector)
			e.Dialogs = []contract.Dialog{{ID: "dlg-1", Type: tt.kind, Text: "Really?"}}
			for _, l := range tt.lines {
				p.line(line{text: l})
			}
			answered := slices.DeleteFunc(e.Calls(), func(c string) bool {
				return !strings.HasPrefix(c, "browser_dialog") || strings.HasPrefix(c, "browser_dialog inspect")
			})
			if got := strings.Join(answered, "; "); got != tt.want {
				t.Errorf("it answered %q, want %q", got, tt.want)
			}
			if !strings.Contains(out.String(), tt.says) {
				t.Errorf("it does not say %q:\n%s", tt.says, out)
			}
		})
	}
}

// Out of a pipe the refusal counts, and so does an answer that was none.
func TestADialogInAPipe(t *testing.T) {
	e := tuitest.New()
	e.Dialogs = []contract.Dialog{{ID: "dlg-1", Type: "alert", Text: "Hello"}}
	var out bytes.Buffer
	err := Run(t.Context(), Options{Engine: e, In: strings.NewReader("2\nopen\ndialog accept\nsnapshot\nquit\n"), Out: &out, Plain: true})
	if err == nil || !strings.HasPrefix(err.Error(), "line 2, open: refused") || len(e.Dialogs) != 0 {
		t.Errorf("err = %v, %d open\n%s", err, len(e.Dialogs), out.String())
	}
}
