package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"cuatui/engine/bind"
	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/platform"
)

// ListWindows lists native windows and what binding each would say. It binds
// nothing, and asks no personal browser without the person's consent, which it
// does not use up or renew.
func (e *Engine) ListWindows(ctx context.Context, r contract.ListWindowsRequest) (*contract.ListWindowsResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := e.session(r.Session); err != nil {
		return nil, err
	}
	out := &contract.ListWindowsResult{Status: contract.OK, System: e.system.Name(), Windows: []contract.NativeWindow{}}
	e.mu.Lock()
	owned := append([]*browser{}, e.browsers[r.Session]...)
	e.mu.Unlock()
	seen := map[platform.System]bool{}
	systems := []platform.System{e.system}
	for _, b := range owned {
		systems = append(systems, b.system)
	}
	missing := []string{}
	for _, s := range systems {
		if seen[s] {
			continue
		}
		seen[s] = true
		all, err := s.Windows(ctx)
		if errors.Is(err, platform.ErrNoDisplay) || errors.Is(err, platform.ErrUnsupported) {
			why := strings.TrimPrefix(err.Error(), "listing windows: ")
			out.Notes = append(out.Notes, e.unlisted(s, why))
			missing = append(missing, why)
			continue
		}
		if err != nil {
			return nil, leadOn(unseen(ctx, &refusal.Proof{}, nil, "windows", err), scopeOf(r.Session, 0, 0))
		}
		if partial, ok := s.(platform.Partial); ok {
			out.Notes = append(out.Notes, partial.Unlisted(ctx)...)
		}
		out.Windows = append(out.Windows, e.natives(ctx, r, s, all)...)
	}
	if err := ctx.Err(); err != nil { // a verdict that was not waited for is none
		return nil, fmt.Errorf("list windows: %w", err)
	}
	if len(missing) == len(seen) {
		return nil, refusal.New(refusal.DisplayUnavailable, "no window system answers here").
			WithDetail(refusal.Detail{Missing: missing}).WithNext("browser_prepare", prepareArgs(r.Session))
	}
	return out, nil
}

// unlisted says what it means that a window system does not answer while another
// does: that is no fault of the list, which has what there is to see.
func (e *Engine) unlisted(s platform.System, why string) string {
	if s != e.system {
		return "the display of a browser that this session started does not answer any more (" + why + "), so its windows are not listed"
	}
	return "windows of other programs are not listed: there is no window system to ask here (" + why + "). Browsers started here have a display of their own, and everything works on them"
}

// verdictsAtOnce bounds how many browsers are asked at the same time for a list.
const verdictsAtOnce = 8

// natives describes windows, in their order. Browsers are asked at the same
// time, the windows of one after each other: it has one connection to be made.
func (e *Engine) natives(ctx context.Context, r contract.ListWindowsRequest, s platform.System, all []platform.Window) []contract.NativeWindow {
	listed := make([]*contract.NativeWindow, len(all))
	of := map[int][]int{} // by process: its windows
	for i, w := range all {
		of[w.PID] = append(of[w.PID], i)
	}
	var asking sync.WaitGroup
	room := make(chan struct{}, verdictsAtOnce)
	for _, windows := range of {
		asking.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			v := &verdicts{e: e, session: r.Session}
			for _, i := range windows {
				if n, ok := e.native(ctx, r, s, all[i], v); ok {
					listed[i] = &n
				}
			}
		})
	}
	asking.Wait()
	var out []contract.NativeWindow
	for _, n := range listed {
		if n != nil {
			out = append(out, *n)
		}
	}
	return out
}

// native describes one window; ok is false for one that is no browser's and
// was not asked for.
func (e *Engine) native(ctx context.Context, r contract.ListWindowsRequest, s platform.System, w platform.Window, v *verdicts) (contract.NativeWindow, bool) {
	n := contract.NativeWindow{
		PID: w.PID, WindowID: uint64(w.ID), Title: w.Title, Box: [4]float64{w.Box.X, w.Box.Y, w.Box.W, w.Box.H}, Active: w.Active, Endpoint: "none",
	}
	if b := e.owned(r.Session, w.PID); b != nil && b.system == s {
		n.Product, n.Endpoint, n.Access = b.product, "pipe", accessDriver
		n.WouldBind = v.of(ctx, w)
		return n, true
	}
	if w.PID == 0 {
		n.WouldBind = verdict(refusal.New(refusal.WindowNotOwned, "the owner of the window is not known"))
		return n, r.All
	}
	proc, err := s.Process(ctx, w.PID)
	if err != nil {
		n.WouldBind = verdict(refusal.New(refusal.NotABrowser, "the process is not visible"))
		return n, r.All
	}
	product, class, err := e.classify(ctx, proc)
	if err != nil {
		n.WouldBind = verdict(refusal.New(refusal.EnumerationFailed, "the processes cannot be listed"))
		return n, r.All
	}
	n.Product = product
	switch class {
	case bind.Consumer:
		n.Access, n.Endpoint, n.Run = accessConsumer, "not_asked", e.run(proc.Fingerprint())
		if _, state := e.live(r.Session, proc, w.ID); state {
			n.Access, n.Endpoint = accessApproved, "port"
		}
	case bind.Embedded:
		n.Access, n.Endpoint = accessEmbedded, "port"
	default:
	}
	if n.WouldBind = v.of(ctx, w); n.Endpoint == "port" && n.WouldBind.Reason == refusal.NoEndpoint {
		n.Endpoint = "none"
	}
	return n, r.All || class != bind.NotABrowser
}

// live says whether the person's consent for a window stands.
func (e *Engine) live(session string, proc platform.Process, id platform.WindowID) (int, bool) {
	state, generation := e.grants.Peek(capability.Scope{Session: session, Fingerprint: proc.Fingerprint(), Window: id})
	return generation, state == capability.Live
}

func verdict(r *refusal.Refusal) contract.WouldBind {
	return contract.WouldBind{Verdict: "refused", Code: r.Code, Reason: r.Reason}
}

// verdicts are those on the windows of one process.
type verdicts struct {
	e       *Engine
	session string
	silent  bool // it has not answered in its time, and is not asked again
}

// of runs the binding's own proof and keeps only the verdict. Of a personal
// browser nothing is asked without consent. A browser that hangs must not hold
// up the list of the others: it has its time, once for all of its windows.
func (v *verdicts) of(ctx context.Context, w platform.Window) contract.WouldBind {
	silent := verdict(refusal.New(refusal.ConnectFailed, "the browser does not answer"))
	if v.silent {
		return silent
	}
	ctx, cancel := context.WithTimeout(ctx, limits.VerdictTimeout)
	defer cancel()
	var p refusal.Proof
	bw, err := v.e.prove(ctx, scopeOf(v.session, w.PID, uint64(w.ID)), true, &p)
	if r, ok := refusal.As(err); ok {
		return verdict(r)
	}
	if err != nil {
		v.silent = ctx.Err() != nil
		return silent
	}
	return contract.WouldBind{Verdict: string(bw.quality)}
}
