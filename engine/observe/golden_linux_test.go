package observe_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/fixtures/golden"
	"cuatui/snapshotfmt"
)

// asText is a segment as text: the outline, without the numbers of its refs,
// and what is left out.
func asText(seg *observe.Segment) string {
	i := seg.Semantic.Snapshot
	var b strings.Builder
	b.WriteString(refInText.ReplaceAllString(strings.TrimRight(seg.Semantic.Outline, "\n"), "${1}1") + "\n")
	fmt.Fprintf(&b, "# %d of %d candidates\n", i.Returned, i.Candidates)
	for _, reason := range snapshotfmt.OmitReasons {
		if n := i.Omitted.Get(reason); n > 0 {
			fmt.Fprintf(&b, "# omitted %s %d\n", reason, n)
		}
	}
	return b.String()
}

// outlines holds what every page reads as to the byte: go test
// ./engine/observe -run TestPages -update. The viewport is emulated, so that no
// window manager has a say in it.
const outlines = "testdata/outlines"

func (b *book) outline(t *testing.T, sh *sheet) {
	name := sh.name + ".txt"
	if sh.hard() {
		name = "hard-" + name
	}
	golden.File(t, filepath.Join(outlines, name), asText(sh.first.segments[0]))
	b.note(func() { b.outlines[name] = true })
}

// formatted are the pages that are also kept in the formats that are made of the
// same entries, without the numbers of their refs and uids: controls of every
// state, frames, pixels, lists, and text that tries to be more than text.
var formatted = map[string]bool{"form": true, "frames": true, "hostile": true, "modal-dialog": true, "hard-tables": true, "hard-widgets": true}

var uidInText = regexp.MustCompile(`(uid=)\d+_\d+`)

// formats holds a page in every format to the byte, and that each names the same
// nodes, segment by segment.
func (b *book) formats(t *testing.T, sh *sheet) {
	for _, seg := range sh.first.segments {
		observe.InEveryFormat(t, seg.Semantic)
	}
	name := sh.name
	if sh.hard() {
		name = "hard-" + name
	}
	if !formatted[name] {
		return
	}
	s := *sh.first.segments[0].Semantic
	for _, f := range []struct{ format, body string }{{snapshotfmt.DomRefsV1, s.DomRefsText()}, {snapshotfmt.AxUIDV1, s.AxUIDText()}} {
		golden.File(t, filepath.Join("testdata", f.format, name+".txt"), refInText.ReplaceAllString(uidInText.ReplaceAllString(f.body, "${1}1_1"), "${1}1"))
	}
	b.note(func() { b.formatted++ })
}

// closeOutlines finds what is kept of no page.
func (b *book) closeOutlines(t *testing.T) {
	kept, err := os.ReadDir(outlines)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range kept {
		if !b.outlines[f.Name()] {
			t.Errorf("%s/%s is of no fixture page", outlines, f.Name())
		}
	}
	if b.formatted != len(formatted) {
		t.Errorf("%d pages are kept in every format, want %d", b.formatted, len(formatted))
	}
}

func TestTwentyReadsGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	for _, page := range []string{"/inbox-attribute", "/frames"} {
		t.Run(page, func(t *testing.T) {
			first := ""
			for n := range 20 {
				t.Run(fmt.Sprint(n+1), func(t *testing.T) {
					s := h.open(t)
					enginetest.Go(t, s, h.srv.URL(page))
					drawn(t, s)
					got := asText(read(t, unhurried(h.conn, s, "golden-world"), observe.Options{}).segments[0])
					if first == "" {
						first = got
					}
					if got != first {
						t.Fatal(golden.Difference(got, first))
					}
				})
			}
		})
	}
}
