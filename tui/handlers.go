package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/inspect"
	"cuatui/tui/pane"
	"cuatui/tui/theme"
)

// handlers is what each command does, beyond the movements that panes do by
// themselves. A test holds it against the command table.
var handlers map[cmdtable.ID]func(*Model) tea.Cmd

// The table is filled at start because its functions come back to it: the
// palette runs commands.
func init() {
	handlers = map[cmdtable.ID]func(*Model) tea.Cmd{
		cmdtable.Open:     (*Model).open,
		cmdtable.Back:     (*Model).back,
		cmdtable.Quit:     (*Model).leave,
		cmdtable.Kill:     func(*Model) tea.Cmd { return tea.Quit },
		cmdtable.Suspend:  (*Model).suspend,
		cmdtable.HelpPage: (*Model).help,
		cmdtable.Commands: (*Model).palette,
		cmdtable.Filter:   (*Model).filter,
		cmdtable.NextHit:  func(m *Model) tea.Cmd { return m.seek(1) },
		cmdtable.PrevHit:  func(m *Model) tea.Cmd { return m.seek(-1) },
		cmdtable.Copy:     (*Model).copy,

		cmdtable.Launch:  (*Model).askLaunch,
		cmdtable.Demo:    (*Model).startDemo,
		cmdtable.Refresh: (*Model).listWindows,
		cmdtable.AllWindows: func(m *Model) tea.Cmd {
			m.allWindows = !m.allWindows
			return m.listWindows()
		},

		cmdtable.Prove:      (*Model).proveWindow,
		cmdtable.Pause:      (*Model).pause,
		cmdtable.Revoke:     (*Model).askRevoke,
		cmdtable.Withdraw:   (*Model).revoke,
		cmdtable.AskConsent: (*Model).askAgain,
		cmdtable.Agree:      (*Model).answer,
		cmdtable.Decline:    (*Model).decline,

		cmdtable.NextPane:    func(m *Model) tea.Cmd { m.focusOn((m.focus + 1) % paneCount); return nil },
		cmdtable.PrevPane:    func(m *Model) tea.Cmd { m.focusOn((m.focus + paneCount - 1) % paneCount); return nil },
		cmdtable.PaneOutline: func(m *Model) tea.Cmd { m.focusOn(outlinePane); return nil },
		cmdtable.PaneRefs:    func(m *Model) tea.Cmd { m.focusOn(refsPane); return nil },
		cmdtable.PaneDetail:  func(m *Model) tea.Cmd { m.focusOn(detailPane); return nil },
		cmdtable.PaneOmit:    func(m *Model) tea.Cmd { m.focusOn(omissionsPane); return nil },
		cmdtable.PaneJournal: func(m *Model) tea.Cmd { m.focusOn(journalPane); return nil },
		cmdtable.PaneRegions: func(m *Model) tea.Cmd { m.focusOn(regionsPane); return nil },
		cmdtable.Zoom:        func(m *Model) tea.Cmd { m.zoom = !m.zoom; return nil },

		cmdtable.Snapshot:    func(m *Model) tea.Cmd { return m.snapshot("", "") },
		cmdtable.NextSegment: (*Model).nextSegment,
		cmdtable.PrevSegment: (*Model).prevSegment,
		cmdtable.Query:       (*Model).askQuery,
		cmdtable.ScopeTo:     func(m *Model) tea.Cmd { return m.snapshot("", m.selectedRef()) },
		cmdtable.Content:     (*Model).toggleContent,
		cmdtable.Act:         (*Model).act,
		cmdtable.Sort:        (*Model).sortRefs,
		cmdtable.Replace:     (*Model).toggleReplace,
		cmdtable.Submit:      (*Model).toggleSubmit,
		cmdtable.Expect:      (*Model).askExpect,
		cmdtable.Navigate:    (*Model).askURL,
		cmdtable.PickTab:     func(m *Model) tea.Cmd { m.push(sheet{scope: cmdtable.Tabs, pane: m.tabMenu()}); return nil },
		cmdtable.ShowProof:   (*Model).showProof,
		cmdtable.RunNext:     (*Model).runNext,
		cmdtable.WhyThis:     (*Model).why,
		cmdtable.WhyText:     (*Model).askWhy,
		cmdtable.Pick:        (*Model).pick,
		cmdtable.View:        (*Model).view,
		cmdtable.Highlight:   (*Model).toggleGlow,
		cmdtable.MoreRows:    (*Model).moreNodes,
		cmdtable.ShowFormats: (*Model).formats,
		cmdtable.Save:        (*Model).askSave,
		cmdtable.SaveCase:    (*Model).askSaveCase,
		cmdtable.Follow:      (*Model).toggleFollow,
		cmdtable.ShowDiff:    (*Model).showDiff,
		cmdtable.Older:       func(m *Model) tea.Cmd { return m.stepDiff(-1) },
		cmdtable.Newer:       func(m *Model) tea.Cmd { return m.stepDiff(1) },
		cmdtable.AllLines:    func(m *Model) tea.Cmd { m.top().diff.ToggleAll(); return nil },
		cmdtable.RefusalLab:  (*Model).lab,
		cmdtable.Provoke:     (*Model).provokeKey,
		cmdtable.LookDialog:  (*Model).lookAtDialog,
		cmdtable.Accept:      (*Model).acceptDialog,
		cmdtable.Dismiss:     (*Model).dismissDialog,
		cmdtable.RawJSON: func(m *Model) tea.Cmd {
			if raw := m.top().raw; raw != nil {
				m.push(sheet{scope: cmdtable.Document, pane: raw})
			}
			return nil
		},
	}
}

