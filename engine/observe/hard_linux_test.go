package observe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/limits"
	"cuatui/engine/observe"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
	"cuatui/snapshotfmt"
)

// gaps are the marks that do not hold yet: "page#id", and why. One that holds
// fails the test until its line is taken out.
var gaps = map[string]string{}

// mark is what a page says of one of its elements (fixtures.HardPages).
type mark struct {
	ID   string  `json:"id"`
	Mark string  `json:"mark"`
	Alt  string  `json:"alt"`
	Role *string `json:"role"`
	Name *string `json:"name"`
}

// marksJS collects them from the document, its frames and its open shadow trees.
const marksJS = `(() => {
  const out = [];
  const visit = (root) => {
    for (const e of root.querySelectorAll('*')) {
      if (e.shadowRoot) visit(e.shadowRoot);
      const inner = e.contentDocument || (e.getSVGDocument && e.getSVGDocument());
      if (inner) visit(inner);
      const m = ['yes', 'no', 'off'].find((c) => e.classList.contains(c));
      if (m && e.id) out.push({ id: e.id, mark: m, alt: e.dataset.alt || '', role: e.dataset.role, name: e.dataset.name });
    }
  };
  visit(document);
  return out;
})()`

// readyJS waits until the page says that it is ready, and has been drawn.
const readyJS = `(async () => {
  await window.ready;
  for (let i = 0; i < 3; i++) await new Promise((r) => requestAnimationFrame(r));
  return true;
})()`

// judge says what is wrong with what is offered of the marked element; nil if
// it is as marked.
func (m mark) judge(byID map[string][]snapshotfmt.Entry) error {
	entries := byID[m.ID]
	if m.Mark == "no" {
		for _, e := range entries {
			if len(e.Actions) > 0 {
				return fmt.Errorf("lie: offered as %s %q %v (%s)", e.Role, e.Name, e.Actions, e.Visibility)
			}
		}
		return nil
	}
	fits := func(e snapshotfmt.Entry) bool {
		return len(e.Actions) > 0 && (m.Mark == "off" || e.Visibility == snapshotfmt.InViewport)
	}
	i := slices.IndexFunc(entries, fits)
	if i < 0 {
		if m.Alt != "" && slices.ContainsFunc(byID[m.Alt], fits) {
			return nil
		}
		if len(entries) > 0 {
			return fmt.Errorf("miss: %s %q has actions %v (%s, %s)", entries[0].Role, entries[0].Name, entries[0].Actions, entries[0].Visibility, entries[0].Why)
		}
		return errors.New("miss: not listed")
	}
	if m.Role != nil && entries[i].Role != *m.Role {
		return fmt.Errorf("role %q, want %q", entries[i].Role, *m.Role)
	}
	if m.Name != nil && entries[i].Name != *m.Name {
		return fmt.Errorf("name %q, want %q", entries[i].Name, *m.Name)
	}
	return nil
}

// TestHardPages reads the pages that are hard to read right in one browser.
func TestHardPages(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	t.Run("AreNotTouchedByReading", h.traces)
	t.Run("CannotHoldUpTheirReader", h.hostile)
}

type hard struct {
	conn *devtools.Conn
	srv  *fixtures.Server
}

// newHard starts a browser with the flags, and the server of the pages.
func newHard(t *testing.T, flags ...string) hard {
	t.Helper()
	h := hard{enginetest.Chromium(t, flags...), fixtures.NewServer()}
	if err := h.srv.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.srv.Close() })
	return h
}

