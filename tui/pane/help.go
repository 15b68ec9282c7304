package pane

import (
	"github.com/sahilm/fuzzy"

	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/theme"
)

// NewHelp returns the help page, made from the command table: every command
// that works in a scope or anywhere, and why where it does not work now.
func NewHelp(f cmdtable.Facts) *Doc {
	var ps []Para
	for _, part := range []struct {
		name  string
		scope cmdtable.Scope
		skip  cmdtable.Scope
	}{
		{"Here", f.Scope, 0},
		{"Windows", cmdtable.Windows, f.Scope},
		{"Inspector", cmdtable.Inspector, f.Scope},
		{"Sheets", cmdtable.Sheets, cmdtable.Screens},
	} {
		section := commandParas(f, part.scope, part.skip)
		if len(section) == 0 {
			continue
		}
		if ps != nil {
			ps = append(ps, Para{})
		}
		ps = append(ps, Para{Label: part.name, LabelToken: theme.Strong})
		ps = append(ps, section...)
	}
	ps = append(ps, heading("Marks")...)
	for _, t := range []snapshotfmt.Tier{
		snapshotfmt.InViewport, snapshotfmt.NearViewport, snapshotfmt.OffscreenT, snapshotfmt.PageOccluded,
		snapshotfmt.CSSHidden, snapshotfmt.NoLayoutT, snapshotfmt.UnknownTier,
	} {
		m := tierMark(t)
		ps = append(ps, Para{Label: m.glyph + " " + m.word, Text: m.why, LabelToken: m.token})
	}
	for _, v := range []string{"exact", "heuristic", "refused", "lost", NoAnswer} {
		m := bindMark(v)
		ps = append(ps, Para{Label: m.glyph + " " + m.word, Text: m.why, LabelToken: m.token})
	}
	ps = append(ps, Para{Label: needsConsent.glyph + " " + needsConsent.word, Text: needsConsent.why, LabelToken: needsConsent.token})
	return NewDoc("Help", "esc closes", ps, "", "")
}

func commandParas(f cmdtable.Facts, scope, skip cmdtable.Scope) []Para {
	var ps []Para
	for i := range cmdtable.Table {
		c := &cmdtable.Table[i]
		if c.Scope&scope == 0 || c.Scope&skip != 0 {
			continue
		}
		p := Para{Label: c.Key(), Text: c.Help, LabelToken: theme.Accent}
		if c.Scope&f.Scope != 0 {
			if why := c.Why(f); why != "" {
				p.LabelToken, p.Token = theme.Dim, theme.Dim
				p.Text += " (not now: " + why + ")"
			}
		}
		ps = append(ps, p)
	}
	return ps
}

// Palette is every command of a screen by name.
type Palette struct {
	Menu
	Input *Input
	all   []Item
}

// NewPalette returns the commands that work in f's scope.
func NewPalette(f cmdtable.Facts) *Palette {
	p := &Palette{Input: NewInput(":", "type a part of a name", "")}
	p.title = "Commands"
	for i := range cmdtable.Table {
		c := &cmdtable.Table[i]
		if c.Scope&f.Scope == 0 || c.ID == cmdtable.Commands {
			continue
		}
		p.all = append(p.all, Item{Mark: draw.Of(theme.Accent, keyCell(c.Key())), Name: string(c.ID), About: c.Help, Why: c.Why(f), Key: string(c.ID)})
	}
	p.Set(p.all)
	return p
}

// Narrow shows the commands that fuzzily match what is typed.
func (p *Palette) Narrow() {
	q := p.Input.Value()
	if q == "" {
		p.Set(p.all)
		return
	}
	names := make([]string, len(p.all))
	for i, it := range p.all {
		names[i] = it.Name
	}
	var found []Item
	for _, m := range fuzzy.Find(q, names) {
		found = append(found, p.all[m.Index])
	}
	p.Set(found)
}

// keyCell pads a key to the width of the longest, "shift+tab".
func keyCell(k string) string {
	const width = 9
	for n := len([]rune(k)); n < width; n++ {
		k += " "
	}
	return k
}
