package sway

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"cuatui/platform"
)

// tree is a tree of one output with the given windows tiled on it.
func tree(windows ...string) []byte {
	return fmt.Appendf(nil, `{"id":1,"type":"root","nodes":[
		{"id":3,"type":"output","name":"DP-1","scale":2.0,"nodes":[
			{"id":4,"type":"workspace","name":"1","pid":null,"nodes":[%s]}]}]}`, strings.Join(windows, ","))
}

const wayland = `{"id":7,"type":"con","name":"Inbox - Chromium","rect":{"x":800,"y":27,"width":800,"height":973},
	"window_rect":{"x":2,"y":0,"width":796,"height":971},"deco_rect":{"x":800,"y":0,"width":800,"height":27},
	"pid":4711,"app_id":"chromium","shell":"xdg_shell","window":null,"visible":true,"focused":true,"nodes":[],"floating_nodes":[]}`

const xwayland = `{"id":6,"type":"floating_con","name":"xterm","rect":{"x":5,"y":6,"width":70,"height":80},
	"window_rect":{"x":0,"y":0,"width":70,"height":80},"pid":21,"app_id":null,"shell":"xwayland","window":4194316,
	"window_properties":{"class":"XTerm"},"visible":false}`

// read reads a tree as that of a Sway of its own setting.
func read(tree []byte) ([]Window, error) { return windows(tree, platform.Sway) }

func one(t *testing.T, windows []Window, err error) Window {
	t.Helper()
	if err != nil || len(windows) != 1 {
		t.Fatalf("got %+v, %v; want one window", windows, err)
	}
	return windows[0]
}

func TestAWaylandWindowIsReadAsSwayHasIt(t *testing.T) {
	all, err := read(tree(wayland))
	got := one(t, all, err)
	box := platform.Rect{X: 802, Y: 27, W: 796, H: 971}
	want := Window{Window: platform.Window{
		ID: 7, On: platform.Sway, PID: 4711, Owner: platform.OwnerCompositor, Title: "Inbox - Chromium", Class: "chromium",
		Client: box, Box: box, Frame: platform.Rect{X: 800, Y: 0, W: 800, H: 1000}, Scale: 2, Stack: -1, Active: true,
	}}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestAnXWindowIsReadAsOne(t *testing.T) {
	all, err := read(tree(xwayland))
	got := one(t, all, err)
	if got.On != platform.X11 || got.XID != 4194316 || got.ID != 6 || got.Class != "XTerm" || got.PID != 21 || got.Owner != platform.OwnerClaimed || !got.Hidden {
		t.Errorf("got %+v", got)
	}
}

func TestFloatingAndScratchpadWindowsAreListed(t *testing.T) {
	raw := `{"id":1,"type":"root","nodes":[
		{"id":2147483647,"type":"output","name":"__i3","nodes":[{"id":9,"type":"workspace","name":"__i3_scratch","floating_nodes":[
			{"id":8,"type":"floating_con","name":"put away","pid":3,"visible":true}]}]},
		{"id":3,"type":"output","name":"DP-1","nodes":[{"id":4,"type":"workspace","nodes":[
			{"id":5,"type":"con","layout":"splitv","nodes":[{"id":10,"type":"con","pid":4,"visible":true}]}],
			"floating_nodes":[{"id":11,"type":"floating_con","pid":5,"visible":true}]}]}]}`
	all, err := read([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range all {
		got = append(got, fmt.Sprintf("%d hidden=%v", w.ID, w.Hidden))
	}
	if want := []string{"8 hidden=true", "10 hidden=false", "11 hidden=false"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAnUnknownOwnerIsUnknown(t *testing.T) {
	for _, pid := range []string{"0", "-1", "2147483648", "9223372036854775807"} {
		all, err := read(tree(`{"id":7,"type":"con","pid":` + pid + `,"visible":true}`))
		if got := one(t, all, err); got.PID != 0 || got.Owner != platform.OwnerUnknown {
			t.Errorf("pid %s: got %+v", pid, got)
		}
	}
	all, err := read(tree(`{"id":7,"type":"con","shell":"xdg_shell","visible":true}`))
	if got := one(t, all, err); got.PID != 0 || got.Owner != platform.OwnerUnknown {
		t.Errorf("no pid: got %+v", got)
	}
}

func TestAScaleIsOneWhereNoneIsPlausible(t *testing.T) {
	for _, scale := range []string{"0", "-1", "1e300", "null"} {
		raw := strings.Replace(string(tree(wayland)), "2.0", scale, 1)
		all, err := read([]byte(raw))
		if got := one(t, all, err); got.Scale != 1 {
			t.Errorf("scale %s: got %g", scale, got.Scale)
		}
	}
}

func TestTextsAreBoundedAndValid(t *testing.T) {
	long := strings.Repeat("é", titleBytesMax)
	name, err := json.Marshal("a" + long)
	if err != nil {
		t.Fatal(err)
	}
	all, err := read(tree(fmt.Sprintf(`{"id":7,"type":"con","pid":1,"name":%s}`, name)))
	got := one(t, all, err)
	if len(got.Title) > titleBytesMax || len(got.Title) < titleBytesMax-4 || !utf8.ValidString(got.Title) || !strings.HasSuffix(got.Title, "é") {
		t.Errorf("%d bytes, ends in %q", len(got.Title), got.Title[len(got.Title)-4:])
	}
	all, err = read(tree("{\"id\":7,\"type\":\"con\",\"pid\":1,\"name\":\"a\xff\",\"app_id\":\"b\\u0000c\"}"))
	if got = one(t, all, err); got.Title != "a\uFFFD" || got.Class != "b" {
		t.Errorf("title %q, class %q", got.Title, got.Class)
	}
}

func TestATreeThatIsNoneIsAnError(t *testing.T) {
	tests := map[string]string{
		"nothing":            ``,
		"not JSON":           `i3`,
		"a list":             `[]`,
		"another root":       `{"type":"con"}`,
		"null":               `null`,
		"cut":                string(tree(wayland)[:200]),
		"negative id":        string(tree(`{"id":-7,"type":"con","pid":1}`)),
		"no id":              string(tree(`{"type":"con","pid":1}`)),
		"one id twice":       string(tree(wayland, wayland)),
		"text for an id":     string(tree(`{"id":"7","type":"con","pid":1}`)),
		"huge box":           string(tree(`{"id":7,"type":"con","pid":1,"rect":{"x":1e999}}`)),
		"X without an id":    string(tree(`{"id":7,"type":"con","pid":1,"shell":"xwayland","window":null}`)),
		"X with the id zero": string(tree(`{"id":7,"type":"con","pid":1,"shell":"xwayland","window":0}`)),
		"X id too large":     string(tree(`{"id":7,"type":"con","pid":1,"window":4294967296}`)),
		"nested too deep":    strings.Repeat(`{"type":"root","nodes":[`, 20_000),
	}
	for name, raw := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := read([]byte(raw)); !errors.Is(err, errProtocol) || got != nil {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func FuzzTree(f *testing.F) {
	f.Add(tree(wayland, xwayland))
	f.Add([]byte(`{"type":"root","nodes":[{"pid":1,"id":1}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		all, err := read(raw)
		seen := map[platform.WindowID]bool{}
		for _, w := range all {
			if err != nil || w.ID == 0 || seen[w.ID] || !utf8.ValidString(w.Title) || len(w.Title) > titleBytesMax+2 || (w.PID == 0) != (w.Owner == platform.OwnerUnknown) {
				t.Errorf("window %+v, %v", w, err)
			}
			seen[w.ID] = true
		}
	})
}
