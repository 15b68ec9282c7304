package engine

import (
	"encoding/json"
	"testing"

	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// TestEveryRefusalOfAWindowLeadsOn: what binding and the proof of a mutation
// refuse names a call that is well formed as it stands.
func TestEveryRefusalOfAWindowLeadsOn(t *testing.T) {
	at := capability.Scope{Session: movingSession, Fingerprint: platform.Fingerprint{PID: movingPID, Start: 5000}, Window: 11}
	valid := map[string]func([]byte) error{
		"list_windows":      decodes[contract.ListWindowsRequest],
		"get_browser_state": decodes[contract.StateRequest],
		"browser_prepare":   decodes[contract.PrepareRequest],
	}
	of := map[refusal.Code]bool{
		refusal.RouteUnavailable: true, refusal.RequiresSetup: true, refusal.BindingAmbiguous: true, refusal.BindingStale: true,
		refusal.WrongTargetRefused: true, refusal.TabRequired: true, refusal.TabNotFound: true, refusal.EndpointOwnerMismatch: true,
		refusal.ConsentRequired: true, refusal.ConsentRevoked: true,
	}
	seen := 0
	for _, entry := range refusal.Table {
		if !of[entry.Code] {
			continue
		}
		seen++
		r, _ := refusal.As(leadOn(refusal.New(entry.Reason, "as in the table"), at))
		if r.Next == nil {
			t.Errorf("%s leads nowhere", entry.Reason)
			continue
		}
		arguments, err := json.Marshal(r.Next.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		check, known := valid[r.Next.Tool]
		if !known {
			t.Errorf("%s leads to %s", entry.Reason, r.Next.Tool)
		} else if err := check(arguments); err != nil {
			t.Errorf("%s leads to %s %s: %v", entry.Reason, r.Next.Tool, arguments, err)
		}
	}
	if seen < len(of) {
		t.Errorf("%d reasons of %d codes", seen, len(of))
	}
	kept := refusal.New(refusal.WindowGone, "one that knows better").WithNext("get_browser_state", nil)
	if r, _ := refusal.As(leadOn(kept, at)); r.Next.Tool != "get_browser_state" {
		t.Errorf("its own next call was replaced by %s", r.Next.Tool)
	}
}

// decodes says whether the arguments are a valid request.
func decodes[Request any, P interface {
	*Request
	Validate() error
}](arguments []byte) error {
	r, err := contract.Decode[Request](arguments)
	if err != nil {
		return err
	}
	return P(r).Validate()
}
