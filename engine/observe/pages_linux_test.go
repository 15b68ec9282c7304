package observe_test

import (
	"maps"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/fixtures"
	"cuatui/snapshotfmt"
)

// sheet is a fixture page in a tab of its own.
type sheet struct {
	conn  *devtools.Conn
	s     *devtools.Session
	page  *observe.Page
	file  string // as the server of the pages serves it
	name  string // of the file, without what is asked of it
	first *taken // what was read of it by who had never read it
}

// hard says whether it is of the pages that are hard to read right, which are
// marked.
func (sh *sheet) hard() bool { return strings.HasPrefix(sh.file, "hard/") }

// generated says whether the page is made to a size.
func (sh *sheet) generated() bool { return strings.Contains(sh.file, "?") }

// large are pages of thousands of like nodes. What asks for every node of a
// page one by one learns no more from them than from the small ones.
func (sh *sheet) large() bool {
	return sh.name == "list" && !strings.Contains(sh.file, "rows=200&") || strings.HasPrefix(sh.name, "dense")
}

// checks are what is held against every page, in this order: the last ones
// leave something behind.
var checks = []struct {
	name string
	hold func(*book, *testing.T, *sheet)
	of   func(*sheet) bool
}{
	{"outline", (*book).outline, func(sh *sheet) bool { return !sh.generated() }},
	{"formats", (*book).formats, func(sh *sheet) bool { return !sh.generated() }},
	{"declared", (*book).declared, func(sh *sheet) bool { return !sh.hard() }},
	{"marked", (*book).marked, (*sheet).hard},
	{"slices", (*book).slices, (*sheet).hard},
	{"protocol", (*book).protocol, func(sh *sheet) bool { return !sh.large() }},
	{"accessibility", (*book).accessibility, func(sh *sheet) bool { return !sh.large() }},
	{"audit", (*book).audit, func(sh *sheet) bool { return !sh.large() }},
	{"kept survey", (*book).keptSurvey, func(sh *sheet) bool { return !sh.large() && sh.name != "animations" }}, // which never stands still
	{"large document", (*book).largeDocument, (*sheet).hard},
}

// book is what all pages come to together.
type book struct {
	mu    sync.Mutex
	pages int
	// What of the tables of known differences was not met, by key.
	gaps, differences, auditGaps map[string]string
	axRules                      map[int]string

	mostSlices, described, controls, asked, kept, formatted int
	outlines, whys                                          map[string]bool
}

// note is for what the pages of two browsers add to.
func (b *book) note(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

// allPages are the files of all fixture pages.
func allPages() []string {
	seen := map[string]bool{}
	var out []string
	add := func(file string) {
		if !seen[file] {
			seen[file] = true
			out = append(out, file)
		}
	}
	for _, e := range fixtures.Expectations {
		add(e.Page)
	}
	for _, p := range fixtures.Pages() {
		add(p)
	}
	for _, p := range fixtures.HardPages() {
		add(p)
	}
	return out
}

// TestPages opens every fixture page once, and holds against each other all
// that can be said of it. Two browsers share the work.
func TestPages(t *testing.T) {
	t.Parallel()
	b := &book{gaps: maps.Clone(gaps), differences: maps.Clone(differences), auditGaps: maps.Clone(auditGaps), axRules: map[int]string{}, outlines: map[string]bool{}, whys: map[string]bool{}}
	for i, r := range axRules {
		b.axRules[i] = r.why
	}
	all := allPages()
	t.Run("of", func(t *testing.T) {
		for half, name := range []string{"one", "another"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h := newHard(t, "--site-per-process")
				for i, file := range all {
					if i%2 == half {
						t.Run(strings.TrimPrefix(file, "hard/"), func(t *testing.T) { b.hold(t, h, file) })
					}
				}
			})
		}
	})
	if b.pages == len(all) {
		b.close(t)
	}
}

// hold holds all checks against one page.
func (b *book) hold(t *testing.T, h hard, file string) {
	s := h.open(t)
	name, _, _ := strings.Cut(strings.TrimSuffix(path.Base(file), ".html"), "?")
	sh := &sheet{conn: h.conn, s: s, page: unhurried(h.conn, s, "page-world"), file: file, name: name}
	enginetest.Go(t, s, h.srv.URL(file))
	if sh.hard() {
		ready(t, s)
	}
	drawn(t, s)
	sh.first = read(t, sh.page, observe.Options{})
	for _, e := range sh.first.entries {
		if e.Why != "" {
			b.note(func() { b.whys[e.Why] = true })
		}
	}
	for _, c := range checks {
		if c.of(sh) {
			t.Run(c.name, func(t *testing.T) { c.hold(b, t, sh) })
		}
	}
	b.note(func() { b.pages++ })
}

// unhurried is a page that is read until all is known of it, on a busy machine
// too.
func unhurried(conn *devtools.Conn, s *devtools.Session, world string) *observe.Page {
	p := observe.NewPage(conn, s, world)
	p.SetHitTime(time.Minute)
	return p
}

// close holds what all pages came to against the tables: a line that nothing
// needs any more is to be taken out.
func (b *book) close(t *testing.T) {
	for what, open := range map[string]map[string]string{"gap": b.gaps, "difference": b.differences, "finding": b.auditGaps} {
		for key, why := range open {
			t.Errorf("the %s %s is none any more (%s): take it out", what, key, why)
		}
	}
	for i := range b.axRules {
		t.Errorf("no page differs by %+v any more: take the line out", axRules[i])
	}
	for why := range b.whys {
		if _, ok := snapshotfmt.InertOf(why); !ok {
			t.Errorf("controls are without an action for %q, which is not documented", why)
		}
	}
	for _, i := range snapshotfmt.Inerts {
		// All the time that is needed is given here, and something is hit at every point.
		if !b.whys[i.Why] && i.Why != "budget" && i.Why != "no_point" {
			t.Errorf("no control is without an action for %q", i.Why)
		}
	}
	if b.mostSlices < 3 {
		t.Errorf("no page was read in more than %d slices", b.mostSlices)
	}
	if b.described < 500 {
		t.Errorf("only %d nodes were compared with the accessibility tree", b.described)
	}
	if b.controls < 100 {
		t.Errorf("only %d controls were hit on all pages: the audit sees too little", b.controls)
	}
	t.Logf("%d of %d queries were answered by the kept survey", b.kept, b.asked)
	if b.kept < b.asked/3 {
		t.Errorf("only %d of %d queries were answered by the kept survey", b.kept, b.asked)
	}
	b.closeOutlines(t)
}
