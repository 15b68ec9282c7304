package cmdtable

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fixed are the commands whose keys are not a matter of taste: the way out, and
// what answers for a person.
var fixed = []ID{Kill, Agree, Decline, Withdraw, Provoke}

// maxKeys bounds how many keys a command can have.
const maxKeys = 8

// Rebound returns the table with other keys for some commands, by their names.
// Keys of a dialog in which letters are typed stay as they are. It is an error
// if a name or key does not exist, or if a key would mean two things.
func Rebound(keys map[string][]string) ([]Command, error) {
	table := slices.Clone(Table)
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		id := ID(name)
		switch {
		case ByID(id) == nil:
			return nil, fmt.Errorf("keys: no command is called %q; docs/keys.md and the palette have the names", name)
		case slices.Contains(fixed, id):
			return nil, fmt.Errorf("keys: the keys of %s are fixed", name)
		case len(keys[name]) == 0 || len(keys[name]) > maxKeys:
			return nil, fmt.Errorf("keys: %s needs 1 to %d keys", name, maxKeys)
		}
		for _, k := range keys[name] {
			if !validKey(k) {
				return nil, fmt.Errorf("keys: %s: there is no key %q; write a character, or a name such as enter, f5, ctrl+d", name, k)
			}
		}
		for i := range table {
			if c := &table[i]; c.ID == id && c.Scope&Anywhere != 0 {
				c.Keys, c.Label = slices.Clone(keys[name]), ""
			}
		}
	}
	return table, conflict(table)
}

// Rebind puts the rebound table in the place of Table. It is for the start of
// the program: nothing may read the table meanwhile.
func Rebind(keys map[string][]string) error {
	table, err := Rebound(keys)
	if err != nil {
		return err
	}
	Table = table
	return nil
}

// conflict says which key means two things where.
func conflict(table []Command) error {
	for scope := Windows; scope <= Input; scope <<= 1 {
		seen := map[string]ID{}
		for i := range table {
			c := &table[i]
			if c.Scope&scope == 0 {
				continue
			}
			for _, k := range c.Keys {
				if was, ok := seen[k]; ok && was != c.ID {
					return fmt.Errorf("keys: %q would mean both %s and %s %s", k, was, c.ID, scopeWords(scope))
				}
				seen[k] = c.ID
			}
		}
	}
	return nil
}

func scopeWords(s Scope) string {
	if s == Windows {
		return "in the list of windows"
	}
	if s == Inspector {
		return "in the inspector"
	}
	for _, n := range names {
		if n.scope == s {
			return "on the page " + n.name
		}
	}
	return "on a page"
}

// keyNames are the keys that have a name.
var keyNames = []string{
	"enter", "esc", "tab", "space", "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end", "pgup", "pgdown",
	"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// validKey says whether k is written as the terminal's keys are.
func validKey(k string) bool {
	rest, modified := k, false
	for _, m := range []string{"ctrl+", "alt+", "shift+"} {
		if after, ok := strings.CutPrefix(rest, m); ok {
			rest, modified = after, true
		}
	}
	if slices.Contains(keyNames, rest) {
		return true
	}
	r, n := utf8.DecodeRuneInString(rest)
	if n != len(rest) || !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == utf8.RuneError {
		return false
	}
	return !modified || !unicode.IsUpper(r) // ctrl+D is written ctrl+shift+d
}
