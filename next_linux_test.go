package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/refusal"
)

// refuser is an engine that refuses every window and every launch.
type refuser struct {
	headless.Engine

	with *refusal.Refusal
}

func (refuser) StartSession(_ context.Context, r contract.StartSessionRequest) (*contract.StartSessionResult, error) {
	return &contract.StartSessionResult{Status: contract.OK, Session: r.Session}, nil
}

func (refuser) EndSession(_ context.Context, r contract.EndSessionRequest) (*contract.EndSessionResult, error) {
	return &contract.EndSessionResult{Status: contract.OK, Session: r.Session}, nil
}

func (e refuser) State(context.Context, contract.StateRequest) (*contract.StateResult, error) {
	return nil, e.with
}

func (e refuser) Prepare(context.Context, contract.PrepareRequest) (*contract.PrepareResult, error) {
	return nil, e.with
}

// Every command line that a refusal leads to is read by a shell as the program
// takes it.
func TestTheNextCommandLineIsTaken(t *testing.T) {
	lines := map[string]bool{}
	for _, e := range refusal.Table {
		for _, of := range []headless.Subject{{PID: 1, Window: 2}, {URL: "http://a/?q=it's $HOME&x=`y`;#z"}} {
			var out bytes.Buffer
			o := headless.OneShot{Out: &out, Err: &out, JSON: true, Flags: []string{"--wayland"}}
			o.Snapshot(t.Context(), refuser{with: refusal.New(e.Reason, "no")}, headless.SnapshotOf{Subject: of})
			var got struct {
				NextCommand string `json:"next_command"`
			}
			must(t, json.Unmarshal(out.Bytes(), &got))
			if got.NextCommand != "" {
				lines[got.NextCommand] = true
			}
		}
	}
	if len(lines) < 5 {
		t.Errorf("only %v", lines)
	}
	for line := range lines {
		words, err := exec.CommandContext(t.Context(), "sh", "-c", `cuatui() { printf '%s\n' "$@"; }; `+line).Output()
		must(t, err)
		a := &app{}
		root := a.commands()
		c, rest, err := root.Find(strings.Split(strings.TrimSuffix(string(words), "\n"), "\n"))
		must(t, err)
		if err := c.ParseFlags(rest); err != nil || len(c.Flags().Args()) > 0 || !a.wayland {
			t.Errorf("%s: %v, arguments %q, --wayland %t", line, err, c.Flags().Args(), a.wayland)
		}
		if c.PreRunE != nil {
			must(t, c.PreRunE(c, nil))
		}
		if strings.Contains(line, "--url") && a.url+a.of.URL != "http://a/?q=it's $HOME&x=`y`;#z" {
			t.Errorf("%s: read the url as %q", line, a.url+a.of.URL)
		}
	}
}

// What is said of seeing a machine without a display is true of one that has
// Xvfb, too: it is done here as it is written.
func TestADisplayThatIsNotThereIsSeenAsWritten(t *testing.T) {
	i := slices.IndexFunc(refusal.Table, func(e refusal.Entry) bool { return e.Reason == refusal.DisplayUnavailable })
	see := regexp.MustCompile(`[Rr]un ((?:[A-Z_]+= )+)cuatui (\w+)\.$`).FindStringSubmatch(refusal.Table[i].See)
	if see == nil {
		t.Fatalf("no command in %q", refusal.Table[i].See)
	}
	for _, name := range strings.Fields(see[1]) {
		t.Setenv(strings.TrimSuffix(name, "="), "")
	}
	t.Setenv("XDG_RUNTIME_DIR", "") // outside of Sway
	var out, talk bytes.Buffer
	code := run([]string{"--state-dir", t.TempDir(), see[2]}, strings.NewReader(""), &out, &talk, nil)
	if code != int(headless.ExitRefused) || !strings.Contains(out.String(), "(display_unavailable)") || !strings.Contains(out.String(), ": cuatui doctor\n") || talk.Len() > 0 {
		t.Errorf("exit %d, out %q, err %q", code, out.String(), talk.String())
	}
}
