package engine

import (
	"context"
	"testing"

	"cuatui/engine/capability"
	"cuatui/platform"
)

// partial is a system that does not see every window.
type partial struct {
	platform.System
	unlisted []string
}

func (p partial) Unlisted(context.Context) []string { return p.unlisted }

func TestNoWindowIsTheOnlyOneWhereSomeAreNotListed(t *testing.T) {
	mine := platform.Window{ID: 1, PID: 7, Owner: platform.OwnerXRes}
	tests := []struct {
		name     string
		unlisted []string
		more     []platform.Window
		want     string
	}{
		{"all are listed", nil, nil, "yes"},
		{"some are not", []string{"those of Wayland programs"}, nil, "not known"},
		{"a second is listed", []string{"those of Wayland programs"}, []platform.Window{{ID: 2, PID: 7, Owner: platform.OwnerXRes}}, "no"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := &boundWindow{system: partial{unlisted: tt.unlisted}}
			w.scope = capability.Scope{Fingerprint: platform.Fingerprint{PID: 7}, Window: 1}
			got := "not known"
			if only := w.only(t.Context(), append(tt.more, mine)); only != nil {
				got = map[bool]string{true: "yes", false: "no"}[*only]
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
