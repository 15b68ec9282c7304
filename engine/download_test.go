package engine

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/act"
	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
	"cuatui/snapshotfmt"
)

// noDialogs is a tab on which none opens.
type noDialogs struct{}

func (noDialogs) Opened() <-chan struct{} { return nil }
func (noDialogs) Open() *contract.Dialog  { return nil }

// downloading is a link on a scripted page whose click the test answers.
type downloading struct {
	*enginetest.Page
	d       *download
	subject act.Subject
	sight   world.Sight
	root    string
	cancel  context.CancelFunc // of the call
}

func newDownloading(t *testing.T) *downloading {
	t.Helper()
	b := enginetest.New()
	conn := devtools.New(b, devtools.Options{})
	t.Cleanup(func() { _ = conn.Close() })
	tab, err := conn.Attach(t.Context(), "MAIN")
	if err != nil {
		t.Fatal(err)
	}
	page := enginetest.NewPage(b, tab.ID())
	doc, err := world.Enter(t.Context(), tab, "MAIN", "L1", "http://localhost/", "world")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &downloading{Page: page, root: root, sight: world.Sight{
		Role: "link", Name: "Get", Tag: "a", Tier: snapshotfmt.InViewport, Actionable: true, Hit: true, Points: [][2]float64{{10, 20}}, TabVisible: true,
	}}
	s.subject = act.Subject{
		Tab: tab, TabKey: "MAIN", Document: doc, Local: 7, Dialogs: noDialogs{}, Ref: capability.Ref{K: 3, Role: "link", Name: "Get", Actions: []string{"click"}},
		Look: func(context.Context) (*world.Sight, error) { v := s.sight; return &v, nil },
	}
	s.d = &download{browser: &browser{conn: conn}, request: contract.DownloadRequest{Route: "dom_event", Root: root, TimeoutMS: 60_000}, out: &contract.DownloadResult{}}
	b.Result("Browser.setDownloadBehavior", nil)
	b.Result("Browser.cancelDownload", nil)
	page.Say("settle", map[string]any{"before": map[string]any{"url": "u"}, "after": map[string]any{"url": "u"}, "settled": "quiet"})
	page.Say("press", map[string]any{"ok": true})
	return s
}

// begins emits the begin of a download.
func (s *downloading) begins(frame, guid, name string) {
	s.Emit("", "Browser.downloadWillBegin", map[string]any{"frameId": frame, "guid": guid, "url": "u", "suggestedFilename": name})
}

func (s *downloading) progress(guid, state string, received, total float64) {
	s.Emit("", "Browser.downloadProgress", map[string]any{"guid": guid, "state": state, "receivedBytes": received, "totalBytes": total})
}

// folder is where the browser was told to write, "" for nowhere.
func (s *downloading) folder(t *testing.T) string {
	t.Helper()
	for _, r := range s.Calls("Browser.setDownloadBehavior") {
		var p struct{ Behavior, DownloadPath string }
		if err := json.Unmarshal(r.Params, &p); err != nil {
			t.Fatal(err)
		}
		if p.Behavior == "allowAndName" {
			return p.DownloadPath
		}
	}
	return ""
}

func (s *downloading) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.folder(t), name), []byte(content), 0o600); err != nil {
		t.Error(err)
	}
}

// clicked answers the click by what run does before its answer.
func (s *downloading) clicked(run func()) {
	s.Answer("press", func(enginetest.Op) (any, *devtools.Error) { run(); return map[string]any{"ok": true}, nil })
}

