package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// writes makes files of the names, each holding its own name, and returns their paths.
func writes(t *testing.T, names ...string) []string {
	t.Helper()
	var paths []string
	for _, n := range names {
		p := filepath.Join(t.TempDir(), n)
		must(t, os.WriteFile(p, []byte("This is "+n), 0o600))
		paths = append(paths, p)
	}
	return paths
}

// gives has a file input tell the journal what it is given, as the page can read it.
const gives = `e.addEventListener('change', async () => {
	const all = [];
	for (const f of e.files) all.push(f.name + ': ' + await f.text());
	journal.note('given', all.join(', '));
	document.body.prepend('The files are read');
});`

func uploads(before string) []string {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), "cuatui-upload-*"))
	return slices.DeleteFunc(left, func(p string) bool { return strings.Contains(before, p) })
}

func TestFilesArePutIntoAnInput(t *testing.T) {
	tests := []struct {
		name, id, ref, script string
		files                 []string
		effect                refusal.Effect
		given                 string // as the page saw it
	}{
		{"one file", "file", "Picture", ``, []string{"a.png"}, refusal.EffectConfirmed, "a.png: This is a.png"},
		{"several, two of one name", "files", "Pictures", ``, []string{"b.txt", "Zwölf 漢.txt", "b.txt"}, refusal.EffectConfirmed, "b.txt: This is b.txt, Zwölf 漢.txt: This is Zwölf 漢.txt, b.txt: This is b.txt"},
		{"the page takes them out at once", "files", "Pictures", `e.addEventListener('change', () => { e.value = '' });`, []string{"b.txt"}, refusal.EffectDispatched, "b.txt: This is b.txt"},
		{"an input behind its label", "file", "Picture", `e.style.display = 'none';`, []string{"a.png"}, refusal.EffectConfirmed, "a.png: This is a.png"},
		{"any type", "file", "Picture", `e.accept = '';`, []string{"noextension"}, refusal.EffectConfirmed, "noextension: This is noextension"},
		{"a type by its ending", "file", "Picture", `e.accept = 'text/*, .PNG ';`, []string{"a.png"}, refusal.EffectConfirmed, "a.png: This is a.png"},
	}
	s := use(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, run := s.tab(t, "form")
			b = b.on(t)
			s.on(t, run, tt.id, gives+tt.script)
			ref := fileRef(t, b.state(nil), tt.ref)
			s.pages.Reset(run)
			display := s.watch(t)
			got := ask[contract.ActionResult](b.agent, "browser_set_input_files", b.with(args{"ref": ref, "files": writes(t, tt.files...)}))
			display.undisturbed("an upload")
			if got.Effect != tt.effect || got.Status != contract.OK || got.Route != "file_input" {
				t.Errorf("%s, %s by %s: %+v", got.Status, got.Effect, got.Route, got.Evidence)
			}
			ask[contract.WaitResult](b.agent, "browser_wait", b.with(args{"text": "The files are read"}))
			note, _ := fixtures.Last(b.settled(run), "given", "")
			var given string
			if json.Unmarshal(note.Data, &given) != nil || given != tt.given {
				t.Errorf("the page was given %s, want %s", note.Data, tt.given)
			}
		})
	}
}

// fileRef is the file input of a name, or its label where it is hidden.
func fileRef(t *testing.T, r *contract.StateResult, name string) string {
	t.Helper()
	for _, e := range entries(r) {
		if (e.Name == name || e.Name == name+" No file chosen") && slices.Contains(e.Actions, "upload") {
			return e.Ref
		}
	}
	return find(t, r, "", name).Ref
}

