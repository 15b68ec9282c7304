package devtools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func TestScanEnvelope(t *testing.T) {
	tests := []struct {
		name, message string
		want          envelope
	}{
		{
			"reply of the root", `{"id":7,"result":{"a":[1,"}"]}}`,
			envelope{id: 7, hasID: true, result: []byte(`{"a":[1,"}"]}`)},
		},
		{
			"session written last", `{"id":7,"result":{},"sessionId":"AB"}`,
			envelope{id: 7, hasID: true, result: []byte(`{}`), session: "AB"},
		},
		{
			"session written first", `{"sessionId":"AB","method":"M","params":{"x":1}}`,
			envelope{session: "AB", method: "M", params: []byte(`{"x":1}`)},
		},
		{
			"session inside the result is the result's", `{"id":1,"result":{"a":1,"sessionId":"X"}}`,
			envelope{id: 1, hasID: true, result: []byte(`{"a":1,"sessionId":"X"}`)},
		},
		{
			"session inside the params is the params'", `{"method":"M","params":{"a":1,"sessionId":"X"}}`,
			envelope{method: "M", params: []byte(`{"a":1,"sessionId":"X"}`)},
		},
		{
			"a text that ends like a message", `{"id":1,"result":",\"sessionId\":\"X\"}"}`,
			envelope{id: 1, hasID: true, result: []byte(`",\"sessionId\":\"X\"}"`)},
		},
		{
			"error reply", `{"id":2,"error":{"code":-1},"sessionId":"AB"}`,
			envelope{id: 2, hasID: true, failure: []byte(`{"code":-1}`), session: "AB"},
		},
		{
			"space everywhere", " {\n\"id\" :\t3 , \"result\" : [ 1 ] }\r\n",
			envelope{id: 3, hasID: true, result: []byte(`[ 1 ]`)},
		},
		{
			"escaped key and method", `{"\u0069d":4,"\u006dethod":"\u004d"}`,
			envelope{id: 4, hasID: true, method: "M"},
		},
		{
			"other members are stepped over", `{"x":{"id":9},"id":4,"y":[{"method":"N"}],"result":null}`,
			envelope{id: 4, hasID: true, result: []byte(`null`)},
		},
		{
			"the last of two counts", `{"id":4,"id":5,"method":"A","method":"B"}`,
			envelope{id: 5, hasID: true, method: "B"},
		},
		{"an id that is no number", `{"id":"4","result":{}}`, envelope{result: []byte(`{}`)}},
		{"an id that is no whole number", `{"id":4.5,"result":{}}`, envelope{id: 0, result: []byte(`{}`)}},
		{"an id past any id", `{"id":99999999999999999999999,"result":{}}`, envelope{result: []byte(`{}`)}},
		{"an id of null", `{"id":null,"error":{}}`, envelope{failure: []byte(`{}`)}},
		{"a method that is no text", `{"id":1,"method":5}`, envelope{id: 1, hasID: true, odd: true}},
		{"a session that is no text", `{"id":1,"sessionId":{"a":1}}`, envelope{id: 1, hasID: true, odd: true}},
		{"nothing in it", `{}`, envelope{}},
		{
			"a string ending in backslashes", `{"id":1,"result":"\\\\","sessionId":"S"}`,
			envelope{id: 1, hasID: true, result: []byte(`"\\\\"`), session: "S"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := scanEnvelope([]byte(test.message))
			if err != nil {
				t.Fatal(err)
			}
			compare(t, got, test.want)
		})
	}
}

func compare(t *testing.T, got, want envelope) {
	t.Helper()
	if got.id != want.id && want.hasID || got.hasID != want.hasID || got.method != want.method ||
		got.session != want.session || got.odd != want.odd ||
		string(got.params) != string(want.params) || string(got.result) != string(want.result) ||
		string(got.failure) != string(want.failure) {
		t.Errorf("got  %s\nwant %s", show(got), show(want))
	}
}

func show(e envelope) string {
	return fmt.Sprintf("session %q method %q id %d %t params %.60s result %.60s error %.60s odd %t",
		e.session, e.method, e.id, e.hasID, e.params, e.result, e.failure, e.odd)
}

