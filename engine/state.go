package engine

import (
	"cmp"
	"context"
	"fmt"

	"cuatui/engine/bind"
	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/limits"
	"cuatui/engine/observe"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// State binds a native window or takes a snapshot of a bound tab.
func (e *Engine) State(ctx context.Context, r contract.StateRequest) (*contract.StateResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := e.session(r.Session); err != nil {
		return nil, err
	}
	if r.TargetID == "" {
		return e.bindWindow(ctx, r)
	}
	ctx, cancel := context.WithTimeout(ctx, limits.SnapshotTimeout)
	defer cancel()
	t, err := e.resolve(ctx, r.Session, r.TargetID, r.TabID)
	if err != nil {
		return nil, err
	}
	if d := t.live.Open(); d != nil {
		return nil, t.dialogOpen(d)
	}
	seg, err := untilDialog(ctx, t, func(ctx context.Context) (*observe.Segment, error) {
		if r.Continuation != "" {
			return t.next(ctx, r.Continuation, r.Format)
		}
		return t.snapshot(ctx, r)
	})
	if err != nil {
		return nil, t.again(lost(err), r)
	}
	return &contract.StateResult{
		Status: contract.OK, Mode: "snapshot", TargetID: r.TargetID, BindingQuality: t.target.Quality, TabID: r.TabID, Semantic: seg.Semantic,
	}, nil
}

func snapshotArgs(session, target, tab string) map[string]any {
	return map[string]any{"session": session, "target_id": target, "tab_id": tab}
}

// dialogOpen refuses what a page dialog holds up, and leads to the dialog.
func (t *resolved) dialogOpen(d *contract.Dialog) error {
	args := snapshotArgs(t.target.Session, t.target.ID, t.tab.ID)
	args["answer"] = "inspect"
	return refusal.New(refusal.DialogOpen, "a page dialog (%s) is open: %q", d.Type, d.Text).WithNext("browser_dialog", args)
}

// untilDialog runs a read that a dialog would hold up, and gives up when one opens.
func untilDialog[T any](ctx context.Context, t *resolved, read func(context.Context) (*T, error)) (*T, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		got *T
		err error
	}
	done := make(chan answer, 1)
	go func() {
		got, err := read(ctx)
		done <- answer{got, err}
	}()
	select {
	case a := <-done:
		return a.got, a.err
	case <-t.live.Opened():
		cancel()
		a := <-done
		if a.err == nil {
			return a.got, nil
		}
		if d := t.live.Open(); d != nil {
			return nil, t.dialogOpen(d)
		}
		return nil, a.err
	}
}

