package tui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/tuitest"
)

// states leads to every kind of screen and sheet.
var states = map[string][]string{
	"windows":  nil,
	"refused":  {"down", "enter"},
	"outline":  {"enter"},
	"refs":     {"enter", "2", "c"},
	"detail":   {"enter", "2", "3"},
	"omit":     {"enter", "4"},
	"journal":  {"enter", "5"},
	"regions":  {"enter", "6"},
	"view":     {"enter", "down", "V"},
	"zoom":     {"enter", "z"},
	"filter":   {"enter", "/", "type:re"},
	"nothing":  {"enter", "/", "type:nosuchthing", "enter"},
	"query":    {"enter", "Q", "type:a long query that will not fit in a narrow terminal at all"},
	"act":      {"enter", "down", "a"},
	"typing":   {"enter", "/", "type:message", "enter", "a", "down", "down", "down", "r", "s", "e", "type:state=empty", "enter", "enter", "type:Hello"},
	"result":   {"enter", "down", "a", "enter"},
	"refusal":  {"enter", "down", "a", "down", "down", "enter"},
	"json":     {"enter", "5", "enter"},
	"proof":    {"enter", "p"},
	"help":     {"?"},
	"palette":  {"enter", ":"},
	"tabs":     {"enter", "t"},
	"disabled": {"enter", "["},
	"why":      {"enter", "down", "w"},
	"omitted":  {"enter", "W", "type:p42:24", "enter"},
	"nodes":    {"enter", "4", "down", "enter", "]"},
	"nowhere":  {"enter", "W", "type:flying carpet", "enter"},
	"lab":      {"enter", "x"},
	"lab-no":   {"x", "down", "G"},
	"provoked": {"enter", "x", "6"},
	"formats":  {"enter", "v", "tab", "tab", "down"},
	"diff":     {"enter", "r", "D", "c"},
	"consent":  personal,
	"answer":   append(slices.Clone(personal), "wait", "type:ye"),
	"agreed":   yes,
	"revoke":   append(slices.Clone(yes), "R"),
	"revoked":  append(slices.Clone(yes), "R", "y", "down", "a", "enter"),
}

// Three screens at every width, the others around each change of the layout
// and at some widths between.
func TestEveryFrameFillsTheTerminalExactly(t *testing.T) {
	everyWidth := map[string]bool{"windows": true, "outline": true, "refusal": true}
	edges := map[int]bool{1: true, 2: true, 39: true, 40: true, 41: true, 99: true, 100: true, 101: true, 139: true, 140: true, 141: true, 200: true}
	for name, keys := range states {
		t.Run(name, func(t *testing.T) {
			m := newTest(t, tuitest.New(), 100, 30)
			press(t, m, keys...)
			for w := 1; w <= 200; w++ {
				if !everyWidth[name] && !edges[w] && w%17 != 0 {
					continue
				}
				for _, h := range []int{1, 9, 10, 11, 24, 60} {
					m.Update(tea.WindowSizeMsg{Width: w, Height: h})
					tuitest.Frame(t, m, w, h)
				}
			}
		})
	}
}

// At every size there is, in turn the inspector, a page over it, and the list.
func TestEveryFrameOfEverySize(t *testing.T) {
	var models []*Model
	for _, name := range []string{"outline", "refusal", "windows"} {
		m := newTest(t, tuitest.New(), 100, 30)
		press(t, m, states[name]...)
		models = append(models, m)
	}
	for w := 1; w <= 200; w++ {
		for h := 1; h <= 60; h++ {
			m := models[(w+h)%len(models)]
			m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			tuitest.Frame(t, m, w, h)
		}
	}
}

func TestNothingIsDrawnWithoutASize(t *testing.T) {
	m := newModel(t.Context(), Options{Engine: tuitest.New()})
	if got := m.View().Content; got != "" {
		t.Errorf("content before the first size = %q", got)
	}
}

func TestASmallTerminalIsToldWhatIsNeeded(t *testing.T) {
	m := newTest(t, tuitest.New(), 39, 10)
	f := strings.Join(strings.Fields(frame(t, m)), " ")
	if f != "cuatui needs 40 x 10 cells; this terminal has 39 x 10." {
		t.Errorf("frame = %q", f)
	}
}

// steering finds what must never come out of page text: any escape but our own
// colours, any other control, bidi and zero-width characters, bad UTF-8.
func steering(content string) string {
	ours := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	rest := ours.ReplaceAllString(content, "")
	for _, r := range rest {
		switch {
		case r == '\n':
		case r < ' ', r >= 0x7f && r <= 0x9f:
			return fmt.Sprintf("control %U", r)
		case strings.ContainsRune("\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\u00ad\u2028\u2029\u034f\U000e0041", r):
			return fmt.Sprintf("invisible %U", r)
		}
	}
	if !utf8.ValidString(rest) {
		return "bad UTF-8"
	}
	return ""
}

func TestHostileTextNeverReachesTheContent(t *testing.T) {
	for name, keys := range states {
		t.Run(name, func(t *testing.T) {
			for _, size := range [][2]int{{80, 24}, {120, 40}, {160, 50}} {
				m := newTest(t, hostileEngine(), size[0], size[1])
				press(t, m, keys...)
				tuitest.Drive(t, m, tea.PasteMsg{Content: tuitest.Evil})
				tuitest.Frame(t, m, size[0], size[1])
				if bad := steering(m.View().Content); bad != "" {
					t.Errorf("%dx%d: %s reached the content", size[0], size[1], bad)
				}
			}
		})
	}
}

