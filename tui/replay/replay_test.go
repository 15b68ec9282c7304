package replay

import (
	"encoding/json"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
)

func call(tool, outcome, request, answer string) snapshotfmt.CaseCall {
	return snapshotfmt.CaseCall{Tool: tool, Outcome: outcome, Request: json.RawMessage(request), Answer: json.RawMessage(answer)}
}

const (
	refused = `{"status":"refused","refusal":{"code":"browser_ref_stale","reason":"node_gone","message":"gone","effect":"none","proof":[]}}`
	waited  = `{"status":"ok","verdict":"met","waited_ms":3,"url":"http://a/"}`
)

// An answer that its tool cannot give is refused with the whole file.
func TestACaseOfWrongAnswersIsRefused(t *testing.T) {
	for name, x := range map[string]struct {
		call snapshotfmt.CaseCall
		says string
	}{
		"another outcome":         {call("browser_wait", "fine\x1b[2J", `{}`, waited), "no call ends as"},
		"a request of no kind":    {call("browser_wait", "ok", `[]`, waited), "the request"},
		"no request":              {call("browser_wait", "ok", ``, waited), "the request"},
		"an answer of no kind":    {call("browser_wait", "ok", `{}`, `[]`), "none of the tool"},
		"an answer that lacks":    {call("browser_wait", "ok", `{}`, `{"status":"ok"}`), "none of the tool"},
		"an answer of another":    {call("browser_wait", "ok", `{}`, `{"status":"ok","session":"a"}`), "none of the tool"},
		"a code of another":       {call("browser_wait", "refused", `{}`, strings.Replace(refused, "node_gone", "no_dialog", 1)), "no such refusal"},
		"a refusal of nothing":    {call("browser_wait", "refused", `{}`, `{"status":"refused","refusal":null}`), "none of the tool"},
		"a success as refusal":    {call("browser_wait", "refused", `{}`, waited), "is none"},
		"a refusal as success":    {call("browser_click", "ok", `{}`, refused), "is none"},
		"an error of no kind":     {call("browser_wait", "no answer", `{}`, `{}`), "the error cannot be read"},
		"a snapshot without head": {call("get_browser_state", "ok", `{}`, `{"status":"ok","mode":"snapshot","target_id":"bt-1","refs":[]}`), "none of the tool"},
	} {
		_, err := New(&snapshotfmt.Case{Calls: []snapshotfmt.CaseCall{call("demo", "ok", `"x"`, `"y"`), x.call}})
		if err == nil || !strings.Contains(err.Error(), x.says) || !strings.Contains(err.Error(), "call 2") || strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("%s: %v, want %q", name, err, x.says)
		}
	}
}

// The same call is answered as it was each time, the last answer for good, and
// whoever asks; another session's is another call.
func TestAnswersComeInTheirOrder(t *testing.T) {
	e, err := New(&snapshotfmt.Case{Calls: []snapshotfmt.CaseCall{
		call("browser_wait", "ok", `{"session":"tui-1","target_id":"bt-1","quiet_ms":5}`, waited),
		call("browser_wait", "refused", `{"session":"tui-1-lab","target_id":"bt-1","quiet_ms":5}`, refused),
		call("browser_wait", "no answer", `{"session":"tui-1","target_id":"bt-1","quiet_ms":5}`, `{"kind":"deadline","message":"too late"}`),
		call("browser_wait", "ok", `{"session":"tui-1","target_id":"bt-1","quiet_ms":5}`, strings.Replace(waited, "3", "4", 1)),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.StartSession(t.Context(), contract.StartSessionRequest{Session: "mine"}); err != nil {
		t.Fatal(err)
	}
	ask := func(session string, quiet int) string {
		r, err := e.Wait(t.Context(), contract.WaitRequest{Session: session, TargetID: "bt-1", QuietMS: quiet})
		if err != nil {
			return err.Error()
		}
		return strings.Repeat("i", r.WaitedMS)
	}
	for i, x := range []struct {
		session string
		quiet   int
		want    string
	}{
		{"mine", 5, "iii"}, {"mine-lab", 5, "gone"}, {"mine", 5, "too late"}, {"mine", 5, "iiii"}, {"mine", 5, "iiii"}, {"mine", 6, "no answer to this call"},
	} {
		if got := ask(x.session, x.quiet); !strings.Contains(got, x.want) {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}