// snapshot takes a new snapshot; the tab's older one is retired.
func (t *resolved) snapshot(ctx context.Context, r contract.StateRequest) (*observe.Segment, error) {
	o := t.options(r.NodeBudget, r.OutputBudget)
	o.Query, o.Meaning, o.Format = r.Query, r.Meaning, r.Format
	switch r.Format {
	case snapshotfmt.DomRefsV1:
		o.NodeBudget = min(o.NodeBudget, snapshotfmt.DomRefsMax)
	case snapshotfmt.AxUIDV1:
		o.Meaning = cmp.Or(o.Meaning, "accessibility")
	}
	if r.Collector == observe.CollectProtocol {
		o.Collector = r.Collector
	}
	scope := "viewport"
	if r.Query != "" {
		scope = "query"
	}
	if r.ScopeRef != "" {
		scope = "subtree"
		ref, err := t.resolveRef(ctx, r.ScopeRef)
		if err != nil {
			return nil, err
		}
		if _, err := t.live.page.Find(ctx, ref.K); err != nil {
			return nil, err
		}
		o.Scope = ref.K
	}
	earlier, err := t.earlier(r.DiffFrom)
	if err != nil {
		return nil, err
	}
	snap, err := t.live.page.Take(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := earlier.of(snap); err != nil {
		return nil, err
	}
	n := t.target.Begin(t.tab, snap)
	t.target.Ask(t.tab, r.Format)
	seg, err := t.segment(ctx, snap, n, scope)
	if err != nil || earlier == nil {
		return seg, err
	}
	seg.Semantic.Diff, err = earlier.diff(ctx, snap, seg)
	return seg, err
}

// options are those of a whole snapshot; a budget of 0 stands for the default.
func (t *resolved) options(nodes, tokens int) observe.Options {
	if nodes == 0 {
		nodes = limits.NodeBudget
	}
	shared := tokens != 0
	if !shared {
		tokens = limits.OutputTokens
	}
	return observe.Options{NodeBudget: nodes, OutputBudget: tokens, Shared: shared, TrustedSafe: trustedSafe(t.on), Keyless: !bind.TakesKeys(t.browser.product)}
}

// next takes the next segment of the tab's snapshot, in the format it began with;
// format is that or "".
func (t *resolved) next(ctx context.Context, continuation, format string) (*observe.Segment, error) {
	_, current := t.target.Payload(t.tab)
	if snap, ok := current.(*observe.Snapshot); ok && format != "" && format != snap.Format() { // before the continuation is spent
		return nil, &contract.ArgumentError{Field: "snapshot_format", Message: "must be " + snap.Format() + " or left out: a continuation keeps the format it began with"}
	}
	n, payload, r := t.target.Continue(t.tab, continuation)
	if r != nil {
		return nil, r
	}
	snap, ok := payload.(*observe.Snapshot)
	if !ok {
		return nil, fmt.Errorf("continue: snapshot p%d holds no survey", n)
	}
	return t.segment(ctx, snap, n, "continuation")
}

// segment takes a segment and mints its refs.
func (t *resolved) segment(ctx context.Context, snap *observe.Snapshot, n int, scope string) (*observe.Segment, error) {
	seg, err := snap.Next(ctx, n, scope)
	if err != nil {
		if ref, ok := refusal.As(err); ok && ref.Reason == refusal.Navigated {
			t.target.Invalidate(t.tab)
		}
		return nil, err
	}
	refs := make([]capability.Ref, len(seg.Minted))
	for i, m := range seg.Minted {
		refs[i] = capability.Ref(m)
	}
	token, ok := t.target.Put(t.tab, n, refs, seg.More)
	if !ok || !t.target.PutVisual(t.tab, n, seg.Visual) {
		return nil, refusal.New(refusal.Superseded, "a newer snapshot of this tab was taken meanwhile")
	}
	seg.Semantic.Snapshot.Continuation = token
	for i := range seg.Semantic.Lines {
		if l := &seg.Semantic.Lines[i]; l.Ref != "" {
			l.UID = t.target.UID(t.tab, l.K)
		}
	}
	seg.Semantic.Snapshot.EstimatedTokens = seg.Semantic.BodyTokens()
	return seg, nil
}

// resolveRef resolves a ref, and for a superseded one whose node stands
// unchanged in the current snapshot names the successor.
func (t *resolved) resolveRef(ctx context.Context, ref string) (capability.Ref, error) {
	got, old, now, r := t.target.Resolve(t.tab, ref)
	if r == nil {
		return got, nil
	}
	r.WithProof([]refusal.Step{{Step: "ref", Verdict: refusal.Fail, Want: fmt.Sprintf("p%d", t.target.Current(t.tab)), Got: ref}})
	if r.Reason == refusal.Superseded && t.live.Open() == nil { // nothing is looked at behind a dialog
		r.WithDetail(t.succession(ctx, old, now))
	}
	takes := map[byte]string{capability.KindExplain: "explain_browser_state", capability.KindVisual: "browser_screenshot"}
	kind, n, _, _ := capability.Parse(ref)
	leads := takes[kind] != "" && n == t.target.Current(t.tab)
	if kind == capability.KindVisual {
		_, _, none := t.target.ResolveVisual(t.tab, ref)
		leads = none == nil
	}
	if leads {
		args := snapshotArgs(t.target.Session, t.target.ID, t.tab.ID)
		args["ref"] = ref
		r.WithNext(takes[kind], args)
	}
	return got, r
}

// succession says what has become of the node of an old ref: its current ref,
// if the node is still what the old ref was made for; else that it changed or
// went, and no ref, because a recycled row must not become a wrong click.
func (t *resolved) succession(ctx context.Context, old, now *capability.Ref) refusal.Detail {
	if old == nil || now == nil {
		return refusal.Detail{SameNode: "gone"}
	}
	found, err := t.live.page.Find(ctx, now.K)
	if err != nil {
		return refusal.Detail{SameNode: "gone"}
	}
	sight, err := t.live.page.Look(ctx, found)
	if err != nil {
		return refusal.Detail{SameNode: "gone"}
	}
	if !sight.Is(old.Role, old.Name, old.Steady, old.RowKey, old.Use) {
		return refusal.Detail{SameNode: "changed", Was: old.Role + " " + old.Name, Is: sight.Role + " " + sight.Name}
	}
	return refusal.Detail{Successor: fmt.Sprintf("p%d:%d", t.target.Current(t.tab), now.K)}
}
