package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/observe"
)

// expectTime bounds how long post-conditions may take to come true where the
// caller does not say.
const expectTime = 5 * time.Second

// The verdicts on post-conditions.
const (
	verdictMet         = "met"
	verdictUnmet       = "unmet"
	verdictAlreadyTrue = "already_true"
	verdictNotAsked    = "not_asked"
)

// expectation is what a caller expects of an action, and what of it held
// before. A nil one expects nothing.
type expectation struct {
	t     *resolved
	want  contract.Expect
	c     observe.Conditions // those that are read from the page
	first []observe.Answer   // what held of them before the action
	began int                // downloads of the tab before the action
}

func expects(t *resolved, e *contract.Expect) *expectation {
	return &expectation{t: t, want: *e, c: observe.Conditions{Text: e.Text, TextGone: e.TextGone, URL: e.URLPart, State: e.State, Value: e.Value}}
}

// expect takes the post-conditions of an action; node is the k of the node it
// acts on, 0 for none. A ref that is no longer current is refused.
func (t *resolved) expect(ctx context.Context, e *contract.Expect, node int) (*expectation, error) {
	if e == nil {
		return nil, nil //nolint:nilnil // nothing is expected
	}
	x := expects(t, e)
	if e.State == "" && e.Value == "" {
		return x, nil
	}
	x.c.Node = node
	if e.Ref != "" {
		ref, err := t.resolveRef(ctx, e.Ref)
		if err != nil {
			return nil, err
		}
		x.c.Node = ref.K
	}
	return x, nil
}

// before reads what holds already. It is called last before the action.
func (x *expectation) before(ctx context.Context) (err error) {
	if x == nil {
		return nil
	}
	x.began, _ = x.t.live.downloads()
	if !x.want.Reads() {
		return nil
	}
	x.first, err = x.t.live.page.Holds(ctx, x.c)
	return err
}

// behind is before where a dialog is open. It stops the page's script, so that
// nothing of the page is known but what the browser has of it: its url.
func (x *expectation) behind(ctx context.Context) error {
	if x == nil {
		return nil
	}
	x.began, _ = x.t.live.downloads()
	x.first = x.c.Unknown("a page dialog is open")
	if x.want.URLPart == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, activeTimeout)
	defer cancel()
	var h struct {
		CurrentIndex int `json:"currentIndex"`
		Entries      []struct {
			URL string `json:"url"`
		} `json:"entries"`
	}
	err := x.t.live.session.Call(ctx, "Page.getNavigationHistory", nil, &h)
	if err = lost(err); errors.Is(err, contract.ErrConnectionLost) {
		return err
	}
	if err == nil && h.CurrentIndex >= 0 && h.CurrentIndex < len(h.Entries) {
		x.know("url", strings.Contains(h.Entries[h.CurrentIndex].URL, x.want.URLPart))
	}
	return nil
}

// know says of a condition whether it held before.
func (x *expectation) know(fact string, held bool) {
	for i := range x.first {
		if x.first[i].Fact != fact {
			continue
		}
		x.first[i] = observe.Answer{Fact: fact, Truth: observe.False}
		if held {
			x.first[i].Truth = observe.True
		}
	}
}

// judgement is what became of post-conditions.
type judgement struct {
	verdict, unmet string
	evidence       []contract.Evidence
}

// judge waits until everything that is expected holds, and says what that
// proves. What held before the action, or may have, is none of its doing.
func (x *expectation) judge(ctx context.Context) judgement {
	if x == nil {
		return judgement{verdict: verdictNotAsked, evidence: []contract.Evidence{}}
	}
	patience := expectTime
	if x.want.TimeoutMS > 0 {
		patience = time.Duration(x.want.TimeoutMS) * time.Millisecond
	}
	end := time.Now().Add(patience)
	after := x.asked(ctx, end)
	return x.sum(append(after, x.read(ctx, end)...))
}

