package engine

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"cuatui/engine/attach"
	"cuatui/engine/bind"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/engine/prepare"
	"cuatui/platform"
)

// browser is a browser that a session may use, with its attached tabs: one it
// launched, or a running one whose endpoint was found.
type browser struct {
	conn       *devtools.Conn
	process    platform.Process
	system     platform.System
	product    string
	access     string           // access class
	transport  string           // how the endpoint is known
	generation int              // of the connection, from 1
	endpoint   *attach.Endpoint // nil for a launched one
	release    func(context.Context) error
	locks      *tabLocks // the engine's

	mu    sync.Mutex
	tabs  map[string]*tab // by the browser's target id
	order []string        // target ids as first seen: the stable order of tabs
	given []*copies       // files that were handed over
	ended bool            // it is closed
}

// Prepare sets an isolated browser up for the session.
func (e *Engine) Prepare(ctx context.Context, r contract.PrepareRequest) (*contract.PrepareResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := e.session(r.Session); err != nil {
		return nil, err
	}
	b, err := e.launcher.Launch(ctx, prepare.Spec{
		Mode: prepare.Mode(r.Profile), Name: r.Name, URL: r.URL, ExposePort: r.ExposePort, ExtraArgs: e.o.BrowserArgs,
	})
	if err != nil {
		return nil, err
	}
	own := &browser{
		conn: b.Conn(), process: b.Process(), system: b.System(), product: b.SideEffects().Product, access: accessDriver,
		transport: "spawned_exact", generation: 1, release: b.Close, locks: &e.tabLocks, tabs: map[string]*tab{},
	}
	e.mu.Lock()
	lost := e.closed || !e.store.Has(r.Session)
	if !lost {
		e.browsers[r.Session] = append(e.browsers[r.Session], own)
	}
	e.mu.Unlock()
	if lost {
		return nil, fmt.Errorf("prepare: the session ended meanwhile: %w", errOrNil(own.close(ctx)))
	}
	if r.URL != "" && r.URL != "about:blank" {
		e.arrive(ctx, own)
	}
	out := &contract.PrepareResult{Status: contract.OK, Action: "launched", PreparedPID: b.Process().PID, WindowIDs: []uint64{}, SideEffects: b.SideEffects()}
	for _, id := range b.WindowIDs() {
		out.WindowIDs = append(out.WindowIDs, uint64(id))
	}
	e.log.Info("browser launched", "session", r.Session, "pid", out.PreparedPID, "windows", len(out.WindowIDs))
	return out, nil
}

// arriveTimeout bounds the wait for a launched browser's first page to load. A
// page that takes longer is handed over as it is: the browser is there.
const arriveTimeout = 10 * time.Second

// arrive waits until the first page of a launched browser has loaded, so that
// a caller does not bind and read the blank page before it.
func (e *Engine) arrive(ctx context.Context, b *browser) {
	ctx, cancel := context.WithTimeout(ctx, arriveTimeout)
	defer cancel()
	for {
		if e.arrived(ctx, b) || ended(b.conn.Done()) || pause(ctx, settleMove) != nil {
			return
		}
	}
}

// arrived looks once; a page that a dialog holds up has arrived as far as it will.
func (e *Engine) arrived(ctx context.Context, b *browser) bool {
	ctx, cancel := context.WithTimeout(ctx, activeTimeout)
	defer cancel()
	pages, _, err := b.targets(ctx)
	if err != nil || len(pages) == 0 {
		return false
	}
	t, err := b.tab(ctx, pages[0].TargetID, e.world)
	if err != nil {
		return false
	}
	done, err := t.page.Arrived(ctx)
	return err == nil && done || t.Open() != nil
}

func errOrNil(err error) error {
	if err == nil {
		return context.Canceled
	}
	return err
}

// owned is the browser with the pid that the session launched, nil if none.
func (e *Engine) owned(session string, pid int) *browser {
	b := e.known(session, pid)
	if b == nil || b.endpoint != nil {
		return nil
	}
	return b
}

// known is the session's browser with the pid, launched or found, nil if none.
func (e *Engine) known(session string, pid int) *browser {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, b := range e.browsers[session] {
		if b.process.PID == pid {
			return b
		}
	}
	return nil
}

// close detaches the tabs and ends what the session made: the browser it
// launched, or the connection to one it found.
func (b *browser) close(ctx context.Context) error {
	b.mu.Lock()
	tabs := make([]*tab, 0, len(b.tabs))
	for _, t := range b.tabs {
		tabs = append(tabs, t)
	}
	b.tabs = map[string]*tab{}
	given := b.given
	b.given, b.ended = nil, true
	b.mu.Unlock()
	err := b.release(ctx)
	for _, c := range given {
		c.remove()
	}
	for _, t := range tabs {
		t.close()
	}
	return err
}

// keep keeps handed-over files until the browser is closed; false if it is.
func (b *browser) keep(c *copies) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return false
	}
	b.given = append(b.given, c)
	return true
}

// targetInfo is a target as the browser lists it.
type targetInfo struct {
	TargetID string `json:"targetId"`
	Type     string `json:"type"`
	Title    string `json:"title"`
	URL      string `json:"url"`
}

