package act

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/limits"
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
	each := limits.CharTimeout
	if r.Mode == Keystrokes {
		each = limits.KeyTimeout
	}
	c.longer = time.Duration(utf8.RuneCountInString(r.Text)) * each
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
	base    string // what the text is put behind
	text    string // what is delivered
	want    string // what the field shall hold then
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
	case t.field.Readonly:
		return t.fail("editable", "editable", "read only", refusal.New(refusal.Readonly, "the field is read only"))
	case t.field.Kind == "", t.field.Kind != "set" && !slices.Contains(t.Ref.Actions, "type"):
		return t.fail("editable", "a field", sight.Tag, refusal.New(refusal.NotDeclared, "nothing can be typed into this node").WithDetail(refusal.Detail{Declared: t.Ref.Actions}))
	}
	t.proof.Pass("editable", t.field.Kind)
	if t.field.Kind == "set" {
		t.route, t.text, t.want = DOMEvent, t.request.Text, t.request.Text
		return nil
	}
	if t.Keyless {
		return t.keyless()
	}
	return t.focus(ctx, sight)
}

// focus puts focus and caret where the text shall go.
func (t *typing) focus(ctx context.Context, s *world.Sight) error {
	if err := t.takeFocus(ctx, s); err != nil {
		return err
	}
	held, err := t.caret(ctx, t.request.Replace)
	t.base, t.text = held.Value, t.lines()
	if err == nil && held.Held && held.Whole && !t.request.Replace && held.Value != "" {
		// no caret can be put into it: what it holds is typed again with the text
		t.text = held.Value + t.text
		held, err = t.caret(ctx, true)
	}
	if err != nil {
		return err
	}
	if !held.Held {
		return t.fail("focus", "the caret in the field", "moved by the page", refusal.New(refusal.FocusRefused, "the page did not let the caret stand in the field"))
	}
	t.proof.Pass("focus", "the node itself")
	if t.request.Replace {
		t.base = ""
	}
	t.want = t.base + t.lines()
	return nil
}

// caret is where the page let the caret stand.
type caret struct {
	Held  bool   `json:"held"`
	Whole bool   `json:"whole"` // only everything can be selected, not a place
	Value string `json:"value"` // what the field holds now that it has the focus
}

func (t *typing) caret(ctx context.Context, all bool) (c caret, err error) {
	return c, t.opArgs(ctx, "caret", map[string]any{"all": all}, &c)
}

// lines is the text asked for with its line breaks as a field holds them.
func (t *typing) lines() string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(t.request.Text)
}

// deliver hands the text over once.
func (t *typing) deliver(ctx context.Context) (delivery, error) {
	switch {
	case t.field.Kind == "set":
		return t.put(ctx)
	case t.text == "" && t.request.Replace:
		return t.input(ctx, t.stroke(keyTable["Delete"], 0))
	case t.request.Mode == Keystrokes:
		return t.input(ctx, t.strokes())
	}
	return t.input(ctx, []*devtools.Pending{t.insert(t.text)})
}

func (t *typing) insert(text string) *devtools.Pending {
	return t.Tab.Send("Input.insertText", map[string]any{"text": text})
}

// strokes sends every character as its key. A line break in an input has no
// key: Enter would submit its form, which nobody asked for. A tab has none
// either: its key leaves the field.
func (t *typing) strokes() (sent []*devtools.Pending) {
	for _, r := range t.text {
		switch {
		case r == '\n' && t.field.Kind == "input":
		case r == '\t':
			sent = append(sent, t.insert("\t"))
		default:
			sent = append(sent, t.stroke(keyOf(r), 0)...)
		}
	}
	return sent
}

// put sets the whole value of a field that is not typed into.
func (t *typing) put(ctx context.Context) (delivery, error) {
	return t.atOnce(ctx, "put", map[string]any{"text": t.text})
}

// content is what the field holds.
type content struct {
	Gone    bool    `json:"gone"`
	Value   string  `json:"value"`
	Focused bool    `json:"focused"`
	Watched float64 `json:"watched"`
	err     error
}

// content reads the field after the page has had its turn, rest long.
func (t *typing) content(ctx context.Context, rest time.Duration) (got content) {
	t.await(ctx, func(ctx context.Context) error {
		got.err = t.Document.Call(ctx, "content", map[string]any{"k": t.Local, "restMS": rest.Milliseconds()}, &got)
		return got.err
	})
	return got
}

func (t *typing) holds(got content) bool { return got.err == nil && !got.Gone && t.same2(got.Value) }

// enterAfter is how long the text must stand before Enter is pressed behind it.
const enterAfter = 60 * time.Millisecond

