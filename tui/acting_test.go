package tui

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
	"cuatui/tui/tuitest"
)

// typing leads to the first way of typing into the message of the inbox.
var typing = []string{"enter", "2", "/", "type:message", "enter", "a", "down", "down", "down"}

// at leads to the n-th row of the actions of what a filter finds.
func at(filter string, n int) []string {
	keys := []string{"enter", "2", "/", "type:" + filter, "enter", "a"}
	for range n {
		keys = append(keys, "down")
	}
	return append(keys, "enter")
}

// Every way of acting asks for what it needs and makes exactly the call that it
// says, with the post-conditions.
func TestEveryActionIsFired(t *testing.T) {
	tests := []struct {
		name string
		keys []string
		want string
	}{
		{"click by a key", at("reply to all", 0), "browser_click p42:23 trusted_key "},
		{"click by an event", at("reply to all", 1), "browser_click p42:23 dom_event "},
		{"click by the mouse", at("reply to all", 2), "browser_click p42:23 trusted foreground"},
		{"text at once", append(at("message", 3), "type:Hello", "enter"), `browser_type p42:30 insert_text "Hello" replace=false submit=false expect=none`},
		{"text key by key", append(at("message", 4), "type:Hello", "enter"), `browser_type p42:30 keystrokes "Hello" replace=false submit=false expect=none`},
		{"text in place of another, submitted", append(slices.Clone(typing), "r", "s", "enter", "type: Hi ", "enter"), `browser_type p42:30 insert_text " Hi " replace=true submit=true expect=none`},
		{"clearing a field", append(slices.Clone(typing), "r", "enter", "enter"), `browser_type p42:30 insert_text "" replace=true submit=false expect=none`},
		{"options that were turned on and off", append(slices.Clone(typing), "r", "r", "s", "s", "enter", "type:x", "enter"), `browser_type p42:30 insert_text "x" replace=false submit=false expect=none`},
		{"an option by its label", append(at("priority", 3), "type:Very high", "enter"), `browser_select p42:32 ["Very high"] [] expect=none`},
		{"several by their values", append(at("priority", 4), `type:"a" "b c"`, "enter"), `browser_select p42:32 [] ["a" "b c"] expect=none`},
		{"a key", append(at("message", 5), "type:Enter", "enter"), `browser_press p42:30 Enter [] expect=none`},
		{"a chord", append(at("message", 5), "type:Control+Shift+a", "enter"), `browser_press p42:30 a ["Control" "Shift"] expect=none`},
		{"plus, as a key", append(at("message", 5), "type:+", "enter"), `browser_press p42:30 + [] expect=none`},
		{"what is not declared: type", append(at("reply to all", 4), "type:x", "enter"), `browser_type p42:23 insert_text "x" replace=false submit=false expect=none`},
		{"what is not declared: upload", append(at("reply to all", 6), `type:/tmp/a b`, "enter"), `browser_set_input_files p42:23 ["/tmp/a b"] expect=none`},
		{"what is not declared: scroll", append(at("reply to all", 7), "type:-400", "enter"), "browser_pointer p42:23 scroll   0,-400 to= expect=none"},
		{"scroll both ways", append(at("reply to all", 7), "type:10, 20", "enter"), "browser_pointer p42:23 scroll   10,20 to= expect=none"},
		{"what is not declared: pointer", at("reply to all", 8), "browser_pointer p42:23 hover   0,0 to= expect=none"},
		{"right click by an event", at("inbox", 4), "browser_pointer p42:10 right_click dom_event  0,0 to= expect=none"},
		{"right click by the mouse", at("inbox", 5), "browser_pointer p42:10 right_click trusted foreground 0,0 to= expect=none"},
		{"double click", at("inbox", 6), "browser_pointer p42:10 double_click dom_event  0,0 to= expect=none"},
		{"drag", append(at("inbox", 8), "type:p42:11", "enter"), "browser_pointer p42:10 drag dom_event  0,0 to=p42:11 expect=none"},
		{"a text to expect", append(slices.Clone(typing), "e", "type:is sent", "enter", "enter", "type:x", "enter"), `browser_type p42:30 insert_text "x" replace=false submit=false expect={"text":"is sent"}`},
		{"conditions to expect", append(slices.Clone(typing), "e", `type:text_gone="not sent" state=empty download=true`, "enter", "enter", "type:x", "enter"), `browser_type p42:30 insert_text "x" replace=false submit=false expect={"text_gone":"not sent","state":"empty","download":true}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := tuitest.New()
			e.Page = withPointer
			m := newTest(t, e, 100, 40)
			press(t, m, tt.keys...)
			calls := e.Calls()
			i := slices.IndexFunc(calls, func(c string) bool { return strings.HasPrefix(c, "browser_") })
			if i < 0 || calls[i] != tt.want {
				t.Fatalf("calls %q, want %q\n%s", calls[min(4, len(calls)):], tt.want, frame(t, m))
			}
		})
	}
}

// What is typed wrongly is said where it is typed, and nothing is called.
func TestAnActionThatIsAskedForWronglyIsNotFired(t *testing.T) {
	tests := []struct {
		name string
		keys []string
		says string
	}{
		{"no text", append(slices.Clone(typing), "enter", "enter"), "is required, except with replace"},
		{"no key", append(at("message", 5), "type:Entr", "enter"), "must be a key's name or one character"},
		{"no modifier", append(at("message", 5), "type:Hyper+a", "enter"), "must be of Alt, Control, Meta, Shift"},
		{"no option", append(at("priority", 3), "enter"), "is empty"},
		{"an open quote", append(at("priority", 3), `type:"a`, "enter"), "write each in quotes"},
		{"no absolute path", append(at("reply to all", 6), "type:a.txt", "enter"), "must be an absolute path"},
		{"no number", append(at("reply to all", 7), "type:far", "enter"), "must be CSS px down"},
		{"nowhere to scroll", append(at("reply to all", 7), "type:0", "enter"), "scroll needs a delta"},
		{"an infinity", append(at("reply to all", 7), "type:Inf", "enter"), "is out of range"},
		{"no condition of that name", append(slices.Clone(typing), "e", "type:colour=red", "enter"), "no such condition"},
		{"no such state", append(slices.Clone(typing), "e", "type:state=red", "enter"), "must be one of"},
		{"nothing to see", append(slices.Clone(typing), "e", `type:text=" "`, "enter"), "must hold something that can be seen"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := tuitest.New()
			m := newTest(t, e, 160, 40)
			press(t, m, tt.keys...)
			wantFrame(t, m, tt.says)
			if last := lastCall(e); strings.HasPrefix(last, "browser_") {
				t.Errorf("called %q", last)
			}
			if m.prompt == nil || len(m.sheets) != 1 {
				t.Errorf("the line is gone, or the page: %d pages", len(m.sheets))
			}
			press(t, m, "x")
			if strings.Contains(frame(t, m), tt.says) {
				t.Error("it is said still while it is mended")
			}
		})
	}
}

