package contract_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

func TestToolListIsSmall(t *testing.T) {
	if n := len(contract.ToolList()); n >= 24<<10 {
		t.Errorf("tool list has %d bytes, want under 24 KB", n)
	}
	var list struct {
		Tools []struct {
			Name, Description string
			OutputSchema      json.RawMessage
		}
	}
	if err := json.Unmarshal(contract.ToolList(), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != len(contract.Tools) {
		t.Errorf("%d tools listed, want %d", len(list.Tools), len(contract.Tools))
	}
	for _, tool := range list.Tools {
		if len(tool.OutputSchema) > 150 {
			t.Errorf("%s: output schema of %d bytes, want at most 150", tool.Name, len(tool.OutputSchema))
		}
		if len(tool.Description) < 40 {
			t.Errorf("%s: no description worth the name", tool.Name)
		}
	}
}

func TestEveryToolHasARequestInTheseTests(t *testing.T) {
	var tools []string
	for _, tool := range contract.Tools {
		tools = append(tools, tool.Name)
	}
	if want := slices.Sorted(maps.Keys(requests)); !slices.Equal(slices.Sorted(slices.Values(tools)), want) {
		t.Errorf("tools %v, requests %v", tools, want)
	}
}

func TestInputSchemasAreClosedAndPlain(t *testing.T) {
	for _, tool := range contract.Tools {
		data, err := json.Marshal(tool.InputSchema())
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			Type                 string
			AdditionalProperties *bool
			Required             []string
			Properties           map[string]struct{ Type, Description string }
			AnyOf, OneOf, AllOf  any
		}
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatal(err)
		}
		if s.Type != "object" || s.AdditionalProperties == nil || *s.AdditionalProperties || !slices.Contains(s.Required, "session") {
			t.Errorf("%s: not a closed object that requires a session: %s", tool.Name, data)
		}
		if s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil {
			t.Errorf("%s: a combinator at the top, which several clients reject", tool.Name)
		}
		for name, p := range s.Properties {
			if p.Type == "" || p.Description == "" {
				t.Errorf("%s.%s: no single type or no description", tool.Name, name)
			}
		}
	}
}

