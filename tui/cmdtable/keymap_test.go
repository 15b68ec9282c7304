package cmdtable

import (
	"strings"
	"testing"
)

func TestRebound(t *testing.T) {
	table, err := Rebound(map[string][]string{"snapshot": {"f5", "ctrl+r"}, "down": {"down", "m"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range table {
		was := Table[i]
		switch {
		case c.ID == Snapshot:
			if strings.Join(c.Keys, " ") != "f5 ctrl+r" || c.Key() != "f5" {
				t.Errorf("snapshot has the keys %q and shows %q", c.Keys, c.Key())
			}
		case c.ID == Down && c.Scope == Consent: // a letter is typed there
			if strings.Join(c.Keys, " ") != "down" {
				t.Errorf("in the consent dialog down has %q", c.Keys)
			}
		case c.ID == Down:
			if strings.Join(c.Keys, " ") != "down m" {
				t.Errorf("down has %q", c.Keys)
			}
		case strings.Join(c.Keys, " ") != strings.Join(was.Keys, " "):
			t.Errorf("%s got %q", c.ID, c.Keys)
		}
	}
	if ByID(Snapshot).Keys[0] != "r" {
		t.Error("the table itself was changed")
	}
}

func TestReboundRefuses(t *testing.T) {
	tests := []struct {
		name string
		keys map[string][]string
		says string
	}{
		{"an unknown command", map[string][]string{"explode": {"x"}}, `no command is called "explode"`},
		{"the way out", map[string][]string{"quit-now": {"f9"}}, "are fixed"},
		{"what answers for a person", map[string][]string{"answer": {"y"}}, "are fixed"},
		{"no key at all", map[string][]string{"snapshot": {}}, "needs 1 to 8 keys"},
		{"too many", map[string][]string{"snapshot": {"1", "2", "3", "4", "5", "6", "7", "8", "9"}}, "needs 1 to 8 keys"},
		{"no such key", map[string][]string{"snapshot": {"hyper+x"}}, `there is no key "hyper+x"`},
		{"an empty key", map[string][]string{"snapshot": {""}}, `there is no key ""`},
		{"an escape sequence", map[string][]string{"snapshot": {"\x1b[A"}}, "there is no key"},
		{"a space", map[string][]string{"snapshot": {" "}}, "there is no key"},
		{"a key that is taken there", map[string][]string{"snapshot": {"w"}}, `"w" would mean both`},
		{"a key that is taken on a page", map[string][]string{"copy": {"J"}}, `"J" would mean both`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Rebound(tt.keys)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("err = %v, want %q", err, tt.says)
			}
			if err != nil && strings.ContainsRune(err.Error(), 0x1b) {
				t.Error("the message holds an escape")
			}
		})
	}
}
