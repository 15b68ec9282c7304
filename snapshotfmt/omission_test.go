package snapshotfmt

import (
	"slices"
	"testing"

	"cuatui/fixtures/golden"
)

func TestDocsAreCurrent(t *testing.T) { golden.File(t, "../docs/why.md", OmissionsMarkdown()) }

// The table is in the order of precedence, complete, and without a row twice.
func TestOmissionsAreDocumentedOnceEach(t *testing.T) {
	var reasons []OmitReason
	seen := map[[2]string]bool{}
	for _, o := range Omissions {
		if o.Sub == "" {
			reasons = append(reasons, o.Reason)
		} else if len(reasons) == 0 || reasons[len(reasons)-1] != o.Reason {
			t.Errorf("%s/%s is not below its reason", o.Reason, o.Sub)
		}
		key := [2]string{string(o.Reason), o.Sub}
		if seen[key] {
			t.Errorf("%s/%s is documented twice", o.Reason, o.Sub)
		}
		seen[key] = true
		if o.Meaning == "" || o.Do == "" || (o.Example == "") == (o.See == "") {
			t.Errorf("incomplete, or both an example and a hint: %+v", o)
		}
	}
	if !slices.Equal(reasons, OmitReasons) {
		t.Errorf("documented are %q, want %q", reasons, OmitReasons)
	}
}

func TestOmissionOf(t *testing.T) {
	tests := []struct {
		reason OmitReason
		sub    string
		want   string // the sub-reason of what is found
		exact  bool
	}{
		{OmitCSSHidden, "opacity", "opacity", true},
		{OmitCSSHidden, "", "", true},
		{OmitCSSHidden, "from a newer engine", "", false},
	}
	for _, tt := range tests {
		got, exact := OmissionOf(tt.reason, tt.sub)
		if got.Reason != tt.reason || got.Sub != tt.want || exact != tt.exact {
			t.Errorf("OmissionOf(%s, %q) = %s/%s, %v", tt.reason, tt.sub, got.Reason, got.Sub, exact)
		}
	}
	if got, exact := OmissionOf("nonsense", ""); exact || got.Reason != "" {
		t.Errorf("OmissionOf invents %+v", got)
	}
}