// Arguments that break one field each: schema and validation must both object.
func TestInputSchemaAndValidationAgree(t *testing.T) {
	expect := map[string]any{"text": "x", "text_gone": "y", "url_part": "z", "ref": "p1:2", "state": "checked", "value": "v", "dialog": "alert", "download": true, "timeout_ms": 1}
	valid := map[string]map[string]any{
		"start_session":     {"session": "s"},
		"end_session":       {"session": "s"},
		"list_windows":      {"session": "s", "all": true},
		"get_browser_state": {"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "snapshot_format": "semantic_v2", "query": "q", "node_budget": 1, "output_budget": 200, "meaning": "computed", "collector": "survey"},
		"browser_prepare":   {"session": "s", "profile": "isolated_named", "name": "n", "allow_launch": true, "url": "about:blank"},
		"browser_navigate":  {"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "action": "url", "url": "http://a/", "wait_until": "load"},
		"browser_click":     {"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "ref": "p1:2", "route": "trusted", "delivery_mode": "foreground", "expect": expect},

		"explain_browser_state":   {"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "text": "Send", "after": "0.1"},
		"browser_type":            {"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "ref": "p1:2", "text": "x", "mode": "keystrokes", "replace": true, "submit": true},
		"browser_select":          {"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "ref": "p1:2", "labels": []any{"One"}},
		"browser_press":           {"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "ref": "p1:2", "key": "Enter", "modifiers": []any{"Shift"}},
		"browser_pointer":         {"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "ref": "p1:2", "gesture": "drag", "to_ref": "p1:3", "route": "dom_event"},
		"browser_set_input_files": {"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "ref": "p1:2", "files": []any{"/a"}, "root": "/", "route": "trusted_key", "delivery_mode": "background", "expect": expect},
		"browser_download":        {"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "ref": "p1:2", "route": "dom_event", "root": "/a", "file_name": "x", "max_bytes": 1, "timeout_ms": 1, "delivery_mode": "foreground", "expect": expect},
		"browser_dialog":          {"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "answer": "accept", "dialog_id": "dialog-1", "prompt_text": "x", "expect": expect},
		"browser_screenshot":      {"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "ref": "v1:2", "annotate": true},
		"browser_wait":            {"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "text": "x", "text_gone": "y", "url_part": "z", "ref_gone": "p1:2", "quiet_ms": 1, "timeout_ms": 1},
		"browser_tabs":            {"session": "s", "target_id": "bt-1", "change": "activate", "tab_id": "tab-1", "expect": expect},
	}
	wrong := []any{nil, true, []any{}, map[string]any{}, -1, 1.5, 1 << 40, "no such value \u0000", strings.Repeat("x", 40_000)}
	for _, tool := range contract.Tools {
		schema, err := tool.InputSchema().Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		agree := func(arguments map[string]any) bool {
			raw, err := json.Marshal(arguments)
			if err != nil {
				t.Fatal(err)
			}
			var instance any
			if err := json.Unmarshal(raw, &instance); err != nil {
				t.Fatal(err)
			}
			bySchema, byCode := schema.Validate(instance), requests[tool.Name](raw)
			if bySchema != nil && byCode == nil {
				t.Errorf("%s %.120s: the schema objects (%v), the code does not", tool.Name, raw, bySchema)
			}
			return bySchema == nil && byCode == nil
		}
		if !agree(valid[tool.Name]) {
			t.Errorf("%s: the valid example is rejected", tool.Name)
		}
		for name := range valid[tool.Name] {
			for _, v := range wrong {
				broken := maps.Clone(valid[tool.Name])
				broken[name] = v
				agree(broken)
			}
			missing := maps.Clone(valid[tool.Name])
			delete(missing, name)
			agree(missing)
		}
		if tool.Name == "browser_click" {
			for name := range expect {
				for _, v := range wrong {
					inner := maps.Clone(expect)
					inner[name] = v
					agree(map[string]any{"session": "s", "target_id": "bt-1", "ref": "p1:2", "route": "trusted", "expect": inner})
				}
			}
		}
		extra := maps.Clone(valid[tool.Name])
		extra["force"] = true
		if agree(extra) {
			t.Errorf("%s accepts an unknown argument", tool.Name)
		}
	}
}

// filled returns a value of type t with every field set, so that no field is
// left out of its JSON.
func filled(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Pointer:
		v.Set(filled(t.Elem()).Addr())
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(filled(t.Field(i).Type))
			}
		}
	case reflect.Slice:
		v.Set(reflect.Append(v, filled(t.Elem())))
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(filled(t.Key()), filled(t.Elem()))
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(filled(t.Elem()))
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Interface:
		v.Set(reflect.ValueOf("x"))
	}
	return v
}

func aRefusal() *contract.RefusedResult {
	detail := filled(reflect.TypeFor[refusal.Detail]()).Interface().(refusal.Detail)
	return &contract.RefusedResult{Status: contract.Refused, Refusal: refusal.New(refusal.Occluded, "covered").
		WithProof([]refusal.Step{{Step: "hit", Verdict: refusal.Fail, Want: "self", Got: "dialog"}}).
		WithDetail(detail).WithNext("get_browser_state", map[string]any{"session": "s"})}
}

func aSnapshot() *contract.StateResult {
	r := &contract.StateResult{
		Status: contract.OK, Mode: "snapshot", TargetID: "bt-1", TabID: "tab-1",
		Semantic: filled(reflect.TypeFor[*snapshotfmt.Semantic]()).Interface().(*snapshotfmt.Semantic),
	}
	r.Snapshot.Format, r.Snapshot.Scope, r.Snapshot.Meaning, r.Frames[0].Status = "semantic_v2", "viewport", "computed", "read"
	r.Refs[0].Visibility, r.ContentRefs[0].Visibility = snapshotfmt.InViewport, snapshotfmt.CSSHidden
	return r
}

// inFormat is aSnapshot in another format.
func inFormat(format string) *contract.StateResult {
	r := aSnapshot()
	r.Snapshot.Format = format
	r.Lines = []snapshotfmt.Line{{Role: "main", Name: "x", Context: true}, {Depth: 1, Ref: r.Refs[0].Ref, Role: "x", UID: "1_1"}}
	return r
}

func aBinding() *contract.StateResult {
	yes := true
	return &contract.StateResult{
		Status: contract.OK, Mode: "bind", TargetID: "bt-1", BindingQuality: "exact", BindingRoute: "cardinality",
		Generation: 1, MutationAllowed: &yes, Tabs: []contract.Tab{{TabID: "tab-1"}}, Proof: []refusal.Step{{Step: "session", Verdict: refusal.Pass}},
	}
}

func TestResultsValidate(t *testing.T) {
	action := filled(reflect.TypeFor[contract.ActionResult]()).Interface().(contract.ActionResult)
	action.Status, action.Effect, action.Verdict, action.Route = contract.Partial, refusal.EffectUnknown, "not_asked", "trusted"
	action.Delivery.Mode, action.Dialog.Type, action.Proof[0].Verdict = "background", "alert", refusal.Pass
	navigate := filled(reflect.TypeFor[contract.NavigateResult]()).Interface().(contract.NavigateResult)
	navigate.Status, navigate.Effect, navigate.Proof = contract.OK, refusal.EffectConfirmed, []refusal.Step{}
	navigate.Dialog.Type, navigate.Verdict = "beforeunload", "met"
	windows := filled(reflect.TypeFor[contract.ListWindowsResult]()).Interface().(contract.ListWindowsResult)
	windows.Status = contract.OK
	windows.Windows[0].Endpoint, windows.Windows[0].Access = "pipe", "driver_owned"
	windows.Windows[0].WouldBind = contract.WouldBind{Verdict: "refused", Code: refusal.RequiresSetup, Reason: refusal.NoEndpoint}
	prepare := filled(reflect.TypeFor[contract.PrepareResult]()).Interface().(contract.PrepareResult)
	prepare.Status, prepare.Action, prepare.SideEffects.WindowSystem = contract.OK, "launched", "wayland"

	results := map[string][]any{
		"start_session":           {contract.StartSessionResult{Status: contract.OK, Session: "s"}},
		"end_session":             {contract.EndSessionResult{Status: contract.OK, Session: "s", Released: []string{}}},
		"list_windows":            {windows, contract.ListWindowsResult{Status: contract.OK, Windows: []contract.NativeWindow{}}},
		"get_browser_state":       {aSnapshot(), aBinding(), inFormat(snapshotfmt.DomRefsV1), inFormat(snapshotfmt.AxUIDV1)},
		"browser_prepare":         {prepare},
		"browser_navigate":        {navigate},
		"browser_click":           {action},
		"browser_type":            {action},
		"browser_select":          {action},
		"browser_press":           {action},
		"browser_pointer":         {action},
		"browser_set_input_files": {action},
		"browser_download":        {contract.DownloadResult{ActionResult: action, File: "x", Bytes: 1, Failure: "too_large"}, contract.DownloadResult{ActionResult: action}},
		"browser_dialog": {
			contract.DialogResult{Status: contract.OK, Present: true, Dialog: action.Dialog, SideEffects: []string{}},
			contract.DialogResult{Status: contract.OK, Effect: refusal.EffectConfirmed, SideEffects: []string{}},
			contract.DialogResult{Status: contract.Partial, Effect: refusal.EffectUnknown, SideEffects: []string{}, Verdict: "unmet", Unmet: "text", Evidence: action.Evidence},
		},
		"browser_screenshot": {
			contract.ScreenshotResult{Status: contract.OK, TargetID: "bt-1", TabID: "tab-1", Of: "viewport", Width: 1, Height: 1, MIME: "image/png", Data: "AA=="},
			contract.ScreenshotResult{Status: contract.OK, Of: "region", Ref: "v1:2", Width: 1, Height: 1, MIME: "image/png", Moved: "its box moved by 1.00 px", CaptureID: "shot-1", Marks: []contract.Mark{{Ref: "p1:2", Box: [4]int{1, 2, 3, 4}, Label: &[4]int{1, 2, 3, 4}}, {Ref: "p1:3", Box: [4]int{}}}, Unmarked: 1, SideEffects: []string{"x"}},
		},
		"browser_wait": {contract.WaitResult{Status: contract.OK, Verdict: "unmet", Missing: "text"}},
		"browser_tabs": {
			contract.TabsResult{Status: contract.OK, Tabs: []contract.Tab{{TabID: "tab-1"}}, SideEffects: []string{}},
			contract.TabsResult{Status: contract.Partial, Effect: refusal.EffectDispatched, Tabs: []contract.Tab{}, Dialog: action.Dialog, SideEffects: []string{}, Verdict: "met", Evidence: action.Evidence},
		},
		"explain_browser_state": {
			contract.ExplainResult{
				Status: contract.OK, Snapshot: "p1", Node: &contract.Explained{Ref: "o1:2", Verdict: "omitted", Reason: snapshotfmt.OmitCSSHidden, SubReason: "opacity"},
				Evidence: []contract.Check{{Check: "visible", Verdict: "fail"}},
			},
			contract.ExplainResult{Status: contract.OK, Snapshot: "p1", Rows: []contract.Explained{{Ref: "p1:2", Verdict: "listed"}}, Next: "0.50"},
		},
	}
	for _, tool := range contract.Tools {
		for _, r := range append(results[tool.Name], aRefusal()) {
			if err := contract.ValidateResult(tool.Name, r); err != nil {
				t.Error(err)
			}
		}
		if len(results[tool.Name]) == 0 {
			t.Errorf("%s: no result to validate", tool.Name)
		}
	}
}

func TestWrongResultsDoNotValidate(t *testing.T) {
	change := func(f func(*contract.StateResult)) any { r := aSnapshot(); f(r); return r }
	refused := func(f func(*refusal.Refusal)) any { r := aRefusal(); f(r.Refusal); return r }
	tests := []struct {
		name   string
		result any
	}{
		{"null instead of an empty list", change(func(r *contract.StateResult) { r.Refs = nil })},
		{"a nil list inside a map", change(func(r *contract.StateResult) { r.Refs[0].Routes = map[string][]string{"click": nil} })},
		{"unknown tier", change(func(r *contract.StateResult) { r.Refs[0].Visibility = "somewhere" })},
		{"unknown format", change(func(r *contract.StateResult) { r.Snapshot.Format = "aria" })},
		{"dom_refs_v1 of no tab", func() any {
			r := inFormat(snapshotfmt.DomRefsV1)
			r.TabID, r.TargetID, r.Mode = "", "", "bind"
			return r
		}()},
		{"ax_uid_v1 with null for a list", func() any { r := inFormat(snapshotfmt.AxUIDV1); r.Frames = nil; return r }()},
		{"unknown scope", change(func(r *contract.StateResult) { r.Snapshot.Scope = "all" })},
		{"snapshot without its fields", change(func(r *contract.StateResult) { r.Semantic = nil })},
		{"snapshot that says it binds", change(func(r *contract.StateResult) { r.Mode = "bind" })},
		{"refusal that says ok", func() any { r := aRefusal(); r.Status = contract.OK; return r }()},
		{"snapshot without tab", change(func(r *contract.StateResult) { r.TabID = "" })},
		{"success that says refused", change(func(r *contract.StateResult) { r.Status = contract.Refused })},
		{"binding with a page", func() any { r := aBinding(); r.Semantic = aSnapshot().Semantic; return r }()},
		{"unknown code", refused(func(r *refusal.Refusal) { r.Code = "browser_tired" })},
		{"unknown reason", refused(func(r *refusal.Refusal) { r.Reason = "other" })},
		{"refusal without proof list", refused(func(r *refusal.Refusal) { r.Proof = nil })},
		{"another tool's result", contract.StartSessionResult{Status: contract.OK, Session: "s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if contract.ValidateResult("get_browser_state", tt.result) == nil {
				t.Error("ValidateResult accepts it")
			}
		})
	}
}

func TestSchemaListsExactlyTheVocabulary(t *testing.T) {
	refused := contract.Tools[0].OutputSchema().AnyOf[1].Properties["refusal"]
	var codes, reasons []any
	for _, c := range refusal.Codes {
		codes = append(codes, string(c.Code))
	}
	for _, e := range refusal.Table {
		reasons = append(reasons, string(e.Reason))
	}
	if got := refused.Properties["code"].Enum; !slices.Equal(got, codes) {
		t.Errorf("codes in the schema: %v", got)
	}
	if got := refused.Properties["reason"].Enum; !slices.Equal(got, reasons) {
		t.Errorf("reasons in the schema: %v", got)
	}
}

// walk calls f for s and every schema inside it.
func walk(path string, s *jsonschema.Schema, f func(path string, s *jsonschema.Schema)) {
	if s == nil {
		return
	}
	f(path, s)
	for name, p := range s.Properties {
		walk(path+"."+name, p, f)
	}
	walk(path+"[]", s.Items, f)
	for _, v := range s.AnyOf {
		walk(path, v, f)
	}
}

func TestNullIsOnlyWhereItIsAnAnswer(t *testing.T) {
	nulls := map[string]bool{}
	for _, tool := range contract.Tools {
		walk(tool.Name, tool.OutputSchema(), func(path string, s *jsonschema.Schema) {
			if slices.Contains(s.Types, "null") {
				nulls[path] = true
			}
		})
	}
	if want := map[string]bool{"get_browser_state.tabs[].active": true, "browser_tabs.tabs[].active": true}; !maps.Equal(nulls, want) {
		t.Errorf("null is allowed at %v, want %v", nulls, want)
	}
}
