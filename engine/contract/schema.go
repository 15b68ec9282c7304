package contract

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// closed holds the closed sets of named types, so that the schemas list them.
var closed = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[Status]():          enum(OK, Partial, Refused),
	reflect.TypeFor[refusal.Effect]():  enum(refusal.EffectConfirmed, refusal.EffectDispatched, refusal.EffectPartial, refusal.EffectNone, refusal.EffectSuspectedNoop, refusal.EffectUnknown),
	reflect.TypeFor[refusal.Verdict](): enum(refusal.Pass, refusal.Fail, refusal.NotRun),
	reflect.TypeFor[refusal.Code]():    enum(codesInOrder()...),
	reflect.TypeFor[refusal.Reason]():  enum(reasonsInOrder()...),
	reflect.TypeFor[snapshotfmt.Tier](): enum(snapshotfmt.InViewport, snapshotfmt.NearViewport, snapshotfmt.OffscreenT,
		snapshotfmt.CSSHidden, snapshotfmt.NoLayoutT, snapshotfmt.PageOccluded, snapshotfmt.UnknownTier),
}

// closedFields holds the closed sets of result fields that are plain strings in
// Go, by the type that declares the field and its JSON name.
var closedFields = map[reflect.Type]map[string][]string{
	reflect.TypeFor[NativeWindow](): {
		"endpoint": {"pipe", "port", "none", "not_asked"},
		"access":   {"driver_owned", "embedded_application", "external_consumer_browser", "existing_profile_approved"},
	},
	reflect.TypeFor[WouldBind](): {"verdict": {"exact", "heuristic", "refused"}},
	reflect.TypeFor[StateResult](): {
		"mode":            {"bind", "snapshot"},
		"binding_quality": {"exact", "heuristic"},
		"binding_route":   {"native_cdp_window", "cardinality", "embedded_single_page"},
	},
	reflect.TypeFor[PrepareResult](): {"action": {"launched", "already_prepared"}},
	reflect.TypeFor[SideEffects]():   {"window_system": {"x11", "wayland"}},
	reflect.TypeFor[ActionResult](): {
		"verdict": {"met", "unmet", "already_true", "not_asked"},
		"route":   append(slices.Clone(rules["route"].values), "pointer_move", "pointer_wheel", "file_input"),
	},
	reflect.TypeFor[DownloadResult](): {
		"verdict": {"met", "unmet", "already_true", "not_asked"},
		"route":   rules["route"].values,
		"failure": {"none_began", "canceled", "too_large", "timed_out", "given_up", "not_kept", "dialog_open", "lost"},
	},
	reflect.TypeFor[NavigateResult]():    {"verdict": {"met", "unmet", "already_true", "not_asked"}},
	reflect.TypeFor[Delivery]():          {"mode": rules["delivery_mode"].values},
	reflect.TypeFor[Dialog]():            {"type": {"alert", "confirm", "prompt", "beforeunload"}},
	reflect.TypeFor[snapshotfmt.Info]():  {"format": formatNames(), "scope": {"viewport", "query", "subtree", "continuation"}, "meaning": rules["meaning"].values},
	reflect.TypeFor[domRefsResult]():     {"format": {snapshotfmt.DomRefsV1}},
	reflect.TypeFor[snapshotfmt.Frame](): {"status": {"read", "unprovable"}},
}

func codesInOrder() []refusal.Code {
	var out []refusal.Code
	for _, c := range refusal.Codes {
		out = append(out, c.Code)
	}
	return out
}

func reasonsInOrder() []refusal.Reason {
	var out []refusal.Reason
	for _, e := range refusal.Table {
		out = append(out, e.Reason)
	}
	return out
}

func enum[S ~string](values ...S) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// inferred returns the schema of a Go type. The types of this package are
// constants of the program, so a type that has no schema is a defect and panics.
func inferred(t reflect.Type) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: closed})
	if err != nil {
		panic(fmt.Sprintf("contract: schema of %s: %v", t, err))
	}
	refine(t, s)
	return s
}

// refine walks a Go type and its inferred schema together. It lists the closed
// sets of string fields, and removes the null that inference allows for every
// slice and pointer: results hold empty arrays, and an absent pointer is left
// out. Null stays where it is an answer, in a required pointer to a plain value.
func refine(t reflect.Type, s *jsonschema.Schema) {
	switch t.Kind() { //nolint:exhaustive // the other kinds hold no schema inside
	case reflect.Pointer:
		refine(t.Elem(), s)
	case reflect.Slice:
		s.Type, s.Types = "array", nil
		refine(t.Elem(), s.Items)
	case reflect.Map:
		refine(t.Elem(), s.AdditionalProperties)
	case reflect.Struct:
		for name, values := range closedFields[t] {
			for _, v := range values {
				s.Properties[name].Enum = append(s.Properties[name].Enum, v)
			}
		}
		for _, f := range jsonFields(t) {
			field, p := t.FieldByIndex(f.index), s.Properties[f.name]
			plain := field.Type.Kind() == reflect.Pointer && field.Type.Elem().Kind() != reflect.Struct
			if len(p.Types) == 2 && p.Types[0] == "null" && (!f.required || !plain) {
				p.Type, p.Types = p.Types[1], nil
			}
			refine(field.Type, p)
		}
	}
}