func TestAResultSaysWhatBecameOfThePage(t *testing.T) {
	e := changing()
	m := newTest(t, e, 100, 50)
	press(t, m, append(slices.Clone(typing), "e", "type:is sent", "enter", "enter", "type:Thursday it is", "enter")...)
	wantFrame(t, m, "◐ partial", "✗ unmet: text: the page does not show it", "10 of 14 characters", "The page, p42 → p43", "Result · type p42:30 by insert_text")
	for _, row := range m.book.Diff().Rows {
		if row.Kind != ' ' && !strings.Contains(frame(t, m), string(row.Kind)+" "+strings.TrimPrefix(row.Line.Text, "- ")) {
			t.Errorf("%c %s is not there:\n%s", row.Kind, row.Line.Text, frame(t, m))
		}
	}
}

// The page after an action is read as it was read before it, so that the two can
// be compared.
func TestThePageIsReadAfterAnActionAsItWasBefore(t *testing.T) {
	e := tuitest.New()
	m := newTest(t, e, 100, 40)
	press(t, m, "enter", "down", "s", "down", "a", "enter")
	if got := lastCall(e); got != `snapshot query="" scope="p43:3"` {
		t.Errorf("last call = %q", got)
	}
	wantFrame(t, m, "The page, p43 → p44")
}

func TestOnlyTypingTakesReplaceAndSubmit(t *testing.T) {
	m := newTest(t, tuitest.New(), 100, 30)
	press(t, m, "enter", "2", "/", "type:message", "enter", "a", "s")
	wantFrame(t, m, "submit: the action under the cursor types nothing")
	press(t, m, "down", "down", "down", "s", "r")
	wantFrame(t, m, "in place of what is there, then Enter")
	if it, _ := m.top().acting.menu.Selected(); it.Key != "type · insert_text" {
		t.Errorf("the cursor went to %q", it.Key)
	}
}

func TestReadExpect(t *testing.T) {
	tests := []struct {
		line string
		want *contract.Expect
		bad  string
	}{
		{"", nil, ""},
		{"  ", nil, ""},
		{"is sent", &contract.Expect{Text: "is sent"}, ""},
		{"a=b", nil, "no such condition"},
		{"1 + 1 = 2", &contract.Expect{Text: "1 + 1 = 2"}, ""},
		{`text="a \"b\"" url_part=/done?x=1`, &contract.Expect{Text: `a "b"`, URLPart: "/done?x=1"}, ""},
		{"state=checked ref=p1:2", &contract.Expect{State: "checked", Ref: "p1:2"}, ""},
		{"dialog=confirm", &contract.Expect{Dialog: "confirm"}, ""},
		{"download=true", &contract.Expect{Download: true}, ""},
		{"download=false", nil, "at least one condition"},
		{"text=a text=b", nil, "given twice"},
		{"text=a b", nil, "must be name=value"},
		{`text="a`, nil, "must be name=value"},
		{`text="\q"`, nil, "not quoted rightly"},
		{"dialog=window", nil, "must be one of"},
		{"ref=p1:2", nil, "at least one condition"},
	}
	for _, tt := range tests {
		got, err := readExpect(tt.line)
		if tt.bad != "" {
			if err == nil || !strings.Contains(err.Error(), tt.bad) {
				t.Errorf("%q: %+v, %v; want %q", tt.line, got, err, tt.bad)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %+v, %v", tt.line, got, err)
		}
	}
}

func TestAPageThatCannotBeReadAfterAnActionIsSaidSo(t *testing.T) {
	e := tuitest.New()
	e.Page = func(n int, r contract.StateRequest) (*snapshotfmt.Semantic, error) {
		if n > 1 {
			return nil, refusal.New(refusal.Navigated, "the document has been replaced")
		}
		return tuitest.Inbox(n, r)
	}
	m := newTest(t, e, 100, 40)
	press(t, m, "enter", "down", "a", "enter")
	wantFrame(t, m, "✗ browser_ref_stale")
	press(t, m, "esc")
	wantFrame(t, m, "Result · click p42:3 by trusted_key", "the page could not be read again")
}

// withPointer is the inbox, with a link that takes gestures.
func withPointer(n int, r contract.StateRequest) (*snapshotfmt.Semantic, error) {
	s, err := tuitest.Inbox(n, r)
	for i := range s.Refs {
		if strings.HasSuffix(s.Refs[i].Ref, ":10") {
			s.Refs[i].Actions = []string{"click", "pointer"}
		}
	}
	return s, err
}
