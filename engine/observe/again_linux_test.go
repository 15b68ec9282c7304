package observe_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/snapshotfmt"
)

var refInText = regexp.MustCompile(`\b([pv])1:\d+`)

// queried takes a query and its first segment, without what differs between
// two reads of one page: refs, times and counts of protocol work.
func queried(t *testing.T, p *observe.Page, query string) (sem *snapshotfmt.Semantic, kept bool) {
	t.Helper()
	snap, err := p.Take(t.Context(), observe.Options{Query: query, NodeBudget: 300, OutputBudget: 16_000})
	if err != nil {
		t.Fatal(err)
	}
	seg, err := snap.Next(t.Context(), 1, "query")
	if err != nil {
		t.Fatal(err)
	}
	sem = seg.Semantic
	kept = sem.Generated.KeptSurvey
	sem.Generated, sem.Lines, sem.Page.FocusedRef = snapshotfmt.Generated{}, nil, ""
	sem.Snapshot.EstimatedTokens = 0
	sem.Outline = refInText.ReplaceAllString(sem.Outline, "${1}1:k")
	for _, list := range [][]snapshotfmt.Entry{sem.Refs, sem.ContentRefs} {
		for i := range list {
			list[i].Ref = ""
		}
	}
	return sem, kept
}

// again attaches to the tab of a page for who has never read it.
func again(t *testing.T, sh *sheet) (s *devtools.Session, leave func()) {
	t.Helper()
	var of struct {
		TargetInfo struct {
			TargetID string `json:"targetId"`
		} `json:"targetInfo"`
	}
	if err := sh.s.Call(t.Context(), "Target.getTargetInfo", nil, &of); err != nil {
		t.Fatal(err)
	}
	s, err := sh.conn.Attach(t.Context(), of.TargetInfo.TargetID)
	if err != nil {
		t.Fatal(err)
	}
	return s, func() {
		if err := s.Detach(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// asAnew holds a query against the same query of a page that was never read.
func asAnew(t *testing.T, sh *sheet, query string) (kept bool) {
	t.Helper()
	got, kept := queried(t, sh.page, query)
	s, leave := again(t, sh)
	defer leave()
	want, anew := queried(t, unhurried(sh.conn, s, "anew-world"), query)
	if anew {
		t.Fatal("a page that was never read has no kept survey")
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("query %q (kept %v) gives\n%+v\n%s\nand anew\n%+v\n%s", query, kept, got.Snapshot, got.Outline, want.Snapshot, want.Outline)
	}
	return kept
}

// queries find parts of words, and words across nodes. A page is asked one.
var queries = []string{"re", "send 1"}

// keptSurvey: what was surveyed answers a query as a walk would.
func (b *book) keptSurvey(t *testing.T, sh *sheet) {
	queried(t, sh.page, "")  // the page has been drawn
	queried(t, sh.page, "o") // what is hidden has been laid out
	queried(t, sh.page, "")
	kept := asAnew(t, sh, queries[len(sh.file)%len(queries)])
	b.note(func() {
		b.asked++
		if kept {
			b.kept++
		}
	})
}

// still is a page on which nothing moves by itself.
const still = `<!doctype html><title>Still</title><style id=st>.q{color:red} #box:checked ~ #tied{display:none} #pop::before{content:"\2022"}</style>
<h1>Still life</h1><p id=text>Some pear text</p><p>sp<b>li</b>t word</p><button id=b aria-label="Apple">A</button><button id=c>Pe<span style="display:none">X</span>ar</button>
<input id=box type=checkbox aria-label="Box"><p id=tied>tied pear</p><input id=field value="plum" aria-label="Field"><div id=plain>plain pear</div>
<div id=scroller style="height:40px;overflow:auto"><p>first pear</p><div style="height:300px"></div><p>last pear</p></div>
<div id=pop popover>pop pear</div><details id=d><summary>More</summary><p>inner pear</p></details><span id=ref>quince</span><button aria-labelledby=ref>z</button>
<label for=lab>cel<textarea>m</textarea>lar</label><input id=lab><div style="height:3000px"></div><p>far pear</p>`

// drawn waits until the page has been drawn.
func drawn(t *testing.T, s *devtools.Session) {
	t.Helper()
	enginetest.Eval(t, s, `new Promise((ok) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(ok))))`, nil)
}

// What changes a page must be walked for, however it comes about.
func TestAChangedPageIsWalkedAnew(t *testing.T) {
	tests := []struct {
		name, script string
		kept         bool
	}{
		{"nothing", `1`, true},
		{"a value", `field.value = 'pear'`, false},
		{"text", `text.firstChild.data = 'a pear more'`, false},
		{"a node", `document.body.append(Object.assign(document.createElement('p'), { textContent: 'new pear' }))`, false},
		{"a node in what is hidden", `pop.append(Object.assign(document.createElement('p'), { textContent: 'new pear' }))`, false},
		{"an attribute without a style", `b.setAttribute('aria-label', 'Pear')`, false},
		{"a role", `plain.setAttribute('role', 'button')`, false},
		{"a class", `plain.className = 'q'`, false},
		{"a rule", `st.sheet.insertRule('#plain{display:none}')`, false},
		{"a rule's own style", `st.sheet.cssRules[0].selectorText = '#plain', st.sheet.cssRules[0].style.display = 'none'`, false},
		{"an adopted sheet", `{ const s = new CSSStyleSheet(); s.replaceSync('#plain{visibility:hidden}'); document.adoptedStyleSheets = [s]; }`, false},
		{"a sheet that is switched off", `st.disabled = true`, false},
		{"a state that a style follows", `box.checked = true`, false},
		{"a shadow tree", `plain.attachShadow({ mode: 'open' }).innerHTML = 'shadow pear'`, false},
		{"a closed shadow tree", `plain.attachShadow({ mode: 'closed' }).innerHTML = 'shadow pear'`, false},
		{"a shadow tree in what is hidden", `pop.attachShadow({ mode: 'open' }).innerHTML = 'shadow pear'`, false},
		{"the window scrolled", `scrollTo(0, 900)`, false},
		{"a box scrolled", `scroller.scrollTop = 200`, false},
		{"a popover", `pop.showPopover()`, false},
		{"a disclosure", `d.open = true`, false},
		{"the focus", `field.focus()`, false},
		{"a listener", `plain.addEventListener('click', () => {})`, false},
		{"a handler", `plain.onclick = () => {}`, false},
		{"an animation", `plain.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 100000 })`, false},
		{"a frame", `document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: 'framed pear' }))`, false},
		{"another root", `document.replaceChild(document.documentElement.cloneNode(true), document.documentElement)`, false},
	}
	h := newHard(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := h.open(t)
			enginetest.Go(t, s, h.srv.URL("/rerender"))
			enginetest.Eval(t, s, `document.documentElement.innerHTML = `+"`"+strings.ReplaceAll(still, `\`, `\\`)+"`; field.value = 'prune'", nil)
			page := observe.NewPage(h.conn, s, "kept-world")
			sh := &sheet{conn: h.conn, s: s, page: page}
			drawn(t, s)
			queried(t, page, "")
			queried(t, page, "pear") // the first look into what is hidden makes the browser lay it out, which counts as work
			queried(t, page, "")
			if !asAnew(t, sh, "pear") {
				t.Error("an unchanged page was walked anew")
			}
			enginetest.Eval(t, s, tt.script+`; 0`, nil)
			if kept := asAnew(t, sh, "pear"); kept != tt.kept {
				t.Errorf("kept %v, want %v", kept, tt.kept)
			}
			for _, q := range []string{"split", "quince", "prune", "cellar", "apple"} {
				asAnew(t, sh, q)
			}
		})
	}
}
