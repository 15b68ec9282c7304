package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"cuatui/fixtures/golden"
	"cuatui/tui/tuitest"
)

// programEnv makes the test binary be the program, for tests that need one in a
// terminal.
const programEnv = "CUATUI_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programEnv) != "" {
		os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	}
	flag.Parse()
	os.Exit(m.Run())
}

// stop is a stop of the tour: what is said of it, the keys that lead there, and
// what shows that it is reached.
type stop struct {
	title, lead string
	keys        string
	wait        []string
}

// Pages are closed by q: an escape with another key at its heels is another key.
const (
	enter = "\r"
	erase = "\x15" // what is typed so far
)

var tour = []stop{
	{
		"The inspector", "`make demo`, or `L` and a url, launches an isolated browser, proves which window it is, and reads the page. The header says what is looked at and how sure that is; if the browser, window or tab ends, it says so by itself, with the code, and nothing stays green. Each line of the outline has its tier (`●` in view, `◐` near, `○` off screen, `◍` covered) and its ref.",
		"",
		[]string{`button "Send" p1:3`},
	},
	{
		"Filter", "`/` filters as you type; `enter` keeps, `esc` shows all again, `n` and `N` go from match to match.",
		"/reply" + enter,
		[]string{"/reply  3 of 8"},
	},
	{
		"Why", "`w` explains what is selected: the verdict in words, every check in its order with what was compared, and what to do next.",
		"w",
		[]string{"━ Why ·", "What to do"},
	},
	{
		"What was left out", "Pane `4` counts what the snapshot does not list, by reason. The counts always add up. Pane `6` lists what the page shows as pixels that no text tells; `V` draws one, or the selected node, in the cells of the terminal.",
		"q4",
		[]string{"628 = 8 here + 620 omitted"},
	},
	{
		"The nodes behind a count", "`enter` or `w` opens a count: the very nodes, fifty a page.",
		"j" + enter,
		[]string{"50 of 320"},
	},
	{
		"Why a control is not there", "`enter` explains one of them: here the section it is in has the attribute `hidden`. [docs/why.md](why.md) has every reason with an example.",
		"jj" + enter,
		[]string{"Retained 3", "from section"},
	},
	{
		"Why a text is not there", "`W` asks about a text, a point or a ref. One that waits for a later segment says so, and `enter` reads the next segment and asks again.",
		"qqWOlder message 277" + enter,
		[]string{"━ Why · link", "◐ waiting"},
	},
	{
		"Acting", "`a` lists every way of acting on a ref: what it declares first, and what it does not, dimmed, with the reason; that can be fired all the same, to see the refusal. `enter` does it, and asks first for what it needs: a text, a label, a key, a distance, a file. `e` takes post-conditions, which are read before and after; `r` and `s` say of typing whether it replaces and whether Enter follows. Below the list is the whole of a line that is cut.",
		"q1/" + erase + "send" + enter + "a",
		[]string{"━ Act · p1:3 button Send"},
	},
	{
		"What an action did", "The effect, the evidence read back from the page, what the page shows otherwise than before, and the proof. `D` is the whole of the difference.",
		"j" + enter,
		[]string{"✓ confirmed", "p2 ·"},
	},
	{
		"Diff", "The snapshot before against this one; `[` and `]` step through the last ones. `f` follows the page and marks what changes as it does.",
		"D",
		[]string{`name "not sent" → "sent"`},
	},
	{
		"The refusal lab", "`x`: what can be refused here and now, one key each. Nothing is ever delivered: the lab reads, or asks for what cannot be.",
		"qqx",
		[]string{"━ Refusal lab", "1 malformed"},
	},
	{
		"A refusal", "Code, reason, detail, proof, and the call that leads on; `E` runs it, here as on every refusal, `J` is the whole as JSON. Where a dialog of the page holds a call up, it is shown over the refusal, with what the page says: `a` accepts it, a prompt with the text that is typed then, `d` dismisses it, and `o` looks at it again.",
		"7",
		[]string{"unknown_target", "-lab"},
	},
	{
		"Formats", "`v`: the same segment as text and as JSON, with what each costs a model in tokens; `y` copies it whole, `S` saves it.",
		"qqv",
		[]string{"━ Formats · p2"},
	},
	{
		"The proof", "`p`: how the window was proved to be this browser window, step by step, with the values compared.",
		"qp",
		[]string{"steps hold"},
	},
	{
		"To the end", "`]` reads the next segment, `[` goes back; nothing is read twice. The last one says what is left out for good.",
		"q1/" + erase + enter + "]",
		[]string{"segment 2"},
	},
	{
		"The list of windows", "`q` leaves the inspector. Here every native window has the verdict that binding would give, with its code where it would be refused; `enter` binds, `p` shows the proof, `L` launches. Where there is no display, only what was launched from here is listed. `q` leaves the program, and the terminal is as it was.",
		"q",
		[]string{"1 window"},
	},
}