// Whatever happens, the browser gets its behaviour back, as the last of all,
// and in the root is the complete file or nothing.
func TestADownloadRestoresWhateverHappens(t *testing.T) {
	for name, tt := range map[string]struct {
		prepare func(*testing.T, *downloading)
		failure string // "" with file
		file    string
		stopped []string // downloads that were cancelled
		errs    bool
	}{
		"it completes": {func(t *testing.T, s *downloading) {
			s.clicked(func() {
				s.begins("MAIN", "guid-1", "x")
				s.progress("guid-1", "inProgress", 1, 3)
				s.write(t, "guid-1", "abc")
				s.progress("guid-1", "completed", 3, 3)
			})
		}, "", "download-guid-1", nil, false},
		"others begin before and after": {func(t *testing.T, s *downloading) {
			s.clicked(func() {
				s.begins("ELSE", "guid-0", "x")
				s.begins("MAIN", "guid-1", "x")
				s.begins("MAIN", "guid-2", "x")
				s.progress("guid-0", "completed", 3, 3)
				s.write(t, "guid-1", "abc")
				s.write(t, "guid-2", "partial")
				s.progress("guid-1", "completed", 3, 3)
			})
		}, "", "download-guid-1", []string{"guid-0", "guid-2"}, false},
		"one begins while it is restored": {func(t *testing.T, s *downloading) {
			s.clicked(func() {
				s.begins("MAIN", "guid-1", "x")
				s.write(t, "guid-1", "abc")
				s.progress("guid-1", "completed", 3, 3)
			})
			s.Handle("Browser.setDownloadBehavior", func(_ string, params json.RawMessage) (any, *devtools.Error) {
				if strings.Contains(string(params), `"default"`) {
					s.begins("MAIN", "guid-3", "x")
				}
				return nil, nil
			})
		}, "", "download-guid-1", []string{"guid-3"}, false},
		"it is cancelled": {func(t *testing.T, s *downloading) {
			s.clicked(func() {
				s.begins("MAIN", "guid-1", "x")
				s.write(t, "guid-1", "a")
				s.progress("guid-1", "canceled", 1, 3)
			})
		}, canceled, "", []string{"guid-1"}, false},
		"it grows too large": {func(t *testing.T, s *downloading) {
			s.d.request.MaxBytes = 10
			s.clicked(func() {
				s.begins("MAIN", "guid-1", "x")
				s.write(t, "guid-1", "a")
				s.progress("guid-1", "inProgress", 11, 0)
			})
		}, tooLarge, "", []string{"guid-1"}, false},
		"it says less than it is": {func(t *testing.T, s *downloading) {
			s.d.request.MaxBytes = 10
			s.clicked(func() {
				s.begins("MAIN", "guid-1", "x")
				s.write(t, "guid-1", "more than ten bytes")
				s.progress("guid-1", "completed", 1, 1)
			})
		}, tooLarge, "", []string{"guid-1"}, false},
		"its name leads out": {func(_ *testing.T, s *downloading) {
			s.d.request.TimeoutMS = 1
			s.clicked(func() { s.begins("MAIN", "../../guid", "x"); s.progress("../../guid", "completed", 3, 3) })
		}, noneBegan, "", nil, false},
		"the file is a link": {func(t *testing.T, s *downloading) {
			s.clicked(func() {
				s.begins("MAIN", "guid-1", "x")
				if err := os.Symlink("/etc/passwd", filepath.Join(s.folder(t), "guid-1")); err != nil {
					t.Error(err)
				}
				s.progress("guid-1", "completed", 3, 3)
			})
		}, notKept, "", []string{"guid-1"}, false},
		"there is no file": {func(_ *testing.T, s *downloading) {
			s.clicked(func() { s.begins("MAIN", "guid-1", "x"); s.progress("guid-1", "completed", 3, 3) })
		}, notKept, "", []string{"guid-1"}, false},
		"the caller gives up": {func(t *testing.T, s *downloading) {
			s.Handle("Browser.cancelDownload", func(string, json.RawMessage) (any, *devtools.Error) { return nil, nil })
			s.Answer("settle", func(enginetest.Op) (any, *devtools.Error) {
				s.begins("MAIN", "guid-1", "x")
				s.write(t, "guid-1", "a")
				s.cancel()
				return nil, enginetest.ErrSilent
			})
		}, givenUp, "", []string{"guid-1"}, false},
		"the click is overtaken":        {func(_ *testing.T, s *downloading) { s.Say("press", map[string]any{"gone": true}) }, "", "", nil, true},
		"the browser does not say so":   {func(_ *testing.T, s *downloading) { s.Fail("Browser.setDownloadBehavior", -32601, "wasn't found") }, "", "", nil, true},
		"the node is covered meanwhile": {func(_ *testing.T, s *downloading) { s.sight.Hit = false }, "", "", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newDownloading(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s.cancel = cancel
			tt.prepare(t, s)
			res, err := s.d.click(ctx, s.subject, &refusal.Proof{})
			if (err != nil) != tt.errs {
				t.Fatalf("%+v, %v", res, err)
			}
			if s.d.out.Failure != tt.failure || s.d.out.File != tt.file {
				t.Errorf("failure %q, file %q", s.d.out.Failure, s.d.out.File)
			}
			if res != nil && ((res.Status == contract.Partial) != (tt.failure != "") || tt.file != "" && res.Effect != refusal.EffectConfirmed) {
				t.Errorf("%+v", res)
			}
			s.left(t, tt.file)
			s.restored(t)
			var stopped []string
			for _, r := range s.Calls("Browser.cancelDownload") {
				var p struct{ GUID string }
				_ = json.Unmarshal(r.Params, &p) // what cannot be read is no name
				if !slices.Contains(stopped, p.GUID) {
					stopped = append(stopped, p.GUID)
				}
			}
			if !slices.Equal(stopped, tt.stopped) {
				t.Errorf("stopped %v, want %v", stopped, tt.stopped)
			}
		})
	}
}