// open is enter: what it means depends on what has the keys.
func (m *Model) open() tea.Cmd {
	if len(m.sheets) > 0 {
		s := *m.top()
		switch s.scope {
		case cmdtable.Explanation:
			return m.goOn()
		case cmdtable.Nodes:
			return m.why()
		case cmdtable.Action:
			return m.fire()
		default:
		}
		menu, ok := s.pane.(*pane.Menu)
		if !ok {
			return nil
		}
		it, ok := menu.Selected()
		if !ok {
			return nil
		}
		if s.scope == cmdtable.Lab {
			return m.provokeSelected(refusal.Reason(it.Key))
		}
		m.pop()
		return m.pickTab(it.Key)
	}
	if m.screen == cmdtable.Windows {
		w, ok := m.windows.Selected()
		if !ok {
			return nil
		}
		r := m.binding(w.PID, w.WindowID, true)
		_, r.asks = consentLifts(w.WouldBind.Code, w.WouldBind.Reason)
		return start(m, &m.call, r)
	}
	if m.focus == omissionsPane {
		return m.whyOmitted()
	}
	if m.focus == regionsPane {
		return m.openRegion()
	}
	if m.focus == journalPane {
		if c, ok := m.journal.Selected(); ok {
			m.push(sheet{scope: cmdtable.Document, pane: c.Page()})
		}
	}
	return nil
}

// back is esc: it ends the innermost thing.
func (m *Model) back() tea.Cmd {
	stage, _, calling := m.call.Running()
	_, _, looking := m.listing.Running()
	switch {
	case len(m.sheets) > 0:
		m.pop()
	case calling:
		return m.cancel(stage)
	case looking:
		m.listing.Stop()
		m.windows.Say("cancelled; r lists the windows")
	case m.active().Filtering() != "":
		m.active().Filter("")
	case m.zoom:
		m.zoom = false
	case m.screen == cmdtable.Inspector:
		return m.toWindows()
	}
	return nil
}

func (m *Model) cancel(stage string) tea.Cmd {
	m.call.Stop()
	if m.mutating {
		m.mutating = false
		return m.say(theme.Bad, "cancelled: "+stage+"; it may have been delivered, r looks")
	}
	return m.say(theme.Warn, "cancelled: "+stage)
}

// leave is q: the inspector first, then the program.
func (m *Model) leave() tea.Cmd {
	if m.screen == cmdtable.Inspector {
		return m.toWindows()
	}
	return tea.Quit
}

