package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
)

// Navigate moves the tab's main frame and waits for the load state asked for.
// proof holds the steps up to the tab.
func Navigate(ctx context.Context, tab *devtools.Session, r contract.NavigateRequest, dialogs Dialogs, proof *refusal.Proof) (*contract.NavigateResult, error) {
	n := &navigation{tab: tab, request: r, dialogs: dialogs, proof: proof}
	n.events = tab.Subscribe("Page.frameNavigated", "Page.navigatedWithinDocument", "Page.domContentEventFired", "Page.loadEventFired")
	defer n.events.Close()
	before, err := n.mainFrame(ctx)
	if err != nil {
		return nil, err
	}
	n.frame, n.loader = before.ID, before.LoaderID
	ctx, cancel := context.WithTimeout(ctx, limits.NavigateTimeout)
	defer cancel()
	started, err := n.start(ctx)
	if err != nil {
		return nil, err
	}
	return n.result(ctx, started), nil
}

type navigation struct {
	tab           *devtools.Session
	request       contract.NavigateRequest
	dialogs       Dialogs
	proof         *refusal.Proof
	events        *devtools.Events
	frame, loader string
}

type mainFrame struct {
	ID       string `json:"id"`
	LoaderID string `json:"loaderId"`
	URL      string `json:"url"`
	Fragment string `json:"urlFragment"`
	// UnreachableURL is set on the browser's own error page.
	UnreachableURL string `json:"unreachableUrl"`
	ParentID       string `json:"parentId"`
}

func (n *navigation) mainFrame(ctx context.Context) (mainFrame, error) {
	var r struct {
		FrameTree struct {
			Frame mainFrame `json:"frame"`
		} `json:"frameTree"`
	}
	if err := n.tab.Call(ctx, "Page.getFrameTree", nil, &r); err != nil {
		return mainFrame{}, fmt.Errorf("navigate: %w", err)
	}
	if r.FrameTree.Frame.ID == "" {
		return mainFrame{}, errors.New("navigate: the browser names no main frame")
	}
	return r.FrameTree.Frame, nil
}

// started is how the browser took the order.
type started struct {
	ErrorText string `json:"errorText"`
	LoaderID  string `json:"loaderId"` // "" for a move within the document
	dialog    bool
	doubtful  error
}

// start gives the order once. A beforeunload dialog holds its answer back.
func (n *navigation) start(ctx context.Context) (started, error) {
	method, args, err := n.order(ctx)
	if err != nil {
		return started{}, err
	}
	n.events.Drain() // of what went on before
	sent := n.tab.Send(method, args)
	type answer struct {
		s   started
		err error
	}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		var s started
		err := sent.Decode(waiting, &s)
		done <- answer{s, err}
	}()
	select {
	case a := <-done:
		var perr *devtools.Error
		if errors.As(a.err, &perr) {
			return started{}, n.refuse(refusal.New(refusal.PageRefused, "the browser does not go there: %s", perr.Message))
		}
		if a.err != nil {
			a.s.doubtful = a.err
		}
		return a.s, nil
	case <-n.dialogs.Opened():
		cancel()
		<-done
		return started{dialog: true}, nil
	}
}

func (n *navigation) refuse(r *refusal.Refusal) error {
	n.proof.Fail("order", "accepted", "declined")
	return r.WithProof(n.proof.Steps())
}

// order is the protocol call for the request.
func (n *navigation) order(ctx context.Context) (string, map[string]any, error) {
	switch n.request.Action {
	case "", "url":
		return "Page.navigate", map[string]any{"url": n.request.URL, "frameId": n.frame}, nil
	case "reload":
		return "Page.reload", nil, nil
	}
	var h struct {
		CurrentIndex int `json:"currentIndex"`
		Entries      []struct {
			ID int `json:"id"`
		} `json:"entries"`
	}
	if err := n.tab.Call(ctx, "Page.getNavigationHistory", nil, &h); err != nil {
		return "", nil, fmt.Errorf("navigate: %w", err)
	}
	i := h.CurrentIndex - 1
	if n.request.Action == "forward" {
		i = h.CurrentIndex + 1
	}
	if i < 0 || i >= len(h.Entries) {
		return "", nil, n.refuse(refusal.New(refusal.NotDeclared, "the tab's history has nothing to go %s to", n.request.Action))
	}
	return "Page.navigateToHistoryEntry", map[string]any{"entryId": h.Entries[i].ID}, nil
}

