package platform

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuatui/fixtures/golden"
)

func TestOnlyWhatWasMeasuredIsSafe(t *testing.T) {
	table := []Row{
		{System: X11, Product: "A 1", Input: MouseMoved, Safe: true, MeasuredBy: "TestA"},
		{System: X11, Product: "A 1", Input: MouseWheel, Safe: true, MeasuredBy: "TestA"},
		{System: X11, Product: "B 1", Input: MouseWheel, MeasuredBy: "TestB"},
		{System: X11, Product: "A 1", Input: InsertText, Safe: true},
		{System: X11, Product: "A 1", Input: KeyEvent, Safe: true, MeasuredBy: "TestA"},
		{System: X11, Product: "B 1", Input: KeyEvent, Safe: true},
	}
	tests := []struct {
		name   string
		system WindowSystem
		input  Input
		want   bool
	}{
		{"measured as safe", X11, MouseMoved, true},
		{"another system", Sway, MouseMoved, false},
		{"no system", "", MouseMoved, false},
		{"no row", X11, TouchStart, false},
		{"unsafe in one product", X11, MouseWheel, false},
		{"said to be safe, not measured", X11, InsertText, false},
		{"not measured in one product", X11, KeyEvent, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := safe(table, tt.system, tt.input); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestThePointerIsSafeWhereTheDesignSaysSo(t *testing.T) {
	for system, want := range map[WindowSystem]bool{X11: false, Sway: true, SwayActivating: false, "": false} {
		if got := Safe(system, MousePressed); got != want {
			t.Errorf("%q: got %v, want %v", system, got, want)
		}
	}
	if !Urgent(Sway, MousePressed) || Urgent(Sway, MouseMoved) || Urgent(X11, MousePressed) {
		t.Error("under Sway a press marks the window, and only there")
	}
}

func TestEveryRowIsThereOnceAndNamesATestThatExists(t *testing.T) {
	var tests []byte
	files, err := filepath.Glob("../engine/e2e/*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests found: %v", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		tests = append(tests, b...)
	}
	seen := map[string]bool{}
	for _, r := range Safety {
		key := fmt.Sprint(r.System, r.Product, r.Input)
		if seen[key] {
			t.Errorf("%s is there twice", key)
		}
		seen[key] = true
		name, _, _ := strings.Cut(r.MeasuredBy, "/")
		if name != "" && !bytes.Contains(tests, []byte("func "+name+"(t *testing.T)")) {
			t.Errorf("%s: there is no test %s", key, name)
		}
	}
}

// page is docs/side-effects.md.
func page() []byte {
	var b bytes.Buffer
	b.WriteString(`# Side effects

<!-- Generated from platform/safety.go by: go test ./platform -update -->

What an input over the protocol does to the desktop while another window is in
front, seen from outside of the browser: which window is active, the order of the
windows, what is shown of them, and where the pointer is. An end-to-end test gives
every input to a browser behind or beside another window and holds what it sees
against these rows.

Where a press activates the window, the route ` + "`trusted`" + ` is refused with the reason
` + "`would_activate`" + `, unless the call asks for ` + "`delivery_mode: \"foreground\"`" + `. What was not
measured counts as unsafe.
`)
	for _, s := range []struct {
		system WindowSystem
		title  string
		about  string
	}{
		{X11, "X11", "Under openbox, the window covered by another one. Windows on Xwayland count as these."},
		{Sway, "Sway", "Sway's own setting, `focus_on_window_activation urgent`, or `none`. The window stands beside\nthe one with the focus, or behind it in another tab. Sway tells nobody where the pointer\nis, and a Wayland program cannot move it."},
		{SwayActivating, "Sway with focus on activation", "`focus_on_window_activation` set to `focus` or `smart`, or a configuration that cannot be\nread as setting neither. Sway has no question for the setting: it is read out of the\nconfiguration Sway runs with and what that includes, and a change by a command since\nthen is not seen."},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| input | what happens | product | measured by |\n|---|---|---|---|\n", s.title, s.about)
		for _, r := range Safety {
			if r.System == s.system {
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Input, r.Effect(), r.Product, r.MeasuredBy)
			}
		}
	}
	b.WriteString(`
Elsewhere (other Wayland compositors, macOS, Windows) nothing has been measured.

Wheel and touch are measured in a window that is shown: in one that is not, the
browser may leave them unanswered.
`)
	return b.Bytes()
}

func TestDocsAreCurrent(t *testing.T) { golden.File(t, "../docs/side-effects.md", string(page())) }
