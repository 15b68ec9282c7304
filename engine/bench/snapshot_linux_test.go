package bench

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"cuatui/engine/enginetest"
	fixturebench "cuatui/fixtures/bench"
	"cuatui/snapshotfmt"
)

// subject is a page of the bench set and its primary control.
type subject struct {
	name, path, primary string
}

// labelled is the page that stops every tool that begins with accessibility:
// 100,000 elements, 20,000 of them labels.
var labelled = subject{"list 20k labels", "list?rows=20000&per=5&labels=1", `"Archive 1"`}

var subjects = []subject{
	{"inbox", "inbox-attribute", `"Send"`},
	{"form", "form", `"Send form"`},
	{"frames", "frames", `"Button in bordered"`},
	{"modal-dialog", "modal-dialog", `"OK"`},
	{"list 1k", "list?rows=1000", `"Archive 1"`},
	{"list 5k", "list?rows=5000", `"Archive 1"`},
	{"list 20k", "list?rows=20000", `"Archive 1"`},
	labelled,
}

// pages limits the bench set to the pages of these names.
var pages = flag.String("pages", "", "only these pages of the bench set, by name, with commas between them")

// chosen is the bench set, or what of it was asked for.
func chosen(tb testing.TB) []subject {
	tb.Helper()
	if *pages == "" {
		return subjects
	}
	var out []subject
	for name := range strings.SplitSeq(*pages, ",") {
		i := slices.IndexFunc(subjects, func(s subject) bool { return s.name == name })
		if i < 0 {
			tb.Fatalf("no page of the bench set is called %q", name)
		}
		out = append(out, subjects[i])
	}
	return out
}

// turns say how often things are measured: so many documents, and in each so
// many turns of everything that is warm.
type turns struct{ documents, warm int }

var full = turns{documents: 3, warm: 4}

// measured is what one page cost.
type measured struct {
	coldWalk, coldSnapshot, walk, snapshot, inPage, collector samples

	walkCPU, snapshotCPU samples // of the browser

	elements, calls, bytes, collectorBytes int
	outline                                string
	given                                  bool // the collector was given up
	unread                                 int  // elements that a warm snapshot left out at most
}

// measure takes a page's figures. Both cold figures are of a document that
// nothing has looked at before.
func (b *browser) measure(s subject, n turns) *measured {
	b.tb.Helper()
	m := &measured{}
	for range n.documents {
		b.open(s.path)
		walked, took := b.walk()
		m.elements, m.coldWalk = walked.Elements, append(m.coldWalk, took)
		b.open(s.path)
		_, _, took = b.snapshot("")
		m.coldSnapshot = append(m.coldSnapshot, took)
		b.walk()
		for turn := range n.warm {
			b.turn(m, turn)
		}
		if m.given {
			continue
		}
		took, bytes, ok := b.collect()
		m.given = !ok
		if ok {
			m.collector, m.collectorBytes = append(m.collector, took), bytes
		}
	}
	return m
}

// turn measures one warm walk and one warm snapshot, each first in every other turn.
func (b *browser) turn(m *measured, n int) {
	walk := func() {
		before := b.cpu()
		_, took := b.walk()
		m.walk, m.walkCPU = append(m.walk, took), append(m.walkCPU, b.cpu()-before)
	}
	if n%2 == 0 {
		walk()
	}
	before := b.cpu()
	_, segment, took := b.snapshot("")
	m.snapshot, m.snapshotCPU = append(m.snapshot, took), append(m.snapshotCPU, b.cpu()-before)
	made := segment.Semantic.Generated
	m.inPage = append(m.inPage, time.Duration(made.WalkMS*float64(time.Millisecond)))
	m.unread = max(m.unread, segment.Semantic.Snapshot.NotWalkedAtLeast)
	m.calls, m.bytes, m.outline = made.ProtocolCalls, int(made.ReplyBytes), segment.Semantic.Outline
	if n%2 != 0 {
		walk()
	}
}

func BenchmarkSnapshot(b *testing.B) {
	publish(b, machine(b.Context()))
	for _, s := range compareSnapshots(b, chosen(b), full) {
		publish(b, s)
	}
}

// smallMax is the number of elements up to which a snapshot may take a fixed
// time on top of its multiple of the walk: frames, calls, the page's own step.
const smallMax = 10_000

// warmBar is the most that a snapshot may take beside its bare walk.
func (m *measured) warmBar() time.Duration {
	bar := 3 * m.walk.median()
	if m.elements <= smallMax {
		bar += 30 * time.Millisecond
	}
	return bar
}

func held(took, bar time.Duration) string {
	if took <= bar {
		return fmt.Sprintf("held (%.0f)", float64(bar)/float64(time.Millisecond))
	}
	return fmt.Sprintf("MISSED (%.0f)", float64(bar)/float64(time.Millisecond))
}