// What is no file to hand over, or none that the input takes, is refused
// before anything reaches the page, and no copy is left.
func TestFilesThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	plain := writes(t, "a.png")[0]
	linked, folder, through := filepath.Join(dir, "linked.png"), filepath.Join(dir, "folder.png"), filepath.Join(dir, "through")
	must(t, os.Symlink(plain, linked))
	must(t, os.Mkdir(folder, 0o700))
	must(t, os.Symlink(filepath.Dir(plain), through))
	two := writes(t, "b.png", "c.png")
	tests := []struct {
		name, ref, id, script string
		files                 []string
		root                  string
		reason                refusal.Reason
	}{
		{"a link", "Picture", "file", ``, []string{linked}, "", refusal.FileRejected},
		{"through a link", "Picture", "file", ``, []string{filepath.Join(through, "a.png")}, "", refusal.FileRejected},
		{"a folder", "Picture", "file", ``, []string{folder}, "", refusal.FileRejected},
		{"a device", "Picture", "file", ``, []string{"/dev/zero"}, "", refusal.FileRejected},
		{"nothing", "Picture", "file", ``, []string{filepath.Join(dir, "none.png")}, "", refusal.FileRejected},
		{"outside of the root", "Picture", "file", ``, []string{plain}, dir, refusal.FileRejected},
		{"out of the root by its name", "Picture", "file", ``, []string{dir + "/../" + filepath.Base(filepath.Dir(plain)) + "/a.png"}, dir, refusal.FileRejected},
		{"more than one", "Picture", "file", ``, two, "", refusal.FileRejected},
		{"of another type", "Picture", "file", ``, writes(t, "a.txt"), "", refusal.FileRejected},
		{"a folder is asked for", "Pictures", "files", `e.webkitdirectory = true`, two, "", refusal.FileRejected},
		{"no file input", "Plain button", "file", ``, []string{plain}, "", refusal.NotAFileInput},
		{"disabled meanwhile", "Picture", "file", `setTimeout(() => e.disabled = true, 0)`, []string{plain}, "", refusal.Disabled},
	}
	s := use(t)
	before := fmt.Sprint(uploads(""))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, run := s.tab(t, "form")
			b = b.on(t)
			var ref string
			if tt.reason == refusal.NotAFileInput {
				ref = find(t, b.state(nil), "button", tt.ref).Ref
			} else {
				ref = fileRef(t, b.state(nil), tt.ref)
			}
			s.on(t, run, tt.id, gives+tt.script)
			b.settled(run)
			s.pages.Reset(run)
			r := b.refused(tt.reason, "browser_set_input_files", b.with(args{"ref": ref, "files": tt.files, "root": tt.root}))
			if strings.Contains(fmt.Sprintf("%+v", r), dir) || strings.Contains(fmt.Sprintf("%+v", r), filepath.Dir(plain)) {
				t.Errorf("a path in %+v", r)
			}
			var held int
			s.witness.eval(t, run, `document.getElementById('`+tt.id+`').files.length`, &held)
			if held > 0 || fixtures.Count(b.settled(run), "given", "") > 0 || fixtures.Count(b.settled(run), "change", "") > 0 {
				t.Errorf("the input holds %d files", held)
			}
			if left := uploads(before); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// What asks for files when it is clicked gets them, and no chooser is shown.
func TestFilesThatAButtonAsksFor(t *testing.T) {
	const asks = `const e2 = document.getElementById('button'); e.style.display = 'none'; e2.onclick = () => `
	tests := []struct {
		name, script string
		files        []string
		status       contract.Status
		given        bool
		why          string
	}{
		{"it asks for its input", asks + `e.click()`, []string{"a.png"}, contract.OK, true, ""},
		{"it asks a moment later", asks + `setTimeout(() => e.click(), 700)`, []string{"a.png"}, contract.OK, true, ""},
		{"it asks for none", asks + `1`, []string{"a.png"}, contract.Partial, false, "asked for none"},
		{"it asks for another type", asks + `e.click()`, []string{"a.txt"}, contract.Partial, false, "no type"},
		{"another frame asks", asks + `{ const f = document.createElement('iframe'); document.body.append(f); f.contentDocument.body.innerHTML = '<input type=file>'; f.contentDocument.body.firstChild.click() }`, []string{"a.png"}, contract.Partial, false, "asked for none"},
	}
	s := use(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, run := s.tab(t, "form")
			b = b.on(t)
			s.on(t, run, "file", gives+tt.script)
			ref := find(t, b.state(nil), "button", "Add item").Ref
			b.settled(run)
			s.pages.Reset(run)
			display := s.watch(t)
			got := ask[contract.ActionResult](b.agent, "browser_set_input_files", b.with(args{"ref": ref, "route": "trusted_key", "files": writes(t, tt.files...)}))
			display.undisturbed("an upload by a button")
			if effect := map[bool]refusal.Effect{true: refusal.EffectConfirmed, false: refusal.EffectPartial}[tt.given]; got.Status != tt.status || got.Effect != effect || !strings.Contains(fmt.Sprint(got.Evidence), tt.why) {
				t.Errorf("%s, %s: %+v", got.Status, got.Effect, got.Evidence)
			}
			if tt.given {
				ask[contract.WaitResult](b.agent, "browser_wait", b.with(args{"text": "The files are read"}))
			}
			seen := b.settled(run)
			if n := fixtures.Count(seen, "given", ""); (n == 1) != tt.given || fixtures.Count(seen, "click", "button") != 1 {
				t.Errorf("the page observed %s", told(seen))
			}
		})
	}
}

func TestCopiesOfFilesGoWithTheirSession(t *testing.T) {
	s := use(t)
	before := fmt.Sprint(uploads(""))
	a := agent{t, s, s.engine, "files"}
	made := a.prepare("form")
	b := a.bind(made.pid, made.window)
	ref := fileRef(t, b.state(nil), "Pictures")
	ask[contract.ActionResult](b.agent, "browser_set_input_files", b.with(args{"ref": ref, "files": writes(t, "b.txt")}))
	if left := uploads(before); len(left) != 1 {
		t.Errorf("handed over: %v", left)
	}
	ask[contract.EndSessionResult](b.agent, "end_session", nil)
	if left := uploads(before); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
