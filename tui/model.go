package tui

import (
	"context"
	"log/slog"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/inspect"
	"cuatui/tui/job"
	"cuatui/tui/pane"
	"cuatui/tui/replay"
	"cuatui/tui/term"
	"cuatui/tui/text"
	"cuatui/tui/theme"
)

// The panes of the inspector, in the order of their keys.
const (
	outlinePane = iota
	refsPane
	detailPane
	omissionsPane
	journalPane
	regionsPane
	paneCount
)

// Model is the one tea.Model: it routes messages, keeps the focus and lays out
// panes. What commands do is in handlers.go, what engine calls do in calls.go.
type Model struct {
	// ctx bounds every engine call; Run owns it.
	ctx      context.Context
	engine   Engine
	log      *slog.Logger
	session  string
	started  bool
	startURL string
	version  string
	replay   *replay.Engine // what is shown is what was, of the case file caseName
	caseName string
	demo     func(context.Context) (string, error)
	clip     term.Clipboard
	save     func(path, body string) saved
	now      func() time.Time
	after    func(time.Duration, tea.Msg) tea.Cmd
	aside    func(tea.Cmd) tea.Cmd // for a command that may take until the end

	w, h   int
	paint  draw.Paint
	muted  *theme.Theme // of what is no longer proven
	dark   bool
	themed bool // by the person: what the terminal says of its background does not count
	colour bool

	screen     cmdtable.Scope // Windows or Inspector
	focus      int
	from       int // outlinePane or refsPane: whose selection counts
	side       int // the pane at the lower right of two columns; of three, whether regions take the place of the omissions
	zoom       bool
	allWindows bool
	sheets     []sheet
	prompt     *prompt

	windows   *pane.Windows
	outline   *pane.Outline
	refs      *pane.Refs
	detail    *pane.Detail
	omissions *pane.Omissions
	journal   *pane.Journal
	regions   *pane.Regions
	panes     [paneCount]pane.Pane
	detailOf  any // what the detail pane shows

	book     inspect.Book
	proof    *proof           // of the binding
	call     job.Slot[answer] // what the person asked for; the latest wins
	listing  job.Slot[answer] // the list of windows
	poll     job.Slot[answer] // the same, by itself
	undo     job.Slot[answer] // withdrawing a consent that came too late
	hold     job.Slot[answer] // waits for the end of what is bound
	held     held
	armed    bool      // the timer of the next poll is set
	paused   bool      // the list stands still
	stale    time.Time // since when the list could not be had
	mutating bool
	asking   bool // the call ends in a question
	ticking  bool
	spin     int
	pursuit  pursuit
	glow     glow
	drawn    *drawn
	toast    toast
	pressed  string       // the key that is being answered
	trouble  pane.Outcome // how the first thing failed that was asked for, "" for none
	crash    error        // a call panicked; the program ends with it

	frame  string
	cursor *tea.Cursor
	dirty  bool
}

// A sheet is a page over the screen. While it is open it has the keys.
type sheet struct {
	scope cmdtable.Scope
	pane  pane.Sheet
	// ref is what an action sheet acts on and acting how, refusal what a refusal sheet shows,
	// proof what either of an answer's sheets can prove.
	ref     string
	acting  *acting
	refusal *refusal.Refusal
	proof   *proof
	raw     *pane.Doc
	// explained is the node that an explanation is of, nodes the list of a sheet
	// of nodes.
	explained *contract.Explained
	nodes     *pane.Nodes
	diff      *pane.Diff
	dialog    *pageDialog
	// subject is the window that it is about, where consent matters; question
	// is set for a consent dialog.
	subject  subject
	question *question
}

type proof struct {
	of    string
	steps []refusal.Step
}

// A prompt is a line being typed.
type prompt struct {
	in     *pane.Input
	change func(string)
	// check says what is wrong with what was typed; it stays to be mended.
	check  func(string) error
	submit func(string) tea.Cmd
	cancel func()
	move   func(cmdtable.ID) bool
}