// progress is how far a load has come.
type progress struct {
	committed, within, restored, interactive, loaded bool
}

func (p progress) state() string {
	switch {
	case p.loaded || p.restored || p.within:
		return "load"
	case p.interactive:
		return "domcontentloaded"
	case p.committed:
		return "commit"
	}
	return "none"
}

func (p progress) reached(want string) bool {
	switch want {
	case "commit":
		return p.committed || p.within || p.loaded
	case "domcontentloaded":
		return p.interactive || p.loaded || p.restored || p.within
	}
	return p.loaded || p.restored || p.within
}

// result follows the load and says where the tab is.
func (n *navigation) result(ctx context.Context, s started) *contract.NavigateResult {
	n.proof.Pass("order", "given")
	out := &contract.NavigateResult{Status: contract.OK, Effect: refusal.EffectConfirmed, ErrorText: s.ErrorText, SideEffects: []string{}, Verdict: "not_asked", Evidence: []contract.Evidence{}, Proof: n.proof.Steps()}
	var p progress
	switch {
	case s.doubtful != nil:
		out.Status, out.Effect = contract.Partial, refusal.EffectUnknown
	case s.dialog:
	case s.ErrorText != "":
		// Chromium shows its own error page, which has no load of ours.
		n.follow(ctx, func(p progress) bool { return p.committed }, &p, errorPageTimeout)
	default:
		want := n.request.WaitUntil
		n.follow(ctx, func(p progress) bool { return p.reached(want) }, &p, limits.NavigateTimeout)
	}
	if d := n.dialogs.Open(); d != nil {
		out.Status, out.Effect, out.Dialog = contract.Partial, refusal.EffectDispatched, d
		out.LoadState, out.URL = p.state(), ""
		return out
	}
	now, err := n.mainFrame(context.WithoutCancel(ctx))
	if err != nil { // the order was given: what became of it cannot be told
		out.Status, out.Effect, out.LoadState = contract.Partial, refusal.EffectUnknown, p.state()
		out.Proof = append(out.Proof, refusal.Step{Step: "afterwards", Verdict: refusal.Fail, Want: "where the tab is", Got: err.Error()})
		return out
	}
	out.URL = now.URL + now.Fragment
	if now.UnreachableURL != "" {
		out.URL = now.UnreachableURL
	}
	out.NewDocument = now.LoaderID != n.loader
	out.Invalidated = out.NewDocument
	out.LoadState = p.state()
	switch {
	case out.Effect == refusal.EffectUnknown:
	case out.ErrorText != "":
		out.Status, out.Effect = contract.Partial, effectOf(out.NewDocument)
	case !p.committed && !p.within && !p.loaded && !out.NewDocument:
		out.Status, out.Effect = contract.Partial, refusal.EffectDispatched
	case !p.reached(n.request.WaitUntil):
		out.Status = contract.Partial
	}
	return out
}

func effectOf(newDocument bool) refusal.Effect {
	if newDocument {
		return refusal.EffectConfirmed
	}
	return refusal.EffectNone
}

// errorPageTimeout bounds the wait for the browser's own error page.
const errorPageTimeout = 2 * time.Second

// follow reads load events until done says so, a dialog opens, or time is up.
func (n *navigation) follow(ctx context.Context, done func(progress) bool, p *progress, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for !done(*p) {
		select {
		case ev, ok := <-n.events.C():
			if !ok {
				return
			}
			n.take(ev, p)
		case <-n.dialogs.Opened():
			return
		case <-ctx.Done():
			return
		}
	}
}

func (n *navigation) take(ev devtools.Event, p *progress) {
	switch ev.Method {
	case "Page.frameNavigated":
		var f struct {
			Frame mainFrame `json:"frame"`
			Type  string    `json:"type"`
		}
		if json.Unmarshal(ev.Params, &f) == nil && f.Frame.ParentID == "" {
			*p = progress{committed: true, restored: f.Type == "BackForwardCacheRestore"}
		}
	case "Page.navigatedWithinDocument":
		var f struct {
			FrameID string `json:"frameId"`
		}
		if json.Unmarshal(ev.Params, &f) == nil && f.FrameID == n.frame {
			p.within = true
		}
	case "Page.domContentEventFired":
		p.interactive = p.committed
	case "Page.loadEventFired":
		p.loaded = p.committed
	}
}
