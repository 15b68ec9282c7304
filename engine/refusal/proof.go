package refusal

import "fmt"

// Proof collects the steps of one proof in order. The first failing step ends
// it: every later step is recorded as not run. The zero value has no plan and
// is ready to use. A Proof belongs to one goroutine.
type Proof struct {
	steps  []Step
	failed bool
}

// Pass records a step that held.
func (p *Proof) Pass(step, got string) { p.add(Step{Step: step, Verdict: Pass, Got: got}) }

// Passf records a step that held, with the values compared.
func (p *Proof) Passf(step, want, format string, args ...any) {
	p.add(Step{Step: step, Verdict: Pass, Want: want, Got: fmt.Sprintf(format, args...)})
}

// Fail records the step that did not hold.
func (p *Proof) Fail(step, want, got string) {
	p.add(Step{Step: step, Verdict: Fail, Want: want, Got: got})
	p.failed = true
}

func (p *Proof) add(s Step) {
	if p.failed {
		s.Verdict, s.Got = NotRun, ""
	}
	p.steps = append(p.steps, s)
}

// Steps returns the trace. The steps of plan that were never reached are
// appended as not run, so that a refusal always shows the whole proof.
func (p *Proof) Steps(plan ...string) []Step {
	out := append([]Step{}, p.steps...)
	seen := map[string]bool{}
	for _, s := range out {
		seen[s.Step] = true
	}
	for _, name := range plan {
		if !seen[name] {
			out = append(out, Step{Step: name, Verdict: NotRun})
		}
	}
	return out
}