// page says whether the target is a page a person would call a tab.
func (t targetInfo) page() bool {
	if t.Type != "page" {
		return false
	}
	u, err := url.Parse(t.URL)
	return err != nil || u.Scheme != "devtools"
}

// windowOf is a page target's place: its browser window.
type windowOf struct {
	WindowID int `json:"windowId"`
	Bounds   struct {
		Left   float64 `json:"left"`
		Top    float64 `json:"top"`
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
		State  string  `json:"windowState"`
	} `json:"bounds"`
}

func (w windowOf) rect() platform.Rect {
	return platform.Rect{X: w.Bounds.Left, Y: w.Bounds.Top, W: w.Bounds.Width, H: w.Bounds.Height}
}

// placed is a page target with its window; a browser that knows no windows
// gives its pages without one.
type placed struct {
	targetInfo
	window    windowOf
	hasWindow bool
}

// listTries is how often the pages are listed where one went meanwhile.
const listTries = 3

// pages lists the pages.
func (b *browser) pages(ctx context.Context) ([]targetInfo, error) {
	var list struct {
		TargetInfos []targetInfo `json:"targetInfos"`
	}
	if err := b.conn.Browser().Call(ctx, "Target.getTargets", nil, &list); err != nil {
		return nil, fmt.Errorf("list browser windows: %w", err)
	}
	return slices.DeleteFunc(list.TargetInfos, func(t targetInfo) bool { return !t.page() }), nil
}

// targets lists the pages with their windows, in the stable order. Targets
// without a window (side panels, omnibox popups) are skipped and named in
// skipped; a page that goes while it is asked for makes the list anew; any
// other error fails the whole listing, and so the proof.
func (b *browser) targets(ctx context.Context) (pages []placed, skipped []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limits.AnswerTimeout)
	defer cancel()
	for range listTries {
		if pages, skipped, err = b.listed(ctx); !targetGone(err) {
			break
		}
	}
	return pages, skipped, err
}

func (b *browser) listed(ctx context.Context) (pages []placed, skipped []string, err error) {
	root := b.conn.Browser()
	infos, err := b.pages(ctx)
	if err != nil {
		return nil, nil, err
	}
	sent := make([]*devtools.Pending, len(infos))
	for i, t := range infos {
		sent[i] = root.Send("Browser.getWindowForTarget", map[string]any{"targetId": t.TargetID})
	}
	for i, t := range infos {
		var w windowOf
		err := sent[i].Decode(ctx, &w)
		switch {
		case err == nil:
			pages = append(pages, placed{t, w, true})
		case unknownMethod(err):
			pages = append(pages, placed{targetInfo: t})
		case windowless(err):
			skipped = append(skipped, "a page without a window")
		default:
			return nil, nil, fmt.Errorf("list browser windows: %w", err)
		}
	}
	b.sort(pages)
	return pages, skipped, nil
}

// sort puts pages into the order in which they were first seen.
func (b *browser) sort(pages []placed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	live := map[string]bool{}
	for _, p := range pages {
		live[p.TargetID] = true
	}
	b.order = slices.DeleteFunc(b.order, func(id string) bool { return !live[id] })
	for _, p := range pages {
		if !slices.Contains(b.order, p.TargetID) {
			b.order = append(b.order, p.TargetID)
		}
	}
	slices.SortFunc(pages, func(x, y placed) int {
		return slices.Index(b.order, x.TargetID) - slices.Index(b.order, y.TargetID)
	})
}

// fresh says whether one of the pages was not seen before.
func (b *browser) fresh(pages []targetInfo) (found bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range pages {
		if !slices.Contains(b.order, p.TargetID) {
			b.order, found = append(b.order, p.TargetID), true
		}
	}
	return found
}

// windowless: Chromium answers -32000 "Browser window not found" for a page
// that belongs to no window.
func windowless(err error) bool {
	p, ok := protocolError(err)
	return ok && p.Code == -32000 && strings.Contains(p.Message, "window not found")
}

// targetGone: Chromium answers -32000 or -32602 "No target with given id" (found)
// for one that has been closed.
func targetGone(err error) bool {
	p, ok := protocolError(err)
	return ok && (p.Code == -32000 || p.Code == -32602) && strings.Contains(p.Message, "No target with given id")
}

// unknownMethod: an embedded Chromium has no window manager to ask.
func unknownMethod(err error) bool {
	p, ok := protocolError(err)
	return ok && p.Code == -32601
}

// windows turns pages into browser windows for correlation.
func windows(pages []placed) []bind.BrowserWindow {
	var out []bind.BrowserWindow
	for _, p := range pages {
		if !p.hasWindow {
			out = append(out, bind.BrowserWindow{Titles: []string{p.Title}})
			continue
		}
		i := slices.IndexFunc(out, func(w bind.BrowserWindow) bool { return w.HasWindow && w.ID == p.window.WindowID })
		if i < 0 {
			out = append(out, bind.BrowserWindow{ID: p.window.WindowID, Bounds: p.window.rect(), State: p.window.Bounds.State, HasWindow: true})
			i = len(out) - 1
		}
		out[i].Titles = append(out[i].Titles, p.Title)
	}
	return out
}
