package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// A system without windows is a fact of the machine: the list says what it
// leaves out, and what works all the same.
func TestAListWithoutADisplaySaysWhatWorks(t *testing.T) {
	b := newBench(t, personal, accessDriver)
	nowhere := newScene(personal)
	nowhere.failure = fmt.Errorf("listing windows: %w: DISPLAY is not set", platform.ErrNoDisplay)
	tests := []struct {
		name          string
		own, browsers *scene
		says          []string
	}{
		{"this program's", nowhere, b.scene, []string{"windows of other programs are not listed", "no display: DISPLAY is not set", "everything works on them"}},
		{"a browser's own", b.scene, nowhere, []string{"does not answer any more", "its windows are not listed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b.e.system, b.e.browsers[movingSession][0].system = tt.own, tt.browsers
			list, err := b.e.ListWindows(t.Context(), contract.ListWindowsRequest{Session: movingSession, All: true})
			b.must(list, err)
			if len(list.Notes) != 1 || len(list.Windows) != 1 || strings.Contains(list.Notes[0], "listing windows:") {
				t.Fatalf("%+v", list)
			}
			for _, want := range tt.says {
				if !strings.Contains(list.Notes[0], want) {
					t.Errorf("the note lacks %q: %s", want, list.Notes[0])
				}
			}
		})
	}
	b.e.system, b.e.browsers[movingSession][0].system = nowhere, nowhere
	_, err := b.e.ListWindows(t.Context(), contract.ListWindowsRequest{Session: movingSession})
	r, ok := refusal.As(err)
	if !ok || r.Reason != refusal.DisplayUnavailable || !slices.Equal(r.Detail.Missing, []string{"no display: DISPLAY is not set"}) {
		t.Errorf("with nothing to list: %v", err)
	}
}
