package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuatui/tui/term"
)

func TestPath(t *testing.T) {
	tests := []struct {
		env  term.Env
		want string
	}{
		{term.Env{"XDG_CONFIG_HOME=/x", "HOME=/h"}, "/x/cuatui/config.json"},
		{term.Env{"XDG_CONFIG_HOME=", "HOME=/h"}, "/h/.config/cuatui/config.json"},
		{term.Env{"XDG_CONFIG_HOME=relative", "HOME=/h"}, "/h/.config/cuatui/config.json"},
		{term.Env{}, ""},
	}
	for _, tt := range tests {
		if got := Path(tt.env); filepath.ToSlash(got) != tt.want {
			t.Errorf("Path(%q) = %q, want %q", tt.env, got, tt.want)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	env := term.Env{"XDG_CONFIG_HOME=" + dir}
	if c, err := Load("", env); err != nil || c.Theme != "" || c.Keys != nil {
		t.Errorf("without a file: %+v, %v", c, err)
	}
	if _, err := Load(filepath.Join(dir, "named.json"), env); err == nil {
		t.Error("a file that was named and is not there is taken for none")
	}
	path := Path(env)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"theme": "light", "keys": {"snapshot": ["f5"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := Load("", env); err != nil || c.Theme != "light" || c.Keys["snapshot"][0] != "f5" {
		t.Errorf("loaded %+v, %v", c, err)
	}
	if err := os.WriteFile(path, []byte(`{"theme": "`+strings.Repeat("x", maxSize)+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load("", env); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a huge file: %v", err)
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	for in, says := range map[string]string{
		``:                                      "EOF",
		`{`:                                     "EOF",
		`[]`:                                    "cannot unmarshal",
		`{"colour": "red"}`:                     `unknown field "colour"`,
		`{"theme": "pink"}`:                     `"pink" is not auto, dark or light`,
		`{"theme": "dark"} x`:                   "something follows",
		`{"keys": {"explode": ["x"]}}`:          `no command is called "explode"`,
		`{"keys": {"snapshot": ["w"]}}`:         `"w" would mean both`,
		`{"keys": {"snapshot": "r"}}`:           "cannot unmarshal",
		`{"keys": {"quit-now": ["ctrl+q"]}}`:    "are fixed",
		`{"keys": {"snapshot": ["\u001b[2J"]}}`: "there is no key",
	} {
		if _, err := Parse([]byte(in)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", in, err, says)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"theme": "dark", "keys": {"snapshot": ["f5"]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if c, err := Parse(raw); err == nil {
			for name, keys := range c.Keys {
				if len(keys) == 0 {
					t.Errorf("%s has no key", name)
				}
			}
		}
	})
}
