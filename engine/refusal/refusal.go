// Package refusal holds the closed vocabulary of the engine's refusals: sixteen
// codes, the reasons under each, the Refusal error that carries them and the
// proof trace that shows how far the engine got before it declined.
//
// It decides nothing and knows no browser. Every engine package raises its
// refusals through New, so a reason without a code cannot exist.
package refusal

import (
	"errors"
	"fmt"
)

// Effect says what a mutation did before it ended.
type Effect string

// The effects of a mutation. A refusal is always EffectNone, because it is
// raised before anything is delivered.
const (
	EffectConfirmed     Effect = "confirmed"      // read back from the page
	EffectDispatched    Effect = "dispatched"     // delivered, nothing to read back
	EffectPartial       Effect = "partial"        // delivered in part; counts say how far
	EffectNone          Effect = "none"           // nothing was delivered
	EffectSuspectedNoop Effect = "suspected_noop" // delivered, and no fact changed within the settle time
	EffectUnknown       Effect = "unknown"        // may have been delivered; never retried
)

// Verdict is the outcome of one proof step.
type Verdict string

// The outcomes of a proof step. Steps after the first failing one are
// VerdictNotRun.
const (
	Pass   Verdict = "pass"
	Fail   Verdict = "fail"
	NotRun Verdict = "not_run"
)

// Step is one step of a proof: what was compared and how it came out.
// Want and Got are already safe to show: they hold no endpoint address, path,
// or id of the browser's protocol.
type Step struct {
	Step    string  `json:"step" jsonschema:"name of the proof step"`
	Verdict Verdict `json:"verdict" jsonschema:"pass, fail or not_run"`
	Want    string  `json:"want,omitempty" jsonschema:"what the step required"`
	Got     string  `json:"got,omitempty" jsonschema:"what the step found"`
}

// Next is the call that leads on from a refusal.
type Next struct {
	Tool      string         `json:"tool" jsonschema:"name of the tool to call"`
	Arguments map[string]any `json:"arguments" jsonschema:"its arguments, ready to use"`
}

// Occluder names the node that covers a refused one.
type Occluder struct {
	Ref  string `json:"ref,omitempty" jsonschema:"its ref, where the current snapshot lists it"`
	Role string `json:"role,omitempty"`
	Name string `json:"name,omitempty"`
	Tag  string `json:"tag,omitempty"`
}

// Candidate is one browser window that could have been meant.
type Candidate struct {
	Title string     `json:"title"`
	Box   [4]float64 `json:"box" jsonschema:"x, y, width, height in DIP"`
	Delta [4]float64 `json:"delta" jsonschema:"its edges minus those of the native window, DIP"`
	Why   string     `json:"why" jsonschema:"why it fits or does not"`
}

// Detail carries what a caller can use to recover. Empty fields are left out.
type Detail struct {
	Successor         string      `json:"successor,omitempty" jsonschema:"the current ref of the same, unchanged node; give it as ref"`
	SameNode          string      `json:"same_node,omitempty" jsonschema:"changed or gone, where there is no successor"`
	Was               string      `json:"was,omitempty" jsonschema:"the value when the ref was made"`
	Is                string      `json:"is,omitempty" jsonschema:"the value now"`
	Occluder          *Occluder   `json:"occluder,omitempty"`
	FreePoint         *[2]float64 `json:"free_point,omitempty" jsonschema:"a point of the node that nothing covers, CSS px of the top viewport"`
	AlternativeRoutes []string    `json:"alternative_routes,omitempty" jsonschema:"routes that would be accepted for this ref now; give one as route"`
	Declared          []string    `json:"declared,omitempty" jsonschema:"action kinds the ref declares"`
	Options           []string    `json:"options,omitempty" jsonschema:"labels of the select's options; give them as labels"`
	Candidates        []Candidate `json:"candidates,omitempty"`
	Missing           []string    `json:"missing,omitempty" jsonschema:"what the system lacks"`
	SubReason         string      `json:"sub_reason,omitempty" jsonschema:"finer cause, for example opacity under hidden"`
}

// Refusal is an error made on purpose: the engine looked and declined, and
// nothing was delivered. It is safe to show to an agent or a person.
type Refusal struct {
	Code    Code    `json:"code" jsonschema:"one of the sixteen refusal codes"`
	Reason  Reason  `json:"reason" jsonschema:"the reason under the code"`
	Message string  `json:"message" jsonschema:"one sentence for a person"`
	Effect  Effect  `json:"effect" jsonschema:"always none: a refusal comes before delivery"`
	Proof   []Step  `json:"proof" jsonschema:"the proof trace, in order"`
	Detail  *Detail `json:"detail,omitempty"`
	Next    *Next   `json:"next,omitempty" jsonschema:"the call that leads on"`
}

// New returns a refusal for reason; its code comes from the table. The message
// is one sentence for a person. New panics on a reason that is not in the
// table, because that is a defect of the caller and a test walks them all.
func New(reason Reason, format string, args ...any) *Refusal {
	code, ok := CodeOf(reason)
	if !ok {
		panic(fmt.Sprintf("refusal: reason %q is not in the table", reason))
	}
	return &Refusal{Code: code, Reason: reason, Message: fmt.Sprintf(format, args...), Effect: EffectNone, Proof: []Step{}}
}

// WithProof sets the proof trace and returns the refusal.
func (r *Refusal) WithProof(steps []Step) *Refusal { r.Proof = steps; return r }

// WithNext sets the next call and returns the refusal.
func (r *Refusal) WithNext(tool string, arguments map[string]any) *Refusal {
	if arguments == nil {
		arguments = map[string]any{}
	}
	r.Next = &Next{Tool: tool, Arguments: arguments}
	return r
}

// WithDetail sets the detail and returns the refusal.
func (r *Refusal) WithDetail(d Detail) *Refusal { r.Detail = &d; return r }

// Error says code, reason and message in one line.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%s (%s): %s", r.Code, r.Reason, r.Message)
}

// Is matches a target refusal by code, and by reason where the target names
// one, so that errors.Is(err, &Refusal{Code: RefStale}) works.
func (r *Refusal) Is(target error) bool {
	t, ok := target.(*Refusal)
	return ok && t.Code == r.Code && (t.Reason == "" || t.Reason == r.Reason)
}

// As returns the refusal in err's chain, if there is one.
func As(err error) (*Refusal, bool) {
	var r *Refusal
	ok := errors.As(err, &r)
	return r, ok
}
