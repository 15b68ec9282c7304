package x11

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// Properties are written by any client. Each is read up to a bound, in the
// protocol's four-byte units.
const (
	titleUnitsMax    = 4 << 10 // 16 kB; Chromium cuts titles at 4,096 characters
	classUnitsMax    = 256
	statesUnitsMax   = 64
	listUnitsMax     = 16 << 10 // windows
	resourceUnitsMax = 256 << 10
)

// ask requests a property of any type.
func (c *client) ask(w xproto.Window, name string, units uint32) xproto.GetPropertyCookie {
	return xproto.GetProperty(c.conn, false, w, c.atoms[name], xproto.GetPropertyTypeAny, 0, units)
}

// cardinals returns a property's 32-bit values. One that is not set, or not
// made of such values, has none.
func cardinals(r *xproto.GetPropertyReply) []uint32 {
	if r.Format != 32 {
		return nil
	}
	out := make([]uint32, 0, len(r.Value)/4)
	for b := r.Value; len(b) >= 4; b = b[4:] {
		out = append(out, xgb.Get32(b))
	}
	return out
}

// cardinal returns the first of a property's 32-bit values.
func cardinal(r *xproto.GetPropertyReply) (uint32, bool) {
	values := cardinals(r)
	if len(values) == 0 {
		return 0, false
	}
	return values[0], true
}

// windowList returns the windows of a root property. A list that was cut or is
// no list is an error: half of it would be a lie about what is open.
func windowList(name string, r *xproto.GetPropertyReply) ([]xproto.Window, error) {
	if r.Type == xproto.AtomNone {
		return nil, nil
	}
	if r.Format != 32 || r.BytesAfter != 0 {
		return nil, fmt.Errorf("the window manager's %s is malformed or over %d windows", name, listUnitsMax)
	}
	values := cardinals(r)
	out := make([]xproto.Window, len(values))
	for i, v := range values {
		out[i] = xproto.Window(v)
	}
	return out, nil
}

// text returns a text property as valid UTF-8, up to its first NUL. STRING is
// Latin-1; anything else is taken for UTF-8.
func text(r *xproto.GetPropertyReply) string {
	if r.Format != 8 {
		return ""
	}
	raw, _, _ := strings.Cut(string(r.Value), "\x00")
	if r.Type == xproto.AtomString {
		runes := make([]rune, len(raw))
		for i := range len(raw) {
			runes[i] = rune(raw[i])
		}
		return string(runes)
	}
	if r.BytesAfter != 0 {
		raw = trimPartialRune(raw)
	}
	return strings.ToValidUTF8(raw, string(utf8.RuneError))
}

// trimPartialRune drops a character that a cut left unfinished.
func trimPartialRune(s string) string {
	for back := 1; back <= utf8.UTFMax-1 && back <= len(s); back++ {
		if i := len(s) - back; utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return s[:i]
			}
			break
		}
	}
	return s
}

// class returns the class of a WM_CLASS property, which holds the instance
// name and the class, each ended by NUL.
func class(r *xproto.GetPropertyReply) string {
	if r.Format != 8 {
		return ""
	}
	_, rest, _ := strings.Cut(string(r.Value), "\x00")
	name, _, _ := strings.Cut(rest, "\x00")
	return strings.ToValidUTF8(name, string(utf8.RuneError))
}

// Screen scale: device pixels per DIP are the display's dots per inch over 96.
const (
	dpiPerScale = 96
	dpiMin      = 48
	dpiMax      = 960
	// scaleSteps: Chromium 156 rounds the scale to 64ths. A full screen of
	// 1600 pixels was 1485 DIP wide at 103 dpi (69/64) and 1403 at 110 (73/64).
	scaleSteps = 64
)

// scaleOf reads Xft.dpi out of the resource database, "name:\tvalue" a line,
// as Chromium does where no desktop's settings say otherwise.
func scaleOf(database string) float64 {
	for line := range strings.Lines(database) {
		name, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) != "Xft.dpi" {
			continue
		}
		dpi, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err == nil && !math.IsNaN(dpi) && dpi >= dpiMin && dpi <= dpiMax {
			return math.Round(dpi/dpiPerScale*scaleSteps) / scaleSteps
		}
	}
	return 1
}