func TestScanEnvelopeRefusesWhatIsNoObject(t *testing.T) {
	for _, message := range []string{
		``, ` `, `[]`, `"x"`, `null`, `12`, `{`, `{"id"`, `{"id":`, `{"id":1`, `{"id":1,`, `{"id":1,}`, `{"id":1}}`,
		`{"id":1}{}`, `{"id":1 "a":2}`, `{id:1}`, `{"id":1,"result":{"a":1}`, `{"id":1,"result":"abc}`, `{"a":tru}`,
		`{"a":}`, `{"a"}`, `{"a\`, `{"a\"`, `{"\u00zz":1}`, "{\x00}",
	} {
		if e, err := scanEnvelope([]byte(message)); err == nil {
			t.Errorf("%q: read as %s", message, show(e))
		}
	}
}

// long makes a message of quickBytes or more around a body.
func long(head, body, tail string) string {
	return head + `{"pad":"` + strings.Repeat(`\"x`, quickBytes/3) + `",` + body + `}` + tail
}

func TestScanEnvelopeOfLongMessages(t *testing.T) {
	const inner = `"a":{"b":1,"sessionId":"INNER"}`
	tests := []struct {
		name, message, session, method string
		whole                          bool // the value is the object that was put in
	}{
		{"reply of a session", long(`{"id":1,"result":`, inner, `,"sessionId":"AB"}`), "AB", "", true},
		{"reply of the root", long(`{"id":1,"result":`, inner, `}`), "", "", true},
		{"event of a session", long(`{"method":"M","params":`, inner, `,"sessionId":"AB"}`), "AB", "M", true},
		{"event of the root", long(`{"method":"M","params":`, inner, `}`), "", "M", true},
		{"session first", long(`{"sessionId":"AB","id":1,"result":`, inner, `}`), "AB", "", true},
		{"result before the id", long(`{"result":`, inner, `,"id":1,"sessionId":"AB"}`), "AB", "", true},
		{"session with an escape", long(`{"id":1,"result":`, inner, `,"sessionId":"\u0041B"}`), "AB", "", true},
		{"session twice", long(`{"sessionId":"OLD","id":1,"result":`, inner, `,"sessionId":"AB"}`), "AB", "", true},
		{"another text last", long(`{"id":1,"result":`, inner, `,"note":"AB"}`), "", "", true},
		{"session of the result last in it", long(`{"id":1,"result":`, `"sessionId":"INNER"`, `}`), "", "", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, err := scanEnvelope([]byte(test.message))
			if err != nil {
				t.Fatal(err)
			}
			if e.session != test.session || e.method != test.method || e.hasID != (test.method == "") {
				t.Errorf("got %s", show(e))
			}
			value := append(e.params, e.result...)
			if test.whole && (!json.Valid(value) || !bytes.HasPrefix(value, []byte(`{"pad"`))) {
				t.Errorf("value of %d bytes is not what was put in", len(value))
			}
		})
	}
}

func TestScanEnvelopeLooksIntoNoLargeResult(t *testing.T) {
	// Were the result walked, its missing bracket would show.
	broken := strings.Replace(long(`{"id":1,"result":`, `"a":1`, `,"sessionId":"AB"}`), `"a":1}`, `"a":[}`, 1)
	e, err := scanEnvelope([]byte(broken))
	if err != nil || e.session != "AB" || e.id != 1 {
		t.Errorf("got %s, %v", show(e), err)
	}
}

// FuzzEnvelope holds the scanner to what encoding/json says of the same message,
// on both ways through it.
func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"result":{"sessionId":"X"}}`,
		`{"id":1,"result":{},"sessionId":"X"}`,
		`{"id":1,"result":{"a":"\\\",\"sessionId\":\"Y\"}"},"sessionId":"X"}`,
		`{"method":"M","params":{"a":[{},[]]},"sessionId":"X"}`,
		`{"id":2,"error":{"code":-32000,"message":"m"},"sessionId":"X"}`,
		`{"id":1,"result":1,"result":{"a":2},"x":{},"sessionId":"X"}`,
		`{"result":{},"id":1,"sessionId":"X"}`,
		`{"sessionId":"A","id":1,"result":{},"sessionId":"B"}`,
		`{"\u0069d":-1,"method":"é\ud800","params":null}`,
		" { \"id\" : 1e3 , \"x\" : true , \"sessionId\" : null } ",
		`{"id":1,"result":"a","sessionId":"X"} `, `{"a":[}`, `{`, ``, `[1]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		slow, slowErr := scanMembers(data, "", 0)
		session, end := tailSession(data)
		quick, quickErr := scanMembers(data, session, end)

		var members map[string]json.RawMessage
		if json.Unmarshal(data, &members) != nil || members == nil {
			return // not an object: it is enough that nothing panicked
		}
		if slowErr != nil || quickErr != nil {
			t.Fatalf("refused a JSON object: %v, %v", slowErr, quickErr)
		}
		want := envelope{params: members["params"], result: members["result"], failure: members["error"]}
		var err error
		want.id, err = strconv.ParseUint(string(members["id"]), 10, 64)
		want.hasID = err == nil
		want.method = text(members["method"])
		want.session = text(members["sessionId"])
		want.odd = slow.odd // of a member that a later one may replace
		compare(t, slow, want)

		value := append(bytes.Clone(quick.params), quick.result...)
		if end > 0 && !json.Valid(value) {
			return // more members than Chromium writes: who decodes the value refuses it
		}
		if quick.session != want.session {
			t.Errorf("session %q, want %q", quick.session, want.session)
		}
		if quick.result != nil && !bytes.Equal(bytes.TrimSpace(quick.result), want.result) {
			t.Errorf("result %q, want %q", quick.result, want.result)
		}
	})
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
