package sway

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// The bounds of a configuration that is read through.
const (
	configFilesMax = 100
	configBytesMax = 1 << 20
)

// activates says whether Sway may give a window the focus because the window
// asks for it. Sway has no question for this setting, so it is read out of the
// configuration that Sway says it runs with, and out of the files it includes.
// What cannot be read so counts as activating; a setting that was changed with
// a command since is not seen.
func activates(config, version []byte) bool {
	var loaded struct {
		Text string `json:"config"`
	}
	var from struct {
		Path string `json:"loaded_config_file_name"`
	}
	if json.Unmarshal(config, &loaded) != nil || json.Unmarshal(version, &from) != nil || loaded.Text == "" {
		return true
	}
	r := reader{}
	return !r.quiet(loaded.Text, filepath.Dir(from.Path))
}

// reader reads a configuration and what it includes.
type reader struct{ files int }

// quiet says whether a text, which stands in dir, leaves the setting alone or
// sets it to what gives no window the focus.
func (r *reader) quiet(text, dir string) bool {
	text = strings.ReplaceAll(text, "\\\n", " ") // a line goes on
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if !harmless(words) {
			return false
		}
		if strings.EqualFold(words[0], "include") && !r.include(words[1:], dir) {
			return false
		}
	}
	return true
}

// harmless: wherever the setting is named, in a key binding for example, what
// follows is one of the two values that give no window the focus.
func harmless(words []string) bool {
	for i, w := range words {
		if !strings.Contains(strings.ToLower(w), "focus_on_window_activation") {
			continue
		}
		if i+1 == len(words) || !slices.Contains([]string{"urgent", "none"}, strings.Trim(words[i+1], `"',;`)) {
			return false
		}
	}
	return true
}

// include reads what an include line names. Sway expands the line as a shell
// does; only what means the same without a shell is followed.
func (r *reader) include(words []string, dir string) bool {
	for _, w := range words {
		if rest, ok := strings.CutPrefix(w, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return false
			}
			w = filepath.Join(home, rest)
		}
		if strings.ContainsAny(w, "$`~\"'\\(){}<>|&;") {
			return false
		}
		if !filepath.IsAbs(w) {
			w = filepath.Join(dir, w)
		}
		found, err := filepath.Glob(w)
		if err != nil {
			return false
		}
		for _, path := range found {
			if !r.file(path) {
				return false
			}
		}
	}
	return true
}

func (r *reader) file(path string) bool {
	if r.files++; r.files > configFilesMax {
		return false
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		return err == nil // Sway reads no directory either
	}
	text, err := io.ReadAll(io.LimitReader(f, configBytesMax+1))
	if err != nil || len(text) > configBytesMax || !info.Mode().IsRegular() {
		return false
	}
	return r.quiet(string(text), filepath.Dir(path))
}
