package e2e_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// listing is what a folder holds, down to the last file, with sizes.
func listing(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	must(t, filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err == nil && path != root {
			out = append(out, fmt.Sprintf("%s %d", strings.TrimPrefix(path, root+"/"), info.Size()))
		}
		return err
	}))
	return out
}

// attachment is the address of a file to download.
func attachment(pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return "/attachment?" + q.Encode()
}

// links has the link of the page lead to an address.
func links(address string) string { return fmt.Sprintf("e.href = %q;", address) }

func TestADownloadIsKeptInItsRoot(t *testing.T) {
	long := strings.Repeat("long", 100)
	tests := []struct {
		name, suggested string
		there           []string // files that are there already
		with            args
		file            string // "" for the browser's own name
	}{
		{"its own name", "../../../evil.txt", nil, args{}, ""},
		{"a name that is asked for", "a.txt", nil, args{"file_name": "mine.bin"}, "mine.bin"},
		{"a name that is taken", "a.txt", []string{"mine.bin"}, args{"file_name": "mine.bin"}, "mine (1).bin"},
		{"the page's name", "Bericht 漢.pdf", nil, args{"suggested_name": true}, "Bericht 漢.pdf"},
		{"the page's name is taken twice", "a.txt", []string{"a.txt", "a (1).txt"}, args{"suggested_name": true}, "a (2).txt"},
		{"a name that is a way out", "../../../evil.txt", nil, args{"suggested_name": true}, ""},
		{"a name that hides", ".bashrc", nil, args{"suggested_name": true}, ""},
		{"a name without end", long + ".txt", nil, args{"suggested_name": true}, ""},
		{"a device's name", "con.txt", nil, args{"suggested_name": true}, ""},
	}
	s := use(t)
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, run := s.tab(t, "actions")
			b = b.on(t)
			root := t.TempDir()
			for _, f := range tt.there {
				must(t, os.WriteFile(filepath.Join(root, f), []byte("kept"), 0o600))
			}
			s.on(t, run, "link", links(attachment("name", tt.suggested, "bytes", "100000")))
			ref := find(t, b.state(nil), "link", "There").Ref
			tt.with["ref"], tt.with["root"], tt.with["route"] = ref, root, []string{"dom_event", "trusted_key"}[i%2]
			display := s.watch(t)
			got := ask[contract.DownloadResult](b.agent, "browser_download", b.with(tt.with))
			display.undisturbed("a download")
			if got.Failure != "" || got.Status != contract.OK || got.Effect != refusal.EffectConfirmed || got.Bytes != 100000 || tt.file != "" && got.File != tt.file {
				t.Fatalf("%+v", got)
			}
			if strings.ContainsAny(got.File, "/\\") || strings.HasPrefix(got.File, ".") || len(got.File) > 255 {
				t.Errorf("the file is called %q", got.File)
			}
			want := []string{got.File + " 100000"}
			for _, f := range tt.there {
				want = append(want, f+" 4")
			}
			slices.Sort(want)
			left := listing(t, root)
			slices.Sort(left)
			if !slices.Equal(left, want) {
				t.Errorf("the root holds %q, want %q", left, want)
			}
			if seen := b.settled(run); fixtures.Count(seen, "click", "link") != 1 || got.Invalidated || got.Navigation != "" {
				t.Errorf("the page observed %s, answered %+v", told(seen), got)
			}
		})
	}
}