// left checks that the root holds the file, or nothing.
func (s *downloading) left(t *testing.T, file string) {
	t.Helper()
	all, err := os.ReadDir(s.root)
	if err != nil || len(all) > 1 || (len(all) == 1) != (file != "") || file != "" && all[0].Name() != file {
		t.Errorf("the root holds %v, %v; want %q", all, err, file)
	}
	if file == "" {
		return
	}
	if got, err := os.ReadFile(filepath.Join(s.root, file)); err != nil || string(got) != "abc" || s.d.out.Bytes != 3 {
		t.Errorf("%s holds %q, %v; %d bytes are told", file, got, err, s.d.out.Bytes)
	}
}

// restored checks that what the browser was told was taken back, last.
func (s *downloading) restored(t *testing.T) {
	t.Helper()
	calls := s.Calls("Browser.setDownloadBehavior")
	if len(calls) == 0 {
		return // it was never told anything
	}
	if last := string(calls[len(calls)-1].Params); !strings.Contains(last, `"behavior":"default"`) {
		t.Errorf("the browser was left with %s", last)
	}
}

// What a person downloads in their own browser is never stopped: nothing is
// told to the browser, and nothing is clicked.
func TestAPersonsOwnBrowserIsNotToldWhereToDownload(t *testing.T) {
	s := newDownloading(t)
	s.d.browser.access = accessConsumer
	s.clicked(func() { t.Error("it was clicked") })
	_, err := s.d.click(t.Context(), s.subject, &refusal.Proof{})
	if r, ok := refusal.As(err); !ok || r.Reason != refusal.DownloadFailed || r.Effect != refusal.EffectNone {
		t.Errorf("got %v", err)
	}
	s.left(t, "")
}

func TestNamesOfDownloadsAreSafe(t *testing.T) {
	for in, want := range map[string]string{
		"a.txt": "a.txt", "Bericht 漢.pdf": "Bericht 漢.pdf", "../../a.txt": "a.txt", `..\..\a.txt`: "a.txt", "/etc/passwd": "passwd",
		"": "download", ".": "download", "..": "download", "...": "download", "/": "download", ".bashrc": "bashrc", "a.txt. ": "a.txt",
		"a\x00b\x1b[31m\n.txt": "ab[31m.txt", "a\u202etxt.exe": "atxt.exe", "a\u200b.txt": "a.txt", "\ue000": "download", "\xff\xfe": "download",
		"a:b|c?d*e<f>g\"h.txt": "a_b_c_d_e_f_g_h.txt", "con": "_con", "CON.txt": "_CON.txt", "com1.tar.gz": "_com1.tar.gz", "com.txt": "com.txt", "nul .txt": "_nul .txt",
		"a\u00a0b.txt": "a b.txt", strings.Repeat("x", 500): strings.Repeat("x", 200), strings.Repeat("漢", 100) + ".txt": strings.Repeat("漢", 65) + ".txt",
		"x." + strings.Repeat("y", 500): "x." + strings.Repeat("y", 198), ".txt": "txt",
	} {
		if got := safeName(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestALockIsGivenUpWithItsCaller(t *testing.T) {
	var l locks
	release, err := l.acquire(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	other, err := l.acquire(t.Context(), 2)
	if err != nil {
		t.Fatal("another browser's lock is held up")
	}
	other()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.acquire(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	release()
	if again, err := l.acquire(t.Context(), 1); err != nil {
		t.Error(err)
	} else {
		again()
	}
}
