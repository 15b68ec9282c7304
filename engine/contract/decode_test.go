package contract_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"cuatui/engine/contract"
)

func TestDecodeIsStrict(t *testing.T) {
	tests := []struct {
		name, in string
		field    string // "" with message "" means the call is accepted
		message  string
	}{
		{name: "all fields", in: `{"session":"s","target_id":"bt-1","tab_id":"tab-1","ref":"p1:2","route":"trusted","delivery_mode":"foreground"}`},
		{name: "only required fields", in: `{"session":"s","target_id":"bt-1","ref":"p1:2","route":"trusted"}`},
		{name: "space around", in: " {\"session\":\"s\",\"target_id\":\"bt-1\",\"ref\":\"p1:2\",\"route\":\"trusted\"}\r\n"},
		{name: "unknown field", in: `{"session":"s","force":true}`, field: "force", message: "is not an argument"},
		{name: "another case is another name", in: `{"Session":"s"}`, field: "Session", message: "is not an argument"},
		{name: "repeated field", in: `{"session":"a","session":"b"}`, field: "session", message: "is given twice"},
		{name: "number for a string", in: `{"session":1}`, field: "session", message: "must be a string"},
		{name: "object for a string", in: `{"session":{}}`, field: "session", message: "must be a string"},
		{name: "null is a value", in: `{"session":null}`, field: "session", message: "must be a string"},
		{name: "missing field", in: `{"session":"s","target_id":"bt-1","ref":"p1:2"}`, field: "route", message: "is required"},
		{name: "no arguments", in: ``, field: "session", message: "is required"},
		{name: "array", in: `["session"]`, message: "must be a JSON object"},
		{name: "null", in: `null`, message: "must be a JSON object"},
		{name: "trailing object", in: `{"session":"s","target_id":"bt-1","ref":"p1:2","route":"trusted"}{}`, message: "something follows"},
		{name: "trailing garbage", in: `{"session":"s","target_id":"bt-1","ref":"p1:2","route":"trusted"}]`, message: "something follows"},
		{name: "cut off", in: `{"session":"s`, field: "session", message: "ends too early"},
		{name: "cut off after a member", in: `{"session":"s"`, message: "ends too early"},
		{name: "not JSON", in: `hello`, message: "is not valid JSON"},
		{name: "deep nesting", in: `{"session":` + strings.Repeat("[", 100_000), field: "session", message: "is not valid JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := contract.Decode[contract.ClickRequest]([]byte(tt.in))
			if tt.message == "" {
				if err != nil || got.Session != "s" || got.Ref != "p1:2" || got.Route != "trusted" {
					t.Fatalf("Decode = %+v, %v; want it accepted", got, err)
				}
				return
			}
			var bad *contract.ArgumentError
			if !errors.As(err, &bad) || bad.Field != tt.field || !strings.Contains(bad.Message, tt.message) {
				t.Errorf("Decode error = %#v, want field %q, message with %q", err, tt.field, tt.message)
			}
		})
	}
}

func TestDecodeIsStrictInside(t *testing.T) {
	for in, want := range map[string]struct{ field, message string }{
		`{"text":"x","state":"checked"}`: {},
		`{"texts":"x"}`:                  {"expect.texts", "is not an argument"},
		`{"text":"x","text":"y"}`:        {"expect.text", "is given twice"},
		`{"text":7}`:                     {"expect.text", "must be a string"},
		`{"text":null}`:                  {"expect.text", "must be a string"},
		`{"text":{"text":"x"}}`:          {"expect.text", "must be a string"},
		`"text"`:                         {"expect", "must be a JSON object"},
		`null`:                           {"expect", "must be a JSON object"},
		`[]`:                             {"expect", "must be a JSON object"},
	} {
		got, err := contract.Decode[contract.ClickRequest]([]byte(`{"session":"s","target_id":"bt-1","ref":"p1:2","route":"trusted","expect":` + in + `}`))
		var bad *contract.ArgumentError
		switch {
		case want.field == "" && (err != nil || got.Expect.Text != "x" || got.Expect.State != "checked"):
			t.Errorf("%s: %+v, %v", in, got, err)
		case want.field != "" && (!errors.As(err, &bad) || bad.Field != want.field || !strings.Contains(bad.Message, want.message)):
			t.Errorf("%s: %#v, want field %s, message with %q", in, err, want.field, want.message)
		}
	}
}

