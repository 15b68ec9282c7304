package tui

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/tui/cmdtable"
	"cuatui/tui/pane"
	"cuatui/tui/tuitest"
)

// asking are the ways into every prompt.
var asking = map[string][]string{
	"launch": {"L"}, "url": {"enter", "u"}, "query": {"enter", "Q"}, "why-of": {"enter", "W"},
	"filter": {"enter", "/"}, "save": {"enter", "v", "S"}, "palette": {":"},
	"accept": {"enter", "o", "a"}, "open": append(slices.Clone(typing), "enter"), "expect": append(slices.Clone(typing), "e"), "save-case": {"S"},
}

func TestEveryCommandThatAsksIsTriedWithTooMuch(t *testing.T) {
	for i := range cmdtable.Table {
		if c := &cmdtable.Table[i]; c.Takes == cmdtable.Text && asking[string(c.ID)] == nil {
			t.Errorf("%s is not tried", c.ID)
		}
	}
}

// What is too long for a line is refused whole, and nothing is done with a part
// of it.
func TestWhatIsTooLongIsRefusedWhole(t *testing.T) {
	long := strings.Repeat("a", pane.InputMax+1)
	for name, keys := range asking {
		for what, msgs := range map[string][]tea.Msg{
			"pasted":             {tea.PasteMsg{Content: long}},
			"pasted, a megabyte": {tea.PasteMsg{Content: strings.Repeat("é", 1<<20)}},
			"pasted in two":      {tea.PasteMsg{Content: long[:pane.InputMax]}, tea.PasteMsg{Content: "b"}},
			"typed at the end":   {tea.PasteMsg{Content: long[:pane.InputMax]}, tuitest.Key("b")},
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				e := tuitest.New()
				if name == "accept" {
					e.Dialogs = []contract.Dialog{{ID: "dlg-1", Type: "prompt", Text: "Your name?"}}
				}
				m := newTest(t, e, 80, 24)
				press(t, m, append(slices.Clone(keys), "ctrl+u")...) // one prompt holds something
				n := len(e.Calls())
				tuitest.Drive(t, m, msgs...)
				wantFrame(t, m, "too long: ", "of at most 32768 characters, not taken")
				press(t, m, "enter")
				if m.prompt == nil || len(e.Calls()) != n || strings.HasPrefix(m.toast.text, "saved") {
					t.Errorf("enter did something: %q %.80q", e.Calls()[n:], m.toast.text)
				}
				press(t, m, "esc")
				if m.prompt != nil {
					t.Error("esc does not leave it")
				}
			})
		}
	}
}

func TestTheLongestUrlIsTakenWhole(t *testing.T) {
	url := "https://a.example/" + strings.Repeat("a", pane.InputMax-len("https://a.example/"))
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "enter", "u")
	tuitest.Drive(t, m, tea.PasteMsg{Content: url})
	frame(t, m)
	press(t, m, "enter")
	if c := e.Calls(); c[len(c)-2] != "browser_navigate "+url {
		t.Errorf("%.60q of %d bytes", c[len(c)-2], len(c[len(c)-2]))
	}
}

// After a refusal another line may be typed.
func TestALineThatWasRefusedCanBeTypedAnew(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 80, 24)
	press(t, m, "L")
	tuitest.Drive(t, m, tea.PasteMsg{Content: strings.Repeat("a", pane.InputMax+1)})
	press(t, m, "type:about:blank", "enter")
	if !called(e, "browser_prepare isolated_new about:blank") {
		t.Errorf("calls = %q", e.Calls())
	}
}

// A character that no line can hold would be left out, and the rest would mean
// another thing.
func TestWhatIsNoTextIsRefusedWhole(t *testing.T) {
	for _, s := range []string{"https://a.example/\x00b", "https://a.example/\x1b[2J", "https://a.example/\xff"} {
		e := tuitest.New()
		m := newTest(t, e, 80, 24)
		press(t, m, "L")
		tuitest.Drive(t, m, tea.PasteMsg{Content: s})
		wantFrame(t, m, "no text: it holds a control character")
		press(t, m, "enter")
		if called(e, "browser_prepare") {
			t.Errorf("%q was opened as %q", s, lastCall(e))
		}
	}
}

func TestThePlainModeRefusesWhatIsTooLong(t *testing.T) {
	long := strings.Repeat("é", pane.InputMax+1)
	for name, lines := range map[string][]string{
		"launch":                {"launch " + long},
		"launch, in two lines":  {"launch", long},
		"url":                   {"2", "open", "url " + long},
		"query":                 {"2", "open", "query " + long},
		"why-of":                {"2", "open", "why-of " + long},
		"filter":                {"2", "open", "filter " + long},
		"save":                  {"2", "open", "formats", "save " + long},
		"a line of a megabyte":  {strings.Repeat("x", 1<<20)},
		"a megabyte for launch": {"launch", strings.Repeat("x", 1<<20)},
	} {
		t.Run(name, func(t *testing.T) {
			e := tuitest.New()
			var out bytes.Buffer
			in := strings.Join(append(lines, "print", "quit"), "\n")
			err := Run(t.Context(), Options{Engine: e, In: strings.NewReader(in), Out: &out, Plain: true})
			for _, c := range e.Calls() {
				if strings.Contains(c, "éé") || strings.Contains(c, "xxx") {
					t.Errorf("it called %.60q", c)
				}
			}
			if !strings.Contains(out.String(), "too long: ") || !strings.Contains(out.String(), "nothing was done") || strings.Contains(out.String(), "saved") {
				t.Errorf("it does not say so: %.400q", out.String())
			}
			if err == nil || !strings.HasSuffix(err.Error(), ": bad arguments") || len(err.Error()) > 200 {
				t.Errorf("err = %.300v", err)
			}
		})
	}
	t.Run("the longest", func(t *testing.T) {
		e := tuitest.New()
		in := "launch " + long[len("é"):] + "\r\nquit"
		if err := Run(t.Context(), Options{Engine: e, In: strings.NewReader(in), Out: io.Discard, Plain: true}); err != nil {
			t.Error(err)
		}
		if !called(e, "browser_prepare isolated_new "+long[len("é"):]) {
			t.Errorf("calls = %.100q", e.Calls())
		}
	})
}