// compareSnapshots measures the pages and tells it in tables.
func compareSnapshots(tb testing.TB, subjects []subject, n turns) []*sheet {
	tb.Helper()
	warm := &sheet{title: "Snapshot against the bare walk, warm", head: []string{"page", "elements", "walk", "snapshot", "in page", "ratio", "ratio of cpu", "bar"}}
	cold := &sheet{title: "First snapshot of a document", head: []string{"page", "first walk", "first snapshot", "to a warm walk", "bar"}}
	classic := &sheet{title: "Protocol collector calls, raw", head: []string{"page", "took", "bytes", "to a snapshot"}}
	output := &sheet{title: "Output", head: []string{"page", "characters", "tokens", "primary at", "calls", "reply bytes"}}
	b := openBrowser(tb)
	all := map[string]*measured{}
	for _, s := range subjects {
		m := b.measure(s, n)
		all[s.name] = m
		warm.add(s.name, m.elements, m.walk, m.snapshot, m.inPage, m.snapshot.over(m.walk), m.snapshotCPU.over(m.walkCPU), held(m.snapshot.median(), m.warmBar()))
		if m.unread > 0 {
			warm.note("%s: a walk ran into its time budget and left %d elements out: this ratio says too little, run it on an idle machine", s.name, m.unread)
		}
		cold.add(s.name, m.coldWalk, m.coldSnapshot, m.coldSnapshot.times(m.walk), held(m.coldSnapshot.median(), m.warmBar()+m.walk.median()))
		if m.given && len(m.collector) == 0 {
			classic.add(s.name, "no answer in "+collectorMax.String(), "-", fmt.Sprintf("over %.0f", float64(collectorMax)/float64(m.snapshot.median())))
		} else {
			classic.add(s.name, m.collector, m.collectorBytes, m.collector.times(m.snapshot))
		}
		output.add(s.name, utf8.RuneCountInString(m.outline), snapshotfmt.EstimateTokens(m.outline), offset(m.outline, s.primary), m.calls, m.bytes)
	}
	warm.note("bar: 3 times the walk, and 30 ms more up to %d elements; judged by the medians", smallMax)
	warm.note("in page: the walk of the snapshot's own script, the part that grows with the page")
	warm.note("ratio of cpu: of the processor time of the browser, in all its threads; what to go by on a busy machine")
	cold.note("bar: one walk more than warm; the engine's script is compiled and the frames are entered in it")
	classic.note("getFullAXTree, getDocument pierced, captureSnapshot with 9 styles, paint order and rects; one after another, replies not decoded")
	if small, large := all["list 1k"], all["list 20k"]; small != nil && large != nil {
		warm.note("from 1,000 to 20,000 rows: the walk grows %s times, the snapshot %s times", large.walk.times(small.walk), large.snapshot.times(small.snapshot))
	}
	return []*sheet{warm, cold, classic, output}
}

func BenchmarkStall(b *testing.B) { publish(b, compareStalls(b, labelled.path+"&stall=1", 9)) }

// compareStalls measures how long the page's own timer is held up.
func compareStalls(tb testing.TB, path string, rounds int) *sheet {
	tb.Helper()
	b := openBrowser(tb)
	run := b.open(path)
	idle := func() { enginetest.Eval(tb, b.session, `new Promise((ok) => setTimeout(ok, 300))`, nil) }
	var none, walk, snapshot, first samples
	first = append(first, b.stall(run, func() { b.snapshot("") }))
	b.walk()
	for range rounds {
		none = append(none, b.stall(run, idle))
		walk = append(walk, b.stall(run, func() { b.walk() }))
		snapshot = append(snapshot, b.stall(run, func() { b.snapshot("") }))
	}
	s := &sheet{title: "The page's own longest stall, " + path, head: []string{"during", "stall", "to the walk's"}}
	s.add("nothing", none, none.over(walk))
	s.add("bare walk", walk, "1")
	s.add("snapshot", snapshot, snapshot.over(walk))
	s.add("first snapshot", first, first.times(walk))
	s.note("bar: a snapshot holds the page up no longer than the walk does")
	return s
}

// stall is how long the page's timer was held up at most while f ran.
func (b *browser) stall(run string, f func()) time.Duration {
	b.tb.Helper()
	b.flush(run)
	b.pages.Reset(run)
	f()
	b.flush(run)
	longest, err := fixturebench.LongestStall(b.pages.Journal(run))
	if err != nil {
		b.tb.Fatal(err)
	}
	return longest
}

func (b *browser) flush(run string) {
	b.tb.Helper()
	if err := b.pages.Flush(b.tb.Context(), run); err != nil {
		b.tb.Fatal(err)
	}
}

func BenchmarkContinuation(b *testing.B) {
	publish(b, compareReads(b, []subject{{"list 5k", "list?rows=5000", `"Archive 4321"`}, {"list 20k", "list?rows=20000", `"Archive 4321"`}}, 9))
}

// compareReads measures what else is read of a page that has been surveyed.
func compareReads(tb testing.TB, subjects []subject, rounds int) *sheet {
	tb.Helper()
	b := openBrowser(tb)
	sheet := &sheet{title: "Continuation and query against a snapshot", head: []string{"page", "what", "took", "to a snapshot", "bar"}}
	for _, s := range subjects {
		b.open(s.path)
		b.snapshot("")
		var snapshot, further, query samples
		for range rounds {
			kept, _, took := b.snapshot("")
			snapshot = append(snapshot, took)
			began := time.Now()
			b.next(kept)
			further = append(further, time.Since(began))
			_, _, took = b.snapshot(strings.Trim(s.primary, `"`))
			query = append(query, took)
		}
		sheet.add(s.name, "snapshot", snapshot, "1", "")
		sheet.add(s.name, "next segment", further, further.over(snapshot), held(further.median(), snapshot.median()/5))
		sheet.add(s.name, "query", query, query.over(snapshot), held(query.median(), snapshot.median()/5))
	}
	sheet.note("bar: a fifth of a snapshot")
	return sheet
}