func (m *Model) help() tea.Cmd {
	f := m.facts()
	f.Scope = m.screen
	m.push(sheet{scope: cmdtable.Help, pane: pane.NewHelp(f)})
	return nil
}

func (m *Model) palette() tea.Cmd {
	f := m.facts()
	p := pane.NewPalette(f)
	m.push(sheet{scope: cmdtable.Palette, pane: p})
	m.prompt = &prompt{
		in:     p.Input,
		change: func(string) { p.Narrow() },
		move:   p.Do,
		cancel: m.pop,
		submit: func(string) tea.Cmd {
			m.pop()
			it, ok := p.Selected()
			if !ok {
				return m.say(theme.Warn, "no such command")
			}
			for i := range cmdtable.Table {
				if c := &cmdtable.Table[i]; string(c.ID) == it.Key && c.Scope&f.Scope != 0 {
					return m.do(c, f)
				}
			}
			return nil
		},
	}
	return nil
}

func (m *Model) filter() tea.Cmd {
	p := m.active()
	was := p.Filtering()
	m.prompt = &prompt{
		in:     pane.NewInput("/", "filter: type what to look for", was),
		change: func(s string) { p.Filter(s); m.follow() },
		move:   p.Do,
		cancel: func() { p.Filter(""); m.follow() },
		submit: func(s string) tea.Cmd { p.Filter(s); m.follow(); return nil },
	}
	return nil
}

func (m *Model) seek(d int) tea.Cmd {
	if !m.active().Seek(d) {
		return m.say(theme.Warn, "no match")
	}
	return nil
}

func (m *Model) copy() tea.Cmd {
	what, s := m.active().Copy()
	return m.clip.Copy(what, s)
}

// ask opens a prompt; an empty answer does nothing.
func (m *Model) ask(label, hint, value string, submit func(string) tea.Cmd) tea.Cmd {
	m.prompt = &prompt{in: pane.NewInput(label, hint, value), submit: func(s string) tea.Cmd {
		if s = strings.TrimSpace(s); s == "" {
			return nil
		}
		return submit(s)
	}}
	return nil
}

func (m *Model) askLaunch() tea.Cmd {
	return m.ask("launch an isolated browser at", "https://…, http://… or about:blank", "", m.launch)
}

func (m *Model) askURL() tea.Cmd {
	return m.ask("go to", "https://…, http://… or about:blank", "", m.navigate)
}

func (m *Model) askQuery() tea.Cmd {
	m.prompt = &prompt{
		in:     pane.NewInput("query", "role, name, value or text contains …; empty ends the query", m.book.Query),
		submit: func(s string) tea.Cmd { return m.snapshot(strings.TrimSpace(s), "") },
	}
	return nil
}

func (m *Model) nextSegment() tea.Cmd {
	if m.book.Forward() {
		m.fromTop()
		return nil
	}
	return m.continueSnapshot(nil)
}

func (m *Model) prevSegment() tea.Cmd {
	if m.book.Back() {
		m.refresh("")
	}
	return nil
}

// fromTop shows a segment that was turned to from its first row.
func (m *Model) fromTop() {
	m.refresh("")
	m.outline.Do(cmdtable.Home)
	m.refs.Do(cmdtable.Home)
	m.showSelection()
}

func (m *Model) toggleContent() tea.Cmd {
	word := "hidden"
	if m.refs.ToggleContent() {
		word = "shown"
	}
	return m.say(theme.Dim, "content refs are "+word)
}

func (m *Model) sortRefs() tea.Cmd {
	if by := m.refs.Sort(); by != "" {
		return m.say(theme.Dim, "the refs are ordered by "+by)
	}
	return m.say(theme.Dim, "the refs are in the order of the snapshot")
}

func (m *Model) showProof() tea.Cmd {
	p := m.proof
	if len(m.sheets) > 0 {
		p = m.top().proof
	}
	if p != nil {
		m.push(sheet{scope: cmdtable.Proof, pane: pane.NewProof(p.of, p.steps)})
	}
	return nil
}

