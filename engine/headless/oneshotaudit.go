package headless

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
)

// Auditor is what the audit command needs of the engine.
type Auditor interface {
	Engine
	Audit(context.Context, contract.AuditRequest) (*contract.AuditResult, error)
}

// Audit prints how true a snapshot of the subject's page is. It exits with an
// error where the snapshot misses a control or lies about one.
func (o OneShot) Audit(ctx context.Context, engine Auditor, of Subject) Exit {
	return o.inSession(ctx, engine, question{of: of}, func() (any, error) {
		bound, err := o.open(ctx, engine, of, &contract.StateRequest{Session: oneShotSession})
		if err != nil {
			return nil, err
		}
		return engine.Audit(ctx, contract.AuditRequest{Session: oneShotSession, TargetID: bound.TargetID, TabID: activeTab(bound.Tabs)})
	})
}

func auditText(r *contract.AuditResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s: %d misses, %d lies\n", r.Snapshot, snapshotfmt.Quote(r.URL), len(r.Misses), len(r.Lies))
	fmt.Fprintf(&b, "# %d points hit %d controls; %d refs in view declare click\n", r.Points, r.Controls, r.Offers)
	for _, list := range []struct {
		what string
		of   []contract.Audited
	}{{"miss", r.Misses}, {"lie", r.Lies}} {
		for i := range list.of {
			a := &list.of[i]
			fmt.Fprintf(&b, "%s %s, at %.0f,%.0f: %s\n", list.what, explainedText(&a.Explained), a.Point[0], a.Point[1], snapshotfmt.Quote(a.Says))
		}
	}
	for _, why := range r.Unjudged {
		fmt.Fprintf(&b, "# not judged: %s\n", snapshotfmt.PrintableLine(why))
	}
	tiers := make([]string, 0, len(r.Tiers))
	for tier := range r.Tiers {
		tiers = append(tiers, tier)
	}
	slices.Sort(tiers)
	fmt.Fprintf(&b, "# %d candidates", r.Candidates)
	for _, tier := range tiers {
		fmt.Fprintf(&b, ", %d listed %s", r.Tiers[tier], tier)
	}
	b.WriteString("\n")
	for _, o := range r.Omissions {
		fmt.Fprintf(&b, "# %d omitted %s\n", o.Count, snapshotfmt.PrintableLine(o.Reason))
		for i := range o.Examples {
			b.WriteString("  " + explainedText(&o.Examples[i]) + "\n")
		}
	}
	return b.String()
}
