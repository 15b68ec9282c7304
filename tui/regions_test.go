package tui

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
	"cuatui/tui/pane"
	"cuatui/tui/tuitest"
)

func pictured() *tuitest.Engine {
	e := tuitest.New()
	e.Page = tuitest.Pictures
	return e
}

func TestAPictureIsInColourOrInShades(t *testing.T) {
	for env, want := range map[string]string{"NO_COLOR=": "\x1b[38;2;255;255;255;48;2;255;255;255m▀", "NO_COLOR=1": "█"} {
		m := newTest(t, pictured(), 80, 24, env)
		press(t, m, "enter", "6", "V")
		got := m.View().Content
		if !strings.Contains(got, want) {
			t.Errorf("%s: no %q", env, want)
		}
		if bad := steering(got); bad != "" {
			t.Errorf("%s: %s", env, bad)
		}
		if colour := regexp.MustCompile(`\x1b\[[0-9;]*[34]8;`).MatchString(got); colour != (env == "NO_COLOR=") {
			t.Errorf("%s: colours %v", env, colour)
		}
	}
}

func TestVShootsTheNodeOrTheRegionThatIsSelected(t *testing.T) {
	for want, keys := range map[string][]string{
		"browser_screenshot p42:22":     {"2", "/", "type:reply", "enter", "V"},
		"browser_screenshot v42:60":     {"6", "V"},
		"browser_screenshot v42:63":     {"6", "down", "down", "down", "enter"},
		"explain ref= point=[940 350] ": {"6", "w"},
	} {
		e := pictured()
		m := newTest(t, e, 120, 40)
		press(t, m, append([]string{"enter"}, keys...)...)
		if calls := e.Calls(); !strings.HasPrefix(calls[len(calls)-1], want) {
			t.Errorf("%q: %q, want %q", keys, calls, want)
		}
	}
}

// A region without an exact place has no ref, and a row of words is none.
func TestWhatHasNoExactPlaceIsNotShot(t *testing.T) {
	for _, key := range []string{"enter", "V"} {
		for _, down := range []int{2, 4} {
			e := pictured()
			m := newTest(t, e, 120, 40)
			press(t, m, append(append([]string{"enter", "6"}, slices.Repeat([]string{"down"}, down)...), key)...)
			wantFrame(t, m, "the selection is no region with an exact place")
			if calls := strings.Join(e.Calls(), "\n"); strings.Contains(calls, "screenshot") {
				t.Errorf("%s on row %d: %s", key, down, calls)
			}
		}
	}
}

func TestAnImageThatCannotBeDrawnIsSaidToBeNone(t *testing.T) {
	e := pictured()
	e.OnShot = func(_ context.Context, r contract.ScreenshotRequest) (*contract.ScreenshotResult, error) {
		s := tuitest.Shot(r)
		s.PNG = []byte(tuitest.Evil)
		return s, nil
	}
	m := newTest(t, e, 120, 40)
	press(t, m, "enter", "6", "V")
	wantFrame(t, m, "the image is no PNG")
	if bad := steering(m.View().Content); bad != "" {
		t.Error(bad)
	}
	if c, _ := m.journal.Selected(); c.Outcome != pane.Lost {
		t.Errorf("the journal says %q", c.Outcome)
	}
}

// An image is large; the journal keeps two thousand calls.
func TestTheJournalKeepsNoImage(t *testing.T) {
	m := newTest(t, pictured(), 120, 40)
	press(t, m, "enter", "6", "V")
	c, _ := m.journal.Selected()
	r, ok := c.Answer.(*contract.ScreenshotResult)
	if !ok || r.PNG != nil || r.Data != "" || r.Width != 96 {
		t.Errorf("kept %+v", c.Answer)
	}
}

func TestTheFourAbsencesAreToldApart(t *testing.T) {
	m := newTest(t, tuitest.New(), 120, 40)
	press(t, m, "enter", "6")
	wantFrame(t, m, "none: every document was looked through")
	press(t, m, "]")
	wantFrame(t, m, "the regions are told with the first segment")
	m = newTest(t, pictured(), 120, 40)
	press(t, m, "enter", "6", "z")
	wantFrame(t, m, "truncated: 3 in view", "unsupported: 1 in view", "unavailable: could not be looked for in f2: its place", "2 that scrolling may bring", "4 that style or clipping hides", "it is turned", "+10 like it")
	e := tuitest.New()
	e.Page = func(n int, r contract.StateRequest) (*snapshotfmt.Semantic, error) {
		s, err := tuitest.Inbox(n, r)
		s.Regions = &snapshotfmt.Regions{List: []snapshotfmt.Region{}, Unavailable: []snapshotfmt.Unlooked{{Why: "the protocol collector looks for none"}}}
		return s, err
	}
	m = newTest(t, e, 120, 40)
	press(t, m, "enter", "6", "z")
	wantFrame(t, m, "none in view where it could be looked", "unavailable: could not be looked for: the protocol")
}
