package observe_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
)

// queryPage is a page of one button and one paragraph, of any text.
const queryPage = `(([name, text]) => {
  document.body.innerHTML = '<button id=b></button><p id=p></p><p>an apple</p>';
  b.setAttribute('aria-label', name);
  p.textContent = text;
  return true;
})(%s)`

// FuzzQuery asks a real page of any text any query: an answer that adds up, of
// the kept survey as of a walk; and whatever a button is called, asked for by
// that name it is found.
func FuzzQuery(f *testing.F) {
	for _, s := range [][3]string{
		{"Send", "some text", "send"},
		{"Straße", "ΑΣΑ", "ας"},
		{"İstanbul", "ﬁne", "fine"},
		{"", " ", ""},
		{"a\u0301b", "\u00a8 x", "\u00a8"},
		{"\u202e\u0000", "\ue000", "\ud7ff\ue000"},
		{"x\" p9:9", "<b>", "a  b\tc\n"},
		{"😀👨\u200d👩", "نمی\u200cخواهم", "👨"},
		{strings.Repeat("x", 3000), "y", strings.Repeat("x ", 500)},
		{"[object Object]", "__proto__", "constructor button text"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	conn := enginetest.Chromium(f)
	s := enginetest.Open(f, conn, "about:blank")
	page := observe.NewPage(conn, s, "query-world")
	f.Fuzz(func(t *testing.T, name, text, query string) {
		if len(name)+len(text)+len(query) > 1<<13 {
			return
		}
		ask(t, conn, s, page, name, text, query)
	})
}

func ask(t *testing.T, conn *devtools.Conn, s *devtools.Session, page *observe.Page, name, text, query string) {
	t.Helper()
	texts, err := json.Marshal([]string{name, text})
	if err != nil {
		t.Fatal(err)
	}
	var made bool
	enginetest.Eval(t, s, strings.Replace(queryPage, "%s", string(texts), 1), &made)
	got := read(t, page, observe.Options{})
	called := ""
	for _, e := range got.entries {
		if e.Role == "button" {
			called = e.Name
		}
	}
	asAnew(t, &sheet{conn: conn, s: s, page: page}, query)
	if called == "" || strings.Contains(called, "… [+") { // nothing to ask for, or cut
		return
	}
	found := read(t, page, observe.Options{Query: called})
	for _, e := range found.entries {
		if e.Role == "button" && e.Name == called {
			return
		}
	}
	t.Errorf("the button %q is not found by its name: %+v", called, found.entries)
}

// TestAQueryIsCaseFolded: letters are told apart by no case that any script
// has, nor by what is written in one character or in several.
func TestAQueryIsCaseFolded(t *testing.T) {
	conn := enginetest.Chromium(t)
	s := enginetest.Open(t, conn, "about:blank")
	page := observe.NewPage(conn, s, "query-world")
	for _, tt := range []struct {
		name, query string
		found       bool
	}{
		{"Send now", "SEND", true},
		{"Straße", "STRASSE", true},
		{"ΟΔΟΣ ΑΣΑ", "ας", true},
		{"οδος", "ΟΔΟΣ", true},
		{"οδοσ", "οδος", true},
		{"ﬁne", "FINE", true},
		{"cafe\u0301", "CAFÉ", true},
		{"Send  now", "now send", true},
		{"Send", "sent", false},
	} {
		texts, err := json.Marshal([]string{tt.name, ""})
		if err != nil {
			t.Fatal(err)
		}
		enginetest.Eval(t, s, strings.Replace(queryPage, "%s", string(texts), 1), nil)
		if n := len(read(t, page, observe.Options{Query: tt.query}).entries); (n == 1) != tt.found {
			t.Errorf("%q finds %d nodes of %q, want it found: %v", tt.query, n, tt.name, tt.found)
		}
	}
}
