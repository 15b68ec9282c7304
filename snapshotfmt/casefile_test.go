package snapshotfmt

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
)

func aCase() *Case {
	return &Case{Format: CaseFormat, Saved: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Calls: []CaseCall{{
		At: time.Date(2026, 11, 30, 11, 0, 0, 0, time.UTC), Tool: "get_browser_state", About: "snapshot <1>", Outcome: "ok", TookUS: 1200,
		Request: json.RawMessage(`{"session":"a"}`), Answer: json.RawMessage(`{"status":"ok"}`), Lines: []Line{{Depth: 1, K: 7, Ref: "p1:7", Text: "- button"}},
	}}}
}

func TestACaseIsReadAsItWasWritten(t *testing.T) {
	var packed bytes.Buffer
	if err := WriteCase(&packed, aCase()); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{"packed": packed.Bytes(), "unpacked": plain} {
		got, err := ReadCase(bytes.NewReader(raw))
		if err != nil || !reflect.DeepEqual(got, aCase()) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestWhatIsNoCaseIsRefused(t *testing.T) {
	many := `{"format":"` + CaseFormat + `","calls":[` + strings.TrimSuffix(strings.Repeat(`{},`, CaseCallsMax+1), ",") + `]}`
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	const most = 1 << 20
	_, _ = z.Write(bytes.Repeat([]byte(" "), most+1)) // to memory
	_ = z.Close()
	for name, x := range map[string]struct{ file, says string }{
		"nothing":               {"", "no case file"},
		"no JSON":               {"hello", "no case file"},
		"other JSON":            {`{"a":1}`, "no case file"},
		"a list":                {`[]`, "no case file"},
		"another form":          {`{"format":"cuatui-case-9\u001b[2J"}`, `its format is`},
		"an unknown field":      {`{"format":"` + CaseFormat + `","evil":1}`, "unknown field"},
		"calls of another kind": {`{"format":"` + CaseFormat + `","calls":{}}`, "cannot unmarshal"},
		"something behind it":   {`{"format":"` + CaseFormat + `"} {}`, "no case file"},
		"half of one packed":    {"\x1f\x8b\x08", "read case"},
		"too many calls":        {many, "of at most"},
		"what unpacks for ever": {bomb.String(), "more than"},
	} {
		_, err := readCase(strings.NewReader(x.file), most)
		if err == nil || !strings.Contains(err.Error(), x.says) || strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("%s: %v, want %q", name, err, x.says)
		}
	}
}