type toast struct {
	text  string
	token theme.Token
	id    int
}

// toastTime is how long a toast stays at most: the next key ends it. One that
// tells of trouble waits for that key.
const toastTime = 5 * time.Second

// spinEvery is both how long a call may take before it is said to run, and how
// often that is drawn anew.
const spinEvery = 100 * time.Millisecond

type (
	spinMsg struct{}
	untoast struct{ id int }
)

func newModel(ctx context.Context, o Options) *Model {
	env := term.Env(o.Env)
	m := &Model{
		ctx: ctx, engine: o.Engine, log: o.Log, session: sessionName(),
		startURL: o.StartURL, demo: o.Demo, clip: term.Clipboard{Env: env}, save: save,
		now:    time.Now,
		after:  func(d time.Duration, msg tea.Msg) tea.Cmd { return tea.Tick(d, func(time.Time) tea.Msg { return msg }) },
		aside:  func(c tea.Cmd) tea.Cmd { return c },
		screen: cmdtable.Windows, side: detailPane,
		dark: true, colour: !env.NoColor(), dirty: true,
		windows: &pane.Windows{}, outline: &pane.Outline{}, refs: &pane.Refs{},
		detail: pane.NewDetail(), drawn: &drawn{}, omissions: &pane.Omissions{}, journal: &pane.Journal{}, regions: &pane.Regions{},
	}
	if m.version = o.Version; o.Replay != nil {
		m.engine, m.replay, m.caseName = o.Replay, o.Replay, o.CaseName
		for _, c := range o.Replay.Entries() {
			m.journal.Add(c)
		}
	}
	m.panes = [paneCount]pane.Pane{m.outline, m.refs, m.detail, m.omissions, m.journal, m.regions}
	switch o.Config.Theme {
	case "dark", "light":
		m.dark, m.themed = o.Config.Theme == "dark", true
	}
	m.setTheme()
	m.windows.Say("looking for windows …")
	m.refresh("no snapshot yet")
	return m
}

// Init starts the session and asks the terminal for its background.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, m.startSession())
}

// Update routes a message. It never calls the engine: that is what commands
// are for.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.route(msg)
	return m, tea.Batch(cmd, m.watch(), m.pursue(), m.keepHold(), m.keepGlow())
}

func (m *Model) route(msg tea.Msg) tea.Cmd {
	was := m.dirty
	m.dirty = true
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m.key(msg)
	case job.Done[answer]:
		return m.answered(msg)
	case *job.PanicError:
		m.crash = msg
		return tea.Quit
	case spinMsg:
		return m.tick()
	case pollMsg:
		m.dirty = was
		return m.look()
	case followMsg:
		m.dirty = was
		return m.round()
	case graceMsg: // what the dialog says of it has changed
	case untoast:
		if m.toast.id == msg.id {
			m.toast.text = ""
		}
	case term.Copied:
		return m.say(theme.Good, "copied "+msg.What+" by "+msg.Via)
	case saved:
		return m.wasSaved(msg)
	case tea.WindowSizeMsg:
		m.w, m.h = max(msg.Width, 0), max(msg.Height, 0)
		if q := m.question(); q != nil {
			return m.askAnew(q)
		}
	case tea.ResumeMsg:
		if q := m.question(); q != nil {
			return m.askAnew(q)
		}
		if m.questionComes() {
			return nil
		}
		return m.prove()
	default:
		m.dirty = m.terminal(msg) || was
	}
	return nil
}

// terminal takes in what the terminal says beside keys, and says whether that
// changes the frame.
func (m *Model) terminal(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if m.prompt != nil && m.question() == nil && !m.questionComes() { // nothing pasted answers a question
			m.typed(msg)
		}
	case tea.MouseClickMsg:
		if !m.questionComes() {
			m.click(msg.Mouse())
		}
	case tea.MouseWheelMsg:
		if !m.questionComes() {
			m.wheel(msg.Mouse())
		}
	case tea.BackgroundColorMsg:
		if !m.themed && m.dark != msg.IsDark() {
			m.dark = msg.IsDark()
			m.setTheme()
		}
	case tea.ModeReportMsg:
		// The renderer switches to grapheme clusters on the same report.
		if msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet) {
			m.paint.Text = text.Graphemes
		}
	default:
		return false
	}
	return true
}

