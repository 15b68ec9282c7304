package sway

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestActivationIsReadFromTheConfiguration(t *testing.T) {
	none(t)
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	for name, text := range map[string]string{
		"quiet": "focus_on_window_activation none\n", "focus.conf": "focus_on_window_activation focus",
		"loop": "include loop", "nested": "include sub/*", "sub/focus": "focus_on_window_activation smart",
		"long": strings.Repeat("#", configBytesMax+1),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, text string
		want       bool
	}{
		{"nothing said", "set $mod Mod4\n", false},
		{"the value of its own", "focus_on_window_activation urgent", false},
		{"none", "  FOCUS_on_window_activation  none\n", false},
		{"focus", "a\nfocus_on_window_activation focus\nb", true},
		{"smart", "focus_on_window_activation smart", true},
		{"first one, then the other", "focus_on_window_activation focus\nfocus_on_window_activation urgent", true},
		{"a variable", "focus_on_window_activation $v", true},
		{"no value", "focus_on_window_activation", true},
		{"on the next line", "focus_on_window_activation \\\n focus", true},
		{"behind a command", "reload; focus_on_window_activation focus", true},
		{"on a key", `bindsym x exec "swaymsg 'focus_on_window_activation focus'"`, true},
		{"on a key, quiet", `bindsym x exec "swaymsg 'focus_on_window_activation none'"`, false},
		{"in a comment", "  # focus_on_window_activation focus", false},
		{"nothing at all", "", true},
		{"included, quiet", "include quiet", false},
		{"included", "include *.conf", true},
		{"included by path", "include " + dir + "/focus.conf", true},
		{"included from home", "include ~/focus.conf", true},
		{"included in an included one", "include quiet nested", true},
		{"included in capitals", "INCLUDE focus.conf", true},
		{"not there", "include other/*", false},
		{"a directory", "include sub", false},
		{"a shell's word", "include $HOME/quiet", true},
		{"a shell's command", "include `echo quiet`", true},
		{"round and round", "include loop", true},
		{"too long", "include long", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			config, err := json.Marshal(map[string]string{"config": tt.text})
			if err != nil {
				t.Fatal(err)
			}
			version, err := json.Marshal(map[string]string{"loaded_config_file_name": filepath.Join(dir, "config")})
			if err != nil {
				t.Fatal(err)
			}
			if got := activates(config, version); got != tt.want {
				t.Errorf("%q: got %v, want %v", tt.text, got, tt.want)
			}
		})
	}
	if !activates([]byte("x"), []byte("{}")) || !activates([]byte(`{"config":"a"}`), []byte("x")) {
		t.Error("an answer that cannot be read counts as quiet")
	}
}
