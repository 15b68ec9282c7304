package prepare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	markerFile     = ".cuatui-owned-profile.json"
	markerSchema   = "cuatui-browser-profile-v1"
	markerBytesMax = 16 << 10
	helpersMax     = 8
)

// ident names one process for good on one boot of the machine.
type ident struct {
	PID        int    `json:"pid"`
	Start      uint64 `json:"start"` // clock ticks since boot
	Executable string `json:"executable,omitempty"`
}

// marker is the file that makes a directory a profile of ours, and says who
// owns it and what runs for it. A sweep believes it only as far as the running
// processes bear it out.
type marker struct {
	Schema  string  `json:"schema"`
	Mode    Mode    `json:"mode"`
	Name    string  `json:"name,omitempty"`
	Boot    string  `json:"boot"`
	Owner   *ident  `json:"owner,omitempty"` // nil: a named profile that is free
	Browser *ident  `json:"browser,omitempty"`
	Helpers []ident `json:"helpers,omitempty"` // of a private display
	Temp    string  `json:"temp,omitempty"`    // directory for the browser's temporary files
}

func (m marker) encode() ([]byte, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("profile marker: %w", err)
	}
	return append(data, '\n'), nil
}

// decodeMarker reads a marker that may have been written by anybody.
func decodeMarker(data []byte) (marker, error) {
	var m marker
	if len(data) > markerBytesMax {
		return m, fmt.Errorf("profile marker: larger than %d bytes", markerBytesMax)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, fmt.Errorf("profile marker: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return m, errors.New("profile marker: more than one value")
	}
	return m, m.check()
}

func (m marker) check() error {
	if m.Schema != markerSchema {
		return fmt.Errorf("profile marker: unknown schema %.40q", m.Schema)
	}
	switch m.Mode {
	case IsolatedNew:
		if m.Name != "" {
			return errors.New("profile marker: a new profile has no name")
		}
	case IsolatedNamed:
		if !validName(m.Name) {
			return errors.New("profile marker: bad name")
		}
	default:
		return fmt.Errorf("profile marker: unknown mode %.40q", m.Mode)
	}
	if m.Boot == "" {
		return errors.New("profile marker: no boot")
	}
	if m.Temp != "" && !validTemp(m.Temp) {
		return errors.New("profile marker: not a temporary directory of ours")
	}
	if len(m.Helpers) > helpersMax {
		return fmt.Errorf("profile marker: more than %d helpers", helpersMax)
	}
	if m.Owner != nil && m.Owner.PID < 1 { // in a container we may be process 1 ourselves
		return fmt.Errorf("profile marker: impossible owner %d", m.Owner.PID)
	}
	for _, p := range m.started() {
		// 0 and 1, negated, address a caller's own group or every process there is.
		if p.PID <= 1 {
			return fmt.Errorf("profile marker: impossible process id %d", p.PID)
		}
	}
	return nil
}

// started lists what the owner started, the browser first.
func (m marker) started() []ident {
	var all []ident
	if m.Browser != nil {
		all = append(all, *m.Browser)
	}
	return append(all, m.Helpers...)
}
