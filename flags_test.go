package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/snapshotfmt"
)

// Every sentence is of this program: it says what is allowed, and which help
// says the rest.
func TestBadArgumentsAreSaidInOurWords(t *testing.T) {
	tests := []struct {
		name string
		args []string
		says string
	}{
		{"a pid that is no number", []string{"snapshot", "--pid", "x", "--window", "1"}, `--pid: must be a whole number from 1, not "x"`},
		{"a pid of more than a number holds", []string{"audit", "--pid", "99999999999999999999", "--window", "1"}, `--pid: must be a whole number from 1, and "99999999999999999999" is out of range`},
		{"a window below zero", []string{"snapshot", "--pid", "1", "--window", "-1"}, `--window: must be a whole number from 1, not "-1"`},
		{"a pid below one", []string{"snapshot", "--pid", "-4", "--window", "1"}, "--pid: must be a whole number from 1"},
		{"window zero", []string{"explain", "--pid", "1", "--window", "0", "--text", "a"}, "--window: must be a whole number from 1"},
		{"an empty number", []string{"snapshot", "--pid", "", "--window", "1"}, `--pid: must be a whole number from 1, not ""`},
		{"a number that is missing", []string{"snapshot", "--window", "1", "--pid"}, "--pid: needs a value: a whole number from 1"},
		{"a text that is missing", []string{"snapshot", "--url"}, "--url: needs a value: launch an isolated browser at this URL"},
		{"a format that is missing", []string{"snapshot", "--format"}, "--format: needs a value: FORMAT of the snapshot: semantic_v2: "},
		{"a point of words", []string{"explain", "--url", "http://a/", "--point", "left,top"}, `--point: must be X,Y: two numbers with a comma between them, not "left,top"`},
		{"a point of nothing", []string{"explain", "--url", "http://a/", "--point", ""}, "--point: must be X,Y"},
		{"a point that is no place", []string{"explain", "--url", "http://a/", "--point", "NaN,1"}, "--point: must be x and y, in CSS px"},
		{"a point too far", []string{"explain", "--url", "http://a/", "--point", "1,Inf"}, "--point: must be x and y, in CSS px"},
		{"no reason", []string{"explain", "--url", "http://a/", "--reason", "why"}, "--reason: must be one of unprovable_frame, css_hidden, "},
		{"a url of nothing", []string{"snapshot", "--url", ""}, "--url: must not be empty"},
		{"a window and a url", []string{"audit", "--url", "http://a/", "--window", "3"}, "--url and --window do not go together"},
		{"a ref from a place in a list", []string{"explain", "--url", "http://a/", "--ref", "p1:2", "--after", "0.1"}, "--after: goes with --text or --reason only"},
		{"a text that is no text", []string{"explain", "--url", "http://a/", "--text", "\xff\xfe"}, "--text: must be valid UTF-8"},
		{"a command that is nearly one", []string{"snapsho", "--pid", "4"}, `cuatui has no command "snapsho"; did you mean cuatui snapshot?`},
		{"a flag of another command", []string{"windows", "--url", "http://a/"}, `cuatui windows has no flag "--url"`},
		{"letters", []string{"windows", "-é"}, `cuatui windows has no flag "-é"`},
		{"a flag without a name", []string{"windows", "--=x"}, `"--=x" is no flag`},
		{"help on nothing", []string{"help", "explode"}, `cuatui has no command "explode"`},
		{"completion of no shell", []string{"completion", "ksh"}, `cuatui completion has no command "ksh"`},
		{"completion with more", []string{"completion", "bash", "x"}, "cuatui completion bash takes no arguments"},
		{"two faces", []string{"--plain", "--config", "x", "--headless"}, "--plain and --headless do not go together"},
		{"a demo of nothing", []string{"--url", ""}, "--url: must not be empty"},
		{"a log of no name", []string{"tools", "--log", ""}, "--log: must not be empty"},
		{"a log of no name, by an agent's host", []string{"--headless", "--log="}, "--log: must not be empty"},
		{"a query of nothing", []string{"snapshot", "--url", "http://a/", "--query", ""}, "--query: must not be empty"},
		{"a format of nothing", []string{"snapshot", "--url", "http://a/", "--format", ""}, "--format: must not be empty"},
		{"the rest of no list", []string{"explain", "--url", "http://a/", "--text", "a", "--after", ""}, "--after: must not be empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			exit, out, talk := cuatui(t, "", tt.args...)
			if exit != headless.ExitUsage || out != "" || !strings.HasPrefix(talk, "cuatui: "+tt.says) {
				t.Errorf("exit %d, out %q, err %q; want exit 2 and %q on standard error", exit, out, talk, tt.says)
			}
			if lines := strings.Split(talk, "\n"); len(lines) != 3 || !strings.HasPrefix(lines[1], "Run cuatui") || !strings.HasSuffix(lines[1], "--help for what it takes.") {
				t.Errorf("err %q; want one sentence and where the rest is said", talk)
			}
			for _, theirs := range []string{"strconv", "invalid syntax", "parsing", "argument for", "in the group", "unknown command", "unknown flag", "unknown shorthand"} {
				if strings.Contains(talk, theirs) {
					t.Errorf("err %q has the parser's words: %q", talk, theirs)
				}
			}
		})
	}
}