func (m *Model) tabMenu() *pane.Menu {
	var items []pane.Item
	for _, t := range m.book.Bind.Tabs {
		mark := draw.Of(theme.Dim, "○")
		if t.TabID == m.book.Tab.TabID {
			mark = draw.Of(theme.Accent, "●")
		}
		about := t.URL
		if t.Active != nil && *t.Active {
			about += "  (active)"
		}
		items = append(items, pane.Item{Mark: mark, Name: t.Title, About: about, Key: t.TabID})
	}
	return pane.NewMenu("Tabs", pane.Count(len(items), "tab"), items)
}

func (m *Model) pickTab(id string) tea.Cmd {
	i := slices.IndexFunc(m.book.Bind.Tabs, func(t contract.Tab) bool { return t.TabID == id })
	if i < 0 {
		return nil
	}
	m.book.Tab = m.book.Bind.Tabs[i]
	if l := m.book.Lost; l != nil && l.Code == string(refusal.TabNotFound) { // the other one was lost, not the window
		m.book.Lost = nil
	}
	m.leavePage()
	m.refresh("no snapshot yet")
	return m.snapshot("", "")
}

// selectedRef is the ref of the selection, "" if it has none.
func (m *Model) selectedRef() string {
	if m.from == refsPane {
		if e := m.refs.Selected(); e != nil {
			return e.Ref
		}
		return ""
	}
	l, _ := m.outline.Selected()
	return l.Ref
}

func (m *Model) selectedEntry() *snapshotfmt.Entry { return m.refs.Entry(m.selectedRef()) }

// follow makes the other panes show what the focused one has selected.
func (m *Model) follow() {
	if m.screen != cmdtable.Inspector {
		return
	}
	switch m.focus {
	case outlinePane:
		l, _ := m.outline.Selected()
		m.refs.Select(l.Ref)
	case refsPane:
		m.outline.Select(inspect.K(m.selectedRef()))
	case omissionsPane:
		if r, sub, ok := m.omissions.SelectedCause(); ok {
			m.showOmission(r, sub)
		}
		return
	case regionsPane:
		m.showRegion()
		return
	default:
		return
	}
	m.showSelection()
}

func (m *Model) showOmission(r snapshotfmt.OmitReason, sub string) {
	cur, ok := m.book.Current()
	if of := [2]string{string(r), sub}; ok && m.detailOf != any(of) {
		m.detailOf = of
		m.detail.ShowOmission(cur.Snapshot.Omitted, r, sub)
	}
}

// showSelection fills the detail pane, unless it shows the selection already.
func (m *Model) showSelection() {
	if e := m.selectedEntry(); e != nil {
		if m.detailOf != any(e) {
			m.detailOf = e
			m.detail.ShowEntry(e)
		}
		return
	}
	l, ok := m.outline.Selected()
	switch {
	case m.from == refsPane || !ok:
		if m.detailOf != nil {
			m.detailOf = nil
			m.detail.ShowNothing()
		}
	case m.detailOf != any(l):
		m.detailOf = l
		m.detail.ShowLine(l)
	}
}

// marks are the nodes that the snapshot shows otherwise than the one before.
func (m *Model) marks() map[int]inspect.Kind {
	if d := m.book.Diff(); d != nil && m.book.First() {
		return d.Marks()
	}
	return nil
}

// refresh gives the panes the segment looked at; why says what to show where
// there is none.
func (m *Model) refresh(why string) {
	m.detailOf = struct{}{} // whatever it shows is of another segment
	cur, ok := m.book.Current()
	if !ok {
		m.outline.Set(nil, why)
		m.refs.Set(nil, nil, why)
		m.omissions.Set(snapshotfmt.Info{}, false)
		m.regions.Set(nil, why)
		m.detail.ShowNothing()
		m.detailOf = nil
		return
	}
	m.outline.Set(cur.Lines, "this segment has no lines")
	m.outline.Mark(m.marks())
	m.refs.Set(cur.Refs, cur.ContentRefs, "nothing here declares an action")
	m.omissions.Set(cur.Snapshot, true)
	m.regions.Set(cur.Regions, noRegions(cur.Snapshot.Segment))
	m.showSelection()
}