// View returns the frame; it is drawn only after something happened.
func (m *Model) View() tea.View {
	if m.dirty {
		m.frame, m.cursor = m.draw()
		m.dirty = false
	}
	return tea.View{Content: m.frame, Cursor: m.cursor, AltScreen: true, MouseMode: tea.MouseModeCellMotion, WindowTitle: "cuatui"}
}

// key routes a key: to what is being typed, else to the command it means in
// the sheet or screen that has the keys.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	k := msg.String()
	m.pressed = k
	if m.toast.token == theme.Bad || m.question() == nil { // it was about what is done by now
		m.toast.text = ""
	}
	if c, ok := cmdtable.Find(cmdtable.Input, k); ok && c.ID == cmdtable.Kill {
		return tea.Quit
	}
	if q := m.question(); q != nil {
		return m.answerKey(q, msg, k)
	}
	if m.questionComes() {
		return m.keyMeanwhile(k)
	}
	if m.prompt != nil {
		return m.promptKey(msg, k)
	}
	f := m.facts()
	c, ok := cmdtable.Find(f.Scope, k)
	if !ok {
		return nil
	}
	return m.do(c, f)
}

// do runs a command, or says why it does not work now.
func (m *Model) do(c *cmdtable.Command, f cmdtable.Facts) tea.Cmd {
	if why := c.Why(f); why != "" {
		return m.cannot(string(c.ID) + ": " + why)
	}
	if p := m.active(); p != nil && p.Do(c.ID) {
		m.follow()
		if c.ID != cmdtable.Open {
			return nil
		}
	}
	if h := handlers[c.ID]; h != nil {
		cmd := h(m)
		m.follow()
		return cmd
	}
	return nil
}

func (m *Model) promptKey(msg tea.KeyPressMsg, k string) tea.Cmd {
	p := m.prompt
	switch k {
	case "esc":
		m.prompt = nil
		if p.cancel != nil {
			p.cancel()
		}
	case "enter":
		if p.in.Refused() != "" { // the line is not what was meant
			return nil
		}
		if p.check != nil {
			if err := p.check(p.in.Value()); err != nil {
				m.fails(pane.Bad)
				p.in.Refuse(err.Error())
				return nil
			}
		}
		m.prompt = nil
		if p.submit != nil {
			return p.submit(p.in.Value())
		}
	case "up", "down", "pgup", "pgdown":
		if c, ok := cmdtable.Find(cmdtable.Lists, k); ok && p.move != nil {
			p.move(c.ID)
		}
	default:
		m.typed(msg)
	}
	return nil
}

func (m *Model) typed(msg tea.Msg) {
	if m.prompt.in.Update(msg) && m.prompt.change != nil {
		m.prompt.change(m.prompt.in.Value())
	}
}

// active is the pane that has the keys.
func (m *Model) active() pane.Pane {
	switch {
	case len(m.sheets) > 0:
		return m.top().pane
	case m.screen == cmdtable.Windows:
		return m.windows
	}
	return m.panes[m.focus]
}

// about is the ref that a sheet is about, "" for none.
func (s *sheet) about() string {
	if s.nodes != nil {
		x, _ := s.nodes.Selected()
		return x.Ref
	}
	return s.ref
}

func (m *Model) top() *sheet { return &m.sheets[len(m.sheets)-1] }

// push opens a sheet: on top, but below a palette that is being typed in, since
// the keys are the palette's, and below a question, which nothing covers.
func (m *Model) push(s sheet) {
	at := len(m.sheets)
	if m.question() != nil || m.prompt != nil && at > 0 && m.top().scope == cmdtable.Palette {
		at--
	}
	m.sheets = slices.Insert(m.sheets, at, s)
}