func TestTheHelpNamedIsOfTheCommandUsed(t *testing.T) {
	for _, tt := range []struct{ args, says string }{
		{"snapshot --pid x", "Run cuatui snapshot --help "},
		{"explain", "Run cuatui explain --help "},
		{"snapshot --url file:///etc/passwd", "Run cuatui snapshot --help "}, // found by the command itself
		{"--explode", "Run cuatui --help "},
	} {
		if _, _, talk := cuatui(t, "", strings.Fields(tt.args)...); !strings.Contains(talk, tt.says) {
			t.Errorf("%s: said %q, want %q", tt.args, talk, tt.says)
		}
	}
}

// Wherever a hostile text stands on the command line, what is said is bounded
// and holds nothing that steers a terminal or makes a line of its own.
func TestHostileArgumentsCannotSteerTheTerminal(t *testing.T) {
	hostile := []string{"\x1b]0;owned\a", "a\nforged", "\u009b2J", "\u202eevil", "\xff\xfe", strings.Repeat("x", 100_000), "--\x1b[2J", "-\u009b"}
	places := [][]string{
		{"%"},
		{"windows", "%"},
		{"help", "%"},
		{"completion", "%"},
		{"completion", "bash", "%"},
		{"windows", "--%"},
		{"windows", "-%"},
		{"snapshot", "--pid", "%"},
		{"snapshot", "--pid=1", "--window", "%"},
		{"snapshot", "--url", "%"},
		{"snapshot", "--url", "http://a/", "--format", "%"},
		{"--wayland=%", "windows"},
		{"windows", "--json=%"},
		{"--headless", "--protocol", "%"},
		{"--plain", "--config", "%"},
		{"explain", "--url", "http://a/", "--point", "%"},
		{"explain", "--url", "http://a/", "--reason", "%"},
		{"explain", "--url", "http://a/", "--text", "a", "--after", "%", "--ref", "b"},
		{"--log", "/%/log", "windows"},
	}
	for _, place := range places {
		for _, h := range hostile {
			args := slices.Clone(place)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "%", h)
			}
			exit, out, talk := cuatui(t, "", args...)
			if exit == headless.ExitOK || out != "" || talk == "" {
				t.Errorf("%q with %.20q: exit %d, out %q, err %q; want it refused", place, h, exit, out, talk)
			}
			if snapshotfmt.Printable(talk) != talk || !utf8.ValidString(talk) || len(talk) > 2000 || strings.Contains(talk, "\nforged") {
				t.Errorf("%q with %.20q: said %.3000q", place, h, talk)
			}
		}
	}
}

func TestTheHelpListsTheFormats(t *testing.T) {
	_, out, _ := cuatui(t, "", "snapshot", "--help")
	for _, f := range contract.Formats {
		if !strings.Contains(out, f.Name+": "+f.For) {
			t.Errorf("%s is not explained in %s", f.Name, out)
		}
	}
}

func TestHelpOfEachCommand(t *testing.T) {
	a := &app{}
	everyCommand(a.commands(), func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		exit, out, talk := cuatui(t, "", append([]string{"help"}, path...)...)
		if exit != headless.ExitOK || talk != "" || !strings.Contains(out, "Usage:\n  "+c.CommandPath()) {
			t.Errorf("help %v: exit %d, out %q, err %q", path, exit, out, talk)
		}
	})
}
