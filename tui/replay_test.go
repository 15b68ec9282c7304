package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
	"cuatui/tui/replay"
	"cuatui/tui/tuitest"
)

// casing saves the case of a run and reads it again.
func casing(t *testing.T, m *Model) *replay.Engine {
	t.Helper()
	body := ""
	m.save = func(path, b string) saved { body = b; return saved{path: path, size: len(b)} }
	press(t, m, "S", "enter")
	wantFrame(t, m, "as cuatui-case.json.gz; cuatui replay shows it")
	c, err := snapshotfmt.ReadCase(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	e, err := replay.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// unlost says at once that nothing is watched: commands of tests run to their end.
type unlost struct{ *replay.Engine }

func (unlost) Lost(context.Context, contract.StateRequest) error { return nil }

// replayed is a program on a case file.
func replayed(t *testing.T, e *replay.Engine) *Model {
	t.Helper()
	m := newModel(t.Context(), Options{Replay: e, CaseName: "bug.json.gz", Log: discard})
	m.engine = unlost{e}
	m.session = "tui-99"
	m.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	tuitest.Drive(t, m, tea.WindowSizeMsg{Width: 120, Height: 40})
	tuitest.Drive(t, m, tuitest.Run(m.startSession())...)
	return m
}

// What a person saw is seen again, elsewhere and without the browser: the page, the
// explanation, the refusal with its proof, what the action did.
func TestACaseFileShowsWhatWas(t *testing.T) {
	keys := [][]string{
		{"down", "w"},
		{"esc", "a", "enter"},
		{"esc", "2", "/", "type:forward", "enter", "a", "down", "down", "enter"},
		{"p"},
		{"esc", "esc", "esc", "1", "]"},
		{"x", "6"},
		{"esc", "esc", "W", "type:flying carpet", "enter"},
	}
	was := newTest(t, changing(), 120, 40)
	press(t, was, "enter")
	var frames []string
	for _, k := range keys {
		press(t, was, k...)
		frames = append(frames, body(t, was))
	}
	press(t, was, "esc", "esc")
	again := replayed(t, casing(t, was))
	wantFrame(t, again, "▷ replay, exact then", `button "Reply"`)
	for i, k := range keys {
		press(t, again, k...)
		if got := body(t, again); got != frames[i] {
			t.Fatalf("after %q:\n%s\nand was\n%s", k, got, frames[i])
		}
	}
}

// body is the page on top, without what says when and how long.
func body(t *testing.T, m *Model) string {
	t.Helper()
	return strings.Join(m.active().Draw(&m.paint, 100, 60, true), "\n")
}

func TestACaseFileAnswersNothingElse(t *testing.T) {
	was := newTest(t, tuitest.New(), 120, 40)
	press(t, was, "enter", "down", "w", "esc")
	m := replayed(t, casing(t, was))
	for name, keys := range map[string][]string{
		"a click": {"down", "a", "enter"}, "a query": {"Q", "type:x", "enter"}, "a launch": {"L", "type:about:blank", "enter"},
		"a pick": {"i"}, "another explanation": {"W", "type:x", "enter"},
	} {
		press(t, m, keys...)
		if f := frame(t, m); !strings.Contains(f, "Bad arguments") || !strings.Contains(f, "The call was not made") || !strings.Contains(f, "this is a case file, and there is no browser") {
			t.Errorf("%s:\n%s", name, f)
		}
		m.sheets = nil
	}
	press(t, m, "1", "g", "down", "H")
	wantFrame(t, m, "nothing can be marked")
	press(t, m, "5")
	if calls := len(m.journal.Calls()); calls < 5 {
		t.Errorf("the journal has %d calls", calls)
	}
}

func TestACaseOfTheListOfWindows(t *testing.T) {
	was := newTest(t, tuitest.New(), 120, 40)
	press(t, was, "down", "enter", "esc")
	m := replayed(t, casing(t, was))
	wantFrame(t, m, "▷ replay of bug.json.gz", "Quarterly report")
	press(t, m, "down", "enter")
	wantFrame(t, m, "browser_requires_setup", "✗ fail     endpoint")
}

func TestHostileTextOfACaseNeverReachesTheContent(t *testing.T) {
	e := tuitest.New()
	e.Windows[0].Title = tuitest.Evil
	e.Page = func(n int, r contract.StateRequest) (*snapshotfmt.Semantic, error) {
		s, err := tuitest.Inbox(n, r)
		s.Page.Title, s.Page.URL = tuitest.Evil, tuitest.Evil
		for i := range s.Lines {
			s.Lines[i].Name, s.Lines[i].Text = tuitest.Evil, tuitest.Evil
		}
		for i := range s.Refs {
			s.Refs[i].Name, s.Refs[i].Value = tuitest.Evil, tuitest.Evil
		}
		return s, err
	}
	was := newTest(t, e, 120, 40)
	press(t, was, "enter", "down", "w", "esc")
	m := replayed(t, casing(t, was))
	for _, keys := range [][]string{nil, {"down", "w"}, {"esc", "2"}, {"5"}, {"enter"}} {
		press(t, m, keys...)
		frame(t, m)
		if bad := steering(m.View().Content); bad != "" {
			t.Errorf("after %q: %s reached the content", keys, bad)
		}
	}
}

// What no engine answers is refused, in words that steer no terminal.
func TestACaseOfWhatNoEngineAnswersIsRefused(t *testing.T) {
	was := newTest(t, hostileEngine(), 120, 40)
	press(t, was, "enter")
	c, err := replay.Case(was.journal.Calls(), "", instant)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replay.New(c); err == nil || steering(err.Error()) != "" {
		t.Errorf("read as %v", err)
	}
}
