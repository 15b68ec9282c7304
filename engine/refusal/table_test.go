package refusal_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cuatui/engine/refusal"
	"cuatui/fixtures/golden"
)

// constants returns the values of the constants of one type in codes.go, so
// that a constant that nobody put into the table is found.
func constants(t *testing.T, typeName string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); !ok || id.Name != typeName {
			return true
		}
		for _, v := range spec.Values {
			s, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, s)
		}
		return true
	})
	if len(values) == 0 {
		t.Fatalf("no constants of type %s in codes.go", typeName)
	}
	return values
}

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}

func TestEveryReasonIsInTheTableOnce(t *testing.T) {
	var got []string
	for _, e := range refusal.Table {
		got = append(got, string(e.Reason))
	}
	if want := constants(t, "Reason"); !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("table has reasons\n%v\nconstants are\n%v", got, want)
	}
}

func TestEveryCodeIsListedOnceAndUsed(t *testing.T) {
	var got []string
	for _, c := range refusal.Codes {
		got = append(got, string(c.Code))
		if c.Meaning == "" {
			t.Errorf("%s has no meaning", c.Code)
		}
		if !slices.ContainsFunc(refusal.Table, func(e refusal.Entry) bool { return e.Code == c.Code }) {
			t.Errorf("%s has no reason", c.Code)
		}
	}
	if want := constants(t, "Code"); len(want) != 16 || !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("codes are\n%v\nconstants are\n%v", got, want)
	}
}

func TestEveryReasonIsDocumented(t *testing.T) {
	seen := map[string]refusal.Reason{}
	for _, e := range refusal.Table {
		for field, text := range map[string]string{"Meaning": e.Meaning, "Raised": e.Raised, "Do": e.Do, "See": e.See} {
			if len(text) < 15 || !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s is no sentence: %q", e.Reason, field, text)
			}
		}
		if other, ok := seen[e.Meaning]; ok {
			t.Errorf("%s and %s have the same meaning", e.Reason, other)
		}
		seen[e.Meaning] = e.Reason
	}
}

func TestNewTakesTheCodeFromTheTable(t *testing.T) {
	for _, e := range refusal.Table {
		err := fmt.Errorf("click: %w", refusal.New(e.Reason, "window %d", 7))
		r, ok := refusal.As(err)
		if !ok || r.Code != e.Code || r.Reason != e.Reason || r.Message != "window 7" || r.Effect != refusal.EffectNone {
			t.Errorf("New(%s) = %+v, want code %s", e.Reason, r, e.Code)
		}
		if !errors.Is(err, &refusal.Refusal{Code: e.Code}) || errors.Is(err, &refusal.Refusal{Code: e.Code, Reason: "another"}) {
			t.Errorf("%s does not match by code, or matches another reason", e.Reason)
		}
	}
}

func TestNewPanicsOnAnUnknownReason(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New accepted a reason without a code")
		}
	}()
	_ = refusal.New("other", "no such reason")
}

func TestProofEndsAtTheFirstFailure(t *testing.T) {
	var p refusal.Proof
	p.Pass("session", "s")
	p.Fail("tab", "tab-1", "none")
	p.Pass("generation", "1")
	got := p.Steps("session", "tab", "generation", "hit")
	want := []refusal.Step{
		{Step: "session", Verdict: refusal.Pass, Got: "s"},
		{Step: "tab", Verdict: refusal.Fail, Want: "tab-1", Got: "none"},
		{Step: "generation", Verdict: refusal.NotRun},
		{Step: "hit", Verdict: refusal.NotRun},
	}
	if !slices.Equal(got, want) {
		t.Errorf("steps = %+v\nwant %+v", got, want)
	}
}

func TestDocsAreCurrent(t *testing.T) { golden.File(t, "../../docs/refusals.md", refusal.Markdown()) }
