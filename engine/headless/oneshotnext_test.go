package headless_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/refusal"
)

// refusing is an engine that refuses to bind, and leads on by a call.
func refusing(reason refusal.Reason) *fakeEngine {
	r := refusal.New(reason, "no").WithNext("browser_prepare", map[string]any{"session": "oneshot"})
	return &fakeEngine{state: func(context.Context, contract.StateRequest) (*contract.StateResult, error) { return nil, r }}
}

// A call leads nowhere on a command line: what leads on is another one, or it
// is said that there is none.
func TestARefusalOnACommandLineLeadsToNoCall(t *testing.T) {
	for _, e := range refusal.Table {
		for _, of := range []headless.Subject{{PID: 1, Window: 2}, {URL: "http://a/?q=it's&x"}} {
			var text, data bytes.Buffer
			for _, o := range []headless.OneShot{{Out: &text, Err: &text}, {Out: &data, Err: &data, JSON: true}} {
				if exit := o.Snapshot(t.Context(), refusing(e.Reason), headless.SnapshotOf{Subject: of}); exit != headless.ExitRefused {
					t.Fatalf("%s: exit %d, %s%s", e.Reason, exit, text.String(), data.String())
				}
			}
			var got struct {
				Refusal     refusal.Refusal
				NextCommand string `json:"next_command"`
			}
			if err := json.Unmarshal(data.Bytes(), &got); err != nil || got.Refusal.Reason != e.Reason || got.Refusal.Next != nil {
				t.Errorf("%s: %v in %s; want no call as the next step", e.Reason, err, data.String())
			}
			line := strings.Split(text.String(), "\n")[1]
			want := ": " + got.NextCommand
			if got.NextCommand == "" {
				want = "Next: no command line leads"
			}
			if !strings.HasPrefix(line, "Next") || !strings.Contains(line, want) {
				t.Errorf("%s: the line after the refusal is %q; want %q in it", e.Reason, line, want)
			}
			for _, tool := range contract.Tools {
				if strings.Contains(text.String(), tool.Name) || strings.Contains(data.String(), tool.Name) {
					t.Errorf("%s names the tool %s: %s%s", e.Reason, tool.Name, text.String(), data.String())
				}
			}
		}
	}
}

func TestWhichCommandLineLeadsOn(t *testing.T) {
	window, url := headless.Subject{PID: 1, Window: 2}, headless.Subject{URL: "http://a/?q=it's&x"}
	tests := []struct {
		reason refusal.Reason
		of     headless.Subject
		flags  []string
		line   string
	}{
		{refusal.DisplayUnavailable, url, nil, "cuatui doctor"},
		{refusal.ConnectFailed, url, nil, "cuatui doctor"},
		{refusal.ConnectFailed, window, nil, "cuatui windows"},
		{refusal.NotABrowser, window, nil, "cuatui windows"},
		{refusal.WindowGone, window, nil, "cuatui windows"},
		{refusal.SameBox, window, nil, "cuatui windows"},
		{refusal.PersonalBrowser, window, nil, "cuatui"},
		{refusal.DialogOpen, url, nil, `cuatui --url 'http://a/?q=it'\''s&x'`},
		{refusal.Foreign, window, nil, "cuatui snapshot --pid 1 --window 2"},
		{refusal.Superseded, url, []string{"--wayland"}, `cuatui --wayland snapshot --url 'http://a/?q=it'\''s&x'`},
		{refusal.NoEndpoint, window, nil, ""},
		{refusal.ByPerson, window, nil, ""}, // never ask again
		{refusal.OtherProcess, window, nil, ""},
	}
	for _, tt := range tests {
		var data bytes.Buffer
		o := headless.OneShot{Out: &data, Err: &data, JSON: true, Flags: tt.flags}
		o.Snapshot(t.Context(), refusing(tt.reason), headless.SnapshotOf{Subject: tt.of})
		var got struct {
			NextCommand string `json:"next_command"`
		}
		if err := json.Unmarshal(data.Bytes(), &got); err != nil || got.NextCommand != tt.line {
			t.Errorf("%s of %+v leads to %q, %v; want %q", tt.reason, tt.of, got.NextCommand, err, tt.line)
		}
	}
}