// Whose a download is, the address tells that the click leads to. A script may
// have begun any other for a reason of its own.
func TestADownloadIsConfirmedOnlyWhereItIsTheClicks(t *testing.T) {
	at := attachment("name", "a.txt", "bytes", "10")
	tests := []struct {
		name, script string
		effect       refusal.Effect
	}{
		{"a script goes there", fmt.Sprintf(`e.onclick = (ev) => { ev.preventDefault(); location.href = %q };`, at), refusal.EffectConfirmed},
		{"a form is sent there", `e.onclick = (ev) => { ev.preventDefault(); const f = document.createElement('form'); f.action = '/attachment'; f.innerHTML = '<input name=name value=a.txt><input name=bytes value=10>'; document.body.append(f); f.submit() };`, refusal.EffectConfirmed},
		{"a script clicks a link of its own", fmt.Sprintf(`e.onclick = (ev) => { ev.preventDefault(); Object.assign(document.createElement('a'), { href: %q, download: 'a.txt' }).click() };`, at), refusal.EffectDispatched},
		{"a timer's beside a dead link", fmt.Sprintf(`e.href = '#x'; setTimeout(() => Object.assign(document.createElement('a'), { href: %q, download: 'a.txt' }).click(), 1500);`, at), refusal.EffectDispatched},
	}
	s := use(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, run := s.tab(t, "actions")
			b = b.on(t)
			s.on(t, run, "link", tt.script)
			ref := find(t, b.state(nil), "link", "There").Ref
			got := ask[contract.DownloadResult](b.agent, "browser_download", b.with(args{"ref": ref, "root": t.TempDir(), "route": "dom_event"}))
			if got.Failure != "" || got.Effect != tt.effect || got.Bytes != 10 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// However a download ends, nothing of it is left.
func TestADownloadThatFailsLeavesNothing(t *testing.T) {
	const frame = `e.onclick = (ev) => { ev.preventDefault(); document.body.append(Object.assign(document.createElement('iframe'), { src: '%s' })) };`
	tests := []struct {
		name, script string
		with         args
		failure      string
	}{
		{"it is too large", links(attachment("bytes", "2000000")), args{"max_bytes": 1000000}, "too_large"},
		{"the server closes in the middle", links(attachment("bytes", "2000000", "end", "cut")), args{}, "canceled"},
		{"it never ends", links(attachment("bytes", "2000000", "end", "hold")), args{"timeout_ms": 1500}, "timed_out"},
		{"none begins", `e.onclick = (ev) => ev.preventDefault();`, args{"timeout_ms": 1000}, "none_began"},
		{"another frame's begins", fmt.Sprintf(frame, attachment("bytes", "2000")), args{"timeout_ms": 1500}, "none_began"},
		{"a dialog opens instead", `e.onclick = (ev) => { ev.preventDefault(); alert('hello') };`, args{}, "dialog_open"},
	}
	s := use(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, run := s.tab(t, "actions")
			b = b.on(t)
			root := t.TempDir()
			s.on(t, run, "link", tt.script)
			ref := find(t, b.state(nil), "link", "There").Ref
			tt.with["ref"], tt.with["root"], tt.with["route"] = ref, root, "dom_event"
			got := ask[contract.DownloadResult](b.agent, "browser_download", b.with(tt.with))
			if got.Failure != tt.failure || got.Status != contract.Partial || got.File != "" {
				t.Errorf("%+v", got)
			}
			if left := listing(t, root); len(left) > 0 {
				t.Errorf("the root holds %q", left)
			}
			if told := strings.Contains(strings.Join(got.SideEffects, ";"), "stopped 1 other"); told != (tt.name == "another frame's begins") {
				t.Errorf("side effects: %q", got.SideEffects)
			}
			if got.Dialog != nil {
				ask[contract.DialogResult](b.agent, "browser_dialog", b.with(args{"answer": "dismiss", "dialog_id": got.Dialog.ID}))
			}
		})
	}
}

func TestADownloadThatIsGivenUpLeavesNothing(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "actions")
	root := t.TempDir()
	s.on(t, run, "link", links(attachment("bytes", "2000000", "end", "hold")))
	ref := find(t, b.state(nil), "link", "There").Ref
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // once the browser writes
		for look := time.NewTicker(10 * time.Millisecond); ctx.Err() == nil; <-look.C {
			if left, _ := filepath.Glob(filepath.Join(root, ".*", "*")); len(left) > 0 {
				cancel()
			}
		}
	}()
	got, err := s.engine.Download(ctx, contract.DownloadRequest{Session: b.session, TargetID: b.target, TabID: b.id, Ref: ref, Route: "dom_event", Root: root})
	if err != nil || got.Failure != "given_up" {
		t.Errorf("%+v, %v", got, err)
	}
	if left := listing(t, root); len(left) > 0 {
		t.Errorf("the root holds %q", left)
	}
}

func TestARootThatCannotTakeAFileIsRefused(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "actions")
	dir := t.TempDir()
	file, link, shut := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "shut")
	must(t, os.WriteFile(file, nil, 0o600))
	must(t, os.Mkdir(shut, 0o500))
	must(t, os.Symlink(t.TempDir(), link))
	roots := []string{file, link, filepath.Join(dir, "none")}
	if os.Geteuid() != 0 { // who may write anywhere
		roots = append(roots, shut)
	}
	s.on(t, run, "link", links(attachment("bytes", "10")))
	ref := find(t, b.state(nil), "link", "There").Ref
	for _, root := range roots {
		b.refused(refusal.DownloadFailed, "browser_download", b.with(args{"ref": ref, "root": root, "route": "dom_event"}))
	}
	b.untouched(run, "a download into no root")
	if left := listing(t, dir); len(left) != 3 {
		t.Errorf("left: %q", left)
	}
}
