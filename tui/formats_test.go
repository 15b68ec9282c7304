package tui

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuatui/snapshotfmt"
	"cuatui/tui/cmdtable"
	"cuatui/tui/tuitest"
)

func TestFormatsShowAndCopyEveryForm(t *testing.T) {
	m := newTest(t, tuitest.New(), 100, 30)
	var copied string
	m.clip.Write = func(s string) error { copied = s; return nil }
	press(t, m, "enter", "v")
	cur, _ := m.book.Current()
	press(t, m, "y")
	if copied != cur.Outline || copied == "" {
		t.Errorf("copied %q, want the outline", copied)
	}
	wantFrame(t, m, "copied outline of p42, segment 1")
	press(t, m, "tab", "y")
	var back snapshotfmt.Semantic
	if err := json.Unmarshal([]byte(copied), &back); err != nil || back.Snapshot.ID != "p42" || len(back.Refs) != len(cur.Refs) {
		t.Errorf("the JSON that was copied: %v, snapshot %q with %d refs", err, back.Snapshot.ID, len(back.Refs))
	}
	press(t, m, "tab", "tab", "y")
	var refs []snapshotfmt.Entry
	if err := json.Unmarshal([]byte(copied), &refs); err != nil || len(refs) != len(cur.Refs) {
		t.Errorf("the refs that were copied: %v, %d", err, len(refs))
	}
	for _, form := range []string{"dom_refs_v1", "ax_uid_v1"} {
		copied = ""
		press(t, m, "tab", "y")
		if lines := strings.Count(copied, "\n"); lines < len(cur.Refs)+len(cur.ContentRefs) {
			t.Errorf("%d lines of %s were copied, of %d nodes", lines, form, len(cur.Refs)+len(cur.ContentRefs))
		}
		wantFrame(t, m, "copied "+form+" of p42, segment 1")
	}
	press(t, m, "tab")
	if name, _ := m.top().pane.(interface{ Shown() (string, string) }).Shown(); name != "outline" {
		t.Errorf("after the last form comes %s", name)
	}
}

// The tokens are those of the very text that is shown.
func TestFormatsSayWhatEachCosts(t *testing.T) {
	m := newTest(t, tuitest.New(), 120, 40)
	press(t, m, "enter", "v")
	cur, _ := m.book.Current()
	wantFrame(t, m, fmt.Sprintf("%d tokens", snapshotfmt.EstimateTokens(cur.Outline)), fmt.Sprintf("%d tokens", snapshotfmt.EstimateTokens(cur.AxUIDText())), "dom_refs_v1", "ax_uid_v1")
	press(t, m, "/", "type:Reply to all", "enter")
	wantFrame(t, m, "Reply to all")
	if _, below, _ := strings.Cut(frame(t, m), "┄┄"); strings.Contains(below, "Mail home") {
		t.Errorf("the filter shows other lines:\n%s", below)
	}
}

func TestSavingNeverOverwrites(t *testing.T) {
	t.Chdir(t.TempDir())
	m := newTest(t, tuitest.New(), 100, 30)
	m.save = save
	press(t, m, "enter", "v", "S", "enter")
	cur, _ := m.book.Current()
	name := "cuatui-outline-of-p42.txt"
	got, err := os.ReadFile(name)
	if err != nil || string(got) != cur.Outline {
		t.Fatalf("saved %q, %v", got, err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	wantFrame(t, m, fmt.Sprintf("saved %d bytes as %s", len(got), name))
	press(t, m, "tab", "S", "ctrl+u", "type:"+name, "enter")
	wantFrame(t, m, "not saved", "exists")
	if again, _ := os.ReadFile(name); string(again) != string(got) {
		t.Error("the file was overwritten")
	}
	press(t, m, "S", "ctrl+u", "type:"+filepath.Join("no", "such", "folder"), "enter")
	wantFrame(t, m, "not saved")
	if m.top().scope != cmdtable.Formats {
		t.Error("the formats are gone")
	}
}