// masks replace what differs from run to run by what it looks like.
var masks = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`^ http://127\.0\.0\.1:\d+\S*\s+`), " http://127.0.0.1:43210/inb…  "},
	{regexp.MustCompile(`^▌● exact  .*pipe.*`), "▌● exact  Chromium 4711           * Inbox - Chromium      4711  0x200002  pipe"},
	{regexp.MustCompile(` · \d+(\.\d)? m?s ?$`), ""},
	// It stands at the right: the longer the number, the fewer blanks before it.
	{regexp.MustCompile(` +session tui-\d+`), "      session tui-4711"},
	{regexp.MustCompile(`tui-\d+`), "tui-4711"},
	{regexp.MustCompile(`want owner .*`), "want owner 4711  got owner 4711, as the"},
	{regexp.MustCompile(`^( {20,})(windows )?seen$`), "${1}X server says"},
	{regexp.MustCompile(`(pid|Chromium) [\d.]+`), "$1 4711"},
	{regexp.MustCompile(`(bt|tab)-[0-9a-f]{8,}`), "$1-0a1b2c"},
	{regexp.MustCompile(`^(. JSON) +\d+ tokens +\d+ bytes`), "$1                 … tokens        … bytes"},
	{regexp.MustCompile(`^(. JSON, indented) +\d+ tokens +\d+ bytes`), "$1       … tokens        … bytes"},
	{regexp.MustCompile(`\bbox \d[\d,x ]*`), "box …"},
	{regexp.MustCompile(`pointer at [\d,]+`), "pointer at …"},
}

// screen is what a person sees, without what differs from run to run.
func screen(x *tuitest.Terminal) string {
	var out []string
	for l := range strings.SplitSeq(x.Screen(), "\n") {
		l = strings.TrimRight(l, " \r")
		for _, m := range masks {
			l = m.what.ReplaceAllString(l, m.with)
		}
		out = append(out, strings.TrimRight(l, " "))
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

// The tour is taken with the real program on a real browser, in a terminal of
// 80 by 24. The docs are what it saw.
func TestTheTourOfTheDocs(t *testing.T) {
	cmd := exec.Command(os.Args[0], "--demo", "--state-dir", t.TempDir())
	cmd.Env = []string{programEnv + "=1", "TERM=xterm-256color", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	x := tuitest.Start(t, cmd, 80, 24)
	const path = "docs/tui.md"
	docs, err := os.ReadFile(path)
	if err != nil && !*golden.Update {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(`# A tour of the terminal UI

<!-- Written by: go test -count=1 . -run TestTheTourOfTheDocs -update -->

These are the screens of one run on the demo page in a real browser, at 80 by 24;
a test takes the tour again and compares. What differs from run to run (ports,
processes, times, sizes) is replaced. [keys.md](keys.md) has every key.

From 100 columns on the panes stand side by side. ` + "`cuatui --plain`" + ` is a dialogue
of lines with the same commands, for screen readers and pipes. From a pipe, it exits
by the first line that failed: 2 for one that names no command or one that does not
work there, 3 where it was refused, 4 where it came in part, 1 for anything else. At
a terminal it exits with 0: a person has seen what failed. A line does exactly what
it says: a ref that follows a command is the one it acts on, what a command does not
take is refused, and so is what is too long, whole.

To report what you saw, ` + "`S`" + ` in the inspector or the list saves a case file: every call
of the session and its answer. ` + "`cuatui replay FILE`" + ` shows it elsewhere, without a
browser. It holds what the pages show and what was typed.

Keys and theme can be set in ` + "`cuatui/config.json`" + ` in ` + "`$XDG_CONFIG_HOME`" + ` or ` + "`~/.config`" + `:

` + "```json" + `
{ "theme": "light", "keys": { "snapshot": ["r", "f5"], "follow": ["F"] } }
` + "```" + `
`)
	for _, s := range tour {
		x.Type(s.keys)
		for _, text := range s.wait {
			x.Wait(text)
		}
		head := fmt.Sprintf("\n## %s\n\n%s\n\n```\n", s.title, s.lead)
		b.WriteString(head + seen(x, wanted(string(docs), head)) + "\n```\n")
	}
	x.Type("y") // by what way depends on the desktop
	x.Wait("copied")
	x.Type(enter)
	x.Wait("· segment 1")
	x.Type("q")
	x.Wait("1 window")
	x.Type("q")
	if code := x.End(); code != 0 {
		t.Errorf("exit code = %d", code)
	}
	golden.File(t, path, b.String())
}

// wanted is the screen that the docs show under a heading, "" for none.
func wanted(docs, head string) string {
	_, rest, ok := strings.Cut(docs, head)
	body, _, closed := strings.Cut(rest, "\n```\n")
	if !ok || !closed {
		return ""
	}
	return body
}

// seen is the screen once it is the one that is wanted: what a terminal shows
// while a frame arrives is neither the old one nor the new. To write the docs
// anew it is the one that stays.
func seen(x *tuitest.Terminal, want string) string {
	return seenAs(x, want, func(string) string { return screen(x) })
}

// seenAs is the screen as look has it, once that is what is wanted.
func seenAs(x *tuitest.Terminal, want string, look func(screen string) string) string {
	if !*golden.Update {
		x.WaitUntil(want, func() bool { return want == "" || look(x.Screen()) == want })
		return look(x.Screen())
	}
	for now := ""; ; time.Sleep(500 * time.Millisecond) {
		if was := now; look(x.Screen()) == was {
			return was
		}
		now = look(x.Screen())
	}
}