// inputSchema is the schema of a request: inferred, then bounded by the rules.
// It has no anyOf at its top, because several clients reject tools that do;
// what the fields mean together is said in words and checked by Validate.
func inputSchema(t reflect.Type) *jsonschema.Schema {
	s := inferred(t)
	bound(s)
	return s
}

func bound(s *jsonschema.Schema) {
	for name, p := range s.Properties {
		if p.Type == "object" {
			bound(p)
			continue
		}
		if len(p.Types) > 0 { // a list that may be left out is still a list, never null
			p.Types, p.Type = nil, "array"
		}
		r := rules[name]
		for _, v := range r.values {
			p.Enum = append(p.Enum, v)
		}
		if r.pattern != nil {
			p.Pattern = r.pattern.String()
		}
		if r.minimum != 0 {
			p.Minimum = jsonschema.Ptr(float64(r.minimum))
		}
		if r.maximum != 0 {
			p.Maximum = jsonschema.Ptr(float64(r.maximum))
		}
		if r.maxChars != 0 {
			p.MaxLength = jsonschema.Ptr(r.maxChars)
		}
	}
}

// outputSchema is the full schema of what a tool answers: one of its results,
// or a refusal.
func outputSchema(t reflect.Type) *jsonschema.Schema {
	out := &jsonschema.Schema{Type: "object"}
	success := inferred(t)
	success.Properties["status"] = enum(OK, Partial)
	if t == reflect.TypeFor[StateResult]() {
		out.AnyOf = stateVariants(success)
	} else {
		out.AnyOf = []*jsonschema.Schema{success}
	}
	refused := inferred(reflect.TypeFor[RefusedResult]())
	refused.Properties["status"] = enum(Refused)
	out.AnyOf = append(out.AnyOf, refused)
	return out
}

// stateVariants splits the schema of StateResult: the fields of the embedded
// snapshot are all there in a snapshot and none is there in a binding.
func stateVariants(both *jsonschema.Schema) []*jsonschema.Schema {
	bind, snapshot := both.CloneSchemas(), both
	snapshot.Properties["mode"] = enum("snapshot")
	snapshot.Required = append(snapshot.Required, "tab_id")

	bind.Properties["mode"] = enum("bind")
	for _, f := range jsonFields(reflect.TypeFor[snapshotfmt.Semantic]()) {
		delete(bind.Properties, f.name)
	}
	bind.PropertyOrder = slices.DeleteFunc(slices.Clone(bind.PropertyOrder), func(name string) bool { return bind.Properties[name] == nil })
	bind.Required = []string{"status", "mode", "target_id", "binding_quality", "mutation_allowed"}
	return []*jsonschema.Schema{bind, snapshot, formatVariant(reflect.TypeFor[domRefsResult]()), formatVariant(reflect.TypeFor[axUIDResult]())}
}

// formatVariant is the schema of a snapshot in another format.
func formatVariant(t reflect.Type) *jsonschema.Schema {
	s := inferred(t)
	s.Properties["status"], s.Properties["mode"] = enum(OK, Partial), enum("snapshot")
	return s
}

// resolved holds the output schemas of the tools, ready to validate with.
var resolved = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	out := map[string]*jsonschema.Resolved{}
	for _, t := range Tools {
		r, err := t.OutputSchema().Resolve(nil)
		if err != nil {
			panic(fmt.Sprintf("contract: output schema of %s: %v", t.Name, err))
		}
		out[t.Name] = r
	}
	return out
})

// ValidateResult says whether a result, success or refusal, is what the tool
// promises. It is for tests: every result of every tool must pass.
func ValidateResult(tool string, result any) error {
	schema, ok := resolved()[tool]
	if !ok {
		return fmt.Errorf("validate result: no tool %q", tool)
	}
	data, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("validate result of %s: %w", tool, err)
	}
	var instance any
	if err := json.Unmarshal(data, &instance); err != nil {
		return fmt.Errorf("validate result of %s: %w", tool, err)
	}
	if err := schema.Validate(instance); err != nil {
		return fmt.Errorf("validate result of %s: %w", tool, err)
	}
	return nil
}
