package act_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"cuatui/engine/act"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/engine/refusal"
)

var handed = []act.File{{Path: "/copy/0/a.png", Name: "a.png", Size: 3}, {Path: "/copy/1/b.txt", Name: "b.txt", Size: 0}}

func heldAs(names ...any) []any {
	out := []any{}
	for i := 0; i < len(names); i += 2 {
		out = append(out, map[string]any{"name": names[i], "size": names[i+1]})
	}
	return out
}

// inputStage is a file input that takes everything.
func inputStage(t *testing.T, takes map[string]any) *stage {
	t.Helper()
	s := newStage(t)
	s.subject.Ref.Actions = []string{"upload"}
	all := map[string]any{"is": true, "k": 9, "multiple": true, "files": []any{}}
	for k, v := range takes {
		all[k] = v
	}
	s.Say("fileInput", all)
	s.Say("files", map[string]any{"files": heldAs("a.png", 3, "b.txt", 0), "told": nil})
	s.Result("DOM.setFileInputFiles", nil)
	ops := s.Handler("Runtime.callFunctionOn")
	s.Handle("Runtime.callFunctionOn", func(session string, params json.RawMessage) (any, *devtools.Error) {
		if strings.Contains(string(params), "this.node") {
			return map[string]any{"result": map[string]any{"objectId": "node-9"}}, nil
		}
		return ops(session, params)
	})
	return s
}

func TestFilesAreReadBack(t *testing.T) {
	for name, tt := range map[string]struct {
		files  any
		effect refusal.Effect
		status contract.Status
	}{
		"it holds them":                 {map[string]any{"files": heldAs("a.png", 3, "b.txt", 0)}, refusal.EffectConfirmed, contract.OK},
		"it held them when it was told": {map[string]any{"files": []any{}, "told": heldAs("a.png", 3, "b.txt", 0)}, refusal.EffectDispatched, contract.OK},
		"it holds nothing":              {map[string]any{"files": []any{}}, refusal.EffectSuspectedNoop, contract.Partial},
		"it holds one of them":          {map[string]any{"files": heldAs("a.png", 3)}, refusal.EffectPartial, contract.Partial},
		"of another size":               {map[string]any{"files": heldAs("a.png", 3, "b.txt", 7)}, refusal.EffectPartial, contract.Partial},
		"another order":                 {map[string]any{"files": heldAs("b.txt", 0, "a.png", 3)}, refusal.EffectPartial, contract.Partial},
		"it is gone":                    {map[string]any{"gone": true}, refusal.EffectUnknown, contract.Partial},
		"it says nothing":               {nil, refusal.EffectUnknown, contract.Partial},
	} {
		s := inputStage(t, nil)
		s.Say("files", tt.files)
		res, err := act.Upload(t.Context(), s.subject, handed, &refusal.Proof{})
		if err != nil || res.Effect != tt.effect || res.Status != tt.status {
			t.Errorf("%s: %+v, %v; want %s", name, res, err, tt.effect)
		}
		if calls := s.Calls("DOM.setFileInputFiles"); len(calls) != 1 || string(calls[0].Params) != `{"files":["/copy/0/a.png","/copy/1/b.txt"],"objectId":"node-9"}` {
			t.Errorf("%s: handed over %+v", name, calls)
		}
		if raw, _ := json.Marshal(res); strings.Contains(string(raw), "/copy") {
			t.Errorf("%s: a path in %s", name, raw)
		}
	}
}

func TestNothingIsHandedToWhatDoesNotTakeIt(t *testing.T) {
	for name, tt := range map[string]struct {
		takes  map[string]any
		reason refusal.Reason
		sub    string
	}{
		"no file input":  {map[string]any{"is": false}, refusal.NotAFileInput, ""},
		"disabled":       {map[string]any{"dis": "disabled"}, refusal.Disabled, "disabled"},
		"a folder":       {map[string]any{"directory": true}, refusal.FileRejected, "directory"},
		"one file":       {map[string]any{"multiple": false}, refusal.FileRejected, "multiple"},
		"pictures alone": {map[string]any{"accept": "image/*"}, refusal.FileRejected, "accept"},
	} {
		s := inputStage(t, tt.takes)
		_, err := act.Upload(t.Context(), s.subject, handed, &refusal.Proof{})
		r := wantRefusal(t, err, tt.reason, "files")
		if sub := r.Detail; (sub == nil) != (tt.sub == "") || sub != nil && sub.SubReason != tt.sub {
			t.Errorf("%s: detail %+v", name, sub)
		}
		if n := len(s.Calls("DOM.setFileInputFiles")); n != 0 {
			t.Errorf("%s: handed over %d times", name, n)
		}
	}
}

