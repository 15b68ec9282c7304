package act

import (
	"context"
	"strings"
	"unicode/utf8"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
)

// The modes of typing.
const (
	InsertText = "insert_text"
	Keystrokes = "keystrokes"
)

// field is what the world says of the node that is typed into.
type field struct {
	Kind     string `json:"kind"` // input, textarea, rich, set, or "" for none
	Type     string `json:"type"`
	Readonly bool   `json:"readonly"`
	Value    string `json:"value"`
	Max      int    `json:"max"` // UTF-16 units, -1 for no limit
	Secret   bool   `json:"secret"`
}

// Type proves the subject, types into it and reads it back.
func Type(ctx context.Context, s Subject, r contract.TypeRequest, proof *refusal.Proof) (*contract.ActionResult, error) {
	c := &attempt{Subject: s, kind: "type", route: TrustedKey, proof: proof}
	t := &typing{attempt: c, request: r}
	if err := t.begin(ctx); err != nil {
		c.disarm(ctx)
		return nil, err
	}
	d, err := t.deliver(ctx)
	if err != nil {
		c.disarm(ctx)
		return nil, err
	}
	return t.finish(ctx, d)
}

type typing struct {
	*attempt
	request contract.TypeRequest
	field   field
	want    string
}

// begin proves the node, its editability, the focus and the caret.
func (t *typing) begin(ctx context.Context) error {
	sight, err := t.ready(ctx)
	if err != nil {
		return err
	}
	if err := t.opArgs(ctx, "field", nil, &t.field); err != nil {
		return err
	}
	switch {
	case t.field.Kind == "":
		return t.fail("editable", "a field", sight.Tag, refusal.New(refusal.NotDeclared, "nothing can be typed into this node"))
	case t.field.Readonly:
		return t.fail("editable", "editable", "read only", refusal.New(refusal.Readonly, "the field is read only"))
	}
	t.proof.Pass("editable", t.field.Kind)
	if t.field.Kind == "set" {
		t.route, t.want = DOMEvent, t.request.Text
		return nil
	}
	return t.focus(ctx, sight)
}

// focus puts focus and caret where the text shall go.
func (t *typing) focus(ctx context.Context, s *world.Sight) error {
	if err := t.takeFocus(ctx, s); err != nil {
		return err
	}
	var held struct {
		Held bool `json:"held"`
	}
	if err := t.opArgs(ctx, "caret", map[string]any{"all": t.request.Replace}, &held); err != nil {
		return err
	}
	if !held.Held {
		return t.fail("focus", "the caret in the field", "moved by the page", refusal.New(refusal.FocusRefused, "the page did not let the caret stand in the field"))
	}
	t.proof.Pass("focus", "the node itself")
	t.want = t.request.Text
	if t.field.Kind == "input" {
		t.want = strings.NewReplacer("\r", "", "\n", "").Replace(t.want) // an input holds one line
	}
	if !t.request.Replace {
		t.want = t.field.Value + t.want
	}
	return nil
}

// deliver hands the text over once.
func (t *typing) deliver(ctx context.Context) (delivery, error) {
	switch {
	case t.field.Kind == "set":
		return t.await(ctx, func(ctx context.Context) error {
			return t.Document.Call(ctx, "put", map[string]any{"k": t.Local, "text": t.request.Text}, nil)
		}), nil
	case t.request.Text == "" && t.request.Replace:
		return t.input(ctx, t.stroke(keyTable["Delete"], 0))
	case t.request.Mode == Keystrokes:
		var sent []*devtools.Pending
		for _, r := range t.request.Text {
			sent = append(sent, t.stroke(keyOf(r), 0)...)
		}
		return t.input(ctx, sent)
	}
	return t.input(ctx, []*devtools.Pending{t.Tab.Send("Input.insertText", map[string]any{"text": t.request.Text})})
}

// finish reads back what the field took, and submits if that is all of it.
func (t *typing) finish(ctx context.Context, d delivery) (*contract.ActionResult, error) {
	asked := utf8.RuneCountInString(t.request.Text)
	var got struct {
		Gone  bool   `json:"gone"`
		Value string `json:"value"`
	}
	var readErr error
	if d.doubtful == nil && t.Dialogs.Open() == nil {
		readErr = t.Document.Call(ctx, "content", map[string]any{"k": t.Local}, &got)
	}
	complete := readErr == nil && !got.Gone && t.same2(got.Value)
	if complete && t.request.Submit && d.doubtful == nil {
		sent := t.stroke(keyTable["Enter"], 0)
		var err error
		if d, err = t.input(ctx, sent); err != nil {
			return nil, err
		}
	}
	res := t.result(ctx, d)
	t.undo()
	res.Delivery.RequestedChars = &asked
	if d.doubtful != nil || readErr != nil || got.Gone || t.Dialogs.Open() != nil {
		if !world.Gone(readErr) && d.doubtful == nil && res.Dialog == nil {
			res.Effect, res.Status = refusal.EffectUnknown, contract.Partial
		}
		return res, nil
	}
	t.readBack(res, got.Value, asked, complete)
	return res, nil
}

// same2 holds the read-back against what was wanted. Rich text is compared
// without regard to how its lines are broken.
func (t *typing) same2(got string) bool {
	if t.field.Kind == "rich" {
		return strings.Join(strings.Fields(got), " ") == strings.Join(strings.Fields(t.want), " ")
	}
	return strings.ReplaceAll(got, "\r\n", "\n") == strings.ReplaceAll(t.want, "\r\n", "\n")
}

// readBack turns the field's content into effect and counts. What the field
// did not take as it was typed is partial, never success.
func (t *typing) readBack(res *contract.ActionResult, got string, asked int, complete bool) {
	before, after := t.field.Value, got
	if t.field.Secret {
		before, after = masked(before), masked(after)
	}
	taken := asked
	if !complete {
		taken = t.taken(got)
	}
	res.Delivery.DeliveredChars = &taken
	res.Evidence = append([]contract.Evidence{{Fact: "content", Before: clipped(before), After: clipped(after)}}, dropFact(res.Evidence, "value")...)
	switch {
	case complete:
		res.Effect = refusal.EffectConfirmed
		if t.request.Submit {
			res.Evidence = append(res.Evidence, contract.Evidence{Fact: "submitted", Before: "no", After: "Enter pressed"})
		}
	case got == t.field.Value:
		res.Effect, res.Status = refusal.EffectSuspectedNoop, contract.Partial
	default:
		res.Effect, res.Status = refusal.EffectPartial, contract.Partial
	}
}

// taken counts the characters of the text that stand in the field in order.
func (t *typing) taken(got string) int {
	base := ""
	if !t.request.Replace {
		base = t.field.Value
	}
	rest, ok := strings.CutPrefix(got, base)
	if !ok {
		return 0
	}
	n := 0
	for _, r := range t.request.Text {
		c, size := utf8.DecodeRuneInString(rest)
		if size == 0 || c != r {
			break
		}
		rest, n = rest[size:], n+1
	}
	return n
}

func masked(s string) string {
	if s == "" {
		return ""
	}
	return "[redacted]"
}

// clipped bounds a value for evidence.
func clipped(s string) string {
	const most = 200
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

func dropFact(in []contract.Evidence, fact string) []contract.Evidence {
	out := in[:0:0]
	for _, e := range in {
		if e.Fact != fact {
			out = append(out, e)
		}
	}
	return out
}