func TestDecodeNumbers(t *testing.T) {
	tests := []struct{ name, in, message string }{
		{"largest window id", `{"session":"s","pid":1,"window_id":18446744073709551615}`, ""},
		{"window id too large", `{"session":"s","pid":1,"window_id":18446744073709551616}`, "a whole number from 0"},
		{"negative window id", `{"session":"s","pid":1,"window_id":-1}`, "a whole number from 0"},
		{"fraction", `{"session":"s","pid":1.5}`, "a whole number"},
		{"exponent", `{"session":"s","pid":1e3}`, "a whole number"},
		{"number in quotes", `{"session":"s","pid":"1"}`, "a whole number"},
		{"number for a truth value", `{"session":"s","all":1}`, "is not an argument"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := contract.Decode[contract.StateRequest]([]byte(tt.in))
			if (err == nil) != (tt.message == "") || err != nil && !strings.Contains(err.Error(), tt.message) {
				t.Errorf("Decode error = %v, want %q", err, tt.message)
			}
		})
	}
}

// A value of another type is answered with the type that is meant, whichever
// argument it is.
func TestDecodeNamesTheTypeOfEveryArgument(t *testing.T) {
	for _, tool := range contract.Tools {
		for name, p := range tool.InputSchema().Properties {
			raw, err := json.Marshal(map[string]any{name: map[string]any{"x": 1}})
			if err != nil {
				t.Fatal(err)
			}
			says := "must be "
			if p.Type == "object" {
				says = "is not an argument"
			}
			err = requests[tool.Name](raw)
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "another type") {
				t.Errorf("%s %s: %v", tool.Name, raw, err)
			}
		}
	}
}

func TestDecodeTakesOnlyUTF8(t *testing.T) {
	_, err := contract.Decode[contract.StateRequest]([]byte("{\"session\":\"s\",\"query\":\"\xff\"}"))
	if err == nil || !strings.Contains(err.Error(), "is not valid UTF-8") {
		t.Errorf("answered %v", err)
	}
}

func TestDecodeBoundsWhatItRepeats(t *testing.T) {
	_, err := contract.Decode[contract.ClickRequest]([]byte(`{"` + strings.Repeat("x", 1<<16) + `":1}`))
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("error of %d bytes, want a short one", len(err.Error()))
	}
}

// requests decodes and validates raw as the arguments of each tool.
var requests = map[string]func(raw []byte) error{
	"start_session":     check[contract.StartSessionRequest],
	"end_session":       check[contract.EndSessionRequest],
	"list_windows":      check[contract.ListWindowsRequest],
	"get_browser_state": check[contract.StateRequest],
	"browser_prepare":   check[contract.PrepareRequest],
	"browser_navigate":  check[contract.NavigateRequest],
	"browser_click":     check[contract.ClickRequest],

	"explain_browser_state":   check[contract.ExplainRequest],
	"browser_type":            check[contract.TypeRequest],
	"browser_select":          check[contract.SelectRequest],
	"browser_press":           check[contract.PressRequest],
	"browser_pointer":         check[contract.PointerRequest],
	"browser_set_input_files": check[contract.FilesRequest],
	"browser_download":        check[contract.DownloadRequest],
	"browser_dialog":          check[contract.DialogRequest],
	"browser_screenshot":      check[contract.ScreenshotRequest],
	"browser_wait":            check[contract.WaitRequest],
	"browser_tabs":            check[contract.TabsRequest],
}

func check[T any, P interface {
	*T
	Validate() error
}](raw []byte) error {
	r, err := contract.Decode[T](raw)
	if err != nil {
		return err
	}
	return P(r).Validate()
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"session":"s"}`, `{"session":"s","pid":1,"window_id":2}`, `{"session":"s","url":"http://a/"}`,
		`{"session":"s","profile":"isolated_new","allow_launch":true}`, `{`, `{"a":{"a":[`, `"\ud800"`, "{\"\xff\":1}", `{"session":1e999}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for tool, decode := range requests {
			var bad *contract.ArgumentError
			if err := decode(raw); err != nil && !errors.As(err, &bad) {
				t.Errorf("%s: %v is no ArgumentError", tool, err)
			}
		}
	})
}