func TestFilesThatMayHaveArrived(t *testing.T) {
	s := inputStage(t, nil)
	s.Handle("DOM.setFileInputFiles", func(string, json.RawMessage) (any, *devtools.Error) {
		s.dialogs.raise()
		return nil, enginetest.ErrSilent
	})
	if res, err := act.Upload(t.Context(), s.subject, handed, &refusal.Proof{}); err != nil || res.Dialog == nil || res.Effect != refusal.EffectDispatched {
		t.Errorf("a dialog: %+v, %v", res, err)
	}
	s = inputStage(t, nil)
	s.Fail("DOM.setFileInputFiles", -32000, "Internal error")
	if res, err := act.Upload(t.Context(), s.subject, handed, &refusal.Proof{}); err != nil || res.Effect != refusal.EffectUnknown {
		t.Errorf("the browser failed: %+v, %v", res, err)
	}
	s = inputStage(t, nil)
	s.Fail("DOM.setFileInputFiles", -32000, "Not allowed")
	_, err := act.Upload(t.Context(), s.subject, handed, &refusal.Proof{})
	wantRefusal(t, err, refusal.PageRefused, "delivery")
	s = inputStage(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	s.Handle("DOM.setFileInputFiles", func(string, json.RawMessage) (any, *devtools.Error) {
		cancel()
		return nil, enginetest.ErrSilent
	})
	if res, err := act.Upload(ctx, s.subject, handed, &refusal.Proof{}); !errors.Is(err, context.Canceled) && (err != nil || res.Effect != refusal.EffectUnknown) {
		t.Errorf("given up: %+v, %v", res, err)
	}
}

// Whatever comes of the click, the browser's own chooser is given back, last.
func TestAChooserIsGivenBack(t *testing.T) {
	asks := func(s *stage, frame string, node int) {
		s.Handle("Input.dispatchKeyEvent", func(session string, params json.RawMessage) (any, *devtools.Error) {
			if strings.Contains(string(params), "keyUp") {
				s.Emit(session, "Page.fileChooserOpened", map[string]any{"frameId": frame, "mode": "selectMultiple", "backendNodeId": node})
			}
			return nil, nil
		})
	}
	for name, tt := range map[string]struct {
		change func(*stage, context.CancelFunc)
		effect refusal.Effect // "" for a refusal
		handed int
	}{
		"it asks":             {func(s *stage, _ context.CancelFunc) { asks(s, "MAIN", 9) }, refusal.EffectConfirmed, 1},
		"another frame asks":  {func(s *stage, _ context.CancelFunc) { asks(s, "CHILD", 9) }, refusal.EffectPartial, 0},
		"it asks for no node": {func(s *stage, _ context.CancelFunc) { asks(s, "MAIN", 0) }, refusal.EffectPartial, 0},
		"it takes one": {func(s *stage, _ context.CancelFunc) {
			asks(s, "MAIN", 9)
			s.Say("fileInput", map[string]any{"is": true, "k": 9})
		}, refusal.EffectPartial, 0},
		"the caller gives up": {func(s *stage, cancel context.CancelFunc) {
			s.Answer("settle", func(enginetest.Op) (any, *devtools.Error) { cancel(); return quiet(), nil })
		}, "any", 0},
		"a dialog opens": {func(s *stage, _ context.CancelFunc) {
			s.Handle("Input.dispatchKeyEvent", func(string, json.RawMessage) (any, *devtools.Error) {
				if s.dialogs.Open() == nil {
					s.dialogs.raise()
				}
				return nil, nil
			})
		}, refusal.EffectConfirmed, 0},
		"the focus is refused": {func(s *stage, _ context.CancelFunc) { s.Say("focus", map[string]any{"focused": false}) }, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := inputStage(t, nil)
			s.subject.Ref.Actions = []string{"click"}
			s.Result("Page.setInterceptFileChooserDialog", nil)
			if tt.effect == refusal.EffectPartial { // none comes that is ours
				act.ShortenChooser(t)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			tt.change(s, cancel)
			res, err := act.UploadBy(ctx, s.subject, act.TrustedKey, handed, &refusal.Proof{})
			if _, refused := refusal.As(err); refused != (tt.effect == "") || err == nil && tt.effect != "any" && res.Effect != tt.effect {
				t.Errorf("%+v, %v; want %s", res, err, tt.effect)
			}
			if n := len(s.Calls("DOM.setFileInputFiles")); n != tt.handed {
				t.Errorf("handed over %d times", n)
			}
			calls := s.Calls("Page.setInterceptFileChooserDialog")
			if len(calls) != 2 || string(calls[0].Params) != `{"enabled":true}` || string(calls[1].Params) != `{"enabled":false}` {
				t.Errorf("choosers: %+v", calls)
			}
		})
	}
}

func TestWhatAnInputAccepts(t *testing.T) {
	for accept, takes := range map[string][]string{
		"":                       {"a.png", "a.txt", "a", ".png", "a.PNG", "a.tar.gz"},
		" , ":                    {"a.png", "a.txt", "a", ".png", "a.PNG", "a.tar.gz"},
		".png":                   {"a.png", "a.PNG"},
		"image/png":              {"a.png", ".png", "a.PNG"},
		"IMAGE/*":                {"a.png", ".png", "a.PNG"},
		"text/plain, .gz":        {"a.txt", "a.tar.gz"},
		".tar.gz":                {"a.tar.gz"},
		"*/*":                    {"a.png", "a.txt", "a", ".png", "a.PNG", "a.tar.gz"},
		"image":                  nil,
		"/*":                     nil,
		"application/x-unknown,": nil,
	} {
		s := inputStage(t, map[string]any{"accept": accept})
		var got []string
		for _, name := range []string{"a.png", "a.txt", "a", ".png", "a.PNG", "a.tar.gz"} {
			if _, err := act.Upload(t.Context(), s.subject, []act.File{{Name: name}}, &refusal.Proof{}); err == nil {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, takes) {
			t.Errorf("accept %q takes %v, want %v", accept, got, takes)
		}
	}
}
