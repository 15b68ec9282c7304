package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/engine/observe"
	"cuatui/platform"
)

// tab is an attached tab: its session, what is seen of it, its dialogs and the
// lock under which it is mutated. Every binding of an engine session shares it;
// sessions with connections of their own share the lock, so that two of them
// cannot interleave.
type tab struct {
	target  string
	session *devtools.Session
	page    *observe.Page

	lock   chan struct{} // one token: who holds it may mutate; of tabLocks
	events *devtools.Events
	done   chan struct{} // the event loop has ended
	letGo  func()        // of the lock

	mu     sync.Mutex
	dialog *contract.Dialog
	opened chan struct{} // closed when a dialog opens; replaced when it closes
	closed chan struct{} // closed when the open dialog closes
	noted  chan struct{} // closed when left grows; replaced then
	left   left          // what the page asked of the browser since takeLeft
	began  int           // downloads so far
}

// left is what a page asks of the browser that no look at it shows.
type left struct {
	moved    string // url of the last navigation asked for
	frame    string // the frame that it is for
	opened   string // url of a window or tab that opened
	asked    string // or that was asked for without a person's gesture, which the browser may have stopped
	download string // url of a download that began
	into     string // the frame that it is for
}

// tab attaches to a page target, once.
func (b *browser) tab(ctx context.Context, target, world string) (*tab, error) {
	b.mu.Lock()
	t := b.tabs[target]
	b.mu.Unlock()
	if t != nil && t.alive() {
		return t, nil
	}
	s, err := b.conn.Attach(ctx, target)
	if err != nil {
		return nil, fmt.Errorf("attach tab: %w", err)
	}
	lock, letGo := b.locks.of(tabID{b.process.Fingerprint(), target})
	t = &tab{
		target: target, session: s, page: observe.NewPage(b.conn, s, world), lock: lock, letGo: letGo, done: make(chan struct{}), opened: make(chan struct{}), noted: make(chan struct{}),
		events: s.Subscribe("Page.javascriptDialogOpening", "Page.javascriptDialogClosed", "Page.frameRequestedNavigation", "Page.windowOpen", "Page.downloadWillBegin"),
	}
	t.page.ForeignSheets = b.endpoint != nil // launched ones run without extensions
	go t.listen()
	if err := t.enable(ctx); err != nil {
		t.close()
		return nil, errors.Join(fmt.Errorf("attach tab: %w", err), s.Detach(context.WithoutCancel(ctx)))
	}
	b.mu.Lock()
	other := b.tabs[target]
	if other == nil || !other.alive() {
		b.tabs[target] = t
	}
	b.mu.Unlock()
	if other != nil && other.alive() { // somebody attached meanwhile: one session a tab
		t.close()
		return other, s.Detach(context.WithoutCancel(ctx))
	}
	return t, nil
}

// errSilent is a page that gives a new session no answer.
var errSilent = errors.New("the page does not answer")

// enable has the page tell of itself. One that a dialog holds up answers nothing
// until a person has closed it, and a dialog that is open already is told to
// nobody who comes later.
func (t *tab) enable(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, limits.FirstAnswerTimeout)
	defer cancel()
	err := t.session.Call(within, "Page.enable", nil, nil)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return errSilent
	}
	return err //nolint:wrapcheck // the caller says what it was for
}

// alive says whether the tab's session still stands.
func (t *tab) alive() bool {
	select {
	case <-t.done:
		return false
	default:
		return true
	}
}

// close ends the event loop and waits for it.
func (t *tab) close() {
	t.events.Close()
	<-t.done
}

// listen follows the tab's dialogs until its session ends. A dialog stops the
// page's script, so that every read would hang: whoever waits must know.
func (t *tab) listen() {
	defer close(t.done)
	defer t.letGo()
	for ev := range t.events.C() {
		switch ev.Method {
		case "Page.javascriptDialogOpening":
			var d struct {
				Type    string `json:"type"`
				Message string `json:"message"`
			}
			if err := json.Unmarshal(ev.Params, &d); err != nil {
				continue // a dialog we cannot read about is found when the read hangs
			}
			t.mu.Lock()
			if t.dialog == nil { // told twice, it is still one
				t.dialog = &contract.Dialog{ID: capability.NewID("dialog-"), Type: d.Type, Text: d.Message}
				t.closed = make(chan struct{})
				close(t.opened)
			}
			t.mu.Unlock()
		case "Page.javascriptDialogClosed":
			t.mu.Lock()
			if t.dialog != nil {
				t.dialog, t.opened = nil, make(chan struct{})
				close(t.closed)
			}
			t.mu.Unlock()
		default:
			t.leaves(ev)
		}
	}
}

// leaves notes what the page asked of the browser.
func (t *tab) leaves(ev devtools.Event) {
	var n struct {
		URL         string `json:"url"`
		Disposition string `json:"disposition"`
		FrameID     string `json:"frameId"`
		Gesture     bool   `json:"userGesture"`
	}
	if err := json.Unmarshal(ev.Params, &n); err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case ev.Method == "Page.windowOpen" && !n.Gesture:
		t.left.asked = n.URL
	case ev.Method == "Page.windowOpen":
		t.left.opened = n.URL
	case ev.Method == "Page.downloadWillBegin":
		t.left.download, t.left.into = n.URL, n.FrameID
		t.began++
	case n.Disposition == "" || n.Disposition == "currentTab":
		t.left.moved, t.left.frame = n.URL, n.FrameID
	}
	close(t.noted)
	t.noted = make(chan struct{})
}

// Opened implements act.Dialogs.
func (t *tab) Opened() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.opened
}

// Closed returns a channel that is closed when the open dialog closes.
func (t *tab) Closed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

// Open implements act.Dialogs.
func (t *tab) Open() *contract.Dialog {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dialog
}

// takeLeft returns what was asked for since the last call.
func (t *tab) takeLeft() left {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.left
	t.left = left{}
	return l
}

// downloads is how many downloads have begun, and gives the channel that is
// closed when the page asks for anything.
func (t *tab) downloads() (began int, noted <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.began, t.noted
}

// acquire takes the tab's mutation lock, or gives up with ctx.
func (t *tab) acquire(ctx context.Context) error {
	select {
	case t.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the tab: %w", ctx.Err())
	}
}

func (t *tab) release() { <-t.lock }

func protocolError(err error) (*devtools.Error, bool) {
	var p *devtools.Error
	ok := errors.As(err, &p)
	return p, ok
}

// tabID is a tab for every session: the run of its browser's process, and the
// browser's own id of it.
type tabID struct {
	process platform.Fingerprint
	target  string
}

// tabLocks are the locks of the tabs that any session is attached to.
type tabLocks struct {
	mu  sync.Mutex
	all map[tabID]*tabLock
}

type tabLock struct {
	token chan struct{}
	users int
}

// of is the lock of a tab; letGo says that it is used no more, once.
func (l *tabLocks) of(id tabID) (lock chan struct{}, letGo func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[tabID]*tabLock{}
	}
	t := l.all[id]
	if t == nil {
		t = &tabLock{token: make(chan struct{}, 1)}
		l.all[id] = t
	}
	t.users++
	return t.token, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(l.all, id)
		}
	}
}