func TestHostileTextIsShownAsMarks(t *testing.T) {
	m := newTest(t, hostileEngine(), 160, 50)
	press(t, m, "enter")
	wantFrame(t, m, "␛[2J", "␛]52;c;aGk=␇c", "\ufffd31m")
}

// hostileEngine answers with nothing but text that tries to steer.
func hostileEngine() *tuitest.Engine {
	e := tuitest.New()
	e.Page = hostilePage
	e.OnExplain = func(_ context.Context, r contract.ExplainRequest) (*contract.ExplainResult, error) {
		evil := contract.Explained{Ref: tuitest.Evil, Role: tuitest.Evil, Name: tuitest.Evil, Tag: tuitest.Evil, Frame: tuitest.Evil, Verdict: tuitest.Evil, Reason: snapshotfmt.OmitReason(tuitest.Evil), SubReason: tuitest.Evil}
		if r.Ref == "" {
			return &contract.ExplainResult{Snapshot: tuitest.Evil, Rows: []contract.Explained{evil, evil}, Next: tuitest.Evil}, nil
		}
		return &contract.ExplainResult{Snapshot: tuitest.Evil, Node: &evil, Evidence: []contract.Check{{Check: tuitest.Evil, Verdict: tuitest.Evil, Detail: tuitest.Evil}}}, nil
	}
	for i := range e.Windows {
		w := &e.Windows[i]
		w.Title, w.Product, w.Endpoint, w.Access = tuitest.Evil, tuitest.Evil, tuitest.Evil, tuitest.Evil
	}
	return e
}

func TestNoColorMeansNoColour(t *testing.T) {
	colour := regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]`)
	for _, value := range []string{"1", "yes", "0", "anything"} {
		m := newTest(t, tuitest.New(), 120, 40, "NO_COLOR="+value)
		press(t, m, "enter", "2")
		if c := colour.FindString(m.View().Content); c != "" {
			t.Errorf("NO_COLOR=%s still draws %q", value, c)
		}
	}
	m := newTest(t, tuitest.New(), 120, 40, "NO_COLOR=")
	if !colour.MatchString(m.View().Content) {
		t.Error("an empty NO_COLOR takes the colours away")
	}
}

func TestLightAndDarkDifferInColourOnly(t *testing.T) {
	m := newTest(t, tuitest.New(), 120, 40)
	press(t, m, "enter")
	dark := m.View().Content
	m.Update(tea.BackgroundColorMsg{Color: ansi.BrightWhite})
	light := m.View().Content
	if dark == light {
		t.Error("a light background changes nothing")
	}
	if ansi.Strip(dark) != ansi.Strip(light) {
		t.Error("a light background changes the text")
	}
}

// The content of a large page is formatted only where it is seen.
func TestAKeyCostsWhatIsSeen(t *testing.T) {
	cost := func(rows int) float64 {
		e := tuitest.New()
		e.Page = func(int, contract.StateRequest) (*snapshotfmt.Semantic, error) { return tuitest.Rows(rows), nil }
		m := newTest(t, e, 160, 50)
		press(t, m, "enter", "ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d")
		down, up := tuitest.Key("down"), tuitest.Key("up")
		return testing.AllocsPerRun(50, func() {
			m.Update(down)
			m.View()
			m.Update(up)
			m.View()
		})
	}
	small, large := cost(200), cost(50_000)
	if large > small*1.2 {
		t.Errorf("allocations of two keys: %.0f with 200 rows, %.0f with 50,000", small, large)
	}
	t.Logf("allocations of two keys: %.0f with 200 rows, %.0f with 50,000", small, large)
}

func TestAnythingTypedIsSurvived(t *testing.T) {
	var keys []string
	for _, c := range cmdtable.Table {
		for _, k := range c.Keys {
			if k != "ctrl+c" && k != "ctrl+z" {
				keys = append(keys, k)
			}
		}
	}
	keys = append(keys, "type:yes", "x", "é", "backspace", "enter", "enter", "esc", "down", "down")
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		e := tuitest.New()
		if seed%3 == 2 {
			e = hostileEngine()
		}
		m := newTest(t, e, 100, 30)
		var typed []string
		for range 1000 {
			w, h := m.w, m.h
			k := keys[rnd.IntN(len(keys))]
			typed = append(typed, k)
			later(m, time.Duration(rnd.IntN(1500))*time.Millisecond)
			msgs := tuitest.Keys(k)
			switch rnd.IntN(20) {
			case 0:
				w, h = 1+rnd.IntN(200), 1+rnd.IntN(60)
				msgs = append(msgs, tea.WindowSizeMsg{Width: w, Height: h})
			case 2:
				msgs = append(msgs, pollMsg{}, followMsg{})
			case 1:
				msgs = append(msgs, tea.MouseClickMsg{X: rnd.IntN(w), Y: rnd.IntN(h), Button: tea.MouseLeft})
			}
			if tuitest.Drive(t, m, msgs...) {
				m = newTest(t, e, w, h)
			}
			tuitest.Frame(t, m, w, h)
			if t.Failed() {
				t.Fatalf("seed %d after %q", seed, typed)
			}
		}
	}
}

func BenchmarkKeyOn50000Rows(b *testing.B) {
	e := tuitest.New()
	e.Page = func(int, contract.StateRequest) (*snapshotfmt.Semantic, error) { return tuitest.Rows(50_000), nil }
	m := newTest(b, e, 160, 50)
	press(b, m, "enter")
	down := tuitest.Key("down")
	b.ReportAllocs()
	for b.Loop() {
		m.Update(down)
		m.View()
	}
}
