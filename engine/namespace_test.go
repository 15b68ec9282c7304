package engine_test

import (
	"errors"
	"testing"

	"cuatui/engine"
	"cuatui/engine/contract"
)

// Each namespace has the names and sessions of its own, and its end takes nothing
// from the others.
func TestANamespaceHasSessionsOfItsOwn(t *testing.T) {
	e, err := engine.New(engine.Options{StateDir: t.TempDir(), Display: ":none"})
	if err != nil {
		t.Fatal(err)
	}
	one, err := e.Namespace()
	if err != nil {
		t.Fatal(err)
	}
	other, err := e.Namespace()
	if err != nil {
		t.Fatal(err)
	}
	all := []*engine.Engine{e, one, other}
	for i, n := range all {
		if _, err := n.StartSession(t.Context(), contract.StartSessionRequest{Session: "a"}); err != nil {
			t.Errorf("engine %d cannot take the name that another has: %v", i, err)
		}
	}
	if _, err := one.StartSession(t.Context(), contract.StartSessionRequest{Session: "mine"}); err != nil {
		t.Fatal(err)
	}
	unknown := func(err error) bool {
		var bad *contract.ArgumentError
		return errors.As(err, &bad) && bad.Field == "session"
	}
	for i, n := range []*engine.Engine{e, other} {
		if _, err := n.EndSession(t.Context(), contract.EndSessionRequest{Session: "mine"}); !unknown(err) {
			t.Errorf("engine %d ends a session that is another's: %v", i, err)
		}
		if _, err := n.State(t.Context(), contract.StateRequest{Session: "mine", TargetID: "bt-1"}); !unknown(err) {
			t.Errorf("engine %d reads in a session that is another's: %v", i, err)
		}
	}
	if err := one.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := one.StartSession(t.Context(), contract.StartSessionRequest{Session: "b"}); err == nil {
		t.Error("a closed namespace opens a session")
	}
	for i, n := range []*engine.Engine{e, other} {
		if _, err := n.EndSession(t.Context(), contract.EndSessionRequest{Session: "a"}); err != nil {
			t.Errorf("engine %d has lost its session: %v", i, err)
		}
	}
	if err := e.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
