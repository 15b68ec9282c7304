package e2e_test

import "testing"

// TestTheScanFindsInternals plants what must not leave the engine in answers,
// so that a scan that finds nothing means something.
func TestTheScanFindsInternals(t *testing.T) {
	s := &stage{state: "/state/of/this/run", witness: &witness{secret: map[string]string{"C0FFEE-short": "an id that was learned"}}}
	for _, planted := range []string{
		`{"message":"target 0A1B2C3D4E5F60718293A4B5C6D7E8F9 is gone"}`,
		`{"got":"8012345678901234567.4.21"}`,
		`{"url":"ws://127.0.0.1:9222/x"}`,
		`{"detail":"GET /json/version failed"}`,
		`{"detail":"/devtools/browser/1234"}`,
		`{"profile":"isolated-0123456789abcdef0123456789abcdef"}`,
		`{"world":"w0123456789abcdef0123456789abcdef"}`,
		`{"backendNodeId":17}`,
		`{"message":"Cannot find executionContextId"}`,
		`{"message":"open /home/somebody/.config: denied"}`,
		`{"message":"in /state/of/this/run"}`,
		`{"id":"C0FFEE-short"}`,
	} {
		if len(s.leaks([]byte(planted))) == 0 {
			t.Errorf("not found: %s", planted)
		}
	}
	innocent := `{"target_id":"bt-0123456789abcdef0123456789abcdef","tab_id":"tab-0123456789abcdef0123456789abcdef","url":"http://127.0.0.1:40123/page/2?run=a-1",
		"ref":"p42:8","box":[12.5,40.25,100,20],"product":"Chromium 156.0.8078.114","total_ms":123.456,"pid":13004}`
	if found := s.leaks([]byte(innocent)); len(found) > 0 {
		t.Errorf("taken for internals: %s", found)
	}
}
