package tui

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/pane"
	"cuatui/tui/tuitest"
)

// plainAt is a plain run on the inbox that is on a screen, or on a page of a
// scope over it.
func plainAt(t *testing.T, scope cmdtable.Scope) (*plain, *tuitest.Engine, *bytes.Buffer) {
	t.Helper()
	e, out := tuitest.New(), &bytes.Buffer{}
	m := newTest(t, e, 80, 24)
	if scope != cmdtable.Windows {
		press(t, m, "enter")
	}
	switch {
	case scope == cmdtable.Action:
		press(t, m, "down", "a")
	case scope&cmdtable.Sheets != 0:
		m.sheets = append(m.sheets, sheet{scope: scope, pane: pane.NewLines("page", "", "line"), ref: "p42:22"})
	}
	return &plain{m: m, out: out, paint: draw.Paint{Theme: m.paint.Theme}}, e, out
}

// A command heeds what follows it on its line or refuses it, whatever the
// command: the rule of the table, tried where each works.
func TestThePlainModePassesOverNoArgument(t *testing.T) {
	for i := range cmdtable.Table {
		c := &cmdtable.Table[i]
		for scope := cmdtable.Windows; scope < cmdtable.Consent; scope <<= 1 {
			if c.Scope&scope == 0 || scope == cmdtable.Palette { // whose keys are typed into its prompt
				continue
			}
			for _, name := range append([]string{string(c.ID)}, c.Keys...) {
				if strings.HasPrefix(name, "/") && scope&(cmdtable.Screens|cmdtable.Formats|cmdtable.Document) != 0 {
					continue // the filter takes all of its line
				}
				t.Run(fmt.Sprintf("%s on %b", name, scope), func(t *testing.T) {
					p, e, out := plainAt(t, scope)
					before := len(e.Calls())
					p.command(name + " zzz")
					switch calls := e.Calls()[before:]; {
					case p.quit:
						t.Error("it leaves")
					case c.Takes == cmdtable.Text:
						if !slices.ContainsFunc(calls, func(s string) bool { return strings.Contains(s, "zzz") }) && p.m.active().Filtering() != "zzz" &&
							!strings.Contains(out.String()+p.m.toast.text+p.heading(), "zzz") && p.m.trouble != pane.Bad {
							t.Errorf("the text is lost: calls %q, said %q", calls, out)
						}
					case len(calls) > 0 || p.m.trouble != pane.Bad:
						t.Errorf("calls %q, trouble %q, said %q", calls, p.m.trouble, out)
					case c.Takes == cmdtable.Ref && !strings.Contains(out.String(), "zzz is not a ref"):
						t.Errorf("said %q", out)
					}
				})
			}
		}
	}
}

func TestThePlainModeActsOnTheRefThatIsNamed(t *testing.T) {
	tests := []struct {
		line, want string
		bad        bool
	}{
		{"act p42:23", "Act · p42:23 button Reply to all", false},
		{"a p42:23", "Act · p42:23 button Reply to all", false},
		{"why p42:23", "explain ref=p42:23", false},
		{"w p42:23", "explain ref=p42:23", false},
		{"scope p42:23", `scope="p42:23"`, false},
		{"act p41:23", "p41:23 is not a ref that is listed here", true}, // of another snapshot
		{"act p42:9999", "p42:9999 is not a ref that is listed here", true},
		{"why " + tuitest.Evil, "is not a ref that is listed here", true},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			p, e, out := plainAt(t, cmdtable.Inspector)
			was := p.m.selectedRef()
			p.line(line{text: tt.line})
			if all := out.String() + strings.Join(e.Calls(), "\n"); !strings.Contains(all, tt.want) || steering(out.String()) != "" {
				t.Errorf("%q is not said or called:\n%s", tt.want, all)
			}
			if bad := p.m.trouble == pane.Bad; bad != tt.bad || bad && p.m.selectedRef() != was {
				t.Errorf("trouble %q, selected %s", p.m.trouble, p.m.selectedRef())
			}
		})
	}
}