// open opens an empty page in a viewport of which the marks are true.
func (h hard) open(t *testing.T) *devtools.Session {
	t.Helper()
	s := enginetest.Open(t, h.conn, "about:blank")
	t.Cleanup(func() { _ = s.Call(context.WithoutCancel(t.Context()), "Page.close", nil, nil) })
	view := map[string]any{"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false}
	if err := s.Call(t.Context(), "Emulation.setDeviceMetricsOverride", view, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func ready(t *testing.T, s *devtools.Session) {
	t.Helper()
	var drawn bool
	enginetest.Eval(t, s, readyJS, &drawn)
}

// marked: what a page marks is read as it is marked.
func (b *book) marked(t *testing.T, sh *sheet) {
	byID := offered(t, sh.first)
	var marks []mark
	enginetest.Eval(t, sh.s, marksJS, &marks)
	if len(marks) == 0 {
		t.Fatal("the page marks nothing")
	}
	for _, m := range marks {
		key := sh.name + "#" + m.ID
		err, gap := m.judge(byID), gaps[key]
		b.note(func() { delete(b.gaps, key) })
		switch {
		case err != nil && gap == "":
			t.Errorf("#%s: %v", m.ID, err)
		case err == nil && gap != "":
			t.Errorf("#%s holds now: take it out of the gaps", m.ID)
		}
	}
}

// slices: that the page has its turn whenever it can makes no difference.
func (b *book) slices(t *testing.T, sh *sheet) {
	sh.page.SetSlice(0)
	defer sh.page.SetSlice(limits.WalkSlice)
	got := read(t, sh.page, observe.Options{})
	if got.snap.Anew() {
		t.Error("it is at rest, but was walked anew")
	}
	sameAccount(t, "in slices", account(t, sh.first), account(t, got))
	b.note(func() { b.mostSlices = max(b.mostSlices, got.snap.Slices()) })
}

// largeDocument: that not every style of a large document is read makes no
// difference. It is read by a newcomer: what was found out of it is kept.
func (b *book) largeDocument(t *testing.T, sh *sheet) {
	var elements int
	enginetest.Eval(t, sh.s, growJS, &elements)
	if elements < 5000 {
		t.Fatalf("the document has %d elements", elements)
	}
	s, leave := again(t, sh)
	defer leave()
	sameAccount(t, "in a large document", account(t, sh.first), account(t, read(t, unhurried(sh.conn, s, "large-world"), observe.Options{})))
}

// growJS makes the document a large one, of which not every style is read: by
// elements that are of no account themselves.
const growJS = `(() => {
  const more = document.createElement('div');
  more.hidden = true;
  for (let i = 0; i < 5000; i++) more.append(document.createElement('i'));
  document.documentElement.append(more);
  return document.getElementsByTagName('*').length;
})()`

// sameAccount tells the lines that only one of two accounts has.
func sameAccount(t *testing.T, where string, before, after []string) {
	t.Helper()
	for i := 0; i < len(before) || i < len(after); i++ {
		if i >= len(before) || i >= len(after) || before[i] != after[i] {
			t.Errorf("it was\n%s\nand %s is\n%s", strings.Join(before[i:min(i+1, len(before))], ""), where, strings.Join(after[i:min(i+1, len(after))], ""))
			return
		}
	}
}

// account is all that a reading says of the nodes of a page, listed or left out.
func account(t *testing.T, got *taken) []string {
	t.Helper()
	var lines []string
	add := func(v any) {
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	for _, e := range got.entries {
		e.Ref = "" // of one document or the other, and so is its frame's
		if e.Frame != "main" {
			e.Frame = "frame"
		}
		add(e)
	}
	add(got.last().Omitted)
	return lines
}

// watchJS counts everything that a page can notice of its reader, and keeps the
// state that a reader could change.
const watchJS = `(() => {
  const seen = {}, add = (k) => seen[k] = (seen[k] || 0) + 1, frame = requestAnimationFrame;
  const observer = new MutationObserver((l) => { for (const m of l) add('mutation of ' + m.type + ' ' + m.target.nodeName); });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const n of ['focus', 'blur', 'focusin', 'focusout', 'scroll', 'scrollend', 'selectionchange', 'transitionrun', 'animationstart', 'resize', 'visibilitychange', 'pointermove', 'mousemove', 'mouseover',
    'toggle', 'beforematch', 'contentvisibilityautostatechange', 'slotchange', 'load', 'error', 'pagehide', 'keydown', 'click', 'input', 'change', 'securitypolicyviolation'])
    addEventListener(n, (e) => add('event ' + n), true);
  for (const [o, k] of [[Element.prototype, 'getBoundingClientRect'], [window, 'getComputedStyle'], [Element.prototype, 'scrollIntoView'], [HTMLElement.prototype, 'focus'],
    [Document.prototype, 'elementFromPoint'], [window, 'requestAnimationFrame'], [Element.prototype, 'matches'], [Element.prototype, 'getAttribute']]) {
    const f = o[k];
    o[k] = function (...a) { add('call of ' + k); return f.apply(this, a); };
  }
  window.watched = async () => {
    for (let i = 0; i < 3; i++) await new Promise((r) => frame(r));
    const scrolled = [...document.querySelectorAll('*')].map((e) => e.scrollTop + ' ' + e.scrollLeft);
    return JSON.stringify({ seen, globals: Object.getOwnPropertyNames(window).length, scrolled: [scrollX, scrollY, ...scrolled].join(), active: document.activeElement && document.activeElement.id,
      selection: getSelection().rangeCount + ' ' + getSelection(), markup: document.documentElement.outerHTML, frames: frames.length });
  };
  return true;
})()`

// traces: a page that is read keeps its state, and notices nothing.
func (h hard) traces(t *testing.T) {
	s := h.open(t)
	page := observe.NewPage(h.conn, s, "hard-world")
	for _, name := range []string{"clip", "scroll", "hidden", "labels", "modal", "shadow", "frames", "scrolled"} {
		t.Run(name, func(t *testing.T) {
			enginetest.Go(t, s, h.srv.URL("hard/"+name+".html"))
			var ok bool
			enginetest.Eval(t, s, `(() => { document.querySelector('input, button')?.focus(); const r = document.createRange(); r.selectNodeContents(document.body.firstChild); getSelection().addRange(r); return true; })()`, &ok)
			ready(t, s)
			enginetest.Eval(t, s, watchJS, &ok)
			var before, after string
			enginetest.Eval(t, s, "watched()", &before)
			if !strings.HasPrefix(before, `{"seen":{},`) {
				t.Fatalf("the page is not at rest: %.300s", before)
			}
			read(t, page, observe.Options{})
			read(t, page, observe.Options{})
			enginetest.Eval(t, s, "watched()", &after)
			if after != before {
				i := 0
				for i < min(len(before), len(after)) && before[i] == after[i] {
					i++
				}
				t.Errorf("the page noticed a reader\nbefore: …%.300s\nafter:  …%.300s", before[i:], after[i:])
			}
		})
	}
}

// restless are the hostile documents of which a reading may end with an error,
// and why. All others must be read.
var restless = map[string]string{
	"alert.html":      "nothing of the page runs while its alert is open",
	"open.html":       "the document is replaced while it is read",
	"reload.html":     "the document is replaced while it is read",
	"swaproot.html":   "the document element is replaced while it is read",
	"framechurn.html": "its frames are replaced while they are read",
}

// unoffered are those whose button OK must not be offered, or that have none.
var unoffered = []string{"bodynone.html", "inertroot.html", "empty.html", "noroot.html", "fs.html", "doc.json", "doc.svg", "doc.txt", "doc.xml"}

// hostile: a document that works against its reader is read or is an error
// within the deadline, and no reading that was cut short spoils the next.
func (h hard) hostile(t *testing.T) {
	for _, file := range fixtures.HostilePages() {
		name := path.Base(file)
		t.Run(name, func(t *testing.T) {
			s := h.open(t)
			enginetest.Go(t, s, h.srv.URL(file))
			page := observe.NewPage(h.conn, s, "hard-world")
			deadline := limits.SnapshotTimeout
			if name == "alert.html" {
				deadline = time.Second // it takes all it is given
				var due int
				enginetest.Eval(t, s, "setTimeout(ask)", &due)
			}
			for _, d := range []time.Duration{deadline, 100 * time.Millisecond, deadline} {
				got := readWithin(t, page, d)
				_, refused := refusal.As(got.err)
				switch {
				case got.err == nil:
					if want := !slices.Contains(unoffered, name); (got.ok == 1) != want {
						t.Errorf("OK is offered %d times", got.ok)
					}
				case d != deadline && errors.Is(got.err, context.DeadlineExceeded):
				case restless[name] == "":
					t.Errorf("within %v: %v", d, got.err)
				case !refused && !errors.Is(got.err, context.DeadlineExceeded):
					t.Errorf("neither a refusal nor the deadline: %v", got.err)
				}
			}
		})
	}
}

// reading is how the reading of a hostile document ended.
type reading struct {
	ok  int // how often a button OK is offered
	err error
}

// grace is what a reading may take to end when its deadline has passed. It is
// long for a busy machine, and less than a call that knows no deadline waits.
const grace = 10 * time.Second

// readWithin reads the first segments of a page. That it does not end although
// its deadline has passed for long fails the test.
func readWithin(t *testing.T, p *observe.Page, deadline time.Duration) reading {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	ended := make(chan reading, 1)
	go func() { ended <- readSome(ctx, t, p) }()
	select {
	case r := <-ended:
		return r
	case <-time.After(deadline + grace):
		t.Fatalf("the reading does not end: its deadline of %v was %v ago", deadline, grace)
		return reading{}
	}
}

func readSome(ctx context.Context, t *testing.T, p *observe.Page) (r reading) {
	snap, err := p.Take(ctx, observe.Options{NodeBudget: 300, OutputBudget: 16_000})
	for range 3 {
		if err != nil {
			break
		}
		var seg *observe.Segment
		if seg, err = snap.Next(ctx, 1, "viewport"); err != nil {
			break
		}
		assertIdentity(t, seg.Semantic.Snapshot)
		for _, e := range seg.Semantic.Refs {
			if e.Name == "OK" && len(e.Actions) > 0 {
				r.ok++
			}
		}
		if !seg.More {
			break
		}
	}
	r.err = err
	return r
}

// scrolledHitsJS scrolls to each marked element as an action would, and tells
// those of which some point takes the pointer.
const scrolledHitsJS = `(() => {
  const out = [];
  const visit = (doc, dx, dy) => {
    for (const e of doc.querySelectorAll('.no[id], .off[id]')) {
      e.scrollIntoView({ block: 'center', behavior: 'instant' });
      const b = e.getBoundingClientRect(), f = doc.defaultView.frameElement, o = f ? f.getBoundingClientRect() : { left: 0, top: 0 };
      for (let i = 0.5; i < 20; i++) for (let j = 0.5; j < 20; j++) {
        const x = b.left + b.width * i / 20, y = b.top + b.height * j / 20;
        let t = document.elementFromPoint(x + o.left, y + o.top);
        if (f && t === f) t = doc.elementFromPoint(x, y);
        if (t && (e.contains(t) || t.closest('label')?.control === e) && !out.includes(e.id)) out.push(e.id);
      }
    }
  };
  visit(document);
  for (const f of document.querySelectorAll('iframe')) visit(f.contentDocument);
  return out;
})()`

// The marks of the page below the fold are what the browser says once a control
// is scrolled to.
func TestTheMarksBelowTheFoldAreTrue(t *testing.T) {
	h := newHard(t)
	s := h.open(t)
	enginetest.Go(t, s, h.srv.URL("hard/fold.html"))
	ready(t, s)
	var hit []string
	enginetest.Eval(t, s, scrolledHitsJS, &hit)
	var marks []mark
	enginetest.Eval(t, s, marksJS, &marks)
	if len(marks) < 30 {
		t.Fatalf("only %d marks", len(marks))
	}
	for _, m := range marks {
		if got := slices.Contains(hit, m.ID); got != (m.Mark == "off") {
			t.Errorf("#%s is marked %s, and can be hit once scrolled to: %v", m.ID, m.Mark, got)
		}
	}
}
