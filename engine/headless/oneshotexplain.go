package headless

import (
	"context"

	"cuatui/engine/contract"
)

// ExplainOf says what to explain of a page: exactly one of Ref, Point, Text and
// Reason, as in contract.ExplainRequest. The page is surveyed for it anew, so
// Ref and After are of the survey that an unchanged page gives.
type ExplainOf struct {
	Subject

	Ref    string
	Point  []float64
	Text   string
	Reason string
	After  string
}

// Explain prints why a node of the subject's page is or is not offered. Where
// a text or reason leads to a single node, it goes on to that node's evidence.
func (o OneShot) Explain(ctx context.Context, engine Engine, of ExplainOf) Exit {
	again := of.words("explain", "--text", of.Text)
	if of.Reason != "" {
		again = of.words("explain", "--reason", of.Reason)
	}
	return o.inSession(ctx, engine, question{of.Subject, again}, func() (any, error) {
		request := contract.ExplainRequest{Session: oneShotSession, Ref: of.Ref, Point: of.Point, Text: of.Text, Reason: of.Reason, After: of.After}
		before := request
		before.TargetID = "any" // known only after binding
		if err := before.Validate(); err != nil {
			return nil, err
		}
		snapshot := &contract.StateRequest{Session: oneShotSession}
		if _, err := o.take(ctx, engine, of.Subject, snapshot); err != nil {
			return nil, err
		}
		request.TargetID, request.TabID = snapshot.TargetID, snapshot.TabID
		list, err := call(ctx, engine, Engine.Explain, &request)
		if err != nil || len(list.Rows) != 1 || list.Next != "" || of.After != "" {
			return list, err
		}
		request.Text, request.Reason, request.Ref = "", "", list.Rows[0].Ref
		return call(ctx, engine, Engine.Explain, &request)
	})
}