// finish submits if the field holds all of the text, lets the page have its
// turn, and reads back what the field holds then.
func (t *typing) finish(ctx context.Context, d delivery) (*contract.ActionResult, error) {
	defer t.undo()
	entered := false
	if t.request.Submit && !d.uncertain() && t.Dialogs.Open() == nil {
		if got := t.content(ctx, enterAfter); t.holds(got) && t.field.Kind != "set" && got.Focused {
			entered = true
			var err error
			if d, err = t.input(ctx, t.stroke(keyTable["Enter"], 0)); err != nil {
				return nil, err
			}
		}
	}
	t.puts = !entered
	res, err := t.result(ctx, d)
	if err != nil {
		return nil, err
	}
	return t.reckon(ctx, d, res, entered), nil
}

// reckon settles what of the text the field took and what Enter did.
func (t *typing) reckon(ctx context.Context, d delivery, res *contract.ActionResult, entered bool) *contract.ActionResult {
	asked := utf8.RuneCountInString(t.request.Text)
	res.Delivery.RequestedChars = &asked
	switch {
	case d.uncertain() || res.Effect == refusal.EffectUnknown:
		return res
	case entered && (res.Invalidated || res.Dialog != nil):
		t.readBack(res, t.want, asked, true)
		t.submitted(res, "yes")
		return res
	case res.Dialog != nil: // how much the field had taken cannot be read behind it
		res.Status, res.Effect = contract.Partial, refusal.EffectDispatched
		return res
	case res.Invalidated:
		return unknown(res, "the document was replaced before the field could be read")
	}
	got := t.content(ctx, 0)
	if got.err != nil || got.Gone {
		if entered && t.seen.saw("submit") {
			t.readBack(res, t.want, asked, true)
			t.submitted(res, "yes")
			return res
		}
		return unknown(res, "the field has left the page and could not be read")
	}
	watched(res, got.Watched)
	if !entered {
		t.readBack(res, got.Value, asked, t.holds(got))
		if t.request.Submit {
			if res.Status = contract.Partial; res.Effect == refusal.EffectConfirmed {
				res.Effect = refusal.EffectPartial
			}
			t.submitted(res, "no: the field does not hold the text and the focus")
		}
		return res
	}
	t.readBack(res, t.want, asked, true)
	t.afterEnter(res, got)
	return res
}

// afterEnter says what Enter did to a field that held the whole text.
func (t *typing) afterEnter(res *contract.ActionResult, got content) {
	switch {
	case t.seen.saw("submit") || t.seen.urlChanged():
		t.submitted(res, "yes")
	case t.seen.Guard.Blocked > 0:
		res.Status, res.Effect = contract.Partial, refusal.EffectPartial
		t.submitted(res, "no: the page had moved the focus")
	case t.seen.saw("invalid"):
		res.Status, res.Effect = contract.Partial, refusal.EffectPartial
		t.submitted(res, "no: stopped by the form's validation")
	case t.field.Kind != "input" && got.Value != t.want && t.same2(strings.TrimRight(got.Value, "\n")):
		res.Status, res.Effect = contract.Partial, refusal.EffectPartial
		t.submitted(res, "no: Enter made a line break")
	case !t.holds(got):
		t.submitted(res, "the page took the text away")
	default:
		res.Effect = refusal.EffectDispatched
		t.submitted(res, "Enter pressed; no submit seen")
	}
}

func (t *typing) submitted(res *contract.ActionResult, how string) {
	res.Evidence = append(res.Evidence, contract.Evidence{Fact: "submitted", Before: "no", After: how})
}

// same2 holds the read-back against what was wanted. Rich text shows runs of
// spaces as one, and one or two line breaks for one.
func (t *typing) same2(got string) bool {
	if t.field.Kind == "rich" {
		return sameLines(got, t.want)
	}
	return strings.ReplaceAll(got, "\r\n", "\n") == strings.ReplaceAll(t.want, "\r\n", "\n")
}

// sameLines compares rendered text with the text asked for, line by line.
func sameLines(got, want string) bool {
	g, gaps := linesOf(got)
	w, breaks := linesOf(want)
	if !slices.Equal(g, w) {
		return false
	}
	for i, n := range breaks {
		if gaps[i] < n || gaps[i] > 2*n {
			return false
		}
	}
	return true
}

// linesOf are the lines of a text that show something, their spaces folded,
// and how many line breaks stand between each and the one before.
func linesOf(s string) (lines []string, breaks []int) {
	n := 0
	for _, l := range strings.Split(s, "\n") {
		if f := strings.Join(strings.Fields(l), " "); f != "" {
			if len(lines) > 0 {
				breaks = append(breaks, n)
			}
			lines, n = append(lines, f), 0
		}
		n++
	}
	return lines, breaks
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
	case got == t.field.Value:
		res.Effect, res.Status = refusal.EffectSuspectedNoop, contract.Partial
	default:
		res.Effect, res.Status = refusal.EffectPartial, contract.Partial
	}
}

// taken counts the characters of the text that stand in the field in order.
func (t *typing) taken(got string) int {
	rest, ok := strings.CutPrefix(got, t.base)
	if !ok {
		return 0
	}
	n := 0
	for _, r := range t.lines() {
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