// unknown is the judgement where nothing can be told of what holds now.
func (x *expectation) unknown(why string) judgement {
	if x == nil {
		return judgement{verdict: verdictNotAsked, evidence: []contract.Evidence{}}
	}
	var after []observe.Answer
	if x.want.Dialog != "" {
		after = append(after, observe.Answer{Fact: "dialog", Truth: observe.Unproven, Why: why})
	}
	if x.want.Download {
		after = append(after, observe.Answer{Fact: "download", Truth: observe.Unproven, Why: why})
	}
	return x.sum(append(after, x.c.Unknown(why)...))
}

// sum holds what holds after an action against what held before it.
func (x *expectation) sum(after []observe.Answer) judgement {
	j := judgement{verdict: verdictAlreadyTrue, evidence: []contract.Evidence{}}
	for _, a := range after {
		was := x.was(a.Fact)
		j.evidence = append(j.evidence, contract.Evidence{Fact: "expect_" + a.Fact, Before: string(was), After: string(a.Truth)})
		if a.Truth != observe.True && j.unmet == "" {
			j.unmet = a.Fact
			if a.Why != "" {
				j.unmet += ": " + a.Why
			}
		}
		if was == observe.False {
			j.verdict = verdictMet
		}
	}
	if j.unmet != "" {
		j.verdict = verdictUnmet
	}
	return j
}

// was is whether a condition held before. Neither a dialog nor a download can
// have: nothing is acted on behind a dialog, and the tab's downloads are
// counted from the action on.
func (x *expectation) was(fact string) observe.Truth {
	if fact == "dialog" || fact == "download" {
		return observe.False
	}
	i := slices.IndexFunc(x.first, func(a observe.Answer) bool { return a.Fact == fact })
	if i < 0 {
		return observe.Unproven
	}
	return x.first[i].Truth
}

// asked waits for what the page asks of the browser: a dialog, a download.
func (x *expectation) asked(ctx context.Context, end time.Time) (out []observe.Answer) {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	if x.want.Dialog != "" {
		a := observe.Answer{Fact: "dialog", Truth: observe.False}
		select {
		case <-x.t.live.Opened():
			if d := x.t.live.Open(); d != nil && d.Type == x.want.Dialog {
				a.Truth = observe.True
			}
		case <-x.t.live.done: // a tab that is gone asks for nothing
		case <-ctx.Done():
		}
		out = append(out, a)
	}
	if x.want.Download {
		a := observe.Answer{Fact: "download", Truth: observe.False}
		for a.Truth != observe.True && ctx.Err() == nil && x.t.live.alive() {
			began, noted := x.t.live.downloads()
			if began > x.began {
				a.Truth = observe.True
				break
			}
			select {
			case <-noted:
			case <-x.t.live.done:
			case <-ctx.Done():
			}
		}
		out = append(out, a)
	}
	return out
}

// read waits for what the page shows. What cannot be read is not known.
func (x *expectation) read(ctx context.Context, end time.Time) []observe.Answer {
	if !x.want.Reads() {
		return nil
	}
	why := "the page could not be read"
	if x.t.live.Open() == nil {
		w, err := x.t.wait(ctx, x.c, time.Until(end))
		if err == nil {
			return w.Answers
		}
		if errors.Is(err, context.Canceled) {
			why = "the call was cancelled"
		}
	}
	if x.t.live.Open() != nil {
		why = "a page dialog is open"
	}
	return x.c.Unknown(why)
}

// judgeAction puts the verdict on an action into its result.
func (x *expectation) judgeAction(ctx context.Context, res *contract.ActionResult) {
	j := x.judge(ctx)
	res.Verdict, res.Unmet = j.verdict, j.unmet
	res.Evidence = append(res.Evidence, j.evidence...)
	if j.verdict == verdictUnmet && res.Status == contract.OK {
		res.Status = contract.Partial
	}
}
