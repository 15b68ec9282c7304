package e2e_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
	"cuatui/platform/proc"
	"cuatui/snapshotfmt"
)

// embed starts an application that embeds QtWebEngine and shows url, with a
// debugging port of its own.
func (s *stage) embed(t *testing.T, url string) *outside {
	t.Helper()
	const python, binding = "/usr/bin/python3", "/usr/lib/python3/dist-packages/PyQt5/QtWebEngineWidgets.pyi"
	if _, err := os.Stat(python); err != nil {
		t.Fatalf("no Python of the system (run make install-deps): %v", err)
	}
	return s.run(t, t.TempDir(), []string{
		"QTWEBENGINE_REMOTE_DEBUGGING=127.0.0.1:0", "QTWEBENGINE_DISABLE_SANDBOX=1", "QTWEBENGINE_CHROMIUM_FLAGS=--no-sandbox --disable-gpu",
		"QT_QPA_PLATFORM=xcb", "QT_XCB_GL_INTEGRATION=none",
	}, python, "testdata/embedded.py", url)
}

func TestExploreEmbedded(t *testing.T) {
	s := use(t)
	a, _ := s.foreign(t, "embedded")
	url, run := s.pages.Page("keys")
	o := s.embed(t, url)
	must(t, s.pages.Flush(soon(t), run))
	must(t, s.desktop.RaiseSentinel(soon(t)))
	at, err := proc.New("").Listeners(t.Context(), o.pid)
	fmt.Println("listens", at, err)
	fmt.Printf("%+v\n", a.listed(o.window))
	answer, raw := a.call("get_browser_state", args{"pid": o.pid, "window_id": o.window})
	fmt.Println(string(raw), answer.Err)
	b := a.bind(o.pid, o.window)
	fmt.Println(b.state(nil).Outline)
}

var (
	_ = slices.Clone[[]int]
	_ = strings.Cut
	_ contract.Tab
	_ refusal.Reason
	_ fixtures.Record
	_ snapshotfmt.Entry
)