func (m *Model) pop() { m.sheets = m.sheets[:len(m.sheets)-1] }

// focusOn gives a pane the keys.
func (m *Model) focusOn(i int) {
	m.focus = i
	if i == outlinePane || i == refsPane {
		m.from = i
	}
	if i >= detailPane {
		m.side = i
	}
}

// facts is what commands ask to know whether they work now.
func (m *Model) facts() cmdtable.Facts {
	f := cmdtable.Facts{
		Scope: m.screen, Bound: m.book.Bound(), Lost: m.loss() != nil, Earlier: m.book.Earlier(), More: m.book.More(),
		Marked: m.glow.on, Proof: m.proof != nil, Mutating: m.mutating, Demo: m.demo != nil,
		Journal:  m.focus == journalPane,
		Foldable: m.focus == outlinePane || m.focus == omissionsPane,
		OnePane:  m.w < twoColumns,
		ManyTabs: m.book.Bind != nil && len(m.book.Bind.Tabs) > 1,
	}
	_, f.Windows = m.windows.Selected()
	_, f.Snapshot = m.book.Current()
	f.Ref = m.selectedRef()
	f.Shot = m.shotRef()
	f.Past = m.book.Diff() != nil
	f.Regions = m.focus == regionsPane
	if len(m.sheets) > 0 {
		s := m.top()
		f.Scope = s.scope
		f.Proof = s.proof != nil
		f.Next = canRun(s.refusal)
		f.About = s.about()
		f.Listed = s.explained != nil && s.explained.Verdict == pane.Listed
		f.Waiting = s.explained != nil && s.explained.Verdict == pane.Waiting
		f.MoreRows = s.nodes != nil && s.nodes.Asked.After != ""
		if s.dialog != nil {
			f.Dialog, f.Prompts = true, s.dialog.Type == "prompt"
		}
		if s.acting != nil {
			d, _ := s.acting.deed()
			f.Prompts, f.Types = d.Asks != "", d.Kind == pane.TypeKind
		}
		if s.diff != nil {
			f.Older, f.Newer = s.diff.Earlier(), s.diff.Later()
		}
		if s.scope == cmdtable.Explanation { // it goes on with what is not read yet
			f.More = m.book.Continuation() != ""
		}
	}
	_, f.Agreed = m.consented()
	_, _, f.Asks = m.lacking()
	p := m.active()
	_, s := p.Copy()
	f.Copyable, f.Filtered = s != "", p.Filtering() != ""
	return f
}

// fails remembers that what was asked for did not come to what it should: the
// first of several, since those after it may follow from it. What came in part
// did come.
func (m *Model) fails(how pane.Outcome) {
	if m.trouble == "" || m.trouble == pane.Partly && how != pane.Partly {
		m.trouble = how
	}
}

// cannot says why what was asked for is not tried.
func (m *Model) cannot(why string) tea.Cmd {
	m.fails(pane.Bad)
	return m.say(theme.Warn, why)
}

// say shows a toast. One of trouble says that something failed.
func (m *Model) say(k theme.Token, s string) tea.Cmd {
	if k == theme.Bad {
		m.fails(pane.Lost)
	}
	m.toast = toast{text: text.Safe(s), token: k, id: m.toast.id + 1}
	if k == theme.Bad {
		return nil
	}
	return m.after(toastTime, untoast{m.toast.id})
}

// tick draws the spinner on while a call runs.
func (m *Model) tick() tea.Cmd {
	_, _, calling := m.call.Running()
	_, _, looking := m.listing.Running()
	if !calling && !looking {
		m.ticking, m.spin = false, 0
		return nil
	}
	m.spin++
	return m.after(spinEvery, spinMsg{})
}

// spinning starts the ticks that show a running call after a while.
func (m *Model) spinning(cmd tea.Cmd) tea.Cmd {
	if m.ticking {
		return cmd
	}
	m.ticking = true
	return tea.Batch(cmd, m.after(spinEvery, spinMsg{}))
}
