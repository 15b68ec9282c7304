// Package config reads the person's settings of the terminal UI: the keys and
// the theme. It is read once, at the start, and nothing writes it.
package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"cuatui/tui/cmdtable"
	"cuatui/tui/term"
)

// Config is the file as it is written.
type Config struct {
	// Keys are the keys of commands, by the names that the palette shows.
	Keys map[string][]string `json:"keys"`
	// Theme is dark, light, or auto: what the terminal says.
	Theme string `json:"theme"`
}

// maxSize bounds the file, in bytes.
const maxSize = 64 << 10

// Path is where the file is looked for: cuatui/config.json in XDG_CONFIG_HOME,
// which is ~/.config where it is not set. It is "" where neither is known.
func Path(env term.Env) string {
	// The specification has relative paths ignored.
	if dir := env.Get("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "cuatui", "config.json")
	}
	if home := env.Get("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "cuatui", "config.json")
	}
	return ""
}

// Load reads the file at path, or where that is "" the one at Path, which need
// not exist. The error names the file and what is wrong in it.
func Load(path string, env term.Env) (Config, error) {
	named := path != ""
	if !named {
		path = Path(env)
	}
	if path == "" {
		return Config{}, nil
	}
	raw, err := read(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return Config{}, nil
	}
	if err != nil {
		return Config{}, fmt.Errorf("config: %w", err)
	}
	c, err := Parse(raw)
	if err != nil {
		return Config{}, fmt.Errorf("config %s: %w", path, err)
	}
	return c, nil
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	raw, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(raw) > maxSize {
		err = fmt.Errorf("%s: longer than %d bytes", path, maxSize)
	}
	return raw, err
}

// Parse reads and checks what the file holds.
func Parse(raw []byte) (Config, error) {
	var c Config
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return Config{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Config{}, errors.New("something follows the settings")
	}
	switch c.Theme {
	case "", "auto", "dark", "light":
	default:
		return Config{}, fmt.Errorf("theme: %q is not auto, dark or light", c.Theme)
	}
	if _, err := cmdtable.Rebound(c.Keys); err != nil {
		return Config{}, err
	}
	return c, nil
}
